"""`--cache-keep` and `cache clear --older-than`: what is removed is overwritten."""

import sqlite3

import pytest
from marked import MARKED, forms, revealed

ASKED = [address for address in MARKED if not address.startswith(("192.168", "169.254", "fe80", "2001:db8"))]


@pytest.fixture
def free(simulator):
    simulator.control(batch_limit=100_000)
    return simulator


def scan(sonde, simulator, *more):
    return sonde("scan", *more, "--provider", "ip-api", "--cache", "cache.db", env=simulator.env)


def age(sonde, seconds):
    """Has all answers be older, as if they had been fetched earlier by a machine since restarted."""
    with sqlite3.connect(sonde.work / "cache.db") as database:
        database.execute("UPDATE answers SET given = given - ?, boot = 1", (seconds,))


def bytes_of_cache(sonde):
    return b"".join(path.read_bytes() for path in sorted(sonde.work.glob("cache.db*")))


def test_old_answers_are_cleared_and_overwritten(sonde, free):
    numbers = [f"5.{n // 250}.{n % 250}.3" for n in range(3000)]
    sonde.file("list", "".join(f"{each}\n" for each in numbers))
    scan(sonde, free, *ASKED, "list")
    age(sonde, 3600)
    scan(sonde, free, "9.9.9.9")
    packed = [form for address in ASKED for form in forms(address) if form in bytes_of_cache(sonde)]
    assert packed
    result = sonde("cache", "clear", "--older-than", "30m", "--cache", "cache.db")
    assert (result.status, result.stdout) == (0, b"")
    assert result.stderr == f"sonde: removed {len(ASKED) + len(numbers)} answers\n"
    left = bytes_of_cache(sonde)
    assert revealed(left, ASKED) == [] and not any(form in left for form in packed)
    assert [each["ip"] for each in sonde("cache", "list", "--cache", "cache.db").records] == ["9.9.9.9"]


def test_younger_answers_stay(sonde, free):
    scan(sonde, free, *ASKED)
    assert "removed 0 answers" in sonde("cache", "clear", "--older-than", "1h", "--cache", "cache.db").stderr
    assert len(sonde("cache", "list", "--cache", "cache.db").records) == len(ASKED)


def test_a_run_removes_older_answers(sonde, free):
    scan(sonde, free, *ASKED)
    age(sonde, 3600)
    scan(sonde, free, "9.9.9.9", "--cache-keep", "30m")
    assert [each["ip"] for each in sonde("cache", "list", "--cache", "cache.db").records] == ["9.9.9.9"]
    assert revealed(bytes_of_cache(sonde), ASKED) == []


def test_a_run_that_keeps_nothing_reads_earlier_answers_and_removes_none(sonde, free):
    scan(sonde, free, "9.9.9.9")
    result = scan(sonde, free, "9.9.9.9", *ASKED, "--cache-keep", "0")
    assert [each["cached"] for each in result.records] == [True] + [False] * len(ASKED)
    assert [each["ip"] for each in sonde("cache", "list", "--cache", "cache.db").records] == ["9.9.9.9"]
    assert revealed(bytes_of_cache(sonde), ASKED) == []


def test_a_run_that_keeps_nothing_asks_once(sonde, free):
    sonde.file("log", "".join(f"{each}\n" for each in ASKED * 50))
    options = ["--duplicates", "keep", "--provider", "ip-api", "--cache", "cache.db", "--cache-keep", "0"]
    result = sonde("scan", "log", *options, env=free.env)
    assert len(result.records) == 50 * len(ASKED)
    assert set(free.addresses().values()) == {1}
    assert not (sonde.work / "cache.db").exists() or revealed(bytes_of_cache(sonde), ASKED) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["scan", "8.8.8.8", "--cache-keep", "91d"], "it is longer than 90d"),
        (["cache", "list", "--older-than", "1d"], "--older-than is for cache clear"),
    ],
)
def test_what_makes_no_sense_is_refused(sonde, arguments, said):
    result = sonde(*arguments)
    assert (result.status, result.stdout) == (2, b"")
    assert said in result.stderr
