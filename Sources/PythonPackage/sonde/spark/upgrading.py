"""Records of before, asked again where they have no answer or a fallback's."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from pyspark.sql import DataFrame

from sonde.errors import SondeError
from sonde.events import Account
from sonde.options import Value
from sonde.records import batches
from sonde.spark import options, running
from sonde.spark.options import Upgrading
from sonde.spark.running import Step

# The column of the rows' numbers, which `sonde` copies as it does every column that is none of its own.
_ROW = "_sonde_row"
_NEEDED = ("ip", "status", "source")


def upgrade(
    records: DataFrame, *, askers: int | None = None, on_unanswered: str = "record", **more: Value
) -> DataFrame:
    """Gives the same rows, in which `sonde upgrade` has asked again for what has no answer or a fallback's.

    These are the rows that are `failed` or `network_lost`, and those that a local database or a later
    provider answered. A row changes only where there is an answer for it; one without a status has no record
    that could. Columns that are not Sonde's are
    untouched; Sonde's are found by their names.

    Args:
        records: Records of `enrich`, `read_log` or `write_batches`, also among other columns.
        askers: As of `enrich`.
        on_unanswered: As of `enrich`.
        **more: Options of `sonde upgrade` by their long names, with `_` for `-`.

    Raises:
        SondeError: `sonde` is absent or too old here, or refuses an option.
        ValueError: There is no column `ip`, `status` or `source`, or one of them twice, or an option is
            not for here.

    """
    spark = records.sparkSession
    parsed = options.parse_upgrade(spark, more, on_unanswered)
    names = [name for name in records.columns if name in parsed.columns]
    for name in (*_NEEDED, *names):
        if names.count(name) != 1:
            raise ValueError(f"upgrade: the records need one column {name}, and have {names.count(name)}")
    if _ROW in records.columns:
        raise ValueError(f"upgrade: there is a column {_ROW} already; rename it")
    _check_header(parsed.arguments, names)
    count = parsed.askers(spark, askers)
    if not parsed.is_local or askers is not None:
        records = records.repartition(count)
    places = [records.columns.index(name) for name in names]
    # By their place, for names may have dots in them.
    rows = records.toDF(*(f"_{number}" for number in range(len(records.columns))))
    return rows.mapInArrow(running.guarded(_upgrading(parsed, names, places)), records.schema)


def _check_header(arguments: Sequence[str], names: Sequence[str]) -> None:
    """Has `sonde` on this machine judge the options, before any task is started."""
    header = ",".join(names)
    given = b"".join(running.run(["upgrade", *arguments, "--quiet", "-"], [header.encode() + b"\n"])).decode().strip()
    if given != header:
        added = given.removeprefix(header).strip(",")
        raise ValueError(f"with_: the records have no column {added}; add it by annotate, or name it first")


def _upgrading(parsed: Upgrading, names: Sequence[str], places: Sequence[int]) -> Step:
    def step(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        present = (batch for batch in rows if batch.num_rows)
        first = next(present, None)
        if first is None:
            return
        status = places[names.index("status")]
        waiting: deque[_Rows] = deque()
        types = [_written_type(first.schema.field(place).type) for place in places]
        schema = pa.schema([*zip(names, types, strict=True), (_ROW, pa.int64())])
        account = Account()
        output = running.run(
            ["upgrade", *parsed.arguments, "-"],
            _table(names, (_Rows(batch, status) for batch in _chain(first, present)), places, waiting),
            account,
        )
        found = pa.Table.from_batches([], schema)
        count = 0
        for batch in _and_none(batches(output, schema), schema):
            found = pa.concat_tables([found, pa.Table.from_batches([batch])])
            while waiting and found.num_rows >= waiting[0].records.num_rows:
                rows_, size = waiting[0], waiting.popleft().records.num_rows
                yield rows_.with_records(_replaced(rows_.records, found.slice(0, size), places, count))
                found, count = found.slice(size), count + size
        if waiting or found.num_rows:
            raise SondeError(f"sonde upgrade gave other rows than it was given, behind row {count}")
        if parsed.must_answer:
            account.raise_for_unanswered()

    return step


class _Rows:
    """Rows, of which those without a status are no records: of a value that was null, `annotate` says nothing."""

    def __init__(self, whole: pa.RecordBatch, status: int) -> None:
        self._whole, self._are_records = whole, pc.is_valid(whole.column(status))
        self.records = whole.filter(self._are_records)

    def with_records(self, records: pa.RecordBatch) -> pa.RecordBatch:
        """The rows with others in place of their records."""
        if records.num_rows == self._whole.num_rows:
            return records
        are_records = self._are_records.to_numpy(zero_copy_only=False)
        others = self._whole.filter(pc.invert(self._are_records))
        order = np.empty(len(are_records), np.int64)
        order[are_records] = np.arange(records.num_rows)
        order[~are_records] = np.arange(records.num_rows, len(order))
        return pa.Table.from_batches([records, others]).take(pa.array(order)).combine_chunks().to_batches()[0]


def _and_none(found: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Batches, and an empty one behind them: the last rows may be no records."""
    yield from found
    yield pa.RecordBatch.from_pylist([], schema)


def _table(
    names: Sequence[str], rows: Iterable[_Rows], places: Sequence[int], waiting: deque[_Rows]
) -> Iterator[bytes]:
    """The CSV of rows, which wait until it comes back."""
    yield ",".join([*names, _ROW]).encode() + b"\n"
    count = 0
    for each in rows:
        waiting.append(each)
        batch = each.records
        if not batch.num_rows:
            continue
        numbers = pa.array(range(count, count + batch.num_rows), pa.int64())
        columns = [_written(batch.column(place)) for place in places]
        text = io.BytesIO()
        written = pa.RecordBatch.from_arrays([*columns, numbers], names=[*names, _ROW])
        pa.csv.write_csv(written, text, pa.csv.WriteOptions(include_header=False))
        count += batch.num_rows
        yield text.getvalue()


def _chain(first: pa.RecordBatch, rest: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest


def _written(column: pa.Array) -> pa.Array:
    """A column as CSV has it: times as of RFC 3339, lists with blanks."""
    if pa.types.is_timestamp(column.type):
        exact = pc.strftime(column.cast(pa.timestamp("us", "UTC")), format="%Y-%m-%dT%H:%M:%SZ")
        return pc.replace_substring_regex(pc.replace_substring_regex(exact, "0+Z$", "Z"), r"\.Z$", "Z")
    if pa.types.is_list(column.type):
        return pc.binary_join(column, " ")
    return column


def _written_type(type_: pa.DataType) -> pa.DataType:
    """The type that a column of CSV is read as."""
    if pa.types.is_timestamp(type_):
        return pa.timestamp("us", "UTC")
    return pa.string() if pa.types.is_list(type_) else type_


def _replaced(rows: pa.RecordBatch, found: pa.Table, places: Sequence[int], start: int) -> pa.RecordBatch:
    """Rows with the columns of Sonde's as they came back, in their own types."""
    numbers = found.column(_ROW)
    if numbers.null_count or numbers.to_pylist() != list(range(start, start + rows.num_rows)):
        raise SondeError(f"sonde upgrade gave other rows than it was given, behind row {start}")
    columns: Mapping[int, pa.Array] = {
        place: _read(found.column(index).combine_chunks(), rows.column(place)) for index, place in enumerate(places)
    }
    return pa.RecordBatch.from_arrays(
        [columns.get(place, column) for place, column in enumerate(rows.columns)], schema=rows.schema
    )


def _read(found: pa.Array, earlier: pa.Array) -> pa.Array:
    """A column that came back, in the type that it had."""
    if pa.types.is_list(earlier.type):
        found = pc.split_pattern(found, " ")
    return found.cast(earlier.type)
