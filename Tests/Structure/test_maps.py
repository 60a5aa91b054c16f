"""The maps of the sources: each target and each folder is named where readers look for it."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources"
# All targets for C are one row.
FAMILY = "CSonde"


def rows(text, head):
    """The first two cells of each row of the table with a head."""
    table = text.split(f"\n{head}\n", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip() for cell in line.split("|")[1:3]] for line in table.splitlines()[1:]]


def folders(path):
    """The folders of a target that have Swift files in them, by their paths from the root."""
    found = {file.parent for file in path.rglob("*.swift")} - {path}
    return sorted(str(folder.relative_to(ROOT)) for folder in found)


def test_contributing_names_each_target_once():
    table = rows((ROOT / ".github/CONTRIBUTING.md").read_text(), "| in `Sources/` | owns |")
    assert all(owns for _, owns in table)
    names = [name for cell, _ in table for name in re.findall(r"`([^`]+)`", cell)]
    targets = {path.name for path in SOURCES.iterdir()}
    single = {name for name in targets if not name.startswith(FAMILY)}
    assert Counter(names) == Counter([*single, f"{FAMILY}…"])


@pytest.mark.parametrize("path", sorted(SOURCES.iterdir()), ids=lambda path: path.name)
def test_a_catalogue_names_each_folder_once(path):
    page = path / f"{path.name}.docc" / f"{path.name}.md"
    text = page.read_text() if page.exists() else ""
    named = rows(text, "| folder | contains |") if "\n| folder | contains |\n" in text else []
    assert sorted(folder.strip("`") for folder, _ in named) == folders(path)
    assert all(contains for _, contains in named)
