"""Bad bytes give an `invalid` record, never a crash, and what follows is read."""

import bz2
import gzip
import json
import lzma
import os
import subprocess
import time

import pytest

COLUMNS = ("--format", "csv", "--fields", "ip,status,line")


def test_line_ends_and_a_byte_order_mark(sonde):
    result = sonde("check", *COLUMNS, input=b"\xef\xbb\xbf8.8.8.8\r\n\r\n1.1.1.1 # end\r\n9.9.9.9")
    assert result.stdout == b"ip,status,line\n8.8.8.8,ok,1\n1.1.1.1,ok,3\n9.9.9.9,ok,4\n"


@pytest.mark.parametrize(
    "item",
    [
        b"8.8.8.8\x00",
        b"\x00",
        b"\xff\xfe8\x00.\x008\x00",
        b"caf\xe9",
        b"\xed\xa0\x80 surrogate",
        b"\x1b[31m8.8.8.8",
        b"8.8.8.8\x7f",
        b"1.1.1.1\xc2\xa0x",
    ],
)
def test_bad_bytes_are_one_invalid_record(sonde, item):
    result = sonde("check", input=b"8.8.8.8\n" + item + b"\n1.1.1.1\n")
    first, bad, last = result.records
    assert (first["ip"], last["ip"], last["line"]) == ("8.8.8.8", "1.1.1.1", 3)
    assert (bad["status"], bad["line"]) == ("invalid", 2) and bad["message"]
    assert result.status == 1


def test_a_very_long_line_is_cut_to_256_bytes(sonde):
    for letter in ("x", "é", "8.", "1"):
        long = (letter * (10 << 20)).encode()[: 10 << 20]
        result = sonde("check", input=long + b"\n8.8.8.8\n")
        bad, good = result.records
        assert bad["status"] == "invalid" and 200 <= len(bad["ip"].encode()) <= 256
        assert long.decode().startswith(bad["ip"])
        assert (good["ip"], good["status"], good["line"]) == ("8.8.8.8", "ok", 2)


def test_random_bytes_never_crash_it(sonde):
    import random

    data = random.Random(7).randbytes(300_000)
    result = sonde("check", input=data + b"\n8.8.8.8\n")
    assert result.status == 1
    assert result.records[-1]["ip"] == "8.8.8.8"
    assert result.records[-1]["line"] == data.count(b"\n") + 2
    for command in (["extract"], ["check", "--log"]):
        assert sonde(*command, input=data + b"\n8.8.8.8\n").status in (0, 1)


def _zstd(data):
    return subprocess.run(["zstd", "-qc"], input=data, capture_output=True, check=True).stdout


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, _zstd, bz2.compress], ids=["gzip", "xz", "zstd", "bzip2"])
def test_compressed_input_is_recognised_by_its_content(sonde, pack):
    text = "".join(f"8.8.{n // 256}.{n % 256}\n" for n in range(20_000)).encode()
    name = sonde.file("list.txt", pack(text[:70_000]) + pack(text[70_000:]))
    result = sonde("check", "--format", "csv", "--fields", "ip", name)
    assert result.stdout == b"ip\n" + text and result.status == 0
    assert sonde("check", "--format", "csv", "--fields", "ip", input=pack(text)).stdout == b"ip\n" + text


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, _zstd, bz2.compress], ids=["gzip", "xz", "zstd", "bzip2"])
def test_damaged_compressed_input_is_reported_after_what_could_be_read(sonde, pack):
    text = "".join(f"8.8.{n // 256}.{n % 256}\n" for n in range(60_000)).encode()
    packed = pack(text)
    name = sonde.file("list.gz", packed[: len(packed) // 2])
    result = sonde("check", "--format", "csv", "--fields", "ip", name, "1.1.1.1")
    assert result.status == 5 and "list.gz" in result.stderr
    assert result.lines[-1] == "1.1.1.1"


def _tar(magic):
    return b"access.log".ljust(257, b"\0") + magic.ljust(255, b"\0")


FOREIGN = {
    "list.zip": (b"PK\x03\x04\x14\0\0\0", "is a zip archive, which is not read: unpack it first"),
    "list.xlsx": (b"PK\x03\x04\x14\0\0\0", "is a spreadsheet, which is not read: save it as CSV first"),
    "list.7z": (b"7z\xbc\xaf\x27\x1c\0\x04", "is a 7z archive, which is not read: unpack it first"),
    "list.rar": (b"Rar!\x1a\x07\x01\0", "is a rar archive, which is not read: unpack it first"),
    "list.lz4": (b"\x04\x22\x4d\x18\x64\x40", "is packed by lz4, which is not read: unpack it with lz4 -dc"),
    "list.lz": (b"LZIP\x01\x14", "is packed by lzip, which is not read: unpack it with lzip -dc"),
    "list.Z": (b"\x1f\x9d\x90\x38", "is packed by compress (.Z), which is not read: unpack it with gzip -dc"),
    "list.sz": (b"\xff\x06\0\0sNaPpY", "is packed by snappy, which is not read: unpack it first"),
    "list.lzma": (b"\x5d\0\0\x80\0" + b"\xff" * 8, "is packed by lzma, which is not read: unpack it with xz -dc"),
    "list.pcap": (b"\xd4\xc3\xb2\xa1\x02\0\x04\0", "is a capture of packets, which is not read: print it with tcpdump -nr first"),
    "list.pcapng": (b"\n\r\r\n\x1c\0\0\0\x4d\x3c\x2b\x1a", "is a capture of packets, which is not read: print it with tcpdump -nr first"),
    "list.tar": (_tar(b"ustar\x0000"), "is a tar archive, which is not read: print its files with tar -xOf first"),
    "gnu.tar": (_tar(b"ustar  "), "is a tar archive, which is not read: print its files with tar -xOf first"),
    "utf32": ("\ufeff8.8.8.8\n".encode("utf-32-le"), "is UTF-32 text, which is not read: convert it to UTF-8 first"),
}


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("command", ["check", "check --log", "extract"])
def test_what_is_not_read_is_named_as_what_it_is(sonde, name, command):
    beginning, reason = FOREIGN[name]
    if command == "extract" and "capture" in reason:
        pytest.skip("these are read")
    content = beginning + b"\n1.1.1.1\n" * 100
    sonde.file(name, content)
    good = sonde.file("good", "8.8.8.8\n")
    result = sonde(*command.split(), name)
    assert (result.stdout, result.status, result.stderr) == (b"", 5, f"sonde: {name}: {reason}\n")
    # Packed inside gzip, and from a pipe, it is the same.
    packed = sonde.file("packed.gz", gzip.compress(content))
    for options in ({}, {"input": content}):
        where = "-" if options else packed
        result = sonde(*command.split(), where, good, **options)
        assert result.status == 5 and b"8.8.8.8" in result.stdout and b"1.1.1.1" not in result.stdout
        # Without its ending a spreadsheet is a zip archive.
        expected = FOREIGN["list.zip"][1] if name == "list.xlsx" else reason
        assert f"sonde: {where}: {expected}\n" in result.stderr


@pytest.mark.parametrize("command", ["check", "check --log", "extract"])
def test_an_input_packed_twice_is_told(sonde, command):
    name = sonde.file("twice.gz", gzip.compress(gzip.compress(b"8.8.8.8\n")))
    result = sonde(*command.split(), name)
    assert result.status == 5 and f"sonde: {name}: is compressed twice: unpack it first\n" in result.stderr
    assert result.stdout == b""


UTF16 = {"little": ("utf-16-le", b"\xff\xfe"), "big": ("utf-16-be", b"\xfe\xff")}


@pytest.mark.parametrize("order", UTF16)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress], ids=["plain", "gzip", "bzip2"])
def test_utf16_is_read_as_the_utf8_it_means(sonde, order, pack):
    encoding, mark = UTF16[order]
    text = "8.8.8.8\r\n# caf\u00e9 \U0001f98a\r\n\r\n2001:db8::1 # \u20ac\r\nfe80::1%eth\u00e9\r\ncaf\u00e9\r\n1.1.1.1"
    name = sonde.file("list.txt", pack(mark + text.encode(encoding)))
    rows = "ip,status,line\n8.8.8.8,ok,1\n2001:db8::1,reserved,4\nfe80::1%eth\u00e9,reserved,5\ncaf\u00e9,invalid,6\n1.1.1.1,ok,7\n"
    assert sonde("check", *COLUMNS, name).stdout.decode() == rows
    assert sonde("check", *COLUMNS, input=pack(mark + text.encode(encoding))).stdout.decode() == rows
    log = "from 8.8.8.8 to [2001:db8::1]:443 \u2192 \u201e9.9.9.9\u201c\r\n"
    packed = sonde.file("log", pack(mark + (log * 60_000).encode(encoding)))
    assert sonde("extract", packed).stdout == b"8.8.8.8\n2001:db8::1\n9.9.9.9\n" * 60_000
    result = sonde("check", "--log", "--duplicates", "keep", *COLUMNS, packed)
    assert result.stdout.endswith(b"\n9.9.9.9,ok,60000\n") and result.stdout.count(b"\n") == 180_001


@pytest.mark.parametrize("order", UTF16)
def test_utf16_without_text_or_cut_short(sonde, order):
    encoding, mark = UTF16[order]
    empty = sonde.file("empty", mark)
    for command in (["check"], ["check", "--log"], ["extract"]):
        result = sonde(*command, empty)
        assert (result.stdout, result.status) == (b"", 0), command
    cut = sonde.file("cut", mark + "8.8.8.8\n1.1.1.1\n".encode(encoding)[:-1])
    for command in (["check", "--fields", "ip"], ["extract"]):
        result = sonde(*command, cut)
        assert result.status == 5 and result.stderr.startswith("sonde: cut: the UTF-16 text is cut short\n")
        assert b"8.8.8.8" in result.stdout and b"1.1.1.1" not in result.stdout


def test_a_frame_to_skip_may_stand_first(sonde):
    text = b"8.8.8.8\n1.1.1.1\n"
    # As pzstd writes it.
    packed = b"\x50\x2a\x4d\x18\x04\0\0\0abcd" + _zstd(text)
    assert sonde("check", "--format", "csv", "--fields", "ip", input=packed).lines == ["ip", "8.8.8.8", "1.1.1.1"]


PACKINGS = [gzip.compress, lzma.compress, _zstd, bz2.compress]


@pytest.mark.parametrize("pack", PACKINGS, ids=["gzip", "xz", "zstd", "bzip2"])
def test_what_follows_packed_data_is_told_and_no_line_is_lost(sonde, pack):
    for end in ("", "\n"):
        name = sonde.file("list", pack(f"8.8.8.8\n1.1.1.1{end}".encode()) + b"something else\n")
        result = sonde("check", "--format", "csv", "--fields", "ip", name)
        assert result.lines == ["ip", "8.8.8.8", "1.1.1.1"]
        assert result.status == 5 and "list: what follows the " in result.stderr
        result = sonde("extract", name)
        assert result.lines == ["8.8.8.8", "1.1.1.1"] and result.status == 5


LIMIT = 65_536


@pytest.mark.parametrize("begin", ["", " ", "\t", "#", "8.8.8.8 ", "8.8.8.8 # ", "\0", "x,", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_a_line_over_the_limit_is_one_invalid_record_whatever_it_begins_with(sonde, begin, end):
    for size in (LIMIT + 1, 70 << 10, 10 << 20):
        line = begin + " " * (size - len(begin.encode())) + "9.9.9.9"
        result = sonde("check", input=f"1.1.1.1\n{line}{end}" + ("4.4.4.4\n" if end else ""))
        first, bad, *last = result.records
        assert (bad["status"], bad["line"]) == ("invalid", 2) and len(bad["ip"].encode()) <= 256
        assert bad["message"].startswith("column ")
        assert [record["ip"] for record in last] == (["4.4.4.4"] if end else [])
        assert result.status == 1


def test_a_line_over_the_limit_is_no_lost_entry_of_a_scan(sonde, loc_database):
    text = " " * (70 << 10) + "8.8.8.8\n9.9.9.9\n"
    result = sonde("scan", "--provider", "local", "--database", loc_database, "--no-cache", input=text)
    assert [(record["status"], record["line"]) for record in result.records][0] == ("invalid", 1)
    assert len(result.records) == 2


COMMANDS = ["scan --provider local --no-cache", "scan --no-cache", "check", "check --log"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("rejects", [[], ["--rejects", "rejects", "--missing", "missing"]])
def test_no_output_is_touched_where_no_input_can_be_opened(sonde, loc_database, command, rejects):
    database = ["--database", loc_database] if "local" in command else []
    (sonde.work / "directory").mkdir(exist_ok=True)
    if command.startswith("check"):
        rejects = []
    sonde.file("old.csv", "what was there\n")
    sonde.file("zip", b"PK\x03\x04" + bytes(100))
    for output in ("old.csv", "new.csv"):
        before = sorted(os.listdir(sonde.work))
        result = sonde(*command.split(), *database, "lst.txt", "directory", "zip", "-o", output, *rejects)
        assert result.status == 5
        assert [line.split(":")[1].strip() for line in result.stderr.splitlines()] == ["lst.txt", "directory", "zip"]
        assert sorted(os.listdir(sonde.work)) == before
    assert sonde.read("old.csv") == b"what was there\n"


def test_the_corrected_command_runs_after_a_mistyped_one(sonde, loc_database):
    options = ["--provider", "local", "--database", loc_database, "--no-cache", "-o", "new.csv"]
    assert sonde("scan", "lst.txt", *options).status == 5
    sonde.file("list.txt", "8.8.8.8\n")
    assert sonde("scan", "list.txt", *options).status == 0
    assert len(sonde.read("new.csv").splitlines()) == 2


def test_extract_touches_no_output_either(sonde):
    sonde.file("old", "what was there\n")
    result = sonde("extract", "missing", "also missing")
    assert result.status == 5 and result.stdout == b"" and result.stderr.count("No such file") == 2


def test_a_named_pipe_is_waited_for(sonde):
    os.mkfifo(sonde.work / "pipe")
    for command in (["check", "--format", "csv", "--fields", "ip"], ["extract"]):
        running = sonde.start(*command, "pipe")
        time.sleep(0.3)
        assert running.process.poll() is None
        with open(sonde.work / "pipe", "wb") as pipe:
            pipe.write(b"8.8.8.8\n")
        result = running.finish()
        assert result.lines[-1] == "8.8.8.8" and result.status == 0


@pytest.mark.parametrize("command", ["check", "check --log", "extract", "plan", "scan --no-cache --provider local"])
def test_a_command_that_waits_for_a_pipe_ends_by_signal(sonde, loc_database, command):
    import signal

    os.mkfifo(sonde.work / "pipe")
    database = ["--database", loc_database] if "local" in command else []
    running = sonde.start(*command.split(), *database, "pipe")
    time.sleep(0.5)
    running.signal(signal.SIGTERM)
    begin = time.monotonic()
    assert running.finish(timeout=10).status == 143
    assert time.monotonic() - begin < 2


@pytest.mark.parametrize("name", ["missing", "directory", "unreadable"])
def test_a_file_that_cannot_be_read_is_reported_and_the_others_are_read(sonde, name):
    (sonde.work / "directory").mkdir()
    sonde.file("good", "8.8.8.8\n")
    prefix = ()
    if name == "unreadable":
        (sonde.work / "unreadable").symlink_to("unreadable")  # a loop: root cannot read it either
    result = sonde("check", "--format", "csv", "--fields", "ip", name, "good", prefix=prefix)
    assert result.stdout == b"ip\n8.8.8.8\n"
    assert result.status == 5 and name in result.stderr


def test_every_command_that_reads_reports_a_missing_file(sonde):
    for command in (["scan", "--provider", "local"], ["check"], ["plan"], ["extract"]):
        result = sonde(*command, "missing")
        assert result.status == 5 and "missing" in result.stderr, command


def test_invalid_texts_are_made_valid_utf8_and_escaped_in_json_and_csv(sonde):
    item = b'caf\xe9 "quoted", \x1b[31m\x00end'
    result = sonde("check", input=item + b"\n")
    text = json.loads(result.stdout)["ip"]
    assert text.startswith("caf\ufffd") and "\x1b[31m" in text and text.endswith("end")
    assert b"\x1b" not in result.stdout and b"\x00" not in result.stdout


@pytest.mark.parametrize("command", ["check", "check --log", "scan --provider local", "plan", "extract"])
@pytest.mark.parametrize("operand", [[], ["-"]])
def test_a_closed_standard_input_is_told(sonde, loc_database, command, operand):
    database = ["--database", loc_database] if "local" in command else []
    closing = ("sh", "-c", 'exec "$@" <&-', "sh")
    result = sonde(*command.split(), *database, *operand, prefix=closing, timeout=20)
    assert result.status == 5 and "-: Bad file descriptor\n" in result.stderr
    assert b'"invalid"' not in result.stdout


@pytest.mark.parametrize("mode", [[], ["--log"]])
def test_an_input_that_becomes_shorter_gives_no_half_address(sonde, mode):
    line = b"46.105.10.153\n"
    path = sonde.work / "list.txt"
    path.write_bytes(line * 3_000_000)
    options = ["--duplicates", "keep", "--fields", "ip", "--format", "csv", "--quiet"]
    reading, writing = os.pipe()
    command = sonde.command(["check", *mode, *options, str(path)])
    with subprocess.Popen(command, stdout=writing, stderr=subprocess.PIPE, env=sonde.environment()) as process:
        os.close(writing)
        # The pipe is full before so much has been read.
        time.sleep(0.5)
        os.truncate(path, 2_000_000 * len(line) + len(b"46.105.10.1"))
        with open(reading, "rb") as output:
            lines = output.read().splitlines()
        errors = process.stderr.read().decode()
    assert process.returncode == 5 and "list.txt: became shorter while it was read\n" in errors
    assert lines == [b"ip"] + [line.rstrip()] * 2_000_000
