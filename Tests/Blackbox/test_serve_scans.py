"""Scans through the HTTP API of `sonde serve`."""

import contextlib
import csv
import gzip
import http.client
import json
import os
import random
import signal
import subprocess
import time

import pytest
from command import wait_for
from serving import Dashboard, Terminal

pytestmark = pytest.mark.slow


def addresses(count, seed=1):
    """A list of global addresses, each once."""
    chosen = random.Random(seed).sample(range(0x08000000, 0x09000000), count)
    return "".join(f"8.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}\n" for n in chosen)


def without_times(records):
    """Records without what differs from run to run."""
    return [{k: v for k, v in record.items() if k not in ("cached", "fetched_at")} for record in records]


MIXED = "8.8.8.8\n10.0.0.1\n8.8.8.8\nnonsense\n1.1.1.0/30\n2606:4700::1111\n=cmd\n"


def done(dashboard, content, **query):
    """A scan that is done."""
    answer = dashboard.scan(content, **query)
    assert answer.status == 201, answer
    return dashboard.until(answer.json["id"], "done")


def test_a_scan_from_upload_to_download(dashboard, sonde, simulator):
    scan = done(dashboard, MIXED, name="mixed.txt", **{"as": "list"})
    members = {"id", "name", "as", "state", "waiting", "created_at", "bytes", "total", "counts", "rate"}
    assert members | {"quota", "seconds_left", "plan"} <= set(scan)
    assert (scan["name"], scan["as"], scan["bytes"]) == ("mixed.txt", "list", len(MIXED))
    assert (scan["total"], scan["waiting"]) == (10, None)
    counts = scan["counts"]
    parts = ("duplicates", "ok", "unknown", "reserved", "invalid", "failed", "network_lost")
    assert counts["entries"] == 10 == sum(counts[part] for part in parts)
    sonde.file("mixed.txt", MIXED)
    for form in ("csv", "ndjson", "json"):
        own = sonde("scan", "mixed.txt", "--format", form, "--spreadsheet", env=simulator.env).stdout
        query = {"format": form, "spreadsheet": "true"}
        answer = dashboard.ask("GET", f"scans/{scan['id']}/records", **query)
        assert answer.status == 200
        assert answer.headers.get_filename() == f"sonde-{scan['id']}.{form}"
        assert read(answer.body, form) == read(own, form), form


def read(body, form):
    """The records of a file, without what differs from run to run."""
    if form == "csv":
        rows = list(csv.DictReader(body.decode().splitlines()))
    elif form == "ndjson":
        rows = [json.loads(line) for line in body.splitlines()]
    else:
        rows = json.loads(body)
    return without_times(rows)


def test_a_log_is_known_by_its_lines(dashboard):
    log = "".join(f'8.8.8.{i} - - [01/Jan/2026] "GET / HTTP/1.1" 200\n' for i in range(20))
    assert done(dashboard, log)["counts"]["ok"] == 20
    assert done(dashboard, log, **{"as": "list"})["counts"]["invalid"] == 20
    assert done(dashboard, "8.8.8.8 text\n", **{"as": "log"})["counts"]["ok"] == 1


def test_a_compressed_upload(dashboard):
    assert done(dashboard, gzip.compress(MIXED.encode()), **{"as": "list"})["counts"]["entries"] == 10


def test_an_empty_upload(dashboard):
    assert done(dashboard, "")["counts"]["entries"] == 0


def test_a_scan_that_is_not_started_has_a_plan(dashboard):
    scan = dashboard.scan(MIXED, start="false", **{"as": "list"}).json
    assert scan["state"] == "ready"
    deadline = time.monotonic() + 10
    while scan["plan"] is None and time.monotonic() < deadline:
        scan = dashboard.get(f"scans/{scan['id']}")
    assert (scan["plan"]["entries"], scan["plan"]["invalid"], scan["state"]) == (10, 2, "ready")
    answer = dashboard.ask("POST", f"scans/{scan['id']}/start")
    assert answer.status == 200
    assert dashboard.until(scan["id"], "done")["counts"]["entries"] == 10


def test_pause_resume_and_a_download_equal_to_scan_s(dashboard, sonde, simulator):
    simulator.control(latency=0.05, batch_limit=None)
    content = addresses(2000)
    scan = dashboard.scan(content).json["id"]
    stream = dashboard.events()
    while stream.next("scan")[1]["counts"] is None:
        pass
    assert dashboard.ask("POST", f"scans/{scan}/pause").status == 200
    assert dashboard.until(scan, "paused")["state"] == "paused"
    assert dashboard.ask("POST", f"scans/{scan}/pause").status == 200
    assert dashboard.ask("POST", f"scans/{scan}/resume").status == 200
    now = dashboard.until(scan, "done")
    assert now["counts"]["ok"] == 2000
    sonde.file("list.txt", content)
    own = sonde("scan", "list.txt", "--format", "ndjson", env=simulator.env).stdout
    got = dashboard.ask("GET", f"scans/{scan}/records", format="ndjson").body
    assert read(got, "ndjson") == read(own, "ndjson")


def test_stop_is_final(dashboard, simulator):
    simulator.control(latency=0.3)
    scan = dashboard.scan(addresses(3000)).json["id"]
    assert dashboard.ask("POST", f"scans/{scan}/stop").status == 200
    assert dashboard.until(scan, "stopped")["state"] == "stopped"
    assert dashboard.ask("POST", f"scans/{scan}/stop").status == 200
    for command in ("start", "pause", "resume"):
        answer = dashboard.ask("POST", f"scans/{scan}/{command}")
        assert (answer.status, answer.problem) == (409, "conflict"), command
    json.loads(dashboard.ask("GET", f"scans/{scan}/records", format="json").body)


def test_two_scans_share_one_quota(dashboard, simulator):
    simulator.control(window=2, batch_limit=3)
    scans = [dashboard.scan(addresses(700, seed)).json["id"] for seed in (1, 2)]
    for scan in scans:
        assert dashboard.until(scan, "done", timeout=60)["counts"]["ok"] == 700
    statuses = [entry["status"] for entry in simulator.log()]
    assert len(statuses) == 14 and set(statuses) == {200}


def test_retry_with_nothing_to_ask_is_409(dashboard):
    scan = done(dashboard, "8.8.8.8\n")["id"]
    assert dashboard.ask("POST", f"scans/{scan}/retry").problem == "conflict"


def test_a_scan_outlasts_a_killed_server(dashboard, sonde, simulator):
    simulator.control(latency=0.1, batch_limit=None)
    content = addresses(3000)
    scan = dashboard.scan(content).json["id"]
    while (dashboard.get(f"scans/{scan}")["counts"] or {}).get("entries", 0) < 300:
        time.sleep(0.02)
    dashboard.stop(signal.SIGKILL)
    dashboard.start()
    assert dashboard.until(scan, "done")["counts"]["ok"] == 3000
    sonde.file("list.txt", content)
    own = sonde("scan", "list.txt", "--format", "ndjson", env=simulator.env).stdout
    got = dashboard.ask("GET", f"scans/{scan}/records", format="ndjson").body
    assert read(got, "ndjson") == read(own, "ndjson")


def kill_while_it_runs(dashboard, scan, entries, meanwhile=lambda: None):
    """Kills the server, which lets the scan get no further, and starts another one."""
    dashboard.until(scan, "running", entries=entries)
    # Records are on the disk a second later at the latest.
    time.sleep(2)
    dashboard.stop(signal.SIGKILL)
    meanwhile()
    dashboard.start()
    return dashboard.get(f"scans/{scan}")


def test_a_scan_that_the_server_dies_of_twice_is_failed(dashboard, simulator):
    content = addresses(450)
    simulator.control(batch_limit=None, faults=[{"fault": "hold", "address": content.split()[200]}])
    scan = dashboard.scan(content).json["id"]
    other = dashboard.scan("10.0.0.1\n").json["id"]
    assert dashboard.until(other, "done")
    assert kill_while_it_runs(dashboard, scan, 200)["state"] in ("running", "waiting")
    failed = kill_while_it_runs(dashboard, scan, 200)
    assert (failed["state"], failed["counts"]["entries"]) == ("failed", 200)
    assert "the server ended twice while it ran" in failed["detail"]
    assert dashboard.get(f"scans/{other}")["state"] == "done"
    assert dashboard.ask("POST", f"scans/{scan}/start").problem == "conflict"
    # Once more, and no more than that.
    assert dashboard.ask("POST", f"scans/{scan}/resume").json["state"] in ("running", "waiting")
    assert kill_while_it_runs(dashboard, scan, 200)["state"] == "failed"
    simulator.control(faults=[])
    resumed = dashboard.ask("POST", f"scans/{scan}/resume").json
    assert resumed["detail"] is None
    assert dashboard.until(scan, "done")["counts"]["ok"] == 450
    assert len(read(dashboard.ask("GET", f"scans/{scan}/records", format="ndjson").body, "ndjson")) == 450


def test_a_scan_that_gets_further_each_time_goes_on(dashboard, simulator):
    # Few enough for the quota of a minute.
    content = addresses(400)
    holds = [{"fault": "hold", "address": content.split()[entry]} for entry in (100, 200, 300)]
    simulator.control(batch_limit=None, faults=holds)
    scan = dashboard.scan(content).json["id"]
    for number in (1, 2, 3):
        go_on = lambda: simulator.control(faults=holds[number:])  # noqa: B023, E731
        assert kill_while_it_runs(dashboard, scan, 100 * number, go_on)["state"] != "failed"
    assert dashboard.until(scan, "done")["counts"]["ok"] == 400


@pytest.mark.parametrize("state", ["paused", "waiting", "ended"])
def test_a_scan_that_did_not_run_when_the_server_died_is_none_that_kills(dashboard, simulator, state):
    simulator.control(batch_limit=2)
    content = addresses(450)
    scan = dashboard.scan(content).json["id"]
    dashboard.until(scan, "waiting", entries=200)
    if state == "paused":
        dashboard.ask("POST", f"scans/{scan}/pause")
    for _ in range(4):
        time.sleep(0.5)
        dashboard.stop(signal.SIGTERM if state == "ended" else signal.SIGKILL)
        dashboard.start()
        assert dashboard.get(f"scans/{scan}")["state"] in (("paused",) if state == "paused" else ("running", "waiting"))


def test_a_scan_outlasts_an_ended_server(dashboard, simulator):
    simulator.control(latency=0.1, batch_limit=None)
    scan = dashboard.scan(addresses(3000)).json["id"]
    time.sleep(0.3)
    result, elapsed = dashboard.stop()
    assert (result.status, elapsed < 2) == (0, True)
    dashboard.start()
    assert dashboard.until(scan, "done")["counts"]["ok"] == 3000


def test_an_end_before_the_link_is_read_is_told(dashboard, simulator):
    simulator.control(latency=5, batch_limit=None)
    scan = dashboard.scan(addresses(300)).json["id"]
    dashboard.stop(signal.SIGKILL)
    # The server answers already, but its link goes nowhere.
    with contextlib.closing(Terminal()) as terminal:
        terminal.fill()
        server = terminal.serve(dashboard.sonde, dashboard.env, dashboard.address)
        try:
            wait_for(dashboard.is_answering)
            stream = dashboard.events()
            dashboard.until(scan, "done")
            # Changes are told a quarter of a second after one another at the soonest.
            time.sleep(1)
            wait_for(lambda: "#open=" in terminal.read())
            while stream.next("scan")[1]["state"] != "done":
                pass
        finally:
            server.kill()
            server.communicate()


# Making one


def test_an_equal_idempotency_key_gives_the_same_scan(dashboard):
    key = {"Idempotency-Key": "abc"}
    first = dashboard.scan("8.8.8.8\n", headers=key).json["id"]
    assert dashboard.scan("8.8.8.8\n", headers=key).json["id"] == first
    other = dashboard.scan("8.8.4.4\n", headers=key)
    assert (other.status, other.problem) == (409, "conflict")
    assert len(dashboard.get("scans")["items"]) == 1


def test_a_request_that_is_repeated_is_no_further_scan(sonde, simulator):
    dashboard = Dashboard(sonde, simulator, "--limit-scans", "1")
    key = {"Idempotency-Key": "abc"}
    first = dashboard.scan("8.8.8.8\n", headers=key).json["id"]
    again = dashboard.scan("8.8.8.8\n", headers=key)
    assert (again.status, again.json["id"]) == (201, first)


def test_a_cut_upload_leaves_nothing(dashboard):
    connection = dashboard.connect()
    connection.putrequest("POST", "/api/v1/scans")
    fields = {"Cookie": dashboard.cookie, "Content-Type": "application/octet-stream"}
    for name, value in {**fields, "Content-Length": "1000000"}.items():
        connection.putheader(name, value)
    connection.endheaders()
    connection.send(b"8.8.8.8\n" * 1000)
    time.sleep(0.3)
    connection.close()
    deadline = time.monotonic() + 5
    while list((dashboard.state / "uploads").iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not list((dashboard.state / "uploads").iterdir())
    assert dashboard.get("scans")["items"] == []


def test_an_upload_that_is_too_long(sonde, simulator):
    dashboard = Dashboard(sonde, simulator, "--limit-upload", "1KiB")
    answer = dashboard.scan("8.8.8.8\n" * 1000)
    assert (answer.status, answer.problem) == (413, "too-large")
    assert done(dashboard, "8.8.8.8\n" * 10)["counts"]["entries"] == 10
    assert not list((dashboard.state / "uploads").iterdir())


def test_too_many_scans(sonde, simulator):
    dashboard = Dashboard(sonde, simulator, "--limit-scans", "1")
    scan = done(dashboard, "8.8.8.8\n")["id"]
    answer = dashboard.scan("8.8.8.8\n")
    assert (answer.status, answer.problem) == (413, "too-large")
    assert dashboard.ask("DELETE", f"scans/{scan}").status == 204
    assert dashboard.scan("8.8.8.8\n").status == 201


def test_too_many_entries(sonde, simulator):
    dashboard = Dashboard(sonde, simulator, "--limit-entries", "3")
    scan = dashboard.scan("1.1.1.0/29\n").json["id"]
    assert "3" in dashboard.until(scan, "failed")["detail"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"as": "csv"}, 422),
        ({"provider": "nobody"}, 422),
        ({"start": "yes"}, 422),
        ({"name": "x" * 201}, 422),
        ({"name": "a\nb"}, 422),
        ({"colour": "red"}, 400),
        ({"headers": {"Idempotency-Key": "x" * 256}}, 422),
    ],
)
def test_what_cannot_be_made(dashboard, query, status):
    answer = dashboard.scan("8.8.8.8\n", **query)
    assert (answer.status, answer.problem) == (status, "invalid")
    assert dashboard.get("scans")["items"] == []


def test_what_a_provider_lacks_is_said(dashboard):
    listed = {each["name"]: each for each in dashboard.get("providers")["items"]}
    assert not listed["ipinfo-lite"]["available"] and listed["ipinfo-lite"]["detail"]
    for providers in ("ipinfo-lite", "ip-api,ipinfo-lite"):
        answer = dashboard.scan("8.8.8.8\n", provider=providers)
        assert (answer.status, answer.problem) == (422, "invalid")
        assert answer.json["detail"] == listed["ipinfo-lite"]["detail"]
    assert "there is no provider 'nobody'" in dashboard.scan("8.8.8.8\n", provider="nobody").json["detail"]
    assert dashboard.get("scans")["items"] == []


def test_the_body_is_octets(dashboard):
    answer = dashboard.ask("POST", "scans", body=b"8.8.8.8\n", headers={"Content-Type": "text/plain"})
    assert (answer.status, answer.problem) == (415, "media-type")


def test_what_is_empty_is_not_given(dashboard):
    empty = {"Idempotency-Key": ""}
    scans = [dashboard.scan("8.8.8.8\n", headers=empty, name=" ", provider="").json for _ in range(2)]
    assert scans[0]["id"] != scans[1]["id"]
    assert scans[0]["name"].strip() and scans[0]["provider"] is None


def test_names_are_text(dashboard):
    name = "<script>../../é\u202e%00"
    assert done(dashboard, "8.8.8.8\n", name=name)["name"] == name


# Reading one


@pytest.fixture
def three(dashboard):
    """A scan of three addresses, a reserved one and an invalid one."""
    return done(dashboard, "9.9.9.9\n8.8.8.8\n1.1.1.1\n10.0.0.1\nx\n", **{"as": "list"})["id"]


def test_pages(dashboard, three):
    page = dashboard.get(f"scans/{three}/records")
    assert set(page) == {"items", "page", "pages", "total", "more", "columns"}
    assert [item["ip"] for item in page["items"]] == ["9.9.9.9", "8.8.8.8", "1.1.1.1", "10.0.0.1", "x"]
    page = dashboard.get(f"scans/{three}/records", page=2, size=2)
    assert ([item["ip"] for item in page["items"]], page["pages"]) == (["1.1.1.1", "10.0.0.1"], 3)
    assert dashboard.get(f"scans/{three}/records", page=9)["items"] == []


def test_sorting_and_filtering(dashboard, three):
    def ips(**query):
        return [item["ip"] for item in dashboard.get(f"scans/{three}/records", **query)["items"]]

    assert ips(sort="ip", status="ok") == ["1.1.1.1", "8.8.8.8", "9.9.9.9"]
    assert ips(sort="-ip", status="ok") == ["9.9.9.9", "8.8.8.8", "1.1.1.1"]
    assert ips(filter="8.8.8") == ["8.8.8.8"]
    assert ips(filter="%") == []
    assert ips(status="reserved") == ["10.0.0.1"]


@pytest.mark.parametrize(
    "query",
    [{"page": 0}, {"filter": "\0"}, {"size": 501}, {"sort": "colour"}, {"status": "good"}, {"format": "xml"}, {"page": "a"}],
)
def test_wrong_values_are_422(dashboard, three, query):
    assert dashboard.ask("GET", f"scans/{three}/records", **query).status == 422


def test_files(dashboard, three):
    assert dashboard.ask("GET", f"scans/{three}/missing").body == b""
    rejects = dashboard.ask("GET", f"scans/{three}/rejects").body
    assert [json.loads(line)["ip"] for line in rejects.splitlines()] == ["x"]
    only = dashboard.ask("GET", f"scans/{three}/records", format="ndjson", status="ok").body
    assert len(only.splitlines()) == 3


def test_places_summary_and_throughput(dashboard, three):
    places = dashboard.get(f"scans/{three}/places", zoom=3)["items"]
    assert sum(place["addresses"] for place in places) == 3
    assert all({"latitude", "longitude", "addresses", "name"} == set(place) for place in places)
    assert dashboard.get(f"scans/{three}/places", zoom=3, bounds="89,0,90,1")["items"] == []
    for bounds in ("90,0,-90,0", "1,2,3", "a,b,c,d", "nan,0,0,0", "inf,0,0,0"):
        assert dashboard.ask("GET", f"scans/{three}/places", bounds=bounds).status == 422, bounds
    summary = dashboard.get(f"scans/{three}/summary")
    assert set(summary) == {"countries", "networks", "cities", "statuses", "addresses", "hours", "days"}
    assert sum(row["addresses"] for row in summary["countries"]) >= 3
    assert set(dashboard.get(f"scans/{three}/throughput")) == {"items", "losses"}


def test_what_is_not_there(dashboard):
    for path in (32 * "0", "0", 32 * "A", "..", "%2e%2e", 32 * "0" + "/records", 32 * "0" + "/places"):
        answer = dashboard.ask("GET", f"scans/{path}")
        assert answer.status in (400, 404), path
    assert dashboard.ask("DELETE", f"scans/{32 * '0'}").problem == "not-found"
    assert dashboard.ask("POST", f"scans/{32 * '0'}/pause").problem == "not-found"


def test_lists_come_in_pages(dashboard):
    ids = [dashboard.scan("8.8.8.8\n", name=str(i)).json["id"] for i in range(3)]
    first = dashboard.get("scans", limit=2)
    assert [item["id"] for item in first["items"]] == [ids[2], ids[1]]
    rest = dashboard.get("scans", limit=2, before=first["next"])
    assert ([item["id"] for item in rest["items"]], rest["next"]) == ([ids[0]], None)


def test_deleting_one_under_way(dashboard, simulator):
    simulator.control(latency=1)
    scan = dashboard.scan(addresses(500)).json["id"]
    assert dashboard.ask("DELETE", f"scans/{scan}").status == 204
    assert dashboard.ask("GET", f"scans/{scan}").status == 404
    assert not list((dashboard.state / "scans").iterdir())


def test_a_download_can_be_left(dashboard):
    scan = done(dashboard, addresses(1000), provider="local")["id"]
    connection = http.client.HTTPConnection(dashboard.address)
    path = f"/api/v1/scans/{scan}/records?format=csv"
    connection.request("GET", path, headers={"Cookie": dashboard.cookie})
    connection.getresponse().read(10)
    connection.close()
    assert dashboard.get(f"scans/{scan}")["state"] == "done"


# What is much more than it looks


def blank(gibibytes):
    """That many GiB of empty lines, compressed."""
    return gzip.compress(b"\n" * (64 << 20)) * (16 * gibibytes)


@pytest.mark.parametrize("is_started", ["true", "false"])
def test_a_bomb_is_deleted_at_once_and_holds_up_nobody_for_ever(dashboard, is_started):
    bombs = [dashboard.scan(blank(20), start=is_started, **{"as": "list"}).json["id"] for _ in range(2)]
    small = dashboard.scan("8.8.8.8\n", start="false").json["id"]
    # The one that waits for its turn first.
    for bomb in reversed(bombs):
        start = time.monotonic()
        assert dashboard.ask("DELETE", f"scans/{bomb}").status == 204
        # Far less than it takes to read one.
        assert time.monotonic() - start < 8
    wait_for(lambda: dashboard.get(f"scans/{small}")["plan"] is not None)


@pytest.mark.parametrize("is_started", ["true", "false"])
def test_a_bomb_does_not_hold_up_the_end_of_the_server(dashboard, is_started):
    dashboard.scan(blank(20), start=is_started, **{"as": "list"})
    time.sleep(0.5)
    result, _ = dashboard.stop()
    assert result.status == 0


def test_a_bomb_that_is_stopped_makes_room(dashboard):
    bombs = [dashboard.scan(blank(20), **{"as": "list"}).json["id"] for _ in range(2)]
    for bomb in bombs:
        assert dashboard.ask("POST", f"scans/{bomb}/stop").status == 200
    done(dashboard, "8.8.8.8\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small disk")
def test_a_disk_that_is_full_while_an_upload_comes(sonde, simulator, tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1064m", "tmpfs", folder], check=True)
    try:
        dashboard = Dashboard(sonde, simulator, "--state", folder / "serve")
        kept = done(dashboard, "8.8.8.8\n1.1.1.1\n")["id"]

        def upload():
            yield b"8.8.8.8\n" * 131_072
            # Somebody else fills the disk meanwhile.
            with contextlib.suppress(OSError), open(folder / "others", "wb") as others:
                while others.write(bytes(8 << 20)):
                    pass
            for _ in range(8):
                yield b"8.8.8.8\n" * 131_072

        headers = {"Content-Type": "application/octet-stream"}
        answer = dashboard.ask("POST", "scans", body=upload(), headers=headers)
        assert (answer.status, answer.problem) == (507, "disk")
        assert [scan["id"] for scan in dashboard.get("scans")["items"]] == [kept]
        # Less than 1 GiB is free: nothing more is taken, and what is there can be read.
        assert dashboard.scan("8.8.8.8\n").problem == "disk"
        assert len(dashboard.get(f"scans/{kept}/records")["items"]) == 2
        # What cannot be kept is told once, and who logs out is out.
        with contextlib.suppress(OSError), open(folder / "more", "wb", buffering=0) as more:
            while more.write(bytes(4096)):
                pass
        for number in range(2000):
            assert dashboard.ask("POST", "lookups", json={"ip": f"10.0.{number >> 8}.{number & 255}"}).status == 200
            if "look-ups are not kept" in dashboard.running.stderr:
                break
        for _ in range(3):
            assert dashboard.ask("POST", "lookups", json={"ip": "10.1.0.1"}).status == 200
        assert dashboard.running.stderr.count("look-ups are not kept") == 1
        other = dashboard.cookie
        assert dashboard.ask("DELETE", "session", cookie=other).status == 204
        assert dashboard.ask("GET", "session", cookie=other).status == 401
        assert "session" in dashboard.running.stderr
        (folder / "others").unlink()
        (folder / "more").unlink()
        link = sonde("serve", "link", "--state", folder / "serve").stdout.decode().rstrip("\n")
        dashboard.cookie = dashboard.open(link).headers["Set-Cookie"].partition(";")[0]
        assert dashboard.ask("GET", "session", cookie=other).status == 401
        left = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        assert left < 4 << 20
        done(dashboard, "9.9.9.9\n")
        assert dashboard.stop()[0].status == 0
    finally:
        sonde.close()
        subprocess.run(["umount", folder], check=True)


# How far it is


def test_nothing_is_done_while_it_waits_for_quota(dashboard, simulator):
    simulator.control(window=60)
    scan = dashboard.scan(addresses(2000), start="false").json["id"]
    while dashboard.get(f"scans/{scan}")["plan"] is None:
        time.sleep(0.02)
    start = time.time()
    assert dashboard.ask("POST", f"scans/{scan}/start").status == 200
    # The last of the window's requests may still be under way when nothing more is sent.
    waiting = dashboard.until(scan, "waiting", entries=1500)
    assert (waiting["waiting"], waiting["counts"]["requests"], waiting["counts"]["entries"]) == ("quota", 15, 1500)
    for _ in range(4):
        now = dashboard.get(f"scans/{scan}")
        left = 60 - (time.time() - start)
        assert (now["state"], now["rate"], now["quota"]) == ("waiting", 0, 0)
        assert left - 3 < now["seconds_left"] < left + 4, (now, left)
        time.sleep(0.5)
    paused = dashboard.ask("POST", f"scans/{scan}/pause").json
    assert (paused["state"], paused["counts"]["entries"]) == ("paused", 1500)
    assert (paused["rate"], paused["quota"], paused["seconds_left"]) == (None, None, None)
    assert dashboard.ask("POST", f"scans/{scan}/stop").status == 200
    stopped = dashboard.get(f"scans/{scan}")
    assert (stopped["rate"], stopped["quota"], stopped["seconds_left"]) == (None, None, None)


def test_throughput_counts_answers_alone(dashboard, simulator):
    simulator.control(window=60)
    scan = dashboard.scan(addresses(2000)).json["id"]
    dashboard.until(scan, "waiting", entries=1500)

    def throughput():
        return dashboard.get(f"scans/{scan}/throughput")["items"]

    def answered(items):
        return [item for item in items if item["rate"]]

    wait_for(lambda: sum(item["rate"] for item in throughput()) == 1500)
    time.sleep(2.5)
    before = throughput()
    dashboard.stop(signal.SIGKILL)
    time.sleep(3)
    dashboard.start()
    dashboard.until(scan, "waiting")
    time.sleep(2.5)
    # No slope leads across the time in which there was no server.
    items = throughput()
    assert before[-1]["rate"] == 0 and answered(items) == answered(before), (before, items)
    counts = dashboard.get(f"scans/{scan}")["counts"]
    assert (counts["entries"], counts["requests"]) == (1500, 15)


def test_while_a_scan_is_retried_its_new_answers_are_found(dashboard, simulator):
    content = addresses(200)
    first, second = content.split()[0], content.split()[100]
    simulator.control(batch_limit=None, faults=[{"fault": "forbidden_json"}])
    scan = dashboard.scan(content, provider="ip-api").json["id"]
    dashboard.until(scan, "done", "failed")
    page = lambda **options: dashboard.get(f"scans/{scan}/records", **options)  # noqa: E731
    assert page(filter=first[:2], status="ok")["total"] == 0 and "country_code" not in page()["columns"]
    simulator.control(faults=[{"fault": "hold", "address": second}])
    assert dashboard.ask("POST", f"scans/{scan}/retry").status == 200
    # The simulator has nothing about one in 32.
    wait_for(lambda: 80 < page(filter=first[:2], status="ok")["total"] <= 100)
    assert dashboard.get(f"scans/{scan}")["state"] == "running" and "country_code" in page()["columns"]
    simulator.control(faults=[])
    dashboard.until(scan, "done")
    assert page(filter=first[:2], status="ok")["total"] > 180


def test_retry_asks_nobody_who_is_known_to_know_nothing(sonde, simulator, loc_database):
    dashboard = Dashboard(sonde, simulator, "--database", loc_database)
    # The simulator has nothing about one in 32, which the database has.
    scan = done(dashboard, "5.1.0.0/24\n")
    rows = dashboard.get(f"scans/{scan['id']}/records", size=500)["items"]
    others = [row["ip"] for row in rows if row.get("source") == "libloc"]
    assert others, scan
    for _ in range(2):
        answer = dashboard.ask("POST", f"scans/{scan['id']}/retry")
        assert (answer.status, answer.problem) == (409, "conflict"), answer
    assert dashboard.ask("DELETE", f"cache/{others[0]}").status == 204
    requests = simulator.requests("ip-api batch")
    assert dashboard.ask("POST", f"scans/{scan['id']}/retry").status == 200
    assert dashboard.until(scan["id"], "done")["counts"]["requests"] == scan["counts"]["requests"] + 1
    assert simulator.requests("ip-api batch") == requests + 1


# What is in it


@pytest.mark.parametrize("content", [b"", b"\n# nothing\n", bytes(range(256)) * 40])
def test_that_no_address_was_found_is_told(dashboard, content):
    scan = dashboard.scan(content, start="false").json["id"]
    while dashboard.get(f"scans/{scan}")["plan"] is None:
        time.sleep(0.02)
    assert "no address" in dashboard.get(f"scans/{scan}")["detail"]
    assert dashboard.ask("POST", f"scans/{scan}/start").status == 200
    assert "no address" in dashboard.until(scan, "done")["detail"]
    assert done(dashboard, "10.0.0.1\n")["detail"] is None


def test_how_it_was_read_is_told(dashboard):
    log = "".join(f'8.8.8.{i} - - [01/Jan/2026] "GET / HTTP/1.1" 200\n' for i in range(20))
    assert done(dashboard, log)["as"] == "log"
    assert done(dashboard, MIXED)["as"] == "log"
    assert done(dashboard, "8.8.8.8\n")["as"] == "list"


def test_a_plan_tells_of_those_who_send_something(dashboard, sonde, simulator):
    scan = done(dashboard, "8.8.8.8\n")
    assert [provider["name"] for provider in scan["plan"]["providers"]] == ["ip-api"]
    scan = done(dashboard, "8.8.8.8\n", provider="local")
    assert [provider["name"] for provider in scan["plan"]["providers"]] == ["local"]


def test_too_many_entries_fail_also_before_it_is_started(sonde, simulator):
    dashboard = Dashboard(sonde, simulator, "--limit-entries", "3")
    scan = dashboard.scan("1.1.1.0/29\n", start="false").json["id"]
    assert "--limit-entries" in dashboard.until(scan, "failed")["detail"]
    assert dashboard.ask("POST", f"scans/{scan}/start").problem == "conflict"
    assert dashboard.ask("DELETE", f"scans/{scan}").status == 204


# Bodies that are refused


@pytest.mark.parametrize("size", [100 << 10, 200 << 20])
@pytest.mark.parametrize("is_chunked", [False, True])
def test_an_upload_that_is_too_long_is_told_so_whatever_its_length(sonde, simulator, size, is_chunked):
    dashboard = Dashboard(sonde, simulator, "--limit-upload", "1KiB")
    chunk = b"8.8.8.8\n" * 8192

    def content():
        yield from (chunk for _ in range(size // len(chunk)))

    headers = {"Content-Type": "application/octet-stream"}
    if not is_chunked:
        headers["Content-Length"] = str(size // len(chunk) * len(chunk))
    answer = dashboard.ask("POST", "scans", body=content(), headers=headers)
    assert (answer.status, answer.problem) == (413, "too-large")
    assert dashboard.get("scans")["items"] == []


@pytest.mark.parametrize("mode", ["list", "log"])
def test_what_unpacks_to_far_too_much_fails(sonde, simulator, mode):
    dashboard = Dashboard(sonde, simulator, "--limit-upload", "4KiB")
    most = 100 * 4096
    for lines, state in ((b"10.0.0.1\n" + b"\n" * (most - 100), "done"), (b"10.0.0.1\n" + b"\n" * most, "failed")):
        scan = dashboard.scan(gzip.compress(lines), **{"as": mode}).json["id"]
        now = dashboard.until(scan, "done", "failed")
        assert now["state"] == state and now["counts"]["reserved"] == 1, now
        assert state == "done" or f"unpacks to more than {most} bytes" in now["detail"], now
