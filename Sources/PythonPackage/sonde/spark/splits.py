"""Logs in splits: ranges of bytes, each for a task of its own."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from sonde import child
from sonde.errors import SondeError
from sonde.spark import listing, running, stores
from sonde.spark.objects import Stored

# The least bytes of a split where the caller leaves them to the module.
USUAL = 128 << 20
# What it costs to open a file, in bytes that could be read meanwhile: as of Spark, spark.sql.files.openCostInBytes.
_OPENING = 4 << 20
# How many bytes of a log are one of its compressed file, about.
_PACKED = 8
# Nothing but text begins so, and has no NUL in the header that a tar archive would have.
_HEADER = 512
_TEXT = re.compile(rb"(?!BZh|PK|7z|Rar!|MSCF|LZIP|LRZI|SQLi|snoo|x\x9c)[\t\r\x20-\x7e]{4}")
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

    @property
    def is_whole_object(self) -> bool:
        """Whether it is an object as a whole, of which nobody knows yet what it is."""
        return self.stored is not None and self.offset == 0 and self.length in (None, self.stored.size)

    @property
    def cost(self) -> int:
        """What it costs to read, in bytes."""
        if self.length is not None:
            return max(self.length, _OPENING)
        return max(_PACKED * (self.stored.size if self.stored else os.stat(self.path).st_size), _OPENING)

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
    settings: Mapping[str, str] = {},
    storage: Mapping[str, Any] | None = None,
) -> list[Split]:
    """The splits of files and objects, in their order.

    Args:
        path: Names of files and folders, or patterns of them.
        split: The bytes of each, also with `k`, `m` or `g` (powers of 1,024); without them, as many as are good.
        tasks: How many splits there are then at most of one file, beside those of others.
        settings: What leads to stores, as of `stores.settings`.
        storage: The options of the stores, instead of these.

    Raises:
        SondeError: A file cannot be read.
        ValueError: A path that is no file's, or a length that is none.

    """
    wanted = None if split is None else _bytes(split)
    found = list(_sized([path] if isinstance(path, str) else path, settings, storage))
    # An address that is in several splits is found in each: the fewer, the less there is to make distinct.
    length = wanted or max(USUAL, -(-sum(size or 0 for _, size, _ in found) // tasks))
    planned: dict[str, list[Split]] = {}
    with ThreadPoolExecutor(listing.AT_ONCE) as pool:
        for splits in pool.map(lambda each: list(_splits(each[0], each[1], each[2], length)), found):
            if splits:
                planned.setdefault(splits[0].path, splits)
    return [each for splits in planned.values() for each in splits]


def together(planned: Sequence[Split], split: str | int | None, tasks: int) -> list[list[Split]]:
    """The splits of each task: small files share one, for each task has its own costs.

    Args:
        planned: All splits, in their order.
        split: As of `plan`.
        tasks: As of `plan`.

    """
    length = max(USUAL, -(-sum(each.cost for each in planned) // tasks)) if split is None else _bytes(split)
    groups: list[list[Split]] = []
    room = 0
    for each in planned:
        if not groups or each.cost > room:
            groups.append([])
            room = length
        groups[-1].append(each)
        room -= each.cost
    return groups


def _sized(
    paths: Iterable[str], settings: Mapping[str, str], storage: Mapping[str, Any] | None
) -> Iterator[tuple[str, int | None, Stored | None]]:
    """Files and objects, each with the bytes that can be split, as far as that is known."""
    for path in paths:
        if stores.is_stored(path):
            for stored in listing.stored(path, settings, storage):
                yield stored.name, stored.size, stored
            continue
        files = list(dict.fromkeys(_files(path)))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for file, size in zip(files, pool.map(_splittable_size, files), strict=True):
                yield file, size, None


def _bytes(split: str | int) -> int:
    found = re.fullmatch(r"(\d+)([kmg]?)", str(split).lower())
    length = int(found[1]) * _UNITS[found[2]] if found else 0
    if length < 1:
        raise ValueError(f"split={split!r}: a number of bytes, also with k, m or g")
    return length


def is_text(beginning: bytes) -> bool:
    """Whether a file of which this is the begin is text without doubt, and no file that `sonde` unpacks or refuses."""
    return bool(_TEXT.match(beginning)) and b"\0" not in beginning[:_HEADER]


def _splittable_size(file: str) -> int | None:
    """The bytes of a file; None of one that has no lines to be read from the middle on, as `sonde` knows."""
    with contextlib.suppress(OSError), open(file, "rb") as beginning:
        if is_text(beginning.read(_HEADER)):
            return os.stat(file).st_size
    status = child.exit_status(["extract", "--count", "--range=0:0", file])
    if status == 2:
        return None
    if status != 0:
        # Tells why.
        running.output(["extract", "--count", "--quiet", file])
    return os.stat(file).st_size


def _splits(file: str, size: int | None, stored: Stored | None, length: int) -> Iterator[Split]:
    if size is None or (stored and size > length and not _has_lines(stored)):
        yield Split(file, 0, None, stored)
    elif stored and size <= length:
        if size:
            yield Split(file, 0, size, stored)
    else:
        for offset in range(0, size, length):
            yield Split(file, offset, min(length, size - offset), stored)


def _has_lines(stored: Stored) -> bool:
    """Whether an object can be read from the middle on."""
    beginning = stored.head()
    if is_text(beginning):
        return True
    with tempfile.NamedTemporaryFile() as head:
        head.write(beginning)
        head.flush()
        with _named(stored.name, head.name):
            return _splittable_size(head.name) is not None


@contextlib.contextmanager
def _named(name: str, stand_in: str) -> Iterator[None]:
    """Has errors name the object, not the file that stands in for it."""
    try:
        yield
    except SondeError as error:
        raise type(error)(str(error).replace(stand_in, name), error.status, error.signal) from None


def _files(path: str) -> Iterator[str]:
    place = _local(path)
    # A file may have a name that is a pattern, too.
    patterns = listing.alternatives(place)
    names = [place] if os.path.exists(place) else [name for each in patterns for name in sorted(glob.glob(each))]
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
    if not path.lower().startswith("file:"):
        return path
    parts = urlsplit(path)
    if parts.netloc in ("", "localhost"):
        return unquote(parts.path)
    raise ValueError(f"{path}: a file has no host; every machine reads it under the same name")
