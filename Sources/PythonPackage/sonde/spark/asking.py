"""The one step that asks: distinct entries in, their records out."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField

from sonde.spark import feeding, running
from sonde.spark.options import Options
from sonde.spark.running import Step

# Statuses of records that need not be asked for again.
_ANSWERED = ("ok", "unknown")
_WARM_SECONDS = 3600


def ask(
    entries: DataFrame,
    options: Options,
    askers: int | None,
    keeps: Sequence[StructField] = (),
    times: str | None = None,
) -> DataFrame:
    """Gives the record of each distinct entry.

    However many cores there are, a rationed provider is asked by a few tasks, which the quota bounds
    anyhow; a local database is asked wherever the entries are.

    Args:
        entries: The first column holds them, each once.
        options: Those of the scan.
        askers: How many tasks ask; `None` as many as are good.
        keeps: Columns of the entries that are columns of their records.
        times: The column that says how many records an entry has.

    """
    spark = entries.sparkSession
    count = options.askers(spark, askers)
    if not options.is_local:
        entries = entries.repartition(count, entries.columns[0])
    elif askers is not None:
        entries = entries.repartition(askers, entries.columns[0])
    return entries.mapInArrow(
        running.guarded(scanning(options, [field.name for field in keeps], times)), options.schema(*keeps)
    )


def without(entries: DataFrame, known: DataFrame | None) -> DataFrame:
    """The entries that have no answer among records of before."""
    if known is None:
        return entries
    answered = known.where(F.col("status").isin(*_ANSWERED)).select(F.col("ip").alias(entries.columns[0]))
    return entries.join(answered, entries.columns[0], "left_anti").select(*entries.columns)


def among(entries: DataFrame, known: DataFrame, options: Options, keeps: Sequence[StructField] = ()) -> DataFrame:
    """The records of before for the entries that have an answer there."""
    names = options.schema(*keeps).names
    item = entries.columns[0]
    records = known.where(F.col("status").isin(*_ANSWERED)).dropDuplicates(["ip"])
    columns = (_typed(field).alias(field.name) for field in options.fields)
    records = records.select(*columns, F.col("ip").alias(item))
    return entries.join(records, item).select(*names)


def _typed(field: StructField) -> Column:
    """A column of records of before, as a record has it now: an earlier version had texts for times."""
    value = F.col(f"`{field.name}`").cast(field.dataType)
    # What is read from a file may be missing, as far as Spark knows.
    return value if field.nullable else F.coalesce(value, F.lit(""))


def scanning(options: Options, keeps: Sequence[str], times: str | None = None) -> Step:
    """Gives the records of entries, with columns of these behind them; the arguments as of `ask`."""

    def step(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if options.is_local:
            rows = warmed(options, rows)
        arguments = ["scan", *options.scan]
        for records, kept in feeding.through(arguments, options.arrow, rows, times, keeps, options.must_answer):
            yield beside(records, options, kept, keeps)

    return step


def beside(
    records: pa.RecordBatch, options: Options, kept: pa.RecordBatch | None, keeps: Sequence[str]
) -> pa.RecordBatch:
    """Records without their lines, and columns of their rows behind them."""
    names = [field.name for field in options.fields]
    columns = [records.column(options.arrow.names.index(name)) for name in names]
    if kept is not None:
        columns += [kept.column(number) for number in range(kept.num_columns)]
    return pa.RecordBatch.from_arrays(columns, names=[*names, *keeps])


def warmed(options: Options, rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows before the first of which this machine has compiled its local databases.

    `sonde` does so when a run has more than 50,000 addresses, for all later runs; a task may have fewer.
    """
    for number, batch in enumerate(rows):
        if number == 0 and batch.num_rows:
            _warm(options)
        yield batch


def _warm(options: Options) -> None:
    key = hashlib.sha256(repr(options.scan).encode()).hexdigest()[:16]
    mark = Path(tempfile.gettempdir()) / f"sonde-spark-{os.getuid()}-{key}"
    with open(os.open(mark, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600), "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if file.read() and time.time() - os.fstat(file.fileno()).st_mtime < _WARM_SECONDS:
            return
        for _ in running.run(["scan", *options.scan, "--quiet", "--format=csv", "8.0.0.0/16"]):
            pass
        file.seek(0)
        file.write("warm\n")


def text(name: str) -> StructField:
    """A column of text that is never missing."""
    return StructField(name, StringType(), nullable=False)
