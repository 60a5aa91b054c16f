"""What `block` and `guard` cost beside `summary`, `annotate` and fail2ban's regular expressions; prints Markdown.

    SONDE_BINARY=.build/release/sonde /usr/bin/python3 Tests/Benchmarks/guard.py [RUNS [PART…]]

Parts: `block`, `replay`, `keys`, `burst`; by default all of them, three runs in turns. `replay` needs Debian's fail2ban.
"""

import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / name) for name in ("Blackbox", "Simulator", "Benchmarks")]

from command import binary  # noqa: E402
from log_job import clients, compare, log, run  # noqa: E402
from sources import HEADER, apart  # noqa: E402

FILTER = "/etc/fail2ban/filter.d/sshd.conf"
FAILED = 'text ~ "*Failed password*"'
LOCAL = ("--provider", "local", "--no-cache", "--quiet")


def sshd(path, lines):
    """What sshd writes while passwords are guessed, nine lines of ten by one in a thousand of the clients."""
    pick = random.Random(20261129)
    hosts = clients(pick, 10_000, None)
    with open(path, "w") as file:
        for number in range(lines):
            host = pick.choice(hosts[:10] if number % 10 else hosts)
            clock = f"{number // 36_000 % 24:02}:{number // 600 % 60:02}:{number // 10 % 60:02}"
            file.write(f"Nov 23 {clock} gate sshd[{number % 9999}]: Failed password for root from {host} port 22 ssh2\n")


def block(sonde, folder, runs):
    """The benchmarks' log, then a million records of which a tenth is bad."""
    path = f"{folder}/access.log"
    apart(lambda: log(path, 2_530_000))
    bad = 'text ~ "*wp-login*"'
    compare(
        ("`summary --where`", [sonde, "summary", *LOCAL, "--where", bad, path]),
        [("`block --bad`", [sonde, "block", *LOCAL, "--bad", bad, path])],
        runs,
    )
    records = f"{folder}/records.csv"

    def make():
        pick = random.Random(1)
        with open(records, "w") as file:
            file.write("ip,status,country_code,hits\n")
            for number, host in enumerate(clients(pick, 1_000_000, None)):
                file.write(f"{host},ok,{'FR' if number % 10 else 'CN'},1\n")

    apart(make)
    compare(
        ("`summary` of a million records", [sonde, "summary", *LOCAL, records]),
        [("`block --collateral 0%`", [sonde, "block", *LOCAL, "--bad", "country_code = CN", "--good", "ip", "--collateral", "0%", records])],
        runs,
    )


def replay(sonde, folder, runs):
    """On one core."""
    path = f"{folder}/auth.log"
    apart(lambda: sshd(path, 300_000))
    one = ["taskset", "--cpu-list", "0"]
    guard = [*one, sonde, "guard", "--replay", path, *LOCAL, "--count", "20"]
    user = [*guard, "--when", FAILED, "--capture", r"Failed password for (?<user>\S+) from"]
    compare(
        ("`annotate --provider local`", [*one, sonde, "annotate", *LOCAL, path]),
        [
            ("`guard --replay`", [*guard, "--when", FAILED]),
            ("`guard --replay --capture`", user),
            ("`fail2ban-regex`, filter sshd", [*one, "fail2ban-regex", path, FILTER]),
        ],
        runs,
        f"{folder}/out",
    )


def keys(sonde, folder, _):
    """Ten million addresses, each of which is hit once."""
    path = f"{folder}/keys.log"

    def make():
        with open(path, "w") as file:
            for n in range(10_000_000):
                file.write(f"2026-11-23T03:{n // 280_000:02}:{n // 4700 % 60:02}Z Failed password from {9 + (n >> 16)}.{n >> 8 & 255}.{n & 255}.9\n")

    apart(make)
    cpu, clock, memory = run([sonde, "guard", "--replay", path, *LOCAL, "--when", FAILED, "--count", "3"], f"{folder}/out")
    print(f"| `guard --replay`, 10 M keys | {cpu:.2f} s | {clock:.2f} s | {memory:.0f} MB | | |", flush=True)


class Sink:
    """A receiver on loopback that takes all it gets, over connections that stay open, and costs little itself."""

    def __init__(self):
        self.bodies, self.socket = [], socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/hook"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            connection, _ = self.socket.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        data = b""
        while part := connection.recv(1 << 16):
            data += part
            while (end := data.find(b"\r\n\r\n")) >= 0:
                length = int(re.search(rb"(?i)content-length: *(\d+)", data[:end])[1])
                if len(data) < end + 4 + length:
                    break
                self.bodies.append(data[end + 4 : end + 4 + length])
                data = data[end + 4 + length :]
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


def waiting(home):
    """How many alerts are on disk."""
    queues = home.glob("state/sonde/alerts/*")
    return sum(name[0].isdigit() for queue in queues for name in os.listdir(queue))


def burst(sonde, folder, runs):
    """Ten thousand alerts at once, whose addresses are known, to a receiver on loopback."""
    for turn in range(runs):
        home = Path(folder) / f"home{turn}"
        home.mkdir()
        receiver, path = Sink(), home / "auth.log"
        path.touch()
        words = ["guard", path, "--when", FAILED, *LOCAL, "--from-start", "--name", "burst", "--at-most", "0", "--webhook", receiver.url]
        environment = {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
        running = subprocess.Popen([sonde, *words], env=environment, stdout=subprocess.DEVNULL)
        time.sleep(1)
        start, kept = time.perf_counter(), None
        with open(path, "a") as file:
            file.writelines(f"2026-11-23T03:00:00Z Failed password from 9.0.{n >> 8}.{n & 255}\n" for n in range(10_000))
        while len(receiver.bodies) < 10_000:
            if kept is None and waiting(home) + len(receiver.bodies) >= 10_000:
                kept = time.perf_counter() - start
            # Looked for seldom, since that takes a processor, too.
            time.sleep(0.25)
        clock = time.perf_counter() - start
        running.terminate()
        running.wait()
        numbers = {json.loads(body)["ip"] for body in receiver.bodies}
        assert len(numbers) == len(receiver.bodies) == 10_000, "an alert is lost or doubled"
        print(f"| 10,000 alerts on disk | | {kept:.2f} s | | | |\n| the same, delivered | | {clock:.2f} s | | | |", flush=True)


def main():
    runs, parts = int((sys.argv[1:] or ["3"])[0]), sys.argv[2:]
    sonde = binary()
    # Which the command itself does not know.
    os.environ.pop("SONDE_BINARY", None)
    print(HEADER)
    for part in (block, replay, keys, burst):
        if not parts or part.__name__ in parts:
            with tempfile.TemporaryDirectory() as folder:
                os.environ.update({f"XDG_{name}_HOME": f"{folder}/{name}" for name in ("CACHE", "STATE", "CONFIG")})
                part(sonde, folder, runs)


if __name__ == "__main__":
    main()
