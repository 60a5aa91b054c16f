"""The columns of records and their types, as the program describes them."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence

import pyarrow as pa

from sonde import child
from sonde.errors import SondeError

_TYPES = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "list": pa.list_(pa.string()),
    "time": pa.timestamp("us", "UTC"),
}


def known(arguments: Sequence[str] = (), command: str = "scan") -> dict[str, pa.Field]:
    """All columns that there are with options of a command, by their names.

    Raises:
        UsageError: An option is none, or has a bad value.
        SondeError: There is no `sonde`, or it is too old.

    """
    said = child.output([command, *arguments, "--fields=help", "--format=json"])
    try:
        described = json.loads(said)
    except ValueError:
        version = child.output(["--version"]).decode().strip()
        raise SondeError(f"{version or 'sonde'} is too old for this package: install the same version") from None
    return {each["name"]: pa.field(each["name"], _TYPES[each["type"]], each["nullable"]) for each in described}


def header(arguments: Sequence[str], command: str = "scan") -> list[str]:
    """The columns of the records of a command with such options, in their order; it has nothing to read."""
    # Nothing is no capture, and no file that has a range.
    said = child.output([command, *arguments, "--format=csv", "--quiet", "-"], {"pcap": "false", "range": ""})
    line = said.decode().removesuffix("\n")
    return next(csv.reader([line]))
