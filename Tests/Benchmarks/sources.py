"""What tables, databases and comparisons cost, beside the same without them; prints rows of Markdown.

    SONDE_BINARY=.build/release/sonde /usr/bin/python3 Tests/Benchmarks/sources.py [RUNS [PART…]]

Parts: `load`, `mmdb`, `diff`, `compare`, `days`, `networks`, `paced`; by default all of them, five runs in turns.
"""

import csv
import datetime
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / name) for name in ("Blackbox", "Simulator", "Benchmarks")]

import libloc  # noqa: E402
import mmdb  # noqa: E402
from client import SimulatorProcess  # noqa: E402
from command import binary  # noqa: E402
from log_job import REQUESTS, clients, compare, log, run  # noqa: E402

LOCATION = "/usr/share/libloc-location/location.db"
COUNTRIES = "AT AU BE BR CA CH CN CZ DE DK ES FI FR GB GR HU IE IN IT JP KR MX NL NO PL PT RU SE TR US ZA".split()
HEADER = "| what | CPU | clock | peak RSS | CPU against | clock against |\n| --- | --: | --: | --: | --: | --: |"


def apart(make):
    """Makes inputs in a process of its own, whose memory would count as that of all commands (getrusage(2))."""
    child = os.fork()
    if not child:
        make()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, "no inputs were made"


def addresses(path, count=1_000_000):
    """Distinct global addresses, one a line."""
    pick, found = random.Random(1), {}
    while len(found) < count:
        address = IPv4Address(pick.getrandbits(32))
        if address.is_global and not address.is_multicast:
            found[address] = None
    path.write_text("".join(f"{address}\n" for address in found))


def networks(count, length, seed):
    """As many distinct networks of a length."""
    for number in random.Random(seed).sample(range(1 << 24, 223 << 24, 1 << 32 - length), count):
        yield f"{IPv4Address(number)}/{length}"


def city(pick):
    """A record as MaxMind's databases of cities have them."""
    number = pick.randrange(20_000)
    return {
        "city": {"names": {"en": f"City {number}"}},
        "country": {"iso_code": COUNTRIES[number % len(COUNTRIES)], "names": {"en": "A country"}},
        "location": {"latitude": number / 250 - 40, "longitude": number / 125 - 80, "time_zone": "Etc/UTC"},
    }


def ratio(parts, whole, runs):
    """Runs commands in turns; prints a row for each, and the last against the sum of the others."""
    results = [[] for _ in (*parts, whole)]
    for _ in range(runs):
        for (_, command), result in zip((*parts, whole), results):
            result.append(run(command, "/dev/null"))
    sums = [[sum(each[turn][index] for each in results[:-1]) for index in (0, 1)] for turn in range(runs)]
    for (name, _), result in zip((*parts, whole), results):
        cpu, clock, memory = (statistics.median(one) for one in zip(*result))
        against = " | "
        if result is results[-1]:
            against = " | ".join(
                f"{statistics.median(mine[index] / other[index] for mine, other in zip(result, sums)):.2f} ×" for index in (0, 1)
            )
        print(f"| {name} | {cpu:.2f} s | {clock:.2f} s | {memory:.0f} MB | {against} |", flush=True)


def load(sonde, folder, runs):
    """How long it takes to load a table, beside a run without."""
    def make():
        pick = random.Random(2)
        with open(folder / "feed.csv", "w") as file:
            for number in range(300_000):
                block = f"172.{224 + number // 65536}.{number // 256 % 256}.{number % 256}/32"
                if number % 3:
                    block = f"2a02:26f7:{number // 65536:x}:{number % 65536:x}::/64"
                code = pick.choice(COUNTRIES)
                file.write(f"{block},{code},{code}-{pick.randrange(20)},City {pick.randrange(3000)},\n")
        with open(folder / "ranges.csv", "w") as file:
            start = 1 << 24
            for _ in range(1_000_000):
                end = start + pick.choice((255, 255, 511, 1023, 127, 63, 1535))
                file.write(f"{IPv4Address(start)},{IPv4Address(end)},{pick.choice(COUNTRIES)}\n")
                start = end + 1

    apart(make)
    check = [sonde, "check", "--quiet", "172.224.0.9", "1.0.0.9"]
    compare(
        ("`check` of two addresses", check),
        [
            ("`--with x=FILE`, a geofeed of 300,000 rows", [*check, "--with", f"x={folder}/feed.csv"]),
            ("`--with x=FILE`, a million ranges", [*check, "--with", f"x={folder}/ranges.csv"]),
        ],
        runs,
    )


def mapped(sonde, folder, runs):
    """Columns from an MMDB, beside the same networks as CSV."""
    def make():
        pick, rows = random.Random(3), {}
        for network in networks(100_000, 17, 3):
            rows[network] = {"class": f"class {pick.randrange(100)}", "owner": f"owner {pick.randrange(20_000)}", "score": pick.randrange(100)}
        mmdb.write(folder / "risk.mmdb", "Risk", rows, version=4)
        with open(folder / "risk.csv", "w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["network", "class", "owner", "score"])
            table.writerows([network, *row.values()] for network, row in rows.items())

    apart(make)
    check = [sonde, "check", "--quiet", "--format", "csv", str(folder / "addresses")]
    table, database = ([*check, "--with", f"x={folder}/risk.{form}"] for form in ("csv", "mmdb"))
    for number, command in enumerate((table, database)):
        with open(folder / f"out{number}", "wb") as file:
            subprocess.run(command, stdout=file, check=True)
    subprocess.run(["cmp", folder / "out0", folder / "out1"], check=True)
    compare(
        ("`check --with x=FILE.csv`, a million addresses, 100,000 networks", table),
        [("`--with x=FILE.mmdb`", database), ("without", check)],
        runs,
    )


def differences(sonde, folder, runs):
    """Two files of a million records, of which one in a hundred has changed."""
    pick = random.Random(4)
    with open(folder / "addresses") as lines, open(folder / "old.csv", "w") as old, open(folder / "new.csv", "w") as new:
        for file in (old, new):
            file.write("ip,status,country_code,country,city,latitude,longitude,asn,as_name,source\n")
        for line in lines:
            code, number = pick.choice(COUNTRIES), pick.randrange(60_000)
            start, end = f"{line.rstrip()},ok,{code},Country {code},", f"{number / 700 - 40:.4f},{number / 350 - 80:.4f},{number},NETWORK-{number},mmdb\n"
            old.write(f"{start}City {number},{end}")
            new.write(f"{start}City {number + (pick.random() < 0.01)},{end}")
    paths = [str(folder / name) for name in ("old.csv", "new.csv")]
    counted = subprocess.run([sonde, "diff", "--summary", "--format", "csv", *paths], capture_output=True).stdout.decode()
    changed = sum(one != other for one, other in zip(*map(open, paths)))
    assert f"change,changed,{changed}\n" in counted, counted
    script = "sort -o s1 old.csv && sort -o s2 new.csv && join -t, -j1 s1 s2"
    compare(
        ("`sort` of both and `join`", ["env", "-C", str(folder), "LC_ALL=C", "sh", "-c", script]),
        [("`sonde diff` of two CSV files of a million records", ["sh", "-c", '"$@"; test $? = 1', "sh", sonde, "diff", *paths])],
        runs,
    )


def sides(sonde, folder, runs):
    """Three databases side by side, beside three scans."""
    def make():
        for number in range(3):
            pick = random.Random(number)
            rows = {network: city(pick) for network in networks(100_000, 17, number)}
            mmdb.write(folder / f"side{number}.mmdb", "Side-City", rows, version=4)

    apart(make)
    local = ["--quiet", "--no-cache", "--provider", "local"]
    each = [["--database", str(folder / f"side{number}.mmdb")] for number in range(3)]
    list_ = str(folder / "addresses")
    ratio(
        [(f"`scan`, database {number + 1}, a million addresses", [sonde, "scan", *local, *one, list_]) for number, one in enumerate(each)],
        ("`compare` of the three", [sonde, "compare", *local, *sum(each, []), list_]),
        runs,
    )


def days(sonde, folder, runs):
    """Fifty dated databases, beside one, for the log of one day, and for one whose times go through all of them."""
    first = int(datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC).timestamp())
    for name in ("fifty", "one"):
        (folder / name).mkdir(exist_ok=True)

    def make():
        for number in range(50):
            pick, built = random.Random(number), first + number * 6 * 86_400
            rows = {network: city(pick) for network in networks(20_000, 16, 9)}
            mmdb.write(folder / f"fifty/{number}.mmdb", "Day-City", rows, version=4, built=built)
        os.link(folder / "fifty/0.mmdb", folder / "one/0.mmdb")
        pick, parts = random.Random(20261120), 2530
        hosts = clients(pick, 200_000, None)
        log(folder / "day.log", 1000 * parts)
        with open(folder / "year.log", "w") as file:
            for part in range(parts):
                moment = datetime.datetime.fromtimestamp(first + part * 300 * 86_400 // parts, datetime.UTC)
                stamp = moment.strftime("%d/%b/%Y:%H:%M:%S +0000")
                file.write("".join(f'{pick.choice(hosts)} - - [{stamp}] "{pick.choice(REQUESTS)}"\n' for _ in range(1000)))

    apart(make)
    for name, path in (("400 MB of one day", "day.log"), ("400 MB of 300 days", "year.log")):
        for words in (("scan", "--log"), ("annotate",), ("summary",)):
            command = [sonde, *words, "--quiet", "--as-of", "line", str(folder / path), "--database"]
            compare(
                (f"`{' '.join(words)} --as-of line`, {name}, one database", [*command, str(folder / "one")]),
                [("the same, 50 databases", [*command, str(folder / "fifty")])],
                runs,
            )


def by_network(sonde, folder, runs):
    """All of IPv4 by libloc's networks, beside compiling them."""
    with open(folder / "addresses") as file, open(folder / "some", "w") as some:
        some.writelines(next(file) for _ in range(60_000))
    local = [sonde, "scan", "--quiet", "--no-cache", "--provider", "local", "--database", LOCATION]
    fresh = ["sh", "-c", 'rm -rf "$XDG_CACHE_HOME"; exec "$@"', "sh"]
    compare(
        ("`scan` of 60,000 addresses, for which libloc's database is compiled", [*fresh, *local, str(folder / "some")]),
        [
            ("the same, compiled before", [*local, str(folder / "some")]),
            ("`scan 0.0.0.0/0 --by-network`, compiled before", [*local, "--by-network", "0.0.0.0/0"]),
            ("the same, compiled by it", [*fresh, *local, "--by-network", "0.0.0.0/0"]),
        ],
        runs,
    )


def paced(sonde, folder, _):
    """A source of one address a second beside a provider, and each alone."""
    location = libloc.write(folder / "location.db")
    text = "".join(f"5.9.{n // 200}.{n % 200}\n" for n in range(90))
    variants = {
        "ip-api alone": ["--provider", "ip-api"],
        "`--with internetdb` alone": ["--provider", "local", "--database", str(location), "--with", "internetdb"],
        "both": ["--provider", "ip-api", "--with", "internetdb"],
    }

    def timed(options):
        simulator = SimulatorProcess()
        try:
            with tempfile.TemporaryDirectory() as home:
                env = {"PATH": os.environ["PATH"], "HOME": home, **simulator.env}
                begin = time.monotonic()
                subprocess.run([sonde, "scan", "--quiet", *options, "-"], input=text.encode(), stdout=subprocess.DEVNULL, env=env, check=True)
                return time.monotonic() - begin
        finally:
            simulator.stop()

    with ThreadPoolExecutor(3) as pool:
        seconds = dict(zip(variants, pool.map(timed, variants.values())))
    for name, each in seconds.items():
        print(f"| {name}, 90 addresses | | {each:.1f} s | | | {each / seconds['`--with internetdb` alone']:.3f} × |")


PARTS = {"load": load, "mmdb": mapped, "diff": differences, "compare": sides, "days": days, "networks": by_network, "paced": paced}


def main():
    """Makes the inputs of the parts, and measures them."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    sonde = str(binary())
    os.environ.pop("SONDE_BINARY", None)
    print(HEADER)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ.update(XDG_CACHE_HOME=f"{name}/cache", XDG_STATE_HOME=f"{name}/state", XDG_CONFIG_HOME=f"{name}/config")
        apart(lambda: addresses(folder / "addresses"))
        for part in sys.argv[2:] or PARTS:
            PARTS[part](sonde, folder, runs)


if __name__ == "__main__":
    main()
