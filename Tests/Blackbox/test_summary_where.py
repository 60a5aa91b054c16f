"""`summary --where`: what is left out is counted nowhere, and is said."""

import json

import pytest

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


def test_a_log_s_lines_are_counted_before_anybody_is_asked(sonde, simulator):
    sonde.file("access.log", LOG)
    result = summary(sonde, simulator, "--where", "country_code = US", "access.log")
    assert (result.status, result.stdout) == (2, b"")
    assert "access.log is a log" in result.stderr or "access.log: is a log" in result.stderr


def test_an_event_tells_of_it(sonde, simulator):
    sonde.file("access.log", LOG)
    result = summary(sonde, simulator, "--where", "ip = 1.1.1.1", "--events", "events", "access.log")
    event = [json.loads(line) for line in sonde.read("events").splitlines()][-1]
    assert result.status == 0 and (event["entries"], event["excluded"], event["ok"]) == (4, 3, 1)
