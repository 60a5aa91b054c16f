"""`scan --by-network`: one record for each network of the local databases."""

import csv
import ipaddress
import random
import signal

import mmdb
import pytest
from command import wait_for

RANDOM = random.Random(3)
NETWORKS = {
    "5.0.0.0/8": {"country_code": "DE", "asn": "AS3320"},
    "5.6.7.0/24": {"country_code": "FR", "asn": "AS3215"},
    "9.9.9.9/32": {"country_code": "CH", "asn": "AS19281"},
    "10.0.0.0/9": {"country_code": "US"},
    "81.2.69.0/24": {"country_code": "GB", "asn": "AS20712"},
    "2a00::/16": {"country_code": "DE", "asn": "AS3320"},
    "2a00:1::/32": {"country_code": "NL"},
}
HEADER = "ip,network,status,country_code,asn,line"


@pytest.fixture
def local(sonde):
    """Scans lists by the networks of a database."""
    path = mmdb.write(sonde.work / "own.mmdb", "Own", NETWORKS, built=1_700_000_000)

    def run(*arguments, **options):
        return sonde("scan", "--provider", "local", "--database", path, "--by-network", *arguments, **options)

    return run


def fields(result):
    return list(csv.reader(result.stdout.decode().splitlines()))[1:]


def test_rows_cut_nested_and_larger_networks_and_name_holes(local):
    text = "5.6.6.0/23\n81.2.69.7 # one address\n81.2.69.3-81.2.69.5\n9.9.9.8/30\n10.127.255.0-10.128.0.255\n5.6.7.0/24\nAS20712\nas3215\nAS1\nnothing\n"
    result = local("--format", "csv", "--fields", HEADER, input=text)
    assert result.status == 0, result.stderr
    assert result.stdout.decode() == (
        HEADER + "\n"
        "5.6.6.0,5.6.6.0/24,ok,DE,3320,1\n"
        "5.6.7.0,5.6.7.0/24,ok,FR,3215,1\n"
        "81.2.69.7,81.2.69.7/32,ok,GB,20712,2\n"
        "81.2.69.3,81.2.69.3/32,ok,GB,20712,3\n"
        "81.2.69.4,81.2.69.4/31,ok,GB,20712,3\n"
        "9.9.9.8,9.9.9.8/32,unknown,,,4\n"
        "9.9.9.9,9.9.9.9/32,ok,CH,19281,4\n"
        "9.9.9.10,9.9.9.10/31,unknown,,,4\n"
        "10.127.255.0,10.127.255.0/24,reserved,,,5\n"
        "10.128.0.0,10.128.0.0/24,reserved,,,5\n"
        "81.2.69.0,81.2.69.0/24,ok,GB,20712,7\n"
        "nothing,,invalid,,,10\n"
    )
    assert "14 entries: 7 ok" in result.stderr and "2 duplicates" in result.stderr


def test_the_network_is_behind_the_address_and_can_be_a_condition(local):
    assert fields(local("--format", "csv", "81.2.69.7"))[0][:3] == ["81.2.69.7", "81.2.69.7/32", "ok"]
    kept = local("--where", "network ~ '*/24' and country_code = FR", "--fields", "network", "5.6.0.0/16")
    assert kept.records == [{"network": "5.6.7.0/24"}]
    assert len(local("--duplicates", "keep", "--fields", "ip", input="9.9.9.9\n9.9.9.9/32\n").records) == 2


def test_whole_families_are_covered_and_every_row_has_the_answer_of_a_lookup(sonde, local):
    for item in ("0.0.0.0/0", "2000::/3", "AS3320"):
        rows = fields(local("--format", "csv", "--fields", HEADER, item))
        blocks = [ipaddress.ip_network(row[1]) for row in rows]
        assert [str(block[0]) for block in blocks] == [row[0] for row in rows]
        if item != "AS3320":
            assert sum(block.num_addresses for block in blocks) == ipaddress.ip_network(item).num_addresses
            assert all(first[-1] + 1 == second[0] for first, second in zip(blocks, blocks[1:]))
        else:
            assert all(row[4] == "3320" for row in rows) and {block.version for block in blocks} == {4, 6}
        addresses = [block[index] for block in blocks for index in (0, -1, RANDOM.randrange(block.num_addresses))]
        text = "".join(f"{address}\n" for address in addresses)
        path = str(sonde.work / "own.mmdb")
        own = ["--provider", "local", "--database", path, "--duplicates", "keep", "--format", "csv"]
        answers = fields(sonde("scan", *own, "--fields", "status,country_code,asn", input=text))
        assert answers == [row[2:5] for row in rows for _ in range(3)]


def test_a_scan_is_resumed_with_the_same_databases_only(sonde, local):
    sonde.file("list.txt", "6.0.0.0/14\n" * 100)
    path = sonde.work / "own.mmdb"
    many = NETWORKS | {f"6.{number >> 8}.{number & 255}.0/24": {"city": f"Town {number}"} for number in range(1000)}
    mmdb.write(path, "Own", many, built=1_700_000_000)
    options = ["list.txt", "--duplicates", "keep"]
    env = {"XDG_CACHE_HOME": str(sonde.home / "kept")}
    assert local(*options, "-o", "whole.csv", env=env).status == 0
    arguments = ["scan", "--provider", "local", "--database", path, "--by-network", *options, "-o", "part.csv"]
    stopped = sonde.start(*arguments, env=env)
    journal = sonde.work / "part.csv.journal"
    wait_for(lambda: journal.exists() and (sonde.work / "part.csv").stat().st_size > 0)
    stopped.signal(signal.SIGKILL)
    assert stopped.finish().status == 128 + signal.SIGKILL and journal.exists()
    same = path.read_bytes()
    mmdb.write(path, "Own", many, built=1_700_000_001)
    other = local(*options, "-o", "part.csv", "--resume", env=env)
    assert other.status == 2 and "by-network" in other.stderr
    path.write_bytes(same)
    assert local(*options, "-o", "part.csv", "--resume", env=env).status == 0
    assert sonde.read("part.csv") == sonde.read("whole.csv")


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--log"], "leave out --log"), (["--pcap"], "leave out --pcap"), (["--provider", "ip-api,local"], "needs --provider local"),
        (["--fields", "+hits"], "has no hits"), (["--where", "time > 2020-01-01"], "has no time"),
    ],
)
def test_what_has_no_networks_is_wrong_usage(local, arguments, words):
    result = local(*arguments, "5.6.7.0/24")
    assert (result.status, result.stdout) == (2, b"") and words in result.stderr


def test_elsewhere_a_system_stays_invalid(sonde):
    result = sonde("scan", "--provider", "local", "--fields", "ip,status,message", input="AS3320\n")
    assert result.records == [{"ip": "AS3320", "status": "invalid", "message": "column 1: is an AS number, not an address"}]
