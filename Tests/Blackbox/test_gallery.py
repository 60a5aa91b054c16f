"""The sample `gallery` by its API, against picsum's stand-in."""

import json
import signal
import time

import pytest
from command import wait_for
from gallery_page import PASSWORD, Gallery, Visitor
from samples import FAULTS, ends_by_a_signal

pytestmark = pytest.mark.slow

OTHER_JSON = {"fault": "status", "status": 200, "body": '{"a":[]}'}


@pytest.fixture
def gallery(tmp_path):
    """The command."""
    gallery = Gallery(tmp_path)
    yield gallery
    gallery.close()


@pytest.fixture
def ada(gallery, simulator):
    """Somebody who has logged in."""
    return visitor(gallery, simulator)


@pytest.fixture(scope="module")
def served(tmp_path_factory, simulator_process):
    """Somebody who has logged in to a gallery of several tests."""
    gallery = Gallery(tmp_path_factory.mktemp("gallery"))
    yield visitor(gallery, simulator_process)
    gallery.close()


@pytest.fixture
def saver(served, simulator):
    """The same, for what does not depend on what was saved before."""
    return served


def visitor(gallery, simulator, email="ada@example.org"):
    """Starts, registers and logs in."""
    running = gallery.serve(simulator.env)
    visitor = Visitor(running.address, email)
    visitor.running = running
    return visitor


def items(visitor, count=15):
    """The list, once it has so many."""
    wait_for(lambda: len(visitor.json("api/v1/pictures")["items"]) == count)
    return visitor.json("api/v1/pictures")["items"]


def test_usage(gallery):
    assert gallery("--help").stdout.startswith(b"Usage: gallery")
    assert gallery("x").status == 2
    bad = gallery(env={"GALLERY_URL": "nonsense"})
    assert (bad.status, bad.stdout) == (2, b"") and "GALLERY_URL" in bad.stderr
    homeless = gallery(env={"HOME": None, "XDG_CACHE_HOME": None, "XDG_STATE_HOME": None})
    assert homeless.status == 2 and "HOME" in homeless.stderr
    with open("/dev/full", "wb") as full:
        result = gallery(stdout=full, timeout=10)
    assert result.status == 1 and result.stderr.endswith("cannot write to stdout: No space left on device\n")


def test_nothing_is_told_without_a_session(gallery, simulator):
    stranger = Visitor(gallery.serve(simulator.env).address)
    for path in ("api/v1/pictures", "api/v1/saved", "api/v1/events", "api/v1/session", "picture/45", "picture/saved/1"):
        assert stranger("GET", path)[0] == 401, path
    assert stranger("POST", "api/v1/saved", {"author": "a", "url": "b"})[0] == 401
    assert stranger("GET", "")[0] == 200


def test_who_is_refused_is_told_why(ada):
    cases = [
        ("api/v1/users", " ADA@example.org ", PASSWORD, 409, "User Already Exists"),
        ("api/v1/users", "ada", PASSWORD, 422, "No valid email"),
        ("api/v1/users", "b@example.org", "short", 422, "Password needs 10 to 1024 bytes"),
        ("api/v1/session", "ada@example.org", PASSWORD + "x", 401, "Invalid credentials"),
        ("api/v1/session", "nobody@example.org", PASSWORD, 401, "Invalid credentials"),
    ]
    for path, email, password, status, words in cases:
        answer = ada("POST", path, {"email": email, "password": password})
        problem = json.loads(answer[2])
        assert (answer[0], problem.get("detail", problem["title"])) == (status, words)
    # Who fails keeps the session that there is.
    assert ada("GET", "api/v1/session")[0] == 200


def test_pictures_come_through_the_app(ada, simulator):
    first = items(ada)[0]
    assert first["id"] == "45" and first["author"] == "Lukas Budimaier"
    status, headers, body = ada("GET", "picture/45")
    assert (status, headers["Content-Type"], headers["X-Content-Type-Options"]) == (200, "image/png", "nosniff")
    assert body.startswith(b"\x89PNG")
    ada("GET", "picture/45")
    assert simulator.requests("picsum picture") == 1
    for path in ("picture/1", "picture/..%2flist.json", "picture/saved/45", "picture/"):
        assert ada("GET", path)[0] == 404, path


def test_a_picture_of_the_list_may_be_redirected_on_its_origin(ada, simulator):
    items(ada)
    simulator.control(gallery={"redirects": 3})
    assert ada("GET", "picture/45")[0] == 200
    simulator.control(gallery={"redirects": 4})
    assert ada("GET", "picture/46")[0] == 422


def test_more_is_loaded_until_there_is_no_more(ada):
    items(ada)
    assert ada.json("api/v1/pictures")["more"]
    ada("POST", "api/v1/pictures/more")
    items(ada, 30)
    assert ada.json("api/v1/pictures")["more"]
    # The next page is empty.
    ada("POST", "api/v1/pictures/more")
    wait_for(lambda: not ada.json("api/v1/pictures")["more"])
    assert len(items(ada, 30)) == 30


@pytest.mark.parametrize(
    "day",
    [
        {"pages": 1, "names_empty": False},
        {"next": "http://127.0.0.1:9/v2/list?page=5&limit=15"},
        {"next": "https://evil.example/v2/list?page=5"},
    ],
    ids=["none", "other port", "other host"],
)
def test_a_next_page_of_another_origin_is_none(gallery, simulator, day):
    simulator.control(gallery=day)
    ada = visitor(gallery, simulator)
    items(ada)
    assert not ada.json("api/v1/pictures")["more"]


def test_a_next_page_that_is_the_same_is_the_last(gallery, simulator):
    simulator.control(gallery={"next": simulator.env["GALLERY_URL"] + "/v2/list?page=4&limit=15"})
    ada = visitor(gallery, simulator)
    items(ada)
    ada("POST", "api/v1/pictures/more")
    wait_for(lambda: not ada.json("api/v1/pictures")["more"])
    assert len(items(ada)) == 15


@pytest.mark.parametrize("fault", [*FAULTS.values(), OTHER_JSON], ids=[*FAULTS, "other JSON"])
def test_a_fault_of_the_list_leaves_what_is_kept(gallery, simulator, fault):
    ada = visitor(gallery, simulator)
    before = items(ada)
    ada("GET", "picture/45")
    ada.running.signal(signal.SIGTERM)
    assert ada.running.finish(5).status == 0
    simulator.control(faults=[fault])
    ada = visitor(gallery, simulator)
    wait_for(lambda: simulator.counts()["requests"].get("picsum list"))
    assert ada.json("api/v1/pictures")["items"] == before
    assert ada("GET", "picture/45")[0] == 200
    assert ada("GET", "picture/46")[0] in (422, 503)
    # Nothing of a fault is kept.
    simulator.control(faults=[])
    ada("POST", "api/v1/pictures/retry")
    assert ada("GET", "picture/46")[0] == 200


@pytest.mark.parametrize(
    "kind, is_picture",
    [("png", True), ("jpeg", True), ("gif", True), ("webp", True), ("full", True), ("png-named-html", True),
     ("svg", False), ("svg-named-png", False), ("html", False), ("large", False), ("deep", False), ("empty", False),
     ("absent", False)],
)
def test_a_picture_is_one_by_its_content(saver, simulator, kind, is_picture):
    url = f"{simulator.env['GALLERY_URL']}/made/{kind}"
    before = saver.saved
    assert saver.is_picture(url) == is_picture
    assert len(saver.saved) == len(before) + is_picture
    if is_picture:
        status, headers, body = saver("GET", f"picture/saved/{saver.saved[0]['id']}")
        expected = "image/png" if kind in ("full", "png-named-html") else f"image/{kind}"
        assert (status, headers["Content-Type"]) == (200, expected) and body


@pytest.mark.parametrize("fault", ["cut", "reset", "hang", "status", "drip", "long_length", "truncated"])
def test_a_picture_that_does_not_come_whole_is_none(saver, simulator, fault, kind="png"):
    simulator.control(faults=[{"fault": fault, "status": 500, "seconds": 20}])
    begin, before = time.monotonic(), saver.saved
    assert not saver.is_picture(f"{simulator.env['GALLERY_URL']}/made/{kind}")
    assert time.monotonic() - begin < 12
    assert saver.saved == before


@pytest.mark.parametrize("kind", ["jpeg", "gif", "webp"])
def test_half_a_picture_is_none(saver, simulator, kind):
    test_a_picture_that_does_not_come_whole_is_none(saver, simulator, "truncated", kind)


def test_what_must_not_be_asked_is_not(ada, simulator):
    port = simulator.port
    origin = simulator.env["GALLERY_URL"]
    urls = [
        "", "x", "/made/png", "file:///etc/passwd", "ftp://example.org/a.png", "data:image/png;base64,AAAA",
        "javascript:alert(1)", f"http://127.0.0.1:{port}/json", f"http://localhost:{origin.rpartition(':')[2]}/made/png",
        "http://example.org/a.png", "https://example.org:8443/a.png", "https://127.0.0.1/a.png", "https://127.1/a.png",
        "https://0x7f000001/a.png", "https://2130706433/", "https://[::1]/a.png", "https://[::ffff:127.0.0.1]/a.png",
        "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://localhost/a.png", "https://169.254.169.254/",
        "https://[fe80::1%25lo]/", "https://10.0.0.1/", "https://0.0.0.0/", "https:// /", "https://exa mple.org/",
        f"https://127.0.0.1:{origin.rpartition(':')[2]}/made/png", "x" * 3000, "https://user:pw@127.0.0.1/a.png",
    ]
    for url in urls:
        begin = time.monotonic()
        assert not ada.is_picture(url), url
        assert time.monotonic() - begin < 3, url
    for target in urls[3:]:
        assert not ada.is_picture(f"{origin}/made/redirect?to={target}"), target
    assert ada.saved == []
    assert simulator.requests("ip-api single") == 0


def test_an_author_needs_a_name(ada, simulator):
    url = simulator.env["GALLERY_URL"] + "/made/png"
    for author in ("", "  ", "x" * 201, "a\u0000b", "a\nb"):
        assert ada.save(url, author)[0] == 422
    assert ada.save(url, "  <b>Ada & Söhne</b> ")[1]["author"] == "<b>Ada & Söhne</b>"


def test_two_accounts_are_apart(ada, simulator):
    bob = Visitor(ada.address, "bob@example.org")
    url = simulator.env["GALLERY_URL"] + "/made/png"
    _, picture = ada.save(url)
    assert bob.saved == []
    assert bob("GET", f"picture/saved/{picture['id']}")[0] == 404
    assert bob("DELETE", f"api/v1/saved/{picture['id']}")[0] == 404
    bob.save(url, "Bob")
    assert [each["author"] for each in ada.saved] == ["Ada"]
    assert ada("DELETE", f"api/v1/saved/{picture['id']}")[0] == 204
    assert ada.saved == []
    assert ada("DELETE", f"api/v1/saved/{picture['id']}")[0] == 404
    assert ada("GET", f"picture/saved/{picture['id']}")[0] == 404
    assert [each["author"] for each in bob.saved] == ["Bob"]


def test_what_was_added_is_kept_and_a_start_asks_to_log_in_anew(ada, gallery, simulator):
    url = simulator.env["GALLERY_URL"] + "/made/png"
    ada.save(url, "One")
    ada.save(url, "Two")
    ada.running.signal(signal.SIGKILL)
    ada.running.finish(5)
    again = gallery.serve(simulator.env)
    stale = Visitor(again.address)
    name, _, token = ada.cookie.partition("=")
    stale.cookie = f"sonde_{again.address.rstrip('/').rpartition(':')[2]}={token}"
    assert stale("GET", "api/v1/session")[0] == 401
    ada = Visitor(again.address, "ada@example.org")
    assert [each["author"] for each in ada.saved] == ["Two", "One"]
    assert ada("GET", f"picture/saved/{ada.saved[1]['id']}")[0] == 200
    state = gallery.home / "state" / "sonde"
    assert (state / "gallery.db").exists()
    assert all(path.stat().st_mode & 0o77 == 0 for path in state.rglob("*"))


def test_a_second_start_says_that_there_is_one(ada, gallery, simulator):
    second = gallery(env=simulator.env)
    assert second.status == 1 and "gallery.db" in second.stderr


def test_a_signal_ends_it_whenever_it_comes(tmp_path, simulator):
    ends_by_a_signal(Gallery, tmp_path, simulator)
