"""What testssl.sh (https://testssl.sh) finds in the TLS of `sonde serve`."""

import json
import os
import shutil
import subprocess

import pytest
from command import PATIENCE
from serving import HOST
from test_team_tls import SecureTeam

is_missing = not os.environ.get("CI") and not shutil.which("testssl")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(is_missing, reason="there is no testssl")]

# What a server may be told; a fault has another word.
HARMLESS = ("OK", "INFO")

# It would bind every port of the host, those of other programs as well.
EXPECTED = {"HSTS": "LOW"}

# Of the certificate, which is the test's, and of the openssl here. Whether a client may renegotiate is told by what
# openssl does first on a busy machine: see that the connection is closed, or that its input has ended.
NOT_THE_SERVERS = ("cert", "engine", "secure_client_renego")


def test_there_is_no_fault_in_it(sonde, simulator, tmp_path):
    secure = SecureTeam(sonde, simulator)
    report = tmp_path / "report.json"
    tests = ("--protocols", "--standard", "--fs", "--server-preference", "--server-defaults", "--headers", "--vulnerable")
    result = subprocess.run(
        [
            *("testssl", *tests, "--quiet", "--color", "0", "--warnings", "off", "--nodns", "none"),
            *("--jsonfile", report, "--ip", HOST, secure.address),
        ],
        cwd=tmp_path,
        # A script that takes long over letters of more than a byte.
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=10 * PATIENCE,
    )
    findings = {each["id"]: each["severity"] for each in json.loads(report.read_text())}
    # Enough was tried, and what it could not try is told as WARN.
    assert findings["TLS1_3"] == "OK" and findings["ROBOT"] == "OK" and len(findings) > 80, result.stdout
    faults = {
        name: severity
        for name, severity in findings.items()
        if severity not in HARMLESS and not name.startswith(NOT_THE_SERVERS)
    }
    assert faults == EXPECTED, result.stdout
    assert secure.get("session")


def test_nobody_renegotiates(sonde, simulator):
    secure = SecureTeam(sonde, simulator)
    command = ["openssl", "s_client", "-tls1_2", "-connect", secure.address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as client:
        client.stdin.write(b"R\n")
        client.stdin.flush()
        # Its input stays open: it ends because the server closes the connection.
        assert client.stdout.read().endswith(b"RENEGOTIATING\nclosed\n")
