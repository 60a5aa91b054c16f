"""A Redis that machines share, at the far end of a network that drops packets."""

import time

import pytest
from namespaces import PROVIDER, Network, Scan, skip_unless_allowed
from redis_server import RedisServer

pytestmark = [pytest.mark.slow, skip_unless_allowed()]

ADDRESSES = [f"5.{n // 250}.{n % 250}.29" for n in range(1000)]


@pytest.fixture(scope="module")
def network():
    """A network with a simulator at its far end."""
    network = Network()
    yield network
    network.close()


@pytest.fixture
def redis(network, tmp_path):
    """A server on the far side."""
    server = RedisServer(
        tmp_path / "redis", "--bind", PROVIDER, "--protected-mode", "no", prefix=network.far.prefix
    )
    yield server
    server.close()


def test_packets_that_are_dropped_on_the_way_to_it_stop_the_scan_alone(sonde, network, redis):
    network.simulator.control(window=1, batch_limit=1, latency=0)
    url = f"redis://{PROVIDER}:{redis.port}/0"
    scan = Scan(sonde, network, "--provider", "ip-api", "--no-cache", "--shared", url).feed(ADDRESSES)
    network.simulator.wait_for(2)
    # The path to the provider stays open.
    network.far.drop(f"tcp dport {redis.port}")
    lost = scan.wait_for("offline")
    assert (lost["cause"], lost["endpoint"]) == ("shared_unreachable", url)
    asked = network.simulator.counts()["total"]
    time.sleep(2)
    assert network.simulator.counts()["total"] == asked
    network.far.pass_all()
    result = scan.finish()
    assert result.status == 0 and len(result.records) == 1000
    assert {record["status"] for record in result.records} <= {"ok", "unknown"}
    counts = network.simulator.counts()
    assert counts["throttled"] == 0 and counts["total"] == 10
    assert scan.summary["losses"] == 1
