"""A Redis server of a test's own, and what little is asked of it besides Sonde."""

import contextlib
import os
import signal
import socket
import subprocess
import time

from ports import free_port


class RedisServer:
    """A server on a port of 127.0.0.1 and a Unix socket in a folder, which saves nothing by default.

    With `sentinel`, the lines of its configuration, it is a sentinel.
    """

    def __init__(self, folder, *options, prefix=(), sentinel=None):
        self.folder, self.options, self.prefix = folder, options, list(prefix)
        folder.mkdir(exist_ok=True)
        self.first = ["--save", ""]
        if sentinel is not None:
            configuration = folder / "sentinel.conf"
            configuration.write_text("".join(f"{line}\n" for line in sentinel))
            self.first = [str(configuration), "--sentinel"]
        self.port = free_port()
        self.path = folder / "redis.sock"
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.unix = f"unix://{self.path}"
        self.process = None
        self.start()

    def start(self):
        """Starts it, with what it has on the disk."""
        self.process = subprocess.Popen(
            [
                *self.prefix, "redis-server", *self.first, "--port", str(self.port), "--bind", "127.0.0.1",
                "--unixsocket", str(self.path), "--dir", str(self.folder), "--loglevel", "warning", *self.options,
            ],
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 20
        while True:
            with contextlib.suppress(OSError):
                answer = self.ask("PING")
                if answer.startswith((b"+PONG", b"-NOAUTH")):
                    return
            assert time.monotonic() < deadline and self.process.poll() is None, "Redis did not start"
            time.sleep(0.02)

    def ask(self, *words):
        """The raw answer to one command."""
        with self.session() as session:
            return session(*words)

    @contextlib.contextmanager
    def session(self):
        """A connection: a function that gives the raw answer to a command."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(10)
            connection.connect(str(self.path))

            def ask(*words):
                data = [word if isinstance(word, bytes) else str(word).encode() for word in words]
                lines = b"".join(b"$%d\r\n%s\r\n" % (len(each), each) for each in data)
                connection.sendall(b"*%d\r\n" % len(data) + lines)
                return connection.recv(1 << 20)

            yield ask

    def signal(self, number):
        """Sends a signal to it."""
        self.process.send_signal(number)

    def kill(self):
        """Ends it at once."""
        self.process.kill()
        self.process.wait()

    def close(self):
        """Ends it if it runs, even if it is stopped."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.kill()
        with contextlib.suppress(OSError):
            os.unlink(self.path)
