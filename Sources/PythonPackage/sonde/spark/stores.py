"""Objects in stores: which there are, and the lines that begin in a range of one."""

from __future__ import annotations

import contextlib
import os
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from sonde.errors import SondeError

_URL = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://(.*)", re.DOTALL)
_S3 = ("s3", "s3a")
_WILD = re.compile(r"[*?\[]")
# Bytes that are read at once, and how many reads are under way.
_PIECE = 8 << 20
_AHEAD = 4
# By nothing that a range begins with is it taken for a compressed file or a capture.
_FIRST_LINE = b"#\n"
# Enough to know a compressed file, a capture or UTF-16 by its begin.
_HEAD = 1 << 16
# Spark's settings of S3 (Hadoop, "S3A"), and the keywords of pyarrow's S3FileSystem.
_SETTINGS = {"access.key": "access_key", "secret.key": "secret_key", "session.token": "session_token"}


def is_stored(path: str) -> bool:
    """Whether a path is an object's, and no file's of every machine."""
    found = _URL.fullmatch(path)
    return bool(found) and found[1].lower() != "file"  # type: ignore[index]


@dataclass(frozen=True)
class Store:
    """A file system of pyarrow, which each process opens for itself."""

    scheme: str
    authority: str
    options: tuple[tuple[str, Any], ...]

    def open(self) -> Any:
        """The file system.

        Raises:
            SondeError: There is none for the scheme, or its options are refused.

        """
        from pyarrow import fs

        options = dict(self.options)
        try:
            if self.scheme in _S3:
                return fs.S3FileSystem(**options)
            if self.scheme == "gs":
                return fs.GcsFileSystem(**options)
            if self.scheme == "hdfs":
                host, _, port = self.authority.rpartition(":") if ":" in self.authority else (self.authority, "", "")
                return fs.HadoopFileSystem(host or "default", int(port or 0), **options)
            import fsspec

            return fs.PyFileSystem(fs.FSSpecHandler(fsspec.filesystem(self.scheme, **options)))
        except (OSError, ValueError, TypeError, ImportError) as error:
            raise SondeError(f"{self.scheme}://{self.authority}: {error}") from error

    def name(self, path: str) -> str:
        """The URL of a path in it."""
        if self.scheme == "hdfs":
            return f"{self.scheme}://{self.authority}{path}"
        return f"{self.scheme}://{path.removeprefix('/') if self.authority else path}"


@dataclass(frozen=True)
class Stored:
    """An object, as it was when it was split."""

    store: Store
    path: str
    size: int
    # Its ETag, or the time of its last change where the store has none.
    mark: str

    @property
    def name(self) -> str:
        """Its URL."""
        return self.store.name(self.path)

    def head(self) -> bytes:
        """Its first bytes."""
        with self._opened() as file:
            return bytes(file.read_at(min(self.size, _HEAD), 0))

    def whole(self) -> Iterator[bytes]:
        """All its bytes.

        Raises:
            SondeError: It is another one than when it was split, or cannot be read.

        """
        with self._opened() as file:
            yield from _pieces(file, 0, self.size)
        self._check()

    def lines(self, offset: int, length: int) -> tuple[int, Iterator[bytes]]:
        """The lines that begin in a range, and what is to be added to a place in them for that in the object.

        Raises:
            SondeError: As of `whole`.

        """
        end = offset + length
        start = self._next_line(offset, end) if offset else 0
        added = start - len(_FIRST_LINE) if offset else 0
        return added, self._lines(start, end, _FIRST_LINE if offset else b"")

    def _next_line(self, offset: int, end: int) -> int:
        """Where the first line begins at an offset or behind it; the end where none begins before it."""
        with self._opened() as file:
            position = offset - 1
            while position < end:
                piece = file.read_at(min(_HEAD, end - position), position)
                found = piece.find(b"\n")
                if found >= 0:
                    return min(int(position + found + 1), end)
                position += len(piece)
        return end

    def _lines(self, start: int, end: int, first: bytes) -> Iterator[bytes]:
        yield first
        if start < end:
            with self._opened() as file:
                # Its last byte ends the last line, or that goes on behind it.
                yield from _pieces(file, start, end - 1)
                position, found = end - 1, -1
                while found < 0 and position < self.size:
                    piece = file.read_at(min(_HEAD, self.size - position), position)
                    found = piece.find(b"\n")
                    position += len(piece)
                    yield piece if found < 0 else piece[: found + 1]
        self._check()

    @contextlib.contextmanager
    def _opened(self) -> Iterator[Any]:
        with _told(self.name):
            filesystem = self.store.open()
            with filesystem.open_input_file(self.path) as file:
                self._compare(_mark(filesystem, self.path, file))
                yield file

    def _check(self) -> None:
        with self._opened():
            pass

    def _compare(self, now: tuple[int, str]) -> None:
        if now != (self.size, self.mark):
            raise SondeError(
                f"{self.name} has {now[0]} bytes and the mark {now[1]}, and had {self.size} and {self.mark} "
                "when it was split: it has changed under the job"
            )


@contextlib.contextmanager
def named(name: str, stand_in: str) -> Iterator[None]:
    """Has errors name the object, not the file that stands in for it."""
    try:
        yield
    except SondeError as error:
        raise type(error)(str(error).replace(stand_in, name), error.status, error.signal) from None


@contextlib.contextmanager
def _told(name: str) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise SondeError(f"{name}: {error}") from error


def _mark(filesystem: Any, path: str, file: Any) -> tuple[int, str]:
    """The size of an object, and what changes with it."""
    try:
        known = {_text(name).lower(): _text(value) for name, value in (file.metadata() or {}).items()}
    except (NotImplementedError, pa.ArrowException):
        known = {}
    etag = known.get("etag")
    if etag:
        return file.size(), etag.strip('"')
    return file.size(), str(filesystem.get_file_info(path).mtime_ns)


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode(errors="replace")


def _pieces(file: Any, start: int, end: int) -> Iterator[bytes]:
    """The bytes of a range, some of which are read ahead."""
    waiting: deque[Future[bytes]] = deque()
    pool = ThreadPoolExecutor(_AHEAD)
    try:
        for position in range(start, end, _PIECE):
            waiting.append(pool.submit(file.read_at, min(_PIECE, end - position), position))
            if len(waiting) == _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def stored(spark: SparkSession | None, path: str, options: Mapping[str, Any] | None) -> list[Stored]:
    """The objects of a URL, a folder's or a pattern's, in their order.

    Raises:
        SondeError: There is none, or the store cannot be asked.

    """
    found = _URL.fullmatch(path)
    assert found is not None
    scheme, rest = found[1].lower(), found[2]
    authority, _, below = rest.partition("/")
    if options is None:
        options = _settings(spark, authority) if scheme in _S3 else {}
    store = Store(scheme, authority, tuple(options.items()))
    filesystem = store.open()
    place = f"/{below}" if scheme == "hdfs" else rest
    with _told(path):
        paths = list(_files(filesystem, place.rstrip("/")))
        if not paths:
            raise SondeError(f"{path}: no such object")
        return [_described(store, filesystem, each) for each in paths]


def _described(store: Store, filesystem: Any, path: str) -> Stored:
    with filesystem.open_input_file(path) as file:
        return Stored(store, path, *_mark(filesystem, path, file))


def _settings(spark: SparkSession | None, bucket: str) -> dict[str, Any]:
    """The keywords of S3FileSystem by Spark's settings; without these, it reads the environment itself."""
    given = {name: spark and spark.conf.get(f"spark.hadoop.fs.s3a.{name}", None) for name in _SETTINGS}
    options: dict[str, Any] = {_SETTINGS[name]: value for name, value in given.items() if value}
    endpoint = spark and spark.conf.get("spark.hadoop.fs.s3a.endpoint", None)
    endpoint = endpoint or os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    is_secure = not spark or spark.conf.get("spark.hadoop.fs.s3a.connection.ssl.enabled", "true") != "false"
    if endpoint:
        scheme, _, host = endpoint.rpartition("://")
        options["endpoint_override"] = host.rstrip("/")
        options["scheme"] = scheme or ("https" if is_secure else "http")
        if spark and spark.conf.get("spark.hadoop.fs.s3a.path.style.access", None) == "false":
            options["force_virtual_addressing"] = True
    elif not (os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")):
        from pyarrow import fs

        with contextlib.suppress(OSError):
            options["region"] = fs.resolve_s3_region(bucket)
    return options


def _files(filesystem: Any, path: str) -> Iterator[str]:
    from pyarrow import fs

    info = filesystem.get_file_info(path)
    # An object may have a name that is a pattern, too.
    if info.type == fs.FileType.NotFound and _WILD.search(path):
        for each in _matching(filesystem, path.split("/")):
            if each != path:
                yield from _files(filesystem, each)
    elif info.type == fs.FileType.File:
        yield path
    elif info.type == fs.FileType.Directory:
        for name, is_file in _entries(filesystem, path):
            # As Spark reads folders.
            if is_file and not name.startswith((".", "_")):
                yield f"{path}/{name}"


def _matching(filesystem: Any, parts: Sequence[str], before: str | None = None) -> Iterator[str]:
    """The paths that a pattern's parts match, in their order."""
    if not parts:
        yield before or ""
        return
    part, rest = parts[0], parts[1:]
    if before is None or not _WILD.search(part):
        yield from _matching(filesystem, rest, part if before is None else f"{before}/{part}")
        return
    for name, is_file in _entries(filesystem, before):
        is_hidden = name.startswith(".") and not part.startswith(".")
        if fnmatchcase(name, part) and not is_hidden and (rest or is_file) and not (rest and is_file):
            yield from _matching(filesystem, rest, f"{before}/{name}")


def _entries(filesystem: Any, path: str) -> list[tuple[str, bool]]:
    """The names in a folder, and whether each is an object's."""
    from pyarrow import fs

    infos = filesystem.get_file_info(fs.FileSelector(path, allow_not_found=True))
    return sorted((info.base_name, info.type == fs.FileType.File) for info in infos)
