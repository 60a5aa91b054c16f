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


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, _zstd], ids=["gzip", "xz", "zstd"])
def test_compressed_input_is_recognised_by_its_content(sonde, pack):
    text = "".join(f"8.8.{n // 256}.{n % 256}\n" for n in range(20_000)).encode()
    name = sonde.file("list.txt", pack(text[:70_000]) + pack(text[70_000:]))
    result = sonde("check", "--format", "csv", "--fields", "ip", name)
    assert result.stdout == b"ip\n" + text and result.status == 0
    assert sonde("check", "--format", "csv", "--fields", "ip", input=pack(text)).stdout == b"ip\n" + text


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, _zstd], ids=["gzip", "xz", "zstd"])
def test_damaged_compressed_input_is_reported_after_what_could_be_read(sonde, pack):
    text = "".join(f"8.8.{n // 256}.{n % 256}\n" for n in range(60_000)).encode()
    packed = pack(text)
    name = sonde.file("list.gz", packed[: len(packed) // 2])
    result = sonde("check", "--format", "csv", "--fields", "ip", name, "1.1.1.1")
    assert result.status == 5 and "list.gz" in result.stderr
    assert result.lines[-1] == "1.1.1.1"


def test_other_compressions_are_bad_lines(sonde):
    name = sonde.file("list.bz2", bz2.compress(b"8.8.8.8\n"))
    result = sonde("check", name)
    assert result.status == 1 and {r["status"] for r in result.records} == {"invalid"}


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
