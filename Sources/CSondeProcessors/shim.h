#pragma once
#include <sys/syscall.h>
#include <unistd.h>

/// How many processors this process may run on: sched_getaffinity(2), which <sched.h> declares for
/// _GNU_SOURCE alone; 1 where it cannot be known.
static inline int sonde_available_processors(void) {
  unsigned char set[1024];
  long size = syscall(SYS_sched_getaffinity, 0, sizeof set, set);
  int count = 0;
  for (long index = 0; index < size; index++) count += __builtin_popcount(set[index]);
  return count > 0 ? count : 1;
}
