// SHA-256 by itself is deprecated for its place in the library, not for what it does; EVP allocates for each digest, which
// takes longer than digesting a block.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>

/// The two halves of an HMAC with SHA-256 (RFC 2104), each behind its padded key.
typedef struct { SHA256_CTX inner, outer; } gm_hmac_sha256_key;

/// Makes a key of its two padded keys of 64 bytes.
static inline gm_hmac_sha256_key gm_hmac_sha256_make(const unsigned char *inner, const unsigned char *outer) {
  gm_hmac_sha256_key key;
  SHA256_Init(&key.inner);
  SHA256_Update(&key.inner, inner, 64);
  SHA256_Init(&key.outer);
  SHA256_Update(&key.outer, outer, 64);
  return key;
}

/// The code of a message, of 32 bytes.
static inline void gm_hmac_sha256(const gm_hmac_sha256_key *key, const unsigned char *message, size_t count,
                                  unsigned char *code) {
  SHA256_CTX digest = key->inner;
  SHA256_Update(&digest, message, count);
  SHA256_Final(code, &digest);
  digest = key->outer;
  SHA256_Update(&digest, code, 32);
  SHA256_Final(code, &digest);
}
