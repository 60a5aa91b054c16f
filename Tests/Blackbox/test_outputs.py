"""Where records go: files, rejects, missing ones, closed pipes and full disks."""

import json
import os
import shutil
import subprocess
import time

import pytest
from command import PATIENCE

ITEMS = "8.8.8.8\nnonsense!\n10.0.0.1\n1.1.1.1\n1.2.3\n"


def test_rejects_take_the_invalid_records(sonde, simulator):
    result = sonde(
        "scan", "--provider", "ip-api", "--rejects", "bad.ndjson", input=ITEMS, env=simulator.env
    )
    assert [r["ip"] for r in result.records] == ["8.8.8.8", "10.0.0.1", "1.1.1.1"]
    rejects = [json.loads(line) for line in sonde.read("bad.ndjson").splitlines()]
    assert [(r["ip"], r["status"], r["line"]) for r in rejects] == [("nonsense!", "invalid", 2), ("1.2.3", "invalid", 5)]
    assert result.status == 0


@pytest.mark.parametrize("ending, unpack", [(".gz", ["gzip", "-dc"]), (".zst", ["zstd", "-dcq"])])
def test_a_compressed_file_of_nothing_can_be_unpacked(sonde, ending, unpack):
    names = [name + ending for name in ("records.ndjson", "rejects.ndjson", "missing", "list.ndjson")]
    command = ["check", "-o", names[0], "--rejects", names[1]]
    assert sonde(*command, input="").status == 0
    assert sonde("scan", "--provider", "local", "-o", names[0], "--missing", names[2], input="").status == 0
    assert sonde("cache", "list", "-o", names[3]).status == 0
    for name in names:
        run = subprocess.run(unpack, input=sonde.read(name), capture_output=True)
        assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")


def test_check_has_rejects_too_and_still_ends_with_1(sonde):
    result = sonde("check", "--rejects", "bad.ndjson", input=ITEMS)
    assert [r["ip"] for r in result.records] == ["8.8.8.8", "10.0.0.1", "1.1.1.1"]
    assert result.status == 1 and len(sonde.read("bad.ndjson").splitlines()) == 2


def test_missing_lists_what_is_to_be_scanned_again(sonde, simulator):
    simulator.control(batch_limit=None, single_limit=None, faults=[{"fault": "status", "status": 500, "address": "5.0.0.7"}])
    addresses = [f"5.0.0.{n}" for n in range(20)]
    options = ("scan", "--provider", "ip-api", "--missing", "missing.txt")
    result = sonde(*options, "--retries", "1", input="\n".join([*addresses, "x", "10.0.0.1"]), env=simulator.env)
    assert result.status == 1
    assert sonde.read("missing.txt") == b"5.0.0.7\n"
    simulator.control(faults=[])
    again = sonde(*options, "-", input=sonde.read("missing.txt"), env=simulator.env)
    assert [r["status"] for r in again.records] in (["ok"], ["unknown"])
    assert again.status == 0 and sonde.read("missing.txt") == b""


def test_an_output_that_is_also_an_input_is_refused(sonde, simulator):
    sonde.file("list.txt", "8.8.8.8\n")
    os.link(sonde.work / "list.txt", sonde.work / "link.txt")
    (sonde.work / "symlink.txt").symlink_to("list.txt")
    for options in (
        ["-o", "list.txt"],
        ["-o", "./list.txt"],
        ["-o", "link.txt"],
        ["-o", "symlink.txt"],
        ["--rejects", "list.txt"],
        ["--missing", "list.txt"],
        ["--events", "list.txt"],
    ):
        result = sonde("scan", "--provider", "ip-api", *options, "list.txt", env=simulator.env)
        assert result.status == 2 and result.stderr, options
        assert sonde.read("list.txt") == b"8.8.8.8\n"
    with open(sonde.work / "list.txt", "ab") as out:
        assert sonde("scan", "--provider", "ip-api", "list.txt", stdout=out, env=simulator.env).status == 2
    assert simulator.counts()["total"] == 0


def test_an_output_that_is_a_database_in_use_is_refused(sonde, loc_database):
    copy = shutil.copy(loc_database, sonde.work / "copy.db")
    before = sonde.read("copy.db")
    result = sonde("scan", "--provider", "local", "--database", copy, "-o", copy, "8.8.8.8")
    assert (result.status, sonde.read("copy.db")) == (2, before)


def test_an_output_that_cannot_be_made_ends_with_5(sonde, simulator):
    for option in ("-o", "--rejects", "--missing", "--events"):
        result = sonde(
            "scan", "--provider", "ip-api", option, "no/such/folder/file", "8.8.8.8", env=simulator.env
        )
        assert result.status == 5 and "no/such/folder" in result.stderr, option


def taken_names(sonde, how, name):
    """Another name for a file, which may be yet to be made."""
    if how == "absolute":
        return str(sonde.work / name)
    if how == "link":
        os.symlink(name, sonde.work / "link.csv")
        return "link.csv"
    if how == "hard link":
        (sonde.work / name).touch()
        os.link(sonde.work / name, sonde.work / "hard.csv")
        return "hard.csv"
    if how == "folder":
        (sonde.work / "below").mkdir()
        return f"below/../{name}"
    return "./" + name


HOW = ["relative", "absolute", "link", "hard link", "folder"]
PLACES = {"input": "list.csv", "output": "out.csv", "journal": "out.csv.journal", "cache": "cache.db",
          "database": "location.csv"}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("option", ["--rejects", "--missing", "--events"])
def test_each_pair_of_an_output_and_another_file_is_refused(sonde, simulator, loc_database, option, place, how):
    sonde.file("list.csv", "8.8.8.8\n")
    shutil.copy(loc_database, sonde.work / "location.csv")
    before = {path.name: path.read_bytes() for path in sonde.work.iterdir()}
    other = taken_names(sonde, how, PLACES[place])
    result = sonde(
        "scan", "--provider", "ip-api,local", "list.csv", "-o", "out.csv", "--cache", "cache.db",
        "--database", "location.csv", option, other, env=simulator.env,
    )
    assert result.status == 2, result.stderr
    assert "is also" in result.stderr
    assert all((sonde.work / name).read_bytes() == data for name, data in before.items())
    assert simulator.counts()["total"] == 0


@pytest.mark.parametrize("options", [
    ["-o", "list.csv"], ["-o", "cache.db"], ["-o", "location.csv"], ["--cache", "list.csv"],
    ["-o", "o.csv", "--cache", "o.csv"], ["-o", "o.csv", "--cache", "o.csv.journal"],
    ["--rejects", "a", "--missing", "a"], ["--events", "a", "-o", "b", "--missing", "./a"],
    ["--rejects", "-"], ["--missing", "-"], ["-o", "o.csv", "--rejects", "-", "--missing", "-"],
    ["-o", "o.csv", "--rejects", "-", "--events", "-"],
], ids=" ".join)
def test_further_pairs_are_refused(sonde, simulator, loc_database, options):
    sonde.file("list.csv", "8.8.8.8\n")
    shutil.copy(loc_database, sonde.work / "location.csv")
    cache = [] if "--cache" in options else ["--cache", "cache.db"]
    result = sonde(
        "scan", "list.csv", "--database", "location.csv", "--format", "csv", *cache, *options,
        env=simulator.env,
    )
    assert result.status == 2 and result.stdout == b"", result.stderr
    assert sonde.read("list.csv") == b"8.8.8.8\n"
    assert sorted(path.name for path in sonde.work.iterdir()) == ["list.csv", "location.csv"]


def test_a_journal_of_another_scan_is_not_written_over(sonde, simulator):
    simulator.control(window=600, batch_limit=1)
    running = sonde.start("scan", "--provider", "ip-api", "8.8.0.0/23", "-o", "a.csv", env=simulator.env)
    while not (sonde.work / "a.csv.journal").exists():
        time.sleep(0.01)
    time.sleep(0.3)
    running.signal(2)
    running.finish()
    for option in ("-o", "--rejects", "--events"):
        more = [] if option == "-o" else ["-o", "b.csv"]
        result = sonde("scan", "--provider", "ip-api", "8.8.8.8", option, "a.csv.journal", "--format", "csv",
                       *more, env=simulator.env)
        assert result.status == 2 and "journal" in result.stderr, option


@pytest.mark.parametrize("command", ["scan", "check", "lookup", "me"])
def test_events_on_stdout_need_the_records_elsewhere(sonde, simulator, command):
    operands = [] if command == "me" else ["8.8.8.8"]
    result = sonde(command, *operands, "--events", "-", env=simulator.env)
    assert result.status == 2 and result.stdout == b""
    assert simulator.counts()["total"] == 0


def test_events_on_stdout_beside_a_file_of_records(sonde, simulator):
    result = sonde("scan", "--provider", "ip-api", "8.8.8.8", "-o", "o.csv", "--events", "-", env=simulator.env)
    assert result.status == 0
    assert json.loads(result.lines[-1])["event"] == "summary"


@pytest.mark.parametrize("ending", [".xlsx", ".txt", ".tab", ".sqlite3", ".db.gz", ".sqlite.zst", ".csv.bz2", ".xlsx.gz"])
@pytest.mark.parametrize("command", ["scan", "check"])
def test_an_ending_that_says_no_form_is_refused(sonde, simulator, command, ending):
    result = sonde(command, "8.8.8.8", "-o", "out" + ending, env=simulator.env)
    assert result.status == 2
    assert all(known in result.stderr for known in (".csv", ".tsv", ".json", ".ndjson", ".jsonl", ".geojson", ".gz", ".zst", ".sqlite", ".db"))
    assert list(sonde.work.iterdir()) == []
    assert sonde(command, "8.8.8.8", "-o", "out" + ending, "--format", "csv", "--provider", "ip-api",
                 env=simulator.env).status == 0 if command == "scan" else True


@pytest.mark.parametrize("ending, begin", [(".CSV", b"ip,"), (".Tsv", b"ip\t"), (".Json", b"["), (".JSONL", b"{"), (".GeoJSON", b'{"type":"Feat'), ("", b"{"),
     (".DB", b"SQLite format 3"), (".SQLite", b"SQLite format 3")])
def test_the_case_of_an_ending_does_not_count(sonde, ending, begin):
    assert sonde("check", "8.8.8.8", "-o", "out" + ending).status == 0
    assert sonde.read("out" + ending).startswith(begin)


@pytest.mark.parametrize("options, status", [
    (["lst.txt"], 5), (["lst.txt", "lst2.txt"], 5), (["lst.txt", "--fields", "nonsense"], 2),
    (["list.txt", "--database", "none.db", "--provider", "local"], 2),
    (["list.txt", "--events", "no/such/folder"], 5),
], ids=lambda value: str(value))
@pytest.mark.parametrize("is_new", [True, False])
def test_nothing_is_touched_before_all_that_can_be_refused_is(sonde, simulator, options, status, is_new):
    sonde.file("list.txt", "8.8.8.8\n")
    for name in () if is_new else ("out.csv", "rejects", "missing"):
        sonde.file(name, "old\n" * 100)
    before = {path.name: path.read_bytes() for path in sonde.work.iterdir()}
    result = sonde(
        "scan", *options, "-o", "out.csv", "--rejects", "rejects", "--missing", "missing",
        env=simulator.env,
    )
    assert result.status == status
    assert {path.name: path.read_bytes() for path in sonde.work.iterdir()} == before


@pytest.mark.parametrize("option", ["--rejects", "--missing", "--events"])
def test_an_output_that_cannot_be_made_spares_the_others(sonde, simulator, option):
    scan = ["scan", "--provider", "ip-api", "-o", "out.csv", "8.8.8.8"]
    assert sonde(*scan, option, "no/such/folder/file", env=simulator.env).status == 5
    assert list(sonde.work.iterdir()) == []
    sonde.file("out.csv", "old\n" * 1000)
    assert sonde(*scan, option, "no/such/folder/file", env=simulator.env).status == 5
    assert sonde.read("out.csv") == b"old\n" * 1000
    assert sonde(*scan, option, "other", env=simulator.env).status == 0
    assert b"old" not in sonde.read("out.csv")


@pytest.mark.parametrize("command", [["check", "--quiet"], ["extract"], ["check", "--quiet", "--format", "csv"]])
def test_a_closed_standard_output_is_the_reader_being_satisfied(sonde, command):
    many = "".join(f"8.{n >> 16}.{n >> 8 & 255}.{n & 255}\n" for n in range(400_000))
    name = sonde.file("many", many)
    running = subprocess.Popen(
        sonde.command([*command, name]),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=sonde.environment(),
        cwd=sonde.work,
    )
    assert running.stdout.readline()
    running.stdout.close()
    errors = running.stderr.read()
    running.stderr.close()
    assert (running.wait(30), errors) == (0, b"")


def test_a_full_disk_ends_with_5_and_a_clear_message(sonde):
    many = "\n".join(f"8.8.{n >> 8}.{n & 255}" for n in range(20_000))
    with open("/dev/full", "wb") as full:
        result = sonde("check", input=many, stdout=full)
    assert result.status == 5 and "space" in result.stderr.lower()
    result = sonde("scan", "--provider", "local", "-o", "/dev/full", "8.8.8.8")
    assert result.status == 5 and "/dev/full" in result.stderr


FULL = [
    *((["scan", "--format", form], "list") for form in ("csv", "tsv", "ndjson", "json", "geojson", "table")),
    *((["summary", "--format", form], "log") for form in ("table", "csv", "tsv", "ndjson", "json")),
    *((["annotate", "--style", style], name) for style, name in [("brackets", "log"), ("json", "json"), ("columns", "csv")]),
    *((["extract", *options], "log") for options in ([], ["--count"])),
    (["check"], "list"),
]


@pytest.mark.parametrize("command, name", FULL, ids=lambda value: "-".join(value).replace("--", "") if isinstance(value, list) else value)
def test_an_output_without_room_is_told_in_one_line(sonde, loc_database, command, name):
    local = ["--provider", "local", "--database", loc_database] if command[0] not in ("extract", "check") else []
    before, line = {"list": ("", "%s"), "log": ("", "%s x"), "json": ("", '{"ip":"%s"}'), "csv": ("ip\n", "%s")}[name]
    # One that fits every buffer, and one that fits none.
    for count in (1, 40_000):
        text = "".join(f"{line % f'{5 + n // 62_500}.{n // 250 % 250}.{n % 250}.9'}\n" for n in range(count))
        sonde.file(name, before + text)
        with open("/dev/full", "wb") as full:
            result = sonde(*command, *local, name, stdout=full)
        assert (result.status, result.stderr) == (5, "sonde: stdout: No space left on device\n")
        result = sonde(*command, *local, "-o", "/dev/full", name)
        words = "sonde: /dev/full: No space left on device\n"
        assert (result.status, result.stdout, result.stderr) == (5, b"", words)
    if command[0] == "summary":
        result = sonde(*command, *local, "--tables", "none", "--html", "/dev/full", name)
        assert (result.status, result.stderr) == (5, words)


def test_what_was_written_before_the_disk_was_full_stays_whole(sonde, loc_database, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    script = f'mount -t tmpfs -o size=64k none {disk} && "$@"; status=$?; cp {disk}/out {tmp_path}/out; exit $status'
    probe = subprocess.run(["unshare", "-m", "sh", "-c", f"mount -t tmpfs none {disk}"], capture_output=True)
    if probe.returncode != 0:
        pytest.skip("mounting a small file system needs root")
    many = "\n".join(f"8.8.{n >> 8}.{n & 255}" for n in range(20_000))
    result = sonde(
        "scan", "--provider", "local", "--database", loc_database, "-o", disk / "out",
        input=many,
        prefix=("unshare", "-m", "sh", "-c", script, "sh"),
    )
    assert result.status == 5 and "space" in result.stderr.lower()
    lines = (tmp_path / "out").read_bytes().split(b"\n")
    written = [json.loads(line)["ip"] for line in lines[:-1]]
    assert len(written) > 100 and written == many.split("\n")[: len(written)]


def test_records_are_flushed_while_the_input_is_silent(sonde):
    running = sonde.start("check")
    running.write("8.8.8.8\n")
    assert json.loads(running.line(timeout=3))["ip"] == "8.8.8.8"
    running.write("1.1.1.1\n")
    assert json.loads(running.line(timeout=3))["ip"] == "1.1.1.1"
    assert running.finish().status == 0


def test_extract_flushes_too(sonde):
    running = sonde.start("extract")
    running.write("from 8.8.8.8 to\n")
    assert running.line(timeout=3) == b"8.8.8.8\n"
    assert running.finish().status == 0


@pytest.mark.parametrize("options, name", [((), "bad.ndjson"), ((), "bad"), (("--format", "table"), "bad"), (("--format", "table"), "bad.ndjson")])
def test_rejects_are_whole_beside_a_table(sonde, options, name):
    arguments = ("check", *options, "--rejects", name)
    screen = sonde.pty(*arguments, input=b"8.8.8.8\nx!\n")
    assert screen.status == 1
    (record,) = [json.loads(line) for line in sonde.read(name).splitlines()]
    assert (record["ip"], record["status"], record["line"]) == ("x!", "invalid", 2) and record["message"]


def test_rejects_have_the_columns_that_were_picked(sonde):
    sonde.pty("check", "--fields", "ip,line", "--rejects", "bad.csv", input=b"8.8.8.8\nx!\n")
    assert sonde.read("bad.csv") == b"ip,line\nx!,2\n"
    sonde.pty("check", "--fields", "+input", "--rejects", "bad.ndjson", input=b"8.8.8.8\nx!\n")
    assert set(json.loads(sonde.read("bad.ndjson"))) == {"ip", "status", "message", "line", "input"}


@pytest.mark.parametrize("option", ["-o", "--rejects", "--missing", "--events"])
def test_the_name_of_a_journal_is_no_output(sonde, simulator, option):
    result = sonde("scan", "8.8.8.8", option, "o.csv.journal", "--format", "csv", env=simulator.env)
    assert result.status == 2 and "journal" in result.stderr
    assert simulator.counts()["total"] == 0 and not list(sonde.work.iterdir())


def test_where_there_is_no_stdout_nothing_is_asked(sonde, simulator):
    prefix = ("sh", "-c", 'exec "$@" >&-', "sh")
    result = sonde("scan", "--provider", "ip-api", "8.8.8.8", env=simulator.env, prefix=prefix)
    assert result.status == 5 and "stdout: " in result.stderr
    assert simulator.counts()["total"] == 0


@pytest.mark.parametrize("option", ["--events", "--rejects"])
def test_a_satisfied_reader_of_stdout_ends_the_wait_for_another_reader(sonde, simulator, option):
    simulator.control(batch_limit=None, faults=[{"fault": "status", "status": 500, "probability": 0.5}])
    os.mkfifo(sonde.work / "pipe")
    stalled = os.open(sonde.work / "pipe", os.O_RDWR | os.O_NONBLOCK)
    os.write(stalled, b"x" * 65_000)
    sonde.file("list", "".join(f"none-{n}\n" for n in range(500)) + "\n".join(f"8.8.{n}.1" for n in range(250)))
    reading, writing = os.pipe()
    process = subprocess.Popen(
        sonde.command(["scan", "--provider", "ip-api", "list", option, "pipe"]),
        stdout=writing, stderr=subprocess.PIPE, env=sonde.environment(simulator.env), cwd=sonde.work,
    )
    os.close(writing)
    time.sleep(1)
    assert process.poll() is None, "it waits for the reader"
    os.close(reading)
    try:
        _, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        os.close(stalled)
    assert process.returncode == 0 and b"pipe" not in errors


def test_no_output_replaces_the_database_that_is_read_unasked(sonde):
    database = "/var/lib/location/database.db"
    if os.geteuid() != 0 or not os.path.exists(database):
        pytest.skip("needs root and libloc's database")
    # A copy stands in for the system's.
    copy = sonde.work / "copy.db"
    shutil.copy(database, copy)
    before = copy.read_bytes()
    script = 'mount --bind "$0" "$(readlink -f /var/lib/location/database.db)" && exec "$@"'
    prefix = ("unshare", "--mount", "--propagation", "private", "sh", "-c", script, str(copy))
    for option in ("--output", "--missing", "--events"):
        result = sonde("scan", "8.8.8.8", "--provider", "local", "--format", "csv", option, database, prefix=prefix)
        assert (result.status, result.stdout) == (2, b"")
        assert f"{database} is also a database" in result.stderr
    assert copy.read_bytes() == before


def test_a_hint_names_a_command_that_works(sonde, simulator):
    simulator.control(faults=[{"fault": "status", "status": 403, "call": "ip-api"}])
    options = ("scan", "8.8.8.8", "--provider", "ip-api,local", "--no-cache")
    for name, hint in {"o.csv": "-o o.csv'", "o.csv.gz": "-o NEW'", "/dev/null": None}.items():
        result = sonde(*options, "--format", "csv", "-o", name, env=simulator.env)
        assert (f"'sonde upgrade {name} {hint}" in result.stderr) if hint else "sonde upgrade" not in result.stderr
    result = sonde(*options, "-o", "few.csv", "--fields", "ip,status", env=simulator.env)
    assert "sonde upgrade" not in result.stderr
