"""A `pyarrow.RecordBatchReader` that is filled while it is read, and can be closed before its end."""

from __future__ import annotations

from collections.abc import Callable, Generator

import pyarrow as pa
import pyarrow.ipc

from sonde.errors import SondeError


class Reader(pa.ipc.RecordBatchStreamReader):  # type: ignore[misc]
    """Reads the batches of a generator, which ends when the reader is closed or dropped.

    Arrow's own reader of a generator lets it go on when it is closed. This one reads Arrow's stream
    format from what the generator gives, where it is not Python that reads; what it raises comes out as it is.
    `abort` ends what fills it while another thread reads.
    """

    def __init__(
        self, schema: pa.Schema, batches: Generator[pa.RecordBatch, None, None], abort: Callable[[], object]
    ) -> None:
        self._stream = _Stream(schema, batches, abort)
        super().__init__(self._stream)

    def __iter__(self) -> Reader:
        return self

    def __next__(self) -> pa.RecordBatch:
        return self.read_next_batch()

    def read_next_batch(self) -> pa.RecordBatch:
        """Gives the next batch as it is: nothing is copied.

        Raises:
            StopIteration: There is no other one.
            SondeError: The reader was closed.

        """
        return self._stream.next_batch()

    def read_all(self) -> pa.Table:
        """Gives all that is left."""
        return pa.Table.from_batches(self, self.schema)

    def close(self) -> None:
        """Ends what fills the reader."""
        self._stream.close()

    def __exit__(self, *_: object) -> None:
        self.close()


class _Stream:
    """A file object of Arrow's stream format (https://arrow.apache.org/docs/format/Columnar.html#ipc)."""

    closed = False

    def __init__(
        self, schema: pa.Schema, batches: Generator[pa.RecordBatch, None, None], abort: Callable[[], object]
    ) -> None:
        self._batches, self._abort, self._is_over = batches, abort, False
        self._left = memoryview(schema.serialize())

    def readable(self) -> bool:
        """It is read."""
        return True

    def writable(self) -> bool:
        """It is not written."""
        return False

    def seekable(self) -> bool:
        """It is read once."""
        return False

    def read(self, size: int = -1) -> memoryview | bytes:
        """Gives bytes of the next batch; none behind the last."""
        while not self._left:
            try:
                batch = self.next_batch()
            except StopIteration:
                return b""
            self._left = memoryview(batch.serialize())
        end = len(self._left) if size < 0 else size
        piece, self._left = self._left[:end], self._left[end:]
        return piece

    def next_batch(self) -> pa.RecordBatch:
        """Takes the next batch from the generator."""
        try:
            if not self._is_over:
                return next(self._batches)
        except SondeError:
            # While this waited for the program, another thread ended it.
            if not self._is_over:
                raise
        raise SondeError("the reader was closed")

    def close(self) -> None:
        """Ends the generator."""
        self._left, self._is_over = memoryview(b""), True
        try:
            self._batches.close()
        except ValueError:
            # Another thread reads, or waits for the source.
            self._abort()
