"""Logs as DataFrames of records, read by `sonde` itself, split by split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, IntegerType, LongType, StringType, StructField, StructType

from sonde.events import Account
from sonde.options import Value
from sonde.spark import feeds, options, running, splits, stores
from sonde.spark.asking import among, ask, scanning, text, without
from sonde.spark.feeds import Feed
from sonde.spark.lowest import AT, ITEM, PAIRS, SHARE, lowest, packed, unpacked
from sonde.spark.options import Options
from sonde.spark.places import Places
from sonde.spark.running import Step
from sonde.spark.splits import Split

_FOUND = pa.schema([("ip", pa.string()), ("line", pa.int64()), ("offset", pa.int64())])
# Where the first appearance is, behind a record's own columns.
_PLACE = (StructField("input", StringType()), StructField("offset", LongType()), StructField("line", LongType()))
# Bytes of names that a run is given, of the two megabytes that Linux allows.
_MOST_ARGUMENTS = 1 << 20
# Enough for a core that is done early to take over from another one.
TASKS_A_CORE = 2
# How addresses go from the tasks that find them to those that make them distinct.
_PACKED = StructType([StructField(SHARE, IntegerType()), StructField(PAIRS, BinaryType())])
# Bytes of logs whose addresses one task makes distinct, and how many shares it gets, for Spark deals them out unevenly.
_GATHERED = 512 << 20
_SHARES = 8


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
        ValueError: A path or an option that is not for here, several askers without a shared quota, or a column
            or condition of the lines where addresses are looked up apart from them (of several splits, or not
            from a local database alone).

    """
    parsed = options.parse(spark, more, on_unanswered, log=True)
    is_stored = any(map(stores.is_stored, [path] if isinstance(path, str) else path))
    most = most_splits(spark, is_stored)
    planned = splits.plan(path, split, most, stores.settings(spark), storage_options)
    is_at_once = parsed.is_local and known is None and askers is None
    if is_at_once and not is_stored and (split is None or len(planned) <= 1) and _is_one_run(spark, planned):
        task = spark.range(0, min(len(planned), 1), 1, 1)
        return task.mapInArrow(running.guarded(_scanning(planned, parsed)), schema(parsed))
    groups = splits.together(planned, split, TASKS_A_CORE * options.parallelism(spark))
    tasks = spark.range(0, len(groups), 1, max(len(groups), 1))
    places = numbered(planned)
    keeps = [StructField(AT, LongType(), nullable=False)]
    # An object is read on standard input, which has no name.
    is_nameless = is_stored and "where: input" in parsed.of_lines
    if is_at_once and len(planned) <= 1 and not is_nameless:
        return _placed(
            tasks.mapInArrow(running.guarded(_recording(groups, places, parsed)), parsed.schema(*keeps)), places
        )
    parsed.without_lines()
    count = _gatherers(groups)
    packing = _packing(groups, places, parsed.entries, _SHARES * count if count > 1 else 1)
    found = tasks.mapInArrow(running.guarded(packing), _PACKED)
    # All that is said of an address is in one task.
    shared = found.repartition(count, SHARE)
    if is_at_once:
        return _placed(shared.mapInArrow(running.guarded(_answering(parsed)), parsed.schema(*keeps)), places)
    first = shared.mapInArrow(running.guarded(_distinct), StructType([text(ITEM), *keeps]))
    answers = ask(without(first, known), parsed, askers, keeps)
    if known is not None:
        answers = answers.unionByName(among(first, known, parsed, keeps))
    return _placed(answers, places)


def numbered(planned: Sequence[Split]) -> Places:
    """The places in the files of splits.

    Raises:
        SondeError: As of `Places`.

    """
    sizes: dict[str, int] = {}
    for each in planned:
        end = each.stored.size if each.stored else each.offset + (each.length or 0)
        sizes[each.path] = max(end, sizes.get(each.path, 0))
    return Places(sizes)


def most_splits(spark: SparkSession, is_stored: bool = False) -> int:
    """How many splits of all files are good; more only make an address be found more often.

    One `sonde` uses all cores of its machine, but one reader not all of a store's speed.
    """
    if options.is_one_machine(spark) and not is_stored:
        return 1
    return TASKS_A_CORE * options.parallelism(spark)


def _gatherers(groups: Sequence[Sequence[Split]]) -> int:
    """How many tasks make the addresses of the others distinct."""
    size = sum(split.cost for several in groups for split in several)
    return max(1, min(len(groups), -(-size // _GATHERED)))


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
    added = parsed.placed
    arguments = ["scan", "--format=csv", *parsed.logs]
    chosen = [*parsed.names, "input", "offset"]
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


def _packing(groups: Sequence[Sequence[Split]], places: Places, entries: Sequence[str], shares: int) -> Step:
    """Gives the addresses of splits, each with its first place in one, for the tasks that make them distinct."""

    def step(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        feeds_ = _handed(groups, rows)
        yield from packed((batch for feed in feeds_ for batch in found(feed, places, entries)), shares)

    return step


def _distinct(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Gives each address once, with its first place."""
    yield from lowest(unpacked(rows))


def _answering(parsed: Options) -> Step:
    """Gives the record of each address, with its first place: a task that has them all has a local database, too."""
    answer = scanning(parsed, [AT])

    def step(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from answer(lowest(unpacked(rows)))

    return step


def found(feed: Feed, places: Places, entries: Sequence[str] = ()) -> Iterator[pa.RecordBatch]:
    """Gives the addresses of what a run reads, each with its first place; some options say what an entry is."""
    fields = f"--fields={','.join(_FOUND.names)}"
    arguments = ["check", "--log", "--quiet", *entries, fields, "--format=csv"]
    with feed.told():
        for batch in running.records_of([*arguments, *feed.operands], _FOUND, feed.chunks):
            yield pa.RecordBatch.from_arrays([batch.column(0), feed.places(batch, places)], names=[ITEM, AT])


def _recording(groups: Sequence[Sequence[Split]], places: Places, parsed: Options) -> Step:
    """Gives the records of a split, each with its first place.

    Of several, an address would have a record in each: to make addresses distinct, and then their records, is faster.
    """
    added = parsed.placed
    arguments = ["scan", "--format=csv", *parsed.logs]

    def step(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for feed in _handed(groups, rows):
            account = Account()
            with feed.told():
                for batch in running.records_of([*arguments, *feed.operands], added, feed.chunks, account):
                    columns = [batch.column(added.names.index(name)) for name in parsed.names]
                    yield pa.RecordBatch.from_arrays([*columns, feed.places(batch, places)], names=[*parsed.names, AT])
            if parsed.must_answer:
                account.raise_for_unanswered()

    return step


def _handed(groups: Sequence[Sequence[Split]], rows: Iterator[pa.RecordBatch]) -> Iterator[Feed]:
    """What a task is to read, by the numbers that it is handed."""
    for row in rows:
        for number in row.column(0).to_pylist():
            yield from feeds.feeds(groups[number])


def _placed(answers: DataFrame, places: Places) -> DataFrame:
    """Records with what their places mean."""
    place, is_line = F.expr(places.place_in_file(AT)), F.expr(places.is_line(AT))
    number = F.expr(places.file_number(AT))
    # One text is cheaper than an array of many.
    names = F.split(F.lit("\0".join(places.files)), "\\x00")
    return (
        # That it is always there is nothing that Spark is to know: it is not so of the records of one pass.
        answers.withColumn("input", F.when(F.col(AT).isNotNull(), F.element_at(names, number)))
        .withColumn("offset", F.when(~is_line, place))
        .withColumn("line", F.when(is_line, place))
        .drop(AT)
    )
