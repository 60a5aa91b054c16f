"""`sonde serve --shared`: the dashboard on the quotas and answers that machines share."""

import signal

import pytest
from serving import Dashboard

pytestmark = pytest.mark.slow

ADDRESSES = [f"5.7.{n // 250}.{n % 250}" for n in range(1200)]


@pytest.fixture
def dashboard(sonde, simulator, redis):
    """A dashboard on it that asks one provider alone."""
    return Dashboard(sonde, simulator, "--provider", "ip-api", "--shared", redis.url)


def test_what_one_machine_has_asked_is_known_on_all(sonde, simulator, redis, dashboard):
    other = {"XDG_STATE_HOME": str(sonde.home / "other")}
    second = Dashboard(sonde, simulator, "--provider", "ip-api", "--shared", redis.url, env=other)
    for server, was_known in ((dashboard, False), (second, True)):
        found = server.ask("POST", "lookups", json={"ip": "8.8.8.8"})
        assert (found.status, found.json["cached"]) == (200, was_known)
        assert server.get("cache/stats")["count"] == 1
    [record] = sonde("scan", "8.8.8.8", "--provider", "ip-api", "--shared", redis.url, env=simulator.env).records
    assert record["cached"] is True
    assert simulator.counts()["total"] == 1
    # Forgotten here is forgotten everywhere.
    assert second.ask("DELETE", "cache/8.8.8.8").status == 204
    assert dashboard.get("cache/stats")["count"] == 0
    assert b"8.8.8.8" not in sonde("cache", "list", "--shared", redis.url).stdout


def test_while_the_server_is_gone_it_waits_and_says_so_and_goes_on_after(simulator, redis, dashboard):
    simulator.control(latency=0.3)
    scan = dashboard.scan("\n".join(ADDRESSES) + "\n", name="list.txt").json["id"]
    dashboard.ask("POST", f"scans/{scan}/start")
    dashboard.until(scan, "running", entries=100)
    redis.signal(signal.SIGSTOP)
    assert dashboard.until(scan, "waiting")["waiting"] == "network"
    answer = dashboard.ask("POST", "lookups", json={"ip": "9.9.9.9"})
    assert (answer.status, answer.problem, answer.json["cause"]) == (503, "network-lost", "shared_unreachable")
    network = dashboard.get("network")
    assert (network["state"], network["cause"]) == ("offline", "shared_unreachable")
    redis.signal(signal.SIGCONT)
    counts = dashboard.until(scan, "done")["counts"]
    assert (counts["entries"], counts["losses"], counts["failed"], counts["network_lost"]) == (len(ADDRESSES), 1, 0, 0)
    assert dashboard.get("network")["state"] == "online"
    [loss] = dashboard.get(f"scans/{scan}/throughput")["losses"]
    assert (loss["cause"], loss["interface"]) == ("shared_unreachable", None) and loss["end"]
