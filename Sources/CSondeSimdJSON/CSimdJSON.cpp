#include "CSimdJSON.h"

#include <cstring>
#include <new>
#include <simdjson.h>

struct sonde_json_parser {
  simdjson::dom::parser parser;
  bool may_hold_controls = false;

  const uint64_t *tape() const { return parser.doc.tape.get(); }
  const uint8_t *strings() const { return parser.doc.string_buf.get(); }

  // What is beside the kind of a value, which is in the highest byte.
  static uint64_t payload(uint64_t word) { return word & ((uint64_t(1) << 56) - 1); }

  // The first word tells what is behind the last one.
  size_t tape_count() const { return payload(tape()[0]); }

  // Behind the last string: they follow one another in the order of the tape.
  size_t strings_count() const {
    size_t last = 0;
    for (size_t index = 1, end = tape_count(); index < end; index++) {
      char kind = char(tape()[index] >> 56);
      if (kind == '"')
        last = index;
      else if (kind == 'l' || kind == 'u' || kind == 'd')
        index++; // The number itself.
    }
    if (last == 0)
      return 0;
    size_t offset = payload(tape()[last]);
    uint32_t length;
    memcpy(&length, strings() + offset, sizeof length);
    return offset + sizeof length + length;
  }
};

// Whether there is an escape, a DEL, or the first byte of a character of U+0080 to U+00BF, U+0600 to
// U+063F or U+2000 to U+2FFF. Without a branch, which has the compiler use vector instructions.
static bool may_hold_controls(const uint8_t *bytes, size_t length) {
  uint8_t found = 0;
  for (size_t index = 0; index < length; ++index) {
    uint8_t byte = bytes[index];
    found |= (byte == '\\') | (byte == 0x7f) | (byte == 0xc2) | (byte == 0xd8) | (byte == 0xe2);
  }
  return found != 0;
}

extern "C" {

// Answers nest a few levels deep. More would need a stack that the user may have limited.
static const size_t max_depth = 64;

sonde_json_parser *sonde_json_parser_new(void) {
  auto *parser = new (std::nothrow) sonde_json_parser;
  // A first capacity, in bytes, which grows with the documents.
  if (parser && parser->parser.allocate(64 << 10, max_depth)) {
    delete parser;
    return nullptr;
  }
  return parser;
}

void sonde_json_parser_free(sonde_json_parser *parser) { delete parser; }

const char *sonde_json_parse(sonde_json_parser *parser, const uint8_t *bytes, size_t length) try {
  auto error = parser->parser.parse(bytes, length, false).error();
  if (error)
    return simdjson::error_message(error);
  parser->may_hold_controls = may_hold_controls(bytes, length);
  return nullptr;
} catch (const std::exception &exception) {
  return "out of memory";
}

const uint64_t *sonde_json_tape(sonde_json_parser *parser, size_t *count) {
  *count = parser->tape_count();
  return parser->tape();
}

bool sonde_json_may_hold_controls(struct sonde_json_parser *parser) {
  return parser->may_hold_controls;
}

const uint8_t *sonde_json_strings(sonde_json_parser *parser, size_t *count) {
  *count = parser->strings_count();
  return parser->strings();
}
}
