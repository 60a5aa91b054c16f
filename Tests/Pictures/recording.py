"""A scan on a terminal of its own that loses its network: what it drew, and when."""

import fcntl
import os
import pty
import struct
import subprocess
import tempfile
import termios
import threading
import time
from pathlib import Path
from typing import NamedTuple

import namespaces
from command import Sonde
from namespaces import PROVIDER, Network

COLUMNS = 92
ARGUMENTS = ("scan", "addresses.txt", "-o", "addresses.csv", "--provider", "ip-api")
ADDRESSES = 2000
LATENCY = 1.0  # seconds before every answer
LOST_AT, BACK_AT = 2.9, 9.0  # seconds after the start: with requests under way


class Drawing(NamedTuple):
    """What was written to the terminal at once, and how long after the start, in seconds."""

    at: float
    text: str


def record():
    """Runs the scan in a network namespace, against the simulator with ip-api's published limits."""
    namespaces.PORT = 80
    network = Network()
    try:
        network.simulator.control(latency=LATENCY)
        near = network.near
        near.ip("link set near0 down", "link set near0 name eth0", "link set eth0 up")
        near.ip("route add default via 10.9.0.2")
        near.file("hosts", f"127.0.0.1 localhost\n{PROVIDER} ip-api.com\n")
        with tempfile.TemporaryDirectory() as folder:
            return _run(Sonde(Path(folder)), network)
    finally:
        network.close()


def _run(sonde, network):
    sonde.file("addresses.txt", "".join(f"5.{n // 250}.{n % 250}.23\n" for n in range(ADDRESSES)))
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    process = subprocess.Popen(
        sonde.command(ARGUMENTS, network.near.prefix),
        stdin=side,
        stdout=side,
        stderr=side,
        env=sonde.environment({"SONDE_IP_API_URL": None}),
        cwd=sonde.work,
        start_new_session=True,
    )
    os.close(side)
    began = time.monotonic()
    for delay, work in ((LOST_AT, network.lose), (BACK_AT, network.restore)):
        threading.Timer(delay, work).start()
    drawings = list(_drawings(main, began))
    os.close(main)
    assert process.wait(10) == 0, drawings
    written = sonde.read("addresses.csv").count(b"\n")
    assert written == ADDRESSES + 1, f"{written} lines of records"
    return drawings


def _drawings(main, began):
    """All that is written to a terminal until its last writer has closed it."""
    while True:
        try:
            text = os.read(main, 65536)
        except OSError:  # EIO, pty(7)
            return
        if not text:
            return
        yield Drawing(time.monotonic() - began, text.decode())
