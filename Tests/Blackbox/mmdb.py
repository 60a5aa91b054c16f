"""Writes MaxMind DB files (https://maxmind.github.io/MaxMind-DB/), small ones for tests.

A search tree of two records a node, sixteen zero bytes, the data section, and the metadata behind
its marker. IPv4 networks lie under `::/96` of the tree, as in MaxMind's own files.
"""

import ipaddress
import struct
import time


class Float(float):
    """A number of 32 bits; plain floats are written with 64."""


class UInt16(int):
    """A whole number of 16 bits; plain ones are written with 32."""


class UInt64(int):
    """A whole number of 64 bits."""


class UInt128(int):
    """A whole number of 128 bits."""


class Int32(int):
    """A signed number of 32 bits."""


class Node:
    """A branching of the tree: for each bit another node, a value, or nothing."""

    def __init__(self):
        self.sides = [None, None]


class Value:
    """A record as it is met at a leaf."""

    def __init__(self, record):
        self.record = record


def encode(value):
    """A value in the data section's form."""
    if isinstance(value, bool):
        return _head(14, int(value))
    if isinstance(value, str):
        return _with_size(2, value.encode())
    if isinstance(value, Float):
        return _head(15, 4) + struct.pack(">f", value)
    if isinstance(value, float):
        return _head(3, 8) + struct.pack(">d", value)
    if isinstance(value, bytes):
        return _with_size(4, value)
    if isinstance(value, Int32):
        return _head(8, 4) + struct.pack(">i", value)
    if isinstance(value, int):
        digits = value.to_bytes((value.bit_length() + 7) // 8, "big")
        return _with_size({UInt16: 5, UInt64: 9, UInt128: 10}.get(type(value), 6), digits)
    if isinstance(value, dict):
        pairs = b"".join(encode(name) + encode(entry) for name, entry in value.items())
        return _head(7, len(value)) + pairs
    return _head(11, len(value)) + b"".join(map(encode, value))


def _with_size(kind, data):
    return _head(kind, len(data)) + data


def _head(kind, size):
    if size < 29:
        low, more = size, b""
    elif size < 285:
        low, more = 29, bytes([size - 29])
    elif size < 65821:
        low, more = 30, struct.pack(">H", size - 285)
    else:
        low, more = 31, (size - 65821).to_bytes(3, "big")
    # Kinds above 7 have a byte of their own after the first.
    first = bytes([kind << 5 | low]) if kind <= 7 else bytes([low, kind - 7])
    return first + more


def _insert(root, network, record, version):
    address = int(network.network_address)
    depth, bits = network.prefixlen, network.max_prefixlen
    if version == 6 and network.version == 4:
        depth, bits = depth + 96, 128
    node = root
    for step in range(depth):
        side = address >> (bits - 1 - step) & 1
        if step == depth - 1:
            node.sides[side] = Value(record)
            return
        if not isinstance(node.sides[side], Node):
            # What held the whole of it now holds both halves.
            inner = Node()
            inner.sides = [node.sides[side]] * 2
            node.sides[side] = inner
        node = node.sides[side]


def _nodes(root):
    nodes, number = [root], {id(root): 0}
    for node in nodes:
        for side in node.sides:
            if isinstance(side, Node):
                number[id(side)] = len(nodes)
                nodes.append(side)
    return nodes, number


def _pair(left, right, size):
    if size == 28:
        middle = left >> 24 << 4 | right >> 24
        mask = (1 << 24) - 1
        return (left & mask).to_bytes(3, "big") + bytes([middle]) + (right & mask).to_bytes(3, "big")
    return left.to_bytes(size // 8, "big") + right.to_bytes(size // 8, "big")


def write(path, database_type, networks, version=6, record_size=24, built=None):
    """Writes a database of `networks`, a dictionary from prefix to record; wide ones come first."""
    root = Node()
    parsed = sorted(
        ((ipaddress.ip_network(prefix), record) for prefix, record in networks.items()),
        key=lambda pair: pair[0].prefixlen / pair[0].max_prefixlen,
    )
    for network, record in parsed:
        _insert(root, network, record, version)
    nodes, number = _nodes(root)
    data, places = bytearray(), {}

    def place(side):
        if side is None:
            return len(nodes)
        if isinstance(side, Node):
            return number[id(side)]
        written = encode(side.record)
        if written not in places:
            places[written] = len(data)
            data.extend(written)
        return len(nodes) + 16 + places[written]

    tree = b"".join(_pair(place(n.sides[0]), place(n.sides[1]), record_size) for n in nodes)
    metadata = {
        "binary_format_major_version": UInt16(2),
        "binary_format_minor_version": UInt16(0),
        "build_epoch": UInt64(time.time() if built is None else built),
        "database_type": database_type,
        "description": {"en": "A database for tests"},
        "ip_version": UInt16(version),
        "languages": ["en"],
        "node_count": len(nodes),
        "record_size": UInt16(record_size),
    }
    marker = b"\xab\xcd\xefMaxMind.com"
    with open(path, "wb") as file:
        file.write(tree + bytes(16) + data + marker + encode(metadata))
    return path
