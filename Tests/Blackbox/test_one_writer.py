"""One writer a file, whatever the command, the option, the name and the form: nothing vanishes with status 0."""

import contextlib
import json
import os
import signal
import sqlite3
import threading
import time
from pathlib import Path

import pytest
from command import wait_for
from test_resume import content, listing, options, slow  # noqa: F401

pytestmark = pytest.mark.slow

# Who holds a file: the arguments, and whether it reads the pipe or the file list.txt.
HOLDERS = {
    "scan from a pipe": (["scan", "-o", "F", "--format", "csv"], True),
    "scan of a file": (["scan", "list.txt", "-o", "F", "--format", "ndjson"], False),
    "scan into a database": (["scan", "-o", "F", "--format", "sqlite"], True),
    "packed scan": (["scan", "-o", "F.gz"], True),
    "rejects": (["scan", "--rejects", "F"], True),
    "missing": (["scan", "--missing", "F"], True),
    "events": (["scan", "--events", "F"], True),
    "check": (["check", "-o", "F", "--format", "json"], True),
    "rejects of check": (["check", "-o", "h.csv", "--rejects", "F"], True),
    "extract": (["extract", "-o", "F"], True),
    "annotate": (["annotate", "-o", "F"], True),
    "events of annotate": (["annotate", "--events", "F"], True),
    "summary": (["summary", "--log", "-o", "F"], True),
    "page of summary": (["summary", "--log", "--html", "F.html"], True),
    "upgrade": (["upgrade", "F", "-o", "F"], False),
    "upgrade of a database": (["upgrade", "F.db", "-o", "F.db"], False),
}

# Who comes later; each must be refused.
NEWCOMERS = [
    ["scan", "8.8.4.4", "-o", "F", "--format", "csv"],
    ["scan", "list.txt", "-o", "F", "--format", "ndjson"],
    ["scan", "list.txt", "-o", "F", "--format", "ndjson", "--resume"],
    ["scan", "8.8.4.4", "-o", "F", "--format", "sqlite"],
    ["scan", "8.8.4.4", "-o", "g.csv", "--rejects", "F"],
    ["scan", "8.8.4.4", "-o", "g.csv", "--missing", "F"],
    ["scan", "8.8.4.4", "-o", "g.csv", "--events", "F"],
    ["check", "8.8.4.4", "-o", "F", "--format", "csv"],
    ["check", "8.8.4.4", "-o", "g.csv", "--events", "F"],
    ["extract", "log", "-o", "F"],
    ["lookup", "8.8.4.4", "-o", "F", "--format", "csv"],
    ["annotate", "log", "-o", "F"],
    ["annotate", "log", "--events", "F"],
    ["summary", "log", "-o", "F", "--format", "csv"],
    ["summary", "log", "--html", "F"],
    ["summary", "log", "--events", "F"],
    ["upgrade", "rows.csv", "-o", "F"],
    ["upgrade", "F", "-o", "F"],
    ["upgrade", "rows.csv", "-o", "g.csv", "--events", "F"],
]


def named(arguments, name):
    return [name if word == "F" else word for word in arguments]


def asking(arguments):
    """The same with a provider that sends nothing but to the simulator."""
    if arguments[0] in ("check", "extract"):
        return arguments
    return [*arguments, "--provider", "ip-api", "--no-cache", "--timeout", "600", "--quiet"]


@pytest.fixture
def held(sonde, slow, request):
    """A command at work on a file, which it cannot finish before it is let go; the names of that file."""
    holder, reads_pipe = HOLDERS[request.param]
    slow.control(faults=[{"fault": "hang"}])
    sonde.file("list.txt", "8.8.8.8\n")
    sonde.file("log", "8.8.8.8 x\n")
    sonde.file("rows.csv", "ip,status,source\n8.8.8.8,failed,\n")
    name = next((word for word in holder if word.startswith("F")), "F")
    if holder[0] in ("annotate", "summary") and "--events" not in holder:
        sonde.file(name, "what was there\n")
    if holder[0] == "upgrade" and name == "F":
        sonde.file("F", "ip,status,source\n8.8.8.8,failed,\n")
    elif holder[0] == "upgrade":
        make_database(sonde.work / name)
    running = sonde.start(*asking(holder), env=slow.env, stdin=None if not reads_pipe else -1)
    if reads_pipe:
        running.write("8.8.8.8\nbogus\n")
    path = sonde.work / name
    wait_for(lambda: path.exists() and is_locked(path))
    names = [name, "soft" + path.suffix, "hard" + path.suffix]
    os.symlink(name, sonde.work / names[1])
    os.link(path, sonde.work / names[2])
    yield running, names
    slow.control(faults=[])
    running.signal(signal.SIGKILL)


def make_database(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE records (ip TEXT, status TEXT, source TEXT)")
        database.execute("INSERT INTO records VALUES ('8.8.8.8', 'failed', NULL)")
        database.commit()


def is_locked(path):
    """Whether an open file description holds a lock on a file, as the kernel lists it."""
    status = path.stat()
    file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    return any(
        line.split()[1] == "OFDLCK" and line.split()[5] == file
        for line in Path("/proc/locks").read_text().splitlines()
    )


@pytest.mark.parametrize("held", HOLDERS, indirect=True)
def test_who_comes_second_is_refused_and_changes_nothing(sonde, slow, held):
    running, names = held
    first = names[0]
    before = sonde.read(first)
    for newcomer in NEWCOMERS:
        for name in names:
            if name.endswith(".html") != ("--html" in newcomer) and newcomer[0] in ("summary", "upgrade"):
                continue
            result = sonde(*asking(named(newcomer, name)), env=slow.env)
            words = f"another sonde is at work on {name}"
            assert (result.status, words in result.stderr) == (5, True), (newcomer, name, result)
            assert result.stdout == b""
    # What it still writes comes behind.
    assert first.endswith(".db") or sonde.read(first).startswith(before)
    left = {path.name for path in sonde.work.iterdir()}
    assert left <= {"list.txt", "log", "rows.csv", "g.csv", "h.csv", *names} | {
        first + ending for ending in (".journal", ".partial", ".upgrade", "-wal", "-shm", "-journal")
    }


def test_two_scans_of_pipes_at_once_lose_nothing(sonde, slow):
    """Whoever is not refused has every record in the file, however close they begin."""
    for round in range(5):
        name = f"o{round}.ndjson"
        results = {}

        def scan(number):
            addresses = "".join(f"9.{number}.{n}.1\n" for n in range(20))
            results[number] = sonde(*options("-o", name), input=addresses, env=slow.env)

        threads = [threading.Thread(target=scan, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        statuses = {number: result.status for number, result in results.items()}
        assert set(statuses.values()) <= {0, 5}
        last = [json.loads(line)["ip"] for line in sonde.read(name).splitlines()]
        # One after the other is what was asked for: the last one's file is whole.
        winners = [n for n, status in statuses.items() if status == 0]
        assert any(last == [f"9.{n}.{k}.1" for k in range(20)] for n in winners), statuses


@pytest.mark.parametrize("link", ["soft", "hard"])
def test_a_killed_scan_is_resumed_under_another_name_of_its_file(sonde, slow, link):
    sonde.file("list.txt", listing(500))
    running = sonde.start(*options("list.txt", "-o", "out.csv"), env=slow.env)
    wait_for(lambda: sonde.read("out.csv").count(b"\n") > 30)
    running.signal(signal.SIGKILL)
    running.finish()
    make = os.symlink if link == "soft" else os.link
    make(sonde.work / "out.csv", sonde.work / "other.csv")
    result = sonde(*options("list.txt", "-o", "other.csv"), env=slow.env)
    assert result.status == 2 and "out.csv.journal" in result.stderr
    result = sonde(*options("list.txt", "-o", "other.csv", "--resume"), env=slow.env)
    assert result.status in (0, 1), result.stderr
    assert not (sonde.work / "out.csv.journal").exists()
    whole = sonde(*options("list.txt", "-o", "whole.csv"), env=slow.env)
    assert whole.status == result.status
    assert len(sonde.read("out.csv").splitlines()) == len(sonde.read("whole.csv").splitlines())


def test_a_hard_link_in_another_folder_does_not_pass_for_finished(sonde, slow):
    sonde.file("list.txt", listing(500))
    running = sonde.start(*options("list.txt", "-o", "out.csv"), env=slow.env)
    wait_for(lambda: sonde.read("out.csv").count(b"\n") > 30)
    running.signal(signal.SIGKILL)
    running.finish()
    (sonde.work / "below").mkdir()
    os.link(sonde.work / "out.csv", sonde.work / "below" / "other.csv")
    # A symbolic link is not another name of the file.
    os.symlink("other.csv", sonde.work / "below" / "soft.csv")
    before = sonde.read("out.csv")
    for name in ("below/other.csv", "below/soft.csv"):
        result = sonde(*options("list.txt", "-o", name, "--resume"), env=slow.env)
        assert result.status == 2 and f"{name} has a hard link in another folder" in result.stderr
    assert sonde.read("out.csv") == before
    assert sonde(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env).status in (0, 1)
    # It is finished now, but nothing proves that.
    result = sonde(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env)
    assert result.status == 2 and "otherwise out.csv is finished" in result.stderr
    (sonde.work / "below" / "other.csv").unlink()
    os.link(sonde.work / "out.csv", sonde.work / "other.csv")
    result = sonde(*options("list.txt", "-o", "other.csv", "--resume"), env=slow.env)
    assert result.status == 0 and "other.csv is finished" in result.stderr


@pytest.mark.parametrize("how", ["removed", "replaced", "moved"])
@pytest.mark.parametrize("what", ["out.csv", "out.db", "rejects", "missing", "events"])
def test_a_file_that_is_taken_away_meanwhile_is_reported(sonde, slow, what, how):
    output = what if what.startswith("out") else "out.csv"
    more = [] if what == output else ["--" + what, what]
    running = sonde.start(*options("-o", output, *more), env=slow.env)
    running.write("8.8.8.8\nbogus\n")
    path = sonde.work / what
    wait_for(lambda: path.exists() and is_locked(path))
    if how == "removed":
        path.unlink()
    else:
        path.rename(sonde.work / "elsewhere")
        if how == "replaced":
            path.write_bytes(b"mine\n")
    running.write("9.9.9.9\n")
    result = running.finish()
    assert result.status == 5
    assert f"{what}: another program has replaced or removed it" in result.stderr
    if how == "replaced":
        assert path.read_bytes() == b"mine\n"


def test_a_scan_that_makes_the_file_meanwhile_is_not_replaced(sonde, slow):
    running = sonde.start("annotate", "-o", "out", "--provider", "local", stdin=-1)
    running.write("8.8.8.8\n")
    wait_for(lambda: (sonde.work / "out.partial").exists())
    assert sonde(*options("8.8.8.8", "-o", "out"), env=slow.env).status == 0
    made = sonde.read("out")
    result = running.finish()
    assert result.status == 5 and "changed meanwhile" in result.stderr
    assert sonde.read("out") == made and (sonde.work / "out.partial").exists()


def test_the_journal_of_a_scan_at_work_is_never_to_be_removed(sonde, slow):
    slow.control(faults=[{"fault": "hang"}])
    sonde.file("list.txt", "8.8.8.8\n")
    running = sonde.start(*options("list.txt", "-o", "out.csv", "--timeout", "600"), env=slow.env)
    wait_for(lambda: sonde.read("out.csv.journal") and (sonde.work / "out.csv").exists())
    os.rename(sonde.work / "out.csv", sonde.work / "gone.csv")
    commands = [
        options("list.txt", "-o", "out.csv"),
        options("list.txt", "-o", "out.csv", "--resume"),
        options("-o", "out.csv"),
        ["upgrade", "out.csv", "-o", "out.csv"],
    ]
    for command in commands:
        if command[0] == "upgrade":
            sonde.file("out.csv", "ip,status,source\n8.8.8.8,failed,\n")
        result = sonde(*command, input="8.8.4.4\n", env=slow.env)
        assert result.status == 5 and "another sonde is at work on out.csv" in result.stderr
        assert "remove" not in result.stderr
    running.signal(signal.SIGKILL)


def test_devices_and_pipes_are_shared(sonde, slow):
    running = sonde.start(*options("-o", "/dev/null", "--format", "csv"), env=slow.env)
    running.write("8.8.8.8\n")
    assert sonde(*options("8.8.8.8", "-o", "/dev/null", "--format", "csv"), env=slow.env).status == 0
    assert running.finish().status == 0


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
@pytest.mark.parametrize("command", ["scan", "upgrade"])
def test_a_database_that_another_program_locks_is_waited_for(sonde, slow, command, mode):
    path = sonde.work / "out.db"
    if command == "scan":
        running = sonde.start(*options("-o", "out.db"), env=slow.env)
        running.write("8.8.8.8\n")
        wait_for(lambda: rows(path) == 1)
    else:
        make_database(path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=10)) as other:
        if command == "upgrade":
            other.execute(f"PRAGMA journal_mode = {mode}")
        other.execute("BEGIN EXCLUSIVE" if command == "upgrade" else "BEGIN IMMEDIATE")
        if command == "upgrade":
            running = sonde.start("upgrade", "out.db", "-o", "out.db", "--provider", "ip-api", env=slow.env)
        else:
            running.write("9.9.9.9\n")
        wait_for(lambda: "out.db is locked by another program" in running.stderr)
        time.sleep(1.5)
        other.execute("ROLLBACK")
    result = running.finish()
    assert result.status == 0, result.stderr
    assert result.stderr.count("is locked by another program") == 1
    assert "out.db is no longer locked, after" in result.stderr
    with contextlib.closing(sqlite3.connect(path)) as database:
        found = database.execute("SELECT ip, status FROM records ORDER BY rowid").fetchall()
    assert found == [("8.8.8.8", "ok"), ("9.9.9.9", "ok")][: len(found)] and len(found) == (2 if command == "scan" else 1)


def test_a_locked_database_is_waited_for_before_it_is_resumed(sonde, slow):
    sonde.file("list.txt", listing(500))
    again = options("list.txt", "-o", "out.db", "--resume")
    path = sonde.work / "out.db"
    running = sonde.start(*again, env=slow.env)
    wait_for(lambda: rows(path) > 30)
    running.signal(signal.SIGKILL)
    running.finish()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=10)) as other:
        other.execute("BEGIN IMMEDIATE")
        running = sonde.start(*again, env=slow.env)
        wait_for(lambda: "out.db is locked by another program" in running.stderr or running.process.poll() is not None)
        time.sleep(1.5)
        other.execute("ROLLBACK")
    result = running.finish()
    assert result.status in (0, 1), result.stderr
    assert "out.db is no longer locked, after" in result.stderr
    assert sonde(*options("list.txt", "-o", "whole.db"), env=slow.env).status == result.status
    assert content(path) == content(sonde.work / "whole.db")


def test_a_reader_is_waited_for_before_columns_are_added(sonde, slow):
    make_database(sonde.work / "out.db")
    sonde.file("own.csv", "network,site\n8.8.8.0/24,here\n")
    with contextlib.closing(sqlite3.connect(sonde.work / "out.db", isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM records").fetchall()
        upgrade = ["upgrade", "out.db", "-o", "out.db", "--provider", "local", "--with", "own=own.csv"]
        running = sonde.start(*upgrade, env=slow.env)
        wait_for(lambda: "out.db is locked by another program" in running.stderr or running.process.poll() is not None)
        time.sleep(1.5)
        other.execute("ROLLBACK")
    result = running.finish()
    assert result.status == 0, result.stderr
    assert "out.db is no longer locked, after" in result.stderr
    with contextlib.closing(sqlite3.connect(sonde.work / "out.db")) as database:
        assert database.execute("SELECT ip, own_site FROM records").fetchall() == [("8.8.8.8", "here")]


def test_a_lock_that_comes_and_goes_is_said_once_and_never_when_quiet(sonde, slow):
    for quiet, count in ([], 1), (["--quiet"], 0):
        name = f"out{count}.db"
        running = sonde.start(*options("-o", name, *quiet), env=slow.env)
        running.write("8.8.8.8\n")
        wait_for(lambda: rows(sonde.work / name) == 1)
        with contextlib.closing(sqlite3.connect(sonde.work / name, isolation_level=None, timeout=10)) as other:
            for number in range(3):
                other.execute("BEGIN IMMEDIATE")
                running.write(f"9.9.9.{number + 1}\n")
                time.sleep(2)
                other.execute("ROLLBACK")
                wait_for(lambda: rows(sonde.work / name) == number + 2)
        result = running.finish()
        assert result.status == 0, result.stderr
        assert result.stderr.count("is locked by another program") == count
        assert result.stderr.count("is no longer locked") == count


def rows(path):
    """How many rows others see."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            return database.execute("SELECT count(*) FROM records").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_the_wait_for_a_locked_database_ends_with_a_signal(sonde, slow):
    running = sonde.start(*options("-o", "out.db"), env=slow.env)
    running.write("8.8.8.8\n")
    path = sonde.work / "out.db"
    wait_for(lambda: rows(path) == 1)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        running.write("9.9.9.9\n")
        wait_for(lambda: "is locked" in running.stderr)
        begin = time.monotonic()
        running.signal(signal.SIGINT)
        assert running.finish().status == 130 and time.monotonic() - begin < 4
        other.execute("ROLLBACK")
    assert rows(path) == 1


def test_a_shell_that_truncates_the_file_meanwhile_is_reported(sonde, slow):
    running = sonde.start(*options("-o", "out.csv"), env=slow.env)
    running.write("8.8.8.8\n")
    wait_for(lambda: sonde.read("out.csv").count(b"\n") == 2)
    sonde.file("out.csv", "mine\n")
    running.write("9.9.9.9\n")
    result = running.finish()
    assert result.status == 5 and "out.csv: another program has changed it" in result.stderr
