#pragma once
#include <stdint.h>

/// How often this process has asked for memory so far: malloc, calloc, realloc and their kin.
///
/// A process into which the library is preloaded writes the number to the file that
/// ALLOCATIONS_FILE names when it exits.
uint64_t allocation_count(void);
