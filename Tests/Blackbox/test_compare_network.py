"""`compare` over networks of its sources' own that are lost in the middle, one or all of them."""

import signal
import time

import pytest
from command import wait_for
from expected import record
from namespaces import Network, Scan, skip_unless_allowed

pytestmark = [pytest.mark.slow, skip_unless_allowed()]

ADDRESSES = [f"5.{n // 250}.{n % 250}.23" for n in range(400)]
SOURCES = ("ip-api", "ipinfo")


@pytest.fixture(scope="module")
def shared():
    network = Network()
    network.other, _ = network.second_way()
    yield network
    network.close()


@pytest.fixture
def network(shared):
    """Two ways, each to a service of its own, whatever a test left behind."""
    shared.restore()
    shared.other.ip("link set far1 up")
    shared.simulator.control(batch_limit=None, latency=0.1, faults=[])
    shared.second.control(batch_limit=None, daily_limit=None, latency=0.03, faults=[])
    return shared


@pytest.fixture
def compare(sonde, network):
    """A comparison of both services on the near side."""
    env = {"SONDE_IPINFO_URL": network.second.urls["ipinfo"], "SONDE_IPINFO_TOKEN": None}

    def run(*options):
        options = ("--provider", ",".join(SOURCES), "--concurrency", "2", "--format", "ndjson", *options)
        return Scan(sonde, network, *options, env=env, command="compare")

    return run


def await_requests(simulator, count):
    wait_for(lambda: simulator.requests("ipinfo single") >= count)


def opinions(records):
    """What each source is said to have said, as far as it answered."""
    return [tuple((r[f"{s}_status"], r.get(f"{s}_country_code")) for s in ("ip_api", "ipinfo")) for r in records]


EXPECTED = [tuple((record(a, s)["status"], record(a, s).get("country_code")) for s in SOURCES) for a in ADDRESSES]


def asked_twice(simulator):
    """The answered questions of a service beyond one for each address."""
    return sum(count - 1 for count in simulator.addresses().values())


def test_what_all_sources_lose_for_a_while_leaves_no_trace(compare, network):
    undisturbed = compare("--no-cache").feed(ADDRESSES).finish()
    assert opinions(undisturbed.records) == EXPECTED and undisturbed.status == 0
    network.simulator.control(latency=0.1, batch_limit=None)
    network.second.control(latency=0.03, batch_limit=None, daily_limit=None)
    running = compare().feed(ADDRESSES)
    for losses in (1, 2, 3):
        await_requests(network.second, 60 * losses)
        network.lose()
        network.other.ip("link set far1 down")
        time.sleep(0.6)
        network.restore()
        network.other.ip("link set far1 up")
    result = running.finish()
    assert result.status == 0 and result.stdout == undisturbed.stdout
    assert running.summary["losses"] >= 1 and not running.said("in place of")
    # Only what was under way at a loss is asked again.
    assert asked_twice(network.second) <= 3 * 2
    assert asked_twice(network.simulator) <= 3 * 2 * 100


def test_one_that_is_lost_for_good_leaves_the_others_theirs(compare, network):
    running = compare("--offline-timeout", "1s").feed(ADDRESSES)
    await_requests(network.second, 60)
    network.other.ip("link set far1 down")
    result = running.finish()
    found = opinions(result.records)
    assert [r["ip"] for r in result.records] == ADDRESSES and result.status == 3
    assert [first for first, _ in found] == [first for first, _ in EXPECTED], "nothing is lost of the other's"
    lost = [n for n, (_, second) in enumerate(found) if second[0] == "network_lost"]
    assert len(lost) > 100
    assert [found[n] for n in range(len(found)) if n not in lost] == [EXPECTED[n] for n in range(len(found)) if n not in lost]
    for n in lost:
        said = result.records[n]
        first = EXPECTED[n][0]
        # `ok` where a source has answered so, else the worst of theirs.
        assert said["status"] == ("ok" if first[0] == "ok" else "network_lost")
        assert "ipinfo: network lost: link_down on near1" in said["message"] and said.get("confidence") == ("low" if first[1] else None)
        assert said.get("agreement") == (1 if first[1] else None)
    assert "network_lost" in result.stderr and "network lost" in result.stderr


def test_killed_while_one_is_lost_it_asks_nobody_twice(sonde, compare, network):
    """What the cache knows of a source is not asked for again, whatever the other has come to."""
    options = ("--cache", sonde.work / "cache.db")
    running = compare(*options).feed(ADDRESSES)
    await_requests(network.second, 60)
    network.other.ip("link set far1 down")
    running.wait_for("offline")
    wait_for(lambda: sum(network.simulator.addresses().values()) >= len(ADDRESSES))
    time.sleep(0.5)
    running.running.signal(signal.SIGKILL)
    running.running.finish()
    network.other.ip("link set far1 up")
    result = compare(*options).feed(ADDRESSES).finish()
    assert result.status == 0 and opinions(result.records) == EXPECTED
    assert asked_twice(network.simulator) == 0, "it had answered all"
    assert asked_twice(network.second) <= 2, "what was under way"
