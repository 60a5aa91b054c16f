"""The recipes of the page Scheduling, as Debian's cron and systemd would run them, in places of their own."""

import os
import re
import shlex
import shutil
import subprocess
import time

import pytest
from command import binary
from manual import MANUAL, blocks

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.geteuid() != 0 or not shutil.which("unshare"), reason="places of their own need root and unshare"
    ),
]

# What cron and systemd give to a job (crontab(5), systemd.exec(5)).
CRON = {"SHELL": "/bin/sh", "PATH": "/usr/bin:/bin", "HOME": "/root", "LOGNAME": "root"}
SYSTEMD = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"}
# Shows a job the test's folders in place of the machine's.
PLACES = 'mount --bind "$1" /srv && mount --bind "$2" /usr/local/bin && mount --bind "$3" /var/log && exec "$4" -c "$5"'

JOBS = [block for block in blocks("crontab") if block.page.parent == MANUAL]
UNITS = [block for block in blocks("ini") if "/systemd/" in block.text and block.page.name == "Scheduling.md"]


def entries(block):
    """The environment of a table, and its commands, by the rules of crontab(5)."""
    environment, commands = dict(CRON), []
    for line in block.text.splitlines():
        if found := re.fullmatch(r"(\w+)\s*=\s*(.*)", line):
            environment[found[1]] = found[2]
        elif line and not line.startswith("#"):
            command = line.split(None, 5)[5]
            # What follows a bare % is the command's standard input.
            assert not re.search(r"(?<!\\)%", command), line
            commands.append(command.replace("\\%", "%"))
    return environment, commands


class Machine:
    """The folders that the recipes speak of, and what a job prints, which cron mails."""

    def __init__(self, sonde, simulator):
        self.srv, self.bin, self.log = (sonde.directory / name for name in ("srv", "bin", "log"))
        for folder in (self.srv / "sonde", self.bin, self.log / "nginx"):
            folder.mkdir(parents=True)
        (self.bin / "sonde").symlink_to(binary())
        self.list, self.access = self.srv / "sonde/list.txt", self.log / "nginx/access.log"
        self.home = sonde.home
        services = sonde.environment(simulator.env)
        self.services = {name: value for name, value in services.items() if name.startswith("SONDE_")}
        self.write("8.8.8.8", "1.1.1.1")

    def write(self, *addresses):
        """Puts addresses into the list, and as today's visitors into the log."""
        self.list.write_text("".join(f"{address}\n" for address in addresses))
        now = time.strftime("%d/%b/%Y:%H:%M:%S %z")
        self.access.write_text("".join(f'{address} - - [{now}] "GET / HTTP/1.1" 200 1\n' for address in addresses))

    def run(self, command, environment, shell="/bin/sh"):
        """The status of a command and what it printed."""
        places = ["unshare", "--mount", "--propagation", "private", "sh", "-c", PLACES, "sh"]
        words = [*places, *map(str, (self.srv, self.bin, self.log)), shell, command]
        environment = {**environment, **self.services, "HOME": str(self.home)}
        done = subprocess.run(
            words, env=environment, cwd="/", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False,
        )
        return done.returncode, done.stdout.decode()

    @property
    def today(self):
        """The files of today, or without a day, by name."""
        return {path.name.replace(time.strftime("%F"), "DATE"): path for path in (self.srv / "sonde").iterdir()}


@pytest.fixture
def machine(sonde, simulator):
    """A machine for one job."""
    return Machine(sonde, simulator)


@pytest.mark.parametrize("block", JOBS, ids=repr)
def test_a_crontab_runs_today_again_and_after_a_change_without_mail(machine, block):
    environment, commands = entries(block)
    assert commands
    for addresses in (("8.8.8.8", "1.1.1.1"), ("8.8.8.8", "1.1.1.1"), ("9.9.9.9", "8.8.8.8", "5.0.0.1")):
        machine.write(*addresses)
        for command in commands:
            assert machine.run(command, environment) == (0, ""), command
        for name, path in machine.today.items():
            if name in ("list-DATE.csv", "current.csv"):
                rows = path.read_text().splitlines()[1:]
                assert tuple(row.split(",")[0] for row in rows) == addresses
    assert machine.today.keys() - {"list.txt"} or "upgrade" in block.text


@pytest.mark.parametrize("block", [block for block in JOBS if "flock" in block.text], ids=repr)
def test_a_job_that_was_killed_runs_again_without_mail(machine, block):
    environment, commands = entries(block)
    for command in commands:
        # Without a network it waits; it is killed with all that it began.
        killed = f"timeout --signal=KILL 2 unshare --net sh -c {shlex.quote(command)}"
        assert machine.run(killed, {**environment, "SONDE_OFFLINE_TIMEOUT": "1h"})[0] == 137
        assert any(name.endswith(".journal") for name in machine.today), machine.today
        machine.write("9.9.9.9", "8.8.8.8")
        assert machine.run(command, environment) == (0, ""), command
        assert not any(name.endswith(".journal") for name in machine.today), machine.today


def test_a_full_disk_is_worth_a_mail(machine):
    environment, commands = entries(JOBS[0])
    full = f"mount -t tmpfs -o size=4k none /srv/sonde && printf '8.8.8.8\\n' > /srv/sonde/list.txt && {commands[0]}"
    status, mail = machine.run(full, environment)
    assert status == 5 and "No space left on device" in mail and mail.count("\n") <= 2, mail


def test_the_units_run_as_the_crontab_does(machine):
    units = {re.match(r"# /etc/systemd/system/(\S+)\n", block.text)[1]: block.text for block in UNITS}
    assert {name.rpartition(".")[2] for name in units} == {"service", "timer"}
    for name, text in units.items():
        (machine.srv / name).write_text(text)
        if name.endswith(".timer"):
            assert name.replace(".timer", ".service") in units and "OnCalendar=" in text
            continue
        settings = dict(line.split("=", 1) for line in text.splitlines() if re.match(r"\w+=", line))
        words = shlex.split(settings["ExecStart"].replace("%%", "%"))
        assert words[:2] == ["/bin/sh", "-c"] and len(words) == 3
        command = f"cd {settings['WorkingDirectory']} && {words[2]}"
        assert machine.run(command, SYSTEMD) == (0, "")
    assert "list-DATE.csv" in machine.today
    if shutil.which("systemd-analyze"):
        verify = ["systemd-analyze", "verify", "--man=no", *(str(machine.srv / name) for name in units)]
        done = subprocess.run(verify, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
