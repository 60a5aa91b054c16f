"""The options of a scan as keyword arguments, and the columns that they give."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import BooleanType, DataType, DoubleType, LongType, StringType, StructField, StructType

from sonde_spark import child
from sonde_spark.errors import SondeError

# `max_expand=10`, `no_cache=True`, `database=["a.mmdb", "b.mmdb"]`; None and False leave an option out.
# Where Python has the name for itself, it ends with `_`: `with_=["names", "own=/srv/own.csv"]`.
Value: TypeAlias = str | int | float | bool | Sequence[str] | None

OLDEST = (0, 1, 0)
# Askers at once where many machines share a quota, which bounds them however many there are.
USUAL_ASKERS = 4

_TYPES: Mapping[str, DataType] = {
    "text": StringType(),
    "number": DoubleType(),
    "integer": LongType(),
    "boolean": BooleanType(),
}
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
# Options whose value is a list with commas; of any other list each value is an option of its own.
_LISTS = ("fields", "provider")


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

    # Those of `sonde scan`, and those that decide what an entry is.
    scan: tuple[str, ...]
    entries: tuple[str, ...]
    # The columns of a record, with `line`, by which it is told what the record answers.
    names: tuple[str, ...]
    types: tuple[DataType, ...]

    @property
    def fields(self) -> list[StructField]:
        """The columns of a record for those who asked, to whom the lines of a task are nothing."""
        pairs = zip(self.names, self.types, strict=True)
        return [StructField(name, type_) for name, type_ in pairs if name != "line"]

    def schema(self, *more: StructField) -> StructType:
        """The columns of records and others behind them."""
        return StructType([*self.fields, *more])

    def arrow_schema(self, *more: StructField) -> pa.Schema:
        """The columns of records as Arrow has them, and others behind them."""
        fields = [*zip(self.names, self.types, strict=True), *((field.name, field.dataType) for field in more)]
        return pa.schema([(name, to_arrow_type(type_)) for name, type_ in fields])

    def scan_with(self, *more: str) -> list[str]:
        """The options of a scan whose records have more columns behind their own."""
        others = [word for word in self.scan if not word.startswith("--fields=")]
        return [*others, f"--fields={','.join((*self.names, *more))}"]


def unanswered_fails(on_unanswered: str) -> bool:
    """Whether an address without an answer is an error.

    Raises:
        ValueError: It is neither `"record"` nor `"fail"`.

    """
    if on_unanswered not in ("record", "fail"):
        raise ValueError(f'on_unanswered={on_unanswered!r}: it is "record" or "fail"')
    return on_unanswered == "fail"


def is_one_machine(spark: SparkSession) -> bool:
    """Whether all tasks are done on this machine."""
    return (spark.conf.get("spark.master", "local") or "").startswith("local")


def parse(spark: SparkSession, options: Mapping[str, Value], on_unanswered: str = "record") -> Options:
    """Has `sonde` on this machine judge the options, before any task is started.

    Raises:
        SondeError: There is no `sonde`, it is too old, or it refuses an option.
        ValueError: An option that the module says itself.

    """
    must_answer = unanswered_fails(on_unanswered)
    _check_version()
    given = _given(spark, options)
    scan = _arguments(given)
    names = _header(scan)
    for name in ("input", "offset"):
        if name in names:
            raise ValueError(f"fields: {name} is a column of read_log, and elsewhere there is none")
    if "line" not in names:
        given["fields"] = ",".join((*names, "line"))
        scan, names = _arguments(given), (*names, "line")
    known = _known_types()
    return Options(
        scan=scan,
        entries=_arguments({"max_expand": given.get("max_expand")}),
        names=names,
        types=tuple(_TYPES[known.get(name, "text")] for name in names),
        is_local=given["provider"] == "local",
        is_shared=bool(given["shared"]),
        must_answer=must_answer,
    )


def parse_upgrade(spark: SparkSession, options: Mapping[str, Value], on_unanswered: str) -> Upgrading:
    """Like `parse`, for `sonde upgrade`, which judges its own options.

    Raises:
        SondeError: There is no `sonde`, or it is too old.
        ValueError: An option that is not for here.

    """
    must_answer = unanswered_fails(on_unanswered)
    _check_version()
    given = _given(spark, options)
    if "fields" in given:
        raise ValueError("fields: upgrade keeps the columns that there are")
    added = _header(_arguments({"with": given["with"]})) if "with" in given else ()
    return Upgrading(
        arguments=_arguments(given),
        columns=frozenset({*_known_types(), *added}),
        is_local=given["provider"] == "local",
        is_shared=bool(given["shared"]),
        must_answer=must_answer,
    )


def _given(spark: SparkSession, options: Mapping[str, Value]) -> dict[str, Value]:
    """The options by their long names with `_` for `-`, and those that only this machine's environment sets."""
    given = {name.replace("-", "_").rstrip("_"): value for name, value in options.items()}
    for name in given:
        if name in _REFUSED:
            raise ValueError(f"{name}: {_REFUSED[name]}")
    for name in _LISTS:
        value = given.get(name)
        if isinstance(value, Sequence) and not isinstance(value, str):
            given[name] = ",".join(value)
    for name in ("shared", "provider"):
        given[name] = given.get(name) or _environment(spark, f"SONDE_{name.upper()}")
    return given


def _arguments(options: Mapping[str, Value]) -> tuple[str, ...]:
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, str | int | float):
            words.append(f"{option}={value}")
        else:
            words += [f"{option}={each}" for each in value]
    return tuple(words)


def _environment(spark: SparkSession, name: str) -> str | None:
    return os.environ.get(name) or spark.conf.get(f"spark.executorEnv.{name}", None)


def _check_version() -> None:
    said = child.output(["--version"]).decode()
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", said)
    if found is None or tuple(map(int, found.groups())) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise SondeError(f"the sonde on the PATH is {said.strip()!r}: version {oldest} or later is needed")


def _header(scan: Sequence[str]) -> tuple[str, ...]:
    """The columns of a scan, which has nothing to read."""
    return tuple(child.output(["scan", *scan, "--format=csv", "--quiet", "-"]).decode().strip().split(","))


def _known_types() -> dict[str, str]:
    rows = child.output(["scan", "--fields=help"]).decode().splitlines()
    return {words[0]: words[1] for row in rows if (words := row.split()[:2])[1:] and words[1] in _TYPES}
