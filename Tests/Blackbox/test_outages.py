"""`sonde outages`: what `watch` keeps of the network, however it ends, and the forms in which it is shown."""

import contextlib
import json
import re
import signal
import sqlite3
import stat
import subprocess
import time
from pathlib import Path

import pytest
from command import wait_for
from namespaces import Network, skip_unless_allowed
from receivers import ended, watching
from watching import ENDPOINT, Watch

pytestmark = pytest.mark.slow

# What has a clock of its own told to a program: faketime(1) alone would not let it be set meanwhile.
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
NOTHING = "sonde: nothing is kept yet: 'sonde watch' and 'sonde serve' keep what they see of the network\n"
COLUMNS = ["start", "end", "duration_ms", "state", "cause", "interface", "endpoint", "estimated"]
in_namespaces = skip_unless_allowed()


@pytest.fixture(scope="module")
def network():
    """One network, which each test leaves as it found it."""
    network = Network()
    yield network
    network.close()


def folder(sonde):
    """Where the history of a test lies."""
    return sonde.home / "state/sonde"


def history(sonde):
    return folder(sonde) / "outages.db"


def report(sonde, *options):
    """What is shown as JSON: the outages, and the summaries."""
    result = sonde("outages", "--format", "json", *options)
    assert (result.status, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    return found["outages"], found["summaries"]


def rows(sonde, columns="*"):
    """The runs kept, the oldest first."""
    if not history(sonde).exists():
        return []
    with contextlib.closing(sqlite3.connect(f"file:{history(sonde)}?mode=ro", uri=True)) as database:
        return database.execute(f"SELECT {columns} FROM runs ORDER BY wall").fetchall()


def kept(sonde, state, count=1):
    """Waits until so many runs of a state are on the disk."""

    def states():
        # The file is there before its table.
        with contextlib.suppress(sqlite3.OperationalError):
            return rows(sonde, "state")
        return []

    wait_for(lambda: states().count((state,)) == count)


def write(sonde, *runs):
    """Makes a history of runs: endpoint, state, cause, seconds since 1970, length, whether its end was seen."""
    folder(sonde).mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(history(sonde), isolation_level=None)) as database:
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        database.execute(
            "CREATE TABLE runs (\n  id INTEGER PRIMARY KEY,\n  watcher INTEGER, program TEXT, endpoint TEXT, state TEXT,"
            " cause TEXT, interface TEXT, boot INTEGER, begin INTEGER, wall INTEGER, length INTEGER, over INTEGER)"
        )
        database.execute("PRAGMA application_id = 0x534f4e48")
        database.execute("PRAGMA user_version = 1")
        for number, (endpoint, state, cause, start, length, over) in enumerate(runs):
            interface = "eth0" if cause else None
            wall = round(start * 1000)
            values = (number, 1, "watch", endpoint, state, cause, interface, 5, wall, wall, round(length * 1000), over)
            database.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)


# Forms

# 2026-03-01T00:00:00Z.
MARCH = 1_772_323_200
KNOWN = [
    ("a.example:443", "online", None, MARCH, 3600, 1),
    ("a.example:443", "offline", "link_down", MARCH + 3600, 131.25, 1),
    ("a.example:443", "online", None, MARCH + 3731.25, 3600, 1),
    ("a.example:443", "degraded", "lossy", MARCH + 7331.25, 60, 1),
    ("a.example:443", "offline", "no_route", MARCH + 7391.25, 9, 0),
    ("b.example:80 c.example:80", "online", None, MARCH, 7200, 0),
]
SPAN = ("--since", "2026-03-01", "--until", "2026-03-02")


def summary(endpoint, watched, offline=0, degraded=0, **more):
    """A summary of that span, without hours and causes."""
    since, until = "2026-03-01T00:00:00.000Z", "2026-03-02T00:00:00.000Z"
    known = {"endpoint": endpoint, "since": since, "until": until, "watched_ms": watched, "offline_ms": offline}
    return known | {"degraded_ms": degraded, "availability": 1 - offline / watched, "outages": 0} | more


def test_nothing_kept_is_empty_and_says_how_to_begin(sonde):
    empty = {"table": "", "csv": ",".join(COLUMNS) + "\n", "tsv": "\t".join(COLUMNS) + "\n", "ndjson": ""}
    for form, text in (empty | {"json": '{"outages":[],"summaries":[]}\n'}).items():
        result = sonde("outages", "--format", form)
        assert (result.status, result.stdout.decode(), result.stderr) == (0, text, NOTHING)
    assert sonde("outages", "--quiet").stderr == ""
    assert not history(sonde).exists()


def test_csv_and_tsv_are_the_outages(sonde):
    write(sonde, *KNOWN)
    lines = [
        COLUMNS,
        ["2026-03-01T01:00:00.000Z", "2026-03-01T01:02:11.250Z", "131250", "offline", "link_down", "eth0", "a.example:443", "false"],
        ["2026-03-01T02:02:11.250Z", "2026-03-01T02:03:11.250Z", "60000", "degraded", "lossy", "eth0", "a.example:443", "false"],
        ["2026-03-01T02:03:11.250Z", "2026-03-01T02:03:20.250Z", "9000", "offline", "no_route", "eth0", "a.example:443", "true"],
    ]
    for form, separator in (("csv", ","), ("tsv", "\t")):
        result = sonde("outages", *SPAN, "--format", form)
        assert result.stdout.decode() == "".join(separator.join(line) + "\n" for line in lines)
        assert (result.status, result.stderr) == (0, "")


def test_json_has_outages_and_summaries(sonde):
    write(sonde, *KNOWN)
    outages, summaries = report(sonde, *SPAN)
    assert [outage["state"] for outage in outages] == ["offline", "degraded", "offline"]
    assert list(outages[0]) == COLUMNS
    first, second = summaries
    hours = [{"hour": hour, "outages": 0, "offline_ms": 0} for hour in range(24)]
    assert second.pop("hours") == hours
    hours[1] = {"hour": 1, "outages": 1, "offline_ms": 131_250}
    hours[2] = {"hour": 2, "outages": 1, "offline_ms": 9000}
    assert first.pop("hours") == hours
    causes = [{"cause": "link_down", "outages": 1, "offline_ms": 131_250}, {"cause": "no_route", "outages": 1, "offline_ms": 9000}]
    assert (first.pop("causes"), second.pop("causes")) == (causes, [])
    assert first == summary("a.example:443", 7_400_250, 140_250, 60_000, outages=2, longest_ms=131_250, mean_ms=70_125)
    assert second == summary("b.example:80 c.example:80", 7_200_000)


def test_ndjson_has_the_same_line_by_line(sonde):
    write(sonde, *KNOWN)
    outages, summaries = report(sonde, *SPAN)
    assert sonde("outages", *SPAN, "--format", "ndjson").records == outages + [{"event": "summary"} | each for each in summaries]


def test_the_table_is_for_people(sonde):
    write(sonde, *KNOWN)
    result = sonde("outages", *SPAN, "--title", "March", "--time-zone", "Asia/Tokyo", "--since", "2026-03-01T00:00Z")
    assert result.stdout.decode() == """March
2026-03-01 09:00:00 – 2026-03-02 00:00:00 Asia/Tokyo

Outages
  start                end       length        state     cause      interface  endpoint
  2026-03-01 10:00:00  10:02:11  2 min 11 s    offline   link_down  eth0       a.example:443
  2026-03-01 11:02:11  11:03:11  1 min         degraded  lossy      eth0       a.example:443
  2026-03-01 11:03:11  11:03:20  at least 9 s  offline   no_route   eth0       a.example:443

Summary
  endpoint                   availability  watched    outages  longest     mean        offline     degraded
  a.example:443                  98.105 %  2 h 3 min        2  2 min 11 s  1 min 10 s  2 min 20 s  1 min
  b.example:80 c.example:80     100.000 %  2 h 0 min        0                          0 s         0 s
"""


def test_an_endpoint_is_chosen(sonde):
    write(sonde, *KNOWN)
    assert [each["endpoint"] for each in report(sonde, *SPAN, "--endpoint", "a.example")[1]] == ["a.example:443"]
    assert len(report(sonde, *SPAN, "--endpoint", "b.example:80 c.example:80")[1]) == 1
    other = sonde("outages", *SPAN, "--endpoint", "d.example")
    assert (other.status, other.stdout) == (0, b"")
    assert other.stderr == "sonde: nothing is kept of 'd.example:443', but of 'a.example:443' or 'b.example:80 c.example:80'\n"


def test_the_ending_of_the_output_names_the_form(sonde):
    write(sonde, *KNOWN)
    for ending in ("csv", "tsv", "json", "ndjson"):
        assert sonde("outages", *SPAN, "-o", f"out.{ending}").status == 0
        assert (sonde.work / f"out.{ending}").read_bytes() == sonde("outages", *SPAN, "--format", ending).stdout
    for wrong in (["-o", "out.xml"], ["--html", "page.txt", "-o", "a.csv"], ["--since", "1d", "--until", "2d"], ["--endpoint", "/"]):
        if wrong[:2] == ["--html", "page.txt"]:
            (sonde.work / "page.txt").write_text("mine")
        assert sonde("outages", *wrong).status == 2


def test_nothing_in_the_span_has_no_availability(sonde):
    write(sonde, *KNOWN)
    outages, summaries = report(sonde, "--since", "2026-04-01", "--until", "2026-05-01")
    assert outages == [] and [each["watched_ms"] for each in summaries] == [0, 0]
    assert all(not {"availability", "longest_ms", "mean_ms"} & set(each) for each in summaries)


# Files


def test_what_is_older_than_400_days_is_removed(sonde):
    ages = (500, 400.1, 399.9)
    runs = [("a.example:443", "offline", "no_route", time.time() - age * 86_400 - 9, 9, 1) for age in ages]
    write(sonde, *runs)
    assert len(report(sonde, "--since", "600d")[0]) == 3
    running = watching(sonde)
    kept(sonde, "online")
    assert ended(running) == ""
    assert len(report(sonde, "--since", "600d")[0]) == 1


def test_a_damaged_history_is_moved_aside(sonde):
    write(sonde, *KNOWN)
    content = bytearray(history(sonde).read_bytes())
    content[4096:] = b"x" * (len(content) - 4096)
    content[100:200] = b"y" * 100
    history(sonde).write_bytes(content)
    result = sonde("outages")
    assert result.status == 0 and re.search(r"the history .*/outages\.db was damaged .*: it is now .*damaged-", result.stderr)
    assert len(list(folder(sonde).glob("outages.db.damaged-*"))) == 1


@in_namespaces
def test_the_history_is_private_and_whole(sonde, network):
    watch = Watch(sonde, network.near)
    kept(sonde, "online")
    assert stat.S_IMODE(history(sonde).stat().st_mode) == 0o600
    watch.finish()
    assert [file.name for file in folder(sonde).glob("outages.db*")] == ["outages.db"]


@in_namespaces
def test_a_history_that_cannot_be_written_is_told_once_and_stops_nothing(sonde, network):
    history(sonde).mkdir(parents=True)
    watch = Watch(sonde, network.near)
    network.lose()
    watch.change("offline", "link_down")
    network.restore()
    watch.back()
    result = watch.finish()
    assert result.status == 0 and result.stderr.count("the history") == 1


# What watch keeps


@in_namespaces
def test_a_loss_is_kept_as_it_was_told(sonde, network):
    watch = Watch(sonde, network.near)
    kept(sonde, "online")
    network.lose()
    lost = watch.change("offline", "link_down")
    kept(sonde, "offline")
    (going,), _ = report(sonde)
    assert "end" not in going and not going["estimated"]
    network.restore()
    back, _ = watch.back()
    kept(sonde, "online", 2)
    watch.finish()
    (outage,), (summary,) = report(sonde)
    assert outage["start"] == lost["at"] and abs(outage["duration_ms"] - back["down_ms"]) <= 1
    assert (outage["cause"], outage["interface"], outage["endpoint"]) == ("link_down", "near0", ENDPOINT)
    assert not outage["estimated"]
    assert summary["outages"] == 1 and summary["offline_ms"] == outage["duration_ms"] < summary["watched_ms"]


@in_namespaces
def test_once_keeps_nothing(sonde, network):
    assert sonde("watch", "--once", "--endpoint", ENDPOINT, prefix=network.near.prefix).status == 0
    assert not history(sonde).exists()


@in_namespaces
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_an_outage_whose_end_nobody_saw_ends_with_the_last_sign_and_is_told_at_the_next_start(sonde, network, end):
    watch = Watch(sonde, network.near)
    network.lose()
    watch.change("offline", "link_down")
    kept(sonde, "offline")
    watch.running.signal(end)
    watch.running.finish()
    (outage,), _ = report(sonde)
    assert outage["estimated"] and outage["end"] >= outage["start"]
    network.restore()
    wait_for(lambda: b"state UP" in subprocess.run([*network.near.prefix, "ip", "link", "show", "near0"], capture_output=True).stdout)
    for told in (True, False):
        again = Watch(sonde, network.near, "--exec", 'echo "$SONDE_STATE $SONDE_DOWN_MS" >> told')
        count = 2 if told else 3
        kept(sonde, "online", count)
        if told:
            wait_for((sonde.work / "told").exists)
        again.finish()
        assert (sonde.work / "told").read_text() == f"online {outage['duration_ms']}\n"


@in_namespaces
def test_who_is_stopped_does_not_watch(sonde, network):
    watch = Watch(sonde, network.near)
    network.lose()
    watch.change("offline", "link_down")
    kept(sonde, "offline")
    assert "end" not in report(sonde)[0][0]
    watch.running.signal(signal.SIGSTOP)
    # As if it were stopped for a minute: its last sign of life is that old.
    with contextlib.closing(sqlite3.connect(history(sonde), isolation_level=None)) as database:
        database.execute("UPDATE runs SET begin = begin - 60000, wall = wall - 60000")
    (outage,), _ = report(sonde)
    assert outage["estimated"] and "end" in outage
    watch.running.signal(signal.SIGCONT)
    network.restore()
    watch.back()
    watch.finish()


@in_namespaces
def test_two_that_watch_count_once(sonde, network):
    watches = [Watch(sonde, network.near) for _ in range(2)]
    kept(sonde, "online", 2)
    network.lose()
    for watch in watches:
        watch.change("offline", "link_down")
    network.restore()
    for watch in watches:
        watch.back()
    kept(sonde, "online", 4)
    for watch in watches:
        watch.finish()
    outages, (summary,) = report(sonde)
    assert len(outages) == summary["outages"] == 1
    lengths = [length for state, length in rows(sonde, "state, length") if state == "offline"]
    assert max(lengths) <= summary["offline_ms"] < sum(lengths)


@in_namespaces
def test_changes_are_synced_and_signs_of_life_are_not(sonde, network):
    watch = Watch(sonde, network.near)
    kept(sonde, "online")
    trace = sonde.work / "trace"
    tracer = subprocess.Popen(
        ["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", trace, "-p", str(watch.running.process.pid)]
    )
    wait_for(lambda: "TracerPid:\t0" not in Path(f"/proc/{watch.running.process.pid}/status").read_text())
    ((before,),) = rows(sonde, "length")
    wait_for(lambda: rows(sonde, "length") != [(before,)])
    assert "sync(" not in trace.read_text()
    network.lose()
    watch.change("offline", "link_down")
    kept(sonde, "offline")
    wait_for(lambda: "sync(" in trace.read_text())
    network.restore()
    watch.back()
    watch.finish()
    tracer.wait()


@in_namespaces
@pytest.mark.skipif(not Path(FAKETIME).exists(), reason="there is no faketime")
def test_a_clock_that_is_set_makes_no_outage_longer(sonde, network):
    offset = sonde.work / "offset"
    offset.write_text("+0")
    clock = {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(offset), "FAKETIME_NO_CACHE": "1", "DONT_FAKE_MONOTONIC": "1"}
    watch = Watch(sonde, network.near, env=clock)
    network.lose()
    watch.change("offline", "link_down")
    kept(sonde, "offline")
    offset.write_text("+7200")
    network.restore()
    back, _ = watch.back()
    kept(sonde, "online", 2)
    watch.finish()
    (outage,), _ = report(sonde)
    assert abs(outage["duration_ms"] - back["down_ms"]) <= 1 and outage["duration_ms"] < 60_000
