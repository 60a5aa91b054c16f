"""The columns that are read: which they are, and their values as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, NullType, StringType

Chosen: TypeAlias = "str | Column | Sequence[str | Column]"

# An IPv4 address or a bracketed IPv6 address with a port behind it, as of RFC 3986, section 3.2.
_PORTS = ((r"^\s*\[([0-9A-Fa-f:.]+)\]:\d{1,5}\s*$", "$1"), (r"^\s*(\d+\.\d+\.\d+\.\d+):\d{1,5}\s*$", "$1"))


def chosen(df: DataFrame, column: Chosen, ports: bool = False) -> dict[str, Column]:
    """The columns that are read, by their names, as text.

    What is no column's name is read as Spark reads it (`a.b`: the b of a).

    Raises:
        TypeError: A column that is no text.
        ValueError: No column, or two of one name.

    """
    several = [column] if isinstance(column, str) or not isinstance(column, Sequence) else column
    found: dict[str, Column] = {}
    for each in several:
        value = _column(df, each)
        field = df.select(value).schema.fields[0]
        name = each if isinstance(each, str) else field.name
        _check(name, field.dataType)
        if name in found:
            raise ValueError(f"column: {name} is named twice")
        found[name] = _without_ports(value.cast("string")) if ports else value.cast("string")
    if not found:
        raise ValueError("column: none is named")
    return found


def _column(df: DataFrame, column: str | Column) -> Column:
    if not isinstance(column, str):
        return column
    quoted = "`" + column.replace("`", "``") + "`"
    return df[quoted if column in df.columns else column]


def _check(name: str, type_: DataType) -> None:
    # Also `char` and `varchar`, which are texts of a length.
    if isinstance(type_, (StringType, NullType)) or type_.typeName() in ("char", "varchar"):
        return
    advice = "cast it to string"
    if isinstance(type_, ArrayType):
        advice = f'make a row of each element first: df.withColumn("{name}", explode("{name}"))'
    raise TypeError(f"column {name} is of type {type_.simpleString()}, and must be text: {advice}")


def _without_ports(value: Column) -> Column:
    for pattern, address in _PORTS:
        value = F.regexp_replace(value, pattern, address)
    return value
