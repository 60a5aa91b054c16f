"""A scan that loses its network over and over: nothing lost, doubled, asked needlessly or late."""

import random
import re
import signal
import statistics
import time

import pytest
from expected import record
from namespaces import PORT, PROVIDER, Network, Scan, seconds, skip_unless_allowed

pytestmark = [pytest.mark.slow, skip_unless_allowed()]

ADDRESSES = [f"5.{n // 250}.{n % 250}.23" for n in range(5000)]
OPTIONS = ("--provider", "ip-api", "--concurrency", 2)


@pytest.fixture(scope="module")
def shared():
    """One network for the tests that leave it as they found it."""
    network = Network()
    yield network
    network.close()


@pytest.fixture
def network(shared):
    """The shared network without faults or limits, whatever a test left behind, its counts at nothing."""
    shared.far.pass_all()
    shared.restore()
    shared.simulator.control(batch_limit=None, latency=0.1, window=60, faults=[])
    return shared


def without_times(output):
    """Records as they were written, but for when they were fetched."""
    return re.sub(rb'"fetched_at":"[^"]*"', b"", output)


def needless(arrivals, losses):
    """Batches that were asked again without a loss while they were under way.

    A request that is sent over the broken link arrives behind a short loss, so the moments in which
    Sonde heard of losses belong to `losses` as well.
    """
    asked, wrong = {}, []
    for line in arrivals:
        before = asked.get(line["first"])
        asked[line["first"]] = line["at"]
        if before is not None and not any(before - 0.02 <= at <= line["at"] for at in losses):
            wrong.append((line["first"], before, line["at"]))
    return wrong


@pytest.mark.measures_time
def test_ten_losses_leave_no_trace_in_the_output(sonde, network):
    undisturbed = Scan(sonde, network, *OPTIONS, "--concurrency", 8).feed(ADDRESSES).finish()
    # 30 batches in two seconds at most, counted strictly: the losses fall into several windows.
    network.simulator.control(batch_limit=30, window=2, latency=0.1)
    scan = Scan(sonde, network, *OPTIONS).feed(ADDRESSES)
    network.simulator.wait_for(2)
    chance = random.Random(10)
    losses, offline = [], 0
    for _ in range(10):
        time.sleep(chance.uniform(0.05, 0.3))
        losses.append(network.lose())
        time.sleep(chance.uniform(0.05, 0.6))
        offline += network.restore() - losses[-1]
    result = scan.finish()
    assert without_times(result.stdout) == without_times(undisturbed.stdout)
    assert result.status == 0
    assert not [e for e in scan.events if e["event"] in ("retry", "provider")]
    counts = network.simulator.counts()
    assert counts["throttled"] == 0 == scan.summary["throttled"]
    noticed = [seconds(event["at"]) for event in scan.changes if event["state"] == "offline"]
    assert needless(network.simulator.arrivals(), losses + noticed) == []
    assert scan.summary["losses"] == 10 == len(scan.said("network lost")) == len(scan.said("network is back"))
    assert scan.summary["offline_ms"] == pytest.approx(offline * 1000, abs=300)
    assert scan.summary["requests"] >= counts["total"]
    assert scan.summary["ok"] + scan.summary["unknown"] == 5000


@pytest.mark.measures_time
def test_work_goes_on_within_100_ms_of_the_return(sonde, network, trials=7):
    network.simulator.control(batch_limit=None, latency=0.1)
    scan = Scan(sonde, network, *OPTIONS).feed(ADDRESSES)
    chance = random.Random(7)
    returns = []
    for trial in range(trials):
        network.simulator.wait_for(2 * trial + 2)
        network.lose()
        time.sleep(chance.uniform(0.1, 1.2))
        returns.append(network.restore())
        time.sleep(0.15)
        deadline = time.monotonic() + 3
        while network.simulator.arrivals()[-1]["at"] < returns[-1] and time.monotonic() < deadline:
            time.sleep(0.02)
    scan.running.stop()
    arrivals = [line["at"] for line in network.simulator.arrivals()]
    delays = [min(at for at in arrivals if at >= back) - back for back in returns]
    print("return to first request, ms:", sorted(round(delay * 1000) for delay in delays))
    assert statistics.median(delays) <= 0.1


@pytest.mark.measures_time
def test_nothing_is_sent_from_50_ms_after_a_loss(sonde, network):
    # A login page is a loss in which everything that is sent still arrives.
    network.simulator.control(batch_limit=None, latency=0.01)
    scan = Scan(sonde, network, "--provider", "ip-api", "--concurrency", 8).feed(ADDRESSES)
    network.simulator.wait_for(4)
    network.simulator.control(reset=False, faults=[{"fault": "login_200"}])
    lost = seconds(scan.wait_for("offline")["at"])
    time.sleep(0.6)
    late = [line["at"] - lost for line in network.simulator.arrivals() if line["at"] > lost]
    print("last request after the event, ms:", [round(at * 1000) for at in late])
    assert all(at < 0.05 for at in late)
    network.simulator.control(reset=False, faults=[])
    assert scan.finish().status == 0


def test_sigint_in_a_loss_ends_it(sonde, network):
    scan = Scan(sonde, network, *OPTIONS).feed(ADDRESSES)
    network.simulator.wait_for(4)
    network.lose()
    scan.wait_for("offline")
    time.sleep(0.2)
    scan.running.signal(signal.SIGINT)
    result = scan.finish(timeout=10)
    network.restore()
    assert result.status == 130 and scan.summary["losses"] == 1
    known = [record["ip"] for record in result.records]
    assert len(known) >= 200 and known == ADDRESSES[: len(known)]


def test_what_is_given_up_stays_counted_in_the_quota(sonde, network):
    network.simulator.control(batch_limit=6, window=3, latency=0.3)
    scan = Scan(sonde, network, "--provider", "ip-api", "--concurrency", 8).feed(ADDRESSES[:1500])
    network.simulator.wait_for(1)
    for _ in range(3):
        time.sleep(0.4)
        network.lose()
        time.sleep(0.4)
        network.restore()
    result = scan.finish()
    assert result.status == 0 and [r["ip"] for r in result.records] == ADDRESSES[:1500]
    assert network.simulator.counts()["throttled"] == 0 == scan.summary["throttled"]
    assert all(window["requests"] <= 6 for window in network.simulator.windows())


def test_what_could_not_be_delivered_is_not_delivered_later(sonde, network):
    # Written into connections that lead nowhere; the kernel would send it whenever the way is back.
    network.simulator.control(batch_limit=3, window=1, latency=0.05)
    options = ("--provider", "ip-api", "--concurrency", 4, "--timeout", "1s")
    scan = Scan(sonde, network, *options).feed(ADDRESSES[:1500])
    network.simulator.wait_for(3)
    network.far.drop(f"tcp dport {PORT}")
    scan.wait_for("offline")
    time.sleep(0.5)
    network.far.pass_all()
    result = scan.finish()
    assert result.status == 0 and [r["ip"] for r in result.records] == ADDRESSES[:1500]
    assert network.simulator.counts()["throttled"] == 0
    assert scan.said(f"unreachable on near0, on the path to {PROVIDER}:{PORT}")


def test_what_was_given_up_undelivered_is_not_delivered_either(sonde, network):
    # The quota is spent, so that nothing is sent after the return for seconds.
    network.simulator.control(batch_limit=2, window=6, latency=0.02)
    scan = Scan(sonde, network, *OPTIONS).feed(ADDRESSES[:100], ends=False)
    network.simulator.wait_for(1)
    network.far.drop(f"tcp dport {PORT}")
    scan.feed(ADDRESSES[100:200])
    time.sleep(1)
    network.lose()
    scan.wait_for("offline")
    network.far.pass_all()
    network.restore()
    result = scan.finish()
    assert result.status == 0 and [r["ip"] for r in result.records] == ADDRESSES[:200]
    assert [line["first"] for line in network.simulator.arrivals()] == [ADDRESSES[0], ADDRESSES[100]]


def test_a_login_page_says_nothing_of_the_quota(sonde, network):
    network.simulator.control(batch_limit=4, window=2, latency=0.02)
    scan = Scan(sonde, network, "--provider", "ip-api", "--concurrency", 8).feed(ADDRESSES[:1600])
    network.simulator.wait_for(4)
    # The first thing that is heard in the next window.
    network.simulator.control(reset=False, faults=[{"fault": "login_200"}])
    scan.wait_for("offline")
    network.simulator.control(reset=False, faults=[])
    result = scan.finish()
    assert result.status == 0 and [r["ip"] for r in result.records] == ADDRESSES[:1600]
    assert network.simulator.counts()["throttled"] == 0


def test_a_spent_quota_does_not_outlast_the_patience(sonde, network, loc_database):
    network.simulator.control(batch_limit=2, window=20, latency=0)
    scan = Scan(
        sonde, network, "--provider", "ip-api,local", "--database", loc_database, "--offline-timeout", "1s"
    ).feed(ADDRESSES[:1000])
    network.simulator.wait_for(2)
    time.sleep(0.2)
    network.lose()
    began = time.monotonic()
    try:
        result = scan.finish()
    finally:
        network.restore()
    assert 0.8 <= time.monotonic() - began < 4
    expected = ["ip-api" if record(a)["status"] == "ok" else "libloc" for a in ADDRESSES[:200]]
    assert [r.get("source") for r in result.records] == expected + ["libloc"] * 800
    assert result.status == 0


def test_each_loss_has_the_whole_patience(sonde, network):
    network.simulator.control(batch_limit=2, window=4, latency=0)
    scan = Scan(sonde, network, "--provider", "ip-api", "--offline-timeout", "1s")
    scan.feed(ADDRESSES[:250], ends=False)
    network.simulator.wait_for(2)
    # Nothing is answered between the two: the quota is spent.
    for addresses in (ADDRESSES[250:300], ADDRESSES[300:350]):
        network.lose()
        scan.wait_for("offline")
        scan.feed(addresses, ends=False)
        time.sleep(0.6)
        network.restore()
        time.sleep(0.4)
    result = scan.finish()
    assert result.status == 0 and [r["ip"] for r in result.records] == ADDRESSES[:350]
