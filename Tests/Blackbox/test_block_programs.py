"""What `block` writes, loaded by the programs that it is for.

In a namespace whose loopback has a server's address and those of clients: from a blocked one nothing comes
back, and from the one beside it the page does. Names of networks are hostile.
"""

import contextlib
import shutil
import socket
import subprocess
import sys

import pytest
from command import wait_for
from namespaces import Namespace, skip_unless_allowed

pytestmark = [pytest.mark.slow, skip_unless_allowed()]

SERVERS = ["5.5.5.1", "2a05:5::1"]
BLOCKED = ["5.5.5.8", "2a05:5:0:8::1"]
BESIDE = ["5.5.5.10", "2a05:5:0:9::1"]
PORT = 8080
NAME = """"Evil\"\" } ; $x \\ {$PATH} %s # `id` </Location> é
 deny all; \u202e'" """.strip()
RECORDS = f"""ip,status,country_code,asn,as_name
5.5.5.8,ok,CN,64500,{NAME}
5.5.5.9,ok,CN,64500,{NAME}
2a05:5:0:8::1,ok,CN,64501,"\\"
5.5.5.10,ok,DE,64502,good
2a05:5:0:9::1,ok,DE,64502,good
"""
# A server for what drops packets.
PAGE = f"""
import http.server, socket
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"the page")
class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
Server(("::", {PORT}), Handler).serve_forever()
"""


@pytest.fixture
def hosts():
    """The namespace with all addresses."""
    space = Namespace("block")
    for address in SERVERS + BLOCKED + BESIDE:
        space.ip(f"addr add {address}/{128 if ':' in address else 32} dev lo" + (" nodad" if ":" in address else ""))
    yield space
    space.close()


@pytest.fixture
def rules(sonde):
    """Writes the rules in a form; `bad` is the country whose hits are bad."""
    sonde.file("records.csv", RECORDS)

    def write(form, *arguments, bad="CN"):
        words = ("block", "records.csv", "--bad", f"country_code = {bad}", "--provider", "local")
        result = sonde(*words, "--format", form, "-o", f"{form}-{bad}.rules", *arguments)
        assert result.status == 0, result.stderr
        path = sonde.work / f"{form}-{bad}.rules"
        assert path.read_bytes().isascii()
        return path

    return write


def fetch(space, client, patience):
    """What a client at an address gets of the server's page; nothing if none comes in that time."""
    server = SERVERS[":" in client]

    def ask():
        family = socket.AF_INET6 if ":" in client else socket.AF_INET
        with socket.socket(family) as connection:
            connection.settimeout(patience)
            try:
                connection.bind((client, 0))
                connection.connect((server, PORT))
                connection.sendall(b"GET / HTTP/1.0\r\nHost: here\r\n\r\n")
                return b"".join(iter(lambda: connection.recv(4096), b""))
            except OSError:
                return b""

    return space.inside(ask)


def passes(space, client):
    return b"the page" in fetch(space, client, 60)


def check(space, is_blocked=True):
    """Holds the rules to what they are to do."""
    for client in BESIDE:
        assert passes(space, client), client
    for client in BLOCKED:
        assert (b"the page" in fetch(space, client, 2 if is_blocked else 60)) != is_blocked, client


@contextlib.contextmanager
def serving(space, command):
    """A server inside, until the block ends."""
    with subprocess.Popen([*space.prefix, *map(str, command)]) as process:
        try:
            wait_for(lambda: process.poll() is not None or passes(space, BESIDE[0]))
            assert process.poll() is None, "the server ended"
            yield
        finally:
            process.terminate()


def needs(*programs):
    missing = [name for name in programs if shutil.which(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


def inside(space, command, path=None):
    """Runs a command inside, with a file as its input."""
    done = subprocess.run(
        [*space.prefix, *command], stdin=path.open() if path else None, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, ""), command


LOADS = {
    "nft": (lambda space, path: inside(space, ["nft", "-f", str(path)]), []),
    "ipset": (
        lambda space, path: inside(space, ["ipset", "restore"], path),
        [
            ["iptables", "-I", "INPUT", "-m", "set", "--match-set", "sonde4", "src", "-j", "DROP"],
            ["ip6tables", "-I", "INPUT", "-m", "set", "--match-set", "sonde6", "src", "-j", "DROP"],
        ],
    ),
    "iptables": (
        lambda space, path: [inside(space, [f"{name}-restore", "-n", str(path)]) for name in ("iptables", "ip6tables")],
        [[name, "-I", "INPUT", "-j", "sonde"] for name in ("iptables", "ip6tables")],
    ),
}


@needs("nft", "ipset", "iptables")
@pytest.mark.parametrize("form", LOADS)
def test_packets_of_blocked_addresses_are_dropped(form, hosts, rules):
    load, use = LOADS[form]
    with serving(hosts, [sys.executable, "-c", PAGE]):
        check(hosts, is_blocked=False)
        for _ in range(2):
            load(hosts, rules(form))
        for command in use:
            inside(hosts, command)
        check(hosts)
        # Over itself, with what it does in place of what it did.
        load(hosts, rules(form, bad="XX"))
        check(hosts, is_blocked=False)
        load(hosts, rules(form, "--expire", "1h"))
        check(hosts)
        load(hosts, rules(form))
        check(hosts)


@needs("nft")
def test_one_line_undoes_it(hosts, rules):
    inside(hosts, ["nft", "-f", str(rules("nft", "--name", "attack-1"))])
    inside(hosts, ["nft", "delete", "table", "inet", "attack-1"])
    done = subprocess.run([*hosts.prefix, "nft", "list", "ruleset"], capture_output=True, text=True)
    assert done.stdout == ""


def nginx(folder, path):
    (folder / "nginx.conf").write_text(f"""
        daemon off; pid {folder}/pid; error_log {folder}/error.log; events {{}}
        http {{
          access_log off; client_body_temp_path {folder}/1; proxy_temp_path {folder}/2;
          fastcgi_temp_path {folder}/3; uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
          include {path};
          include {path};
          server {{ listen {PORT}; listen [::]:{PORT}; location / {{ try_files /none @page; }}
            location @page {{ return 200 "the page"; }} }}
        }}""")
    return ["nginx", "-c", folder / "nginx.conf", "-e", folder / "error.log"]


def apache(folder, path):
    modules = ["mpm_event", "authz_core", "authz_host"]
    (folder / "apache.conf").write_text(
        "".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in modules)
        + f"""
        ServerRoot {folder}
        ServerName here
        PidFile {folder}/pid
        ErrorLog {folder}/error.log
        DefaultRuntimeDir {folder}
        User nobody
        Group nogroup
        Listen 0.0.0.0:{PORT}
        Listen [::]:{PORT}
        DocumentRoot /usr/share
        ErrorDocument 404 "the page"
        <Directory /usr/share>
          Require all granted
        </Directory>
        <Directory /usr/share/doc>
          Require all denied
        </Directory>
        Include {path}
        Include {path}
        """
    )
    return ["apache2", "-X", "-f", folder / "apache.conf"]


def haproxy(folder, path):
    (folder / "haproxy.cfg").write_text(f"""
defaults
  mode http
  timeout client 60s
  timeout connect 60s
  timeout server 60s
frontend page
  bind 0.0.0.0:{PORT}
  bind :::{PORT} v6only
  http-request deny if {{ src -f {path} -f {path} }}
  http-request return status 200 content-type text/plain string "the page"
""")
    return ["haproxy", "-f", folder / "haproxy.cfg"]


def caddy(folder, path):
    (folder / "Caddyfile").write_text(f"""
{{
  admin off
  auto_https off
}}
import {path}
http://:{PORT} {{
  import sonde
  respond "the page"
}}
""")
    return ["caddy", "run", "--config", folder / "Caddyfile", "--adapter", "caddyfile"]


SERVING = {"nginx": (nginx, "nginx"), "apache": (apache, "apache2"), "haproxy": (haproxy, "haproxy"), "caddy": (caddy, "caddy")}


@pytest.mark.parametrize("bad", ["CN", "XX"])
@pytest.mark.parametrize("form", SERVING)
def test_servers_give_blocked_addresses_nothing(form, bad, hosts, rules, tmp_path):
    configure, program = SERVING[form]
    if shutil.which(program) is None:
        pytest.skip(f"not installed: {program}")
    folder = tmp_path / "server"
    folder.mkdir()
    with serving(hosts, configure(folder, rules(form, bad=bad))):
        check(hosts, is_blocked=bad == "CN")
        if form == "apache":
            assert not shut(hosts)


def shut(space):
    """Whether the folder that nobody may see is seen."""
    done = subprocess.run(
        [*space.prefix, "curl", "-s", "--interface", BESIDE[0], f"http://{SERVERS[0]}:{PORT}/doc/none"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0
    return "the page" in done.stdout
