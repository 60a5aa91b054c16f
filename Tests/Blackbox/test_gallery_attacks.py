"""Whom the sample `gallery` asks for pictures: nobody nearby, whatever names and redirects say.

All of it in a network namespace with public addresses, private ones and a name server of its own.
"""

import itertools
import socket
import ssl
import subprocess
import threading
import time

import pytest
from client import SimulatorProcess
from gallery_page import Gallery, Visitor
from namespaces import NameServer, Namespace, skip_unless_allowed
from picsum import png

pytestmark = skip_unless_allowed()

PORT = 8080
PUBLIC, PUBLIC_V6 = "8.8.4.4", "2606:4700::1111"
NEAR = ["127.0.0.1", "169.254.169.254", "10.1.2.3", "192.168.7.7", "100.64.0.9"]
NEAR_V6 = ["::1", "fd00::7", "::ffff:127.0.0.1", "64:ff9b::a01:203", "2002:a01:203::1", "2001:0:a01:203::1"]

# What each name means, from question to question; behind the last the first again.
NAMES = {
    "public.example": [[PUBLIC]],
    "public6.example": [[PUBLIC_V6]],
    "both.example": [["127.0.0.1", PUBLIC]],
    "rebind.example": [[PUBLIC], ["127.0.0.1"]],
    **{f"flip{number}.example": [["127.0.0.1"], [PUBLIC]] for number in range(4)},
    **{f"near{number}.example": [[address]] for number, address in enumerate(NEAR + NEAR_V6)},
}


class Names(NameServer):
    """A name server whose answers change from question to question."""

    def __init__(self, namespace):
        self.turns = {}
        self.asked = []
        super().__init__(namespace, "127.0.0.1")

    def addresses(self, name, family):
        """The addresses that it is this name's turn to have."""
        turns = self.turns.setdefault((name, family), itertools.cycle(NAMES.get(name, [[]])))
        self.asked.append(name)
        turn = next(turns)
        if name not in NAMES:
            return None
        return [each for each in turn if family and (":" in each) == (family == socket.AF_INET6)]


class SecureServer:
    """Answers every path over TLS with a picture, or with a redirect to the URL behind `/to/`; notes who is asked."""

    def __init__(self, folder):
        certificate, key = folder / "server.crt", folder / "server.key"
        names = ",".join([f"DNS:{name}" for name in NAMES] + [f"IP:{each}" for each in [PUBLIC, PUBLIC_V6, *NEAR, *NEAR_V6]])
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=test", "-addext", f"subjectAltName={names}", "-keyout", key, "-out", certificate],
            check=True, capture_output=True,
        )
        self.certificate = certificate
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.reached = []
        self.sockets = [self._listen(port) for port in (443, 80)]

    def _listen(self, port):
        listener = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=64)
        threading.Thread(target=self._accept, args=(listener, port), daemon=True).start()
        return listener

    def _accept(self, listener, port):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self.reached.append((connection.getsockname()[0].removeprefix("::ffff:"), port))
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection):
        try:
            with self.context.wrap_socket(connection, server_side=True) as secure:
                secure.settimeout(5)
                path = secure.recv(65536).split(b" ")[1]
                body = png(20, 20)
                head = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"
                if path.startswith(b"/to/"):
                    head = b"HTTP/1.1 302 Found\r\nLocation: " + path[4:] + b"\r\n"
                secure.sendall(head + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        except OSError:
            pass

    def close(self):
        """Ends it."""
        for listener in self.sockets:
            listener.close()


class World:
    """A namespace in which a gallery is served, and what it could reach there."""

    def __init__(self, folder):
        self.namespace = Namespace("gallery")
        self.parts = []
        try:
            for address in [PUBLIC, *NEAR[1:]]:
                self.namespace.ip(f"addr add {address}/32 dev lo")
            for address in [PUBLIC_V6, *(each for each in NEAR_V6[1:] if not each.startswith("::"))]:
                self.namespace.ip(f"-6 addr add {address}/128 dev lo nodad")
            self.namespace.file("resolv.conf", "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
            with self.namespace.entered():
                self.names = self._keep(Names(self.namespace))
                self.secure = self._keep(SecureServer(folder))
            self.simulator = SimulatorProcess("--host", "127.0.0.1", "--port", PORT, prefix=self.namespace.prefix)
            self.gallery = self._keep(Gallery(folder))
            self.origin = f"http://127.0.0.1:{PORT + 4}"
            self.env = {"GALLERY_URL": self.origin, "SSL_CERT_FILE": str(self.secure.certificate)}
        except BaseException:
            self.close()
            raise

    def _keep(self, part):
        self.parts.append(part)
        return part

    def close(self):
        """Ends all of it."""
        for part in reversed(self.parts):
            part.close()
        if hasattr(self, "simulator"):
            self.simulator.stop()
        self.namespace.close()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """The namespace."""
    world = World(tmp_path_factory.mktemp("world"))
    yield world
    world.close()


@pytest.fixture(scope="module")
def served(world):
    """The address of a gallery in it."""
    return world.gallery.serve(world.env, world.namespace.prefix).address


@pytest.fixture
def ada(world, served):
    """Somebody who has logged in, in the namespace."""
    world.secure.reached.clear()
    with world.namespace.entered():
        yield Visitor(served, "ada@example.org")


def near_reached(world):
    """Who was reached that must not be."""
    return [each for each in world.secure.reached if each[0] not in (PUBLIC, PUBLIC_V6) or each[1] != 443]


@pytest.mark.parametrize("url", ["https://public.example/a.png", "https://public6.example/a", f"https://{PUBLIC}/a", f"https://[{PUBLIC_V6}]:443/"])
def test_public_addresses_are_asked(world, ada, url):
    assert ada.is_picture(url)
    assert world.secure.reached in ([(PUBLIC, 443)], [(PUBLIC_V6, 443)])


def test_names_of_near_addresses_are_refused(world, ada):
    for number, address in enumerate(NEAR + NEAR_V6):
        assert not ada.is_picture(f"https://near{number}.example/a.png"), address
        literal = f"[{address}]" if ":" in address else address
        assert not ada.is_picture(f"https://{literal}/a.png"), address
        assert not ada.is_picture(f"https://public.example/to/https://near{number}.example/a.png"), address
        assert not ada.is_picture(f"https://public.example/to/https://{literal}/a.png"), address
        assert not ada.is_picture(f"{world.origin}/made/redirect?to=https://near{number}.example/a.png"), address
    assert near_reached(world) == []
    assert len(world.secure.reached) == 2 * len(NEAR + NEAR_V6)


def test_a_redirect_to_plain_http_or_another_port_is_refused(world, ada):
    for target in ("http://169.254.169.254/latest/meta-data/", "http://127.0.0.1/", f"http://{PUBLIC}/", "http://public.example/",
                   f"http://127.0.0.1:{PORT}/json", "https://public.example:8443/", "file:///etc/passwd"):
        assert not ada.is_picture(f"https://public.example/to/{target}"), target
    assert near_reached(world) == []
    assert world.simulator.requests("ip-api single") == 0


def test_a_redirect_to_the_origin_is_followed(world, ada):
    assert ada.is_picture(f"https://public.example/to/{world.origin}/made/png")


def test_three_redirects_are_followed_and_no_more(world, ada):
    hop = "https://public.example/to/"
    assert ada.is_picture(hop * 3 + "https://public.example/a.png")
    assert not ada.is_picture(hop * 4 + "https://public.example/a.png")


def test_a_name_that_changes_its_address_gets_nowhere(world, ada):
    found = set()
    for _ in range(6):
        found.add(ada.is_picture("https://rebind.example/a.png"))
    for _ in range(4):
        found.add(ada.is_picture("https://public.example/to/https://rebind.example/a.png"))
    # libcurl remembers an answer for a minute: so names, too, whose first one is near.
    for number in range(4):
        prefix = "https://public.example/to/" if number % 2 else ""
        assert not ada.is_picture(f"{prefix}https://flip{number}.example/a.png")
    assert world.names.asked.count("rebind.example") >= 2
    assert near_reached(world) == []
    assert True in found


def test_a_name_with_a_near_and_a_public_address_reaches_the_public_one_alone(world, ada):
    ada.is_picture("https://both.example/a.png")
    assert near_reached(world) == []


def test_no_proxy_is_asked(world, tmp_path):
    gallery = Gallery(tmp_path)
    env = {**world.env, "https_proxy": "http://127.0.0.1:80", "ALL_PROXY": "http://127.0.0.1:80", "no_proxy": "127.0.0.1"}
    try:
        with world.namespace.entered():
            world.secure.reached.clear()
            ada = Visitor(gallery.serve(env, world.namespace.prefix).address, "ada@example.org")
            assert ada.is_picture("https://public.example/a.png")
            assert world.secure.reached == [(PUBLIC, 443)]
    finally:
        gallery.close()


def test_a_certificate_that_nobody_vouches_for_is_refused(world, tmp_path):
    gallery = Gallery(tmp_path)
    try:
        with world.namespace.entered():
            ada = Visitor(gallery.serve({"GALLERY_URL": world.origin}, world.namespace.prefix).address, "ada@example.org")
            begin = time.monotonic()
            assert not ada.is_picture("https://public.example/a.png")
            assert time.monotonic() - begin < 5
    finally:
        gallery.close()
