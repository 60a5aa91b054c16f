#include "CSimdJSON.h"

#include <cstring>
#include <new>
#include <simdjson.h>

struct sonde_json_parser {
  simdjson::dom::parser parser;

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
  return error ? simdjson::error_message(error) : nullptr;
} catch (const std::exception &exception) {
  return "out of memory";
}

const uint64_t *sonde_json_tape(sonde_json_parser *parser, size_t *count) {
  *count = parser->tape_count();
  return parser->tape();
}

const uint8_t *sonde_json_strings(sonde_json_parser *parser, size_t *count) {
  *count = parser->strings_count();
  return parser->strings();
}
}
