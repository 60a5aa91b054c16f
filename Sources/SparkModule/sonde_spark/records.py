"""CSV from `sonde` to batches of Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.csv

from sonde_spark.child import Account, run
from sonde_spark.errors import SondeError

# Bytes that are converted at once.
CHUNK_SIZE = 1 << 20


def of_run(
    arguments: Sequence[str],
    schema: pa.Schema,
    chunks: Iterable[bytes] | None = None,
    account: Account | None = None,
) -> Iterator[pa.RecordBatch]:
    """Gives the records of a run of `sonde`, all that it says it has made.

    Args:
        arguments: What follows `sonde` on the command line, for CSV.
        schema: The columns of its records.
        chunks: What it reads on its standard input.
        account: What it says of itself at its end.

    Raises:
        SondeError: As of `child.run`, or there are others than it says.

    """
    account = account or Account()
    count = 0
    for batch in batches(run(arguments, chunks, account), schema):
        count += batch.num_rows
        yield batch
    if count != account.records:
        raise SondeError(f"sonde gave {count} records, and says that it made {account.records}")


def batches(pieces: Iterable[bytes], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Gives the records of CSV (RFC 4180) that comes in pieces; an empty cell is a missing value.

    Raises:
        SondeError: The columns are others, as from another version of `sonde`.

    """
    buffer = bytearray()
    has_header = False
    for piece in pieces:
        buffer += piece
        if len(buffer) < CHUNK_SIZE and has_header:
            continue
        if not has_header:
            end = buffer.find(b"\n") + 1
            if end == 0:
                continue
            _check(buffer[: end - 1].decode().split(","), schema.names)
            del buffer[:end]
            has_header = True
        end = _whole_rows(buffer)
        if end:
            yield _batch(bytes(buffer[:end]), schema)
            del buffer[:end]
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
    table = pa.csv.read_csv(
        pa.BufferReader(rows),
        read_options=pa.csv.ReadOptions(column_names=schema.names, use_threads=False, block_size=len(rows) + 1),
        parse_options=pa.csv.ParseOptions(newlines_in_values=True),
        convert_options=pa.csv.ConvertOptions(
            column_types=schema, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=True
        ),
    )
    return table.combine_chunks().to_batches()[0]
