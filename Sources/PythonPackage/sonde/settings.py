"""Settings of the environment and of configuration files that the package itself must know of.

The program reads all of them. These few say what a source is and which records there are, which the package
has to know where it puts something before items, or counts records.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping

from sonde.options import Value

# All of a scan's; those of them that are flags.
OF_SCANS = ("log", "missing", "pcap", "range", "rejects", "where")
_FLAGS = frozenset({"log", "pcap"})
_ON = frozenset({"1", "true", "yes"})
_LINE = re.compile(r"([a-z-]+)\s*=\s*(.*?)(?:\s+#.*)?\Z")


def settled(given: Mapping[str, Value], names: Iterable[str] = OF_SCANS) -> dict[str, Value]:
    """The options, and what is set elsewhere for those of these names that were not given.

    Args:
        given: Options of a call, by their names with `_`.
        names: The options that are looked for.

    """
    found: dict[str, Value] = {}
    for path in _files():
        found.update(_of_file(path, names))
    for name in names:
        # An empty one is as none.
        if value := os.environ.get(f"SONDE_{name.upper()}"):
            found[name] = _value(name, value)
    # These leave an option out.
    return found | {name: value for name, value in given.items() if value is not None and value is not False}


def _files() -> Iterator[str]:
    """The configuration files, by ascending precedence."""
    credentials = os.environ.get("CREDENTIALS_DIRECTORY", "")
    credential = f"{credentials}/config" if credentials.startswith("/") else ""
    yield credential if os.path.exists(credential) else "/etc/sonde/config"
    base = os.environ.get("XDG_CONFIG_HOME", "")
    home = os.environ.get("HOME")
    if base.startswith("/"):
        yield f"{base}/sonde/config"
    elif home:
        yield f"{home}/.config/sonde/config"


def _of_file(path: str, names: Iterable[str]) -> dict[str, Value]:
    """What a file sets; nothing where it cannot be read, of which the program tells."""
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            matches = [_LINE.match(line.strip()) for line in file]
    except OSError:
        return {}
    return {each[1]: _value(each[1], each[2]) for each in matches if each and each[1] in names}


def _value(name: str, text: str) -> Value:
    return text.lower() in _ON if name in _FLAGS else text
