"""Streams: each batch's records onto a path of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession

from sonde.errors import SondeError, must_answer
from sonde.spark.cells import Chosen
from sonde.spark.frames import enrich

# By which Spark names the query to all that is done for it: the same after every start from one checkpoint.
_QUERY = "sql.streaming.queryId"


def write_batches(
    path: str,
    column: Chosen = "value",
    *,
    log: bool = False,
    askers: int | None = None,
    on_unanswered: str = "fail",
    **more: Any,
) -> Callable[[DataFrame, int], None]:
    """Makes what `DataStreamWriter.foreachBatch` is given to keep the records of a stream as Parquet.

    The records of batch 7 lie in `PATH/query=ID/batch=7`, where ID is that of the streaming query. A batch
    that Spark repeats after a stop replaces its own folder, and its answers come from the cache. A query
    without a checkpoint has a new ID at every start, and reads its source from the beginning. An address
    that several batches hold has a record in each.

        lines.writeStream.option("checkpointLocation", "/srv/checkpoint").foreachBatch(
            write_batches("/srv/records", log=True)
        ).start()

    Args:
        path: The folder, in any file system of Spark's.
        column: The column's name, as of `enrich`.
        log: As of `enrich`.
        askers: As of `enrich`.
        on_unanswered: As of `enrich`; by default a batch with an address that got no answer fails, so that
            nothing of it is committed and the next start of the query repeats it.
        **more: Options of `sonde scan`.

    Raises:
        ValueError: An `on_unanswered` that is none; by the first batch, a `path` that directly holds
            `batch=…`, as earlier versions wrote it, or a function that no streaming query calls.

    """
    must_answer(on_unanswered)
    folder = path.rstrip("/") or "/"

    def write(batch: DataFrame, number: int) -> None:
        query = _query(batch.sparkSession)
        if _holds(batch.sparkSession, folder, "batch=*"):
            raise ValueError(
                f"{path} holds batches of no query, as earlier versions wrote them: the next ones could not be "
                f"told from them; write to another path, or move them to {folder}/query=before"
            )
        records = enrich(batch, column, log=log, askers=askers, on_unanswered=on_unanswered, **more)
        records.write.mode("overwrite").parquet(f"{folder.rstrip('/')}/query={query}/batch={number}")

    return write


def _query(spark: SparkSession) -> str:
    """The ID of the query whose batch it is.

    Raises:
        SondeError: Spark Connect, which does not say it.
        ValueError: There is no query.

    """
    try:
        query = spark.sparkContext.getLocalProperty(_QUERY)
    except PySparkException as error:
        raise SondeError(
            "Spark Connect does not name the query of a batch: run write_batches in a classic session of Spark"
        ) from error
    if not query:
        raise ValueError("write_batches: only a streaming query calls this, by foreachBatch")
    return query


def _holds(spark: SparkSession, folder: str, pattern: str) -> bool:
    """Whether anything in a folder has a name of a pattern."""
    literal = re.sub(r"([\\*?\[\]{}])", r"\\\1", folder)
    try:
        spark.read.format("binaryFile").load(f"{literal.rstrip('/')}/{pattern}")
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            return False
        raise
    return True
