"""The machine's settings, in /etc/sonde/config or from systemd: who may read what is in them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

SECRET = "s3cr3t-t0ken-0123456789"
KEY = f"ipinfo-token = {SECRET}\n"
SYSTEM = "/etc/sonde/config"

# A user with neither rights nor a home.
NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
HOMELESS = {"HOME": None, "XDG_CONFIG_HOME": None, "XDG_CACHE_HOME": None, "XDG_STATE_HOME": None}


@pytest.fixture
def with_system_file(sonde, tmp_path):
    """Runs the command in a mount namespace whose /etc/sonde/config holds a text."""
    etc = tmp_path / "etc"
    (etc / "sonde").mkdir(parents=True)
    prefix = ("unshare", "-m", "sh", "-c", f'mount --bind {etc} /etc && exec "$@"', "sh")
    if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
        pytest.skip("mounting needs root")

    def run(text, *arguments, mode=0o644, owner=(0, 0), env=None, as_user=(), input=b""):
        file = etc / "sonde" / "config"
        file.write_text(text)
        file.chmod(mode)
        os.chown(file, *owner)
        return sonde(*arguments, env=env, prefix=(*prefix, *as_user), input=input)

    return run


def test_the_system_s_file_is_under_the_user_s(sonde, with_system_file):
    system = "format = csv\nfields = ip,status\n"
    assert with_system_file(system, "check", "8.8.8.8").stdout == b"ip,status\n8.8.8.8,ok\n"
    assert with_system_file(system, "check", "--fields", "ip", "8.8.8.8").stdout == b"ip\n8.8.8.8\n"
    result = with_system_file(system, "check", "8.8.8.8", env={"SONDE_FORMAT": "ndjson"})
    assert result.records == [{"ip": "8.8.8.8", "status": "ok"}]
    sonde.config_file.write_text("fields = status\n")
    assert with_system_file(system, "check", "8.8.8.8").stdout == b"status\nok\n"


@pytest.mark.parametrize("text, line", [("nope = 1\n", 1), ("# all\nformat = xml\n", 2), ("fields = nope\n", 1)])
def test_what_is_wrong_in_the_system_s_file_is_said_with_its_line(with_system_file, text, line):
    result = with_system_file(text, "check", "8.8.8.8")
    assert (result.status, result.stdout) == (2, b"")
    assert f"/etc/sonde/config:{line}: " in result.stderr


@pytest.fixture
def as_nobody(with_system_file):
    """The same as a user of no rights, where such a one may run the command."""
    if with_system_file("", "--version", as_user=NOBODY, env=HOMELESS).status != 0:
        pytest.skip("the command lies where only root can run it")

    def run(text, *arguments, user=NOBODY, env=None, **file):
        return with_system_file(text, *arguments, as_user=user, env={**HOMELESS, **(env or {})}, **file)

    return run


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o400, 0o440])
def test_a_key_of_root_s_that_others_cannot_read_is_fine(with_system_file, mode):
    result = with_system_file(KEY, "check", "8.8.8.8", mode=mode)
    assert (result.status, result.stderr.count("/etc/")) == (0, 0)


@pytest.mark.parametrize(
    "mode, owner", [(0o644, (0, 0)), (0o604, (0, 0)), (0o660, (0, 0)), (0o602, (0, 0)), (0o600, (65534, 0))]
)
@pytest.mark.parametrize("command", ["check", "scan"])
def test_a_key_that_others_read_or_that_is_not_root_s_is_refused(with_system_file, mode, owner, command):
    result = with_system_file(KEY, command, "8.8.8.8", mode=mode, owner=owner)
    assert (result.status, result.stdout) == (2, b"")
    assert result.stderr.startswith(f"sonde: {SYSTEM}: it holds a key and ") and SECRET not in result.stderr


def test_a_group_of_root_s_choice_reads_the_key(as_nobody, simulator):
    user = ("setpriv", "--reuid", "65534", "--regid", "65534", "--groups", "4711")
    token = "ipinfo-token = test-token\nprovider = ipinfo-lite\nno-cache = 1\n"
    result = as_nobody(token, "scan", "8.8.8.8", mode=0o640, owner=(0, 4711), user=user, env=simulator.env)
    assert (result.status, result.records[0]["source"]) == (0, "ipinfo-lite"), result.stderr


@pytest.fixture
def database(sonde, loc_database):
    """A database where every user can read it."""
    return sonde.file("here.db", loc_database.read_bytes())


QUIET_COMMANDS = [
    ("extract", "-"),
    ("check", "10.0.0.1"),
    ("plan", "8.8.8.8"),
    ("scan", "--provider", "local", "10.0.0.1"),
    ("lookup", "--provider", "local", "10.0.0.1"),
    ("annotate", "--provider", "local", "-"),
    ("summary", "--provider", "local", "-"),
]


@pytest.mark.parametrize("command", QUIET_COMMANDS, ids=lambda words: words[0])
def test_what_sends_nothing_goes_without_settings_that_it_cannot_read(as_nobody, database, command):
    env = {"SONDE_DATABASE": database} if "local" in command else {}
    for quiet in ((), ("-q",)):
        result = as_nobody(KEY + "format = xml\n", *command, *quiet, mode=0o600, env=env, input=b"10.0.0.1\n")
        assert result.status == 0, result.stderr
        said = f"sonde: {SYSTEM}: Permission denied; its settings are not used"
        assert result.stderr.splitlines().count(said) == (0 if quiet else 1)


@pytest.mark.parametrize(
    "command", [("scan", "8.8.8.8"), ("lookup", "8.8.8.8"), ("me",), ("annotate", "-"), ("status",), ("scan", "--provider", "local,ip-api", "8.8.8.8")]
)
def test_what_may_send_something_ends_where_settings_cannot_be_read(as_nobody, simulator, command):
    result = as_nobody(KEY, *command, mode=0o600, env=simulator.env, input=b"8.8.8.8\n")
    assert (result.status, result.stdout) == (2, b"") and simulator.counts()["total"] == 0
    (line,) = [line for line in result.stderr.splitlines() if SYSTEM in line]
    assert "Permission denied" in line and "chgrp" in line and "0640" in line


def test_a_variable_that_keeps_to_local_databases_is_stronger(as_nobody, database):
    env = {"SONDE_PROVIDER": "local", "SONDE_DATABASE": database}
    assert as_nobody(KEY, "scan", "10.0.0.1", mode=0o600, env=env).status == 0


def test_what_systemd_loads_stands_for_the_machine_s_settings(sonde, with_system_file):
    credentials = sonde.directory / "credentials"
    credentials.mkdir()
    (credentials / "config").write_text("format = csv\nfields = ip\n" + KEY)
    (credentials / "config").chmod(0o440)
    env = {"CREDENTIALS_DIRECTORY": str(credentials)}
    # Not even looked at.
    result = with_system_file("nonsense\n", "check", "8.8.8.8", env=env)
    assert (result.status, result.stdout) == (0, b"ip\n8.8.8.8\n")
    (credentials / "config").chmod(0o444)
    result = with_system_file("", "check", "8.8.8.8", env=env)
    assert result.status == 2 and f"{credentials}/config: it holds a key" in result.stderr
    (credentials / "config").unlink()
    result = with_system_file("fields = status\nformat = csv\n", "check", "8.8.8.8", env=env)
    assert result.stdout == b"status\nok\n"


ROOT = Path(__file__).parents[2]
UNITS = [
    ".packaging/debian/sonde.sonde-guard@.service",
    ".packaging/debian/sonde.sonde-serve.service",
    ".packaging/debian/sonde.sonde-watch.service",
    "Sources/sonde/sonde.docc/Watching.md",
]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: Path(path).stem)
def test_each_unit_loads_the_machine_s_settings_and_starts_without_them(tmp_path, path):
    text = (ROOT / path).read_text()
    if path.endswith(".md"):
        (text,) = re.findall(r"^```\w*\n(# /etc/systemd/system/.*?)^```", text, re.M | re.S)
    lines = text.splitlines()
    assert "LoadCredential=config:/etc/sonde/config" in lines
    # The default counts where the file is absent (systemd.exec(5)); it must not be empty.
    assert "SetCredential=config:\\n" in lines
    if verify := shutil.which("systemd-analyze"):
        unit = tmp_path / "sonde-unit.service"
        unit.write_text(text)
        assert "ignoring" not in subprocess.run([verify, "verify", unit], capture_output=True, text=True).stderr
