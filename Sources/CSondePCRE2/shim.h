#pragma once
#include "../CSondeLoading/loading.h"
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define SONDE_PCRE2_LIST(F)               \
  F(pcre2_compile_8)                      \
  F(pcre2_code_free_8)                    \
  F(pcre2_jit_compile_8)                  \
  F(pcre2_pattern_info_8)                 \
  F(pcre2_match_data_create_from_pattern_8) \
  F(pcre2_match_data_free_8)              \
  F(pcre2_get_ovector_pointer_8)          \
  F(pcre2_match_context_create_8)         \
  F(pcre2_match_context_free_8)           \
  F(pcre2_set_match_limit_8)              \
  F(pcre2_set_callout_8)                  \
  F(pcre2_match_8)                        \
  F(pcre2_get_error_message_8)
SONDE_FUNCTIONS(sonde_pcre2, SONDE_PCRE2_LIST)
