"""The feeder by itself: whatever becomes of the child or of what feeds it, it is told, soon, and nothing stays."""

import os
import signal
import time
from pathlib import Path

import pytest
from conftest import leftovers


@pytest.fixture
def run(module):
    """Feeds `sonde` in this process."""
    from sonde import child

    return child.run


def lines(count, fails_at=None):
    """Addresses, a line each."""
    for n in range(count):
        if n == fails_at:
            raise OSError("the upstream broke")
        yield b"5.%d.%d.1\n" % (n // 250 % 250, n % 250)


CHECK = ["check", "--format=csv", "--fields=ip", "--duplicates=keep", "--quiet", "-"]


def test_what_is_fed_comes_back(run):
    found = b"".join(run(CHECK, lines(30_000)))
    assert found == b"ip\n" + b"".join(lines(30_000))


def test_more_than_all_pipes_hold_is_fed_while_nobody_reads_and_read_while_nobody_feeds(run, instead):
    with instead("cat; cat /dev/zero | head -c 5000000"):
        found = run([], [b"x" * 5_000_000, b"y" * 3_000_000])
        assert sum(map(len, found)) == 13_000_000


@pytest.mark.parametrize("status", [0, 1, 3, 4])
def test_the_statuses_of_a_scan_are_none_of_an_error(run, instead, status):
    with instead(f"cat; exit {status}"):
        assert b"".join(run([], [b"a"])) == b"a"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("cat; exit 2", "status 2"),
        ("cat; echo sonde: once >&2; echo sonde: the disk is gone >&2; exit 5", "^the disk is gone$"),
        ("head -c 10; kill -9 $$", "SIGKILL"),
        ("cat; kill -15 $$", "SIGTERM"),
        ("head -c 10; exit 0", "before it had read its input"),
        ("exit 3", "before it had read its input"),
        ("exit 77", "status 77"),
    ],
)
def test_another_end_is_an_error_that_says_what_was_said(run, module, instead, script, words):
    with instead(script), pytest.raises(module.SondeError, match=words):
        for _ in run(["scan"], (b"x" * 100_000 for _ in range(50))):
            pass


def test_what_feeds_it_raises_here(run):
    with pytest.raises(OSError, match="the upstream broke"):
        list(run(CHECK, lines(10_000, fails_at=5000)))
    assert leftovers() == []


def test_it_does_not_outlive_whoever_reads_it(run):
    found = run(["scan", "--provider=ip-api", "--no-cache", "--retries=9", "-"], lines(100_000))
    child = None
    for _ in range(3):
        next(found, None)
        child = child or leftovers()
        if child:
            break
    found.close()
    assert leftovers() == []


def test_it_is_killed_under_way(run, module, instead):
    with instead("exec sleep 1000"), pytest.raises(module.SondeError, match="SIGKILL"):
        for n, _ in enumerate(started(run)):
            assert n == 0


def started(run):
    """Output of a child that is killed from outside once it is there."""
    import threading

    def kill():
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            for process in leftovers("sleep"):
                if Path(f"/proc/{process}/cmdline").read_text() == "sleep\x001000\x00":
                    os.kill(process, signal.SIGKILL)
                    return
            time.sleep(0.01)

    threading.Thread(target=kill, daemon=True).start()
    yield from run([], [b"x"])


def test_there_is_no_sonde_or_it_is_too_old(module, machine, instead, spark):
    df = spark.range(1).selectExpr("'8.8.8.8' AS value")
    with instead("echo sonde 0.0.9"), pytest.raises(module.SondeError, match="sonde 0.0.9 is too old"):
        module.enrich(df)
    place = machine / "bin" / "sonde"
    target = os.readlink(place)
    place.unlink()
    try:
        with pytest.raises(module.SondeError, match=r"there is no sonde.*install the package"):
            module.enrich(df)
    finally:
        place.symlink_to(target)
