"""Runs the built command as a user would: in a fresh directory, with an environment of its own."""

import contextlib
import errno
import fcntl
import functools
import json
import os
import pty
import queue
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pyte
from server import SERVICES, variable

ROOT = Path(__file__).resolve().parents[2]

# A port on which nobody listens: nothing is asked of a provider unless a test says whom to ask.
NOWHERE = "http://127.0.0.1:9"

# How many seconds are waited for what must come: other tests may keep the machine busy.
PATIENCE = 60


def built(program):
    """A program of the build under test: the debug build, or that which `BUILD_OF_SONDE` names."""
    return ROOT / ".build" / os.environ.get("BUILD_OF_SONDE", "debug") / program


def binary():
    """The command under test."""
    path = Path(os.environ.get("SONDE_BINARY") or built("sonde"))
    return path if path.is_file() else None


def records(stdout):
    """The records of NDJSON output."""
    lines = stdout.split(b"\n")
    assert lines.pop() == b"", "the last record is not ended"
    return [json.loads(line) for line in lines]


@dataclass
class Result:
    """What a run left; `status` is what a shell would call `$?`."""

    stdout: bytes
    stderr: str
    status: int

    @functools.cached_property
    def records(self):
        """The records of NDJSON output."""
        return records(self.stdout)

    @functools.cached_property
    def lines(self):
        """The lines of the output, decoded."""
        return self.stdout.decode().splitlines()


def shell_status(code):
    """The status that a shell gives for a return code of subprocess."""
    return 128 - code if code < 0 else code


class Running:
    """A command under way; its output is read as it comes."""

    def __init__(self, command, env, cwd, stdin, stderr):
        self.errors = stderr
        self.process = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, env=env, cwd=cwd
        )
        self.output = []
        self.arrived = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.output.append(line)
            self.arrived.put(line)

    def write(self, text):
        """Sends text to its standard input at once."""
        self.process.stdin.write(text if isinstance(text, bytes) else text.encode())
        self.process.stdin.flush()

    def line(self, timeout=PATIENCE):
        """The next line of output."""
        try:
            return self.arrived.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"no output in {timeout} s; stderr: {self.stderr}") from None

    @property
    def stderr(self):
        """What it has said so far."""
        return Path(self.errors.name).read_text(errors="replace")

    def signal(self, number):
        """Sends a signal to it alone."""
        self.process.send_signal(number)

    def finish(self, timeout=PATIENCE):
        """Closes its input, waits for its end, and gives all it left."""
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            code = self.process.wait(timeout)
        finally:
            self.stop()
        self.reader.join(PATIENCE)
        return Result(b"".join(self.output), self.stderr, shell_status(code))

    def stop(self):
        """Ends it if it has not ended."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


# Makes the terminal on its standard input its own, and becomes a command.
CONTROLLING = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""


@dataclass
class Screen:
    """What a terminal showed: all bytes, the lines as they stood at the end, and the status."""

    raw: str
    status: int
    width: int = 80

    @property
    def display(self):
        """All lines as a terminal shows them at the end, what has scrolled away above included."""
        return display(self.raw, self.width)

    @property
    def lines(self):
        """The lines with carriage returns and erasures carried out, without colours."""
        shown = []
        for line in self.raw.replace("\r\n", "\n").split("\n"):
            line = re.sub(r"\x1b\[[0-9;?]*[A-JL-Za-z]", "", line.split("\x1b[2K")[-1])
            parts = [part for part in line.split("\r") if part.replace("\x1b[K", "")]
            shown.append(parts[-1].replace("\x1b[K", "") if parts else "")
        return shown


def full_pipe():
    """A pipe that is full from the beginning: who writes to it waits for its reader."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    with contextlib.suppress(BlockingIOError):
        while os.write(write, bytes(4096)):
            pass
    os.set_blocking(write, True)
    return read, write


def wait_for(condition, timeout=PATIENCE):
    """Waits until something is so."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            if condition():
                return
        except FileNotFoundError:
            pass
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.01)


class Sonde:
    """The command with a directory, home and configuration of its own; each run has a new cache."""

    def __init__(self, directory):
        self.directory = directory
        self.home = directory / "home"
        self.home.mkdir()
        self.work = directory / "work"
        self.work.mkdir()
        self.runs = 0
        self.running = []

    @property
    def config_file(self):
        """Where the configuration is looked for."""
        path = self.home / "config" / "sonde" / "config"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def file(self, name, content):
        """Writes a file into the working directory and returns its name."""
        data = content if isinstance(content, bytes) else content.encode()
        (self.work / name).write_bytes(data)
        return name

    def read(self, name):
        """The bytes of a file in the working directory."""
        return (self.work / name).read_bytes()

    def environment(self, changes=None):
        """The environment of a run; a value of None takes a variable away."""
        self.runs += 1
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_CACHE_HOME": str(self.home / f"cache-{self.runs}"),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            **{variable(service): NOWHERE for service in SERVICES},
        }
        env.update(changes or {})
        return {name: value for name, value in env.items() if value is not None}

    def command(self, arguments, prefix=()):
        """The whole command line."""
        return [*prefix, str(binary()), *map(str, arguments)]

    def __call__(self, *arguments, input=b"", env=None, timeout=2 * PATIENCE, stdout=None, prefix=()):
        """Runs the command to its end."""
        done = subprocess.run(
            self.command(arguments, prefix),
            input=input if isinstance(input, bytes) else input.encode(),
            stdout=subprocess.PIPE if stdout is None else stdout,
            stderr=subprocess.PIPE,
            env=self.environment(env),
            cwd=self.work,
            timeout=timeout,
        )
        errors = done.stderr.decode(errors="replace")
        return Result(done.stdout or b"", errors, shell_status(done.returncode))

    def start(self, *arguments, env=None, stdin=subprocess.PIPE, prefix=()):
        """Starts the command and returns while it runs."""
        errors = open(self.directory / f"stderr-{self.runs}", "wb")
        running = Running(
            self.command(arguments, prefix), self.environment(env), self.work, stdin, errors
        )
        self.running.append(running)
        return running

    def pty(
        self, *arguments, env=None, width=80, height=24, input=None, timeout=PATIENCE, stdout=None, shell=None
    ):
        """Runs the command on a terminal; `input` (bytes) makes its standard input a pipe.

        `stdout` (a file) takes standard output away from the terminal. `shell` is a script for bash
        that runs it as "$@", with the terminal as its own and with job control.
        """
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        command = self.command(arguments)
        if shell is not None:
            script = ["bash", "--norc", "-mc", shell, "bash"]
            command = [sys.executable, "-c", CONTROLLING, *script, *command]
        process = subprocess.Popen(
            command,
            stdin=side if input is None else subprocess.PIPE,
            stdout=side if stdout is None else stdout,
            stderr=side,
            env=self.environment(env),
            cwd=self.work,
            start_new_session=shell is None,
        )
        os.close(side)
        try:
            if input is not None:
                process.stdin.write(input)
                process.stdin.close()
            raw = read_terminal(main, time.monotonic() + timeout)
            code = process.wait(timeout)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            os.close(main)
        return Screen(raw.decode(errors="replace"), shell_status(code), width)

    def close(self):
        """Ends whatever still runs."""
        for running in self.running:
            running.stop()


def display(raw, width):
    """All lines that a terminal of a width would show after these characters."""
    screen = pyte.HistoryScreen(width, 24, history=100_000, ratio=1)
    pyte.Stream(screen).feed(raw)
    above = ["".join(row[x].data for x in range(width)) for row in screen.history.top]
    return [line.rstrip() for line in [*above, *screen.display]]


def read_terminal(main, deadline):
    """Everything written to a terminal until its last writer has closed it."""
    shown = b""
    while True:
        ready, _, _ = select.select([main], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            raise AssertionError(f"the command did not end; on the screen: {shown!r}")
        try:
            piece = os.read(main, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return shown
        if not piece:
            return shown
        shown += piece
