"""The long proof: three machines of Spark, one quota, one Redis, and everything that can go wrong with them.

    sudo .build/spark-tools/bin/python Tests/Spark/proof.py          # the cluster, in network namespaces
    .build/spark-tools/bin/python Tests/Spark/proof.py --log 2.2     # read_log of so many GB, against sonde alone

Prints a row for each case, as Tests/Benchmarks/RESULTS.md has them; the status is 1 where one is not as it must be.
Takes `SONDE_BINARY`, or the optimized build. Needs root, iproute2, nftables, redis-server and Java 17.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / name) for name in ("Spark", "Blackbox", "Simulator")]
os.environ.setdefault("SONDE_BINARY", str(TESTS.parent / ".build/release/sonde"))

import world


def main():
    """Does what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log", type=float, metavar="GB", help="measure read_log with a log of this size instead")
    parser.add_argument("--only", help="only the cases whose names have this in them", default="")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="sonde-proof-"))
    try:
        world.install(folder / "modules")
        world.settle(folder, folder / "modules")
        if arguments.log:
            measure_log(folder, arguments.log)
            return 0
        from cluster import prove

        return prove(folder, arguments.only)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure_log(folder, gigabytes):
    """Times `read_log` in `local[2]` and `sonde scan --log` of the same file, in turns."""
    # The JVM as users have it.
    os.environ.pop("JDK_JAVA_OPTIONS")
    log, addresses = make_log(folder, gigabytes)
    session = world.session("local[2]", **{"spark.sql.shuffle.partitions": "2"})
    import sonde_spark

    def spark():
        records = sonde_spark.read_log(session, str(log), provider="local", quiet=True)
        records.write.mode("overwrite").parquet(str(folder / "out"))

    def alone():
        out = folder / "out.csv"
        out.unlink(missing_ok=True)
        command = ["sonde", "scan", "--quiet", "--log", str(log), "--provider=local", f"--output={out}"]
        subprocess.run(command, check=True)

    pairs = []
    for turn in range(6):
        pairs.append((timed(spark), timed(alone)))
        print(f"turn {turn}: read_log {pairs[-1][0]:.2f} s, sonde {pairs[-1][1]:.2f} s", flush=True)
    # The first turn compiles the database and warms the JVM up.
    (first, _), rest = pairs[0], pairs[1:]
    ours, theirs = (statistics.median(column) for column in zip(*rest, strict=True))
    ratio = statistics.median(a / b for a, b in rest)
    found = session.read.parquet(str(folder / "out"))
    wanted = (folder / "out.csv").read_bytes().count(b"\n") - 1
    assert found.count() == wanted == len(addresses), (found.count(), wanted, len(addresses))
    session.stop()
    size = log.stat().st_size
    cells = [f"{size / 1e9:.2f} GB, {wanted} addresses", f"{ours:.2f} s", f"{size / 1e6 / ours:.0f}", f"{theirs:.2f} s"]
    print("|", " | ".join([*cells, f"{ratio:.2f} times", f"{first:.1f} s"]), "|")


def make_log(folder, gigabytes):
    """Writes a combined log of a size, from a seed; gives its path and the addresses in it."""
    chooser = random.Random(15)
    pool = [
        f"{chooser.randrange(1, 120)}.{chooser.randrange(256)}.{chooser.randrange(256)}.{chooser.randrange(256)}"
        for _ in range(200_000)
    ]
    tails = [
        f' - - [17/May/2015:10:05:{n % 60:02} +0000] "GET /articles/{n * 7919 % 100_000} HTTP/1.1" 200 {n * 31} '
        '"-" "Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Firefox/115.0"\n'
        for n in range(1000)
    ]
    path = folder / "access.log"
    used = set()
    with open(path, "w", buffering=1 << 20) as file:
        while file.tell() < gigabytes * 1e9:
            addresses = chooser.choices(pool, k=100_000)
            used.update(addresses)
            file.write("".join(map(str.__add__, addresses, chooser.choices(tails, k=len(addresses)))))
    return path, used


def timed(work):
    """The seconds that something takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
