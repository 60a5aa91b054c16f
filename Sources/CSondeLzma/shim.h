#pragma once
#include "../CSondeLoading/loading.h"
#include <lzma.h>

#define SONDE_LZMA_LIST(F) \
  F(lzma_code)           \
  F(lzma_end)            \
  F(lzma_stream_decoder)
SONDE_FUNCTIONS(sonde_lzma, SONDE_LZMA_LIST)
