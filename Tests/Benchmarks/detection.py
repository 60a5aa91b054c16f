"""How soon `sonde watch` reports a loss and of the return, one build beside others; prints Markdown. Needs root.

    SONDE_BINARY=.build/release/sonde /usr/bin/python3 Tests/Benchmarks/detection.py [OTHER-BINARY…]

All watch one network at the same time. The times are from before `ip` is started, so a listener to rtnetlink
in Python stands beside them: what it takes is `ip`'s own time, the kernel's, and that of the machine.
"""

import os
import socket
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "Blackbox"), str(TESTS / "Simulator")]

from command import Sonde, binary  # noqa: E402
from namespaces import LOSSES, Network  # noqa: E402
from server import SERVICES, variable  # noqa: E402
from watching import Watch  # noqa: E402

ROUNDS = 50
LINKS, ADDRESSES_4, ROUTES_4 = 1, 0x10, 0x40  # rtnetlink(7): RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE


class Listener:
    """Hears what the kernel says of a namespace's links, addresses and routes."""

    def __init__(self, namespace):
        def bound():
            opened = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
            opened.bind((0, LINKS | ADDRESSES_4 | ROUTES_4))
            return opened

        self.socket = namespace.inside(bound)
        self.first = None
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while self.socket.recv(65536):
            if self.first is None:
                self.first = time.monotonic()


def arrival(watch, state):
    """When an event of a state came."""
    while True:
        event, at = watch.event()
        if event["event"] == "network" and event["state"] == state:
            return at


def watch(folder, network, path):
    """A watch by one build."""
    os.environ["SONDE_BINARY"] = str(path)
    folder.mkdir()
    # An earlier build refuses variables that it does not know.
    return Watch(Sonde(folder), network.near, env=dict.fromkeys(map(variable, SERVICES)))


def row(name, times):
    """The median and the worst, in milliseconds."""
    print(f"| {name} | {statistics.median(times) * 1000:.1f} ms | {max(times) * 1000:.1f} ms |", flush=True)


def main():
    builds = [binary(), *map(Path, sys.argv[1:])]
    network = Network(batch_limit="null")
    with tempfile.TemporaryDirectory() as folder:
        watches = [watch(Path(folder) / str(number), network, path) for number, path in enumerate(builds)]
        listener = Listener(network.near)
        lost, back = ([[] for _ in range(len(builds) + 1)] for _ in range(2))
        for number in range(ROUNDS):
            side, breaks, repairs, _ = LOSSES[list(LOSSES)[number % len(LOSSES)]]
            for commands, state, times in ((breaks, "offline", lost), (repairs, "online", back)):
                time.sleep(0.3)
                listener.first = None
                start = time.monotonic()
                getattr(network, side).ip(*commands)
                for each, one in zip(times, watches):
                    each.append(arrival(one, state) - start)
                times[-1].append(listener.first - start)
        for one in watches:
            one.finish()
    network.close()
    print(f"| {ROUNDS} losses | median | worst |\n| --- | --: | --: |")
    for what, times in (("a loss", lost), ("the return", back)):
        for path, each in zip([*builds, None], times):
            row(f"{what}: {path or 'a listener to rtnetlink'}", each)


main()
