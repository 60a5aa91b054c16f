"""Which objects a URL names: one, a folder's, or a pattern's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from typing import Any

from pyspark.sql import SparkSession

from sonde.errors import SondeError
from sonde.spark import stores
from sonde.spark.objects import Stored
from sonde.spark.stores import Store, told

_WILD = re.compile(r"[*?\[]")
# Objects that are asked for at once: a store takes its time for each, and takes many.
AT_ONCE = 32


def stored(spark: SparkSession | None, url: str, options: Mapping[str, Any] | None) -> list[Stored]:
    """The objects of a URL, a folder's or a pattern's, in their order.

    Raises:
        SondeError: There is none, or the store cannot be asked.

    """
    store = stores.of(url, spark, options)
    with told(url):
        filesystem, place = store.open(), store.place(url)
        paths = list(_files(filesystem, place))
        if not paths:
            raise SondeError(f"{url}: no such object")
        start, root = _bases(url.rstrip("/"), place.rstrip("/"))
        with ThreadPoolExecutor(min(AT_ONCE, len(paths))) as pool:
            return list(pool.map(lambda path: _described(store, path, start + path.removeprefix(root)), paths))


def _described(store: Store, path: str, name: str) -> Stored:
    with told(name), store.open().open_input_file(path) as file:
        return Stored(store, path, name, *store.mark(path, file))


def _bases(url: str, place: str) -> tuple[str, str]:
    """What URLs begin with in place of what paths begin with, where both end alike."""
    length = 0
    while length < min(len(url), len(place)) and url[-length - 1] == place[-length - 1]:
        length += 1
    return url[: len(url) - length], place[: len(place) - length]


def _files(filesystem: Any, path: str) -> Iterator[str]:
    from pyarrow import fs

    info = filesystem.get_file_info(path)
    # An object may have a name that is a pattern, too.
    if info.type == fs.FileType.NotFound and _WILD.search(path):
        for each, is_listed in _matching(filesystem, path.split("/")):
            if is_listed:
                yield each
            elif each != path:
                yield from _files(filesystem, each)
    elif info.type == fs.FileType.File:
        yield path
    elif info.type == fs.FileType.Directory:
        for name, is_file in _entries(filesystem, path):
            # As Spark reads folders.
            if is_file and not name.startswith((".", "_")):
                yield f"{path.rstrip('/')}/{name}"


def _matching(filesystem: Any, parts: Sequence[str], before: str | None = None) -> Iterator[tuple[str, bool]]:
    """The paths that a pattern's parts match, in their order, and whether a list has each as an object."""
    if not parts:
        yield before or "", False
        return
    part, rest = parts[0], parts[1:]
    if before is None or not _WILD.search(part):
        yield from _matching(filesystem, rest, part if before is None else f"{before}/{part}")
        return
    for name, is_file in _entries(filesystem, before):
        is_hidden = name.startswith(".") and not part.startswith(".")
        if not fnmatchcase(name, part) or is_hidden or is_file == bool(rest):
            continue
        if rest:
            yield from _matching(filesystem, rest, f"{before}/{name}")
        else:
            yield f"{before}/{name}", True


def _entries(filesystem: Any, path: str) -> list[tuple[str, bool]]:
    """The names in a folder, and whether each is an object's."""
    from pyarrow import fs

    infos = filesystem.get_file_info(fs.FileSelector(path, allow_not_found=True))
    return sorted((info.base_name, info.type == fs.FileType.File) for info in infos)
