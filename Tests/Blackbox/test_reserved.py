"""Special-purpose addresses are answered locally and never sent anywhere.

https://www.iana.org/assignments/iana-ipv4-special-registry and -ipv6-special-registry; the most
specific block decides, and what is not applicable counts as reachable.
"""

RESERVED = {
    "0.0.0.0": "0.0.0.0/",
    "0.1.2.3": "0.0.0.0/8",
    "10.1.2.3": "10.0.0.0/8",
    "100.64.0.1": "100.64.0.0/10",
    "100.127.255.255": "100.64.0.0/10",
    "127.0.0.1": "127.0.0.0/8",
    "169.254.1.1": "169.254.0.0/16",
    "172.16.0.1": "172.16.0.0/12",
    "172.31.255.255": "172.16.0.0/12",
    "192.0.0.1": "192.0.0.0/",
    "192.0.0.170": "192.0.0.170/32",
    "192.0.2.1": "192.0.2.0/24",
    "192.168.1.1": "192.168.0.0/16",
    "198.18.0.1": "198.18.0.0/15",
    "198.19.255.255": "198.18.0.0/15",
    "198.51.100.1": "198.51.100.0/24",
    "203.0.113.1": "203.0.113.0/24",
    "224.0.0.1": "224.0.0.0/4",
    "239.255.255.255": "224.0.0.0/4",
    "240.0.0.1": "240.0.0.0/4",
    "255.255.255.255": "255.255.255.255/32",
    "::": "::/128",
    "::1": "::1/128",
    "64:ff9b:1::1": "64:ff9b:1::/48",
    "100::1": "100::/64",
    "2001:2::1": "2001:2::/48",
    "2001:100::1": "2001::/23",
    "2001:db8::1": "2001:db8::/32",
    "3fff::1": "3fff::/20",
    "5f00::1": "5f00::/16",
    "fc00::1": "fc00::/7",
    "fdff::1": "fc00::/7",
    "fe80::1": "fe80::/10",
    "fec0::1": "fec0::/10",
    "ff02::1": "ff00::/8",
}
REACHABLE = (
    "1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 "
    "169.253.255.255 172.15.255.255 172.32.0.0 192.0.0.9 192.0.0.10 192.0.1.0 192.31.196.1 "
    "192.52.193.1 192.88.99.1 192.175.48.1 198.17.255.255 198.20.0.0 223.255.255.255 64:ff9b::1 "
    "2001::1 2001:1::1 2001:1::2 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:30::1 "
    "2001:200::1 2001:4860:4860::8888 2002::1 2620:4f:8000::1 2a00::1 fbff::1"
).split()


def test_the_message_names_the_block_and_its_document(sonde):
    records = sonde("check", input="\n".join(RESERVED)).records
    assert [record["ip"] for record in records] == list(RESERVED)
    wrong = [
        record
        for record in records
        if record["status"] != "reserved"
        or RESERVED[record["ip"]] not in record.get("message", "")
        or "RFC" not in record["message"].replace(" ", "")
    ]
    assert wrong == []


def test_what_is_reachable_or_not_applicable_is_asked(sonde):
    records = sonde("check", input="\n".join(REACHABLE)).records
    assert [record["ip"] for record in records] == REACHABLE
    assert [record for record in records if record["status"] != "ok"] == []


def test_none_of_them_is_ever_sent(sonde, simulator):
    text = "\n".join([*RESERVED, "8.8.8.8"])
    result = sonde("scan", "--provider", "ip-api", input=text, env=simulator.env)
    assert result.status == 0
    assert [r["status"] for r in result.records] == ["reserved"] * len(RESERVED) + ["ok"]
    assert list(simulator.addresses()) == ["8.8.8.8"]
    assert all("source" not in record for record in result.records[:-1])


def test_reserved_alone_is_success_without_a_request(sonde, simulator):
    result = sonde("scan", "--provider", "ip-api", "10.0.0.1", env=simulator.env)
    assert (result.status, simulator.counts()["total"]) == (0, 0)
