"""`--with names`: the names of addresses, confirmed or not, from NSD and from a server that lies, loses and delays."""

import csv
import io
import json
import random
import signal
import struct
import time
from collections import Counter

import pytest
from command import wait_for
from name_server import A, AAAA, CNAME, NSD, PTR, REFUSED, SERVFAIL, NameServer, message, reverse

pytestmark = pytest.mark.slow


@pytest.fixture
def server():
    """A server of names that tells the truth until it is told otherwise."""
    server = NameServer()
    yield server
    server.close()


@pytest.fixture
def names(sonde, loc_database):
    """Runs a scan with names; the provider is a local database."""

    def run(server, *arguments, command="scan", **options):
        place = server if isinstance(server, str) else server.place
        local = ("--provider", "local", "--database", loc_database)
        asking = ("--with", "names", "--resolver", place, "--cache", "kept.db")
        return sonde(command, *local, *asking, *arguments, **options)

    return run


def found(result):
    """For each address its names and their status."""
    return {record["ip"]: (record.get("ptr"), record.get("ptr_status")) for record in result.records}


# NSD


def test_nsd_names_are_confirmed_or_not(names, tmp_path):
    zones = {
        "8.in-addr.arpa": [
            "8.8.8 PTR dns.example.",
            "4.8.8 PTR liar.example.",
            "2.8.8 PTR liar.example.\n2.8.8 PTR crawl-2.example.",
            "3.8.8 PTR missing.example.",
            # RFC 2317: the pointers of a part of a network.
            "64.8.8 CNAME 64.64/26.8.8.8.in-addr.arpa.\n64.64/26.8.8 PTR part.example.",
            "5.8.8 CNAME there.other.\n",
        ],
        "0.6.8.4.1.0.0.2.ip6.arpa": [f"{reverse('2001:4860::8888')}. PTR six.example."],
        "example": [
            "dns A 8.8.8.8",
            "liar A 9.9.9.9",
            "crawl-2 A 8.8.8.2",
            "part CNAME host\nhost A 8.8.8.64",
            "six AAAA 2001:4860::8888\nsix A 8.8.8.8",
            "far A 8.8.8.5",
        ],
        "other": ["there PTR far.example."],
    }
    nsd = NSD(tmp_path / "nsd", zones)
    try:
        addresses = "8.8.8.8 8.8.8.4 8.8.8.2 8.8.8.3 8.8.8.64 8.8.8.5 8.8.8.9 2001:4860::8888".split()
        result = names(nsd, *addresses)
    finally:
        nsd.close()
    assert result.status == 0, result.stderr
    assert found(result) == {
        "8.8.8.8": (["dns.example"], "confirmed"),
        "8.8.8.4": (["liar.example"], "unconfirmed"),
        "8.8.8.2": (["crawl-2.example", "liar.example"], "confirmed"),
        "8.8.8.3": (["missing.example"], "unconfirmed"),
        "8.8.8.64": (["part.example"], "confirmed"),
        "8.8.8.5": (["far.example"], "confirmed"),
        "8.8.8.9": (None, "none"),
        "2001:4860::8888": (["six.example"], "confirmed"),
    }


def test_csv_joins_names_with_blanks_and_escapes_what_is_in_them(names, server):
    server.add("8.8.8.8", [b"a b", b"c.d", b"\x1b[1m", b"\xff\\", b"example"], "two.example")
    server.records[(b"a b.c.d.\x1b[1m.\xff\\.example".decode("latin-1"), A)] = [(None, A, 60, "8.8.8.8")]
    result = names(server, "--format", "csv", "--fields", "ip,ptr_status,ptr", "8.8.8.8")
    rows = list(csv.DictReader(io.StringIO(result.stdout.decode())))
    escaped = r"a\032b.c\046d.\027[1m.\255\092.example"
    assert rows[0]["ptr_status"] == "confirmed"
    assert sorted(rows[0]["ptr"].split(" ")) == sorted([escaped, "two.example"])


def test_a_hundred_pointers_come_over_tcp_and_ten_are_confirmed(names, server):
    server.add("8.8.8.8", *(f"host-{number}.example" for number in range(100)), back=False)
    server.records[("host-4.example", A)] = [(None, A, 60, "8.8.8.8")]
    server.records[("host-10.example", A)] = [(None, A, 60, "8.8.8.8")]
    result = names(server, "8.8.8.8")
    ptr, status = found(result)["8.8.8.8"]
    assert status == "confirmed" and ptr[0] == "host-4.example" and len(ptr) == len(set(ptr)) == 100
    assert sorted(server.asked(A)) == sorted(f"host-{number}.example" for number in range(10))
    assert [question.stream for question in server.questions if question.type == PTR] == [False, True]


# A hostile server


def lie(question, code=0, records=()):
    """An answer that says something else than the truth."""
    return message(question, code, records or [(None, PTR, 60, "lie.example")])


def other_question(question):
    """An answer to something that was not asked."""
    raw = bytearray(lie(question))
    raw[13] ^= 1
    return bytes(raw)


def other_id(question):
    """An answer with a number that was not asked with."""
    return struct.pack(">H", question.id ^ 1) + lie(question)[2:]


def ring(question):
    """An answer whose alias leads back to itself."""
    return message(question, records=[(None, CNAME, 60, "ring.example"), ("ring.example", CNAME, 60, question.labels)])


def endless(question):
    """An alias that leads to another each time it is asked."""
    return message(question, records=[(None, CNAME, 60, [b"x%d" % len(question.raw), *question.labels])])


FAULTS = {
    # What follows the lie is the truth; the rest of the row is what is found.
    "another id": (lambda q, truth: [other_id(q), truth], True),
    "another question": (lambda q, truth: [other_question(q), truth], True),
    "nothing at all": (lambda q, truth: [b"", truth], True),
    "a few bytes": (lambda q, truth: [truth[:7], truth], True),
    "not a response": (lambda q, truth: [q.raw], False),
    "half a message": (lambda q, truth: [truth[:-4]], False),
    "counts that lie": (lambda q, truth: [truth[:6] + b"\xff\xff" + truth[8:]], False),
    "a pointer to itself": (lambda q, truth: [message(q, records=[(None, PTR, 60, b"\xc0" + bytes([len(q.raw) + 1]))])], None),
    "silence": (lambda q, truth: [], False),
    "SERVFAIL": (lambda q, truth: [message(q, SERVFAIL)], False),
    "REFUSED": (lambda q, truth: [message(q, REFUSED)], False),
    "names with NXDOMAIN": (lambda q, truth: [lie(q, 3)], None),
    "truncation for ever": (lambda q, truth: [message(q, truncated=True)], False),
    "aliases in a ring": (lambda q, truth: [ring(q)], False),
    "aliases without end": (lambda q, truth: [endless(q)], False),
    "too late": (lambda q, truth: [(2.5, truth)], False),
    "twice": (lambda q, truth: [truth, truth, lie(q)], True),
    "once SERVFAIL": (None, True),
    "once silence": (None, True),
}


def test_a_hostile_server_spoils_its_own_names_alone(names, server):
    places = {f"8.8.{number}.8": fault for number, fault in enumerate(FAULTS)}
    good = [f"9.9.{number // 200}.{number % 200}" for number in range(300)]
    for address in [*places, *good]:
        server.add(address, f"host-{address}.example")
    spoiled = {reverse(address): fault for address, fault in places.items()}
    once = set()

    def rule(question):
        fault = spoiled.get(question.name) or ("aliases without end" if question.name.startswith("x") else None)
        if fault is None:
            return None
        if fault.startswith("once"):
            first = fault not in once
            once.add(fault)
            return ([message(question, SERVFAIL)] if "SERVFAIL" in fault else []) if first else None
        return FAULTS[fault][0](question, server.answer(question))

    server.rule = rule
    mixed = [address for pair in zip(list(places) * 20, good) for address in pair]
    result = names(server, "--timeout", "1s", input="".join(f"{a}\n" for a in [*mixed, *good]))
    everything = found(result)
    for address in good:
        assert everything[address] == ([f"host-{address}.example"], "confirmed")
    truth = {True: "confirmed", False: "failed", None: "none"}
    expected = {fault: truth[right] for fault, (_, right) in FAULTS.items()}
    assert {fault: everything[address][1] for address, fault in places.items()} == expected
    assert result.status == 1, result.stderr


def test_a_server_that_refuses_everything_answers(names, server):
    server.rule = lambda question: [message(question, REFUSED)]
    result = names(server, "8.8.8.8", "8.8.4.4")
    assert result.status == 1
    assert set(found(result).values()) == {(None, "failed")}


def test_a_silent_resolver_is_the_networks_loss(names, server):
    server.rule = lambda question: []
    began = time.monotonic()
    result = names(server, "--timeout", "300ms", "--offline-timeout", "1s", "8.8.8.8", "8.8.4.4")
    assert result.status == 3, result.stderr
    assert set(found(result).values()) == {(None, "network_lost")}
    assert {record["status"] for record in result.records} <= {"ok", "unknown"}
    assert time.monotonic() - began < 30


def test_nobody_listens(names, server):
    server.close()
    result = names(server, "--offline-timeout", "1s", "8.8.8.8")
    assert (result.status, found(result)) == (3, {"8.8.8.8": (None, "network_lost")})


def test_a_resolver_that_comes_back_is_asked_again(sonde, names, server, loc_database):
    """What it did not answer meanwhile is asked again, and nothing is lost."""
    addresses = [f"8.8.{number // 200}.{number % 200}" for number in range(400)]
    for address in addresses:
        server.add(address, f"host-{address}.example")
    running = sonde.start(
        "scan", "--provider", "local", "--database", loc_database, "--with", "names",
        "--resolver", server.place, "--timeout", "300ms", "--format", "ndjson",
    )  # fmt: skip
    running.write("".join(f"{address}\n" for address in addresses[:100]))
    assert running.line(timeout=30)
    server.rule = lambda question: []
    running.write("".join(f"{address}\n" for address in addresses[100:]))
    wait_for(lambda: any(question.name == "" for question in server.questions), timeout=30)
    server.rule = None
    result = running.finish(timeout=60)
    assert result.status == 0, result.stderr
    assert found(result) == {address: ([f"host-{address}.example"], "confirmed") for address in addresses}


def test_a_resolver_that_mostly_lies_is_no_loss_of_the_network(names, server):
    """It answers a third of the questions, so that it is never silent for as long as `--offline-timeout`."""
    addresses = [f"8.8.{number // 200}.{number % 200}" for number in range(600)]
    for address in addresses:
        server.add(address, f"host-{address}.example")
    chance = random.Random(24)

    def rule(question):
        kind = chance.random()
        if kind < 0.35:
            return []
        if kind < 0.45:
            return [b"garbage"]
        if kind < 0.55:
            return [struct.pack(">H", question.id ^ 1) + message(question)[2:]]
        return [(0.4, message(question, SERVFAIL))] if kind < 0.65 else None

    server.rule = rule
    text = "".join(f"{address}\n" for address in addresses)
    result = names(server, "--timeout", "300ms", "--offline-timeout", "3s", input=text, timeout=240)
    statuses = Counter(status for _, status in found(result).values())
    assert set(statuses) <= {"confirmed", "failed"} and statuses["failed"] < 30, statuses


def test_no_name_fails_where_every_sixth_datagram_is_lost(names, server):
    """Three tries would lose some 13 of 4,000 questions."""
    addresses = [f"8.{number // 200}.{number % 200}.8" for number in range(2000)]
    for address in addresses:
        server.add(address, f"host-{address}.example")
    chance = random.Random(24)
    server.rule = lambda question: [] if chance.random() < 0.15 else None
    result = names(server, "--timeout", "250ms", input="".join(f"{address}\n" for address in addresses))
    assert result.status == 0, result.stderr
    assert {status for _, status in found(result).values()} == {"confirmed"}


# What is asked, and what is kept


def test_what_was_found_is_not_asked_again(names, server):
    server.add("8.8.8.8", "dns.example")
    server.rule = lambda question: [message(question, REFUSED)] if question.name == reverse("8.8.4.4") else None
    first = names(server, "8.8.8.8", "8.8.4.4", "8.8.1.1")
    assert first.status == 1
    assert sorted(server.counts().values()) == [1, 1, 1, 1]
    second = names(server, "8.8.8.8", "8.8.4.4", "8.8.1.1")
    assert found(second) == found(first) and second.status == 1
    assert sum(server.counts().values()) == 4
    assert found(names(server, "--no-cache", "8.8.8.8")) == {"8.8.8.8": (["dns.example"], "confirmed")}
    assert server.counts()[(reverse("8.8.8.8"), PTR)] == 2


def test_another_resolver_is_asked_anew(names, server):
    server.add("8.8.8.8", "dns.example")
    other = NameServer()
    other.add("8.8.8.8", "other.example")
    try:
        assert found(names(server, "8.8.8.8"))["8.8.8.8"] == (["dns.example"], "confirmed")
        assert found(names(other, "8.8.8.8"))["8.8.8.8"] == (["other.example"], "confirmed")
    finally:
        other.close()


@pytest.fixture
def machine(sonde, loc_database, server):
    """Runs a scan with names on a machine of its own; what is found lies in a Redis that all share."""

    def run(redis, *addresses, url=None):
        home = sonde.work / f"machine-{sonde.runs}"
        env = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "c"), "XDG_STATE_HOME": str(home / "s")}
        local = ("--provider", "local", "--database", loc_database, "--with", "names", "--resolver", server.place)
        return sonde("scan", *local, "--shared", url or redis.url, *addresses, env=env)

    return run


def test_what_a_machine_has_found_no_other_one_asks(machine, server, redis):
    server.add("8.8.8.8", "dns.example", "\xff odd.example")
    server.rule = lambda question: [message(question, REFUSED)] if question.name == reverse("8.8.4.4") else None
    first = machine(redis, "8.8.8.8", "8.8.4.4", "8.8.1.1")
    assert found(first)["8.8.8.8"][1] == "confirmed" and found(first)["8.8.1.1"] == (None, "none")
    before = sum(server.counts().values())
    for url in (redis.url, redis.unix):
        other = machine(redis, "8.8.1.1", "8.8.8.8", "8.8.4.4", url=url)
        assert found(other) == found(first) and other.status == first.status == 1
    assert sum(server.counts().values()) == before
    # Nothing stays for ever.
    keys = [line for line in redis.ask("KEYS", "{sonde}:text:*").split(b"\r\n") if line.startswith(b"{sonde}:")]
    assert len(keys) == 3 and all(int(redis.ask("PTTL", key)[1:]) > 0 for key in keys)


def test_a_shared_name_that_is_damaged_is_asked_again(machine, server, redis):
    server.add("8.8.8.8", "dns.example")
    first = machine(redis, "8.8.8.8")
    (key,) = [line for line in redis.ask("KEYS", "{sonde}:text:*").split(b"\r\n") if line.startswith(b"{sonde}:")]
    scope, kept = [line for line in redis.ask("HGETALL", key).split(b"\r\n", 4)[2::2]]
    for damaged in (b"", b"x", b"\0" * 64, kept[:-3], kept[:20] + b"!" + kept[21:-2]):
        redis.ask("HSET", key, scope, damaged)
        before = server.counts()[(reverse("8.8.8.8"), PTR)]
        assert found(machine(redis, "8.8.8.8")) == found(first), damaged
        assert server.counts()[(reverse("8.8.8.8"), PTR)] == before + 1, damaged


def test_names_are_asked_while_what_machines_share_is_gone(machine, server, redis):
    server.add("8.8.8.8", "dns.example")
    redis.kill()
    for _ in range(2):
        alone = machine(redis, "8.8.8.8")
        assert found(alone) == {"8.8.8.8": (["dns.example"], "confirmed")}, alone.stderr
    redis.start()
    assert found(machine(redis, "8.8.8.8")) == found(machine(redis, "8.8.8.8"))
    assert server.counts()[(reverse("8.8.8.8"), PTR)] == 3


def test_another_way_of_asking_is_not_resumed(sonde, server, loc_database):
    addresses = [f"8.8.{number // 250}.{number % 250}" for number in range(1000)]
    server.rule = lambda question: [(0.05, server.answer(question))]
    sonde.file("list", "\n".join(addresses))
    scan = ("scan", "--provider", "local", "--database", loc_database, "-o", "out.csv", "list", "--with", "names")
    running = sonde.start(*scan, "--resolver", server.place)
    wait_for(lambda: len(server.asked(PTR)) > 200, timeout=60)
    running.signal(signal.SIGTERM)
    running.finish()
    server.rule = None
    for options, name in [
        (("--resolver", "127.0.0.1:9"), "resolver"),
        ((), "resolver"),
        (("--resolver", server.place, "--private-names"), "private-names"),
        (("--resolver", server.place, "--owner-reuse", "none"), "owner-reuse"),
    ]:
        other = sonde(*scan, "--resume", *options)
        assert other.status == 2 and f"another --{name}" in other.stderr, options
    assert sonde(*scan, "--resume", "--resolver", server.place, "--owner-reuse", "24").status == 0


def test_a_plan_counts_whose_names_would_be_asked_for(names, server):
    server.add("8.8.8.8", "dns.example")
    names(server, "8.8.8.8")
    sent = len(server.asked(PTR))

    def planned(*options, place=server):
        text = names(place, *options, "8.8.8.0/29", "8.8.8.8", "10.0.0.1", "192.0.2.1", command="plan").stdout.decode()
        (line,) = [line for line in text.splitlines() if line.startswith("names")]
        return line.split(maxsplit=2)[1:]

    assert planned() == ["8", "as fast as it is answered"]
    assert planned("--private-names")[0] == "9"
    assert planned("--no-cache")[0] == "9"
    assert planned("--where", "not ip in (8.8.8.0/30)")[0] == "4"
    assert planned("8.0.0.0/20", place="9.9.9.9") == ["4105", "at least 9 s (500 a second)"]
    assert len(server.asked(PTR)) == sent


def test_repeated_addresses_are_asked_once(names, server):
    server.add("8.8.8.8", "dns.example")
    result = names(server, "--duplicates", "keep", input="8.8.8.8\n" * 2000)
    assert len(result.records) == 2000
    assert {(tuple(record["ptr"]), record["ptr_status"]) for record in result.records} == {
        (("dns.example",), "confirmed")
    }
    assert server.counts() == {(reverse("8.8.8.8"), PTR): 1, ("dns.example", A): 1}


def test_private_addresses_are_sent_only_if_wanted(names, server):
    for address in ("10.1.2.3", "fd00::1", "192.0.2.1", "8.8.8.8"):
        server.add(address, "host.example")
    plain = names(server, "10.1.2.3", "fd00::1", "192.0.2.1", "8.8.8.8")
    assert plain.status == 0, plain.stderr
    assert server.asked(PTR) == [reverse("8.8.8.8")]
    assert found(plain)["10.1.2.3"] == found(plain)["192.0.2.1"] == (None, None)
    private = names(server, "--private-names", "10.1.2.3", "fd00::1", "192.0.2.1", "8.8.8.8")
    assert found(private) == {
        "10.1.2.3": (["host.example"], "confirmed"),
        "fd00::1": (["host.example"], "confirmed"),
        "192.0.2.1": (None, None),
        "8.8.8.8": (["host.example"], "confirmed"),
    }
    assert [record["status"] for record in private.records][:3] == ["reserved"] * 3
    assert server.asked(PTR).count(reverse("8.8.8.8")) == 1 and server.asked(AAAA) == ["host.example"]


def test_conditions_may_name_them(names, server):
    server.add("8.8.8.8", "Crawl-1.Googlebot.com")
    server.add("8.8.4.4", "else.example")
    result = names(server, "--where", 'ptr ~ "*.googlebot.com"', "8.8.8.8", "8.8.4.4", "8.8.1.1")
    assert [record["ip"] for record in result.records] == ["8.8.8.8"]


def test_annotate_inserts_names(sonde, names, server):
    server.add("8.8.8.8", "dns.example")
    sonde.file("log", "from 8.8.8.8 to 8.8.4.4\n")
    line = names(server, "log", command="annotate").stdout.decode()
    assert "dns.example" in line and "confirmed" not in line


def test_upgrade_asks_again_for_what_failed(sonde, simulator, server):
    """Also where the failure is kept."""
    server.add("8.8.8.8", "dns.example")
    server.add("8.8.4.4", "other.example")
    refused = reverse("8.8.8.8")
    server.rule = lambda question: [message(question, REFUSED)] if question.name == refused else None
    asking = ("--with", "names", "--resolver", server.place, "--cache", "kept.db")
    first = sonde("scan", *asking, "-o", "out.ndjson", "8.8.8.8", "8.8.4.4", env=simulator.env)
    assert first.status == 1
    server.rule = None
    again = sonde("upgrade", *asking, "out.ndjson", env=simulator.env)
    assert again.status == 0, again.stderr
    assert found(again) == {
        "8.8.8.8": (["dns.example"], "confirmed"),
        "8.8.4.4": (["other.example"], "confirmed"),
    }
    assert server.asked(PTR).count(refused) == 2 and server.asked(PTR).count(reverse("8.8.4.4")) == 1


def test_look_ups_and_the_settings_know_the_resolver(sonde, server, loc_database):
    server.add("8.8.8.8", "dns.example")
    result = sonde(
        "lookup", "--provider", "local", "--database", loc_database, "--with", "names", "8.8.8.8",
        env={"SONDE_RESOLVER": server.place},
    )  # fmt: skip
    assert found(result) == {"8.8.8.8": (["dns.example"], "confirmed")}


@pytest.mark.parametrize("place", ["dns.example", "127.0.0.1:0", "127.0.0.1:dns", "[::1", "fe80::1%lo", ""])
def test_a_resolver_is_an_address(sonde, place):
    result = sonde("scan", "--with", "names", "--resolver", place, "8.8.8.8")
    assert (result.status, result.stdout) == (2, b"")
    assert "--resolver" in result.stderr


def test_a_kill_in_the_middle_asks_nothing_twice(sonde, server, loc_database):
    """But what was under way, which nobody can know."""
    addresses = [f"8.{number // 40000}.{number // 200 % 200}.{number % 200}" for number in range(3000)]
    for address in addresses:
        server.add(address, f"host-{address}.example")
    server.rule = lambda question: [(0.02, server.answer(question))]
    sonde.file("list", "".join(f"{address}\n" for address in addresses))
    arguments = (
        "scan", "--provider", "local", "--database", loc_database, "--with", "names",
        "--resolver", server.place, "--cache", "kept.db", "-o", "out.ndjson", "--resume", "list",
    )  # fmt: skip
    for part in range(1, 4):
        running = sonde.start(*arguments)
        wait_for(lambda: len(server.asked(PTR)) > part * 600 or running.process.poll() is not None, timeout=60)
        running.signal(signal.SIGKILL)
        running.finish()
    assert sonde(*arguments).status == 0
    lines = sonde.read("out.ndjson").splitlines()
    assert len(lines) == 3000
    result = type("Output", (), {"records": [json.loads(line) for line in lines]})
    assert found(result) == {address: ([f"host-{address}.example"], "confirmed") for address in addresses}
    repeated = sum(count - 1 for (_, kind), count in server.counts().items() if kind == PTR)
    assert repeated <= 3 * 300
