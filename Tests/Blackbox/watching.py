"""`sonde watch` inside a namespace, and those who hear of its alerts."""

import contextlib
import fcntl
import json
import os
import queue
import select
import socket
import struct
import threading
import time

from command import PATIENCE
from namespaces import PORT, PROVIDER

ENDPOINT = f"{PROVIDER}:{PORT}"


class Watch:
    """A watch on the near side, read event by event; the state at the start is read already."""

    def __init__(self, sonde, namespace, *options, endpoint=ENDPOINT, first="online", cause=None, env=None):
        self.running = sonde.start(
            *("watch", "--endpoint", endpoint, *options), env=env, prefix=namespace.prefix
        )
        self.events = []
        self.first = self.change(first, cause)

    def event(self, timeout=PATIENCE):
        """The next event, and when it came."""
        event = json.loads(self.running.line(timeout))
        self.events.append(event)
        return event, time.monotonic()

    def change(self, state, cause=None, timeout=PATIENCE):
        """The next `network` event, which must be this one."""
        while True:
            event, _ = self.event(timeout)
            if event["event"] == "network":
                break
        told = (event["state"], event.get("cause"))
        assert told == (state, cause), f"{told}, not {(state, cause)}: {self.events}"
        return event

    def back(self):
        """The return, and when it came; a repair in several steps may show other causes on its way."""
        while True:
            event, at = self.event()
            if event["event"] == "network" and event["state"] == "online":
                return event, at

    def all_changes(self, silence):
        """Every `network` event until there has been none for so many seconds."""
        changes = []
        while True:
            try:
                event = json.loads(self.running.arrived.get(timeout=silence))
            except queue.Empty:
                return changes
            self.events.append(event)
            if event["event"] == "network":
                changes.append((event["state"], event.get("cause")))

    def finish(self, signal_number=15):
        """Ends it with a signal; it ends with 0."""
        self.running.signal(signal_number)
        result = self.running.finish(10)
        assert result.status == 0, result
        return result


class Receiver:
    """A web server in a namespace that answers with the statuses it is given, then with 200."""

    def __init__(self, namespace, host=PROVIDER, port=9090, page=b"", kind="text/plain"):
        self.url = f"http://{host}:{port}/hook"
        self.statuses = []
        self.page = page
        self.kind = kind
        self.bodies = queue.Queue()
        self.requests = 0
        self.lines = []
        self.socket = namespace.inside(lambda: self._bind(host, port))
        threading.Thread(target=self._accept, daemon=True).start()

    @staticmethod
    def _bind(host, port):
        bound = socket.socket()
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(64)
        return bound

    def _accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection):
        with connection, connection.makefile("rb") as stream:
            connection.settimeout(5)
            try:
                head = []
                while (line := stream.readline().strip()) or not head:
                    if not line:
                        return
                    head.append(line.decode())
                fields = dict(field.lower().split(": ", 1) for field in head[1:])
                body = stream.read(int(fields.get("content-length", 0)))
            except OSError:
                return
            self.requests += 1
            self.lines.append(head[0])
            status = self.statuses.pop(0) if self.statuses else 200
            page = b"" if status == 204 else self.page
            # Before the answer, behind which the next one may come on another thread.
            if status == 200 and body:
                self.bodies.put((head[0], fields, json.loads(body)))
            reply = f"HTTP/1.1 {status} x\r\nContent-Type: {self.kind}\r\nContent-Length: {len(page)}\r\n"
            with contextlib.suppress(OSError):
                connection.sendall(reply.encode() + b"Connection: close\r\n\r\n" + page)

    def next(self, timeout=PATIENCE):
        """The next event that was delivered."""
        request, fields, event = self.bodies.get(timeout=timeout)
        assert request.startswith("POST /hook ") and fields["content-type"] == "application/json"
        host, summary = event.pop("host"), event.pop("summary")
        assert host == socket.gethostname() and summary.startswith(f"{host}: ")
        return event

    def close(self):
        """Stops listening."""
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class DelayLine:
    """A point-to-point way between two namespaces, whose packets each wait for `delay` seconds."""

    near, far = "10.7.0.1", "10.7.0.2"

    def __init__(self, near, far):
        self.delay = 0
        self.is_closed = False
        self.threads = []
        self.devices = [self._open(near, self.near, self.far), self._open(far, self.far, self.near)]
        for source, target in (self.devices, self.devices[::-1]):
            waiting = queue.Queue()
            for work in (self._read, self._write):
                thread = threading.Thread(target=work, args=(source, target, waiting), daemon=True)
                thread.start()
                self.threads.append(thread)

    def _open(self, namespace, own, other):
        def make():
            device = os.open("/dev/net/tun", os.O_RDWR)
            fcntl.ioctl(device, 0x400454CA, struct.pack("16sH22x", b"slow0", 0x1001))  # TUNSETIFF
            return device

        device = namespace.inside(make)
        namespace.ip(f"addr add {own} peer {other} dev slow0", "link set slow0 up")
        return device

    def _read(self, source, target, waiting):
        with contextlib.suppress(OSError):
            while not self.is_closed:
                if select.select([source], [], [], 0.1)[0]:
                    waiting.put((time.monotonic() + self.delay, os.read(source, 65536)))
        waiting.put((0, b""))

    def _write(self, source, target, waiting):
        while (due := waiting.get())[1]:
            time.sleep(max(0, due[0] - time.monotonic()))
            try:
                os.write(target, due[1])
            except OSError:
                pass

    def close(self):
        """Takes it away, once nobody uses its devices, whose numbers are soon those of other files."""
        self.is_closed = True
        for thread in self.threads:
            thread.join()
        for device in self.devices:
            os.close(device)
