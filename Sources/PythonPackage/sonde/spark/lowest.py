"""The lowest place of each address of many splits, which goes from task to task as values of many addresses.

In a log that is read in splits, most addresses are in each of them. As rows, they would cost Spark several times what
it takes to read the log.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

ITEM, AT = "_sonde_item", "_sonde_at"
SHARE, PAIRS = "_sonde_share", "_sonde_pairs"
_PAIR = pa.schema([(ITEM, pa.string()), (AT, pa.int64())])
# Pairs that are packed at once, and at least for each share: a value costs as much as some dozens of them.
_PACKED, _OF_EACH = 1 << 18, 1 << 7
# The pairs of a value at most, for Spark hands over ten thousand values together, however large they are.
_VALUE = 1 << 10
# Pairs that are kept before they are made fewer.
_MOST = 1 << 20
# Pairs that are given at once.
_ROWS = 1 << 16
# Bytes of a text by which it is told in which share it is.
_TOLD_BY = 8


def packed(pairs: Iterable[pa.RecordBatch], shares: int) -> Iterator[pa.RecordBatch]:
    """Packs addresses and places so that all those of an address are in values of the same share.

    Args:
        pairs: Addresses with a place each, under any names.
        shares: How many shares there are.

    """
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in pairs:
        waiting.append(_pair(batch))
        count += batch.num_rows
        if count >= max(_PACKED, _OF_EACH * shares):
            yield _packed(waiting, shares)
            waiting, count = [], 0
    if waiting:
        yield _packed(waiting, shares)


def unpacked(values: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Gives what was packed."""
    for batch in values:
        for value in batch.column(batch.schema.names.index(PAIRS)):
            # A copy, for where it lies, it may begin at any byte.
            yield pa.ipc.read_record_batch(pa.py_buffer(value.as_py()), _PAIR)


def lowest(pairs: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Gives each address once, with the lowest of its places, once all have come."""
    found = _PAIR.empty_table()
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in pairs:
        waiting.append(_pair(batch))
        count += batch.num_rows
        # The more there are, the less often they are gone through.
        if count >= max(_MOST, found.num_rows):
            found, waiting, count = _lowest(found, waiting), [], 0
    yield from _lowest(found, waiting).to_batches(_ROWS)


def _pair(batch: pa.RecordBatch) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(batch.columns, schema=_PAIR)


def _lowest(found: pa.Table, pairs: list[pa.RecordBatch]) -> pa.Table:
    if not pairs:
        return found
    together = pa.concat_tables([found, pa.Table.from_batches(pairs)])
    grouped = together.group_by(ITEM, use_threads=False).aggregate([(AT, "min")])
    return pa.Table.from_arrays([grouped[ITEM], grouped[f"{AT}_min"]], schema=_PAIR)


def _packed(pairs: list[pa.RecordBatch], shares: int) -> pa.RecordBatch:
    batches = pa.Table.from_batches(pairs).combine_chunks().to_batches()
    if shares == 1 or not batches:
        return _values(enumerate(batches))
    share = _shares(batches[0].column(0), shares)
    sorted_ = batches[0].take(pa.array(np.argsort(share, kind="stable")))
    bounds = [0, *np.cumsum(np.bincount(share, minlength=shares)).tolist()]
    return _values(enumerate(sorted_.slice(start, end - start) for start, end in itertools.pairwise(bounds)))


def _values(parts: Iterable[tuple[int, pa.RecordBatch]]) -> pa.RecordBatch:
    numbers, values = [], []
    for number, part in parts:
        for start in range(0, part.num_rows, _VALUE):
            numbers.append(number)
            values.append(part.slice(start, _VALUE).serialize().to_pybytes())
    return pa.RecordBatch.from_arrays([pa.array(numbers, pa.int32()), pa.array(values, pa.binary())], [SHARE, PAIRS])


def _shares(texts: pa.Array, shares: int) -> npt.NDArray[np.uint32]:
    """The share of each text, the same for the same text in every process; there are some, and none is empty."""
    _, ends, data = texts.buffers()
    bounds = np.frombuffer(ends, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    letters = np.frombuffer(data, np.uint8)
    starts, lasts = bounds[:-1], bounds[1:] - 1
    mixed = np.zeros(len(texts), np.uint32)
    for part in range(_TOLD_BY):
        mixed = mixed * np.uint32(31) + letters[starts + (lasts - starts) * part // (_TOLD_BY - 1)]
    return (mixed * np.uint32(2654435761) >> np.uint32(16)) % np.uint32(shares)
