"""Captures of packets: their addresses, in order, whatever holds them and however they are damaged."""

import bz2
import gzip
import json
import lzma
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import time

import pytest
from captures import (
    C_HDLC, COOKED, COOKED2, ETHERNET, FRAME_RELAY, IPNET, IPOIB, LINKS, NFLOG, NULL, PKTAP, PPP, PPP_HDLC, PPPOE, RADIOTAP, RAW,
    SNAP, block, framed, ip, nflog, pcap, pcapng, pktap, ppp, radiotap, wireless,
)

PAIRS = [
    ("8.8.8.8", "10.0.0.1"), ("2001:4860:4860::8888", "fe80::1"), ("10.0.0.1", "8.8.8.8"),
    ("1.1.1.1", "1.1.1.1"), ("::ffff:9.9.9.9", "2606:4700:4700::1111"),
]
# An address of IPv4 in one of IPv6 is that of IPv4.
ADDRESSES = [address.replace("::ffff:", "") for pair in PAIRS for address in pair]


def frames(link=ETHERNET, pairs=PAIRS, tags=(), order="<"):
    return [framed(ip(*pair), link, tags, order) for pair in pairs]


def extract(sonde, data, *options, name="c"):
    return sonde("extract", *options, sonde.file(name, data))


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("nano", [False, True])
def test_every_link_order_and_precision(sonde, link, order, nano):
    data = pcap(frames(link, order=order), link, order, nano)
    result = extract(sonde, data)
    assert (result.lines, result.status, result.stderr) == (ADDRESSES, 0, "")
    assert sonde("extract", "-", input=data).lines == ADDRESSES


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("order", "<>")
def test_pcapng(sonde, link, order):
    interface = (link, frames(link, order=order))
    result = extract(sonde, pcapng([interface], order))
    assert (result.lines, result.status) == (ADDRESSES, 0)
    twice = pcapng([interface, interface], order)
    assert extract(sonde, twice).lines == ADDRESSES + ADDRESSES


@pytest.mark.parametrize("tags", [(0x8100,), (0x88A8, 0x8100), (0x9100, 0x8100, 0x8100)])
def test_tags_of_virtual_networks_are_passed_over(sonde, tags):
    assert extract(sonde, pcap(frames(tags=tags))).lines == ADDRESSES


def of(*frames, link):
    return pcap(frames, link)


PACKET = ip("8.8.8.8", "1.1.1.1")
SIX = ip("2001:db8::1", "2001:db8::2")
BOTH = ["8.8.8.8", "1.1.1.1"]
TYPED = b"\x08\0" + PACKET


@pytest.mark.parametrize(
    "link, frame",
    [
        (PPP, b"\xff\x03" + ppp(PACKET)), (PPP, b"\x21" + PACKET), (PPP, b"\xff\x03\x21" + PACKET),
        (PPP_HDLC, b"\x0f\0\x08\0" + PACKET), (PPP_HDLC, b"\x8f\0\x08\0" + PACKET), (C_HDLC, b"\x8f\0\x08\0" + PACKET),
        # Addresses of three and four bytes, a byte that fills up, SNAP, and Cisco's types.
        (FRAME_RELAY, b"\x18\x40\x41\x03\0\xcc" + PACKET), (FRAME_RELAY, b"\x18\x40\x40\x41\x03\xcc" + PACKET),
        (FRAME_RELAY, b"\x18\x41\x03\0\x80\0\0\0" + TYPED), (FRAME_RELAY, b"\x18\x41\x08\0" + PACKET),
        (NFLOG, nflog([(9, PACKET)])), (NFLOG, nflog([(10, b"x"), (13, b"yyyyy"), (9, PACKET), (9, SIX)])),
        (PKTAP, pktap(framed(PACKET), ETHERNET)), (PKTAP, pktap(PACKET, 101, length=12)), (PKTAP, pktap(framed(PACKET, NULL), NULL)),
        # The fields of radiotap, of which those before the flags, and other words, move them.
        (RADIOTAP, radiotap(b"", 0) + wireless(SNAP + TYPED)),
        (RADIOTAP, radiotap(b"\2" * 8 + b"\x20\0\0\0", 3) + wireless(b"\0\0" + SNAP + TYPED, b"\x88\x02", more=b"\0\0")),
        (RADIOTAP, radiotap(b"\0" * 4 + b"\2" * 8 + b"\x20", 0x80000003, b"\1\0\0\0")
         + wireless(b"\0\0" + SNAP + TYPED, b"\x88\x02", more=b"\0\0")),
        (RADIOTAP, radiotap() + wireless(SNAP + TYPED, b"\x88\x02", more=b"\0\0")),
        (RADIOTAP, radiotap() + wireless(SNAP + TYPED, b"\x88\x82", more=b"\0\0\1\2\3\4")),
        (RADIOTAP, radiotap() + wireless(SNAP + TYPED, b"\x88\x03", more=b"\3" * 6 + b"\0\0")),
        (RADIOTAP, radiotap() + wireless(b"\4" * 12 + b"\0\x40" + SNAP + TYPED, b"\x88\x02", more=b"\x80\0")),
        (RADIOTAP, radiotap() + wireless(b"\xaa\xaa\x03\0\0\xf8" + TYPED)),
        (RADIOTAP, radiotap() + wireless(SNAP + b"\x81\0\0\5" + TYPED)),
    ],
)
def test_other_frames_of_a_link(sonde, link, frame):
    result = extract(sonde, of(frame, frame, link=link))
    assert (result.lines, result.status) == (BOTH * 2, 0)


@pytest.mark.parametrize(
    "link, frame",
    [
        (PPP, b"\xc0\x21" + PACKET), (PPP, b"\0"), (C_HDLC, b"\x8f\0\x80\x35" + PACKET), (PPPOE, b"\x11\0\0"),
        (FRAME_RELAY, b"\x18\x40\x40\x40"), (FRAME_RELAY, b"\x18\x41\x03\x80\0\x80\xc2\0\1" + PACKET), (FRAME_RELAY, b"\x18\x41\x03"),
        (NFLOG, nflog([(10, b"x")])), (NFLOG, b"\2\0\0\0\0\0\x09\0" + PACKET), (NFLOG, b"\2\0\0\0\x03\0\1\0" * 9),
        (PKTAP, pktap(PACKET, 12, kind=0)), (PKTAP, pktap(PACKET, PKTAP)), (PKTAP, pktap(PACKET, 999)),
        (PKTAP, b"\xff\xff\xff\xff\1\0\0\0\x0c\0\0\0" + PACKET), (PKTAP, b"\1\0\0\0\1\0\0\0\x0c\0\0\0" + PACKET),
        # What is encrypted, no data, a later fragment, and another organization's.
        (RADIOTAP, radiotap() + wireless(SNAP + TYPED, b"\x08\x42")), (RADIOTAP, radiotap() + wireless(SNAP + TYPED, b"\x48\x02")),
        (RADIOTAP, radiotap() + wireless(SNAP + TYPED, b"\x80\x00")), (RADIOTAP, radiotap() + wireless(SNAP + TYPED, sequence=1)),
        (RADIOTAP, radiotap() + wireless(b"\xaa\xaa\x03\0\x40\x96" + TYPED)), (RADIOTAP, b"\1" + radiotap()[1:] + wireless(SNAP + TYPED)),
        (RADIOTAP, b"\0\0\xff\xff" + b"\xff" * 40), (RADIOTAP, b"\0\0\x08\0\xff\xff\xff\xff"),
        (IPNET, b"\1\2" + b"\0" * 20), (IPOIB, b"\2" * 40 + b"\x08\x06\0\0" + PACKET), (IPOIB, b"\2" * 41),
    ],
)
def test_frames_without_a_packet_of_ip_have_no_address(sonde, link, frame):
    result = extract(sonde, of(frame, framed(PACKET, link), link=link))
    assert (result.lines, result.status) == (BOTH, 0)


@pytest.mark.parametrize("link", LINKS)
def test_every_link_cut_anywhere(sonde, link):
    whole = framed(PACKET, link)
    begin = len(whole) - len(PACKET)
    cuts = [whole[:size] for size in range(len(whole))]
    expected = [BOTH[: 0 if size < begin + 16 else 1 if size < begin + 20 else 2] for size in range(len(whole))]
    assert extract(sonde, pcap(cuts, link)).lines == [each for found in expected for each in found]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("piece", [1, 5, 37])
def test_several_interfaces_of_raw_ip_in_sections(sonde, order, piece):
    interfaces = [(RAW, frames(RAW)[:2]), (RAW, frames(RAW)[2:]), (RAW, [])]
    data = pcapng(interfaces, order) + pcapng(interfaces[::-1], order)
    expected = ADDRESSES + ADDRESSES[4:] + ADDRESSES[:4]
    assert extract(sonde, data).lines == expected
    running = sonde.start("extract", "-")
    for start in range(0, len(data), piece):
        running.write(data[start : start + piece])
    result = running.finish()
    assert (result.lines, result.status) == (expected, 0)
    # A block of no known kind, and one whose length says nothing.
    data = data[:28] + block(order, 0x0BAD, b"\1\0\0\0" * 3) + data[28:]
    assert extract(sonde, data).lines == expected
    assert extract(sonde, data + struct.pack(order + "II", 1, 3)).status == 5


def test_interfaces_of_other_links_are_told(sonde):
    result = extract(sonde, pcapng([(ETHERNET, frames()), (RAW, frames(RAW))]))
    assert result.status == 5 and "different from the type of the first interface" in result.stderr


def test_a_link_that_is_not_read_is_named(sonde):
    result = extract(sonde, pcap([b"x" * 60], link=105))
    assert result.status == 5 and "IEEE802_11" in result.stderr and result.stdout == b""


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gzip", "bzip2", "xz"])
@pytest.mark.parametrize("command", ["extract", "scan"])
def test_compressed_and_from_a_pipe(sonde, command, pack):
    data = pack(pcap(frames()))
    run = [command] if command == "extract" else ["scan", "--provider", "local", "--fields", "ip", "--format", "csv"]
    wanted = ADDRESSES if command == "extract" else ["ip", *dict.fromkeys(ADDRESSES)]
    assert sonde(*run, sonde.file("c", data)).lines == wanted
    assert sonde(*run, "-", input=data).lines == wanted
    assert sonde(*run, "--pcap", "-", input=data).lines == wanted


@pytest.mark.parametrize("log", [[], ["--log"]])
@pytest.mark.parametrize("piped", [False, True])
def test_scan_answers_each_address_once(sonde, loc_database, log, piped):
    data = pcap(frames() * 3)
    name = "-" if piped else sonde.file("c.pcap", data)
    run = ["scan", *log, "--provider", "local", "--database", loc_database]
    result = sonde(*run, name, "9.9.9.9", "7.7.7.7", **({"input": data} if piped else {}))
    assert [each["ip"] for each in result.records] == [*dict.fromkeys([*ADDRESSES, "9.9.9.9", "7.7.7.7"])]
    assert not any("line" in each for each in result.records)
    assert "32 entries" in result.stderr and "24 duplicates" in result.stderr
    result = sonde(*run, name, "--duplicates", "keep", **({"input": data} if piped else {}))
    assert [each["ip"] for each in result.records] == ADDRESSES * 3


@pytest.mark.parametrize("log", [[], ["--log"]])
@pytest.mark.parametrize("piped", [False, True])
def test_what_each_address_sent_and_received(sonde, log, piped):
    second = 10**9
    times = [5 * second, 2 * second + 999_999_999, 7 * second, 7 * second, 9 * second]
    data = pcap(frames(), times=times, nano=True, lengths=[100, 200, 4000, 60, 61])
    name = "-" if piped else sonde.file("c.pcap", data)
    fields = ["--fields", "ip,packets,bytes,first_seen,last_seen", "--provider", "local"]
    result = sonde("scan", *log, *fields, name, "7.7.7.7", **({"input": data} if piped else {}))
    assert result.status == 0, result.stderr
    found = {each.pop("ip"): list(each.values()) for each in result.records}
    time = "1970-01-01T00:00:0{}Z".format
    assert found == {
        "8.8.8.8": [2, 4100, time(5), time(7)], "10.0.0.1": [2, 4100, time(5), time(7)],
        "2001:4860:4860::8888": [1, 200, time(2), time(2)], "fe80::1": [1, 200, time(2), time(2)],
        "1.1.1.1": [1, 60, time(7), time(7)], "9.9.9.9": [1, 61, time(9), time(9)],
        "2606:4700:4700::1111": [1, 61, time(9), time(9)], "7.7.7.7": [],
    }
    assert list(found) == [*dict.fromkeys(ADDRESSES), "7.7.7.7"]
    assert "11 entries" in result.stderr and "3 duplicates" in result.stderr


def test_what_was_sent_in_every_form(sonde):
    name = sonde.file("c.pcap", pcap(frames(pairs=PAIRS[:1])))
    run = ["scan", "--provider", "local", name, "--fields", "ip,packets,bytes,first_seen"]
    csv = sonde(*run, "--format", "csv").lines
    assert csv[1:] == ["8.8.8.8,1,50,2023-11-14T22:13:20Z", "10.0.0.1,1,50,2023-11-14T22:13:20Z"]
    assert [line.split("\t") for line in sonde(*run, "--format", "tsv").lines] == [row.split(",") for row in csv]
    properties = json.loads(sonde(*run, "--format", "geojson").stdout)["features"][0]["properties"]
    assert properties == {"ip": "8.8.8.8", "packets": 1, "bytes": 50, "first_seen": "2023-11-14T22:13:20Z"}
    sonde(*run, "-o", "o.db")
    shell = subprocess.run(["sqlite3", sonde.work / "o.db", "SELECT * FROM records"], capture_output=True, text=True)
    assert shell.stdout.splitlines() == [row.replace(",", "|") for row in csv[1:]]
    assert "2023-11-14T22:13:20Z" in sonde(*run, "--format", "table").stdout.decode()


def test_totals_are_of_all_files(sonde):
    one, two = sonde.file("1", pcap(frames())), sonde.file("2", pcap(frames(pairs=[("8.8.8.8", "3.3.3.3")] * 5)))
    result = sonde("scan", "--provider", "local", one, two, "--fields", "ip,packets,input")
    found = {each["ip"]: (each["packets"], each["input"]) for each in result.records}
    assert found["8.8.8.8"] == (7, "1") and found["3.3.3.3"] == (5, "2")


def test_these_fields_and_every_occurrence_do_not_go_together(sonde):
    name = sonde.file("c", pcap(frames()))
    result = sonde("scan", name, "--duplicates", "keep", "--fields", "+bytes")
    assert result.status == 2 and "--fields bytes" in result.stderr


def test_the_options_of_extract(sonde):
    name = sonde.file("c.pcap", pcap(frames()))
    assert sonde("extract", "--unique", name).lines == [*dict.fromkeys(ADDRESSES)]
    assert sonde("extract", "-4", name).lines == [each for each in ADDRESSES if ":" not in each]
    assert sonde("extract", "-6", "--count", name).lines == [str(sum(":" in each for each in ADDRESSES))]
    assert "10.0.0.1" not in sonde("extract", "--no-reserved", name).lines
    log = sonde.file("a.log", "from 4.4.4.4\n")
    result = sonde("extract", "--with-filename", log, name)
    assert result.lines == ["a.log:4.4.4.4", *(f"c.pcap:{each}" for each in ADDRESSES)]


def test_pcap_insists(sonde):
    name = sonde.file("list", "8.8.8.8\n")
    for command in ("extract", "scan"):
        result = sonde(command, "--pcap", name)
        assert result.status == 5 and result.stdout == b"" and (
            f"sonde: {name}: is no capture that can be read (unknown file format)\n" in result.stderr
        )
    for empty in (sonde("extract", "--pcap", "-", input=b""), sonde("extract", "--pcap", sonde.file("no", b""))):
        assert empty.status == 5 and "truncated dump file" in empty.stderr


@pytest.mark.parametrize("command", ["check", "annotate", "upgrade"])
def test_other_commands_name_it(sonde, command):
    result = sonde(command, sonde.file("c", pcap(frames())))
    assert result.status == 5


def test_what_is_no_ip_has_no_address(sonde):
    others = [
        b"\2" * 12 + b"\x08\x06" + b"\0" * 28, b"\2" * 12 + b"\x08\x00" + b"\x60" + b"\1" * 40,
        b"\2" * 12 + b"\x86\xdd" + b"\x45" + b"\1" * 40, b"\2" * 13, b"", b"\2" * 12 + b"\x81\x00" * 20,
    ]
    assert extract(sonde, pcap([*others, *frames()])).lines == ADDRESSES


def test_fragments_and_what_is_inside_tunnels(sonde):
    inner = ip("4.4.4.4", "5.5.5.5")
    outer = ip("1.2.3.4", "2.3.4.5", inner)
    data = pcap([framed(outer), framed(ip("6.6.6.6", "7.7.7.7", fragment=0x20B9))])
    assert extract(sonde, data).lines == ["1.2.3.4", "2.3.4.5", "6.6.6.6", "7.7.7.7"]


@pytest.mark.parametrize("snap, count", [(34, 2), (33, 1), (30, 1), (29, 0), (14, 0), (1, 0)])
def test_a_short_snap_length_gives_what_was_kept(sonde, snap, count):
    result = extract(sonde, pcap([framed(ip("8.8.8.8", "1.1.1.1"))] * 2, snap=snap))
    assert (result.lines, result.status) == (["8.8.8.8", "1.1.1.1"][:count] * 2, 0)


@pytest.mark.parametrize("piped", [False, True])
def test_cut_anywhere_it_gives_the_whole_packets(sonde, piped):
    data = pcap(frames())
    ends = []
    for count in range(len(PAIRS) + 1):
        ends.append(len(pcap(frames(pairs=PAIRS[:count]))))
    for cut in [*range(24, len(data), 37), *ends]:
        whole = sum(end <= cut for end in ends) - 1
        for run in (["extract"], ["scan", "--provider", "local", "--duplicates", "keep", "--fields", "ip", "--format", "csv"]):
            given = {"input": data[:cut]} if piped else {}
            result = sonde(*run, "-" if piped else sonde.file("c", data[:cut]), **given)
            lines = result.lines[1:] if run[0] == "scan" else result.lines
            assert lines == ADDRESSES[: 2 * whole]
            assert result.status == (0 if cut in ends else 5)
            assert ("truncated dump file" in result.stderr) == (cut not in ends)


def reference(path):
    """The addresses that tcpdump prints, and whether it read to the end."""
    run = subprocess.run(["tcpdump", "-nnqS", "-r", path], capture_output=True, text=True)
    pairs = re.findall(r"^\S+ (?:.* )?IP6? (\S+) > ([^\s:]+(?::[^\s:]*)*): ", run.stdout, re.M)
    return [re.sub(r"\.\d+$", "", each) if each.count(".") != 3 else each for pair in pairs for each in pair]


@pytest.mark.skipif(not shutil.which("tcpdump"), reason="there is no tcpdump")
@pytest.mark.parametrize(
    "link",
    [ETHERNET, COOKED, COOKED2, RAW, PPP, PPP_HDLC, PPPOE, C_HDLC, FRAME_RELAY, RADIOTAP, IPNET, NFLOG, IPOIB, PKTAP],
)
def test_tcpdump_names_the_same(sonde, link):
    chooser = random.Random(link)

    def address(version):
        return ".".join(str(chooser.randrange(1, 255)) for _ in range(4)) if version == 4 else (
            "2001:db8:" + ":".join(f"{chooser.randrange(1, 65536):x}" for _ in range(6)))

    pairs = [(address(version), address(version)) for version in (chooser.choice((4, 6)) for _ in range(2000))]
    name = sonde.file("c", pcap(frames(link, pairs), link))
    found = sonde("extract", name).lines
    assert found == [each for pair in pairs for each in pair] == reference(sonde.work / name)


@pytest.mark.parametrize("make", [pcap, lambda frames: pcapng([(ETHERNET, frames)])], ids=["pcap", "pcapng"])
def test_no_damage_ends_it(sonde, make):
    chooser = random.Random(11)
    data = make(frames(tags=(0x8100,)) * 4)
    for _ in range(60):
        damaged = bytearray(data)
        for _ in range(chooser.randrange(1, 6)):
            damaged[chooser.randrange(len(damaged))] = chooser.randrange(256)
        damaged = bytes(damaged[: chooser.randrange(4, len(damaged) + 1)])
        one, other = extract(sonde, damaged, "--pcap"), sonde("extract", "--pcap", "-", input=damaged)
        for result in (one, other):
            assert result.status in (0, 5), result.stderr
        assert one.lines == other.lines


def test_packets_are_answered_as_they_come(sonde):
    running = sonde.start("scan", "--pcap", "--provider", "local", "--fields", "ip", "-")
    data = pcap(frames())
    first = len(pcap(frames(pairs=PAIRS[:1])))
    running.write(data[:first])
    assert json.loads(running.line(timeout=3)) == {"ip": "8.8.8.8"}
    assert json.loads(running.line(timeout=1)) == {"ip": "10.0.0.1"}
    running.write(data[first:first + 7])
    time.sleep(0.3)
    running.write(data[first + 7:])
    assert json.loads(running.line(timeout=3)) == {"ip": "2001:4860:4860::8888"}
    assert running.finish().status == 0


@pytest.mark.parametrize("log", [[], ["--log"]])
def test_a_wait_for_packets_ends_at_a_signal(sonde, log):
    running = sonde.start("scan", *log, "--pcap", "--provider", "local", "--fields", "ip", "-")
    running.write(pcap(frames(pairs=PAIRS[:1])))
    running.line(timeout=3), running.line(timeout=1)
    running.signal(signal.SIGINT)
    begin = time.monotonic()
    running.process.wait(timeout=5)
    assert running.process.returncode in (130, -2) and time.monotonic() - begin < 2


@pytest.mark.parametrize("more", [[], ["--fields", "+packets,+bytes"], ["--log"]])
def test_a_scan_of_a_capture_is_resumed(sonde, simulator, more):
    simulator.control(batch_limit=100_000, latency=0.05)
    pairs = [(f"5.{n // 250}.{n % 250}.3", f"5.{n // 250}.{n % 250}.4") for n in range(600)]
    name = sonde.file("c.pcap", pcap(frames(pairs=pairs * 2)))
    command = ["scan", "--provider", "ip-api", "--concurrency", "1", "--no-cache", name, *more]
    assert sonde(*command, "-o", "whole.csv", env=simulator.env).status == 0
    chooser = random.Random(str(more))
    status = None
    while status != 0:
        running = sonde.start(*command, "-o", "o.csv", "--resume", env=simulator.env)
        time.sleep(chooser.uniform(0.05, 0.6))
        running.signal(chooser.choice([signal.SIGKILL, signal.SIGTERM]))
        status = running.finish().status
        assert status in (0, 137, 143)
    times = rb"\d{4}-\d\d-\d\dT[\d:]{8}Z"
    assert re.sub(times, b"", sonde.read("o.csv")) == re.sub(times, b"", sonde.read("whole.csv"))
    assert not os.path.exists(sonde.work / "o.csv.journal")
