"""Texts that a provider, or someone in its place, might send to harm whoever shows them."""

import re
from zlib import crc32

HOSTILE_TEXTS = [
    "\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "two\nlines\r\nand\rmore",
    "<script>alert('sonde')</script>&amp;",
    "\u202egnp.exe\u202c \u2066isolate\u2069",
    "A" * 300_000,
    "separators\u2028and\u2029and\u0085next\u009b31m",
    '"; DROP TABLE answers; --',
    "tab\there\x00nul\x7fdelete\x08back",
    "=cmd|'/c calc'!A0",
    "zero\u200bwidth \ufeffmark",
]
TEXT_FIELDS = ["city", "regionName", "isp", "org", "country"]


# Control characters but tab, newline and return: C0, DEL and C1, separators of lines and paragraphs; and
# bidirectional ones (UAX #9).
CONTROLS = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]"
DIRECTIONS = "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"


def cleaned(text):
    """A text as it is in every record: without control characters, one blank for those between others."""
    clean, is_due = "", False
    for character in re.sub(DIRECTIONS, "", text):
        if re.match(CONTROLS, character):
            is_due = True
            continue
        if is_due and clean and " " not in (clean[-1], character):
            clean += " "
        clean, is_due = clean + character, False
    return clean


def hostile_text(address):
    """The hostile text that an address's record carries."""
    return HOSTILE_TEXTS[crc32(address.encode()) % len(HOSTILE_TEXTS)]


def make_hostile(record):
    """The record with a hostile text in one of its fields; `fail` answers stay as they are."""
    address = record.get("query") or record.get("ip", "")
    number = crc32(address.encode())
    text = hostile_text(address)
    present = [name for name in [*TEXT_FIELDS, "region", "as_name"] if name in record]
    if not present:
        return record
    # The long one stays in the city, where a client's limit on texts is tested.
    field = "city" if len(text) > 1000 and "city" in record else present[number % len(present)]
    return dict(record, **{field: text})
