"""The options of a scan as keyword arguments, and the columns that they give."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from sonde import columns, conditions, errors, options
from sonde.options import Value
from sonde.spark import running

# Askers at once where many machines share a quota, which bounds them however many there are.
USUAL_ASKERS = 4

# What the module says itself, or what would have two meanings beside Spark's.
_REFUSED = {
    **dict.fromkeys(("output", "resume", "format", "rejects", "missing", "spreadsheet"), "Spark writes the records"),
    **dict.fromkeys(
        ("unordered", "strict", "progress", "color", "events", "help", "version"), "it has no meaning here"
    ),
    **dict.fromkeys(("range", "pcap"), "read_log splits its files itself"),
    "log": "it is an argument of enrich; read_log implies it",
    "duplicates": "addresses are answered once; annotate has a row for each of yours",
}
# Options that decide what an entry is; of these, lists have no `pick`.
_ENTRIES = ("max_expand", "refang", "pick")
# Columns of the place of an entry, of its line or packet, and of all occurrences of its address.
_PLACE = ("line", "input", "offset")
OCCURRENCE = ("time", "hour", "day", "hour_of_day", "weekday", "text")
TOTALS = ("hits", "packets", "bytes", "first_seen", "last_seen")
# The columns that `read_log` adds itself.
_ADDED = ("input", "offset")


@dataclass(frozen=True)
class Asking:
    """How the answers for one DataFrame are asked."""

    is_local: bool
    is_shared: bool
    # Whether an address without an answer fails its task.
    must_answer: bool

    def askers(self, spark: SparkSession, wanted: int | None) -> int:
        """How many tasks ask at once.

        Raises:
            ValueError: They would be on several machines, each with the whole quota.

        """
        if wanted is not None and wanted < 1:
            raise ValueError(f"askers={wanted}: at least one task asks")
        if self.is_shared or is_one_machine(spark):
            return wanted or USUAL_ASKERS
        if wanted is not None and wanted > 1:
            raise ValueError(
                f"askers={wanted} without shared: on several machines each would spend the provider's whole "
                'quota; share one with shared="redis://HOST/0", or leave askers out for one at a time'
            )
        return 1


@dataclass(frozen=True)
class Upgrading(Asking):
    """The options of `sonde upgrade`, and the names of all columns that are Sonde's with them."""

    arguments: tuple[str, ...]
    columns: frozenset[str]


@dataclass(frozen=True)
class Options(Asking):
    """The options of the scans of one DataFrame, as every machine is given them."""

    # Those of a scan of bare addresses, and those that decide what an entry is.
    scan: tuple[str, ...]
    entries: tuple[str, ...]
    # The columns of a record, with `line`, by which it is known what the record answers.
    arrow: pa.Schema
    # Those of a scan of whole logs, whose records also have `input` and `offset`, and their columns.
    logs: tuple[str, ...]
    placed: pa.Schema
    # What a scan of bare addresses cannot give, each option with what it names.
    of_lines: tuple[str, ...]

    @property
    def fields(self) -> list[StructField]:
        """The columns of a record for those who asked, to whom the lines of a task are nothing."""
        return [
            StructField(field.name, from_arrow_type(field.type), field.nullable)
            for field in self.arrow
            if field.name != "line"
        ]

    @property
    def names(self) -> list[str]:
        """The names of these columns."""
        return [field.name for field in self.fields]

    def schema(self, *more: StructField) -> StructType:
        """The columns of records and others behind them."""
        return StructType([*self.fields, *more])

    def without_lines(self) -> Options:
        """These options, for addresses that are looked up apart from their lines.

        Raises:
            ValueError: One of them depends on the lines.

        """
        if self.of_lines:
            raise ValueError(
                f"{self.of_lines[0]} depends on the lines, and addresses are looked up without them here: "
                "use sonde.scan, or read_log of one split with a local database"
            )
        return self


def is_one_machine(spark: SparkSession) -> bool:
    """Whether all tasks are done on this machine."""
    return (spark.conf.get("spark.master", "local") or "").startswith("local")


def parallelism(spark: SparkSession) -> int:
    """How many tasks are done at once, as far as a session knows: Spark Connect has only settings."""
    try:
        return int(spark.sparkContext.defaultParallelism)
    except PySparkException:
        return int(spark.conf.get("spark.default.parallelism", None) or os.cpu_count() or 1)


def parse(
    spark: SparkSession | None, options_: Mapping[str, Value], on_unanswered: str = "record", *, log: bool = False
) -> Options:
    """Has `sonde` on this machine judge the options, before any task is started.

    Args:
        spark: The session, if there is one.
        options_: The options by their names.
        on_unanswered: As of `enrich`.
        log: Whether they are for logs.

    Raises:
        SondeError: There is no `sonde`, it is too old, or it refuses an option.
        ValueError: An option that the module says itself.

    """
    must_answer = errors.must_answer(on_unanswered)
    given = _given(spark, options_)
    form: dict[str, Value] = {"log": log}
    with running.named():
        known = columns.known(options.arguments({**form, **given}, but=("fields",)))
        names = columns.header(options.arguments({**form, **given}))
    for name in _ADDED:
        if name in names:
            raise ValueError(f"fields: {name} is a column of read_log, and elsewhere there is none")
    of_lines = _of_lines(given, names, log)
    if "line" not in names:
        names = [*names, "line"]
        given["fields"] = ",".join(names)
    fields, placed = _placed(given, names) if log else ("", names)
    return Options(
        scan=options.arguments(given, but=("pick",)),
        entries=options.arguments({name: given.get(name) for name in _ENTRIES}),
        arrow=pa.schema([known[name] for name in names]),
        logs=options.arguments({**given, **form, "fields": fields}),
        placed=pa.schema([known[name] for name in placed]),
        of_lines=of_lines,
        is_local=given["provider"] == "local",
        is_shared=bool(given["shared"]),
        must_answer=must_answer,
    )


def _of_lines(given: Mapping[str, Value], names: Sequence[str], log: bool) -> tuple[str, ...]:
    """The options that depend on the lines in which addresses are, or on all of these, with what they name."""
    found = [f"fields: {name}" for name in names if name in (*OCCURRENCE, *TOTALS)]
    where = conditions.fields(str(given.get("where") or ""))
    found += [f"where: {name}" for name in where if name in (*_PLACE, *OCCURRENCE, *TOTALS)]
    if given.get("as_of") == "line":
        found.append("as_of: line")
    # Who claims to be a crawler does so in a line; in lists, nobody does.
    if log and "--with=crawler" in options.arguments({"with": given.get("with")}):
        found.append("with_: crawler")
    return tuple(found)


def _placed(given: Mapping[str, Value], names: Sequence[str]) -> tuple[str, list[str]]:
    """The option `fields` of a scan of logs for these columns, `input` and `offset`, and the columns it gives."""
    usual = ",".join(f"+{name}" for name in _ADDED)
    with running.named():
        found = columns.header(options.arguments({**given, "log": True, "fields": usual}))
    # Some columns are among the usual ones, and must not be named: hostname, with anonymize.
    if [name for name in found if name not in _ADDED] == names:
        return usual, found
    return ",".join((*names, *_ADDED)), [*names, *_ADDED]


def parse_upgrade(spark: SparkSession, options_: Mapping[str, Value], on_unanswered: str) -> Upgrading:
    """Like `parse`, for `sonde upgrade`, which judges its own options.

    Raises:
        SondeError: There is no `sonde`, or it is too old.
        ValueError: An option that is not for here.

    """
    must_answer = errors.must_answer(on_unanswered)
    given = _given(spark, options_)
    if "fields" in given:
        raise ValueError("fields: upgrade keeps the columns that there are")
    with running.named():
        known = columns.known(options.arguments({"with": given.get("with")}))
    return Upgrading(
        arguments=options.arguments(given),
        columns=frozenset(known),
        is_local=given["provider"] == "local",
        is_shared=bool(given["shared"]),
        must_answer=must_answer,
    )


def _given(spark: SparkSession | None, options_: Mapping[str, Value]) -> dict[str, Value]:
    """The options by their long names with `_` for `-`, and those that only this machine's environment sets."""
    given = options.named(options_)
    for name in given:
        if name in _REFUSED:
            raise ValueError(f"{name}: {_REFUSED[name]}")
    for name in ("shared", "provider"):
        given[name] = given.get(name) or _environment(spark, f"SONDE_{name.upper()}")
    return given


def _environment(spark: SparkSession | None, name: str) -> str | None:
    said = os.environ.get(name)
    if said or spark is None:
        return said
    return spark.conf.get(f"spark.executorEnv.{name}", None)
