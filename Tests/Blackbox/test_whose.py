"""One command over a log: ours and clouds are left out, the rest is named, and it is told whom to write to."""

import pytest
from name_server import NameServer, reverse

OURS, CLOUDS = ("9.9.9.9", "9.9.8.1"), ("3.5.141.1", "52.94.1.1")
# Of ARIN, RIPE, APNIC, LACNIC and AFRINIC.
OTHERS = ("8.8.8.8", "8.8.8.9", "31.13.64.1", "1.0.16.1", "200.3.14.5", "41.0.0.1")
COLUMNS = "own_team", "aws_service", "ptr", "ptr_status", "abuse_email", "owner_inferred"


@pytest.fixture
def server():
    """A server of names that knows two of them."""
    server = NameServer()
    server.add("8.8.8.8", "dns.google.example")
    server.add("31.13.64.1", "liar.example", back=False)
    yield server
    server.close()


def test_yesterday_s_log(sonde, simulator, server):
    assert sonde("tables", "update", "aws", env=simulator.env).status == 0
    simulator.control(reset=True)
    sonde.file("ours.csv", "network,team\n9.9.8.0/23,us\n10.0.0.0/8,office\n")
    clients = (*OTHERS, *OURS, "10.0.3.7", *CLOUDS, *OTHERS)
    sonde.file("access.log", "".join(f'{ip} - - [16/Jan/2024:06:00:02 +0000] "GET / HTTP/1.1" 200 2\n' for ip in clients))
    result = sonde(
        *("scan", "--log", "access.log", "--with", "own=ours.csv", "--with", "aws", "--with", "names", "--with", "owner"),
        *("--where", "not own_network and not aws_network", "--resolver", server.place, "--format", "ndjson"),
        env=simulator.env,
    )
    assert result.status == 0, result.stderr
    rows = {row["ip"]: tuple(row.get(name) for name in COLUMNS) for row in result.records}
    assert tuple(rows) == OTHERS and all(row["status"] == "ok" for row in result.records)
    assert [row[:4] for row in rows.values()] == [
        (None, None, ["dns.google.example"], "confirmed"),
        (None, None, None, "none"),
        (None, None, ["liar.example"], "unconfirmed"),
        *[(None, None, None, "none")] * 3,
    ]
    assert all("@" in row[4] for row in rows.values())
    assert [ip for ip, row in rows.items() if row[5]] == ["8.8.8.9"]
    # The provider once each, and a registry once for each /24.
    assert simulator.addresses() == {**dict.fromkeys(OTHERS, 2), "8.8.8.9": 1}
    assert set(server.asked()) == set(map(reverse, OTHERS))
    assert "5 excluded" in result.stderr and "5 owner requests" in result.stderr
    assert simulator.counts()["throttled"] == 0
