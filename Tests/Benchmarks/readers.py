"""What readers of the dashboard wait for one another, and how it follows a log; prints Markdown.

    SONDE_BINARY=.build/release/sonde /usr/bin/python3 Tests/Benchmarks/readers.py [PART…]

Parts: `readers` (3 GB of disk), `live` (goaccess is run beside it where it is installed); by default both.
"""

import contextlib
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "Blackbox"), str(TESTS / "Simulator")]

from command import Sonde  # noqa: E402
from serving import Dashboard, Team  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")


def row(what, times, digits=0):
    """A row of times in milliseconds: the median, the 99th of a hundred, and the longest."""
    ordered = sorted(times)
    late = ordered[max(0, -(-len(ordered) * 99 // 100) - 1)]
    print(f"| {what} | {len(times)} | {statistics.median(times):.{digits}f} ms | {late:.{digits}f} ms | {ordered[-1]:.{digits}f} ms |", flush=True)


def processor(server):
    """The seconds of processor time that a server has used."""
    fields = Path(f"/proc/{server.running.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def peak(server):
    """The most memory that a server had, in MB."""
    status = Path(f"/proc/{server.running.process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def listing(count):
    """Distinct addresses, one a line."""
    numbers = random.Random(count).sample(range(16 << 24, 100 << 24), count)
    return "".join(f"{n >> 24}.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}\n" for n in numbers)


def scanned(server, cookie, count):
    """A scan of so many addresses, once it is done."""
    made = server.ask("POST", "scans", listing(count).encode(), headers={"Content-Type": "application/octet-stream"}, cookie=cookie, name=f"{count}", start="true", **{"as": "list"})
    assert made.status == 201, made
    path = f"scans/{made.json['id']}"
    while (now := server.ask("GET", path, cookie=cookie).json)["state"] != "done":
        assert now["state"] in ("ready", "running", "waiting"), now
        time.sleep(0.5)
    return f"{path}/records"


def timed(server, cookie, path, **query):
    """The milliseconds until an answer is there."""
    start = time.perf_counter()
    answer = server.ask("GET", path, cookie=cookie, **query)
    assert answer.status == 200, answer
    return (time.perf_counter() - start) * 1000


def leave(server, cookie, path):
    """Asks for a long search and goes; the processor time from 100 ms after that on, in a second."""
    connection = server.connect()
    connection.request("GET", f"/api/v1/{path}?filter=qqqq", headers={"Cookie": cookie})
    time.sleep(0.3)
    connection.close()
    time.sleep(0.1)
    before = processor(server)
    time.sleep(1)
    return (processor(server) - before) * 1000


def readers(sonde):
    """One user filters ten million rows again and again, another reads a small scan."""
    server = Team(sonde, None, "--provider", "local")
    greedy, modest = server.cookie, server.person("bob@example.org")
    large, middle, small = (scanned(server, cookie, count) for cookie, count in ((greedy, 10_000_000), (modest, 1_500_000), (modest, 1000)))
    row("a page of a small scan", [timed(server, modest, small, page=2, size=50) for _ in range(300)], 1)
    isOver = threading.Event()

    def filter_on():
        while not isOver.is_set():
            timed(server, greedy, large, filter="qqqq")

    others = [threading.Thread(target=filter_on) for _ in range(2)]
    for each in others:
        each.start()
    row("the same, while another filters 10 M rows", [timed(server, modest, small, page=2, size=50) for _ in range(300)], 1)
    isOver.set()
    for each in others:
        each.join()
    row("the first page of 1.5 M records, whose columns are looked at once", [timed(server, modest, middle)])
    # Each another text, for what was found is remembered.
    for name, text in (("many rows", "1.{}"), ("none", "q{}")):
        row(f"the first page of a filter of 1.5 M rows that finds {name}", [timed(server, modest, middle, filter=text.format(number)) for number in range(10)])
    row("the same of a condition that a hundredth meets", [timed(server, modest, middle, where=f"asn > 400000 and asn != {number}") for number in range(10)])
    row("processor time in the second after a reader has gone", [leave(server, greedy, large) for _ in range(10)])
    server.stop()


def live(sonde):
    """A log that grows by 50,000 lines a second, a hundred times a second, followed on one core."""
    path, rate, seconds = sonde.work / "access.log", 50_000, 20
    path.touch()
    pick = random.Random(7)
    hosts = [f"{pick.randrange(20, 100)}.{pick.randrange(256)}.{pick.randrange(256)}.{pick.randrange(1, 255)}" for _ in range(20_000)]
    server = Dashboard(sonde, None, "--provider", "local", "--follow", str(path))
    os.sched_setaffinity(server.running.process.pid, {0})
    for task in os.listdir(f"/proc/{server.running.process.pid}/task"):
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(int(task), {0})
    [log] = server.get("logs")["items"]
    stream = server.events(query=f"?log={log['id']}")
    stream.next("log", "network")
    delays, start, lines = [], time.perf_counter(), 0
    with open(path, "a", buffering=1 << 20) as file:
        for turn in range(seconds * 100):
            clock = time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime())
            file.writelines(f'{host} - - [{clock}] "GET / HTTP/1.1" 200 512 "-" "-"\n' for host in pick.choices(hosts, k=rate // 100))
            file.flush()
            lines += rate // 100
            time.sleep(max(0, start + (turn + 1) / 100 - time.perf_counter()))
    written = time.perf_counter()
    while server.get(f"logs/{log['id']}")["lines"] < lines:
        time.sleep(0.02)
    behind = time.perf_counter() - written
    print(f"| {lines:,} lines at {lines / (written - start):,.0f}/s: behind at their end, processor time, memory | | {behind * 1000:.0f} ms | {processor(server):.1f} s | {peak(server):.0f} MB |", flush=True)
    for number in range(20):
        text = f"8.8.8.8 mark-{number}"
        begun = time.perf_counter()
        with open(path, "a") as file:
            file.write(text + "\n")
        while f"mark-{number}" not in str(stream.next("log")):
            pass
        delays.append((time.perf_counter() - begun) * 1000)
    row("from a line to the event that shows it", delays)
    counted = server.get(f"logs/{log['id']}/summary", last="24h", top=1000)["addresses"]
    server.stop()
    if shutil.which("goaccess"):
        arguments = ["goaccess", str(path), "--log-format=COMBINED", "--no-global-config", "-o", "json"]
        begun = time.perf_counter()
        found = subprocess.run([*arguments[:-1], str(sonde.work / "report.json")], capture_output=True)
        print(f"| goaccess over the same file | | {(time.perf_counter() - begun) * 1000:.0f} ms | {found.returncode} | |", flush=True)
        theirs = {each["data"]: each["hits"]["count"] for each in json.loads((sonde.work / "report.json").read_text())["hosts"]["data"]}
        same = [each for each in counted if each["key"] in theirs]
        assert len(same) > 100 and all(theirs[each["key"]] == each["hits"] for each in same), "other counts"


def main():
    parts = sys.argv[1:] or ["readers", "live"]
    print("| what | runs | median | 99 of 100 | most |\n| --- | --: | --: | --: | --: |")
    for part in (readers, live):
        if part.__name__ in parts:
            with tempfile.TemporaryDirectory() as name:
                sonde = Sonde(Path(name))
                try:
                    part(sonde)
                finally:
                    sonde.close()


if __name__ == "__main__":
    main()
