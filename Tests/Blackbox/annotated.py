"""What the styles of `sonde annotate` find in lines: slow, and by Python's own json and csv."""

import ipaddress
import json
import re

BLANKS = " \t\n\v\f\r"
PORT = re.compile(r":([0-9]{1,5})\Z")


def host(text):
    """The address and its zone that a text is but for blanks, brackets and a port; else None."""
    text = text.strip(BLANKS)
    bracketed = re.fullmatch(r"\[([^\]]*)\](:[0-9]{1,5})?", text, re.ASCII | re.DOTALL)
    if bracketed:
        if bracketed[2] and int(bracketed[2][1:]) > 65535:
            return None
        return address(bracketed[1])
    found = address(text)
    if found:
        return found
    port = PORT.search(text)
    head = text[: port.start()] if port else ""
    if port and int(port[1]) <= 65535 and "." in head and "%" not in head:
        return address(head)
    return None


def address(text):
    """An address as Python reads it, but zones on link-local addresses alone."""
    head, percent, zone = text.partition("%")
    try:
        found = ipaddress.ip_address(head)
    except ValueError:
        return None
    mapped = getattr(found, "ipv4_mapped", None)
    if percent:
        if found.version == 4 or not found.is_link_local or mapped or not is_zone(zone):
            return None
        return f"{found.compressed}%{zone}"
    return str(mapped or found)


def is_zone(zone):
    if not zone or re.search(r"[%/,\x00-\x20\x7f]", zone) or len(zone.encode("utf-8", "replace")) > 200:
        return False
    try:
        zone.encode()
    except UnicodeEncodeError:
        return False
    return all(address(zone[i + 1 :]) is None for i, c in enumerate(zone) if c == "-")


def hosts(text):
    """The records that a string of JSON stands for: one, or a list with None for unknown ones."""
    members = text.split(",")
    found = []
    for member in members:
        one = host(member)
        if one is None and member.strip(BLANKS) not in ("unknown", "-"):
            return None
        found.append(one)
    if not any(found):
        return None
    return found[0] if len(found) == 1 else found


def pointers(line, key="sonde"):
    """What a line of bytes gains: addresses by their JSON pointers; None where it passes unchanged."""

    def refuse(word):
        raise ValueError(word)

    try:
        text = line.decode()
        text = text.removeprefix("\ufeff")
        # Numbers may have any size: only strings are wanted.
        value = json.loads(text, parse_int=len, parse_float=len, parse_constant=refuse)
    except ValueError:
        return None
    if not isinstance(value, dict) or key in value:
        return None
    found = {}
    collect(value, "", found)
    return found or None


def collect(value, pointer, found):
    if isinstance(value, str):
        one = hosts(value)
        if one is not None:
            found[pointer] = one
    elif isinstance(value, dict):
        for name, member in value.items():
            collect(member, f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}", found)
    elif isinstance(value, list):
        for index, element in enumerate(value):
            collect(element, f"{pointer}/{index}", found)


class NoTable(Exception):
    """A header that does not say where the addresses are."""


def rows(data, delimiter):
    """The rows of a table of bytes: what is before the line's end, its cells, the line's end."""
    d = re.escape(delimiter)
    cell = re.compile(rb'(?:"(?:[^"]|"")*(?:"(?!"))[^%b\n]*|(?!")[^%b\n]*|"(?:[^"]|"")*\Z)' % (d, d))
    start = place = 0
    cells = []
    while start < len(data):
        one = cell.match(data, place)
        cells.append(one[0])
        place = one.end()
        following = data[place : place + 1]
        if following == delimiter:
            place += 1
            continue
        closed = meaning(cells[-1]) is not None
        end = following
        if closed and cells[-1].endswith(b"\r"):
            cells[-1] = cells[-1][:-1]
            end = b"\r" + end
        yield data[start : place + len(following) - len(end)], cells if closed else None, end
        start = place = place + len(following)
        cells = []


def meaning(cell):
    """A cell without its quotes; None where they are not closed."""
    if not cell.startswith(b'"'):
        return cell
    quoted = re.match(rb'"((?:[^"]|"")*)"(?!")', cell)
    return quoted and quoted[1].replace(b'""', b'"') + cell[quoted.end() :]


def choose_delimiter(data):
    """The most frequent of three outside quotes in the header."""
    outside = re.sub(rb'(?:(?<=[\t,;\n])|\A)"(?:[^"]|"")*("|\Z)', b"", data[: header_end(data)])
    return max(b"\t", b",", b";", key=outside.count) if re.search(rb"[\t,;]", outside) else b","


def header_end(data):
    for end in re.finditer(rb"\n", data):
        head = re.sub(rb'(?:(?<=[\t,;\n])|\A)"(?:[^"]|"")*"', b"", data[: end.end()])
        if not re.search(rb'(?:(?<=[\t,;\n])|\A)"', head):
            return end.start()
    return len(data)


def cell_host(cell):
    """What a cell holds: None for nothing, an address, or False for anything else."""
    text = meaning(cell).decode("utf-8", "surrogateescape")
    if not text.strip(BLANKS):
        return None
    # A cell with anything behind its quotes, or a quote in them, is no address.
    if cell.startswith(b'"') and b'"' in cell.rstrip(BLANKS.encode())[1:-1]:
        return False
    if cell.startswith(b'"') and not cell.rstrip(BLANKS.encode()).endswith(b'"'):
        return False
    return host(text) or False


def table(data, fields, cells_of, columns=(), delimiter=None):
    """A table with new columns: its bytes, and the rows that pass unchanged.

    `cells_of` gives the new cells of an address, or of the text of a bad cell.
    """
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    data = data[len(mark) :]
    if not data:
        return mark, 0
    delimiter = delimiter or choose_delimiter(data)
    lines = list(rows(data, delimiter))
    body, header, end = lines[0]
    if header is None:
        raise NoTable
    names = [meaning(cell) for cell in header]
    chosen = choose_columns(names, columns, lines[1:])
    new = [names[column] + b"_" + field.encode() for column in chosen for field in fields]
    if len(set(names) | set(new)) != len(set(names)) + len(new):
        raise NoTable
    output = [mark + body + b"".join(delimiter + quote(name, delimiter) for name in new) + end]
    unchanged = 0
    for body, cells, end in lines[1:]:
        if cells is None or len(cells) != len(names) or not body:
            output.append(body + end)
            unchanged += 1
            continue
        for column in chosen:
            found = cell_host(cells[column])
            if found is None:
                gained = [b""] * len(fields)
            else:
                gained = cells_of(found, meaning(cells[column]))
            body += b"".join(delimiter + quote(text, delimiter) for text in gained)
        output.append(body + end)
    return b"".join(output), unchanged


def choose_columns(names, columns, lines):
    if columns:
        if not all(name in names for name in columns):
            raise NoTable
        return [place for name in columns for place, own in enumerate(names) if own == name]
    usual = [place for place, name in enumerate(names) if name.lower() == b"ip"]
    if len(usual) == 1:
        return usual
    first = next(((body, cells) for body, cells, _ in lines if body), None)
    cells = (first and first[1] or [])[: len(names)]
    found = [place for place, cell in enumerate(cells) if cell_host(cell)]
    if usual or len(found) != 1:
        raise NoTable
    return found


def quote(text, delimiter):
    if any(byte in text for byte in (delimiter, b'"', b"\r", b"\n")):
        return b'"' + text.replace(b'"', b'""') + b'"'
    return text
