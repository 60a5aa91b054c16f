"""Drives `WebProbe`, a server of the library `Web` with a few routes, byte by byte."""

import contextlib
import json
import re
import socket
import subprocess
import time

from command import built

PROBE = built("WebProbe")


class Probe:
    """A server with settings of its own, until `stop`."""

    # Before the path of events.
    prefix = ""

    def __init__(self, **settings):
        arguments = [f"{name}={value}" for name, value in settings.items()]
        self.process = subprocess.Popen(
            [PROBE, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.host = self.process.stdout.readline().strip()
        self.port = int(self.host.rpartition(":")[2])

    def stop(self):
        """Stops it; returns how long that took."""
        start = time.monotonic()
        if self.process.stdin:
            self.process.stdin.close()
            self.process.stdin = None
        assert self.process.wait(timeout=10) == 0
        return time.monotonic() - start

    def connect(self, timeout=8, source=""):
        """A connection; from 127.0.0.1 it is a proxy's."""
        return socket.create_connection(("127.0.0.1", self.port), timeout, source and (source, 0) or None)

    def send(self, data, wait=0.5):
        """What comes back for some bytes, until the server closes or says nothing for a while."""
        with self.connect() as client:
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                client.sendall(data)
            client.settimeout(wait)
            return read_all(client)

    def ask(self, line, *headers, body=b"", host=None, timeout=8):
        """The answer to a well-formed request."""
        lines = [f"{line} HTTP/1.1", f"Host: {host or self.host}", "Connection: close", *headers]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        with self.connect(timeout) as client:
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                client.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
            return Answer(read_all(client))

    def tell(self, name, data, **members):
        """Has an event told; returns how many streams there are."""
        body = json.dumps({"name": name, "data": data, **members}).encode()
        answer = self.ask(f"POST {self.prefix}/events", "Content-Type: application/json", body=body)
        assert answer.status == 200, answer.body
        return json.loads(answer.body)["streams"]

    @property
    def resident(self):
        """Its resident memory in bytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s*(\d+)", status.read())[1]) * 1024


def read_all(client):
    """What comes until the other side closes."""
    parts = []
    try:
        while part := client.recv(1 << 16):
            parts.append(part)
    except (ConnectionResetError, TimeoutError):
        pass
    return b"".join(parts)


class Answer:
    """An answer as it was sent."""

    def __init__(self, data):
        head, _, self.body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        self.status = int(first.split(" ")[1]) if first else 0
        self.headers = {}
        for line in lines:
            name, _, value = line.partition(": ")
            self.headers[name.lower()] = value


class Stream:
    """An event stream that is read line by line; of HTTP 1.0, so that it comes without chunks."""

    def __init__(self, probe, token, last=None, timeout=8):
        self.client = probe.connect(timeout)
        resume = f"Last-Event-ID: {last}\r\n" if last is not None else ""
        self.client.sendall(
            f"GET {probe.prefix}/events HTTP/1.0\r\nHost: {probe.host}\r\nCookie: probe={token}\r\n{resume}\r\n".encode()
        )
        self.data = b""
        self.status = int(self._until(b"\r\n\r\n").split(b" ")[1])

    def _until(self, end):
        while end not in self.data:
            part = self.client.recv(1 << 16)
            if not part:
                raise EOFError
            self.data += part
        text, _, self.data = self.data.partition(end)
        return text

    def event(self):
        """The next event, as a dictionary; comments are skipped, for a while."""
        until = time.monotonic() + 10
        while time.monotonic() < until:
            block = self._until(b"\n\n").decode()
            lines = [line for line in block.split("\n") if re.match("(id|event|data): ", line)]
            if lines and any(line.startswith("data") for line in lines):
                return dict(line.split(": ", 1) for line in lines)
        raise TimeoutError

    def close(self):
        """Leaves."""
        self.client.close()
