"""Where the program is, and the program itself as a command."""

from __future__ import annotations

import os
import sys

_OWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "sonde")


def find() -> str | None:
    """The program's path: that of `SONDE_PROGRAM`, the package's own, or the one on PATH; None without one."""
    given = os.environ.get("SONDE_PROGRAM")
    if given:
        return given
    if os.path.isfile(_OWN):
        return _OWN
    # The command of this package is no program.
    this = os.path.realpath(sys.argv[0]) if sys.argv else ""
    for folder in os.get_exec_path():
        path = os.path.join(folder, "sonde")
        if os.access(path, os.X_OK) and os.path.isfile(path) and os.path.realpath(path) != this:
            return path
    return None


def main() -> None:
    """Becomes the program, with the arguments of this command."""
    import signal

    path = find()
    if path is None:
        print("sonde: the program is not there: install the package with it, or set SONDE_PROGRAM", file=sys.stderr)
        raise SystemExit(5)
    # Python ignores these for itself, and what it ignores stays so.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execv(path, ["sonde", *sys.argv[1:]])
    except OSError as error:
        print(f"sonde: {path}: {error.strerror}", file=sys.stderr)
        raise SystemExit(5) from None
