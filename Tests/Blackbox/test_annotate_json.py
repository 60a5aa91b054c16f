"""`annotate --style json`: lines that are JSON objects gain a member, all others pass unchanged."""

import json
import random
import subprocess

import pytest
from annotated import pointers
from command import PATIENCE
from expected import record

pytestmark = pytest.mark.slow

WORDS = (
    "8.8.8.8|1.1.1.1:53|[2001:4860::1]:443|2001:db8::1|[5.6.7.8]|::ffff:9.9.9.9:80|fe80::1%eth0|"
    "[fe80::1%a-b]:1|10.0.0.1 | 8.8.4.4|::|8.8.8.8:65536|8.8.8.8:|01.2.3.4|1.2.3|unknown|-||abc|"
    "deadbeef|2024-01-01|fe80::1%é|fe80::1%a,b|8.8.8.8/24|é|\ud800|face::b00c|1.2.3.4.5|[::1|\t5.5.5.5"
).split("|")
NAMES = "ip|a|b|a/b|~||é|xff|sonde2|m~n/|😀|0|sonde".split("|")
NUMBERS = "1 -0 1.5e10 1e999 123456789012345678901234567890 true false null 0.1 -1E+5".split()
BROKEN = b'{}[],:"\\u01.-eE \0\xff\x80\xc3\x1f'


@pytest.fixture
def local(loc_database):
    """The options of a run that sends nothing."""
    return ["--style", "json", "--provider", "local", "--database", loc_database]


@pytest.fixture
def known(sonde, loc_database):
    """The records of addresses as `scan` writes them, but for their lines."""

    def look_up(addresses):
        options = ["--provider", "local", "--database", loc_database, "--format", "ndjson"]
        records = sonde("scan", *options, input="\n".join(sorted(addresses))).records
        return {record["ip"]: {k: v for k, v in record.items() if k != "line"} for record in records}

    return look_up


class Lines:
    """Makes lines of JSON, and of what nearly is."""

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def line(self):
        """A line without its end; one in four is broken somewhere."""
        mark = "\ufeff" if self.chance.random() < 0.03 else ""
        line = bytearray((mark + self.space() + self.object(0) + self.space()).encode("utf-8", "replace"))
        if self.chance.random() < 0.25:
            for _ in range(self.chance.randrange(1, 3)):
                place = self.chance.randrange(len(line) + 1)
                line[place : place + self.chance.randrange(2)] = bytes([self.chance.choice(BROKEN)])
        return bytes(line).replace(b"\n", b" ")

    def space(self):
        return self.chance.choice(["", "", "", "", " ", "\t", " \r"])

    def text(self):
        if self.chance.random() < 0.7:
            return self.chance.choice(WORDS)
        comma = self.chance.choice([",", ", ", " ,"])
        words = [*WORDS, "unknown", "-", "1.1.1.1", "::1"]
        return comma.join(self.chance.choice(words) for _ in range(self.chance.randrange(1, 5)))

    def string(self, text):
        """A string with escapes."""
        written = ""
        for place, letter in enumerate(text):
            is_odd = letter in '"\\' or ord(letter) < 0x20 or letter == "\ud800"
            if is_odd or self.chance.random() < 0.04:
                pair = letter.encode("utf-16-be", "surrogatepass").hex()
                units = [pair[i : i + 4] for i in range(0, len(pair), 4)]
                written += "".join("\\u" + self.chance.choice([u, u.upper()]) for u in units)
            elif letter == "/" and self.chance.random() < 0.5:
                written += "\\/"
            else:
                written += letter
        return f'"{written}"'

    def value(self, depth):
        kind = self.chance.random()
        if depth > 4 or kind < 0.55:
            return self.string(self.text())
        if kind < 0.65:
            return self.chance.choice(NUMBERS)
        if kind < 0.8:
            return self.join("[", [self.value(depth + 1) for _ in range(self.chance.randrange(4))], "]")
        return self.object(depth + 1)

    def object(self, depth):
        names = NAMES if depth or self.chance.random() < 0.1 else NAMES[:-1]
        count = self.chance.randrange(6) if self.chance.random() < 0.95 else 40
        members = [
            self.string(self.chance.choice(names)) + self.space() + ":" + self.value(depth)
            for _ in range(count)
        ]
        return self.join("{", members, "}")

    def join(self, begin, items, end):
        return begin + self.space() + (self.space() + "," + self.space()).join(items) + self.space() + end


def addresses_of(found):
    return {a for value in found.values() for a in (value if isinstance(value, list) else [value]) if a}


def differences(given, written, known, key="sonde"):
    """Where lines are not as they should be, the first few."""
    lines, results = given.split(b"\n"), written.split(b"\n")
    assert len(lines) == len(results)
    wanted = [pointers(line, key) for line in lines]
    records = known(set().union(*(addresses_of(found) for found in wanted if found)))
    wrong = []
    for line, result, found in zip(lines, results, wanted):
        if not found:
            expected = line
        else:
            member = {
                pointer: [records.get(a) for a in value] if isinstance(value, list) else records[value]
                for pointer, value in found.items()
            }
            brace = line.rindex(b"}")
            gained = result[brace : len(result) - len(line) + brace]
            begin = f',"{key}":'.encode()
            if not gained.startswith(begin) or json.loads(gained[len(begin) :]) != member:
                wrong.append((line, gained, member))
            expected = line[:brace] + gained + line[brace:]
        if result != expected:
            wrong.append((line, result))
    return wrong[:5]


def summary(sonde):
    event = json.loads(sonde.read("events").splitlines()[-1])
    return [event[name] for name in ("lines", "annotated", "unchanged", "late", "entries")]


# What is inserted


def test_a_line_gains_what_scan_knows_by_pointers(sonde, simulator):
    line = b'{"client":{"ip":"8.8.8.8"},"xff":"1.1.1.1, unknown, 10.0.0.1:80","up":["9.9.9.9:443"]}\r\n'
    result = sonde("annotate", "--style", "json", "--provider", "ip-api", input=line, env=simulator.env)
    assert result.status == 0
    assert result.stdout.endswith(b'"}}}\r\n')
    member = json.loads(result.stdout)["sonde"]
    assert list(member) == ["/client/ip", "/xff", "/up/0"]
    for got, address in ((member["/client/ip"], "8.8.8.8"), (member["/up/0"], "9.9.9.9")):
        assert not got.pop("cached") and got.pop("fetched_at")
        assert got == record(address)
    assert [one and one["ip"] for one in member["/xff"]] == ["1.1.1.1", None, "10.0.0.1"]
    assert member["/xff"][2]["status"] == "reserved"


def test_what_stands_around_the_object_is_kept(sonde, local):
    for before, behind in ((b"", b""), (b" \t", b" \r\n"), (b"\xef\xbb\xbf", b"\n"), (b"", b" \t \r\r\n")):
        line = before + b'{ "ip" : "8.8.8.8" }' + behind
        result = sonde("annotate", *local, "--fields", "ip", input=line)
        gained = b',"sonde":{"/ip":{"ip":"8.8.8.8"}}'
        assert result.stdout == before + b'{ "ip" : "8.8.8.8" ' + gained + b"}" + behind


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b'["8.8.8.8"]',
        b'{"ip":"x"}',
        b'{"ip":"8.8.8.8"} {}',
        b'{"ip":"8.8.8.8","sonde":null}',
        b'{"ip":"8.8.8.8","\\u0073onde":null}',
        b'{"ip":"8.8.8.8","ip":"x"}',
        b'{"ip":"8.8.8.8","a":NaN}',
        b'{"ip":"8.8.8.8","a":"\xff"}',
        b'{"ip":"8.8.8.8","a":"\0"}',
        b'8.8.8.8 {"ip":"8.8.8.8"}',
    ],
)
def test_other_lines_pass_unchanged_and_are_counted(sonde, local, line):
    result = sonde("annotate", *local, "--events", "events", "-o", "out", input=line + b"\n")
    assert sonde.read("out") == line + b"\n"
    assert summary(sonde) == [1, 0, 1, 0, 0]
    assert result.status == 0


def test_the_member_has_the_name_asked_for(sonde, local):
    line = b'{"ip":"8.8.8.8","sonde":1}\n{"ip":"8.8.8.8","a\\"b":1}\n'
    result = sonde("annotate", *local, "--key", 'a"b', "--fields", "country_code", input=line)
    assert result.stdout == (
        b'{"ip":"8.8.8.8","sonde":1,"a\\"b":{"/ip":{"country_code":"US"}}}\n'
        b'{"ip":"8.8.8.8","a\\"b":1}\n'
    )


def test_lines_without_an_address_can_be_left_out(sonde, local):
    line = b'{"ip":"8.8.8.8"}\n{"ip":"x"}\nx\n'
    result = sonde("annotate", *local, "--only-matching", "--fields", "ip", input=line)
    assert result.stdout == b'{"ip":"8.8.8.8","sonde":{"/ip":{"ip":"8.8.8.8"}}}\n'


def test_a_line_that_is_late_goes_out_as_it_came(sonde, simulator):
    simulator.control(faults=[{"fault": "delay", "seconds": 3}])
    line = b'{"ip":"8.8.8.8"}\n{"ip":"10.0.0.1"}\n'
    options = ["--style", "json", "--provider", "ip-api", "--wait", "0.3", "--fields", "status"]
    result = sonde(
        "annotate", *options, "--events", "events", "-o", "out", input=line, env=simulator.env
    )
    assert sonde.read("out") == (
        b'{"ip":"8.8.8.8"}\n{"ip":"10.0.0.1","sonde":{"/ip":{"status":"reserved"}}}\n'
    )
    assert summary(sonde)[:4] == [2, 1, 0, 1]
    assert result.status == 0


# Beside the slow reference


@pytest.mark.parametrize("seed", range(3))
def test_lines_are_as_python_reads_them(sonde, local, known, seed):
    lines = Lines(seed)
    given = b"\n".join(lines.line() for _ in range(5000))
    result = sonde("annotate", *local, "--events", "events", "-o", "out", input=given)
    assert result.status in (0, 1)
    written = sonde.read("out")
    assert differences(given, written, known) == []
    assert written.count(b'"sonde":{"') > 1000
    # From a pipe, a little at a time.
    ended = given[: len(given) // 20]
    piped = sonde.start("annotate", *local)
    for start in range(0, len(ended), 997):
        piped.write(ended[start : start + 997])
    assert differences(ended, piped.finish().stdout, known) == []


def test_long_and_deep_lines_pass_or_are_annotated(sonde, local, known):
    long = b'{"a":"' + b"x" * 10_000_000 + b'","ip":"8.8.8.8"}'
    deep = b'{"a":' + b"[" * 500 + b'"8.8.8.8"' + b"]" * 500 + b"}"
    too_deep = b'{"a":' + b"[" * 1_000_000 + b'"8.8.8.8"' + b"]" * 1_000_000 + b"}"
    broken = b'{"a":' * 1_000_000
    too_long = b'{"ip":"8.8.8.8","a":"' + b"x" * (17 << 20) + b'"}'
    last = b'{"ip":"8.8.8.8"}'
    result = sonde("annotate", *local, input=b"\n".join([long, deep, too_deep, broken, too_long, last]))
    lines = result.stdout.split(b"\n")
    assert lines[2:5] == [too_deep, broken, too_long]
    kept = [long, deep, last]
    assert differences(b"\n".join(kept), b"\n".join([*lines[:2], lines[5]]), known) == []


def test_many_doubled_names_take_no_longer(sonde, local):
    members = ",".join(f'"k{n % 100_000}":"8.8.8.{n % 256}"' for n in range(200_000))
    line = ("{" + members + "}\n").encode()
    result = sonde("annotate", *local, "--fields", "ip", input=line, timeout=60)
    assert len(json.loads(result.stdout)["sonde"]) == 100_000


def test_a_long_name_does_not_make_a_line_endless(sonde, local):
    name = "n" * (1 << 20)
    addresses = ",".join(f'"8.8.8.{n}"' for n in range(100))
    line = f'{{"{name}":[{addresses}]}}\n'.encode()
    assert sonde("annotate", *local, input=line).stdout == line


@pytest.mark.parametrize("fields", ["+network", "ip,country,as_name", "as_name,ip", "asn", "ip,network"])
def test_a_compiled_database_says_the_same_of_each_address(sonde, loc_database, fields):
    chance = random.Random(fields)
    # More than are asked for before the database is compiled.
    few = ["8.8.8.8", "9.1.2.3", "81.2.69.142", "2001:4860::1", "2606:4700::1", "2001:4860:1::2", "10.0.0.1", "2001:db8::1"]
    many = [f"{chance.choice((1, 5, 9))}.6.{n >> 8}.{n & 255}" for n in range(60_000)]
    sonde.file("log", "".join(f'{{"a":"{address}"}}\n' for address in [*few, *many, *few, *many[:1000]]))
    options = ["--provider", "local", "--database", loc_database, "--fields", fields]
    known = sonde("scan", *options, "--format", "ndjson", input="\n".join([*few, *many]), timeout=PATIENCE).records
    expected = dict(zip([*few, *many], [{k: v for k, v in one.items() if k != "line"} for one in known]))
    result = sonde("annotate", "--style", "json", *options, "log", timeout=PATIENCE)
    assert result.status == 0
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(lines) == len(few) * 2 + len(many) + 1000
    wrong = [line for line in lines if line["sonde"]["/a"] != expected[line["a"]]]
    assert wrong == []
    # The second run finds the compiled database; in the first it is made.
    again = sonde("annotate", "--style", "json", *options, "log", timeout=PATIENCE)
    assert again.status == 0 and again.stdout == result.stdout


def test_jq_reads_what_is_written(sonde, local):
    given = b'{"ip":"8.8.8.8","n":1}\n{"a/b":["::1",{"~":"2001:4860::1"}]}\n'
    written = sonde("annotate", *local, input=given).stdout
    again = subprocess.run(["jq", "-c", "del(.sonde)"], input=written, stdout=subprocess.PIPE, check=True)
    assert again.stdout == given
