"""Alerts while the network is lost, and on disks that take nothing."""

import json
import signal
import subprocess

import pytest
from namespaces import PROVIDER, Namespace, Network, skip_unless_allowed
from receivers import AnsweringReceiver, Queue, answer, wait_for
from watching import ENDPOINT, Receiver, Watch

pytestmark = [pytest.mark.slow, skip_unless_allowed()]


@pytest.fixture
def network():
    """A network to lose."""
    network = Network()
    yield network
    network.close()


@pytest.fixture
def far(network):
    """A web server on the far side."""
    receiver = Receiver(network.far)
    yield receiver
    receiver.close()


@pytest.fixture
def near(network):
    """A web server on the near side, which is reached while the network is lost."""
    receiver = network.near.inside(AnsweringReceiver)
    yield receiver
    receiver.close()


@pytest.fixture
def island():
    """A namespace without a network."""
    namespace = Namespace("island")
    yield namespace
    namespace.close()


def events(receiver):
    """The events of all requests, without what only alerts have."""
    bodies = [json.loads(request.body) for request in receiver.requests]
    return [{name: value for name, value in body.items() if name not in ("host", "summary")} for body in bodies]


def test_an_alert_is_tried_at_once_also_while_the_network_is_lost(sonde, network, near, far):
    watch = Watch(sonde, network.near, "--webhook", far.url, "--webhook", near.url)
    network.lose()
    lost = watch.change("offline", "link_down")
    near.wait(1)
    assert far.requests == 0
    (held,) = wait_for(lambda: Queue(sonde, far.url).waiting)
    modes = [path.stat().st_mode & 0o077 for path in (held, held.parent, held.parent.parent)]
    assert modes == [0, 0, 0]
    network.restore()
    back = watch.change("online")
    near.wait(2)
    assert [far.next(timeout=5), far.next(timeout=5)] == [lost, back] == events(near)
    wait_for(lambda: not Queue(sonde, far.url).waiting)
    assert watch.finish().stderr == "" and far.requests == 2


def test_three_losses_reach_everybody_in_order(sonde, network, near):
    def beyond(port, *answers):
        return network.far.inside(lambda: AnsweringReceiver(*answers, host=PROVIDER, port=port))

    slack, ntfy, gone = beyond(9091), beyond(9092), beyond(9093, answer(404, b"no_service"))
    urls = f"slack={slack.url} ntfy={ntfy.url} slack={gone.url} alertmanager={near.url}"
    watch = Watch(sonde, network.near, "--exec", 'echo "$SONDE_STATE" >> told', env={"SONDE_WEBHOOK": urls})
    for count in (2, 4, 6):
        network.lose()
        watch.change("offline", "link_down")
        near.wait(count - 1)
        assert len(slack.requests) == count - 2
        network.restore()
        watch.change("online")
        for receiver in (slack, ntfy, gone, near):
            receiver.wait(count, timeout=10)
    wait_for(lambda: (sonde.work / "told").read_text() == "offline\nonline\n" * 3)
    said = [line for line in watch.finish().stderr.splitlines() if "refused" in line]
    texts = [json.loads(request.body)["text"] for request in slack.requests]
    assert ["network lost (" in text for text in texts] == [True, False] * 3
    assert texts == [request.body.decode() for request in ntfy.requests]
    assert len(said) == 2, said
    first, last = said
    assert first.startswith(f"sonde: --webhook: {gone.shown}: an alert is refused") and first.endswith("404: no_service")
    assert last.startswith(f"sonde: --webhook: {gone.shown}: 6 alerts were refused")
    for receiver in (slack, ntfy, gone):
        receiver.close()


def outages(sonde):
    """What the history has."""
    return json.loads(sonde("outages", "--format", "json").stdout)["outages"]


def test_an_outage_goes_on_in_the_next_watch_with_the_same_key(sonde, network, near):
    url = near.url.replace("//", "//key@")
    hook = ("--webhook", f"pagerduty={url}", "--host-name", "gate.example")
    watch = Watch(sonde, network.near, *hook)
    network.lose()
    lost = watch.change("offline", "link_down")
    near.wait(1)
    wait_for(lambda: outages(sonde))
    watch.running.signal(signal.SIGKILL)
    watch.running.finish()
    (outage,) = outages(sonde)
    again = Watch(sonde, network.near, *hook, first="offline", cause="link_down")
    near.wait(2)
    network.restore()
    back = again.change("online")
    near.wait(3)
    again.finish()
    bodies = [json.loads(request.body) for request in near.requests]
    assert [body["event_action"] for body in bodies] == ["trigger", "trigger", "resolve"]
    assert {body["dedup_key"] for body in bodies} == {f"{lost['at']} {ENDPOINT} gate.example"}
    since = lost["at"][:19].replace("T", " ")
    texts = [body["payload"]["summary"] for body in bodies]
    assert texts[0] == texts[1] == f"gate.example: network lost (link_down on near0) since {since} UTC"
    seen = outage["duration_ms"] + back["down_ms"]
    # Below 10 s in tenths.
    words = f"{int(seen / 100 + 0.5) / 10:g} s" if seen < 10_000 else f"{seen // 1000} s"
    assert texts[2] == f"gate.example: network back after at least {words} (link_down on near0), lost since {since} UTC"


def test_a_wait_that_an_answer_set_stands_when_the_network_is_back(sonde, network, near):
    near.answers[:] = [answer(503, b"", "Retry-After: 3"), answer(200)]
    watch = Watch(sonde, network.near, "--webhook", near.url)
    network.lose()
    lost = watch.change("offline", "link_down")
    near.wait(1)
    network.restore()
    back = watch.change("online")
    near.wait(3)
    assert near.requests[1].at - near.requests[0].at > 2.9
    assert events(near) == [lost, lost, back]
    watch.finish()


def test_under_a_login_page_nothing_goes_over_plain_http_but_to_loopback(sonde, network, near, far):
    page = Receiver(network.far, port=9091)
    page.statuses = [302] * 1000
    options = ("--probe", "500ms", "--portal-url", page.url, "--webhook", far.url, "--webhook", near.url)
    watch = Watch(sonde, network.near, *options, first="offline", cause="captive_portal")
    near.wait(1)
    wait_for(lambda: page.requests > 3)
    assert far.requests == 0
    page.statuses = [204] * 1000
    back = watch.change("online")
    assert [far.next(), far.next()] == [watch.first, back]
    watch.finish()
    page.close()


def test_two_watches_on_one_queue_send_in_the_order_raised(sonde, network, near):
    near.answers[:] = [answer(503, b"", "Retry-After: 2"), answer(200)]
    watches = [Watch(sonde, network.near, "--webhook", near.url) for _ in range(2)]
    queue = Queue(sonde, near.url)

    def raised():
        return {request.key for request in near.requests} | {path.stem.partition("-")[2] for path in queue.waiting}

    for round in range(3):
        network.lose()
        for watch in watches:
            watch.change("offline", "link_down")
        wait_for(lambda: len(raised()) == 4 * round + 2)
        network.restore()
        for watch in watches:
            watch.change("online")
        wait_for(lambda: len(raised()) == 4 * round + 4)
    near.wait(13)
    wait_for(lambda: not queue.waiting)
    assert [event["state"] for event in events(near)[1:]] == ["offline", "offline", "online", "online"] * 3
    assert len({request.key for request in near.requests}) == 12
    for watch in watches:
        watch.finish()


def test_of_too_many_the_oldest_are_dropped(sonde, island):
    url = "http://127.0.0.1:9/key"
    queue = Queue(sonde, url)
    queue.add(*range(1, 10_003))
    result = sonde("watch", "--once", "--endpoint", ENDPOINT, "--webhook", url, prefix=island.prefix)
    assert result.status == 3
    assert result.stderr.splitlines() == [
        "sonde: --webhook: http://127.0.0.1:9: more than 10,000 alerts wait; the oldest are dropped",
        "sonde: --webhook: http://127.0.0.1:9: 10000 alerts are not delivered; the next sonde with this "
        f"URL sends what lies in {queue.folder}",
    ]
    assert queue.numbers(queue.waiting[:2]) == [4, 5] and len(queue.waiting) == 10_000


# Disks.


@pytest.fixture
def disk(sonde):
    """A small file system for the state."""
    state = sonde.home / "state"
    state.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", state]).returncode != 0:
        pytest.skip("file systems can not be mounted here")
    yield state
    subprocess.run(["umount", "-l", state], check=True)


def fill(disk):
    """Leaves no room."""
    with (disk / "filler").open("wb", buffering=0) as file, pytest.raises(OSError):
        while file.write(b"x" * 4096):
            pass


def make_read_only(disk):
    """Has it take nothing more."""
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)


@pytest.mark.parametrize("spoil", [fill, make_read_only])
@pytest.mark.parametrize("is_used", [True, False])
def test_a_disk_that_takes_nothing_is_told_once_and_costs_no_alert(sonde, network, near, disk, spoil, is_used):
    near.answers[:] = [answer(503), answer(200)]
    if is_used:
        Queue(sonde, near.url)
    spoil(disk)
    watch = Watch(sonde, network.near, "--webhook", near.url)
    told = []
    for _ in range(2):
        network.lose()
        told.append(watch.change("offline", "link_down"))
        network.restore()
        told.append(watch.change("online"))
    near.wait(5)
    assert events(near) == [told[0], *told]
    said = [line for line in watch.finish().stderr.splitlines() if "the history" not in line]
    assert len([line for line in said if "alerts are kept in memory only" in line]) == 1
    assert len(said) == 3 and "not delivered" not in "".join(said)


def test_what_lies_on_a_read_only_disk_is_sent_once(sonde, network, near, disk):
    queue = Queue(sonde, near.url)
    queue.add(1, 2)
    make_read_only(disk)
    watch = Watch(sonde, network.near, "--webhook", near.url)
    near.wait(2)
    network.lose()
    watch.change("offline", "link_down")
    near.wait(3)
    network.restore()
    watch.change("online")
    near.wait(4)
    assert [json.loads(request.body).get("n") for request in near.requests] == [1, 2, None, None]
    (said,) = [line for line in watch.finish().stderr.splitlines() if "the history" not in line]
    assert "Read-only file system" in said


def test_what_is_only_in_memory_at_the_end_is_told(sonde, network, near, disk):
    near.answers[:] = [answer(503)]
    make_read_only(disk)
    watch = Watch(sonde, network.near, "--quiet", "--webhook", near.url)
    network.lose()
    watch.change("offline", "link_down")
    near.wait(1)
    said = watch.finish().stderr.splitlines()
    assert said[-1] == f"sonde: --webhook: {near.shown}: 1 alert is not delivered: lost"
    network.restore()
