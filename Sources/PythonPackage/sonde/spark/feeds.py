"""What a run of `sonde` reads of the splits of a task, and where in the files its records are."""

from __future__ import annotations

import contextlib
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sonde.errors import SondeError
from sonde.sources import GUARD
from sonde.spark.places import Places
from sonde.spark.splits import Split, is_text

# Bytes of an object that is read together with others, how many are fetched at once, and bytes that are handed over.
_SMALL = 8 << 20
_AT_ONCE = 8
_HANDED = 1 << 18
# Compressed objects that would be larger are read by a run of their own.
_UNPACKED = 8 * _SMALL
# The bytes that a member of such a file is given first, and then twice as many each time: it may be short.
_FIRST_PIECE = 1 << 10
_GZIP = b"\x1f\x8b\x08"


class Feed:
    """One split for one run."""

    def __init__(self, split: Split) -> None:
        self._split = split
        self._added = 0
        self.operands: list[str] = ["-"]
        # What it reads on its standard input.
        self.chunks: Iterator[bytes] | None = None
        if split.stored is None:
            split.check()
            self.operands = split.arguments()
        elif split.is_whole_object:
            self.chunks = split.stored.whole()
        else:
            self._added, self.chunks = split.stored.lines(split.offset, split.length or 0)

    def places(self, records: pa.RecordBatch, places: Places) -> pa.Array:
        """The places of records, which have columns `line` and `offset`."""
        line, offset = (records.column(records.schema.names.index(name)) for name in ("line", "offset"))
        # What is read from its begin to its end alone has lines.
        values = pc.coalesce(pc.add(offset, self._added), line).to_numpy(zero_copy_only=False)
        are_lines = pc.is_null(offset).to_numpy(zero_copy_only=False)
        return places.of([self._split.path], np.zeros(len(values), np.int64), values, are_lines)

    @contextlib.contextmanager
    def told(self) -> Iterator[None]:
        """Has an error name the objects, of which `sonde` knows nothing."""
        try:
            yield
        except SondeError as error:
            names = self._objects()
            if not names or any(name in str(error) for name in names):
                raise
            more = f" or one of {len(names) - 1} that are read with it" if len(names) > 1 else ""
            raise type(error)(f"{names[0]}{more}: {error}", error.status, error.signal) from error

    def _objects(self) -> list[str]:
        return [self._split.path] if self._split.stored else []


class Together(Feed):
    """Small objects for one run, one behind the other; those that are no text are left for a run of their own."""

    def __init__(self, several: Sequence[Split]) -> None:
        self._several = several
        self.operands = ["-"]
        self.chunks = self._fed()
        # Found while it is fed.
        self.aside: list[Split] = []
        self._paths: list[str] = []
        self._is_packed: list[bool] = []
        self._bytes: list[int] = []
        self._lines: list[int] = []

    def _fed(self) -> Iterator[bytes]:
        buffer = bytearray(GUARD)
        size, lines = len(GUARD), 1
        for split, data in self._fetched():
            text = data if is_text(data) or not data.strip() else _unpacked(data)
            if text is None:
                self.aside.append(split)
                continue
            self._paths.append(split.path)
            self._is_packed.append(text is not data)
            self._bytes.append(size)
            self._lines.append(lines)
            if not text.endswith(b"\n"):
                text += b"\n"
            size, lines = size + len(text), lines + text.count(b"\n")
            buffer += text
            if len(buffer) >= _HANDED:
                yield bytes(buffer)
                buffer.clear()
        yield bytes(buffer)

    def _fetched(self) -> Iterator[tuple[Split, bytes]]:
        """The objects with their bytes, some of which are read ahead."""
        waiting: deque[tuple[Split, Future[bytes]]] = deque()
        pool = ThreadPoolExecutor(_AT_ONCE)
        try:
            for split in self._several:
                assert split.stored
                waiting.append((split, pool.submit(split.stored.content)))
                if len(waiting) == _AT_ONCE:
                    first, data = waiting.popleft()
                    yield first, data.result()
            while waiting:
                first, data = waiting.popleft()
                yield first, data.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def places(self, records: pa.RecordBatch, places: Places) -> pa.Array:
        """As of `Feed`, in the objects."""
        line, offset = (
            records.column(records.schema.names.index(name)).to_numpy(zero_copy_only=False)
            for name in ("line", "offset")
        )
        which = np.searchsorted(self._numbers(self._bytes), offset, side="right") - 1
        in_lines = line - self._numbers(self._lines)[which]
        in_bytes = offset - self._numbers(self._bytes)[which]
        are_lines = np.array(self._is_packed, np.bool_)[which]
        return places.of(self._paths, which, np.where(are_lines, in_lines, in_bytes), are_lines)

    @staticmethod
    def _numbers(values: Sequence[int]) -> npt.NDArray[np.int64]:
        return np.array(values, np.int64)

    def _objects(self) -> list[str]:
        return [split.path for split in self._several]


def feeds(several: Sequence[Split]) -> Iterator[Feed]:
    """What runs are to read, one after the other, to have all of some splits."""
    small: list[Split] = []
    for split in several:
        if split.is_whole_object and split.stored and split.stored.size <= _SMALL:
            small.append(split)
        else:
            yield Feed(split)
    if len(small) == 1:
        yield Feed(small[0])
    elif small:
        together = Together(small)
        yield together
        yield from map(Feed, together.aside)


def _unpacked(data: bytes) -> bytes | None:
    """The text of a small gzip file; None of anything else, and of one that is broken or large."""
    text, position = bytearray(), 0
    while data.startswith(_GZIP, position):
        member, length = zlib.decompressobj(wbits=31), _FIRST_PIECE
        while not member.eof:
            piece = data[position : position + length]
            try:
                text += member.decompress(piece, _UNPACKED - len(text) + 1)
            except zlib.error:
                return None
            if not piece or len(text) > _UNPACKED:
                return None
            # What is behind a member is copied once for each.
            position += len(piece) - len(member.unused_data)
            length *= 2
    found = bytes(text)
    # What is packed may be something else again, which sonde refuses.
    return found if position == len(data) and is_text(found) else None
