"""Starts the simulator as a process of its own and talks to its `/_control`."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

from server import SERVICES, variable

HERE = Path(__file__).resolve().parent

# Loopback is asked without any proxy that the environment may name.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class SimulatorProcess:
    """A running simulator; it ends with `stop`, or with the process that started it."""

    def __init__(self, *arguments, prefix=()):
        self.process = subprocess.Popen(
            [*prefix, sys.executable, str(HERE), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        ready = self.process.stdout.readline()
        if not ready:
            raise RuntimeError("the simulator did not start")
        self.urls = json.loads(ready)
        self.port = self.urls["port"]

    @property
    def env(self):
        """The variables that lead commands here."""
        return {variable(service): self.urls[service.name.replace("-", "_")] for service in SERVICES}

    def control(self, reset=True, **settings):
        """Changes settings and, unless told otherwise, begins all counts and windows anew."""
        body = json.dumps({**settings, "reset": reset}).encode()
        request = urllib.request.Request(self.urls["ip_api"] + "/_control", data=body)
        with _opener.open(request, timeout=20) as answer:
            return json.load(answer)["settings"]

    def report(self, query=""):
        """Everything that `GET /_control` tells."""
        with _opener.open(self.urls["ip_api"] + "/_control" + query, timeout=60) as answer:
            return json.load(answer)

    def counts(self):
        """The counts since the last reset."""
        return self.report()["counts"]

    def requests(self, call):
        """How many requests there were of one call, for example "ip-api batch"."""
        return self.counts()["requests"].get(call, 0)

    def addresses(self):
        """How often each address was asked about."""
        return self.report("?addresses=1")["addresses"]

    def log(self):
        """A line for each request, in the order of their arrival."""
        return self.report("?log=1")["log"]

    def windows(self):
        """ip-api's rate windows, oldest first."""
        return self.report()["windows"]

    def stop(self):
        """Ends the process."""
        self.process.stdin.close()
        self.process.terminate()
        self.process.wait(timeout=10)
        self.process.stdout.close()
