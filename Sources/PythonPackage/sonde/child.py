"""A run of the program that is fed while its output is read, in the reader's thread.

Nothing is lost in silence: what raises in whatever feeds it raises here, its input is always closed,
it does not outlive the reader, and an end that is none of a scan's own is an error.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sonde import program
from sonde.errors import SondeError, UsageError
from sonde.events import Account, EventPipe
from sonde.pipes import PIPE_SIZE, widen

# All answered; some failed or invalid; the network was lost; the provider refused: the records tell.
RECORDS_TELL = frozenset({0, 1, 3, 4})
# Of what it says on stderr, so much is kept.
REMEMBERED = 4000
# Output is passed on as soon as no more has come for so long.
PAUSE = 0.2
# Seconds in which it ends by itself when nobody reads it any more.
GRACE = 1.0


def run(
    arguments: Sequence[str],
    chunks: Iterable[bytes] | None = None,
    account: Account | None = None,
    *,
    echoes: bool = False,
    inherits_input: bool = False,
    wide: bool = True,
    settings: Mapping[str, str] = {},
) -> Iterator[bytes]:
    """Runs the program, and gives its output in pieces as they come; an empty piece where it pauses.

    Args:
        arguments: What follows `sonde` on the command line.
        chunks: What it reads on its standard input; nothing where there is none. Behind an empty one, the next
            one may be long in coming: what is written soon is passed on first.
        account: Filled by the events of the run.
        echoes: Whether its stderr goes on to this process's own.
        inherits_input: Whether it reads this process's standard input.
        wide: Whether the pipes hold much, so that less is waited for, and more is done ahead of the reader.
        settings: What the environment says of options in place of what it does, by their long names; empty for nothing.

    Raises:
        UsageError: It ends with 2.
        SondeError: It cannot be started, ends by a signal, or with a status of no scan's own,
            before it has read its input, or without its account.

    """
    with contextlib.ExitStack() as ends:
        events = ends.enter_context(EventPipe(account)) if account is not None else None
        words = [*arguments[:1], *(events.options if events else ()), *arguments[1:]]
        child = _start(words, events, inherits_input, settings)
        ends.callback(_end, child, os.getpid())
        if account is not None:
            account.abort = child.kill
        with _Conversation(child, events, echoes, wide) as conversation:
            for chunk in chunks or ():
                yield from conversation.write(chunk) if chunk else conversation.pause()
                if conversation.is_cut_off():
                    break
            conversation.close_input()
            yield from conversation.rest()
        _judge(child.wait(), conversation)


def output(arguments: Sequence[str], settings: Mapping[str, str] = {}) -> bytes:
    """Runs the program without input, and gives all it writes; the settings as of `run`."""
    return b"".join(run(arguments, settings=settings))


def exit_status(arguments: Sequence[str]) -> int:
    """Runs the program without input for its exit status alone."""
    words = [_program(), *_written(arguments)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode


def _end(child: subprocess.Popen[bytes], owner: int) -> None:
    """Ends it where it has not ended, after an error or where nobody wants the rest."""
    # A process that was forked off has a copy of this, and no child.
    if os.getpid() != owner or child.poll() is not None:
        return
    child.terminate()
    try:
        child.wait(GRACE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _program() -> str:
    found = program.find()
    if found is None:
        raise SondeError(
            "there is no sonde: install the package with the program (for Spark: pip install sonde[spark]), put one "
            "on PATH, or set SONDE_PROGRAM"
        )
    return found


def _written(arguments: Sequence[str]) -> list[str]:
    """The words of a command that writes to its standard output, whatever the settings of its user say."""
    is_command = not "".join(arguments[:1]).startswith("--")
    return [*arguments[:1], *(["--output=-"] if is_command else []), *arguments[1:]]


def _start(
    arguments: Sequence[str], events: EventPipe | None, inherits_input: bool, settings: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    path = _program()
    said = {f"SONDE_{name.upper().replace('-', '_')}": value for name, value in settings.items()}
    try:
        return subprocess.Popen(
            [path, *_written(arguments)],
            bufsize=0,
            stdin=None if inherits_input else pipe,
            stdout=pipe,
            stderr=pipe,
            env={**os.environ, **said} if said else None,
            pass_fds=events.given if events else (),
        )
    except OSError as error:
        raise SondeError(f"{path} could not be started: {error.strerror}") from error
    except ValueError as error:
        # An argument with a NUL.
        raise UsageError(str(error), 2) from error
    finally:
        if events:
            events.give()


def _judge(status: int, conversation: _Conversation) -> None:
    """Raises unless a run ended as a scan ends that has read everything."""
    if status in RECORDS_TELL and not conversation.was_cut and conversation.is_accounted:
        return
    if status < 0:
        raise SondeError(conversation.last_words or f"it was ended by {signal.Signals(-status).name}", None, -status)
    if status in RECORDS_TELL:
        undone = "read its input" if conversation.was_cut else "done its work"
        raise SondeError(f"it ended before it had {undone}: {conversation.last_words}".removesuffix(": "), status)
    words = conversation.last_words or f"it ended with status {status}"
    raise UsageError(words, status) if status == 2 else SondeError(words, status)


class _Conversation:
    """The pipes of a child: none of them is waited for while another one could go on."""

    def __init__(self, child: subprocess.Popen[bytes], events: EventPipe | None, echoes: bool, wide: bool) -> None:
        assert child.stdout
        assert child.stderr
        self._input, self._output, self._errors = child.stdin, child.stdout, child.stderr
        self._events, self._echoes, self._is_wide = events, echoes, wide
        self._selector = selectors.DefaultSelector()
        self._pending = memoryview(b"")
        # Whether output was given that may have more behind it.
        self._is_flowing = False
        self._said = b""
        # Whether it closed its input while there was more to read.
        self.was_cut = False
        self._is_foreign = False
        _open.add(self)

    def __enter__(self) -> _Conversation:
        for pipe in (self._input, self._output, self._errors):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                if self._is_wide:
                    widen(pipe.fileno())
        for pipe in (self._output, self._errors):
            self._selector.register(pipe, selectors.EVENT_READ)
        if self._events:
            self._selector.register(self._events.reading, selectors.EVENT_READ)
        return self

    def __exit__(self, *_: object) -> None:
        _open.discard(self)
        self.close_input()
        self._selector.close()
        self._output.close()
        self._errors.close()

    @property
    def is_accounted(self) -> bool:
        """Whether it has said what it did, where it was asked to."""
        return self._events is None or self._events.is_complete

    @property
    def last_words(self) -> str:
        """The last message on stderr, without the program's name and the advice behind it."""
        lines = self._said.decode(errors="replace").replace("\r", "\n").splitlines()
        said = [line for line in lines if line.strip() and not line.startswith(("Usage: ", "Try 'sonde"))]
        starts = [number for number, line in enumerate(said) if line.startswith("sonde: ")]
        return "\n".join(said[starts[-1] if starts else 0 :]).removeprefix("sonde: ")

    def write(self, chunk: bytes) -> Iterator[bytes]:
        """Writes bytes to it, and gives what it has written by then."""
        self._check_owner()
        if self._input is None or self._input.closed or not chunk:
            return
        self._pending = memoryview(chunk)
        self._selector.register(self._input, selectors.EVENT_WRITE)
        try:
            while self._pending and not self.was_cut:
                yield from self._step()
        finally:
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(self._input)
        if self.was_cut:
            self.close_input()
        else:
            yield from self._step(timeout=0)

    def pause(self) -> Iterator[bytes]:
        """Gives what it writes until it has written nothing for a while."""
        self._is_flowing = True
        while self._is_flowing:
            before = self._is_flowing = False
            for piece in self._step(timeout=PAUSE):
                before = before or bool(piece)
                yield piece
            self._is_flowing = before
        yield b""

    def is_cut_off(self) -> bool:
        """Whether it has closed its input or its output, although there may be more to read."""
        self.was_cut = self.was_cut or self._output not in self._selector.get_map()
        return self.was_cut

    def close_input(self) -> None:
        """Tells it that there is no more."""
        if self._input is not None:
            with contextlib.suppress(OSError):
                self._input.close()

    def rest(self) -> Iterator[bytes]:
        """Gives what it writes until its end."""
        while self._selector.get_map():
            yield from self._step()

    def disown(self) -> None:
        """Closes the pipes in a process that was forked off: they would hold the child for their reader."""
        self._is_foreign = True
        if self._input is not None:
            self._input.close()
        self._output.close()
        self._errors.close()
        if self._events:
            self._events.disown()

    def _check_owner(self) -> None:
        if self._is_foreign:
            raise SondeError("the run belongs to the process from which this one was forked")

    def _step(self, timeout: float | None = None) -> Iterator[bytes]:
        self._check_owner()
        usual = PAUSE if self._is_flowing else None
        ready = self._selector.select(usual if timeout is None else timeout)
        if not ready and self._is_flowing and timeout is None:
            self._is_flowing = False
            yield b""
        for key, _ in ready:
            # The reader may have been forked off since the last piece.
            self._check_owner()
            if key.fileobj is self._input:
                self._feed(key.fd)
            elif data := os.read(key.fd, PIPE_SIZE):
                if key.fileobj is self._output:
                    self._is_flowing = True
                    yield data
                elif key.fileobj is self._errors:
                    self._listen(data)
                elif self._events:
                    self._events.hear(data)
            else:
                self._selector.unregister(key.fileobj)

    def _feed(self, descriptor: int) -> None:
        try:
            self._pending = self._pending[os.write(descriptor, self._pending) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.was_cut = True

    def _listen(self, data: bytes) -> None:
        self._said = (self._said + data)[-REMEMBERED:]
        if self._echoes:
            sys.stderr.write(data.decode(errors="replace"))


_open: weakref.WeakSet[_Conversation] = weakref.WeakSet()


def _disown_all() -> None:
    for conversation in list(_open):
        conversation.disown()


os.register_at_fork(after_in_child=_disown_all)
