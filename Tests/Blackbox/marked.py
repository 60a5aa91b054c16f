"""Addresses that a test looks for in everything that a run writes, in every spelling."""

import gzip
import ipaddress
import sqlite3

KEY = "0123456789abcdeffedcba98765432101032547698badcfeefcdab8967452301"

# Those that stay hidden when truncated: some bit is set behind those that are kept.
MARKED = [
    "23.45.67.89",
    "192.168.77.201",
    "169.254.33.99",
    "2a03:2880:f12f:83:face:b00c:0:25de",
    "2002:172d:4359:77::9",
    "2001:db8:aa:bb:cc:dd:ee:ff",
    "fe80::dead:beef:1234",
    "2606:4700:4700::1111",
]


def spellings(address):
    """Texts of an address that log mode finds."""
    parsed = ipaddress.ip_address(address)
    yield address
    if parsed.version == 4:
        yield f"::ffff:{address}"
        return
    yield parsed.exploded
    yield parsed.exploded.upper()


def forms(address):
    """What must stand nowhere: texts, hexadecimal digits and packed bytes, in either byte order."""
    parsed = ipaddress.ip_address(address)
    packed = parsed.packed
    texts = {parsed.compressed, parsed.exploded, packed.hex(), packed[::-1].hex(), f"{int(parsed)}"}
    if parsed.version == 4:
        texts.add(f"{packed[0]:x}.{packed[1]:x}.{packed[2]:x}.{packed[3]:x}")
    for text in texts:
        yield text.encode()
        yield text.upper().encode()
    yield packed
    yield packed[::-1]


def revealed(data, addresses=MARKED):
    """The marked addresses that some bytes hold, in any form and whatever the case."""
    lower = data.lower()
    return [
        (address, form)
        for address in addresses
        for form in forms(address)
        if form in data or (len(form) > 4 and form.lower() in lower)
    ]


def content(path):
    """All that a file holds, unpacked."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        return data + gzip.decompress(data)
    if data.startswith(b"SQLite format 3\0"):
        connection = sqlite3.connect(path)
        return data + "\n".join(connection.iterdump()).encode()
    return data


def truncated(address, ipv4=24, ipv6=48):
    """What `truncate` makes of an address."""
    parsed = ipaddress.ip_address(address)
    length = ipv4 if parsed.version == 4 else ipv6
    if parsed.version == 6 and int(parsed) >> 112 == 0x2002:
        length = min(ipv6, 16 + ipv4)
    return str(ipaddress.ip_network((parsed, length), strict=False).network_address)


def write_key(sonde, name="key", text=KEY + "\n"):
    """A key file that only its owner can read; returns the options of pseudonyms."""
    (sonde.work / sonde.file(name, text)).chmod(0o600)
    return ["--anonymize", "pseudonym", "--anonymize-key", name]
