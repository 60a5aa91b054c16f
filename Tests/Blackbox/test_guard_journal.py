"""`guard --journal`: messages of the systemd journal, once each whatever ends the run or the journal."""

import json
import os
import shutil
import signal

import pytest
from journals import Journal, reason_to_skip

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("CI") and reason_to_skip() is not None, reason=str(reason_to_skip())
    ),
]

WORDS = ("--when", 'text ~ "*Failed*"', "--provider", "local", "--every", "0s", "--at-most", "0")


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path / "journal")


@pytest.fixture
def guard(sonde, journal):
    """Runs `guard` once with the journal as the system's."""

    def run(*arguments, units=("ssh",), name="x"):
        units = [word for unit in units for word in ("--journal", unit)]
        kept = ("--name", name) if name else ()
        return sonde("guard", "--once", *units, *kept, *WORDS, *arguments, prefix=journal.wrapper)

    journal.folder.mkdir()
    return run


def failed(*numbers):
    return [f"Failed password for root from 9.9.9.{number} port 22" for number in numbers]


def found(result):
    return [int(json.loads(text)["ip"].split(".")[3]) for text in result.stdout.splitlines()]


def test_an_alert_has_the_time_and_unit_of_the_message(guard, journal):
    journal.make()
    journal.add("2001-01-01T00:00:00Z Failed from 9.9.9.1", at=1_795_316_400)
    result = guard("--from-start")
    assert (result.status, result.stderr) == (0, "")
    (event,) = [json.loads(text) for text in result.stdout.splitlines()]
    assert (event["time"], event["input"]) == ("2026-11-22T03:00:01.000Z", "journal:ssh.service")
    assert event["text"] == "2001-01-01T00:00:00Z Failed from 9.9.9.1"


def test_units_are_told_apart(guard, journal):
    journal.make()
    journal.add(*failed(1), unit="ssh.service")
    journal.add(*failed(2), unit="nginx.service")
    journal.add(*failed(3), unit="cron.timer")
    for units, expected in [
        (("ssh",), [1]), (("nginx.service",), [2]), (("ssh", "nginx"), [1, 2]), (("cron.timer",), [3]),
        (("none",), []), (("all",), [1, 2, 3]), (("ssh", "all"), [1, 2, 3]),
    ]:
        assert found(guard("--from-start", units=units, name=None)) == expected


def test_alerts_in_the_journal_raise_none_of_their_own(guard, journal):
    journal.make()
    journal.add(*failed(1))
    journal.add(*failed(2), unit="sonde-guard@ssh.service", more={"SYSLOG_IDENTIFIER": "sonde"})
    assert found(guard("--from-start", units=("all",), name=None)) == [1]
    assert found(guard("--from-start", units=("sonde-guard@ssh",), name=None)) == [2]


def test_a_message_may_have_any_bytes(guard, journal):
    journal.make()
    journal.add(b"two\nlines Failed from 9.9.9.1", b"\0\xff Failed from 9.9.9.2", "", b"x" * 100_000 + b" Failed 9.9.9.3")
    assert found(guard("--from-start")) == [1, 2, 3]


def test_each_message_counts_once_through_restarts_and_rotation(guard, journal):
    journal.make()
    journal.add(*failed(1, 2))
    # What is there when it is first named is passed over.
    assert found(guard()) == []
    journal.add(*failed(3))
    assert found(guard()) == [3]
    assert found(guard()) == []
    # Rotated: the next messages stand in another file.
    os.rename(journal.files / "system.journal", journal.files / "system@old.journal")
    journal.add(*failed(4, 5), name="system@new")
    result = guard()
    assert (found(result), result.stderr) == ([4, 5], "")
    # Other units: from where it was.
    journal.add(*failed(6), unit="nginx.service", name="system@new")
    assert found(guard(units=("nginx",))) == [6]


def test_an_empty_journal_has_no_end_to_pass_over(guard, journal):
    journal.make()
    journal.add("other", unit="nginx.service")
    assert found(guard()) == []
    journal.add(*failed(1))
    assert found(guard()) == [1]


def test_a_vacuumed_journal_is_reported(guard, journal):
    journal.make()
    journal.add(*failed(1), name="old")
    assert found(guard("--from-start")) == [1]
    journal.add(*failed(2), name="new")
    journal.remove("old")
    result = guard()
    assert found(result) == [2]
    assert result.stderr == (
        "sonde: --journal: the last message that was read is gone, and perhaps others behind it\n"
    )
    assert guard().stderr == ""


def test_no_journal_is_waited_for(guard, journal):
    result = guard()
    assert (result.status, result.stdout) == (0, b"")
    assert result.stderr == "sonde: --journal: there is no journal, or none that may be read; it is waited for\n"
    journal.make()
    journal.add(*failed(1))
    assert found(guard()) == [1]


def test_the_journal_is_followed_and_goes_on_after_a_kill(sonde, journal):
    journal.folder.mkdir()
    journal.make()
    journal.add("begin")
    words = ("guard", "--journal", "ssh", "--name", "x", "--from-start", *WORDS)
    ids = {}
    for start in (1, 4, 7):
        running = sonde.start(*words, prefix=journal.wrapper)
        for number in range(start, start + 3):
            journal.add(*failed(number))
            event = json.loads(running.line())
            # At most the one in hand comes twice, with its own ID.
            while event["ip"] != f"9.9.9.{number}":
                assert event["id"] in ids.values()
                event = json.loads(running.line())
            ids[number] = event["id"]
        running.signal(signal.SIGKILL)
        running.finish()
    assert sorted(ids) == list(range(1, 10)) and len(set(ids.values())) == 9


def test_files_and_the_journal_are_followed_at_once(sonde, guard, journal):
    journal.make()
    journal.add(*failed(1))
    sonde.file("a.log", "2026-11-22T03:00:05Z Failed from 9.9.9.2\n")
    units = ("--journal", "ssh")
    result = sonde("guard", "a.log", "--once", "--from-start", *units, *WORDS, prefix=journal.wrapper)
    assert (result.status, sorted(found(result))) == (0, [1, 2])


def test_mistakes_are_named(sonde):
    sonde.file("a.log", "")
    result = sonde("guard", "a.log", "--replay", "--journal", "ssh", *WORDS)
    assert result.status == 2 and "--journal is followed: --replay reads files" in result.stderr
    result = sonde("guard", "--journal", "", *WORDS)
    assert result.status == 2 and "expected a unit such as ssh or ssh.service, or all" in result.stderr


def test_a_copy_of_the_journal_is_no_news(guard, journal):
    journal.make()
    journal.add(*failed(1))
    assert found(guard("--from-start")) == [1]
    shutil.copy(journal.files / "system.journal", journal.files / "system@copy.journal")
    assert found(guard()) == []
