"""What a provider says about time is believed within its own window, and what others say in its place is not kept."""

import re
import shutil
import signal
import time
from datetime import datetime, timedelta, timezone

import pytest
from command import PATIENCE, wait_for

pytestmark = pytest.mark.slow

faked_time = pytest.mark.skipif(not shutil.which("faketime"), reason="there is no faketime")

FOREVER = 99_999_999
ADDRESSES = [f"5.{n // 250}.{n % 250}.21" for n in range(2000)]

# How ip-api, or somebody on the path to it, can shut a client out; what is at most believed of it in seconds.
LIES = {
    "429 Retry-After": {"fault": "status", "status": 429, "retry_after": FOREVER},
    "429 date": {"fault": "status", "status": 429, "retry_after": f"date:{FOREVER}"},
    "429 X-Ttl": {"fault": "status", "status": 429, "headers": {"X-Rl": 0, "X-Ttl": FOREVER}},
    "429 huge": {"fault": "status", "status": 429, "headers": {"Retry-After": "9" * 40, "X-Ttl": "9" * 40}},
    "429 doubled": {"fault": "status", "status": 429, "headers": {"Retry-After": [FOREVER, 1]}},
    "200 empty": {"fault": "status", "status": 200, "headers": {"X-Rl": 0, "X-Ttl": FOREVER}},
    "200": {"fault": "lying_headers", "headers": {"X-Rl": 0, "X-Ttl": FOREVER}},
    "200 Int64": {"fault": "lying_headers", "headers": {"X-Rl": 0, "X-Ttl": 2**63 - 1}},
}


@pytest.fixture
def windows(sonde, simulator):
    """The windows that `quota list` shows."""

    def read(*more, prefix=()):
        result = sonde("quota", "list", *more, env={**simulator.env, "TZ": "UTC"}, prefix=list(prefix))
        assert result.status == 0, result
        return result.records

    return read


@pytest.fixture
def poisoned(sonde, simulator):
    """Has a scan meet a fault, and ends it while it waits."""

    def run(rule, *options, provider="ip-api", until=1, prefix=(), calls=None):
        simulator.control(faults=[{**rule, "next": until}], **(calls or {}))
        scan = sonde.start("scan", "--provider", provider, *ADDRESSES[:250], *options, env=simulator.env, prefix=list(prefix))
        wait_for(lambda: simulator.counts()["total"] >= until)
        time.sleep(0.5)
        scan.signal(signal.SIGINT)
        return scan.finish()

    return run


def seconds_until(text, now=None):
    end = datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    return (end - (now or datetime.now(timezone.utc).replace(tzinfo=None))).total_seconds()


@pytest.mark.parametrize("lie", LIES)
def test_ip_api_is_believed_for_five_minutes(poisoned, windows, lie):
    poisoned(LIES[lie])
    (window,) = windows()
    assert (window["provider"], window["left"]) == ("ip-api", 0)
    assert 200 < seconds_until(window["until"]) <= 302
    assert window["window"].endswith("batches a minute") or "batch" in window["window"]
    expected = "asked too much" if lie.startswith("429") or lie == "200 empty" else "answers say so"
    assert expected in window["why"]


@pytest.mark.parametrize("key", [None, "pro-key"])
def test_after_a_wait_one_request_of_all_processes_asks(sonde, simulator, windows, key):
    """Also where no limit is known."""
    env = {**simulator.env, "SONDE_IP_API_KEY": key}
    simulator.control(faults=[{"fault": "status", "status": 429, "retry_after": 4, "next": 1}])
    scans = []
    for n in range(3):
        scans.append(sonde.start("scan", "--provider", "ip-api", "--no-cache", *ADDRESSES[n * 300 :][:300], env=env))
        if n == 0:
            wait_for(lambda: any("too much" in window["why"] for window in windows()))
            simulator.control(reset=False, latency=1)
    for scan in scans:
        assert scan.finish(timeout=PATIENCE).status == 0
    log = sorted(simulator.log(), key=lambda line: line["at"])
    refused = next(line["done"] for line in log if line.get("fault"))
    alone, *rest = (line["at"] for line in log if line["at"] > refused + 3.9)
    assert rest and rest[0] - alone >= 0.9, (alone, rest)
    assert simulator.counts()["throttled"] <= 1


@pytest.mark.parametrize("body, type_", [("<html>Please log in</html>", "text/html"), ("slow down", "text/plain"), ('{"error":1}', "application/json")])
@pytest.mark.parametrize("wait", [None, 1, FOREVER])
def test_a_429_that_is_not_ip_api_s_own_is_kept_by_nobody(sonde, simulator, poisoned, windows, body, type_, wait):
    rule = {"fault": "status", "status": 429, "body": body, "type": type_, "headers": {"X-Rl": 0, "X-Ttl": FOREVER}}
    poisoned({**rule, **({"retry_after": wait} if wait else {})})
    assert all(window.get("left") != 0 and "too much" not in window["why"] for window in windows())
    began = time.monotonic()
    assert sonde("scan", "--provider", "ip-api", ADDRESSES[600], env=simulator.env).status == 0
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("fault", [
    {"fault": "status", "status": 500, "headers": {"X-Rl": 0, "X-Ttl": FOREVER}},
    {"fault": "status", "status": 503, "headers": {"X-Rl": 0, "X-Ttl": FOREVER}, "retry_after": FOREVER},
    {"fault": "status", "status": 200, "body": "garbage", "headers": {"X-Rl": 0, "X-Ttl": FOREVER}},
    {"fault": "status", "status": 200, "body": "<html>", "type": "text/html", "headers": {"X-Rl": 0, "X-Ttl": FOREVER}},
    {"fault": "status", "status": 302, "headers": {"X-Rl": 0, "X-Ttl": FOREVER, "Location": "http://127.0.0.1:9/"}},
    {"fault": "status", "status": 511, "headers": {"Retry-After": FOREVER}},
], ids=lambda rule: f"{rule['status']} {rule.get('body', '')}")
def test_headers_beside_no_answer_are_kept_by_nobody(sonde, simulator, poisoned, windows, fault):
    poisoned(fault)
    assert all(window.get("left") != 0 for window in windows())
    began = time.monotonic()
    assert sonde("scan", "--provider", "ip-api", ADDRESSES[700], env=simulator.env).status == 0
    assert time.monotonic() - began < 10


@faked_time
@pytest.mark.parametrize("token, at, until", [
    (None, "2026-11-10 12:00:00", "2026-11-11T01:00:00Z"),
    (None, "2026-11-10 23:59:00", "2026-11-11T01:00:00Z"),
    ("test-token", "2026-11-10 12:00:00", "2026-12-01T01:00:00Z"),
    ("test-token", "2026-12-31 23:30:00", "2027-01-01T01:00:00Z"),
])
def test_ipinfo_is_believed_until_its_next_day_or_month_and_an_hour(sonde, simulator, windows, token, at, until):
    simulator.control(faults=[{"fault": "status", "status": 429, "retry_after": FOREVER, "next": 1}])
    env = {**simulator.env, "SONDE_IPINFO_TOKEN": token, "TZ": "UTC"}
    prefix = ["faketime", "-f", f"@{at}"]
    for _ in range(2):
        result = sonde("scan", "--provider", "ipinfo", "8.8.8.8", env=env, prefix=prefix)
        assert result.status == 4 and f"the quota is spent until {until}" in result.records[0]["message"]
    assert simulator.counts()["total"] == 1
    (window,) = windows(prefix=prefix)
    assert (window["provider"], window["left"]) == ("ipinfo", 0)
    assert abs(seconds_until(window["until"], datetime.strptime(until, "%Y-%m-%dT%H:%M:%SZ"))) <= 2
    end = datetime.strptime(until, "%Y-%m-%dT%H:%M:%SZ") + timedelta(seconds=10)
    result = sonde("scan", "--provider", "ipinfo", "8.8.8.8", env=env, prefix=["faketime", "-f", f"@{end:%Y-%m-%d %H:%M:%S}"])
    assert (result.status, simulator.counts()["total"]) == (0, 2)


def test_a_503_of_hours_is_not_kept_and_not_waited_for(sonde, simulator, windows):
    simulator.control(faults=[{"fault": "status", "status": 503, "retry_after": FOREVER, "next": 1}])
    result = sonde("scan", "--provider", "ipinfo", "8.8.8.8", env=simulator.env)
    assert result.status == 1 and "not to be asked until 20" in result.records[0]["message"]
    assert sonde("scan", "--provider", "ipinfo", "8.8.8.8", env=simulator.env).status == 0
    assert all(window.get("left") != 0 for window in windows())


# sonde quota


def test_a_quota_that_nobody_has_used_is_no_row(sonde, simulator):
    for arguments in (["list"], ["list", "--format", "ndjson"], ["reset", "ip-api"]):
        result = sonde("quota", *arguments)
        assert (result.status, result.stdout) == (0, b""), result
    table = sonde("quota", "list", "--format", "table")
    assert table.lines == ["provider  window  used  left  until  why"]
    assert not (sonde.home / "state").exists() and simulator.counts()["total"] == 0


def test_list_shows_every_window_and_asks_nobody(sonde, simulator, windows):
    simulator.control(batch_limit=15)
    env = {**simulator.env, "SONDE_IPINFO_TOKEN": None}
    assert sonde("scan", "--provider", "ip-api", *ADDRESSES[:250], env=env).status == 0
    assert sonde("scan", "--provider", "ipinfo", *ADDRESSES[:3], env=env).status == 0
    asked = simulator.counts()["total"]
    api, info = windows()
    assert (api["provider"], api["window"], api["used"], api["left"]) == ("ip-api", "15 batches a minute", 3, 12)
    assert 0 < seconds_until(api["until"]) <= 61 and api["why"] == "the provider's answers say so"
    assert info == {"provider": "ipinfo", "window": "requests, no known limit", "why": "no window is open"}
    assert list(api) == ["provider", "window", "used", "left", "until", "why"]
    head, first, second = sonde("quota", "list", "--format", "table").lines
    assert head.split() == ["provider", "window", "used", "left", "until", "why"]
    assert re.match("ip-api    15 batches a minute +3    12  20[-0-9]+T[:0-9]+Z  the provider's answers say so$", first)
    assert re.match("ipinfo    requests, no known limit +no window is open$", second)
    assert simulator.counts()["total"] == asked


def test_reset_forgets_one_provider_and_the_next_run_asks_at_once(sonde, simulator, poisoned, windows):
    assert sonde("scan", "--provider", "ipinfo", ADDRESSES[0], env=simulator.env).status == 0
    poisoned(LIES["429 Retry-After"])
    assert [window["provider"] for window in windows()] == ["ip-api", "ipinfo"]
    result = sonde("quota", "reset", "ip-api")
    assert (result.status, result.stdout) == (0, b"") and "ip-api" in result.stderr
    assert [window["provider"] for window in windows()] == ["ipinfo"]
    began = time.monotonic()
    assert sonde("scan", "--provider", "ip-api", *ADDRESSES[:300], env=simulator.env).status == 0
    assert time.monotonic() - began < 10
    # What nothing is known of can be forgotten, too.
    for name in ("ip-api", "ip-api", "arin"):
        assert sonde("quota", "reset", name, "-q").stderr == ""


def test_a_name_that_nothing_has_is_a_mistake(sonde, simulator):
    for name in ("ip-ap", "local", "unknown", "", "ip-api batch"):
        result = sonde("quota", "reset", name)
        assert result.status == 2 and "there is no quota of" in result.stderr and "ip-api" in result.stderr, name
    for arguments in ([], ["reset"], ["list", "ip-api"], ["reset", "a", "b"], ["forget"], ["list", "--format", "csv"]):
        assert sonde("quota", *arguments).status == 2, arguments


def test_a_damaged_ledger_is_an_error(sonde, simulator):
    folder = sonde.home / "state" / "sonde"
    folder.mkdir(parents=True)
    (folder / "quota.db").write_bytes(b"no database at all, and long enough to be taken for something else" * 99)
    for arguments in (["list"], ["reset", "ip-api"]):
        result = sonde("quota", *arguments)
        assert result.status == 5 and "quota.db" in result.stderr and result.stdout == b""


def test_machines_share_what_is_listed_and_forgotten(sonde, simulator, redis):
    simulator.control(faults=[{**LIES["429 Retry-After"], "next": 1}])
    scan = sonde.start("scan", "--provider", "ip-api", "--shared", redis.url, *ADDRESSES[:250], env=simulator.env)
    wait_for(lambda: simulator.counts()["total"] >= 1)

    def shared():
        result = sonde("quota", "list", "--shared", redis.url)
        assert result.status == 0, result
        return result.records

    wait_for(lambda: shared() and shared()[0].get("left") == 0)
    (window,) = shared()
    assert window["provider"] == "ip-api" and 200 < seconds_until(window["until"]) <= 302
    assert sonde("quota", "list").stdout == b"" and not (sonde.home / "state").exists()
    assert sonde("quota", "reset", "nobody", "--shared", redis.url).status == 2
    assert sonde("quota", "reset", "ip-api", "--shared", redis.url).status == 0
    began = time.monotonic()
    result = sonde("scan", "--provider", "ip-api", "--shared", redis.url, *ADDRESSES[300:600], env=simulator.env)
    assert result.status == 0 and time.monotonic() - began < 15, result.stderr
    scan.signal(signal.SIGINT)
    scan.finish()
    assert b"ip-api.com" not in b"".join(redis.ask("GET", key) for key in redis.ask("KEYS", "{sonde}:quota:*").split() if b":" in key)
    redis.kill()
    gone = sonde("quota", "list", "--shared", redis.url)
    assert gone.status == 5 and gone.stdout == b"" and redis.url.rstrip("0") in gone.stderr


# --rate


def arrivals(simulator):
    return sorted(line["at"] for line in simulator.log())


@pytest.mark.parametrize("rate, count, period", [("1/s", 1, 1), ("3/s", 3, 1)])
def test_a_rate_bounds_what_the_headers_allow(sonde, simulator, rate, count, period):
    simulator.control(batch_limit=1000)
    result = sonde("scan", "--provider", "ip-api", "--rate", rate, *ADDRESSES[:700], env=simulator.env)
    assert result.status == 0
    times = arrivals(simulator)
    assert len(times) == 7
    assert all(later - earlier >= period for earlier, later in zip(times, times[count:])), times
    assert times[-1] - times[0] <= 6 / count * period * 1.5 + 1


def test_headers_below_the_rate_win(sonde, simulator):
    simulator.control(window=2, batch_limit=2)
    result = sonde("scan", "--provider", "ip-api", "--rate", "100/s", *ADDRESSES[:600], env=simulator.env)
    assert result.status == 0 and simulator.counts()["throttled"] == 0
    assert [window["requests"] for window in simulator.windows()] == [2, 2, 2]


def test_a_rate_holds_over_the_change_from_batches_to_single_requests(sonde, simulator):
    simulator.control(batch_limit=1000, single_limit=1000, faults=[{"fault": "status", "status": 404, "call": "ip-api batch"}])
    result = sonde("scan", "--provider", "ip-api", "--rate", "4/s", *ADDRESSES[:10], env=simulator.env)
    assert result.status == 0
    times = arrivals(simulator)
    assert all(later - earlier >= 1 for earlier, later in zip(times, times[4:])), times


def test_plan_counts_with_the_rate_whatever_is_left_of_the_window(sonde, simulator):
    env = simulator.env
    assert sonde("scan", "--provider", "ip-api", ADDRESSES[0], env=env).status == 0
    words = sonde("plan", "--provider", "ip-api", "--rate", "1/s", *ADDRESSES[:1000], env=env).stdout.decode()
    assert " 10  9 s (1 a second, 14 left now)\n" in words, words
    words = sonde("plan", "--provider", "ip-api", "--rate", "5/min", *ADDRESSES[1000:2000], env=env).stdout.decode()
    assert " 10  1 min (5 a minute, 14 left now)\n" in words, words
