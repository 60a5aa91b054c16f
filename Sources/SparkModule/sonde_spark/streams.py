"""Streams: each batch's records onto a path of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame

from sonde_spark.frames import enrich


def write_batches(
    path: str, column: str = "value", *, log: bool = False, askers: int | None = None, **more: Any
) -> Callable[[DataFrame, int], None]:
    """Makes what `DataStreamWriter.foreachBatch` is given to keep the records of a stream as Parquet.

    The records of batch 7 lie in `PATH/batch=7`. A batch that Spark repeats after a stop replaces what is
    there, and its answers come from the cache. An address that several batches hold has a record in each.

        lines.writeStream.foreachBatch(write_batches("/srv/records", log=True)).start()

    Args:
        path: The folder, in any file system of Spark's.
        column: The column's name, as of `enrich`.
        log: As of `enrich`.
        askers: As of `enrich`.
        **more: Options of `sonde scan`.

    """

    def write(batch: DataFrame, number: int) -> None:
        records = enrich(batch, column, log=log, askers=askers, **more)
        records.write.mode("overwrite").parquet(f"{path.rstrip('/')}/batch={number}")

    return write
