"""`annotate --where`: which lines are kept, who is asked about them, and how they are counted."""

import ipaddress
import json
import random

import pytest
from expected import record
from test_annotate import KINDS, words

pytestmark = pytest.mark.slow

NETS = "network,team\n5.0.0.0/9,net\n5.1.0.0/16,lab\n10.0.0.0/8,office\n2001:4860::/32,google\n"


@pytest.fixture
def free(simulator):
    """The simulator without limits."""
    simulator.control(batch_limit=None, single_limit=None)
    return simulator


@pytest.fixture
def files(sonde):
    """The command beside a table."""
    sonde.file("nets.csv", NETS)
    return sonde


def summary(sonde):
    """The summary event of a run, whose books must balance."""
    event = json.loads(sonde.read("events").splitlines()[-1])
    assert event["entries"] == sum(event.get(kind, 0) for kind in (*KINDS, "unanswered", "excluded"))
    kinds = ("annotated", "unchanged", "late", "lines_excluded")
    assert event["lines"] == sum(event.get(kind, 0) for kind in kinds)
    return event


def counts(sonde):
    event = summary(sonde)
    return [event[kind] for kind in ("lines", "annotated", "unchanged", "late", "lines_excluded", "excluded")]


def team(address):
    """The team of an address in the table."""
    if address.startswith("10."):
        return "office"
    if address.startswith("2001:4860:"):
        return "google"
    if address.startswith("5."):
        second = int(address.split(".")[1])
        return "lab" if second == 1 else "net" if second < 128 else None
    return None


FAILED = "8.8.4.4"


def known(address):
    """What is known of an address: as of `scan`, but for one about which the provider fails."""
    if address.startswith("10."):
        return {"status": "reserved"}
    if address == FAILED:
        return {"status": "failed"}
    return record(address)


def verdict(condition, address, place):
    """What a condition, as nested tuples, says of an address: true, false, or None while it is open."""
    kind, *parts = condition
    if kind == "not":
        inner = verdict(parts[0], address, place)
        return None if inner is None else not inner
    if kind in ("and", "or"):
        verdicts = [verdict(part, address, place) for part in parts]
        if kind == "and":
            return False if False in verdicts else None if None in verdicts else True
        return True if True in verdicts else None if None in verdicts else False
    field, value = parts
    if kind == "in":
        return ipaddress.ip_address(address) in ipaddress.ip_network(value)
    if field == "own_team":
        return team(address) == value
    if field == "line":
        return place[1] < value if kind == "<" else place[1] == value
    if field == "input":
        return place[0] == value
    if field == "ip":
        return address == value
    if known(address)["status"] == "failed" and field != "status":
        return None
    found = known(address).get(field)
    if kind == "set":
        return found is not None
    return found == value if kind == "=" else found is not None and found != value


def text(condition):
    """The condition as `--where` takes it."""
    kind, *parts = condition
    if kind == "not":
        return f"not ({text(parts[0])})"
    if kind in ("and", "or"):
        return "(" + f" {kind} ".join(text(part) for part in parts) + ")"
    if kind == "in":
        return f"ip in ({parts[1]})"
    return parts[0] if kind == "set" else f'{parts[0]} {kind} "{parts[1]}"'


def keeps(condition, addresses, place):
    """Whether a line stays: an address meets the condition, or an answer is missing."""
    early = [early_verdict(condition, address, place) for address in addresses]
    if all(one is False for one in early):
        return False
    if any(known(address)["status"] == "failed" for address in addresses):
        return True
    return any(verdict(condition, address, place) is not False for address in addresses)


def early_verdict(condition, address, place):
    """The same before anybody is asked: what only an answer decides is open."""
    kind, *parts = condition
    if kind == "not":
        inner = early_verdict(parts[0], address, place)
        return None if inner is None else not inner
    if kind in ("and", "or"):
        verdicts = [early_verdict(part, address, place) for part in parts]
        if kind == "and":
            return False if False in verdicts else None if None in verdicts else True
        return True if True in verdicts else None if None in verdicts else False
    early = parts[0] in ("own_team", "line", "input", "ip")
    return verdict(condition, address, place) if early else None


POOL = ["8.8.8.8", "1.1.1.1", "9.9.9.9", FAILED, "10.1.2.3", "2001:4860:4860::8888", "2606:4700::1"]
POOL += [f"5.{n}.7.{n}" for n in (0, 1, 2, 3, 60, 127, 128, 200)]


def leaf(chance):
    if chance.random() < 0.2:
        return ("in", "ip", chance.choice(["5.0.0.0/9", "8.0.0.0/8", "2000::/12", "10.0.0.0/8"]))
    field = chance.choice(["own_team", "line", "input", "ip", "country_code", "country_code", "city", "status"])
    if field == "own_team":
        return ("=", field, chance.choice(["net", "lab", "office", "google"]))
    if field == "line":
        return (chance.choice("=<"), field, chance.randrange(1, 60))
    if field == "input":
        return ("=", field, chance.choice(["a.log", "b.log"]))
    if field == "ip":
        return ("=", field, chance.choice(POOL))
    if field == "status":
        return ("=", field, chance.choice(["ok", "unknown", "reserved"]))
    if chance.random() < 0.3:
        return ("set", field, None)
    codes = sorted({record(a).get(field) for a in POOL if "." in a and a[:3] != "10."} - {None})
    return (chance.choice(["=", "=", "!="]), field, chance.choice(codes))


def condition(chance, depth=0):
    kind = chance.choice(["and", "or", "not", "leaf", "leaf"]) if depth < 3 else "leaf"
    if kind == "leaf":
        return leaf(chance)
    if kind == "not":
        return ("not", condition(chance, depth + 1))
    return (kind, *[condition(chance, depth + 1) for _ in range(2)])


class Style:
    """How the lines of a style are made, and what becomes of them without a condition."""

    def __init__(self, name):
        self.name = name

    def line(self, addresses, number, end):
        if self.name == "json":
            return (json.dumps({"n": number, "of": addresses}) + end).encode()
        if self.name == "columns":
            one = addresses[0] if addresses else ""
            return f"{number},{one}{end}".encode()
        return (f"{number} " + " and ".join(addresses) + end).encode()

    @property
    def header(self):
        return b"n,ip\n" if self.name == "columns" else b""


def log(chance, style, count):
    """A log: its header, and its lines with their addresses."""
    lines = []
    for number in range(1, count + 1):
        addresses = chance.choices(POOL, k=chance.choice([0, 1, 1, 1, 2, 3]))
        if style.name == "columns":
            addresses = addresses[:1]
        end = "\n" if style.name == "columns" else chance.choice(["\n", "\r\n"])
        if number == count and chance.random() < 0.5:
            end = ""
        lines.append((style.line(addresses, f"l{number}", end), addresses))
    return lines


@pytest.mark.parametrize("name", ["brackets", "end", "json", "columns"])
@pytest.mark.parametrize("seed", range(4))
def test_the_lines_kept_are_those_of_a_slow_evaluation(files, free, name, seed):
    chance, style = random.Random(f"{name} {seed}"), Style(name)
    fault = {"fault": "entry_error", "message": "oh", "status": "error", "of": FAILED}
    free.control(batch_limit=None, faults=[fault])
    options = ["--style", name, "--provider", "ip-api", "--retries", 0, "--with", "own=nets.csv"]
    options += ["--cache", files.directory / "cache.db", "--events", "events", "--fields", "country_code"]
    logs = {"a.log": log(chance, style, 60), "b.log": log(chance, style, 40)}
    for file, lines in logs.items():
        files.file(file, style.header + b"".join(line for line, _ in lines))
    annotated = {file: files("annotate", *options, file, env=free.env).stdout.splitlines(keepends=True) for file in logs}
    for turn in range(6):
        # The first one depends on networks alone.
        wanted = condition(chance) if turn else ("not", ("in", "ip", "5.0.0.0/9"))
        chosen = [*options, "--where", text(wanted)]
        given = chance.choice([["a.log"], ["b.log"], ["a.log", "b.log"]])
        output, left, hits = b"", 0, 0
        for file in given:
            gained = list(annotated[file])
            if style.header:
                output += b"\n" if output and not output.endswith(b"\n") else b""
                output += gained.pop(0)
            for number, ((_, addresses), line) in enumerate(zip(logs[file], gained, strict=True), 1):
                # The header is the first line of a table.
                place = (file, number + (1 if style.header else 0))
                if keeps(wanted, addresses, place):
                    output += line
                else:
                    left, hits = left + 1, hits + len(addresses)
        result = files("annotate", *chosen, *given, env=free.env)
        assert result.stdout == output, text(wanted)
        lines = sum(len(logs[file]) for file in given)
        found = counts(files)
        assert (found[0], found[3], found[4], found[5]) == (lines, 0, left, hits), text(wanted)
        assert result.status == (1 if summary(files)["failed"] else 0)
        if len(given) == 1 and "input" not in text(wanted):
            piped = files("annotate", *chosen, input=files.read(given[0]), env=free.env)
            assert piped.stdout == output


def test_what_tables_and_lines_exclude_is_never_asked(files, free):
    lines = "5.1.2.3 a\n8.8.8.8 b\n5.1.2.3 and 9.9.9.9 c\n5.2.3.4 d\n5.1.2.4 e\n"
    ask = ["annotate", "--provider", "ip-api", "--no-cache", "--with", "own=nets.csv", "--events", "events"]
    ask += ["--fields", "country_code,own_team", "--where"]
    result = files(*ask, "own_team = lab and line < 5", input=lines, env=free.env)
    code = {a: words(a).split(",")[0] for a in ("5.1.2.3", "9.9.9.9", "5.2.3.4")}
    assert result.stdout.decode() == (
        f"5.1.2.3 [{code['5.1.2.3']}, lab] a\n5.1.2.3 [{code['5.1.2.3']}, lab] and 9.9.9.9 [{code['9.9.9.9']}] c\n"
    )
    assert sorted(free.addresses()) == ["5.1.2.3", "9.9.9.9"]
    assert counts(files) == [5, 2, 0, 0, 3, 3]
    assert "3 excluded, 1 duplicate; 5 lines: 2 annotated, 0 unchanged, 3 excluded; 1 request" in result.stderr
    result = files(*ask, "own_team = nobody", input=lines, env=free.env)
    assert (result.stdout, result.status) == (b"", 0)
    assert counts(files) == [5, 0, 0, 0, 5, 6] and summary(files)["requests"] == 0


def test_without_fields_only_what_the_condition_needs_is_asked(files, free):
    lines = b"8.8.8.8 and 10.1.2.3\r\nnone\n5.1.2.3\n9.9.9.9 5.1.2.3 8.8.8.8\nlast 1.1.1.1"
    ask = ["annotate", "--provider", "ip-api", "--no-cache", "--fields", "none", "--events", "events"]
    for style in ("brackets", "end"):
        free.control(batch_limit=None)
        result = files(*ask, "--style", style, input=lines, env=free.env)
        assert (result.stdout, result.status) == (lines, 0)
        assert "1 reserved, 4 not asked about, 2 duplicates; 5 lines: 0 annotated, 5 unchanged" in result.stderr
        assert free.counts()["total"] == 0 and summary(files)["unanswered"] == 4
    ask += ["--with", "own=nets.csv", "--where"]
    result = files(*ask, "own_team or country_code = US", input=lines, env=free.env)
    assert result.stdout == b"".join(
        line
        for line in lines.splitlines(keepends=True)
        if b"10.1.2.3" in line or b"5.1.2.3" in line or b"1.1.1.1" in line and record("1.1.1.1")["country_code"] == "US"
    )
    assert sorted(free.addresses()) == ["1.1.1.1"]


def test_an_answer_counts_that_only_a_later_line_needs(files, free):
    fault = {"fault": "entry_error", "message": "oh", "status": "error", "of": "5.1.2.3"}
    free.control(batch_limit=None, faults=[fault])
    ask = ["annotate", "--provider", "ip-api", "--no-cache", "--fields", "none", "--events", "events", "--retries", 0]
    where = "line = 1 or country_code = XX"
    result = files(*ask, "--where", where, input="5.1.2.3 a\n5.1.2.3 b\n8.8.8.8 c\n", env=free.env)
    assert (result.stdout, result.status) == (b"5.1.2.3 a\n5.1.2.3 b\n", 1)
    event = summary(files)
    assert (event["failed"], event["unanswered"], event["duplicates"], event["excluded"]) == (1, 0, 1, 1)


def test_a_lost_network_hides_nothing(sonde):
    options = ("--provider", "ip-api", "--offline-timeout", "0.1", "--where", "country_code = DE")
    env = {"SONDE_IP_API_URL": "http://nowhere.invalid"}
    result = sonde("annotate", *options, input="8.8.8.8 a\nnone\n10.0.0.1 b\n", env=env)
    assert (result.stdout, result.status) == (b"8.8.8.8 [network lost] a\n", 3)


def test_a_late_line_passes(sonde, free):
    free.control(batch_limit=None, faults=[{"fault": "hang"}])
    options = ("--wait", "300ms", "--provider", "ip-api", "--timeout", "1s", "--events", "events")
    text = "8.8.8.8 a\nnone\n10.0.0.1\n8.8.8.8 10.0.0.1\n"
    result = sonde("annotate", *options, "--where", "country_code = DE", input=text, env=free.env)
    assert (result.stdout, result.status) == (b"8.8.8.8 a\n8.8.8.8 10.0.0.1\n", 0)
    assert counts(sonde) == [4, 0, 0, 2, 2, 1]


def test_lines_of_a_pipe_are_kept_one_by_one(sonde, free):
    running = sonde.start("annotate", "--where", "country_code = US", env=free.env)
    us = next(a for a in ("8.8.8.8", "9.9.9.9", "4.4.4.4") if record(a).get("country_code") == "US")
    for _ in range(3):
        running.write(f"none\n10.0.0.1 x\n{us} y\n")
        assert running.line().decode() == f"{us} [{words(us)}] y\n"
    running.write(f"10.0.0.1\nunfinished {us}")
    assert running.finish().stdout.endswith(f"unfinished {us} [{words(us)}]".encode())


def test_a_line_of_any_length_is_kept_or_excluded(sonde, loc_database):
    many = " ".join(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}" for n in range(60_000)).encode()
    sonde.file("nets.csv", NETS)
    sonde.file("log", many + b" 8.8.8.8 x\n" + many + b"\n" + b"y " * 9_000_000 + b"8.8.8.8\n9.9.9.9\n")
    options = ["--provider", "local", "--database", loc_database, "--fields", "none", "--events", "events"]
    result = sonde("annotate", *options, "--where", "ip in (8.8.8.0/24)", "log")
    # A line of more than 16 MiB passes.
    assert result.stdout == many + b" 8.8.8.8 x\n" + b"y " * 9_000_000 + b"8.8.8.8\n"
    assert counts(sonde) == [4, 0, 2, 0, 2, 60_001]


def test_a_table_begins_a_line_only_where_one_is_open(sonde, loc_database):
    sonde.file("a.csv", b"ip,n\n8.8.8.8,1\n9.9.9.9,2")
    options = ["--style", "columns", "--provider", "local", "--database", loc_database, "--fields", "status"]
    kept = sonde("annotate", *options, "--where", "ip = 9.9.9.9", "a.csv", "a.csv").stdout
    assert kept == b"ip,n,ip_status\n9.9.9.9,2,ok\nip,n,ip_status\n9.9.9.9,2,ok"
    kept = sonde("annotate", *options, "--where", "ip = 8.8.8.8", "a.csv", "a.csv").stdout
    assert kept == b"ip,n,ip_status\n8.8.8.8,1,ok\nip,n,ip_status\n8.8.8.8,1,ok\n"
    sonde.file("b.csv", b"ip,n\n8.8.8.8,1\n,2")
    kept = sonde("annotate", *options, "--only-matching", "b.csv", "b.csv").stdout
    assert kept == b"ip,n,ip_status\n8.8.8.8,1,ok\nip,n,ip_status\n8.8.8.8,1,ok\n"


def test_rows_that_are_ragged_or_bad_are_excluded(sonde, loc_database):
    options = ["--style", "columns", "--provider", "local", "--database", loc_database, "--fields", "status"]
    text = b"ip,n\nbad,1\n8.8.8.8,2,3\n\n,4\n8.8.8.8,5\n"
    result = sonde("annotate", *options, "--events", "events", "-o", "out", "--where", "ip", input=text)
    assert sonde.read("out") == b"ip,n,ip_status\n8.8.8.8,5,ok\n"
    assert counts(sonde) == [5, 1, 0, 0, 4, 1]
    assert "1 row was excluded: it has more or fewer cells than the header" in result.stderr


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("packets > 1", "packets is known only at the end of the input"),
        ("country_code = DE and last_seen", "last_seen is known only at the end of the input"),
        ("offset > 1", "offset is not known of lines"),
        ("nothing = 1", "there is no field 'nothing'"),
    ],
)
def test_what_no_line_has_is_refused(sonde, condition, words):
    result = sonde("annotate", "--where", condition, input="8.8.8.8\n")
    assert result.status == 2 and words in result.stderr and result.stdout == b""
