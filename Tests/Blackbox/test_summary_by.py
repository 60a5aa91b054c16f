"""`summary --by`: combinations as a slow count of the same hits has them, and whom it asks about."""

import csv
import io
import json
import random
from collections import defaultdict
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address
from zoneinfo import ZoneInfo

import pytest
from expected import record as answered
from test_summary import known

TIMES = ["hour", "day", "hour_of_day", "weekday"]
TOTALS = ["hits", "addresses", "share", "first_seen", "last_seen"]


def stamp(when):
    return when.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def clock(name, when, zone):
    """A field of a hit's time."""
    local = when.astimezone(zone)
    return {
        "hour": lambda: local.strftime("%Y-%m-%dT%H:00") + ("Z" if zone is timezone.utc else local.strftime("%z")[:3] + ":" + local.strftime("%z")[3:]),
        "day": lambda: local.strftime("%Y-%m-%d"),
        "hour_of_day": lambda: local.hour,
        "weekday": lambda: local.strftime("%a"),
    }[name]()


def expected(hits, fields, zone=timezone.utc, top=10):
    """The rows of a table from hits (address, time or none, input)."""
    groups = defaultdict(lambda: [0, set(), None, None])
    for address, when, place in hits:
        record = known(address)
        key = []
        for name in fields:
            if name in TIMES:
                key.append(clock(name, when, zone) if when else None)
            else:
                key.append({"ip": address, "input": place}.get(name, record.get(name)))
        group = groups[tuple(key)]
        group[0] += 1
        group[1].add(address)
        if when:
            group[2] = min(group[2] or when, when)
            group[3] = max(group[3] or when, when)
    rows = []
    for key, (count, addresses, first, last) in groups.items():
        row = {name: value for name, value in zip(fields, key) if value is not None}
        row |= {"hits": count, "addresses": len(addresses), "share": count / len(hits)}
        if first:
            row |= {"first_seen": stamp(first), "last_seen": stamp(last)}
        texts = [(value is None, "" if value is None else str(value).encode()) for value in key]
        rows.append(((-count, texts), row))
    return [row for _, row in sorted(rows, key=lambda each: each[0])][: top or None]


def fuzzed(seed, size=3000):
    """Two logs, and their hits."""
    rng = random.Random(seed)
    pool = [f"5.{n // 200}.{n % 200}.7" for n in range(60)] + [f"2a02:{n:x}::7" for n in range(1, 20)] + ["10.0.0.1", "fe80::1"]
    start = datetime(2026, 3, 28, 20, 30, tzinfo=timezone.utc)
    texts, hits = {"one.log": [], "two.log": []}, []
    for _ in range(size):
        place = rng.choice(list(texts))
        when = start + timedelta(seconds=rng.randrange(60 * 3600)) if rng.random() < 0.9 else None
        found = [rng.choice(pool[: 1 + int(rng.expovariate(0.1)) % len(pool)]) for _ in range(rng.choice((0, 1, 1, 1, 2)))]
        begin = when.strftime("%Y-%m-%dT%H:%M:%SZ ") if when else "no time "
        texts[place].append(begin + "x ".join([""] + [f"{each} " for each in found]) + rng.choice(("", "\t\xff", "GET /")))
        hits += [(address, when, place) for address in found]
    return {name: "\n".join(lines).encode("latin-1") for name, lines in texts.items()}, hits


def summary(sonde, simulator, *arguments, **rest):
    simulator.control(batch_limit=None)
    return sonde("summary", "--provider", "ip-api", *arguments, env=simulator.env, **rest)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_combinations_of_logs_are_those_of_a_slow_count(sonde, simulator, seed, zone):
    logs, hits = fuzzed(seed)
    for name, content in logs.items():
        sonde.file(name, content)
    by = ["ip", "country_code,hour_of_day", "input,day", "weekday,asn,as_name", "hour,ip", "status,city", "source,region"]
    arguments = [word for fields in by for word in ("--by", fields)]
    result = summary(sonde, simulator, *arguments, "--top", 0, "--format", "json", "--time-zone", zone, *logs)
    assert result.status == 0, result.stderr
    tables = json.loads(result.stdout)
    assert list(tables) == by
    rules = timezone.utc if zone == "UTC" else ZoneInfo(zone)
    for fields in by:
        assert tables[fields] == expected(hits, fields.split(","), rules, top=0), fields


@pytest.mark.parametrize("seed", range(3))
def test_only_the_rows_shown_are_asked_about(sonde, simulator, seed):
    logs, hits = fuzzed(seed + 10)
    for name, content in logs.items():
        sonde.file(name, content)
    for by, asked in (("ip,country_code,city", 7), ("ip", 7), ("ip,hour_of_day,asn", None)):
        result = summary(sonde, simulator, "--no-cache", "--by", by, "--top", 7, "--format", "ndjson", "--events", "e.ndjson", *logs)
        assert result.status == 0, result.stderr
        assert result.records == expected(hits, by.split(","), top=7), by
        event = [json.loads(line) for line in sonde.read("e.ndjson").splitlines()][-1]
        distinct = len({address for address, _, _ in hits})
        settled = sum(event[status] for status in ("ok", "reserved", "unknown", "failed", "network_lost"))
        assert event["unanswered"] == distinct - settled
        assert event["entries"] == len(hits) and event["duplicates"] == len(hits) - distinct
        if asked:
            assert settled == asked


def test_an_order_by_answers_asks_about_the_tied_ones(sonde, simulator):
    sonde.file("a.log", "\n".join(f"5.0.0.{n}" for n in range(1, 9)) + "\n5.0.0.9\n5.0.0.9\n")
    result = summary(sonde, simulator, "--by", "city,ip", "--top", 3, "--format", "ndjson", "a.log")
    hits = [(f"5.0.0.{n}", None, "a.log") for n in range(1, 10)] + [("5.0.0.9", None, "a.log")]
    assert result.records == expected(hits, ["city", "ip"], top=3)


def test_tables_and_pages_and_answers_in_a_condition_need_all(sonde, simulator):
    sonde.file("a.log", "\n".join(f"5.0.0.{n}" for n in range(1, 30)))
    for more in (["--tables", "country"], ["--html", "p.html"], ["--where", "country_code"], ["--top", "0"]):
        result = summary(sonde, simulator, "--no-cache", "--by", "ip,asn", "--top", 2, "--format", "json", *more, "a.log")
        assert result.status == 0, result.stderr
        assert "29 entries" in result.stderr and "not answered" not in result.stderr, more


def test_forms_byte_for_byte(sonde, simulator):
    sonde.file("a.log", "2026-11-02T10:00:00Z 8.8.8.8 \n2026-11-02T12:00:00Z 8.8.8.8 1.1.1.1\n10.0.0.1\n")
    code = answered("8.8.8.8")["country_code"]
    other = answered("1.1.1.1")["country_code"]
    rows = [f"8.8.8.8,{code},2,1,0.5,2026-11-02T10:00:00Z,2026-11-02T12:00:00Z", f"1.1.1.1,{other},1,1,0.25,2026-11-02T12:00:00Z,2026-11-02T12:00:00Z", "10.0.0.1,,1,1,0.25,,"]
    header = "ip,country_code,hits,addresses,share,first_seen,last_seen"
    result = summary(sonde, simulator, "--by", "ip,country_code", "--format", "csv", "a.log")
    assert result.stdout.decode() == "\n".join([header, *rows]) + "\n"
    result = summary(sonde, simulator, "--by", "ip,country_code", "-o", "x.tsv", "a.log")
    assert sonde.read("x.tsv") == "\n".join([header, *rows]).replace(",", "\t").encode() + b"\n"
    result = summary(sonde, simulator, "--by", "country_code", "--by", "weekday", "--format", "ndjson", "--top", "1", "a.log")
    assert [record["table"] for record in result.records] == ["country_code", "weekday"]
    result = summary(sonde, simulator, "--by", "weekday", "--tables", "country", "--format", "ndjson", "a.log")
    assert [record["table"] for record in result.records][-1] == "weekday"
    result = summary(sonde, simulator, "--by", "ip,country_code", "--top", "2", "a.log")
    lines = result.stdout.decode().splitlines()
    assert lines[4].split() == ["ip", "country_code", "hits", "share", "first_seen", "last_seen"] and lines[-1] == "  1 more"


@pytest.mark.parametrize("form", ["csv", "ndjson", "sqlite"])
def test_records_are_combined_as_they_are(sonde, simulator, form):
    addresses = ["8.8.8.8", "8.8.4.4", "1.1.1.1", "10.0.0.1"]
    sonde("scan", "--provider", "ip-api", "-o", f"r.{form}", "-", input="\n".join([*addresses, "bogus"]), env=simulator.env)
    result = summary(sonde, simulator, "--by", "country_code,status", "--format", "ndjson", f"r.{form}")
    assert result.status == 0, result.stderr
    hits = [(address, None, f"r.{form}") for address in addresses]
    rows = {(row.get("country_code"), row["status"]): row["hits"] for row in result.records}
    wanted = {(row.get("country_code"), row["status"]): row["hits"] for row in expected(hits, ["country_code", "status"])}
    assert rows == wanted | {(None, "invalid"): 1}
    assert simulator.counts()["total"] == 0


def test_owners_of_the_rows_shown_alone(sonde, simulator, loc_database):
    lines = [f"8.{n}.0.1 x" for n in range(40) for _ in range(41 - n)]
    sonde.file("a.log", "\n".join(lines))
    result = sonde(
        *("summary", "--provider", "local", "--database", loc_database, "--with", "owner", "--by", "ip,owner_name,abuse_email"),
        *("--top", 3, "--format", "csv", "--cache", "c.db", "a.log"),
        env=simulator.env,
    )
    assert result.status == 0, result.stderr
    rows = list(csv.DictReader(io.StringIO(result.stdout.decode())))
    assert [row["ip"] for row in rows] == ["8.0.0.1", "8.1.0.1", "8.2.0.1"]
    calls = sum(count for name, count in simulator.counts()["requests"].items() if name.startswith("rdap "))
    assert calls == 3, simulator.counts()
    assert all(row["abuse_email"] for row in rows)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--by", "foo"], "there is no field 'foo'"),
        (["--by", "abuse_email"], "there is no field 'abuse_email' without --with owner"),
        (["--by", "text"], "text: every hit has its own"),
        (["--by", "first_seen"], "first_seen: it is a total"),
        (["--by", "ip,,asn"], "bad value 'ip,,asn' for --by"),
        (["--by", "ip,ip"], "ip stands there twice"),
        (["--by", "ip", "--by", "asn", "--format", "csv"], "csv has the columns of one --by alone"),
        (["--by", "ip", "--tables", "country", "-o", "x.tsv"], "tsv has the columns of one --by alone"),
    ],
)
def test_mistakes(sonde, arguments, words):
    result = sonde("summary", *arguments, input="8.8.8.8\n")
    assert result.status == 2 and words in result.stderr, result.stderr


def test_two_conditions_of_places(sonde, simulator):
    logs, hits = fuzzed(42)
    for name, content in logs.items():
        sonde.file(name, content)
    result = summary(sonde, simulator, "--by", "ip,input", "--where", "input = two.log and not status = reserved", "--top", 0, "--format", "ndjson", *logs)
    assert result.status == 0, result.stderr
    chosen = [hit for hit in hits if hit[2] == "two.log" and not ip_address(hit[0]).is_private]
    assert result.records == expected(chosen, ["ip", "input"], top=0)


@pytest.mark.parametrize("form", ["csv", "ndjson", "sqlite"])
def test_any_field_of_records_can_be_combined(sonde, simulator, form):
    name = f"r.{form}"
    scanned = sonde("scan", "8.8.8.8", "10.0.0.1", "-o", name, env=simulator.env)
    assert scanned.status == 0, scanned.stderr
    fields = ["timezone", "postal_code", "cached", "isp"]
    (answer,) = [json.loads(text) for text in sonde("lookup", "8.8.8.8", "--format", "ndjson", env=simulator.env).stdout.splitlines()]
    for field in fields:
        result = sonde("summary", "--by", field, "--format", "csv", name, env=simulator.env)
        keys = [row[field] for row in csv.DictReader(io.StringIO(result.stdout.decode()))]
        wanted = "false" if field == "cached" else answer[field]
        assert sorted(keys) == sorted(["", wanted]), field


def test_tables_of_one_name_are_refused(sonde, simulator):
    sonde.file("a.log", "8.8.8.8\n")
    result = sonde("summary", "--tables", "country", "--by", "country", "--format", "json", "a.log", env=simulator.env)
    assert (result.status, result.stdout) == (2, b"")
    assert "--tables and --by have a table of one name each: leave country out of one of them" in result.stderr
