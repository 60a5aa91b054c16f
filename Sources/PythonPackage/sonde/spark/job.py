"""The command `sonde-spark-submit`: logs or lists in, records as Parquet out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from sonde.errors import SondeError
from sonde.spark.frames import enrich
from sonde.spark.logs import read_log

# As of `sonde scan`, the highest reason first.
_STATUSES = {"network_lost": 3, "failed": 1}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the job, and gives the exit status, as of `sonde scan`: 2 for an option, 5 where it could not be done."""
    parser = _parser()
    known, rest = parser.parse_known_args(arguments)
    try:
        more = _options(rest)
    except ValueError as error:
        parser.error(str(error))
    builder = SparkSession.builder.appName("sonde")
    for setting in known.conf:
        name, _, value = setting.partition("=")
        builder = builder.config(name, value)
    if known.master:
        builder = builder.master(known.master)
    try:
        spark = builder.getOrCreate()
    except (PySparkException, Py4JError) as error:
        return _give_up(error)
    try:
        return _run(spark, known, more)
    except ValueError as error:
        parser.error(str(error))
    except (SondeError, PySparkException, Py4JError) as error:
        return _give_up(error)
    finally:
        spark.stop()


def _give_up(error: Exception) -> int:
    """Says what went wrong, and gives the exit status."""
    print(f"sonde-spark-submit: {error}", file=sys.stderr)
    return 2 if isinstance(error, SondeError) and error.status == 2 else 5


def _run(spark: SparkSession, known: argparse.Namespace, more: dict[str, Any]) -> int:
    before = None if known.known is None else spark.read.parquet(known.known)
    records: DataFrame
    if known.list:
        lines = spark.read.text(known.input)
        records = enrich(lines, known=before, askers=known.askers, **more)
    else:
        records = read_log(spark, known.input, known.split, known=before, askers=known.askers, **more)
    records.write.mode(known.mode).parquet(known.output)
    return _tell(spark.read.parquet(known.output))


def _tell(records: DataFrame) -> int:
    """Says how many records of each status there are, and gives the exit status."""
    if "status" not in records.columns:
        return 0
    counts = {row["status"]: row["count"] for row in records.groupBy("status").count().collect()}
    counted = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    print(f"sonde-spark-submit: {sum(counts.values())} records: {counted or 'none'}", file=sys.stderr)
    # Not one of them is valid.
    otherwise = 1 if set(counts) == {"invalid"} else 0
    return next((status for name, status in _STATUSES.items() if name in counts), otherwise)


def _options(words: Sequence[str]) -> dict[str, Any]:
    """Options of `sonde scan`: `--NAME=VALUE`, also several times, and `--NAME`."""
    options: dict[str, list[str] | bool] = {}
    for word in words:
        if not word.startswith("--"):
            raise ValueError(f"{word}: options of sonde scan are written --NAME=VALUE")
        name, has_value, value = word[2:].partition("=")
        earlier = options.get(name)
        if not has_value:
            options[name] = True
        else:
            options[name] = [*(earlier if isinstance(earlier, list) else ()), value]
    return {
        name.replace("-", "_"): value[0] if isinstance(value, list) and len(value) == 1 else value
        for name, value in options.items()
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sonde-spark-submit",
        description="Writes a record for each distinct address of logs (or, with --list, lists) as Parquet.",
        epilog="All other options are those of sonde scan, as --NAME=VALUE: --provider=local, --shared=redis://HOST/0.",
        allow_abbrev=False,
    )
    parser.add_argument("input", nargs="+", help="files, folders or patterns")
    parser.add_argument("output", help="the folder of the records")
    parser.add_argument("--master", help="the cluster, as spark-submit names it")
    parser.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark")
    parser.add_argument("--list", action="store_true", help="the inputs hold one item a line")
    parser.add_argument("--split", help="how much of a log a task reads, such as 128m")
    parser.add_argument("--known", metavar="PATH", help="records of before, whose answers are not asked again")
    parser.add_argument("--askers", type=int, help="how many tasks ask at once")
    modes = ["error", "overwrite", "append", "ignore"]
    parser.add_argument("--mode", default="error", choices=modes, help="what to do where the output is there (error)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
