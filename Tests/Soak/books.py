"""The books of a run: its records beside those of another, its summary, its status."""

import csv
import io
import json
from collections import Counter
from dataclasses import dataclass

KINDS = "duplicates ok unknown reserved invalid failed network_lost".split()
# The shell's statuses of a program that the kernel or the runtime ended: SIGILL, SIGTRAP, SIGABRT,
# SIGBUS, SIGFPE, SIGSEGV, SIGPIPE, SIGXFSZ.
CRASHES = {132, 133, 134, 135, 136, 139, 141, 153}
SIGNALS = {"INT": 130, "TERM": 143, "HUP": 129, "KILL": 137}
# What differs between two runs that are alike.
TIMES = ("fetched_at", "cached")
ANSWERED = ("ok", "unknown")


@dataclass
class Outcome:
    """What a run wrote."""

    main: bytes
    rejects: bytes
    missing: bytes
    events: bytes

    def records(self, form):
        """The records of the main output, as dictionaries of texts."""
        return _records(self.main, form)

    @property
    def summary(self):
        """The last summary event."""
        events = [json.loads(line) for line in self.events.splitlines()]
        summaries = [event for event in events if event["event"] == "summary"]
        return summaries[-1] if summaries else {}


def _records(data, form):
    text = data.decode()
    if form == "csv":
        return [dict(row) for row in csv.DictReader(io.StringIO(text, newline=""))]
    if form == "json":
        return json.loads(text or "[]")
    return [json.loads(line) for line in text.splitlines()]


def faults_of_end(result, what, stop=None, limit=None):
    """What is wrong with a run's status and words."""
    found = []
    allowed = {0, 1, 3}
    allowed |= {SIGNALS[stop]} if stop else set()
    allowed |= {5} if limit else set()
    if result.status in CRASHES or "Fatal error" in result.stderr:
        found.append(f"crashed with {result.status}")
    elif result.status not in allowed:
        found.append(f"status {result.status}")
    if result.status == 5 and not result.stderr.strip():
        found.append("status 5 without a word")
    return [f"{what}: {each}; stderr: {result.stderr[-800:]}" for each in found]


def was_refused(result, redis):
    """Whether a run was refused for what passes: another one has its files, or the shared server is not itself."""
    if result.status != 5:
        return False
    return "another sonde is at work on" in result.stderr or bool(redis) and redis.place in result.stderr


def differences(whole, ended, scenario):
    """Where a disturbed run differs from an undisturbed one, the first few."""
    form = scenario.format
    before, after = whole.records(form), ended.records(form)
    if scenario.is_unordered:
        before, after = sorted(before, key=_place), sorted(after, key=_place)
    wrong = [] if len(before) == len(after) else [f"{len(after)} records instead of {len(before)}"]
    for one, other in zip(before, after):
        if problem := _problem(one, other, scenario):
            wrong.append(f"{problem}: {other} instead of {one}")
    if _sorted(whole.rejects, scenario) != _sorted(ended.rejects, scenario):
        wrong.append("other rejects")
    return wrong[:5] + _imbalance(ended, after)


def _place(record):
    return (record.get("input", ""), int(record.get("line") or 0), record["ip"])


def _sorted(data, scenario):
    lines = data.splitlines()
    return sorted(lines) if scenario.is_unordered else lines


def _problem(one, other, scenario):
    """What is wrong with a record, beside that of the undisturbed run."""
    if _place(one) != _place(other):
        return "another entry"
    if one["status"] in ANSWERED and other["status"] == "failed":
        return None if scenario.faults and other.get("message") else "failed without a reason"
    if other["status"] in ANSWERED and "libloc" in (one.get("source"), other.get("source")):
        return None if scenario.falls_back else "answered by another"
    names = (one.keys() | other.keys()) - set(TIMES)
    differing = [name for name in names if (one.get(name) or "") != (other.get(name) or "")]
    return f"{differing} differ" if differing else None


def _imbalance(ended, records):
    """Where the summary is not what was written."""
    summary = ended.summary
    if not summary:
        return ["no summary"]
    wrong = []
    if summary["entries"] != sum(summary[kind] for kind in KINDS):
        wrong.append(f"the books do not balance: {summary}")
    counts = Counter(record["status"] for record in records)
    counts["invalid"] += summary["invalid"]
    for kind in KINDS[1:]:
        if counts[kind] != summary[kind]:
            wrong.append(f"{counts[kind]} {kind} written, {summary[kind]} in the summary")
    missing = len(ended.missing.splitlines())
    if missing != summary["failed"] + summary["network_lost"]:
        wrong.append(f"{missing} addresses in --missing, {summary['failed']} failed")
    return wrong
