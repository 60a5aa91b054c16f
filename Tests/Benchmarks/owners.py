"""Measures how long `--with owner` takes with five stand-ins for the registries, by the order of the input.

    SONDE_BINARY=.build/release/sonde /usr/bin/python3 Tests/Benchmarks/owners.py [BLOCKS [ADDRESSES]]

The allowances are the registries' own, so that 2,000 blocks take more than eight minutes, and 200 one. All
runs go at once, each with stand-ins of its own. Last come the peaks of memory, of runs that are ended after a
minute. Prints rows of Markdown.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "Blackbox"), str(TESTS / "Simulator")]

import libloc  # noqa: E402
from client import SimulatorProcess  # noqa: E402
from command import binary  # noqa: E402
from rdap import AFRINIC, APNIC, ARIN, BLOCKS, LACNIC, RIPE  # noqa: E402

REGISTRIES = (ARIN, RIPE, APNIC, LACNIC, AFRINIC)


def blocks(registry, count):
    """The first octets of some /24 of a registry."""
    nets = [block.split(".")[0] for block in BLOCKS[registry] if ":" not in block]
    return [f"{nets[n % len(nets)]}.{n // 256 % 256}.{n % 256}" for n in range(count)]


def inputs(count, total):
    """Addresses by the order in which they stand, and those of the slowest registry alone."""
    # LACNIC lets ten through where the others let sixty through.
    shares = {registry: count // 50 if registry == LACNIC else (count - count // 50) // 4 for registry in REGISTRIES}
    each = total // sum(shares.values())
    assert each <= 256, "there are no more addresses in the blocks"
    lists = {name: [f"{b}.{n}" for b in blocks(name, share) for n in range(each)] for name, share in shares.items()}
    everything = [address for addresses in lists.values() for address in addresses]
    shuffled = random.Random(17).sample(everything, len(everything))
    by_address = sorted(everything, key=lambda text: tuple(map(int, text.split("."))))
    late = [address for name in reversed(REGISTRIES) for address in lists[name]]
    return {
        "slowest registry alone": lists[ARIN],
        "shuffled": shuffled,
        "sorted by registry": everything,
        "the same, LACNIC last but one": late,
        "sorted by address": by_address,
        "`sort -u`": sorted(everything),
    }


def run(addresses, database, limit=None):
    """Seconds, requests, 429s, the peak of memory in MB, and the summary, of one run."""
    with tempfile.TemporaryDirectory() as folder:
        simulator = SimulatorProcess()
        try:
            home = Path(folder)
            (home / "list").write_text("\n".join(addresses))
            env = {"PATH": os.environ["PATH"], "HOME": folder, **simulator.env}
            command = [binary(), "scan", "--provider", "local", "--database", database, "--with", "owner", "list"]
            begin = time.monotonic()
            child = subprocess.Popen(
                [*command, "-o", "out.csv", "--events", "events"], cwd=folder, env=env, stderr=subprocess.DEVNULL
            )
            if limit:
                time.sleep(limit)
                child.send_signal(signal.SIGTERM)
            _, _, usage = os.wait4(child.pid, 0)
            seconds = time.monotonic() - begin
            counts = simulator.counts()
            requests = sum(n for call, n in counts["requests"].items() if call.startswith("rdap "))
            summary = json.loads((home / "events").read_text().splitlines()[-1])
            return seconds, requests, counts["throttled"], usage.ru_maxrss / 1024, summary
        finally:
            simulator.stop()


def main():
    """Runs all, and prints what they took."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 50 * count
    with tempfile.TemporaryDirectory() as folder:
        database = libloc.write(Path(folder) / "location.db")
        lists = inputs(count, total)
        with ThreadPoolExecutor(len(lists)) as pool:
            results = dict(zip(lists, pool.map(lambda each: run(each, database), lists.values()), strict=True))
        alone = results["slowest registry alone"][0]
        print("| order | addresses | requests | 429s | seconds | × the slowest alone | peak, MB |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for name, (seconds, requests, throttled, peak, summary) in results.items():
            assert summary["owner_status"] == {"failed": 0, "network_lost": 0}, summary
            print(
                f"| {name} | {len(lists[name]):,} | {requests:,} | {throttled} | {seconds:.1f} | {seconds / alone:.3f} | {peak:.0f} |"
            )
        # Each in a block of its own, as far as there are blocks.
        spread = [f"{net}.{n >> 8 & 255}.{n & 255}.{n >> 16}" for n in range(1 << 17) for net in (3, 2, 1, 41, 4, 5, 14, 102)]
        for size in (100_000, 1_000_000):
            peak = run(spread[:size], database, limit=60)[3]
            print(f"| {size:,} in as many blocks, ended after a minute | | | | | | {peak:.0f} |")


main()
