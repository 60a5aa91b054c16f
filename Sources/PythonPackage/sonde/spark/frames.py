"""Records for the addresses in a column of a DataFrame."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from sonde.options import Value
from sonde.spark import feeding, options, running
from sonde.spark.asking import among, ask, beside, text, warmed, without
from sonde.spark.cells import Chosen, chosen
from sonde.spark.options import Options
from sonde.spark.running import Step

_ITEM, _CELL, _TIMES = "_sonde_item", "_sonde_cell", "_sonde_times"
_AT, _RECORD, _LIST = "_sonde_at", "_sonde_record", "_sonde_list"
# Of the records of `sonde check`.
_CHECKED = pa.schema([("ip", pa.string()), ("status", pa.string()), ("line", pa.int64())])


def enrich(
    df: DataFrame,
    column: Chosen = "value",
    *,
    log: bool = False,
    ports: bool = False,
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
        column: The column's name, or a Column, of text; several as a list.
        log: Whether its values are free text, with addresses anywhere.
        ports: Whether a value may have a port behind it: `8.8.8.8:53`, `[2001:db8::1]:53`.
        known: Records of before, by this function: what is answered there is not asked again.
        askers: How many tasks ask at once; as many as are good where it is left out.
        on_unanswered: With `"fail"`, a task in which an address is `failed` or `network_lost` fails; what was
            answered is in the cache, and the next try asks for the rest. `"record"` leaves it to the records.
        **more: Options of `sonde scan` by their long names, with `_` for `-`.

    Raises:
        SondeError: `sonde` is absent or too old here, or refuses an option.
        TypeError: A column that is no text.
        ValueError: An option that is not for here, or that depends on the lines of addresses, or several askers
            without a shared quota.

    """
    parsed = options.parse(df.sparkSession, more, on_unanswered, log=log).without_lines()
    entries = _entries(df, chosen(df, column, ports), log, parsed)
    missing = without(entries, known)
    answers = ask(missing, parsed, askers, times=_TIMES)
    return answers if known is None else answers.unionByName(among(entries, known, parsed))


def annotate(
    df: DataFrame,
    column: Chosen = "value",
    *,
    prefix: str = "sonde_",
    struct: bool = False,
    log: bool = False,
    ports: bool = False,
    known: DataFrame | None = None,
    askers: int | None = None,
    on_unanswered: str = "record",
    **more: Value,
) -> DataFrame:
    """Adds to each row what is known of the address in a column: each field of its record as `sonde_NAME`.

    With several columns, these are `sonde_COLUMN_NAME`.

    A value that is no address has `invalid` in `sonde_status`; the columns of one that is null or empty
    are null. Every row comes out once; from a rationed provider, in another order.

    Args:
        df: The rows.
        column: The column's name, or a Column, of text, each value one address; several as a list.
        prefix: Stands before the names of the added columns, with several columns before theirs.
        struct: Whether the fields of a record are one struct, named by the prefix without its last `_`.
        log: Whether the values are free text: the added column, of the same name, is an array of structs, one
            for each address in the text, in their order.
        ports: As of `enrich`.
        known: Records of before: what is answered there is not asked again.
        askers: How many tasks ask at once; as many as are good where it is left out.
        on_unanswered: With `"fail"`, a task in which an address is `failed` or `network_lost` fails; what was
            answered is in the cache, and the next try asks for the rest. `"record"` leaves it to the records.
        **more: Options of `sonde scan` by their long names, with `_` for `-`.

    Raises:
        SondeError: `sonde` is absent or too old here, or refuses an option.
        TypeError: A column that is no text.
        ValueError: An option that is not for here, or that depends on the lines of addresses, a name of an added
            column that is taken, or several askers without a shared quota.

    """
    # A block of addresses is no value that a row could have a record for.
    parsed = options.parse(df.sparkSession, {**more, "max_expand": 1}, on_unanswered, log=log).without_lines()
    columns = chosen(df, column, ports)
    # The values of several are kept behind the rows until all of them are answered.
    rows, values = df, list(columns.values())
    if len(columns) > 1:
        cells = [f"{_CELL}{number}" for number in range(len(columns))]
        places = [f"_{number}" for number in range(len(df.columns))]
        rows, values = df.select("*", *values).toDF(*places, *cells), [F.col(cell) for cell in cells]
    first = len(rows.columns)
    for name, value in zip(columns, values, strict=True):
        start = prefix if len(columns) == 1 else f"{prefix}{name}_"
        width = len(rows.columns)
        if log:
            rows = _with_list(rows, value, start.removesuffix("_"), parsed, known, askers)
            continue
        rows = _annotated(rows, value, [start + field for field in parsed.names], parsed, known, askers)
        if struct:
            rows = _with_struct(rows, width, start.removesuffix("_"), parsed)
    added = rows.columns[first:]
    _check_names(df.columns, added)
    if len(columns) == 1:
        return rows
    kept = rows.toDF(*(f"_{number}" for number in range(len(rows.columns))))
    return kept.drop(*(f"_{number}" for number in range(len(df.columns), first))).toDF(*df.columns, *added)


def _annotated(
    df: DataFrame,
    value: Column,
    names: Sequence[str],
    parsed: Options,
    known: DataFrame | None,
    askers: int | None,
) -> DataFrame:
    """Rows with the fields of the records of a value, under these names."""
    # By their place, for names may have dots in them, or be there twice.
    places = [f"_{number}" for number in range(len(df.columns))]
    rows = df.select(value, "*").toDF(_CELL, *places)
    if parsed.is_local and known is None:
        types = zip(names, parsed.fields, strict=True)
        added = [StructField(name, field.dataType) for name, field in types]
        return rows.mapInArrow(running.guarded(annotating(parsed, names)), StructType([*df.schema.fields, *added]))
    named = _named(rows, parsed)
    distinct = named.groupBy(_ITEM).agg(F.lit(1).alias(_TIMES))
    keeps = [text(_ITEM)]
    answers = ask(without(distinct, known), parsed, askers, keeps)
    if known is not None:
        answers = answers.unionByName(among(distinct, known, parsed, keeps))
    own = [f"_sonde_{number}" for number in range(len(names))]
    renamed = answers.select(_ITEM, *parsed.names).toDF(_ITEM, *own)
    by_cell = named.join(renamed, _ITEM).drop(_ITEM)
    return rows.join(by_cell, _CELL, "left").select(*places, *own).toDF(*df.columns, *names)


def _with_list(
    df: DataFrame, value: Column, name: str, parsed: Options, known: DataFrame | None, askers: int | None
) -> DataFrame:
    """Rows with the records of all addresses in a text, as an array of structs."""
    places = [f"_{number}" for number in range(len(df.columns))]
    rows = df.select(value, "*").toDF(_CELL, *places)
    texts = rows.select(_CELL).where(F.col(_CELL).isNotNull()).distinct()
    fields = [text(_CELL), text(_ITEM), StructField(_AT, LongType(), nullable=False)]
    found = texts.mapInArrow(running.guarded(_locating(parsed.entries)), StructType(fields))
    distinct = found.groupBy(_ITEM).agg(F.lit(1).alias(_TIMES))
    keeps = [text(_ITEM)]
    answers = ask(without(distinct, known), parsed, askers, keeps)
    if known is not None:
        answers = answers.unionByName(among(distinct, known, parsed, keeps))
    record = F.struct(*parsed.names).alias(_RECORD)
    pairs = found.join(answers.select(_ITEM, record), _ITEM).groupBy(_CELL)
    lists = pairs.agg(F.array_sort(F.collect_list(F.struct(_AT, _RECORD))).alias(_LIST))
    by_cell = lists.select(_CELL, F.col(f"{_LIST}.{_RECORD}").alias(_LIST))
    joined = rows.join(by_cell, _CELL, "left")
    return joined.select(*places, F.coalesce(_LIST, F.array().cast(by_cell.schema[_LIST].dataType))).toDF(
        *df.columns, name
    )


def _locating(entries: Sequence[str]) -> Step:
    """Gives the addresses in texts, each as often as it is there, numbered in their order."""
    arguments = ["check", "--log", "--quiet", "--duplicates=keep", *entries, f"--fields={','.join(_CHECKED.names)}"]

    def step(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        count = 0
        lines = map(_with_original, rows)
        for found, kept in feeding.through(arguments, _CHECKED, lines, keeps=("original",)):
            assert kept is not None
            numbers = pa.array(range(count, count + found.num_rows), pa.int64())
            count += found.num_rows
            yield pa.RecordBatch.from_arrays([kept.column(0), found.column(0), numbers], names=[_CELL, _ITEM, _AT])

    return step


def _with_struct(df: DataFrame, width: int, name: str, parsed: Options) -> DataFrame:
    """Rows whose columns behind the first ones are one struct, null where all of them are."""
    places = [f"_{number}" for number in range(len(df.columns))]
    rows = df.toDF(*places)
    fields = [F.col(place).alias(each) for place, each in zip(places[width:], parsed.names, strict=True)]
    is_there = functools.reduce(Column.__or__, (F.col(place).isNotNull() for place in places[width:]))
    record = F.when(is_there, F.struct(*fields))
    return rows.select(*places[:width], record).toDF(*df.columns[:width], name)


def _check_names(earlier: Sequence[str], added: Sequence[str]) -> None:
    """Raises a ValueError where a name is taken; Spark knows no case."""
    taken = {name.lower() for name in earlier}
    for name in added:
        if name.lower() in taken:
            raise ValueError(f"annotate: there is a column {name} already; rename it, or set another prefix")
        taken.add(name.lower())


def _entries(df: DataFrame, columns: Mapping[str, Column], log: bool, parsed: Options) -> DataFrame:
    """The distinct addresses of columns, and what is none with how often it stands there."""
    values = list(columns.values())
    value = values[0] if len(values) == 1 else F.explode(F.array(*values))
    cells = df.select(value.alias(_CELL)).where(F.col(_CELL).isNotNull())
    fields = [text(_ITEM), StructField(_TIMES, IntegerType())]
    found = cells.mapInArrow(running.guarded(_finding(parsed.entries, log)), StructType(fields))
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


def _named(rows: DataFrame, parsed: Options) -> DataFrame:
    """The distinct values of the cells, each with its address in one spelling, or itself where it is none."""
    cells = rows.select(_CELL).where(F.col(_CELL).isNotNull()).distinct()
    return cells.mapInArrow(running.guarded(_naming(parsed.entries)), StructType([text(_CELL), text(_ITEM)]))


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


def annotating(parsed: Options, names: Sequence[str]) -> Step:
    """Gives rows with their records under these names, in one pass; the first column, the address, is left out."""

    def step(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        waiting = _Waiting(parsed, names)
        # A null is an empty line, which has no record.
        cells = (waiting.keep(batch) for batch in warmed(parsed, rows))
        arguments = ["scan", *parsed.scan, "--duplicates=keep"]
        for found, _ in feeding.through(arguments, parsed.arrow, cells, must_answer=parsed.must_answer):
            yield from waiting.answer(found)
        yield from waiting.rest()

    return step


class _Waiting:
    """Rows that wait for the records of all of them."""

    def __init__(self, parsed: Options, names: Sequence[str]) -> None:
        self._parsed, self._names = parsed, names
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
        batch = found.to_batches()[0] if found.num_rows else None
        columns = [] if batch is None else beside(batch, self._parsed, None, ()).columns
        names = [*rows.schema.names, *self._names]
        return pa.RecordBatch.from_arrays([*rows.columns, *columns], names=names)
