"""`sonde watch` with several endpoints: each judged by itself, the network by their quorum."""

import re

import pytest
from namespaces import Network, skip_unless_allowed
from watching import ENDPOINT, Receiver, Watch

in_namespaces = skip_unless_allowed()
BESIDE = "10.9.1.2:8080"
LOSSES = {
    "link": (["link set near0 down"], "link_down"),
    "address": (["addr del 10.9.0.1/24 dev near0"], "no_address"),
    "route": (["route del default"], "no_route"),
}
REPAIRS = {
    "link": ["link set near0 up", "route add default via 10.9.0.2"],
    "address": ["addr add 10.9.0.1/24 dev near0", "route add default via 10.9.0.2"],
    "route": ["route add default via 10.9.0.2"],
}


@pytest.fixture(scope="module")
def network():
    """A near side with two ways out, each with a simulator at its end."""
    network = Network()
    network.second_way()
    yield network
    network.close()


def states(watch, count):
    """The last events of endpoints, by endpoint, once there are so many in all."""
    while len(found := [e for e in watch.events if e["event"] == "endpoint"]) < count:
        watch.event()
    return {each["endpoint"]: each for each in found}


@in_namespaces
@pytest.mark.parametrize("loss", LOSSES)
def test_one_of_two_is_enough_unless_both_must_be_there(sonde, network, loss):
    breaks, cause = LOSSES[loss]
    one = Watch(sonde, network.near, "--endpoint", BESIDE)
    both = Watch(sonde, network.near, "--endpoint", BESIDE, "--quorum", "2")
    name = f"{ENDPOINT} {BESIDE}"
    assert one.first["endpoint"] == name and one.first["message"] == "2 of 2 endpoints answer"
    first = states(one, 2)
    assert list(first[ENDPOINT]) == ["event", "at", "endpoint", "state", "interface", "connect_ms"]
    assert {each["state"] for each in first.values()} == {"online"}
    network.near.ip(*breaks)
    lost = both.change("offline", cause)
    assert (lost["endpoint"], lost["interface"], lost["previous"]) == (name, "near0", "online")
    told = states(one, 3)[ENDPOINT]
    assert (told["state"], told["previous"], told["cause"], told["interface"]) == (
        *("offline", "online"),
        *(cause, "near0"),
    )
    network.near.ip(*REPAIRS[loss])
    back, _ = both.back()
    assert back["down_ms"] >= 0 and back["message"].startswith("back after ")
    assert one.all_changes(1) == []
    assert states(one, 4)[BESIDE]["state"] == "online"
    one.finish()
    both.finish()


@in_namespaces
def test_what_is_not_local_is_unreachable(sonde, network):
    watch = Watch(sonde, network.near, "--endpoint", BESIDE, "--probe", "500ms")
    network.second.namespace.drop()
    assert states(watch, 3)[BESIDE]["cause"] == "unreachable"
    network.near.ip("link set near0 down")
    lost = watch.change("offline", "unreachable")
    assert lost["message"] == "none of 2 endpoints answers (unreachable)"
    network.near.ip(*REPAIRS["link"])
    watch.back()
    network.second.namespace.pass_all()
    watch.finish()


@in_namespaces
def test_a_login_page_holds_for_all(sonde, network):
    page = Receiver(network.far, port=9091, page=b"ok")
    options = ("--endpoint", BESIDE, "--probe", "500ms", "--portal-url", page.url)
    watch = Watch(sonde, network.near, *options)
    page.page, page.kind = b"<html>Log in</html>", "text/html"
    watch.change("offline", "captive_portal")
    page.page, page.kind = b"ok", "text/plain"
    watch.change("online")
    page.close()
    watch.finish()


@in_namespaces
def test_the_environment_names_several(sonde, network):
    running = sonde.start(
        *("watch", "--format", "text", "--metrics", "127.0.0.1:9797"),
        env={"SONDE_ENDPOINT": f"{ENDPOINT} {BESIDE}"},
        prefix=network.near.prefix,
    )
    lines = [running.line().decode() for _ in range(3)]
    assert re.fullmatch(r"\S+  online     near\d     2 of 2 endpoints answer\n", lines[0])
    for line, interface, endpoint in ((lines[1], "near0", ENDPOINT), (lines[2], "near1", BESIDE)):
        words = f"{endpoint} online: the path to {endpoint} is open\n"
        assert line.split(maxsplit=3)[1:] == ["endpoint", interface, words]
    page = network.near.inside(lambda: fetch("127.0.0.1", 9797))
    assert f'sonde_network_online{{endpoint="{ENDPOINT} {BESIDE}"}} 1' in page
    for endpoint in (ENDPOINT, BESIDE):
        assert f'sonde_endpoint_up{{endpoint="{endpoint}"}} 1' in page
        (took,) = re.findall(rf'^sonde_endpoint_connect_seconds{{endpoint="{endpoint}"}} (\S+)$', page, re.M)
        assert 0 < float(took) < 1
    running.signal(15)
    running.finish()


def fetch(host, port):
    """The page of metrics."""
    import urllib.request

    return urllib.request.urlopen(f"http://{host}:{port}/metrics", timeout=5).read().decode()


@in_namespaces
def test_once_tells_the_network_alone(sonde, network):
    options = ("watch", "--once", "--endpoint", ENDPOINT, "--endpoint", "10.9.7.7:9")
    result = sonde(*options, prefix=network.near.prefix)
    (event,) = result.records
    assert (result.status, event["event"], event["state"]) == (0, "network", "online")
    assert event["message"] == "1 of 2 endpoints answers"
    result = sonde(*options, "--quorum", "2", prefix=network.near.prefix)
    (event,) = result.records
    assert (result.status, event["cause"]) == (3, "unreachable")
    assert event["message"] == "1 of 2 endpoints answers, and 2 must (unreachable)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--endpoint", "a:1", "--endpoint", "a:1"], "a:1 stands there twice"),
        (["--endpoint", "a", "--endpoint", "a:443"], "a:443 stands there twice"),
        (["--endpoint", "a.example:1", "--endpoint", "A.Example:1"], "A.Example:1 stands there twice"),
        (["--endpoint", "[::1]:1", "--endpoint", "[0:0::1]:1"], "[0:0::1]:1 stands there twice"),
        (["--endpoint", "a:1", "--quorum", "2"], "only 1 endpoint is watched"),
        (["--endpoint", "a:1", "--endpoint", "b:1", "--quorum", "3"], "only 2 endpoints are watched"),
        (["--quorum", "0"], "whole number of 1 or more"),
        (["--degraded", "loss=20"], "loss=PERCENT%"),
        (["--degraded", ""], "loss=PERCENT%"),
        (["--degraded", "loss=0%"], "above 0 %"),
        (["--degraded", "loss=101%"], "at most 100 %"),
        (["--degraded", "loss=1%,loss=2%"], "'loss' stands there twice"),
        (["--degraded", "connect=0"], "above zero"),
        (["--degraded", "jitter=1s"], "loss=PERCENT%"),
        (["--degraded", "loss=1%", "--probe", "0"], "--probe 0"),
        (["--heartbeat", "file:///x"], "URL"),
        (["--heartbeat", "http://h/", "--heartbeat-every", "0"], "above zero"),
    ],
)
def test_what_makes_no_sense_is_wrong_usage(sonde, arguments, message):
    result = sonde("watch", *arguments)
    assert (result.status, result.stdout) == (2, b"") and message in result.stderr, result.stderr


def test_status_looks_at_one(sonde):
    result = sonde("status", "--endpoint", "127.0.0.1:9", "--endpoint", "127.0.0.2:9")
    assert result.status == 2 and "status looks at one endpoint, not at 2" in result.stderr
