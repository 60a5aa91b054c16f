"""CSV from the program to batches of Arrow."""

from __future__ import annotations

import contextlib
import csv
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv

from sonde.child import run
from sonde.errors import SondeError
from sonde.events import Account

if TYPE_CHECKING:
    import concurrent.futures

# Bytes that are converted at once.
CHUNK_SIZE = 1 << 22
# Seconds for which records are held back until there are more of them.
HELD = 1.0
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def of_run(
    arguments: Sequence[str],
    schema: pa.Schema,
    chunks: Iterable[bytes] | None = None,
    account: Account | None = None,
    *,
    echoes: bool = False,
    inherits_input: bool = False,
    wide: bool = True,
) -> Iterator[pa.RecordBatch]:
    """Gives the records of a run of the program, all that it says it has made.

    Args:
        arguments: What follows `sonde` on the command line, for CSV.
        schema: The columns of its records.
        chunks: What it reads on its standard input.
        account: What it says of itself.
        echoes: As of `child.run`.
        inherits_input: As of `child.run`.
        wide: As of `child.run`; and whether more is read while some is converted.

    Raises:
        SondeError: As of `child.run`, or there are others than it says.

    """
    account = account or Account()
    count = 0
    # A spreadsheet has no part in it, whoever set it for files.
    pieces = run(
        *(arguments, chunks, account), echoes=echoes, inherits_input=inherits_input, wide=wide,
        settings={"spreadsheet": "false"},
    )  # fmt: skip
    for batch in batches(pieces, schema, ahead=wide):
        count += batch.num_rows
        yield batch
    if count != account.records:
        raise SondeError(f"sonde gave {count} records, and says that it made {account.records}")


def batches(pieces: Iterable[bytes], schema: pa.Schema, *, ahead: bool = True) -> Iterator[pa.RecordBatch]:
    """Gives the records of CSV (RFC 4180) that comes in pieces; an empty cell is a missing value.

    Where an empty piece comes, what there is is given at once.

    Args:
        pieces: The CSV, with a header.
        schema: The columns.
        ahead: Whether pieces are taken while others are converted.

    Raises:
        SondeError: The columns are others, as from another version of `sonde`.

    """
    waiting: list[bytes] = []
    size, has_header = 0, False
    converter = _Converter(schema)
    given = time.monotonic()
    with contextlib.closing(_Behind(converter)) as behind:
        try:
            for piece in pieces:
                waiting.append(piece)
                size += len(piece)
                if not has_header:
                    head = b"".join(waiting)
                    end = head.find(b"\n") + 1
                    if end == 0:
                        continue
                    _check(next(csv.reader([head[: end - 1].decode()])), schema.names)
                    waiting, size, has_header = [head[end:]], len(head) - end, True
                is_full = size >= CHUNK_SIZE
                if piece and not is_full and time.monotonic() < given + HELD:
                    continue
                # Copied once, for pieces are many: what is read of it is read where it lies.
                rows = b"".join(waiting)
                end, quotes = _whole_rows(rows)
                waiting, size = [rows[end:]], len(rows) - end
                yield from behind.take()
                # The program, which makes records faster than one thread takes them, does not wait meanwhile.
                is_begun = ahead and is_full and end and behind.begin(rows, end, quotes)
                if end and not is_begun:
                    yield converter.batch(rows, end, quotes)
                given = time.monotonic()
        except Exception:
            # Of what feeds it: records that were made before come before that.
            yield from behind.take()
            raise
        yield from behind.take()
        if size:
            rows = b"".join(waiting)
            yield converter.batch(rows, len(rows), rows.count(b'"'))


def _check(header: Sequence[str], names: Sequence[str]) -> None:
    if list(header) != list(names):
        raise SondeError(
            f"sonde gave the columns {','.join(header)} instead of {','.join(names)}: "
            "install the same version on every machine, with the same configuration"
        )


def _whole_rows(rows: bytes) -> tuple[int, int]:
    """Where the last row ends that is there as a whole, at a line end outside quotes, and the quotes before."""
    end = rows.rfind(b"\n") + 1
    quotes = rows.count(b'"', 0, end)
    while quotes % 2:
        before = rows.rfind(b"\n", 0, end - 1) + 1
        quotes -= rows.count(b'"', before, end)
        end = before
    return end, quotes


class _Converter:
    """Rows of CSV to batches."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        # The columns that had no value in any row so far, which Arrow reads in no time; at first not known.
        self._empty: frozenset[str] | None = None

    def batch(self, rows: bytes, end: int, quotes: int) -> pa.RecordBatch:
        """The rows up to an end."""
        if rows.startswith(_BYTE_ORDER_MARK):
            # Arrow skips one at the start, where it is a value's here; and an empty line.
            rows, end = b"\n" + rows, end + 1
        cells = pa.py_buffer(rows).slice(0, end)
        try:
            found = self._read(cells, quotes > 0, self._empty or frozenset())
        except pa.ArrowInvalid:
            if not self._empty:
                raise
            # One of them has a value.
            found = self._read(cells, quotes > 0)
            self._empty &= _without_values(found)
        if self._empty is None:
            self._empty = _without_values(found)
        columns = [
            pa.nulls(found.num_rows, each.type)
            if pa.types.is_null(column.type)
            else _lists(column, each.type)
            if pa.types.is_list(each.type)
            else column
            for column, each in zip(found.columns, self._schema, strict=True)
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self._schema)

    def _read(self, cells: pa.Buffer, has_quotes: bool, empty: frozenset[str] = frozenset()) -> pa.RecordBatch:
        # A list stands in CSV as texts with blanks between.
        types = {each.name: pa.string() if pa.types.is_list(each.type) else each.type for each in self._schema}
        types |= dict.fromkeys(empty, pa.null())
        # Without quotes, Arrow reads in half the time.
        table = pa.csv.read_csv(
            cells,
            read_options=pa.csv.ReadOptions(
                column_names=self._schema.names, use_threads=False, block_size=cells.size + 1
            ),
            parse_options=pa.csv.ParseOptions(
                quote_char='"' if has_quotes else False, double_quote=has_quotes, newlines_in_values=has_quotes
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=True
            ),
            # Arrow's usual one gives the memory of each batch back to the system, which then clears it for the next.
            memory_pool=pa.system_memory_pool(),
        )
        return table.combine_chunks().to_batches()[0]


class _Behind:
    """Converts rows in a thread of its own."""

    def __init__(self, converter: _Converter) -> None:
        self._converter = converter
        self._worker: concurrent.futures.Executor | None = None
        self._converted: concurrent.futures.Future[pa.RecordBatch] | None = None
        self._owner = os.getpid()

    def begin(self, rows: bytes, end: int, quotes: int) -> bool:
        """Begins with rows, once those before were taken; returns whether there is a thread for it."""
        # Once the main thread has ended there is none.
        with contextlib.suppress(RuntimeError):
            if self._worker is None:
                # Takes a while to be imported.
                from concurrent.futures import ThreadPoolExecutor

                self._worker = ThreadPoolExecutor(1, "sonde")
            self._converted = self._worker.submit(self._converter.batch, rows, end, quotes)
        return self._converted is not None

    def take(self) -> Iterator[pa.RecordBatch]:
        """Gives what became of the rows, once that is there; nothing where none were begun."""
        converted, self._converted = self._converted, None
        try:
            # A process that was forked off has no such thread.
            if converted and os.getpid() == self._owner:
                yield converted.result()
        finally:
            # An error that it holds has this frame.
            del converted

    def close(self) -> None:
        """Lets the thread end."""
        if self._worker:
            self._worker.shutdown(wait=False)


def _without_values(batch: pa.RecordBatch) -> frozenset[str]:
    return frozenset(name for name in batch.schema.names if batch.column(name).null_count == batch.num_rows)


def _lists(texts: pa.Array, type_: pa.DataType) -> pa.Array:
    # Takes a while to be imported, and is seldom needed.
    import pyarrow.compute as pc

    return pc.split_pattern(texts, " ").cast(type_)
