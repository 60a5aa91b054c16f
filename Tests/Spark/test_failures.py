"""What goes wrong on a worker fails the task, or is in the records: nothing is lost in silence, nothing hangs."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import leftovers, right, wait_for
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

# The second where several tasks failed at once.
FAILED = (PySparkException, Py4JError)
REMOTE = {"provider": "ip-api", "no_cache": True}
ADDRESSES = [f"5.{n // 250}.{n % 250}.3" for n in range(900)]
# Of a scan that has something to read; what a driver asks beforehand is answered.
ON_A_WORKER = '[[ $1 == scan && $* == *" -" && $* != *--quiet* ]]'


# A job of seconds; what hangs would for ever.
def ration(simulator):
    """Sets a small quota once the larger one that was told before no longer holds."""
    simulator.control(window=3, batch_limit=5)
    time.sleep(2.5)


@pytest.fixture
def df(spark):
    """Rows with these addresses."""
    return spark.createDataFrame([(each,) for each in ADDRESSES], "value string").repartition(3)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("kill -9 $$", "SIGKILL"),
        ("head -c 2000 >/dev/null; exit 5", "status 5"),
        ("echo no room >&2; exit 2", "no room"),
        ("exit 0", "before it had"),
        ("head -c 100 >/dev/null; exit 3", "before it had"),
        ('"$SONDE" "$@" | sed 5d; exit 3', "gave 899 records.*made 900"),
        ('head -n 101 | "$SONDE" "$@"; exit 3', "before it had|was given 900 entries.*were 100"),
    ],
)
def test_a_child_that_cannot_go_on_fails_the_job(df, module, simulator, instead, fault, words):
    script = f'if {ON_A_WORKER}; then {fault}; fi; exec "$SONDE" "$@"'
    with instead(script), pytest.raises(FAILED, match=words):
        module.enrich(df, askers=1, **REMOTE).collect()
    wait_for(lambda: leftovers() == [])


@pytest.mark.parametrize(
    ("command", "fault", "options"),
    [("scan", "exit 1", {"provider": "local"}), ("check", '"$SONDE" "$@" | sed 5d', REMOTE)],
)
def test_no_row_or_line_of_a_log_is_lost_in_silence(df, spark, module, instead, tmp_path, command, fault, options):
    (tmp_path / "log").write_text("".join(f"{each} x\n" for each in ADDRESSES))
    script = f'if [[ $1 == {command} && $* == *--events* ]]; then {fault}; exit; fi; exec "$SONDE" "$@"'
    with instead(script):
        for found in (module.annotate(df, **options), module.read_log(spark, f"{tmp_path}/log", **options)):
            with pytest.raises(FAILED, match="before it had|says that it made"):
                found.collect()


def test_a_child_that_dies_once_is_made_good_by_the_next_try(df, module, simulator, instead, tmp_path):
    fault = (
        f'if {ON_A_WORKER} && mkdir {tmp_path}/once 2>/dev/null; then timeout -s KILL 0.7 "$SONDE" "$@"; kill -9 $$; fi'
    )
    # Longer than it lives.
    simulator.control(latency=1)
    with instead(f'{fault}; exec "$SONDE" "$@"'):
        found = module.enrich(df, **REMOTE).collect()
    assert (tmp_path / "once").is_dir()
    right(found, ADDRESSES)
    assert simulator.counts()["throttled"] == 0


@pytest.mark.slow
def test_a_network_that_is_lost_is_in_the_records(df, module, simulator, instead):
    away = "export SONDE_IP_API_URL=http://192.0.2.1:9"
    with instead(f'{ON_A_WORKER} && {away}; exec "$SONDE" "$@"'):
        found = module.enrich(df, offline_timeout="1s", timeout="1s", **REMOTE).collect()
    assert sorted(each.ip for each in found) == sorted(ADDRESSES)
    assert {each.status for each in found} <= {"network_lost", "failed"} and all(each.message for each in found)


def test_an_upstream_that_raises_ends_the_job_at_once(df, module, simulator):
    broken = df.selectExpr("if(value = '5.3.100.3', raise_error('the upstream broke'), value) AS value")
    for provider in ({"provider": "local"}, REMOTE):
        with pytest.raises(FAILED, match="the upstream broke"):
            module.enrich(broken, **provider).collect()
        with pytest.raises(FAILED, match="the upstream broke"):
            module.annotate(broken, **provider).collect()
    wait_for(lambda: leftovers() == [])


def test_a_worker_that_is_killed_leaves_no_child_that_asks_on(df, module, simulator, instead):
    """Spark kills the Python of a task that it gives up; the next try has the records."""
    ration(simulator)
    killed = []

    def kill():
        deadline = time.monotonic() + 60
        while not killed and time.monotonic() < deadline:
            for child in asking():
                parent = int(Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[1])
                # A child's parent is its worker, until that has ended.
                if "pyspark" in Path(f"/proc/{parent}/cmdline").read_text():
                    os.kill(parent, signal.SIGKILL)
                    killed.extend([parent, child])
            time.sleep(0.02)

    thread = threading.Thread(target=kill)
    thread.start()
    found = module.enrich(df, askers=1, **REMOTE).collect()
    thread.join()
    assert len(killed) >= 2 and not Path(f"/proc/{killed[1]}").exists()
    right(found, ADDRESSES)
    assert simulator.counts()["throttled"] == 0


def asking():
    """The scans under way that have asked."""
    found = []
    for child in leftovers():
        try:
            words = Path(f"/proc/{child}/cmdline").read_text().split("\0")
        except OSError:
            continue
        if "scan" in words and "--provider=ip-api" in words and "--quiet" not in words:
            found.append(child)
    return found


@pytest.mark.parametrize("work", ["step", "source", "function"])
@pytest.mark.parametrize(
    ("version", "words"),
    [
        (None, "there is no Python package sonde on {}; install"),
        ("9.9", "the package sonde on {} is 9.9, and that of the"),
    ],
)
def test_a_machine_without_the_same_package_says_what_to_install(module, local, tmp_path, version, words, work):
    """In a process that has Spark alone; the work is that of a function, of the source, or of a function of SQL."""
    from pyspark import cloudpickle
    from sonde.spark import options, registering, running

    if version:
        (tmp_path / "sonde").mkdir()
        (tmp_path / "sonde" / "__init__.py").write_text(f'__version__ = "{version}"\n')
    step, run = running.guarded(lambda rows: rows), "work(iter(()))"
    if work == "source":
        step, run = registering._reader(step), "work.read(None)"
    elif work == "function":
        step = registering._function(options.parse(None, local)).func
    script = f"import pickle, sys; work = pickle.load(sys.stdin.buffer); list({run})"
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script], input=cloudpickle.dumps(step), env=env, capture_output=True, check=False
    )
    last = done.stderr.decode().splitlines()[-1]
    assert last.startswith(f"RuntimeError: {words.format(socket.gethostname())}")
    assert last.endswith("pip install sonde[spark]=={}".format(sys.modules["sonde"].__version__))
