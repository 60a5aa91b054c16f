#pragma once

/// Closes every file from a number on in the process that is made (glibc 2.34), which <spawn.h>
/// declares for some programs alone.
///
/// That header is not included: the types in it, and what they stand on, would be this module's.
/// - Parameter actions: A `posix_spawn_file_actions_t`.
int posix_spawn_file_actions_addclosefrom_np(void *actions, int from);

/// Begins to write a part of a file to disk (sync_file_range(2)), which <fcntl.h> declares for
/// _GNU_SOURCE alone; whole files have `offset` and `count` 0.
int sync_file_range(int file, long offset, long count, unsigned int flags);
