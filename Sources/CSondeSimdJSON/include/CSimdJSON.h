#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_json_parser;

/// A parser keeps its buffers between documents. One thread at a time may use it.
struct sonde_json_parser *sonde_json_parser_new(void);
void sonde_json_parser_free(struct sonde_json_parser *parser);

/// Parses a document. `bytes` must have SIMDJSON_PADDING (64) readable bytes behind `length`.
/// Returns null, or a text that says what is wrong.
const char *sonde_json_parse(
    struct sonde_json_parser *parser, const uint8_t *bytes, size_t length);

/// The values of the last document in document order, as simdjson writes them (its `doc/tape.md`),
/// from the word that begins the document to the one that ends it; valid until the next document.
const uint64_t *sonde_json_tape(struct sonde_json_parser *parser, size_t *count);

/// Whether a string of the last document may have a control character, of Unicode's too.
bool sonde_json_may_hold_controls(struct sonde_json_parser *parser);

/// The unescaped strings of the last document, valid UTF-8, each behind its length in four bytes and
/// before a zero; valid until the next document.
const uint8_t *sonde_json_strings(struct sonde_json_parser *parser, size_t *count);

#ifdef __cplusplus
}
#endif
