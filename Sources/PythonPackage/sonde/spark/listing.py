"""Which objects a URL names: one, a folder's, or a pattern's."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from sonde.errors import SondeError
from sonde.spark import stores
from sonde.spark.objects import Stored
from sonde.spark.stores import Store, told

_WILD = re.compile(r"[*?\[]")
_CHOICE = re.compile(r"\{([^{}]*)\}")
# What is in each folder of a tree: names, and what each is.
_Tree: TypeAlias = "dict[str, set[tuple[str, Any]]]"
# Objects and folders that are asked for at once: a store takes its time for each, and takes many.
AT_ONCE = 32


def stored(url: str, settings: Mapping[str, str], options: Mapping[str, Any] | None) -> list[Stored]:
    """The objects of a URL, a folder's or a pattern's, in their order.

    Raises:
        SondeError: There is none, or the store cannot be asked.

    """
    store = stores.of(url, settings, options)
    with told(url), ThreadPoolExecutor(AT_ONCE) as pool:
        filesystem, place = store.refreshed(), store.place(url)
        paths = list(_Listing(filesystem, pool).files(place))
        if not paths and not _is_folder(filesystem, place):
            raise SondeError(f"{url}: no such object")
        start, root = _bases(url, place.rstrip("/"))
        return list(pool.map(lambda path: _described(store, path, start + path.removeprefix(root)), paths))


def alternatives(pattern: str) -> list[str]:
    """The patterns of one with choices, as Spark has them: `{a,b}` is a or b."""
    found = _CHOICE.search(pattern)
    if not found:
        return [pattern]
    start, end = pattern[: found.start()], pattern[found.end() :]
    return list(dict.fromkeys(each for choice in found[1].split(",") for each in alternatives(f"{start}{choice}{end}")))


def _described(store: Store, path: str, name: str) -> Stored:
    with told(name), store.open().open_input_file(path) as file:
        return Stored(store, path, name, *store.mark(path, file))


def _bases(url: str, place: str) -> tuple[str, str]:
    """What URLs begin with in place of what paths begin with, where both end alike."""
    scheme, _, within = url.partition("://")
    if not within.strip("/"):
        # All of a store: the slashes at its end are what makes it a URL.
        return f"{scheme}://{within[:1]}", "/"
    url, length = url.rstrip("/"), 0
    while length < min(len(url), len(place)) and url[-length - 1] == place[-length - 1]:
        length += 1
    return url[: len(url) - length], place[: len(place) - length]


def _is_folder(filesystem: Any, path: str) -> bool:
    from pyarrow import fs

    return bool(filesystem.get_file_info(path).type == fs.FileType.Directory)


class _Listing:
    """What a store says of paths, asked for several at once."""

    def __init__(self, filesystem: Any, pool: ThreadPoolExecutor) -> None:
        from pyarrow import fs

        self._filesystem, self._pool = filesystem, pool
        # pyarrow's list of a folder in Google's store has no folders in it, unless something made them objects.
        self._trees: dict[str, _Tree] | None = {} if filesystem.type_name == "gcs" else None
        self._file, self._folder = fs.FileType.File, fs.FileType.Directory

    def files(self, path: str) -> Iterator[str]:
        """The objects of a path: itself, those of a folder, and those of whatever a pattern matches."""
        type_ = self._type(path)
        found = [(path, type_)] if type_ in (self._file, self._folder) else []
        if not found:
            # An object may have a name that is a pattern, too.
            found = [each for pattern in alternatives(path) for each in self._matching(pattern.split("/"))]
        paths = list(dict.fromkeys(path for path, type_ in found if type_ == self._folder))
        folders = self._entries(paths, with_folders=False)
        for path, type_ in dict.fromkeys(found):
            if type_ == self._file:
                yield path
                continue
            for name, inner in folders[path]:
                # As Spark reads folders.
                if inner == self._file and not name.startswith((".", "_")):
                    yield f"{path.rstrip('/')}/{name}"

    def _matching(self, parts: list[str]) -> list[tuple[str, Any]]:
        """The objects and folders that a pattern's parts match, in their order, the first of them as it is."""
        # Below the root, it is empty, and an empty name would be that of the folder of this process.
        found: list[tuple[str, Any]] = [(parts[0] or "/", None)]
        for part in parts[1:]:
            before = [path for path, type_ in found if type_ != self._file]
            if not _WILD.search(part):
                found = [(f"{path.rstrip('/')}/{part}", None) for path in before]
                continue
            entries = self._entries(before)
            found = [
                (f"{path.rstrip('/')}/{name}", type_)
                for path in before
                for name, type_ in entries[path]
                if fnmatchcase(name, part) and (part.startswith(".") or not name.startswith("."))
            ]
        types = self._pool.map(lambda each: each[1] or self._type(each[0]), found)
        known = (self._file, self._folder)
        return [(path, type_) for (path, _), type_ in zip(found, types, strict=True) if type_ in known]

    def _entries(self, folders: list[str], *, with_folders: bool = True) -> dict[str, list[tuple[str, Any]]]:
        """The names in folders, in their order, and what each is."""
        is_deep = with_folders and self._trees is not None
        found = self._pool.map(self._listed_in_tree if is_deep else self._listed, folders)
        return {folder: sorted(names, key=lambda each: each[0]) for folder, names in zip(folders, found, strict=True)}

    def _listed(self, folder: str) -> set[tuple[str, Any]]:
        return {(info.base_name, info.type) for info in self._infos(folder)}

    def _listed_in_tree(self, folder: str) -> set[tuple[str, Any]]:
        assert self._trees is not None
        for root, tree in list(self._trees.items()):
            if folder.startswith(f"{root}/"):
                return tree.get(folder, set())
        tree = {}
        for info in self._infos(folder, recursive=True):
            path, type_ = info.path, info.type
            while len(path) > len(folder):
                above, _, name = path.rpartition("/")
                tree.setdefault(above, set()).add((name, type_))
                path, type_ = above, self._folder
        self._trees[folder] = tree
        return tree.get(folder, set())

    def _infos(self, folder: str, recursive: bool = False) -> list[Any]:
        from pyarrow import fs

        # Some say so of a file.
        with contextlib.suppress(NotADirectoryError):
            found = self._filesystem.get_file_info(fs.FileSelector(folder, allow_not_found=True, recursive=recursive))
            return list(found)
        return []

    def _type(self, path: str) -> Any:
        return self._filesystem.get_file_info(path).type
