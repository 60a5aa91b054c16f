"""The long proof: three machines of Spark, one quota, one Redis, and everything that can go wrong with them.

    sudo .build/spark-tools/bin/python Tests/Spark/proof.py          # the cluster, in network namespaces
    .build/spark-tools/bin/python Tests/Spark/proof.py --log 2.2     # read_log of so many GB, against sonde alone

Prints a row for each case, as Tests/Benchmarks/RESULTS.md has them; the status is 1 where one is not as it must be.
Takes `SONDE_BINARY`, or the optimized build. Needs root, iproute2, nftables, redis-server and Java 17.
"""

import argparse
import csv
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

# Turns in which the JVM still compiles itself, and the first one the database.
LEFT_OUT = 4


def main():
    """Does what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log", type=float, metavar="GB", help="measure read_log with a log of this size instead")
    parser.add_argument("--splits", type=int, help="of the log, as if each were for another machine")
    parser.add_argument("--only", help="only the cases whose names have this in them", default="")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="sonde-proof-"))
    try:
        world.install(folder / "modules")
        world.settle(folder, folder / "modules")
        if arguments.log:
            measure_log(folder, arguments.log, arguments.splits)
            return 0
        from cluster import prove

        return prove(folder, arguments.only)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure_log(folder, gigabytes, split):
    """Times `read_log` in `local[2]` and `sonde scan --log` of the same file, in turns."""
    # The JVM as users have it.
    os.environ.pop("JDK_JAVA_OPTIONS")
    log, addresses = make_log(folder, gigabytes)
    session = world.session("local[2]", **{"spark.sql.shuffle.partitions": "2"})
    import sonde.spark

    if split:
        sonde.spark.logs.most_splits = lambda _, is_stored: split
    scan = ["sonde", "scan", "--quiet", "--log", str(log), "--provider=local"]
    (out, parquet) = (folder / "out.csv", str(folder / "out"))

    def records():
        return sonde.spark.read_log(session, str(log), provider="local", quiet=True).write.mode("overwrite")

    def write():
        out.unlink(missing_ok=True)
        subprocess.run([*scan, f"--output={out}"], check=True)

    def read():
        subprocess.run([*scan, "--format=csv"], stdout=subprocess.DEVNULL, check=True)

    works = [lambda: records().format("noop").save(), read, lambda: records().parquet(parquet), write]
    turns = []
    for turn in range(LEFT_OUT + 8):
        turns.append([timed(work) for work in works])
        print(f"turn {turn}:", ", ".join(f"{seconds:.2f} s" for seconds in turns[-1]), flush=True)
    columns = list(zip(*turns[LEFT_OUT:], strict=True))
    same(session.read.parquet(parquet), out.read_text(), addresses)
    session.stop()
    size = log.stat().st_size
    for what, ours, theirs in (("left", *columns[:2]), ("written", *columns[2:])):
        median = statistics.median(ours)
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        cells = [f"{size / 1e9:.2f} GB, {len(addresses)} addresses, records {what}", f"{median:.2f} s"]
        cells += [f"{size / 1e6 / median:.0f}", f"{statistics.median(theirs):.2f} s", f"{ratio:.2f} times"]
        print("|", " | ".join(cells), "|")


def same(found, wanted, addresses):
    """Makes sure that both have a record for each address, and say the same of it."""
    rows = {row["ip"]: row for row in csv.DictReader(wanted.splitlines())}
    assert rows.keys() == addresses
    assert found.count() == len(rows)
    for row in found.select("ip", "status", "country_code", "asn").toLocalIterator():
        other = rows[row.ip]
        assert (row.status, row.country_code or "", str(row.asn or "")) == (
            other["status"], other["country_code"], other["asn"],
        ), row  # fmt: skip


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
