"""Records in a database: typed, safe whenever the scan stops, and upgraded where they are."""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time

import pytest
from command import NOWHERE, wait_for
from expected import FIELDS, MORE_FIELDS, record
from test_resume import KILLS, assert_same, content, kept, listing, options, slow, stop_at_random  # noqa: F401

pytestmark = pytest.mark.slow

REAL = {"latitude", "longitude"}
INTEGER = {"asn", "cached", "line", "accuracy_radius", "mobile", "proxy", "hosting", "tor", "vpn", "relay"}


def rows(path, query="SELECT * FROM records ORDER BY rowid"):
    """The rows of a query, as dictionaries without what is NULL."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        found = database.execute(query)
        names = [column[0] for column in found.description]
        return [{n: v for n, v in zip(names, row) if v is not None} for row in found]


def count(path):
    """How many rows there are so far."""
    if not path.exists():
        return 0
    with contextlib.closing(sqlite3.connect(path)) as database:
        try:
            return database.execute("SELECT count(*) FROM records").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


def scan(sonde, simulator, *more, input="8.8.8.8\n"):
    return sonde("scan", "--provider", "ip-api", *more, input=input, env=simulator.env)


def test_the_rows_are_the_records_of_ndjson_typed(sonde, simulator):
    simulator.control(batch_limit=None)
    text = "10.0.0.1\nnot an \x00 'address'\n" + "\n".join(f"5.{n // 250}.{n % 250}.7" for n in range(1000))
    lines = scan(sonde, simulator, "--no-cache", "--fields", "+proxy,+hosting,+mobile,+network,+input", input=text).records
    result = scan(sonde, simulator, "--no-cache", "--fields", "+proxy,+hosting,+mobile,+network,+input", "-o", "o.db", input=text)
    assert (result.stdout, result.status) == (b"", 0)
    found = rows(sonde.work / "o.db")
    for each in [*lines, *found]:
        each.pop("fetched_at", None)
    booleans = {"cached", "mobile", "proxy", "hosting"}
    assert [{n: int(v) if n in booleans else v for n, v in each.items()} for each in lines] == found
    for each in found:
        for name, value in each.items():
            wanted = float if name in REAL else int if name in INTEGER else str
            assert type(value) is wanted, (name, value)
    assert os.listdir(sonde.work) == ["o.db"]


def test_the_columns_are_typed_and_in_their_order(sonde, simulator):
    scan(sonde, simulator, "-o", "o.sqlite", "--fields", ",".join(FIELDS + MORE_FIELDS))
    columns = rows(sonde.work / "o.sqlite", "SELECT name, type FROM pragma_table_info('records')")
    assert [each["name"] for each in columns] == FIELDS + MORE_FIELDS
    kinds = {each["name"]: each["type"] for each in columns}
    assert {name for name, kind in kinds.items() if kind == "REAL"} == REAL
    assert {name for name, kind in kinds.items() if kind == "INTEGER"} == INTEGER
    assert {kind for name, kind in kinds.items() if name not in REAL | INTEGER} == {"TEXT"}


def test_the_shell_reads_it(sonde, simulator):
    scan(sonde, simulator, "-o", "o.db", input="8.8.8.8\n10.0.0.1\n")
    query = "SELECT ip, status, latitude, asn, cached, message IS NULL FROM records"
    shell = subprocess.run(["sqlite3", "-readonly", sonde.work / "o.db", query], capture_output=True, text=True)
    assert shell.stdout.splitlines() == ["8.8.8.8|ok|39.03|15169|0|1", "10.0.0.1|reserved||||0"]


def test_without_records_there_is_an_empty_table(sonde, simulator):
    assert scan(sonde, simulator, "-o", "o.db", input="").status == 0
    assert rows(sonde.work / "o.db") == []


@pytest.mark.parametrize("more", [[], ["-o", "-"], ["-o", "o.gz"]])
@pytest.mark.parametrize("command", ["scan", "lookup", "me", "check", "cache"])
def test_it_needs_a_file(sonde, simulator, command, more):
    operands = {"me": [], "cache": ["list"]}.get(command, ["8.8.8.8"])
    result = sonde(command, *operands, "--format", "sqlite", *more, env=simulator.env)
    assert (result.status, result.stdout) == (2, b"") and "--format sqlite" in result.stderr
    assert os.listdir(sonde.work) == [] and simulator.counts()["total"] == 0


@pytest.mark.parametrize("old", [b"", b"precious\n", "database"])
@pytest.mark.parametrize("command", ["scan", "lookup", "me", "check"])
def test_what_is_there_is_not_written_over(sonde, simulator, command, old):
    if old == "database":
        scan(sonde, simulator, "-o", "o.db", input="9.9.9.9\n")
        old = sonde.read("o.db")
    sonde.file("o.db", old)
    asked = simulator.counts()["total"]
    operands = [] if command == "me" else ["8.8.8.8"]
    for more in (["-o", "o.db"], *([["-o", "o.csv", "--rejects", "o.db"]] if command in ("scan", "check") else [])):
        result = sonde(command, *operands, *more, env=simulator.env)
        assert result.status == 2 and "o.db is there already" in result.stderr
    assert sonde.read("o.db") == old and os.listdir(sonde.work) == ["o.db"]
    assert simulator.counts()["total"] == asked


def test_what_is_finished_is_left_alone(sonde, simulator):
    command = ["scan", "--provider", "ip-api", "8.8.8.8", "-o", "o.db", "--resume"]
    assert sonde(*command, env=simulator.env).status == 0
    data = sonde.read("o.db")
    result = sonde(*command, env=simulator.env)
    assert result.status == 0 and "finished" in result.stderr and sonde.read("o.db") == data


def test_what_lies_beside_a_database_is_its_own(sonde, simulator):
    result = scan(sonde, simulator, "-o", "o.db", "--events", "o.db-wal")
    assert result.status == 2 and "beside the database" in result.stderr


def test_the_answers_of_the_cache_are_a_table_too(sonde, simulator):
    cache = ["--cache", "cache.db"]
    scan(sonde, simulator, *cache, input="8.8.8.8\n1.1.1.1\n")
    assert sonde("cache", "list", *cache, "-o", "all.sqlite").status == 0
    assert [each["ip"] for each in rows(sonde.work / "all.sqlite")] == ["8.8.8.8", "1.1.1.1"]
    result = sonde("cache", "stats", *cache, "-o", "stats.sqlite")
    assert result.status == 2


def test_rejects_are_a_table_where_their_name_says_so(sonde, simulator):
    scan(sonde, simulator, "-o", "o.db", "--rejects", "bad.db", input="8.8.8.8\nx\n")
    assert [each["ip"] for each in rows(sonde.work / "bad.db")] == ["x"]
    scan(sonde, simulator, "-o", "p.db", "--rejects", "bad", input="8.8.8.8\nx\n")
    assert json.loads(sonde.read("bad"))["ip"] == "x"
    result = scan(sonde, simulator, "-o", "q.db", "--rejects", "-", input="8.8.8.8\nx\n")
    assert [each["ip"] for each in result.records] == ["x"]


def test_rows_can_be_read_within_a_second_while_nothing_more_comes(sonde, simulator):
    simulator.control(window=600, batch_limit=2)
    text = "\n".join(f"5.0.{n}.7" for n in range(250)) + "\n"
    running = sonde.start("scan", "--provider", "ip-api", sonde.file("l", text), "-o", "o.db", env=simulator.env)
    deadline = time.monotonic() + 10
    while simulator.counts()["total"] < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(1.3)
    assert len(rows(sonde.work / "o.db")) == 200, "two batches are known"
    running.signal(signal.SIGKILL)
    running.finish()
    assert len(rows(sonde.work / "o.db")) == 200


@pytest.mark.measures_time
def test_an_end_waits_for_no_transaction(sonde, simulator):
    begin = time.monotonic()
    for number in range(3):
        assert scan(sonde, simulator, "-o", f"{number}.db", input="8.8.8.8\n").status == 0
    assert time.monotonic() - begin < 3 * 0.9


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_it_is_one_whole_file(sonde, simulator, number, status):
    simulator.control(window=600, batch_limit=1)
    running = sonde.start("scan", "--provider", "ip-api", "8.8.0.0/23", "-o", "o.db", env=simulator.env)
    while simulator.counts()["total"] < 1:
        time.sleep(0.01)
    time.sleep(0.2)
    running.signal(number)
    assert running.finish(timeout=3).status == status
    assert sorted(os.listdir(sonde.work)) == ["o.db", "o.db.journal"]
    assert len(rows(sonde.work / "o.db")) == 100


def test_tables_of_rejects_are_killed_and_resumed_with_the_main_one(sonde, slow):
    chooser = random.Random(5)
    sonde.file("list.txt", listing(1500))
    files = ["list.txt", "--unordered", "--missing", "left"]
    sonde(*options(*files, "-o", "whole.db", "--rejects", "whole-bad.db"), env=slow.env)
    for _ in range(KILLS):
        for path in [*sonde.work.glob("o.db*"), *sonde.work.glob("bad.db*"), *sonde.work.glob("cache.db*")]:
            path.unlink()
        status = None
        while status not in (0, 1):
            status = stop_at_random(sonde, slow, chooser, *files, "-o", "o.db", "--rejects", "bad.db", "--resume")
            assert status in (0, 1, 130, 137, 143)
        for mine, whole in (("o.db", "whole.db"), ("bad.db", "whole-bad.db")):
            assert_same(content(sonde.work / mine), content(sonde.work / whole), is_ordered=False)


TRIGGER = "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records WHERE rowid % 2 = 0; END"


def begin(sonde, slow):
    """Begins a scan to o.db; returns once some hundreds of rows are committed."""
    sonde.file("list.txt", listing(3000))
    slow.control(batch_limit=100_000, latency=0.3)
    running = sonde.start(*options("list.txt", "-o", "o.db"), env=slow.env)
    deadline = time.monotonic() + 20
    while count(sonde.work / "o.db") <= 400:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return running


@pytest.fixture
def stopped(sonde, slow):
    """A scan to o.db that was killed in the middle."""
    running = begin(sonde, slow)
    running.signal(signal.SIGKILL)
    running.finish()
    slow.control(batch_limit=100_000, latency=0.0, reset=False)
    assert (sonde.work / "o.db.journal").exists()
    return sonde


def resume(sonde, slow, *more):
    return sonde(*options("list.txt", "-o", "o.db", "--resume", *more), env=slow.env)


def test_rows_that_the_journal_does_not_know_are_taken_away(stopped, slow):
    with contextlib.closing(sqlite3.connect(stopped.work / "o.db")) as database:
        database.execute("INSERT INTO records (ip) VALUES ('torn')")
        database.commit()
    assert resume(stopped, slow).status in (0, 1)
    found = [each["ip"] for each in rows(stopped.work / "o.db")]
    assert found == list(dict.fromkeys(line.split(" ")[0] for line in listing(3000).splitlines()))


@pytest.mark.parametrize(
    "change",
    ["UPDATE records SET city = 'x' WHERE rowid = 7", "DELETE FROM records WHERE rowid = 7",
     "ALTER TABLE records RENAME COLUMN city TO town"],
)
def test_a_changed_table_is_refused(stopped, slow, change):
    with contextlib.closing(sqlite3.connect(stopped.work / "o.db")) as database:
        database.execute(change)
        database.commit()
    result = resume(stopped, slow)
    assert result.status == 2 and "o.db" in result.stderr and "remove the journal" in result.stderr
    assert (stopped.work / "o.db.journal").exists()


@pytest.mark.parametrize("harm", ["cut", "noise"])
def test_a_damaged_database_is_refused(stopped, slow, harm):
    path = stopped.work / "o.db"
    # Whoever closes it last leaves one file.
    assert len(rows(path)) > 400 and not (stopped.work / "o.db-wal").exists()
    if harm == "cut":
        os.truncate(path, 5000)
    else:
        path.write_bytes(os.urandom(20_000))
    result = resume(stopped, slow)
    assert result.status == 2 and "o.db" in result.stderr, result.stderr


@pytest.mark.parametrize("harm", ["gone", "DELETE FROM records", "DROP TABLE records"])
def test_what_went_with_the_power_is_asked_for_again(stopped, slow, harm):
    if harm == "gone":
        for path in stopped.work.glob("o.db*"):
            if path.suffix != ".journal":
                path.unlink()
    else:
        with contextlib.closing(sqlite3.connect(stopped.work / "o.db")) as database:
            database.execute(harm)
            database.commit()
    assert resume(stopped, slow).status in (0, 1)
    assert len(rows(stopped.work / "o.db")) == len(set(line.split(" ")[0] for line in listing(3000).splitlines()))


def test_an_index_of_ones_own_does_no_harm(stopped, slow):
    with contextlib.closing(sqlite3.connect(stopped.work / "o.db")) as database:
        database.execute("CREATE INDEX places ON records (city)")
        database.commit()
    assert resume(stopped, slow).status in (0, 1)


def test_a_reader_is_no_obstacle_and_a_writer_is_waited_for(sonde, slow):
    sonde.file("list.txt", listing(1500))
    command = options("list.txt", "-o", "o.db", "--resume")
    running = sonde.start(*command, env=slow.env)
    deadline = time.monotonic() + 10
    reader = None
    while reader is None:
        assert time.monotonic() < deadline
        if (sonde.work / "o.db").exists():
            connection = sqlite3.connect(sonde.work / "o.db", isolation_level=None)
            try:
                connection.execute("BEGIN")
                connection.execute("SELECT count(*) FROM records").fetchone()
                reader = connection
            except sqlite3.OperationalError:
                connection.close()
        time.sleep(0.01)
    assert running.finish().status in (0, 1)
    reader.execute("COMMIT")
    reader.close()
    assert [path.name for path in sonde.work.glob("o.db*")] == ["o.db"]
    (sonde.work / "o.db").unlink()
    slow.control(batch_limit=100_000, latency=0.6)
    running = sonde.start(*command, env=slow.env)
    while not count(sonde.work / "o.db"):
        time.sleep(0.01)
    writer = sqlite3.connect(sonde.work / "o.db", isolation_level=None, timeout=5)
    writer.execute("BEGIN IMMEDIATE")
    wait_for(lambda: "o.db is locked by another program: waiting for it" in running.stderr)
    slow.control(batch_limit=100_000, latency=0.0)
    writer.execute("ROLLBACK")
    writer.close()
    assert running.finish().status in (0, 1)
    found = [each["ip"] for each in rows(sonde.work / "o.db")]
    assert found == list(dict.fromkeys(line.split(" ")[0] for line in listing(1500).splitlines()))


# Upgrading.


def scan_without_provider(sonde, name="o.db", listing="8.8.8.8\n10.0.0.1\nbad item,x\n1.1.1.1\n9.9.9.9\n", *more):
    sonde.file("list.txt", listing)
    sonde("scan", "--retries", "0", "--provider", "ip-api", "-o", name, "list.txt", *more, env={"SONDE_IP_API_URL": NOWHERE})


def without_times(found):
    left = ("fetched_at", "cached", "message")
    return [{n: v for n, v in each.items() if n not in left} for each in found]


@pytest.mark.parametrize("target", ["o.db", "new.sqlite", "link.db"])
def test_upgraded_it_is_as_a_scan_by_the_provider_would_have_been(sonde, simulator, target):
    scan_without_provider(sonde)
    if target == "link.db":
        (sonde.work / "link.db").symlink_to("o.db")
    before = sonde.read("o.db")
    result = sonde("upgrade", "o.db", "-o", target, env=simulator.env)
    assert (result.status, result.stdout) == (0, b"")
    assert "3 of 3 rows upgraded" in result.stderr and "5 entries: 3 ok (3 ip-api)" in result.stderr
    scan(sonde, simulator, "-o", "whole.db", input=sonde.read("list.txt"))
    assert without_times(rows(sonde.work / target)) == without_times(rows(sonde.work / "whole.db"))
    assert (sonde.read("o.db") == before) == (target == "new.sqlite")
    assert not [name for name in os.listdir(sonde.work) if "-" in name or name.endswith(".upgrade")]
    asked = simulator.counts()["total"]
    assert sonde("upgrade", target, "-o", target, env=simulator.env).status == 0
    assert simulator.counts()["total"] == asked


def test_upgrade_keeps_all_that_is_not_its_own(sonde, simulator):
    with contextlib.closing(sqlite3.connect(sonde.work / "o.db")) as database:
        database.executescript(
            """
            CREATE TABLE records (note, source TEXT, ip TEXT PRIMARY KEY, "a ""b" BLOB, status TEXT, city TEXT);
            CREATE TABLE other (x); INSERT INTO other VALUES (1);
            CREATE INDEX cities ON records (city);
            INSERT INTO records VALUES
              ('n', 'libloc', '8.8.8.8', x'00ff', 'ok', 'Old'), (1.5, NULL, '10.0.0.1', NULL, 'failed', NULL),
              (2, 'ip-api', '9.9.9.9', NULL, 'ok', 'Kept'), ('what', NULL, 'x', NULL, 'nonsense', NULL);
            """
        )
    result = sonde("upgrade", "o.db", "-o", "o.db", env=simulator.env)
    assert result.status == 5 and "row 4 stays as it is: its status is none of Sonde's" in result.stderr
    with contextlib.closing(sqlite3.connect(sonde.work / "o.db")) as database:
        assert database.execute("SELECT * FROM records").fetchall() == [
            ("n", "ip-api", "8.8.8.8", b"\0\xff", "ok", "Ashburn"), (1.5, None, "10.0.0.1", None, "failed", None),
            (2, "ip-api", "9.9.9.9", None, "ok", "Kept"), ("what", None, "x", None, "nonsense", None),
        ]
        assert database.execute("SELECT x FROM other").fetchall() == [(1,)]
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def half_changed(path):
    """Leaves a database as a program does that is killed while it writes the file: a journal undoes its change."""
    kill = (
        "import os, signal, sqlite3, sys\n"
        "database = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "database.execute('PRAGMA cache_size = 1')\n"
        "database.execute('BEGIN IMMEDIATE')\n"
        "database.execute('UPDATE records SET status = ?', ('half ' * 50,))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", kill, str(path)])
    assert os.path.getsize(f"{path}-journal") > 0 and b"half" in path.read_bytes()


@pytest.mark.parametrize("command", ["upgrade", "summary", "diff"])
def test_a_change_that_was_killed_in_its_midst_is_undone(sonde, simulator, command):
    items = "\n".join(f"5.0.{n // 250}.{n % 250}" for n in range(1000)) + "\n"
    scan_without_provider(sonde, "o.db", items)
    shutil.copy(sonde.work / "o.db", sonde.work / "before.db")
    half_changed(sonde.work / "o.db")
    arguments = {
        "upgrade": ["o.db", "-o", "o.db", "--no-cache"], "summary": ["o.db", "--format", "json"],
        "diff": ["before.db", "o.db"],
    }[command]
    result = sonde(command, *arguments, env=simulator.env)
    assert result.status == 0, result.stderr
    found = rows(sonde.work / "o.db")
    assert [each["ip"] for each in found] == items.split()
    assert {each["status"] for each in found} <= ({"ok", "unknown"} if command == "upgrade" else {"failed"})
    assert not (sonde.work / "o.db-journal").exists()


def test_a_journal_that_names_another_file_is_left_alone(sonde):
    # SQLite deletes what it takes for the journal of several databases, whoever wrote its name there.
    scan_without_provider(sonde, "o.db", "\n".join(f"5.0.{n // 250}.{n % 250}" for n in range(1000)) + "\n")
    half_changed(sonde.work / "o.db")
    sonde.file("precious", "a key")
    name = os.fsencode(sonde.work / "precious")
    with open(sonde.work / "o.db-journal", "ab") as journal:
        journal.write(struct.pack(">I", (1 << 30) // 4096 + 1) + name + struct.pack(">II", len(name), sum(name)))
        journal.write(bytes.fromhex("d9d505f920a163d7"))
    result = sonde("summary", "o.db")
    assert result.status == 5 and "only someone who may write to it can undo that" in result.stderr
    assert sonde.read("precious") == b"a key"


def test_who_may_not_undo_a_change_is_told_of_it(sonde):
    scan_without_provider(sonde, "o.db", "\n".join(f"5.0.{n // 250}.{n % 250}" for n in range(1000)) + "\n")
    half_changed(sonde.work / "o.db")
    before = sonde.read("o.db")
    read_only = ("unshare", "--mount", "sh", "-c", 'mount -o bind,ro . . && cd "$PWD" && exec "$@"', "sh")
    result = sonde("summary", "o.db", prefix=read_only)
    assert result.status == 5 and "only someone who may write to it can undo that" in result.stderr
    assert sonde.read("o.db") == before


def test_upgrades_killed_again_and_again_end_as_one(sonde, slow):
    chooser = random.Random(3)
    items = "\n".join(f"5.{n // 250}.{n % 250}.3" for n in range(1500)) + "\n"
    scan_without_provider(sonde, "o.db", items)
    command = ["upgrade", "o.db", "-o", "o.db", "--no-cache", "--concurrency", "2"]
    statuses = []
    while not statuses or statuses[-1] not in (0, 1):
        running = sonde.start(*command, env=slow.env)
        # The first one surely under way.
        time.sleep(chooser.uniform(0.05, 1.5) if statuses else 0.3)
        running.signal(chooser.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT]))
        result = running.finish()
        statuses.append(result.status)
        assert result.status in (0, 1, 130, 137), result.stderr
    found = without_times(rows(sonde.work / "o.db"))
    assert [each["ip"] for each in found] == items.split()
    assert found == without_times(record(each["ip"], line=each["line"]) for each in found)
    assert len(statuses) > 1


@pytest.mark.parametrize(
    "make, words",
    [("CREATE TABLE x (y)", "no table of records"), ("CREATE TABLE records (ip, status)", "no column source"),
     ("CREATE VIEW records AS SELECT 1 AS ip, 2 AS status, 3 AS source", "no table of records")],
)
def test_another_database_is_told(sonde, make, words):
    with contextlib.closing(sqlite3.connect(sonde.work / "o.db")) as database:
        database.execute(make)
        database.commit()
    before = sonde.read("o.db")
    result = sonde("upgrade", "o.db", "-o", "o.db")
    assert result.status == 5 and "o.db: " in result.stderr and words in result.stderr
    assert sonde.read("o.db") == before and os.listdir(sonde.work) == ["o.db"]


def test_upgrading_a_table_needs_another_name_of_its_kind(sonde):
    scan_without_provider(sonde)
    assert "--output" in sonde("upgrade", "o.db").stderr
    for more in ([], ["-o", "o.csv"], ["-o", "-"]):
        assert sonde("upgrade", "o.db", *more).status == 2
    sonde.file("there.db", "precious")
    assert sonde("upgrade", "o.db", "-o", "there.db").status == 2
    assert sonde.read("there.db") == b"precious"
    assert not (sonde.work / "o.csv").exists()


def test_geojson_is_not_upgraded(sonde, simulator):
    scan(sonde, simulator, "-o", "o.geojson")
    result = sonde("upgrade", "o.geojson", env=simulator.env)
    assert result.status == 5 and "GeoJSON" in result.stderr
    assert re.search(r"^\{", sonde.read("o.geojson").decode())


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM records WHERE rowid < 50", "INSERT INTO records (ip, status) VALUES ('6.6.6.6', 'ok')",
        TRIGGER,
    ],
)
def test_rows_that_others_add_or_delete_under_way_are_noticed(sonde, slow, change):
    running = begin(sonde, slow)
    with contextlib.closing(sqlite3.connect(sonde.work / "o.db", timeout=30)) as database:
        database.execute(change)
        database.commit()
    result = running.finish()
    assert result.status == 5 and "another program has changed it" in result.stderr


def test_a_trigger_loses_no_row_unnoticed(stopped, slow):
    with contextlib.closing(sqlite3.connect(stopped.work / "o.db")) as database:
        database.execute(TRIGGER)
        database.commit()
    result = resume(stopped, slow)
    assert result.status == 5 and "another program has changed it" in result.stderr
