"""`sonde tables add` and `remove`: tables of one's own by name, from a URL or a file."""

import gzip
import json

import mmdb
import pytest

NETS = "network,team\n8.8.8.0/24,names\n10.0.0.0/8,office\n192.0.2.0/24,docs\n"
PATH = "tables.example/nets.csv"


@pytest.fixture
def url(simulator):
    """The URL of a table that the simulator has."""
    simulator.control(lists={PATH: {"body": NETS}})
    return f"{simulator.urls['tables']}/{PATH}"


def shown(sonde, name):
    (row,) = map(json.loads, sonde("tables", "show", name).stdout.splitlines())
    return row


def team(sonde, address="8.8.8.8"):
    result = sonde("check", "--with", "corp", "--fields", "corp_team", address)
    assert result.status == 0, result.stderr
    return result.records[0].get("corp_team")


def test_a_url_is_fetched_at_once_and_stands_for_its_name(sonde, simulator, url):
    added = sonde("tables", "add", "corp", url, env=simulator.env)
    assert (added.status, added.stderr) == (0, "sonde: corp: 3 networks\n")
    assert team(sonde) == "names"
    row = shown(sonde, "corp")
    assert row.pop("fetched_at").endswith("Z")
    assert row == {"name": "corp", "url": url, "rows": 3, "columns": ["corp_network", "corp_team"]}
    again = sonde("tables", "update", "corp", env=simulator.env)
    assert (again.status, again.stderr) == (0, "sonde: corp: 3 networks, as before\n")
    simulator.control(lists={PATH: {"body": NETS.replace("names", "resolvers")}})
    assert "corp: 3 networks\n" in sonde("tables", "update", env=simulator.env).stderr, "it is renewed with the others"
    assert team(sonde) == "resolvers"
    assert "corp          3 networks, fetched " in sonde("tables", "list", "--format", "text").stdout.decode()
    removed = sonde("tables", "remove", "corp")
    assert (removed.status, removed.stderr) == (0, "sonde: corp: removed\n")
    gone = sonde("check", "--with", "corp", "8.8.8.8")
    assert gone.status == 2 and "there is no source 'corp'" in gone.stderr
    assert sonde("tables", "remove", "corp").status == 2


def test_a_file_is_read_whenever_it_is_used(sonde):
    path = sonde.work / sonde.file("nets.csv", "block,team,site\n8.8.8.0/24,names,here\n")
    added = sonde("tables", "add", "corp", "nets.csv,key=block,columns=team")
    assert added.status == 0, added.stderr
    assert shown(sonde, "corp") == {"name": "corp", "url": str(path), "columns": ["corp_network", "corp_team"]}
    assert team(sonde) == "names"
    sonde.file("nets.csv", "block,team\n8.8.0.0/16,others\n")
    assert team(sonde) == "others"
    assert sonde("tables", "update", "corp").status == 0
    sonde.file("nets.csv", "block,team\n8.8.0.0/33,others\n")
    bad = sonde("check", "--with", "corp", "8.8.8.8")
    assert bad.status == 2 and "nets.csv, line 2" in bad.stderr
    assert sonde("tables", "remove", "corp").status == 0 and path.exists()


@pytest.mark.parametrize("form", ["mmdb", "gzip", "systems"])
def test_other_forms_are_kept_as_they_are(sonde, simulator, tmp_path, loc_database, form):
    if form == "mmdb":
        mmdb.write(tmp_path / "x.mmdb", "My-DB", {"8.8.8.0/24": {"team": "names"}, "2001:db8::/32": {"team": "docs"}})
        content = (tmp_path / "x.mmdb").read_bytes()
    else:
        content = gzip.compress(NETS.encode()) if form == "gzip" else b"asn,team\n15169,names\n"
    simulator.control(lists={PATH: {"hex": content.hex()}})
    added = sonde("tables", "add", "corp", f"{simulator.urls['tables']}/{PATH}", env=simulator.env)
    assert added.status == 0, added.stderr
    options = ("--provider", "local", "--database", str(loc_database), "--with", "corp", "--fields", "corp_team")
    assert sonde("scan", "8.8.8.8", *options).records == [{"corp_team": "names"}]


WRONG = {
    "a source's name": ("aws", "nets.csv", "a source of its own"),
    "a field's name": ("city", "nets.csv", "'city' is a field"),
    "azure": ("azure", "nets.csv", "'azure' is a source of its own"),
    "no name": ("Corp", "nets.csv", "expected NAME URL or NAME FILE"),
    "a password": ("corp", "https://me:secret@tables.example/x", "neither a user nor a password"),
    "plain HTTP": ("corp", "http://tables.example/x", "without TLS"),
    "another scheme": ("corp", "ftp://tables.example/x", "is not an https:// URL"),
    "taken": ("mine", "nets.csv", "there is a table mine already"),
}


@pytest.mark.parametrize("name, place, words", WRONG.values(), ids=WRONG)
def test_what_cannot_be_added(sonde, name, place, words):
    sonde.file("nets.csv", NETS)
    assert sonde("tables", "add", "mine", "nets.csv").status == 0
    before = sonde("tables", "list").stdout
    result = sonde("tables", "add", name, place)
    assert result.status == 2 and words in result.stderr and "secret" not in result.stderr, result.stderr
    assert sonde("tables", "list").stdout == before
    clash = sonde("check", "--with", "mine=nets.csv", "8.8.8.8")
    assert clash.status == 2 and "'mine' is a table that was added" in clash.stderr
    for operands in (["add"], ["add", "corp"], ["add", "corp", "a", "b"], ["remove"], ["remove", "none"]):
        assert sonde("tables", *operands).status == 2


def rows(count, odd=0):
    return "".join(f"10.0.{n}.0/24\n" for n in range(count)) + "Thu\n" * odd


BAD = {
    "empty": ({"body": ""}, "is empty"),
    "HTML": ({"body": "<!DOCTYPE html><p>Log in"}, "is HTML"),
    "half": ({"body": rows(99)}, "has 99 networks, and the former one 200"),
    "odd": ({"body": rows(200, 3)}, "has 3 odd lines of 203"),
    "no table": ({"body": "Dear reader,\nno.\n"}, "has no networks"),
    "broken": ({"body": '{"prefixes": ['}, "is no such table"),
    "gone": ({"body": "x", "status": 404, "etag": ""}, "HTTP 404"),
    "elsewhere": ({"location": "https://other.example/x", "status": 302}, "is redirected to another host"),
    "large": ({"body": "1.1.1.1\n" * (33 << 17), "etag": ""}, "is larger than 32 MB"),
}


@pytest.mark.parametrize("day, words", BAD.values(), ids=BAD)
def test_nothing_bad_is_added_nor_takes_the_place_of_a_good_one(sonde, simulator, day, words):
    url = f"{simulator.urls['tables']}/{PATH}"
    simulator.control(lists={PATH: {"body": rows(200, 2)}})
    added = sonde("tables", "add", "corp", url, env=simulator.env)
    assert added.stderr == "sonde: corp: 200 networks, and 2 odd lines\n"
    simulator.control(lists={PATH: day})
    result = sonde("tables", "update", "corp", env=simulator.env)
    assert result.status == 1 and words in result.stderr and "stays" in result.stderr, result.stderr
    found = sonde("check", "--with", "corp", "--fields", "corp_network", "10.0.199.1").records
    assert found == [{"corp_network": "10.0.199.0/24"}]
    if words.startswith("has 99"):
        return
    result = sonde("tables", "add", "other", url, env=simulator.env)
    assert result.status == 1 and "stays" not in result.stderr
    assert sonde("tables", "show", "other").status == 2


def test_a_file_that_is_no_table_is_not_added(sonde):
    sonde.file("nets.csv", "network,team\n8.8.8.0/33,x\n")
    for path in ("nets.csv", "none.csv"):
        result = sonde("tables", "add", "corp", path)
        assert result.status == 1 and path in result.stderr
        assert sonde("tables", "show", "corp").status == 2


def test_removing_a_published_list_removes_its_copy_alone(sonde, simulator):
    sonde("tables", "update", "tor", "gcp", "google", env=simulator.env)
    assert sonde("tables", "remove", "tor", "google").stderr == "sonde: tor: removed\nsonde: google: removed\n"
    assert sonde("tables", "remove", "tor").stderr == "sonde: tor: was never fetched\n"
    assert [json.loads(row).get("rows") for row in sonde("tables", "list").stdout.splitlines()] == [None, 2, None, None, None]
