"""Three accounts that share one Sonde: reached itself, and behind nginx, which ends TLS and serves it below a path."""

import http.client
import ssl
from contextlib import closing

import pytest
from browser import skip_without_browser
from command import wait_for
from nginx import Nginx
from serving import Team, token

# One browser for all tests that have one.
pytestmark = pytest.mark.xdist_group("browser")

BOB, EVE = "bob@example.org", "eve@example.org"


class ProxiedTeam(Team):
    """A server with accounts that is reached through nginx alone."""

    def __init__(self, sonde, simulator, folder):
        self.nginx = Nginx(folder)
        self.url = f"{self.nginx.origin}/sub/"
        super().__init__(sonde, simulator, "--public-url", self.url, "--behind-proxy", "127.0.0.0/8", path="sub/")

    def launch(self):
        """Starts it, and nginx before it."""
        self.base = self.url
        super().launch()
        if not self.cookie:
            self.nginx.start(self.address)

    def close(self):
        """Stops nginx."""
        self.nginx.stop()

    def connect(self, timeout=30):
        """A connection of HTTPS to nginx."""
        context = ssl.create_default_context(cafile=self.nginx.folder / "cert.pem")
        context.check_hostname = False
        return http.client.HTTPSConnection(self.nginx.host, timeout=timeout, context=context)


@pytest.fixture(params=["itself", "behind nginx"])
def shared(request, sonde, simulator, tmp_path):
    """A running server with accounts."""
    if request.param == "itself":
        yield Team(sonde, simulator)
        return
    with closing(ProxiedTeam(sonde, simulator, tmp_path)) as team:
        yield team


def come_in(shared, email):
    """The session of somebody who registers by an invitation and logs in; the answer to that, too."""
    link = shared.ask("POST", "invitations").json["link"]
    assert link.startswith(f"{shared.base}#invitation=")
    registered = shared.register(email, invitation=token(link))
    assert registered.status == 201, registered
    assert shared.register(f"not-{email}", invitation=token(link)).problem == "link-used"
    answer = shared.try_to_log_in(email)
    assert answer.status == 201, answer
    return answer.headers["Set-Cookie"]


def test_three_accounts_share_it(shared):
    people = {shared.ADMIN: shared.cookie}
    for email in (BOB, EVE):
        cookie = come_in(shared, email)
        name, path = ("__Secure-sonde", "/sub/") if shared.path else (f"sonde_{shared.address.split(':')[1]}", "/")
        assert cookie.startswith(f"{name}=") and f"; Path={path};" in f"{cookie};"
        assert ("; Secure" in cookie) == bool(shared.path) and "HttpOnly" in cookie and "SameSite=Strict" in cookie
        people[email] = cookie.partition(";")[0]
    assert shared.try_to_log_in(EVE, "wrong password").problem == "credentials"
    streams = {email: shared.events(cookie=cookie) for email, cookie in people.items()}
    for stream in streams.values():
        assert stream.next("network")
    own = {}
    for number, (email, cookie) in enumerate(people.items(), 1):
        address = f"10.0.0.{number}"
        scan = shared.scan(f"{address}\n", cookie=cookie)
        assert scan.status == 201, scan
        assert shared.ask("POST", "lookups", json={"ip": address}, cookie=cookie).status == 200
        own[email] = (scan.json["id"], address)
    for email, cookie in people.items():
        scan, address = own[email]
        told = {}
        while len(told) < 2:
            name, data, _ = streams[email].next("scan", "lookup")
            told[name] = data.get("id") or data.get("ip")
        assert told == {"scan": scan, "lookup": address}
        assert [each["id"] for each in shared.get("scans", cookie=cookie)["items"]] == [scan]
        assert shared.get("session", cookie=cookie)["user"]["email"] == email
        for other in people.keys() - {email}:
            assert shared.ask("GET", f"scans/{own[other][0]}", cookie=cookie).status == 404
    assert shared.user("disable", BOB).status == 0
    assert streams[BOB].next("end") is None
    assert shared.ask("GET", "session", cookie=people[BOB]).status == 401
    shared.ask("POST", "lookups", json={"ip": "10.0.0.9"}, cookie=people[EVE])
    assert streams[EVE].next("lookup")[1]["ip"] == "10.0.0.9"


def test_who_asks_is_known_by_its_origin(shared):
    origin = shared.base.removesuffix("/sub/").removesuffix("/")
    body = {"text": "8.8.8.8"}
    for headers, status in (
        ({"Origin": origin, "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": f"http://{shared.nginx.host}" if shared.path else "https://example.org"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": origin, "Sec-Fetch-Site": "cross-site"}, 403),
    ):
        assert shared.ask("POST", "check", json=body, headers=headers).status == status, headers


def test_all_is_there_after_a_restart(shared):
    bob = come_in(shared, BOB).partition(";")[0]
    scan = shared.scan("10.0.0.1\n", cookie=bob).json["id"]
    wait_for(lambda: shared.get(f"scans/{scan}", cookie=bob)["state"] == "done")
    shared.stop(9)
    shared.start()
    # A scan whose end was not on the disk yet ends once more.
    wait_for(lambda: shared.get(f"scans/{scan}", cookie=bob)["state"] == "done")
    assert shared.get("session")["user"]["email"] == shared.ADMIN


@skip_without_browser()
def test_people_come_in_behind_nginx_in_a_browser(dashboard_browser, sonde, simulator, tmp_path):
    page = dashboard_browser
    with closing(ProxiedTeam(sonde, simulator, tmp_path)) as team:
        page.server = team
        page.command("Security.setIgnoreCertificateErrors", ignore=True)
        page.driver.get(team.ask("POST", "invitations").json["link"])
        for button in ("Register", "Log in"):
            page.find("h1", button)
            for label, text in (("Email", BOB), ("Password", team.PASSWORD)):
                field = page.find("input", label)
                field.clear()
                field.send_keys(text)
            page.press_button(button)
        page.find("h1", "Look up")
        [cookie] = page.driver.get_cookies()
        assert (cookie["name"], cookie["path"], cookie["secure"]) == ("__Secure-sonde", "/sub/", True)
        # Somebody else's program looks something up for Bob: the stream tells it.
        bob = team.log_in(BOB)
        assert team.ask("POST", "lookups", json={"ip": "1.1.1.1"}, cookie=bob).status == 200
        page.until(lambda: page.items() == ["1.1.1.1"])
        for view in ("Watchlist", "Account", "Scans"):
            page.view(view)
            assert page.driver.current_url.startswith(team.base)
        page.press_button("Log out")
        page.find("h1", "Log in")
        page.driver.get("about:blank")
