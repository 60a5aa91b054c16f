#include "CSimdJSON.h"

#include <cstring>
#include <new>
#include <simdjson.h>
#include <vector>

using simdjson::dom::element;
using simdjson::dom::element_type;

struct sonde_json_parser {
  simdjson::dom::parser parser;
  std::vector<sonde_json_token> tokens;
  size_t strings_end = 0;

  const uint8_t *strings() const { return parser.doc.string_buf.get(); }

  void string(std::string_view text) {
    auto offset = size_t(reinterpret_cast<const uint8_t *>(text.data()) - strings());
    strings_end = std::max(strings_end, offset + text.size());
    tokens.push_back({SONDE_JSON_STRING, uint32_t(text.size()), offset});
  }

  // The parser bounds the depth (max_depth), and so this recursion.
  void flatten(element value) {
    switch (value.type()) {
    case element_type::NULL_VALUE:
      tokens.push_back({SONDE_JSON_NULL, 0, 0});
      break;
    case element_type::BOOL:
      tokens.push_back({bool(value) ? SONDE_JSON_TRUE : SONDE_JSON_FALSE, 0, 0});
      break;
    case element_type::INT64:
      tokens.push_back({SONDE_JSON_INTEGER, 0, uint64_t(int64_t(value))});
      break;
    case element_type::UINT64: // Only above INT64_MAX; no field of ours is that large.
    case element_type::DOUBLE: {
      double number = value.get_double();
      uint64_t bits;
      memcpy(&bits, &number, sizeof bits);
      tokens.push_back({SONDE_JSON_DOUBLE, 0, bits});
      break;
    }
    case element_type::STRING:
      string(value);
      break;
    case element_type::ARRAY: {
      auto start = open(SONDE_JSON_ARRAY);
      for (element child : simdjson::dom::array(value))
        flatten(child);
      close(start);
      break;
    }
    case element_type::OBJECT: {
      auto start = open(SONDE_JSON_OBJECT);
      for (auto member : simdjson::dom::object(value)) {
        string(member.key);
        flatten(member.value);
      }
      close(start);
      break;
    }
    }
  }

  size_t open(uint32_t kind) {
    tokens.push_back({kind, 0, 0});
    return tokens.size();
  }

  void close(size_t start) { tokens[start - 1].count = uint32_t(tokens.size() - start); }
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
  parser->tokens.clear();
  parser->strings_end = 0;
  element document;
  auto error = parser->parser.parse(bytes, length, false).get(document);
  if (error)
    return simdjson::error_message(error);
  parser->flatten(document);
  return nullptr;
} catch (const std::exception &exception) {
  return "out of memory";
}

const sonde_json_token *sonde_json_tokens(sonde_json_parser *parser, size_t *count) {
  *count = parser->tokens.size();
  return parser->tokens.data();
}

const uint8_t *sonde_json_strings(sonde_json_parser *parser, size_t *count) {
  *count = parser->strings_end;
  return parser->strings();
}
}
