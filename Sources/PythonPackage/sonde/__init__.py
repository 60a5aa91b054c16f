"""Sonde: the country, city, network and operator of IP addresses, as Arrow, dicts and Parquet.

    for batch in sonde.scan(["8.8.8.8", "1.1.1.1"], provider="local"):
        ...

The program `sonde` does the work, in a process of its own. Nothing heavy is imported before it is used.
"""

from __future__ import annotations

__version__ = "0.1.0"

__all__ = [
    "SondeError",
    "UnansweredError",
    "UsageError",
    "lookup",
    "scan",
    "schema",
    "summary",
    "to_parquet",
]

# Where each name is.
_MODULES = {
    "SondeError": "errors",
    "UnansweredError": "errors",
    "UsageError": "errors",
    "lookup": "looking",
    "scan": "scanning",
    "schema": "scanning",
    "summary": "looking",
    "to_parquet": "parquet",
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sonde.errors import SondeError, UnansweredError, UsageError
    from sonde.looking import lookup, summary
    from sonde.parquet import to_parquet
    from sonde.scanning import scan, schema


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'sonde' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"sonde.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
