"""Addresses are what Python's `ipaddress` accepts, written as it writes them."""

import csv
import io
import ipaddress
import random

import pytest
from command import PATIENCE

pytestmark = pytest.mark.slow

COUNT = 120_000


def generated(chooser):
    """A text that is an address or nearly one, without what has a meaning of its own in a list."""
    kind = chooser.randrange(6)
    if kind == 0:
        return str(ipaddress.IPv4Address(chooser.getrandbits(32)))
    if kind == 1:
        octets = [chooser.choice(["0", "00", "1", "01", "9", "99", "255", "256", "1000", ""]) for _ in range(chooser.choice([3, 4, 4, 4, 5]))]
        return ".".join(octets)
    if kind == 2:
        address = ipaddress.IPv6Address(chooser.getrandbits(128) & chooser.getrandbits(128) & -(1 << chooser.randrange(128)))
        return chooser.choice([str(address), address.exploded, str(address).upper()])
    if kind == 3:
        groups = [chooser.choice(["", "0", "0000", "1", "ffff", "FFFF", "12345", "g", "0db8", "1.2.3.4"]) for _ in range(chooser.randrange(1, 10))]
        return ":".join(groups)
    if kind == 4:
        head = chooser.choice(["::", "::ffff:", "::FFFF:0:", "64:ff9b::", "1:2:3:4:5:6:", "1:2:3:4:5:6:7:", ":", "1::2:"])
        return head + chooser.choice(["1.2.3.4", "1.2.3", "01.2.3.4", "256.2.3.4", "8.8.8.8", "102:304"])
    return "".join(chooser.choice("0123456789abcdef:.") for _ in range(chooser.randrange(1, 24)))


def canonical(text):
    """The address in its one form, a mapped one as IPv4, or None."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return str(getattr(address, "ipv4_mapped", None) or address)


def test_generated_texts_are_judged_as_the_oracle_does(sonde):
    chooser = random.Random(20240613)
    texts = [text for text in (generated(chooser) for _ in range(COUNT)) if text]
    result = sonde(
        "check", "--duplicates", "keep", "--format", "csv", "--fields", "ip,status",
        input="\n".join(texts),
        timeout=10 * PATIENCE,
    )
    rows = list(csv.reader(io.StringIO(result.stdout.decode())))[1:]
    assert len(rows) == len(texts)
    wrong = []
    for text, (ip, status) in zip(texts, rows):
        wanted = canonical(text)
        if (ip if status != "invalid" else None) != wanted or (wanted is None and ip != text):
            wrong.append((text, ip, status, wanted))
    assert wrong[:10] == []
    assert {status for _, status in rows} == {"ok", "reserved", "invalid"}
