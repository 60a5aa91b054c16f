"""Scans under random faults, losses, stops, clocks and limits, each held against an undisturbed one.

    sudo /usr/bin/python3 Tests/Soak --minutes 30
    sudo /usr/bin/python3 Tests/Soak --seed 4711 --rounds 1 --keep

Each round draws inputs and options from its seed, runs the command to its end without disturbance,
and then again while everything goes wrong: the provider's faults and lies, a link that comes and goes, any
signal at any moment followed by `--resume`, a clock that is moved, few descriptors, small files. The
records, the books and the requests must come out the same. Not part of the test suite: it takes as
long as it is given. Needs root, iproute2, nftables and a C compiler.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "Blackbox"), str(TESTS / "Simulator")]

import libloc  # noqa: E402
from command import Sonde, binary  # noqa: E402
from namespaces import Network, is_allowed  # noqa: E402

from round import Round  # noqa: E402
from scenario import Scenario  # noqa: E402


class World(NamedTuple):
    """What all rounds stand on: a local database, and the library that moves a clock."""

    database: Path
    clock: Path


def clock(folder):
    """Compiles the library that moves the clock of what it is preloaded into."""
    library = folder / "clock.so"
    source = Path(__file__).with_name("clock.c")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def soak(arguments):
    """Runs rounds until the time or their number is over; gives how many failed."""
    deadline = time.monotonic() + 60 * arguments.minutes
    seeds = random.Random(arguments.seed)
    met, failures, done = Counter(), [], 0
    folder = Path(tempfile.mkdtemp(prefix="sonde-soak-"))
    world = World(libloc.write(folder / "location.db"), clock(folder))
    network = Network()
    try:
        while time.monotonic() < deadline and done != arguments.rounds:
            seed = arguments.seed if arguments.rounds == 1 else seeds.getrandbits(48)
            found = play(seed, folder, network, world, met, arguments.keep)
            done += 1
            if found:
                failures.append(seed)
                print(f"FAILED seed {seed}\n  " + "\n  ".join(found), flush=True)
            elif arguments.verbose:
                print(f"passed seed {seed}", flush=True)
    finally:
        network.close()
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print("met: " + ", ".join(f"{count} {name}" for name, count in sorted(met.items())))
    if failures:
        print("failed seeds: " + " ".join(map(str, failures)))
    print(f"{done - len(failures)} passed, {len(failures)} failed")
    return len(failures)


def play(seed, folder, network, world, met, keeps):
    """One round; gives what was wrong with it."""
    place = folder / str(seed)
    place.mkdir(exist_ok=True)
    scenario = Scenario(seed, world.database)
    sonde = Sonde(place)
    try:
        found = Round(scenario, sonde, network, world.clock, met).play()
    except Exception:
        found = traceback.format_exc().splitlines()
    finally:
        sonde.close()
    if found:
        found.insert(0, str(scenario))
    if found and keeps:
        report = network.simulator.report("?log=1")
        (place / "simulator").write_text(json.dumps(report, indent=1))
    else:
        shutil.rmtree(place, ignore_errors=True)
    return found


def main():
    """Reads the command line and soaks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rounds", type=int, help="so many rounds at most; 1 plays the seed itself")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", action="store_true", help="keep the files of rounds that fail")
    parser.add_argument("--verbose", action="store_true", help="a line for each round that passes")
    arguments = parser.parse_args()
    if binary() is None:
        sys.exit("soak: there is no command to test: build it, or set SONDE_BINARY")
    if not is_allowed() or not shutil.which("cc"):
        sys.exit("soak: needs root, iproute2, nftables, cc and a kernel with namespaces")
    print(f"seed {arguments.seed}", flush=True)
    sys.exit(1 if soak(arguments) else 0)


main()
