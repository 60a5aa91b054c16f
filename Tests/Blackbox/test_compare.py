"""`compare`: several sources about the same addresses, weighed as in Python."""

import csv
import io
import json
import math
import os
import random
import signal
import sqlite3
import statistics

import mmdb
import pytest
from command import wait_for
from expected import record

SERVICES = ("--provider", "ip-api,ipinfo")
FIXED = ["ip", "status", "country_code", "agreement", "distance_km", "as_agreement", "confidence", "message", "line"]
OWN = ["status", "country_code", "city", "latitude", "longitude", "asn"]
ADDRESSES = [f"5.{n // 200}.{n % 200}.7" for n in range(600)]


def entry(country=None, place=None, city=None, asn=None):
    """A record of an MMDB."""
    known = {}
    if country:
        known["country"] = {"iso_code": country}
    if place:
        known["location"] = {"latitude": float(place[0]), "longitude": float(place[1])}
    if city:
        known["city"] = {"names": {"en": city}}
    if asn:
        known["autonomous_system_number"] = asn
    return known


def distance(one, other):
    """Whole kilometres between places on a great circle, by vectors."""
    vectors = []
    for latitude, longitude in (one, other):
        north, east = math.radians(latitude), math.radians(longitude)
        vectors.append((math.cos(north) * math.cos(east), math.cos(north) * math.sin(east), math.sin(north)))
    (a, b, c), (d, e, f) = vectors
    cross = math.hypot(b * f - c * e, c * d - a * f, a * e - b * d)
    return round(6371 * math.atan2(cross, a * d + b * e + c * f))


def vote(values):
    """What most say, of a tie the earliest, and its share."""
    values = [value for value in values if value]
    if not values:
        return None, None
    best = max(values, key=lambda value: (values.count(value), -values.index(value)))
    return best, values.count(best) / len(values)


def verdict(opinions):
    """The columns of the verdict on the opinions of the sources; each is an `entry`'s arguments or None."""
    known = [opinion for opinion in opinions if opinion]
    country, agreement = vote(opinion.get("country") for opinion in known)
    _, systems = vote(opinion.get("asn") for opinion in known)
    places = [opinion["place"] for opinion in known if opinion.get("place")]
    far = max((distance(a, b) for a in places for b in places), default=None) if len(places) > 1 else None
    named = sum(1 for opinion in known if opinion.get("country"))
    confidence = None
    if country:
        confidence = "low"
        if named > 1 and agreement == 1 and (far is None or far <= 100):
            confidence = "high"
        elif named > 1 and agreement > 0.5:
            confidence = "medium"
    columns = {
        "country_code": country,
        "agreement": None if agreement is None else round(agreement, 3),
        "distance_km": far,
        "as_agreement": None if systems is None else round(systems, 3),
        "confidence": confidence,
    }
    return {name: value for name, value in columns.items() if value is not None}


def databases(sonde, *opinions):
    """A database for each dictionary from network to opinion, as options."""
    options = ["--provider", "local"]
    for number, networks in enumerate(opinions):
        name = f"db{number}.mmdb"
        entries = {network: entry(**opinion) for network, opinion in networks.items() if opinion}
        mmdb.write(sonde.work / name, "Test-City", entries or {"192.0.2.0/24": entry("XX")})
        options += ["--database", name]
    return options


@pytest.mark.parametrize("seed", range(int(os.environ.get("SONDE_TEST_COMPARISONS", "3"))))
def test_databases_are_weighed_as_in_python(sonde, seed):
    chance = random.Random(seed)
    count = chance.randrange(2, 6)
    networks = [f"5.{n}.0.0/16" for n in range(80)] + [f"2a01:{n:x}::/32" for n in range(1, 40)]

    def opinion():
        if chance.random() < 0.2:
            return None
        place = (round(chance.uniform(-90, 90), 4), round(chance.uniform(-180, 180), 4))
        near = (48 + round(chance.uniform(-1, 1), 4), 11.5)
        said = {
            "country": chance.choice([None, "DE", "DE", "DE", "FR", "US"]),
            "place": chance.choice([None, place, near, near]),
            "asn": chance.choice([None, 3320, 3320, 15169]),
        }
        return said if any(said.values()) else {"country": "DE"}

    said = [{network: opinion() for network in networks} for _ in range(count)]
    addresses = [network.split("/")[0].replace("::", "::9") for network in networks]
    result = sonde("compare", *databases(sonde, *said), input="\n".join(addresses))
    assert result.status == 0 and len(result.records) == len(networks)
    for line, (network, found) in enumerate(zip(networks, result.records), 1):
        opinions = [each[network] for each in said]
        assert {name: found[name] for name in FIXED[2:7] if name in found} == verdict(opinions), network
        assert found["line"] == line and found["status"] == ("ok" if any(opinions) else "unknown")
        for number, each in enumerate(opinions):
            columns = {name: found.get(f"db{number}_{name}") for name in OWN}
            latitude, longitude = (each or {}).get("place") or (None, None)
            assert columns == {
                "status": "ok" if each else "unknown",
                "country_code": (each or {}).get("country"),
                "city": None,
                "latitude": latitude,
                "longitude": longitude,
                "asn": (each or {}).get("asn"),
            }


def test_every_form_has_the_same_columns_in_order(sonde):
    options = databases(sonde, {"5.6.0.0/16": {"country": "DE", "place": (48, 11.5), "city": "München"}}, {"5.6.0.0/16": {"country": "FR"}})
    entries = "5.6.7.8\n10.0.0.1\nnonsense\n5.6.7.8\n"
    names = FIXED + [f"db{n}_{name}" for n in range(2) for name in OWN]
    run = sonde("compare", *options, "--format", "csv", input=entries)
    rows = list(csv.reader(io.StringIO(run.stdout.decode())))
    assert rows[0] == names and len(rows) == 4
    assert rows[1] == ["5.6.7.8", "ok", "DE", "0.5", "", "", "low", "", "1", "ok", "DE", "München", "48", "11.5", "", "ok", "FR", "", "", "", ""]
    assert rows[2][:2] == ["10.0.0.1", "reserved"] and rows[2][9:] == [""] * 12
    assert rows[3][:2] == ["nonsense", "invalid"] and rows[3][9:] == [""] * 12
    assert run.stderr.startswith("sonde: 4 entries: 1 ok, 1 reserved, 1 invalid, 1 duplicate; 0 requests in ") and run.status == 0
    plain = [{name: value for name, value in zip(names, row) if value} for row in rows[1:]]
    for form in ("ndjson", "json", "geojson", "tsv", "sqlite"):
        out = f"out.{form}"
        assert sonde("compare", *options, "-q", "-o", out, input=entries).status == 0
        if form == "sqlite":
            database = sqlite3.connect(sonde.work / out)
            found = [dict(zip(names, row)) for row in database.execute("SELECT * FROM records")]
            database.close()
        elif form == "tsv":
            found = list(csv.DictReader(io.StringIO(sonde.read(out).decode()), delimiter="\t", quoting=csv.QUOTE_NONE))
        elif form == "ndjson":
            found = [json.loads(line) for line in sonde.read(out).splitlines()]
        else:
            found = json.loads(sonde.read(out))
            if form == "geojson":
                assert [each["geometry"] and each["geometry"]["coordinates"] for each in found["features"]] == [[11.5, 48], None, None]
                found = [each["properties"] for each in found["features"]]
        assert [{n: f"{v:g}" if isinstance(v, float) else str(v) for n, v in row.items() if v not in ("", None)} for row in found] == plain, form
    run = sonde("compare", *options, "-q", "--duplicates", "keep", input=entries)
    assert [r["line"] for r in run.records] == [1, 2, 3, 4]
    run = sonde("compare", *options, "-q", "--log", "--strict", input="from 5.6.7.8:53 to 5.6.7.9\n")
    assert [r["ip"] for r in run.records] == ["5.6.7.8", "5.6.7.9"] and run.status == 0


def test_sources_are_named_after_files_and_there_are_two_at_least(sonde, loc_database):
    said = {"5.6.0.0/16": {"country": "DE"}}
    databases(sonde, said)
    (sonde.work / "sub").mkdir()
    for name in ("GeoLite2-City.mmdb", "sub/GeoLite2-City.mmdb"):
        (sonde.work / name).write_bytes(sonde.read("db0.mmdb"))
    options = ["--provider", "local"]
    run = sonde("compare", *options, "--database", "GeoLite2-City.mmdb", "--database", "sub/GeoLite2-City.mmdb", "--database", loc_database, "5.6.7.8")
    assert [name for name in run.records[0] if name.endswith("_status")] == [
        "geolite2_city_status", "geolite2_city_2_status", f"{loc_database.stem.lower()}_status",
    ]
    # The same file twice, and the truth, which takes a name away.
    sonde.file("truth.csv", "network,country_code\n5.0.0.0/8,de\n")
    (sonde.work / "distance.mmdb").write_bytes(sonde.read("db0.mmdb"))
    run = sonde("compare", *options, "--database", "distance.mmdb", "--database", "distance.mmdb", "--truth", "truth.csv", "5.6.7.8", "5.5.5.5")
    assert [name for name in run.records[0] if name.endswith("_status")] == ["distance_2_status", "distance_3_status"]
    assert [r.get("truth_country_code") for r in run.records] == ["DE", "DE"]
    for few in ([], ["--database", "db0.mmdb"]):
        run = sonde("compare", *options, *few, "5.6.7.8")
        assert run.status == 2 and "two sources" in run.stderr and run.stdout == b""
    assert sonde("compare", "--provider", "ip-api", "5.6.7.8").status == 2
    for wrong in (["--resume"], ["--fields", "ip"], ["--with", "tor"], ["--where", "ip"]):
        assert sonde("compare", *wrong, "5.6.7.8").status == 2, wrong


def test_services_are_asked_at_once_about_everything_and_once(sonde, simulator, loc_database):
    simulator.control(batch_limit=None)
    addresses = ADDRESSES[:120]
    options = ("--provider", "ip-api,ipinfo,local", "--database", loc_database, "--cache", sonde.work / "cache.db")
    run = sonde("compare", *options, input="\n".join(addresses), env=simulator.env)
    assert run.status == 0 and simulator.counts()["requests"] == {"ip-api batch": 2, "ipinfo single": 120}
    for line, (address, found) in enumerate(zip(addresses, run.records), 1):
        assert (found["ip"], found["line"]) == (address, line)
        for source, column in (("ip-api", "ip_api"), ("ipinfo", "ipinfo")):
            known = record(address, source)
            columns = {name: found[f"{column}_{name}"] for name in OWN if f"{column}_{name}" in found}
            assert columns == {name: known[name] for name in OWN if name in known}
        assert "local_status" in found
    again = sonde("compare", *options, input="\n".join(addresses), env=simulator.env)
    assert again.stdout == run.stdout and simulator.counts()["total"] == 122
    assert "; 120 cached" in again.stderr


def test_a_source_without_an_answer_leaves_the_others_theirs(sonde, simulator):
    """One that is down, one whose day is spent, and one that the run may not ask any more."""
    simulator.control(batch_limit=None, faults=[{"fault": "status", "status": 500, "call": "ip-api"}])
    options = ("compare", *SERVICES, "--retries", "0")
    run = sonde(*options, "5.0.1.7", env=simulator.env)
    (found,) = run.records
    assert (found["status"], found["ip_api_status"], found["ipinfo_status"]) == ("ok", "failed", "ok")
    assert found["message"].startswith("ip-api: ") and found["confidence"] == "low"
    assert run.status == 1 and "sources: 1 failed" in run.stderr and "in place of" not in run.stderr
    simulator.control(faults=[], daily_limit=3)
    run = sonde(*options, *ADDRESSES[:8], env={**simulator.env, "XDG_STATE_HOME": str(sonde.work / "other")})
    statuses = [(r["status"], r["ip_api_status"], r["ipinfo_status"]) for r in run.records]
    assert {s for s in statuses if s[2] == "failed"} and all(s[:2] in (("ok", "ok"), ("ok", "unknown"), ("unknown", "unknown"), ("failed", "unknown")) for s in statuses)
    assert run.status == 4
    simulator.control(daily_limit=None)
    for requests in (0, 1, 5):
        before = simulator.counts()["total"]
        run = sonde(*options, "--max-requests", requests, *ADDRESSES[:8], env={**simulator.env, "XDG_STATE_HOME": str(sonde.work / f"s{requests}")})
        assert simulator.counts()["total"] - before == requests and run.status == 1 and len(run.records) == 8
        assert f"stopped after {requests} request" in run.records[-1]["message"]


def test_it_goes_on_after_any_end_and_asks_nobody_twice(sonde, simulator):
    simulator.control(batch_limit=None, daily_limit=None, latency=0.02)
    sonde.file("list.txt", "\n".join(ADDRESSES))
    options = ("compare", *SERVICES, "--cache", sonde.work / "cache.db", "-o", "out.csv", "list.txt")
    running = sonde.start(*options, env=simulator.env)
    wait_for(lambda: (sonde.work / "out.csv").exists() and sonde.read("out.csv").count(b"\n") > 101)
    running.signal(signal.SIGKILL)
    running.finish()
    run = sonde(*options, env=simulator.env)
    rows = list(csv.DictReader(io.StringIO(sonde.read("out.csv").decode())))
    assert run.status == 0 and [row["ip"] for row in rows] == ADDRESSES
    # Answers that were on their way at the end are asked for again.
    counts = simulator.counts()
    assert len(ADDRESSES) <= counts["requests"]["ipinfo single"] <= len(ADDRESSES) + 16
    assert counts["most_asked"] <= 3 and not (sonde.work / "out.csv.journal").exists()


def test_the_truth_measures_the_sources_and_summaries_count_them(sonde):
    berlin, munich, paris = (52.52, 13.4), (48.14, 11.58), (48.86, 2.35)
    first = {"5.1.0.0/16": {"country": "DE", "place": berlin}, "5.2.0.0/16": {"country": "DE", "place": munich}, "5.3.0.0/16": {"country": "FR"}}
    second = {"5.1.0.0/16": {"country": "DE", "place": munich}, "5.2.0.0/16": {"country": "FR", "place": paris}}
    options = databases(sonde, first, second)
    sonde.file("truth.tsv", "net\tcountry_code\tlatitude\tlongitude\n5.1.0.0/16\tDE\t52.52\t13.4\n5.2.0.0/16\tDE\t\t\n")
    entries = "5.1.0.1\n5.2.0.1\n5.3.0.1\n5.4.0.1\n10.0.0.1\nx\n"
    truth = ("--truth", "truth.tsv,key=net")
    run = sonde("compare", *options, *truth, "--format", "csv", input=entries)
    rows = list(csv.DictReader(io.StringIO(run.stdout.decode())))
    assert list(rows[0]) == [*FIXED, "truth_country_code"] + [f"db{n}_{name}" for n in range(2) for name in (*OWN, "km")]
    assert [(r["truth_country_code"], r["db0_km"], r["db1_km"]) for r in rows] == [
        ("DE", "0", str(distance(berlin, munich))), ("DE", "", ""), ("", "", ""), ("", "", ""), ("", "", ""), ("", "", ""),
    ]
    near, far = distance(berlin, munich), distance(munich, paris)
    middle = statistics.median([near, far])
    text = f"{middle:g}"
    run = sonde("compare", *options, "--summary", "--format", "csv", input=entries)
    assert run.stdout.decode().splitlines() == [
        "table,key,addresses,agreement,median_km,right",
        f"source,db0,3,1,{text},", f"source,db1,2,0.5,{text},",
        f"country,DE,2,0.75,{text},", "country,FR,1,1,,",
        "confidence,high,0,,,", f"confidence,medium,1,1,{near},", f"confidence,low,2,0.75,{far},",
    ]
    assert run.status == 0 and "6 entries: 3 ok, 1 unknown, 1 reserved, 1 invalid" in run.stderr
    run = sonde("compare", *options, *truth, "--summary", "-o", "out.json", input=entries)
    tables = json.loads(sonde.read("out.json"))
    assert tables["source"] == [
        {"table": "source", "key": "db0", "addresses": 3, "agreement": 1, "median_km": 0, "right": 1},
        {"table": "source", "key": "db1", "addresses": 2, "agreement": 0.5, "median_km": near, "right": 0.5},
    ]
    assert [row.get("right") for row in tables["country"] + tables["confidence"]] == [1, None, None, 1, 1]
    table = sonde("compare", *options, "--summary", input=entries).stdout.decode().splitlines()
    assert table[0].split() == "table key addresses agreement median_km right".split() and len(table) == 8
    for form in ("geojson", "sqlite"):
        assert sonde("compare", *options, "--summary", "--format", form, "5.1.0.1").status == 2
    assert sonde("compare", *options, "--summary", "-o", "out.geojson", "5.1.0.1").status == 2


@pytest.mark.parametrize(
    "content, words",
    [
        ("network,country\n5.0.0.0/8,DE\n", "has no column country_code; its columns are 'country'"),
        ("asn,country_code\n3320,DE\n", "is a table of AS numbers"),
        ("network,country_code\n5.0.0.0/8\n", "line 2"),
        (None, "No such file"),
    ],
)
def test_what_is_no_truth_is_refused(sonde, content, words):
    options = databases(sonde, {"5.0.0.0/8": {"country": "DE"}}, {"5.0.0.0/8": {"country": "DE"}})
    if content is not None:
        sonde.file("truth.csv", content)
    run = sonde("compare", *options, "--truth", "truth.csv", "-o", "out.csv", "5.6.7.8")
    assert run.status == 2 and words in run.stderr and not (sonde.work / "out.csv").exists()


def test_a_summary_keeps_an_earlier_file_until_it_is_whole(sonde, simulator):
    simulator.control(batch_limit=None, latency=0.3, daily_limit=None)
    sonde.file("out.csv", "earlier\n")
    sonde.file("list.txt", "\n".join(ADDRESSES[:300]))
    running = sonde.start("compare", *SERVICES, "--summary", "-o", "out.csv", "list.txt", env=simulator.env)
    wait_for(lambda: simulator.counts()["total"] > 3)
    running.signal(signal.SIGINT)
    run = running.finish()
    assert run.status == 130 and sonde.read("out.csv") == b"earlier\n" and "out.csv stays as it was" in run.stderr


def test_each_member_of_the_summary_event_stands_once(sonde, simulator):
    run = sonde("compare", *SERVICES, "--quiet", "--events", "events", "5.0.1.7", env=simulator.env)
    assert run.status == 0
    names = []
    json.loads(sonde.read("events").splitlines()[-1], object_pairs_hook=lambda pairs: names.append([name for name, _ in pairs]))
    assert all(len(each) == len(set(each)) for each in names) and "faults" in names[-1]
