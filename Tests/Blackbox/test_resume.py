"""`-o FILE` and `--resume`: after any kind of stop, the same file as of one undisturbed run."""

import contextlib
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import time

import pytest
from command import shell_status, wait_for

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("TEST_KILLS", "6"))
LENGTH = 5000 if KILLS >= 50 else 1500
CONCURRENCY = 2
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
    """The bytes without what may differ between two runs: `fetched_at` and `cached`."""
    times = rb'"fetched_at":"[^"]*",?|\d{4}-\d\d-\d\dT[\d:]{8}Z'
    return re.sub(times + rb'|"cached":(true|false),|(?<=[,\t])(true|false)(?=[,\t])', b"", data)


def content(path):
    """The bytes of a file; of a database that is whole in one file, its rows as lines."""
    if path.suffix not in (".sqlite", ".db"):
        return path.read_bytes()
    assert [each.name for each in path.parent.glob(path.name + "-*")] == []
    with contextlib.closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = database.execute("SELECT * FROM records ORDER BY rowid")
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, row)) for row in found]
    for row in rows:
        del row["fetched_at"], row["cached"]
    return "".join(f"{row}\n" for row in rows).encode()


@pytest.fixture
def slow(simulator):
    simulator.control(batch_limit=100_000, latency=0.03)
    return simulator


def options(*more):
    return ["scan", "--provider", "ip-api", "--concurrency", str(CONCURRENCY), "--no-cache", *more]


def kept(*more):
    """The same with a cache of all runs."""
    return [*(word for word in options() if word != "--no-cache"), "--cache", "cache.db", *more]


def stop_at_random(sonde, slow, chooser, *more):
    running = sonde.start(*kept(*more), env=slow.env)
    time.sleep(chooser.uniform(0.03, 0.4))
    running.signal(chooser.choice(ENDINGS))
    return running.finish().status


@pytest.mark.parametrize("name", ["out.ndjson", "out.csv", "out.json", "unordered.ndjson", "out.tsv", "out.geojson", "out.sqlite", "unordered.db"])
def test_a_scan_that_is_killed_again_and_again_ends_as_if_undisturbed(sonde, slow, name):
    chooser = random.Random(name)
    sonde.file("list.txt", listing(LENGTH))
    files = ["list.txt", "--rejects", "rejects.ndjson"]
    files += ["--unordered"] if "unordered" in name else []
    sonde(*options(*files, "-o", "whole-" + name), env=slow.env)
    whole, rejects = content(sonde.work / ("whole-" + name)), sonde.read("rejects.ndjson")
    for _ in range(KILLS):
        for path in [*sonde.work.glob(name + "*"), *sonde.work.glob("cache.db*")]:
            path.unlink()
        slow.control(batch_limit=100_000, latency=0.03)
        statuses = []
        while not statuses or statuses[-1] not in (0, 1):
            if len(statuses) % 5 == 4:
                statuses.append(sonde(*kept(*files, "-o", name, "--resume"), env=slow.env).status)
            else:
                statuses.append(stop_at_random(sonde, slow, chooser, *files, "-o", name, "--resume"))
        assert_same(content(sonde.work / name), whole, is_ordered="unordered" not in name)
        assert sonde.read("rejects.ndjson") == rejects
        assert not (sonde.work / (name + ".journal")).exists()
        assert_asked_once(slow, stops=len(statuses) - 1)


@pytest.mark.parametrize("ending", ENDINGS[2:])
def test_a_signal_lets_no_further_request_out(sonde, slow, ending):
    sonde.file("list.txt", listing(LENGTH))
    for name in [f"{n}.csv" for n in range(KILLS)]:
        # The first one is answered: until then it alone is under way.
        slow.control(latency=0.3)
        running = sonde.start(*options("list.txt", "-o", name), env=slow.env)
        await_rows(sonde, name, 100)
        slow.control(latency=60.0)
        await_requests(slow, CONCURRENCY)
        running.signal(ending)
        running.finish()
        assert slow.requests("ip-api batch") == CONCURRENCY


def await_requests(slow, count):
    """Waits until so many batches were asked for."""
    deadline = time.monotonic() + 20
    while slow.requests("ip-api batch") < count:
        assert time.monotonic() < deadline, f"no {count} requests"
        time.sleep(0.002)


@pytest.mark.parametrize("more", [[], ["--unordered"]])
def test_a_log_answered_by_a_database_goes_on_wherever_it_was_stopped(sonde, loc_database, more):
    chooser = random.Random(len(more))
    lines = (f"5.{n % 199}.{n % 251}.{n % 241} - \"GET /{n}\" 2001:db8::{n % 900:x} 10.0.0.1" for n in range(150_000))
    sonde.file("access.log", "\n".join(lines) + "\n")
    command = ["scan", "--log", "access.log", "--provider", "local", "--database", loc_database, *more]
    assert sonde(*command, "-o", "whole.csv").status == 0
    whole = len(sonde.read("whole.csv"))
    endings = [shell_status(-ending) for ending in ENDINGS]
    stops = 0
    for name in [f"{n}.csv" for n in range(KILLS)]:
        for _ in range(5):
            running = sonde.start(*command, "-o", name, "--resume")
            # Somewhere in what is left, or as it begins.
            place = whole - chooser.uniform(0, 1.2) * (whole - size(sonde, name))
            wait_for(lambda: size(sonde, name) >= place or running.process.poll() is not None)
            time.sleep(chooser.uniform(0, 0.05))
            running.signal(chooser.choice(ENDINGS))
            status = running.finish().status
            assert status in (0, *endings)
            stops += status != 0
        assert sonde(*command, "-o", name, "--resume").status == 0
        assert_same(sonde.read(name), sonde.read("whole.csv"), is_ordered=not more)
        assert not (sonde.work / (name + ".journal")).exists()
    assert stops > KILLS


def size(sonde, name):
    """How much there is of an output; nothing before it is begun."""
    path = sonde.work / name
    return path.stat().st_size if path.exists() else 0


def assert_same(data, whole, is_ordered=True):
    def lines(data):
        return data.splitlines() if is_ordered else sorted(data.splitlines())

    # Without times that differ, which are long to look for, it is the same as it is.
    if lines(data) != lines(whole):
        assert lines(without_times(data)) == lines(without_times(whole))


def assert_asked_once(slow, stops):
    """Nothing is asked again but what was under way at a stop."""
    asked = slow.addresses()
    assert sum(count - 1 for count in asked.values()) <= stops * CONCURRENCY * 100


@pytest.fixture
def small_disk(sonde):
    """A disk that fills: its folder, and what makes it larger."""
    folder = sonde.work / "disk"
    folder.mkdir()

    def resize(kibibytes, first=False):
        remount = "" if first else "remount,"
        command = ["mount", "-t", "tmpfs", "-o", f"{remount}size={kibibytes}k", "sonde-test", str(folder)]
        return subprocess.run(command, capture_output=True).returncode == 0

    if not resize(32, first=True):
        pytest.skip("nothing may be mounted here")
    yield folder, resize
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("name", ["out.csv", "out.json", "out.db"])
def test_a_disk_that_fills_again_and_again_costs_nothing(sonde, slow, small_disk, name):
    folder, resize = small_disk
    chooser = random.Random(name)
    sonde.file("list.txt", listing(LENGTH))
    sonde(*options("list.txt", "-o", "whole-" + name), env=slow.env)
    slow.control(batch_limit=100_000, latency=0.01)
    size, statuses = 32, []
    while not statuses or statuses[-1] == 5:
        result = sonde(*kept("list.txt", "-o", str(folder / name), "--resume"), env=slow.env)
        statuses.append(result.status)
        if result.status == 5:
            assert "No space left" in result.stderr
        size += chooser.randrange(8, 160, 4)
        assert resize(size)
    assert statuses[-1] == 0 and len(statuses) > 3
    assert_same(content(folder / name), content(sonde.work / ("whole-" + name)))
    assert_asked_once(slow, stops=len(statuses) - 1)


def test_an_output_pipe_that_closes_costs_nothing(sonde, slow):
    chooser = random.Random(9)
    sonde.file("list.txt", listing(LENGTH))
    whole = sonde(*options("list.txt"), env=slow.env).stdout
    slow.control(batch_limit=100_000, latency=0.01)
    for _ in range(KILLS):
        head = ["head", "-n", str(chooser.randrange(1, 1000))]
        with subprocess.Popen(head, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as reader:
            assert sonde(*kept("list.txt"), env=slow.env, stdout=reader.stdin).status == 0
    assert_same(sonde(*kept("list.txt"), env=slow.env).stdout, whole)
    assert_asked_once(slow, stops=KILLS)


def await_rows(sonde, name, count):
    """Waits until so many rows are in an output."""
    deadline = time.monotonic() + 20
    while not (sonde.work / name).exists() or len(sonde.read(name).splitlines()) <= count:
        assert time.monotonic() < deadline, f"no {count} rows in {name}"
        time.sleep(0.01)


@pytest.fixture
def stopped(sonde, slow):
    """A scan of list.txt to out.csv that was killed in the middle."""
    sonde.file("list.txt", listing(3000))
    running = sonde.start(*options("list.txt", "-o", "out.csv"), env=slow.env)
    await_rows(sonde, "out.csv", 400)
    running.signal(signal.SIGKILL)
    running.finish()
    assert (sonde.work / "out.csv.journal").exists()
    return sonde


def test_it_goes_on_where_it_stopped_and_the_summary_covers_the_whole_job(stopped, slow):
    before = len(stopped.read("out.csv").splitlines())
    result = stopped(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env)
    rows = stopped.read("out.csv").splitlines()
    assert before < len(rows)
    entries = int(re.search(r"sonde: ([\d,]+) entries", result.stderr)[1].replace(",", ""))
    assert entries == len(listing(3000).splitlines())
    assert slow.counts()["most_asked"] <= 2


@pytest.mark.parametrize(
    "change",
    [
        ["--fields", "ip"], ["--max-expand", "7"], ["--duplicates", "keep"], ["--log"], ["--unordered"],
        ["--format", "ndjson"], ["--spreadsheet"], ["--rejects", "r"], ["--missing", "m"],
        ["--provider", "ip-api,local"], ["--database", "list.txt"],
    ],
    ids=lambda change: change[0],
)
def test_another_option_is_refused_and_named(stopped, slow, change):
    before = stopped.read("out.csv")
    result = stopped(*options("list.txt", "-o", "out.csv", "--resume", *change), env=slow.env)
    assert result.status == 2 and f"another {change[0]}: it was " in result.stderr
    assert stopped.read("out.csv") == before


@pytest.mark.parametrize(
    "inputs, words",
    [
        (["other.txt"], "it was list.txt, and is other.txt"), (["list.txt", "other.txt"], "other.txt"),
        (["8.8.8.8"], "8.8.8.8"),
    ],
)
def test_another_input_is_refused_and_named(stopped, slow, inputs, words):
    stopped.file("other.txt", listing(3000))
    result = stopped(*options(*inputs, "-o", "out.csv", "--resume"), env=slow.env)
    assert result.status == 2 and words in result.stderr


@pytest.mark.parametrize("how", ["relative", "absolute", "link", "hard link", "other folder"])
def test_the_same_file_under_another_name_is_fine(stopped, slow, how):
    name, folder = "./list.txt", stopped.work
    if how == "absolute":
        name = stopped.work / "list.txt"
    elif how.endswith("link"):
        (os.symlink if how == "link" else os.link)(stopped.work / "list.txt", stopped.work / "again")
        name = "again"
    elif how == "other folder":
        folder = stopped.work / "below"
        folder.mkdir()
    out = "../out.csv" if how == "other folder" else stopped.work / "out.csv"
    name = "../list.txt" if how == "other folder" else name
    result = subprocess.run(
        stopped.command(options(name, "-o", out, "--resume", "--format", "csv")), cwd=folder,
        env=stopped.environment(slow.env), capture_output=True, text=True,
    )
    assert result.returncode in (0, 1), result.stderr
    rows = [row.split(b",")[0].decode() for row in stopped.read("out.csv").splitlines()[1:]]
    items = [line.split(" ")[0] for line in listing(3000).splitlines()]
    assert rows == list(dict.fromkeys(items))


def test_the_input_column_keeps_its_names(sonde, slow):
    sonde.file("list.txt", listing(1500))
    slow.control(latency=0.3)
    running = sonde.start(*options("list.txt", "-o", "out.csv", "--fields", "ip,input"), env=slow.env)
    await_rows(sonde, "out.csv", 100)
    slow.control(latency=0.0, reset=False)
    running.signal(signal.SIGINT)
    assert running.finish().status == 130
    more = [sonde.work / "list.txt", "-o", "out.csv", "--resume", "--fields", "ip,input"]
    assert sonde(*options(*more), env=slow.env).status in (0, 1)
    names = {row.split(b",")[1] for row in sonde.read("out.csv").splitlines()[1:]}
    assert names == {b"list.txt"}


def test_a_changed_input_is_named(sonde, slow):
    for name, count in (("a.txt", 50), ("b.txt", 60), ("c.txt", 3000)):
        sonde.file(name, listing(count).replace("5.", f"{ord(name[0])}."))
    inputs = ["a.txt", "b.txt", "c.txt"]
    slow.control(latency=0.3)
    running = sonde.start(*options(*inputs, "-o", "out.csv"), env=slow.env)
    await_rows(sonde, "out.csv", 200)
    slow.control(latency=0.0, reset=False)
    running.signal(signal.SIGKILL)
    running.finish()
    with open(sonde.work / "b.txt", "a") as file:
        file.write("9.9.9.9\n")
    result = sonde(*options(*inputs, "-o", "out.csv", "--resume"), env=slow.env)
    assert result.status == 2 and "b.txt has changed" in result.stderr
    sonde.file("b.txt", listing(60).replace("5.", f"{ord('b')}."))
    sonde.file("c.txt", "1.1.1.1\n")
    result = sonde(*options(*inputs, "-o", "out.csv", "--resume"), env=slow.env)
    assert result.status == 2 and "c.txt has changed" in result.stderr


def test_what_is_finished_is_not_when_an_input_is_newer(sonde, slow):
    sonde.file("list.txt", "8.8.8.8\n")
    scan = options("1.1.1.1", "list.txt", "-o", "out.csv", "--resume")
    assert sonde(*scan, env=slow.env).status == 0
    data = sonde.read("out.csv")
    assert sonde(*scan, env=slow.env).status == 0
    time.sleep(0.02)
    with open(sonde.work / "list.txt", "a") as file:
        file.write("9.9.9.9\n")
    result = sonde(*scan, env=slow.env)
    assert result.status == 2 and "list.txt is newer" in result.stderr
    assert sonde.read("out.csv") == data


@pytest.mark.parametrize("ending", ["csv.gz", "json.gz", "ndjson.zst", "CSV.ZST", "tsv.gz", "geojson.zst"])
def test_a_compressed_output_is_resumed_at_a_whole_member(sonde, slow, ending):
    form = ending.split(".")[0].lower()
    unpack = {"gz": ["gzip", "-dc"], "zst": ["zstd", "-dc"]}[ending.split(".")[1].lower()]
    sonde.file("list.txt", listing(LENGTH))
    name = f"out.{ending}"
    chooser = random.Random(7)
    kills, status = 0, None
    while status not in (0, 1):
        kills += 1
        if kills > 5:
            status = sonde(*kept("list.txt", "-o", name, "--resume", "--rejects", "bad.gz"), env=slow.env).status
            continue
        status = stop_at_random(sonde, slow, chooser, "list.txt", "-o", name, "--resume", "--rejects", "bad.gz")
        assert status in (0, 1, 130, 137, 143)
        if (sonde.work / (name + ".journal")).exists():
            with open(sonde.work / name, "ab") as file:
                file.write(b"\x1f\x8b torn")
    sonde(*kept("list.txt", "-o", f"whole.{form}", "--rejects", "bad"), env=slow.env)
    done = subprocess.run([*unpack, name], cwd=sonde.work, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert without_times(done.stdout) == without_times(sonde.read(f"whole.{form}"))
    bad = subprocess.run(["gzip", "-dc", "bad.gz"], cwd=sonde.work, capture_output=True)
    assert without_times(bad.stdout) == without_times(sonde.read("bad"))
    assert len(sonde.read(name)) < len(done.stdout) / 2


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


def test_the_advice_for_a_changed_output_leads_to_every_record(stopped, slow):
    (stopped.work / "out.csv").write_bytes(b"X" + stopped.read("out.csv")[1:])
    again = options("list.txt", "-o", "out.csv", "--resume")
    assert "remove the journal and the output to begin anew" in stopped(*again, env=slow.env).stderr
    for name in ("out.csv", "out.csv.journal"):
        (stopped.work / name).unlink()
    result = stopped(*again, env=slow.env)
    found = {row.split(b",")[0] for row in stopped.read("out.csv").splitlines()[1:]}
    wanted = {line.split(" ")[0].encode() for line in listing(3000).splitlines()}
    assert found == wanted and "is finished" not in result.stderr


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
    for more in ([], ["--resume"]):
        result = sonde(*options("list.txt", "-o", "out.csv", *more), env=slow.env)
        assert result.status == 5 and "another sonde is at work on out.csv" in result.stderr
    running.signal(signal.SIGINT)
    assert running.finish().status == 130


def test_what_is_finished_is_left_alone(sonde, slow):
    sonde.file("list.txt", "8.8.8.8\n")
    assert sonde(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env).status == 0
    data = sonde.read("out.csv")
    result = sonde(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env)
    assert result.status == 0 and "finished" in result.stderr
    assert sonde.read("out.csv") == data and slow.counts()["total"] == 1


COUNTS = ("entries", "ok", "reserved", "invalid", "failed", "network_lost", "cached", "unknown", "sources")


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.json", "out.ndjson", "out.db", "out.csv.gz", "out.ndjson.zst"])
@pytest.mark.parametrize("rejects", [(), ("--rejects", "bad.csv")], ids=["whole", "rejects"])
def test_the_account_of_what_is_finished_is_what_its_files_hold(sonde, slow, name, rejects):
    sonde.file("list.txt", "8.8.8.8\nnonsense\n10.0.0.1\n1.1.1.1\nworse\n5.5.5.5\n")
    again = options("list.txt", "-o", name, "--resume", "--events", "events", "--missing", "left.txt", *rejects)
    assert sonde(*again, env=slow.env).status == 0
    files = {file.name: file.read_bytes() for file in sonde.work.iterdir()}
    first = json.loads(files.pop("events").splitlines()[-1])
    asked = slow.counts()["total"]
    result = sonde(*again, env=slow.env)
    assert result.status == 0 and f"{name} is finished" in result.stderr
    lines = sonde.read("events").splitlines()
    account = json.loads(lines[-1])
    assert account["event"] == "summary" and len(lines) > 1
    assert {key: account.get(key) for key in COUNTS} == {key: first.get(key) for key in COUNTS}
    assert account["requests"] == account["duplicates"] == account["losses"] == 0
    assert slow.counts()["total"] == asked
    assert files == {file.name: file.read_bytes() for file in sonde.work.iterdir() if file.name != "events"}


def test_an_account_is_made_where_there_were_no_events(sonde, slow):
    sonde.file("list.txt", "8.8.8.8\n8.8.8.8\n10.0.0.1\n")
    again = options("list.txt", "-o", "out.csv", "--resume")
    assert sonde(*again, env=slow.env).status == 0
    assert sonde(*again, "--events", "events", env=slow.env).status == 0
    (account,) = map(json.loads, sonde.read("events").splitlines())
    # What was left out as a duplicate has no record.
    assert (account["entries"], account["ok"], account["reserved"], account["duplicates"]) == (2, 1, 1, 0)
    result = sonde(*again, "--events", "-", env=slow.env)
    assert (result.status, json.loads(result.stdout)["entries"]) == (0, 2)
    result = sonde(*again, "--events", "/dev/full", env=slow.env)
    assert result.status == 5 and "/dev/full" in result.stderr


@pytest.mark.parametrize("more", [("-o", "out.geojson"), ("-o", "out.csv", "--fields", "ip,city"), ("-o", "out", "--format", "table")])
def test_files_that_tell_no_statuses_have_no_account(sonde, slow, more):
    sonde.file("list.txt", "8.8.8.8\n")
    again = options("list.txt", *more, "--resume", "--events", "events")
    assert sonde(*again, env=slow.env).status == 0
    before = sonde.read("events")
    result = sonde(*again, env=slow.env)
    assert result.status == 0 and "no account of it in the events" in result.stderr
    assert sonde.read("events") == before


@pytest.mark.parametrize("name", ["out.csv.gz", "out.db"])
def test_a_finished_output_that_cannot_be_read_has_no_account_and_is_an_error(sonde, slow, name):
    sonde.file("list.txt", "".join(f"8.8.{number // 250}.{number % 250}\n" for number in range(500)))
    again = options("list.txt", "-o", name, "--resume", "--events", "events")
    assert sonde(*again, env=slow.env).status == 0
    before = sonde.read("events")
    out = sonde.work / name
    os.truncate(out, out.stat().st_size // 2)
    result = sonde(*again, "--quiet", env=slow.env)
    assert result.status == 5
    assert f"sonde: no account of it in the events: {name}: " in result.stderr
    assert sonde.read("events") == before


def waiting_to_sum_up(sonde):
    """A scan that has written all records to `out.json`, but whose summary waits for the reader of a
    pipe that is full; and that reader."""
    os.mkfifo(sonde.work / "pipe")
    reader = os.open(sonde.work / "pipe", os.O_RDWR | os.O_NONBLOCK)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(reader, b"\n")
    sonde.file("list.txt", "10.0.0.1\n10.0.0.2\nbogus\n")
    running = sonde.start(*options("list.txt", "-o", "out.json", "--events", "pipe"))
    out = sonde.work / "out.json"
    deadline = time.monotonic() + 10
    while not (out.exists() and out.read_bytes().endswith(b"]\n")):
        assert time.monotonic() < deadline, running.stderr
        time.sleep(0.02)
    time.sleep(0.5)
    assert running.process.poll() is None
    return running, reader


def summary_of(events):
    return json.loads(events.splitlines()[-1])


def test_a_scan_that_is_killed_before_its_summary_is_resumed_for_it(sonde):
    running, reader = waiting_to_sum_up(sonde)
    running.stop()
    os.close(reader)
    whole = sonde.read("out.json")
    assert (sonde.work / "out.json.journal").exists()
    result = sonde(*options("list.txt", "-o", "out.json", "--resume", "--events", "events"))
    assert (result.status, sonde.read("out.json")) == (0, whole)
    summary = summary_of(sonde.read("events"))
    assert (summary["entries"], summary["reserved"], summary["invalid"]) == (3, 2, 1)
    assert not (sonde.work / "out.json.journal").exists()


def test_a_signal_does_not_cut_off_the_summary_of_what_is_written(sonde):
    running, reader = waiting_to_sum_up(sonde)
    running.signal(signal.SIGTERM)
    time.sleep(0.3)
    events = b""
    while not events.endswith(b"}\n"):
        try:
            events += os.read(reader, 65536)
        except BlockingIOError:
            assert running.process.poll() is None, "it ended without a summary"
            time.sleep(0.02)
    assert running.finish().status == 0
    os.close(reader)
    assert summary_of(events)["entries"] == 3
    assert not (sonde.work / "out.json.journal").exists()


def test_stdin_cannot_be_resumed_and_it_says_so(sonde, slow):
    result = sonde(*options("-", "-o", "out.csv", "--resume"), input="8.8.8.8\n", env=slow.env)
    assert result.status == 2 and "stdin" in result.stderr
    result = sonde(*options("-", "-o", "out.csv"), input="8.8.8.8\n", env=slow.env)
    assert result.status == 0 and "cannot be resumed" in result.stderr


def test_resume_needs_an_output(sonde, slow):
    assert sonde(*options("8.8.8.8", "--resume"), env=slow.env).status == 2


@pytest.mark.parametrize("way", ["fifo", "/dev/stdin"])
def test_a_pipe_with_a_name_cannot_be_resumed_either(sonde, slow, way):
    if way == "fifo":
        os.mkfifo(sonde.work / way)
    result = sonde(*options(way, "-o", "out.csv", "--resume"), input="8.8.8.8\n", env=slow.env)
    assert result.status == 2 and "cannot be read again" in result.stderr
    assert not (sonde.work / "out.csv").exists()
    feeder = subprocess.Popen(["sh", "-c", "echo 8.8.8.8 > fifo"], cwd=sonde.work) if way == "fifo" else None
    result = sonde(*options(way, "-o", "out.csv"), input="8.8.8.8\n", env=slow.env)
    assert result.status == 0 and "cannot be resumed" in result.stderr
    assert not (sonde.work / "out.csv.journal").exists()
    if feeder:
        feeder.wait(10)


def test_an_input_that_turns_into_a_pipe_is_refused(stopped, slow):
    (stopped.work / "list.txt").unlink()
    os.mkfifo(stopped.work / "list.txt")
    before = stopped.read("out.csv")
    result = stopped(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env)
    assert result.status == 2 and stopped.read("out.csv") == before


def test_an_input_that_was_not_there_is_read_later(sonde, slow):
    scan = options("8.8.8.8", "late.txt", "-o", "out.ndjson", "--fields", "ip")
    for again in ([], ["--resume"]):
        result = sonde(*scan, *again, env=slow.env)
        assert result.status == 5 and "--resume" in result.stderr
        assert sonde.read("out.ndjson") == b'{"ip":"8.8.8.8"}\n'
    assert sonde(*scan, env=slow.env).status == 2
    sonde.file("late.txt", "1.1.1.1\n")
    assert sonde(*scan, "--resume", env=slow.env).status == 0
    assert sonde.read("out.ndjson") == b'{"ip":"8.8.8.8"}\n{"ip":"1.1.1.1"}\n'
    assert not (sonde.work / "out.ndjson.journal").exists()


@pytest.mark.parametrize("last", ["9.9.9.9", "last.txt"])
def test_an_input_that_would_come_before_what_is_written_is_refused(sonde, slow, last):
    sonde.file("last.txt", "9.9.9.9\n")
    scan = options("8.8.8.8", "late.txt", last, "-o", "out.csv")
    assert sonde(*scan, env=slow.env).status == 5
    before = sonde.read("out.csv")
    sonde.file("late.txt", "1.1.1.1\n")
    result = sonde(*scan, "--resume", env=slow.env)
    assert result.status == 2 and "only now there" in result.stderr
    assert sonde.read("out.csv") == before
    (sonde.work / "late.txt").unlink()
    assert sonde(*scan, "--resume", env=slow.env).status == 5
    assert sonde.read("out.csv") == before


def test_an_unordered_scan_waits_for_the_first_gap_and_can_be_resumed(sonde, slow):
    slow.control(batch_limit=100_000, latency=0, faults=[{"fault": "hang"}])
    count = 150_000
    rest = "".join(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}\n" for n in range(count))
    sonde.file("list.txt", "8.8.8.8\n" + rest)
    scan = options("list.txt", "--unordered", "-o", "out.ndjson", "--timeout", "60", "--fields", "ip")
    running = sonde.start(*scan, env=slow.env)
    deadline, seen = time.monotonic() + 60, -1
    while time.monotonic() < deadline:
        now = (sonde.work / "out.ndjson").stat().st_size if (sonde.work / "out.ndjson").exists() else 0
        if now == seen and now > 0:
            break
        seen = now
        time.sleep(1)
    running.signal(signal.SIGKILL)
    running.finish()
    assert 0 < len(sonde.read("out.ndjson").splitlines()) < 100_000
    slow.control(batch_limit=100_000, latency=0, faults=[])
    assert sonde(*scan, "--resume", env=slow.env).status == 0
    lines = sonde.read("out.ndjson").splitlines()
    assert len(lines) == len(set(lines)) == count + 1


def test_an_output_that_lost_its_end_goes_on_before_it(stopped, slow):
    whole = len(listing(3000).splitlines())
    data = stopped.read("out.csv")
    (stopped.work / "out.csv").write_bytes(data[:-1])
    result = stopped(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env)
    assert result.status == 0, result.stderr
    assert int(re.search(r"sonde: ([\d,]+) entries", result.stderr)[1].replace(",", "")) == whole
    assert stopped.read("out.csv").startswith(data[:1000])


def test_a_journal_that_was_not_begun_is_none(sonde, slow):
    sonde.file("list.txt", "8.8.8.8\n")
    for more in ([], ["--resume"]):
        sonde.file("out.csv", "old\n")
        sonde.file("out.csv.journal", "")
        assert sonde(*options("list.txt", "-o", "out.csv", *more), env=slow.env).status == 0
        assert len(sonde.read("out.csv").splitlines()) == 2
        assert not (sonde.work / "out.csv.journal").exists()


def test_a_journal_without_an_entry_was_not_begun(stopped, slow):
    journal = stopped.work / "out.csv.journal"
    size = journal.stat().st_size
    # What is written before the first entry: the description of the scan, behind the room of the entries.
    data = journal.read_bytes()
    journal.write_bytes(bytes(2 << 20) + data[2 << 20 :])
    assert size == journal.stat().st_size
    for more in (["--resume"], []):
        stopped.file("out.csv", "old\n")
        assert stopped(*options("list.txt", "-o", "out.csv", *more), env=slow.env).status in (0, 1)
        assert stopped.read("out.csv").startswith(b"ip,status,") and not journal.exists()
        journal.write_bytes(bytes(2 << 20) + data[2 << 20 :])


def test_an_empty_output_without_a_journal_is_begun_and_not_finished(sonde, slow):
    sonde.file("list.txt", "8.8.8.8\n")
    sonde.file("out.csv", "")
    assert sonde(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env).status == 0
    assert len(sonde.read("out.csv").splitlines()) == 2


@pytest.mark.parametrize("more", [[], ["--resume"]])
def test_without_room_for_the_journal_nothing_is_written_that_would_pass_for_finished(sonde, slow, more):
    sonde.file("list.txt", listing(500))
    prefix = ["bash", "-c", 'ulimit -f 16 && exec "$@"', "bash"]
    result = sonde(*options("list.txt", "-o", "out.csv", *more), env=slow.env, prefix=prefix)
    assert result.status == 5 and "out.csv.journal" in result.stderr
    assert not (sonde.work / "out.csv").exists() and slow.counts()["total"] == 0
    whole = sonde(*options("list.txt"), "--format", "csv", env=slow.env).stdout
    assert sonde(*options("list.txt", "-o", "out.csv", "--resume"), env=slow.env).status == 0
    assert_same(sonde.read("out.csv"), whole)


def test_in_a_folder_that_takes_no_journal_a_scan_goes_on_without(sonde, slow):
    folder = sonde.work / "closed"
    folder.mkdir()
    (folder / ("o" * 250)).touch()
    sonde.file("list.txt", "8.8.8.8\n")
    name = f"closed/{'o' * 250}"
    result = sonde(*options("list.txt", "-o", name, "--format", "csv"), env=slow.env)
    assert result.status == 0 and "cannot be resumed" in result.stderr
    assert b"8.8.8.8" in sonde.read(name)


def test_what_came_behind_the_last_record_counts_in_the_summary(sonde, simulator):
    simulator.control(faults=[{"fault": "hang", "from": 2, "to": 2}])
    listing = sonde.file("list.txt", "".join(f"8.8.{n}.1\n" for n in range(150)))
    command = ("scan", listing, "--provider", "ip-api", "--concurrency", "1", "-o", "out.csv", "--no-cache")
    running = sonde.start(*command, env=simulator.env)
    await_rows(sonde, "out.csv", 100)
    time.sleep(2)
    running.signal(signal.SIGINT)
    assert running.finish().status == 130
    assert sonde(*command, "--resume", "--events", "events", env=simulator.env).status == 0
    summary = json.loads(sonde.read("events").splitlines()[-1])
    assert summary["elapsed_ms"] > 2000 and summary["requests"] == 3
