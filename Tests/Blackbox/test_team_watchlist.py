"""The watchlist of `sonde serve`: what is kept, asked for again, and told."""

import http.server
import json
import queue
import socket
import sqlite3
import threading
import time

import pytest
from serving import Dashboard, Team

pytestmark = pytest.mark.slow

WATCH = {"name": "resolver", "address": "8.8.8.8", "note": "ours"}


def add(server, **what):
    """The thing that was added."""
    answer = server.ask("POST", "watchlist", json={**WATCH, **what})
    assert answer.status == 201, answer
    return answer.json


def answered(server, thing):
    """The thing once it has an answer."""
    deadline = time.monotonic() + 15
    while True:
        [now] = [each for each in server.get("watchlist")["items"] if each["id"] == thing["id"]]
        if now["record"]:
            return now
        assert time.monotonic() < deadline
        time.sleep(0.1)


def make_old(server, thing, **members):
    """Changes the answer that is kept, as if it were of two days ago."""
    with sqlite3.connect(server.state / "serve.db", timeout=10) as database:
        [record] = database.execute("SELECT record FROM watched WHERE id = ?", [thing["id"]]).fetchone()
        record = json.dumps({**json.loads(record), **members}).encode()
        database.execute(
            "UPDATE watched SET record = ?, checked = checked - 172800000 WHERE id = ?", [record, thing["id"]]
        )


class Receiver(http.server.BaseHTTPRequestHandler):
    """Puts what is posted into a queue."""

    def do_POST(self):  # noqa: N802
        self.server.bodies.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        """Says nothing."""


@pytest.fixture
def receiver():
    """Receives webhooks at `url` into `bodies`."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.bodies = queue.Queue()
    server.url = f"http://127.0.0.1:{server.server_port}/hook"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_what_is_watched_is_kept_changed_and_removed(dashboard):
    thing = add(dashboard, address=" 008.008.008.008 ".replace("00", ""), note=None)
    assert thing == {**WATCH, "note": None, "id": thing["id"], "record": None, "checked_at": None, "changes": []}
    now = answered(dashboard, thing)
    assert now["record"]["ip"] == "8.8.8.8" and now["checked_at"] and now["changes"] == []
    place = f"watchlist/{thing['id']}"
    changed = dashboard.ask("PUT", place, json={**WATCH, "name": "renamed"})
    assert changed.status == 200 and changed.json == {**now, "name": "renamed", "note": "ours"}
    changed = dashboard.ask("PUT", place, json={**WATCH, "address": "2001:4860:4860:0::8888"})
    assert changed.json["address"] == "2001:4860:4860::8888" and changed.json["record"] is None
    dashboard.stop(9)
    dashboard.start()
    assert [each["id"] for each in dashboard.get("watchlist")["items"]] == [thing["id"]]
    assert dashboard.ask("DELETE", place).status == 204
    assert dashboard.ask("DELETE", place).status == 404
    assert dashboard.ask("PUT", place, json=WATCH).status == 404
    assert dashboard.get("watchlist") == {"items": [], "next": None}
    # Nobody looked it up.
    assert dashboard.get("lookups")["items"] == []


@pytest.mark.parametrize(
    "body, status, problem",
    [
        ({**WATCH, "address": "8.8.8.8:53"}, 422, "invalid-address"),
        ({**WATCH, "address": "8.8.8.0/24"}, 422, "invalid-address"),
        ({**WATCH, "address": ""}, 422, "invalid-address"),
        ({**WATCH, "name": ""}, 422, "invalid"),
        ({**WATCH, "name": " "}, 422, "invalid"),
        ({**WATCH, "name": 201 * "x"}, 422, "invalid"),
        ({**WATCH, "name": "a\tb"}, 422, "invalid"),
        ({**WATCH, "note": 2001 * "x"}, 422, "invalid"),
        ({**WATCH, "note": 1}, 422, "invalid"),
        ({"name": "x"}, 422, "invalid"),
        ({**WATCH, "id": "x"}, 400, "invalid"),
    ],
)
def test_what_cannot_be_watched(dashboard, body, status, problem):
    answer = dashboard.ask("POST", "watchlist", json=body)
    assert (answer.status, answer.problem) == (status, problem)


def test_a_page_of_the_list(dashboard):
    ids = [add(dashboard, name=f"{number}", address="10.0.0.1")["id"] for number in range(3)]
    page = dashboard.get("watchlist", limit=2)
    assert [each["id"] for each in page["items"]] == [ids[2], ids[1]]
    assert [each["id"] for each in dashboard.get("watchlist", before=page["next"])["items"]] == [ids[0]]


def test_a_change_is_shown_told_and_posted(sonde, simulator, receiver):
    dashboard = Dashboard(sonde, simulator, "--webhook", receiver.url)
    stream = dashboard.events()
    thing = add(dashboard)
    first = stream.next("watch")[1]
    assert first["id"] == thing["id"] and first["record"]["country"] == "United States"
    make_old(dashboard, thing, city="Old Town", country="Freedonia", as_name="Elsewhere", asn=1)
    told = stream.next("watch", timeout=15)[1]
    [now] = dashboard.get("watchlist")["items"]
    assert told == now
    network = f"AS{now['record']['asn']} {now['record']['as_name']}"
    assert [(each["field"], each["from"], each["to"]) for each in now["changes"]] == [
        ("country", "Freedonia", "United States"),
        ("network", "AS1 Elsewhere", network),
        ("city", "Old Town", now["record"]["city"]),
    ]
    posted = receiver.bodies.get(timeout=10)
    moment = now["changes"][0]["at"]
    summary = posted.pop("summary")
    assert posted == {"event": "watch", "at": moment, **now, "host": socket.gethostname()}
    assert summary == (
        f"{socket.gethostname()}: {now['name']} ({now['address']}) changed: country Freedonia to United States, "
        f"network AS1 Elsewhere to {network}, city Old Town to {now['record']['city']}"
    )
    # The same again is no change.
    make_old(dashboard, thing)
    time.sleep(3)
    assert receiver.bodies.empty()
    assert "--webhook" not in " ".join(dashboard.running.stderr.split())


def test_alerts_outlast_a_killed_server(sonde, simulator, receiver):
    url, address = receiver.url, receiver.server_address
    receiver.shutdown()
    receiver.server_close()
    dashboard = Dashboard(sonde, simulator, "--webhook", url)
    thing = answered(dashboard, add(dashboard))
    make_old(dashboard, thing, city="Old Town")
    deadline = time.monotonic() + 15
    while not dashboard.get("watchlist")["items"][0]["changes"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(0.5)
    dashboard.stop(9)
    again = http.server.ThreadingHTTPServer(address, Receiver)
    again.bodies = queue.Queue()
    threading.Thread(target=again.serve_forever, daemon=True).start()
    dashboard.start()
    assert again.bodies.get(timeout=20)["changes"][0]["from"] == "Old Town"
    again.shutdown()
    again.server_close()


@pytest.mark.parametrize("interval, asked", [("1s", True), ("1h", False)])
def test_how_often_it_asks(sonde, simulator, interval, asked):
    dashboard = Dashboard(sonde, simulator, "--watch-every", interval)
    first = answered(dashboard, add(dashboard))["checked_at"]
    time.sleep(5)
    assert (dashboard.get("watchlist")["items"][0]["checked_at"] != first) == asked


def test_it_yields_to_scans_and_leaves_people_a_quota(sonde, simulator):
    simulator.control(single_limit=20, batch_limit=1)
    dashboard = Dashboard(sonde, simulator)
    scan = dashboard.scan("".join(f"5.6.{number // 250}.{number % 250}\n" for number in range(250))).json["id"]
    dashboard.until(scan, "waiting")
    add(dashboard)
    time.sleep(3)
    assert dashboard.get("watchlist")["items"][0]["record"] is None
    dashboard.ask("POST", f"scans/{scan}/stop")
    dashboard.ask("DELETE", f"scans/{scan}")
    things = [add(dashboard, address=f"9.9.9.{number}") for number in range(12)]
    time.sleep(16)
    known = [each for each in dashboard.get("watchlist")["items"] if each["record"]]
    assert 0 < len(known) < len(things)
    assert dashboard.ask("POST", "lookups", json={"ip": "1.1.1.1"}).json["source"] == "ip-api"


def test_it_does_not_wait_for_a_scan_that_waits_for_another_provider(sonde, simulator):
    simulator.control(batch_limit=1)
    dashboard = Dashboard(sonde, simulator, "--provider", "ipinfo")
    scan = dashboard.scan("".join(f"5.6.7.{number}\n" for number in range(250)), provider="ip-api").json["id"]
    dashboard.until(scan, "waiting")
    assert dashboard.get(f"scans/{scan}")["waiting"] == "quota"
    assert answered(dashboard, add(dashboard))["record"]["source"] == "ipinfo"


def test_everybody_watches_their_own(sonde, simulator):
    team = Team(sonde, simulator)
    bob = team.person("bob@example.org")
    thing = add(team)
    assert team.get("watchlist", cookie=bob)["items"] == []
    for method, more in (("PUT", {"json": WATCH}), ("DELETE", {})):
        assert team.ask(method, f"watchlist/{thing['id']}", cookie=bob, **more).status == 404
    stream = team.events(cookie=bob)
    answered(team, thing)
    team.ask("POST", "lookups", json={"ip": "10.0.0.1"}, cookie=bob)
    assert stream.next("watch", "lookup")[0] == "lookup"
    assert team.user("remove", team.ADMIN).status == 0
    with sqlite3.connect(team.state / "serve.db") as database:
        assert database.execute("SELECT count(*) FROM watched").fetchone() == (0,)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_state_of_an_earlier_version_is_taken_up(dashboard, version):
    dashboard.ask("POST", "lookups", json={"ip": "10.0.0.1"})
    scan = dashboard.scan("10.0.0.1\n").json["id"]
    dashboard.until(scan, "done")
    dashboard.stop()
    with sqlite3.connect(dashboard.state / "serve.db") as database:
        database.execute("DROP TABLE uses")
        for column in ("running", "deaths", "place") if version < 3 else ():
            database.execute(f"ALTER TABLE scans DROP COLUMN {column}")
        if version == 1:
            database.execute("DROP TABLE watched")
        database.execute(f"PRAGMA user_version = {version}")
    dashboard.start()
    assert len(dashboard.get("lookups")["items"]) == 1
    assert dashboard.get(f"scans/{scan}")["state"] == "done"
    assert add(dashboard)
