#pragma once
#include "../CSondeLoading/loading.h"
#include <bzlib.h>

#define SONDE_BZIP2_LIST(F) \
  F(BZ2_bzDecompress)     \
  F(BZ2_bzDecompressEnd)  \
  F(BZ2_bzDecompressInit)
SONDE_FUNCTIONS(sonde_bzip2, SONDE_BZIP2_LIST)
