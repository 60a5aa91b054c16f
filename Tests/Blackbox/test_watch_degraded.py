"""`sonde watch --degraded`: a path that is open, but lossy or slow; an outage after ten failures in a row."""

import os
import re
import signal
import socket
import time
from pathlib import Path

import pytest
from namespaces import PORT, PROVIDER, Network, seconds, skip_unless_allowed
from watching import ENDPOINT, DelayLine, Receiver, Watch

pytestmark = [pytest.mark.slow, skip_unless_allowed()]
# A fifth of a second is the shortest time between two probes: twenty take four.
FAST = ("--probe", "200ms")


@pytest.fixture
def network():
    """A network of its own."""
    network = Network()
    yield network
    network.close()


def test_a_path_that_loses_packets_is_degraded_and_comes_back(sonde, network):
    command = 'echo "$SONDE_STATE $SONDE_CAUSE $SONDE_DOWN_MS" >> alerts'
    options = ("--degraded", "loss=20%,connect=2s", "--exec", command, "--metrics", "127.0.0.1:9798")
    watch = Watch(sonde, network.near, *FAST, *options)
    network.far.drop("numgen random mod 100 < 40")
    lossy = watch.change("degraded", "lossy")
    assert (lossy["previous"], lossy["endpoint"], lossy["interface"]) == ("online", ENDPOINT, "near0")
    assert 0.2 <= lossy["loss"] <= 1 and lossy["connect_ms"] >= 0 and "down_ms" not in lossy
    assert lossy["message"] == f"lossy: {round(lossy['loss'] * 100)} % lost"
    page = network.near.inside(lambda: fetch("127.0.0.1", 9798))
    assert f'sonde_network_degraded{{endpoint="{ENDPOINT}"}} 1' in page
    assert f'sonde_network_online{{endpoint="{ENDPOINT}"}} 1' in page
    network.far.pass_all()
    back = watch.change("online")
    assert back["previous"] == "degraded" and back["loss"] < 0.2 * 2 / 3
    assert back["degraded_ms"] == pytest.approx((seconds(back["at"]) - seconds(lossy["at"])) * 1000, abs=2)
    assert "down_ms" not in back and back["message"].startswith("good again after ")
    path = sonde.work / "alerts"
    wait_for(lambda: path.exists() and len(path.read_text().splitlines()) >= 2)
    watch.finish()
    assert path.read_text().splitlines() == ["degraded lossy ", "online  "]


def fetch(host, port):
    """The page of metrics."""
    import urllib.request

    return urllib.request.urlopen(f"http://{host}:{port}/metrics", timeout=5).read().decode()


def test_a_path_that_is_slow_is_degraded_and_comes_back(sonde, network):
    line = DelayLine(network.near, network.far)
    watch = Watch(sonde, network.near, *FAST, "--degraded", "connect=100ms", endpoint=f"{line.far}:9")
    assert watch.first["interface"] == "slow0"
    line.delay = 0.1
    slow = watch.change("degraded", "slow")
    assert 100 < slow["connect_ms"] < 1000 and slow["loss"] == 0
    assert slow["message"] == f"slow: {slow['connect_ms']} ms"
    # Not yet under two thirds.
    line.delay = 0.04
    assert watch.all_changes(8) == []
    line.delay = 0
    back = watch.change("online")
    assert back["degraded_ms"] > 8000 and back["connect_ms"] < 67
    watch.finish()
    line.close()


def test_an_outage_is_told_after_ten_failures_in_a_row(sonde, network):
    watch = Watch(sonde, network.near, *FAST, "--degraded", "loss=100%")
    lost = time.monotonic()
    network.far.drop()
    told = watch.change("offline", "unreachable")
    # Ten probes begin within two seconds, and each waits for three.
    assert time.monotonic() - lost > 4.5 and told["previous"] == "online"
    network.far.pass_all()
    back = watch.change("online")
    assert (back["previous"], back["loss"]) == ("offline", 0)
    assert back["down_ms"] > 0 and "degraded_ms" not in back
    # What was lost before and during the outage does not count any more.
    assert watch.all_changes(5) == []
    watch.finish()


def test_a_link_that_is_lost_is_told_at_once(sonde, network):
    watch = Watch(sonde, network.near, "--degraded", "loss=20%")
    network.lose()
    assert watch.change("offline", "link_down")["interface"] == "near0"
    network.restore()
    watch.change("online")
    watch.finish()


def test_a_heartbeat_tells_the_state_and_stops_while_offline(sonde, network):
    receiver = Receiver(network.far, port=9090)
    url = receiver.url + "?s={{state}}"
    options = ("--heartbeat", url, "--heartbeat-every", "300ms", "--degraded", "connect=100ms")
    line = DelayLine(network.near, network.far)
    watch = Watch(sonde, network.near, *FAST, *options, endpoint=f"{line.far}:9")
    wait_for(lambda: len(receiver.lines) >= 3)
    assert set(receiver.lines) == {"GET /hook?s=online HTTP/1.1"}
    line.delay = 0.2
    watch.change("degraded", "slow")
    wait_for(lambda: receiver.lines[-1] == "GET /hook?s=degraded HTTP/1.1")
    network.near.ip("route del default", "link set slow0 down")
    watch.change("offline", "link_down")
    time.sleep(0.2)
    before = len(receiver.lines)
    time.sleep(1)
    assert len(receiver.lines) == before
    assert watch.finish().stderr == ""
    line.close()
    receiver.close()


def test_a_failing_heartbeat_is_told_once_and_once_that_it_is_over(sonde, network):
    receiver = Receiver(network.far, port=9090)
    receiver.statuses = [204, 500, 302, 404, 200]
    options = ("--heartbeat", f"http://user:secret@{PROVIDER}:9090/key", "--heartbeat-every", "200ms")
    watch = Watch(sonde, network.near, *options)
    wait_for(lambda: len(receiver.lines) >= 6)
    result = watch.finish()
    place = f"sonde: --heartbeat: http://{PROVIDER}:9090"
    assert result.stderr.splitlines() == [f"{place}: HTTP 500", f"{place}: taken again"]
    receiver.close()


def wait_for(condition, seconds=20):
    """Waits until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_text_shows_it(sonde, network):
    options = ("watch", "--format", "text", "--endpoint", ENDPOINT, *FAST, "--degraded", "loss=20%")
    running = sonde.start(*options, prefix=network.near.prefix)
    running.line()
    network.far.drop("numgen random mod 100 < 40")
    line = running.line(30).decode()
    assert re.fullmatch(r"\S+  degraded   near0     lossy: \d+ % lost\n", line)
    network.far.pass_all()
    line = running.line(30).decode()
    assert re.fullmatch(r"\S+  online     near0     good again after \d+\.\d{3} s\n", line)
    running.signal(15)
    running.finish()


def test_alerts_tell_both_ends_of_it(sonde, network):
    receiver = Receiver(network.far, port=9090)
    options = ("--degraded", "loss=20%", "--webhook", receiver.url, "--host-name", "gate.example")
    watch = Watch(sonde, network.near, *FAST, *options)
    network.far.drop(f"tcp dport {PORT} numgen random mod 100 < 40")
    watch.change("degraded", "lossy")
    _, _, alert = receiver.bodies.get(timeout=30)
    assert (alert["state"], alert["cause"], alert["previous"]) == ("degraded", "lossy", "online")
    since = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"
    title = "gate.example: network degraded"
    assert re.fullmatch(rf"{title} \(lossy: \d+ % lost\) since {since}", alert["summary"])
    network.far.pass_all()
    watch.change("online")
    _, _, alert = receiver.bodies.get(timeout=30)
    assert (alert["state"], alert["previous"]) == ("online", "degraded") and alert["degraded_ms"] > 0
    title = "gate.example: network good again"
    pattern = rf"{title} after [\d.]+ s \(lossy\), degraded since {since}"
    assert re.fullmatch(pattern, alert["summary"]), alert["summary"]
    watch.finish()
    receiver.close()


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_a_watch_that_starts_on_a_bad_line_goes_on_with_it(sonde, network, end):
    receiver = Receiver(network.far, port=9090)
    options = (*FAST, "--degraded", "loss=20%", "--webhook", receiver.url, "--host-name", "gate.example")
    watch = Watch(sonde, network.near, *options)
    network.far.drop(f"tcp dport {PORT} numgen random mod 100 < 60")
    begun = watch.change("degraded", "lossy")
    _, _, first = receiver.bodies.get(timeout=30)
    watch.running.signal(end)
    watch.running.finish(10)
    watch = Watch(sonde, network.near, *options, first="degraded", cause="lossy")
    assert "previous" not in watch.first and "loss" not in watch.first and watch.first["message"] == "lossy"
    _, _, again = receiver.bodies.get(timeout=30)
    # One that was in hand at the kill goes out a second time.
    if again["summary"] == first["summary"]:
        _, _, again = receiver.bodies.get(timeout=30)
    since = first["summary"].rpartition(" since ")[2]
    assert again["summary"] == f"gate.example: network degraded (lossy) since {since}"
    # Twenty probes are sent, and it is as bad as before.
    assert watch.all_changes(6) == []
    network.far.pass_all()
    back = watch.change("online")
    assert back["previous"] == "degraded" and back["loss"] < 0.2 * 2 / 3
    _, _, over = receiver.bodies.get(timeout=30)
    assert (over["state"], over["previous"]) == ("online", "degraded")
    assert over["degraded_ms"] > (seconds(watch.first["at"]) - seconds(begun["at"])) * 1000 - 11_000
    pattern = rf"gate.example: network good again after (at least )?[\d.]+ s \(lossy\), degraded since {since}"
    assert re.fullmatch(pattern, over["summary"]), over["summary"]
    watch.finish()
    receiver.close()


def test_a_watch_that_starts_on_a_line_that_is_good_again_says_so_once_it_knows(sonde, network):
    options = (*FAST, "--degraded", "loss=20%")
    watch = Watch(sonde, network.near, *options)
    network.far.drop(f"tcp dport {PORT} numgen random mod 100 < 60")
    watch.change("degraded", "lossy")
    watch.finish()
    network.far.pass_all()
    start = time.monotonic()
    watch = Watch(sonde, network.near, *options, first="degraded", cause="lossy")
    assert watch.change("online")["loss"] == 0 and time.monotonic() - start > 3
    watch.finish()
    # The next watch has nothing to go on with, nor has one that judges nothing.
    Watch(sonde, network.near, *options).finish()


def test_a_quiet_watch_takes_less_than_a_hundredth_of_a_core(sonde):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        endpoint = f"127.0.0.1:{listener.getsockname()[1]}"
        running = sonde.start("watch", "--endpoint", endpoint, "--degraded", "loss=20%,connect=300ms")
        probed(listener, 3)
        ticks, start = used(running), time.monotonic()
        probed(listener, 10)
        share = (used(running) - ticks) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - start)
        running.signal(signal.SIGTERM)
        assert running.finish().status == 0
    assert share < 0.01


def probed(listener, count):
    """Waits for so many probes."""
    for _ in range(count):
        connection, _ = listener.accept()
        connection.close()


def used(running):
    """The ticks of a processor that a command has used: `utime` and `stime` in proc_pid_stat(5)."""
    fields = Path(f"/proc/{running.process.pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
