"""The library `Web` behind nginx, which ends TLS and serves it below a path of its own."""

import pytest
from nginx import Nginx
from probe import Answer, Probe, Stream, read_all

pytestmark = pytest.mark.slow


class Proxied(Nginx):
    """What a client sees of nginx and the server behind it."""

    prefix = "/sub"

    def __init__(self, folder, headers):
        super().__init__(folder)
        self.probe = Probe(url=f"{self.origin}/sub/")
        self.probe.prefix = self.prefix
        self.start(self.probe.host, headers)

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
        super().stop()
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
        proxied.probe.tell("n", str(number))
        assert stream.event()["data"] == str(number)
