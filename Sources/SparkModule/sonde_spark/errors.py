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
