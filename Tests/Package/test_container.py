"""The image that `.packaging/image.sh` makes, which IMAGE names: as a server for a team, and as the program."""

import json
import os
import time

import pytest
from container import Container, Image

PUBLIC = "https://sonde.example.org/"
SETTINGS = {"SONDE_PUBLIC_URL": PUBLIC, "SONDE_BEHIND_PROXY": "10.88.0.1", "SONDE_PROVIDER": "local"}
ADMIN = {"email": "admin@example.org", "password": "correct horse battery"}


@pytest.fixture(scope="session")
def image(tmp_path_factory):
    return Image(os.environ["IMAGE"], tmp_path_factory.mktemp("image"))


@pytest.fixture
def container(image, tmp_path):
    """Starts one; all of a test have the same volume."""
    volume = tmp_path / "volume"
    volume.mkdir(mode=0o700)
    os.chown(volume, *map(int, image.config["User"].split(":")))
    return lambda *arguments, **variables: Container(image, tmp_path, volume, arguments, variables)


def ask(server, path, *options, host="sonde.example.org"):
    """The status and the body of an answer, asked for as by the proxy."""
    options = ("--header", f"Host: {host}", "--write-out", "\n%{http_code}", *options)
    body, _, status = server.curl(*options, f"http://127.0.0.1:8053/{path}").rpartition("\n")
    return int(status), body


def post(server, path, **members):
    """The same for a body of JSON."""
    return ask(server, path, "--header", f"Origin: {PUBLIC[:-1]}", "--json", json.dumps(members))


def link_of(server):
    """The link that opens a server, once it runs."""
    while (printed := server.run("sonde", "serve", "link")).returncode != 0:
        time.sleep(0.1)
    link = printed.stdout.removesuffix("\n")
    assert link.startswith(f"{PUBLIC}#open=")
    return link


def test_it_serves_a_team_and_keeps_its_state_in_the_volume(container):
    with container(**SETTINGS) as server:
        link = link_of(server)
        status, page = ask(server, "")
        assert status == 200 and "<html" in page
        assert ask(server, "", host="example.org")[0] == 403
        assert post(server, "api/v1/users", **ADMIN, invitation=link.partition("=")[2])[0] == 201
        assert {user for _, user in server.processes()} == {8053}
        listed = server.run("sonde", "serve", "user", "list")
        assert listed.returncode == 0 and ADMIN["email"] in listed.stdout
        start = time.monotonic()
        status, out, err = server.stop()
        # What an engine keeps as a log has no link.
        assert (status, out) == (0, "") and "#open=" not in err
        assert "Open it with: sonde serve link" in err
        assert time.monotonic() - start < 10
    with container(**SETTINGS) as server:
        while (status := server.run("sonde", "serve", "user", "list")).returncode != 0:
            time.sleep(0.1)
        assert ADMIN["email"] in status.stdout
        assert post(server, "api/v1/session", **ADMIN)[0] == 201
        status, out, err = server.stop()
        # The admin is there: no link.
        assert (status, out) == (0, "") and "Open it with" not in err


def test_it_is_slim_and_layered_and_gives_nobody_rights(image):
    assert len(image.layers) == 3 and sum(each.size for layer in image.layers for each in layer) <= 150_000_000
    system, libraries, program = ({each.name for each in layer if not each.isdir()} for layer in image.layers)
    assert "usr/bin/bash" in system and "usr/bin/sonde" in program and "usr/share/libloc-location/location.db" in libraries
    assert len(program) < 100 and not (system & libraries or libraries & program or system & program)
    # setuid and setgid.
    assert [each.name for layer in image.layers for each in layer if each.isreg() and each.mode & 0o6000] == []
    assert not (image.root / "work").exists()


def test_it_says_what_it_is_and_whether_it_is_healthy(container, image):
    labels = {name.rpartition(".")[2]: text for name, text in image.config["Labels"].items() if "opencontainers" in name}
    assert labels.keys() == {"title", "description", "version", "revision", "source", "licenses", "created"}
    assert all(labels.values()), labels
    kind, *check = image.config["Healthcheck"]["Test"]
    assert kind == "CMD"
    with container(**SETTINGS) as server:
        link_of(server)
        assert server.run(*check).returncode == 0
    # Nobody serves there.
    with container("watch", "--endpoint", "192.0.2.1:80") as program:
        assert "offline" in program.line()
        assert program.run(*check).returncode != 0


@pytest.mark.parametrize("missing", ["SONDE_BEHIND_PROXY", "SONDE_PUBLIC_URL"])
def test_without_its_proxy_or_its_name_it_says_what_to_give(container, missing):
    given = {name: value for name, value in SETTINGS.items() if name != missing}
    with container(**given) as server:
        status, out, err = server.end()
    assert (status, out) == (2, "") and missing in err
    assert f"--{missing.removeprefix('SONDE_').lower().replace('_', '-')}" in err


def test_arguments_take_the_place_of_the_server(container):
    options = ("--public-url", PUBLIC, "--behind-proxy", "10.88.0.1", "--provider", "local")
    with container("serve", "--team", *options) as server:
        link_of(server)
        assert server.stop()[0] == 0


@pytest.mark.parametrize(
    "arguments, input, status, output",
    [
        (["--version"], b"", 0, "sonde "),
        (["scan", "-", "--provider", "local", "--fields", "ip,source"], b"8.8.8.8\n10.0.0.1\n", 0, '{"ip":"8.8.8.8","source":"libloc"}\n{"ip":"10.0.0.1"}\n'),
        (["extract"], b"from 8.8.8.8 port 1\n", 0, "8.8.8.8\n"),
        (["check", "-q", "--fields", "status"], b"x\n", 1, '{"status":"invalid"}\n'),
        (["nothing"], b"", 2, ""),
        (["check", "missing"], b"", 5, ""),
    ],
)
def test_it_is_the_program(container, arguments, input, status, output):
    with container(*arguments) as program:
        found, out, err = program.end(input)
    assert found == status, err
    assert out.startswith(output) if arguments == ["--version"] else out == output


@pytest.mark.parametrize("arguments", [["scan", "-", "--provider", "local"], ["check", "-"]])
def test_a_signal_ends_what_waits_for_input(container, arguments):
    with container(*arguments) as program:
        program.process.stdin.write(b"10.0.0.1\n")
        program.process.stdin.flush()
        assert "reserved" in program.line()
        assert program.stop()[0] == 143


def test_what_commands_leave_behind_is_buried(container):
    command = "setsid sleep 0.2 & setsid sleep 0.2 & echo told"
    with container("watch", "--endpoint", "192.0.2.1:80", "--interval", "50ms", "--exec", command) as program:
        assert "offline" in program.line()
        end = time.monotonic() + 30
        while b"told" not in program.process.stderr.readline():
            assert time.monotonic() < end
        time.sleep(1)
        assert [state for state, _ in program.processes() if state == "Z"] == []
        assert program.stop()[0] == 0
