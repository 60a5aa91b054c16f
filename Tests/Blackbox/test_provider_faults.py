"""Whatever a provider does, every address ends as one record, right or failed with its reason."""

import json

import pytest
from expected import differences, record

ADDRESSES = [f"5.{n // 250}.{n % 250}.11" for n in range(20_000)]

PASSING = {
    "500": {"fault": "status", "status": 500},
    "502": {"fault": "status", "status": 502, "body": "<html>Bad gateway</html>", "type": "text/html"},
    "503": {"fault": "status", "status": 503, "retry_after": 1},
    "503 date": {"fault": "status", "status": 503, "retry_after": "date:1"},
    "429": {"fault": "status", "status": 429},
    "429 headers": {"fault": "status", "status": 429, "headers": {"X-Rl": 0, "X-Ttl": 1}},
    "empty": {"fault": "empty"},
    "garbage": {"fault": "garbage"},
    "delay": {"fault": "delay", "seconds": 0.5},
    "drip": {"fault": "drip", "seconds": 0.5},
    "hang": {"fault": "hang"},
    "reset": {"fault": "reset"},
    "close": {"fault": "close"},
    "cut": {"fault": "cut"},
    "cut by reset": {"fault": "cut", "how": "reset"},
    "truncated": {"fault": "truncated"},
    "long length": {"fault": "long_length"},
    "short length": {"fault": "short_length"},
    "huge": {"fault": "huge"},
    "wrong types": {"fault": "wrong_types"},
    "wrong shape": {"fault": "wrong_shape"},
    "missing": {"fault": "missing"},
    "doubled": {"fault": "doubled"},
    "reordered": {"fault": "reordered"},
    "foreign": {"fault": "foreign"},
    "no query": {"fault": "no_query"},
    "login 200": {"fault": "login_200"},
    "login 302": {"fault": "login_302"},
}


@pytest.mark.parametrize("name", PASSING)
def test_a_fault_that_passes_leaves_no_trace_in_the_records(sonde, simulator, name):
    simulator.control(batch_limit=None, faults=[dict(PASSING[name], next=2, call="ip-api batch")])
    addresses = ADDRESSES[:250]
    options = ("scan", "--provider", "ip-api", "--timeout", "1s")
    result = sonde(*options, input="\n".join(addresses), env=simulator.env)
    expected = [record(address, line=n) for n, address in enumerate(addresses, 1)]
    assert differences(result.records, expected) == []
    assert result.status == 0
    assert sum(simulator.counts()["faults"].values()) == 2, "the fault was not met"


@pytest.mark.parametrize("name", ["500", "cut", "missing", "foreign", "reordered", "wrong types", "truncated", "empty", "no query"])
def test_the_same_for_an_answer_that_is_an_object(sonde, simulator, name):
    simulator.control(faults=[dict(PASSING[name], next=2)])
    addresses = ADDRESSES[:250]
    env = {**simulator.env, "SONDE_IPINFO_TOKEN": "test-token"}
    result = sonde("scan", "--provider", "ipinfo", input="\n".join(addresses), env=env)
    expected = [record(address, "ipinfo", n) for n, address in enumerate(addresses, 1)]
    assert differences(result.records, expected) == []
    assert result.status == 0


@pytest.mark.parametrize("name", ["500", "cut", "garbage", "empty", "wrong types", "foreign", "missing", "no query"])
def test_a_fault_that_stays_fails_with_its_reason(sonde, simulator, name):
    simulator.control(batch_limit=None, single_limit=None, faults=[PASSING[name]])
    addresses = ADDRESSES[:2]
    options = ("scan", "--provider", "ip-api", "--timeout", "1s", "--retries", "1")
    result = sonde(*options, input="\n".join(addresses), env=simulator.env)
    statuses = {r["ip"]: r["status"] for r in result.records}
    assert list(statuses) == addresses and set(statuses.values()) <= {"ok", "unknown", "failed"}
    assert all(r.get("message") for r in result.records if r["status"] == "failed")
    for each in result.records:
        if each["status"] == "ok":
            assert differences([each], [record(each["ip"], line=each["line"])]) == []
    assert result.status == (1 if "failed" in statuses.values() else 0)
    if name in ("500", "cut", "garbage", "empty", "foreign"):
        assert "failed" in statuses.values()


def test_a_batch_that_keeps_failing_is_split_around_the_bad_address(sonde, simulator):
    poison = ADDRESSES[37]
    fault = {"fault": "status", "status": 500, "address": poison}
    simulator.control(batch_limit=None, single_limit=None, faults=[fault])
    addresses = ADDRESSES[:100]
    options = ("scan", "--provider", "ip-api", "--retries", "1")
    result = sonde(*options, input="\n".join(addresses), env=simulator.env, timeout=90)
    failed = [r["ip"] for r in result.records if r["status"] == "failed"]
    assert failed == [poison] and result.status == 1
    assert [r["ip"] for r in result.records] == addresses
    assert simulator.counts()["total"] <= 40


def test_retries_are_counted(sonde, simulator):
    simulator.control(batch_limit=None, single_limit=None, faults=[{"fault": "status", "status": 500}])
    for retries in (0, 2):
        simulator.control()
        result = sonde("scan", "--provider", "ip-api", "--retries", retries, "8.8.8.8", env=simulator.env)
        assert (result.status, simulator.counts()["total"]) == (1, retries + 1)


@pytest.mark.slow
def test_every_fault_at_once_over_twenty_thousand_addresses(sonde, simulator):
    rules = [dict(rule, probability=0.02) for rule in PASSING.values()]
    simulator.control(batch_limit=None, single_limit=None, window=1, faults=rules)
    result = sonde(
        "scan", "--provider", "ip-api", "--timeout", "1s", "--retries", "8", "--events", "events",
        input="\n".join(ADDRESSES),
        env=simulator.env,
        timeout=240,
    )
    records = result.records
    assert [r["ip"] for r in records] == ADDRESSES
    failed = [r for r in records if r["status"] == "failed"]
    assert all(r["message"] for r in failed) and len(failed) <= 2000
    answered = [r for r in records if r["status"] != "failed"]
    expected = [record(r["ip"], line=r["line"]) for r in answered]
    assert differences(answered, expected) == []
    assert len(simulator.counts()["faults"]) >= 15, "too few faults were met"
    events = [json.loads(line) for line in sonde.read("events").splitlines()]
    summary = events[-1]
    kinds = "duplicates ok unknown reserved invalid failed network_lost".split()
    assert summary["event"] == "summary"
    assert summary["entries"] == 20_000 == sum(summary[kind] for kind in kinds)
    assert summary["failed"] == len(failed)
    # On a kept connection that ends before any answer, libcurl sends a request again by itself, as
    # RFC 9112 §9.3.1 allows; only the far end sees it twice.
    counts = simulator.counts()
    dropped = sum(counts["faults"].get(name, 0) for name in ("reset", "close"))
    assert summary["requests"] <= counts["total"] <= summary["requests"] + dropped
    assert result.status == (1 if failed else 0)
