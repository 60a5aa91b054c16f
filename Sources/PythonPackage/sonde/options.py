"""Options of the command line as keyword arguments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

# `max_expand=10`, `no_cache=True`, `database=["a.mmdb", "b.mmdb"]`; None and False leave an option out.
# Where Python has the name for itself, it ends with `_`: `with_=["names", "own=/srv/own.csv"]`.
Value: TypeAlias = str | int | float | bool | Sequence[str] | None

# Options whose value is a list with commas; of any other list each value is an option of its own.
_LISTS = ("fields", "provider")
_REFUSED = {
    **dict.fromkeys(("output", "format", "resume"), "the records are given as they are"),
    **dict.fromkeys(("progress", "quiet", "color", "help", "version"), "it has no meaning here"),
}


def named(options: Mapping[str, Value]) -> dict[str, Value]:
    """Options by their long names with `_` for `-`, lists with commas made.

    Raises:
        ValueError: A list of columns in place of their names.

    """
    given = {name.replace("-", "_").rstrip("_"): _kept(value) for name, value in options.items()}
    for name in _LISTS:
        value = given.get(name)
        if value is not None and not isinstance(value, (str, int, float)):
            given[name] = ",".join(map(str, value))
    if given.get("fields") == "help":
        raise ValueError("fields: help is a list for people; sonde.schema() has the columns")
    return given


def _kept(value: Value) -> Value:
    """A value that can be gone through again and again."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return list(value) if isinstance(value, Iterator) else value


def checked(options: Mapping[str, Value]) -> dict[str, Value]:
    """Like `named`.

    Raises:
        ValueError: An option that is not for here.

    """
    given = named(options)
    for name in given:
        if name in _REFUSED:
            raise ValueError(f"{name}: {_REFUSED[name]}")
    return given


def arguments(options: Mapping[str, Value], but: Iterable[str] = ()) -> tuple[str, ...]:
    """The options as the command line has them, without some.

    Raises:
        TypeError: A value that is no option's.

    """
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False or name in but:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, (str, int, float)):
            words.append(f"{option}={value}")
        elif isinstance(value, Iterable) and not isinstance(value, (bytes, Mapping)):
            words += [f"{option}={each}" for each in value]
        else:
            raise TypeError(f"{name}: a value of type {type(value).__name__} is none of an option")
    return tuple(words)
