"""The library `Web` behind nginx, which ends TLS and serves it below a path of its own."""

import socket
import ssl
import subprocess
import time

import pytest
from probe import Answer, Probe, Stream, read_all

CONFIGURATION = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/cert.pem;
    ssl_certificate_key {folder}/key.pem;
    location /sub/ {{
      proxy_pass http://{host};
      {headers}
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }}
  }}
}}
"""


def free_port():
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Proxied:
    """What a client sees of nginx and the server behind it."""

    prefix = "/sub"

    def __init__(self, folder, headers):
        self.port = free_port()
        self.host = f"localhost:{self.port}"
        self.origin = f"https://{self.host}"
        self.probe = Probe(url=f"{self.origin}/sub/")
        self.probe.prefix = self.prefix
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
             "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
            check=True, capture_output=True,
        )  # fmt: skip
        configuration = folder / "nginx.conf"
        values = {"folder": folder, "port": self.port, "host": self.probe.host, "headers": headers}
        configuration.write_text(CONFIGURATION.format(**values))
        self.nginx = subprocess.Popen(["nginx", "-c", configuration, "-e", folder / "error.log"])
        self._wait()

    def _wait(self):
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                return self.connect().close()
            except ConnectionRefusedError:
                time.sleep(0.05)
        raise TimeoutError("nginx does not listen")

    def connect(self, timeout=8):
        """A connection over TLS."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        plain = socket.create_connection(("127.0.0.1", self.port), timeout)
        return context.wrap_socket(plain, server_hostname="localhost")

    def ask(self, line, *headers, body=b""):
        """The answer to a request."""
        lines = [f"{line} HTTP/1.1", f"Host: {self.host}", "Connection: close", *headers]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        with self.connect() as client:
            client.sendall("\r\n".join([*lines, "", ""]).encode() + body)
            return Answer(read_all(client))

    def stop(self):
        """Stops both."""
        self.nginx.terminate()
        self.nginx.wait(timeout=10)
        assert self.probe.stop() < 2


# As nginx does by itself, and as its manual advises.
@pytest.fixture(params=["", "proxy_set_header Host $http_host;"], ids=["its host", "our host"])
def proxied(request, tmp_path):
    """A server behind nginx."""
    proxied = Proxied(tmp_path, request.param)
    yield proxied
    proxied.stop()


def test_pages_changes_and_clients_are_known(proxied):
    assert proxied.ask("GET /sub/").status == 200
    assert proxied.ask("GET /sub/small").status == 200
    assert proxied.ask("GET /sub/%2e%2e/small").status in (400, 404)
    headers = ["Content-Type: application/json", "Sec-Fetch-Site: same-origin"]
    body = b'{"text":"a"}'
    answer = proxied.ask("POST /sub/echo", *headers, f"Origin: {proxied.origin}", body=body)
    assert (answer.status, answer.body) == (200, b"a")
    foreign = proxied.ask("POST /sub/echo", *headers, f"Origin: http://{proxied.host}", body=body)
    assert foreign.status == 403
    # On loopback the client has the address of a proxy, and is believed as well.
    assert proxied.ask("GET /sub/client", "X-Forwarded-For: 192.0.2.7").body == b"192.0.2.7"
    assert proxied.ask("GET /sub/me", "Cookie: probe=anna-1").body == b"anna"


def test_events_come_at_once(proxied):
    stream = Stream(proxied, "anna-1")
    assert stream.event()["event"] == "state"
    for number in range(5):
        start = time.monotonic()
        proxied.probe.tell("n", str(number))
        assert stream.event()["data"] == str(number)
        assert time.monotonic() - start < 0.5
