"""The events of a run, of which the last is its account."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sonde.errors import UnansweredError

_STDERR = 2


@dataclass
class Account:
    """What a run of the program says of itself, by its events."""

    # Whether invalid entries have no record, as with `rejects`.
    is_rejecting: bool = False
    # Called with each event.
    listener: Callable[[dict[str, Any]], object] | None = None
    # The event `summary`, once it has come.
    summary: dict[str, Any] = field(default_factory=dict)
    # Ends the run, for one who cannot wait for the thread that reads it.
    abort: Callable[[], object] = int

    @property
    def entries(self) -> int:
        """How many entries there were."""
        return int(self.summary["entries"])

    @property
    def records(self) -> int:
        """How many of the entries have a record."""
        others = ["duplicates", "excluded", *(["invalid"] if self.is_rejecting else [])]
        return self.entries - sum(int(self.summary.get(name, 0)) for name in others)

    def take(self, line: bytes) -> None:
        """Takes an event."""
        event = json.loads(line)
        if event.get("event") == "summary":
            self.summary = event
        if self.listener is not None:
            self.listener(event)

    def raise_for_unanswered(self) -> None:
        """Raises an UnansweredError where an address got no answer."""
        failed, lost = int(self.summary["failed"]), int(self.summary["network_lost"])
        if failed or lost:
            raise UnansweredError(failed, lost)


def _above(descriptor: int) -> int:
    """A descriptor that is none of the child's first three, which may be closed in this process."""
    if descriptor > _STDERR:
        return descriptor
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _STDERR + 1)
    finally:
        os.close(descriptor)


class EventPipe:
    """The pipe by which a child tells its events."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self.reading, self._writing = map(_above, os.pipe())
        os.set_blocking(self.reading, False)
        self._line = b""
        self._is_open = True

    def __enter__(self) -> EventPipe:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_open:
            os.close(self.reading)
        self._is_open = False

    @property
    def options(self) -> list[str]:
        """What has the child write to it."""
        return [f"--events=/dev/fd/{self._writing}"]

    @property
    def given(self) -> tuple[int]:
        """What the child inherits."""
        return (self._writing,)

    @property
    def is_complete(self) -> bool:
        """Whether the account was given."""
        return bool(self._account.summary)

    def give(self) -> None:
        """Leaves the other end to the child alone."""
        os.close(self._writing)

    def disown(self) -> None:
        """Closes it in a process that was forked off."""
        self.__exit__()

    def hear(self, data: bytes) -> None:
        """Takes what the child has written."""
        *lines, self._line = (self._line + data).split(b"\n")
        for line in lines:
            self._account.take(line)
