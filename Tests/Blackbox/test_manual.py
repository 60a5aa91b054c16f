"""What the README and the manual show is so: commands run, outputs are as shown, links lead somewhere.

A block marked `sh` is run by bash and must succeed; in one marked `console`, what follows `$ ` is run
on a terminal and must print what stands below it, where `[…]` stands for any lines.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree as xml
from ipaddress import ip_address, ip_network

import pytest
from command import ROOT, Sonde, wait_for
from manual import MANUAL, PAGES, README, blocks, inside, programs, prose, tree
from name_server import NameServer
from redis_server import RedisServer

PICTURE = ROOT / ".github/network-loss.svg"
WIDTH = 120
# Notes the line that is run, and the line and the status of every command that fails.
TRAP = """set -o pipefail
trap 'echo "$LINENO" > at' DEBUG
trap 'echo "$LINENO $?" >> failures' ERR
"""

# They run until they are interrupted.
ENDLESS = re.compile(r"^(tail -F|journalctl --follow|sonde watch(?! --once))", re.M)
# Where there are invalid entries, and where there is no path to the host.
MAY_END_WITH = {"sonde check": 1, "sonde status": 3}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """The folders of a command that look like the tree, with the files that the manual speaks of."""
    sonde = Sonde(tmp_path_factory.mktemp("world"))
    tree(sonde)
    return sonde


@pytest.fixture
def reader(sonde, simulator, world):
    """The command in a folder that looks like the tree, with the files that the manual speaks of."""
    simulator.control(batch_limit=None, single_limit=None)
    sonde.env = {**sonde.environment(simulator.env), "SONDE_IPINFO_TOKEN": "test-token"}
    for own, known in ((sonde.work, world.work), (sonde.home, world.home)):
        shutil.copytree(known, own, dirs_exist_ok=True)
    programs(sonde)
    return sonde


@pytest.fixture
def shared(sonde):
    """The Redis server that the manual speaks of."""
    server = RedisServer(sonde.directory / "redis")
    yield server
    server.close()


@pytest.fixture
def names():
    """The server of names that the manual speaks of, which knows none."""
    server = NameServer()
    yield server
    server.close()


@pytest.mark.parametrize("block", blocks("sh"), ids=repr)
def test_commands_run(reader, block, request):
    if "pytest" in block.text:
        pytest.skip("runs the tests themselves")
    script = inside(reader, block.text)
    if "--with names" in script:
        reader.env["SONDE_RESOLVER"] = request.getfixturevalue("names").place
    if "redis://" in script:
        script = script.replace("redis://quota.example.net:6379/0", request.getfixturevalue("shared").url)
    process = subprocess.Popen(
        ["bash", "-c", TRAP + script],
        stdin=subprocess.DEVNULL,
        stdout=open(reader.work / "stdout", "wb"),
        stderr=open(reader.work / "stderr", "wb"),
        env=reader.env,
        cwd=reader.work,
        start_new_session=True,
    )
    try:
        if ENDLESS.search(block.text):
            wait_for_endless(reader, block, process)
            os.killpg(process.pid, signal.SIGINT)
        process.wait(60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert failures(reader, block) == [], said(reader)
    assert "Usage: " not in said(reader)


def wait_for_endless(reader, block, process):
    """Waits until a command that does not end is under way and has had time to write something."""
    at, deadline = reader.work / "at", time.monotonic() + 30
    while not (at.exists() and ENDLESS.match(line_of(block, int(at.read_text() or 1)))):
        assert process.poll() is None and time.monotonic() < deadline, said(reader)
        time.sleep(0.1)
    wait_for(lambda: reader.read("stdout") or process.poll() is not None)
    time.sleep(1)
    assert process.poll() is None and reader.read("stdout"), said(reader)


def line_of(block, number):
    """A line of what bash is given, from 1."""
    return [*TRAP.splitlines(), *block.text.splitlines()][number - 1]


def said(reader):
    """What the block wrote to stderr."""
    return reader.read("stderr").decode(errors="replace")


def failures(reader, block):
    """The lines of a block that failed, and with which status."""
    noted = reader.work / "failures"
    found = [map(int, line.split()) for line in noted.read_text().splitlines()] if noted.exists() else []
    failed = [(line_of(block, number), status) for number, status in found]
    return [(line, status) for line, status in failed if not may_end_with(line, status)]


def may_end_with(line, status):
    """Whether a command may end with a status other than 0."""
    if status == 130:
        return ENDLESS.match(line) is not None
    return MAY_END_WITH.get(" ".join(line.split()[:2])) == status


@pytest.mark.parametrize("block", blocks("console"), ids=repr)
def test_outputs_are_as_shown(reader, block):
    for shown in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        command, _, expected = shown.partition("\n")
        printed = on_terminal(reader, command)
        pattern = re.escape(untimed(expected.rstrip())).replace(re.escape("[…]"), ".*")
        assert re.fullmatch(pattern, untimed(printed), re.S), f"{block}: {command}\n{printed}"


# Documentation (RFC 5737, RFC 3849), special-purpose addresses aside.
DOCUMENTATION = [ip_network(each) for each in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")]
NO_ANSWERS = re.compile(r"^\$ .*(--provider local|sonde (check|extract|plan|tables|status|block))", re.M)


@pytest.mark.parametrize("block", blocks("console"), ids=repr)
def test_answers_that_are_shown_are_true(block):
    """About real addresses only what the packaged database answers, with which the block is run, is shown."""
    for shown in re.split(r"^(?=\$ )", block.text, flags=re.M)[1:]:
        real = []
        for text in re.findall(r"(?<![\w.:])[\d.]{7,}(?![\w.])|(?<![\w:])[\da-f]+:[\da-f:]+(?![\w:])", shown):
            with contextlib.suppress(ValueError):
                address = ip_address(text)
                if address.is_global and not any(address in network for network in DOCUMENTATION):
                    real.append(text)
        assert not real or NO_ANSWERS.search(shown), (block, real)


def test_the_page_of_fields_lists_each_with_its_type(sonde):
    listed = {field["name"]: field["type"] for field in json.loads(sonde("scan", "--fields", "help", "--format", "json").stdout)}
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| [^|]+ \| `[^`]+` \|$", (MANUAL / "Fields.md").read_text(), re.M)
    assert rows == list(listed.items())


def on_terminal(reader, command):
    """What a command shows on a wide terminal."""
    screen = reader.pty(shell=inside(reader, command), env={**reader.env, "NO_COLOR": "1"}, width=WIDTH)
    return "\n".join(screen.display).strip()


def untimed(text):
    """A text in which every time of day is the same."""
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = prose(page)
    targets = re.findall(r"\]\(((?!https?:)[^)#]+)[^)]*\)", text)
    assert [target for target in targets if not (page.parent / target).exists()] == []
    named = re.findall(r"<doc:(\w+)>", text)
    assert [name for name in named if not (page.parent / f"{name}.md").exists()] == []


def test_every_page_of_the_manual_is_found():
    """From the list of the manual, and from the README."""
    names = {page.stem for page in MANUAL.glob("*.md")} - {"sonde"}
    assert names == set(re.findall(r"- <doc:(\w+)>", (MANUAL / "sonde.md").read_text()))
    assert names == set(re.findall(r"sonde\.docc/(\w+)\.md", README.read_text())) - {"sonde"}


@pytest.fixture
def options(sonde):
    """The long options of every command, as their help names them."""
    commands = re.findall(r"^  (\w+)", sonde("--help").stdout.decode().split("Options:")[0], re.M)
    helps = "".join(sonde(command, "--help").stdout.decode() for command in commands)
    return set(re.findall(r"^ +(?:-\w, +)?(--[a-z0-9-]+)", helps, re.M))


def named(text):
    """The long options that a text names."""
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", text))


def test_options_that_are_named_exist_and_all_are_named(options):
    pages = [README, *MANUAL.glob("*.md")]
    for page in pages:
        assert named(" ".join(re.findall(r"`([^`]+)`", prose(page)))) - options == set(), page
    assert options - set().union(*(named(page.read_text()) for page in pages)) <= {"--help", "--version"}


def test_the_readme_is_short_and_its_figures_are_those_measured():
    text = README.read_text()
    assert text.count("\n") <= 160
    measured = (ROOT / "Tests/Benchmarks/RESULTS.md").read_text()
    rows = [row for row in text.splitlines() if row.endswith(" × |")]
    figures = [figure for row in rows for figure in re.findall(r"\d+\.\d+|\d+ k", row)]
    assert len(rows) == 5 and len(figures) >= 10
    assert [figure for figure in figures if figure not in measured] == []


def test_the_picture_tells_a_loss_and_its_end():
    assert PICTURE.stat().st_size < 60_000
    picture = xml.parse(PICTURE).getroot()
    shown = " ".join(picture.itertext())
    for words in ("network lost: ", "network is back after ", "quota: ", "1 loss", " ok ("):
        assert words in shown
    assert "@font-face" not in shown and "prefers-color-scheme: dark" in shown
