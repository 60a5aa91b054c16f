"""A shared Redis to which everything happens that happens to servers, again and again."""

import contextlib
import random
import signal
import threading

from namespaces import PROVIDER
from redis_server import RedisServer

# What a server with a password refuses is refused at the start of a run, and waited for later in it.
SECRET = "sonde-soak"


class FlappingRedis:
    """A server at the far end of a network, disturbed by a thread of its own until it is closed."""

    def __init__(self, network, folder, seed, met):
        self.chooser = random.Random(seed)
        self.met = met
        self.has_forgotten = False
        self.server = RedisServer(
            folder, "--bind", PROVIDER, "--protected-mode", "no", "--appendonly", "yes", "--appendfsync", "always",
            prefix=network.far.prefix,
        )
        self.place = f"{PROVIDER}:{self.server.port}"
        self.url = f"redis://{self.place}/0"
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._disturb, daemon=True)
        self.thread.start()

    def _disturb(self):
        kinds = [self._kill, self._stop, self._lock, self._forget, self._garble, self._fill, self._turn]
        # It comes to rest, so that what waits for it can end.
        for _ in range(self.chooser.randrange(1, 8)):
            if self.over.wait(self.chooser.uniform(0.1, 1.5)):
                return
            kind = self.chooser.choice(kinds)
            self.met["Redis " + kind.__name__[1:]] += 1
            with contextlib.suppress(OSError):
                kind()

    def _pause(self):
        self.over.wait(self.chooser.uniform(0.05, 1.5))

    def _kill(self):
        self.server.kill()
        self._pause()
        self.server.start()

    def _stop(self):
        self.server.signal(signal.SIGSTOP)
        self._pause()
        self.server.signal(signal.SIGCONT)

    def _during(self, name, value, usual):
        self.server.ask("CONFIG", "SET", name, value)
        self._pause()
        self.server.ask("CONFIG", "SET", name, usual)

    def _lock(self):
        self.server.ask("CONFIG", "SET", "requirepass", SECRET)
        # Who is connected stays so.
        self.server.ask("CLIENT", "KILL", "TYPE", "normal")
        self._pause()
        with self.server.session() as session:
            session("AUTH", SECRET)
            session("CONFIG", "SET", "requirepass", "")

    def _forget(self):
        self.has_forgotten = True
        self.server.ask("FLUSHALL")

    def _garble(self):
        """A key of a wrong type in the place of one of Sonde's."""
        self.has_forgotten = True
        keys = [key for key in self.server.ask("KEYS", "*{sonde}:*").split(b"\r\n") if b"{sonde}:" in key]
        for key in keys[:2]:
            self.server.ask("DEL", key)
            self.server.ask("RPUSH", key, "mine")

    def _fill(self):
        self._during("maxmemory", "1mb", "0")

    def _turn(self):
        """It is a replica for a while, which takes no writes."""
        self.server.ask("REPLICAOF", "127.0.0.1", "1")
        self._pause()
        self.server.ask("REPLICAOF", "NO", "ONE")

    def close(self):
        """Lets it rest, and ends it."""
        self.over.set()
        self.thread.join()
        self.server.close()
