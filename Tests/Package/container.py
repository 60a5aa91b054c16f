"""Containers of an image, run by runc as an engine would: what the image says, and nothing of the network."""

import json
import os
import signal
import subprocess
import tarfile
from pathlib import Path


class Image:
    """An image as `podman save` writes it, unpacked."""

    def __init__(self, archive, folder):
        self.root = folder / "root"
        with tarfile.open(archive) as outer:
            manifest = json.load(outer.extractfile("manifest.json"))[0]
            self.config = json.load(outer.extractfile(manifest["Config"]))["config"]
            # What each layer has, from the system's to the program's.
            self.layers = []
            for layer in manifest["Layers"]:
                with tarfile.open(fileobj=outer.extractfile(layer)) as inner:
                    self.layers.append(inner.getmembers())
                    inner.extractall(self.root)


class Container:
    """One that runs: `process` is runc's, which passes on signals and the status."""

    count = 0

    def __init__(self, image, folder, volume, arguments, variables):
        Container.count += 1
        self.name = f"sonde-{os.getpid()}-{Container.count}"
        self.state = ["runc", "--root", str(folder / "runc")]
        bundle = folder / self.name
        bundle.mkdir()
        (bundle / "config.json").write_text(json.dumps(specification(image, volume, arguments, variables)))
        self.process = subprocess.Popen(
            [*self.state, "run", "--bundle", bundle, self.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run([*self.state, "delete", "--force", self.name], capture_output=True)
        self.process.kill()
        self.process.communicate()

    def line(self):
        """A line of stdout, without its end."""
        return self.process.stdout.readline().decode().removesuffix("\n")

    def end(self, input=None, timeout=30):
        """The status, stdout and stderr at its end."""
        out, err = self.process.communicate(input, timeout=timeout)
        return self.process.returncode, out.decode(), err.decode()

    def stop(self):
        """What `end` returns, after the signal by which engines stop a container."""
        subprocess.run([*self.state, "kill", self.name, signal.SIGTERM.name], check=True)
        # Its input stays open until then.
        self.process.wait(timeout=10)
        return self.end()

    def run(self, *command):
        """What another program in it writes, as by `podman exec`."""
        return subprocess.run([*self.state, "exec", self.name, *command], capture_output=True, text=True, timeout=30)

    @property
    def first(self):
        """The number of its first process, as this machine sees it."""
        state = subprocess.run([*self.state, "state", self.name], check=True, capture_output=True).stdout
        return json.loads(state)["pid"]

    def curl(self, *arguments):
        """What curl writes in its network."""
        command = ["nsenter", f"--net=/proc/{self.first}/ns/net", "curl", "--silent", "--show-error", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout

    def processes(self):
        """The states (proc_pid_stat(5)) of all processes in it, each with its user."""
        space = os.readlink(f"/proc/{self.first}/ns/pid")
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(folder / "ns/pid") == space:
                    state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                    found.append((state, folder.stat().st_uid))
            except OSError:
                continue
        return found


def specification(image, volume, arguments, variables):
    """The container as the OCI's runtime specification wants it, without any privilege."""
    config = image.config
    user, group = map(int, config["User"].split(":"))
    mounts = [
        {"destination": "/proc", "type": "proc", "source": "proc"},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
        {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777"]},
    ]
    [place] = config["Volumes"]
    mounts.append({"destination": place, "type": "bind", "source": str(volume), "options": ["rbind", "rw"]})
    return {
        "ociVersion": "1.0.2",
        "process": {
            "user": {"uid": user, "gid": group},
            "args": config["Entrypoint"] + (list(arguments) or config["Cmd"]),
            "env": config["Env"] + [f"{name}={value}" for name, value in variables.items()],
            "cwd": config["WorkingDir"],
            "noNewPrivileges": True,
        },
        "root": {"path": str(image.root), "readonly": True},
        "mounts": mounts,
        "linux": {"namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount", "network")]},
    }
