"""Starts `sonde serve`, opens its link, and speaks to its HTTP API."""

import contextlib
import http.client
import json
import os
import queue
import shutil
import subprocess
import threading
import time
from urllib.parse import urlencode

from command import PATIENCE, wait_for
from ports import free_port

# The address that it listens on by default; each server has a port of its own on it.
HOST = "127.83.1.1"

# The states that a scan leaves only when it is told to.
OVER = ("done", "stopped", "failed")


class Answer:
    """What came back for a request."""

    def __init__(self, response, body):
        self.status = response.status
        self.headers = response.headers
        self.body = body

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"

    @property
    def json(self):
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def problem(self):
        """The kind of problem that it tells; `None` where it tells none."""
        if self.headers.get_content_type() != "application/problem+json":
            return None
        problem = self.json
        assert problem["status"] == self.status and problem["title"], problem
        return problem["type"].removeprefix("urn:sonde:")


class Dashboard:
    """A server with a state of its own, whose link has been opened: `cookie` is its session."""

    def __init__(self, sonde, simulator=None, *options, env=None, namespace=None, host=HOST, path=""):
        self.sonde = sonde
        # Where it runs, and is asked.
        self.namespace = namespace
        # What starts it, if another command does.
        self.prefix = namespace.prefix if namespace else ()
        # Below which all paths lie, as --public-url says.
        self.path = path
        name = f"[{host}]" if ":" in host else host
        self.address = f"{name}:{free_port(host)}"
        self.options = options
        # A cache that stays when it is started again.
        caches = {"XDG_CACHE_HOME": str(sonde.home / "cache-of-serve")}
        self.env = {**caches, **(simulator.env if simulator else {}), **(env or {})}
        self.base = f"http://{self.address}/"
        self.cookie = self.session_of_before()
        self.start()
        self.cookie = self.cookie or self.session()

    def session_of_before(self):
        """The session that there is before it is started; `None` where there is none."""

    @property
    def place(self):
        """The options that name its state to another command."""
        if "--state" not in self.options:
            return []
        at = self.options.index("--state")
        return self.options[at : at + 2]

    @property
    def state(self):
        """The folder of its state."""
        return self.sonde.home / "state" / "sonde" / "serve"

    def start(self):
        """Starts it; `link` is its first one-time link."""
        self.launch()
        self.link = self.new_link()

    def launch(self):
        """Starts it, and returns once it listens."""
        self.running = self.sonde.start(
            *("serve", "--listen", self.address, *self.options), env=self.env, prefix=self.prefix
        )
        wait_for(lambda: "listening on" in self.running.stderr or self.running.process.poll() is not None)

    def is_answering(self):
        """Whether it listens."""
        with contextlib.suppress(ConnectionError):
            return self.ask("GET", "/healthz", cookie=None).status == 200

    def stop(self, number=15):
        """Ends it by a signal; gives what it left, and how long that took."""
        start = time.monotonic()
        self.running.signal(number)
        result = self.running.finish(10)
        return result, time.monotonic() - start

    def new_link(self):
        """Another one-time link."""
        result = self.sonde("serve", "link", *self.place, env=self.env)
        assert result.status == 0, (result, self.running.stderr)
        return result.stdout.decode().rstrip("\n")

    def open(self, link):
        """The answer to opening a link."""
        token = link.partition("#open=")[2]
        return self.ask("POST", "session", json={"link": token}, cookie=None)

    def session(self):
        """A new session, as what a browser sends for its cookie."""
        answer = self.open(self.link if self.cookie is None else self.new_link())
        assert answer.status == 201, answer
        return answer.headers["Set-Cookie"].partition(";")[0]

    def connect(self, timeout=PATIENCE):
        """A connection of HTTP."""
        connection = http.client.HTTPConnection(self.address, timeout=timeout)
        if self.namespace:
            self.namespace.inside(connection.connect)
        return connection

    def ask(self, method, path, body=None, json=..., headers=None, cookie=..., **query):
        """The answer to a request; a path that begins with / is not below the API's."""
        whole = path if path.startswith("/") else f"/{self.path}api/v1/{path}"
        fields = dict(headers or {})
        if cookie is ...:
            cookie = self.cookie
        if cookie:
            fields["Cookie"] = cookie
        if json is not ...:
            body = dumped(json)
            fields.setdefault("Content-Type", "application/json")
        if query:
            whole += "?" + urlencode(query)
        with contextlib.closing(self.connect()) as connection:
            # Who is refused before all is sent may read why.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, whole, body, fields)
            response = connection.getresponse()
            return Answer(response, response.read())

    def get(self, path, **query):
        """The JSON of a path."""
        answer = self.ask("GET", path, **query)
        assert answer.status == 200, answer
        return answer.json

    def scan(self, content, headers=None, **query):
        """The answer to making a scan of a list or log."""
        data = content if isinstance(content, bytes) else content.encode()
        fields = {"Content-Type": "application/octet-stream", **(headers or {})}
        return self.ask("POST", "scans", body=data, headers=fields, **query)

    def until(self, scan, *states, entries=0, timeout=PATIENCE):
        """The scan once it is in one of these states and so many entries, at least, have their records."""
        deadline = time.monotonic() + timeout
        while True:
            now = self.get(f"scans/{scan}")
            if now["state"] in states and (now["counts"] or {}).get("entries", 0) >= entries:
                return now
            assert now["state"] not in OVER, now
            assert time.monotonic() < deadline, now
            time.sleep(0.05)

    def events(self, cookie=..., query="", **headers):
        """An open stream of events."""
        return Stream(self, self.cookie if cookie is ... else cookie, headers, query)


class Team(Dashboard):
    """A server with accounts: `cookie` is the session of the admin, who has registered by its first link."""

    ADMIN = "ada@example.org"
    PASSWORD = "correct horse battery"

    def __init__(self, sonde, simulator=None, *options, before=None, **more):
        # The state that it begins with, and the admin's session in it.
        self.before = before
        super().__init__(sonde, simulator, "--team", *options, **more)

    def session_of_before(self):
        """That of the admin in the state that it begins with."""
        if self.before is None:
            return None
        state, session = self.before
        shutil.copytree(state, self.state)
        return f"sonde_{self.address.rpartition(':')[2]}={session}"

    def start(self):
        """Starts it; `link` is its first one-time link, while there is no admin."""
        self.launch()
        self.link = None if self.cookie else self.new_link()

    def session(self):
        """The admin's first session."""
        answer = self.register(self.ADMIN, invitation=token(self.link))
        assert answer.status == 201, answer
        return self.log_in(self.ADMIN)

    def register(self, email, password=PASSWORD, **more):
        """The answer to registering."""
        return self.ask("POST", "users", json={"email": email, "password": password, **more}, cookie=None)

    def try_to_log_in(self, email, password=PASSWORD, **more):
        """The answer to logging in."""
        return self.ask("POST", "session", json={"email": email, "password": password}, **{"cookie": None, **more})

    def log_in(self, email, password=PASSWORD):
        """A new session, as what a browser sends for its cookie."""
        answer = self.try_to_log_in(email, password)
        assert answer.status == 201, answer
        return answer.headers["Set-Cookie"].partition(";")[0]

    def invitation(self):
        """The token of a new invitation."""
        answer = self.ask("POST", "invitations")
        assert answer.status == 201, answer
        return token(answer.json["link"])

    def person(self, email):
        """The session of somebody who has been invited."""
        answer = self.register(email, invitation=self.invitation())
        assert answer.status == 201, answer
        return self.log_in(email)

    def user(self, *arguments):
        """The result of `sonde serve user`."""
        return self.sonde("serve", "user", *arguments, env=self.env)


class Terminal:
    """A terminal for the output of a server alone."""

    def __init__(self):
        self.main, self.side = os.openpty()
        os.set_blocking(self.main, False)

    def fill(self):
        """Takes no more until it is read."""
        os.set_blocking(self.side, False)
        with contextlib.suppress(BlockingIOError):
            while os.write(self.side, b"filler\n"):
                pass
        os.set_blocking(self.side, True)

    def serve(self, sonde, env, address=None):
        """A server that writes to it."""
        return subprocess.Popen(
            sonde.command(["serve", "--listen", address or f"{HOST}:{free_port()}"]),
            stdin=subprocess.DEVNULL,
            stdout=self.side,
            stderr=subprocess.PIPE,
            env=sonde.environment(env),
            cwd=sonde.work,
        )

    def read(self):
        """What was written to it since."""
        shown = b""
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(self.main, 4096):
                shown += piece
        return shown.decode()

    def close(self):
        """Closes it."""
        os.close(self.main)
        os.close(self.side)


def token(link):
    """The token of a link."""
    return link.partition("#")[2].partition("=")[2].strip()


def dumped(value):
    """A value as the bytes of JSON."""
    return json.dumps(value).encode()


class Stream:
    """A stream of events, read as they come."""

    def __init__(self, dashboard, cookie, headers, query=""):
        self.connection = dashboard.connect(60)
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        path = f"/{dashboard.path}api/v1/events{query}"
        self.connection.request("GET", path, headers={**({"Cookie": cookie} if cookie else {}), **fields})
        self.response = self.connection.getresponse()
        self.status = self.response.status
        self.arrived = queue.Queue()
        if self.status == 200:
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        event = {}
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError, AttributeError):
            for line in self.response:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    event[name] = value
                elif "event" in event:
                    self.arrived.put(event)
                    event = {}
                else:
                    event = {}
        self.arrived.put(None)

    def next(self, *names, timeout=PATIENCE):
        """The next event of one of these names, as its name, its data and its id; `None` at the end."""
        deadline = time.monotonic() + timeout
        while True:
            event = self.arrived.get(timeout=max(0.01, deadline - time.monotonic()))
            if event is None:
                return None
            if not names or event["event"] in names:
                return event["event"], json.loads(event["data"]), event.get("id")

    def close(self):
        """Closes the connection."""
        self.connection.close()
