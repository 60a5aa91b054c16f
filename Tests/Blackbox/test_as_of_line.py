"""`--as-of line`: each line of a log is answered by the databases that were the newest then."""

import bisect
import csv
import datetime
import io
import json
import os
import random
import time

import mmdb
import pytest
from asked import OWN
from captures import framed, ip, pcap
from command import wait_for

UTC = datetime.timezone.utc
COUNTRIES = ["DE", "FR", "US", "JP", "BR", "IN", "ZA"]


def moment(text):
    """Seconds since 1970 of a time in UTC."""
    return int(datetime.datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def country(text):
    """The records of a database in which all of 5.0.0.0/8 is in one country."""
    return {"5.0.0.0/8": {"country": {"iso_code": text}}}


@pytest.fixture
def folder(sonde):
    """Databases of three days, and another type of two."""
    path = sonde.work / "dbs"
    path.mkdir()
    for name, day, code in (("c.bin", "2024-01-10T12:00", "DE"), ("a.bin", "2024-02-10T12:00", "FR"), ("b.bin", "2024-03-10T12:00", "US")):
        mmdb.write(path / name, "Test-Country", country(code), built=moment(day))
    for name, day, number in (("x", "2024-01-20T12:00", 1), ("y", "2024-02-20T12:00", 2)):
        mmdb.write(path / name, "Test-ASN", {"5.0.0.0/8": {"autonomous_system_number": number}}, built=moment(day))
    return path


LOG = """\
5.0.0.1 before any time
2024-01-09 00:00:00 5.0.0.2 before the first
2024-01-10T12:00:00Z 5.0.0.3 the very moment
5.0.0.4 as the line before
no address here at 2024-02-10T13:00:00Z
5.0.0.5 as the line before, which has no address
2024-03-10T12:59:59+01:00 5.0.0.6 another zone, a second before
2024-03-10T13:00:00+01:00 5.0.0.7 another zone
5.0.0.8 - - [15/Jan/2024:10:05:03 +0000] "GET / HTTP/1.1" 200 12 out of order
{"time": "2024-02-25T00:00:00Z", "client": "5.0.0.9"}
"""
EXPECTED = [
    (None, None), (None, None), ("DE", None), ("DE", None), ("FR", 1), ("FR", 2), ("US", 2), ("DE", None), ("FR", 2),
]
OPTIONS = ("--as-of", "line", "--database", "dbs")


def test_each_record_is_of_the_time_of_its_line(sonde, folder):
    sonde.file("a.log", LOG)
    for more in ((), ("--fields", "ip,status,country_code,asn,message,time,text"), ("--where", "ip"), ("--duplicates", "keep"), ("--unordered",)):
        run = sonde("scan", "--log", *OPTIONS, *more, "a.log")
        found = sorted(run.records, key=lambda record: record["ip"])
        assert [(r.get("country_code"), r.get("asn")) for r in found] == EXPECTED, more
        assert [r["status"] for r in found] == ["unknown"] * 2 + ["ok"] * 7 and run.status == 0
        assert found[0]["message"] == "no time is known of its line, nor of one before"
        assert found[1]["message"] == "no database was built by the time of its line"
        assert "days old" not in run.stderr
    # The time of a record is that of its own line alone.
    run = sonde("scan", "--log", *OPTIONS, "--fields", "ip,time,database,database_date,as_database", "a.log")
    known = {r["ip"]: r for r in run.records}
    assert "time" not in known["5.0.0.4"] and "time" not in known["5.0.0.5"]
    assert known["5.0.0.6"]["time"] == "2024-03-10T11:59:59Z"
    assert (known["5.0.0.6"]["database"], known["5.0.0.6"]["database_date"], known["5.0.0.6"]["as_database"]) == ("a.bin", "2024-02-10", "y")
    # A time without a zone is in the zone that is given.
    for zone, code in (("UTC", "DE"), ("America/New_York", "FR")):
        run = sonde("scan", "--log", *OPTIONS, "--time-zone", zone, input="2024-02-10 10:00:00 5.1.1.1\n")
        assert run.records[0]["country_code"] == code
    # Each file begins without a time; so do literals.
    sonde.file("b.log", "5.0.0.1\n")
    run = sonde("scan", "--log", *OPTIONS, "a.log", "b.log", "5.0.9.9", "--duplicates", "keep")
    assert [r["status"] for r in run.records[-2:]] == ["unknown", "unknown"]


def test_the_record_is_of_the_first_occurrence_or_of_each(sonde, folder):
    text = "2024-03-11 10:00:00 5.0.0.1\n2024-01-11 10:00:00 5.0.0.1 10.0.0.1\n2024-02-11 10:00:00 5.0.0.1\n"
    sonde.file("a.log", text)
    run = sonde("scan", "--log", *OPTIONS, "a.log")
    assert [(r["ip"], r.get("country_code")) for r in run.records] == [("5.0.0.1", "US"), ("10.0.0.1", None)]
    run = sonde("scan", "--log", *OPTIONS, "--duplicates", "keep", "a.log")
    assert [r.get("country_code") for r in run.records] == ["US", "DE", None, "FR"]
    run = sonde("scan", "--log", *OPTIONS, "--fields", "ip,country_code,hits,first_seen", "a.log")
    assert [(r.get("country_code"), r["hits"]) for r in run.records] == [("US", 3), (None, 1)]


def test_every_occurrence_in_an_annotated_line_has_its_own_answer(sonde, folder):
    text = "2024-03-11 10:00:00 5.0.0.1\n2024-01-11 10:00:00 5.0.0.1 and 5.0.0.1\n5.0.0.1\n2024-02-11 10:00:00 5.0.0.1\n"
    run = sonde("annotate", *OPTIONS, "--fields", "country_code", input=text)
    assert run.stdout.decode() == (
        "2024-03-11 10:00:00 5.0.0.1 [US]\n2024-01-11 10:00:00 5.0.0.1 [DE] and 5.0.0.1 [DE]\n5.0.0.1 [DE]\n2024-02-11 10:00:00 5.0.0.1 [FR]\n"
    )
    run = sonde("annotate", "-q", *OPTIONS, "--style", "end", "--fields", "country_code,asn", input=text)
    assert [line.split("\t")[1:] for line in run.stdout.decode().splitlines()] == [
        ["5.0.0.1 [US, 2]"], ["5.0.0.1 [DE]"], ["5.0.0.1 [DE]"], ["5.0.0.1 [FR, 1]"],
    ]
    lines = "".join(json.dumps({"ts": f"2024-0{n}-11T00:00:00Z", "ip": "5.0.0.1"}) + "\n" for n in (3, 1, 2))
    run = sonde("annotate", "-q", *OPTIONS, "--style", "json", input=lines)
    assert [json.loads(line)["sonde"]["/ip"]["country_code"] for line in run.stdout.decode().splitlines()] == ["US", "DE", "FR"]
    table = "when,ip\n2024-03-11 10:00:00,5.0.0.1\n2024-01-11 10:00:00,5.0.0.1\n"
    run = sonde("annotate", "-q", *OPTIONS, "--style", "columns", "--fields", "country_code", input=table)
    assert [row["ip_country_code"] for row in csv.DictReader(io.StringIO(run.stdout.decode()))] == ["US", "DE"]
    run = sonde("annotate", "-q", *OPTIONS, "--fields", "none", "--where", "country_code = DE", input=text)
    assert run.stdout.decode() == "2024-01-11 10:00:00 5.0.0.1 and 5.0.0.1\n5.0.0.1\n"
    sonde.file("key", os.urandom(32).hex())
    (sonde.work / "key").chmod(0o600)
    run = sonde("annotate", "-q", *OPTIONS, "--fields", "country_code", "--anonymize", "pseudonym", "--anonymize-key", "key", input=text)
    assert [line.rpartition(" ")[2] for line in run.stdout.decode().splitlines()] == ["[US]", "[DE]", "[DE]", "[FR]"]
    # From a pipe line by line.
    running = sonde.start("annotate", *OPTIONS, "--fields", "country_code")
    for line, code in (("2024-03-11 10:00:00 5.0.0.1", "US"), ("5.0.0.1", "US"), ("2024-02-11 10:00:00 5.0.0.1", "FR")):
        running.write(line.encode() + b"\n")
        assert running.line().decode().endswith(f"5.0.0.1 [{code}]\n")
    assert running.finish().status == 0


SERVICE = {"quota": "1000/s", "columns": {"rank": {"at": "/rank", "type": "integer"}}}
# Conditions that join fields of lines to answers.
CONDITIONS = {
    "time >= 2024-02-20 or country_code = DE": lambda o: o["time"] >= "2024-02-20" or o["country_code"] == "DE",
    "country_code = FR and not text ~ *admin*": lambda o: o["country_code"] == "FR" and "admin" not in o["text"],
    "(line > 40 and asn = 1) or (text ~ *admin* and country_code in (US, DE))":
        lambda o: o["line"] > 40 and o["asn"] == 1 or "admin" in o["text"] and o["country_code"] in ("US", "DE"),
    "not (country_code = DE or hour_of_day < 12)": lambda o: not (o["country_code"] == "DE" or o["hour"] < 12),
    "line > 20 and (text ~ *admin* or status = unknown)":
        lambda o: o["line"] > 20 and ("admin" in o["text"] or o["status"] == "unknown"),
    "(text ~ *admin* and country_code = DE) or (own_rank = 7 and asn = 1)":
        lambda o: "admin" in o["text"] and o["country_code"] == "DE" or o["rank"] == 7 and o["asn"] == 1,
}


@pytest.fixture
def occurrences(sonde, folder, simulator):
    """A log in no order, with what holds of each of its addresses; a service knows of three."""
    chance, known, lines, found = random.Random(1), ["5.0.0.1", "5.0.0.2", "5.0.0.3"], [], []
    for number in range(1, 121):
        at = datetime.datetime(2024, 1, 1, tzinfo=UTC) + datetime.timedelta(seconds=chance.randrange(90 * 86_400))
        path, code = chance.choice(["/", "/admin"]), (None, "DE", "FR", "US")[sum(f"{at:%m-%dT%H}" >= f"{month:02}-10T12" for month in (1, 2, 3))]
        asn = (None, 1, 2)[sum(f"{at:%m-%dT%H}" >= day for day in ("01-20T12", "02-20T12"))]
        addresses = [f"5.0.0.{chance.randrange(9)}" for _ in range(chance.randrange(3))]
        lines.append(f"{at:%Y-%m-%dT%H:%M:%SZ} {path} {' '.join(addresses)}")
        for ip in addresses:
            found.append({"ip": ip, "line": number, "time": f"{at:%Y-%m-%dT%H:%M:%SZ}", "hour": at.hour, "text": lines[-1],
                          "country_code": code, "asn": asn, "status": "ok" if code else "unknown", "rank": 7 if ip in known else None})
    sonde.file("a.log", "\n".join(lines) + "\n")
    sonde.file("own.json", json.dumps({"url": f"{simulator.urls['services']}/{OWN}/v1/{{ip}}", **SERVICE}))
    simulator.control(services={OWN: {"answers": {"*": {"unknown": True}, **dict.fromkeys(known, {})}}})
    return found


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_judges_every_occurrence_by_its_own_answer(sonde, occurrences, condition):
    kept = [each for each in occurrences if CONDITIONS[condition](each)]
    assert 0 < len(kept) < len(occurrences)
    known = (*OPTIONS, *(("--with", "own=ask:own.json") if "own_" in condition else ()))
    options = (*known, "--where", condition)
    shown = ("ip", "line", "country_code", "asn", "status")
    every = [{name: each[name] for name in shown if each[name] is not None} for each in kept]
    run = ("scan", "--log", *options, "--fields", ",".join(shown), "a.log")
    assert sonde(*run, "--duplicates", "keep").records == every
    firsts = [each for number, each in enumerate(every) if each["ip"] not in [other["ip"] for other in every[:number]]]
    assert sonde(*run).records == firsts
    hits = [[each["ip"] for each in every].count(first["ip"]) for first in firsts]
    counted = sonde("scan", "--log", *options, "--fields", "line,hits,first_seen", "a.log")
    assert counted.records == [
        {"line": first["line"], "hits": count, "first_seen": min(each["time"] for each in kept if each["ip"] == first["ip"])}
        for first, count in zip(firsts, hits, strict=True)
    ]
    few = sonde("scan", "--log", *known, "--where", f"hits > 2 and ({condition})", "--fields", "hits", "a.log")
    assert few.records == [{"hits": count} for count in hits if count > 2]
    run = sonde("annotate", *options, "--fields", "none", "a.log")
    assert run.stdout.decode().splitlines() == list(dict.fromkeys(each["text"] for each in kept))
    run = sonde("summary", *options, "--by", "ip,country_code", "--top", "0", "--format", "csv", "a.log")
    rows = {tuple(row[:2]): int(row[2]) for row in csv.reader(io.StringIO(run.stdout.decode())) if row[0] != "ip"}
    pairs = [(each["ip"], each["country_code"] or "") for each in kept]
    assert rows == {pair: pairs.count(pair) for pair in pairs}


def test_without_a_field_of_lines_a_condition_is_of_records(sonde, folder):
    """The record is of the first line, so its answer decides; a field of lines makes it the first that stays."""
    sonde.file("a.log", "2024-03-11 10:00:00 5.0.0.1\n2024-01-11 10:00:00 5.0.0.1\n")
    for condition, expected in (("country_code = US", [1]), ("country_code = DE", []), ("country_code = DE and line > 0", [2])):
        run = sonde("scan", "--log", *OPTIONS, "--where", condition, "--fields", "line", "a.log")
        assert [record["line"] for record in run.records] == expected, condition


def test_a_summary_counts_every_hit_by_its_own_answer(sonde, folder):
    text = "2024-03-11 10:00:00 5.0.0.1\n2024-01-11 10:00:00 5.0.0.1 5.0.0.2\n5.0.0.1\n2024-02-11 10:00:00 5.0.0.1 10.0.0.1\n"
    options = ("summary", *OPTIONS, "--format", "csv")
    run = sonde(*options, "--tables", "country,status,address,day", input=text)
    rows = list(csv.DictReader(io.StringIO(run.stdout.decode())))
    counted = {(row["table"], row["key"]): (row["addresses"], row["hits"]) for row in rows}
    assert {key: value for (table, key), value in counted.items() if table == "country"} == {
        "DE": ("2", "3"), "US": ("1", "1"), "FR": ("1", "1"), "": ("1", "1"),
    }
    assert counted["address", "5.0.0.1"] == ("1", "4") and counted["status", "reserved"] == ("1", "1")
    assert run.status == 0 and "6 entries" in run.stderr
    run = sonde(*options, "--by", "ip,country_code,asn", input=text)
    rows = [list(row.values())[:4] for row in csv.DictReader(io.StringIO(run.stdout.decode()))]
    assert sorted(rows) == sorted([
        ["5.0.0.1", "DE", "", "2"], ["5.0.0.1", "US", "2", "1"], ["5.0.0.1", "FR", "1", "1"],
        ["5.0.0.2", "DE", "", "1"], ["10.0.0.1", "", "", "1"],
    ])
    run = sonde(*options, "--tables", "country", "--where", "country_code = DE", input=text)
    assert [line.split(",")[:5] for line in run.stdout.decode().splitlines()[1:]] == [["country", "DE", "Germany", "2", "3"]]
    run = sonde(*options, "--tables", "country", "--since", "2024-02-01", input=text)
    assert {line.split(",")[1] for line in run.stdout.decode().splitlines()[1:]} == {"US", "FR", ""}
    # Packets have times of their own, whatever their order.
    times = [moment(f"2024-0{month}-11T00:00") * 10**9 for month in (3, 1, 2)]
    sonde.file("a.pcap", pcap([framed(ip("5.0.0.1", "10.0.0.1"))] * 3, times=times))
    run = sonde(*options, "--by", "country_code", "a.pcap")
    assert sorted(line.split(",")[:2] for line in run.stdout.decode().splitlines()[1:]) == [["", "3"], ["DE", "1"], ["FR", "1"], ["US", "1"]]
    run = sonde(*options, "--by", "country_code", "--where", "packets = 1 and country_code = DE", "a.pcap")
    assert [line.split(",")[:2] for line in run.stdout.decode().splitlines()[1:]] == [["DE", "1"]]


def test_it_is_for_logs_and_for_local_answers(sonde, folder):
    for command in (("scan", "5.0.0.1"), ("lookup", "5.0.0.1"), ("block", "--bad", "ip"), ("scan", "--pcap", "x")):
        run = sonde(*command, *OPTIONS)
        assert run.status == 2 and "--as-of line is for logs" in run.stderr, command
    run = sonde("scan", "--log", *OPTIONS, "--provider", "ip-api", input="x")
    assert run.status == 2 and "--provider local alone" in run.stderr
    (folder / "bad.mmdb").write_bytes(b"\xab\xcd\xefMaxMind.com\x00")
    run = sonde("annotate", *OPTIONS, input="5.0.0.1\n")
    assert run.status == 2 and "bad.mmdb" in run.stderr and run.stdout == b""


def test_equal_times_and_files_that_come_and_go(sonde, folder):
    # Of two that were built at the same time, the later name.
    mmdb.write(folder / "d.bin", "Test-Country", country("JP"), built=moment("2024-03-10T12:00"))
    for _ in range(2):
        assert sonde("scan", "--log", *OPTIONS, input="2024-04-01 10:00:00 5.0.0.1\n").records[0]["country_code"] == "JP"
    # What comes while it runs is for the next run; what has gone is missed only where it is needed.
    for name in ("x", "y"):
        (folder / name).unlink()
    running = sonde.start("annotate", *OPTIONS, "--fields", "country_code")
    running.write(b"2024-01-11 10:00:00 5.0.0.1\n")
    assert running.line() == b"2024-01-11 10:00:00 5.0.0.1 [DE]\n"
    mmdb.write(folder / "e.bin", "Test-Country", country("IN"), built=moment("2024-04-01T12:00"))
    (folder / "a.bin").unlink()
    running.write(b"2024-04-11 10:00:00 5.0.0.1\n2024-02-11 10:00:00 5.0.0.1\n")
    assert running.line() == b"2024-04-11 10:00:00 5.0.0.1 [JP]\n" and running.line() == b"2024-02-11 10:00:00 5.0.0.1 [failed]\n"
    end = running.finish()
    assert end.status == 1 and "a.bin" in end.stderr
    assert sonde("scan", "--log", *OPTIONS, input="2024-04-11 10:00:00 5.0.0.1\n").records[0]["country_code"] == "IN"


@pytest.mark.parametrize("seed", range(int(os.environ.get("SONDE_TEST_AS_OF", "3"))))
def test_it_agrees_with_the_list_of_build_days(sonde, seed):
    """Fifty databases, a log of several megabytes in any order, lines without times, two files."""
    chance = random.Random(seed)
    (sonde.work / "many").mkdir()
    builds = sorted(chance.sample(range(moment("2023-01-01T00:00"), moment("2024-01-01T00:00")), 50))
    codes = [chance.choice(COUNTRIES) for _ in builds]
    for number in chance.sample(range(50), 50):
        mmdb.write(sonde.work / "many" / f"{chance.random()}", "Test-Country", country(codes[number]), built=builds[number])

    def expected(seconds):
        place = bisect.bisect_right(builds, seconds) if seconds is not None else 0
        return codes[place - 1] if place else "unknown"

    texts, answers = [], []
    for _ in range(2):
        lines, now = [], None
        at = builds[0] - 86_400
        for _ in range(12_000):
            at = chance.randrange(builds[0] - 86_400, builds[-1] + 86_400) if seed % 2 else at + chance.randrange(6000)
            if chance.random() < 0.7:
                now = at
                lines.append(datetime.datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
            else:
                lines.append("-")
            if chance.random() < 0.8:
                lines[-1] += f" 5.0.0.{chance.randrange(9)} " + "x" * chance.randrange(200)
                answers.append(expected(now))
            else:
                lines[-1] += " nothing"
        texts.append("\n".join(lines) + "\n")
    for number, text in enumerate(texts):
        sonde.file(f"{number}.log", text)
    options = ("--as-of", "line", "--database", "many", "-q")
    run = sonde("annotate", *options, "--fields", "country_code", "--only-matching", "0.log", "1.log")
    found = [line.partition("[")[2].partition("]")[0] for line in run.stdout.decode().splitlines()]
    assert found == answers and run.status == 0
    run = sonde("scan", "--log", *options, "--duplicates", "keep", "--fields", "country_code,status", "0.log", "1.log")
    assert [record.get("country_code", record["status"]) for record in run.records] == answers
    run = sonde("summary", *options, "--by", "country_code", "--top", "0", "--format", "csv", "0.log", "1.log")
    rows = {row["country_code"]: int(row["hits"]) for row in csv.DictReader(io.StringIO(run.stdout.decode()))}
    assert rows == {("" if code == "unknown" else code): answers.count(code) for code in set(answers)}


def test_an_interrupted_scan_goes_on(sonde, folder):
    lines = [f"2024-0{1 + n % 3}-11 5.{n % 250}.{n // 250}.1\n" for n in range(60_000)]
    sonde.file("a.log", "".join(lines))
    options = ("scan", "--log", *OPTIONS, "a.log", "--fields", "ip,country_code")
    assert sonde(*options, "-q", "-o", "whole.csv").status == 0
    running = sonde.start(*options, "-o", "out.csv")
    wait_for(lambda: (sonde.work / "out.csv.journal").exists())
    time.sleep(0.05)
    running.signal(9)
    running.finish()
    assert sonde(*options, "-q", "-o", "out.csv", "--resume").status == 0
    assert sonde.read("out.csv") == sonde.read("whole.csv")
