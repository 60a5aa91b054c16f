"""Objects in stores: their bytes, and the lines that begin in a range of one."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from sonde.errors import SondeError
from sonde.sources import GUARD
from sonde.spark.stores import Store, told

# Bytes that are read at once, and how many reads are under way: each request costs a store as much as many bytes.
_PIECE = 32 << 20
_AHEAD = 2
# Enough to know a compressed file, a capture or UTF-16 by its begin, and for the end of most lines.
_HEAD = 1 << 16


@dataclass(frozen=True)
class Stored:
    """An object, as it was when it was split."""

    store: Store
    path: str
    # Its URL.
    name: str
    size: int
    # What changes with it, as of `Store.mark`.
    mark: str

    def head(self) -> bytes:
        """Its first bytes."""
        with self._opened() as file:
            return bytes(self._read(file, min(self.size, _HEAD), 0))

    def content(self) -> bytes:
        """All its bytes, of a small one.

        Raises:
            SondeError: It is another one than when it was split, or cannot be read.

        """
        with self._opened() as file:
            found = bytes(self._read(file, self.size, 0)) if self.size else b""
        self._check()
        return found

    def whole(self) -> Iterator[bytes]:
        """All its bytes in pieces.

        Raises:
            SondeError: As of `content`.

        """
        with self._opened() as file:
            yield from self._pieces(file, 0, self.size)
        self._check()

    def lines(self, offset: int, length: int) -> tuple[int, Iterator[bytes]]:
        """The lines that begin in a range, and what is to be added to a place in them for that in the object.

        Raises:
            SondeError: As of `content`.

        """
        end = offset + length
        start = self._next_line(offset, end) if offset else 0
        added = start - len(GUARD) if offset else 0
        return added, self._lines(start, end, GUARD if offset else b"")

    def _next_line(self, offset: int, end: int) -> int:
        """Where the first line begins at an offset or behind it; the end where none begins before it."""
        with self._opened() as file:
            position = offset - 1
            while position < end:
                piece = self._read(file, min(_HEAD, end - position), position)
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
                yield from self._pieces(file, start, end - 1)
                position, found = end - 1, -1
                while found < 0 and position < self.size:
                    piece = self._read(file, min(_HEAD, self.size - position), position)
                    found = piece.find(b"\n")
                    position += len(piece)
                    yield piece if found < 0 else piece[: found + 1]
        self._check()

    def _pieces(self, file: Any, start: int, end: int) -> Iterator[bytes]:
        """The bytes of a range, some of which are read ahead."""
        waiting: deque[Future[bytes]] = deque()
        pool = ThreadPoolExecutor(_AHEAD)
        try:
            for position in range(start, end, _PIECE):
                waiting.append(pool.submit(self._read, file, min(_PIECE, end - position), position))
                if len(waiting) == _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _read(self, file: Any, length: int, position: int) -> bytes:
        """The bytes of a range, all of them."""
        found: bytes = file.read_at(length, position)
        if len(found) < length:
            raise SondeError(
                f"{self.name} gave {len(found)} bytes instead of {length} at {position}: "
                "it has changed under the job, or its store breaks off"
            )
        return found

    @contextlib.contextmanager
    def _opened(self) -> Iterator[Any]:
        with told(self.name), self.store.open().open_input_file(self.path) as file:
            self._compare(self.store.mark(self.path, file))
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
