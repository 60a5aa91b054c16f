"""Captures of packets, made with struct: pcap and pcapng, of every link type that is read."""

import ipaddress
import struct

ETHERNET, RAW, NULL, LOOP, COOKED, COOKED2 = 1, 101, 0, 108, 113, 276
LINKS = [ETHERNET, RAW, NULL, LOOP, COOKED, COOKED2]


def ip(source, destination, payload=b"x" * 8, fragment=0):
    """A packet of IPv4 or IPv6 with UDP in it, or a later fragment of one."""
    source, destination = ipaddress.ip_address(source), ipaddress.ip_address(destination)
    data = struct.pack(">HHHH", 5353, 53, 8 + len(payload), 0) + payload
    if source.version == 4:
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(data), 7, fragment, 64, 17, 0)
    else:
        head = struct.pack(">IHBB", 6 << 28, len(data), 17, 64)
    return head + source.packed + destination.packed + data


def framed(packet, link=ETHERNET, tags=()):
    """A packet as it is captured on a link; `tags` are those of virtual networks."""
    version = packet[0] >> 4
    kind = 0x0800 if version == 4 else 0x86DD
    if link == ETHERNET:
        return b"\2" * 12 + b"".join(struct.pack(">HH", tag, 5) for tag in tags) + struct.pack(">H", kind) + packet
    if link == COOKED:
        return struct.pack(">HHH8sH", 0, 1, 6, b"\2" * 8, kind) + packet
    if link == COOKED2:
        return struct.pack(">HHIHBB8s", kind, 0, 2, 1, 0, 6, b"\2" * 8) + packet
    if link == NULL:
        return struct.pack("<I", 2 if version == 4 else 10) + packet
    if link == LOOP:
        return struct.pack(">I", 2 if version == 4 else 24) + packet
    return packet


def pcap(frames, link=ETHERNET, order="<", nano=False, times=None, snap=None, lengths=None):
    """A capture file; `times` are in nanoseconds, `snap` cuts what is kept of each frame."""
    magic = 0xA1B23C4D if nano else 0xA1B2C3D4
    data = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snap or 262144, link)
    for index, frame in enumerate(frames):
        time = times[index] if times else (1_700_000_000 + index) * 10**9
        kept = frame[:snap] if snap else frame
        fraction = time % 10**9 // (1 if nano else 1000)
        length = lengths[index] if lengths else len(frame)
        data += struct.pack(order + "IIII", time // 10**9, fraction, len(kept), length) + kept
    return data


def block(order, kind, body):
    body += b"\0" * (-len(body) % 4)
    size = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + size + body + size


def pcapng(interfaces, order="<"):
    """A pcapng file: a list of interfaces, each a link type and its frames."""
    data = block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    for link, _ in interfaces:
        data += block(order, 1, struct.pack(order + "HHI", link, 0, 262144))
    for number, (_, frames) in enumerate(interfaces):
        for index, frame in enumerate(frames):
            time = (1_700_000_000 + index) * 10**6
            head = struct.pack(order + "IIIII", number, time >> 32, time & 0xFFFFFFFF, len(frame), len(frame))
            data += block(order, 6, head + frame)
    return data
