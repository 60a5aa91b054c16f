"""Alerts of `sonde watch`: commands, webhook, system log, metrics."""

import glob
import http.client
import os
import re
import signal
import socket
import subprocess
import time

import pytest
from namespaces import Network, seconds, skip_unless_allowed
from receivers import Queue
from watching import ENDPOINT, Receiver, Watch

pytestmark = [pytest.mark.slow, skip_unless_allowed()]


@pytest.fixture(scope="module")
def network():
    """One network for the tests that leave it as they found it."""
    network = Network()
    yield network
    network.close()


@pytest.fixture
def receiver(network):
    """A web server on the far side."""
    receiver = Receiver(network.far)
    yield receiver
    receiver.close()


def lose_and_return(watch, network, pause=0.1):
    """One loss and return; gives both events."""
    network.lose()
    lost = watch.change("offline", "link_down")
    time.sleep(pause)
    network.restore()
    return lost, watch.change("online")


def wait_until(condition, timeout=10, pause=0.02):
    """Waits until something is so, and gives what it is."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < deadline
        time.sleep(pause)
    return value


# Commands.


def lines_of(sonde, name, count):
    """The lines of a file, once there are so many."""
    path = sonde.work / name
    return wait_until(lambda: path.exists() and len(found := path.read_text().splitlines()) >= count and found)


VARIABLES = 'echo "$SONDE_STATE,$SONDE_CAUSE,$SONDE_INTERFACE,$SONDE_AT,$SONDE_DOWN_MS"'


def test_commands_run_one_at_a_time_in_order(sonde, network):
    command = f"({VARIABLES}; sleep 0.3; echo end) >> log"
    watch = Watch(sonde, network.near, "--exec", command)
    told = [event for _ in range(3) for event in lose_and_return(watch, network)]
    lines = lines_of(sonde, "log", 12)
    fields = "state cause interface at down_ms".split()
    expected = [",".join(str(event.get(name, "")) for name in fields) for event in told]
    assert lines == [line for each in expected for line in (each, "end")]
    # The last one has written its line, and is about to end.
    wait_until(lambda: children_of(watch.running.process.pid) == [], timeout=2)
    assert watch.finish().stderr == ""


def children_of(pid):
    """The children of a process, zombies among them."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append((path, fields[0]))
    return found


def test_only_a_state_offline_at_the_start_raises_an_alert(sonde, network):
    network.lose()
    watch = Watch(sonde, network.near, "--exec", "echo $SONDE_STATE >> log", first="offline", cause="link_down")
    assert lines_of(sonde, "log", 1) == ["offline"]
    network.restore()
    watch.change("online")
    assert lines_of(sonde, "log", 2) == ["offline", "online"]
    watch.finish()
    watch = Watch(sonde, network.near, "--exec", "echo $SONDE_STATE >> log")
    time.sleep(0.5)
    watch.finish()
    assert lines_of(sonde, "log", 2) == ["offline", "online"]


def test_once_waits_for_the_command(sonde, network):
    network.lose()
    options = ("--once", "--endpoint", ENDPOINT, "--exec", "sleep 0.5; echo $SONDE_CAUSE > log")
    result = sonde("watch", *options, prefix=network.near.prefix)
    network.restore()
    assert (result.status, sonde.read("log")) == (3, b"link_down\n")


def test_what_a_command_prints_is_kept_from_stdout(sonde, network):
    watch = Watch(sonde, network.near, "--exec", "cat; echo out; echo err >&2; ls /proc/self/fd; exit 7")
    network.lose()
    watch.change("offline", "link_down")
    wait_until(lambda: "status 7" in watch.running.stderr)
    network.restore()
    watch.change("online")
    wait_until(lambda: watch.running.stderr.count("status 7") == 2)
    result = watch.finish()
    assert {record["event"] for record in result.records} == {"network", "interface"}
    # Nothing is inherited but the three usual files; the fourth is the folder being listed.
    assert result.stderr.split("\n")[:6] == ["out", "err", "0", "1", "2", "3"]
    assert "sonde: --exec: the command ended with status 7" in result.stderr


def processes(word):
    """The processes whose command line holds a word."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                if word.encode() in file.read().split(b"\0"):
                    found.append(path)
        except OSError:
            continue
    return found


def test_signals_work_as_usual_in_commands(sonde, network):
    watch = Watch(sonde, network.near, "--exec", "kill -TERM $$; sleep 1; echo alive > log")
    network.lose()
    watch.change("offline", "link_down")
    wait_until(lambda: "signal 15 ended the command" in watch.running.stderr)
    network.restore()
    watch.change("online")
    watch.finish()
    assert not (sonde.work / "log").exists()


def test_a_command_under_way_does_not_hold_up_the_end(sonde, network):
    seconds = f"30{os.getpid()}"
    watch = Watch(sonde, network.near, "--exec", f"sleep {seconds} & sleep {seconds}")
    network.lose()
    watch.change("offline", "link_down")
    wait_until(lambda: len(processes(seconds)) == 2)
    network.restore()
    watch.change("online")
    start = time.monotonic()
    watch.finish()
    assert time.monotonic() - start < 3
    wait_until(lambda: processes(seconds) == [])


def test_no_command_outlives_the_watch_after_a_second_signal(sonde, network):
    seconds = f"31{os.getpid()}"
    command = f"sleep {seconds} & test $SONDE_STATE = online || sleep {seconds}"
    watch = Watch(sonde, network.near, "--exec", command)
    lose_and_return(watch, network)
    wait_until(lambda: len(processes(seconds)) == 2)
    watch.running.signal(signal.SIGTERM)
    time.sleep(0.1)
    watch.running.signal(signal.SIGTERM)
    watch.running.finish()
    wait_until(lambda: processes(seconds) == [])


def test_what_a_command_leaves_in_the_background_holds_up_no_other_and_goes_with_the_watch(sonde, network):
    seconds = f"32{os.getpid()}"
    watch = Watch(sonde, network.near, "--exec", f"sleep {seconds} & echo $SONDE_STATE >> log")
    lose_and_return(watch, network)
    assert lines_of(sonde, "log", 2) == ["offline", "online"]
    wait_until(lambda: len(processes(seconds)) == 2)
    assert watch.finish().stderr == "" and processes(seconds) == []


def test_a_failing_command_is_told_also_when_quiet(sonde, network):
    watch = Watch(sonde, network.near, "--quiet", "--exec", "exit 3")
    lose_and_return(watch, network)
    wait_until(lambda: watch.running.stderr.count("ended with status 3") == 2)
    watch.finish()


def test_alerts_that_were_not_begun_are_counted(sonde, network):
    watch = Watch(sonde, network.near, "--exec", "sleep 60")
    lose_and_return(watch, network)
    lose_and_return(watch, network)
    stderr = watch.finish().stderr
    assert "the command was stopped, for the program ends" in stderr
    assert "--exec: 3 alerts were not raised before the end" in stderr


def test_a_command_that_hangs_is_killed_with_its_group(sonde, network):
    seconds = f"40{os.getpid()}"
    command = f'echo $SONDE_STATE >> log; test $SONDE_STATE = online || {{ sleep {seconds} & sleep {seconds}; }}'
    watch = Watch(sonde, network.near, "--exec", command)
    start = time.monotonic()
    lose_and_return(watch, network)
    wait_until(lambda: len(processes(seconds)) == 2)
    wait_until(lambda: processes(seconds) == [], timeout=40, pause=0.25)
    assert 29 < time.monotonic() - start < 35
    assert lines_of(sonde, "log", 2) == ["offline", "online"]
    # The last one has written its line, and is about to end.
    wait_until(lambda: children_of(watch.running.process.pid) == [], timeout=2)
    assert "took too long and was killed" in watch.finish().stderr


# Webhook.


def test_what_killed_watches_left_is_delivered_in_order_by_the_next_one_of_any_kind(sonde, network, receiver):
    queue = Queue(sonde, receiver.url)
    watches = [Watch(sonde, network.near, "--webhook", receiver.url) for _ in range(2)]
    network.lose()
    told = [watch.change("offline", "link_down") for watch in watches]
    wait_until(lambda: len(queue.waiting) == 2)
    for watch in watches:
        watch.running.signal(signal.SIGKILL)
        watch.running.finish()
    network.restore()
    options = ("--once", "--endpoint", ENDPOINT, "--webhook", receiver.url)
    # Each makes one attempt, which a busy machine may not answer in time.
    wait_until(lambda: sonde("watch", *options, prefix=network.near.prefix).status == 0 and queue.waiting == [])
    delivered = [receiver.next(), receiver.next()]
    assert sorted(delivered, key=str) == sorted(told, key=str)
    assert queue.waiting == [] and receiver.requests == 2


def test_a_receiver_that_fails_is_tried_again(sonde, network, receiver):
    receiver.statuses = [503, 503, 302]
    watch = Watch(sonde, network.near, "--webhook", receiver.url)
    told = list(lose_and_return(watch, network))
    assert [receiver.next(), receiver.next()] == told
    assert receiver.requests == 5
    stderr = watch.finish().stderr
    assert "HTTP 503" in stderr and "delivered again" in stderr and "/hook" not in stderr


def test_what_is_not_delivered_is_mentioned_at_the_end(sonde, network, receiver):
    queue = Queue(sonde, receiver.url)
    watch = Watch(sonde, network.near, "--quiet", "--webhook", receiver.url)
    network.lose()
    watch.change("offline", "link_down")
    wait_until(lambda: queue.waiting)
    told = r"sonde: --webhook: http://\S+: 1 alert is not delivered; the next sonde .* sends what lies in (/.*)\n"
    found = re.fullmatch(told, watch.finish().stderr)
    assert found and found.group(1) == str(queue.folder)
    options = ("--once", "--endpoint", ENDPOINT, "--webhook", receiver.url)
    result = sonde("watch", *options, prefix=network.near.prefix)
    assert result.status == 3 and "2 alerts are not delivered" in result.stderr
    network.restore()
    # Of a state that is still offline there would be a third alert.
    wait_until(lambda: sonde("status", "--endpoint", ENDPOINT, prefix=network.near.prefix).status == 0)
    assert sonde("watch", *options, prefix=network.near.prefix).status == 0
    assert queue.waiting == [] and receiver.requests == 2


def test_a_state_folder_that_cannot_be_written_costs_no_alert(sonde, network, receiver):
    (sonde.home / "state").write_text("in the way")
    watch = Watch(sonde, network.near, "--webhook", receiver.url)
    told = list(lose_and_return(watch, network))
    assert [receiver.next(), receiver.next()] == told
    (said,) = [line for line in watch.finish().stderr.splitlines() if "the history" not in line]
    assert "Not a directory; alerts are kept in memory only" in said


# The system log.


def own_dev(path):
    """What runs a command with a /dev of its own, where /dev/log leads to a path."""
    script = f'mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && ln -s {path} /dev/log && exec "$@"'
    prefix = ["unshare", "-m", "sh", "-c", script, "sh"]
    if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
        pytest.skip("mount namespaces are not allowed here")
    return prefix


@pytest.mark.parametrize("kind", [socket.SOCK_DGRAM, socket.SOCK_STREAM])
def test_alerts_go_to_the_system_log(sonde, network, tmp_path, kind):
    path = tmp_path / "log"
    log = socket.socket(socket.AF_UNIX, kind)
    log.bind(str(path))
    log.settimeout(10)
    if kind == socket.SOCK_STREAM:
        log.listen()

    def message():
        if kind == socket.SOCK_DGRAM:
            return log.recv(4096).decode()
        while True:
            connection, _ = log.accept()
            with connection, connection.makefile("rb") as file:
                # The first connection only finds out whether there is a log.
                if text := file.read():
                    assert text.endswith(b"\0")
                    return text.decode()

    options = ("watch", "--endpoint", ENDPOINT, "--syslog")
    running = sonde.start(*options, prefix=[*network.near.prefix, *own_dev(path)])
    running.line()
    network.lose()
    lost = message()
    network.restore()
    back = message()
    running.signal(15)
    assert running.finish().stderr == ""
    log.close()
    daemon = 3 << 3
    head = r"<(\d+)>\w{3} [ \d]\d \d\d:\d\d:\d\d sonde\[\d+\]: "
    told = rf"network offline on near0: the link is down \(link_down\), endpoint {ENDPOINT}"
    assert re.fullmatch(head + told + "\0?", lost).group(1) == str(daemon | 4)
    told = rf"network online on near0: back after \d+\.\d{{3}} s, endpoint {ENDPOINT}"
    assert re.fullmatch(head + told + "\0?", back).group(1) == str(daemon | 5)


def test_a_missing_system_log_is_told_also_when_quiet(sonde, network, tmp_path):
    options = ("--quiet", "--syslog")
    prefix = [*network.near.prefix, *own_dev(tmp_path / "none")]
    running = sonde.start("watch", "--endpoint", ENDPOINT, *options, prefix=prefix)
    running.line()
    network.lose()
    wait_until(lambda: "link_down" in running.stderr)
    network.restore()
    wait_until(lambda: "back after" in running.stderr)
    running.signal(15)
    said = running.finish().stderr.splitlines()
    reason = "sonde: --syslog: /dev/log: No such file or directory; "
    assert len(said) == 3 and all(line.startswith(reason) for line in said)
    assert said[0].endswith("until it is there, alerts are lost")
    assert f"an alert is lost: network offline on near0: the link is down (link_down), endpoint {ENDPOINT}" in said[1]


def test_what_a_full_system_log_does_not_take_is_told_at_the_end(sonde, network, tmp_path):
    path = tmp_path / "log"
    log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    log.bind(str(path))
    filler = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    filler.setblocking(False)
    with pytest.raises(BlockingIOError):
        while filler.sendto(b"x", str(path)):
            pass
    prefix = [*network.near.prefix, *own_dev(path)]
    running = sonde.start("watch", "--endpoint", ENDPOINT, "--syslog", prefix=prefix)
    running.line()
    network.lose()
    wait_until(lambda: b"link_down" in b"".join(running.output))
    network.restore()
    wait_until(lambda: b"down_ms" in b"".join(running.output))
    running.signal(15)
    result = running.finish()
    assert result.status == 0
    assert result.stderr == "sonde: --syslog: 2 alerts were not raised before the end\n"
    log.close()
    filler.close()


# Metrics.


def ask(network, port, method="GET", path="/metrics"):
    """The status and the text of one answer."""

    def exchange():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    return network.near.inside(exchange)


def metrics(network, port):
    """The values by name and labels."""
    status, text = ask(network, port)
    assert status == 200
    samples = [line for line in text.splitlines() if not line.startswith("#")]
    named = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    assert named == {line.split("{")[0] for line in samples}
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in samples}


def test_metrics_tell_state_losses_time_and_links(sonde, network):
    watch = Watch(sonde, network.near, "--metrics", "127.0.0.1:0")
    address = re.search(r"http://127\.0\.0\.1:(\d+)/metrics", watch.running.stderr)
    port = int(address.group(1))
    label = f'{{endpoint="{ENDPOINT}"}}'
    cause = f'sonde_network_cause{{endpoint="{ENDPOINT}",cause="link_down"}}'
    link = 'sonde_interface_link{interface="near0",kind="ordinary"}'
    before = metrics(network, port)
    assert (before[f"sonde_network_online{label}"], before[cause], before[link]) == (1, 0, 1)
    assert before[f"sonde_network_losses_total{label}"] == 0
    network.lose()
    watch.change("offline", "link_down")
    time.sleep(0.5)
    during = metrics(network, port)
    assert (during[f"sonde_network_online{label}"], during[cause], during[link]) == (0, 1, 0)
    assert during[f"sonde_network_offline_seconds_total{label}"] >= 0.5
    network.restore()
    back = watch.change("online")
    after = metrics(network, port)
    assert (after[f"sonde_network_losses_total{label}"], after[link]) == (1, 1)
    offline = after[f"sonde_network_offline_seconds_total{label}"]
    assert offline == pytest.approx(back["down_ms"] / 1000, abs=0.002)
    assert ask(network, port, path="/")[0] == 404
    assert ask(network, port, method="POST")[0] == 405
    assert ask(network, port, method="HEAD") == (200, "")
    taken = sonde("watch", "--once", "--endpoint", ENDPOINT, "--metrics", f"127.0.0.1:{port}", prefix=network.near.prefix)
    assert (taken.status, taken.stdout) == (5, b"") and "in use" in taken.stderr
    watch.finish()


def test_strangers_do_not_keep_others_from_the_metrics(sonde, network):
    watch = Watch(sonde, network.near, "--quiet", "--metrics", "127.0.0.1:9477")

    def connect(said):
        connection = socket.create_connection(("127.0.0.1", 9477), timeout=10)
        connection.sendall(said)
        return connection

    silent = [network.near.inside(lambda: connect(b"GET")) for _ in range(6)]
    assert ask(network, 9477)[0] == 200
    # By whatever name the machine is known, and also from another site's page.
    for fields in (b"1.0\r\n", b"1.1\r\nHost: prometheus.example\r\nSec-Fetch-Site: cross-site\r\n"):
        named = network.near.inside(lambda: connect(b"GET /metrics HTTP/" + fields + b"\r\n"))
        answer = http.client.HTTPResponse(named)
        answer.begin()
        assert (answer.status, answer.headers["Connection"]) == (200, "close")
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert b"sonde_network_online" in answer.read()
        named.close()
    garbage = network.near.inside(lambda: connect(b"\xff\0 x\r\n\r\n"))
    assert b" 400 " in garbage.recv(100)
    endless = network.near.inside(lambda: connect(b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 20000))
    assert ask(network, 9477)[0] == 200
    for connection in [*silent, garbage, endless]:
        connection.close()
    assert watch.finish().stderr == ""


def test_idle_clients_delay_nobody(sonde, network):
    watch = Watch(sonde, network.near, "--quiet", "--metrics", "127.0.0.1:9478")
    idle = []
    for count in (25, 100):
        idle += [
            network.near.inside(lambda: socket.create_connection(("127.0.0.1", 9478), timeout=10))
            for _ in range(count)
        ]
        assert ask(network, 9478)[0] == 200
    # None is kept for longer than a few seconds.
    for connection in idle:
        assert connection.recv(1) == b""
        connection.close()
    assert watch.finish().stderr == ""


def test_the_times_delivered_are_those_of_the_events(sonde, network, receiver):
    watch = Watch(sonde, network.near, "--settle", "3s", "--webhook", receiver.url)
    at = network.lose()
    watch.change("offline", "link_down")
    network.restore()
    watch.change("online")
    lost, back = receiver.next(), receiver.next()
    assert abs(seconds(lost["at"]) - at) < 2
    assert back["down_ms"] == pytest.approx((seconds(back["at"]) - seconds(lost["at"])) * 1000, abs=2)
    watch.finish()
