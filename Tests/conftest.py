"""What all tests in Python share: those that measure time come last, each with the machine to itself."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

# Held by each test while it runs, and by run.sh for the tests of the code: shared, or alone.
LOCK = Path(__file__).resolve().parents[1] / ".build" / "tests.lock"

# Modules are compiled once, whatever the environment says: pytest needs 8 s for those of all tests.
COMPILED = LOCK.with_name("pycache")
IS_COMPILED = COMPILED.exists()
sys.dont_write_bytecode = False
sys.pycache_prefix = str(COMPILED)
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["PYTHONPYCACHEPREFIX"] = str(COMPILED)


def measures_time(item):
    """Whether a test is marked so."""
    return item.get_closest_marker("measures_time") is not None


def pytest_configure(config):
    """Compiles the modules of tests, if none are, before several workers would do so each for itself."""
    if not IS_COMPILED and config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *config.args]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Marks tests with a browser; puts slow tests first, and those that measure time last and, for pytest-xdist, on one worker."""
    for item in items:
        groups = [mark.args[0] for mark in item.iter_markers("xdist_group")]
        if any(group.startswith("browser") for group in groups):
            item.add_marker("browser")
    items.sort(key=lambda item: (measures_time(item), item.get_closest_marker("slow") is None))
    if config.pluginmanager.hasplugin("xdist"):
        for item in filter(measures_time, items):
            item.add_marker(pytest.mark.xdist_group("alone"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """Runs a test that measures time while no other runs, in whatever process."""
    LOCK.parent.mkdir(exist_ok=True)
    with open(LOCK, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if measures_time(item) else fcntl.LOCK_SH)
        yield
