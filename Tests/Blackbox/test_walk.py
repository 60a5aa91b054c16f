"""Holds the page on the walk of an address to the walk that an address takes in the debug build."""

import re
from dataclasses import dataclass

import pytest
from walking import ROOT, Function, calls

PAGE = ROOT / "Sources/SondeScanner/SondeScanner.docc/WalkOfAnAddress.md"
STEP = re.compile(r"^\| (\d+) \| `(\w+)` \| `(Sources/[^`]+)`( \(back\))? \|$", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """A row of the page."""

    number: int
    function: Function
    is_back: bool


def steps_of(text):
    """The steps that a page has."""
    return [Step(int(row[1]), Function(row[2], row[3]), bool(row[4])) for row in STEP.finditer(text)]


def fault(steps, called):
    """The first step that is not taken in its turn, and the function that is called instead; None if all are.

    Between two steps, any earlier one may be repeated. What precedes the first one is no part of the walk.
    """
    turn = called.index(steps[0].function)
    begun = set()
    for step in steps:
        begun.add(step.function)
        while turn < len(called) and called[turn] != step.function:
            if called[turn] not in begun:
                return step, called[turn]
            turn += 1
        if turn == len(called):
            return step, None
        turn += 1
    return None


@pytest.fixture(scope="module")
def steps():
    """The steps of the page."""
    return steps_of(PAGE.read_text())


def walk(sonde, simulator, functions):
    """Which functions one address is carried into, in their order."""
    sonde.file("list.txt", "8.8.8.8\n")
    arguments = ["scan", "list.txt", "-o", "out.csv"]
    called = calls(sonde, arguments, functions, simulator.env)
    assert b"\n8.8.8.8,ok,ip-api," in sonde.read("out.csv")
    return called


def test_an_address_takes_each_step_in_its_turn(sonde, simulator, steps):
    bogus = Step(0, Function("countryPoints", "Sources/SondePage/CountryPoints.swift"), False)
    functions = dict.fromkeys([step.function for step in steps] + [bogus.function])
    called = walk(sonde, simulator, functions)
    assert fault(steps, called) is None
    # Mistakes are found: a step that is none, and two that have changed places.
    for index in range(1, len(steps)):
        before, (first, second), after = steps[: index - 1], steps[index - 1 : index + 1], steps[index + 1 :]
        assert fault([*before, first, bogus, second, *after], called)[0] == bogus
        assert fault([*before, second, first, *after], called), (first, second)


def test_a_file_that_was_left_before_is_marked(steps):
    left, current = set(), None
    for step in steps:
        is_new = step.function.file != current
        assert step.is_back == (is_new and step.function.file in left), step
        left.add(current := step.function.file)


def test_the_walk_is_short(steps):
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert 1 < len(steps) <= 61
    assert len({step.function.file for step in steps}) <= 30
    assert sum(step.is_back for step in steps) <= 4
