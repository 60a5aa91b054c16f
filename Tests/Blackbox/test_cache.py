"""The cache: what was answered and paid for is not asked again, and never answered wrongly."""

import json
import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import time

import pytest
from expected import differences, record
from namespaces import Network, Scan, skip_unless_allowed

ADDRESSES = [f"5.{n // 250}.{n % 250}.9" for n in range(1000)]
DAMAGES = int(os.environ.get("SONDE_TEST_DAMAGES", "12"))


@pytest.fixture
def cache(sonde):
    """The file that the runs of a test share."""
    return sonde.work / "kept" / "cache.db"


@pytest.fixture
def scan(sonde, simulator, cache):
    """Scans addresses through ip-api with the shared cache."""
    simulator.control(batch_limit=None)

    def run(addresses, *more, env=None, **options):
        arguments = ["scan", "--provider", "ip-api", "--cache", str(cache), *more]
        env = {**simulator.env, **(env or {})}
        return sonde(*arguments, input="\n".join(addresses), env=env, **options)

    return run


def right(result, addresses, cached=None):
    """Every record as it should be; `cached` is what that column says, `None` for either."""
    wanted = [record(address, line=n) for n, address in enumerate(addresses, 1)]
    allowed = (True, False) if cached is None else (cached,)
    assert differences(result.records, wanted, allowed) == []


def test_the_second_run_asks_nothing_and_says_cached(scan, simulator):
    first, second = scan(ADDRESSES), scan(ADDRESSES)
    assert simulator.counts()["requests"] == {"ip-api batch": 10}
    right(first, ADDRESSES, cached=False)
    right(second, ADDRESSES, cached=True)
    assert first.status == second.status == 0
    assert [dict(r, cached=True) for r in first.records] == second.records
    assert " 1000 cached" in second.stderr and "0 requests" in second.stderr


def test_only_what_is_not_known_is_asked(scan, simulator):
    scan(ADDRESSES[100:200])
    result = scan(ADDRESSES[:300])
    assert [r["cached"] for r in result.records] == [False] * 100 + [True] * 100 + [False] * 100
    assert simulator.counts()["most_asked"] == 1
    # The others fill whole batches.
    assert simulator.counts()["requests"] == {"ip-api batch": 3}


def test_an_older_answer_counts_as_absent_and_is_replaced(scan, simulator):
    scan(ADDRESSES[:100])
    time.sleep(1.1)
    again = scan(ADDRESSES[:100], "--cache-ttl", "1s")
    right(again, ADDRESSES[:100], cached=False)
    right(scan(ADDRESSES[:100], "--cache-ttl", "1m"), ADDRESSES[:100], cached=True)
    assert simulator.counts()["requests"] == {"ip-api batch": 2}


LESS = [[], ["--fields", "ip,cached,fetched_at"]]
MORE = [["--fields", "+hostname"], ["--fields", "+proxy"], ["--fields", "ip,continent_code,hosting"]]


@pytest.mark.parametrize("less", LESS)
@pytest.mark.parametrize("more", MORE)
def test_an_answer_that_holds_more_is_used_for_less_and_never_the_other_way_round(scan, simulator, more, less):
    scan(ADDRESSES[:100], *more)
    again = scan(ADDRESSES[:150], *less)
    assert [r["cached"] for r in again.records] == [True] * 100 + [False] * 50
    assert simulator.counts()["most_asked"] == 1
    scan(ADDRESSES[100:150], *more)
    assert simulator.counts()["total"] == 3 and simulator.counts()["most_asked"] == 2


def test_an_answer_that_holds_other_things_is_not_used(scan, simulator):
    scan(["1.1.1.1"], "--fields", "+proxy")
    scan(["1.1.1.1"], "--fields", "+hosting")
    scan(["1.1.1.1"], "--fields", "+hosting,+proxy")
    assert simulator.counts()["total"] == 3
    # It holds what all of them want, and another provider asks for itself.
    for fields in ("+hosting", "+proxy", "ip,country"):
        scan(["1.1.1.1"], "--fields", fields)
    assert simulator.counts()["total"] == 3
    scan(["1.1.1.1"], "--provider", "ipinfo")
    assert simulator.counts()["total"] == 4


@pytest.mark.parametrize("first, second", [("+proxy", "+hosting"), ("+hosting", "+proxy"), ("+proxy", "+mobile")])
def test_of_several_answers_the_youngest_is_used(scan, simulator, first, second):
    def at(shift, *options):
        return scan(["1.1.1.1"], *options, prefix=["faketime", "-f", shift]).records[0]

    at("-3h", "--fields", first)
    younger = at("-1h", "--fields", second)
    for _ in range(2):
        found = at("+0", "--cache-ttl", "4h")
        assert (found["cached"], found["fetched_at"]) == (True, younger["fetched_at"])
        assert simulator.counts()["total"] == 2
    # The older one is replaced in its turn.
    renewed = at("-30m", "--fields", first, "--cache-ttl", "1h")
    assert at("+0")["fetched_at"] == renewed["fetched_at"] > younger["fetched_at"]


def test_the_statistics_know_nothing_of_what_was_replaced(sonde, scan, cache):
    scan(ADDRESSES[:3], prefix=["faketime", "-f", "-3h"])
    scan(ADDRESSES[1:3], "--cache-ttl", "1h", prefix=["faketime", "-f", "-90m"])
    scan(ADDRESSES[:2], "--cache-ttl", "1h")
    listed = sorted(r["fetched_at"] for r in sonde("cache", "list", "--cache", cache).records)
    (found,) = sonde("cache", "stats", "--cache", cache, "--format", "json").records
    assert found["answers"] == len(listed) == 3
    assert (found["oldest"], found["newest"]) == (listed[0], listed[-1])
    assert listed[0] < listed[-1]


def test_no_password_of_a_url_is_kept(sonde, simulator, cache):
    port = simulator.env["SONDE_IP_API_URL"].rsplit(":", 1)[1]
    env = {"SONDE_IP_API_URL": f"http://nobody:geheim99@127.0.0.1:{port}"}
    simulator.control(batch_limit=None)
    sonde.file("list.txt", "\n".join(ADDRESSES))
    options = ["--provider", "ip-api", "--cache", cache, "-o", "out.csv", "--events", "events"]
    simulator.control(latency=0.3)
    running = sonde.start("scan", "list.txt", *options, "--concurrency", "1", env=env)
    wait_for = time.monotonic() + 20
    while simulator.counts()["total"] < 4 and time.monotonic() < wait_for:
        time.sleep(0.05)
    running.signal(signal.SIGKILL)
    running.finish()

    def kept():
        return [path for path in sonde.directory.rglob("*") if path.is_file()]

    names = {path.name for path in kept()}
    assert names >= {"out.csv", "out.csv.journal", "cache.db", "cache.db-wal", "quota.db", "events"}
    for path in kept():
        assert b"nobody" not in path.read_bytes() and b"geheim99" not in path.read_bytes(), path
    # With another password it is the same place.
    env = {"SONDE_IP_API_URL": f"http://nobody:geheim98@127.0.0.1:{port}"}
    assert sonde("scan", "list.txt", *options, "--resume", env=env).status == 0
    again = sonde("scan", "list.txt", *options[:4], env=simulator.env)
    assert all(r["cached"] for r in again.records)
    for path in kept():
        assert b"nobody" not in path.read_bytes() and b"geheim9" not in path.read_bytes(), path


@pytest.mark.skipif(not shutil.which("faketime"), reason="there is no faketime")
def test_a_clock_that_is_moved_keeps_no_answer_longer(scan, simulator):
    def at(shift):
        return scan(ADDRESSES[:10], prefix=["faketime", "-f", shift])

    right(at("+0"), ADDRESSES[:10], cached=False)
    right(at("+23h"), ADDRESSES[:10], cached=True)
    right(at("+25h"), ADDRESSES[:10], cached=False)
    # The answer of tomorrow is from the future now: it is not believed, but asked for.
    right(at("+0"), ADDRESSES[:10], cached=False)
    right(at("-2h"), ADDRESSES[:10], cached=False)
    assert simulator.counts()["requests"] == {"ip-api batch": 4}


def test_lookup_takes_younger_answers_than_scan(scan, simulator, sonde, cache):
    scan(["5.0.0.9"], prefix=["faketime", "-f", "-10m"])
    assert sonde("lookup", "5.0.0.9", "--cache", str(cache), env=simulator.env).records[0]["cached"] is False
    assert sonde("lookup", "5.0.0.9", "--cache", str(cache), env=simulator.env).records[0]["cached"] is True
    assert scan(["5.0.0.9"]).records[0]["cached"] is True


def test_what_was_asked_otherwise_is_another_answer(scan, simulator, sonde, cache):
    scan(["5.0.0.9"])
    assert scan(["5.0.0.9"], "--fields", "+proxy").records[0]["cached"] is False
    assert scan(["5.0.0.9"], "--provider", "ipinfo").records[0]["source"] == "ipinfo"
    assert scan(["5.0.0.9"]).records[0]["cached"] is True


def test_unknown_is_an_answer_and_a_failure_is_none(scan, simulator):
    unknown = next(a for a in (f"5.9.{n}.1" for n in range(250)) if record(a)["status"] == "unknown")
    assert [scan([unknown]).records[0]["cached"] for _ in range(2)] == [False, True]
    simulator.control(reset=True, faults=[{"fault": "status", "status": 500}])
    assert scan(["5.9.9.9"], "--retries", "0").records[0]["status"] == "failed"
    simulator.control(faults=[])
    assert scan(["5.9.9.9"]).records[0]["cached"] is False


def test_unknown_is_not_asked_again_where_others_are_asked_then(scan, simulator, loc_database):
    listed = ["--provider", "ip-api,local", "--database", loc_database]
    first = scan(ADDRESSES[:200], *listed)
    assert {record(a)["status"] for a in ADDRESSES[:200]} == {"ok", "unknown"}
    second = scan(ADDRESSES[:200], *listed)
    assert simulator.counts()["requests"] == {"ip-api batch": 2}
    assert [r.get("source") for r in first.records] == [r.get("source") for r in second.records]


def test_what_comes_again_is_not_asked_again(scan, simulator):
    result = scan(ADDRESSES[:100] * 10, "--duplicates", "keep", "--concurrency", "1")
    right(result, ADDRESSES[:100] * 10)
    assert simulator.counts()["requests"] == {"ip-api batch": 1}


def test_no_cache_neither_gives_nor_keeps(scan, simulator):
    scan(["5.0.0.9"], "--no-cache")
    assert scan(["5.0.0.9"]).records[0]["cached"] is False
    assert scan(["5.0.0.9"], "--no-cache").records[0]["cached"] is False
    assert simulator.counts()["total"] == 3


def test_plan_counts_what_is_cached(scan, sonde, simulator, cache):
    scan(ADDRESSES[:250])
    text = sonde("plan", "--cache", str(cache), input="\n".join(ADDRESSES[:300]), env=simulator.env)
    rows = dict(line.rsplit(None, 1) for line in text.lines[:7])
    assert rows["cached"] == "250" and rows["to ask"] == "50"
    assert simulator.counts()["requests"] == {"ip-api batch": 3}


def test_answers_are_kept_when_the_output_cannot_be_written(scan, simulator):
    with open("/dev/full", "wb") as full:
        assert scan(ADDRESSES[:300], "--concurrency", "1", stdout=full).status == 5
    asked = set(simulator.addresses())
    again = scan(ADDRESSES[:300])
    kept = {r["ip"] for r in again.records if r["cached"]}
    # One request may have been under way when it ended.
    assert kept <= asked and len(asked) - len(kept) <= 100 and len(kept) >= 100


def test_what_was_answered_before_a_kill_is_not_asked_again(sonde, scan, simulator, cache):
    simulator.control(batch_limit=None, latency=0.05)
    arguments = ["scan", "--provider", "ip-api", "--concurrency", "2", "--cache", str(cache)]
    for attempt in range(5):
        running = sonde.start(*arguments, *ADDRESSES[attempt * 200 :][:200], *ADDRESSES, env=simulator.env)
        simulator_begin = time.monotonic()
        time.sleep(random.Random(attempt).uniform(0.05, 0.25))
        running.signal(signal.SIGKILL)
        running.finish()
        assert time.monotonic() - simulator_begin < 20
    right(scan(ADDRESSES), ADDRESSES)
    # Two batches may have been under way at each kill.
    asked = simulator.addresses()
    again = sum(count - 1 for count in asked.values())
    assert set(asked) == set(ADDRESSES) and again <= 5 * 2 * 100


def test_it_is_its_owners_alone_and_sqlite_reads_it(scan, cache):
    scan(ADDRESSES[:100])
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in cache.parent.iterdir()}
    assert "cache.db" in modes and set(modes.values()) == {0o600}
    assert stat.S_IMODE(cache.parent.stat().st_mode) == 0o700
    with sqlite3.connect(cache) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_what_is_no_database_is_moved_aside_at_the_usual_path(sonde, simulator):
    simulator.control(batch_limit=None)
    base = sonde.home / "caches"
    cache = base / "sonde" / "cache.db"
    cache.parent.mkdir(parents=True)
    cache.write_bytes(b"garbage" * 1000)
    env = {**simulator.env, "XDG_CACHE_HOME": str(base)}
    result = sonde("scan", "--provider", "ip-api", *ADDRESSES[:10], env=env)
    assert {r["cached"] for r in result.records} == {False} and result.status == 0
    (moved,) = [path for path in cache.parent.iterdir() if ".damaged-" in path.name]
    assert str(moved) in result.stderr and moved.read_bytes() == b"garbage" * 1000
    again = sonde("scan", "--provider", "ip-api", *ADDRESSES[:10], env=env)
    assert {r["cached"] for r in again.records} == {True}


def foreign_text(path):
    path.write_text("Dear diary,\nCREATE TABLE places (id INTEGER PRIMARY KEY, entries BLOB\n")


def foreign_bytes(path):
    path.write_bytes(random.Random(1).randbytes(50_000))


def foreign_database(path, journal="delete"):
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA journal_mode = {journal}")
        database.execute("CREATE TABLE diary (day TEXT)")
    database.close()


def damaged_foreign_database(path):
    foreign_database(path)
    data = bytearray(path.read_bytes())
    data[100:103] = b"\xff\xff\xff"
    path.write_bytes(data)


@pytest.mark.parametrize(
    "make", [foreign_text, foreign_bytes, foreign_database, damaged_foreign_database]
)
def test_a_file_of_others_is_left_alone(scan, cache, make):
    cache.parent.mkdir()
    make(cache)
    cache.chmod(0o644)
    before = cache.read_bytes()
    result = scan(ADDRESSES[:10])
    right(result, ADDRESSES[:10], cached=False)
    assert result.status == 0 and str(cache) in result.stderr
    assert ("another program" in result.stderr) == ("database" in make.__name__)
    assert cache.read_bytes() == before and stat.S_IMODE(cache.stat().st_mode) == 0o644
    assert [path.name for path in cache.parent.iterdir()] == ["cache.db"]


def test_an_empty_file_becomes_a_cache(scan, cache):
    cache.parent.mkdir()
    cache.touch(0o644)
    scan(ADDRESSES[:10])
    right(scan(ADDRESSES[:10]), ADDRESSES[:10], cached=True)
    assert stat.S_IMODE(cache.stat().st_mode) == 0o600


@pytest.mark.parametrize("where", [(0, 60), (60, 100), (100, 120), (20, 300)])
def test_a_cache_without_its_header_is_moved_aside(scan, cache, where):
    scan(ADDRESSES[:10])
    data = bytearray(cache.read_bytes())
    data[slice(*where)] = random.Random(2).randbytes(where[1] - where[0])
    for path in cache.parent.iterdir():
        path.unlink()
    cache.write_bytes(data)
    result = scan(ADDRESSES[:10])
    right(result, ADDRESSES[:10])
    (moved,) = cache.parent.glob("*.damaged-*Z")
    assert str(moved) in result.stderr and moved.read_bytes() == data
    right(scan(ADDRESSES[:10]), ADDRESSES[:10], cached=True)


def test_where_none_can_be_kept_the_scan_goes_on(scan, sonde):
    sonde.file("kept", "no folder\n")
    result = scan(ADDRESSES[:10])
    right(result, ADDRESSES[:10], cached=False)
    assert result.status == 0 and result.stderr.count("cannot be used") == 1


@pytest.mark.slow
def test_random_bytes_in_the_file_never_crash_and_never_lie(scan, simulator, cache):
    scan(ADDRESSES)
    data = cache.read_bytes()
    for seed in range(DAMAGES):
        chooser = random.Random(seed)
        for path in cache.parent.iterdir():
            path.unlink()
        wrong = bytearray(data)
        for _ in range(chooser.choice([1, 10, 100, 1000])):
            start = chooser.randrange(len(wrong))
            size = chooser.choice([1, 8, 100, 4096])
            wrong[start : start + size] = chooser.randbytes(len(wrong[start : start + size]))
        cache.write_bytes(wrong)
        right(scan(ADDRESSES), ADDRESSES)
        again = scan(ADDRESSES)
        right(again, ADDRESSES)
        assert again.status == 0


def beside(cache):
    """The files that belong to the cache."""
    return sorted(path.name for path in cache.parent.iterdir())


def test_the_file_alone_is_the_whole_cache_after_the_end(sonde, scan, simulator, cache):
    right(scan(ADDRESSES[:500]), ADDRESSES[:500], cached=False)
    assert beside(cache) == ["cache.db"]
    copy = sonde.work / "copy.db"
    shutil.copy(cache, copy)
    asked = simulator.counts()["total"]
    right(scan(ADDRESSES[:500], "--cache", str(copy)), ADDRESSES[:500], cached=True)
    assert simulator.counts()["total"] == asked
    # Of several the last one sees to it, also when it is told to end.
    simulator.control(batch_limit=None, latency=0.1)
    arguments = ["scan", "--provider", "ip-api", "--cache", str(cache), *ADDRESSES]
    scans = [sonde.start(*arguments, env=simulator.env) for _ in range(4)]
    time.sleep(0.4)
    scans[0].signal(signal.SIGTERM)
    for running in scans:
        running.finish()
    assert beside(cache) == ["cache.db"]


def test_answers_that_are_all_old_do_no_harm(scan, simulator, cache):
    """Trimmed away whole, asked for anew, and again."""
    old = ["faketime", "-f", "-100d"]
    simulator.control(batch_limit=None)
    right(scan(ADDRESSES[:300], prefix=old), ADDRESSES[:300], cached=False)
    for _ in range(2):
        result = scan(ADDRESSES[:500] * 2, "--duplicates", "keep")
        assert "damaged" not in result.stderr
    right(scan(ADDRESSES[:500]), ADDRESSES[:500], cached=True)
    assert beside(cache) == ["cache.db"]


def locked(cache, how="BEGIN IMMEDIATE"):
    """Another program that has locked the cache."""
    database = sqlite3.connect(cache, isolation_level=None)
    database.execute(how)
    return database


def test_a_lock_of_another_program_hardly_delays_a_scan(scan, cache):
    scan(ADDRESSES[:1])
    other = locked(cache)
    began = time.monotonic()
    result = scan(ADDRESSES)
    assert time.monotonic() - began < 6
    right(result, ADDRESSES)
    assert result.status == 0 and result.stderr.count("another program has locked it") == 1
    other.close()
    scan(ADDRESSES)
    right(scan(ADDRESSES), ADDRESSES, cached=True)


def test_a_lock_does_not_delay_the_end(sonde, scan, simulator, cache):
    scan(ADDRESSES[:1])
    simulator.control(batch_limit=None, latency=0.3)
    arguments = ["scan", "--provider", "ip-api", "--cache", str(cache), *ADDRESSES]
    for delay in (0.2, 0.5, 0.8, 1.2):
        running = sonde.start(*arguments, env=simulator.env)
        time.sleep(0.2)
        other = locked(cache)
        time.sleep(delay)
        running.signal(signal.SIGTERM)
        # The lock is held for as long as it runs.
        assert running.finish(10).status in (0, 143)
        other.close()


def test_a_cache_of_an_earlier_version_is_replaced(scan, cache):
    cache.parent.mkdir()
    with sqlite3.connect(cache) as database:
        database.execute("PRAGMA application_id = 0x534f4e44")
        database.execute("PRAGMA user_version = 1")
        database.execute("CREATE TABLE ledger (key TEXT)")
        database.execute("INSERT INTO ledger VALUES ('ipinfo 1f2e3d4c')")
    database.close()
    result = scan(ADDRESSES[:10])
    right(result, ADDRESSES[:10], cached=False)
    assert result.stderr.count("an earlier version") == 1 and "damaged" not in result.stderr
    assert b"1f2e3d4c" not in cache.read_bytes() and beside(cache) == ["cache.db"]
    again = scan(ADDRESSES[:10])
    right(again, ADDRESSES[:10], cached=True)
    assert "earlier" not in again.stderr


NUMBERS = ["9223372036854775807", "-9223372036854775808", "0", "-1", "1e300", "NULL", "'x'", "x'ff'"]


@pytest.mark.slow
def test_no_number_in_a_row_harms(scan, sonde, simulator, cache):
    scan(ADDRESSES[:20])
    data = cache.read_bytes()
    columns = {
        "answers": ["id", "scope", "ip", "given", "uptime", "boot", "answer", "checksum"],
        "scopes": ["id", "provider", "fields", "checksum"],
    }
    for table, names in columns.items():
        for name in names:
            for number in NUMBERS:
                cache.write_bytes(data)
                database = sqlite3.connect(cache, isolation_level=None)
                row = "SELECT max(rowid) FROM " + table
                try:
                    database.execute(f"UPDATE {table} SET {name} = {number} WHERE rowid = ({row})")
                except sqlite3.Error:
                    continue  # no number for this column
                finally:
                    database.close()
                result = scan(ADDRESSES[:30])
                right(result, ADDRESSES[:30])
                assert result.status == 0 and "damaged" not in result.stderr
                for command in ("list", "stats"):
                    assert sonde("cache", command, "--cache", cache).status == 0


def test_list_show_delete_clear_stats_and_path(scan, sonde, simulator, cache):
    def cache_command(*arguments):
        return sonde("cache", *arguments, "--cache", str(cache))

    assert cache_command("list").stdout == b"" and cache_command("stats").status == 0
    assert not cache.exists()
    scan(ADDRESSES[:100])
    assert cache_command("path").lines == [str(cache)]
    listed = cache_command("list").records
    assert sorted(r["ip"] for r in listed) == sorted(ADDRESSES[:100])
    assert all(r["cached"] for r in listed)
    csv = cache_command("list", "--format", "csv", "--fields", "ip,cached").lines
    assert csv[0] == "ip,cached" and len(csv) == 101
    assert [r["ip"] for r in cache_command("show", ADDRESSES[3]).records] == [ADDRESSES[3]]
    gone = cache_command("show", "9.9.9.9")
    assert gone.status == 1 and "9.9.9.9 is not in the cache" in gone.stderr
    assert "answers   100" in cache_command("stats").stdout.decode()
    assert cache_command("delete", ADDRESSES[3], ADDRESSES[4]).status == 0
    assert [r["cached"] for r in scan(ADDRESSES[2:6]).records] == [True, False, False, True]
    assert cache_command("clear").status == 0 and cache_command("list").stdout == b""
    assert scan(ADDRESSES[:1]).records[0]["cached"] is False
    assert cache_command("show").status == cache_command("show", "x").status == 2
    assert cache_command("list", "1.1.1.1").status == cache_command("empty").status == 2


@pytest.mark.parametrize("action", ["list", "show 5.0.0.9", "delete 5.0.0.9", "clear", "stats"])
@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_what_cannot_be_used_is_an_error(sonde, action, quiet):
    sonde.file("notes.txt", "Dear diary\n")
    sonde.file("answers.json", "[]\n")
    result = sonde("cache", *action.split(), "--cache", "notes.txt", *quiet, "-o", "answers.json")
    assert result.status == 5 and result.stdout == b""
    (line,) = result.stderr.splitlines()
    assert "notes.txt" in line and "no cache" in line
    assert sonde.read("notes.txt") == b"Dear diary\n" and sonde.read("answers.json") == b"[]\n"
    assert len(list(sonde.work.iterdir())) == 2


@pytest.mark.parametrize("action", ["list", "show"])
def test_a_reader_that_has_gone_is_satisfied(scan, sonde, cache, action):
    scan(ADDRESSES)
    command = sonde.command(["cache", action, *(ADDRESSES if action == "show" else []), "--cache", cache])
    pipe, closed = os.pipe()
    os.close(pipe)
    done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, env=sonde.environment())
    os.close(closed)
    assert done.returncode == 0 and done.stderr == b""


def test_what_is_counted_is_named_rightly(scan, sonde, cache):
    scan(ADDRESSES[:3])
    one = sonde("cache", "delete", ADDRESSES[0], ADDRESSES[0], "--cache", cache)
    assert "removed the answers of 1 of 1 address\n" in one.stderr
    two = sonde("cache", "delete", *ADDRESSES[:2], "--cache", cache)
    assert "removed the answers of 1 of 2 addresses\n" in two.stderr


def test_a_path_that_cannot_be_followed_is_an_error(sonde):
    sonde.file("notes.txt", "Dear diary\n")
    result = sonde("cache", "stats", "--cache", "notes.txt/cache.db")
    assert result.status == 5 and "Not a directory" in result.stderr


def test_statistics_for_programs(scan, sonde, cache):
    assert sonde("cache", "stats", "--cache", cache, "--format", "csv").status == 2
    empty = json.loads(sonde("cache", "stats", "--cache", cache, "--format", "json").stdout)
    assert empty == {"answers": 0, "bytes": 0}
    scan(ADDRESSES[:3])
    (found,) = sonde("cache", "stats", "--cache", cache, "--format", "json").records
    assert found["answers"] == 3 and found["oldest"] <= found["newest"]
    assert sonde("cache", "stats", "--cache", cache, "-o", "s.json").stdout == b""
    assert json.loads(sonde.read("s.json")) == found
    line = sonde("cache", "stats", "--cache", cache).lines[1]
    tenths = found["bytes"] * 10 // 1024
    assert line == f"bytes     {found['bytes']} ({tenths // 10}.{tenths % 10} KiB)"


def test_the_cache_is_no_output(sonde, scan, cache):
    scan(ADDRESSES[:1])
    assert sonde("cache", "list", "--cache", str(cache), "-o", str(cache)).status == 2
    assert sonde("scan", "1.1.1.1", "--cache", str(cache), "-o", str(cache)).status == 2


@pytest.mark.parametrize("output", ["c", "./c", "link", "c-wal", "c-lock", "folder/../c"])
def test_no_output_is_what_will_be_the_cache(sonde, output):
    (sonde.work / "link").symlink_to("c")
    (sonde.work / "folder").mkdir()
    for option in ("-o", "--rejects", "--events"):
        result = sonde("scan", "1.1.1.1", "--cache", "c", option, output)
        assert result.status == 2 and "is also the cache" in result.stderr
    assert sorted(path.name for path in sonde.work.iterdir()) == ["folder", "link"]


def test_the_cache_is_no_input(sonde, cache):
    sonde.file("l", "1.1.1.1\n")
    for command in ("scan", "plan", "upgrade"):
        result = sonde(command, "l", "--cache", "./l")
        assert result.status == 2 and "the cache ./l is also an input" in result.stderr
    assert sonde("scan", "--cache", "l", "l", "--provider", "local", "--database", "l").status == 2
    with open(sonde.work / "l", "rb") as stdin:
        command = sonde.command(["scan", "--cache", "l"])
        done = subprocess.run(command, stdin=stdin, env=sonde.environment(), cwd=sonde.work)
    assert done.returncode == 2
    assert sonde.read("l") == b"1.1.1.1\n" and len(list(sonde.work.iterdir())) == 1
    # These keep nothing, so that there is nothing against it.
    environment = sonde.environment()
    base = sonde.work / "sonde"
    base.mkdir()
    (base / "cache.db").write_text("1.1.1.1\n")
    for command in ("check", "extract"):
        result = sonde(command, base / "cache.db", env={**environment, "XDG_CACHE_HOME": str(sonde.work)})
        assert result.status == 0 and b"1.1.1.1" in result.stdout


def test_it_lies_where_the_xdg_specification_says(sonde):
    home = sonde.home
    assert sonde("cache", "path", env={"XDG_CACHE_HOME": "/x"}).lines == ["/x/sonde/cache.db"]
    assert sonde("cache", "path", env={"XDG_CACHE_HOME": "/x/"}).lines == ["/x/sonde/cache.db"]
    for base in (None, "relative"):
        lines = sonde("cache", "path", env={"XDG_CACHE_HOME": base}).lines
        assert lines == [f"{home}/.cache/sonde/cache.db"]
    assert sonde("cache", "path", env={"XDG_CACHE_HOME": None, "HOME": None}).status == 2


@skip_unless_allowed()
def test_a_stale_answer_is_better_than_none_while_the_network_is_lost(sonde, loc_database):
    network = Network()
    try:
        network.simulator.control(batch_limit=None)
        kept = ["--cache", str(sonde.work / "cache.db"), "--cache-ttl", "0"]
        Scan(sonde, network, "--provider", "ip-api", *kept).feed(ADDRESSES[:20]).finish()
        network.lose()
        lost = ["--provider", "ip-api", "--offline-timeout", "0", *kept]
        without = Scan(sonde, network, *lost).feed(ADDRESSES[:20]).finish()
        assert {r["status"] for r in without.records} == {"network_lost"} and without.status == 3
        stale = Scan(sonde, network, *lost, "--stale-ok").feed([*ADDRESSES[:20], "5.200.0.1"]).finish()
        assert [r.get("cached") for r in stale.records] == [True] * 20 + [None]
        assert all("expired" in r["message"] for r in stale.records[:20] if r["status"] == "ok")
        assert stale.records[20]["status"] == "network_lost" and stale.status == 3
    finally:
        network.close()


def test_sqlite_can_read_it_while_a_scan_writes(sonde, scan, simulator, cache):
    simulator.control(batch_limit=None, latency=0.05)
    running = sonde.start(
        "scan", "--provider", "ip-api", "--cache", str(cache), *ADDRESSES, env=simulator.env
    )
    while running.process.poll() is None:
        if cache.exists():
            shell = ["python3", "-c", "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); "
                     "print(c.execute('select count(*) from sqlite_schema').fetchone())", str(cache)]
            assert subprocess.run(shell, capture_output=True).returncode == 0
        time.sleep(0.02)
    result = running.finish()
    assert result.status == 0 and "locked" not in result.stderr
    assert len([json.loads(line) for line in result.lines]) == len(ADDRESSES)


@pytest.mark.parametrize("arguments", [("list",), ("show", "8.8.8.8"), ("stats",)])
def test_columns_that_there_are_none_of_are_wrong_usage(sonde, arguments):
    result = sonde("cache", *arguments, "--fields", "nope")
    assert (result.status, result.stdout) == (2, b"")
    assert "--fields" in result.stderr and "there is no column 'nope'" in result.stderr
    assert "UsageError" not in result.stderr


@pytest.mark.parametrize("command", [["plan", "8.8.8.8"], ["cache", "stats"], ["cache", "delete", "8.8.8.8"]])
def test_who_looks_into_the_cache_leaves_one_file(sonde, simulator, command):
    options = ("--cache", "c/cache.db")
    assert sonde("scan", "8.8.8.8", *options, env=simulator.env).status == 0
    assert sonde(*command, *options).status == 0
    assert [path.name for path in (sonde.work / "c").iterdir()] == ["cache.db"]
