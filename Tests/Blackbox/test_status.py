"""`sonde status`: why Sonde thinks what it thinks, layer by layer."""

import re
import signal
import subprocess

import pytest
from namespaces import PORT, NameServer, Network, skip_unless_allowed
from watching import ENDPOINT, Receiver

LAYERS = "interfaces link address route endpoint verdict".split()


def test_loopback_is_online_without_any_network(sonde, simulator):
    result = sonde("status", env=simulator.env)
    assert (result.status, result.stderr) == (0, "")
    # The databases of `local` come last, where there are any.
    assert [line.split()[0] for line in result.lines if not line.startswith("database ")] == LAYERS
    assert result.lines[5].split()[1:] == ["online"]
    assert f"127.0.0.1:{simulator.port} answers" in result.lines[4]


def test_json_is_one_object(sonde):
    result = sonde("status", "--format", "json", "--endpoint", "127.0.0.1:9")
    (status,) = result.records
    assert list(status) == "state interface endpoint layers interfaces databases".split()
    assert (status["state"], status["interface"], status["endpoint"]) == ("online", "lo", "127.0.0.1:9")
    assert [layer["name"] for layer in status["layers"]] == LAYERS
    assert {layer["state"] for layer in status["layers"]} == {"ok"}
    assert all(layer["message"] for layer in status["layers"])
    loopback = next(each for each in status["interfaces"] if each["name"] == "lo")
    expected = {"up": True, "running": True, "link": "not_applicable", "wireless": False}
    assert {name: loopback[name] for name in expected} == expected
    assert "127.0.0.1/8" in loopback["addresses"] and loopback["counts"] is False


def test_what_machines_share_counts_where_it_is_named(sonde, simulator, redis):
    def status(**env):
        result = sonde("status", "--format", "json", "--shared", redis.url, env={**simulator.env, **env})
        [found] = result.records
        assert [layer["state"] for layer in found["layers"][:5]] == ["ok"] * 5
        return result.status, found["state"], found.get("cause"), found["layers"][5]["message"]

    assert status() == (0, "online", None, "online")
    redis.ask("REPLICAOF", "127.0.0.1", "9")
    assert status()[:3] == (3, "offline", "shared_unreachable") and "Redis says: READONLY" in status()[3]
    redis.ask("REPLICAOF", "NO", "ONE")
    # What is refused for good is no state of the network.
    wrong = {**simulator.env, "SONDE_SHARED_PASSWORD": "wrong-secret"}
    refused = sonde("status", "--shared", redis.url, env=wrong)
    assert refused.status == 5 and refused.stdout == b"" and f"{redis.url}: Redis says: ERR AUTH" in refused.stderr
    assert "wrong-secret" not in refused.stderr
    redis.signal(signal.SIGSTOP)
    assert status() == (
        3, "offline", "shared_unreachable", f"offline: {redis.url}: Redis did not answer within 1000 ms"
    )
    redis.kill()
    assert status()[3] == f"offline: {redis.url}: Connection refused"
    assert simulator.counts()["total"] == 0


def test_the_endpoint_is_the_first_remote_provider_or_the_proxy_before_it(sonde):
    def endpoint(*options, env=None):
        result = sonde("status", "--format", "json", *options, env=env)
        assert result.status in (0, 3), result.stderr
        return result.records[0]["endpoint"]

    urls = {"SONDE_IP_API_URL": "http://127.0.0.1:9/x", "SONDE_IPINFO_URL": "http://[::1]:10"}
    assert endpoint(env=urls) == "127.0.0.1:9"
    assert endpoint("--provider", "local,ipinfo", env=urls) == "[::1]:10"
    far = {"SONDE_IP_API_URL": "http://example.invalid", "http_proxy": "http://127.0.0.1:11"}
    assert endpoint(env=far) == "127.0.0.1:11"
    assert endpoint("--endpoint", "127.0.0.1", env=far) == "127.0.0.1:443"


def test_what_cannot_be_watched_is_wrong_usage(sonde):
    for arguments in (
        ["--provider", "local"],
        ["--endpoint", "a b"],
        ["--endpoint", "127.0.0.1:0"],
        ["--format", "csv"],
        ["--portal-url", "ftp://x"],
        ["extra"],
    ):
        result = sonde("status", *arguments)
        assert (result.status, result.stdout) == (2, b""), arguments


def test_a_format_set_for_records_does_not_disturb(sonde):
    sonde.config_file.write_text("format = csv\n")
    assert sonde("status", "--endpoint", "127.0.0.1:9").status == 0
    assert sonde("status", "--endpoint", "127.0.0.1:9", env={"SONDE_FORMAT": "json"}).records
    wrong = sonde("status", "--endpoint", "127.0.0.1:9", env={"SONDE_FORMAT": "xml"})
    assert wrong.status == 2 and "text or json" in wrong.stderr


@pytest.fixture(scope="module")
def network():
    """One network for the tests that leave it as they found it."""
    network = Network()
    yield network
    network.close()


def layers(sonde, namespace, *options, endpoint=ENDPOINT):
    """State, cause and the layers by name, of the text and of the JSON, which must agree."""
    arguments = ("status", "--endpoint", endpoint, *options)
    shown = sonde(*arguments, prefix=namespace.prefix)
    result = sonde(*arguments, "--format", "json", prefix=namespace.prefix)
    (status,) = result.records
    assert shown.status == result.status == (0 if status["state"] == "online" else 3)
    words = {line.split()[0]: line for line in shown.lines}
    assert all(layer["message"] in words[layer["name"]] for layer in status["layers"])
    return status["state"], status.get("cause"), {layer["name"]: layer for layer in status["layers"]}


CAUSES = {
    "carrier lost": ("far", ["link set far0 down"], ["link set far0 up"], "link_down", "link", "no carrier"),
    "interface down": (
        "near",
        ["link set near0 down"],
        ["link set near0 up", "route add default via 10.9.0.2"],
        "link_down",
        "link",
        "set down",
    ),
    "address removed": (
        "near",
        ["addr del 10.9.0.1/24 dev near0"],
        ["addr add 10.9.0.1/24 dev near0", "route add default via 10.9.0.2"],
        "no_address",
        "address",
        "family|link-local",
    ),
    "route removed": (
        "near",
        ["route del default"],
        ["route add default via 10.9.0.2"],
        "no_route",
        "route",
        "no route",
    ),
}


@skip_unless_allowed()
@pytest.mark.parametrize("name", CAUSES)
def test_the_broken_layer_is_named(sonde, network, name):
    side, breaks, repairs, cause, layer, words = CAUSES[name]
    side = getattr(network, side)
    assert layers(sonde, network.near)[:2] == ("online", None)
    side.ip(*breaks)
    try:
        state, told, by_name = layers(sonde, network.near)
    finally:
        side.ip(*repairs)
    assert (state, told) == ("offline", cause)
    assert by_name[layer]["state"] == "broken" and re.search(words, by_name[layer]["message"])
    below = LAYERS[: LAYERS.index(layer)]
    assert {by_name[name]["state"] for name in below} == {"ok"}
    assert by_name["verdict"]["state"] == "broken" and "near0" in by_name["verdict"]["message"]


@skip_unless_allowed()
def test_no_interface_but_loopback(sonde, network):
    empty = network._keep(type(network.near)("empty"))
    state, cause, by_name = layers(sonde, empty)
    assert (state, cause) == ("offline", "no_interface")
    assert by_name["interfaces"]["state"] == "broken"


@skip_unless_allowed()
def test_a_silent_endpoint_is_unreachable(sonde, network):
    network.far.drop()
    try:
        state, cause, by_name = layers(sonde, network.near)
    finally:
        network.far.pass_all()
    assert (state, cause) == ("offline", "unreachable")
    assert by_name["endpoint"]["state"] == "broken" and "does not answer" in by_name["endpoint"]["message"]
    assert by_name["route"]["state"] == "ok" and "near0 by the router 10.9.0.2" in by_name["route"]["message"]


@skip_unless_allowed()
def test_a_name_that_does_not_resolve_is_unreachable(sonde, network):
    network.near.file("resolv.conf", "nameserver 10.9.0.2\noptions timeout:1 attempts:1\n")
    endpoint = f"provider.test:{PORT}"
    state, cause, by_name = layers(sonde, network.near, endpoint=endpoint)
    assert (state, cause) == ("offline", "unreachable")
    assert "does not resolve" in by_name["endpoint"]["message"]
    server = NameServer(network.far)
    assert layers(sonde, network.near, endpoint=endpoint)[:2] == ("online", None)
    server.close()


@skip_unless_allowed()
def test_a_login_page_is_told_with_the_portal_page(sonde, network):
    page = Receiver(network.far, port=9091, page=b"<html>Welcome, pay here</html>", kind="text/html")
    options = ("--portal-url", page.url)
    state, cause, by_name = layers(sonde, network.near, *options)
    assert (state, cause) == ("offline", "captive_portal")
    assert "login page" in by_name["endpoint"]["message"]
    for statuses in ([302, 302], [511, 511]):
        page.statuses = statuses
        assert layers(sonde, network.near, *options)[:2] == ("offline", "captive_portal")
    page.statuses = [204, 204]
    assert layers(sonde, network.near, *options)[:2] == ("online", None)
    page.kind, page.page = "text/plain", b"success\n"
    assert layers(sonde, network.near, *options)[:2] == ("online", None)
    page.statuses = [500, 500]
    assert layers(sonde, network.near, *options)[:2] == ("online", None)
    page.close()
    assert layers(sonde, network.near, *options)[:2] == ("online", None)


@skip_unless_allowed()
def test_it_needs_no_privileges(sonde, network, tmp_path):
    nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs".split()
    tmp_path.chmod(0o755)
    done = subprocess.run(
        [*network.near.prefix, *nobody, *sonde.command(["status", "--endpoint", ENDPOINT])],
        capture_output=True,
        env={"PATH": "/usr/bin:/bin"},
        cwd="/",
    )
    if done.returncode in (126, 127):
        pytest.skip("the command cannot be run by another user from where it lies")
    assert done.returncode == 0, done
    assert b"online" in done.stdout and b"note" not in done.stdout
