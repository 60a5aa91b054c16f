"""Records of single addresses, and summaries."""

from __future__ import annotations

import contextlib
import ipaddress
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from sonde import child, columns, options, settings, sources
from sonde.errors import SondeError
from sonde.options import Value

Address: TypeAlias = (
    str | bytes | ipaddress.IPv4Address | ipaddress.IPv6Address | ipaddress.IPv4Network | ipaddress.IPv6Network
)

Row: TypeAlias = "dict[str, Any]"


def lookup(*addresses: Address, **options_: Value) -> list[dict[str, Any]]:
    """Gives the record of each address, in their order, without the members that have no value.

    Args:
        *addresses: The addresses.
        **options_: Options of `sonde lookup` by their long names, with `_` for `-`.

    Raises:
        UsageError: An option is none, or has a bad value.
        SondeError: There is no program, or it could not do its work.
        TypeError: An address of another type.
        ValueError: An option that is not for here.

    """
    given = options.checked(options_)
    if "events" in given:
        raise ValueError("events: lookup has none")
    if not addresses:
        # An option is judged all the same.
        columns.known(options.arguments(given, but=("fields",)), "lookup")
        return []
    lines = [sources.line(each) for each in addresses if _is_address(each)]
    keys = _keys(lines)
    distinct = list(dict.fromkeys(keys))
    arguments = ["lookup", *options.arguments(given, but=("fields",)), *_fields(given)]
    # By their lines; one that a condition excludes is not there.
    found = {distinct[row.pop("line") - 2]: row for row in _rows(arguments, _listed(distinct))}
    found |= _of_operands(arguments, list(filter(_is_no_line, distinct)))
    return [dict(found[key]) for key in keys if key in found]


def _rows(
    arguments: list[str],
    lines: list[bytes] | None = None,
    operands: Sequence[bytes] = (),
    environment: Mapping[str, str] = {},
) -> list[Row]:
    """The records of a command, of lines of a list or of operands; settings of the environment as of `child.run`."""
    if lines is None and not operands:
        return []
    chunks = None if lines is None else [b"\n".join([sources.GUARD[:-1], *lines, b""])]
    words = ["-"] if lines is not None else ["--", *map(_operand, operands)]
    output = b"".join(child.run([*arguments, "--format=ndjson", "--quiet", *words], chunks, settings=environment))
    return [json.loads(row) for row in output.splitlines()]


def _of_operands(arguments: list[str], operands: list[bytes]) -> dict[bytes, Row]:
    """The records of operands, by these."""
    found: dict[bytes, Row] = {}
    for start in range(0, len(operands), _OPERANDS):
        part = operands[start : start + _OPERANDS]
        rows = _rows(arguments, operands=part)
        if len(rows) == len(part):
            found |= zip(part, rows, strict=True)
        else:
            # An address with a zone (RFC 4007, section 11) may have a sign of comments in it, and be excluded or
            # there twice.
            found |= {each: row for each in part for row in _rows(arguments, operands=[each])}
    return found


# So many operands, each of so many characters at most, are what Linux lets a program have; no address is as long.
_OPERANDS, _CHARACTERS = 256, 1024


def _operand(item: bytes) -> str:
    """An item as a word of the command line, as far as it can be one."""
    return item.decode(errors="replace")[:_CHARACTERS].replace("\0", "\ufffd")


def _is_no_line(item: bytes) -> bool:
    """Whether a list would take all of an item, or its end, for nothing: blanks, or a comment."""
    return b"#" in item or not item.strip()


def _listed(items: list[bytes]) -> list[bytes]:
    """Items as lines of a list, empty ones for those that cannot be."""
    return [b"" if _is_no_line(each) else each for each in items]


def _is_address(value: object) -> bool:
    if value is None:
        raise TypeError("an address is of type NoneType: it must be str, bytes or an ipaddress object")
    return True


def _fields(given: dict[str, Value]) -> list[str]:
    """The option for the columns that are asked for and `line`, by which a record is found again."""
    names = columns.header(options.arguments(given), "lookup")
    return [f"--fields={','.join(dict.fromkeys((*names, 'line')))}"]


def _keys(lines: list[bytes]) -> list[bytes]:
    """What each line asks for: addresses in one spelling, several of a block, and what is none as it is."""
    with contextlib.suppress(ValueError):
        return [_canonical(each) for each in lines]
    rows = _checked(lines)
    # An invalid one may have gone to its own file.
    unlisted = set(range(len(lines))).difference(row["line"] - 2 for row in rows)
    keys = [(number, lines[number]) for number in unlisted]
    for row in rows:
        number = row["line"] - 2
        keys.append((number, lines[number] if row["status"] == "invalid" else row["ip"].encode()))
    return [key for _, key in sorted(keys, key=lambda each: each[0])]


def _checked(lines: list[bytes]) -> list[Row]:
    """The addresses of lines, as `check` finds them, without what settings have it do to records.

    Raises:
        SondeError: A configuration file has it change addresses.

    """
    arguments = ["check", "--duplicates=keep", "--fields=ip,status,line"]
    rows = _rows(arguments, [*_listed(lines), *_PROBES], environment=_PLAIN)
    probes = [(row.get("ip"), row["line"]) for row in rows[-len(_PROBES) :]]
    if probes != [(each.decode(), number) for number, each in enumerate(_PROBES, len(lines) + 2)]:
        raise SondeError("a configuration file sets anonymize: plain addresses alone can be looked up")
    return rows[: -len(_PROBES)]


# What `check` may do and `lookup` does not, each as if nobody had set it.
_PLAIN = {
    **dict.fromkeys(("anonymize", "anonymize-key", "range", "rejects"), ""),
    **dict.fromkeys(("log", "pcap", "refang"), "false"),
    "max-expand": "65536",
    "pick": "all",
    "where": "line > 0",
}
# Addresses for documentation (RFC 5737, RFC 3849).
_PROBES = (b"203.0.113.77", b"2001:db8::77")


def _canonical(line: bytes) -> bytes:
    """The one spelling of an address.

    Raises:
        ValueError: It is none without doubt.

    """
    address = ipaddress.ip_address(line.decode())
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id is not None:
            raise ValueError(line)
        return str(address.ipv4_mapped or address).encode()
    return line


def summary(source: object, *, column: str | None = None, **options_: Value) -> dict[str, Any]:
    """Gives the object that `sonde summary --format json` of a source prints.

    Args:
        source: As of `scan`.
        column: As of `scan`.
        **options_: Options of `sonde summary` by their long names, with `_` for `-`.

    Raises:
        UsageError: An option is none, or has a bad value.
        SondeError: There is no program, or it could not do its work.
        TypeError: A source or an item of another type.
        ValueError: An option that is not for here, or a column that is not there.

    """
    given = settings.settled(options.checked(options_), ("where",))
    found = sources.of(source, column, sources.Guard.before(sources.GUARD, given.get("where")))
    if found.guard:
        given = found.guard.judged(given)
    arguments = ["summary", *options.arguments(given), "--format=json", "--quiet", *found.operands]
    printed = b"".join(child.run(arguments, found.chunks, inherits_input=found.is_standard_input))
    result: dict[str, Any] = json.loads(printed)
    return result
