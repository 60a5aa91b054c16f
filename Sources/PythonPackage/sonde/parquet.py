"""Records as a Parquet file."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sonde import __version__, options
from sonde.options import Value
from sonde.scanning import Events, callable_with_events, reading

# Records in a row group, fewer in the last.
_GROUP = 1 << 17
# The user and the password of a URL.
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]*@")


def to_parquet(
    source: object,
    path: str | os.PathLike[str],
    *,
    column: str | None = None,
    on_unanswered: str = "record",
    events: Events | None = None,
    **options_: Value,
) -> dict[str, Any]:
    """Writes the records of a source to a file, which appears whole or not at all.

    Its metadata hold `sonde.version` and `sonde.options`, without users and passwords of URLs.

    Args:
        source: As of `scan`.
        path: The file, which is replaced where it is there: a link stays one, and its permissions stay.
        column: As of `scan`.
        on_unanswered: As of `scan`.
        events: As of `scan`.
        **options_: As of `scan`.

    Returns:
        The event `summary` of the run.

    Raises:
        OSError: The file cannot be written, or there is something else than a file.
        Exception: As of `scan` and its reader.

    """
    summary: dict[str, Any] = {}
    callable_with_events(events)

    def listen(event: dict[str, Any]) -> None:
        if event.get("event") == "summary":
            summary.update(event)
        if events is not None:
            events(event)

    named = os.fsdecode(path)
    place = os.path.realpath(named)
    reader = reading(source, column, on_unanswered, listen, options_, place)
    try:
        _check_place(place, named)
        with _new_file(place) as file:
            schema = reader.schema.with_metadata(_metadata(options_))
            with pq.ParquetWriter(file, schema, compression="zstd") as writer:
                for table in _groups(reader, reader.schema):
                    writer.write_table(table.replace_schema_metadata(schema.metadata), row_group_size=_GROUP)
    finally:
        reader.close()
    return summary


def _metadata(given: dict[str, Value]) -> dict[str, str]:
    said = {name: _without_secrets(value) for name, value in options.named(given).items()}
    return {"sonde.version": __version__, "sonde.options": json.dumps(said, sort_keys=True)}


def _without_secrets(value: Value) -> Value:
    if isinstance(value, str):
        return _CREDENTIALS.sub("", value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return [_CREDENTIALS.sub("", str(each)) for each in value]


def _groups(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        if count >= _GROUP:
            yield pa.Table.from_batches(waiting, schema)
            waiting, count = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting, schema)


def _check_place(place: str, path: str) -> None:
    """Makes sure that there can be a file where a path leads.

    Raises:
        OSError: There is something else, or no folder for it.

    """
    if os.path.isdir(place) or path.endswith("/"):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not path or not os.path.isdir(os.path.dirname(place)):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    if os.path.exists(place) and not os.path.isfile(place):
        raise FileExistsError(errno.EEXIST, "It is no regular file", path)


def _link(descriptor: int, folder: str, name: str) -> None:
    """Gives a file without a name one, as of open(2), O_TMPFILE."""
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Python follows the link to the file only with a folder beside it.
        os.link(f"/proc/self/fd/{descriptor}", name, src_dir_fd=place, dst_dir_fd=place, follow_symlinks=True)
    finally:
        os.close(place)


@contextlib.contextmanager
def _new_file(path: str) -> Iterator[Any]:
    """A file without a name, which gets its own once it is whole."""
    folder = os.path.dirname(path)
    hidden = os.path.join(folder, f".sonde-{secrets.token_hex(8)}")
    has_name = False
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
    except (AttributeError, OSError):
        # A file system without such files.
        descriptor = os.open(hidden, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o666)
        has_name = True
    try:
        with open(descriptor, "r+b") as file:
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(descriptor, stat.S_IMODE(os.stat(path).st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
            if not has_name:
                _link(file.fileno(), folder, os.path.basename(hidden))
                has_name = True
        os.replace(hidden, path)
        has_name = False
    finally:
        if has_name:
            os.unlink(hidden)
