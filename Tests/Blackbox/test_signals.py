"""Interrupted: what was known is written, every record is whole, and the status names the signal."""

import json
import os
import signal
import subprocess
import time

import pytest

pytestmark = pytest.mark.slow

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


def ended(running, number, limit=2.0):
    """The status of a command that a signal must end within some seconds, whatever it waits for."""
    began = time.monotonic()
    running.signal(number)
    status = running.process.wait(10)
    assert time.monotonic() - began < limit
    return 128 - status if status < 0 else status


def many(sonde, count=200_000):
    return sonde.file("many", "".join(f"8.{n >> 16}.{n >> 8 & 255}.{n & 255}\n" for n in range(count)))


@pytest.mark.parametrize("option", ["-o", "--rejects", "--missing", "--events"])
def test_waiting_for_a_reader_of_a_named_pipe_is_interrupted(sonde, simulator, option):
    os.mkfifo(sonde.work / "pipe")
    options = ["8.8.8.8", option, "pipe"] + ([] if option == "-o" else ["-o", "out.ndjson"])
    running = sonde.start("scan", "--provider", "ip-api", *options, env=simulator.env)
    time.sleep(0.5)
    assert running.process.poll() is None
    assert ended(running, signal.SIGTERM) == 143
    assert not (sonde.work / "out.ndjson.journal").exists()
    assert simulator.counts()["total"] == 0


@pytest.mark.parametrize("command", ["scan", "check", "extract", "plan"])
def test_waiting_for_a_writer_of_a_named_pipe_is_interrupted(sonde, command):
    os.mkfifo(sonde.work / "pipe")
    running = sonde.start(command, "pipe")
    time.sleep(0.5)
    assert running.process.poll() is None
    assert ended(running, signal.SIGTERM) == 143


@pytest.mark.parametrize("command", ["check", "extract"])
@pytest.mark.parametrize("number", NUMBERS)
def test_a_reader_that_stalls_is_not_waited_for(sonde, command, number):
    reading, writing = os.pipe()
    process = subprocess.Popen(
        sonde.command([command, "--progress", "never", many(sonde)]),
        stdout=writing, env=sonde.environment(), cwd=sonde.work,
    )
    os.close(writing)
    time.sleep(0.5)
    began = time.monotonic()
    process.send_signal(number)
    status = process.wait(10)
    assert time.monotonic() - began < 2
    os.close(reading)
    assert status == NUMBERS[number]


def test_a_reader_of_events_that_stalls_is_not_waited_for(sonde, simulator):
    simulator.control(batch_limit=None, faults=[{"fault": "status", "status": 500}])
    os.mkfifo(sonde.work / "pipe")
    name = many(sonde, 100_000)
    running = sonde.start(
        "scan", "--provider", "ip-api", name, "-o", "out.csv", "--events", "pipe", "--retries", "0",
        env=simulator.env,
    )
    reader = os.open(sonde.work / "pipe", os.O_RDONLY)
    size = None
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        time.sleep(0.7)
        if size == (size := os.path.getsize(sonde.work / "out.csv")) and size:
            break
    assert ended(running, signal.SIGTERM) == 143
    os.close(reader)
    assert (sonde.work / "out.csv.journal").exists()


@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_that_was_ignored_at_the_start_stays_ignored(sonde, simulator, number):
    simulator.control(window=600, batch_limit=3)
    running = subprocess.Popen(
        sonde.command(["scan", "--provider", "ip-api", "-o", "out", "8.8.0.0/22"]),
        env=sonde.environment(simulator.env), cwd=sonde.work, stdin=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(number, signal.SIG_IGN),
    )
    deadline = time.monotonic() + 15
    while simulator.counts()["statuses"].get("200", 0) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(number)
    with pytest.raises(subprocess.TimeoutExpired):
        running.wait(0.5)
    other = signal.SIGTERM if number != signal.SIGTERM else signal.SIGINT
    running.send_signal(other)
    assert running.wait(5) == NUMBERS[other]


def test_a_second_signal_ends_at_once(sonde):
    reading, writing = os.pipe()
    process = subprocess.Popen(
        sonde.command(["check", "--quiet", many(sonde)]), stdout=writing, env=sonde.environment(),
        cwd=sonde.work,
    )
    os.close(writing)
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    assert process.poll() is None, "what was known was not waited for"
    process.send_signal(signal.SIGINT)
    assert process.wait(10) in (130, 143)
    os.close(reading)


@pytest.mark.parametrize("reason", ["quota", "network", "input"])
def test_a_reader_that_has_gone_ends_it_whatever_it_waits_for(sonde, simulator, reason):
    env = simulator.env
    if reason == "quota":
        simulator.control(window=600, batch_limit=1)
    arguments = ["scan", "--provider", "ip-api", "--offline-timeout", "forever"]
    if reason == "network":
        env = {"SONDE_IP_API_URL": "http://name.invalid"}
    process = subprocess.Popen(
        sonde.command(arguments), env=sonde.environment(env), cwd=sonde.work,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    process.stdin.write(b"".join(b"10.0.%d.1\n8.8.%d.1\n" % (n, n) for n in range(250)))
    process.stdin.flush()
    process.stdout.readline()
    time.sleep(1.5)
    assert process.poll() is None
    sent = simulator.counts()["total"]
    process.stdout.close()
    status = process.wait(10)
    said = process.stderr.read().decode()
    assert status == 0
    assert "entries" not in said and "roken" not in said
    time.sleep(0.3)
    assert simulator.counts()["total"] == sent


def test_a_limit_of_size_is_an_error(sonde):
    result = subprocess.run(
        ["bash", "-c", 'ulimit -f 100; exec "$@"', "bash",
         *sonde.command(["check", many(sonde), "-o", "out.csv"])],
        env=sonde.environment(), cwd=sonde.work, capture_output=True, text=True,
    )
    assert result.returncode == 5
    assert "out.csv: File too large" in result.stderr
    assert sonde.read("out.csv").endswith(b"\n")


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
