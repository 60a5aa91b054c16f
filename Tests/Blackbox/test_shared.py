"""`--shared`: quotas and answers in a Redis that machines share, and what happens while it is gone."""

import json
import random
import re
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
from expected import differences, record
from redis_proxy import Answering

pytestmark = pytest.mark.slow

ADDRESSES = [f"5.{n // 250}.{n % 250}.11" for n in range(6000)]
TOKEN = "12345678901234"


@pytest.fixture
def together(sonde, simulator, redis):
    """Starts scans that share one Redis, each as on a machine of its own."""

    def start(addresses, *more, env=None, url=None):
        name = sonde.file(f"list-{sonde.runs}.txt", "\n".join(addresses) + "\n")
        home = sonde.work / f"home-{sonde.runs}"
        own = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "c"), "XDG_STATE_HOME": str(home / "s")}
        arguments = ["scan", name, "--provider", "ip-api", "--shared", url or redis.url, *more]
        return sonde.start(*arguments, env={**simulator.env, **own, **(env or {})})

    return start


def right(result, addresses):
    wanted = [record(address, line=n) for n, address in enumerate(addresses, 1)]
    assert differences(result.records, wanted, cached=(True, False)) == []
    assert result.status == 0, result.stderr


def within_limit(simulator, limit):
    counts = simulator.counts()
    assert counts["throttled"] == 0
    assert all(w["requests"] <= limit and w["refused"] == 0 for w in simulator.windows())


def await_requests(simulator, count, timeout=20):
    deadline = time.monotonic() + timeout
    while simulator.counts()["total"] < count:
        assert time.monotonic() < deadline, f"no {count} requests"
        time.sleep(0.01)


def await_words(scan, words, timeout=20):
    deadline = time.monotonic() + timeout
    while words not in scan.stderr:
        assert time.monotonic() < deadline, scan.stderr
        time.sleep(0.01)


# One quota


def test_twelve_processes_keep_to_one_quota_and_use_it(together, simulator):
    simulator.control(window=2, batch_limit=15)
    lists = [ADDRESSES[n * 500 : n * 500 + 500] for n in range(12)] 
    scans = [together(addresses, "--concurrency", "2") for addresses in lists]
    for scan, addresses in zip(scans, lists):
        right(scan.finish(timeout=120), addresses)
    within_limit(simulator, 15)
    windows = simulator.windows()
    # All but the last could be used whole.
    assert sum(w["requests"] for w in windows[:-1]) >= 0.9 * 15 * (len(windows) - 1)
    assert simulator.counts()["total"] == 60
    assert set(Counter(simulator.addresses()).values()) == {1}


def test_a_crowd_at_one_row_is_no_outage(together, simulator):
    simulator.control(window=60, batch_limit=1000)
    scans = [together(ADDRESSES[n * 300 :][:300], "--no-cache") for n in range(16)]
    results = [scan.finish(timeout=120) for scan in scans]
    assert [result.status for result in results] == [0] * 16
    assert not any("network lost" in result.stderr for result in results)
    assert simulator.counts()["total"] == 48
    within_limit(simulator, 1000)


def test_addresses_that_several_want_are_asked_once_but_for_those_in_flight(together, simulator):
    simulator.control(window=1, batch_limit=5)
    chooser = random.Random(8)
    lists = [chooser.sample(ADDRESSES[:2000], 700) for _ in range(6)]
    scans = [together(addresses) for addresses in lists]
    for scan, addresses in zip(scans, lists):
        right(scan.finish(timeout=90), addresses)
    within_limit(simulator, 5)
    asked = Counter(simulator.addresses())
    assert set(asked) == set().union(*lists)
    assert sum(asked.values()) - len(asked) <= 6 * 5 // 2 * 100


def test_a_socket_and_the_network_lead_to_the_same_answers(together, simulator, redis, sonde):
    right(together(ADDRESSES[:50]).finish(), ADDRESSES[:50])
    result = together(ADDRESSES[:50], url=redis.unix).finish()
    right(result, ADDRESSES[:50])
    assert {each["cached"] for each in result.records} == {True}
    assert simulator.counts()["total"] == 1
    # Nothing is kept on this machine.
    assert not [path for path in sonde.work.glob("home-*/**/*.db*")]


def test_without_the_answers_they_still_share_the_quota(together, simulator):
    simulator.control(window=2, batch_limit=3)
    right(together(ADDRESSES[:300], "--no-cache").finish(), ADDRESSES[:300])
    right(together(ADDRESSES[:300], "--no-cache").finish(), ADDRESSES[:300])
    within_limit(simulator, 3)
    assert [w["requests"] for w in simulator.windows()] == [3, 3]


def test_a_window_of_unknown_limit_is_opened_by_one_request_of_all(together, simulator):
    simulator.control(window=60, batch_limit=40, latency=0.3)
    scans = [together(ADDRESSES[n * 300 :][:300], "--no-cache") for n in range(4)]
    for n, scan in enumerate(scans):
        right(scan.finish(), ADDRESSES[n * 300 :][:300])
    log = sorted(simulator.log(), key=lambda line: line["at"])
    assert log[1]["at"] - log[0]["at"] >= 0.3 and simulator.counts()["total"] == 12


def test_what_killed_ones_had_under_way_is_spent(together, simulator):
    chooser = random.Random(5)
    simulator.control(window=2, batch_limit=5, latency=0.1)
    for _ in range(3):
        victim = together(ADDRESSES, "--no-cache")
        time.sleep(chooser.uniform(0.3, 1.2))
        victim.signal(signal.SIGKILL)
        victim.finish()
    right(together(ADDRESSES[:1000], "--no-cache").finish(timeout=90), ADDRESSES[:1000])
    within_limit(simulator, 5)


def test_nothing_kept_tells_the_token(together, simulator, redis):
    simulator.control(tokens=[TOKEN])
    scan = together(ADDRESSES[:3], "--provider", "ipinfo", env={"SONDE_IPINFO_TOKEN": TOKEN})
    assert scan.finish().status == 0
    keys = redis.ask("KEYS", "*")
    assert b"{sonde}:quota:" in keys and b"{sonde}:answer:5.0.0.11" in keys
    redis.ask("CONFIG", "SET", "dbfilename", "dump.rdb")
    redis.ask("SAVE")
    assert TOKEN[:6].encode() not in (redis.folder / "dump.rdb").read_bytes()


# While it is gone


def loss(scan):
    return [line for line in scan.stderr.splitlines() if "network lost" in line]


@pytest.mark.parametrize("way", ["kill", "stop"])
def test_while_it_is_gone_the_addresses_wait_as_if_offline(together, simulator, redis, sonde, way):
    simulator.control(window=1, batch_limit=2)
    # The rate tells the window, a whole one of which is waited for where the server has lost its memory.
    scan = together(ADDRESSES[:1000], "--no-cache", "--rate", "2/s", "--events", "events.ndjson")
    await_requests(simulator, 2)
    redis.kill() if way == "kill" else redis.signal(signal.SIGSTOP)
    await_words(scan, "shared_unreachable")
    time.sleep(0.5)
    asked = simulator.counts()["total"]
    time.sleep(2)
    assert simulator.counts()["total"] == asked
    redis.start() if way == "kill" else redis.signal(signal.SIGCONT)
    result = scan.finish(timeout=60)
    right(result, ADDRESSES[:1000])
    within_limit(simulator, 2)
    assert len(loss(result)) == 1 and redis.url in loss(result)[0] and "network is back" in result.stderr
    events = [json.loads(line) for line in sonde.read("events.ndjson").splitlines()]
    changes = [event for event in events if event["event"] == "network"]
    assert [(each["state"], each.get("cause")) for each in changes] == [("offline", "shared_unreachable"), ("online", None)]
    assert changes[0]["endpoint"] == redis.url and "interface" not in changes[0]
    summary = events[-1]
    assert (summary["event"], summary["losses"]) == ("summary", 1) and summary["offline_ms"] >= 2000


@pytest.mark.parametrize("gone", ["nobody", "silent", "readonly"])
def test_without_it_nothing_is_asked(together, simulator, redis, gone):
    """However often it is tried, whatever the reason."""
    url, silent = redis.url, Answering(b"")
    if gone == "nobody":
        redis.kill()
        words = "refused"
    elif gone == "readonly":
        redis.ask("REPLICAOF", "127.0.0.1", "9")
        words = "READONLY"
    else:
        url, words = silent.url, "did not answer"
    began = time.monotonic()
    result = together(ADDRESSES[:250], "--offline-timeout", "1", url=url).finish()
    silent.close()
    assert time.monotonic() - began < 15
    assert result.status == 3 and simulator.counts()["total"] == 0
    assert {each["status"] for each in result.records} == {"network_lost"} and len(result.records) == 250
    assert all("shared_unreachable" in each["message"] and words in each["message"] for each in result.records)
    assert words in result.stderr


def test_the_fallback_answers_while_it_is_gone(together, simulator, redis, loc_database):
    redis.kill()
    more = ["--provider", "ip-api,local", "--database", loc_database, "--offline-timeout", "0.5"]
    result = together(ADDRESSES[:20], *more).finish()
    assert {each.get("source") for each in result.records} <= {"libloc", None} and simulator.counts()["total"] == 0


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_while_it_hangs_takes_no_two_seconds(together, simulator, redis, ending):
    redis.signal(signal.SIGSTOP)
    scan = together(ADDRESSES[:100], "--offline-timeout", "forever")
    time.sleep(1)
    began = time.monotonic()
    scan.signal(ending)
    assert scan.finish().status == 128 + ending
    assert time.monotonic() - began < 2


def test_the_password_is_given_by_the_environment(together, simulator, redis, sonde):
    redis.ask("CONFIG", "SET", "requirepass", "right")
    right(together(ADDRESSES[:10], env={"SONDE_SHARED_PASSWORD": "right"}).finish(), ADDRESSES[:10])


def test_a_user_is_who_is_named_with_the_rights_of_the_manual(together, simulator, redis, sonde):
    page = (Path(__file__).parents[2] / "Sources/sonde/sonde.docc/SeveralMachines.md").read_text()
    rights = re.search(r"`(ACL SETUSER sonde .*?)`", page)[1].replace("PASSWORD", "right")
    assert redis.ask(*rights.split()) == b"+OK\r\n"
    url = f"redis://sonde@127.0.0.1:{redis.port}/0"
    env = {"SONDE_SHARED_PASSWORD": "right"}
    right(together(ADDRESSES[:10], url=url, env=env).finish(), ADDRESSES[:10])
    for words in (["list"], ["stats"], ["show", ADDRESSES[0]], ["delete", ADDRESSES[0]], ["clear"]):
        assert sonde("cache", *words, "--shared", url, env=env).status == 0, words
    # Without a password it is not the default user.
    result = together(ADDRESSES[:10], url=url).finish()
    assert result.status == 5 and "WRONGPASS" in result.stderr
    redis.ask("ACL", "SETUSER", "sonde", "nopass")
    right(together(ADDRESSES[:10], url=url).finish(), ADDRESSES[:10])


def test_what_others_did_not_see_is_waited_for_after_a_flush(together, simulator, redis):
    """Nobody knows what is spent of the window: a whole one passes, and one request alone opens the next."""
    simulator.control(window=1, batch_limit=5)
    scan = together(ADDRESSES[:2500], "--no-cache", "--rate", "5/s")
    await_requests(simulator, 3)
    redis.ask("FLUSHALL")
    fresh = together(ADDRESSES[3000:3300], "--no-cache", "--rate", "5/s")
    right(scan.finish(timeout=90), ADDRESSES[:2500])
    right(fresh.finish(timeout=90), ADDRESSES[3000:3300])
    within_limit(simulator, 5)


def test_who_only_waits_tells_an_emptied_server_before_a_newcomer_asks(together, simulator, redis):
    """Who has spent the window says nothing until it ends; by then a newcomer would have taken it for a new one."""
    simulator.control(window=1, batch_limit=2)
    scan = together(ADDRESSES[:800], "--no-cache", "--rate", "2/s")
    await_requests(simulator, 2)
    time.sleep(0.1)
    redis.ask("FLUSHALL")
    fresh = together(ADDRESSES[3000:3100], "--no-cache", "--rate", "2/s")
    right(scan.finish(timeout=90), ADDRESSES[:800])
    right(fresh.finish(timeout=90), ADDRESSES[3000:3100])
    within_limit(simulator, 2)


def test_nothing_is_said_at_the_first_use_of_an_empty_server(together, simulator):
    result = together(ADDRESSES[:100]).finish()
    right(result, ADDRESSES[:100])
    assert "wait" not in result.stderr and "quota" not in result.stderr


def test_a_restart_without_its_memory_is_no_new_quota(together, simulator, redis):
    simulator.control(window=1, batch_limit=5)
    scan = together(ADDRESSES[:1000], "--no-cache", "--rate", "5/s")
    await_requests(simulator, 2)
    redis.kill()
    redis.start()
    right(scan.finish(timeout=90), ADDRESSES[:1000])
    within_limit(simulator, 5)


def test_an_idle_connection_that_was_closed_is_no_loss(together, simulator, redis):
    redis.ask("CONFIG", "SET", "timeout", "1")
    simulator.control(window=6, batch_limit=2)
    result = together(ADDRESSES[:400]).finish(timeout=60)
    right(result, ADDRESSES[:400])
    assert "network lost" not in result.stderr
    redis.ask("SCRIPT", "FLUSH")
    within_limit(simulator, 2)


def test_what_was_paid_for_while_it_was_gone_is_kept_when_it_is_back(together, simulator, redis):
    simulator.control(latency=2)
    scan = together(ADDRESSES[:300], "--concurrency", "1")
    await_requests(simulator, 1)
    redis.signal(signal.SIGSTOP)
    time.sleep(4)
    redis.signal(signal.SIGCONT)
    right(scan.finish(timeout=60), ADDRESSES[:300])
    assert set(Counter(simulator.addresses()).values()) == {1}
    again = together(ADDRESSES[:300]).finish()
    assert {each["cached"] for each in again.records} == {True}


# The answers


def test_the_cache_is_looked_into_and_cleaned(together, simulator, redis, sonde):
    right(together(ADDRESSES[:30]).finish(), ADDRESSES[:30])

    def cache(*arguments):
        return sonde("cache", *arguments, "--shared", redis.url)

    assert cache("path").lines == [redis.url]
    listed = cache("list", "--format", "ndjson").records
    assert [each["ip"] for each in listed] == ADDRESSES[:30] and {each["status"] for each in listed} <= {"ok", "unknown"}
    stats = json.loads(cache("stats", "--format", "json").stdout)
    assert stats["answers"] == 30
    shown = cache("show", ADDRESSES[3], "--format", "ndjson")
    assert [each["ip"] for each in shown.records] == [ADDRESSES[3]]
    assert "removed the answers of 2 of 2" in cache("delete", *ADDRESSES[:2]).stderr
    assert len(cache("list", "--format", "ndjson").records) == 28
    # What is none of Sonde's counts as absent.
    redis.ask("SET", f"{{sonde}}:answer:{ADDRESSES[0]}", "x")
    redis.ask("ZADD", "{sonde}:answers", "1", ADDRESSES[0])
    assert [each["ip"] for each in cache("list", "--format", "ndjson").records] == ADDRESSES[2:30]
    assert cache("clear").status == 0 and cache("list", "--format", "ndjson").stdout == b""
    redis.kill()
    for action in [["list"], ["stats"], ["show", "5.1.1.1"], ["delete", "5.1.1.1"], ["clear"]]:
        result = cache(*action)
        assert result.status == 5 and redis.url in result.stderr, action


def test_answers_expire_and_their_damage_counts_as_absent(together, simulator, redis):
    right(together(ADDRESSES[:5]).finish(), ADDRESSES[:5])
    time.sleep(1.1)
    assert {each["cached"] for each in together(ADDRESSES[:5], "--cache-ttl", "1s").finish().records} == {False}
    fields = redis.ask("HKEYS", f"{{sonde}}:answer:{ADDRESSES[0]}")
    name = fields.split(b"\r\n")[2]
    redis.ask("HSET", f"{{sonde}}:answer:{ADDRESSES[0]}", name, b"x" * 64)
    result = together(ADDRESSES[:5]).finish()
    right(result, ADDRESSES[:5])
    assert [each["cached"] for each in result.records] == [False, True, True, True, True]
