"""The pages of the manual, `sonde help`: as man(7) they are sound, as text they say the same."""

import re
import subprocess

import pytest
from test_help import COMMANDS

PAGES = [(), *((command,) for command in [*COMMANDS, "annotate", "serve", "summary"])]


def rendered(page):
    """The lines that mandoc shows of a page, without its head and foot."""
    done = subprocess.run(["mandoc", "-Tascii", "-Owidth=80"], input=page, capture_output=True, check=True)
    plain = re.sub(r".\x08", "", done.stdout.decode("ascii"))
    return plain.splitlines()[1:-1]


@pytest.mark.parametrize("command", PAGES, ids=" ".join)
def test_a_page_is_sound(sonde, command):
    page = sonde("help", "--man", *command)
    assert (page.status, page.stderr) == (0, "")
    lint = subprocess.run(["mandoc", "-Tlint", "-W", "warning"], input=page.stdout, capture_output=True)
    assert (lint.stdout, lint.stderr, lint.returncode) == (b"", b"", 0)


@pytest.mark.parametrize("command", PAGES, ids=" ".join)
def test_help_has_the_words_of_the_page(sonde, command):
    text = sonde("help", *command)
    assert (text.status, text.stderr) == (0, "")
    assert text.stdout.decode().split() == " ".join(rendered(sonde("help", "--man", *command).stdout)).split()


@pytest.mark.parametrize("command", PAGES, ids=" ".join)
def test_the_page_is_named_as_man_finds_it(sonde, command):
    name = "-".join(["sonde", *command])
    page = sonde("help", "--man", *command).stdout.decode()
    assert page.startswith(f".TH {name.upper()} 1 ".replace("-", r"\-"))
    assert [line for line in page.splitlines() if line.startswith(name.replace("-", r"\-") + r" \- ")]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_page_has_every_option(sonde, command):
    page = sonde("help", command).stdout.decode()
    options = re.findall(r"^ +(?:-\w, )?(--[a-z0-9-]+)", sonde(command, "--help").stdout.decode(), re.M)
    assert options and [option for option in options if not re.search(rf"^ {{7}}(-\w, )?{option}\b", page, re.M)] == []


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_words_wrap_at_the_width_of_the_terminal(sonde, columns):
    screen = sonde.pty("help", "scan", width=columns)
    # Terms and examples stand on lines of their own, and a word as long as it is.
    whole = re.compile(r"^ {7}\S|^ *\S+$")
    wide = [line for line in screen.lines if len(line) > min(columns, 80) and not whole.match(line)]
    assert wide == [] and screen.status == 0


def test_it_is_written_in_full_or_told(sonde):
    with open("/dev/full", "wb") as full:
        assert sonde("help", "scan", stdout=full).status == 5
