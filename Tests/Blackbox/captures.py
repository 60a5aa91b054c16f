"""Captures of packets, made with struct: pcap and pcapng, of every link type that is read."""

import ipaddress
import struct

ETHERNET, RAW, NULL, LOOP, COOKED, COOKED2 = 1, 101, 0, 108, 113, 276
PPP, PPP_HDLC, PPPOE, C_HDLC, FRAME_RELAY = 9, 50, 51, 104, 107
PPPD, PPP_DIRECTION, HDLC_DIRECTION, RELAY_DIRECTION = 166, 204, 205, 206
RADIOTAP, IPNET, NFLOG, IPOIB, PKTAP = 127, 226, 239, 242, 258
LINKS = [
    ETHERNET, RAW, NULL, LOOP, COOKED, COOKED2, PPP, PPP_HDLC, PPPOE, C_HDLC, FRAME_RELAY, PPPD,
    PPP_DIRECTION, HDLC_DIRECTION, RELAY_DIRECTION, RADIOTAP, IPNET, NFLOG, IPOIB, PKTAP,
]
SNAP = b"\xaa\xaa\x03\0\0\0"


def ip(source, destination, payload=b"x" * 8, fragment=0):
    """A packet of IPv4 or IPv6 with UDP in it, or a later fragment of one."""
    source, destination = ipaddress.ip_address(source), ipaddress.ip_address(destination)
    data = struct.pack(">HHHH", 5353, 53, 8 + len(payload), 0) + payload
    if source.version == 4:
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(data), 7, fragment, 64, 17, 0)
    else:
        head = struct.pack(">IHBB", 6 << 28, len(data), 17, 64)
    return head + source.packed + destination.packed + data


def framed(packet, link=ETHERNET, tags=(), order="<"):
    """A packet as it is captured on a link; `tags` are those of virtual networks, `order` is the machine's."""
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
    if link in (PPP, PPP_HDLC, PPPD):
        return {PPP: b"", PPP_HDLC: b"\xff\x03", PPPD: b"\1\3"}[link] + ppp(packet)
    if link == PPPOE:
        return struct.pack(">BBHH", 0x11, 0, 7, len(packet) + 2) + ppp(packet)
    if link in (C_HDLC, HDLC_DIRECTION):
        return b"\1" * (link == HDLC_DIRECTION) + struct.pack(">BBH", 0x0F, 0, kind) + packet
    if link in (FRAME_RELAY, RELAY_DIRECTION):
        return b"\1" * (link == RELAY_DIRECTION) + b"\x18\x41\x03" + (b"\xcc" if version == 4 else b"\x8e") + packet
    if link == PPP_DIRECTION:
        return b"\0\xff\x03" + ppp(packet)
    if link == RADIOTAP:
        return radiotap() + wireless(SNAP + struct.pack(">H", kind) + packet)
    if link == IPNET:
        return struct.pack(">BBHIIIII", 1, 2 if version == 4 else 26, 1, len(packet), 3, 0, 0, 0) + packet
    if link == NFLOG:
        return nflog([(1, b"\x08\0\1\0"), (10, b"lan\0"), (9, packet)], 2 if version == 4 else 10, order)
    if link == IPOIB:
        return b"\2" * 40 + struct.pack(">HH", kind, 0) + packet
    if link == PKTAP:
        return pktap(packet, 12)
    return packet


def ppp(packet):
    return b"\0" + (b"\x21" if packet[0] >> 4 == 4 else b"\x57") + packet


def radiotap(fields=b"\0", present=2, more=b""):
    """A header of radiotap (https://www.radiotap.org): the words that say what there is, and that."""
    return struct.pack("<BBHI", 0, 0, 8 + len(more) + len(fields), present) + more + fields


def wireless(body, control=b"\x08\x02", sequence=0, more=b""):
    """A frame of IEEE 802.11."""
    return control + b"\0\0" + b"\2" * 18 + struct.pack("<H", sequence) + more + body


def nflog(attributes, family=2, order="<"):
    """What netfilter logs: attributes, each filled up to four bytes."""
    data = struct.pack(">BBH", family, 0, 5)
    for kind, value in attributes:
        data += struct.pack(order + "HH", len(value) + 4, kind) + value + b"\0" * (-len(value) % 4)
    return data


def pktap(packet, link, kind=1, length=108):
    """A packet behind the header of Apple's packet tap."""
    return struct.pack("<III", length, kind, link).ljust(length, b"\0") + packet


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
