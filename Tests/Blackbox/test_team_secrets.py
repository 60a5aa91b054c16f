"""What opens something is told to whom it is meant for and nobody else: not in `ps`, logs, events, errors or files."""

import contextlib
import threading
import time
from pathlib import Path

import pytest
from command import wait_for
from serving import Team, token

pytestmark = pytest.mark.slow

BOB = "bob@example.org"
WRONG = "a wrong password"


def read(path):
    """What is in a file; nothing where it has gone."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def children(process):
    """A process and all that it has started, and they in turn."""
    found = [process]
    # It may end meanwhile.
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            for child in read(task).split():
                found += children(int(child))
    return found


class Onlooker:
    """Looks at what ps(1) shows of processes until it is told to stop."""

    def __init__(self, process):
        self.process = process
        self.seen = set()
        self.isOver = threading.Event()
        self.thread = threading.Thread(target=self._look)
        self.thread.start()

    def _look(self):
        while not self.isOver.wait(0.02):
            for process in children(self.process):
                self.seen |= {read(Path(f"/proc/{process}/{name}")) for name in ("cmdline", "environ", "comm")}

    def stop(self):
        """All that it has seen."""
        self.isOver.set()
        self.thread.join()
        return b"\n".join(self.seen)


class Listener:
    """Keeps what the server answers, but for what is meant to hold a secret."""

    def __init__(self, team):
        self.team = team
        self.heard = []

    def __call__(self, *request, **more):
        answer = self.team.ask(*request, **more)
        self.heard.append(str(answer.headers).encode() + answer.body)
        return answer


def spellings(secret):
    """A secret as it may be found: as it is told, and the bits that it is made of."""
    text = secret.removeprefix("sonde_")
    return {secret.encode(), text.encode()} | ({bytes.fromhex(text)} if len(text) == 64 else set())


def test_no_secret_is_found_where_others_look(sonde, simulator):
    # So that there is an event to be written.
    simulator.control(batch_limit=1)
    team = Team(sonde, simulator, "--events", "events.ndjson", "--webhook", "http://127.0.0.1:9/")
    looker, ask = Onlooker(team.running.process.pid), Listener(team)
    secrets = {"first link": token(team.link), "password": team.PASSWORD, "wrong password": WRONG}
    secrets["invitation"] = team.invitation()
    ask("POST", "users", json={"email": BOB, "password": team.PASSWORD, "invitation": secrets["invitation"]}, cookie=None)
    bob = team.log_in(BOB)
    secrets |= {"admin's session": team.cookie.partition("=")[2], "session": bob.partition("=")[2]}
    secrets["token"] = team.ask("POST", "tokens", json={"name": "a script"}, cookie=bob).json["token"]
    secrets["unused invitation"] = team.invitation()

    # What fails, or is of no form.
    for body in (
        {"email": BOB, "password": WRONG},
        {"email": BOB, "pasword": WRONG},
        {"email": BOB, "password": [WRONG]},
        {"email": WRONG, "password": WRONG},
        {"link": secrets["first link"]},
    ):
        assert ask("POST", "session", json=body, cookie=None).status in (400, 401, 410, 422)
    for body in (f'{{"email": "{BOB}", "password": "{WRONG}', f'"{WRONG}"'):
        headers = {"Content-Type": "application/json"}
        ask("POST", "session", body=body.encode(), headers=headers, cookie=None)
    secrets_of_another = {"password": WRONG, "invitation": secrets["invitation"]}
    assert ask("POST", "users", json={"email": "eve@example.org", **secrets_of_another}, cookie=None).status == 410
    ask("POST", "users", json={"email": BOB, "password": WRONG, "invitation": secrets["unused invitation"]}, cookie=None)
    ask("POST", "password", json={"current": WRONG, "new": team.PASSWORD}, cookie=bob)
    bearer = {"Authorization": f"Bearer {secrets['token']}"}
    for path in ("scans", "cache", "tokens", "/metrics", "nothing"):
        ask("GET", path, headers=bearer, cookie=None)
        ask("GET", path, cookie=None, access_token=secrets["token"])
        ask("GET", path, cookie=bob)
    ask("POST", "watchlist", json={"name": "x", "address": "10.0.0.1"}, cookie=bob)
    headers = {"Content-Type": "application/octet-stream"}
    addresses = "".join(f"5.6.7.{number}\n" for number in range(201))
    scan = ask("POST", "scans", body=addresses.encode(), headers=headers, cookie=bob)
    wait_for(lambda: team.get(f"scans/{scan.json['id']}", cookie=bob)["waiting"] == "quota")
    stream = team.events(cookie=bob)
    assert stream.next("network")
    for path in (f"scans/{scan.json['id']}", "scans", "lookups", "sessions", "session", "watchlist"):
        assert ask("GET", path, cookie=bob).status == 200
    ask("GET", "/metrics")

    # The password's end, by its link.
    secrets["reset"] = token(team.user("reset", BOB).stdout.decode())
    assert stream.next("end") is None
    new = {"reset": secrets["reset"], "password": "another password"}
    assert ask("POST", "reset", json={**new, "password": "short"}, cookie=None).status == 422
    assert ask("POST", "reset", json=new, cookie=None).status == 204
    assert ask("POST", "reset", json=new, cookie=None).status == 410
    secrets["new password"] = new["password"]
    time.sleep(0.2)

    team.stop(9)
    places = {
        "ps": looker.stop(),
        "stderr": team.running.stderr.encode(),
        "events": (sonde.work / "events.ndjson").read_bytes(),
        "answers": b"\n".join(ask.heard),
        # Under all of them: the state's database, its log, the cache, the scans.
        "files": b"\n".join(read(path) for path in sonde.home.rglob("*") if path.is_file()),
    }
    assert b"serve" in places["ps"] and b"quota" in places["events"] and b"SQLite format 3" in places["files"]
    found = {
        (name, place)
        for name, secret in secrets.items()
        for place, content in places.items()
        if any(text in content for text in spellings(secret))
    }
    assert found == set()
