"""What stands in for a Redis server: one that answers all alike, and one that changes a real one's answers."""

import contextlib
import socket
import threading


class Answering:
    """A server on a port of 127.0.0.1 that answers all that comes with the same bytes, or with nothing."""

    def __init__(self, answer):
        self.answer = answer
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.kept = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        """Takes all who come."""
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.kept.append(connection)
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        """Answers one of them as often as it says something."""
        with contextlib.suppress(OSError):
            while connection.recv(65536):
                if self.answer:
                    connection.sendall(self.answer)

    def close(self):
        """Takes nobody any more, and leaves those who are there."""
        # A listener that is only closed goes on in accept(2).
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self.kept:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()


class Proxy(Answering):
    """Passes commands on to a server, and gives what `change` makes of each command's words and answer."""

    def __init__(self, target, change):
        self.target, self.change = target, change
        super().__init__(b"")

    def serve(self, connection):
        """Passes on what one of them says, until either side ends."""
        with contextlib.suppress(OSError, EOFError), socket.socket(socket.AF_UNIX) as server:
            server.connect(str(self.target.path))
            asked, answered = connection.makefile("rb"), server.makefile("rb")
            while True:
                _, command = value(asked)
                server.sendall(encoded(command))
                _, answer = value(answered)
                connection.sendall(encoded(self.change([word.decode("latin-1") for word in command], answer)))


class Status(bytes):
    """A simple string."""


class Error(bytes):
    """An error."""


def value(stream):
    """Reads one value of RESP: its type, and the value."""
    line = stream.readline()
    if not line.endswith(b"\r\n"):
        raise EOFError
    kind, rest = line[:1], line[1:-2]
    if kind == b"*":
        return kind, None if rest == b"-1" else [value(stream)[1] for _ in range(int(rest))]
    if kind == b"$":
        return kind, None if rest == b"-1" else stream.read(int(rest) + 2)[:-2]
    return kind, {b"+": Status, b"-": Error, b":": int}[kind](rest)


def encoded(item):
    """Writes a value of RESP."""
    if item is None:
        return b"$-1\r\n"
    if isinstance(item, int):
        return b":%d\r\n" % item
    if isinstance(item, list):
        return b"*%d\r\n" % len(item) + b"".join(encoded(each) for each in item)
    if isinstance(item, (Status, Error)):
        return (b"+" if isinstance(item, Status) else b"-") + bytes(item) + b"\r\n"
    return b"$%d\r\n%s\r\n" % (len(item), item)
