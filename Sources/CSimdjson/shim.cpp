#include "CSimdjson.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

struct gm_json_parser {
  explicit gm_json_parser(size_t max_bytes, size_t depth) : parser(max_bytes), max_depth(depth) {}
  simdjson::dom::parser parser;
  size_t max_depth;
};

namespace {

bool is_number_byte(uint8_t byte) {
  return (byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.' || byte == 'e' || byte == 'E';
}

// An integer literal that the tape would bend: minus zero, or one that does not fit 64 bits.
bool is_bent(const uint8_t *token, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (token[i] == '.' || token[i] == 'e' || token[i] == 'E') return false;
  }
  if (length == 2 && token[0] == '-' && token[1] == '0') return true;
  const bool negative = token[0] == '-';
  const char *largest = negative ? "-9223372036854775808" : "18446744073709551615";
  const size_t digits = strlen(largest);
  return length > digits || (length == digits && memcmp(token, largest, digits) > 0);
}

// Whether "-0" is at `i`, as a number of its own would be: after white space, `:`, `,` or `[`, and before white space, `,`,
// `]`, `}` or the end. Strings are not distinguished here: a hit costs a careful pass, a miss saves it.
bool is_minus_zero(const uint8_t *json, size_t length, size_t i) {
  if (json[i] != '-' || json[i + 1] != '0') return false;
  const uint8_t before = i == 0 ? ' ' : json[i - 1];
  const uint8_t after = i + 2 == length ? ' ' : json[i + 2];
  return (before <= ' ' || before == ':' || before == ',' || before == '[') &&
         (after <= ' ' || after == ',' || after == ']' || after == '}');
}

// Whether "-0" is anywhere as a number of its own would be. The inner loop has no branch, so that the compiler makes vectors of
// it; ids such as "7A-0F" and times such as "2026-01-01" are frequent, so it looks at what is before, too.
bool may_hold_minus_zero(const uint8_t *json, size_t length) {
  if (length < 2) return false;
  if (is_minus_zero(json, length, 0)) return true;
  for (size_t block = 1; block + 1 < length; block += 4096) {
    const size_t end = std::min(length - 1, block + 4096);
    uint8_t found = 0;
    for (size_t i = block; i < end; i++) {
      const uint8_t before = json[i - 1];
      found |= (json[i] == '-') & (json[i + 1] == '0') &
               ((before <= ' ') | (before == ':') | (before == ',') | (before == '['));
    }
    for (size_t i = block; found && i < end; i++) {
      if (is_minus_zero(json, length, i)) return true;
    }
  }
  return false;
}

bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

// Whether a number at `token` becomes 0 although it is not.
bool vanishes(const uint8_t *token, size_t length) {
  const std::string text(reinterpret_cast<const char *>(token), length);
  const size_t digits = std::min(text.find_first_of("eE"), length);
  return text.find_first_of("123456789") < digits && strtod(text.c_str(), nullptr) == 0;
}

// Whether numbers outside of strings vanish.
bool has_vanishing_number(const uint8_t *json, size_t length) {
  bool in_string = false;
  for (size_t i = 0; i < length; i++) {
    if (in_string) {
      if (json[i] == '\\') i++;
      else in_string = json[i] != '"';
    } else if (json[i] == '"') {
      in_string = true;
    } else if (json[i] == '-' || is_digit(json[i])) {
      const size_t start = i;
      while (i < length && is_number_byte(json[i])) i++;
      if (vanishes(json + start, i - start)) return true;
      i--;
    }
  }
  return false;
}

// Whether a word of the tape may be that of a number like this (simdjson's doc/tape.md: a number's value is the word behind its
// tag; every other word has a tag in its upper byte). The loops have no branch, so that the compiler makes vectors of them.
bool holds_zero_word(const gm_json_document &document) {
  uint64_t found = 0;
  for (size_t i = 0; i < document.tape_length; i++) found |= (document.tape[i] << 1) == 0;
  return found != 0;
}

// The upper byte of doubles from 2^49 to 2^65, without their sign, which no tag has.
bool holds_large_word(const gm_json_document &document) {
  uint64_t found = 0;
  for (size_t i = 0; i < document.tape_length; i++) found |= (document.tape[i] << 1 >> 57) == 0x43;
  return found != 0;
}

// Whether the bits of a double of the tape are as wanted.
template <typename Test>
bool has_double(const gm_json_document &document, Test is_wanted) {
  for (size_t i = 1; i < document.tape_length; i++) {
    const uint8_t tag = document.tape[i] >> 56;
    if (tag != 'd' && tag != 'l' && tag != 'u') continue;
    i++;
    if (tag == 'd' && i < document.tape_length && is_wanted(document.tape[i])) return true;
  }
  return false;
}

// The same document with ".0" behind every integer literal that the tape would bend.
std::string with_fractions(const uint8_t *json, size_t length) {
  std::string out;
  out.reserve(length + 64);
  bool in_string = false;
  for (size_t i = 0; i < length;) {
    uint8_t byte = json[i];
    if (in_string) {
      out.push_back(static_cast<char>(byte));
      if (byte == '\\' && i + 1 < length) {
        out.push_back(static_cast<char>(json[i + 1]));
        i += 2;
        continue;
      }
      in_string = byte != '"';
      i++;
    } else if (byte == '"') {
      in_string = true;
      out.push_back('"');
      i++;
    } else if (byte == '-' || (byte >= '0' && byte <= '9')) {
      size_t start = i;
      while (i < length && is_number_byte(json[i])) i++;
      out.append(reinterpret_cast<const char *>(json + start), i - start);
      if (is_bent(json + start, i - start)) out.append(".0");
    } else {
      out.push_back(static_cast<char>(byte));
      i++;
    }
  }
  return out;
}

gm_json_status status_of(simdjson::error_code error) {
  switch (error) {
    case simdjson::SUCCESS: return GM_JSON_OK;
    case simdjson::DEPTH_ERROR: return GM_JSON_TOO_DEEP;
    case simdjson::UTF8_ERROR: return GM_JSON_INVALID_UTF8;
    case simdjson::CAPACITY: return GM_JSON_TOO_LARGE;
    case simdjson::MEMALLOC: return GM_JSON_NO_MEMORY;
    case simdjson::NUMBER_ERROR: return GM_JSON_BAD_NUMBER;
    default: return GM_JSON_MALFORMED;
  }
}

}  // namespace

gm_json_parser *gm_json_parser_create(size_t max_bytes, size_t max_depth) {
  return new (std::nothrow) gm_json_parser(max_bytes, max_depth);
}

int gm_json_loses_numbers(const gm_json_document *document, const uint8_t *json, size_t length) {
  return holds_zero_word(*document) && has_double(*document, [](uint64_t bits) { return bits << 1 == 0; })
    && has_vanishing_number(json, length);
}

int gm_json_may_round(const gm_json_document *document) {
  const uint64_t least = 0x4340000000000000, largest = 0x43E0000000000000;
  return holds_large_word(*document) && has_double(*document, [](uint64_t bits) {
    return (bits << 1 >> 1) - least <= largest - least;
  });
}

void gm_json_parser_destroy(gm_json_parser *parser) { delete parser; }

gm_json_status gm_json_parse(
    gm_json_parser *parser, const uint8_t *json, size_t length, size_t room, gm_json_document *document) {
  try {
    if (length > parser->parser.max_capacity()) return GM_JSON_TOO_LARGE;
    if (length > parser->parser.capacity()) {
      auto error = parser->parser.allocate(length, parser->max_depth);
      if (error) return status_of(error);
    }
    simdjson::error_code error = simdjson::NUMBER_ERROR;
    const bool must_copy = room < length + simdjson::SIMDJSON_PADDING;
    if (!may_hold_minus_zero(json, length)) error = parser->parser.parse(json, length, must_copy).error();
    if (error == simdjson::NUMBER_ERROR) {
      const std::string corrected = with_fractions(json, length);
      if (corrected.size() > parser->parser.capacity()) {
        auto grown = parser->parser.allocate(corrected.size(), parser->max_depth);
        if (grown) return status_of(grown);
      }
      error = parser->parser.parse(corrected).error();
    }
    if (error) return status_of(error);
    // The root's first word points past the last one (simdjson's doc/tape.md).
    const uint64_t *tape = parser->parser.doc.tape.get();
    document->tape = tape;
    document->tape_length = static_cast<size_t>(tape[0] & 0x00FFFFFFFFFFFFFFull);
    document->strings = parser->parser.doc.string_buf.get();
    return GM_JSON_OK;
  } catch (const std::bad_alloc &) {
    return GM_JSON_NO_MEMORY;
  }
}
