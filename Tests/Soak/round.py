"""Plays a round: the undisturbed run, then the one that is disturbed, resumed until it is done."""

import shutil
import signal
import subprocess
import time

from books import Outcome, differences, faults_of_end, was_refused
from flapping import FlappingRedis

# A second after which a run that was told to end must have ended, twice what is promised.
ENDING = 4


class Round:
    """One scenario, played on a network of its own; `clock` is what moves a program's clock."""

    def __init__(self, scenario, sonde, network, clock, met):
        self.scenario = scenario
        self.sonde = sonde
        self.network = network
        self.clock = clock
        self.met = met
        self.chooser = scenario.chooser
        self.found = []
        self.redis = None
        for name, data in scenario.inputs.items():
            sonde.file(name, data)

    def play(self):
        """Both runs; gives what was wrong."""
        simulator = self.network.simulator
        self._limits(None, faults=[], latency=0.0)
        whole = self._undisturbed()
        # What was learnt there of the provider's limits holds no more.
        shutil.rmtree(self.sonde.home / "state", ignore_errors=True)
        self._limits(self.scenario.window, faults=self.scenario.faults, latency=self.scenario.latency)
        if self.scenario.is_shared:
            self.redis = FlappingRedis(self.network, self.sonde.directory / "redis", self.scenario.seed, self.met)
        try:
            neighbour = self._start("beside", {}) if self.scenario.has_neighbour else None
            self._disturbed()
            self._end(neighbour)
        finally:
            if self.redis:
                self.redis.close()
        windows = simulator.windows()
        if not self.found:
            for name in ("out", "beside") if neighbour else ("out",):
                self.found += differences(whole, self._outcome(name), self.scenario)
            self.found += self._requests(windows)
            self.found += self._leftovers()
        for fault in simulator.counts()["faults"]:
            self.met[f"fault {fault}"] += 1
        self.met["rounds"] += 1
        return self.found

    def _limits(self, window, **settings):
        seconds, limit = window or (60, None)
        self.network.simulator.control(
            window=seconds, batch_limit=limit, single_limit=limit and 4 * limit, ban_after=0, **settings
        )

    def _arguments(self, name):
        arguments = [*self.scenario.arguments, "-o", name, "--rejects", name + "-rejects"]
        arguments += ["--missing", name + "-missing", "--events", name + "-events"]
        if self.redis:
            return [*arguments, "--shared", self.redis.url]
        cache = "whole.db" if name == "whole" else "out.db"
        return arguments + (["--cache", cache] if self.scenario.keeps_cache else ["--no-cache"])

    def _start(self, name, env, prefix=()):
        return self.sonde.start(
            *self._arguments(name),
            "--resume",
            env={**self.network.env, **env},
            prefix=[*self.network.near.prefix, *prefix],
            stdin=subprocess.DEVNULL,
        )

    def _end(self, neighbour):
        """Waits for the one that shares cache and ledger; what refused it once is asked again."""
        deadline = time.monotonic() + self.scenario.longest
        while neighbour and not self.found:
            result = self._finish(neighbour, self.scenario.longest)
            if not was_refused(result, self.redis) or time.monotonic() > deadline:
                self.met["neighbours"] += 1
                self.found += faults_of_end(result, "neighbour")
                return
            neighbour = self._start("beside", {})

    def _undisturbed(self):
        result = self.sonde(
            *self._arguments("whole"), env=self.network.env, timeout=120, prefix=self.network.near.prefix
        )
        self.found += faults_of_end(result, "undisturbed")
        return self._outcome("whole")

    def _outcome(self, name):
        return Outcome(*(self._read(name + suffix) for suffix in ("", "-rejects", "-missing", "-events")))

    def _read(self, name):
        path = self.sonde.work / name
        return path.read_bytes() if path.exists() else b""

    def _disturbed(self):
        stops, limit = list(self.scenario.stops), self.scenario.limit
        deadline = time.monotonic() + self.scenario.longest
        while time.monotonic() < deadline and not self.found:
            stop = stops.pop(0) if stops else None
            result = self._attempt(stop, limit)
            if limit is None and stop is None and result.status in (0, 1, 3):
                return
            if was_refused(result, self.redis):
                self.met["refusals"] += 1
                continue
            self.found += faults_of_end(result, f"{stop} {limit}", stop, limit)
            # What a limit stopped is resumed without it.
            limit = None
        if not self.found:
            self.found.append(f"did not end in {self.scenario.longest} s")

    def _attempt(self, stop, limit):
        prefix = []
        if limit:
            prefix = ["bash", "-c", f'ulimit {limit[0]} {limit[1]} && exec "$@"', "bash"]
            self.met[f"ulimit {limit[0]}"] += 1
        env = {}
        if self.scenario.clock and self.chooser.random() < 0.5:
            env = {"LD_PRELOAD": str(self.clock), "SOAK_CLOCK": str(self.scenario.clock)}
            self.met["clock"] += 1
        running = self._start("out", env, prefix)
        rivals = [self._start("out", {}) for _ in range(self.scenario.rivals)]
        try:
            return self._disturb(running, stop)
        finally:
            for rival in rivals:
                self._judge(rival)

    def _judge(self, rival):
        """One that wants the same files at the same time is refused, or does what is left alone."""
        result = self._finish(rival, self.scenario.longest)
        if was_refused(result, self.redis):
            self.met["rivals refused"] += 1
        else:
            self.met["rivals"] += 1
            self.found += faults_of_end(result, "rival")

    def _disturb(self, running, stop):
        end = time.monotonic() + self.chooser.uniform(0.05, 1.5) if stop else None
        self._lose(running, end)
        if stop and self._wait(running, end):
            self.met[f"SIG{stop}"] += 1
            running.signal(getattr(signal, "SIG" + stop))
            return self._finish(running, ENDING)
        return self._finish(running, self.scenario.longest)

    def _lose(self, running, end):
        """Cuts the link and mends it, a few times, or until it is time for something else."""
        for _ in range(self.scenario.losses):
            if not self._wait(running, self._soon(end)):
                return
            self.network.lose()
            self.met["losses"] += 1
            self._wait(running, self._soon(end))
            self.network.restore()

    def _soon(self, end):
        soon = time.monotonic() + self.chooser.uniform(0.02, 0.6)
        return min(soon, end) if end else soon

    @staticmethod
    def _wait(running, end):
        """Waits until a moment; says whether the command still runs."""
        while (left := end - time.monotonic()) > 0 and running.process.poll() is None:
            time.sleep(min(left, 0.01))
        return running.process.poll() is None

    def _finish(self, running, seconds):
        try:
            return running.finish(seconds)
        except subprocess.TimeoutExpired:
            self.found.append(f"did not end within {seconds} s; stderr: {running.stderr[-800:]}")
            return running.finish()

    def _requests(self, windows):
        """No window of the provider may have been asked beyond its limit."""
        refused = sum(window["refused"] for window in windows)
        # A server that forgot everything while nobody was at work remembers no window.
        if self.redis and self.redis.has_forgotten:
            return []
        return [f"{refused} requests beyond the limit of their window"] if refused else []

    def _leftovers(self):
        """Only the files that were asked for may be left."""
        wanted = {name + suffix for name in ("whole", "out", "beside") for suffix in ("", "-rejects", "-missing", "-events", ".db")}
        wanted |= set(self.scenario.inputs) | {"whole.db-lock", "out.db-lock"}
        left = {path.name for path in self.sonde.work.iterdir()} - wanted
        return [f"left behind: {sorted(left)}"] if left else []
