"""`--shared redis-sentinel://`: the master of a name, found by its sentinels, and a failover."""

import contextlib
import time

import pytest
from ports import free_port
from redis_proxy import Answering
from redis_server import RedisServer
from shared_scans import SharedScans, right

pytestmark = pytest.mark.slow

SECRET = "s3cret-Pass"


@pytest.fixture
def start(tmp_path):
    """Starts servers and sentinels, which end with the test."""
    started = []

    def run(*options, sentinel=None):
        folder = tmp_path / f"redis-{len(started)}"
        server = RedisServer(folder, *options, sentinel=sentinel)
        started.append(server)
        return server

    yield run
    for server in started:
        server.close()


@pytest.fixture
def scan(sonde, simulator):
    return SharedScans(sonde, simulator)


def watch(master, *more):
    """What a sentinel is configured with, to watch a master as `quota`, alone."""
    return [
        f"sentinel monitor quota 127.0.0.1 {master.port} 1", "sentinel down-after-milliseconds quota 500",
        "sentinel failover-timeout quota 3000", *more,
    ]  # fmt: skip


def wait_until(condition, words, timeout=30):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, words
        time.sleep(0.02)


def test_a_failover_holds_a_scan_up_for_seconds_and_no_more(scan, simulator, start):
    """The master is killed; the sentinels that are gone, or know nothing, are passed over."""
    simulator.control(window=1, batch_limit=1)
    master = start()
    replica = start("--replicaof", "127.0.0.1", str(master.port))
    wait_until(lambda: b"master_link_status:up" in replica.ask("INFO", "replication"), "no replica")
    first, second = (start(sentinel=watch(master)) for _ in range(2))
    known = str(replica.port).encode()
    for each in (first, second):
        wait_until(lambda each=each: known in each.ask("SENTINEL", "replicas", "quota"), "the replica is unknown")
        wait_until(lambda each=each: each.ask("SENTINEL", "sentinels", "quota").startswith(b"*1"), "they do not meet")
    url = f"redis-sentinel://127.0.0.1:{free_port()},127.0.0.1:{first.port},127.0.0.1:{second.port}/quota/0"
    run = scan(700, url, "--rate", "1/s")
    wait_until(lambda: simulator.counts()["total"] >= 2, "no requests")
    master.kill()
    result = run.finish(timeout=90)
    right(result, 700)
    assert simulator.counts()["throttled"] == 0
    assert [line for line in result.stderr.splitlines() if "network lost" in line] and "network is back" in result.stderr
    assert b"role:master" in replica.ask("INFO", "replication")
    assert replica.ask("DBSIZE") != b":0\r\n"


def test_sentinels_have_a_password_of_their_own(scan, simulator, start, sonde):
    master = start("--requirepass", SECRET)
    sentinel = start(sentinel=watch(master, f"sentinel auth-pass quota {SECRET}", "requirepass other-Secret"))
    url = f"redis-sentinel://127.0.0.1:{sentinel.port}/quota/1"
    env = {"SONDE_SHARED_PASSWORD": SECRET, "SONDE_SHARED_SENTINEL_PASSWORD": "other-Secret"}
    right(scan(5, url, env=env).finish(), 5)
    place = f"the sentinel 127.0.0.1:{sentinel.port}"
    stranger = start()
    refused = {
        f"{place}: Redis says: NOAUTH Authentication required.": (url, {"SONDE_SHARED_PASSWORD": SECRET}),
        f"{place}: Redis says: WRONGPASS invalid username-password pair or user is disabled.": (
            url, {**env, "SONDE_SHARED_SENTINEL_PASSWORD": SECRET}
        ),
        f"{place}: it knows no master 'other'": (url.replace("quota/1", "other/0"), env),
        "Redis says: WRONGPASS invalid username-password pair or user is disabled.": (
            url, {**env, "SONDE_SHARED_PASSWORD": "other-Secret"}
        ),
        "Redis says: ERR DB index is out of range": (f"{url[:-1]}99", env),
        f"the sentinel 127.0.0.1:{stranger.port}: Redis says: ERR unknown command 'SENTINEL'": (
            f"redis-sentinel://127.0.0.1:{stranger.port}/quota/0", {}
        ),
    }  # fmt: skip
    asked = simulator.counts()["total"]
    for words, (shared, given) in refused.items():
        result = scan(5, shared, env=given).finish()
        assert (result.status, result.stdout, result.stderr) == (5, b"", f"sonde: {shared}: {words}\n")
    assert simulator.counts()["total"] == asked


def test_what_sentinels_say_wrongly_is_no_server(scan, simulator, start):
    """One names no address, or one where nobody is; then the next run asks again."""
    mute = Answering(b"*2\r\n$9\r\n127.0.0.1\r\n$5\r\n99999\r\n")
    url = f"redis-sentinel://127.0.0.1:{mute.port}/quota/0"
    result = scan(3, url).finish()
    mute.close()
    words = f"the sentinel 127.0.0.1:{mute.port}: its answers are not those of a sentinel"
    assert (result.status, result.stderr) == (5, f"sonde: {url}: {words}\n")
    master = start()
    replica = start("--replicaof", "127.0.0.1", str(master.port))
    # It is believed to be the master, until what it answers is believed.
    stale = Answering(b"*2\r\n$9\r\n127.0.0.1\r\n$%d\r\n%d\r\n" % (len(str(replica.port)), replica.port))
    with contextlib.closing(stale):
        url = f"redis-sentinel://127.0.0.1:{stale.port}/quota/0"
        run = scan(3, url)
        wait_until(lambda: "READONLY" in run.stderr, "no READONLY")
        stale.answer = b"*2\r\n$9\r\n127.0.0.1\r\n$%d\r\n%d\r\n" % (len(str(master.port)), master.port)
        right(run.finish(), 3)
    assert simulator.counts()["throttled"] == 0
