"""Other users of the machine at the door of a page that one user has alone: what is not theirs is refused."""

import os
import subprocess

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")]

NOBODY = 65534

ASK = """
  import sys, urllib.error, urllib.request
  url, *headers = sys.argv[1:]
  request = urllib.request.Request(url, headers=dict(each.split("=", 1) for each in headers))
  try:
    print(urllib.request.urlopen(request, timeout=30).status)
  except urllib.error.HTTPError as error:
    print(error.code)
"""


def status(user, url, **headers):
    """The status of the answer to a request by a user."""
    program = "\n".join(line[2:] for line in ASK.splitlines())
    arguments = [f"{name}={value}" for name, value in headers.items()]
    command = ["/usr/bin/python3", "-c", program, url, *arguments]
    return int(subprocess.run(command, user=user, cwd="/", check=True, capture_output=True, text=True).stdout)


def test_another_user_is_refused_but_with_a_token(dashboard):
    token = dashboard.ask("POST", "tokens", json={"name": "script"}).json["token"]
    api = dashboard.base + "api/v1/"
    bearer = {"Authorization": f"Bearer {token}"}
    for user, page, health, scans in ((NOBODY, 403, 200, 200), (0, 200, 200, 200)):
        assert status(user, dashboard.base) == page
        assert status(user, dashboard.base + "healthz") == health
        assert status(user, api + "scans", **bearer) == scans
    # Neither a token that is none nor a cookie opens anything.
    for path in ("", "nowhere", "api/v1/scans", "api/v1/openapi.json", "api/v1/session"):
        assert status(NOBODY, dashboard.base + path, Cookie=dashboard.cookie) == 403, path
    assert status(NOBODY, dashboard.base, Authorization="Bearer sonde_x") == 403
    assert status(NOBODY, api + "scans", Authorization="Bearer sonde_x", Cookie=dashboard.cookie) == 401
