"""`sonde lookup` and `sonde me`."""

import json
import os
import signal
import time

import pytest
from expected import differences, record
from hostile import hostile_text


def test_lookup_in_a_pipe_is_ndjson_in_order(sonde, simulator):
    result = sonde("lookup", "8.8.8.8", "10.0.0.1", "24.48.0.1", "--provider", "ip-api", env=simulator.env)
    first, reserved, last = result.records
    assert differences([first, last], [record("8.8.8.8"), record("24.48.0.1")]) == []
    assert reserved["status"] == "reserved" and result.status == 0


def test_lookup_of_nonsense_is_an_invalid_record(sonde, simulator):
    result = sonde("lookup", "nonsense!", "--provider", "ip-api", env=simulator.env)
    assert [r["status"] for r in result.records] == ["invalid"] and result.status == 1
    assert simulator.counts()["total"] == 0


def test_lookup_needs_an_address(sonde):
    result = sonde("lookup")
    assert (result.status, result.stdout) == (2, b"") and "usage" in result.stderr.lower()


def test_lookup_is_laid_out_for_a_person(sonde, simulator):
    screen = sonde.pty("lookup", "24.48.0.1", "--provider", "ip-api", env={**simulator.env, "NO_COLOR": "1"})
    shown = "\n".join(screen.lines)
    for text in ("24.48.0.1", "Canada", "Montreal", "America/Toronto", "5769", "Videotron Telecom Ltee"):
        assert text in shown
    assert not shown.lstrip().startswith("{") and "\x1b[" not in screen.raw and screen.status == 0


def test_lookup_shows_control_characters_escaped(sonde, simulator):
    simulator.control(hostile=True, batch_limit=None, single_limit=None)
    addresses = [a for a in (f"5.0.{n}.1" for n in range(100)) if len(hostile_text(a)) < 1000][:40]
    env = {**simulator.env, "NO_COLOR": "1", "TERM": "dumb"}
    screen = sonde.pty("lookup", *addresses, "--provider", "ip-api", "--progress", "never", env=env)
    for character in "\x1b\x07\x08\x00\x9b\x85\u2028\u2029\u202e\u2066":
        assert character not in screen.raw, repr(character)
    assert screen.status == 0


def test_lookup_falls_back_to_the_database(sonde, loc_database):
    options = ("--provider", "ip-api,local", "--database", loc_database, "--retries", "0")
    result = sonde("lookup", "8.8.8.8", *options)
    assert [(r["status"], r["source"]) for r in result.records] == [("ok", "libloc")]
    assert result.status == 0


def test_me_asks_ipify_and_looks_that_up(sonde, simulator):
    result = sonde("me", "--provider", "ip-api", env=simulator.env)
    assert differences(result.records, [record("24.48.0.1")]) == []
    assert result.status == 0
    assert simulator.counts()["requests"]["ipify address"] == 1
    assert simulator.addresses() == {"24.48.0.1": 1}


def test_me_does_not_believe_what_is_no_address(sonde, simulator):
    simulator.control(faults=[{"fault": "status", "status": 200, "body": '{"ip":"<nil>"}', "call": "ipify"}])
    result = sonde("me", "--provider", "ip-api", "--retries", "0", env=simulator.env)
    assert result.status == 1 and "ipify: the answer holds no address" in result.stderr
    assert simulator.addresses() == {}


def test_me_without_ipify_ends_with_a_reason(sonde, simulator):
    simulator.control(faults=[{"fault": "status", "status": 500, "call": "ipify"}])
    result = sonde("me", "--provider", "ip-api", "--retries", "1", env=simulator.env)
    assert result.status == 1 and "ipify" in result.stderr


def me(sonde, simulator, tmp_path, fault, *options):
    """How `sonde me` ends where ipify has a fault, with its events."""
    simulator.control(faults=[{**fault, "call": "ipify"}])
    events = tmp_path / "events"
    result = sonde("me", "--provider", "ip-api", "--events", events, *options, env=simulator.env)
    return result, [json.loads(line) for line in events.read_text().splitlines()]


@pytest.mark.parametrize("page", ["login_200", "login_302"])
def test_me_behind_a_login_page_has_lost_the_network(sonde, simulator, tmp_path, page):
    result, events = me(sonde, simulator, tmp_path, {"fault": page}, "--offline-timeout", "0")
    assert result.status == 3 and not result.stdout
    assert "ipify: network lost: captive_portal" in result.stderr and ", since 2" in result.stderr
    assert [e["cause"] for e in events if e["event"] == "network"] == ["captive_portal"]
    assert events[-1]["event"] == "summary" and simulator.addresses() == {}


def test_me_waits_for_a_lost_network(sonde, simulator, tmp_path):
    fault = {"fault": "login_200", "next": 3}
    result, events = me(sonde, simulator, tmp_path, fault, "--offline-timeout", "20s")
    assert differences(result.records, [record("24.48.0.1")]) == [] and result.status == 0
    assert [e["state"] for e in events if e["event"] == "network"][:2] == ["offline", "online"]


@pytest.mark.parametrize("status", [401, 403])
def test_me_that_ipify_refuses_is_refused(sonde, simulator, tmp_path, status):
    result, _ = me(sonde, simulator, tmp_path, {"fault": "status", "status": status})
    assert result.status == 4 and f"ipify: refused: HTTP {status}" in result.stderr
    assert simulator.counts()["requests"] == {"ipify address": 1}


@pytest.mark.parametrize(
    "fault", [{"fault": "status", "status": 503}, {"fault": "hang"}, {"fault": "garbage"}]
)
def test_me_asks_ipify_again(sonde, simulator, tmp_path, fault):
    result, events = me(sonde, simulator, tmp_path, {**fault, "next": 2}, "--timeout", "1s")
    assert differences(result.records, [record("24.48.0.1")]) == [] and result.status == 0
    retries = [(e["provider"], e["attempt"]) for e in events if e["event"] == "retry"]
    assert retries == [("ipify", 1), ("ipify", 2)]
    assert [e["ok"] for e in events if e["event"] == "summary"] == [1]


def test_me_gives_ipify_up_after_its_retries(sonde, simulator, tmp_path):
    fault = {"fault": "status", "status": 503}
    result, events = me(sonde, simulator, tmp_path, fault, "--retries", "1")
    assert result.status == 1 and "ipify: HTTP 503 (2 attempts)" in result.stderr
    assert simulator.counts()["requests"] == {"ipify address": 2}
    assert [e["event"] for e in events] == ["retry", "summary"]


def test_me_counts_what_it_asks_ipify(sonde, simulator, tmp_path):
    fault = {"fault": "status", "status": 503}
    result, events = me(sonde, simulator, tmp_path, {**fault, "next": 1})
    assert result.status == 0 and events[-1]["requests"] == 3
    result, events = me(sonde, simulator, tmp_path, fault, "--retries", "1")
    assert result.status == 1 and events[-1]["requests"] == 2 and events[-1]["elapsed_ms"] > 0


def test_me_tells_of_a_loss_that_it_ends_with(sonde, simulator, tmp_path):
    result, events = me(sonde, simulator, tmp_path, {"fault": "login_200"}, "--offline-timeout", "300ms")
    assert result.status == 3 and "network lost" in result.stderr and "wait" not in result.stderr
    assert events[-1]["losses"] == 1 and events[-1]["offline_ms"] >= 250


def test_me_that_is_interrupted_ends_its_events(sonde, simulator, tmp_path):
    simulator.control(faults=[{"fault": "hang", "call": "ipify"}])
    running = sonde.start("me", "--events", "events", env=simulator.env)
    time.sleep(1)
    running.signal(signal.SIGTERM)
    assert running.finish(timeout=10).status == 143
    last = json.loads(sonde.read("events").splitlines()[-1])
    assert last["event"] == "summary" and last["requests"] == 1


def test_me_with_a_file_needs_no_reader_of_stdout(sonde, simulator):
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as stdout:
        result = sonde("me", "--provider", "ip-api", "-o", "me.ndjson", env=simulator.env, stdout=stdout)
    assert result.status == 0
    assert json.loads(sonde.read("me.ndjson"))["ip"] == "24.48.0.1"
