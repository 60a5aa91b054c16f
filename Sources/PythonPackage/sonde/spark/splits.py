"""Logs in splits: ranges of bytes, each for a task of its own."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from sonde import child
from sonde.errors import SondeError
from sonde.spark import running

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


@dataclass(frozen=True)
class Split:
    """The lines of a file whose first byte lies in a range; the whole of one that has no such ranges."""

    path: str
    offset: int
    # None of a file that is read from its begin to its end: compressed, UTF-16, or a capture.
    length: int | None

    def arguments(self) -> list[str]:
        """What has `sonde` read this split."""
        if self.length is None:
            return [self.path]
        return [f"--range={self.offset}:{self.length}", self.path]

    def check(self) -> None:
        """Raises a SondeError unless the file on this machine is as long as it was where it was split."""
        try:
            size = os.stat(self.path).st_size
        except OSError as error:
            raise SondeError(f"{self.path}: {error.strerror}: every machine reads it under this name") from error
        end = self.offset + (self.length or 0)
        if size < end:
            raise SondeError(f"{self.path} has {size} bytes, and had at least {end} when it was split")


def plan(path: str | Sequence[str], split: str | int, tasks: int) -> list[Split]:
    """The splits of files, in their order.

    Args:
        path: Names of files and folders, or patterns of them.
        split: The least bytes of each, also with `k`, `m` or `g` (powers of 1,024).
        tasks: How many there are at most of one file, beside those of others.

    Raises:
        SondeError: A file cannot be read.
        ValueError: A path that is no file's, or a length that is none.

    """
    least = _bytes(split)
    paths = [path] if isinstance(path, str) else path
    sizes = {file: _splittable_size(file) for file in _files(paths)}
    # An address that is in several splits is found in each: the fewer, the less there is to make distinct.
    length = max(least, -(-sum(size or 0 for size in sizes.values()) // tasks))
    return [each for file, size in sizes.items() for each in _splits(file, size, length)]


def _bytes(split: str | int) -> int:
    found = re.fullmatch(r"(\d+)([kmg]?)", str(split).lower())
    length = int(found[1]) * _UNITS[found[2]] if found else 0
    if length < 1:
        raise ValueError(f"split={split!r}: a number of bytes, also with k, m or g")
    return length


def _splittable_size(file: str) -> int | None:
    """The bytes of a file; None of one that has no lines to be read from the middle on, as `sonde` knows."""
    status = child.exit_status(["extract", "--count", "--range=0:0", file])
    if status == 2:
        return None
    if status != 0:
        # Tells why.
        running.output(["extract", "--count", "--quiet", file])
    return os.stat(file).st_size


def _splits(file: str, size: int | None, length: int) -> Iterator[Split]:
    if size is None:
        yield Split(file, 0, None)
        return
    for offset in range(0, size, length):
        yield Split(file, offset, min(length, size - offset))


def _files(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        place = _local(path)
        # A file may have a name that is a pattern, too.
        names = [place] if os.path.exists(place) else sorted(glob.glob(place))
        if not names:
            raise SondeError(f"{path}: no such file")
        for name in names:
            if os.path.isdir(name):
                yield from _in_folder(name)
            else:
                yield os.path.abspath(name)


def _in_folder(folder: str) -> Iterator[str]:
    """The files in a folder but for hidden ones, as Spark reads folders."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_file() and not entry.name.startswith((".", "_")):
            yield os.path.abspath(entry.path)


def _local(path: str) -> str:
    if not re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*://?[^/]*", path) and not path.startswith("file:"):
        return path
    parts = urlsplit(path)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return unquote(parts.path)
    raise ValueError(
        f"{path}: sonde reads files that every machine has under the same name; mount {parts.scheme} there, "
        'or use enrich(spark.read.text("..."), log=True)'
    )
