"""Logs as DataFrames of records, read by `sonde` itself, split by split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StringType, StructField, StructType

from sonde_spark import child, options, records, splits
from sonde_spark.asking import Step, among, ask, text, without
from sonde_spark.options import Value
from sonde_spark.splits import Split

_ITEM, _AT = "_sonde_item", "_sonde_at"
_FOUND = ("ip", "line")
_FOUND_TYPES = (StringType(), LongType())
# An appearance is one number: that of the file, and in the lower bits (16 TiB) its place there.
_PLACE_BITS = 44
# Enough for a core that is done early to take over from another one.
TASKS_A_CORE = 2


def read_log(
    spark: SparkSession,
    path: str | Sequence[str],
    split: str | int = "128m",
    *,
    known: DataFrame | None = None,
    askers: int | None = None,
    **more: Value,
) -> DataFrame:
    """Gives a record for each distinct address anywhere in logs, as `sonde scan --log` of them would.

    Behind a record's columns stand those of the address's first appearance: `input`, the file;
    `offset`, the byte of it at which the line begins; and of a file that can be read from its begin
    alone (compressed, UTF-16, a capture), instead of `offset`, `line`, from 1.

    Args:
        spark: The session.
        path: Files, folders or patterns, which every machine has under the same name.
        split: How much of a file a task reads, in bytes or with `k`, `m` or `g`; more, where there would be
            over two tasks for each core.
        known: Records of before: what is answered there is not asked again.
        askers: How many tasks ask at once; as many as are good where it is left out.
        **more: Options of `sonde scan` by their long names, with `_` for `-`.

    Raises:
        SondeError: `sonde` is absent or too old here, or refuses an option, or a file cannot be read.
        ValueError: A path or an option that is not for here, or several askers without a shared quota.

    """
    parsed = options.parse(spark, more)
    planned = splits.plan(path, split, TASKS_A_CORE * spark.sparkContext.defaultParallelism)
    schema = StructType([text(_ITEM), StructField(_AT, LongType(), nullable=False)])
    files = {path: number for number, path in enumerate(dict.fromkeys(each.path for each in planned))}
    tasks = spark.range(0, len(planned), 1, max(len(planned), 1))
    found = tasks.mapInArrow(_finding(planned, files), schema)
    first = found.groupBy(_ITEM).agg(F.min(_AT).alias(_AT))
    keeps = [StructField(_AT, LongType(), nullable=False)]
    answers = ask(without(first, known), parsed, askers, keeps)
    if known is not None:
        answers = answers.unionByName(among(first, known, parsed, keeps))
    return _placed(answers, planned, files)


def _finding(planned: Sequence[Split], files: Mapping[str, int]) -> Step:
    """Gives the addresses of splits, each with its first place."""
    arguments = ["check", "--log", "--quiet", f"--fields={','.join(_FOUND)}", "--format=csv"]

    def step(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for row in rows:
            for number in row.column(0).to_pylist():
                split = planned[number]
                split.check()
                starts = split.line_starts()
                pieces = child.run([*arguments, *split.arguments()])
                for batch in records.batches(pieces, _FOUND, _FOUND_TYPES):
                    lines = batch.column(1).to_numpy()
                    places = lines if split.length is None else starts.of(lines)
                    at = pa.array(places | files[split.path] << _PLACE_BITS)
                    yield pa.RecordBatch.from_arrays([batch.column(0), at], names=[_ITEM, _AT])

    return step


def _placed(answers: DataFrame, planned: Sequence[Split], files: Mapping[str, int]) -> DataFrame:
    """Records with what their places mean."""
    whole = {split.path for split in planned if split.length is None}
    rows = [(number, path, path in whole) for path, number in files.items()]
    named = answers.sparkSession.createDataFrame(rows, "_sonde_file long, input string, _sonde_is_whole boolean")
    joined = answers.withColumn("_sonde_file", F.shiftright(_AT, _PLACE_BITS))
    place = F.col(_AT).bitwiseAND((1 << _PLACE_BITS) - 1)
    is_whole = F.col("_sonde_is_whole")
    return (
        joined.join(F.broadcast(named), "_sonde_file")
        .withColumn("offset", F.when(~is_whole, place))
        .withColumn("line", F.when(is_whole, place))
        .drop("_sonde_file", "_sonde_is_whole", _AT)
    )
