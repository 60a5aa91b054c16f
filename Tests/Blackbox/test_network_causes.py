"""Every way to lose the network in a scan: named in the events and on stderr, waited for, survived."""

import json
import re
import sys
import time

import pytest
from client import HERE as SIMULATOR
from expected import differences, record
from namespaces import LOSSES, PORT, PROVIDER, PROVIDER_V6, NameServer, Network, Scan, skip_unless_allowed

pytestmark = [pytest.mark.slow, skip_unless_allowed()]

ADDRESSES = [f"5.{n // 250}.{n % 250}.21" for n in range(1000)]
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


@pytest.fixture(scope="module")
def shared():
    """One network for the tests that leave it as they found it."""
    network = Network(batch_limit="null", latency=0.1)
    yield network
    network.close()


@pytest.fixture
def network(shared):
    """The shared network without faults or limits, its counts at nothing."""
    shared.simulator.control(batch_limit=None, latency=0.1, faults=[])
    return shared


def begin(sonde, network, *options, env=None):
    """A scan that has had its first answers and has some seconds to go."""
    scan = Scan(sonde, network, "--provider", "ip-api", "--concurrency", 1, *options, env=env)
    scan.feed(ADDRESSES)
    network.simulator.wait_for(2)
    return scan


def end(scan, cause, place="near0", at=f"{PROVIDER}:{PORT}", losses=1):
    """The scan has every answer; the loss is told once, with its cause, and so is the return."""
    result = scan.finish()
    expected = [record(address, line=n) for n, address in enumerate(ADDRESSES, 1)]
    assert differences(result.records, expected) == []
    assert result.status == 0
    states = [(event["state"], event.get("cause")) for event in scan.changes]
    assert states == [("offline", cause), ("online", None)] * losses, scan.changes
    assert all(event["endpoint"] == at for event in scan.changes)
    assert scan.changes[0]["interface"] == place
    lost, back = scan.said("network lost"), scan.said("network is back")
    assert len(lost) == len(back) == losses
    assert re.search(rf"\({cause} on {place}, on the path to {re.escape(at)}\) since {TIME}; \d+ address", lost[0])
    assert re.search(r"after [\d.]+ s", back[0])
    assert scan.summary["losses"] == losses
    assert scan.summary["offline_ms"] == pytest.approx(sum(e.get("down_ms", 0) for e in scan.changes), abs=5)


@pytest.mark.parametrize("name", LOSSES)
def test_each_cause_is_told_and_the_scan_goes_on(sonde, network, name):
    side, breaks, repairs, cause = LOSSES[name]
    side = getattr(network, side)
    scan = begin(sonde, network)
    side.ip(*breaks)
    scan.wait_for("offline")
    time.sleep(0.3)
    side.ip(*repairs)
    end(scan, cause)
    assert not [e for e in scan.events if e["event"] in ("retry", "provider")]
    waiting = int(re.search(r"; (\d+) address", scan.said("network lost")[0])[1])
    # At most two questions for each request that may be under way.
    assert 100 <= waiting <= 2 * 8 * 100


def test_a_silent_host_is_unreachable(sonde, network):
    scan = begin(sonde, network, "--timeout", "500ms")
    network.far.drop()
    scan.wait_for("offline")
    network.far.pass_all()
    end(scan, "unreachable")


@pytest.mark.parametrize("fault", ["login_302", "login_200"])
def test_a_login_page_is_a_captive_portal(sonde, network, fault):
    scan = begin(sonde, network)
    network.simulator.control(reset=False, faults=[{"fault": fault}])
    scan.wait_for("offline")
    network.simulator.control(reset=False, faults=[])
    end(scan, "captive_portal")
    assert not [e for e in scan.events if e["event"] == "retry"]


@pytest.mark.parametrize("how", ["silent", "refusing"])
def test_names_that_do_not_resolve_make_it_unreachable(sonde, network, how):
    network.near.file("resolv.conf", "nameserver 10.9.0.2\noptions timeout:1 attempts:1\n")
    server = NameServer(network.far)
    server.answers = False
    if how == "refusing":
        server.close()
    env = {"SONDE_IP_API_URL": f"http://provider.test:{PORT}"}
    scan = Scan(
        sonde, network, "--provider", "ip-api", "--concurrency", 4, "--offline-timeout", "forever", env=env
    ).feed(ADDRESSES)
    try:
        scan.wait_for("offline")
        assert network.simulator.counts()["total"] == 0
        if how == "refusing":
            server = NameServer(network.far)
        server.answers = True
        end(scan, "unreachable", at=f"provider.test:{PORT}")
    finally:
        server.close()


def test_one_family_that_is_lost_is_no_loss(sonde):
    network = Network("", batch_limit="null", latency=0.1)
    try:
        network.near.file("hosts", f"{PROVIDER} twin\n{PROVIDER_V6} twin\n")
        scan = begin(sonde, network, "--timeout", "1s", env={"SONDE_IP_API_URL": f"http://twin:{PORT}"})
        assert set(network.simulator.counts()["clients"]) == {"2001:db8::1"}
        network.near.ip("addr del 2001:db8::1/64 dev near0", "-6 route del default")
        result = scan.finish()
        assert result.status == 0 and [r["ip"] for r in result.records] == ADDRESSES
        assert scan.changes == [] and not scan.said("network")
        assert "10.9.0.1" in network.simulator.counts()["clients"]
    finally:
        network.close()


def test_a_bridge_beside_the_way_is_nobodys_business(sonde, network):
    near = network.near
    near.ip("link add docker0 type bridge", "addr add 172.17.0.1/16 dev docker0", "link set docker0 up")
    try:
        scan = begin(sonde, network)
        for state in ("down", "up", "down"):
            near.ip(f"link set docker0 {state}")
            time.sleep(0.1)
        near.ip("link set docker0 up")
        network.lose()
        scan.wait_for("offline")
        time.sleep(0.1)
        network.restore()
        end(scan, "link_down")
        names = {e["name"] for e in scan.events if e["event"] == "interface"}
        assert names == {"docker0", "near0"}
    finally:
        near.ip("link del docker0")


UNSHARED = """
import os, subprocess, sys
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
sys.path.insert(0, sys.argv[1])
from client import SimulatorProcess
simulator = SimulatorProcess("--port", 0)
done = subprocess.run(sys.argv[2:], env={**os.environ, **simulator.env})
simulator.stop()
sys.exit(done.returncode)
"""


def test_a_loopback_endpoint_needs_no_network(sonde):
    prefix = ["unshare", "-n", sys.executable, "-c", UNSHARED, str(SIMULATOR)]
    result = sonde("scan", "--provider", "ip-api", *ADDRESSES[:5], "--events", "events", prefix=prefix)
    assert result.status == 0 and [r["status"] for r in result.records].count("ok") >= 4
    events = [json.loads(line) for line in sonde.read("events").splitlines()]
    assert [e["event"] for e in events] == ["summary"] and events[-1]["losses"] == 0


def test_without_any_network_local_answers_after_the_timeout(sonde, loc_database):
    began = time.monotonic()
    result = sonde(
        *("scan", "--provider", "ip-api,local", "--database", loc_database, "--offline-timeout", "1s"),
        *(*ADDRESSES[:3], "45.1.2.3", "--events", "events"),
        env={"SONDE_IP_API_URL": None},
        prefix=["unshare", "-n"],
    )
    assert 0.9 <= time.monotonic() - began < 4
    assert [r.get("source") for r in result.records] == ["libloc"] * 3 + [None]
    lost = result.records[3]
    assert lost["status"] == "network_lost" and "no_interface" in lost["message"]
    assert result.status == 3
    assert "there is no network interface (no_interface, on the path to ip-api.com:80)" in result.stderr
    assert "local answers in place of ip-api: network lost: no_interface" in result.stderr
    events = [json.loads(line) for line in sonde.read("events").splitlines()]
    assert (events[0]["cause"], "interface" in events[0]) == ("no_interface", False)
