"""Logs as DataFrames of records, read by `sonde` itself, split by split."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StringType, StructField, StructType

from sonde.events import Account
from sonde.options import Value
from sonde.spark import options, running, splits, stores
from sonde.spark.asking import among, ask, text, without
from sonde.spark.options import Options
from sonde.spark.running import Step
from sonde.spark.splits import Split

_ITEM, _AT = "_sonde_item", "_sonde_at"
_FOUND = pa.schema([("ip", pa.string()), ("line", pa.int64()), ("offset", pa.int64())])
# Where the first appearance is, behind a record's own columns; two of them are no column of every scan.
_PLACE = (StructField("input", StringType()), StructField("offset", LongType()), StructField("line", LongType()))
_ADDED = ("input", "offset")
# Bytes of names that a run is given, of the two megabytes that Linux allows.
_MOST_ARGUMENTS = 1 << 20
# An appearance is one number: that of the file, and in the lower bits (16 TiB) its place there.
_PLACE_BITS = 44
# Enough for a core that is done early to take over from another one.
TASKS_A_CORE = 2


def read_log(
    spark: SparkSession,
    path: str | Sequence[str],
    split: str | int | None = None,
    *,
    storage_options: Mapping[str, Any] | None = None,
    known: DataFrame | None = None,
    askers: int | None = None,
    on_unanswered: str = "record",
    **more: Value,
) -> DataFrame:
    """Gives a record for each distinct address anywhere in logs, as `sonde scan --log` of them would.

    Behind a record's columns stand those of the address's first appearance: `input`, the file or object;
    `offset`, the byte of it at which the line begins; and of a file that can be read from its begin
    alone (compressed, UTF-16, a capture), instead of `offset`, `line`, from 1.

    Args:
        spark: The session.
        path: Files, folders or patterns, which every machine has under the same name, or of objects in a
            store (`s3://`, `s3a://`, `gs://`, `hdfs://` and what fsspec knows), which the executors read.
        split: How much of a file a task reads, in bytes or with `k`, `m` or `g`. Without it 128 MiB; more, where
            there would be over two tasks for each core, and on one machine a whole file: one `sonde` uses all cores.
        storage_options: The keywords of pyarrow's file system, or of fsspec's, instead of Spark's settings
            (`spark.hadoop.fs.s3a.*`) and the environment.
        known: Records of before: what is answered there is not asked again.
        askers: How many tasks ask at once; as many as are good where it is left out.
        on_unanswered: As of `enrich`.
        **more: Options of `sonde scan` by their long names, with `_` for `-`.

    Raises:
        SondeError: `sonde` is absent or too old here, or refuses an option, or a file or object cannot be read.
        ValueError: A path or an option that is not for here, or several askers without a shared quota.

    """
    parsed = options.parse(spark, more, on_unanswered)
    is_stored = any(map(stores.is_stored, [path] if isinstance(path, str) else path))
    planned = splits.plan(path, split, most_splits(spark, is_stored), spark, storage_options)
    is_one_pass = parsed.is_local and known is None and askers is None
    if is_one_pass and not is_stored and (split is None or len(planned) <= 1) and _is_one_run(spark, planned):
        task = spark.range(0, min(len(planned), 1), 1, 1)
        return task.mapInArrow(running.guarded(_scanning(planned, parsed)), schema(parsed))
    tasks = spark.range(0, len(planned), 1, max(len(planned), 1))
    files = {path: number for number, path in enumerate(dict.fromkeys(each.path for each in planned))}
    if is_one_pass and {"ip", "status"} <= set(parsed.names):
        return _placed(_distinct(tasks, planned, files, parsed), planned, files)
    found = StructType([text(_ITEM), StructField(_AT, LongType(), nullable=False)])
    first = tasks.mapInArrow(running.guarded(_finding(planned, files)), found)
    if len(planned) > 1:
        first = first.groupBy(_ITEM).agg(F.min(_AT).alias(_AT))
    keeps = [StructField(_AT, LongType(), nullable=False)]
    answers = ask(without(first, known), parsed, askers, keeps)
    if known is not None:
        answers = answers.unionByName(among(first, known, parsed, keeps))
    return _placed(answers, planned, files)


def most_splits(spark: SparkSession, is_stored: bool = False) -> int:
    """How many splits of all files are good; more only make an address be found more often.

    One `sonde` uses all cores of its machine, but one reader not all of a store's speed.
    """
    if options.is_one_machine(spark) and not is_stored:
        return 1
    return TASKS_A_CORE * options.parallelism(spark)


def _is_one_run(spark: SparkSession, planned: Sequence[Split]) -> bool:
    """Whether one run of `sonde` is best for all there is: it has each address once, whatever file it is in."""
    if len(planned) <= 1:
        return True
    paths = {split.path for split in planned}
    # Several compressed files are unpacked at once by several runs.
    are_plain = len(paths) == len(planned) and all(split.length is not None for split in planned)
    return options.is_one_machine(spark) and are_plain and sum(map(len, paths)) < _MOST_ARGUMENTS


def schema(parsed: Options) -> StructType:
    """The columns of the records of logs."""
    return parsed.schema(*_PLACE)


def _scanning(planned: Sequence[Split], parsed: Options) -> Step:
    """Gives the records of files by one run, in one pass."""

    def step(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # To their end: Spark uses no worker again that has left some of its input.
        if sum(row.num_rows for row in rows):
            yield from scanned(planned, parsed)

    return step


def scanned(planned: Sequence[Split], parsed: Options) -> Iterator[pa.RecordBatch]:
    """Gives the records of files by one run, in one pass."""
    added = parsed.arrow_with(pa.field("input", pa.string()), pa.field("offset", pa.int64()))
    arguments = ["scan", "--log", "--format=csv", *parsed.scan_with(*_ADDED)]
    chosen = [*parsed.names, *_ADDED]
    result = pa.schema([*map(added.field, chosen), pa.field("line", pa.int64())])
    for split in planned:
        split.check()
    operands = [split.path for split in planned] if len(planned) > 1 else planned[0].arguments()
    account = Account()
    for batch in running.records_of([*arguments, *operands], added, account=account):
        offset = batch.column(added.names.index("offset"))
        line = pc.if_else(pc.is_valid(offset), None, batch.column(added.names.index("line")))
        columns = [*(batch.column(added.names.index(name)) for name in chosen), line]
        yield pa.RecordBatch.from_arrays(columns, schema=result)
    if parsed.must_answer:
        account.raise_for_unanswered()


def _finding(planned: Sequence[Split], files: Mapping[str, int]) -> Step:
    """Gives the addresses of splits, each with its first place."""
    arguments = ["check", "--log", "--quiet", f"--fields={','.join(_FOUND.names)}", "--format=csv"]

    def step(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for split in _handed(planned, rows):
            operands, chunks, added = split.feed()
            for batch in running.records_of([*arguments, *operands], _FOUND, chunks):
                at = _places(batch, split, files, added)
                yield pa.RecordBatch.from_arrays([batch.column(0), at], names=[_ITEM, _AT])

    return step


def _distinct(tasks: DataFrame, planned: Sequence[Split], files: Mapping[str, int], parsed: Options) -> DataFrame:
    """The records of splits, each address's by its first place in any of them."""
    at = StructField(_AT, LongType(), nullable=False)
    records = tasks.mapInArrow(running.guarded(_recording(planned, files, parsed)), parsed.schema(at))
    if len(planned) <= 1:
        return records
    names = [name for name in records.columns if name != "ip"]
    first = F.min_by(F.struct(*names), F.col(_AT)).alias(_ITEM)
    # A record is there for each group, which Spark does not know.
    status = F.coalesce(F.col(f"{_ITEM}.status"), F.lit("")).alias("status")
    place = F.coalesce(F.col(f"{_ITEM}.{_AT}"), F.lit(0)).alias(_AT)
    known = {"ip": F.col("ip"), "status": status, _AT: place}
    columns = [known[name] if name in known else F.col(f"{_ITEM}.{name}") for name in records.columns]
    return records.groupBy("ip").agg(first).select(*columns)


def _recording(planned: Sequence[Split], files: Mapping[str, int], parsed: Options) -> Step:
    """Gives the records of splits, each with its first place."""
    added_fields = parsed.arrow_with(pa.field("offset", pa.int64()))
    arguments = ["scan", "--log", "--format=csv", *parsed.scan_with("offset")]

    def step(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for split in _handed(planned, rows):
            operands, chunks, added = split.feed()
            account = Account()
            for batch in running.records_of([*arguments, *operands], added_fields, chunks, account):
                columns = [batch.column(added_fields.names.index(name)) for name in parsed.names]
                at = _places(batch, split, files, added)
                yield pa.RecordBatch.from_arrays([*columns, at], names=[*parsed.names, _AT])
            if parsed.must_answer:
                account.raise_for_unanswered()

    return step


def _places(batch: pa.RecordBatch, split: Split, files: Mapping[str, int], added: int) -> pa.Array:
    """The places of records: the files, and the lines or bytes in them."""
    name = "line" if split.length is None else "offset"
    places = batch.column(batch.schema.names.index(name)).to_numpy() + added
    return pa.array(places | files[split.path] << _PLACE_BITS)


def _handed(planned: Sequence[Split], rows: Iterator[pa.RecordBatch]) -> Iterator[Split]:
    """The splits that a task is handed by their numbers."""
    for row in rows:
        for number in row.column(0).to_pylist():
            yield planned[number]


def _placed(answers: DataFrame, planned: Sequence[Split], files: Mapping[str, int]) -> DataFrame:
    """Records with what their places mean."""
    whole = {split.path for split in planned if split.length is None}
    file = F.shiftright(_AT, _PLACE_BITS).cast("int") + 1
    place = F.col(_AT).bitwiseAND((1 << _PLACE_BITS) - 1)
    is_whole = F.element_at(_constant([path in whole for path in files], "boolean"), file)
    return (
        answers.withColumn("input", F.element_at(_constant(files, "string"), file))
        .withColumn("offset", F.when(~is_whole, place))
        .withColumn("line", F.when(is_whole, place))
        .drop(_AT)
    )


def _constant(values: Iterable[str | bool], type_: str) -> Column:
    """An array that is the same for every row."""
    return F.array(*map(F.lit, values)).cast(f"array<{type_}>")
