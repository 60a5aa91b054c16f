"""Several processes share one quota at the provider, and one cache."""

import os
import random
import signal
import sqlite3
import subprocess
import time
from collections import Counter

import pytest
from expected import differences, record

pytestmark = pytest.mark.slow

PROCESSES = 8
ADDRESSES = [f"5.{n // 250}.{n % 250}.11" for n in range(2000)]


@pytest.fixture
def state(sonde):
    """Where the quotas are kept."""
    return sonde.home / "state" / "sonde"


@pytest.fixture
def together(sonde, simulator):
    """Starts scans that share a cache, unless they name another."""
    shared = str(sonde.work / "cache.db")

    def start(addresses, *more):
        name = sonde.file(f"list-{sonde.runs}.txt", "\n".join(addresses) + "\n")
        arguments = ["scan", name, "--provider", "ip-api", "--cache", shared, *more]
        return sonde.start(*arguments, env=simulator.env)

    return start


def right(result, addresses):
    wanted = [record(address, line=n) for n, address in enumerate(addresses, 1)]
    assert differences(result.records, wanted, cached=(True, False)) == []
    assert result.status == 0
    assert "locked" not in result.stderr and "too many" not in result.stderr


def within_limit(simulator, limit):
    counts = simulator.counts()
    assert counts["throttled"] == 0
    assert all(w["requests"] <= limit and w["refused"] == 0 for w in simulator.windows())


def test_eight_processes_keep_to_one_quota_and_ask_each_address_once(together, simulator):
    simulator.control(window=1, batch_limit=5)
    chooser = random.Random(8)
    lists = [chooser.sample(ADDRESSES, 700) for _ in range(PROCESSES)]
    scans = [together(addresses) for addresses in lists]
    for scan, addresses in zip(scans, lists):
        right(scan.finish(timeout=90), addresses)
    within_limit(simulator, 5)
    asked = Counter(simulator.addresses())
    assert set(asked) == set().union(*lists)
    # Two processes may ask for the same address at the same moment, each pair once.
    assert max(asked.values()) <= PROCESSES
    assert sum(asked.values()) - len(asked) <= PROCESSES * (PROCESSES - 1) // 2 * 100


def test_without_the_answers_they_still_share_the_quota(together, simulator):
    simulator.control(window=1, batch_limit=4)
    scans = [together(ADDRESSES[:400], "--no-cache") for _ in range(4)]
    for scan in scans:
        right(scan.finish(timeout=60), ADDRESSES[:400])
    within_limit(simulator, 4)
    assert simulator.counts()["total"] == 16


@pytest.mark.parametrize("apart", [["--no-cache"], ["--cache", "other.db"]])
def test_neither_another_cache_nor_none_gives_another_quota(together, simulator, state, apart):
    simulator.control(window=2, batch_limit=3)
    right(together(ADDRESSES[:300]).finish(), ADDRESSES[:300])
    right(together(ADDRESSES[300:600], *apart).finish(), ADDRESSES[300:600])
    within_limit(simulator, 3)
    assert [w["requests"] for w in simulator.windows()] == [3, 3]
    assert sorted(path.name for path in state.iterdir()) == ["quota.db", "quota.key"]
    assert {path.stat().st_mode & 0o777 for path in state.iterdir()} == {0o600}


TOKEN = "12345678901234"


def test_nothing_kept_tells_the_token(sonde, simulator, state):
    simulator.control(tokens=[TOKEN, TOKEN[::-1]])
    env = {**simulator.env, "SONDE_IPINFO_TOKEN": TOKEN, "XDG_CACHE_HOME": str(sonde.home / "caches")}
    assert sonde("scan", "--provider", "ipinfo", *ADDRESSES[:3], env=env).status == 0
    kept = [path for path in sonde.home.rglob("*") if path.is_file()]
    assert {path.name for path in kept} >= {"cache.db", "quota.db", "quota.key"}
    for path in kept:
        assert TOKEN[:6].encode() not in path.read_bytes()
    assert len((state / "quota.key").read_bytes()) == 32

    # The same token has the same row, another one its own.
    def rows():
        database = sqlite3.connect(state / "quota.db")
        try:
            return {bytes(account) for (account,) in database.execute("SELECT account FROM quotas")}
        finally:
            database.close()

    first = rows()
    sonde("scan", "--provider", "ipinfo", "--no-cache", ADDRESSES[4], env=env)
    assert rows() == first and {len(account) for account in first} == {32}
    env["SONDE_IPINFO_TOKEN"] = TOKEN[::-1]
    sonde("scan", "--provider", "ipinfo", "--no-cache", ADDRESSES[5], env=env)
    assert rows() > first


def test_a_ledger_locked_by_another_program_hardly_delays_a_scan(together, simulator, state):
    simulator.control(batch_limit=50)
    right(together(ADDRESSES[:100]).finish(), ADDRESSES[:100])
    other = sqlite3.connect(state / "quota.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    result = together(ADDRESSES[100:1100]).finish()
    assert time.monotonic() - began < 8
    wanted = [record(address, line=n) for n, address in enumerate(ADDRESSES[100:1100], 1)]
    assert differences(result.records, wanted, cached=(True, False)) == []
    assert result.stderr.count("another program has locked it") == 1
    other.close()


@pytest.mark.parametrize("seed", range(int(os.environ.get("TEST_KILLS", "6"))))
def test_what_killed_ones_had_under_way_is_spent(together, simulator, seed):
    chooser = random.Random(seed)
    limit = chooser.choice([2, 3, 5, 10, 15])
    simulator.control(window=3, batch_limit=limit, latency=chooser.choice([0.05, 0.3, 1]))
    victim = together(ADDRESSES, "--no-cache")
    while simulator.counts()["total"] == 0:
        time.sleep(0.01)
    time.sleep(chooser.uniform(0, 1.5))
    victim.signal(signal.SIGKILL)
    victim.finish()
    right(together(ADDRESSES[:300], "--no-cache").finish(timeout=60), ADDRESSES[:300])
    within_limit(simulator, limit)


def test_a_window_of_unknown_limit_is_opened_by_one_request_of_all(together, simulator):
    simulator.control(window=60, batch_limit=40, latency=0.3)
    scans = [together(ADDRESSES[n * 300 :][:300], "--no-cache") for n in range(4)]
    for n, scan in enumerate(scans):
        right(scan.finish(), ADDRESSES[n * 300 :][:300])
    log = sorted(simulator.log(), key=lambda line: line["at"])
    assert log[1]["at"] - log[0]["at"] >= 0.3 and simulator.counts()["total"] == 12


def test_the_reservation_of_a_process_that_was_killed_lapses_at_once(together, simulator):
    simulator.control(window=60, batch_limit=15, latency=3)
    holder = together(ADDRESSES[:100])
    while simulator.counts()["total"] == 0:
        time.sleep(0.01)
    waiter = together(ADDRESSES[100:200])
    time.sleep(0.5)
    assert simulator.counts()["total"] == 1
    simulator.control(reset=False, latency=0)
    holder.signal(signal.SIGKILL)
    killed = time.monotonic()
    holder.finish()
    right(waiter.finish(), ADDRESSES[100:200])
    # Far less than a window.
    assert time.monotonic() - killed < 20


def test_a_window_that_is_spent_is_waited_for_by_the_next_run(together, simulator):
    simulator.control(window=2, batch_limit=3)
    right(together(ADDRESSES[:300]).finish(), ADDRESSES[:300])
    right(together(ADDRESSES[300:600]).finish(), ADDRESSES[300:600])
    within_limit(simulator, 3)
    assert [w["requests"] for w in simulator.windows()] == [3, 3]


def test_killed_ones_do_no_harm_to_the_others(together, simulator):
    simulator.control(window=1, batch_limit=6, latency=0.02)
    chooser = random.Random(3)
    steady = [together(ADDRESSES[:1000]), together(ADDRESSES[1000:])]
    for _ in range(int(os.environ.get("TEST_KILLS", "6"))):
        victim = together(chooser.sample(ADDRESSES, 500))
        time.sleep(chooser.uniform(0.05, 0.3))
        victim.signal(signal.SIGKILL)
        victim.finish()
    right(steady[0].finish(timeout=90), ADDRESSES[:1000])
    right(steady[1].finish(timeout=90), ADDRESSES[1000:])
    within_limit(simulator, 6)


def test_a_rate_of_ones_own_holds_where_no_limit_was_told_before(together, simulator):
    simulator.control(batch_limit=None)
    right(together(ADDRESSES[:100]).finish(), ADDRESSES[:100])
    began = time.monotonic()
    right(together(ADDRESSES[100:500], "--rate", "1/s").finish(), ADDRESSES[100:500])
    assert time.monotonic() - began >= 2.9


def test_a_disk_that_is_full_for_a_while_stops_nobody(sonde, simulator):
    folder = sonde.work / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "sonde-test", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("nothing may be mounted here")
    try:
        simulator.control(window=60, batch_limit=15, latency=1)
        name = sonde.file("list.txt", "\n".join(ADDRESSES[:400]) + "\n")
        cache = ["--provider", "ip-api", "--cache", str(folder / "cache.db")]
        scan = sonde.start("scan", name, *cache, env=simulator.env)
        while simulator.counts()["total"] == 0:
            time.sleep(0.01)
        with open(folder / "filler", "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(1024))
            except OSError:
                pass
        time.sleep(2)
        (folder / "filler").unlink()
        right(scan.finish(), ADDRESSES[:400])
        within_limit(simulator, 15)
    finally:
        subprocess.run(["umount", str(folder)], check=True)
