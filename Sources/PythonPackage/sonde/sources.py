"""What a scan reads: an input of the command line, a file, a file object, or items of any kind."""

from __future__ import annotations

import io
import itertools
import os
import re
import select
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sonde import conditions
from sonde.errors import UsageError
from sonde.options import Value

if TYPE_CHECKING:
    import pyarrow as pa

# Bytes that are handed over at once, less for the first ones: what is not read is not asked.
_FIRST, _MOST = 1 << 12, 1 << 18
# Seconds for which items are held back until there are more of them.
_HELD = 0.1
# A first line like that is taken for nothing but an address.
_PLAIN = re.compile(rb"[0-9A-Fa-f:.]{2,45}\Z")
# Stands before any other one, which might be taken for a compressed file, a capture or a table.
GUARD = b"#\n"
# Stands before those of a list that is scanned: a byte-order mark, which is no line of its own.
MARK = b"\xef\xbb\xbf"
_ROWS = 1 << 14
_TEXTS = {str}


@dataclass
class Source:
    """What the program is given to read."""

    operands: tuple[str, ...] = ("-",)
    # What it reads on its standard input.
    chunks: Iterable[bytes] | None = None
    # Whether it reads this process's standard input.
    is_standard_input: bool = False
    # Bytes and lines before the first item.
    guard: Guard | None = None

    @property
    def name(self) -> str | None:
        """The operand, where there is one."""
        return self.operands[-1] if self.operands[0] == "--" else None


@dataclass
class Guard:
    """What stands before the items."""

    text: bytes = GUARD
    # Whether it stands before plain addresses, too.
    is_always_there: bool = False
    is_there: bool = False

    @classmethod
    def before(cls, text: bytes, condition: object) -> Guard:
        """A guard of items of which a condition may judge the places."""
        names = conditions.fields(str(condition or ""))
        return cls(text, text == GUARD and not {"line", "offset"}.isdisjoint(names))

    @property
    def shifts(self) -> dict[str, int]:
        """By how much the places behind it are larger than those of the items."""
        return {"line": self.text.count(b"\n"), "offset": len(self.text)}

    def judged(self, options: Mapping[str, Value]) -> dict[str, Value]:
        """Options of the command line, with a condition on items as one on what stands behind the guard."""
        if not self.is_always_there:
            return dict(options)
        return {**options, "where": conditions.shifted(str(options["where"]), self.shifts)}


def of(source: object, column: str | None, guard: Guard | None = None) -> Source:
    """What the program is to read.

    Args:
        source: As of `scan`.
        column: As of `scan`.
        guard: What stands before items.

    Raises:
        TypeError: A source of a type that has no items.
        ValueError: A column that is not there, or several of which none is named.
        UsageError: A name that no file has.

    """
    if not isinstance(source, (str, os.PathLike)) and not hasattr(source, "read"):
        guard = guard or Guard()
        return Source(chunks=_of_items(source, column, guard), guard=guard)
    if column is not None:
        raise ValueError(f"column={column!r}: only what has columns has one of that name")
    if isinstance(source, (str, os.PathLike)) and "\0" in os.fsdecode(source):
        raise UsageError("a source has a NUL, which no name of a file has", 2)
    if isinstance(source, str):
        return Source(("--", source), is_standard_input=source == "-")
    if isinstance(source, os.PathLike):
        # A file, whatever its name would be taken for.
        return Source(("--", os.path.abspath(os.fsdecode(source))))
    return Source(chunks=_of_file(source))


def _of_file(file: Any) -> Iterator[bytes]:
    read: Callable[[int], object] = getattr(file, "read1", file.read)
    poll = _poll(file)
    while piece := read(_MOST):
        if not isinstance(piece, (bytes, bytearray, memoryview)):
            raise TypeError(f"a file object gives {type(piece).__name__}: open it as binary ('rb')")
        yield bytes(piece)
        # What has been read may be all for a long time.
        while poll is not None and not poll.poll(1000 * _HELD):
            yield b""


def _poll(file: Any) -> select.poll | None:
    """What waits for more of a file, of which nothing is buffered once it has been read; None of other ones."""
    raw = file.raw if isinstance(file, io.BufferedReader) else file
    if not isinstance(raw, (io.FileIO, socket.SocketIO)):
        return None
    poll = select.poll()
    poll.register(raw.fileno(), select.POLLIN)
    return poll


def _of_parts(parts: Iterator[Sequence[object]], guard: Guard) -> Iterator[bytes]:
    """Items that are there many at once, as lines; the first ones a few at a time, for they may be all that is read."""
    due = time.monotonic() + _HELD
    for number, part in enumerate(parts):
        is_slow = time.monotonic() > due
        if number and set(map(type, part)) == _TEXTS and sum(map(len, part)) <= _MOST:  # type: ignore[arg-type]
            yield b"\n".join([*_together(part), b""])  # type: ignore[arg-type]
        else:
            yield from _lines(iter(part), None if number else guard)
        if is_slow:
            yield b""
        due = time.monotonic() + _HELD


def _slices(items: Sequence[object]) -> Iterator[Sequence[object]]:
    start, size = 0, _FIRST >> 4
    while part := items[start : start + size]:
        yield part
        start, size = start + size, min(2 * size, _ROWS)


def _lines(items: Iterator[object], guard: Guard | None) -> Iterator[bytes]:
    texts: list[str] = []
    size, limit = 0, _FIRST
    lines = []
    # Of the very first one.
    for first in itertools.islice(items, int(guard is not None)):
        assert guard
        lines = [line(first)]
        guard.is_there = guard.is_always_there or not _PLAIN.match(lines[0])
        if guard.is_there:
            lines[0] = guard.text + lines[0]
    due = time.monotonic() + _HELD
    for item in items:
        # Most are texts, which are made into lines together.
        if type(item) is str:
            texts.append(item)
            size += len(item) + 1
        else:
            lines += [*_together(texts), line(item)]
            size += len(lines[-1]) + 1
            texts.clear()
        is_slow = time.monotonic() > due
        if size >= limit or is_slow:
            yield b"\n".join([*lines, *_together(texts), b""])
            lines.clear()
            texts.clear()
            size, limit = 0, min(2 * limit, _MOST)
            if is_slow:
                yield b""
            due = time.monotonic() + _HELD
    if lines or texts:
        yield b"\n".join([*lines, *_together(texts), b""])


def _together(texts: Sequence[str]) -> list[bytes]:
    """Texts as lines, where they can be in one piece."""
    if not texts:
        return []
    # A lone surrogate is no character of UTF-8.
    joined = "\n".join(texts).encode(errors="replace")
    if joined.count(b"\n") == len(texts) - 1 and b"\r" not in joined:
        return [joined]
    return [line(each) for each in texts]


def line(item: object) -> bytes:
    """An item as a line: without line ends, and empty where there is none."""
    if isinstance(item, str):
        text = item.encode(errors="replace")
    elif isinstance(item, bytes):
        text = item
    elif _is_missing(item):
        return b""
    elif type(item).__module__ == "ipaddress":
        text = str(item).encode()
    else:
        raise TypeError(f"an item is of type {_name(item)}: it must be str, bytes, an ipaddress object or None")
    return text.translate(_BLANKS) if b"\n" in text or b"\r" in text else text


_BLANKS = bytes(0x20 if byte in b"\r\n" else byte for byte in range(256))


def _is_missing(item: object) -> bool:
    if item is None:
        return True
    # Not a number is equal to nothing; pandas has its own.
    return (isinstance(item, float) and item != item) or type(item).__name__ in ("NAType", "NaTType")


def _name(value: object) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _of_items(source: object, column: str | None, guard: Guard) -> Iterator[bytes]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        raise TypeError(f"a source of type {_name(source)} is one item: put it into a list, or io.BytesIO for a file")
    is_of_pandas = type(source).__module__.partition(".")[0] == "pandas"
    if is_of_pandas and getattr(getattr(source, "dtype", None), "kind", "") == "f" and column is None:
        # A column without values is one of floats.
        return _lines(iter(source), guard)  # type: ignore[call-overload]
    if is_of_pandas and hasattr(source, "columns"):
        names = [str(each) for each in source.columns]
        # By its place, for a label may be no text.
        return _lines(iter(source.iloc[:, names.index(_chosen(names, column))]), guard)  # type: ignore[attr-defined]
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        return _of_parts(_of_arrow(source, column), guard)
    if not isinstance(source, Iterable):
        raise TypeError(f"a source of type {_name(source)} cannot be read: it must be a path, a file or an iterable")
    if column is not None:
        raise ValueError(f"column={column!r}: a source of type {_name(source)} has no columns")
    if isinstance(source, (list, tuple)):
        return _of_parts(_slices(source), guard)
    return _lines(iter(source), guard)


def _chosen(names: list[str], column: str | None) -> str:
    if column is None and len(names) == 1:
        return names[0]
    if column is None:
        raise ValueError(f"column= names one of the columns {', '.join(names)}")
    if names.count(column) != 1:
        raise ValueError(f"column={column!r}: the columns are {', '.join(names)}")
    return column


def _of_arrow(source: Any, column: str | None) -> Iterator[Sequence[object]]:
    import pyarrow as pa

    if isinstance(source, (pa.Array, pa.ChunkedArray)):
        return _of_array(source, column)
    if isinstance(source, pa.RecordBatch):
        reader = pa.Table.from_batches([source]).to_reader()
    elif isinstance(source, pa.RecordBatchReader):
        reader = source
    else:
        try:
            reader = pa.RecordBatchReader.from_stream(source)
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError):
            # A series: a stream of values that are no rows.
            return _of_array(pa.chunked_array(source), column)
    name = _chosen(reader.schema.names, column)
    index = reader.schema.names.index(name)
    _check_type(reader.schema.field(index).type)
    return (part for batch in reader for part in _values(batch.column(index)))


def _of_array(array: pa.Array | pa.ChunkedArray, column: str | None) -> Iterator[Sequence[object]]:
    if column is not None:
        raise ValueError(f"column={column!r}: an array has no columns")
    _check_type(array.type)
    chunks = array.chunks if hasattr(array, "chunks") else [array]
    return (part for chunk in chunks for part in _values(chunk))


def _values(array: pa.Array) -> Iterator[Sequence[object]]:
    for start in range(0, len(array), _ROWS):
        yield array.slice(start, _ROWS).to_pylist()


def _check_type(type_: pa.DataType) -> None:
    import pyarrow as pa

    inner = type_.value_type if pa.types.is_dictionary(type_) else type_
    tests = [
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_null,
    ]
    tests += [test for name in ("is_string_view", "is_binary_view") if (test := getattr(pa.types, name, None))]
    if not any(test(inner) for test in tests):
        raise TypeError(f"a column of Arrow's type {type_} has no addresses: cast it to text")
