#pragma once
#include <spawn.h>

/// Closes every file from a number on in the process that is made (glibc 2.34), which <spawn.h>
/// declares for some programs alone.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
