"""What goes wrong beside what a record tells."""

from __future__ import annotations


class SondeError(RuntimeError):
    """The program could not do its work: the message says what, and what helps.

    An address that nobody answered for is no error but a record, whose `status` and `message` tell.

    Attributes:
        status: What the program ended with; None where it ended otherwise, or was not started.
        signal: The number of the signal that ended it, if one did.

    """

    def __init__(self, message: str, status: int | None = None, signal: int | None = None) -> None:
        super().__init__(message)
        self.status, self.signal = status, signal

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.status, self.signal)


class UsageError(SondeError, ValueError):
    """An option or an input is none; nothing was asked. The status is 2."""


class UnansweredError(SondeError):
    """Addresses got no answer, and `on_unanswered="fail"` asks for one of each.

    What was answered is in the cache: a repetition asks for the rest alone.

    Attributes:
        failed: How many records are `failed`.
        network_lost: How many are `network_lost`.

    """

    def __init__(self, failed: int, network_lost: int, status: int | None = None) -> None:
        super().__init__(
            f"{failed + network_lost} addresses got no answer: {failed} failed, {network_lost} lost", status
        )
        self.failed, self.network_lost = failed, network_lost

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.failed, self.network_lost, self.status)


def must_answer(on_unanswered: str) -> bool:
    """Whether an address without an answer is an error.

    Raises:
        ValueError: It is neither `"record"` nor `"fail"`.

    """
    if on_unanswered not in ("record", "fail"):
        raise ValueError(f'on_unanswered={on_unanswered!r}: it is "record" or "fail"')
    return on_unanswered == "fail"
