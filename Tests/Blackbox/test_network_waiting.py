"""How long addresses are held back while the network is lost, and who answers them then."""

import json
import signal
import time

import pytest
from command import wait_for
from expected import differences, record
from namespaces import PORT, PROVIDER, Network, Scan, skip_unless_allowed

pytestmark = [pytest.mark.slow, skip_unless_allowed()]

ADDRESSES = [f"5.{n // 250}.{n % 250}.25" for n in range(2000)]


@pytest.fixture(scope="module")
def shared():
    """One network for the tests that leave it as they found it."""
    network = Network()
    yield network
    network.close()


@pytest.fixture
def network(shared):
    """The shared network without faults or limits, its counts at nothing."""
    shared.simulator.control(batch_limit=None, latency=0, faults=[])
    return shared


def test_local_answers_past_the_timeout_until_the_return(sonde, network, loc_database):
    scan = Scan(
        sonde, network, "--provider", "ip-api,local", "--database", loc_database, "--offline-timeout", "3s"
    )
    scan.feed(ADDRESSES[:200], ends=False)
    network.simulator.wait_for(2)
    network.lose()
    lost = time.monotonic()
    scan.wait_for("offline")
    scan.feed(ADDRESSES[200:400], ends=False)
    lines = [scan.running.line() for _ in range(400)]
    assert time.monotonic() - lost >= 2.9
    # Past the timeout, nobody waits any more.
    began = time.monotonic()
    scan.feed(ADDRESSES[400:500], ends=False)
    lines += [scan.running.line() for _ in range(100)]
    assert time.monotonic() - began < 2.5
    network.restore()
    scan.wait_for("online")
    scan.feed(ADDRESSES[500:600])
    result = scan.finish()
    assert [r["ip"] for r in result.records] == ADDRESSES[:600] and result.status == 0
    # What ip-api answers with nothing is the database's to answer at any time.
    expected = ["ip-api" if record(a)["status"] == "ok" else "libloc" for a in ADDRESSES[:600]]
    expected[200:500] = ["libloc"] * 300
    assert [r.get("source") for r in result.records] == expected
    reason = f"network lost: link_down on near0, on the path to {PROVIDER}:{PORT}, since"
    assert len(scan.said(f"local answers in place of ip-api: {reason}")) == 1
    assert len(scan.said("ip-api takes over again")) == 1
    assert not scan.said("without an answer")
    handovers = [e for e in scan.events if e["event"] == "handover"]
    assert [(e["from"], e["to"]) for e in handovers] == [("ip-api", "local"), ("local", "ip-api")]
    assert scan.summary["sources"]["libloc"] == expected.count("libloc")


def test_without_a_fallback_the_rest_is_lost_and_can_be_scanned_later(sonde, network):
    network.simulator.control(batch_limit=None, latency=0.1)
    scan = Scan(
        sonde, network, "--provider", "ip-api", "--concurrency", 1, "--offline-timeout", "1s", "--missing", "missing"
    ).feed(ADDRESSES)
    network.simulator.wait_for(3)
    network.lose()
    first = scan.finish()
    assert first.status == 3
    missing = sonde.read("missing").decode().split()
    lost = [r for r in first.records if r["status"] == "network_lost"]
    assert [r["ip"] for r in lost] == missing == ADDRESSES[len(ADDRESSES) - len(missing) :]
    assert 1000 <= len(missing) == scan.summary["network_lost"]
    message = f"network lost: link_down on near0, on the path to {PROVIDER}:{PORT}, since 20"
    assert all(message in r["message"] for r in lost)
    assert len(scan.said("addresses go without an answer")) == 1 and scan.summary["losses"] == 1
    network.restore()
    network.simulator.control(batch_limit=None, latency=0)
    second = Scan(sonde, network, "--provider", "ip-api", "missing").finish()
    assert second.status == 0
    whole = [r for r in first.records if r["status"] != "network_lost"] + second.records
    for each in whole:
        each.pop("line")
    assert differences(whole, [record(address) for address in ADDRESSES]) == []


def test_before_the_first_answer_ten_seconds_are_enough_and_then_none(sonde, network):
    network.lose()
    early = Scan(sonde, network, "--provider", "ip-api")
    began = time.monotonic()
    early.feed(ADDRESSES[:10], ends=False)
    early.running.line(timeout=15)
    assert 9.5 <= time.monotonic() - began < 12
    network.restore()
    early.wait_for("online")
    early.feed(ADDRESSES[10:20], ends=False)
    assert [early.running.line() for _ in range(19)]
    # It has answered now: from here on the wait is without end.
    network.lose()
    early.wait_for("offline", 2)
    early.feed(ADDRESSES[20:30])
    time.sleep(12)
    assert len(early.running.output) == 20
    network.restore()
    result = early.finish()
    statuses = [r["status"] for r in result.records]
    assert statuses[:10] == ["network_lost"] * 10 and not {"failed", "network_lost"} & set(statuses[10:])
    assert result.status == 3 and early.summary["losses"] == 2


def test_a_scan_that_is_resumed_while_the_network_is_lost_waits_as_before(sonde, network):
    sonde.file("list", "".join(f"{address}\n" for address in ADDRESSES))
    network.simulator.control(batch_limit=None, faults=[{"fault": "hold", "address": ADDRESSES[n]} for n in range(200, 2000, 100)])
    options = ("--provider", "ip-api", "list", "-o", "out.ndjson")
    killed = Scan(sonde, network, *options)
    wait_for(lambda: (sonde.work / "out.ndjson").stat().st_size)
    network.lose()
    killed.running.signal(signal.SIGKILL)
    killed.running.finish()
    network.simulator.control(reset=False, faults=[])
    resumed = Scan(sonde, network, "--resume", *options)
    resumed.wait_for("offline")
    time.sleep(11)
    assert resumed.running.process.poll() is None
    network.restore()
    assert resumed.finish().status == 0
    records = [json.loads(line) for line in sonde.read("out.ndjson").splitlines()]
    assert [each["ip"] for each in records] == ADDRESSES
    assert {each["status"] for each in records} <= {"ok", "unknown"}


def test_a_second_provider_is_tried_at_once_when_only_the_first_one_s_way_is_down(sonde):
    network = Network(batch_limit="3", window="20")
    try:
        _, second = network.second_way()
        env = {"SONDE_IPINFO_URL": second.urls["ipinfo"], "SONDE_IPINFO_TOKEN": None}
        scan = Scan(sonde, network, "--provider", "ip-api,ipinfo", env=env)
        # What ipinfo has nothing about stays lost; such addresses are for another test.
        known = [a for a in ADDRESSES if record(a)["status"] == record(a, "ipinfo")["status"] == "ok"][:600]
        scan.feed(known, ends=False)
        network.simulator.wait_for(3)
        time.sleep(0.3)
        # Half of the addresses wait for the first one's quota; they need not wait for its way, too.
        network.lose()
        began = time.monotonic()
        lines = [scan.running.line() for _ in range(600)]
        # Far less than a window.
        assert time.monotonic() - began < 10 and len(lines) == 600
        assert second.requests("ipinfo single") >= 300
        network.restore()
        scan.wait_for("online")
        result = scan.finish()
        assert result.status == 0 and [r["ip"] for r in result.records] == known
        assert [r["source"] for r in result.records] == ["ip-api"] * 300 + ["ipinfo"] * 300
        assert len(scan.said("ipinfo answers in place of ip-api: network lost: link_down on near0")) == 1
        assert {e["endpoint"] for e in scan.changes} == {f"{PROVIDER}:{PORT}"}
    finally:
        network.close()


def test_whichever_way_opens_first_is_gone(sonde):
    network = Network(latency="0.05")
    try:
        other, second = network.second_way()
        env = {"SONDE_IPINFO_URL": second.urls["ipinfo"], "SONDE_IPINFO_TOKEN": None}
        known = [a for a in ADDRESSES if record(a)["status"] == record(a, "ipinfo")["status"] == "ok"][:300]
        scan = Scan(
            sonde, network, "--provider", "ip-api,ipinfo", "--offline-timeout", "forever", env=env
        ).feed(known[:100], ends=False)
        network.simulator.wait_for(1)
        other.ip("link set far1 down")
        network.lose()
        scan.wait_for("offline", 2)
        scan.feed(known[100:200], ends=False)
        time.sleep(0.4)
        assert len(scan.running.output) == 100
        other.ip("link set far1 up")
        assert [scan.running.line() for _ in range(200)]
        # Gone over to the second one, and lost again: the first one's return is as good.
        other.ip("link set far1 down")
        scan.wait_for("offline", 3)
        scan.feed(known[200:], ends=False)
        time.sleep(0.4)
        assert len(scan.running.output) == 200
        network.restore()
        assert [scan.running.line() for _ in range(100)]
        result = scan.finish()
        sources = [r["source"] for r in result.records]
        assert sources == ["ip-api"] * 100 + ["ipinfo"] * 100 + ["ip-api"] * 100 and result.status == 0
    finally:
        network.close()


def test_a_link_that_both_ways_share_hands_nothing_over(sonde, network):
    network.simulator.control(batch_limit=None, latency=0.1)
    env = {"SONDE_IPINFO_URL": f"http://{PROVIDER}:{PORT + 1}", "SONDE_IPINFO_TOKEN": None}
    known = [a for a in ADDRESSES if record(a)["status"] == "ok"]
    scan = Scan(sonde, network, "--provider", "ip-api,ipinfo", "--concurrency", 1, env=env).feed(known)
    for trial in range(4):
        network.simulator.wait_for(trial + 1)
        network.lose()
        time.sleep(0.2)
        network.restore()
        time.sleep(0.2)
    result = scan.finish()
    assert {r["source"] for r in result.records} == {"ip-api"} and result.status == 0
    assert not scan.said("in place of")
