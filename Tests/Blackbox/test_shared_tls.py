"""`--shared rediss://`: a Redis over TLS, the certificates of both sides, and what is refused."""

import re
import shutil
import time
from urllib.parse import quote

import pytest
from ports import free_port
from redis_certificates import Certificates
from redis_proxy import Answering
from redis_server import RedisServer
from shared_scans import SharedScans, right

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl to make certificates")]

SECRET = "s3cret-Pass"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """The tests' own authority."""
    return Certificates(tmp_path_factory.mktemp("tls") / "certificates")


@pytest.fixture
def serve(tmp_path):
    """Starts servers that speak TLS at `server.tls`, too."""
    started = []

    def start(*options):
        server = RedisServer(tmp_path / f"redis-{len(started)}", *options)
        started.append(server)
        return server

    yield start
    for server in started:
        server.close()


@pytest.fixture
def scan(sonde, simulator):
    return SharedScans(sonde, simulator)


def test_a_quota_is_shared_over_tls(scan, simulator, certificates, serve):
    """By an address and a name, the authority named or trusted, with a user and without one; and after a loss."""
    simulator.control(window=1, batch_limit=2)
    certificate, key = certificates.make("server", "IP:127.0.0.1,DNS:localhost")
    port = free_port()
    redis = serve(*certificates.options(port, certificate, key, "optional"))
    redis.ask("ACL", "SETUSER", "me", "on", f">{SECRET}", "~{sonde}:*", *"-@all +@read +@write +@scripting".split(),
              *"+@connection +time -@dangerous +info".split())  # fmt: skip
    ca = f"?ca={quote(str(certificates.ca))}"
    user = {"SONDE_SHARED_PASSWORD": SECRET}
    right(scan(200, f"rediss://127.0.0.1:{port}/0{ca}").finish(), 200)
    right(scan(200, f"rediss://me@localhost:{port}{ca}", env=user).finish(), 200)
    # They have been answered once.
    assert simulator.counts()["total"] == 2
    right(scan(200, f"rediss://localhost:{port}", env={"SSL_CERT_FILE": str(certificates.ca)}).finish(), 200)
    run = scan(800, f"rediss://127.0.0.1:{port}{ca}", "--rate", "2/s")
    deadline = time.monotonic() + 20
    while simulator.counts()["total"] < 3:
        assert time.monotonic() < deadline, "no requests"
        time.sleep(0.01)
    redis.kill()
    time.sleep(0.5)
    redis.start()
    right(run.finish(timeout=60), 800)
    assert simulator.counts()["throttled"] == 0 and simulator.counts()["total"] <= 10


def test_a_server_knows_its_clients_by_their_certificates(scan, simulator, certificates, serve):
    certificate, key = certificates.make("strict")
    own, own_key = certificates.make("client")
    port = free_port()
    serve(*certificates.options(port, certificate, key, "yes"))
    url = f"rediss://127.0.0.1:{port}/0?ca={certificates.ca}"
    right(scan(5, f"{url}&cert={own}&key={own_key}").finish(), 5)
    result = scan(5, url).finish()
    assert result.status == 5 and simulator.counts()["total"] == 1
    assert re.fullmatch(rf"sonde: {re.escape(url)}: it refuses TLS: .*certificate required\n", result.stderr)


def test_what_cannot_be_trusted_ends_a_run_at_once(sonde, simulator, certificates, serve, redis):
    """Nothing is asked, and there is no way round it."""
    good, good_key = certificates.make("good", "DNS:other.example,IP:127.0.0.2")
    late, late_key = certificates.make("late", days=-1)
    locked, locked_key = certificates.make("locked", password=SECRET)
    ports = [free_port() for _ in range(2)]
    serve(*certificates.options(ports[0], good, good_key))
    serve(*certificates.options(ports[1], late, late_key))
    first, second = (f"rediss://127.0.0.1:{port}/0" for port in ports)
    ca, nothing = f"?ca={certificates.ca}", certificates.folder / "none.pem"
    http = Answering(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    refused = {
        f"{first}": "its certificate is not accepted: .*",
        f"{first}{ca}": "its certificate is not accepted: IP address mismatch",
        f"rediss://localhost:{ports[0]}/0{ca}": "its certificate is not accepted: hostname mismatch",
        f"{second}{ca}": "its certificate is not accepted: certificate has expired",
        f"{first}?ca={nothing}": f"{nothing} cannot be used for TLS: No such file or directory",
        f"{first}{ca}&cert={nothing}&key={good_key}": f"{nothing} cannot be used for TLS: No such file or directory",
        f"{first}{ca}&cert={good}&key={late_key}": f"{late_key} cannot be used for TLS: key values mismatch",
        # Nobody is asked for its password.
        f"{first}{ca}&cert={locked}&key={locked_key}": f"{locked_key} cannot be used for TLS: .*",
        f"{http.url.replace('redis', 'rediss')}{ca}": "no TLS is spoken there: .*",
    }
    for url, words in refused.items():
        result = sonde("scan", "8.8.8.8", "--provider", "ip-api", "--shared", url, env=simulator.env)
        assert result.status == 5 and result.stdout == b"", (url, result.stderr)
        assert re.fullmatch(rf"sonde: {re.escape(url)}: {words}\n", result.stderr), (url, result.stderr)
    http.close()
    assert simulator.counts()["total"] == 0


def test_one_that_does_not_negotiate_is_waited_for(scan, simulator):
    silent = Answering(b"")
    url = silent.url.replace("redis", "rediss")
    result = scan(3, url, "--offline-timeout", "1").finish()
    silent.close()
    assert result.status == 3 and simulator.counts()["total"] == 0
    assert all(f"shared_unreachable, {url}: TLS was not negotiated in time" in each["message"] for each in result.records)
