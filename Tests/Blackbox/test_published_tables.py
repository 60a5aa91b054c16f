"""`sonde tables`, and `--with` the lists that clouds and Tor publish."""

import csv
import gzip
import io
import ipaddress
import json
import re
import os

import mmdb
import pytest
from lists import AWS, CLOUD, CLOUDFLARE, DROP, GITHUB, GOOGLE, RELAY, TOR, USUAL, aws, google
from namespaces import PROVIDER, Network, skip_unless_allowed

NAMES = ["aws", "gcp", "google", "cloudflare", "tor"]
RARE = {
    "private_relay": ("172.224.224.5", {"network": "172.224.224.0/27", "country_code": "GB", "region_code": "GB-EN", "city": "London"}),
    "drop": ("1.10.17.1", {"network": "1.10.16.0/20", "sblid": "SBL256894", "rir": "apnic"}),
    "googlebot": ("66.249.64.1", {"network": "66.249.64.0/27"}),
    "bingbot": ("157.55.39.1", {"network": "157.55.39.0/24"}),
    "gptbot": ("52.230.152.1", {"network": "52.230.152.0/24"}),
    "github": ("192.30.252.9", {"network": "192.30.252.0/22", "list": "hooks|web"}),
    "fastly": ("23.235.32.1", {"network": "23.235.32.0/20"}),
    "oracle": ("129.146.1.1", {"network": "129.146.0.0/21", "region": "us-phoenix-1", "tags": "OCI|OSN"}),
}


@pytest.fixture
def fetched(sonde, simulator):
    """All lists, as they usually are."""
    assert sonde("tables", "update", env=simulator.env).status == 0
    return sonde


def listed(sonde):
    return {row["name"]: row for row in map(json.loads, sonde("tables", "list").stdout.splitlines())}


def check(sonde, source, *addresses):
    result = sonde("check", "--with", source, "--format", "csv", input="\n".join(addresses))
    assert result.status == 0, result.stderr
    rows = csv.DictReader(io.StringIO(result.stdout.decode()))
    name = source.partition("=")[0] + "_"
    return [{key.removeprefix(name): value for key, value in row.items() if key.startswith(name)} for row in rows]


def test_every_list_is_fetched_once_and_listed(fetched, simulator):
    counts = simulator.counts()["requests"]
    assert counts == {f"tables {path}": 1 for path in USUAL}
    rows = listed(fetched)
    assert list(rows) == NAMES
    assert {name: row["rows"] for name, row in rows.items()} == {
        "aws": 4, "gcp": 2, "google": 3, "cloudflare": 4, "tor": 200,
    }
    assert all(row["fetched_at"].endswith("Z") for row in rows.values())
    told = [line.split(":")[1].strip() for line in fetched("tables", "update", env=simulator.env).stderr.splitlines()]
    assert told == ["aws", "gcp", "google", "cloudflare, IPv4", "cloudflare, IPv6", "tor"]
    text = fetched("tables", "list", "--format", "text", "tor")
    assert text.stdout.decode().startswith("tor           200 networks, fetched ")


@pytest.mark.parametrize("name", RARE)
def test_other_lists_are_fetched_once_they_are_named(fetched, simulator, name):
    never = fetched("check", "--with", name, "1.1.1.1")
    assert never.status == 2 and f"'sonde tables update {name}' fetches it" in never.stderr
    assert fetched("tables", "update", name, env=simulator.env).status == 0
    address, values = RARE[name]
    assert check(fetched, name, address, "9.9.9.9") == [values, dict.fromkeys(values, "")]
    (shown,) = map(json.loads, fetched("tables", "show", name).stdout.splitlines())
    assert shown["columns"] == [f"{name}_{column}" for column in values]
    assert shown["url"].startswith("https://") and shown["rows"] > 0
    # From then on it is renewed with the others.
    assert list(listed(fetched)) == [*NAMES, name]
    told = fetched("tables", "update", env=simulator.env).stderr
    assert told.count(f"\nsonde: {name}") == (2 if name == "drop" else 1)


def test_drop_is_not_asked_for_twice_in_an_hour(sonde, simulator):
    for _ in range(2):
        assert sonde("tables", "update", "drop", env=simulator.env).status == 0
    assert simulator.counts()["requests"] == {f"tables {path}": 1 for path in DROP}
    again = sonde("tables", "update", "drop", env=simulator.env).stderr.splitlines()
    words = r"sonde: drop, IPv4: 2 networks, fetched \d+ s ago \(.*Z\); its owner allows one request in 1 h 0 min"
    assert re.fullmatch(words, again[0])
    shown = sonde("tables", "show", "drop", "--format", "text").stdout.decode()
    assert "licence: free of charge; credit is due to The Spamhaus Project" in shown
    assert "columns: drop_network, drop_sblid, drop_rir" in shown


def test_another_list_does_not_take_the_place_of_one_with_columns(fetched, simulator):
    fetched("tables", "update", "private_relay", "github", env=simulator.env)
    for path, name, body in [(RELAY, "private_relay", "1.0.0.0/8\n2.0.0.0/8\n"), (GITHUB, "github", '{"x":[{"ip":"1.1.1.1"}]}')]:
        simulator.control(lists={path: {"body": body, "etag": "y"}})
        result = fetched("tables", "update", name, env=simulator.env)
        assert result.status == 1 and f"{name}: is another list" in result.stderr, result.stderr


def test_the_columns_of_the_clouds(fetched):
    assert check(fetched, "aws", "3.5.141.1", "52.94.1.1", "2600:1f00::1", "9.9.9.9") == [
        {"network": "3.5.140.0/22", "service": "AMAZON|S3", "region": "ap-northeast-2"},
        {"network": "52.94.0.0/16", "service": "AMAZON", "region": "us-east-1"},
        {"network": "2600:1f00::/24", "service": "AMAZON", "region": "us-east-1"},
        {"network": "", "service": "", "region": ""},
    ]
    assert check(fetched, "gcp", "34.81.0.1")[0] == {
        "network": "34.80.0.0/15", "service": "Google Cloud", "region": "asia-east1",
    }
    assert check(fetched, "cloudflare", "104.16.1.1", "2606:4700::1") == [
        {"network": "104.16.0.0/13"}, {"network": "2606:4700::/32"},
    ]
    assert check(fetched, "tor", "185.220.101.7", "185.220.102.7") == [
        {"network": "185.220.101.7/32"}, {"network": ""},
    ]


def test_several_sources_stand_in_the_order_given(fetched):
    fetched.file("nets.csv", "network,team\n3.5.0.0/16,web\n")
    result = fetched("check", "--with", "tor", "--with", "own=nets.csv", "--with", "aws", "--format", "csv", "3.5.140.1")
    header, row = result.stdout.decode().splitlines()
    assert header.endswith(",line,tor_network,own_network,own_team,aws_network,aws_service,aws_region")
    assert row.endswith(",,3.5.0.0/16,web,3.5.140.0/22,AMAZON|S3,ap-northeast-2")


def test_google_is_what_is_not_its_cloud(fetched):
    networks = [ipaddress.ip_network(row.get("ipv4Prefix") or row["ipv6Prefix"]) for row in json.loads(USUAL[GOOGLE])["prefixes"]]
    cloud = [ipaddress.ip_network(row.get("ipv4Prefix") or row["ipv6Prefix"]) for row in json.loads(USUAL[CLOUD])["prefixes"]]
    own = []
    for network in networks:
        inner = [hole for hole in cloud if hole.version == network.version and hole.subnet_of(network)]
        own += network.address_exclude(inner[0]) if inner else [network]
    edges = {str(n[i] + j) for n in networks + cloud for i in (0, -1) for j in (-1, 0, 1)}
    found = check(fetched, "google", *edges)
    for address, row in zip(edges, found):
        wanted = [str(network) for network in own if ipaddress.ip_address(address) in network]
        assert [row["network"]] == (wanted or [""]), address


def test_azure_is_a_file(sonde):
    tags = {
        "values": [
            {"name": "AzureCloud.westeurope", "properties": {"region": "westeurope", "systemService": "", "addressPrefixes": ["13.69.0.0/17"]}},
            {"name": "Storage.WestEurope", "properties": {"region": "westeurope", "systemService": "AzureStorage", "addressPrefixes": ["13.69.0.0/17", "2603:1020::/48"]}},
        ]
    }
    sonde.file("tags.json", json.dumps(tags))
    assert check(sonde, "azure=tags.json", "13.69.1.1", "2603:1020::1") == [
        {"network": "13.69.0.0/17", "service": "AzureCloud|AzureStorage", "region": "westeurope"},
        {"network": "2603:1020::/48", "service": "AzureStorage", "region": "westeurope"},
    ]
    tags["values"][1]["properties"]["addressPrefixes"][1] = "nonsense"
    sonde.file("tags.json", json.dumps(tags, indent=1))
    result = sonde("check", "--with", "azure=tags.json", "1.1.1.1")
    line = json.dumps(tags, indent=1)[: json.dumps(tags, indent=1).index('"nonsense"')].count("\n") + 1
    assert result.status == 2 and f"tags.json, line {line}: " in result.stderr


def test_own_may_be_a_cloud_s_file(sonde):
    sonde.file("ranges.json", USUAL[AWS])
    assert check(sonde, "own=ranges.json", "3.5.140.9")[0]["service"] == "AMAZON|S3"


@pytest.mark.parametrize("make", ["mmdb", "libloc", "packed", "zeros"])
def test_a_database_is_no_table_and_says_which_option_takes_it(sonde, loc_database, make):
    networks = {f"{n}.8.0.0/16": {"country": {"iso_code": "US"}} for n in range(1, 200)}
    mmdb.write(sonde.work / "x.mmdb", "GeoLite2-City", networks)
    data = {"mmdb": sonde.read("x.mmdb"), "libloc": open(loc_database, "rb").read(), "packed": gzip.compress(sonde.read("x.mmdb")), "zeros": bytes(100)}
    sonde.file("x.bin", data[make])
    for source in ("azure",) if make == "mmdb" else ("own", "azure"):
        result = sonde("check", "--with", f"{source}=x.bin", "8.8.8.8")
        reason = "is neither a table of text (CSV, TSV, a list or JSON) nor an MMDB (a libloc database is named by --database)"
        assert (result.status, result.stdout) == (2, b"") and f"sonde: --with: x.bin: {reason}\n" in result.stderr


def test_a_table_that_was_never_fetched(sonde):
    result = sonde("check", "--with", "aws", "1.1.1.1")
    assert result.status == 2 and "'sonde tables update aws'" in result.stderr
    assert {name: list(row) for name, row in listed(sonde).items()} == {name: ["name", "url"] for name in NAMES}
    unknown = sonde("tables", "list", "azure")
    assert unknown.status == 2 and "aws, gcp, google, cloudflare, tor, private_relay," in unknown.stderr


def test_what_has_not_changed_is_not_sent_again(fetched, simulator):
    before = listed(fetched)
    result = fetched("tables", "update", "aws", "tor", env=simulator.env)
    assert result.status == 0 and "aws: 4 networks, as before" in result.stderr
    assert sum(simulator.counts()["requests"].values()) == len(USUAL) + 2
    assert {name: row["rows"] for name, row in listed(fetched).items()} == {name: row["rows"] for name, row in before.items()}
    assert check(fetched, "aws", "52.94.1.1")[0]["region"] == "us-east-1"


BAD = {
    "empty": ({"body": ""}, "is empty"),
    "blank": ({"body": "\n\n"}, "is empty"),
    "comments": ({"body": "# none today\n"}, "has no networks"),
    "HTML": ({"body": "\n<!DOCTYPE html><p>Log in"}, "is HTML"),
    "half": ({"body": "".join(f"185.220.101.{n}\n" for n in range(99))}, "has 99 networks, and the former one 200"),
    "odd": ({"body": USUAL[TOR] + "Thu\n" * 3}, "has 3 odd lines of 203"),
    "another": ({"body": USUAL[AWS]}, "is another list"),
    "doubled": ({"body": "185.220.101.1\n" * 100 + "".join(f"185.220.101.{n}\n" for n in range(99))}, "has 99 networks, and the former one 200"),
    "broken": ({"body": '{"prefixes": ['}, "is no such list"),
    "error": ({"body": USUAL[TOR], "status": 500, "etag": ""}, "HTTP 500"),
    "gone": ({"body": USUAL[TOR], "status": 404, "etag": ""}, "HTTP 404"),
    "large": ({"body": "1.1.1.1\n" * (33 << 17), "etag": ""}, "too large"),
}


@pytest.mark.parametrize("day, words", BAD.values(), ids=BAD)
def test_a_bad_list_does_not_take_the_place_of_a_good_one(fetched, simulator, day, words):
    before = listed(fetched)["tor"]
    simulator.control(lists={TOR: day})
    result = fetched("tables", "update", "--quiet", env=simulator.env)
    assert result.status == 1 and "tor: " in result.stderr and words in result.stderr
    assert "stays" in result.stderr and len(result.stderr.splitlines()) == 1
    assert listed(fetched)["tor"] == before
    assert check(fetched, "tor", "185.220.101.199")[0]["network"] == "185.220.101.199/32"


@pytest.mark.parametrize("behind", ["{}", '{"prefixes": []}', "x", '\n{"prefixes": [', "]", "0"])
def test_nothing_may_follow_a_list(fetched, simulator, behind):
    for path, name in ((AWS, "aws"), (GOOGLE, "google")):
        before = listed(fetched)[name]
        simulator.control(lists={path: {"body": USUAL[path] + behind, "etag": "x"}})
        result = fetched("tables", "update", name, env=simulator.env)
        assert result.status == 1 and re.search("is no such list: (something follows the JSON value|is no valid JSON)", result.stderr)
        after = listed(fetched)[name]
        if name == "google":
            # Of two lists, of which one is as before: the older of their times.
            del before["fetched_at"], after["fetched_at"]
        assert after == before
    simulator.control(lists={AWS: {"body": USUAL[AWS] + "\n \t\r\n", "etag": "y"}})
    assert fetched("tables", "update", "aws", env=simulator.env).status == 0
    fetched.file("two.json", USUAL[AWS] + "\n" + USUAL[AWS])
    result = fetched("check", "--with", "own=two.json", "8.8.8.8")
    line = USUAL[AWS].count("\n") + 2
    assert result.status == 2 and f"two.json, line {line}: something follows the JSON value" in result.stderr


def test_a_row_that_is_doubled_counts_once(fetched, simulator):
    document = json.loads(USUAL[AWS])
    document["prefixes"] *= 3
    simulator.control(lists={TOR: {"body": USUAL[TOR] * 2, "etag": "x"}, AWS: {"body": json.dumps(document), "etag": "x"}})
    result = fetched("tables", "update", "tor", "aws", env=simulator.env)
    assert "tor: 200 networks" in result.stderr and "aws: 4 networks" in result.stderr and result.status == 0
    assert (listed(fetched)["tor"]["rows"], listed(fetched)["aws"]["rows"]) == (200, 4)


def test_few_odd_lines_are_counted(fetched, simulator):
    simulator.control(lists={TOR: {"body": "Thu\n" + USUAL[TOR] + "10.0.0.300\n"}})
    result = fetched("tables", "update", "tor", env=simulator.env)
    assert result.status == 0 and "tor: 200 networks, and 2 odd lines" in result.stderr
    assert check(fetched, "tor", "185.220.101.1")[0]["network"] == "185.220.101.1/32"


def test_a_redirect_is_followed_on_the_same_host_alone(fetched, simulator):
    path = CLOUDFLARE[0]
    moved = {path: {"location": "https://www.cloudflare.com/ips-v4/"}, path + "/": {"body": "104.16.0.0/12\n1.1.1.0/24\n"}}
    simulator.control(lists=moved)
    assert fetched("tables", "update", "cloudflare", env=simulator.env).status == 0
    assert check(fetched, "cloudflare", "1.1.1.1")[0]["network"] == "1.1.1.0/24"
    for start in ("", simulator.urls["tables"]):
        simulator.control(lists={**moved, path: {"location": f"{start}/{path}/"}})
        assert fetched("tables", "update", "cloudflare", env=simulator.env).status == 0, "a mirror names its own place"
    for target in ("https://login.example/", "http://www.cloudflare.com/ips-v4/", "//x/y"):
        simulator.control(lists={path: {"location": target}})
        result = fetched("tables", "update", "cloudflare", env=simulator.env)
        assert result.status == 3 and "login page" in result.stderr
    simulator.control(lists={path: {"location": "/ips-v4"}})
    assert fetched("tables", "update", "cloudflare", env=simulator.env).status == 1
    assert check(fetched, "cloudflare", "1.1.1.1")[0]["network"] == "1.1.1.0/24"


def test_nobody_answers(sonde):
    result = sonde("tables", "update", "tor", env={"SONDE_TABLES_URL": "http://127.0.0.1:9"})
    assert result.status == 1 and "connection refused" in result.stderr
    for mirror in ("http://9.9.9.9", "http://[2606:4700::1]:8053/lists", "http://mirror.example"):
        plain = sonde("tables", "update", env={"SONDE_TABLES_URL": mirror})
        assert plain.status == 2 and "without TLS" in plain.stderr


@skip_unless_allowed()
def test_a_mirror_of_one_s_own_network_may_be_lost(sonde):
    network = Network()
    try:
        port = network.simulator.urls["tables"].rsplit(":", 1)[1]
        env = {"SONDE_TABLES_URL": f"http://{PROVIDER}:{port}"}
        assert sonde("tables", "update", "tor", env=env, prefix=network.near.prefix).status == 0
        before = listed(sonde)["tor"]
        network.lose()
        lost = sonde("tables", "update", "tor", env=env, prefix=network.near.prefix)
        assert lost.status == 3 and "stays" in lost.stderr and listed(sonde)["tor"] == before
    finally:
        network.close()


def test_an_old_list_is_told_and_a_damaged_one_is_none(fetched, simulator):
    path = fetched.work / "state/sonde/tables/tor"
    if not path.exists():
        path = next(fetched.directory.rglob("sonde/tables/tor"))
    head, _, rest = path.read_text().partition("\n")
    words = head.split(" ")
    words[1] = str(int(words[1]) - 9 * 86_400)
    path.write_text(" ".join(words) + "\n" + rest)
    assert os.stat(path).st_mode & 0o077 == 0
    result = fetched("check", "--with", "tor", "1.1.1.1")
    assert "the table tor is 9 days old: 'sonde tables update' renews it" in result.stderr
    whole = path.read_text()
    for damage in ("damaged", whole[:-9], whole.replace("185", "195", 1)):
        path.write_text(damage)
        result = fetched("check", "--with", "tor", "1.1.1.1")
        assert result.status == 2 and "sonde tables update tor" in result.stderr, "what is missing would be no exit"
        assert fetched("tables", "update", "tor", env=simulator.env).status == 0
        assert path.read_text().partition("\n")[2] == rest


def test_half_is_enough(fetched, simulator):
    simulator.control(lists={AWS: {"body": aws(("52.94.0.0/16", "x", "y"), ("52.95.0.0/16", "x", "y"))}})
    assert fetched("tables", "update", "aws", env=simulator.env).status == 0
    assert listed(fetched)["aws"]["rows"] == 2
    simulator.control(lists={CLOUD: {"body": google(["34.80.0.0/15", "asia-east1"])}})
    assert fetched("tables", "update", "gcp", env=simulator.env).status == 0
