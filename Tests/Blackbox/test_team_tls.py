"""TLS of `sonde serve`: who may speak it how, and the certificate replaced while streams are open."""

import contextlib
import http.client
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time

import pytest
from browser import skip_without_browser
from command import wait_for
from serving import HOST, Team

# One browser for all tests that have one.
pytestmark = [
    pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl to make certificates"),
    pytest.mark.xdist_group("browser"),
]


def make_certificate(folder, name="a"):
    """A certificate for the address that is listened on, and its key, as paths."""
    made = folder / f"{name}-cert.pem", folder / f"{name}-key.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-days", "30", "-subj", f"/CN={name}", "-addext", f"subjectAltName=IP:{HOST}"),
            *("-keyout", made[1], "-out", made[0]),
        ],
        check=True,
        capture_output=True,
    )
    return install(folder, name)


def install(folder, name):
    """Puts a certificate and its key where the server reads them."""
    for kind in ("cert", "key"):
        shutil.copy(folder / f"{name}-{kind}.pem", folder / f"{kind}.pem")
    return folder / "cert.pem", folder / "key.pem"


class SecureTeam(Team):
    """A server with accounts that speaks TLS itself."""

    def __init__(self, sonde, simulator, *options, **more):
        self.folder = sonde.home
        self.certificate, key = make_certificate(self.folder)
        super().__init__(sonde, simulator, "--tls-cert", self.certificate, "--tls-key", key, *options, **more)

    def launch(self):
        """Starts it."""
        self.base = f"https://{self.address}/"
        super().launch()

    def context(self):
        """What a client trusts."""
        return ssl.create_default_context(cafile=self.certificate)

    def connect(self, timeout=30):
        """A connection of HTTPS."""
        return http.client.HTTPSConnection(self.address, timeout=timeout, context=self.context())

    def name(self):
        """The name on the certificate that it shows to one who connects."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with self.handshake(context) as connection:
            shown = connection.getpeercert(binary_form=True)
        text = subprocess.run(
            ["openssl", "x509", "-inform", "der", "-noout", "-subject"], input=shown, capture_output=True, check=True
        )
        return text.stdout.decode().strip().rpartition("CN = ")[2]

    def handshake(self, context):
        """A connection on which TLS is agreed."""
        host, port = self.address.split(":")
        return context.wrap_socket(socket.create_connection((host, int(port)), timeout=10), server_hostname=host)


@pytest.fixture
def secure(sonde, simulator):
    """A running server that speaks TLS."""
    return SecureTeam(sonde, simulator)


def test_one_logs_in_over_tls(secure):
    assert secure.link.startswith(f"{secure.base}#open=")
    answer = secure.try_to_log_in(secure.ADMIN)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("__Host-sonde=") and "; Path=/;" in cookie and "; Secure" in cookie and "HttpOnly" in cookie
    assert secure.get("session")["user"]["email"] == secure.ADMIN
    origin = {"Origin": f"https://{secure.address}", "Sec-Fetch-Site": "same-origin"}
    assert secure.ask("POST", "check", json={"text": "8.8.8.8"}, headers=origin).status == 200
    origin = {"Origin": f"http://{secure.address}"}
    assert secure.ask("POST", "check", json={"text": "8.8.8.8"}, headers=origin).status == 403


@pytest.mark.parametrize("version, spoken", [("TLSv1_1", False), ("TLSv1_2", True), ("TLSv1_3", True)])
def test_versions(secure, version, spoken):
    context = secure.context()
    # What a client may offer is the system's business; here it offers what is asked for alone.
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning) if version == "TLSv1_1" else contextlib.nullcontext():
        context.minimum_version = context.maximum_version = getattr(ssl.TLSVersion, version)
    with contextlib.ExitStack() as stack:
        if not spoken:
            stack.enter_context(pytest.raises(ssl.SSLError))
        assert stack.enter_context(secure.handshake(context)).version() == version.replace("_", ".")


def test_plain_http_is_not_answered(secure):
    with contextlib.closing(http.client.HTTPConnection(secure.address, timeout=10)) as connection:
        connection.request("GET", "/healthz")
        with pytest.raises((http.client.HTTPException, OSError)):
            connection.getresponse()


def test_the_certificate_is_replaced_under_load_without_a_failed_request(secure):
    stream = secure.events()
    assert stream.next("network")
    kept = secure.connect()
    names = [f"next-{number}" for number in range(5)]
    made = [make_certificate(secure.folder, name)[0].read_text() for name in names]
    install(secure.folder, "a")
    trusted = secure.certificate.read_text() + "".join(made)
    failures, counts, ends = [], [0], threading.Event()

    def ask_again_and_again():
        while not ends.is_set():
            context = ssl.create_default_context(cadata=trusted)
            connection = http.client.HTTPSConnection(secure.address, timeout=10, context=context)
            try:
                connection.request("GET", "/healthz")
                assert connection.getresponse().read() == b"ok"
                counts[0] += 1
            except Exception as error:  # noqa: BLE001
                failures.append(repr(error))
            finally:
                connection.close()

    threads = [threading.Thread(target=ask_again_and_again) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for name in names:
            kept.request("GET", "/healthz")
            assert kept.getresponse().read() == b"ok"
            install(secure.folder, name)
            secure.running.signal(signal.SIGHUP)
            wait_for(lambda name=name: secure.name() == name)
    finally:
        ends.set()
        for thread in threads:
            thread.join()
    assert failures == [] and counts[0] > 50
    kept.request("GET", "/healthz")
    assert kept.getresponse().read() == b"ok"
    kept.close()
    # The stream that was open all the time is told what happens now.
    secure.ask("POST", "lookups", json={"ip": "10.0.0.1"})
    assert stream.next("lookup")[1]["ip"] == "10.0.0.1"
    start = time.monotonic()
    result, _ = secure.stop()
    assert (result.status, time.monotonic() - start < 2) == (0, True)


def test_a_certificate_that_is_of_no_use_changes_nothing(secure):
    good = secure.certificate.read_bytes()
    for content in (b"no certificate", b"", make_certificate(secure.folder, "other")[0].read_bytes()):
        (secure.folder / "key.pem").write_bytes((secure.folder / "a-key.pem").read_bytes())
        secure.certificate.write_bytes(content)
        told = secure.running.stderr.count("stays as it was")
        secure.running.signal(signal.SIGHUP)
        wait_for(lambda told=told: secure.running.stderr.count("stays as it was") > told)
        assert secure.name() == "a"
    secure.certificate.unlink()
    secure.running.signal(signal.SIGHUP)
    wait_for(lambda: "cert.pem: No such file" in secure.running.stderr)
    secure.certificate.write_bytes(good)
    assert secure.get("session")


@pytest.mark.parametrize("options", [["--tls-cert", "cert.pem"], ["--tls-key", "key.pem"], ["--tls-cert", "no", "--tls-key", "no"]])
def test_half_a_certificate_is_wrong_usage(sonde, options):
    result = sonde("serve", *options)
    assert (result.status, result.stdout) == (2, b"")


def test_a_certificate_of_another_key_is_told(sonde, simulator):
    make_certificate(sonde.home, "a")
    certificate, _ = make_certificate(sonde.home, "b")
    result = sonde("serve", "--tls-cert", certificate, "--tls-key", sonde.home / "a-key.pem", env=simulator.env)
    assert (result.status, result.stdout) == (5, b"") and "do not go together" in result.stderr


def test_with_accounts_and_tls_others_may_reach_it(sonde, simulator):
    certificate, key = make_certificate(sonde.home)
    server = sonde.start(
        *("serve", "--team", "--listen", "0.0.0.0:0", "--tls-cert", certificate, "--tls-key", key), env=simulator.env
    )
    wait_for(lambda: "Open it with" in server.stderr)
    assert sonde("serve", "link").stdout.startswith(b"https://0.0.0.0:")


@skip_without_browser()
def test_one_logs_in_over_tls_in_a_browser(dashboard_browser, secure):
    page = dashboard_browser
    page.server = secure
    page.command("Security.setIgnoreCertificateErrors", ignore=True)
    page.go()
    page.find("h1", "Log in")
    page.find("input", "Email").send_keys(secure.ADMIN)
    page.find("input", "Password").send_keys(secure.PASSWORD)
    page.press_button("Log in")
    page.find("h1", "Look up")
    page.look_up("8.8.8.8")
    page.press_button("Log out")
    page.find("h1", "Log in")
    page.driver.get("about:blank")
