"""Receivers of alerts on loopback that answer with any bytes, and queues of alerts as `sonde` keeps them."""

import contextlib
import hashlib
import json
import os
import socket
import threading
import time

from command import PATIENCE

ONLINE = "127.0.0.1:9"
"""An endpoint that is online: nothing listens there, which the kernel says at once."""


def answer(status, body=b"", *fields):
    """The bytes of an answer."""
    head = [f"HTTP/1.1 {status} x", f"Content-Length: {len(body)}", "Connection: close", *fields]
    return "\r\n".join([*head, "", ""]).encode() + body


class Taken:
    """A request: its header fields, its event, and when it came."""

    def __init__(self, head, body):
        self.line, *fields = head
        self.fields = dict(field.lower().split(": ", 1) for field in fields)
        self.body = body
        self.at = time.monotonic()

    @property
    def key(self):
        """The alert that it is of."""
        return self.fields["idempotency-key"]

    @property
    def number(self):
        """The number of an alert of `Queue`."""
        return json.loads(self.body)["n"]


class AnsweringReceiver:
    """A web server that gives its answers in turn, then the last one again and again.

    An answer is bytes, or a function of the connection. Each connection ends with its answer, unless the receiver
    `keeps` it for a number of them.
    """

    keeps = 1

    def __init__(self, *answers, host="127.0.0.1", port=0):
        self.answers = list(answers) or [answer(200)]
        self.requests = []
        self.lock = threading.Lock()
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind((host, port))
        self.socket.listen(64)
        self.port = self.socket.getsockname()[1]
        self.shown = f"http://{host}:{self.port}"
        self.url = f"{self.shown}/hook/secret"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, connection.makefile("rb") as stream:
            connection.settimeout(30)
            try:
                for _ in range(self.keeps):
                    head = []
                    while line := stream.readline().strip():
                        head.append(line.decode())
                    if not head:
                        return
                    request = Taken(head, b"")
                    request.body = stream.read(int(request.fields.get("content-length", 0)))
                    request.port = connection.getpeername()[1]
                    with self.lock:
                        self.requests.append(request)
                        reply = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                    if callable(reply):
                        reply(connection)
                    else:
                        connection.sendall(reply)
            except OSError:
                return

    @property
    def numbers(self):
        """The numbers of the alerts of its requests, in order."""
        with self.lock:
            return [request.number for request in self.requests]

    def wait(self, count, timeout=PATIENCE):
        """Its requests, once there are so many."""
        wait_for(lambda: len(self.requests) >= count, timeout)
        return self.requests

    def close(self):
        """Stops listening."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


def wait_for(condition, timeout=PATIENCE):
    """What a condition gives, once it is something."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return value


class Queue:
    """The queue of a URL in the state folder of a command."""

    def __init__(self, sonde, url):
        self.state = sonde.home / "state" / "sonde"
        self.state.mkdir(parents=True, exist_ok=True)
        self.url = url
        self.folder = self.state / "alerts" / self.hash(url)
        self.refused = self.folder / "refused"

    def hash(self, text):
        """The name of a folder, by the state's own key."""
        path = self.state / "quota.key"
        if not path.exists():
            path.write_bytes(os.urandom(32))
            path.chmod(0o600)
        return hashlib.blake2b(text.encode(), key=path.read_bytes(), digest_size=32).hexdigest()[:16]

    def add(self, *numbers, folder=None):
        """Writes alerts as a program does that was killed before it sent any."""
        folder = folder or self.folder
        folder.mkdir(parents=True, exist_ok=True)
        for number in numbers:
            path = folder / f"{number:012}-{os.urandom(16).hex()}.json"
            path.write_text(json.dumps({"event": "test", "at": "2026-11-23T03:14:07.000Z", "n": number}))

    def add_legacy(self, endpoint, *numbers, suffix=""):
        """Writes alerts as an older version left them."""
        folder = self.state / f"webhook-{self.hash(f'{self.url}{chr(10)}{endpoint}')}{suffix}"
        folder.mkdir()
        (folder / "lock").touch()
        (folder / "draft").write_text("{")
        for number in numbers:
            (folder / f"{number:012}.json").write_text(json.dumps({"event": "test", "endpoint": endpoint, "n": number}))
        return folder

    @property
    def waiting(self):
        """The files of waiting alerts, without drafts, which are none yet."""
        return sorted(path for path in self.folder.glob("[!.]*") if path.is_file())

    @staticmethod
    def numbers(paths):
        """The numbers of alerts in files."""
        return [json.loads(path.read_text())["n"] for path in paths]


def watching(sonde, *urls, env=None, options=()):
    """A running `sonde watch` of an endpoint that is online."""
    webhooks = [word for url in urls for word in ("--webhook", url)]
    running = sonde.start("watch", "--endpoint", ONLINE, *webhooks, *options, env=env)
    running.line()
    return running


def ended(running, signal_number=15):
    """What a watch said, once a signal has ended it."""
    running.signal(signal_number)
    result = running.finish(10)
    assert result.status == 0, result
    return result.stderr
