#pragma once
#include <lzma.h>

/// LZMA_CONCATENATED is a cast macro, which does not import.
static const uint32_t sonde_lzma_concatenated = LZMA_CONCATENATED;
