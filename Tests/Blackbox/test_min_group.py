"""`--min-group`: the city of too few is nobody's, against a count of the same records."""

import json
import signal
from collections import Counter

import pytest
from command import wait_for

pytestmark = pytest.mark.slow

BELOW = {"city", "postal_code", "latitude", "longitude"}
ADDRESSES = [f"5.{n % 7}.{n}.{n % 3}" for n in range(220)]
OPTIONS = ("--provider", "ip-api", "--no-cache", "--fields", "ip,country_code,region,city,postal_code,latitude,longitude")


def grouped(records, least):
    """The records without the places of fewer than `least` addresses."""
    distinct = {each["ip"]: tuple(each.get(name) for name in ("country_code", "region", "city")) for each in records}
    sizes = Counter(distinct.values())
    hidden = [{k: v for k, v in each.items() if k not in BELOW} for each in records]
    return [each if sizes[distinct[each["ip"]]] >= least else bare for each, bare in zip(records, hidden, strict=True)]


@pytest.mark.parametrize("more", [(), ("--duplicates", "keep"), ("--where", "latitude > 0")], ids=" ".join)
def test_places_of_few_are_left_out_of_records(sonde, simulator, more):
    simulator.control(batch_limit=100_000)
    items = ADDRESSES + ADDRESSES[:30] + ["10.0.0.1", "nonsense"]
    sonde.file("list", "\n".join(items) + "\n")
    whole = sonde("scan", "list", *OPTIONS, *more, "--format", "ndjson", env=simulator.env)
    sizes = sorted(Counter(each.get("city") for each in whole.records).values())
    least = sizes[len(sizes) // 2] + 1
    result = sonde("scan", "list", *OPTIONS, *more, "--min-group", least, "--format", "ndjson", env=simulator.env)
    wanted = grouped(whole.records, least)
    assert result.records == wanted and wanted != whole.records and any("city" in each for each in wanted)
    assert (result.status, result.stderr.splitlines()[-1].split(";")[0]) == (
        whole.status, whole.stderr.splitlines()[-1].split(";")[0])
    points = json.loads(sonde("scan", "list", *OPTIONS, *more, "--min-group", least, "--format", "geojson", "--unordered",
                              env=simulator.env).stdout)["features"]
    assert sum(each["geometry"] is not None for each in points) == sum("latitude" in each for each in wanted)


def test_places_of_few_are_left_out_of_summaries(sonde, simulator):
    simulator.control(batch_limit=100_000)
    sonde.file("a.log", "".join(f"{ip} {ip} x\n" for ip in ADDRESSES))
    records = sonde("scan", "--log", "a.log", *OPTIONS, "--format", "ndjson", env=simulator.env).records
    sizes = sorted(Counter(each.get("city", "") for each in records).values())
    least = sizes[len(sizes) // 2] + 1
    wanted = grouped(records, least)
    shared = ("summary", "--provider", "ip-api", "--no-cache", "--top", 0, "--format", "json", "--min-group", least, "a.log")
    summary = json.loads(sonde(*shared, env=simulator.env).stdout)
    by = json.loads(sonde(*shared, "--by", "city,latitude", env=simulator.env).stdout)["city,latitude"]
    cities = Counter(each.get("city", "") for each in wanted)
    assert {row["name"]: row["addresses"] for row in summary["city"]} == cities
    wanted_rows = Counter((each.get("city"), each.get("latitude")) for each in wanted)
    assert {(row.get("city"), row.get("latitude")): row["addresses"] for row in by} == wanted_rows
    assert {row["key"]: row["addresses"] for row in summary["country"]} == Counter(each.get("country_code", "") for each in records)
    sonde.file("records.ndjson", "".join(json.dumps(each | {"status": "ok"}) + "\n" for each in records))
    again = json.loads(sonde("summary", "--top", 0, "--format", "json", "--min-group", least, "records.ndjson").stdout)
    assert [row["addresses"] for row in again["city"]] == [row["addresses"] for row in summary["city"]]


def test_a_scan_that_was_killed_is_resumed_and_asks_nothing_twice(sonde, simulator):
    simulator.control(batch_limit=100_000, latency=0.3)
    sonde.file("list", "".join(f"5.{n // 250}.{n % 250}.3\n" for n in range(1000)))
    command = ("scan", "list", "--provider", "ip-api", "--concurrency", "1", "--min-group", "30", "-o")
    running = sonde.start(*command, "o.csv", env=simulator.env)
    wait_for(lambda: len(simulator.addresses()) >= 300)
    running.signal(signal.SIGKILL)
    assert running.finish().status == 137
    assert sonde.read("o.csv") in (b"", None) or b"\n5." not in sonde.read("o.csv")
    simulator.control(batch_limit=100_000)
    other = sonde(*command[:-2], "20", "-o", "o.csv", "--resume", env=simulator.env)
    assert other.status == 2 and "min-group" in other.stderr
    assert sonde(*command, "o.csv", "--resume", env=simulator.env).status == 0
    # What was in flight comes again at most.
    assert sum(count > 1 for count in simulator.addresses().values()) <= 200
    assert sonde(*command, "whole.csv", env=simulator.env).status == 0

    def places(name):
        return [line.split(b",")[:8] for line in sonde.read(name).splitlines()]

    assert places("o.csv") == places("whole.csv")
