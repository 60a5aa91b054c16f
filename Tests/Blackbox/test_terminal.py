"""On a terminal: usage, tables of its width, progress, colour, and nothing that could harm it."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
import unicodedata

import pytest

from command import CONTROLLING, display, read_terminal

ADDRESSES = [f"5.{n // 250}.{n % 250}.23" for n in range(400)]


def width(text):
    """The columns that a text takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    marks = sum(unicodedata.combining(c) != 0 for c in text)
    return len(text) + wide - marks


@pytest.mark.parametrize("command", ["scan", "check", "plan"])
def test_no_input_on_a_terminal_is_wrong_usage(sonde, command):
    screen = sonde.pty(command, timeout=10)
    assert screen.status == 2 and "usage" in screen.raw.lower()


def test_a_dash_reads_the_terminal_itself(sonde):
    result = sonde("check", "--format", "csv", "--fields", "ip", "-", input="8.8.8.8\n")
    assert result.stdout == b"ip\n8.8.8.8\n"


@pytest.mark.parametrize("columns", [60, 80, 132])
def test_the_table_is_cut_to_the_width(sonde, simulator, columns):
    simulator.control(batch_limit=None)
    env = {**simulator.env, "NO_COLOR": "1"}
    text = "\n".join([*ADDRESSES, "x" * 300]).encode()
    screen = sonde.pty("scan", "--provider", "ip-api", "--progress", "never", "--quiet", env=env, width=columns, input=text)
    lines = [line for line in screen.lines if line]
    assert len(lines) >= 400 and max(map(width, lines)) <= columns
    assert "ip" in lines[0].lower() and screen.status == 0


def test_a_table_is_the_default_on_a_terminal_and_ndjson_in_a_pipe(sonde):
    assert not sonde.pty("check", "8.8.8.8").lines[0].startswith("{")
    assert sonde("check", "8.8.8.8").stdout.startswith(b"{")


def test_records_appear_at_once(sonde, simulator):
    screen = sonde.pty("scan", "--provider", "ip-api", "--format", "csv", "--fields", "ip", "--quiet", env=simulator.env, input=b"8.8.8.8\n")
    assert [line for line in screen.lines if line] == ["ip", "8.8.8.8"]


def test_progress_is_shown_on_a_terminal_only(sonde, simulator):
    simulator.control(window=2, batch_limit=2)
    text = "\n".join(ADDRESSES)
    with open(sonde.work / "out", "wb") as out:
        screen = sonde.pty("scan", "--provider", "ip-api", env=simulator.env, input=text.encode(), stdout=out)
    assert screen.raw.count("\r") > screen.raw.count("\r\n"), "no line was drawn again"
    assert " of 400 (" in screen.raw and screen.status == 0
    assert len(sonde.read("out").splitlines()) == 400
    piped = sonde("scan", "--provider", "ip-api", input=text, env=simulator.env)
    assert "\r" not in piped.stderr
    with open(sonde.work / "out", "wb") as out:
        options = ("--progress", "never")
        screen = sonde.pty("scan", "--provider", "ip-api", *options, env=simulator.env, input=text.encode(), stdout=out)
    assert screen.raw.count("\r") == screen.raw.count("\r\n")


def test_colour_only_where_it_is_wanted(sonde):
    # Whether there is colour by default is a matter of taste; that it can be had and refused is not.
    for env, options in (
        ({"NO_COLOR": "1"}, ()),
        ({"TERM": "dumb"}, ()),
        ({}, ("--color", "never")),
    ):
        screen = sonde.pty("check", "--progress", "never", *options, "8.8.8.8", "nonsense!", env=env)
        assert "\x1b[" not in screen.raw, (env, options)
    always = sonde("check", "--format", "table", "--color", "always", "8.8.8.8", "nonsense!")
    assert b"\x1b[" in always.stdout
    assert b"\x1b[" not in sonde("check", "--format", "table", "8.8.8.8", "nonsense!").stdout


HARMFUL = "\x1b\x07\x08\x00\x7f\x9b\x85\u2028\u2029\u202e\u2066"


def test_control_characters_of_the_input_are_shown_escaped(sonde):
    item = "evil\x1b[2J\x07\u202egnp\u2028\x9b31m"
    table = sonde("check", "--format", "table", input=item + "\n").stdout.decode()
    assert not any(character in table for character in HARMFUL)
    screen = sonde.pty("check", "--progress", "never", item, env={"NO_COLOR": "1", "TERM": "dumb"})
    assert not any(character in screen.raw for character in HARMFUL)
    assert "evil" in screen.raw


def test_control_characters_of_names_are_escaped_in_messages(sonde):
    result = sonde("check", "no\x1b[31msuch\nfile")
    assert result.status == 5 and "\x1b" not in result.stderr


def test_control_characters_of_a_provider_are_escaped_in_a_table(sonde, simulator):
    simulator.control(hostile=True, batch_limit=None)
    env = {**simulator.env, "NO_COLOR": "1", "TERM": "dumb"}
    text = "\n".join(ADDRESSES[:50]).encode()
    screen = sonde.pty("scan", "--provider", "ip-api", "--progress", "never", "--quiet", env=env, input=text)
    assert not any(character in screen.raw for character in HARMFUL)
    assert len([line for line in screen.lines if line]) == 51


def rows(sonde, simulator, **changes):
    """The screen of a scan that shows records and progress on one terminal, through quota waits."""
    simulator.control(window=1.5, batch_limit=2, latency=0.3)
    text = "\n".join(ADDRESSES) + "\n"
    sonde.file("list.txt", text)
    return sonde.pty("scan", "list.txt", "--provider", "ip-api", env=simulator.env, **changes)


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_records_and_progress_never_mix_on_one_terminal(sonde, simulator, columns):
    screen = rows(sonde, simulator, width=columns)
    assert screen.status == 0 and " of 400" in screen.raw and "quota: " in screen.raw
    shown = [line for line in screen.display if line]
    start = next(n for n, line in enumerate(shown) if line.startswith("ip  "))
    records = shown[start + 1 : start + 401]
    assert [line.split()[0] for line in records] == ADDRESSES
    assert all(line.split()[1] in ("ok", "unknown") for line in records)
    assert shown[start + 401].startswith("sonde: 400 entries: ")
    assert not any(" of 400" in line for line in shown)


def test_at_every_moment_the_progress_stands_alone_below_the_records(sonde, simulator):
    screen = rows(sonde, simulator, width=40)
    drawings = [n for n in range(len(screen.raw)) if screen.raw.startswith("\x1b[K\r", n)]
    assert len(drawings) > 5
    for end in drawings[:: max(1, len(drawings) // 20)]:
        shown = [line for line in display(screen.raw[: end + 4], 40) if line]
        assert re.fullmatch(r"\d+ of 400.*", shown[-1]) and len(shown[-1]) < 40
        assert not any(" of 400" in line for line in shown[:-1])


def test_a_dumb_terminal_gets_no_progress_and_no_escapes(sonde, simulator):
    simulator.control(latency=0.6)
    for options in ((), ("--progress", "always")):
        screen = sonde.pty("scan", "8.8.8.8", "--provider", "ip-api", *options, env={**simulator.env, "TERM": "dumb"})
        assert screen.status == 0 and "\x1b" not in screen.raw
        assert screen.raw.count("\r") == screen.raw.count("\r\n")
        assert options or "0 of 1" not in screen.raw


def test_a_job_in_the_background_draws_nothing(sonde, simulator):
    simulator.control(latency=1.5)
    sonde.file("list.txt", "8.8.8.8\n")
    arguments = ("scan", "list.txt", "--provider", "ip-api", "-o", "out.csv")
    screen = sonde.pty(*arguments, env=simulator.env, shell='"$@" & printf "\\$ typed"; wait')
    assert "$ typed" in screen.raw and "0 of 1" not in screen.raw and "\x1b" not in screen.raw
    front = sonde.pty(*arguments, env=simulator.env, shell='"$@"; echo end')
    assert "0 of 1" in front.raw and front.status == 0


@pytest.mark.parametrize("columns", [30, 40])
def test_an_interruption_leaves_no_rest(sonde, simulator, columns):
    simulator.control(window=600, batch_limit=2)
    sonde.file("list.txt", "\n".join(ADDRESSES) + "\n")
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", CONTROLLING, *sonde.command(["scan", "list.txt", "-o", "out.csv"])],
        stdin=side, stdout=side, stderr=side, env=sonde.environment(simulator.env), cwd=sonde.work,
    )
    os.close(side)
    raw, deadline = b"", time.monotonic() + 20
    while b"quota: " not in raw and time.monotonic() < deadline:
        raw += os.read(main, 65536)
    # The terminal echoes ^C and interrupts the process.
    os.write(main, b"\x03")
    raw += read_terminal(main, time.monotonic() + 20)
    assert process.wait(10) == 130
    os.close(main)
    shown = "\n".join(display(raw.decode(), columns))
    assert "^C" in raw.decode() and "^" not in shown and " of 400" not in shown
    assert "--resume" in shown and "interrupted" in shown


def test_words_wrap_on_a_terminal_and_not_in_a_pipe(sonde, simulator):
    sonde.file("list.txt", "8.8.8.8\n")
    arguments = ("scan", "list.txt", "--provider", "ip-api", "-o", "out.csv")
    screen = sonde.pty(*arguments, env=simulator.env, width=40)
    shown = [line for line in screen.display if line]
    assert max(map(width, shown)) <= 40 and shown[1].startswith("  ")
    words = " ".join(line.strip() for line in shown)
    piped = sonde(*arguments, env=simulator.env).stderr
    assert piped.count("\n") == piped.count("sonde: ") and piped.splitlines()[0] in words


LONG = "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff"


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 200])
def test_a_long_address_shifts_nothing_in_its_row(sonde, columns):
    sonde.file("list.txt", f"8.8.8.8\n2a03:2880:21ff:1c::face:b00c\n10.0.0.1\n{LONG}\n")
    shown = [line for line in sonde.pty("check", "list.txt", "-q", width=columns).display if line]
    assert max(map(width, shown)) <= columns
    status = shown[0].index("status")
    row = {line.split()[0]: n for n, line in enumerate(shown)}
    for address, expected in (("2a03:2880:21ff:1c::face:b00c", "ok"), (LONG, "reserved"), ("10.0.0.1", "reserved")):
        line = shown[row[address]]
        # An address that is wider than any column for it has the rest of its row below.
        line = line if len(address) < status else shown[row[address] + 1]
        assert line[status:].split()[0] == expected and line[status - 2 : status] == "  "
    assert columns < 100 or len(shown) == 5
    assert columns < 80 or len(shown) <= 6


def test_only_words_are_coloured(sonde):
    for command in (["status"], ["check", "--format", "table", "8.8.8.8"]):
        shown = sonde(*command, "--color", "always").stdout.decode()
        assert "\x1b[" in shown and not re.search(r"\x1b\[\d+m *\x1b|\x1b\[[1-9]\d*m | \x1b\[0m", shown)


def test_a_number_beyond_all_patience_is_shown(sonde, simulator):
    simulator.control(latency=4)
    sonde.file("list", "10.0.0.1\n2000::/66\n" + "none\n" * 100_000)
    script = '"$@" & sleep 3.5; kill -TERM $!; wait $!; exit $?'
    options = ["--provider", "ip-api", "--max-expand", str(2**63 - 1), "--progress", "always"]
    screen = sonde.pty("scan", "list", *options, "-o", "o.csv", env=simulator.env, shell=script)
    assert screen.status == 143, screen.raw


def test_status_wraps_at_words(sonde, simulator):
    screen = sonde.pty("status", "--endpoint", f"127.0.0.1:{simulator.port}", width=40)
    shown = [line for line in screen.display if line]
    assert any(line.startswith(" " * 21) for line in shown) and " ".join(" ".join(shown).split()).count("leads over lo") == 1


def test_usage_wraps_at_words(sonde):
    screen = sonde.pty("cache", "none", width=40)
    assert screen.status == 2 and "Usage: sonde cache [OPTION...]\r\n  list|show" in screen.raw
