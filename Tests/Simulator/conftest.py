"""Fixtures of the simulator's own tests."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from client import SimulatorProcess  # noqa: E402


@pytest.fixture(scope="session")
def process():
    """One simulator for all tests."""
    process = SimulatorProcess("--port", 0)
    yield process
    process.stop()


@pytest.fixture
def simulator(process):
    """The simulator with its settings and counts as at the start."""
    from settings import Settings

    process.control(**Settings().as_dict())
    return process
