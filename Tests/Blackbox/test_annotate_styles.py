"""`annotate --style end` and `--inside`: what they insert, against a slow reference."""

import json
import random
import re

import pytest
from annotated import hosts, pointers
from test_annotate import AROUND, PLAIN, summary, words

POOL = ["8.8.8.8", "1.1.1.1", "9.9.9.9", "10.1.2.3", "2001:4860::8888", "2606:4700::1", "5.3.7.3"]


@pytest.fixture
def local(loc_database):
    """The options of a run that sends nothing."""
    return ["--provider", "local", "--database", loc_database]


@pytest.fixture
def free(simulator):
    """The simulator without limits."""
    simulator.control(batch_limit=None, single_limit=None)
    return simulator


def inserted(address):
    return "Private-Use" if address.startswith("10.") else words(address)


def test_each_distinct_address_stands_behind_the_line(sonde, free):
    lines = (
        b"8.8.8.8 a [8.8.8.8]:80\r\nnone\r\n::ffff:1.1.1.1 2001:4860:0:0::8888 10.1.2.3\n"
        b"fe80::1%eth0 fe80::1%eth1 fe80::1%eth0\n\nlast 9.9.9.9 8.8.8.8\r"
    )
    options = ["--provider", "ip-api", "--style", "end", "--events", "events", "-o", "out"]
    result = sonde("annotate", *options, input=lines, env=free.env)
    assert result.status == 0
    eight, nine = words("8.8.8.8"), words("9.9.9.9")
    local = "[Link-Local Unicast]"
    assert sonde.read("out").decode() == (
        f"8.8.8.8 a [8.8.8.8]:80\t8.8.8.8 [{eight}]\r\nnone\r\n"
        f"::ffff:1.1.1.1 2001:4860:0:0::8888 10.1.2.3\t1.1.1.1 [{words('1.1.1.1')}]"
        f"\t2001:4860::8888 [{words('2001:4860::8888')}]\t10.1.2.3 [Private-Use]\n"
        f"fe80::1%eth0 fe80::1%eth1 fe80::1%eth0\tfe80::1%eth0 {local}\tfe80::1%eth1 {local}\n"
        f"\nlast 9.9.9.9 8.8.8.8\t9.9.9.9 [{nine}]\t8.8.8.8 [{eight}]\r"
    )
    event = summary(sonde)
    # Occurrences count, not insertions.
    assert (event["entries"], event["duplicates"], event["lines"], event["annotated"]) == (10, 3, 6, 4)


@pytest.mark.parametrize("seed", range(4))
def test_a_fuzzed_log_keeps_its_columns(sonde, free, seed):
    chance, log, wanted = random.Random(seed), b"", b""
    for _ in range(400):
        line, found = b"", []
        for _ in range(chance.randrange(6)):
            if chance.random() < 0.5:
                line += chance.choice(PLAIN).replace(b"\r", b"") + b" "
                continue
            before, behind = chance.choice(AROUND)
            address = chance.choice(POOL)
            if ":" in address and behind == b":443":
                before, behind = b"[", b"]:443"
            line += before + address.encode() + behind + b" "
            found.append(address)
        end = chance.choice([b"\n", b"\r\n"])
        gained = "".join(f"\t{address} [{inserted(address)}]" for address in dict.fromkeys(found))
        log, wanted = log + line + end, wanted + line + gained.encode() + end
    if chance.random() < 0.5:
        log, wanted = log.rstrip(b"\r\n"), wanted.rstrip(b"\r\n")
    sonde.file("log", log)
    options = ["--provider", "ip-api", "--style", "end"]
    assert sonde("annotate", *options, "log", env=free.env).stdout == wanted
    assert sonde("annotate", *options, input=log, env=free.env).stdout == wanted
    twice = sonde("annotate", *options, "log", "log", env=free.env).stdout
    assert twice == wanted + wanted


def test_failures_stand_at_the_end_too(sonde, free):
    fault = {"fault": "entry_error", "message": "oh", "status": "error", "of": "1.1.1.1"}
    free.control(batch_limit=None, faults=[fault])
    options = ("--provider", "ip-api", "--retries", 0, "--style", "end", "--fields", "country_code")
    result = sonde("annotate", *options, input="1.1.1.1 x 8.8.8.8\n", env=free.env)
    known = words("8.8.8.8").split(",")[0]
    assert (result.status, result.stdout.decode()) == (1, f"1.1.1.1 x 8.8.8.8\t1.1.1.1 [failed]\t8.8.8.8 [{known}]\n")


def test_a_long_line_ends_with_all_of_them(sonde, local):
    many = [f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}" for n in range(100_000)]
    line = " ".join([*many, *many[:9]])
    result = sonde("annotate", *local, "--style", "end", input=line + "\nnone\n")
    assert result.stdout.decode() == line + "".join(f"\t{a} [Private-Use]" for a in many) + "\nnone\n"


# --inside


def found_inside(sonde, texts):
    """The addresses that log mode finds in each text, once each."""
    found = {}
    for text in texts:
        lines = sonde("extract", input=text.encode("utf-8", "replace")).stdout.decode().splitlines()
        found[text] = list(dict.fromkeys(lines))
    return found


TEXTS = [
    "GET http://8.8.8.8/x 200", "from 1.1.1.1:53 to 9.9.9.9, again 1.1.1.1", "8.8.8.8, unknown", "none", "8.8.8.8",
    'a "2001:4860::8888"\t10.1.2.3\n8.8.8.8', "fe80::1%eth0 and fe80::1%eth0, fe80::1", "1.2.3.4.5.6", "é8.8.8.8",
    "[2606:4700::1]:443", "8.8.8.8 8.8.8.8", "x=10.1.2.3;y=10.1.2.3", "", ":", "\u2028 5.3.7.3 \U0001f600",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_strings_are_searched_as_a_log_is(sonde, local, seed):
    chance, inside = random.Random(seed), found_inside(sonde, TEXTS)

    def value(depth):
        kind = chance.random()
        if kind < 0.6 or depth > 2:
            return chance.choice(TEXTS)
        if kind < 0.7:
            return chance.choice([None, 8.8, True])
        if kind < 0.85:
            return [value(depth + 1) for _ in range(chance.randrange(4))]
        return {chance.choice("abc/~"): value(depth + 1) for _ in range(chance.randrange(4))}

    def collect(part, pointer, found):
        if isinstance(part, str):
            whole = hosts(part)
            if whole is not None:
                found[pointer] = whole
            elif inside[part]:
                found[pointer] = [inside[part]]
        elif isinstance(part, dict):
            for name, member in part.items():
                collect(member, f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}", found)
        elif isinstance(part, list):
            for index, element in enumerate(part):
                collect(element, f"{pointer}/{index}", found)

    lines = [{name: value(0) for name in chance.sample("abcdef", 3)} for _ in range(200)]
    text = "".join(json.dumps(line, ensure_ascii=chance.random() < 0.5) + "\n" for line in lines)
    options = ["--style", "json", "--inside", "--fields", "ip", "--events", "events", "-o", "out"]
    assert sonde("annotate", *local, *options, input=text).status == 0
    entries = 0
    for line, written in zip(lines, sonde.read("out").decode().split("\n")[:-1], strict=True):
        wanted = {}
        collect(line, "", wanted)
        record = json.loads(written).get("sonde", {})
        assert list(record) == list(wanted)
        for pointer, found in wanted.items():
            inner = found[0] if isinstance(found, list) and isinstance(found[0], list) else found
            one = record[pointer]
            got = [o and o["ip"] for o in one] if isinstance(one, list) else one["ip"]
            assert got == inner, (pointer, line)
            entries += 1
    assert entries > 100
    summary(sonde)


def test_repeated_addresses_are_counted_and_shown_once(sonde, local):
    options = ["--style", "json", "--inside", "--fields", "ip", "--events", "events", "-o", "out"]
    given = '{"m":"8.8.8.8 to 8.8.8.8, 1.1.1.1 x","ip":"8.8.8.8"}\n'
    sonde("annotate", *local, *options, input=given)
    assert json.loads(sonde.read("out"))["sonde"] == {
        "/m": [{"ip": "8.8.8.8"}, {"ip": "1.1.1.1"}],
        "/ip": {"ip": "8.8.8.8"},
    }
    event = summary(sonde)
    assert (event["entries"], event["duplicates"], event["annotated"]) == (4, 2, 1)
    plain = sonde("annotate", *local, "--style", "json", "--fields", "ip", input=given).stdout
    assert json.loads(plain)["sonde"] == {"/ip": {"ip": "8.8.8.8"}}
    assert pointers(given.encode()) == {"/ip": "8.8.8.8"}


def test_lines_of_strings_can_be_chosen(sonde, local):
    options = ["--style", "json", "--inside", "--fields", "ip", "--where", "ip = 1.1.1.1"]
    lines = '{"m":"x 8.8.8.8"}\n{"m":"x 1.1.1.1 8.8.8.8"}\n{}\nno 1.1.1.1\n'
    result = sonde("annotate", *local, *options, input=lines)
    assert result.stdout == (
        b'{"m":"x 1.1.1.1 8.8.8.8","sonde":{"/m":[{"ip":"1.1.1.1"},{"ip":"8.8.8.8"}]}}\n'
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--inside"], "--inside is for --style json"),
        (["--inside", "--style", "end"], "--inside is for --style json"),
        (["--fields", "none", "--style", "json"], "--fields none is for --style brackets and end"),
        (["--fields", "none", "--style", "columns"], "--fields none is for --style brackets and end"),
        (["--fields", "none,ip"], "there is no column 'none'"),
        (["--style", "end", "--key", "x"], "--key is for --style json"),
    ],
)
def test_what_makes_no_sense_is_refused(sonde, options, words):
    result = sonde("annotate", *options, input="8.8.8.8\n")
    assert result.status == 2 and words in result.stderr


def test_what_stands_at_the_end_is_dimmed_on_a_terminal(sonde, local):
    result = sonde("annotate", *local, "--style", "end", "--color", "always", input="8.8.8.8 x\n")
    assert re.fullmatch(rb"8\.8\.8\.8 x\t\x1b\[2m8\.8\.8\.8 \[[^\x1b]*\]\x1b\[22m\n", result.stdout)
