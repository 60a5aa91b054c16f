"""Counts of records while they pass."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

STATUSES = ("ok", "unknown", "reserved", "invalid", "failed", "network_lost")


def metrics(prefix: str = "") -> list[Column]:
    """Gives columns for `DataFrame.observe`: `records`, and how many there are of each status.

        counts = Observation("sonde")
        records.observe(counts, *metrics()).write.parquet("/srv/records")
        counts.get["failed"]

    Args:
        prefix: Stands before the name of the column `status`, and before those of the counts: `sonde_` for
            rows of `annotate`.

    """
    status = F.col(f"`{prefix}status`")
    counts = [F.count(F.when(status == each, 1)).alias(f"{prefix}{each}") for each in STATUSES]
    return [F.count(status).alias(f"{prefix}records"), *counts]
