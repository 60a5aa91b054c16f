"""Records for the addresses in a column of a DataFrame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StructField, StructType

from sonde.options import Value
from sonde.spark import feeding, options
from sonde.spark.asking import Step, among, ask, beside, text, warmed, without
from sonde.spark.options import Options

_ITEM, _CELL, _TIMES = "_sonde_item", "_sonde_cell", "_sonde_times"
# Of the records of `sonde check`.
_CHECKED = pa.schema([("ip", pa.string()), ("status", pa.string()), ("line", pa.int64())])


def enrich(
    df: DataFrame,
    column: str = "value",
    *,
    log: bool = False,
    known: DataFrame | None = None,
    askers: int | None = None,
    on_unanswered: str = "record",
    **more: Value,
) -> DataFrame:
    """Gives a record for each distinct address of a column, as `sonde scan` of its values would.

    Each value is a line of a list: an address, a block or a range; one that is none of these has a
    record whose `status` is `invalid`, at each occurrence. A value that is null or empty has none.

    The result is not kept: two actions ask twice, the second one from the cache. Write it out first.

    Args:
        df: The rows.
        column: The column's name.
        log: Whether its values are free text, with addresses anywhere.
        known: Records of before, by this function: what is answered there is not asked again.
        askers: How many tasks ask at once; as many as are good where it is left out.
        on_unanswered: With `"fail"`, a task in which an address is `failed` or `network_lost` fails; what was
            answered is in the cache, and the next try asks for the rest. `"record"` leaves it to the records.
        **more: Options of `sonde scan` by their long names, with `_` for `-`.

    Raises:
        SondeError: `sonde` is absent or too old here, or refuses an option.
        ValueError: An option that is not for here, or several askers without a shared quota.

    """
    parsed = options.parse(df.sparkSession, more, on_unanswered)
    entries = _entries(df, column, log, parsed)
    missing = without(entries, known)
    answers = ask(missing, parsed, askers, times=_TIMES)
    return answers if known is None else answers.unionByName(among(entries, known, parsed))


def annotate(
    df: DataFrame,
    column: str = "value",
    *,
    known: DataFrame | None = None,
    askers: int | None = None,
    on_unanswered: str = "record",
    **more: Value,
) -> DataFrame:
    """Adds to each row what is known of the address in a column: each field of its record as `sonde_NAME`.

    A value that is no address has `invalid` in `sonde_status`; the columns of one that is null or empty
    are null. Every row comes out once; from a rationed provider, in another order.

    Args:
        df: The rows.
        column: The column's name; each value is one address.
        known: Records of before: what is answered there is not asked again.
        askers: How many tasks ask at once; as many as are good where it is left out.
        on_unanswered: With `"fail"`, a task in which an address is `failed` or `network_lost` fails; what was
            answered is in the cache, and the next try asks for the rest. `"record"` leaves it to the records.
        **more: Options of `sonde scan` by their long names, with `_` for `-`.

    Raises:
        SondeError: `sonde` is absent or too old here, or refuses an option.
        ValueError: An option that is not for here, a column that is there already, or several askers
            without a shared quota.

    """
    # A block of addresses is no value that a row could have a record for.
    parsed = options.parse(df.sparkSession, {**more, "max_expand": 1}, on_unanswered)
    added = [StructField(f"sonde_{field.name}", field.dataType) for field in parsed.fields]
    doubled = sorted({_CELL, _ITEM, *(field.name for field in added)} & set(df.columns))
    if doubled:
        raise ValueError(f"annotate: there is a column {doubled[0]} already; rename it")
    if parsed.is_local and known is None:
        # By their place, for names may have dots in them, or be there twice.
        rows = df.select(_value(df, column), "*").toDF(_CELL, *(f"_{number}" for number in range(len(df.columns))))
        schema = StructType([*df.schema.fields, *added])
        return rows.mapInArrow(_annotating(parsed), schema)
    named = _named(df, column, parsed)
    distinct = named.groupBy(_ITEM).agg(F.lit(1).alias(_TIMES))
    keeps = [text(_ITEM)]
    answers = ask(without(distinct, known), parsed, askers, keeps)
    if known is not None:
        answers = answers.unionByName(among(distinct, known, parsed, keeps))
    renamed = answers.select(_ITEM, *(F.col(f.name).alias(f"sonde_{f.name}") for f in parsed.fields))
    by_cell = named.join(renamed, _ITEM).drop(_ITEM)
    return df.withColumn(_CELL, _value(df, column)).join(by_cell, _CELL, "left").drop(_CELL)


def _value(df: DataFrame, column: str) -> Column:
    """A column's values as text; what is no column's name is read as Spark reads it (`a.b`: the b of a)."""
    quoted = "`" + column.replace("`", "``") + "`"
    return df[quoted if column in df.columns else column].cast("string")


def _entries(df: DataFrame, column: str, log: bool, parsed: Options) -> DataFrame:
    """The distinct addresses of a column, and what is none with how often it stands there."""
    cells = df.select(_value(df, column).alias(_CELL)).where(F.col(_CELL).isNotNull())
    fields = [text(_ITEM), StructField(_TIMES, IntegerType())]
    found = cells.mapInArrow(_finding(parsed.entries, log), StructType(fields))
    # None of an address, one for each that is no address.
    times = F.greatest(F.sum(_TIMES), F.lit(1))
    return found.groupBy(_ITEM).agg(times.alias(_TIMES))


def _finding(entries: Sequence[str], log: bool) -> Step:
    """Gives the entries of values: addresses in one spelling, once a task, and what is none as it is."""
    arguments = ["check", "--quiet", *entries, f"--fields={','.join(_CHECKED.names)}", *(["--log"] if log else [])]

    def step(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        cells = rows if log else map(_as_lines, rows)
        # In text there is nothing invalid, and a value may be many lines.
        keeps = () if log else (_CELL,)
        for found, kept in feeding.through(arguments, _CHECKED, cells, keeps=keeps):
            items, times = _items(found, kept)
            yield pa.RecordBatch.from_arrays([items, times], names=[_ITEM, _TIMES])

    return step


def _items(found: pa.RecordBatch, kept: pa.RecordBatch | None) -> tuple[pa.Array, pa.Array]:
    """The entries of checked values: what is to be scanned, and 1 for each that is no address."""
    invalid = pc.equal(found.column(1), "invalid")
    items = found.column(0) if kept is None else pc.if_else(invalid, kept.column(0), found.column(0))
    return items, pc.cast(invalid, pa.int32())


def _as_lines(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Rows whose first column is without line ends, so that each is one line."""
    cells = pc.replace_substring(rows.column(0), "\n", " ")
    return pa.RecordBatch.from_arrays([cells, *rows.columns[1:]], names=rows.schema.names)


def _named(df: DataFrame, column: str, parsed: Options) -> DataFrame:
    """The distinct values of a column, each with its address in one spelling, or itself where it is none."""
    cells = df.select(_value(df, column).alias(_CELL)).where(F.col(_CELL).isNotNull()).distinct()
    return cells.mapInArrow(_naming(parsed.entries), StructType([text(_CELL), text(_ITEM)]))


def _naming(entries: Sequence[str]) -> Step:
    arguments = ["check", "--quiet", "--duplicates=keep", *entries, f"--fields={','.join(_CHECKED.names)}"]

    def step(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        lines = map(_with_original, rows)
        keeps = ("text", "original")
        for found, kept in feeding.through(arguments, _CHECKED, lines, keeps=keeps):
            assert kept is not None
            items, _ = _items(found, kept)
            yield pa.RecordBatch.from_arrays([kept.column(1), items], names=[_CELL, _ITEM])

    return step


def _with_original(rows: pa.RecordBatch) -> pa.RecordBatch:
    lines = _as_lines(rows).column(0)
    return pa.RecordBatch.from_arrays([lines, lines, rows.column(0)], names=["line", "text", "original"])


def _annotating(parsed: Options) -> Step:
    """Gives rows with their records, in one pass; the first column, the address, is left out."""

    def step(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        waiting = _Waiting(parsed)
        # A null is an empty line, which has no record.
        cells = (waiting.keep(batch) for batch in warmed(parsed, rows))
        arguments = ["scan", *parsed.scan, "--duplicates=keep"]
        for found, _ in feeding.through(arguments, parsed.arrow, cells, must_answer=parsed.must_answer):
            yield from waiting.answer(found)
        yield from waiting.rest()

    return step


class _Waiting:
    """Rows that wait for the records of all of them."""

    def __init__(self, parsed: Options) -> None:
        self._parsed = parsed
        self._rows: list[tuple[int, pa.RecordBatch]] = []
        self._count = 0
        self._records: list[pa.RecordBatch] = []

    def keep(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Keeps rows but for their first column, and gives that as lines."""
        self._rows.append((self._count, batch.select(list(range(1, batch.num_columns)))))
        self._count += batch.num_rows
        cells = pc.fill_null(batch.column(0), "")
        return _as_lines(pa.RecordBatch.from_arrays([cells], names=[_CELL]))

    def answer(self, found: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Takes the next records, and gives the rows that have all of theirs."""
        self._records.append(found)
        yield from self._give(before=self._lines()[-1].as_py())

    def rest(self) -> Iterator[pa.RecordBatch]:
        """Gives the rows that are left."""
        yield from self._give(before=self._count + 1)

    def _lines(self) -> pa.Array:
        return self._records[-1].column(self._parsed.arrow.names.index("line"))

    def _give(self, before: int) -> Iterator[pa.RecordBatch]:
        """Gives the batches of rows that end before a line."""
        while self._rows and self._rows[0][0] + self._rows[0][1].num_rows < before:
            yield self._complete(*self._rows.pop(0))

    def _complete(self, start: int, rows: pa.RecordBatch) -> pa.RecordBatch:
        table = pa.Table.from_batches(self._records, schema=self._parsed.arrow).combine_chunks()
        # The line of the first row; the very first line is none.
        position = pc.subtract(table.column("line"), start + 2)
        places = pc.index_in(pa.array(range(rows.num_rows), pa.int64()), value_set=position.combine_chunks())
        later = table.filter(pc.greater_equal(position, rows.num_rows))
        self._records = later.to_batches()
        found = table.take(places).combine_chunks()
        fields = self._parsed.fields
        batch = found.to_batches()[0] if found.num_rows else None
        columns = [] if batch is None else beside(batch, self._parsed, None, ()).columns
        names = [*rows.schema.names, *(f"sonde_{field.name}" for field in fields)]
        return pa.RecordBatch.from_arrays([*rows.columns, *columns], names=names)
