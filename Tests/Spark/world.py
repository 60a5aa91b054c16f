"""A machine for Spark and the package: its sources, `sonde` on PATH, Java's whereabouts."""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


BUILD = ROOT / ".build" / os.environ.get("BUILD_OF_SONDE", "debug")
# The command under test, which takes every variable that begins as this one for an option.
BINARY = Path(os.environ.pop("SONDE_BINARY", None) or BUILD / "sonde").absolute()


def install(folder):
    """Copies the package into a folder of the tests' own; the program is not in it, but on PATH."""
    without = shutil.ignore_patterns("__pycache__", "bin")
    shutil.copytree(ROOT / "Sources/PythonPackage/sonde", folder / "sonde", ignore=without)


def settle(folder, modules):
    """Has this process, and the workers that Spark starts, find the module and the command; gives what changed."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "sonde").symlink_to(BINARY)
    home = folder / "home"
    home.mkdir()
    changes = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(modules),
        "PYSPARK_PYTHON": sys.executable,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_STATE_HOME": str(home / "state"),
        "TMPDIR": str(folder),
        "SPARK_LOCAL_IP": "127.0.0.1",
        # Jobs of seconds are over before the second compiler has paid for itself.
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    os.environ.update(changes)
    sys.path.insert(0, str(modules))
    return changes


QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "3",
    "spark.log.level": "OFF",
    "spark.driver.memory": "1g",
}


def session(master, remote=None, **settings):
    """A session of Spark that says nothing; one of Spark Connect with a server of its own by `remote`."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote(remote) if remote else SparkSession.builder.master(master)
    builder = builder.appName("sonde's tests")
    for name, value in {**QUIET, **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
