"""Conditions of `--where`: the fields that they compare, and with what.

The program judges them; this reads those that it has accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation

# As the program divides a condition: texts in quotes, files behind `@`, signs, brackets and commas, and words.
_TOKEN = re.compile(
    r"""(?P<file>@(?:"(?:\\["\\]|[^"])*"|'[^']*'|[^\s(),]+))"""
    r"""|(?P<quoted>"(?:\\["\\]|[^"])*"|'[^']*')"""
    r"""|(?P<sign>[=!<>~&|]+)|(?P<mark>[(),])|(?P<word>[^\s(),=!<>~&|"]+)"""
)
_KEYWORDS = ("and", "or", "not")


def fields(condition: str) -> list[str]:
    """The names of the fields that a condition compares, in their order."""
    return list(dict.fromkeys(name for name, _ in _comparisons(condition)))


def shifted(condition: str, shifts: Mapping[str, int]) -> str:
    """The condition with a number added to all that fields of these names are compared with."""
    pieces, end = [], 0
    for name, values in _comparisons(condition):
        for value in values if name in shifts else ():
            pieces += [condition[end : value.start()], _sum(value[0], shifts[name])]
            end = value.end()
    return "".join([*pieces, condition[end:]])


def _sum(value: str, shift: int) -> str:
    try:
        return format(Decimal(value.strip("\"'")) + shift, "f")
    except InvalidOperation:
        return value


def _comparisons(condition: str) -> Iterator[tuple[str, list[re.Match[str]]]]:
    """The fields, each with the values behind it: `FIELD`, `FIELD = VALUE`, `FIELD in (VALUE, VALUE)`."""
    tokens = list(_TOKEN.finditer(condition))
    position = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token.lastgroup not in ("word", "quoted") or _keyword(token) in _KEYWORDS:
            continue
        values: list[re.Match[str]] = []
        following = [*map(_keyword, tokens[position : position + 2])]
        if following[:1] == ["in"] or following == ["not", "in"]:
            position += 1 + following.index("in")
            while position < len(tokens) and tokens[position][0] != ")":
                values += [tokens[position]] if tokens[position].lastgroup in ("word", "quoted") else []
                position += 1
                if tokens[position - 1].lastgroup == "file":
                    break
        elif tokens[position : position + 1] and tokens[position].lastgroup == "sign":
            values, position = tokens[position + 1 : position + 2], position + 2
        yield _text(token), values


def _keyword(token: re.Match[str]) -> str:
    return token[0].lower() if token.lastgroup == "word" else ""


def _text(token: re.Match[str]) -> str:
    """A word, or what is in quotes."""
    if token.lastgroup == "word":
        return token[0]
    inner = token[0][1:-1]
    return re.sub(r'\\(["\\])', r"\1", inner) if token[0][0] == '"' else inner
