"""What goes wrong beside what a record tells."""


class SondeError(RuntimeError):
    """`sonde` could not do its work on a machine: the message says what, where, and what helps.

    An address that nobody answered for is no error but a record, whose `status` and `message` tell.
    """
