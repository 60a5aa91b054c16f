"""Whatever a provider does, every address ends as one record, right or failed with its reason."""

import json

import pytest
from command import PATIENCE
from expected import differences, record

pytestmark = pytest.mark.slow

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
    "login 511": {"fault": "status", "status": 511, "body": "<html>", "type": "text/html"},
    "204": {"fault": "status", "status": 204},
    "206": {"fault": "status", "status": 206, "body": "["},
    "408": {"fault": "status", "status": 408},
    "425": {"fault": "status", "status": 425},
    "one long header": {"fault": "big_header", "bytes": 250_000},
    "many headers": {"fault": "big_header", "bytes": 400_000, "lines": 400},
    "bytes after the gzip end": {"fault": "gzip_tail"},
    "entries in error": {"fault": "entry_error"},
    "entries that fail": {"fault": "entry_error", "status": "fail"},
}
# What is taken for the batch's own fault is split, and so met as often as there are halves.
PASSING |= {str(status): {"fault": "status", "status": status} for status in (400, 406, 413, 422, 451)}


@pytest.mark.parametrize("name", PASSING)
def test_a_fault_that_passes_leaves_no_trace_in_the_records(sonde, simulator, name):
    simulator.control(batch_limit=None, faults=[dict(PASSING[name], next=2, call="ip-api batch")])
    addresses = ADDRESSES[:250]
    options = ("scan", "--provider", "ip-api", "--timeout", "1s")
    result = sonde(*options, input="\n".join(addresses), env=simulator.env)
    expected = [record(address, line=n) for n, address in enumerate(addresses, 1)]
    assert differences(result.records, expected) == []
    assert result.status == 0
    counts = simulator.counts()
    assert sum(counts["faults"].values()) == 2, "the fault was not met"
    # The few are those that look whether a login page has gone.
    assert counts["requests"].get("ip-api single", 0) <= 3


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
    result = sonde(*options, input="\n".join(addresses), env=simulator.env, timeout=10 * PATIENCE)
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


@pytest.mark.parametrize("status", [400, 404, 406, 413, 422, 451])
def test_one_that_a_batch_draws_is_its_own(sonde, simulator, status):
    poison = ADDRESSES[37]
    fault = {"fault": "status", "status": status, "address": poison}
    simulator.control(batch_limit=None, single_limit=None, faults=[fault])
    addresses = ADDRESSES[:100]
    result = sonde("scan", "--provider", "ip-api", input="\n".join(addresses), env=simulator.env)
    (failed,) = [r for r in result.records if r["status"] not in ("ok", "unknown")]
    assert (failed["ip"], failed["status"], failed["message"]) == (poison, "failed", f"ip-api: HTTP {status}")
    assert [r["ip"] for r in result.records] == addresses and result.status == 1


def test_one_404_on_a_batch_leaves_the_rest_in_batches(sonde, simulator):
    fault = {"fault": "status", "status": 404, "call": "ip-api batch", "next": 1}
    simulator.control(batch_limit=None, faults=[fault])
    addresses = ADDRESSES[:1000]
    result = sonde("scan", "--provider", "ip-api", input="\n".join(addresses), env=simulator.env)
    expected = [record(address, line=n) for n, address in enumerate(addresses, 1)]
    assert differences(result.records, expected) == [] and result.status == 0
    assert simulator.counts()["requests"] == {"ip-api batch": 11}


@pytest.mark.parametrize("name", ["one long header", "many headers", "bytes after the gzip end", "reset", "close"])
def test_no_more_requests_are_sent_than_allowed(sonde, simulator, name):
    simulator.control(batch_limit=None, single_limit=None, faults=[PASSING[name]])
    options = ("scan", "--provider", "ip-api", "--max-requests", "2", "--events", "events")
    result = sonde(*options, input="\n".join(ADDRESSES[:300]), env=simulator.env)
    assert simulator.counts()["total"] == 2
    assert json.loads(sonde.read("events").splitlines()[-1])["requests"] == 2
    assert {r["status"] for r in result.records} == {"failed"} and result.status == 1
    assert "could not connect" not in result.stderr and "memory" not in result.stderr


def test_a_kept_connection_that_ends_is_counted_each_time(sonde, simulator):
    rules = [{"fault": "close", "from": n, "to": n} for n in (2, 5, 8)]
    simulator.control(batch_limit=None, faults=rules)
    options = ("scan", "--provider", "ip-api", "--concurrency", "1", "--retries", "0", "--events", "events")
    result = sonde(*options, input="\n".join(ADDRESSES[:1000]), env=simulator.env)
    assert {r["status"] for r in result.records} <= {"ok", "unknown"} and result.status == 0
    requests = json.loads(sonde.read("events").splitlines()[-1])["requests"]
    assert requests == simulator.counts()["total"] == 13


@pytest.mark.parametrize("status", ["error", "fail"])
def test_an_entry_in_error_is_never_kept(sonde, simulator, status):
    fault = {"fault": "entry_error", "status": status, "of": "8.8.8.8"}
    simulator.control(batch_limit=None, faults=[fault])
    env = {**simulator.env, "XDG_CACHE_HOME": str(sonde.work / "cache")}
    run = lambda: sonde("scan", "--provider", "ip-api", "--retries", "1", input="8.8.8.8\n1.1.1.1\n", env=env)
    first = run()
    assert first.records[0]["status"] == "failed" and "backend timeout" in first.records[0]["message"]
    assert first.records[1]["status"] == "ok" and first.status == 1
    simulator.control(faults=[])
    second = run()
    assert [r["status"] for r in second.records] == ["ok", "ok"]
    assert [r["cached"] for r in second.records] == [False, True]


@pytest.mark.parametrize("provider", ["ip-api", "ipinfo", "ipinfo-lite"])
def test_huge_values_are_missing_or_cut(sonde, simulator, provider):
    simulator.control(faults=[{"fault": "huge_values"}])
    env = {**simulator.env, "SONDE_IPINFO_TOKEN": "test-token"}
    (found,) = sonde("scan", "--provider", provider, "8.8.8.8", env=env).records
    assert found["status"] == "ok"
    assert not {"latitude", "longitude", "asn"} & set(found)
    if provider != "ipinfo":
        assert "country_code" not in found
    texts = [value for value in found.values() if isinstance(value, str)]
    assert max(len(text.encode()) for text in texts) <= 1024
    if provider != "ipinfo-lite":
        assert found["city"] == "ä" * 512 and len(found["as_name"].encode()) >= 1023


def test_a_long_message_is_cut(sonde, simulator):
    words = json.dumps({"status": "fail", "message": "long " * 20_000})
    simulator.control(faults=[{"fault": "status", "status": 403, "body": words}])
    result = sonde("scan", "--provider", "ip-api", "8.8.8.8", env=simulator.env)
    assert len(result.records[0]["message"].encode()) <= 1024 and result.status == 4
    assert max(len(line) for line in result.stderr.splitlines()) < 1200


def test_an_answer_that_is_nested_deep_does_no_harm_on_a_small_stack(sonde, simulator):
    nested = '[{"query":"8.8.8.8","status":"success","x":' + "[" * 1000 + "]" * 1000 + "}]"
    simulator.control(faults=[{"fault": "status", "status": 200, "body": nested, "type": "application/json"}])
    limited = ["bash", "-c", 'ulimit -s 192; exec "$@"', "bash"]
    options = ("--provider", "ip-api", "--retries", "0")
    result = sonde("scan", *options, "8.8.8.8", env=simulator.env, prefix=limited)
    assert (result.status, result.records[0]["status"]) == (1, "failed")


def test_every_fault_at_once_over_twenty_thousand_addresses(sonde, simulator):
    rules = [dict(rule, probability=0.02) for rule in PASSING.values()]
    simulator.control(batch_limit=None, single_limit=None, window=1, faults=rules)
    result = sonde(
        "scan", "--provider", "ip-api", "--timeout", "1s", "--retries", "8", "--events", "events",
        input="\n".join(ADDRESSES),
        env=simulator.env,
        timeout=10 * PATIENCE,
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
    assert summary["requests"] == simulator.counts()["total"]
    assert result.status == (1 if failed else 0)
