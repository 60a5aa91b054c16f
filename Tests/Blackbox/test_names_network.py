"""Names over a network that is slow to bear questions, or is lost in the middle."""

import time

import pytest
from name_server import A, PTR, REFUSED, NameServer, message
from namespaces import PORT, PROVIDER, Network, Scan, skip_unless_allowed

pytestmark = [pytest.mark.slow, skip_unless_allowed()]

RESOLVER = "8.8.4.4"


@pytest.fixture(scope="module")
def network():
    """A network on whose far side there is a resolver with a public address."""
    network = Network()
    network.far.ip(f"addr add {RESOLVER}/32 dev lo")
    yield network
    network.close()


@pytest.fixture
def server(network):
    """That resolver."""
    server = network.far.inside(lambda: NameServer(RESOLVER, 53))
    yield server
    server.close()


def hosts(server, count):
    """Addresses that have a name each."""
    addresses = [f"9.9.{number // 200}.{number % 200}" for number in range(count)]
    for address in addresses:
        server.add(address, f"host-{address}.example")
    return addresses


@pytest.fixture
def scan(sonde, network, loc_database):
    """A scan with names on the near side."""
    return lambda *options: Scan(
        sonde, network, "--provider", "local", "--database", loc_database, "--with", "names",
        "--resolver", RESOLVER, "--format", "ndjson", *options,
    )  # fmt: skip


def confirmed(result):
    """The addresses whose name is confirmed."""
    return [record["ip"] for record in result.records if record["ptr_status"] == "confirmed"]


def test_a_public_resolver_gets_500_questions_a_second_at_most(scan, server):
    addresses = hosts(server, 500)
    began = time.monotonic()
    result = scan().feed(addresses).finish()
    assert (result.status, confirmed(result)) == (0, addresses)
    times = [question.at for question in server.questions]
    assert len(times) == 1000
    assert max(sum(begin <= at < begin + 1 for at in times) for begin in times) <= 500
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("is_link", [True, False], ids=["the link is lost", "packets are dropped"])
def test_a_loss_in_the_middle_loses_nothing(scan, server, network, is_link):
    addresses = hosts(server, 600)
    running = scan("--timeout", "500ms").feed(addresses, ends=False)
    deadline = time.monotonic() + 20
    while len(server.questions) < 300:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    if is_link:
        network.lose()
    else:
        network.near.drop()
    running.wait_for("offline")
    time.sleep(0.5)
    asked = len(server.questions)
    if is_link:
        network.restore()
    else:
        network.near.pass_all()
    running.running.process.stdin.close()
    result = running.finish()
    assert (result.status, confirmed(result)) == (0, addresses), result.stderr
    assert running.said("network lost") and running.said("network is back")
    assert running.summary["network_lost"] == 0 and running.summary["losses"] == 1
    assert len(server.questions) >= 1200 and asked < 1200
    # Only what was under way is asked again.
    assert sum(count - 1 for (name, _), count in server.counts().items() if name) <= 300
    assert set(server.counts()) >= {(f"host-{address}.example", A) for address in addresses}
    assert len(set(server.asked(PTR))) >= len(addresses)


def test_a_loss_is_told_once_for_all_paths(sonde, server, network):
    addresses = hosts(server, 200)
    running = Scan(
        sonde, network, "--provider", "ip-api", "--with", "names", "--resolver", RESOLVER, "--format", "ndjson"
    ).feed(addresses[:100], ends=False)
    running.running.line()
    network.lose()
    running.feed(addresses[100:], ends=False).wait_for("offline")
    time.sleep(0.5)
    network.restore()
    running.running.process.stdin.close()
    result = running.finish()
    assert (result.status, confirmed(result)) == (0, addresses), result.stderr
    lost = [change["endpoint"] for change in running.changes if change["state"] == "offline"]
    assert len(lost) == 1 and lost[0] in (f"{PROVIDER}:{PORT}", f"{RESOLVER}:53")
    assert len(running.changes) == 2


@pytest.mark.parametrize("first", ["refuses", "is silent", "is nowhere"])
def test_the_systems_second_server_is_asked_where_the_first_does_not_answer(
    sonde, server, network, loc_database, first
):
    addresses = hosts(server, 50)
    other = network.far.inside(lambda: NameServer(PROVIDER, 53))
    other.rule = lambda question: [message(question, REFUSED)] if first == "refuses" else []
    place = "10.9.0.77" if first == "is nowhere" else PROVIDER
    network.near.file("resolv.conf", f"nameserver {place}\nnameserver {RESOLVER}\n")
    try:
        result = Scan(
            sonde, network, "--provider", "local", "--database", loc_database, "--with", "names",
            "--timeout", "1s", "--format", "ndjson",
        ).feed(addresses).finish()  # fmt: skip
    finally:
        other.close()
        network.near.file("resolv.conf", "")
    assert (result.status, confirmed(result)) == (0, addresses), result.stderr
    assert len(server.asked(PTR)) == 50
    assert (len(other.asked(PTR)) > 0) == (first != "is nowhere")
