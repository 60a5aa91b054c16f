"""The records of objects by one task, which has each address once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from sonde.spark import feeding, feeds, logs
from sonde.spark.asking import beside
from sonde.spark.lowest import AT, lowest
from sonde.spark.options import Options
from sonde.spark.places import Places
from sonde.spark.splits import Split


def gathered(planned: Sequence[Split], parsed: Options) -> Iterator[pa.RecordBatch]:
    """Finds the addresses of all splits, each with its first place, and then gives their records."""
    places = logs.numbered(planned)
    first = lowest(batch for feed in feeds.feeds(planned) for batch in logs.found(feed, places, parsed.entries))
    schema = pa.schema([*(parsed.arrow.field(name) for name in parsed.names), *_PLACE])
    arguments = ["scan", *parsed.scan]
    for records, kept in feeding.through(arguments, parsed.arrow, first, keeps=(AT,), must_answer=parsed.must_answer):
        assert kept is not None
        columns = beside(records, parsed, None, ()).columns
        yield pa.RecordBatch.from_arrays([*columns, *_located(kept.column(0), places)], schema=schema)


_PLACE = (pa.field("input", pa.string()), pa.field("offset", pa.int64()), pa.field("line", pa.int64()))


def _located(at: pa.Array, places: Places) -> list[pa.Array]:
    """The files, bytes and lines of places."""
    number, is_line, place = places.taken_apart(at)
    return [
        pa.array(places.files, pa.string()).take(pa.array(number)),
        pa.array(place, mask=is_line),
        pa.array(place, mask=np.logical_not(is_line)),
    ]
