// SHA-256 by itself is deprecated for its place in the library, not for what it does; EVP allocates for each digest, which
// takes longer than digesting a block.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>

/// HMAC with SHA-256 (RFC 2104) of a message, by the two padded keys of 64 bytes, to 32 bytes.
static inline void gm_hmac_sha256(const unsigned char *inner, const unsigned char *outer, const unsigned char *message,
                                  size_t count, unsigned char *code) {
  SHA256_CTX digest;
  SHA256_Init(&digest);
  SHA256_Update(&digest, inner, 64);
  SHA256_Update(&digest, message, count);
  SHA256_Final(code, &digest);
  SHA256_Init(&digest);
  SHA256_Update(&digest, outer, 64);
  SHA256_Update(&digest, code, 32);
  SHA256_Final(code, &digest);
}
