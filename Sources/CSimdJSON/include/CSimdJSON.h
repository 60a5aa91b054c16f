#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a token is. Containers end where their `next` says; they have no closing token.
enum sonde_json_kind : uint32_t {
  SONDE_JSON_NULL,
  SONDE_JSON_FALSE,
  SONDE_JSON_TRUE,
  SONDE_JSON_INTEGER,
  SONDE_JSON_DOUBLE,
  SONDE_JSON_STRING,
  SONDE_JSON_ARRAY,
  SONDE_JSON_OBJECT,
};

/// One value of a document in document order. A member of an object is two tokens, its key (a
/// string) and its value.
struct sonde_json_token {
  uint32_t kind;
  /// A string's bytes; a container's tokens, all that lies below it.
  uint32_t count;
  /// A string's offset into the strings; an integer; a double's bits.
  uint64_t value;
};

struct sonde_json_parser;

/// A parser keeps its buffers between documents. One thread at a time may use it.
struct sonde_json_parser *sonde_json_parser_new(void);
void sonde_json_parser_free(struct sonde_json_parser *parser);

/// Parses a document. `bytes` must have SIMDJSON_PADDING (64) readable bytes behind `length`.
/// Returns null, or a text that says what is wrong.
const char *sonde_json_parse(
    struct sonde_json_parser *parser, const uint8_t *bytes, size_t length);

/// The tokens of the last document; valid until the next one.
const struct sonde_json_token *sonde_json_tokens(struct sonde_json_parser *parser, size_t *count);

/// The unescaped strings of the last document, valid UTF-8; valid until the next one.
const uint8_t *sonde_json_strings(struct sonde_json_parser *parser, size_t *count);

#ifdef __cplusplus
}
#endif
