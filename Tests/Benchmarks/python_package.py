"""The Python package and Spark, each beside what it stands on, as ratios of the same run.

    .build/spark-tools/bin/python Tests/Benchmarks/python_package.py [MB] [TURNS] [ADDRESSES] [ONLY]

By default 500 MB of a log, 3 turns and 2,000,000 addresses. Takes `SONDE_BINARY`, or the release build. The two of a
pair take turns, the first ones of each are left out (those in which the JVM still compiles itself), and a ratio is the
median of those turn by turn, by the clock and by the processor time of all that they start. ONLY are of `package`,
`files`, `objects` and `udf` those that are wanted, with commas. The UDF needs `maxminddb` with its C reader; S3 is
moto's server, on the same cores.
"""

import contextlib
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from ipaddress import ip_network
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / name) for name in ("Spark", "Blackbox", "Simulator")]

# The first one decides which program is measured.
from proof import LEFT_OUT, make_log, timed
import mmdb
import world
from bucket import BUCKET, Bucket

# Of a log that is cut into objects as services write them, and into some that are read together.
OBJECTS = (64, 8)
PIECE = 8 << 20
LOCAL = {"provider": "local", "quiet": True}


def compare(what, ours, theirs, turns, left_out=1):
    """Prints the medians of two works in turns, and how many times as much the first one takes, by clock and processor."""
    pairs = [(spent(ours), spent(theirs)) for _ in range(turns + left_out)][left_out:]
    cells = []
    for kind in range(2):
        times = [(mine[kind], other[kind]) for mine, other in pairs]
        mine, other = (statistics.median(column) for column in zip(*times))
        ratio = statistics.median(a / b for a, b in times)
        cells.append(f"{mine:.2f} s | {other:.2f} s | {ratio:.2f}")
    print(f"| {what} | {' | '.join(cells)} |", flush=True)


def spent(work):
    """The seconds that something takes, and those of processors."""
    before = of_processors()
    seconds = timed(work)
    return seconds, of_processors() - before


def of_processors():
    """The seconds of processors of this process and all that it has started, those that have ended too."""
    times, below = {}, {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        # It may have ended meanwhile.
        with contextlib.suppress(OSError):
            fields = place.read_text().rpartition(")")[2].split()
            times[int(place.parent.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
            below.setdefault(int(fields[1]), []).append(int(place.parent.name))
    total, left = 0, [os.getpid()]
    while left:
        process = left.pop()
        total += times.get(process, 0)
        left += below.get(process, ())
    return total


def run(*command, **more):
    """Runs a command whose output nobody reads."""
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, **more)


def gone(frame):
    """Works a DataFrame off."""
    frame.write.format("noop").mode("overwrite").save()


def files(session, module, log, turns):
    """A log on a disk."""
    one_pass = lambda: gone(module.read_log(session, log, **LOCAL))
    scan = ["sonde", "scan", "--log", "--quiet", "--provider=local", "--format=csv", log]
    compare("`read_log` / `sonde scan --log`", one_pass, lambda: run(*scan), turns, LEFT_OUT)
    split = -(-os.path.getsize(log) // 8)
    compare("`read_log` in 8 splits / in one pass", lambda: gone(module.read_log(session, log, split, **LOCAL)), one_pass, turns, LEFT_OUT)


def objects(session, module, log, turns):
    """The same log in objects of a store, and by the means of Spark on the disk."""
    from pyarrow import fs

    bucket = Bucket()
    try:
        for size in OBJECTS:
            folder = f"{BUCKET}/{size}"
            with open(log, "rb") as file:
                for number, data in enumerate(iter(lambda: lines(file, size << 20), b"")):
                    bucket.put(f"{size}/{number:03}.log", data)

            def plain(folder=folder):
                store = fs.S3FileSystem(**bucket.options)
                for info in store.get_file_info(fs.FileSelector(folder)):
                    with store.open_input_stream(info.path) as stream:
                        while stream.read(PIECE):
                            pass

            ours = lambda folder=folder: gone(
                module.read_log(session, f"s3://{folder}", storage_options=bucket.options, **LOCAL)
            )
            compare(f"`read_log` of objects of {size} MB / pyarrow's reading of them", ours, plain, turns, LEFT_OUT)
    finally:
        bucket.close()


def lines(file, size):
    """The next lines of about a size."""
    return file.read(size) + file.readline()


def udf(session, module, log, turns, folder):
    """`regexp_extract`, `distinct` and a pandas UDF, from the same database."""
    import pandas as pd
    from pyspark.sql import functions as F

    place = str(folder / "city.mmdb")
    chooser = random.Random(7)
    networks = {
        str(ip_network((n << 24 | chooser.randrange(1 << 14) << 10, 22))): {
            "country": {"iso_code": "DE", "names": {"en": "Germany"}},
            "city": {"names": {"en": f"Town {n}"}},
            "location": {"latitude": 51.5, "longitude": 7.25, "time_zone": "Europe/Berlin"},
        }
        for n in range(1, 120)
        for _ in range(200)
    }
    mmdb.write(place, "GeoLite2-City", networks)

    @F.pandas_udf("country string, city string, latitude double, longitude double")
    def look_up(values: pd.Series) -> pd.DataFrame:
        import maxminddb

        get = maxminddb.open_database(place, maxminddb.MODE_MMAP_EXT).get
        rows = []
        for each in values:
            found = get(each) or {}
            at = found.get("location", {})
            rows.append((
                found.get("country", {}).get("iso_code"), found.get("city", {}).get("names", {}).get("en"),
                at.get("latitude"), at.get("longitude"),
            ))  # fmt: skip
        return pd.DataFrame(rows, columns=["country", "city", "latitude", "longitude"])

    address = F.regexp_extract("value", r"(\d{1,3}(?:\.\d{1,3}){3})", 1).alias("ip")
    theirs = lambda: gone(session.read.text(log).select(address).distinct().select("ip", look_up("ip").alias("r")).select("ip", "r.*"))
    compare("the UDF / `read_log`, of the disk", theirs, lambda: gone(module.read_log(session, log, database=place, **LOCAL)), turns)


def package(count, turns, folder):
    """`import sonde` and `sonde.scan`, without Spark."""
    chooser = random.Random(5)
    place = folder / "addresses"
    with open(place, "w") as file:
        for _ in range(count):
            file.write(".".join(str(chooser.randrange(1, 224)) for _ in range(4)) + "\n")
    program = f"import sonde\nfor batch in sonde.scan({str(place)!r}, provider='local'): pass"
    scan = ["sonde", "scan", "--quiet", "--provider=local", "--format=csv", str(place)]
    compare(f"`sonde.scan` of {count:,} addresses / `sonde scan --format csv`", lambda: run(sys.executable, "-c", program), lambda: run(*scan), turns)
    items = f"import sonde\nfor batch in sonde.scan(open({str(place)!r}).read().split(), provider='local'): pass"
    compare("the same of a list of texts / the command", lambda: run(sys.executable, "-c", items), lambda: run(*scan), turns)

    def often(text):
        for _ in range(20):
            run(sys.executable, "-c", text)

    compare("20 times `import sonde` / `pass`", lambda: often("import sonde"), lambda: often("pass"), 4 * turns)


def main():
    """Measures all of it."""
    given = sys.argv[1:]
    megabytes, turns, count = map(int, (given + ["500", "3", "2000000"][len(given) :])[:3])
    only = given[3].split(",") if len(given) > 3 else ("package", "files", "objects", "udf")
    folder = Path(tempfile.mkdtemp(prefix="sonde-package-"))
    try:
        world.install(folder / "modules")
        before = os.environ.get("PYTHONPATH", "")
        world.settle(folder, folder / "modules")
        # Where `maxminddb` may be.
        os.environ["PYTHONPATH"] += f":{before}"
        # The JVM as users have it.
        os.environ.pop("JDK_JAVA_OPTIONS")
        log = str(make_log(folder, megabytes / 1000)[0])
        print("| what | first | second | ratio | first, CPU | second, CPU | ratio |", flush=True)
        print("| --- | --: | --: | --: | --: | --: | --: |", flush=True)
        if "package" in only:
            package(count, turns, folder)
        session = world.session("local[2]", **{"spark.sql.shuffle.partitions": "2"})
        import sonde.spark as module

        if "files" in only:
            files(session, module, log, turns)
        if "objects" in only:
            objects(session, module, log, turns)
        if "udf" in only:
            udf(session, module, log, turns, folder)
        session.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    began = time.time()
    main()
    print(f"{time.time() - began:.0f} s in all; load {os.getloadavg()[0]:.1f}")
