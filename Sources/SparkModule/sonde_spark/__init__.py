"""Sonde on Spark: who and where the IP addresses of DataFrames and logs are.

Spark moves the data, `sonde` on each machine's PATH does the work, and a Redis that all of them share
(`shared="redis://..."`) keeps the quotas and the answers. The manual's page "Spark" tells how.
"""

from sonde_spark.errors import SondeError, UnansweredError
from sonde_spark.frames import annotate, enrich
from sonde_spark.logs import read_log
from sonde_spark.streams import write_batches
from sonde_spark.upgrading import upgrade

__all__ = ["SondeError", "UnansweredError", "annotate", "enrich", "read_log", "upgrade", "write_batches"]
