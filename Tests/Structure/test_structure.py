"""The shape of the sources, by the compiler's index of the debug build: what stands on what."""

import re
from collections import defaultdict
from pathlib import Path

import pytest
from index_store import DEFINITION, IMPLICIT, REFERENCE, TYPES, IndexStore

ROOT = Path(__file__).resolve().parents[2]


def target(path):
    return path.split("/")[1]


def folder(path):
    return path.rpartition("/")[0]


class Uses:
    """Which file uses the types and other declarations of which."""

    def __init__(self):
        self.files = {
            path: occurrences
            for path, occurrences in IndexStore(ROOT / ".build/debug/index/store").files(ROOT).items()
            if path.startswith("Sources/")
        }
        self.of_types = self.edges(lambda occurrence: occurrence.kind in TYPES)
        self.of_all = self.edges(lambda occurrence: True)

    def edges(self, counts):
        home = {}
        for path, occurrences in self.files.items():
            for one in occurrences:
                if one.roles & DEFINITION and not one.roles & IMPLICIT and counts(one):
                    home.setdefault(one.symbol, path)
        edges = defaultdict(set)
        for path, occurrences in self.files.items():
            for one in occurrences:
                used = home.get(one.symbol)
                if one.roles & REFERENCE and counts(one) and used and used != path:
                    edges[path].add(used)
        return edges


@pytest.fixture(scope="module")
def uses():
    return Uses()


def between(edges, group):
    """The edges between groups of files, each with a pair of files for it."""
    grouped = defaultdict(dict)
    for path, others in edges.items():
        for other in others:
            if group(path) != group(other):
                grouped[group(path)].setdefault(group(other), (path, other))
    return grouped


def cycles(edges):
    """The strongly connected components of more than one node (Tarjan 1972)."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in edges.get(node, ()):
            if other not in order:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == order[node]:
            component = set(stack[stack.index(node) :])
            del stack[stack.index(node) :]
            if len(component) > 1:
                found.append(component)

    for node in sorted(edges):
        if node not in order:
            visit(node)
    return found


def described(component, grouped):
    """Why each group of a cycle stands on another."""
    return [f"{a} -> {b}: {grouped[a][b]}" for a in component for b in grouped[a] if b in component]


def test_no_target_stands_on_itself_by_way_of_others(uses):
    grouped = between(uses.of_all, target)
    assert [described(component, grouped) for component in cycles(grouped)] == []


def test_each_target_imports_what_it_uses_alone():
    imported = defaultdict(set)
    own = {path.name for path in (ROOT / "Sources").iterdir()}
    for path in ROOT.glob("Sources/**/*.swift"):
        text = path.read_text()
        for name in re.findall(r"^\s*(?:public |package )?import (?:\w+ )?(\w+)", text, re.MULTILINE):
            if name in own:
                imported[path.relative_to(ROOT).parts[1]].add(name)
    assert cycles(imported) == []


def test_no_folder_of_a_target_stands_on_itself_by_way_of_others(uses):
    within = defaultdict(set)
    for path, others in uses.of_types.items():
        within[path] = {other for other in others if target(other) == target(path)}
    grouped = between(within, folder)
    assert [described(component, grouped) for component in cycles(grouped)] == []


def test_few_files_know_each_other(uses):
    assert [sorted(component) for component in cycles(uses.of_types) if len(component) > 6] == []


def test_a_name_of_a_type_is_in_one_target(uses):
    names = defaultdict(set)
    for path, occurrences in uses.files.items():
        lines = (ROOT / path).read_text().splitlines()
        for one in occurrences:
            is_definition = one.roles & DEFINITION and not one.roles & IMPLICIT and not one.is_nested
            if is_definition and one.kind in TYPES and not re.match(r"(file)?private ", lines[one.line - 1]):
                names[one.name].add(target(path))
    # Each library for other programs may call its own things by the field's name.
    twice = {name: sorted(targets) for name, targets in names.items() if len(targets) > 1}
    assert twice.keys() <= {"Request", "Response", "Endpoint"}, twice


@pytest.mark.parametrize("path", sorted((ROOT / "Sources").iterdir()), ids=lambda path: path.name)
def test_a_target_can_be_read(path):
    lines = {file: len(file.read_text().splitlines()) for file in path.rglob("*.swift")}
    assert len(lines) <= 60 and sum(lines.values()) <= 6000


@pytest.mark.parametrize("folder", ["Sources", "Samples", "Tests"])
def test_a_file_can_be_read_in_one_sitting(folder):
    long = {
        str(path.relative_to(ROOT)): count
        for path in (ROOT / folder).rglob("*.swift")
        if (count := len(path.read_text().splitlines())) > 400
    }
    assert long == {}
