"""What goes wrong beside what a record tells."""


class SondeError(RuntimeError):
    """`sonde` could not do its work on a machine: the message says what, where, and what helps.

    An address that nobody answered for is no error but a record, whose `status` and `message` tell.

    Attributes:
        status: What `sonde` ended with, as far as it ended by itself; 2 where an option is none.

    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class UnansweredError(SondeError):
    """Addresses got no answer, and `on_unanswered="fail"` asks for one of each.

    What was answered is in the cache: a repetition asks for the rest alone.

    Attributes:
        failed: How many records are `failed`.
        network_lost: How many are `network_lost`.

    """

    def __init__(self, failed: int, network_lost: int) -> None:
        super().__init__(f"{failed + network_lost} addresses got no answer: {failed} failed, {network_lost} lost")
        self.failed, self.network_lost = failed, network_lost
