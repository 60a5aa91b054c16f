"""`--help`, `--version`, `completions`: they work with everything else broken."""

import re
import shutil
import subprocess

import pytest

COMMANDS = "scan lookup me check plan extract upgrade watch status completions help".split()
SCAN_OPTIONS = (
    "--provider --database --output --concurrency --rate --max-requests --timeout --retries "
    "--offline-timeout --events --strict --by-network --fields --format --duplicates --unordered --rejects "
    "--missing --spreadsheet --log --max-expand --quiet --color --progress"
).split()


def test_help_names_every_command(sonde):
    result = sonde("--help")
    assert (result.status, result.stderr) == (0, "")
    shown = result.stdout.decode()
    assert all(re.search(rf"^\s+{command}\b", shown, re.M) for command in COMMANDS)
    for variable in ("SONDE_IP_API_KEY", "SONDE_IPINFO_TOKEN"):
        assert variable in shown or variable in sonde("scan", "--help").stdout.decode()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(sonde, command):
    result = sonde(command, "--help")
    assert (result.status, result.stderr) == (0, "")
    assert f"sonde {command}" in result.stdout.decode()


def test_the_help_of_scan_names_its_options_and_says_where_addresses_go(sonde):
    shown = sonde("scan", "--help").stdout.decode()
    assert [option for option in SCAN_OPTIONS if option not in shown] == []
    assert "unencrypted" in shown and "non-commercial" in shown


def test_help_fits_a_terminal(sonde):
    for arguments in (["--help"], *([command, "--help"] for command in COMMANDS)):
        lines = sonde(*arguments).stdout.decode().splitlines()
        assert [line for line in lines if len(line) > 80] == [], arguments


def test_version_is_one_line(sonde):
    result = sonde("--version")
    assert re.fullmatch(rb"sonde \d+\.\d+\.\d+\S*\n", result.stdout)
    assert (result.status, result.stderr) == (0, "")


def test_they_work_with_everything_else_broken(sonde):
    sonde.config_file.write_text("nonsense\n")
    env = {"SONDE_FORMAT": "nonsense", "SONDE_IP_API_URL": "nonsense"}
    for arguments in (["--help"], ["--version"], ["scan", "--help"], ["completions", "bash"]):
        assert sonde(*arguments, env=env).status == 0, arguments


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_are_scripts_of_their_shell(sonde, shell):
    result = sonde("completions", shell)
    assert (result.status, result.stderr) == (0, "")
    script = result.stdout.decode()
    assert all(command in script for command in COMMANDS) and "provider" in script
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    check = subprocess.run([shell, "-n"], input=result.stdout, capture_output=True)
    assert (check.returncode, check.stderr) == (0, b"")


def completed(sonde, *words):
    """What bash offers for the last of the words."""
    script = sonde("completions", "bash").stdout.decode()
    quoted = " ".join(f"'{word}'" for word in words)
    ask = (
        f"{script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}\n"
        f"COMP_LINE='{' '.join(words)}'; COMP_POINT=${{#COMP_LINE}}\n"
        'spec=$(complete -p sonde); function=${spec##*-F }; ${function%% *} sonde '
        f"'{words[-1]}' '{words[-2]}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
    )
    done = subprocess.run(["bash", "--norc", "-c", ask], capture_output=True, text=True, cwd=sonde.work)
    return done.stdout.split()


def test_bash_completes_commands_options_and_values(sonde):
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    assert {"scan", "lookup", "extract"} <= set(completed(sonde, "sonde", ""))
    assert completed(sonde, "sonde", "sc") == ["scan"]
    assert "--provider" in completed(sonde, "sonde", "scan", "--prov")
    assert {"csv", "json", "ndjson", "table"} <= set(completed(sonde, "sonde", "scan", "--format", ""))


def test_an_unknown_shell_is_wrong_usage(sonde):
    result = sonde("completions", "tcsh")
    assert (result.status, result.stdout) == (2, b"") and "tcsh" in result.stderr


def test_a_mistyped_command_is_told_the_likely_one(sonde):
    result = sonde("scna", "8.8.8.8")
    assert result.status == 2 and "scna" in result.stderr


def test_help_is_a_command_too(sonde):
    env = {"SONDE_FORMAT": "nonsense"}
    assert sonde("help", env=env).stdout.startswith(b"NAME\n       sonde - ")
    assert sonde("help", "scan", env=env).stdout.startswith(b"NAME\n       sonde-scan - ")
    for arguments in (["help", "scna"], ["help", "scan", "me"], ["help", "--log"]):
        result = sonde(*arguments)
        assert (result.status, result.stdout) == (2, b""), arguments
    assert "did you mean 'scan'" in sonde("help", "scna").stderr


@pytest.mark.parametrize(
    "arguments, hint",
    [
        (["list.txt"], "sonde scan list.txt"),
        (["./list"], "sonde scan ./list"),
        (["1.1.1.0/24"], "sonde scan 1.1.1.0/24"),
        (["2001:db8::1"], "sonde lookup 2001:db8::1"),
        (["scan", "--provdier", "local"], "--provider"),
        (["scan", "-quiet"], "--quiet"),
    ],
)
def test_wrong_usage_is_told_the_likely_one(sonde, arguments, hint):
    result = sonde(*arguments)
    assert (result.status, result.stdout) == (2, b"")
    assert f"did you mean '{hint}'?" in result.stderr


def test_help_that_is_no_file_is_told_the_option(sonde):
    for command in ("scan", "check", "plan", "extract", "upgrade"):
        result = sonde(command, "help")
        assert result.status == 5 and "did you mean --help?" in result.stderr, command
    sonde.file("help", "8.8.8.8\n")
    assert sonde("check", "help").status == 0


def test_q_is_quiet(sonde):
    assert sonde("check", "8.8.8.8").stderr != "" and sonde("check", "-q", "8.8.8.8").stderr == ""


def test_a_long_operand_is_cut_in_messages(sonde):
    long = "x" * 100_000
    for arguments in (["check", long], ["scan", "8.8.8.8", "-o", long], [long], ["check", "--" + long]):
        result = sonde(*arguments)
        assert result.status in (2, 5) and len(result.stderr) < 2000, arguments[0][:9]
    assert sonde("check", long).stderr.endswith("File name too long\n")


def test_help_is_as_wide_as_a_narrow_terminal(sonde):
    screen = sonde.pty("annotate", "--help", width=40)
    lines = [line for line in screen.raw.split("\r\n") if "sonde annotate" not in line]
    wide = [line for line in lines if len(line) > 40 and len(line.split()) > 1]
    assert wide == [] and "      --style STYLE\r\n          Insert as brackets" in screen.raw
