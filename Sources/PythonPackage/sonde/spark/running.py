"""Runs of the program on a machine of the cluster, whose errors say where they were."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from sonde import child, records
from sonde.errors import SondeError, UnansweredError
from sonde.events import Account


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
