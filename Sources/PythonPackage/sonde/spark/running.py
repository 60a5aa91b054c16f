"""Runs of the program on a machine of the cluster, whose errors say where they were."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa
from pyspark import cloudpickle

from sonde import __version__, child, records
from sonde.errors import SondeError, UnansweredError
from sonde.events import Account

Step = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def guarded(step: Step) -> Step:
    """A step of a task that names what is missing on its machine, in place of the traceback of an import.

    It is pickled by value, and imports nothing until it is called, for the package may be absent there.
    """
    dumps: Callable[[object], bytes] = cloudpickle.dumps
    pickled, wanted = dumps(step), __version__

    def checked(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pickle
        import socket

        advice = f"on every machine of the cluster: pip install sonde[spark]=={wanted}"
        try:
            import sonde
        except ImportError:
            message = f"there is no Python package sonde on {socket.gethostname()}; install the driver's {advice}"
            raise RuntimeError(message) from None
        found = getattr(sonde, "__version__", "of an unknown version")
        if found != wanted:
            raise RuntimeError(
                f"the package sonde on {socket.gethostname()} is {found}, and that of the driver {wanted}; "
                f"install the same one {advice}"
            )
        yield from pickle.loads(pickled)(rows)

    # As if it were the caller's own, which is what has it pickled by value.
    checked.__module__ = "__main__"
    return checked


@contextlib.contextmanager
def named() -> Iterator[None]:
    """Adds this machine's name to an error."""
    try:
        yield
    except UnansweredError:
        raise
    except SondeError as error:
        end = "" if error.status is None else f" ended with status {error.status}"
        message = f"sonde{end} on {socket.gethostname()}: {error}"
        raise type(error)(message, error.status, error.signal) from None


def output(arguments: Sequence[str]) -> bytes:
    """As `child.output`."""
    return b"".join(run(arguments))


def run(
    arguments: Sequence[str], chunks: Iterable[bytes] | None = None, account: Account | None = None
) -> Iterator[bytes]:
    """As `child.run`; stderr goes on to this process's own."""
    with named():
        yield from child.run(arguments, chunks, account, echoes=True)


def records_of(
    arguments: Sequence[str],
    schema: pa.Schema,
    chunks: Iterable[bytes] | None = None,
    account: Account | None = None,
) -> Iterator[pa.RecordBatch]:
    """As `records.of_run`; stderr goes on to this process's own."""
    with named():
        yield from records.of_run(arguments, schema, chunks, account, echoes=True)
