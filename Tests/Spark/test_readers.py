"""`import sonde`: errors as exceptions, and nothing that outlives its reader."""

import gc
import gzip
import itertools
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import endless, leftovers, rows, wait_for

# Seconds where nothing hangs.
REMOTE = {"provider": "ip-api", "no_cache": True}


# What goes wrong.


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"timeout": "soon"}, "^bad value 'soon' for --timeout: "),
        ({"no_such": 1}, "^unknown option '--no-such'$"),
        ({"fields": "ip,nonsense"}, "no column 'nonsense'"),
        ({"with_": "own=/absent.csv"}, "absent.csv"),
        ({"where": "ip ="}, "^bad value|--where"),
        ({"timeout": "1\0"}, "null"),
        ({"range": "0:5", "log": True}, "range applies to a file"),
        ({"missing": "/absent/x", "rejects": "/absent/./x"}, "/absent/./x is also an output"),
        ({"missing": "/absent/x", "cache": "/absent/x"}, "/absent/x is also the cache"),
    ],
)
def test_wrong_options_are_told_by_the_call(sonde, simulator, options, words):
    for call in (sonde.scan, sonde.lookup, sonde.to_parquet):
        if call is sonde.lookup and not {"range", "missing"}.isdisjoint(options):
            continue
        arguments = (["5.1.1.1"],) if call is not sonde.lookup else ("5.1.1.1",)
        arguments += ("/absent/x",) if call is sonde.to_parquet else ()
        with pytest.raises(sonde.UsageError, match=words) as caught:
            call(*arguments, provider="ip-api", **options)
        assert caught.value.status == 2 and caught.value.signal is None and isinstance(caught.value, ValueError)
        assert isinstance(caught.value, sonde.SondeError)
    assert simulator.counts()["total"] == 0


def test_wrong_sources_are_told_by_the_call(sonde, simulator, tmp_path):
    (tmp_path / "log").write_text("5.1.1.1\n")
    (tmp_path / "log.gz").write_bytes(gzip.compress(b"5.1.1.1\n"))
    os.link(tmp_path / "log", tmp_path / "same")
    path, same = str(tmp_path / "log"), str(tmp_path / "same")
    for source, options, words in (
        (path, {"range": "0:5"}, "range applies to logs"),
        (path + ".gz", {"range": "0:5", "log": True}, "range applies to a regular file"),
        (tmp_path / "log", {"rejects": path}, "also an input"),
        (path, {"missing": same}, "also an input"),
        (path, {"cache": same}, "also an input"),
        (path + "\0", {}, "NUL"),
        (pathlib.Path("/a\0"), {}, "NUL"),
    ):
        with pytest.raises(sonde.UsageError, match=words) as caught:
            sonde.scan(source, provider="ip-api", **options)
        assert caught.value.status == 2
    for call in (sonde.schema, lambda **more: sonde.scan([], **more), sonde.lookup):
        with pytest.raises(ValueError, match="fields: help"):
            call(fields="help")
    assert rows(sonde.scan(path, log=True, range="0:5", provider="ip-api"), "ip") == [("5.1.1.1",)]
    assert (tmp_path / "log").read_text() == "5.1.1.1\n"


def test_no_setting_of_the_user_takes_the_output(sonde, local, tmp_path, monkeypatch):
    place = tmp_path / "out.csv"
    before = sonde.schema(**local), sonde.lookup("5.1.1.1", **local), sonde.summary(["5.1.1.1"], **local)
    monkeypatch.setenv("SONDE_OUTPUT", str(place))
    assert before == (sonde.schema(**local), sonde.lookup("5.1.1.1", **local), sonde.summary(["5.1.1.1"], **local))
    assert rows(sonde.scan(["5.1.1.1"], **local), "ip") == [("5.1.1.1",)]
    assert not place.exists()


@pytest.mark.parametrize("name", ["output", "format", "resume", "progress", "quiet", "color"])
def test_options_of_the_output_are_none(sonde, name):
    for call in (sonde.schema, lambda **more: sonde.scan([], **more), lambda **more: sonde.lookup("5.1.1.1", **more)):
        with pytest.raises(ValueError, match=name):
            call(**{name: "x"})
    with pytest.raises(ValueError, match="on_unanswered='no'"):
        sonde.scan([], on_unanswered="no")


def test_what_the_program_says_last_is_the_error(sonde, local, instead):
    with pytest.raises(sonde.SondeError, match=r"^/absent/file: No such file") as caught:
        rows(sonde.scan("/absent/file", **local))
    assert caught.value.status == 5 and not isinstance(caught.value, ValueError)
    reader = sonde.scan(["5.1.1.1"], **local)
    with instead("kill -9 $$"), pytest.raises(sonde.SondeError, match="SIGKILL") as caught:
        rows(reader)
    assert (caught.value.status, caught.value.signal) == (None, signal.SIGKILL)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.signal) == (str(caught.value), signal.SIGKILL)
    reader = sonde.scan(["5.1.1.1"], **local)
    with instead("cat > /dev/null; exit 0"), pytest.raises(sonde.SondeError, match="before it had done its work"):
        rows(reader)


def test_a_program_that_is_not_there_or_too_old_is_told(sonde, monkeypatch, instead):
    monkeypatch.setenv("SONDE_PROGRAM", "/absent/sonde")
    with pytest.raises(sonde.SondeError, match="/absent/sonde could not be started") as caught:
        sonde.scan([])
    assert caught.value.status is None
    monkeypatch.delenv("SONDE_PROGRAM")
    monkeypatch.setenv("PATH", "/absent")
    with pytest.raises(sonde.SondeError, match="there is no sonde"):
        sonde.lookup("5.1.1.1")
    monkeypatch.undo()
    with instead("echo sonde 0.0.9"), pytest.raises(sonde.SondeError, match="too old"):
        sonde.schema()


def test_addresses_without_an_answer_can_be_an_error(sonde, simulator):
    items = ["8.1.1.1", "10.0.0.1", "8.2.2.2"]
    options = {"provider": "ip-api", "retries": 0}
    sonde.scan(items[:1], **options).read_all()
    simulator.control(faults=[{"fault": "status", "status": 503, "address": "8.2.2.2"}])
    assert rows(sonde.scan(items, **options), "status") == [("ok",), ("reserved",), ("failed",)]
    reader = sonde.scan(items, on_unanswered="fail", **options)
    given = []
    with pytest.raises(sonde.UnansweredError, match="1 addresses got no answer: 1 failed, 0 lost") as caught:
        given.extend(each["ip"] for batch in reader for each in batch.to_pylist())
    assert given == items and (caught.value.failed, caught.value.network_lost) == (1, 0)
    assert pickle.loads(pickle.dumps(caught.value)).failed == 1
    simulator.control(faults=[])
    assert rows(sonde.scan(items, on_unanswered="fail", **options), "status") == [("ok",), ("reserved",), ("ok",)]
    assert simulator.addresses() == {"8.2.2.2": 1}


def test_what_a_caller_raises_comes_out_of_the_reader(sonde, local):
    class OwnError(Exception):
        pass

    def items():
        yield from ["5.1.1.1"] * 5
        raise OwnError("items")

    def listen(event):
        raise OwnError("events")

    for reader in (sonde.scan(items(), **local), sonde.scan(["5.1.1.1"], events=listen, **local)):
        with pytest.raises(OwnError):
            reader.read_all()
    assert leftovers() == []


# What becomes of a scan that is not read to its end.


def test_what_is_not_read_is_not_asked(sonde, simulator, local):
    drawn = itertools.count()
    reader = sonde.scan((each for each in endless() if next(drawn) >= 0), **REMOTE)
    assert simulator.counts()["total"] == 0 and leftovers() == [] and next(drawn) == 0
    assert reader.read_next_batch().num_rows > 0
    reader.close()
    assert leftovers() == [] and next(drawn) < 50_000
    for read in (reader.read_next_batch, reader.read_all):
        with pytest.raises(sonde.SondeError, match="closed"):
            read()
    reader.close()
    with sonde.scan(endless(), **local) as reader:
        assert reader.read_next_batch().num_rows > 0
    assert leftovers() == []
    reader = sonde.scan(endless(), **local)
    reader.read_next_batch()
    del reader
    gc.collect()
    assert leftovers() == []


def test_records_come_while_their_source_is_slow(sonde, local):
    come = threading.Event()

    def items():
        for n in range(250):
            if come.is_set():
                return
            yield f"5.1.1.{n}"
            time.sleep(0.15)

    reader = sonde.scan(items(), **local)
    first = reader.read_next_batch()
    come.set()
    assert 0 < first.num_rows < 200
    reader.read_all()


def test_each_line_of_a_live_file_is_given_before_the_next_one(sonde, local):
    reading, writing = os.pipe()
    os.write(writing, b"x\n5.0.0.1\n")
    with os.fdopen(reading, "rb") as file:
        assert file.readline() == b"x\n"
        reader = sonde.scan(file, **local)
        for n in range(1, 4):
            assert [each["ip"] for each in reader.read_next_batch().to_pylist()] == [f"5.0.0.{n}"]
            os.write(writing, f"5.0.0.{n + 1}\n".encode())
        # While the file is silent, an end of the program is seen.
        assert reader.read_next_batch().num_rows == 1
        os.kill(leftovers()[0], signal.SIGKILL)
        with pytest.raises(sonde.SondeError, match="SIGKILL"):
            reader.read_next_batch()
        os.close(writing)


def test_a_reader_whose_source_hangs_can_be_closed(sonde, local):
    hangs, goes_on = threading.Event(), threading.Event()

    def items():
        yield from itertools.islice(endless(), 5000)
        hangs.set()
        goes_on.wait(60)

    reader = sonde.scan(items(), **local)
    ends = []

    def read():
        try:
            ends.append(reader.read_all())
        except sonde.SondeError as error:
            ends.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    assert hangs.wait(60) and leftovers()
    reader.close()
    wait_for(lambda: leftovers() == [], timeout=10)
    goes_on.set()
    thread.join()
    assert isinstance(ends[0], sonde.SondeError) and str(ends[0]) == "the reader was closed"


def test_threads_have_a_scan_each(sonde, local):
    results = {}

    def work(number):
        results[number] = rows(sonde.scan([f"5.{number}.{n % 250}.{n // 250}" for n in range(5000)], **local), "ip")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results[number] == [(f"5.{number}.{n % 250}.{n // 250}",) for n in range(5000)] for number in range(6))


def test_a_reader_may_be_made_by_a_thread_that_ends(sonde, local):
    made = []
    thread = threading.Thread(target=lambda: made.append(sonde.scan(endless(), **local)) or made[0].read_next_batch())
    thread.start()
    thread.join()
    assert made[0].read_next_batch().num_rows > 0
    made[0].close()
    assert leftovers() == []


FORKING = """
import os, sys, time, sonde
def items():
    for n in range(5000): yield f"5.1.{n // 250}.{n % 250}"
    if not os.fork():
        time.sleep(1000)
reader = sonde.scan(items(), provider="local", database=sys.argv[1])
print(reader.read_all().num_rows)
"""


def test_a_process_that_is_forked_off_holds_nothing(sonde, local, machine):
    """It neither keeps the program from the end of its input, nor ends it."""
    process = subprocess.Popen(
        [sys.executable, "-c", FORKING, local["database"]], stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert process.stdout.readline() == b"5000\n" and process.wait(timeout=60) == 0
    finally:
        os.killpg(process.pid, signal.SIGKILL)


def test_a_reader_in_a_process_that_is_forked_off_is_refused(sonde, local):
    reader = sonde.scan(endless(), **local)
    reader.read_next_batch()
    child = os.fork()
    if not child:
        status = 1
        try:
            for _ in range(1000):
                reader.read_next_batch()
        except sonde.SondeError as error:
            status = 0 if "forked" in str(error) else 2
        except BaseException:
            status = 3
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert reader.read_next_batch().num_rows > 0 and len(leftovers()) == 1
    reader.close()


WAITING = """
import sys, sonde
reader = sonde.scan((f"5.{n >> 8 & 255}.{n & 255}.1" for n in range(60_000)), provider="ip-api", no_cache=True)
print(reader.read_next_batch().num_rows, flush=True)
print(reader.read_all().num_rows, flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_the_program_ends_with_its_caller(sonde, simulator, tmp_path, number):
    """While it waits for the quota, and nothing passes by its pipes."""
    simulator.control(window=60, batch_limit=3)
    # No run of before has used this quota.
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    process = subprocess.Popen(
        ["env", "--default-signal", sys.executable, "-c", WAITING],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=env,
    )
    assert int(process.stdout.readline()) > 0 and leftovers()
    process.send_signal(number)
    process.wait(timeout=30)
    wait_for(lambda: leftovers() == [], timeout=20)
    process.stdout.close()


# The program as a command.


def test_the_module_is_the_program(machine, tmp_path):
    command = [sys.executable, "-m", "sonde"]
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == subprocess.run(["sonde", "--version"], capture_output=True, text=True, check=True).stdout
    assert subprocess.run([*command, "scan", "--no-such"], capture_output=True, check=False).returncode == 2
    script = f"{sys.executable} -m sonde scan --provider local --duplicates keep --format csv - | head -n 1"
    closed = subprocess.run(
        ["bash", "-c", f"yes 8.8.8.8 | {script}; echo ${{PIPESTATUS[@]}}"], capture_output=True, text=True, check=True
    )
    assert closed.stdout.splitlines()[0].startswith("ip,") and closed.stderr == ""
    process = subprocess.Popen([*command, "scan", "--provider=local", "-"], stdin=subprocess.PIPE)
    wait_for(lambda: pathlib.Path(f"/proc/{process.pid}/comm").read_text() == "sonde\n")
    process.stdin.close()
    process.wait(timeout=30)


def test_the_import_loads_nothing_heavy(machine):
    script = "import sys; before = set(sys.modules); import sonde; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"sonde", "__future__"}


def test_the_version_is_the_program_s(sonde):
    said = subprocess.run(["sonde", "--version"], capture_output=True, text=True, check=True).stdout
    assert said == f"sonde {sonde.__version__}\n"
