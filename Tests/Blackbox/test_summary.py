"""`summary`: every table as a slow count of the same occurrences has it, from logs and records."""

import csv
import gzip
import io
import json
import random
import os
import re
import signal
import sqlite3
import stat
import subprocess
import time
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address
from zoneinfo import ZoneInfo

import pytest
import tallies
from command import NOWHERE, ROOT, wait_for
from expected import record as answered
from namespaces import Network, skip_unless_allowed

PUBLIC = [f"5.{n // 200}.{n % 200}.7" for n in range(300)] + [f"2a02:{n:x}::7" for n in range(1, 61)]
PRIVATE = ["10.0.0.1", "10.1.2.3"]
SAMPLE = ROOT / "Samples/access.log"
LINE = re.compile(r"(\S+) \S+ \S+ \[([^]]+)\]")


def known(address):
    """The record of an address as ip-api's simulator has it."""
    return tallies.reserved(address) or answered(address)


def rows(result, *tables):
    """The rows of NDJSON, but for timelines, or those of some tables."""
    kinds = tables or tallies.KINDS
    return [row for row in result.records if row["table"] in kinds]


def summarize(sonde, simulator, *arguments, **options):
    simulator.control(batch_limit=None)
    arguments = ("summary", "--provider", "ip-api", "--format", "ndjson", *arguments)
    return sonde(*arguments, env=simulator.env, **options)


class Log:
    """A log in the making, and what is to be counted of it."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.bytes = bytearray()
        # Address and time of every occurrence.
        self.hits = []

    def line(self, text, addresses, when, end=b"\n"):
        self.bytes += (text if isinstance(text, bytes) else text.encode()) + end
        self.hits += [(address, when) for address in addresses]

    def of(self, since=None, until=None):
        """The hits in a time."""
        if since is None and until is None:
            return self.hits
        return [
            (address, when)
            for address, when in self.hits
            if when and (since is None or when >= since) and (until is None or when < until)
        ]


def written(when, form, local):
    """A moment in one of the forms of logs; `local` is what the clocks of the zone show."""
    day = f"{local:%b} {local.day:2d}"
    return {
        "rfc3339": f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond // 1000:03d}Z",
        "offset": f"{when.astimezone(timezone(timedelta(hours=-3, minutes=-30))):%Y-%m-%dT%H:%M:%S}-0330",
        "common": f"- - [{when:%d/%b/%Y:%H:%M:%S} +0000]",
        "nginx": f"{local:%Y/%m/%d %H:%M:%S} [error]",
        "apache": f"[{local:%a %b %d %H:%M:%S}.000000 {local.year}] [core]",
        "asa": f"<166>{day} {local.year} {local:%H:%M:%S}: ",
        "haproxy": f"x [{local:%d/%b/%Y:%H:%M:%S}.{local.microsecond // 1000:03d}]",
        "w3c": f"{local:%Y-%m-%d %H:%M:%S}",
        "cloudfront": f"{local:%Y-%m-%d\t%H:%M:%S}",
        "squid": f"{int(when.timestamp())}.{when.microsecond // 1000:03d}",
        "millis": f"{int(when.timestamp() * 1000)}",
    }[form]


FORMS = "rfc3339 offset common nginx apache asa haproxy w3c cloudfront squid millis".split()


def fuzzed(seed, zone, span, lines=600):
    """A log of lines of every kind, whose times lie in a span of hours."""
    log = Log(seed)
    pick = log.random
    start = datetime(2015, 10, 24, 12, tzinfo=timezone.utc)
    for _ in range(lines):
        when = start + timedelta(seconds=pick.randrange(span * 3600))
        local = when.astimezone(zone)
        # Of a doubled hour a time without a zone tells the first one.
        if local.fold:
            continue
        addresses = [pick.choice(PUBLIC + PRIVATE) for _ in range(pick.choice([0, 1, 1, 1, 2, 5]))]
        rest = " ".join(f"src={address}" for address in addresses)
        kind = pick.random()
        if kind < 0.1:
            log.line(f"no time here {rest}", addresses, None)
        elif kind < 0.2:
            name = pick.choice(["time", "timestamp", "@timestamp", "ts", "date"])
            value = when.timestamp() if name == "ts" else when.isoformat()
            log.line(json.dumps({"ip": addresses, "x": {"time": "2001-01-01T00:00:00Z"}, name: value}), addresses, when)
        else:
            text = f"{written(when, pick.choice(FORMS), local)} {rest}".encode()
            if pick.random() < 0.1:
                text += bytes([0, 0xFF, 0xFE, 0x80]) + b" " * pick.choice([1, 20_000, 300_000])
                again = pick.choice(PUBLIC)
                text += again.encode()
                addresses = [*addresses, again]
            log.line(text, addresses, when, end=pick.choice([b"\n", b"\r\n"]))
    if pick.random() < 0.5 and log.bytes:
        log.bytes = log.bytes[:-1]
    return log


def expected(log, zone=tallies.UTC, top=10, **bounds):
    hits = log.of(**bounds)
    records = [known(address) for address, _ in hits]
    times = [when.replace(microsecond=0) for _, when in hits if when]
    return tallies.tables(records, top) + tallies.timeline(times, len(hits), zone)


@pytest.mark.parametrize("top", [10, 3, 0])
def test_a_real_log_is_counted_as_a_slow_count_has_it(sonde, simulator, top):
    log = Log(0)
    for line in SAMPLE.read_text().splitlines():
        address, when = LINE.match(line).groups()
        rest = re.sub(r'(?<=[ "])[A-Za-z]+/[0-9.]+', "", line[len(address) :])
        is_known = ip_address(address).is_global or tallies.reserved(address)
        # The reference knows no other blocks, and no addresses but the client's.
        if is_known and not re.search(r"\d\.\d+\.\d|::", rest):
            log.line(line, [str(ip_address(address))], datetime.strptime(when, "%d/%b/%Y:%H:%M:%S %z"))
    sonde.file("access.log", bytes(log.bytes))
    result = summarize(sonde, simulator, "--top", top, "access.log")
    assert len(log.hits) > 1000
    assert (result.status, result.records) == (0, expected(log, top=top))
    assert f"{len(log.hits)} entries" in result.stderr


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"])
@pytest.mark.parametrize("span", [30, 400])
def test_fuzzed_logs_are_counted_as_a_slow_count_has_them(sonde, simulator, zone, span):
    for seed in range(3):
        log = fuzzed(seed, ZoneInfo(zone), span)
        sonde.file("log", bytes(log.bytes))
        result = summarize(sonde, simulator, "--time-zone", zone, "--top", 7, "log")
        assert (result.status, result.records) == (0, expected(log, ZoneInfo(zone), top=7))
        assert simulator.counts()["most_asked"] == 1


def test_only_lines_in_the_time_asked_for_count(sonde, simulator):
    log = fuzzed(5, tallies.UTC, 60)
    sonde.file("log", bytes(log.bytes))
    for since, until in [
        ("2015-10-25", None),
        (None, "2015-10-25T06:30:00Z"),
        ("2015-10-25T01:00:00+02:00", "2015-10-26"),
        ("2030-01-01", None),
    ]:
        options = [*(["--since", since] if since else []), *(["--until", until] if until else [])]
        result = summarize(sonde, simulator, *options, "log")
        bounds = {
            name: tallies.moment(text if "T" in text else text + "T00:00:00Z") if text else None
            for name, text in (("since", since), ("until", until))
        }
        assert result.records == expected(log, **bounds), (since, until)
        asked = {address for address, _ in log.of(**bounds) if address not in PRIVATE}
        assert set(simulator.addresses()) == asked, "nobody is asked about the others"


def test_a_duration_is_counted_back_from_now(sonde, simulator):
    now = datetime.now(timezone.utc)
    lines = [f"{now - timedelta(hours=h):%Y-%m-%dT%H:%M:%SZ} 5.0.{h}.7" for h in range(10)]
    result = summarize(sonde, simulator, "--since", "4.5h", "--until", "1.5h", input="\n".join(lines))
    assert sorted(row["key"] for row in rows(result, "address")) == ["5.0.2.7", "5.0.3.7", "5.0.4.7"]


def test_a_time_without_a_year_is_the_latest_that_is_not_in_the_future(sonde, simulator):
    now = datetime.now(timezone.utc)
    times = [now - timedelta(hours=1), now + timedelta(days=2)]
    text = "".join(f"{when:%b} {when.day:2d} {when:%H:%M:%S} host sshd[1]: from 5.0.0.7\n" for when in times)
    result = summarize(sonde, simulator, "--tables", "day", input=text)
    first = times[1].replace(year=times[1].year - 1)
    keys = [row["key"] for row in result.records if row["hits"]]
    assert keys == [f"{first:%Y-%m-%d}", f"{times[0]:%Y-%m-%d}"]


def test_a_timeline_has_no_gaps_and_no_end_but_its_own(sonde, simulator):
    # The night in which the clocks of Berlin are put back has 25 hours.
    text = "2015-10-24T22:30:00Z 5.0.0.7\n2015-10-25T22:30:00Z 5.0.0.7\n"
    result = summarize(sonde, simulator, "--time-zone", "Europe/Berlin", "--top", 1, input=text)
    keys = [row["key"] for row in rows(result, "hour")]
    assert len(keys) == 25 and keys[0] == "2015-10-25T00:00+02:00"
    assert keys[2:5] == ["2015-10-25T02:00+02:00", "2015-10-25T02:00+01:00", "2015-10-25T03:00+01:00"]
    assert [row["hits"] for row in rows(result, "hour")] == [1] + 23 * [0] + [1]
    for hours, kind in [(72, "hour"), (73, "day")]:
        end = datetime(2015, 5, 17, tzinfo=timezone.utc) + timedelta(hours=hours)
        text = f"2015-05-17T00:00:00Z 5.0.0.7\n{end:%Y-%m-%dT%H:%M:%SZ} 5.0.0.7\n"
        found = {row["table"] for row in summarize(sonde, simulator, input=text).records}
        assert kind in found and not {"hour", "day"} - {kind} & found
        named = summarize(sonde, simulator, "--tables", "hour,day", input=text).records
        assert {row["table"] for row in named} == {"hour", "day"}, "who names one gets it"


def test_a_clock_that_was_not_set_makes_no_thousands_of_rows(sonde):
    text = "1970-01-01T00:00:07Z 10.0.0.1\n" + "2026-11-01T10:00:00Z 10.0.0.1\n2026-11-04T10:00:00Z 10.0.0.1\n" * 2
    result = sonde("summary", "--format", "ndjson", "--tables", "day", input=text)
    assert [(row["key"], row["hits"]) for row in result.records] == [
        ("1970-01-01", 1), ("2026-11-01", 2), ("2026-11-04", 2)
    ]
    shown = sonde("summary", "-q", "--tables", "day", input=text).stdout.decode()
    assert "\n  20,757 days without a hit\n" in shown and "\n  2 days without a hit\n" in shown
    assert len(sonde("summary", "--format", "ndjson", "--tables", "hour", input=text).records) == 3
    # Forty years are without gaps, but for a person.
    text = "1986-01-01T00:00:07Z 10.0.0.1\n2026-01-01T10:00:00Z 10.0.0.1\n2026-01-04T10:00:00Z 10.0.0.1\n"
    assert len(sonde("summary", "--format", "ndjson", "--tables", "day", input=text).records) == 14614
    shown = sonde("summary", "-q", "--tables", "day", input=text).stdout.decode()
    assert "\n  14,609 days without a hit\n" in shown and len(shown.splitlines()) == 11


def test_hits_without_a_time_are_told_where_a_time_is_asked_for(sonde):
    text = "10.0.0.1 10.0.0.2\n2015-05-17T10:00:00Z 10.0.0.1\nlater 10.0.0.1" + 400_000 * " " + "10.0.0.3\n"
    result = sonde("summary", "--format", "ndjson", "--since", "2015-01-01", "--tables", "address", input=text)
    assert [row["hits"] for row in result.records] == [1]
    assert "sonde: 4 hits left out: their lines have no time, for --since and --until\n" in result.stderr
    assert "left out" not in sonde("summary", input=text).stderr and "nothing in" not in result.stderr


def test_where_nothing_is_of_the_time_it_is_told_when_the_rest_is(sonde):
    text = "".join(f"2015-05-{day}T10:00:00Z 10.0.0.1 10.0.0.2\n" for day in (17, 18, 20))
    result = sonde("summary", "--since", "1d", input=text)
    assert "sonde: nothing in that time: 6 hits before --since, the last at 2015-05-20T10:00:00Z\n" in result.stderr
    result = sonde("summary", "--since", "2015-05-19", "--until", "2015-05-20 10:00", input=text)
    assert "nothing in that time: 4 hits before --since, 2 hits from --until on, the last at" in result.stderr
    assert "2 hits" in sonde("summary", "--since", "2015-05-20 10:00:00+00:00", input=text).stdout.decode()


def test_what_has_no_value_is_shown_whatever_the_top(sonde):
    answers = ["FR"] * 3 + ["DE"] * 2 + ["IT", ""]
    text = "ip,status,country_code\n" + "".join(f"5.0.0.{n},ok,{code}\n" for n, code in enumerate(answers))
    shown = sonde("summary", "-q", "--top", 1, "--tables", "country", input=text).stdout.decode().splitlines()
    assert [line.split()[:2] for line in shown[4:]] == [["FR", "3"], ["2", "more"], ["(not", "known)"]]


# MARK: records

FORMS_OF_RECORDS = ["csv", "tsv", "ndjson", "json"]


def records_of(sonde, simulator, form, *options):
    """Records of a scan of addresses of every fate, and what a summary should make of them."""
    simulator.control(batch_limit=None)
    listing = "\n".join(PUBLIC[:200] + PRIVATE + ["no address", "5.0.0.7", "1.2.3"])
    options = ("--provider", "ip-api", "--duplicates", "keep", *options)
    result = sonde("scan", *options, "--format", form, input=listing, env=simulator.env)
    items = [answered(address) for address in PUBLIC[:200]] + [known(address) for address in PRIVATE]
    items += [{"status": "invalid"}, answered("5.0.0.7"), {"status": "invalid"}]
    return result.stdout, items


@pytest.mark.parametrize("form", FORMS_OF_RECORDS)
def test_records_are_counted_as_they_are_and_nobody_is_asked(sonde, simulator, form):
    data, items = records_of(sonde, simulator, form)
    sonde.file("records", data)
    before = simulator.counts()["total"]
    for name, content in [("records", data), ("records.gz", gzip.compress(data)), ("-", b"")]:
        sonde.file(name, content) if content else None
        result = sonde("summary", "--format", "ndjson", name, input=data, env={"SONDE_IP_API_URL": NOWHERE})
        assert (result.status, result.records) == (0, tallies.tables(items))
        assert result.stderr == f"sonde: {len(items)} records counted in " + result.stderr.split(" in ")[1]
    assert simulator.counts()["total"] == before


def test_a_database_of_records_is_counted(sonde, simulator):
    data, items = records_of(sonde, simulator, "csv")
    listing = "\n".join(PUBLIC[:200] + PRIVATE + ["no address", "5.0.0.7", "1.2.3"])
    options = ("--provider", "ip-api", "--duplicates", "keep", "-o", "r.sqlite")
    sonde("scan", *options, input=listing, env=simulator.env)
    result = sonde("summary", "--format", "ndjson", "r.sqlite")
    assert (result.status, result.records) == (0, tallies.tables(items))
    sqlite3.connect(sonde.work / "other.db").execute("CREATE TABLE x (y)").connection.commit()
    other = sonde("summary", "other.db")
    assert other.status == 5 and "has no table of records" in other.stderr


@pytest.mark.parametrize("form", FORMS_OF_RECORDS)
def test_an_address_of_several_records_counts_once(sonde, form):
    items = [
        {"ip": "5.0.0.7", "status": "ok", "source": "ip-api", "country_code": "FR", "city": 'A "b", c'},
        {"ip": "5.0.0.7", "status": "ok", "source": "ip-api", "country_code": "FR", "city": "D\te\\f"},
        {"ip": "5.0.0.7", "status": "ok", "source": "libloc", "country_code": "DE"},
        {"ip": "5.0.0.8", "status": "ok", "source": "ip-api", "country_code": "FR", "city": "D\te\\f"},
        {"ip": "fe80::1%eth0", "status": "reserved", "block": "Link-Local Unicast"},
        {"ip": "fe80::1%eth1", "status": "reserved", "block": "Link-Local Unicast"},
    ]
    kept = [{name: value for name, value in item.items() if name != "block"} for item in items]
    if form == "tsv":
        names = ["ip", "status", "source", "country_code", "city"]
        cells = [[item.get(name, "").replace("\\", "\\\\").replace("\t", "\\t") for name in names] for item in kept]
        text = "".join("\t".join(row) + "\n" for row in [names, *cells])
    elif form == "csv":
        out = io.StringIO()
        writer = csv.DictWriter(out, ["ip", "status", "source", "country_code", "city"], lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(kept)
        text = "\ufeff" + out.getvalue()
    elif form == "json":
        text = json.dumps(kept, indent=2)
    else:
        text = "\n\n".join(map(json.dumps, kept))
    result = sonde("summary", "--format", "ndjson", input=text)
    found = [row for row in result.records if row["table"] != "address"]
    assert found == [row for row in tallies.tables(items) if row["table"] != "address"]
    assert [(row["key"], row["hits"]) for row in rows(result, "address")] == [
        ("5.0.0.7", 3), ("5.0.0.8", 1), ("fe80::1%eth0", 1), ("fe80::1%eth1", 1)
    ]


def test_what_is_no_record_is_read_as_a_log(sonde, simulator):
    for text in [
        '{"ip":"5.0.0.7","path":"/"}\n',
        "ip,path\n5.0.0.7,/\n",
        '[{"ip":"5.0.0.7","status_code":200}]\n',
        "[Sun May 17 10:05:03 2015] [error] [client 5.0.0.7]\n",
        "ip\n5.0.0.7\n",
        "5.0.0.7",
    ]:
        result = summarize(sonde, simulator, input=text)
        assert rows(result, "source")[0]["key"] == "ip-api", text
        assert "1 entry: 1 ok" in result.stderr
    for text in [
        "ip,country\n5.0.0.7,France\n",
        "ip,status\n5.0.0.7,200\n",
        "ip\tstatus\thostname\n5.0.0.7\t404\tx\n",
        '{"ip":"5.0.0.7","status":"active"}\n',
        '[{"ip":"5.0.0.7","city":"Paris"}]',
        "ip status\n5.0.0.7 ok\n",
        '{"type":"FeatureCollection","features":[{"properties":{"ip":"5.0.0.7"}}]}',
    ]:
        result = summarize(sonde, simulator, input=text)
        assert rows(result, "source")[0]["key"] == "ip-api", text
    text = "ip,status,source\n5.0.0.7,ok,libloc\n"
    assert rows(summarize(sonde, simulator, input=text), "source")[0]["key"] == "libloc"
    assert rows(summarize(sonde, simulator, "--log", input=text), "source")[0]["key"] == "ip-api"


def test_records_of_few_fields_are_told(sonde, simulator):
    simulator.control(batch_limit=None)
    for fields in ("ip,status", "ip,country_code", "status,message,ip", "ip,as_name,asn"):
        for form in FORMS_OF_RECORDS:
            listing = "5.0.0.7\n10.0.0.1\n"
            data = sonde("scan", "--fields", fields, "--format", form, input=listing, env=simulator.env).stdout
            result = sonde("summary", "--format", "ndjson", input=data, env={"SONDE_IP_API_URL": NOWHERE})
            assert (result.status, sum(row["hits"] for row in rows(result, "address"))) == (0, 2), (fields, form)
            assert "2 records counted" in result.stderr


def test_records_in_a_form_that_is_not_read_are_named(sonde, simulator):
    simulator.control(batch_limit=None)
    scan = ("scan", "--provider", "ip-api", "5.0.0.7", "5.0.1.7")
    sonde(*scan, "-o", "r.sqlite", env=simulator.env)
    database = sonde.read("r.sqlite")
    sonde.file("r.sqlite.gz", gzip.compress(database))
    features, table = (sonde(*scan, "--format", form, env=simulator.env).stdout for form in ("geojson", "table"))
    sonde.file("r.geojson", features)
    asked = simulator.counts()["total"]
    advice = "an SQLite database, which is not read: give its file"
    for operands, data, words in [
        (["r.sqlite.gz"], b"", advice),
        ([], database, advice),
        (["--log", "r.sqlite"], b"", advice),
        (["r.geojson"], b"", "holds records as GeoJSON, which is not read"),
        ([], features, "holds records as GeoJSON"),
        ([], table, "holds records as a table for a person"),
    ]:
        result = sonde("summary", "--provider", "ip-api", "--format", "ndjson", *operands, input=data, env=simulator.env)
        assert (result.status, result.stdout) == (5, b"") and words in result.stderr, (operands, result.stderr)
    assert simulator.counts()["total"] == asked, "nobody is asked"
    result = sonde("summary", "--log", "--format", "ndjson", "r.geojson", env=simulator.env)
    assert result.status == 0 and len(rows(result, "address")) == 2


@pytest.mark.parametrize("command", ["scan", "check", "extract", "annotate", "plan"])
def test_other_commands_name_a_database(sonde, command):
    sqlite3.connect(sonde.work / "other.db").execute("CREATE TABLE x (y)").connection.commit()
    for operands, data in ([["other.db"], b""], [[], sonde.read("other.db")]):
        result = sonde(command, *operands, input=data)
        assert result.status == 5 and "an SQLite database, which is not read" in result.stderr


def test_one_odd_answer_names_no_country(sonde):
    answers = ["Fronce", "France", "France", "Frankreich"]
    text = "".join(
        json.dumps({"ip": f"5.0.0.{n}", "status": "ok", "country_code": "FR", "country": name}) + "\n"
        for n, name in enumerate(answers)
    )
    result = sonde("summary", "--format", "ndjson", "--tables", "country", input=text + text.splitlines()[0])
    assert [(row["name"], row["hits"]) for row in result.records] == [("France", 5)]


def test_rows_that_are_no_records_are_told_and_left_out(sonde):
    text = "ip,status\n5.0.0.7,ok\n5.0.0.8,fine\n5.0.0.9\n5.0.1.7,ok\n"
    result = sonde("summary", "--format", "ndjson", input=text)
    assert result.status == 5 and len(rows(result, "address")) == 2
    assert "sonde: -: line 3 is left out: its status is none of Sonde's" in result.stderr
    cut = sonde("summary", "--format", "ndjson", input='[{"ip":"5.0.0.7","status":"ok"},{"ip":')
    assert cut.status == 5 and len(rows(cut, "address")) == 1 and "the array is cut short" in cut.stderr


def test_several_files_of_different_kinds_are_one_summary(sonde, simulator):
    data, items = records_of(sonde, simulator, "csv")
    log = fuzzed(9, tallies.UTC, 20, lines=100)
    sonde.file("r.csv", data)
    sonde.file("a.log", bytes(log.bytes))
    sonde.file("b.log.gz", gzip.compress(b"2015-10-25T00:00:00Z 5.0.0.7"))
    result = summarize(sonde, simulator, "r.csv", "a.log", "missing", "b.log.gz", "--top", 0)
    hits = items + [known(address) for address, _ in log.hits] + [known("5.0.0.7")]
    assert result.status == 5 and "missing" in result.stderr
    assert rows(result) == tallies.tables(hits, 0)
    assert f"{len(items)} records counted; {len(log.hits) + 1} entries" in result.stderr


# MARK: outputs


def test_every_form_tells_the_same(sonde, simulator):
    data, _ = records_of(sonde, simulator, "csv")
    sonde.file("r.csv", data)
    plain = sonde("summary", "--format", "ndjson", "r.csv").records
    names = ["table", "key", "name", "addresses", "hits", "share", "latitude", "longitude"]
    as_text = [[str(row.get(name, "")) for name in names] for row in plain]
    whole = sonde("summary", "r.csv", "--format", "json").stdout
    assert [row for table in json.loads(whole).values() for row in table] == plain
    for ending, dialect in [("csv", csv.excel), ("tsv", None)]:
        sonde("summary", "r.csv", "--format", ending, "-o", f"s.{ending}.gz")
        text = gzip.decompress(sonde.read(f"s.{ending}.gz")).decode()
        lines = list(csv.reader(io.StringIO(text))) if dialect else [
            line.split("\t") for line in text.splitlines()
        ]
        assert lines[0] == names
        for found, wanted in zip(lines[1:], as_text, strict=True):
            assert found[:5] == [value.replace("\\", "\\\\") if not dialect else value for value in wanted[:5]]
            assert [float(value or 0) for value in found[5:]] == [float(value or 0) for value in wanted[5:]]
    sonde("summary", "r.csv", "-o", "s.jsonl")
    assert [json.loads(line) for line in sonde.read("s.jsonl").splitlines()] == plain


def test_a_spreadsheet_takes_no_name_for_a_formula(sonde):
    text = "ip,status,country_code,city\n5.0.0.7,ok,FR,=1+1\n"
    for options, name in [([], "=1+1"), (["--spreadsheet"], "'=1+1")]:
        assert sonde("summary", *options, "-o", "s.csv", input=text).status == 0
        cities = [row for row in csv.DictReader(io.StringIO(sonde.read("s.csv").decode())) if row["table"] == "city"]
        assert [(row["key"], row["name"]) for row in cities] == [(name + ", FR", name)]


def test_tables_are_those_asked_for(sonde):
    text = "ip,status,country_code\n5.0.0.7,ok,FR\n"
    assert set(sonde("summary", "--format", "json", input=text).records[0]) == {"country", "status", "address"}
    found = sonde("summary", "--format", "json", "--tables", "city, country", input=text).records[0]
    assert list(found) == ["country", "city"] and found["city"] == []
    assert sonde("summary", "--tables", "none", input=text).stdout == b""
    shown = sonde("summary", "-q", "--tables", "city,day,country", input=text).stdout.decode().splitlines()
    assert [line.split()[0] for line in shown[3:] if line] == ["Countries", "FR", "Cities", "none", "Days", "none"]


@pytest.mark.parametrize(
    "options, words",
    [
        (["--time-zone", "Mars/Olympus"], "there is no zone 'Mars/Olympus'"),
        (["--time-zone", "../../../etc/passwd"], "there is no zone"),
        (["--since", "yesterday"], "a date (2015-05-17)"),
        (["--since", "2015-05-18", "--until", "2015-05-17"], "--since is later than --until"),
        (["--since", "1h", "--until", "2h"], "--since is later than --until"),
        (["--tables", "planet"], "unknown table 'planet'"),
        (["--top", "-1"], "a whole number of 0 or more"),
        (["--format", "geojson"], "table, csv, tsv, ndjson or json"),
        (["-o", "s.html"], "a page is written by --html s.html, not --output"),
        (["-o", "s.geojson"], "--format"),
        (["--format", "html"], "a page is written by --html FILE"),
        (["--format", "xml"], "table, csv, tsv, ndjson or json"),
        (["--html", "r.html", "r.html"], "is also an input"),
        (["--html", "r.html.partial", "r.html"], "ends in .html"),
        (["--html", "page.html", "r.html", "page.html.partial"], "is also"),
        (["--html", "page.html", "-o", "page.html", "--format", "csv"], "page.html.partial is also"),
        (["--html", "r.csv"], "ends in .html: r.csv does not"),
        (["--html", "new"], "ends in .html: new does not"),
        (["--html", "page.html.gz"], "ends in .html"),
        (["--tables", "none", "-o", "s.csv"], "writes nothing to s.csv"),
    ],
)
def test_wrong_use_is_refused(sonde, options, words):
    text = b"ip,status\n5.0.0.7,ok\n"
    for name in ("r.csv", "r.html", "page.html.partial"):
        sonde.file(name, text)
    result = sonde("summary", *options, input="")
    assert result.status == 2 and words in result.stderr
    assert all(sonde.read(name) == text for name in ("r.csv", "r.html", "page.html.partial"))
    assert len(list(sonde.work.iterdir())) == 3


PAGES = ["page.html", "table.csv"]


def to_pages(*names):
    page, table = names or PAGES
    return "--html", page, "-o", table


def test_outputs_are_replaced_when_they_are_whole(sonde, simulator):
    for name in PAGES:
        sonde.file(name, "before")
        os.chmod(sonde.work / name, 0o640)
    (sonde.work / "link.html").symlink_to("page.html")
    simulator.control(batch_limit=None, latency=0.5)
    options = ("summary", "--provider", "ip-api", *to_pages("link.html", "table.csv"))
    running = sonde.start(*options, env=simulator.env)
    running.write("5.0.0.7\n")
    running.process.stdin.close()
    wait_for(lambda: simulator.requests("ip-api batch") > 0)
    assert all(sonde.read(name) == b"before" for name in PAGES)
    assert running.finish().status == 0
    assert sonde.read("page.html").startswith(b"<!doctype html>") and sonde.read("table.csv").startswith(b"table,")
    assert {stat.S_IMODE((sonde.work / name).stat().st_mode) for name in PAGES} == {0o640}
    assert sorted(path.name for path in sonde.work.iterdir()) == ["link.html", *PAGES]
    assert (sonde.work / "link.html").is_symlink()


@pytest.mark.parametrize("isThere", [True, False])
@pytest.mark.parametrize("end", ["signal", "input", "kill"])
def test_what_is_not_whole_replaces_nothing(sonde, simulator, isThere, end):
    simulator.control(batch_limit=None, faults=[{"fault": "hang", "address": "5.0.0.7"}] if end != "input" else [])
    for name in PAGES if isThere else []:
        sonde.file(name, "before")
    sonde.file("cut.gz", gzip.compress(b"5.0.0.8\n" * 1000)[:-9])
    options = ("summary", "--provider", "ip-api", *to_pages())
    running = sonde.start(*options, "cut.gz" if end == "input" else "-", env=simulator.env)
    if end != "input":
        running.write("10.0.0.1\n5.0.0.7\n")
        wait_for(lambda: simulator.requests("ip-api batch") > 0)
        running.signal(signal.SIGINT if end == "signal" else signal.SIGKILL)
    result = running.finish()
    assert result.status == {"signal": 130, "input": 5, "kill": 137}[end]
    if isThere:
        assert all(sonde.read(name) == b"before" for name in PAGES)
    if end == "kill":
        return
    ending = ".partial" if isThere else ""
    assert sonde.read("page.html" + ending).startswith(b"<!doctype html>")
    assert sonde.read("table.csv" + ending).startswith(b"table,")
    for name in PAGES:
        words = f"{name} stays as it was; what was done is in {name}.partial"
        assert (words in result.stderr) == isThere and (sonde.work / f"{name}.partial").exists() == isThere


@pytest.mark.parametrize("isThere", [True, False])
def test_where_there_is_no_room_the_earlier_output_stays(sonde, isThere):
    sonde.file("r.csv", "ip,status\n5.0.0.7,ok\n")
    for name in PAGES if isThere else []:
        sonde.file(name, "before")
    result = sonde("summary", "r.csv", *to_pages(), prefix=("prlimit", "--fsize=16"))
    assert result.status == 5 and "page.html: File too large" in result.stderr
    left = {path.name: path.read_bytes() for path in sonde.work.iterdir()}
    assert set(left) == {"r.csv", *(PAGES if isThere else [])} and all(left[name] == b"before" for name in left if name != "r.csv")
    assert ("page.html stays as it was" in result.stderr) == isThere and "partial" not in result.stderr


def test_the_page_may_go_to_a_device(sonde):
    options = ("summary", "-q", "-o", "s.csv", "--html")
    for path in ("-", "/dev/stdout"):
        assert sonde(*options, path, input="ip,status\n5.0.0.7,ok\n").stdout.startswith(b"<!doctype html>")


def test_the_page_comes_beside_the_text(sonde, simulator):
    data, _ = records_of(sonde, simulator, "csv")
    sonde.file("r.csv", data)
    result = sonde("summary", "r.csv", "--html", "page.html", "--title", "Who <b> was & here")
    page = sonde.read("page.html").decode()
    assert result.status == 0 and result.lines[0] == "Who <b> was & here"
    assert page.lower().startswith("<!doctype html>") and "Who &lt;b> was" in page.replace("&gt;", ">")
    sonde("summary", "r.csv", "--html", "only.html", "--tables", "none")
    assert sonde.read("only.html").decode().count("<table") == page.count("<table")


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("locale", ["C.UTF-8", "C"])
def test_a_table_fits_the_terminal(sonde, simulator, width, locale):
    data, _ = records_of(sonde, simulator, "csv")
    sonde.file("r.csv", data)
    env = {"LANG": locale, "LC_ALL": locale}
    screen = sonde.pty("summary", "-q", "r.csv", width=width, env=env)
    raw = re.sub(r"\x1b\[[0-9]*m", "", screen.raw)
    lines = raw.split("\r\n")
    assert screen.status == 0 and lines[0] == "r.csv" and lines[1].startswith("202 addresses, 205 hits")
    assert lines == [line.rstrip() for line in screen.display][: len(lines) - 1] + [""], "no line is broken"
    assert "…" not in raw or locale != "C"
    assert ("█" in raw) == (locale != "C") and ("####" in raw) == (locale == "C")
    assert "more" in raw and "%" in raw or width == 40


def test_the_file_gets_eighty_columns_and_no_colours(sonde):
    result = sonde("summary", "-q", "--color", "always", input="ip,status\n5.0.0.7,ok\n")
    assert b"\x1b[1m" in result.stdout
    sonde("summary", "-q", "-o", "s", input="ip,status\n5.0.0.7,ok\n")
    assert b"\x1b" not in sonde.read("s") and max(map(len, sonde.read("s").decode().splitlines())) <= 80


# MARK: runs


def test_an_interrupted_run_prints_what_it_has(sonde, simulator):
    simulator.control(window=600, batch_limit=2)
    running = sonde.start(
        *("summary", "--provider", "ip-api", "--format", "ndjson", "--top", 0, "--events", "events"), env=simulator.env
    )
    running.write("".join(f"{address}\n" for address in [*PUBLIC, PUBLIC[-1]]))
    deadline = time.monotonic() + 15
    while simulator.counts()["statuses"].get("200", 0) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.5)
    running.signal(signal.SIGINT)
    result = running.finish(timeout=10)
    assert result.status == 130 and "interrupted" in result.stderr
    statuses = {row["key"]: row["hits"] for row in rows(result, "status")}
    assert statuses["ok"] >= 190 and sum(statuses.values()) == len(PUBLIC) + 1
    assert len(rows(result, "address")) == len(PUBLIC)
    # The words and the event speak of what the tables count.
    event = json.loads(sonde.read("events").splitlines()[-1])
    entries, unanswered = len(PUBLIC) + 1, len(PUBLIC) - event["ok"] - event["unknown"]
    assert unanswered <= statuses[""] <= unanswered + 1
    counts = {"entries": entries, "duplicates": 1, "unanswered": unanswered}
    assert {name: event[name] for name in counts} == counts
    assert f"interrupted; {entries} entries: {event['ok']} ok" in result.stderr
    assert f", {unanswered} not answered, 1 duplicate" in result.stderr


def test_a_log_that_is_followed_is_counted_until_it_is_interrupted(sonde, simulator):
    simulator.control(batch_limit=None)
    sonde.file("log", "2015-05-17T10:05:03Z 5.0.0.7\n")
    tail = subprocess.Popen(["tail", "-n", "+1", "-f", "log"], cwd=sonde.work, stdout=subprocess.PIPE)
    try:
        running = sonde.start(
            *("summary", "--provider", "ip-api", "--format", "ndjson"), env=simulator.env, stdin=tail.stdout
        )
        with open(sonde.work / "log", "a") as log:
            log.write("2015-05-17T10:05:04Z 5.0.1.7\n")
        deadline = time.monotonic() + 15
        while len(simulator.addresses()) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        running.signal(signal.SIGINT)
        result = running.finish(timeout=10)
    finally:
        tail.kill()
        tail.wait()
    assert result.status == 130 and rows(result, "status")[0]["hits"] == 2


def test_the_quota_is_waited_for_and_the_cache_is_used(sonde, simulator):
    simulator.control(batch_limit=2, window=2)
    text = "".join(f"{address}\n" for address in PUBLIC)
    env = simulator.env | {"XDG_CACHE_HOME": str(sonde.work)}
    first = sonde("summary", "--provider", "ip-api", "--format", "ndjson", input=text, env=env)
    assert first.status == 0 and rows(first) == tallies.tables([known(address) for address in PUBLIC])
    assert simulator.counts()["statuses"].get("429", 0) == 0
    asked = simulator.counts()["total"]
    again = sonde("summary", "--provider", "ip-api", "--format", "ndjson", input=text, env=env)
    assert again.records == first.records and simulator.counts()["total"] == asked


def test_events_and_the_exit_status_are_those_of_a_scan(sonde, simulator):
    text = "5.0.0.7 5.0.0.7 10.0.0.1\n"
    summarize(sonde, simulator, "--events", "events", input=text)
    event = json.loads(sonde.read("events").splitlines()[-1])
    counts = {name: event[name] for name in ("entries", "duplicates", "ok", "reserved", "requests")}
    assert counts == {"entries": 3, "duplicates": 1, "ok": 1, "reserved": 1, "requests": 1}
    failed = sonde(
        *("summary", "--provider", "ip-api", "--retries", 0, "--format", "ndjson"),
        env={"SONDE_IP_API_URL": NOWHERE},
        input=text,
    )
    assert failed.status == 1 and rows(failed, "status")[0]["key"] == "failed"
    assert rows(failed, "address")[0]["name"] == "failed" and "upgrade" not in failed.stderr
    empty = summarize(sonde, simulator, input="")
    assert (empty.status, empty.stdout) == (0, b"")


def test_a_reader_that_has_gone_ends_it_silently(sonde, simulator):
    simulator.control(window=600, batch_limit=0)
    shell = f"yes 5.0.0.7 | {sonde.command(['summary', '--provider', 'ip-api'])[0]} summary --provider local | true"
    done = subprocess.run(["bash", "-c", shell], env=sonde.environment(), capture_output=True, timeout=20)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("content", [b"", b"\0" * 5000, b"\xff" * 100_000, b"5.0.0.7" * 30_000, b"{" * 50_000])
def test_bad_bytes_are_read_without_a_crash(sonde, content):
    result = sonde("summary", "--provider", "local", "--format", "ndjson", input=content)
    assert result.status == 0


@skip_unless_allowed()
def test_a_loss_of_the_network_is_waited_for_and_on_the_page(sonde):
    network = Network()
    try:
        network.simulator.control(batch_limit=None, latency=0.2, window=60, faults=[])
        running = sonde.start(
            *("summary", "--provider", "ip-api", "--concurrency", 1, "--format", "ndjson"),
            *("--html", "page.html", "--events", "events"),
            env=network.env,
            prefix=network.near.prefix,
        )
        running.write("".join(f"{address}\n" for address in PUBLIC))
        running.process.stdin.close()
        network.simulator.wait_for(1)
        network.lose()
        time.sleep(1)
        network.restore()
        result = running.finish()
    finally:
        network.close()
    assert result.status == 0 and rows(result) == tallies.tables([known(address) for address in PUBLIC])
    assert "link_down" in sonde.read("page.html").decode()


def test_records_have_no_time_to_be_counted_by(sonde, simulator):
    sonde.file("r.ndjson", '{"ip":"8.8.8.8","status":"ok","source":"ip-api","country_code":"US"}\n' * 3)
    for bound in (["--since", "1970-01-01"], ["--until", "2190-01-01"]):
        result = sonde("summary", "--format", "ndjson", *bound, "r.ndjson", env=simulator.env)
        assert (result.status, result.stdout) == (0, b""), result.stderr
        assert "sonde: 3 records left out: only logs have times, for --since and --until\n" in result.stderr


def test_records_outside_the_period_are_not_those_without_a_time(sonde, simulator):
    record = '{{"ip":"8.8.8.8","status":"ok","country_code":"US","time":"{}"}}\n'
    sonde.file("r.ndjson", record.format("2015-05-17T00:00:00Z"))
    result = sonde("summary", "--format", "ndjson", "--since", "2015-05-18", "r.ndjson", env=simulator.env)
    assert "sonde: nothing in that time: 1 hit before --since, the last at 2015-05-17T00:00:00Z\n" in result.stderr
