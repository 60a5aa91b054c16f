"""`summary --where`: what is left out is counted nowhere, and is said."""

import gzip
import json
import random
import signal
from collections import Counter
from datetime import datetime, timezone

import captures
import pytest
import tallies
from namespaces import Network, skip_unless_allowed
from command import wait_for
from test_summary import fuzzed, known

NETS = "network,team\n8.8.8.0/24,dns\n10.0.0.0/8,office\n"
LOG = (
    "8.8.8.8 - - [02/Nov/2026:10:00:00 +0000] \"GET /\"\n"
    "10.1.2.3 - - [02/Nov/2026:10:30:00 +0000] \"GET /\"\n"
    "1.1.1.1 - - [02/Nov/2026:11:00:00 +0000] \"GET /\"\n"
    "8.8.8.8 - - [02/Nov/2026:12:00:00 +0000] \"GET /\"\n"
)


def hits(result, kind):
    """The hits by key of one table."""
    return {row["key"]: row["hits"] for row in result.records if row["table"] == kind}


def summary(sonde, simulator, *arguments, **rest):
    return sonde("summary", "--provider", "ip-api", "--format", "ndjson", *arguments, env=simulator.env, **rest)


def test_what_a_table_has_is_counted_nowhere_and_asked_of_nobody(sonde, simulator):
    sonde.file("nets.csv", NETS)
    sonde.file("access.log", LOG)
    result = summary(sonde, simulator, "--with", "own=nets.csv", "--where", "not own_network", "access.log")
    assert result.status == 0, result.stderr
    assert hits(result, "address") == {"1.1.1.1": 1}
    assert sum(hits(result, "hour").values()) == 1
    assert simulator.counts()["total"] == 1
    assert "4 entries: 1 ok (1 ip-api), 3 excluded" in result.stderr


@pytest.mark.parametrize("form", ["csv", "tsv", "ndjson", "json", "sqlite"])
def test_records_are_chosen_by_all_that_they_say(sonde, simulator, form):
    sonde.file("nets.csv", NETS)
    sonde("scan", "--with", "own=nets.csv", "-o", f"r.{form}", input=LOG, env=simulator.env)
    sonde("scan", "--log", "--with", "own=nets.csv", "-o", f"l.{form}", "-", input=LOG, env=simulator.env)
    asked = simulator.counts()["total"]
    for condition, addresses in [
        ("status = reserved", {"10.1.2.3"}), ("timezone and ip != 1.1.1.1", {"8.8.8.8"}), ("source = ip-api", {"8.8.8.8", "1.1.1.1"}),
    ]:
        result = summary(sonde, simulator, "--where", condition, f"l.{form}")
        assert result.status == 0, result.stderr
        assert set(hits(result, "address")) == addresses, condition
        assert "excluded" in result.stderr
    result = summary(sonde, simulator, "--with", "own=nets.csv", "--where", "own_team = dns", f"l.{form}")
    assert set(hits(result, "address")) == {"8.8.8.8"}
    assert simulator.counts()["total"] == asked


FETCHED = "ip,status,country_code,fetched_at\n" + "".join(
    f"{ip},ok,US,{when}\n"
    for ip, when in [("1.1.1.1", "2024-03-01T07:59:59Z"), ("2.2.2.2", "2024-03-01T08:00:00Z"), ("3.3.3.3", ""), ("4.4.4.4", "2024-03-02T00:00:00Z")]
)


@pytest.mark.parametrize(
    ("condition", "options", "kept"),
    [
        ("fetched_at < 2024-03-01T10:00+02:00", (), "1"),
        ("fetched_at >= '2024-03-01 09:00'", ("--time-zone", "Europe/Berlin"), "24"),
        ("fetched_at = 2024-03-02", (), "4"),
        ("fetched_at < 2024-03-02", ("--time-zone", "America/New_York"), "124"),
        ("fetched_at in (2024-03-01T08:00:00.000Z, 1d)", (), "2"),
        ("not fetched_at < 2d", (), "3"),
        ("fetched_at ~ 2024-03-01T*", (), "12"),
    ],
)
def test_times_compare_as_moments(sonde, simulator, condition, options, kept):
    sonde.file("r.csv", FETCHED)
    result = summary(sonde, simulator, "--where", condition, *options, "r.csv")
    assert set(hits(result, "address")) == {".".join(n * 4) for n in kept}


def scanned(sonde, simulator, *arguments):
    """The occurrences in logs as `scan` has them, each by its input, its line and its address."""
    options = ("--provider", "ip-api", "--log", "--duplicates", "keep", "--fields", "input,line,ip", "--format", "ndjson")
    result = sonde("scan", *options, *arguments, env=simulator.env)
    assert result.status == 0, result.stderr
    return [(record["input"], record["line"], record["ip"]) for record in result.records]


CONDITIONS = [
    "country_code = US", "not country_code in (US, DE) and not own_network", "own_network or asn > 30000", "status = reserved",
    "country_code = US and line > 100", "input = b.log or longitude < 0", "line <= 40 and not input = b.log", "city ~ '*a*' and latitude > 0",
    "source = ip-api and not (line > 50 or country_code = DE)", "isp ~ '*net*' or org and not region", "ip ~ '2a02*' and region", "fetched_at > 2000-01-01",
    "country_code in (US, DE) and (line > 10 and line < 300 or input = b.log and line > 400) and not (input = a.log and line = 77)",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_hits_of_a_log_are_those_of_a_scan(sonde, simulator, condition):
    simulator.control(batch_limit=None)
    sonde.file("own.csv", "network,team\n5.0.0.0/18,near\n10.0.0.0/9,office\n2a02:10::/28,six\n")
    logs = {name: fuzzed(seed, tallies.UTC, 50, lines=300) for seed, name in enumerate(["a.log", "b.log"])}
    for name, log in logs.items():
        sonde.file(name, bytes(log.bytes))
    hits = [hit for log in logs.values() for hit in log.hits]
    inputs = ["--with", "own=own.csv", *logs]
    places = scanned(sonde, simulator, *inputs)
    assert [ip for _, _, ip in places] == [ip for ip, _ in hits]
    chosen = ("--where", condition)
    # What is in the cache is so for both.
    kept = set(scanned(sonde, simulator, *chosen, *inputs))
    assert kept and kept < set(places), "the condition is of no use"
    result = summary(sonde, simulator, "--top", 0, "--events", "events", *chosen, *inputs)
    left = [hit for hit, place in zip(hits, places) if place in kept]
    times = [when.replace(microsecond=0) for _, when in left if when]
    assert result.status == 0, result.stderr
    rows, expected = result.records, tallies.tables([known(ip) for ip, _ in left], 0) + tallies.timeline(times, len(left))
    if "line" in condition or "input" in condition:
        # A city lies where the answer says that was the first to come up, be that at a place that is left out.
        rows, expected = ([{k: v for k, v in row.items() if not k.endswith("tude")} for row in table] for table in (rows, expected))
    assert rows == expected
    event = [json.loads(line) for line in sonde.read("events").splitlines()][-1]
    assert (event["entries"], event["excluded"]) == (len(hits), len(hits) - len(left))
    assert event["entries"] == sum(event[name] for name in BOOKS), "the books balance"
    assert event["duplicates"] == len(left) - len({ip for ip, _ in left})


BOOKS = ("duplicates", "ok", "unknown", "reserved", "invalid", "failed", "network_lost", "excluded")


def test_what_comes_by_a_pipe_waits_for_its_answers(sonde, simulator):
    simulator.control(batch_limit=None, latency=0.3)
    log = fuzzed(3, tallies.UTC, 400)
    sonde.file("log", bytes(log.bytes))
    condition = "country_code = US"
    kept = {ip for ip, _ in log.hits if known(ip).get("country_code") == "US"}
    left = [hit for hit in log.hits if hit[0] in kept]
    times = [when.replace(microsecond=0) for _, when in left if when]
    expected = tallies.tables([known(ip) for ip, _ in left], 7) + tallies.timeline(times, len(left))
    for given in [{"input": bytes(log.bytes)}, {"input": gzip.compress(bytes(log.bytes))}]:
        result = summary(sonde, simulator, "--no-cache", "--top", 7, "--where", condition, "-", **given)
        assert (result.status, result.records) == (0, expected)
    bounds = ["--since", "2015-10-26", "--until", "2015-11-02"]
    result = summary(sonde, simulator, *bounds, "--top", 7, "--where", condition, "log")
    since, until = (tallies.moment(f"{day}T00:00:00Z") for day in bounds[1::2])
    left = [hit for hit in left if hit[1] and since <= hit[1] < until]
    times = [when.replace(microsecond=0) for _, when in left if when]
    assert result.records == tallies.tables([known(ip) for ip, _ in left], 7) + tallies.timeline(times, len(left))


def test_nothing_is_left_when_all_is_excluded(sonde, simulator):
    sonde.file("access.log", LOG)
    for form, empty in [("ndjson", ""), ("json", "{}"), ("csv", None), ("table", None)]:
        result = sonde(
            "summary", "--provider", "ip-api", "--where", "country_code = ZZ", "--format", form, "--html", "p.html", "access.log",
            env=simulator.env,
        )
        assert result.status == 0, result.stderr
        assert "4 entries: 0 ok, 4 excluded" in result.stderr
        if form == "json":
            assert not any(json.loads(result.stdout).values())
        elif empty is not None:
            assert result.stdout.decode() == empty
        assert "8.8.8.8" not in result.stdout.decode() + sonde.read("p.html").decode()


def test_what_is_left_out_is_not_said_to_be_at_another_time(sonde, simulator):
    sonde.file("access.log", LOG)
    result = summary(sonde, simulator, "--since", "2026-11-02T11:30", "--where", "country_code = ZZ", "access.log")
    assert (result.status, result.stdout) == (0, b"") and "nothing in that time" not in result.stderr


def test_what_has_no_answer_stays(sonde, simulator):
    simulator.control(faults=[{"fault": "status", "code": 500}])
    sonde.file("access.log", LOG)
    result = summary(sonde, simulator, "--retries", "0", "--where", "country_code = ZZ", "access.log")
    assert result.status == 1, "a failure is not hidden"
    assert hits(result, "status") == {"failed": 3}
    assert "4 entries: 0 ok, 2 failed, 1 excluded, 1 duplicate" in result.stderr


@skip_unless_allowed()
def test_a_lost_network_hides_nothing(sonde):
    network = Network()
    try:
        network.lose()
        sonde.file("access.log", LOG)
        options = ("--provider", "ip-api", "--offline-timeout", "0", "--format", "ndjson", "--where", "country_code = US or status = reserved")
        running = sonde.start("summary", *options, "access.log", env=network.env, prefix=network.near.prefix)
        result = running.finish()
    finally:
        network.close()
    assert result.status == 3, result.stderr
    assert hits(result, "status") == {"network_lost": 3, "reserved": 1}


def test_a_field_that_wants_to_be_asked_for_is(sonde, simulator):
    sonde.file("access.log", LOG)
    result = summary(sonde, simulator, "--where", "hostname", "access.log")
    named = sonde("lookup", "--provider", "ip-api", "--where", "hostname", "8.8.8.8", "1.1.1.1", env=simulator.env).records
    assert set(hits(result, "address")) == {record["ip"] for record in named} != set()


def test_records_and_logs_together(sonde, simulator):
    sonde("scan", "-o", "r.csv", "8.8.8.8", "1.1.1.1", "9.9.9.9", "--provider", "ip-api", env=simulator.env)
    sonde.file("access.log", LOG)
    code = known("8.8.8.8")["country_code"]
    result = summary(sonde, simulator, "--where", f"country_code = {code}", "r.csv", "access.log")
    alike = [ip for ip in ("8.8.8.8", "1.1.1.1", "9.9.9.9") if known(ip).get("country_code") == code]
    in_log = [ip for ip in ("8.8.8.8", "1.1.1.1", "8.8.8.8") if ip in alike]
    assert hits(result, "address") == {ip: 1 + in_log.count(ip) for ip in alike}


@pytest.mark.parametrize(
    ("condition", "form"),
    [
        ("packets > 40", "file"),
        ("packets > 40 and country_code = US", "two"),
        ("bytes < 2500 and not own_network", "gzip"),
        ("first_seen < 2023-11-14T23:00 or not packets", "file"),
    ],
)
def test_the_traffic_of_a_capture_chooses(sonde, simulator, condition, form):
    """Its end alone tells of it; each packet still counts in its own hour."""
    simulator.control(batch_limit=None)
    pick = random.Random(5)
    pool = ["8.8.8.8", "1.1.1.1", "9.9.9.9", "10.1.2.3", "2001:4860::8"] + [f"5.0.{n}.7" for n in range(40)]
    packets = [(pick.choice(pool[:5] * 8 + pool), pick.choice(pool)) for _ in range(1500)]
    packets = [(a, b) for a, b in packets if (":" in a) == (":" in b)]
    times = [1_700_000_000 * 10**9 + n * 17 * 10**9 for n in range(len(packets))]
    capture = captures.pcap([captures.framed(captures.ip(a, b)) for a, b in packets], times=times)
    sonde.file("c.pcap", gzip.compress(capture) if form == "gzip" else capture)
    sonde.file("nets.csv", NETS)
    sonde.file("access.log", LOG)
    inputs = ["c.pcap"] + (["access.log"] if form == "two" else [])
    options = ("--with", "own=nets.csv", "--where", condition)
    kept = {r["ip"] for r in sonde("scan", "--log", "--provider", "ip-api", *options, "--fields", "ip", "--format", "ndjson", "c.pcap", env=simulator.env).records}
    hits = [(ip, datetime.fromtimestamp(t // 10**9, timezone.utc)) for pair, t in zip(packets, times) for ip in pair]
    left = [hit for hit in hits if hit[0] in kept]
    assert 0 < len(left) < len(hits)
    result = summary(sonde, simulator, "--top", 0, *options, *inputs)
    assert result.status == 0, result.stderr
    if form == "two":
        named = {row["key"]: row["hits"] for row in result.records if row["table"] == "address"}
        of_log = [ip for ip in ("8.8.8.8", "10.1.2.3", "1.1.1.1", "8.8.8.8") if ip in kept]
        assert named == Counter([ip for ip, _ in left] + of_log)
        return
    assert result.records == tallies.tables([known(ip) for ip, _ in left], 0) + tallies.timeline([t for _, t in left], len(left))
    assert f"{len(hits)} entries" in result.stderr and f"{len(hits) - len(left)} excluded" in result.stderr


TOTALS = [
    # What of a hit must be true, what of the number and the times of its address's such hits, and of the answer.
    ("hits >= 4", None, lambda seen: len(seen) >= 4, None),
    ("not hits > 2", None, lambda seen: len(seen) <= 2, None),
    ("hits >= 3 and country_code = US", None, lambda seen: len(seen) >= 3, lambda known: known.get("country_code") == "US"),
    ("input = b.log and hits >= 2", lambda place: place[0] == "b.log", lambda seen: len(seen) >= 2, None),
    ("line > 100 and (hits >= 3 or hits = 1)", lambda place: place[1] > 100, lambda seen: len(seen) >= 3 or len(seen) == 1, None),
    ("line < 150 and country_code = DE and hits < 3", lambda place: place[1] < 150, lambda seen: len(seen) < 3, lambda known: known.get("country_code") == "DE"),
]


@pytest.mark.parametrize(("condition", "of_hit", "of_all", "of_answer"), TOTALS)
def test_totals_choose_addresses(sonde, simulator, condition, of_hit, of_all, of_answer):
    """Totals are of all inputs and of the hits that stay; nobody is asked about the others."""
    simulator.control(batch_limit=None)
    logs = {name: fuzzed(seed, tallies.UTC, 50, lines=300) for seed, name in enumerate(["a.log", "b.log"])}
    for name, log in logs.items():
        sonde.file(name, bytes(log.bytes))
    places = scanned(sonde, simulator, *logs)
    hits = [hit for log in logs.values() for hit in log.hits]
    assert [ip for _, _, ip in places] == [ip for ip, _ in hits]
    first = [(place, hit) for place, hit in zip(places, hits) if of_hit is None or of_hit(place)]
    seen = {}
    for _, (ip, when) in first:
        seen.setdefault(ip, []).append(when)
    wanted = {ip for ip, times in seen.items() if of_all(times)}
    chosen = {ip for ip in wanted if of_answer is None or of_answer(known(ip))}
    left = [hit for _, hit in first if hit[0] in chosen]
    assert 0 < len(left) < len(hits), "the condition is of no use"
    sonde("cache", "clear", env=simulator.env)
    before = simulator.addresses()
    result = summary(sonde, simulator, "--top", 0, "--events", "events", "--where", condition, *logs)
    assert result.status == 0, result.stderr
    assert named(result) == dict(Counter(ip for ip, _ in left))
    times = [when.replace(microsecond=0) for _, when in left if when]
    drawn = [row for row in result.records if row["table"] in ("hour", "day")]
    assert drawn == tallies.timeline(times, len(left))
    event = [json.loads(line) for line in sonde.read("events").splitlines()][-1]
    assert (event["entries"], event["excluded"]) == (len(hits), len(hits) - len(left))
    assert event["entries"] == sum(event[name] for name in BOOKS), "the books balance"
    asked = Counter(simulator.addresses()) - Counter(before)
    assert set(asked) <= wanted, "asked about what totals exclude"


def named(result):
    """The hits of each address."""
    return hits(result, "address")


def test_a_record_has_its_own_totals(sonde):
    sonde.file("r.csv", "ip,status,hits,first_seen\n8.8.8.8,ok,7,2026-11-20T10:00:00Z\n9.9.9.9,ok,2,2026-11-21T10:00:00Z\n")
    for condition, kept in [("hits > 2", {"8.8.8.8": 7}), ("first_seen >= 2026-11-21", {"9.9.9.9": 2})]:
        result = sonde("summary", "--format", "ndjson", "--where", condition, "r.csv")
        assert hits(result, "address") == kept, result.stderr


def test_totals_are_joined_by_and_alone(sonde, simulator):
    sonde.file("access.log", LOG)
    result = summary(sonde, simulator, "--where", "line > 3 or hits > 1", "access.log")
    assert (result.status, result.stdout) == (2, b"") and "outside all brackets" in result.stderr


def test_what_is_wrong_is_marked(sonde, simulator):
    sonde.file("access.log", LOG)
    result = summary(sonde, simulator, "--where", "country_code == US", "access.log")
    assert (result.status, result.stdout) == (2, b"") and "column" in result.stderr and "^" in result.stderr


def test_an_interruption_counts_what_waits(sonde, simulator):
    simulator.control(batch_limit=None, latency=60)
    sonde.file("access.log", LOG)
    running = sonde.start(
        "summary", "--provider", "ip-api", "--format", "ndjson", "--where", "country_code = ZZ or ip = 8.8.8.8", "access.log", env=simulator.env
    )
    wait_for(lambda: simulator.counts()["total"] == 1)
    running.signal(signal.SIGINT)
    result = running.finish()
    assert result.status == 130
    assert hits(result, "address") == {"8.8.8.8": 2, "1.1.1.1": 1}
    assert "2 not answered" in result.stderr and "1 excluded" in result.stderr


def test_an_event_tells_of_it(sonde, simulator):
    sonde.file("access.log", LOG)
    result = summary(sonde, simulator, "--where", "ip = 1.1.1.1", "--events", "events", "access.log")
    event = [json.loads(line) for line in sonde.read("events").splitlines()][-1]
    assert result.status == 0 and (event["entries"], event["excluded"], event["ok"]) == (4, 3, 1)
