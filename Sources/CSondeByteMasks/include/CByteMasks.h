#pragma once
#include <stdint.h>

#if defined(__x86_64__)
#include <emmintrin.h>

/// Sixteen bytes of text.
typedef uint8_t sonde_lane __attribute__((vector_size(16)));

/// A bit for each of 64 bytes, the lowest one for the first.
typedef struct {
  uint64_t dots, colons;
} sonde_marks;

/// A bit for each byte that is the one sought.
static inline uint64_t sonde_bits(sonde_lane lane, char byte) {
  return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)lane, _mm_set1_epi8(byte)));
}

/// All bits of each byte that is `first` or one of the `count - 1` that follow it.
static inline __m128i sonde_range(__m128i lane, char first, char count) {
  __m128i value = _mm_sub_epi8(lane, _mm_set1_epi8(first));
  return _mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(count - 1)), value);
}

/// Where the `.` and the `:` of 64 bytes are, by SSE2, which every x86-64 processor has.
static inline sonde_marks sonde_find_marks(sonde_lane a, sonde_lane b, sonde_lane c, sonde_lane d) {
  return (sonde_marks){
      .dots = sonde_bits(a, '.') | sonde_bits(b, '.') << 16 | sonde_bits(c, '.') << 32 |
              sonde_bits(d, '.') << 48,
      .colons = sonde_bits(a, ':') | sonde_bits(b, ':') << 16 | sonde_bits(c, ':') << 32 |
                sonde_bits(d, ':') << 48,
  };
}

/// Where of 16 bytes the sign of a field may begin: tab, line feed, `"#$%`, `M` or a backslash.
static inline uint64_t sonde_field_bits(sonde_lane lane) {
  __m128i blanks = sonde_range((__m128i)lane, '\t', 2);
  __m128i quotes = sonde_range((__m128i)lane, '"', 4);
  __m128i letters = _mm_or_si128(_mm_cmpeq_epi8((__m128i)lane, _mm_set1_epi8('M')),
                                 _mm_cmpeq_epi8((__m128i)lane, _mm_set1_epi8('\\')));
  return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(blanks, quotes), letters));
}

/// The same for 64 bytes.
static inline uint64_t sonde_find_field_marks(sonde_lane a, sonde_lane b, sonde_lane c,
                                              sonde_lane d) {
  return sonde_field_bits(a) | sonde_field_bits(b) << 16 | sonde_field_bits(c) << 32 |
         sonde_field_bits(d) << 48;
}

/// A bit for each of 16 bytes, the lowest one for the first.
typedef struct {
  uint32_t dots, digits;
} sonde_quad_marks;

/// Where the `.` and the decimal digits of 16 bytes are.
static inline sonde_quad_marks sonde_find_quad_marks(sonde_lane lane) {
  return (sonde_quad_marks){
      .dots = (uint32_t)sonde_bits(lane, '.'),
      .digits = (uint32_t)_mm_movemask_epi8(sonde_range((__m128i)lane, '0', 10)),
  };
}

/// Where the letters of 16 bytes are, the lowest bit standing for the first byte.
static inline uint32_t sonde_find_letters(sonde_lane lane) {
  __m128i small = _mm_or_si128((__m128i)lane, _mm_set1_epi8(0x20));
  return (uint32_t)_mm_movemask_epi8(sonde_range(small, 'a', 26));
}

/// A bit for each of 16 bytes, the lowest one for the first.
typedef struct {
  uint32_t stops, high;
} sonde_string_marks;

/// Where in a string of JSON something else than text begins: `"`, a backslash or a control
/// character; and where bytes are not ASCII.
static inline sonde_string_marks sonde_find_string_marks(sonde_lane lane) {
  __m128i ends = _mm_or_si128(_mm_cmpeq_epi8((__m128i)lane, _mm_set1_epi8('"')),
                              _mm_cmpeq_epi8((__m128i)lane, _mm_set1_epi8('\\')));
  __m128i controls = sonde_range((__m128i)lane, 0, 0x20);
  return (sonde_string_marks){
      .stops = (uint32_t)_mm_movemask_epi8(_mm_or_si128(ends, controls)),
      .high = (uint32_t)_mm_movemask_epi8((__m128i)lane),
  };
}

/// Where of 16 bytes one of two is, the lowest bit standing for the first byte.
static inline uint32_t sonde_find_either(sonde_lane lane, uint8_t first, uint8_t second) {
  __m128i firsts = _mm_cmpeq_epi8((__m128i)lane, _mm_set1_epi8((char)first));
  __m128i seconds = _mm_cmpeq_epi8((__m128i)lane, _mm_set1_epi8((char)second));
  return (uint32_t)_mm_movemask_epi8(_mm_or_si128(firsts, seconds));
}

/// Where of 16 bytes a defanged mark may begin: `[`, `(` or `{` before `.`, `:` or `d`, which are of
/// the 16 bytes that follow by one. Some other signs pass, too.
static inline uint32_t sonde_find_defanged(sonde_lane lane, sonde_lane next) {
  __m128i small = _mm_or_si128((__m128i)lane, _mm_set1_epi8(0x20));
  __m128i opens = _mm_or_si128(_mm_cmpeq_epi8(small, _mm_set1_epi8('{')),
                               _mm_cmpeq_epi8((__m128i)lane, _mm_set1_epi8('(')));
  // `.` and `:` differ by these bits alone.
  __m128i either = _mm_or_si128((__m128i)next, _mm_set1_epi8('.' ^ ':'));
  __m128i letters = _mm_or_si128((__m128i)next, _mm_set1_epi8(0x20));
  __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(either, _mm_set1_epi8('.' | ':')),
                               _mm_cmpeq_epi8(letters, _mm_set1_epi8('d')));
  return (uint32_t)_mm_movemask_epi8(_mm_and_si128(opens, marks));
}

/// A bit for each of 48 bytes, the lowest one for the first.
typedef struct {
  uint64_t colons, digits;
} sonde_group_marks;

/// A bit for each hexadecimal digit; 0x20 makes letters small and leaves digits as they are.
static inline uint64_t sonde_hex_bits(sonde_lane lane) {
  __m128i small = _mm_or_si128((__m128i)lane, _mm_set1_epi8(0x20));
  __m128i digits = sonde_range((__m128i)lane, '0', 10);
  return (uint32_t)_mm_movemask_epi8(_mm_or_si128(digits, sonde_range(small, 'a', 6)));
}

/// Where the `:` and the hexadecimal digits of 48 bytes are.
static inline sonde_group_marks sonde_find_group_marks(sonde_lane a, sonde_lane b, sonde_lane c) {
  return (sonde_group_marks){
      .colons = sonde_bits(a, ':') | sonde_bits(b, ':') << 16 | sonde_bits(c, ':') << 32,
      .digits = sonde_hex_bits(a) | sonde_hex_bits(b) << 16 | sonde_hex_bits(c) << 32,
  };
}
#endif
