"""Never a request that would draw a 429, and never idle while the quota allows one."""

import re
import shutil
import time
from urllib.request import Request, urlopen

import pytest
from expected import differences, record

pytestmark = pytest.mark.slow

ADDRESSES = [f"5.{n // 250}.{n % 250}.5" for n in range(10_000)]


def right(result, addresses, source="ip-api"):
    expected = [record(address, source, n) for n, address in enumerate(addresses, 1)]
    assert differences(result.records, expected) == []
    assert result.status == 0


def span(log):
    """The seconds from the first request to the last."""
    return log[-1]["at"] - log[0]["at"]


@pytest.mark.measures_time
def test_ten_thousand_addresses_keep_to_15_batches_a_window(sonde, simulator):
    simulator.control(window=2, batch_limit=15)
    result = sonde("scan", "--provider", "ip-api", input="\n".join(ADDRESSES), env=simulator.env)
    right(result, ADDRESSES)
    counts = simulator.counts()
    assert counts["requests"] == {"ip-api batch": 100} and counts["throttled"] == 0
    # The last ten leave in the seventh window, which may begin twelve seconds after the first.
    assert span(simulator.log()) <= 12 / 0.9
    assert [window["requests"] for window in simulator.windows()] == [15] * 6 + [10]


@pytest.mark.parametrize("status", [404, 405])
def test_without_batches_single_requests_keep_to_45_a_window(sonde, simulator, status):
    missing = {"fault": "status", "status": status, "call": "ip-api batch"}
    simulator.control(window=2, single_limit=45, faults=[missing])
    addresses = ADDRESSES[:200]
    result = sonde("scan", "--provider", "ip-api", input="\n".join(addresses), env=simulator.env)
    right(result, addresses)
    counts = simulator.counts()
    assert counts["requests"]["ip-api single"] == 200 and counts["most_asked"] <= 2
    assert counts["requests"]["ip-api batch"] <= 2 and counts["throttled"] == 0



def test_the_headers_are_the_truth_below_the_published_limit(sonde, simulator):
    simulator.control(window=1, batch_limit=2)
    addresses = ADDRESSES[:900]
    right(sonde("scan", "--provider", "ip-api", input="\n".join(addresses), env=simulator.env), addresses)
    counts = simulator.counts()
    assert (counts["total"], counts["throttled"]) == (9, 0)


def test_the_headers_are_the_truth_above_the_published_limit(sonde, simulator):
    simulator.control(window=60, batch_limit=1000)
    addresses = ADDRESSES[:3000]
    result = sonde("scan", "--provider", "ip-api", input="\n".join(addresses), env=simulator.env, timeout=20)
    right(result, addresses)
    assert simulator.counts()["total"] == 30


def test_without_any_limit_nothing_waits(sonde, simulator):
    simulator.control(batch_limit=None)
    env = {**simulator.env, "SONDE_IP_API_KEY": "pro-key"}
    result = sonde("scan", "--provider", "ip-api", input="\n".join(ADDRESSES), env=env, timeout=30)
    right(result, ADDRESSES)
    assert simulator.counts()["requests"] == {"ip-api batch": 100}


def test_a_key_lifts_the_limit(sonde, simulator):
    env = {**simulator.env, "SONDE_IP_API_KEY": "pro-key"}
    simulator.control(batch_limit=1, window=60)
    right(sonde("scan", "--provider", "ip-api", input="\n".join(ADDRESSES[:500]), env=env, timeout=20), ADDRESSES[:500])
    assert simulator.windows() == []


def test_a_window_that_others_used_up_is_waited_for(sonde, simulator):
    simulator.control(window=3, batch_limit=2)
    for _ in range(2):
        urlopen(Request(simulator.urls["ip_api"] + "/batch", data=b'["8.8.8.8"]'), timeout=5).read()
    addresses = ADDRESSES[:150]
    right(sonde("scan", "--provider", "ip-api", input="\n".join(addresses), env=simulator.env), addresses)
    # The first cannot know; after its 429 every request has room.
    assert simulator.counts()["throttled"] == 1


def test_a_429_without_a_word_waits_a_second_and_is_asked_again(sonde, simulator):
    simulator.control(faults=[{"fault": "status", "status": 429, "next": 1}])
    result = sonde("scan", "--provider", "ip-api", "8.8.8.8", env=simulator.env)
    assert result.status == 0 and result.records[0]["city"] == "Ashburn"
    first, second = simulator.log()
    assert second["at"] - first["done"] >= 0.95


@pytest.mark.parametrize(
    "rule, wait",
    [
        ({"fault": "status", "status": 429, "headers": {"X-Rl": 0, "X-Ttl": 2}}, 2),
        ({"fault": "status", "status": 503, "retry_after": 2}, 2),
        ({"fault": "status", "status": 429, "retry_after": "date:3"}, 2),
        ({"fault": "status", "status": 429, "headers": {"X-Rl": 0, "X-Ttl": 0}}, 1),
    ],
    ids=["X-Ttl", "Retry-After", "date", "X-Ttl 0"],
)
def test_the_wait_that_is_asked_for_is_kept(sonde, simulator, rule, wait):
    simulator.control(faults=[dict(rule, next=1)])
    result = sonde("scan", "--provider", "ip-api", "8.8.8.8", env=simulator.env)
    assert result.status == 0 and result.records[0]["city"] == "Ashburn"
    first, second = simulator.log()
    assert wait - 0.05 <= second["at"] - first["done"] <= wait + 2.5


def test_ipinfo_asks_a_thousand_at_once_with_a_token(sonde, simulator):
    env = {**simulator.env, "SONDE_IPINFO_TOKEN": "test-token"}
    result = sonde("scan", "--provider", "ipinfo", input="\n".join(ADDRESSES), env=env)
    right(result, ADDRESSES, "ipinfo")
    assert simulator.counts()["requests"] == {"ipinfo batch": 10}


def test_ipinfo_lite_asks_a_thousand_at_once(sonde, simulator):
    env = {**simulator.env, "SONDE_IPINFO_TOKEN": "test-token"}
    result = sonde("scan", "--provider", "ipinfo-lite", input="\n".join(ADDRESSES[:3000]), env=env)
    right(result, ADDRESSES[:3000], "ipinfo-lite")
    assert simulator.counts()["requests"] == {"ipinfo batch-lite": 3}


def test_when_the_requests_of_a_run_are_spent_nobody_waits_for_the_quota(sonde, simulator):
    simulator.control(window=30, batch_limit=2)
    began = time.monotonic()
    result = sonde(
        "scan", "--provider", "ip-api", "--max-requests", "2", input="\n".join(ADDRESSES[:500]), env=simulator.env
    )
    assert time.monotonic() - began < 10
    assert [r["status"] == "failed" for r in result.records] == [False] * 200 + [True] * 300
    assert simulator.counts()["total"] == 2 and result.status == 1


@pytest.mark.parametrize("status, words, exit_status", [(429, "the quota is spent until 20", 4), (503, "HTTP 503, not to be asked until 20", 1)])
def test_a_provider_that_wants_hours_is_not_waited_for(sonde, simulator, status, words, exit_status):
    simulator.control(faults=[{"fault": "status", "status": status, "retry_after": 7200, "next": 1}])
    env = {**simulator.env, "XDG_CACHE_HOME": str(sonde.work), "XDG_STATE_HOME": str(sonde.work)}
    began = time.monotonic()
    result = sonde("scan", "--provider", "ipinfo", input="\n".join(ADDRESSES[:300]), env=env)
    assert time.monotonic() - began < 10 and result.status == exit_status
    assert all(r["status"] == "failed" and words in r["message"] for r in result.records)
    assert simulator.counts()["total"] == 1
    # Another run minds a spent quota, and nothing else.
    again = sonde("scan", "--provider", "ipinfo", "8.8.8.8", env=env)
    assert (again.status, simulator.counts()["total"]) == ((4, 1) if status == 429 else (0, 2))
    if status == 429:
        assert words in again.records[0]["message"]


def test_a_provider_that_wants_hours_is_handed_over(sonde, simulator, loc_database):
    simulator.control(faults=[{"fault": "status", "status": 503, "retry_after": 7200}])
    options = ("--provider", "ipinfo,local", "--database", loc_database)
    result = sonde("scan", *options, input="8.8.8.8\n5.6.7.8\n", env=simulator.env)
    assert {r["source"] for r in result.records} == {"libloc"} and result.status == 0


def test_ipinfo_without_a_word_is_spent_for_the_day(sonde, simulator):
    simulator.control(daily_limit=2)
    result = sonde("scan", "--provider", "ipinfo", "--concurrency", "1", input="\n".join(ADDRESSES[:5]), env=simulator.env)
    assert [r["status"] == "failed" for r in result.records] == [False] * 2 + [True] * 3
    assert re.search("the quota is spent until 20.*T00:00:00Z", result.records[2]["message"])
    assert result.status == 4


@pytest.mark.skipif(not shutil.which("faketime"), reason="there is no faketime")
@pytest.mark.parametrize(
    "token, first, before, until, after",
    [
        (None, "2026-11-10 12:00:00", "2026-11-10 23:59:30", "2026-11-11T00:00:00Z", "2026-11-11 00:00:10"),
        (None, "2026-11-10 23:30:00", "2026-11-10 23:59:30", "2026-11-11T00:00:00Z", "2026-11-11 00:00:10"),
        ("test-token", "2026-11-10 12:00:00", "2026-11-30 23:59:00", "2026-12-01T00:00:00Z", "2026-12-01 00:00:10"),
        ("test-token", "2026-12-31 23:59:00", "2026-12-31 23:59:20", "2027-01-01T00:00:00Z", "2027-01-01 00:00:10"),
    ],
)
@pytest.mark.parametrize("fallback", [False, True])
def test_ipinfo_without_a_word_is_spent_until_a_new_day_or_month(
    sonde, simulator, loc_database, token, first, before, until, after, fallback
):
    simulator.control(faults=[{"fault": "status", "status": 429, "next": 1}])
    env = {**simulator.env, "SONDE_IPINFO_TOKEN": token, "TZ": "UTC"}
    providers = ["ipinfo,local", "--database", loc_database] if fallback else ["ipinfo"]

    def at(moment):
        prefix = ["faketime", "-f", f"@{moment}"]
        return sonde("scan", "--provider", *providers, "8.8.8.8", env=env, prefix=prefix)

    for moment in (first, first, before):
        result = at(moment)
        (item,) = result.records
        if fallback:
            assert (result.status, item["source"]) == (0, "libloc")
            assert until in result.stderr
        else:
            assert (result.status, item["status"]) == (4, "failed")
            assert f"the quota is spent until {until}" in item["message"]
        assert simulator.counts()["total"] == 1
    result = at(after)
    assert (result.status, result.records[0]["source"]) == (0, "ipinfo")
    assert simulator.counts()["total"] == 2


@pytest.mark.parametrize("status", [429, 503])
def test_where_another_answers_nothing_is_kept_of_a_503_alone(sonde, simulator, loc_database, status):
    simulator.control(faults=[{"fault": "status", "status": status, "retry_after": 7200, "next": 1}])
    options = ("--provider", "ipinfo,local", "--database", loc_database, "8.8.8.8")
    sources = [sonde("scan", *options, env=simulator.env).records[0]["source"] for _ in range(2)]
    assert sources == ["libloc", "libloc" if status == 429 else "ipinfo"]
    assert simulator.counts()["total"] == (1 if status == 429 else 2)
