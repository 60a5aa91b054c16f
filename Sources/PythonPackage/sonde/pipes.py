"""Pipes that hold more than usual."""

from __future__ import annotations

import contextlib
import fcntl

# As much as any user may have without being root (pipe(7)).
PIPE_SIZE = 1 << 20


def widen(descriptor: int) -> None:
    """Has a pipe hold more, where the system allows it."""
    with contextlib.suppress(AttributeError, OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
