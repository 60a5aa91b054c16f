"""`sonde serve`: how it starts and ends, who gets in, and from where it may be asked."""

import http.client
import json
import os
import re
import signal
import sqlite3
import stat
import subprocess
import sys

import pytest
from command import wait_for
from ports import free_port
from serving import HOST, Dashboard, Terminal


def test_start_says_where_it_listens_and_how_to_open_it(dashboard):
    assert dashboard.link.startswith(f"{dashboard.base}#open=")
    assert len(dashboard.link.partition("=")[2]) * 4 >= 256
    assert dashboard.base in dashboard.running.stderr
    assert "unencrypted and for non-commercial use" in " ".join(dashboard.running.stderr.split())
    result = dashboard.stop()[0]
    assert result.stdout == b"" and "#open=" not in result.stderr
    assert result.stderr.splitlines().count("sonde: Open it with: sonde serve link") == 1


@pytest.fixture
def terminal():
    terminal = Terminal()
    yield terminal
    terminal.close()


def test_on_a_terminal_the_link_stands_alone(sonde, simulator, terminal):
    server = terminal.serve(sonde, simulator.env)
    shown = ""

    def is_there():
        nonlocal shown
        shown += terminal.read()
        return "\n" in shown

    wait_for(is_there)
    server.send_signal(signal.SIGTERM)
    said = server.communicate(timeout=10)[1].decode()
    assert server.returncode == 0
    assert re.fullmatch(rf"http://{re.escape(HOST)}:\d+/#open=[0-9a-f]{{64}}\r\n", shown + terminal.read())
    assert "Open it with" not in said and "opens it once, within 10 minutes" in said


@pytest.mark.parametrize("output", ["file", "pipe", "null"])
def test_elsewhere_the_link_is_not_shown(sonde, simulator, output):
    to = {"file": open(sonde.work / "out", "wb"), "pipe": subprocess.PIPE, "null": subprocess.DEVNULL}[output]
    command = sonde.command(["serve", "--listen", f"{HOST}:{free_port()}", "--state", "here"])
    environment = sonde.environment(simulator.env)
    server = subprocess.Popen(command, stdout=to, stderr=subprocess.PIPE, env=environment, cwd=sonde.work)
    wait_for(lambda: sonde("serve", "link", "--state", "here").status == 0)
    server.send_signal(signal.SIGTERM)
    out, said = server.communicate(timeout=10)
    assert not out and (output != "file" or sonde.read("out") == b"")
    assert b"#open=" not in said
    assert "sonde: Open it with: sonde serve link --state here" in said.decode().splitlines()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_0_within_two_seconds(dashboard, number):
    stream = dashboard.events()
    assert stream.next("network")
    result, time = dashboard.stop(number)
    assert (result.status, time < 2) == (0, True)
    assert stream.next("end") is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_it_says_its_link_ends_it_with_0(sonde, simulator, terminal, number):
    terminal.fill()
    server = terminal.serve(sonde, simulator.env)
    while b"listening on" not in server.stderr.readline():
        pass
    server.send_signal(number)
    assert server.wait(10) == 0


def test_the_state_is_the_owners_alone(dashboard):
    assert stat.S_IMODE(os.stat(dashboard.state).st_mode) == 0o700
    for name in ("serve.db", "control.sock"):
        assert stat.S_IMODE(os.stat(dashboard.state / name).st_mode) == 0o600, name


def test_a_second_server_does_not_start_on_the_same_state(dashboard, sonde):
    result = sonde("serve", "--listen", f"{HOST}:{free_port()}")
    assert (result.status, result.stdout) == (5, b"")
    assert "another sonde serve" in result.stderr
    assert dashboard.get("session")["user"] is None


def test_a_port_in_use_is_told(dashboard, sonde):
    result = sonde("serve", "--listen", dashboard.address, "--state", "other")
    assert (result.status, result.stdout) == (5, b"")
    assert "cannot listen" in result.stderr


@pytest.mark.parametrize("place", ["0.0.0.0:8053", "[::]:8053", "192.0.2.1:8053", "10.1.2.3:1"])
def test_listening_where_others_reach_it_is_wrong_usage(sonde, place):
    result = sonde("serve", "--listen", place)
    assert (result.status, result.stdout) == (2, b"")
    assert "--team" in result.stderr


@pytest.mark.parametrize("place", ["8053", "127.83.1.1", "localhost:8053", "127.0.0.1:x", "127.0.0.1:99999"])
def test_what_is_no_address_and_port_is_wrong_usage(sonde, place):
    result = sonde("serve", "--listen", place)
    assert (result.status, result.stdout) == (2, b"")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9"])
def test_another_loopback_address_is_accepted_with_a_warning(sonde, simulator, host):
    dashboard = Dashboard(sonde, simulator, host=host)
    assert "cookie" in dashboard.running.stderr
    assert dashboard.get("session")["user"] is None


def test_ipv6_loopback(sonde, simulator):
    dashboard = Dashboard(sonde, simulator, host="::1")
    assert dashboard.link.startswith("http://[::1]:")


# Links and sessions


def test_a_link_opens_one_session_once(dashboard):
    answer = dashboard.open(dashboard.link)
    assert (answer.status, answer.problem) == (410, "link-used")
    assert dashboard.open("#open=" + 64 * "0").problem == "link-used"
    assert dashboard.open(dashboard.new_link()).status == 201


def test_each_link_adds_a_session(dashboard):
    other = dashboard.session()
    assert other != dashboard.cookie
    for cookie in (other, dashboard.cookie):
        assert dashboard.ask("GET", "session", cookie=cookie).status == 200


def test_a_link_expires(dashboard):
    link = dashboard.new_link()
    database = sqlite3.connect(dashboard.state / "accounts.db")
    with database:
        database.execute("UPDATE links SET expires = expires - 600001")
    assert dashboard.open(link).problem == "link-used"


def test_neither_link_nor_session_is_stored_as_it_is(dashboard):
    token = dashboard.new_link().partition("=")[2]
    secret = dashboard.cookie.partition("=")[2]
    dashboard.stop()
    stored = b"".join(path.read_bytes() for path in dashboard.state.glob("*.db*"))
    assert token.encode() not in stored and secret.encode() not in stored


def test_the_cookie(dashboard):
    cookie = dashboard.open(dashboard.new_link()).headers["Set-Cookie"]
    parts = [part.strip() for part in cookie.split(";")]
    assert parts[0].startswith(f"sonde_{dashboard.address.rpartition(':')[2]}=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=2592000"} <= set(parts)
    assert "Secure" not in parts


def test_logging_out_ends_the_session_and_its_streams(dashboard):
    stream = dashboard.events()
    assert stream.next("network")
    assert dashboard.ask("DELETE", "session").status == 204
    assert stream.next("end") is None
    assert dashboard.ask("GET", "session").problem == "unauthorized"


def test_opening_a_link_ends_the_session_that_the_browser_had(dashboard):
    token = dashboard.new_link().partition("=")[2]
    answer = dashboard.ask("POST", "session", json={"link": token})
    assert answer.status == 201
    assert dashboard.ask("GET", "session").status == 401


def test_a_session_outlasts_a_killed_server(dashboard):
    dashboard.stop(signal.SIGKILL)
    dashboard.start()
    assert dashboard.get("session")["user"] is None


def test_serve_link_without_a_server(sonde):
    result = sonde("serve", "link")
    assert (result.status, result.stdout) == (1, b"")
    assert "no sonde serve is at work" in result.stderr


def test_serve_link_after_a_killed_server(dashboard, sonde):
    dashboard.stop(signal.SIGKILL)
    assert sonde("serve", "link").status == 1


@pytest.mark.skipif(os.getuid() != 0, reason="only root can ask as somebody else")
def test_somebody_else_gets_no_link(dashboard):
    # What keeps others out is taken away.
    dashboard.state.chmod(0o711)
    (dashboard.state / "control.sock").chmod(0o666)
    ask = """
import socket
connection = socket.socket(socket.AF_UNIX)
connection.connect("control.sock")
connection.settimeout(5)
try:
    connection.sendall(b"link\\n")
    print(connection.recv(999))
except ConnectionError:
    print(b"")
"""
    command = [sys.executable, "-c", ask]
    done = subprocess.run(command, user=65534, cwd=dashboard.state, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("b''\n", "")
    assert dashboard.new_link()


def test_local_alone_watches_no_path_to_others(sonde, simulator):
    dashboard = Dashboard(sonde, simulator, "--provider", "local", env={"SONDE_IPIFY_URL": None})
    network = dashboard.get("network")
    assert (network["state"], network["interface"]) == ("online", "lo")
    assert dashboard.address == network["endpoint"]


def test_a_state_with_a_long_path(sonde, simulator):
    folder = "deep/" + "/".join(["folder" * 5] * 6)
    dashboard = Dashboard(sonde, simulator, "--state", folder)
    result = sonde("serve", "link", "--state", folder)
    assert result.status == 0 and result.stdout.startswith(dashboard.base.encode())


# From where it may be asked


def test_without_a_session_all_but_a_few_are_401(dashboard):
    asked = ["lookups", "scans", "network", "network/losses", "events", "cache", "cache/stats", "session"]
    for path in [*asked, f"scans/{32 * 'a'}", f"scans/{32 * 'a'}/records"]:
        answer = dashboard.ask("GET", path, cookie=None)
        assert (answer.status, answer.problem) == (401, "unauthorized"), path
    for cookie in ("sonde_1=abc", dashboard.cookie + "0", dashboard.cookie[:-1]):
        assert dashboard.ask("GET", "session", cookie=cookie).status == 401
    assert dashboard.ask("GET", "openapi.json", cookie=None).status == 200
    assert dashboard.ask("GET", "/healthz", cookie=None).body == b"ok"


@pytest.mark.parametrize("path", ["/watchlist", "/account"])
def test_the_views_of_a_team_are_a_teams(dashboard, path):
    answer = dashboard.ask("GET", path, headers={"Accept": "text/html"})
    assert answer.status == 404 and "<title>Page not found · Sonde</title>" in answer.body.decode()
    assert answer.body == dashboard.ask("GET", "/nowhere", headers={"Accept": "text/html"}).body


@pytest.mark.parametrize("path", ["/", "/?ip=8.8.8.8", "/scans", f"/scans/{32 * 'b'}", "/network", "/cache"])
def test_the_views_are_the_same_page_for_everybody(dashboard, path):
    answer = dashboard.ask("GET", path, cookie=None)
    assert answer.status == 200 and answer.headers.get_content_type() == "text/html"
    assert answer.body == dashboard.ask("GET", "/").body
    policy = answer.headers["Content-Security-Policy"]
    assert "unsafe" not in policy and "frame-ancestors 'none'" in policy and "://" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("host", ["example.org", "example.org:8053", "127.83.1.1", "127.0.0.1:1", ""])
def test_another_host_is_403(dashboard, host):
    for path in ("/", "/healthz", "session"):
        answer = dashboard.ask("GET", path, headers={"Host": host})
        assert answer.status in (400, 403), (path, answer)


def test_loopback_names_with_our_port_are_known(dashboard):
    port = dashboard.address.rpartition(":")[2]
    for host in ("localhost", "127.0.0.1", "[::1]"):
        assert dashboard.ask("GET", "session", headers={"Host": f"{host}:{port}"}).status == 200


@pytest.mark.parametrize("origin", ["null", "http://example.org", "https://127.83.1.1"])
def test_a_foreign_origin_changes_nothing(dashboard, origin):
    answer = dashboard.ask("DELETE", "lookups", headers={"Origin": origin})
    assert (answer.status, answer.problem) == (403, "forbidden")
    own = dashboard.base.rstrip("/")
    assert dashboard.ask("DELETE", "lookups", headers={"Origin": own}).status == 204


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_request_that_another_site_made_is_403(dashboard, site):
    assert dashboard.ask("GET", "session", headers={"Sec-Fetch-Site": site}).status == 403
    follows = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert dashboard.ask("GET", "/scans", headers=follows).status == 200
    assert dashboard.ask("GET", "session", headers=follows).status == 403


# The page


def test_the_page_is_told_of_the_providers(sonde, simulator):
    page = Dashboard(sonde, simulator).ask("GET", "/").body.decode()
    assert 'content="ip-api,local"' in page
    assert "{{" not in page


def test_no_notice_where_nothing_goes_out(sonde, simulator):
    page = Dashboard(sonde, simulator, "--provider", "local").ask("GET", "/").body.decode()
    assert 'content="local"' in page and "unencrypted" not in page


def test_the_page_names_files_that_are_kept(dashboard):
    page = dashboard.ask("GET", "/").body.decode()
    paths = [part.split('"')[0] for part in page.split('"assets/')[1:]]
    assert paths
    for path in paths:
        answer = dashboard.ask("GET", f"/assets/{path}", cookie=None)
        assert answer.status == 200 and answer.body
        assert "immutable" in answer.headers["Cache-Control"]
    assert dashboard.ask("GET", "/assets/other/main.js").status == 404


def test_a_theme_replaces_the_page_s_own(sonde, simulator):
    sonde.file("own.css", ":root { --accent: hotpink }")
    dashboard = Dashboard(sonde, simulator, "--theme", "own.css")
    page = dashboard.ask("GET", "/").body.decode()
    path = page.split('"assets/')[1].split("/")[0]
    assert dashboard.ask("GET", f"/assets/{path}/theme.css").body == sonde.read("own.css")


def test_a_theme_that_is_not_there(sonde):
    result = sonde("serve", "--theme", "nowhere.css")
    assert (result.status, result.stdout) == (2, b"")
    assert "nowhere.css" in result.stderr


@pytest.mark.parametrize("content", [bytes(range(256)), b"", b"hello\n", b":root { --a: \xff }", b":root {\0}"])
def test_what_is_no_style_sheet_is_no_theme(sonde, content):
    sonde.file("theme.css", content)
    result = sonde("serve", "--theme", "theme.css")
    assert (result.status, result.stdout) == (2, b"")
    assert "not a style sheet" in result.stderr


def test_a_disk_that_is_nearly_full_is_told_at_the_start(sonde, simulator, tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder], check=True)
    try:
        dashboard = Dashboard(sonde, simulator, "--state", folder / "serve")
        assert "less than 1024 MiB of the disk are free" in dashboard.running.stderr
        assert dashboard.scan("8.8.8.8\n").problem == "disk"
    finally:
        sonde.close()
        subprocess.run(["umount", folder], check=True)


def test_behind_a_proxy_under_a_path(sonde, simulator):
    options = ("--public-url", "https://example.org/sonde/", "--behind-proxy", "127.0.0.0/8")
    dashboard = Dashboard(sonde, simulator, *options, path="sonde/")
    assert dashboard.link.startswith("https://example.org/sonde/#open=")
    page = dashboard.ask("GET", "/sonde/", headers={"Host": "example.org"})
    assert b'<base href="/sonde/">' in page.body
    cookie = dashboard.open(dashboard.new_link()).headers["Set-Cookie"]
    assert cookie.startswith("__Secure-sonde=") and "; Secure" in cookie and "Path=/sonde/" in cookie
    assert dashboard.ask("GET", "/api/v1/session").status == 404
    origin = {"Host": "example.org", "Origin": "https://example.org"}
    assert dashboard.ask("DELETE", "lookups", headers=origin).status == 204


def test_events_go_to_a_file_never_to_stdout(sonde, simulator):
    assert sonde("serve", "--events", "-").status == 2
    simulator.control(faults=[{"fault": "status", "status": 500}])
    dashboard = Dashboard(sonde, simulator, "--events", "events.ndjson")
    dashboard.ask("POST", "lookups", json={"ip": "8.8.8.8"})
    assert {"retry", "handover"} & {json.loads(line)["event"] for line in sonde.read("events.ndjson").splitlines()}
    # The caution is said once.
    assert dashboard.running.stderr.count("unencrypted") == 1


def test_the_cookie_is_named_by_the_port_that_was_chosen(sonde, simulator):
    running = sonde.start("serve", "--listen", f"{HOST}:0", env=simulator.env)
    wait_for(lambda: "listening on" in running.stderr)
    link = sonde("serve", "link").stdout.decode().strip()
    port = link.split(":")[2].split("/")[0]
    client = http.client.HTTPConnection(HOST, int(port))
    body = json.dumps({"link": link.partition("=")[2]})
    client.request("POST", "/api/v1/session", body, {"Content-Type": "application/json"})
    assert client.getresponse().headers["Set-Cookie"].startswith(f"sonde_{port}=")
