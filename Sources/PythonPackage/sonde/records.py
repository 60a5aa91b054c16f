"""CSV from the program to batches of Arrow."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.csv

from sonde.child import run
from sonde.errors import SondeError
from sonde.events import Account

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
        wide: As of `child.run`.

    Raises:
        SondeError: As of `child.run`, or there are others than it says.

    """
    account = account or Account()
    count = 0
    pieces = run(arguments, chunks, account, echoes=echoes, inherits_input=inherits_input, wide=wide)
    for batch in batches(pieces, schema):
        count += batch.num_rows
        yield batch
    if count != account.records:
        raise SondeError(f"sonde gave {count} records, and says that it made {account.records}")


def batches(pieces: Iterable[bytes], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Gives the records of CSV (RFC 4180) that comes in pieces; an empty cell is a missing value.

    Where an empty piece comes, what there is is given at once.

    Raises:
        SondeError: The columns are others, as from another version of `sonde`.

    """
    waiting: list[bytes] = []
    size, has_header = 0, False
    given = time.monotonic()
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
        if piece and size < CHUNK_SIZE and time.monotonic() < given + HELD:
            continue
        # Copied once, for pieces are many: what is read of it is read where it lies.
        rows = b"".join(waiting)
        end, quotes = _whole_rows(rows)
        if end:
            yield _batch(rows, end, quotes, schema)
        waiting, size = [rows[end:]], len(rows) - end
        given = time.monotonic()
    if size:
        rows = b"".join(waiting)
        yield _batch(rows, len(rows), rows.count(b'"'), schema)


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


def _batch(rows: bytes, end: int, quotes: int, schema: pa.Schema) -> pa.RecordBatch:
    # A list stands in CSV as texts with blanks between.
    types = {each.name: pa.string() if pa.types.is_list(each.type) else each.type for each in schema}
    if rows.startswith(_BYTE_ORDER_MARK):
        # Arrow skips one at the start, where it is a value's here; and an empty line.
        rows, end = b"\n" + rows, end + 1
    # Without quotes, Arrow reads in half the time.
    has_quotes = quotes > 0
    table = pa.csv.read_csv(
        pa.py_buffer(rows).slice(0, end),
        read_options=pa.csv.ReadOptions(column_names=schema.names, use_threads=False, block_size=end + 1),
        parse_options=pa.csv.ParseOptions(
            quote_char='"' if has_quotes else False, double_quote=has_quotes, newlines_in_values=has_quotes
        ),
        convert_options=pa.csv.ConvertOptions(
            column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=True
        ),
        # Arrow's usual one gives the memory of each batch back to the system, which then clears it for the next.
        memory_pool=pa.system_memory_pool(),
    )
    batch = table.combine_chunks().to_batches()[0]
    columns = [
        _lists(column, each.type) if pa.types.is_list(each.type) else column
        for column, each in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _lists(texts: pa.Array, type_: pa.DataType) -> pa.Array:
    # Takes a while to be imported, and is seldom needed.
    import pyarrow.compute as pc

    return pc.split_pattern(texts, " ").cast(type_)
