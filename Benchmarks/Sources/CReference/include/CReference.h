#ifndef GYMMIGRATE_CREFERENCE_H
#define GYMMIGRATE_CREFERENCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// simdjson in C++, building the values that Swift builds: what decoding and encoding are measured against.
typedef struct reference reference;

/// Makes a reference with its own parser.
reference *_Nonnull reference_create(void);

/// Frees a reference and its documents.
void reference_destroy(reference *_Nonnull it);

/// Parses a page and builds nothing. Returns whether it is JSON.
int reference_parse(reference *_Nonnull it, const uint8_t *_Nonnull json, size_t length);

/// Parses a page and builds its documents, whose full names begin with `prefix`. They stay until
/// `reference_release`. Returns how many there are; 0 where the page is malformed.
size_t reference_decode(
  reference *_Nonnull it, const uint8_t *_Nonnull json, size_t length, const char *_Nonnull prefix);

/// Frees the documents of the last page.
void reference_release(reference *_Nonnull it);

/// Writes the documents of the last page as JSON Lines, without times. The bytes stay until the next call.
size_t reference_encode(reference *_Nonnull it, const uint8_t *_Nullable *_Nonnull bytes);

#ifdef __cplusplus
}
#endif

#endif
