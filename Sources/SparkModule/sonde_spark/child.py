"""A run of `sonde` that is fed while its output is read, in one thread.

Nothing is lost in silence: what raises in whatever feeds it raises here, its input is always closed,
it does not outlive the caller, and an end that is none of a scan's own is an error.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sonde_spark.errors import SondeError, UnansweredError

# All answered; some failed or invalid; the network was lost; the provider refused: the records tell.
RECORDS_TELL = frozenset({0, 1, 3, 4})
# Of what it says on stderr, so much is repeated in an error.
REMEMBERED = 2000
LONGEST_EVENT = 1 << 16
PIPE_SIZE = 1 << 20


@dataclass
class Account:
    """What a run of `sonde scan` or `sonde check` says of itself at its end."""

    entries: int = 0
    # How many of the entries have a record.
    records: int = 0
    # Of these, how many have a status by which they got no answer.
    failed: int = 0
    network_lost: int = 0

    def raise_for_unanswered(self) -> None:
        """Raises an UnansweredError where an address got no answer."""
        if self.failed or self.network_lost:
            raise UnansweredError(self.failed, self.network_lost)


def run(
    arguments: Sequence[str], chunks: Iterable[bytes] | None = None, account: Account | None = None
) -> Iterator[bytes]:
    """Runs `sonde`, and gives its output in pieces as they come.

    Its stderr goes on to this process's own.

    Args:
        arguments: What follows `sonde` on the command line.
        chunks: What it reads on its standard input; nothing where there is none.
        account: Filled at the end, by the events of the run.

    Raises:
        SondeError: It cannot be started, ends by a signal, or with a status of no scan's own (2, 5),
            before it has read its input, or without its account.

    """
    with contextlib.ExitStack() as ends:
        events = ends.enter_context(_Events(account)) if account is not None else None
        child = _start([*arguments[:1], *(events.options if events else ()), *arguments[1:]], events)
        ends.callback(_end, child)
        with _Conversation(child, events) as conversation:
            for chunk in chunks or ():
                yield from conversation.write(chunk)
            conversation.close_input()
            yield from conversation.rest()
        _judge(child.wait(), conversation, arguments)


def _end(child: subprocess.Popen[bytes]) -> None:
    """Ends it where it has not ended, after an error or where nobody wants the rest."""
    if child.poll() is None:
        child.kill()
        child.wait()


def output(arguments: Sequence[str]) -> bytes:
    """Runs `sonde` without input, and gives all it writes."""
    return b"".join(run(arguments))


def exit_status(arguments: Sequence[str]) -> int:
    """Runs `sonde` without input for its exit status alone."""
    done = subprocess.run(["sonde", *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode


def _start(arguments: Sequence[str], events: _Events | None) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    kept = events.given if events else ()
    try:
        return subprocess.Popen(["sonde", *arguments], bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, pass_fds=kept)
    except FileNotFoundError:
        raise SondeError(
            f"there is no sonde on the PATH of {socket.gethostname()}: install it on every machine of the "
            "cluster, or name its folder with spark.executorEnv.PATH"
        ) from None
    except OSError as error:
        raise SondeError(f"sonde could not be started on {socket.gethostname()}: {error}") from error
    finally:
        if events:
            events.give()


def _judge(status: int, conversation: _Conversation, arguments: Sequence[str]) -> None:
    """Raises unless a run ended as a scan ends that has read everything."""
    if status in RECORDS_TELL and not conversation.was_cut and conversation.is_accounted:
        return
    end = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
    if status in RECORDS_TELL:
        end += " before it had read its input" if conversation.was_cut else " before it had done its work"
    said = conversation.last_words.decode(errors="replace").strip()
    raise SondeError(
        f"sonde {end} on {socket.gethostname()}: {said or 'it said nothing'} (sonde {' '.join(arguments)})",
        status if status >= 0 else None,
    )


class _Events:
    """The pipe by which a child tells its events, of which the summary is its account."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self.reading, self._writing = os.pipe()
        self._last = b""

    def __enter__(self) -> _Events:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.reading)

    @property
    def options(self) -> list[str]:
        return [f"--events=/dev/fd/{self._writing}"]

    @property
    def given(self) -> tuple[int]:
        return (self._writing,)

    def give(self) -> None:
        """Leaves the other end to the child alone."""
        os.close(self._writing)

    def hear(self, data: bytes) -> None:
        self._last = (self._last + data)[-LONGEST_EVENT:]

    def conclude(self) -> bool:
        """Takes the account, if it was given."""
        try:
            summary = json.loads(self._last.splitlines()[-1])
            if summary["event"] != "summary":
                return False
        except (IndexError, KeyError, ValueError):
            return False
        self._account.entries = summary["entries"]
        self._account.records = summary["entries"] - summary["duplicates"] - summary.get("excluded", 0)
        self._account.failed, self._account.network_lost = summary["failed"], summary["network_lost"]
        return True


class _Conversation:
    """The pipes of a child: none of them is waited for while another one could go on."""

    def __init__(self, child: subprocess.Popen[bytes], events: _Events | None) -> None:
        assert child.stdin
        assert child.stdout
        assert child.stderr
        self._input, self._output, self._errors = child.stdin, child.stdout, child.stderr
        self._events = events
        self._selector = selectors.DefaultSelector()
        self._pending = memoryview(b"")
        self.last_words = b""
        # Whether it closed its input while there was more to read.
        self.was_cut = False

    def __enter__(self) -> _Conversation:
        for pipe in (self._input, self._output, self._errors):
            os.set_blocking(pipe.fileno(), False)
            _widen(pipe.fileno())
        for pipe in (self._output, self._errors):
            self._selector.register(pipe, selectors.EVENT_READ)
        if self._events:
            os.set_blocking(self._events.reading, False)
            self._selector.register(self._events.reading, selectors.EVENT_READ)
        return self

    def __exit__(self, *_: object) -> None:
        self.close_input()
        self._selector.close()
        self._output.close()
        self._errors.close()

    @property
    def is_accounted(self) -> bool:
        """Whether it has said what it did, where it was asked to."""
        return self._events is None or self._events.conclude()

    def write(self, chunk: bytes) -> Iterator[bytes]:
        """Writes bytes to it, and gives what it writes meanwhile."""
        if self._input.closed or not chunk:
            return
        self._pending = memoryview(chunk)
        self._selector.register(self._input, selectors.EVENT_WRITE)
        try:
            while self._pending and not self.was_cut:
                yield from self._step()
        finally:
            self._selector.unregister(self._input)
        if self.was_cut:
            self.close_input()

    def close_input(self) -> None:
        """Tells it that there is no more."""
        with contextlib.suppress(OSError):
            self._input.close()

    def rest(self) -> Iterator[bytes]:
        """Gives what it writes until its end."""
        while self._selector.get_map():
            yield from self._step()

    def _step(self) -> Iterator[bytes]:
        for key, _ in self._selector.select():
            if key.fileobj is self._input:
                self._feed()
            elif data := os.read(key.fd, PIPE_SIZE):
                if key.fileobj is self._output:
                    yield data
                elif self._events and key.fd == self._events.reading:
                    self._events.hear(data)
                else:
                    self._listen(data)
            else:
                self._selector.unregister(key.fileobj)

    def _feed(self) -> None:
        try:
            self._pending = self._pending[os.write(self._input.fileno(), self._pending) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.was_cut = True

    def _listen(self, data: bytes) -> None:
        self.last_words = (self.last_words + data)[-REMEMBERED:]
        sys.stderr.write(data.decode(errors="replace"))


def _widen(descriptor: int) -> None:
    """Has a pipe hold more, where the system allows it."""
    with contextlib.suppress(AttributeError, OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
