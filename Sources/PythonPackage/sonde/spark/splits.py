"""Logs in splits: ranges of bytes, each for a task of its own."""

from __future__ import annotations

import glob
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from pyspark.sql import SparkSession

from sonde import child
from sonde.errors import SondeError
from sonde.spark import running, stores
from sonde.spark.stores import Stored

# The least bytes of a split where the caller leaves them to the module.
USUAL = 128 << 20
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


@dataclass(frozen=True)
class Split:
    """The lines of a file whose first byte lies in a range; the whole of one that has no such ranges."""

    path: str
    offset: int
    # None of a file that is read from its begin to its end: compressed, UTF-16, or a capture.
    length: int | None
    # The object that it is of, which `sonde` reads on its standard input.
    stored: Stored | None = None

    def feed(self) -> tuple[list[str], Iterator[bytes] | None, int]:
        """What has `sonde` read this split, what it is fed, and what is to be added to its offsets."""
        if self.stored is None:
            self.check()
            return self.arguments(), None, 0
        if self.length is None:
            return ["-"], self.stored.whole(), 0
        added, lines = self.stored.lines(self.offset, self.length)
        return ["-"], lines, added

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


def plan(
    path: str | Sequence[str],
    split: str | int | None,
    tasks: int,
    spark: SparkSession | None = None,
    storage: Mapping[str, Any] | None = None,
) -> list[Split]:
    """The splits of files and objects, in their order.

    Args:
        path: Names of files and folders, or patterns of them.
        split: The bytes of each, also with `k`, `m` or `g` (powers of 1,024); without them, as many as are good.
        tasks: How many splits there are then at most of one file, beside those of others.
        spark: The session, whose settings lead to stores.
        storage: The options of the stores, instead of these.

    Raises:
        SondeError: A file cannot be read.
        ValueError: A path that is no file's, or a length that is none.

    """
    wanted = None if split is None else _bytes(split)
    files = dict(_sized([path] if isinstance(path, str) else path, spark, storage))
    # An address that is in several splits is found in each: the fewer, the less there is to make distinct.
    length = wanted or max(USUAL, -(-sum(size or 0 for size, _ in files.values()) // tasks))
    return [each for file, (size, stored) in files.items() for each in _splits(file, size, length, stored)]


def _sized(
    paths: Iterable[str], spark: SparkSession | None, storage: Mapping[str, Any] | None
) -> Iterator[tuple[str, tuple[int | None, Stored | None]]]:
    """Files and objects, each with the bytes that can be split."""
    for path in paths:
        if not stores.is_stored(path):
            for file in _files(path):
                yield file, (_splittable_size(file), None)
            continue
        for stored in stores.stored(spark, path, storage):
            with tempfile.NamedTemporaryFile() as head:
                head.write(stored.head())
                head.flush()
                with stores.named(stored.name, head.name):
                    size = _splittable_size(head.name)
            yield stored.name, (None if size is None else stored.size, stored)


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


def _splits(file: str, size: int | None, length: int, stored: Stored | None) -> Iterator[Split]:
    if size is None:
        yield Split(file, 0, None, stored)
        return
    for offset in range(0, size, length):
        yield Split(file, offset, min(length, size - offset), stored)


def _files(path: str) -> Iterator[str]:
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
    if not path.startswith("file:"):
        return path
    parts = urlsplit(path)
    if parts.netloc in ("", "localhost"):
        return unquote(parts.path)
    raise ValueError(f"{path}: a file has no host; every machine reads it under the same name")
