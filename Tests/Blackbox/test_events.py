"""`--events`: everything that happened, one JSON object a line, and books that balance."""

import json
import os
import re
import signal
import subprocess
import time

from expected import record

ADDRESSES = [f"5.{n // 250}.{n % 250}.19" for n in range(1000)]
KINDS = "duplicates ok unknown reserved invalid failed network_lost".split()
SUMMARY = [
    *"entries cached sources requests throttled losses offline_ms elapsed_ms".split(),
    *KINDS,
]


def events(sonde, simulator, *options, **more):
    """The events of a scan, and its result."""
    result = sonde("scan", "--provider", "ip-api", "--events", "events", *options, env=simulator.env, **more)
    return [json.loads(line) for line in sonde.read("events").splitlines()], result


def test_every_event_has_its_name_and_time(sonde, simulator):
    simulator.control(window=1, batch_limit=2)
    given, _ = events(sonde, simulator, input="\n".join(ADDRESSES))
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", e["at"]) for e in given)
    assert {e["event"] for e in given} <= {"network", "interface", "quota", "provider", "retry", "summary"}
    assert [e["at"] for e in given] == sorted(e["at"] for e in given)


def test_the_summary_is_last_and_balances(sonde, simulator):
    items = [*ADDRESSES[:250], *ADDRESSES[:30], "10.0.0.1", "fe80::1", "nonsense!", "nonsense!", "8.8.8.8/31"]
    given, result = events(sonde, simulator, input="\n".join(items))
    summary = given[-1]
    assert summary["event"] == "summary" and set(SUMMARY) <= set(summary)
    unknown = sum(record(a)["status"] == "unknown" for a in [*ADDRESSES[:250], "8.8.8.8", "8.8.8.9"])
    expected = {
        "entries": 286,
        "duplicates": 30,
        "ok": 252 - unknown,
        "unknown": unknown,
        "reserved": 2,
        "invalid": 2,
        "failed": 0,
        "network_lost": 0,
        "cached": 0,
        "sources": {"ip-api": 252 - unknown},
        "requests": 3,
        "throttled": 0,
        "losses": 0,
        "offline_ms": 0,
    }
    assert {name: summary[name] for name in expected} == expected
    assert summary["entries"] == sum(summary[kind] for kind in KINDS)
    assert summary["elapsed_ms"] > 0 and result.status == 0


def test_waiting_for_the_quota_is_an_event(sonde, simulator):
    simulator.control(window=2, batch_limit=2)
    given, _ = events(sonde, simulator, input="\n".join(ADDRESSES[:350]))
    quota = [e for e in given if e["event"] == "quota"]
    assert quota and all(e["provider"] == "ip-api" and e["remaining"] == 0 for e in quota)
    assert any(500 <= e["wait_ms"] <= 2100 for e in quota)


def test_retries_are_events(sonde, simulator):
    simulator.control(faults=[{"fault": "status", "status": 503, "next": 2}])
    given, result = events(sonde, simulator, "8.8.8.8")
    retries = [e for e in given if e["event"] == "retry"]
    assert [e["attempt"] for e in retries] == [1, 2]
    assert all(e["provider"] == "ip-api" and e["wait_ms"] >= 0 and "503" in e["message"] for e in retries)
    assert result.status == 0 and given[-1]["requests"] == 3


def test_a_provider_s_failing_recovery_and_refusal_are_events(sonde, simulator):
    simulator.control(faults=[{"fault": "status", "status": 500, "next": 1}])
    states = [e["state"] for e in events(sonde, simulator, "8.8.8.8")[0] if e["event"] == "provider"]
    assert states[-1:] in ([], ["ok"])
    simulator.control(faults=[{"fault": "forbidden_json"}])
    given, _ = events(sonde, simulator, "8.8.8.8")
    refusals = [e for e in given if e["event"] == "provider" and e["state"] == "refused"]
    assert [e["provider"] for e in refusals] == ["ip-api"] and refusals[0]["message"]


def test_throttling_is_counted(sonde, simulator):
    simulator.control(faults=[{"fault": "status", "status": 429, "next": 1}])
    given, _ = events(sonde, simulator, "8.8.8.8")
    assert given[-1]["throttled"] == 1 == simulator.counts()["throttled"]


def test_each_source_is_counted(sonde, simulator, loc_database):
    simulator.control(batch_limit=None)
    options = ("--provider", "ip-api,local", "--database", loc_database, "--max-requests", "1")
    result = sonde("scan", *options, "--events", "events", input="\n".join(ADDRESSES[:150]), env=simulator.env)
    summary = json.loads(sonde.read("events").splitlines()[-1])
    counted = {}
    for each in result.records:
        if "source" in each:
            counted[each["source"]] = counted.get(each["source"], 0) + 1
    assert summary["sources"] == counted and set(counted) == {"ip-api", "libloc"}


def test_the_summary_is_one_line_on_stderr(sonde, simulator):
    text = "\n".join([*ADDRESSES[:20], "10.0.0.1", "nonsense!"])
    result = sonde("scan", "--provider", "ip-api", input=text, env=simulator.env)
    last = result.stderr.strip().splitlines()[-1]
    assert "22" in last and "reserved" in last and "invalid" in last
    assert sonde("scan", "--quiet", "--provider", "ip-api", input=text, env=simulator.env).stderr == ""


def test_a_loss_is_told_before_anybody_goes_without_an_answer_for_it(sonde, simulator):
    options = ("--provider", "ip-api", "--no-cache", "--offline-timeout", "0")
    for _ in range(8):
        simulator.control(faults=[{"fault": "login_200", "call": "ip-api"}])
        result = sonde("scan", *options, input="\n".join(ADDRESSES[:300]), env=simulator.env)
        lost, given_up = (line for line in result.stderr.splitlines() if "network lost" in line)
        assert lost.startswith("sonde: network lost: a login page answers") and " 0 address" not in lost
        assert given_up.startswith("sonde: addresses go without an answer")
        words = r"network lost: captive_portal on lo, on the path to [\d.:]+, since \d{4}-\S+Z"
        assert all(re.fullmatch(words, r["message"]) for r in result.records), result.records[0]
        assert len(result.records) == 300 and result.status == 3


def test_a_stdout_that_does_not_block_gets_every_event(sonde, simulator):
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    filled = os.write(writing, b"x" * 10_000_000)
    process = subprocess.Popen(
        sonde.command(["scan", "--provider", "ip-api", "8.8.8.8", "-o", "o.csv", "--events", "-"]),
        stdout=writing, stderr=subprocess.PIPE, env=sonde.environment(simulator.env), cwd=sonde.work,
    )
    os.close(writing)
    time.sleep(1)
    with open(reading, "rb") as pipe:
        given = pipe.read()[filled:]
    assert process.wait(10) == 0, process.stderr.read()
    assert json.loads(given.splitlines()[-1])["ok"] == 1


def test_that_a_reader_of_events_stalls_is_no_fault_after_a_signal(sonde, simulator):
    simulator.control(faults=[{"fault": "status", "status": 500}])
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    os.write(writing, b"x" * 10_000_000)
    os.set_blocking(writing, True)
    process = subprocess.Popen(
        sonde.command(["scan", "--provider", "ip-api", "8.8.8.8", "-o", "o.csv", "--events", "-"]),
        stdout=writing, stderr=subprocess.PIPE, env=sonde.environment(simulator.env), cwd=sonde.work,
    )
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=5)
    os.close(reading)
    os.close(writing)
    assert process.returncode == 143 and b"interrupted; 0 entries" in errors
    assert b"-: " not in errors and b"stdout: " not in errors
