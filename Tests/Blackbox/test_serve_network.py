"""`sonde serve` while its network comes and goes."""

import contextlib
import json
import sqlite3
import time

import pytest
from command import wait_for
from namespaces import Network, skip_unless_allowed
from serving import Dashboard

pytestmark = [pytest.mark.slow, skip_unless_allowed()]


@pytest.fixture
def network():
    """A near and a far side, with a simulator there."""
    network = Network()
    network.simulator.control(batch_limit=None, single_limit=None)
    yield network
    network.close()


@pytest.fixture
def near(sonde, network):
    """A server on the near side."""
    options = ("--provider", "ip-api", "--events", "events.ndjson")
    return Dashboard(sonde, network, *options, namespace=network.near)


def test_a_loss_is_told_and_kept(near, network, sonde):
    stream = near.events()
    assert stream.next("network")[1]["state"] == "online"
    network.lose()
    event = stream.next("network", timeout=5)[1]
    assert (event["state"], event["cause"], event["interface"]) == ("offline", "link_down", "near0")
    assert near.get("network")["cause"] == "link_down"
    assert near.get("network/losses")["items"][0]["end"] is None
    # A stream that begins now begins with that.
    assert near.events().next("network")[1]["state"] == "offline"
    answer = near.ask("POST", "lookups", json={"ip": "8.8.8.8"})
    assert (answer.status, answer.problem, answer.json["cause"]) == (503, "network-lost", "link_down")
    network.restore()
    assert stream.next("network", timeout=5)[1]["state"] == "online"
    loss = near.get("network/losses")["items"][0]
    assert set(loss) == {"start", "end", "seconds", "cause", "interface"} and loss["seconds"] > 0
    assert near.ask("GET", "network/losses", format="csv").body.count(b"\n") == 2
    assert near.ask("POST", "lookups", json={"ip": "8.8.8.8"}).status == 200
    near.stop()
    said = near.running.stderr
    assert said.count("sonde: network lost") == 1 == said.count("sonde: network is back")
    events = [json.loads(line) for line in sonde.read("events.ndjson").splitlines()]
    assert {"offline", "online"} <= {event["state"] for event in events if event["event"] == "network"}


def test_the_history_is_served_as_outages_prints_it(near, network, sonde):
    stream = near.events()
    assert stream.next("network")[1]["state"] == "online"
    network.lose()
    assert stream.next("network", timeout=10)[1]["state"] == "offline"
    network.restore()
    assert stream.next("network", timeout=10)[1]["state"] == "online"
    # What follows is of a time that does not grow any more.
    wait_for(lambda: near.get("network/losses")["items"] and near.get("network/losses")["items"][0]["end"])
    until = near.get("network/losses")["items"][0]["end"]
    got = near.get("network/outages", until=until)
    span = ("--since", got["summaries"][0]["since"], "--until", until)
    assert json.loads(sonde("outages", "--format", "json", *span).stdout) == got
    assert [outage["cause"] for outage in got["outages"]] == ["link_down"]
    states = [(band["state"], band["cause"]) for band in near.get("network/timeline", since="1h")["items"]]
    assert states == [("online", None), ("offline", "link_down"), ("online", None)]
    assert near.get("network/timeline", since=until)["items"][0]["state"] == "online"
    for query in ({"since": "yesterday"}, {"since": "2026-02-30"}, {"since": "1h", "until": "2h"}):
        assert near.ask("GET", "network/outages", **query).status == 422
    assert near.ask("GET", "network/latency", until="1h").status == 400


def test_the_time_to_connect_is_kept_by_minutes(near, network):
    wait_for(lambda: near.get("network/latency")["items"])
    minute = near.get("network/latency")["items"][0]
    assert set(minute) == {"at", "connect_ms", "failed"} and minute["at"].endswith(":00.000Z")
    assert 0 < minute["connect_ms"] < 3000 and minute["failed"] == 0
    near.stop()
    near.start()
    kept = near.get("network/latency")["items"]
    assert kept[0]["at"] == minute["at"] and kept[0]["connect_ms"] > 0
    # One that begins later is not shown.
    assert near.get("network/latency", since="0s")["items"] == []


def test_losses_that_an_earlier_version_kept_are_carried_over_once(near, network, sonde):
    near.stop()
    start = int(time.time() - 7 * 86400) * 1000
    kept = [(start, start + 2500, "link_down", "near0"), (start + 60_000, None, "unreachable", None)]
    with contextlib.closing(sqlite3.connect(near.state / "serve.db")) as database, database:
        rows = "INSERT INTO losses (scan, begin, end, cause, interface) VALUES (NULL, ?, ?, ?, ?)"
        database.executemany(rows, kept)
    for _ in range(2):
        near.start()
        wait_for(lambda: len(near.get("network/losses")["items"]) == 2)
        losses = near.get("network/losses")["items"][::-1]
        assert [(loss["cause"], loss["interface"], loss["seconds"]) for loss in losses] == [("link_down", "near0", 2.5), ("unreachable", None, 0.001)]
        near.stop()
        with contextlib.closing(sqlite3.connect(near.state / "serve.db")) as database:
            assert database.execute("SELECT count(*) FROM losses").fetchone() == (0,)
    shown = json.loads(sonde("outages", "--format", "json").stdout)["outages"]
    assert [(outage["duration_ms"], outage["estimated"]) for outage in shown] == [(2500, False), (1, True)]


def test_a_scan_waits_for_the_network(near, network):
    network.simulator.control(batch_limit=None, latency=0.4)
    scan = near.scan("".join(f"8.8.{n >> 8}.{n & 255}\n" for n in range(6000))).json["id"]
    stream = near.events()
    while (near.get(f"scans/{scan}")["counts"] or {}).get("ok", 0) < 200:
        time.sleep(0.02)
    network.lose()
    start, told = time.monotonic(), {}
    while told.get("waiting") != "network":
        told = stream.next("scan", timeout=5)[1]
    assert told["state"] == "waiting" and time.monotonic() - start < 2
    assert near.get(f"scans/{scan}")["waiting"] == "network"
    network.restore()
    counts = near.until(scan, "done")["counts"]
    assert (counts["ok"] + counts["unknown"], counts["losses"]) == (6000, 1), counts
    while told["state"] != "done":
        told = stream.next("scan")[1]
    assert len(near.get(f"scans/{scan}/throughput")["losses"]) == 1


@pytest.mark.parametrize(
    "url, key, notice",
    [
        (None, None, "Addresses go to ip-api.com unencrypted, for non-commercial use only."),
        ("http://192.0.2.7:8080/api", None, "Addresses go to 192.0.2.7:8080 unencrypted."),
        ("http://mirror.example/", None, "Addresses go to mirror.example unencrypted."),
        ("https://mirror.example/", None, ""),
        ("http://127.0.0.1:9/", None, ""),
        ("http://[::1]:9/", None, ""),
        ("http://localhost:9/", None, ""),
        (None, "a-key", ""),
    ],
)
def test_the_notice_names_the_host_that_is_asked(sonde, network, url, key, notice):
    env = {"SONDE_IP_API_URL": url, "SONDE_IP_API_KEY": key}
    page = Dashboard(sonde, None, env=env, namespace=network.near).ask("GET", "/").body.decode()
    assert f'name="sonde-notice" content="{notice}"' in page
