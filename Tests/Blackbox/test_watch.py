"""`sonde watch`: every loss with its cause, at once; no false alarm; the state at the start."""

import fcntl
import json
import os
import random
import re
import signal
import statistics
import struct
import subprocess
import sys
import time

import pytest
from command import full_pipe
from namespaces import LOSSES, PORT, PROVIDER, PROVIDER_V6, Namespace, NameServer, Network, seconds, skip_unless_allowed
from watching import ENDPOINT, Receiver, Watch

pytestmark = pytest.mark.slow

in_namespaces = skip_unless_allowed()
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


@pytest.fixture(scope="module")
def network():
    """One network for the tests that leave it as they found it."""
    network = Network()
    yield network
    network.close()


@pytest.fixture
def own_network():
    """A network for one test alone."""
    network = Network()
    yield network
    network.close()


@in_namespaces
@pytest.mark.parametrize("length", [2.5, 2.8, 3.0])
def test_a_link_that_comes_back_while_the_kernel_looks_for_neighbours_is_one_loss(sonde, network, length):
    watch = Watch(sonde, network.near)
    lost = time.monotonic()
    network.lose()
    watch.change("offline", "link_down")
    time.sleep(max(0, lost + length - time.monotonic()))
    network.restore()
    watch.change("online")
    time.sleep(2)
    states = [each["state"] for each in watch.finish().records if each["event"] == "network"]
    assert states == ["online", "offline", "online"]


# The state at the start, and the form of what is said.


def test_once_tells_the_state_at_the_start(sonde):
    result = sonde("watch", "--once", "--endpoint", "127.0.0.1:9")
    (event,) = result.records
    assert (result.status, result.stderr) == (0, "")
    assert re.fullmatch(TIME, event.pop("at"))
    expected = {"event": "network", "state": "online", "interface": "lo", "endpoint": "127.0.0.1:9"}
    expected["message"] = "the path to 127.0.0.1:9 is open"
    assert event == expected


def test_text_is_for_a_terminal(sonde):
    screen = sonde.pty("watch", "--once", "--endpoint", "127.0.0.1:9")
    assert screen.status == 0
    assert re.fullmatch(rf"{TIME}  online     lo        the path to 127.0.0.1:9 is open", screen.lines[0])
    assert "\x1b[32m" in screen.raw
    plain = sonde("watch", "--once", "--endpoint", "127.0.0.1:9", "--format", "text")
    assert plain.lines[0][24:] == screen.lines[0][24:] and b"\x1b" not in plain.stdout


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_words_are_whole_on_a_terminal_of_any_width(sonde, width):
    options = ("watch", "--once", "--endpoint", "a-host-of-a-long-name.invalid:9", "--color", "never")
    whole = sonde(*options, "--format", "text").stdout.decode()
    screen = sonde.pty(*options, width=width)
    shown = [line.rstrip() for line in screen.raw.replace("\r\n", "\n").splitlines()]
    assert max(map(len, shown)) <= width
    # The moment differs, and is the first word.
    assert " ".join(shown).split()[1:] == whole.split()[1:]
    assert len(whole.splitlines()) == 1
    if width >= 80:
        margin = shown[0].index(whole[47:].split()[0])
        assert all(len(line) - len(line.lstrip()) == margin for line in shown[1:])


def test_what_cannot_be_watched_is_wrong_usage(sonde):
    for arguments in (
        ["--provider", "local"],
        ["--interval", "0"],
        ["--settle", "-1"],
        ["--format", "json"],
        ["--webhook", "file:///x"],
        ["--metrics", "127.0.0.1"],
        ["--log"],
    ):
        result = sonde("watch", "--once", *arguments)
        assert (result.status, result.stdout) == (2, b""), arguments


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_with_0(sonde, number):
    running = sonde.start("watch", "--endpoint", "127.0.0.1:9")
    running.line()
    running.signal(number)
    result = running.finish(5)
    assert (result.status, result.stderr, len(result.records)) == (0, "", 1)


def test_a_signal_ends_it_though_nobody_reads(sonde):
    read, write = full_pipe()
    command = sonde.command(["watch", "--endpoint", "127.0.0.1:9"])
    process = subprocess.Popen(command, stdout=write, env=sonde.environment(), cwd=sonde.work)
    os.close(write)
    time.sleep(1)
    process.terminate()
    assert process.wait(10) == 0
    os.close(read)


def test_a_closed_stdout_ends_it_silently(sonde):
    command = sonde.command(["watch", "--endpoint", "127.0.0.1:9"])
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=sonde.environment(), cwd=sonde.work
    )
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(5) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


# Every cause.


@in_namespaces
@pytest.mark.parametrize("name", LOSSES)
def test_each_loss_is_told_with_its_cause(sonde, network, name):
    side, breaks, repairs, cause = LOSSES[name]
    side = getattr(network, side)
    watch = Watch(sonde, network.near)
    assert "previous" not in watch.first and watch.first["interface"] == "near0"
    side.ip(*breaks)
    lost = watch.change("offline", cause)
    assert (lost["previous"], lost["interface"], lost["endpoint"]) == ("online", "near0", ENDPOINT)
    time.sleep(0.3)
    side.ip(*repairs)
    back, _ = watch.back()
    assert back["previous"] == "offline" and "cause" not in back
    assert back["down_ms"] == pytest.approx((seconds(back["at"]) - seconds(lost["at"])) * 1000, abs=2)
    assert back["down_ms"] >= 300
    assert watch.all_changes(0.5) == []
    watch.finish()


@in_namespaces
@pytest.mark.parametrize("name", LOSSES)
def test_once_at_a_loss_ends_with_3(sonde, network, name):
    side, breaks, repairs, cause = LOSSES[name]
    side = getattr(network, side)
    side.ip(*breaks)
    try:
        result = sonde("watch", "--once", "--endpoint", ENDPOINT, prefix=network.near.prefix)
    finally:
        side.ip(*repairs)
    (event,) = result.records
    assert (result.status, event["state"], event["cause"]) == (3, "offline", cause)


@in_namespaces
def test_interfaces_are_told(sonde, network):
    watch = Watch(sonde, network.near)
    network.far.ip("link set far0 down")
    watch.change("offline", "link_down")
    network.far.ip("link set far0 up")
    watch.change("online")
    watch.finish()
    told = [event for event in watch.events if event["event"] == "interface"]
    assert all(
        list(event) == "event at name up running link wireless addresses".split() for event in told
    )
    lost = next(event for event in told if event["link"] == "disconnected")
    assert (lost["name"], lost["up"], lost["wireless"]) == ("near0", True, False)
    assert "10.9.0.1/24" in lost["addresses"]
    assert any(event["link"] == "connected" for event in told)


@in_namespaces
def test_text_says_what_where_and_how_long(sonde, network):
    options = ("watch", "--format", "text", "--endpoint", ENDPOINT)
    running = sonde.start(*options, prefix=network.near.prefix)
    running.line()
    network.far.ip("link set far0 down")
    time.sleep(0.3)
    network.far.ip("link set far0 up")
    lines = []
    while not lines or "back" not in lines[-1]:
        lines.append(running.line().decode())
    running.signal(15)
    running.finish()
    lost = [line for line in lines if "offline" in line]
    assert len(lost) == 1
    assert re.fullmatch(TIME + r"  offline    near0     the link is down \(link_down\)\n", lost[0])
    assert re.fullmatch(TIME + r"  online     near0     back after \d+\.\d{3} s\n", lines[-1])
    assert any(re.fullmatch(TIME + r"  interface  near0     up, no carrier, .*10\.9\.0\.1/24.*\n", x) for x in lines)


@in_namespaces
def test_a_silent_host_is_found_by_the_probe(sonde, network):
    watch = Watch(sonde, network.near, "--probe", "1s")
    network.far.drop()
    lost = watch.change("offline", "unreachable")
    assert (lost["interface"], lost["message"]) == ("near0", f"{ENDPOINT} does not answer (unreachable)")
    network.far.pass_all()
    watch.change("online")
    watch.finish()


@in_namespaces
def test_without_probes_a_silent_host_goes_unnoticed(sonde, network):
    network.far.drop()
    watch = Watch(sonde, network.near, "--probe", "0")
    assert watch.all_changes(2) == []
    network.far.pass_all()
    watch.finish()


@in_namespaces
def test_names_that_cease_to_resolve_are_found(sonde, network):
    network.near.file("resolv.conf", "nameserver 10.9.0.2\noptions timeout:1 attempts:1\n")
    server = NameServer(network.far)
    watch = Watch(sonde, network.near, "--probe", "1s", endpoint=f"provider.test:{PORT}")
    network.far.drop("udp dport 53")
    lost = watch.change("offline", "unreachable")
    assert lost["message"] == f"the name of provider.test:{PORT} does not resolve (unreachable)"
    network.far.pass_all()
    back = watch.change("online")
    assert back["message"] == f"back after {back['down_ms'] // 1000}.{back['down_ms'] % 1000:03} s"
    watch.finish()
    server.close()


@in_namespaces
def test_a_login_page_comes_and_goes(sonde, network):
    page = Receiver(network.far, port=9091, page=b"ok")
    watch = Watch(sonde, network.near, "--probe", "500ms", "--portal-url", page.url)
    page.page, page.kind = b"<html>Log in</html>", "text/html"
    watch.change("offline", "captive_portal")
    page.page, page.kind = b"ok", "text/plain"
    watch.change("online")
    page.close()
    assert watch.all_changes(2) == []
    watch.finish()


# No false alarm, and none missing.


def open_tunnel(namespace, name):
    """A tun device that somebody reads, as an idle VPN's; it goes when the file is closed."""

    def make():
        device = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(device, 0x400454CA, struct.pack("16sH22x", name.encode(), 0x1001))  # TUNSETIFF
        return device

    device = namespace.inside(make)
    namespace.ip(f"addr add 10.8.0.1/24 dev {name}", f"link set {name} up")
    return device


def add_bridge(network):
    """A bridge with a container on it, as Docker makes."""
    container = network._keep(Namespace("container"))
    network.near.ip(
        "link add docker0 type bridge",
        "addr add 172.17.0.1/16 dev docker0",
        f"link add veth0 type veth peer name eth0 netns {container.name}",
        "link set veth0 master docker0",
        *("link set docker0 up", "link set veth0 up"),
    )
    container.ip("addr add 172.17.0.2/16 dev eth0", "link set eth0 up")


@in_namespaces
def test_a_bridge_and_a_tunnel_that_are_up_hide_no_loss(sonde, own_network):
    near, far = own_network.near, own_network.far
    add_bridge(own_network)
    tunnel = open_tunnel(near, "tun0")
    watch = Watch(sonde, near)
    assert watch.first["interface"] == "near0"
    far.ip("link set far0 down")
    assert watch.change("offline", "link_down")["interface"] == "near0"
    far.ip("link set far0 up")
    watch.change("online")
    near.ip("link set near0 down")
    assert watch.change("offline", "link_down")["interface"] == "near0"
    watch.finish()
    at_start = sonde("watch", "--once", "--endpoint", ENDPOINT, prefix=near.prefix)
    assert (at_start.status, at_start.records[0]["cause"]) == (3, "link_down")
    os.close(tunnel)


@in_namespaces
def test_a_bridge_that_is_down_raises_no_alarm(sonde, own_network):
    near = own_network.near
    add_bridge(own_network)
    near.ip("link set docker0 down")
    watch = Watch(sonde, near)
    near.ip("link set docker0 up", "link set veth0 down", "link set docker0 down", "link del docker0")
    assert watch.all_changes(1) == []
    watch.finish()


@in_namespaces
def test_one_protocol_is_enough(sonde, own_network):
    near = own_network.near
    near.file("hosts", f"{PROVIDER} twin\n{PROVIDER_V6} twin\n")
    watch = Watch(sonde, near, endpoint=f"twin:{PORT}")
    near.ip("addr del 2001:db8::1/64 dev near0")
    assert watch.all_changes(1) == []
    near.ip("addr add 2001:db8::1/64 dev near0 nodad", "-6 route replace default via 2001:db8::2")
    time.sleep(0.5)
    near.ip("addr del 10.9.0.1/24 dev near0")
    assert watch.all_changes(1) == []
    near.ip("addr del 2001:db8::1/64 dev near0")
    watch.change("offline", "no_address")
    watch.finish()


@pytest.mark.measures_time
@in_namespaces
def test_flapping_is_told_in_full(sonde, network):
    watch = Watch(sonde, network.near)
    flap(network.far)
    changes = watch.all_changes(2)
    losses = changes.count(("offline", "link_down"))
    assert changes == [("offline", "link_down"), ("online", None)] * losses
    assert losses == 25
    watch.finish()


@in_namespaces
def test_flapping_that_settles_raises_no_storm(sonde, network):
    watch = Watch(sonde, network.near, "--settle", "2s")
    flap(network.far)
    assert watch.all_changes(3) == []
    network.far.ip("link set far0 down")
    at = time.time()
    lost = watch.change("offline", "link_down")
    # Told after it has settled, with the time when it began.
    assert time.time() - at > 1.9 and abs(seconds(lost["at"]) - at) < 1.5
    network.far.ip("link set far0 up")
    assert watch.change("online")["down_ms"] >= 1500
    watch.finish()


def flap(far):
    """A link that goes and comes every 100 ms for five seconds, and is there in the end."""
    for _ in range(25):
        for state in ("down", "up"):
            start = time.monotonic()
            far.ip(f"link set far0 {state}")
            time.sleep(max(0, start + 0.1 - time.monotonic()))


@in_namespaces
def test_a_link_set_down_is_never_told_as_a_missing_route(sonde, network):
    # Other programs keep the processors busy, and the link goes at any moment of a look.
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
    try:
        watch = Watch(sonde, network.near)
        for _ in range(25):
            time.sleep(random.random() * 0.02)
            network.near.ip("link set near0 down")
            watch.change("offline", "link_down")
            network.near.ip("link set near0 up", "route add default via 10.9.0.2")
            watch.back()
        watch.finish()
    finally:
        for process in busy:
            process.kill()
            process.wait()


# How fast.


def delays(watch, namespace, trials):
    """Milliseconds from giving the command to the event's arrival, the command's own run included."""
    taken = []
    for _ in range(trials):
        start = time.monotonic()
        namespace.ip("link set near0 down")
        while (told := watch.event())[0]["event"] != "network":
            pass
        assert told[0]["cause"] == "link_down"
        taken.append((told[1] - start) * 1000)
        namespace.ip("link set near0 up", "route add default via 10.9.0.2")
        watch.back()
    return sorted(taken)


@pytest.mark.measures_time
@in_namespaces
@pytest.mark.parametrize("options", [(), ("--exec", ":")], ids=["alone", "with --exec"])
def test_a_loss_is_told_at_once(sonde, network, options):
    watch = Watch(sonde, network.near, *options)
    taken = delays(watch, network.near, 20)
    watch.finish()
    print(f"median {statistics.median(taken):.1f} ms, worst {taken[-1]:.1f} ms of {len(taken)}")
    # Generous, for the machine may be busy: idle it takes a tenth of this.
    assert statistics.median(taken) < 100 and taken[-1] < 500


@in_namespaces
def test_it_needs_no_privileges(sonde, network):
    nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs".split()
    done = subprocess.run(
        [*network.near.prefix, *nobody, *sonde.command(["watch", "--once", "--endpoint", ENDPOINT])],
        capture_output=True,
        env={"PATH": "/usr/bin:/bin"},
        cwd="/",
    )
    if done.returncode in (126, 127):
        pytest.skip("the command cannot be run by another user from where it lies")
    assert (done.returncode, json.loads(done.stdout)["state"], done.stderr) == (0, "online", b"")
