"""Sonde on Spark: who and where the IP addresses of DataFrames and logs are.

Spark moves the data, `sonde` on each machine's PATH does the work, and a Redis that all of them share
(`shared="redis://..."`) keeps the quotas and the answers. The manual's page "Spark" tells how.
"""

from sonde.errors import SondeError, UnansweredError, UsageError
from sonde.spark.frames import annotate, enrich
from sonde.spark.logs import read_log
from sonde.spark.metrics import metrics
from sonde.spark.registering import register
from sonde.spark.streams import write_batches
from sonde.spark.upgrading import upgrade

__all__ = [
    "SondeError",
    "UnansweredError",
    "UsageError",
    "annotate",
    "enrich",
    "metrics",
    "read_log",
    "register",
    "upgrade",
    "write_batches",
]
