"""Rows of Spark through `sonde` and back, with what stands beside them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from sonde.errors import SondeError
from sonde.events import Account
from sonde.sources import GUARD
from sonde.spark import running


class Answered:
    """Records of `sonde`, each with the row that it answers."""

    def __init__(self) -> None:
        self._rows: deque[tuple[int, pa.RecordBatch]] = deque()
        # How many lines there were.
        self.fed = 0

    def feed(
        self, batches: Iterable[pa.RecordBatch], times: str | None = None, keeps: Sequence[str] = ()
    ) -> Iterator[bytes]:
        """Makes a line of the first column of each row, and keeps the others that are named, by the line.

        Args:
            batches: The rows.
            times: A column that says how many lines a row is.
            keeps: The columns that go with the record.

        """
        yield GUARD
        for batch in batches:
            if times is not None:
                counts = batch.column(batch.schema.names.index(times)).to_numpy()
                if (counts != 1).any():
                    batch = batch.take(pa.array(np.repeat(np.arange(batch.num_rows), counts)))
            if not batch.num_rows:
                continue
            if keeps:
                self._rows.append((self.fed, batch.select(list(keeps))))
            self.fed += batch.num_rows
            yield b"\n".join(batch.column(0).cast(pa.binary()).to_pylist()) + b"\n"

    def rows(self, lines: pa.Array) -> list[pa.RecordBatch]:
        """What was kept of the rows that lines were made of; lines ascend from call to call."""
        positions = lines.to_numpy() - 2
        found = []
        while len(positions):
            first, batch = self._rows[0]
            count = int(np.searchsorted(positions, first + batch.num_rows))
            if count:
                found.append(batch.take(pa.array(positions[:count] - first)))
                positions = positions[count:]
            if len(positions):
                self._rows.popleft()
        return found


def through(
    arguments: Sequence[str],
    schema: pa.Schema,
    rows: Iterable[pa.RecordBatch],
    times: str | None = None,
    keeps: Sequence[str] = (),
    must_answer: bool = False,
) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch | None]]:
    """Has `sonde` read the first column of rows, a line for each, and gives records with the rows' columns.

    Args:
        arguments: The command and its options; it writes CSV.
        schema: The columns of its records; with `keeps`, one of them is `line`.
        rows: The rows.
        times: The column that says how many lines a row is.
        keeps: The columns of a row that go with the records of it.
        must_answer: Whether an address without an answer is an error.

    """
    answered = Answered()
    rows = iter(rows)
    # Nothing is started for an empty partition.
    first = next((batch for batch in rows if batch.num_rows), None)
    if first is None:
        return
    lines = answered.feed(_chain(first, rows), times, keeps)
    account = Account()
    for batch in running.records_of([*arguments, "--format=csv", "-"], schema, lines, account):
        if not keeps:
            yield batch, None
            continue
        kept = pa.Table.from_batches(answered.rows(batch.column(schema.names.index("line"))))
        yield batch, kept.combine_chunks().to_batches()[0]
    if times is not None and account.entries != answered.fed:
        raise SondeError(f"sonde was given {answered.fed} entries, and says that there were {account.entries}")
    if must_answer:
        account.raise_for_unanswered()


def _chain(first: pa.RecordBatch, rest: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest
