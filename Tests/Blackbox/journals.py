"""Journals as systemd writes them, at the place where the system has its own.

A journal is made of entries in the export format by `systemd-journal-remote`, in a directory that takes the
place of `/var/log/journal` for the program alone, in a mount namespace. Needs root and Debian's
systemd-journal-remote.
"""

import os
import subprocess
import uuid
from pathlib import Path

REMOTE = "/usr/lib/systemd/systemd-journal-remote"
MACHINE = Path("/etc/machine-id")


class Journal:
    def __init__(self, folder):
        self.folder = folder
        self.files = folder / MACHINE.read_text().strip()
        self.count = 0
        self.boot = uuid.uuid4().hex
        self.sequence = uuid.uuid4().hex

    def make(self):
        self.files.mkdir(parents=True)

    def add(self, *messages, unit="ssh.service", name="system", at=1_795_316_400, more={}):
        """Adds messages of a unit to a file, one a second, with more fields."""
        entries = b""
        for message in messages:
            self.count += 1
            moment = (at + self.count) * 1_000_000
            fields = {
                "__REALTIME_TIMESTAMP": moment, "__MONOTONIC_TIMESTAMP": self.count * 1_000_000,
                "_BOOT_ID": self.boot, "_MACHINE_ID": MACHINE.read_text().strip(),
                "_SYSTEMD_UNIT": unit, "MESSAGE": message, **more,
            }
            for field, value in fields.items():
                value = value if isinstance(value, bytes) else str(value).encode()
                if b"\n" in value or b"\0" in value:
                    length = len(value).to_bytes(8, "little")
                    entries += field.encode() + b"\n" + length + value + b"\n"
                else:
                    entries += field.encode() + b"=" + value + b"\n"
            entries += b"\n"
        command = [REMOTE, "-o", str(self.files / f"{name}.journal"), "--split-mode=none", "-"]
        subprocess.run(command, input=entries, capture_output=True, check=True)

    def remove(self, name):
        os.unlink(self.files / f"{name}.journal")

    @property
    def wrapper(self):
        """What runs a command where the journal is the system's."""
        script = 'mount --bind "$0" /var/log/journal && exec "$@"'
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, str(self.folder)]


def reason_to_skip():
    """Why no journal can be made here; `None` if one can."""
    if os.geteuid() != 0:
        return "a journal at the system's place needs root"
    if not os.path.exists(REMOTE) or not MACHINE.exists():
        return "making a journal needs systemd-journal-remote and a machine ID"
    return None
