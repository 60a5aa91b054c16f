"""What the README and the manual show, and a world in which that can be run.

What would build or change the machine is a stand-in in `STAND_INS`, `/var/log` a folder of the test,
and example.com loopback.
"""

import gzip
import re
import subprocess
from pathlib import Path

import databases
from captures import ETHERNET, framed, ip, pcap, pcapng
from command import ROOT, binary

MANUAL = ROOT / "Sources/sonde/sonde.docc"
README = ROOT / "README.md"
PAGES = [README, ROOT / ".github/CONTRIBUTING.md", ROOT / ".github/CHANGELOG.md", *sorted(ROOT.glob("Sources/*/*.docc/*.md"))]

# Commands that the test cannot run: each is a script in their place that succeeds.
STAND_INS = {
    "dig": "echo 8.8.8.8",
    # Of a machine without systemd.
    "journalctl": """case " $* " in
      *" json "*) echo '{"MESSAGE":"Accepted password for root from 8.8.8.8 port 50000 ssh2"}' ;;
      *" --follow "*) exec tail -n 3 -F access.log ;;
      *) cat access.log ;;
    esac""",
    "notify-send": "true",
    "pip": "true",
    "python3": 'mkdir -p "$3/bin" && touch "$3/bin/activate"',  # makes an environment
    "podman": '[[ $1 =~ ^(load|run|logs|exec)$ ]]',
    "sonde-spark-submit": "true",  # Tests/Spark runs it
    "sudo": 'command -v "$1" > /dev/null',  # that there is such a command is all that is tried
    "tcpdump": "cat trace.pcap",  # which captures what comes by
    "apt-get": "true",
    "location": "true",
    "install": "true",
    "swift": '[[ $1 == build || $1 == test ]]',
}
STAND_IN_FILES = (".packaging/deb.sh", ".packaging/image.sh", ".packaging/wheel.sh", "Tests/setup.sh", "Tests/run.sh", ".build/release/Benchmarks")


class Block:
    """A block of code: its page, its first line's number, its text."""

    def __init__(self, page, line, text):
        self.page, self.line, self.text = page, line, text

    def __repr__(self):
        return f"{self.page.name}:{self.line}"


def blocks(language):
    """All blocks of a language."""
    for page in PAGES:
        text = page.read_text()
        for found in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.M | re.S):
            yield Block(page, text.count("\n", 0, found.start()) + 2, found[1])


def prose(page):
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)


def tree(sonde):
    """The files that the manual speaks of."""
    for folder in (".packaging", "Samples", "Tests", ".build/debug", ".build/release", "var/log/nginx"):
        (sonde.work / folder).mkdir(parents=True)
    for sample in filter(Path.is_file, (ROOT / "Samples").iterdir()):
        (sonde.work / "Samples" / sample.name).write_bytes(sample.read_bytes())
        (sonde.work / "Samples" / sample.name).chmod(sample.stat().st_mode)
    log = (ROOT / "Samples/access.log").read_text().splitlines(True)[:200]
    for name in ("access.log", "var/log/nginx/access.log", "var/log/nginx/access.log.1", "var/log/auth.log"):
        sonde.file(name, "".join(log))
    subprocess.run(["gzip", "-k", "-S", ".2.gz", sonde.work / "var/log/auth.log"], check=True)
    packets = [framed(ip("8.8.8.8", "10.0.0.1")), framed(ip("10.0.0.1", "1.1.1.1"))]
    sonde.file("trace.pcap", pcap(packets))
    sonde.file("trace.pcap.gz", gzip.compress(pcap(packets)))
    sonde.file("trace.pcapng", pcapng([(ETHERNET, packets)]))
    sonde.file("ours.txt", "10.0.0.0/8\n")
    sonde.file("hits.log", '8.8.8.8 - - [17/May/2015:23:15:43 +0000] "POST /login HTTP/1.1" 401 12\n')
    for name in ("list.txt", "left.txt"):
        sonde.file(name, "8.8.8.8\n1.1.1.1\n10.0.0.1\n")
    assert sonde("scan", "list.txt", "--provider", "local", "-o", "list.csv").status == 0
    for layout, name in (("city", "GeoLite2-City.mmdb"), ("asn", "GeoLite2-ASN.mmdb")):
        Path(databases.write(layout, sonde.directory)).rename(sonde.work / name)
    (sonde.home / ".ipinfo-token").write_text("test-token\n")


def programs(sonde):
    """Where commands are found: the one under test, and the stand-ins."""
    folder = sonde.directory / "bin"
    folder.mkdir()
    scripts = {folder / name: script for name, script in STAND_INS.items()}
    scripts.update({sonde.work / name: "true" for name in STAND_IN_FILES})
    for path, script in scripts.items():
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)
    for place in (folder, sonde.work / ".build/debug", sonde.work / ".build/release"):
        (place / "sonde").symlink_to(binary())
    sonde.env["PATH"] = f"{folder}:{sonde.env['PATH']}"


def inside(sonde, text):
    """A script with the test's own folder in place of the machine's logs, and loopback of a host."""
    return text.replace("/var/log/", f"{sonde.work}/var/log/").replace("example.com", "127.0.0.1")
