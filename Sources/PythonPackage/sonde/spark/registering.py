"""Sonde as a source of `spark.read` and as a function of SQL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.functions import pandas_udf
from pyspark.sql.types import StructField, StructType

from sonde.options import Value
from sonde.spark import frames, gathering, logs, options, running, splits, stores
from sonde.spark.running import Step

if TYPE_CHECKING:
    import pandas as pd

# Options of the source that are none of `sonde scan`; several paths are JSON.
_OWN = ("path", "paths", "storage_options", "on_unanswered")
# Arguments of `read_log` that nothing would come of.
_NOT_HERE = ("split", "known", "askers")
_FLAGS: Mapping[str, Value] = {"true": True, "false": False}


def register(spark: SparkSession, *, storage_options: Mapping[str, Any] | None = None, **options_: Value) -> None:
    """Registers the source `sonde` of `spark.read`, and the function `sonde` of SQL.

    `spark.read.format("sonde").option("provider", "local").load(path)` gives the records of `read_log`, in one
    task; a path is as there. SQL's `sonde(text)` gives a struct of the columns, from the
    local database alone, for Spark may call a function any number of times.

    Args:
        spark: The session.
        storage_options: As of `read_log`; where they are left out, what Spark's settings are now. The `option` of
            this name is JSON.
        **options_: Options of `sonde scan` for both; `option` of a source has others besides, flags as `true`,
            and `on_unanswered`.

    Raises:
        SondeError: `sonde` is absent or too old here, or refuses an option.
        ValueError: A provider that is not `local`, or an option that is not for here.

    """
    if options_.get("provider", "local") != "local":
        raise ValueError(f"provider={options_['provider']!r}: a function of SQL asks nobody; provider must be local")
    parsed = options.parse(spark, {**options_, "provider": "local", "max_expand": 1}).without_lines()
    spark.udf.register("sonde", _function(parsed))
    # A class of its own, in which the options go to every process that uses it.
    own = {"defaults": options_, "settings": stores.settings(spark), "storage": storage_options}
    spark.dataSource.register(type("Source", (Source,), own))


def _function(parsed: options.Options) -> Any:
    """A function of values to structs, whose records a task has from one run."""
    names = [field.name for field in parsed.fields]

    def look_up(values: Iterator[pd.Series]) -> Iterator[pd.DataFrame]:
        import pandas as pd

        nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get
        cells = (
            pa.RecordBatch.from_arrays([pa.Array.from_pandas(each, type=pa.string())], names=["cell"])
            for each in values
        )
        for batch in frames.annotating(parsed, names)(cells):
            yield batch.to_pandas(types_mapper=nullable)

    make: Any = pandas_udf
    # A machine without the package is named, as by every other task.
    function = running.guarded(look_up)
    # Its types are given here, for annotations that are texts are read by name.
    function.__annotations__ = _annotations()
    return make(function, StructType([StructField(field.name, field.dataType) for field in parsed.fields]))


def _annotations() -> dict[str, object]:
    import pandas as pd

    return {"rows": Iterator[pd.Series], "return": Iterator[pd.DataFrame]}


class Source(DataSource):
    """The records of logs."""

    defaults: Mapping[str, Value] = {}
    settings: Mapping[str, str] = {}
    storage: Mapping[str, Any] | None = None

    @classmethod
    def name(cls) -> str:
        """What `format` is given."""
        return "sonde"

    def schema(self) -> StructType:
        """The columns of `read_log`."""
        return logs.schema(self._parsed())

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads the files of `load`."""
        said = self.options.get("storage_options")
        storage = self.storage if said is None else json.loads(said)
        planned = splits.plan(self._paths(), None, 1, self.settings, storage)
        parsed = self._parsed()
        # What one run reads, it knows by lines.
        is_one_run = not any(split.stored for split in planned)
        return _reader(running.guarded(_reading(planned, parsed if is_one_run else parsed.without_lines())))

    def _paths(self) -> list[str]:
        if "paths" in self.options:
            return list(json.loads(self.options["paths"]))
        if "path" not in self.options:
            raise ValueError('path: none is given: spark.read.format("sonde").load(path)')
        return [self.options["path"]]

    def _parsed(self) -> options.Options:
        for name in _NOT_HERE:
            if name in self.options:
                raise ValueError(f"{name}: the source is read by one task, and asks by itself; read_log takes it")
        given = {name: _FLAGS.get(value, value) for name, value in self.options.items() if name not in _OWN}
        on_unanswered = self.options.get("on_unanswered", "record")
        return options.parse(None, {**self.defaults, **given}, on_unanswered, log=True)


def _reader(step: Step) -> DataSourceReader:
    """One task for all files, which has each address once.

    As the step, its class is pickled by value, for the package may be absent where it is read.
    """

    class Reader(DataSourceReader):
        def partitions(self) -> list[InputPartition]:
            return [InputPartition(0)]

        def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
            return step(iter(()))

    return Reader()


def _reading(planned: list[splits.Split], parsed: options.Options) -> Step:
    """Gives the records of files."""

    def step(_: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if any(split.stored for split in planned):
            yield from gathering.gathered(planned, parsed)
        elif planned:
            yield from logs.scanned(planned, parsed)

    return step
