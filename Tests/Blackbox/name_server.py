"""Servers of names for the tests: NSD with zones of a test's, and one that lies, loses and delays as it is told."""

import contextlib
import ipaddress
import socket
import struct
import subprocess
import threading
import time
from collections import Counter

from ports import free_port

A, NS, CNAME, SOA, PTR, AAAA = 1, 2, 5, 6, 12, 28
SO_TIMESTAMPNS = 35  # socket(7)
SUCCESS, SERVFAIL, NXDOMAIN, REFUSED = 0, 2, 3, 5


def labels(name):
    """The labels of a name: of a text at its dots, else as they are given."""
    if not isinstance(name, str):
        return list(name)
    return [label.encode() for label in name.rstrip(".").split(".") if label]


def wire(name):
    """A name as it stands in a message."""
    return b"".join(bytes([len(label)]) + label for label in labels(name)) + b"\0"


def reverse(address):
    """The name that an address's pointers are asked of."""
    return ipaddress.ip_address(address).reverse_pointer


def data(kind, value):
    """What a record of a type holds."""
    return ipaddress.ip_address(value).packed if kind in (A, AAAA) else wire(value)


def message(question, code=SUCCESS, records=(), truncated=False, authoritative=True, authority=()):
    """An answer to a question: records are (owner or None for the name asked, type, TTL, value)."""

    def record(owner, kind, ttl, value):
        content = value if isinstance(value, bytes) else data(kind, value)
        begin = b"\xc0\x0c" if owner is None else wire(owner)
        return begin + struct.pack(">HHIH", kind, 1, ttl, len(content)) + content

    flags = 0x8180 | (0x400 if authoritative else 0) | (0x200 if truncated else 0) | code
    body = b"".join(record(*each) for each in [*records, *authority])
    header = struct.pack(">HHHHHH", question.id, flags, 1, len(records), len(authority), 0)
    return header + wire(question.labels) + struct.pack(">HH", question.type, 1) + body


class Question:
    """What was asked, when and how."""

    def __init__(self, raw, stream, at):
        self.raw, self.stream, self.at = raw, stream, at
        (self.id,) = struct.unpack_from(">H", raw)
        self.labels, place = [], 12
        while raw[place]:
            self.labels.append(raw[place + 1 : place + 1 + raw[place]])
            place += 1 + raw[place]
        (self.type,) = struct.unpack_from(">H", raw, place + 1)
        self.name = b".".join(self.labels).decode("latin-1").lower()


class NameServer:
    """A server over UDP and TCP that answers from `records`, unless `rule(question)` gives other messages.

    A rule returns `None` to let the records answer, else messages, each maybe with seconds to wait before:
    `b"..."` or `(0.5, b"...")`. An empty list says nothing.
    """

    def __init__(self, host="127.0.0.1", port=0, rule=None):
        self.records, self.rule, self.questions = {}, rule, []
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._lock = threading.Lock()
        port = port or free_port()
        self._listener = socket.create_server((host, port), family=family, backlog=64)
        self.port = port
        self._datagrams = socket.socket(family, socket.SOCK_DGRAM)
        self._datagrams.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self._datagrams.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self._datagrams.bind((host, self.port))
        self.place = f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"
        works = (self._serve_datagrams, self._serve_connections)
        self._threads = [threading.Thread(target=work, daemon=True) for work in works]
        for thread in self._threads:
            thread.start()

    def add(self, address, *names, ttl=3600, back=True):
        """Gives an address names, which lead back to it unless told otherwise."""
        kind = AAAA if ":" in address else A
        self.records.setdefault((reverse(address), PTR), []).extend((None, PTR, ttl, name) for name in names)
        for name in names if back else ():
            self.records.setdefault((b".".join(labels(name)).decode("latin-1").lower(), kind), []).append((None, kind, ttl, address))

    def counts(self):
        """How often each name and type was asked for."""
        with self._lock:
            return Counter((question.name, question.type) for question in self.questions)

    def asked(self, kind=PTR):
        """The names that were asked for one type, in order."""
        with self._lock:
            return [question.name for question in self.questions if question.type == kind]

    def forget(self):
        with self._lock:
            self.questions = []

    def answer(self, question):
        """What the records say."""
        if not question.labels:
            return message(question, REFUSED)
        found = self.records.get((question.name, question.type))
        if found is None:
            return message(question, NXDOMAIN)
        whole = message(question, records=found)
        return whole if question.stream or len(whole) <= 1232 else message(question, truncated=True)

    def _replies(self, raw, stream, at):
        question = Question(raw, stream, at)
        with self._lock:
            self.questions.append(question)
        replies = self.rule(question) if self.rule else None
        if replies is None:
            replies = [self.answer(question)]
        return [reply if isinstance(reply, tuple) else (0, reply) for reply in replies]

    def _serve_datagrams(self):
        with contextlib.suppress(OSError):
            while True:
                raw, notes, _, client = self._datagrams.recvmsg(65535, 64)
                if not raw:
                    return
                # When it came, not when it was its turn.
                seconds, nanoseconds = struct.unpack("qq", notes[0][2])
                for delay, reply in self._replies(raw, False, seconds + nanoseconds / 1e9):
                    if delay:
                        threading.Timer(delay, self._send, (reply, client)).start()
                    else:
                        self._send(reply, client)

    def _send(self, reply, client):
        with contextlib.suppress(OSError):
            self._datagrams.sendto(reply, client)

    def _serve_connections(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve_connection, args=(connection,), daemon=True).start()

    def _serve_connection(self, connection):
        with contextlib.suppress(OSError, struct.error, IndexError), connection, connection.makefile("rb") as stream:
            while True:
                raw = stream.read(struct.unpack(">H", stream.read(2))[0])
                for delay, reply in self._replies(raw, True, time.time()):
                    time.sleep(delay)
                    connection.sendall(struct.pack(">H", len(reply)) + reply)

    def close(self):
        """Lets the sockets go, so that nobody listens there."""
        sockets = (self._datagrams, self._listener)
        for each in sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        # A socket that a thread still reads from keeps its port.
        for thread in self._threads:
            thread.join(10)
        for each in sockets:
            each.close()


class NSD:
    """Debian's nsd with zones: a dictionary from a zone's name to the lines of its records."""

    def __init__(self, folder, zones, host="127.0.0.1", prefix=(), servers=1):
        folder.mkdir(exist_ok=True)
        self.port = free_port()
        self.place = f"{host}:{self.port}"
        text = f"""server:
  ip-address: {host}
  port: {self.port}
  server-count: {servers}
  username: ""
  chroot: ""
  zonesdir: "{folder}"
  database: ""
  pidfile: "{folder}/pid"
  xfrdfile: "{folder}/xfrd.state"
  xfrdir: "{folder}"
  zonelistfile: "{folder}/zone.list"
  verbosity: 0
remote-control:
  control-enable: no
"""
        for number, (zone, lines) in enumerate(zones.items()):
            (folder / f"{number}.zone").write_text(
                f"$ORIGIN {zone}.\n$TTL 3600\n@ SOA ns.{zone}. root.{zone}. 1 3600 900 86400 600\n@ NS ns.{zone}.\n"
                + "".join(f"{line}\n" for line in lines)
            )
            text += f'zone:\n  name: "{zone}"\n  zonefile: "{number}.zone"\n'
        (folder / "nsd.conf").write_text(text)
        self.process = subprocess.Popen(
            [*prefix, "nsd", "-d", "-c", str(folder / "nsd.conf")],
            stderr=(folder / "log").open("wb"),
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        )
        self.wait(host, folder)

    def wait(self, host, folder):
        """Waits until it answers, with whatever code."""
        asked = struct.pack(">HHHHHH", 1, 0, 1, 0, 0, 0) + b"\0" + struct.pack(">HH", NS, 1)
        deadline = time.monotonic() + 60
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(0.1)
            while True:
                with contextlib.suppress(OSError):
                    client.sendto(asked, (host, self.port))
                    if client.recv(512)[3] & 15 != SERVFAIL:
                        return
                ended = self.process.poll() is not None
                assert not ended and time.monotonic() < deadline, (folder / "log").read_text()
                time.sleep(0.02)

    def close(self):
        """Ends it."""
        self.process.terminate()
        self.process.wait(20)
