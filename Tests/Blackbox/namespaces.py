"""Network namespaces joined by veth pairs: the command in one, the simulator in another.

Near: `near0` 10.9.0.1/24 and 2001:db8::1/64, default routes by 10.9.0.2 and 2001:db8::2.
Far: `far0` with those, and the provider's addresses 203.0.113.5 and 2001:db8:5::5 on its loopback.
Names carry the process's number; nothing outlives `close`. Needs root, iproute2 and nftables.
"""

import contextlib
import ctypes
import functools
import itertools
import json
import os
import shutil
import socket
import struct
import subprocess
import threading
import time
from datetime import datetime
from pathlib import Path

from client import SimulatorProcess
from command import PATIENCE

PROVIDER = "203.0.113.5"
PROVIDER_V6 = "2001:db8:5::5"
PORT = 8080
# Ways to lose the network: the side, the commands of ip(8) that break and repair it, and the cause named.
LOSSES = {
    "carrier lost": ("far", ["link set far0 down"], ["link set far0 up"], "link_down"),
    "interface down": (
        "near",
        ["link set near0 down"],
        ["link set near0 up", "route add default via 10.9.0.2"],
        "link_down",
    ),
    "address removed": (
        "near",
        ["addr del 10.9.0.1/24 dev near0"],
        ["addr add 10.9.0.1/24 dev near0", "route add default via 10.9.0.2"],
        "no_address",
    ),
    "route removed": ("near", ["route del default"], ["route add default via 10.9.0.2"], "no_route"),
}
_numbers = itertools.count()


@functools.cache
def is_allowed():
    """Whether namespaces and packet filters may be made here."""
    name = f"sonde-try-{os.getpid()}"
    commands = [f"ip netns add {name}", f"ip netns exec {name} nft add table inet t"]
    try:
        return all(subprocess.run(c.split(), capture_output=True).returncode == 0 for c in commands)
    except OSError:
        return False
    finally:
        if shutil.which("ip"):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)


def run(command):
    """Runs a command that must succeed; its words are separated by spaces."""
    done = subprocess.run(command.split(), capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr}"


def set_network(path):
    """Has this thread use the network of a namespace from now on (setns(2))."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.setns(descriptor, 0x40000000) != 0:  # CLONE_NEWNET
            raise OSError(ctypes.get_errno(), "setns")
    finally:
        os.close(descriptor)


class Namespace:
    """One network namespace, with its loopback up."""

    def __init__(self, label):
        self.name = f"sonde-{label}-{os.getpid()}-{next(_numbers)}"
        self.files = Path("/etc/netns") / self.name
        run(f"ip netns add {self.name}")
        self.ip("link set lo up")

    @property
    def prefix(self):
        """What runs a command inside; it becomes that command, so signals reach it."""
        return ["ip", "netns", "exec", self.name]

    def ip(self, *commands):
        """Runs commands of `ip` inside; each with a leading `-6` or without."""
        for command in commands:
            run(f"ip -n {self.name} {command}")

    def file(self, name, text):
        """What commands started from now on find as `/etc/NAME` (ip-netns(8)); later changes show."""
        self.files.mkdir(parents=True, exist_ok=True)
        (self.files / name).write_text(text)

    def drop(self, rule=""):
        """Drops every packet that comes in from outside, or those of one rule."""
        run(f"ip netns exec {self.name} nft add table inet t")
        subprocess.run(
            [*self.prefix, "nft", "add chain inet t c { type filter hook input priority 0; }"], check=True
        )
        run(f"ip netns exec {self.name} nft add rule inet t c iifname != lo {rule} drop")

    def pass_all(self):
        """Lets everything through again."""
        run(f"ip netns exec {self.name} nft flush ruleset")

    def inside(self, work):
        """Does something with this namespace's network, on a thread that enters it, and ends."""
        result = []

        def enter():
            try:
                set_network(f"/run/netns/{self.name}")
                result.append((work(), None))
            except BaseException as error:
                result.append((None, error))

        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
        value, error = result[0]
        if error is not None:
            raise error
        return value

    @contextlib.contextmanager
    def entered(self):
        """Has this thread, and the processes that it starts, use this namespace's network meanwhile."""
        before = f"/proc/self/task/{threading.get_native_id()}/ns/net"
        descriptor = os.open(before, os.O_RDONLY)
        try:
            set_network(f"/run/netns/{self.name}")
            yield self
        finally:
            set_network(f"/proc/self/fd/{descriptor}")
            os.close(descriptor)

    def close(self):
        """Takes it away with all that is in it."""
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True)
        shutil.rmtree(self.files, ignore_errors=True)


class FarSimulator(SimulatorProcess):
    """The simulator in a namespace of its own."""

    def __init__(self, namespace, host=PROVIDER, **settings):
        self.namespace = namespace
        options = [word for name, value in settings.items() for word in (f"--{name.replace('_', '-')}", value)]
        super().__init__("--host", host, "--port", PORT, *options, prefix=namespace.prefix)
        own = f"[{host}]" if ":" in host else host or "127.0.0.1"
        self.urls["ip_api"] = f"http://{own}:{PORT}"

    def control(self, reset=True, **settings):
        return self.namespace.inside(lambda: super(FarSimulator, self).control(reset, **settings))

    def report(self, query=""):
        return self.namespace.inside(lambda: super(FarSimulator, self).report(query))

    def arrivals(self):
        """The requests in the order of their arrival, `at` as a time of day."""
        report = self.report("?log=1")
        since = report["counts"]["since"]
        return [dict(line, at=line["at"] + since) for line in report["log"]]

    def wait_for(self, answers, timeout=PATIENCE):
        """Waits until so many requests are answered."""
        deadline = time.monotonic() + timeout
        while self.counts()["statuses"].get("200", 0) < answers:
            assert time.monotonic() < deadline, f"no {answers} answers: {self.counts()}"
            time.sleep(0.02)


class NameServer:
    """Answers each question about an IPv4 address with the provider's, and others with nothing."""

    def __init__(self, namespace, address="10.9.0.2"):
        self.answers = True
        self.socket = namespace.inside(lambda: self._bind(address))
        threading.Thread(target=self._serve, daemon=True).start()

    @staticmethod
    def _bind(address):
        bound = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        bound.bind((address, 53))
        return bound

    def _serve(self):
        while True:
            try:
                question, client = self.socket.recvfrom(512)
                if not question:
                    return
                if self.answers:
                    self.socket.sendto(self._answer(question), client)
            except OSError:
                return

    def addresses(self, name, family):
        """The addresses of a name of one family; `None` where there is no such name."""
        return [PROVIDER] if family == socket.AF_INET else []

    def _answer(self, question):
        """RFC 1035 §4.1: header, the question again, and the addresses with a pointer to its name."""
        end = question.index(b"\0", 12) + 5
        labels, place = [], 12
        while question[place]:
            labels.append(question[place + 1 : place + 1 + question[place]].decode())
            place += 1 + question[place]
        (kind,) = struct.unpack("!H", question[end - 4 : end - 2])
        family = {1: socket.AF_INET, 28: socket.AF_INET6}.get(kind)
        found = self.addresses(".".join(labels), family)
        packed = [socket.inet_pton(family, each) for each in found or []]
        records = [struct.pack("!HHHIH", 0xC00C, kind, 1, 0, len(each)) + each for each in packed]
        flags = 0x8183 if found is None else 0x8180
        header = question[:2] + struct.pack("!HHHHH", flags, 1, len(records), 0, 0)
        return header + question[12:end] + b"".join(records)

    def close(self):
        """Stops answering; whoever asks then is told at once that nobody listens."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()


class Network:
    """The near and the far side, joined, with a simulator on the far one."""

    def __init__(self, host=PROVIDER, **settings):
        self.parts = []
        self.settings = settings
        try:
            self.near = self._keep(Namespace("near"))
            self.far = self._keep(Namespace("far"))
            self._join()
            self.simulator = FarSimulator(self.far, host, **settings)
        except BaseException:
            self.close()
            raise

    def _keep(self, part):
        self.parts.append(part)
        return part

    def _join(self):
        near, far = self.near, self.far
        run(f"ip link add near0 netns {near.name} type veth peer name far0 netns {far.name}")
        far.ip("addr add 10.9.0.2/24 dev far0", "addr add 2001:db8::2/64 dev far0 nodad")
        far.ip(f"addr add {PROVIDER}/32 dev lo", f"addr add {PROVIDER_V6}/128 dev lo", "link set far0 up")
        near.ip("addr add 10.9.0.1/24 dev near0", "addr add 2001:db8::1/64 dev near0 nodad")
        near.ip("link set near0 up", "route add default via 10.9.0.2", "-6 route add default via 2001:db8::2")

    def second_way(self):
        """A second far side behind a link of its own, with a simulator; gives its namespace and that."""
        other = self._keep(Namespace("other"))
        run(f"ip link add near1 netns {self.near.name} type veth peer name far1 netns {other.name}")
        other.ip("addr add 10.9.1.2/24 dev far1", "link set far1 up")
        self.near.ip("addr add 10.9.1.1/24 dev near1", "link set near1 up")
        self.second = FarSimulator(other, "10.9.1.2")
        return other, self.second

    @property
    def env(self):
        """The variables that lead the command to the far side."""
        return {"SONDE_IP_API_URL": f"http://{PROVIDER}:{PORT}"}

    def lose(self):
        """Cuts the link at the far end; gives when."""
        self.far.ip("link set far0 down")
        return time.time()

    def restore(self):
        """Mends it; gives when that was asked for."""
        at = time.time()
        self.far.ip("link set far0 up")
        return at

    def await_path(self, port, seconds=PATIENCE):
        """Waits until the provider can be reached: the kernel may take a second to use a link again."""
        end = time.monotonic() + seconds
        while True:
            try:
                return self.near.inside(lambda: socket.create_connection((PROVIDER, port), 0.1).close())
            except OSError:
                assert time.monotonic() < end, "the link is not mended"

    def close(self):
        """Ends the simulators and takes the namespaces away."""
        for name in ("simulator", "second"):
            if hasattr(self, name):
                getattr(self, name).stop()
        for part in self.parts:
            part.close()


def skip_unless_allowed():
    """Marks tests that need namespaces; under CI they fail rather than skip."""
    import pytest

    reason = "network namespaces need root, iproute2, nftables and a kernel that allows them"
    return pytest.mark.skipif(not os.environ.get("CI") and not is_allowed(), reason=reason)


class Scan:
    """A scan or another run on the near side, with its events, messages and result."""

    def __init__(self, sonde, network, *options, env=None, prefix=None, command="scan"):
        self.path = sonde.work / "events"
        self.running = sonde.start(
            *(command, "--events", "events", *options),
            env={**network.env, **(env or {})},
            prefix=network.near.prefix if prefix is None else prefix,
        )

    def feed(self, addresses, ends=True):
        """Writes addresses to its input, and ends that unless told otherwise."""
        self.running.write("".join(f"{address}\n" for address in addresses))
        if ends:
            self.running.process.stdin.close()
        return self

    @property
    def events(self):
        """The events so far."""
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        return [json.loads(line) for line in lines]

    @property
    def changes(self):
        """The `network` events so far."""
        return [event for event in self.events if event["event"] == "network"]

    def wait_for(self, state, number=1, timeout=PATIENCE):
        """Waits for the so many-th `network` event of a state and gives it."""
        deadline = time.monotonic() + timeout
        while True:
            found = [event for event in self.changes if event["state"] == state]
            if len(found) >= number:
                return found[number - 1]
            assert time.monotonic() < deadline, f"not {state}: {self.changes} {self.running.stderr}"
            time.sleep(0.005)

    def said(self, text):
        """The lines on stderr that hold a text."""
        return [line for line in self.running.stderr.splitlines() if text in line]

    def finish(self, timeout=PATIENCE):
        """Waits for its end; the summary's books must balance."""
        result = self.running.finish(timeout)
        self.summary = self.events[-1]
        kinds = "duplicates ok unknown reserved invalid failed network_lost".split()
        assert self.summary["entries"] == sum(self.summary[kind] for kind in kinds)
        return result


def seconds(at):
    """An event's time as seconds since 1970."""
    return datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp()
