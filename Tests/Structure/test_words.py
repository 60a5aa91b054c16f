"""Comments, help texts and manual pages avoid words that a technical writer would not use."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SWIFT = [*ROOT.glob("Sources/**/*.swift"), *ROOT.glob("Samples/**/*.swift")]
PAGES = [*ROOT.glob("Sources/**/*.docc/*.md"), ROOT / "README.md", *ROOT.glob(".github/*.md")]
COMMENT = re.compile(r"^\s*//+ ?(.*)|^.*?\s//\s(.*)")

# Each pattern with the words to use instead.
BETTER = {
    r"\b(is|are|be|been|was) told\b": "reported, logged or notified",
    r"\btold (by|of|about|whether|when|what|every|also)\b": "recognised, distinguished or called with",
    r"\bgo(es|ing)? on with\b": "resume, append or extend",
    r"\bof which \S+ is not so\b": "for which it is false",
    r"\bbut for\b": "except or unless",
    r"\bwhoever\b": "the client, the caller, the owner",
    r"\bwhat (came|becomes|became) of\b": "result",
    r"\bthat is not so\b": "is false",
}


def texts(path):
    """The lines of a file that people read, with their numbers."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if path.suffix == ".md":
            yield number, line
        elif "/SondeOptions/" in str(path):
            yield number, line
        elif comment := COMMENT.match(line):
            yield number, comment[1] or comment[2] or ""


def test_texts_use_plain_words():
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]!r}, better: {better}"
        for path in SWIFT + PAGES
        for number, line in texts(path)
        for pattern, better in BETTER.items()
        if (match := re.search(pattern, line, re.IGNORECASE))
    ]
    assert not found, "\n".join(found)
