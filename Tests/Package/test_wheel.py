"""The wheel that `.packaging/wheel.sh` makes, which WHEEL names: in a root with nothing but a C library, and from Python."""

import base64
import bz2
import gzip
import hashlib
import json
import lzma
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / name) for name in ("Blackbox", "Simulator")]

import libloc
from captures import framed, ip, pcap
from namespaces import Namespace
from redis_server import RedisServer

PYTHON = ROOT / ".build/wheel-tools/bin/python"
LIBRARIES = pathlib.Path("/lib/x86_64-linux-gnu")
# Those of every manylinux system (PEP 600), as far as the program needs them.
SYSTEM = ("libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libz.so.1", "libresolv.so.2", "libdl.so.2", "libpthread.so.0", "librt.so.1")
LOADER = "/lib64/ld-linux-x86-64.so.2"


@pytest.fixture(scope="module")
def wheel():
    return pathlib.Path(os.environ["WHEEL"])


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder into which pip has put the package, which nobody may write, and whose name has a blank."""
    folder = tmp_path_factory.mktemp("a b") / "site packages"
    pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", folder, wheel], stdin=subprocess.DEVNULL, check=True)
    subprocess.run(["chmod", "-R", "a-w", folder], check=True)
    return folder


class Bare:
    """A root with the package and a C library, and a network without routes."""

    def __init__(self, folder, installed):
        self.folder, self.network = folder, Namespace("wheel")
        for name in ("tmp", "home", "etc", "proc", "dev", "lib64", str(LIBRARIES)[1:]):
            (folder / name).mkdir(parents=True)
        os.mknod(folder / "dev/null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        for name in SYSTEM:
            shutil.copy(LIBRARIES / name, folder / str(LIBRARIES)[1:])
        shutil.copy(LOADER, folder / LOADER[1:])
        shutil.copytree(installed, folder / "opt/site packages")

    def command(self, *arguments):
        """A command in the root, with its network; the loader knows by /proc where the program is."""
        script = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
        return [*self.network.prefix, "sh", "-c", script, self.folder, *arguments]

    def run(self, *arguments, input=b"", status=0, **variables):
        """What the program prints, which must end with a status."""
        env = {"HOME": "/home", "PATH": os.environ["PATH"], **variables}
        command = self.command("/opt/site packages/sonde/bin/sonde", *arguments)
        done = subprocess.run(command, input=input, capture_output=True, env=env)
        assert done.returncode == status, done.stderr.decode()
        return done.stdout.decode()

    def records(self, *arguments, **more):
        """The addresses and statuses of records."""
        rows = map(json.loads, self.run("scan", "--quiet", "--format=ndjson", *arguments, **more).splitlines())
        return [(row["ip"], row["status"]) for row in rows]


@pytest.fixture(scope="module")
def bare(installed, tmp_path_factory):
    root = Bare(tmp_path_factory.mktemp("root"), installed)
    libloc.write(root.folder / "home/location.db")
    yield root
    root.network.close()


LOCAL = ("--provider=local", "--database=/home/location.db")
OK = [("5.1.1.1", "ok"), ("5.2.2.2", "ok")]


def test_the_program_starts_where_there_is_only_a_c_library(bare):
    assert re.fullmatch(r"sonde \d+\.\d+\.\d+\n", bare.run("--version"))
    assert bare.records(*LOCAL, "-", input=b"5.1.1.1\n5.2.2.2\n") == OK


def test_all_that_is_linked_is_in_the_wheel_or_in_any_system(bare):
    for file in [*bare.folder.glob("opt/*/sonde.libs/*"), *bare.folder.glob("opt/*/sonde/bin/sonde")]:
        command = bare.command(LOADER, "--list", f"/{file.relative_to(bare.folder)}")
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for line in filter(None, map(str.strip, listed.splitlines())):
            assert "not found" not in line
            name, _, place = line.partition(" => ")
            assert "/sonde.libs/" in place or name.split()[0] in (*SYSTEM, "linux-vdso.so.1", LOADER), line


def test_the_program_looks_for_libraries_in_the_folder_of_the_wheel_alone(installed):
    headers = subprocess.run(["readelf", "-d", installed / "sonde/bin/sonde"], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"(?:RPATH|RUNPATH).*\[(.*)\]", headers) == ["$ORIGIN/../../sonde.libs"]


@pytest.mark.parametrize("packed", ["gz", "bz2", "xz", "zst"])
def test_compressed_input_is_read(bare, packed):
    text = b"5.1.1.1\n5.2.2.2\n"
    compress = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": lambda text: subprocess.run(["zstd", "-q"], input=text, stdout=subprocess.PIPE, check=True).stdout}  # fmt: skip
    assert bare.records(*LOCAL, "-", input=compress[packed](text)) == OK


def test_a_capture_is_read(bare):
    (bare.folder / "home/trace.pcap").write_bytes(pcap([framed(ip("5.1.1.1", "5.2.2.2"))]))
    assert sorted(bare.records(*LOCAL, "/home/trace.pcap")) == OK


TLS = """
import http.server, json, ssl, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        names = [each["query"] if isinstance(each, dict) else each for each in asked]
        body = json.dumps([{"status": "success", "query": each, "countryCode": "CA"} for each in names]).encode()
        self.send_response(200)
        for name, value in (("Content-Type", "application/json"), ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
    do_GET = do_POST
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
"""


@pytest.fixture
def provider(bare, tmp_path):
    """Settings by which the program asks a provider on loopback by HTTPS."""
    pem = tmp_path / "server.pem"
    request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "9"]
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*request, *names, "-keyout", tmp_path / "key", "-out", tmp_path / "cert"], capture_output=True, check=True)
    pem.write_bytes((tmp_path / "key").read_bytes() + (tmp_path / "cert").read_bytes())
    shutil.copy(tmp_path / "cert", bare.folder / "etc/ca.pem")
    server = subprocess.Popen([*bare.network.prefix, sys.executable, "-c", TLS, pem], stdout=subprocess.PIPE, text=True)
    yield {"SONDE_IP_API_URL": f"https://127.0.0.1:{int(server.stdout.readline())}", "CURL_CA_BUNDLE": "/etc/ca.pem"}
    server.kill()
    server.wait()
    server.stdout.close()


def test_a_provider_is_asked_by_https(bare, provider):
    assert bare.records("--provider=ip-api", "--no-cache", "-", input=b"5.1.1.1\n5.2.2.2\n", **provider) == OK


def test_answers_are_shared_by_redis(bare, provider, tmp_path):
    with bare.network.entered():
        server = RedisServer(tmp_path / "redis")
    try:
        for cached in ("false", "true"):
            text = bare.run("scan", "--quiet", "--provider=ip-api", f"--shared={server.url}", "--fields=ip,cached", "--format=csv", "-", input=b"5.1.1.1\n", **provider)
            assert text == f"ip,cached\n5.1.1.1,{cached}\n"
    finally:
        server.close()


def test_names_are_asked_for(bare):
    """The resolver is not there; the library that asks it is."""
    options = ["--with=names", "--resolver=127.0.0.1:9", "--offline-timeout=1s", "--fields=ip,ptr_status", "--format=csv"]
    assert bare.run("scan", "-q", *LOCAL, *options, "5.1.1.1", status=3) == "ip,ptr_status\n5.1.1.1,network_lost\n"


def test_the_licences_of_all_libraries_are_beside(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        licences = {pathlib.Path(name).stem for name in names if ".dist-info/licenses/" in name}
        texts = [archive.read(name) for name in names if ".dist-info/licenses/" in name and not name.endswith("/")]
    libraries = [name for name in names if name.startswith("sonde.libs/") and ".so" in name]
    assert len(libraries) > 20 and all(len(text) > 200 for text in texts)
    assert {"LICENSE", "libcurl4", "libssl3", "libloc1", "libhiredis0", "libsqlite3-0", "libpcap0"} <= {each.split(".")[0] for each in licences}


def test_the_record_names_every_file_with_its_sum(wheel):
    with zipfile.ZipFile(wheel) as archive:
        record = next(name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
        rows = [line.rsplit(",", 2) for line in archive.read(record).decode().splitlines()]
        assert sorted(row[0] for row in rows) == sorted(name for name in archive.namelist() if not name.endswith("/"))
        for name, told, _ in rows:
            if name != record:
                digest = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest()).decode().rstrip("=")
                assert told == f"sha256={digest}", name


def test_the_command_is_the_program(installed):
    env = {**os.environ, "PYTHONPATH": str(installed), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    for command in ([installed / "bin/sonde"], [sys.executable, "-m", "sonde"]):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, env=env, check=True)
        assert done.stdout.startswith("sonde ")
        assert subprocess.run([*command, "scan", "--no-such"], capture_output=True, env=env).returncode == 2
        process = subprocess.Popen([*command, "scan", "--provider=local", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        while pathlib.Path(f"/proc/{process.pid}/exe").resolve() != installed / "sonde/bin/sonde":
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL


def test_the_program_of_the_package_wins_unless_another_is_named(installed, tmp_path):
    other = tmp_path / "sonde"
    other.write_text("#!/bin/sh\necho other\n")
    other.chmod(0o755)
    env = {**os.environ, "PYTHONPATH": str(installed), "PATH": f"{tmp_path}:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "sonde", "--version"]
    assert subprocess.run(command, capture_output=True, env=env, check=True).stdout.startswith(b"sonde ")
    assert subprocess.run(command, capture_output=True, env={**env, "SONDE_PROGRAM": str(other)}, check=True).stdout == b"other\n"
