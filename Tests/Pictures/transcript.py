"""From what was drawn to what a reader needs: every message, and the progress line now and then."""

import re
from itertools import groupby
from typing import NamedTuple


PROGRESS = re.compile(r"\r([^\r\x1b]+)\x1b\[K\r")


class Line(NamedTuple):
    """A line of the picture: when it stood there, its kind, and its text."""

    at: float
    kind: str  # lost, back, message, or what the progress line tells: quota, waiting, running
    text: str


def lines(drawings):
    """The messages in their order, and between them one progress line for each thing it tells."""
    shown = [line for drawing in drawings for line in _lines(drawing)]
    for (is_progress, _), group in groupby(shown, key=_group):
        group = list(group)
        if not is_progress:
            yield from group
        elif len(group) > 3:  # what stood there for more than half a second
            yield group[-1] if group[0].kind == "running" else group[len(group) // 2]


def _group(line):
    is_progress = line.kind in ("quota", "waiting", "running")
    return is_progress, line.kind if is_progress else ""


def _lines(drawing):
    """The lines of one drawing: messages end, the progress line is drawn over (`ESC [K`, return)."""
    for text in drawing.text.split("\r\n"):
        for progress in PROGRESS.findall(text):
            yield Line(drawing.at, _progress_kind(progress), progress)
        message = re.sub(r"\r|\x1b\[K", "", PROGRESS.sub("", text))
        if message:
            yield Line(drawing.at, _message_kind(message), message)


def _progress_kind(text):
    if "network lost" in text:
        return "waiting"
    return "quota" if "quota: " in text else "running"


def _message_kind(text):
    if text.startswith("sonde: network lost"):
        return "lost"
    return "back" if text.startswith("sonde: network is back") else "message"
