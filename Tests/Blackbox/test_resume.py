"""`-o FILE` and `--resume`: after any kind of stop, the same file as of one undisturbed run."""

import os
import random
import re
import signal
import time

import pytest

KILLS = int(os.environ.get("SONDE_TEST_KILLS", "6"))
ENDINGS = [signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM]


def listing(count):
    lines = []
    for n in range(count):
        lines.append(f"5.{n // 250}.{n % 250}.3")
        if n % 50 == 0:
            lines.append(f"10.0.{n // 50}.1 # reserved")
        if n % 70 == 0:
            lines.append(f"bogus{n}")
        if n % 90 == 0:
            lines.append("5.0.1.3")
    return "\n".join(lines) + "\n"


def without_times(data):
    return re.sub(rb'"fetched_at":"[^"]*",?|\d{4}-\d\d-\d\dT[\d:]{8}Z', b"", data)


@pytest.fixture
def slow(simulator):
    simulator.control(batch_limit=100_000, latency=0.03)
    return simulator


def options(*more):
    return ["scan", "--provider", "ip-api", "--concurrency", "2", "--no-cache", *more]


def stop_at_random(sonde, slow, chooser, *more):
    running = sonde.start(*options(*more), env=slow.env)
    time.sleep(chooser.uniform(0.03, 0.4))
    running.signal(chooser.choice(ENDINGS))
    return running.finish().status


@pytest.mark.parametrize("name", ["out.ndjson", "out.csv", "out.json", "unordered.ndjson"])
def test_a_scan_that_is_killed_again_and_again_ends_as_if_undisturbed(sonde, slow, name):
    chooser = random.Random(name)
    sonde.file("list.txt", listing(1500))
    files = ["list.txt", "--rejects", "rejects.ndjson"]
    files += ["--unordered"] if "unordered" in name else []
    sonde(*options(*files, "-o", "whole-" + name), env=slow.env)
    whole, rejects = sonde.read("whole-" + name), sonde.read("rejects.ndjson")
    for _ in range(KILLS):
        (sonde.work / name).unlink(missing_ok=True)
        statuses = []
        while not statuses or statuses[-1] not in (0, 1):
            if len(statuses) % 5 == 4:
                statuses.append(sonde(*options(*files, "-o", name, "--resume"), env=slow.env).status)
            else:
                statuses.append(stop_at_random(sonde, slow, chooser, *files, "-o", name, "--resume"))
        lines = [without_times(data).splitlines() for data in (whole, sonde.read(name))]
        if "unordered" in name:
            lines = [sorted(each) for each in lines]
        assert lines[0] == lines[1]
        assert sonde.read("rejects.ndjson") == rejects
        assert not (sonde.work / (name + ".journal")).exists()


@pytest.fixture
def stopped(sonde, slow):
    """A scan of list.txt to out.csv that was killed in the middle."""
    sonde.file("list.txt", listing(3000))
    running = sonde.start(*options("list.txt", "-o", "out.csv"), env=slow.env)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if (sonde.work / "out.csv").exists() and len(sonde.read("out.csv").splitlines()) > 400:
            break
        time.sleep(0.01)
    running.signal(signal.SIGKILL)
    running.finish()
    assert (sonde.work / "out.csv.journal").exists()
    return sonde


def test_it_goes_on_where_it_stopped_and_the_summary_covers_the_whole_job(stopped, slow):
    before = len(stopped.read("out.csv").splitlines())
    result = stopped(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env)
    rows = stopped.read("out.csv").splitlines()
    assert before < len(rows)
    entries = int(re.search(r"sonde: (\d+) entries", result.stderr)[1])
    assert entries == len(listing(3000).splitlines())
    assert slow.counts()["most_asked"] <= 2


@pytest.mark.parametrize(
    "change",
    [["--format", "csv", "--fields", "ip"], ["--max-expand", "7"], ["--duplicates", "keep"], ["--log"]],
    ids=["fields", "max-expand", "duplicates", "log"],
)
def test_other_options_are_refused(stopped, slow, change):
    before = stopped.read("out.csv")
    result = stopped(*options("list.txt", "-o", "out.csv", "--resume", *change), env=slow.env)
    assert result.status == 2 and "options" in result.stderr
    assert stopped.read("out.csv") == before


def test_an_output_with_a_journal_is_not_overwritten(stopped, slow):
    before = stopped.read("out.csv")
    result = stopped(*options("list.txt", "-o", "out.csv"), env=slow.env)
    assert result.status == 2 and "--resume" in result.stderr
    assert stopped.read("out.csv") == before


def test_an_input_that_only_grew_goes_on(stopped, slow):
    with open(stopped.work / "list.txt", "a") as file:
        file.write("9.9.9.9\n")
    result = stopped(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env)
    assert result.status in (0, 1)
    assert stopped.read("out.csv").splitlines()[-1].startswith(b"9.9.9.9,")


def test_an_input_that_changed_otherwise_is_refused(stopped, slow):
    stopped.file("list.txt", listing(3000).replace("5.0.7.3", "5.0.7.4"))
    before = stopped.read("out.csv")
    result = stopped(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env)
    assert result.status == 2 and "changed" in result.stderr
    assert stopped.read("out.csv") == before


def test_a_changed_output_is_refused(stopped, slow):
    data = stopped.read("out.csv")
    (stopped.work / "out.csv").write_bytes(b"X" + data[1:])
    result = stopped(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env)
    assert result.status == 2 and "out.csv" in result.stderr
    (stopped.work / "out.csv").write_bytes(data[:100])
    result = stopped(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env)
    assert result.status == 2 and "out.csv" in result.stderr


def test_a_damaged_journal_is_refused(stopped, slow):
    (stopped.work / "out.csv.journal").write_bytes(os.urandom(2000))
    result = stopped(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env)
    assert result.status == 2 and "journal" in result.stderr


def test_two_at_once_are_refused(sonde, slow):
    slow.control(latency=1.0)
    sonde.file("list.txt", listing(500))
    running = sonde.start(*options("list.txt", "-o", "out.csv"), env=slow.env)
    while not (sonde.work / "out.csv.journal").exists():
        time.sleep(0.01)
    result = sonde(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env)
    assert result.status == 2 and "another" in result.stderr
    running.signal(signal.SIGINT)
    assert running.finish().status == 130


def test_what_is_finished_is_left_alone(sonde, slow):
    sonde.file("list.txt", "8.8.8.8\n")
    assert sonde(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env).status == 0
    data = sonde.read("out.csv")
    result = sonde(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env)
    assert result.status == 0 and "finished" in result.stderr
    assert sonde.read("out.csv") == data and slow.counts()["total"] == 1


def test_stdin_cannot_be_resumed_and_it_says_so(sonde, slow):
    result = sonde(*options("-", "-o", "out.csv", "--resume"), input="8.8.8.8\n", env=slow.env)
    assert result.status == 2 and "stdin" in result.stderr
    result = sonde(*options("-", "-o", "out.csv"), input="8.8.8.8\n", env=slow.env)
    assert result.status == 0 and "cannot be resumed" in result.stderr


def test_resume_needs_an_output(sonde, slow):
    assert sonde(*options("8.8.8.8", "--resume"), env=slow.env).status == 2
