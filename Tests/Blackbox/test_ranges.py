"""`scan --log --range`: of one plain file the lines that begin in a range; adjoining ranges are the whole."""

import gzip
import json
import os
import random
import signal
import time

import captures
import pytest
from test_resume import without_times

SEEDS = range(int(os.environ.get("SONDE_TEST_RANGES", "6")))


@pytest.fixture
def local(loc_database):
    """The options of a run that sends nothing, and gives a record for every address."""
    return ["scan", "--log", "--provider", "local", "--database", loc_database]


def fuzzed(chooser):
    """A log as nobody would write it, with addresses."""
    pieces = []
    for n in range(chooser.randrange(0, 120)):
        kind = chooser.randrange(9)
        address = f"5.{n}.{chooser.randrange(250)}.7"
        if kind == 0:
            pieces.append(b"\n" * chooser.randrange(1, 4))
        elif kind == 1:
            pieces.append(b"ip,name\r\n")
        elif kind == 2:
            pieces.append("naïve 北京 ".encode() + address.encode() + " é\n".encode())
        elif kind == 3:
            pieces.append(b"\xff\xfe\x00\xc3 " + address.encode() + b"\r\r\n")
        elif kind == 4:
            pieces.append(b"x" * chooser.randrange(1, 9000) + b" " + address.encode() + b" 2001:db8::1\n")
        else:
            pieces.append(address.encode() + chooser.choice([b"\n", b"\r\n", b" 2a00::%d\n" % n, b"\r"]))
    text = b"".join(pieces)
    if chooser.random() < 0.2:
        text = b"\xef\xbb\xbf" + text
    return text.removesuffix(b"\n") if chooser.random() < 0.5 else text


@pytest.mark.parametrize("seed", SEEDS)
def test_adjoining_ranges_give_every_line_once(sonde, local, seed):
    chooser = random.Random(seed)
    text = fuzzed(chooser)
    sonde.file("log", text)
    keep = ["--duplicates", "keep", "log"]
    whole = sonde(*local, *keep).records
    borders = sorted({0, *(chooser.randrange(len(text) + 1) for _ in range(chooser.randrange(8)))})
    found = []
    for start, end in zip(borders, [*borders[1:], None]):
        part = sonde(*local, *keep, "--range", f"{start}:{'' if end is None else end - start}")
        assert part.status == 0, (start, end, part.stderr)
        # The lines are counted from the first that begins there.
        first = text.count(b"\n", 0, start) + (start > 0 and text[start - 1 : start] != b"\n")
        found += [{**record, "line": record["line"] + first} for record in part.records]
    assert found == whole


def test_check_takes_a_range_as_scan_does(sonde, local):
    text = fuzzed(random.Random(3))
    sonde.file("log", text)
    for range_ in ("0:2k", "2k:1k", "3k:", "99m:1"):
        told = sonde(*local, "--range", range_, "log", "--fields", "ip,line")
        checked = sonde("check", "--log", "--range", range_, "log", "--fields", "ip,line")
        assert (checked.stdout, checked.status) == (told.stdout, 0)
    result = sonde("check", "--range", "0:5", "log")
    assert result.status == 2 and "--log" in result.stderr


@pytest.mark.parametrize("range_, wanted", [
    ("0:1", ["5.1.1.1"]), ("1:8", ["5.2.2.2"]), ("1:7", []), ("9:0", []), ("0:0", []), ("8:1", ["5.2.2.2"]),
    ("9:", []), ("0:1k", ["5.1.1.1", "5.2.2.2"]), ("99:", []), ("9g:1m", []), ("16:", []), ("15:9", []),
])
def test_a_range_is_the_lines_that_begin_in_it(sonde, local, range_, wanted):
    sonde.file("log", "5.1.1.1\n5.2.2.2")
    result = sonde(*local, "--range", range_, "log")
    assert ([record["ip"] for record in result.records], result.status) == (wanted, 0)


def test_a_line_that_fills_many_ranges_is_read_by_the_first(sonde, local):
    sonde.file("log", b"5.1.1.1 " + b"y" * (3 << 20) + b" 5.2.2.2\n5.3.3.3\n")
    parts = [sonde(*local, "--range", f"{n}m:1m", "log").records for n in range(4)]
    assert [[record["ip"] for record in part] for part in parts] == [["5.1.1.1", "5.2.2.2"], [], [], ["5.3.3.3"]]


def test_a_range_is_of_one_plain_file(sonde, local):
    sonde.file("log", "8.8.8.8\n")
    sonde.file("log.gz", gzip.compress(b"8.8.8.8\n"))
    sonde.file("wide", "\ufeff8.8.8.8\n".encode("utf-16-le"))
    sonde.file("packets", captures.pcap([captures.framed(captures.ip("5.1.1.1", "5.2.2.2"))]))
    os.mkfifo(sonde.work / "pipe")
    refused = [["log.gz"], ["wide"], ["packets"], ["log", "log"], ["-"], [], ["5.1.1.1"], ["--pcap", "log"], ["pipe"]]
    for operands in refused:
        result = sonde(*local, "--range", "0:5", *operands, "-o", "out.csv", input=b"8.8.8.8\n")
        assert (result.status, result.stdout) == (2, b""), operands
        assert "--range" in result.stderr
        assert not list(sonde.work.glob("out*")), operands
    result = sonde("scan", "--provider", "local", "--range", "0:5", "log")
    assert result.status == 2 and "--log" in result.stderr
    assert sonde(*local, "--range", "0:5", "absent").status == 5


def test_a_range_is_resumed_as_if_undisturbed(sonde, local):
    chooser = random.Random(1)
    lines = (f"5.{n % 199}.{n % 251}.{n % 241} \"GET /{n}\" 2001:db8::{n % 900:x}" for n in range(60_000))
    sonde.file("log", "\n".join(lines) + "\n")
    command = [*local, "log", "--duplicates", "keep", "--range", "300k:1m"]
    began = time.monotonic()
    assert sonde(*command, "-o", "whole.csv").status == 0
    duration = time.monotonic() - began
    stops = 0
    for name in ("1.csv", "2.csv", "3.csv"):
        for _ in range(4):
            running = sonde.start(*command, "-o", name, "--resume")
            time.sleep(chooser.uniform(0, duration))
            running.signal(chooser.choice([signal.SIGKILL, signal.SIGTERM]))
            stops += running.finish().status not in (0, 1)
        assert sonde(*command, "-o", name, "--resume").status == 0
        assert without_times(sonde.read(name)) == without_times(sonde.read("whole.csv"))
    assert stops > 0


def test_another_range_is_another_scan(sonde, simulator):
    simulator.control(latency=60.0)
    sonde.file("log", "5.1.1.1\n5.2.2.2\n")
    scan = ["scan", "--log", "--provider", "ip-api", "log", "-o", "out.ndjson", "--resume"]
    running = sonde.start(*scan, "--range", "0:8", env=simulator.env)
    while not (sonde.work / "out.ndjson.journal").exists() or not simulator.counts()["total"]:
        time.sleep(0.01)
    running.signal(signal.SIGKILL)
    running.finish()
    simulator.control(latency=0)
    for other, words in [(["--range", "8:"], "'0:8', and is '8:'"), ([], "'0:8', and is not given")]:
        result = sonde(*scan, *other, env=simulator.env)
        assert result.status == 2 and f"another --range: it was {words}" in result.stderr
    result = sonde(*scan, "--range", "0:8", env=simulator.env)
    assert result.status == 0, result.stderr
    assert [json.loads(line)["ip"] for line in sonde.read("out.ndjson").splitlines()] == ["5.1.1.1"]
