#ifndef GYMMIGRATE_CSIMDJSON_H
#define GYMMIGRATE_CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parser with its buffers, to be used for one document after another, by one thread at a time.
typedef struct gm_json_parser gm_json_parser;

/// What a parse came to. Values above 0 are errors.
typedef enum {
  GM_JSON_OK = 0,
  GM_JSON_MALFORMED = 1,
  GM_JSON_TOO_DEEP = 2,
  GM_JSON_INVALID_UTF8 = 3,
  GM_JSON_TOO_LARGE = 4,
  GM_JSON_NO_MEMORY = 5,
  /// A number is malformed, or larger than every double.
  GM_JSON_BAD_NUMBER = 6,
} gm_json_status;

/// A parsed document: the tape and the buffer that its strings point into, as simdjson's doc/tape.md describes
/// them. Both belong to the parser and are gone with its next parse.
typedef struct {
  const uint64_t *_Nullable tape;
  size_t tape_length;
  const uint8_t *_Nullable strings;
} gm_json_document;

/// Makes a parser that refuses documents larger than `max_bytes` or nested deeper than `max_depth`.
/// Returns NULL where memory is out.
gm_json_parser *_Nullable gm_json_parser_create(size_t max_bytes, size_t max_depth);

/// Frees a parser and what its last document points to.
void gm_json_parser_destroy(gm_json_parser *_Nonnull parser);

/// Parses one whole document. Nothing is written to `json`, which begins `room` bytes of memory; it is copied where these are
/// fewer than simdjson's padding needs.
///
/// Two kinds of number that simdjson's tape would bend are kept: `-0` as the double -0.0, and an integer literal
/// beyond 64 bits as a double.
gm_json_status gm_json_parse(
  gm_json_parser *_Nonnull parser, const uint8_t *_Nonnull json, size_t length, size_t room,
  gm_json_document *_Nonnull document);

/// Whether a parsed JSON text holds a number that is too small for a double, which the tape has as 0. Only a text whose tape has
/// a double that is 0 is looked through.
int gm_json_loses_numbers(const gm_json_document *_Nonnull document, const uint8_t *_Nonnull json, size_t length);

/// Whether the tape of a parsed JSON text may have a double from 2^53 to 2^63, which may lack digits of its literal.
int gm_json_may_round(const gm_json_document *_Nonnull document);

#ifdef __cplusplus
}
#endif

#endif
