"""CSV from the program to batches of Arrow."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from sonde.child import run
from sonde.errors import SondeError
from sonde.events import Account

# Bytes that are converted at once.
CHUNK_SIZE = 1 << 22
# Seconds for which records are held back until there are more of them.
HELD = 1.0


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
    buffer = bytearray()
    has_header = False
    given = time.monotonic()
    for piece in pieces:
        buffer += piece
        if not has_header:
            end = buffer.find(b"\n") + 1
            if end == 0:
                continue
            _check(next(csv.reader([buffer[: end - 1].decode()])), schema.names)
            del buffer[:end]
            has_header = True
        if piece and len(buffer) < CHUNK_SIZE and time.monotonic() < given + HELD:
            continue
        end = _whole_rows(buffer)
        if end:
            yield _batch(bytes(buffer[:end]), schema)
            del buffer[:end]
        given = time.monotonic()
    if buffer:
        yield _batch(bytes(buffer), schema)


def _check(header: Sequence[str], names: Sequence[str]) -> None:
    if list(header) != list(names):
        raise SondeError(
            f"sonde gave the columns {','.join(header)} instead of {','.join(names)}: "
            "install the same version on every machine, with the same configuration"
        )


def _whole_rows(buffer: bytearray) -> int:
    """Where the last row ends that is there as a whole: at a line end outside quotes."""
    end = buffer.rfind(b"\n") + 1
    while end and buffer.count(b'"', 0, end) % 2:
        end = buffer.rfind(b"\n", 0, end - 1) + 1
    return end


def _batch(rows: bytes, schema: pa.Schema) -> pa.RecordBatch:
    # A list stands in CSV as texts with blanks between.
    types = {each.name: pa.string() if pa.types.is_list(each.type) else each.type for each in schema}
    # Without quotes, Arrow reads in half the time.
    has_quotes = b'"' in rows
    table = pa.csv.read_csv(
        pa.BufferReader(rows),
        read_options=pa.csv.ReadOptions(column_names=schema.names, use_threads=False, block_size=len(rows) + 1),
        parse_options=pa.csv.ParseOptions(
            quote_char='"' if has_quotes else False, double_quote=has_quotes, newlines_in_values=has_quotes
        ),
        convert_options=pa.csv.ConvertOptions(
            column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=True
        ),
    )
    batch = table.combine_chunks().to_batches()[0]
    columns = [
        pc.split_pattern(column, " ").cast(each.type) if pa.types.is_list(each.type) else column
        for column, each in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
