"""`--pick`: which addresses of a line count, against a slow reading of the same lines."""

import gzip
import json
import random
import re

import pytest
from captures import framed, ip, pcap

ADDRESS = re.compile(r"(?<![\w.])\d+\.\d+\.\d+\.\d+(?![\w.])")


def found(text):
    """The addresses of a text in which nothing is hard to find."""
    return ADDRESS.findall(text)


def extract(sonde, which, *arguments, **options):
    result = sonde("extract", "--pick", which, *arguments, **options)
    assert result.stderr == "" and result.status == 0, result.stderr
    return result.stdout.decode().split()


LINE = "10.0.0.1 via 8.8.8.8 and 192.168.0.1 to 9.9.9.9\n"


@pytest.mark.parametrize(
    "which, expected",
    [
        ("all", ["10.0.0.1", "8.8.8.8", "192.168.0.1", "9.9.9.9"]), ("first", ["10.0.0.1"]),
        ("last", ["9.9.9.9"]), ("public", ["8.8.8.8"]),
    ],
)
def test_one_of_a_line(sonde, which, expected):
    sonde.file("a.log", LINE + "nothing\n" + LINE.strip())
    assert extract(sonde, which, "a.log") == expected * 2
    assert extract(sonde, which, "-", input=LINE) == expected


VALUES = {
    "a member": ('{"client":"8.8.8.8","ip":"1.1.1.1"}', "name:client", ["8.8.8.8"]),
    "a path of members": ('{"client":{"ip":"8.8.8.8"},"ip":"1.1.1.1"}', "name:client.ip", ["8.8.8.8"]),
    "a dotted name": ('{"id.orig_h":"8.8.8.8","id":{"orig_h":"1.1.1.1"}}', "name:id.orig_h", ["8.8.8.8"]),
    "a pointer": ('{"a":[{"b/c":"1.1.1.1"},{"b/c":"8.8.8.8"}]}', "name:/a/1/b~1c", ["8.8.8.8"]),
    "the last of doubled members": ('{"ip":"1.1.1.1","ip":"8.8.8.8"}', "name:ip", ["8.8.8.8"]),
    "an escaped name": (r'{"i\u0070":"8.8.8.8","x":"1.1.1.1"}', "name:ip", ["8.8.8.8"]),
    "an object": ('{"a":{"x":"8.8.8.8","y":["9.9.9.9"]},"b":"1.1.1.1"}', "name:a", ["8.8.8.8", "9.9.9.9"]),
    "the last of an array": ('{"a":["8.8.8.8","9.9.9.9"]}', "name:a,last", ["9.9.9.9"]),
    "a message in JSON": ('{"m":"from 8.8.8.8 to 9.9.9.9","b":"1.1.1.1"}', "name:m,first", ["8.8.8.8"]),
    "W3C": ("#Fields: date s-ip c-ip\n2024-01-01 1.1.1.1 8.8.8.8\n", "name:c-ip", ["8.8.8.8"]),
    "W3C with CRLF": ("#Fields: s-ip c-ip\r\n1.1.1.1 8.8.8.8\r\n", "name:c-ip", ["8.8.8.8"]),
    "W3C with tabs": ("#Fields: x c-ip\na b 1.1.1.1\t8.8.8.8\n", "name:c-ip", ["8.8.8.8"]),
    "W3C with quotes": ('#Fields: x c-ip\n"a 1.1.1.1 b" 8.8.8.8\n', "name:c-ip", ["8.8.8.8"]),
    "W3C without the column": ("#Fields: x c-ip\n1.1.1.1\n1.1.1.1 8.8.8.8\n", "name:c-ip", ["8.8.8.8"]),
    "the latest header": ("#Fields: a b\n8.8.8.8 1.1.1.1\n#Fields: b a\n1.1.1.1 9.9.9.9\n", "name:a", ["8.8.8.8", "9.9.9.9"]),
    "a comment": ("#Fields: a\n#Remark: 1.1.1.1\n8.8.8.8\n", "name:a", ["8.8.8.8"]),
    "a mark before a header": ("\ufeff#Fields: a b\n1.1.1.1 8.8.8.8\n", "name:b", ["8.8.8.8"]),
    "a mark before JSON": ('\ufeff{"a":"8.8.8.8","b":"1.1.1.1"}\n', "name:a", ["8.8.8.8"]),
    "blanks around JSON": (' \t{"a":"8.8.8.8","b":"1.1.1.1"} \r\n', "name:a", ["8.8.8.8"]),
    "a sign without columns": ("#<4> SRC=8.8.8.8 DST=1.1.1.1\n", "name:SRC", ["8.8.8.8"]),
    "Zeek": ("#separator \\x09\n#fields\tts\tid.resp_h\n1.1.1.1\t8.8.8.8\n", "name:id.resp_h", ["8.8.8.8"]),
    "Zeek with commas": ("#separator \\x2c\n#fields,ts,h\n1.1.1.1,8.8.8.8\n", "name:h", ["8.8.8.8"]),
    "iptables": ("SRC=8.8.8.8 DST=1.1.1.1 [SRC=1.1.1.1 DST=9.9.9.9]\n", "name:SRC", ["8.8.8.8"]),
    "quoted": ('xsrc=1.1.1.1 src="8.8.8.8 9.9.9.9" dst=1.1.1.1\n', "name:src,last", ["9.9.9.9"]),
    "in apostrophes": ("src='8.8.8.8' dst=1.1.1.1\n", "name:src", ["8.8.8.8"]),
    "up to a comma": ("src=8.8.8.8,dst=1.1.1.1;x\n", "name:src", ["8.8.8.8"]),
    "an empty value": ("src= dst=1.1.1.1\nsrc=8.8.8.8\n", "name:src", ["8.8.8.8"]),
    "a name with a comma": ("a,b=8.8.8.8 c=1.1.1.1\n", "name:b", ["8.8.8.8"]),
    "bad bytes": ("\udc80\udcff src=8.8.8.8 dst=1.1.1.1\n", "name:src", ["8.8.8.8"]),
}


@pytest.mark.parametrize("text, which, expected", VALUES.values(), ids=VALUES)
def test_those_within_a_value(sonde, text, which, expected):
    data = text.encode(errors="surrogateescape")
    sonde.file("a.log", data)
    sonde.file("a.log.gz", gzip.compress(data))
    for arguments in (["a.log"], ["a.log.gz"]):
        assert extract(sonde, which, *arguments) == expected


def test_a_name_that_no_line_has(sonde):
    sonde.file("a.log", '{"client":"8.8.8.8","when":1}\n')
    result = sonde("extract", "--pick", "name:ip", "a.log")
    assert (result.status, result.stdout) == (1, b"")
    assert result.stderr == "sonde: --pick: no line has 'ip': the first line with names has 'client', 'when'\n"
    sonde.file("b.log", "8.8.8.8\n")
    for command in (["extract"], ["check", "--log"], ["scan", "--log", "--provider", "local"], ["summary", "--provider", "local"], ["annotate", "--provider", "local"]):
        result = sonde(*command, "--pick", "name:ip", "b.log")
        assert result.status == 1 and "sonde: --pick: no line has 'ip'\n" in result.stderr, (command, result)


@pytest.mark.parametrize("value", ["", "some", "name:", "first,last", "name"])
def test_what_it_may_be(sonde, value):
    result = sonde("extract", "--pick", value, "a.log")
    assert result.status == 2 and "expected all, first, last, public or name:NAME" in result.stderr


def test_lists_and_columns_have_nothing_to_pick(sonde):
    for command in ("scan", "check"):
        result = sonde(command, "--pick", "first", "8.8.8.8")
        assert result.status == 2 and "--pick applies to logs: add --log" in result.stderr
    sonde.file("a.csv", "ip\n8.8.8.8\n")
    result = sonde("annotate", "--style", "columns", "--pick", "first", "a.csv")
    assert result.status == 2 and "--pick is not for --style columns" in result.stderr


def test_packets_have_a_source_and_a_destination(sonde):
    sonde.file("a.pcap", pcap([framed(ip("10.0.0.1", "8.8.8.8"))]))
    assert extract(sonde, "first", "a.pcap") == ["10.0.0.1"]
    assert extract(sonde, "last", "a.pcap") == ["8.8.8.8"] == extract(sonde, "public", "a.pcap")


def test_annotate_and_summary_pick_alike(sonde, loc_database):
    local = ("--provider", "local", "--database", loc_database)
    sonde.file("a.log", "10.0.0.1 for 10.0.0.2\n")
    assert sonde("annotate", *local, "--pick", "last", "a.log").stdout == b"10.0.0.1 for 10.0.0.2 [Private-Use]\n"
    counted = sonde("summary", *local, "--pick", "last", "--by", "ip", "--format", "csv", "a.log")
    assert counted.stdout.decode().splitlines()[1:] == ["10.0.0.2,1,1,1,,"]
    sonde.file("a.jsonl", '{"a":["10.0.0.1","10.0.0.2"],"b":"10.0.0.3"}\n{"c":1}\n')
    noted = sonde("annotate", *local, "--style", "json", "--pick", "name:a,last", "--fields", "ip", "a.jsonl")
    first, second = noted.stdout.splitlines()
    assert json.loads(first)["sonde"] == {"/a/1": {"ip": "10.0.0.2"}}
    assert second == b'{"c":1}'


# Logs of many slices, whose columns change, against a slow reading.


def log(chance, size):
    """A log in W3C's format with short and long lines, other lines, and headers that change."""
    columns = ["date", "c-ip", "s-ip", "note"]
    lines, length = ["#Fields: " + " ".join(columns)], 0
    while length < size:
        kind = chance.random()
        if kind < 0.02:
            chance.shuffle(columns)
            line = "#Fields: " + " ".join(columns)
        elif kind < 0.03:
            line = "x" * chance.choice([70_000, 1_300_000]) + " 1.2.3.4 end"
        else:
            values = {name: ".".join(str(chance.randrange(1, 250)) for _ in range(4)) for name in columns}
            line = " ".join(values[name] for name in columns[: chance.randrange(1, 5)])
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines) + chance.choice(["", "\n"])


def picked(text, name):
    """The addresses in the named column, line by line."""
    columns, addresses = [], []
    for line in text.split("\n"):
        if line.startswith("#"):
            columns = line.removeprefix("#Fields: ").split(" ")
            continue
        cells = line.split(" ")
        if name in columns and columns.index(name) < len(cells):
            addresses += found(cells[columns.index(name)])
    return addresses


@pytest.mark.parametrize("seed", range(3))
def test_slices_and_streams_agree_with_a_slow_reading(sonde, seed):
    chance = random.Random(seed)
    text = log(chance, 9_000_000)
    sonde.file("a.log", text)
    for which, expected in [
        ("name:c-ip", picked(text, "c-ip")),
        ("first", [each for line in text.split("\n") for each in found(line)[:1]]),
        ("last", [each for line in text.split("\n") for each in found(line)[-1:]]),
    ]:
        assert extract(sonde, which, "a.log") == expected, which
        assert extract(sonde, which, "-", input=text) == expected, which
    # The lines that begin in two ranges are those of the whole.
    middle = chance.randrange(len(text))
    parts = [extract(sonde, "name:c-ip", "--range", which, "a.log") for which in (f"0:{middle}", f"{middle}:")]
    assert parts[0] + parts[1] == picked(text, "c-ip")
