"""Interrupted: what was known is written, every record is whole, and the status names the signal."""

import json
import os
import signal
import subprocess
import time

import pytest

ADDRESSES = [f"5.{n // 250}.{n % 250}.17" for n in range(1000)]
NUMBERS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def interrupted(sonde, simulator, number, *options):
    """The result of a scan that is interrupted when 300 addresses are known."""
    simulator.control(window=600, batch_limit=3)
    running = sonde.start("scan", "--provider", "ip-api", *options, env=simulator.env)
    running.write("\n".join(ADDRESSES) + "\n")
    deadline = time.monotonic() + 15
    while simulator.counts()["statuses"].get("200", 0) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)
    running.signal(number)
    began = time.monotonic()
    result = running.finish(timeout=10)
    assert time.monotonic() - began < 3
    return result


@pytest.mark.parametrize("number", NUMBERS)
def test_what_was_known_is_written(sonde, simulator, number):
    result = interrupted(sonde, simulator, number)
    assert result.status == NUMBERS[number]
    assert [r["ip"] for r in result.records] == ADDRESSES[:300]


def test_a_json_array_is_closed(sonde, simulator):
    result = interrupted(sonde, simulator, signal.SIGTERM, "--format", "json")
    assert [r["ip"] for r in json.loads(result.stdout)] == ADDRESSES[:300]
    assert result.status == 143


def test_a_file_is_complete_up_to_the_interruption(sonde, simulator):
    result = interrupted(sonde, simulator, signal.SIGINT, "-o", "out.csv", "--events", "events")
    assert (result.stdout, result.status) == (b"", 130)
    rows = sonde.read("out.csv").decode().splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == ADDRESSES[:300]
    summary = json.loads(sonde.read("events").splitlines()[-1])
    assert summary["event"] == "summary"


def test_a_request_under_way_is_given_up_at_once(sonde, simulator):
    simulator.control(faults=[{"fault": "hang"}])
    running = sonde.start("scan", "--provider", "ip-api", "8.8.8.8", env=simulator.env)
    deadline = time.monotonic() + 10
    while not simulator.counts()["under_way"] and time.monotonic() < deadline:
        time.sleep(0.02)
    assert simulator.counts()["under_way"] == 1
    running.signal(signal.SIGINT)
    began = time.monotonic()
    assert running.finish(timeout=10).status == 130
    assert time.monotonic() - began < 2


def test_waiting_for_input_is_interrupted_too(sonde):
    running = sonde.start("check")
    running.write("8.8.8.8\n")
    running.line()
    running.signal(signal.SIGTERM)
    assert running.process.wait(5) in (143, -signal.SIGTERM)


def test_a_stopped_reader_stops_the_scan_and_not_for_ever(sonde):
    reading, writing = os.pipe()
    name = sonde.file("many", "".join(f"8.{n >> 16}.{n >> 8 & 255}.{n & 255}\n" for n in range(300_000)))
    process = subprocess.Popen(
        sonde.command(["check", "--quiet", name]), stdout=writing, env=sonde.environment(), cwd=sonde.work
    )
    os.close(writing)
    time.sleep(0.5)
    assert process.poll() is None, "it ended although its reader was not ready"
    data = b""
    while piece := os.read(reading, 1 << 20):
        data += piece
    os.close(reading)
    assert process.wait(10) == 0 and data.count(b"\n") == 300_000
