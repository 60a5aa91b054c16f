"""Fixtures of the Python package's tests: a session of Spark for each worker, a simulator, a `sonde` to be replaced."""

import contextlib
import itertools
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / name) for name in ("Spark", "Blackbox", "Simulator")]

import libloc
import moody
import world
from client import SimulatorProcess
from expected import record
from redis_server import RedisServer
from settings import Settings


@pytest.fixture(scope="session")
def machine(tmp_path_factory):
    """A folder with the package, and `sonde` on PATH; gives the folder."""
    if not world.BINARY.is_file():
        pytest.fail("there is no command to test: build it, or set SONDE_BINARY")
    folder = tmp_path_factory.mktemp("machine")
    modules = folder / "modules"
    world.install(modules)
    moody.install(modules)
    before = dict(os.environ)
    world.settle(folder, modules)
    yield folder
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="session")
def simulator_process(machine):
    """One simulator for all tests, which the tasks of Spark ask, too."""
    process = SimulatorProcess("--port", 0)
    os.environ.update(process.env)
    yield process
    process.stop()


@pytest.fixture(scope="session")
def spark(simulator_process):
    """The session; a failed task is tried once more."""
    session = world.session("local[2,2]")
    yield session
    session.stop()


@pytest.fixture
def simulator(simulator_process):
    """The simulator with limits that keep nobody waiting and all counts at nothing."""
    simulator_process.control(**{**Settings().as_dict(), "window": 1, "batch_limit": 1000})
    return simulator_process


@pytest.fixture
def redis(tmp_path):
    """A Redis of the test's own."""
    server = RedisServer(tmp_path / "redis")
    yield server
    server.close()


@pytest.fixture(scope="session")
def loc_database(tmp_path_factory):
    """A small database of known content."""
    return libloc.write(tmp_path_factory.mktemp("libloc") / "location.db")


@pytest.fixture
def module(spark):
    """The module, once the session has it."""
    import sonde.spark

    return sonde.spark


@pytest.fixture
def scan(machine):
    """Runs `sonde scan` of a text undisturbed, and gives its records."""

    def scan(text, *arguments):
        command = ["sonde", "scan", "--no-cache", "--quiet", "--format=ndjson", *arguments, "-"]
        done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=False)
        return [json.loads(line) for line in done.stdout.splitlines()]

    return scan


@pytest.fixture
def instead(machine):
    """Puts a shell script in place of `sonde`, in which "$SONDE" is the command itself, for as long as it is wanted."""

    @contextlib.contextmanager
    def instead(script):
        place = machine / "bin" / "sonde"
        place.unlink()
        place.write_text(f"#!/bin/bash\nSONDE={world.BINARY}\n{script}\n")
        place.chmod(0o755)
        try:
            yield place
        finally:
            place.unlink()
            place.symlink_to(world.BINARY)

    return instead


@pytest.fixture
def sonde(simulator):
    """The package; whatever it asks is the simulator."""
    import sonde

    return sonde


@pytest.fixture
def local(loc_database):
    """Options of scans that send nothing."""
    return {"provider": "local", "database": str(loc_database)}


# What differs from run to run, or is of a line that nobody has.
PASSING = ("line", "cached", "fetched_at", "input", "offset")


def multiset(records, but=()):
    """How often each record is there, whatever the order; `but` are columns that are not compared."""
    rows = (record.asDict() if hasattr(record, "asDict") else record for record in records)
    return Counter(
        json.dumps({name: number(name, row[name]) for name in sorted(row) if kept(row, name, but)}) for row in rows
    )


def right(found, addresses):
    """Makes sure that there is one record for each address, with what the simulator says of it."""
    assert multiset(found, ["message"]) == multiset(record(each) for each in addresses)


def kept(row, name, but):
    """Whether a value is compared."""
    return row[name] is not None and name not in PASSING and name not in but


def number(name, value):
    """A value of one type, whether it comes from JSON or from a column."""
    return float(value) if name in ("latitude", "longitude") else value


def leftovers(name="sonde"):
    """The processes of a name that these tests have started, other tests running beside them."""
    ours = f"TMPDIR={os.environ['TMPDIR']}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (path / "comm").read_text().strip() == name and ours in (path / "environ").read_bytes().split(b"\0"):
                found.append(int(path.name))
    return found


def wait_for(condition, timeout=30):
    """Waits until something is so."""
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.02)


def rows(reader, *names):
    """Records as dicts, or some columns of them as tuples."""
    records = reader.read_all().to_pylist()
    return [tuple(each[name] for name in names) for each in records] if names else records


def endless():
    """Addresses without end."""
    for n in itertools.count():
        yield f"5.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}"
