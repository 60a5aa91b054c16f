"""Records of whatever has addresses, as Arrow's batches."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator
from typing import Any

import pyarrow as pa

from sonde import child, columns, errors, options, records, settings, sources
from sonde.errors import UsageError
from sonde.events import Account
from sonde.options import Value
from sonde.reader import Reader

Events = Callable[[dict[str, Any]], object]
# Names of what the records come by.
_STDOUT = ("-", "/dev/stdout", "/dev/fd/1")
# What a scan that has nothing to read must not be given.
_OF_INPUTS = ("range", "pcap", "rejects", "missing", "strict")


def schema(**options_: Value) -> pa.Schema:
    """Gives the schema that `scan` with these options would have.

    Args:
        **options_: Options of `sonde scan` by their long names, with `_` for `-`.

    Raises:
        UsageError: An option is none, or has a bad value.
        SondeError: There is no program, or it cannot do its work.

    """
    return _schema(settings.settled(options.checked(options_)))


def _schema(given: dict[str, Value]) -> pa.Schema:
    if "events" in given:
        raise ValueError("events: a function that is called with each event")
    # Judges all options, and those that need no input once more.
    known = columns.known(options.arguments(given, but=("fields",)))
    names = columns.header(options.arguments(given, but=_OF_INPUTS))
    return pa.schema([known[name] for name in names])


def scan(
    source: object,
    *,
    column: str | None = None,
    on_unanswered: str = "record",
    events: Events | None = None,
    **options_: Value,
) -> pa.RecordBatchReader:
    """Gives the records of what a source has, as `sonde scan` of it would.

    The reader is filled while it is read: what is not read is not asked. To close or drop it ends the program.

    Args:
        source: A `str` is an input of the command line: a file's name, an address, a block or a range. An
            `os.PathLike` is a file. A binary file object is read as standard input is. Any iterable of `str`,
            `bytes`, `ipaddress` objects or `None`, an Arrow array, a pandas or Polars series is one item each,
            with `log=True` one line each; so is a column of an Arrow table, a DataFrame or a relation.
        column: The column's name, where there are several.
        on_unanswered: With `"fail"`, a record that is `failed` or `network_lost` is an error once all records
            have been given; `"record"` leaves it to the records.
        events: Called with each event of the run, a dict.
        **options_: Options of `sonde scan` by their long names, with `_` for `-`: `with_` for `--with`, flags
            `True`, repeated ones as lists.

    Raises:
        UsageError: An option is none, or has a bad value.
        UnansweredError: By the reader, with `on_unanswered="fail"`.
        SondeError: There is no program, or, by the reader, it could not do its work.
        TypeError: A source, `events` or, by the reader, an item of another type.
        ValueError: An option that is not for here, or a column that is not there.

    """
    return reading(source, column, on_unanswered, events, options_)


def reading(
    source: object,
    column: str | None,
    on_unanswered: str,
    events: Events | None,
    options_: dict[str, Value],
    output: str | None = None,
) -> Reader:
    """Gives a reader as of `scan`, whose records go to a file, if one is named."""
    callable_with_events(events)
    must_answer = errors.must_answer(on_unanswered)
    given = settings.settled(options.checked(options_))
    guard = sources.Guard.before(sources.GUARD if given.get("log") else sources.MARK, given.get("where"))
    found = sources.of(source, column, guard)
    result = _schema(given)
    _check_range(found, given)
    _check_files(found, given, output)
    if found.guard:
        given = found.guard.judged(given)
    account = Account(is_rejecting=bool(given.get("rejects")), listener=events)
    return Reader(result, _batches(found, result, given, account, must_answer), lambda: account.abort())


def callable_with_events(events: object) -> None:
    """Raises a TypeError for what cannot be called."""
    if events is not None and not callable(events):
        raise TypeError(f"events: a value of type {type(events).__name__} cannot be called with each event")


def _check_range(source: sources.Source, given: dict[str, Value]) -> None:
    """Raises a UsageError for a range of what has none."""
    if given.get("range") is None:
        return
    if not given.get("log"):
        raise UsageError("--range applies to logs: add log=True", 2)
    if source.name is None:
        raise UsageError("--range applies to a file: its name or path must be the source", 2)
    # Refuses a file that has no lines to be read from the middle on.
    child.output(["extract", "--count", "--quiet", "--range=0:0", *source.operands])


def _check_files(source: sources.Source, given: dict[str, Value], output: str | None) -> None:
    """Raises a UsageError for one file in two roles."""
    if any(given.get(name) in _STDOUT for name in ("missing", "rejects")):
        raise UsageError("stdout is also an output", 2)
    roles = [(source.name, "an input"), (given.get("cache"), "the cache")]
    roles += [(given.get(name), "an output") for name in ("missing", "rejects")]
    roles.append((output, "an output"))
    taken: dict[object, str] = {}
    for path, role in roles:
        if not isinstance(path, str) or path == "-":
            continue
        try:
            status = os.stat(path)
            # What has no content can have two.
            if not stat.S_ISREG(status.st_mode):
                continue
            file: object = (status.st_dev, status.st_ino)
        except OSError:
            file = os.path.realpath(path)
        if file in taken:
            raise UsageError(f"{path} is also {taken[file]}", 2)
        taken[file] = role


def _batches(
    source: sources.Source, schema_: pa.Schema, given: dict[str, Value], account: Account, must_answer: bool
) -> Generator[pa.RecordBatch, None, None]:
    """Starts the program with the first batch that is asked for."""
    arguments = ["scan", *options.arguments(given), "--format=csv", "--quiet", *source.operands]
    wide = given.get("provider") == "local"
    inherits = source.is_standard_input
    run = records.of_run(arguments, schema_, source.chunks, account, inherits_input=inherits, wide=wide)
    for batch in run:
        yield _placed(batch, source.guard)
    if must_answer:
        account.raise_for_unanswered()


def _placed(batch: pa.RecordBatch, guard: sources.Guard | None) -> pa.RecordBatch:
    """Records with the numbers of their items: what stands before the first is none."""
    if guard is None or not guard.is_there or not guard.shifts["line"]:
        return batch
    # Takes a while to be imported.
    import pyarrow.compute as pc

    columns_ = [
        pc.subtract(values, guard.shifts[name]) if name in guard.shifts else values
        for name, values in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns_, schema=batch.schema)
