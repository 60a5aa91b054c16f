"""`guard` while the network is lost: hits wait for their answers, and nothing is lost or doubled."""

import collections
import json
import random
import signal
import time

import pytest
from namespaces import Network, skip_unless_allowed
from receivers import AnsweringReceiver, answer, wait_for

pytestmark = [pytest.mark.slow, skip_unless_allowed()]

# Only an answer can tell.
WORDS = ("guard", "a.log", "--from-start", "--when", "country_code", "--name", "x", "--at-most", "0")


@pytest.fixture
def network():
    """A network to lose, with the provider on its far side."""
    network = Network()
    yield network
    network.close()


@pytest.fixture
def near(network):
    """A receiver of alerts that is reached while the network is lost."""
    receiver = network.near.inside(lambda: AnsweringReceiver(answer(200)))
    yield receiver
    receiver.close()


def line(number):
    return f"2026-11-23T03:{number // 60 % 60:02}:{number % 60:02}Z Failed from 9.{number >> 8}.{number & 255}.9\n"


def add(sonde, numbers):
    with open(sonde.work / "a.log", "a") as file:
        file.write("".join(map(line, numbers)))


def taken(receiver):
    """The numbers of the hits of all alerts that came, in order."""
    parts = [json.loads(request.body)["ip"].split(".") for request in receiver.requests]
    return [int(high) << 8 | int(low) for _, high, low, _ in parts]


def start(sonde, network, near):
    return sonde.start(*WORDS, "--webhook", near.url, env=network.env, prefix=network.near.prefix)


def test_hits_wait_for_their_answers_until_the_network_is_back(sonde, network, near):
    add(sonde, range(3))
    running = start(sonde, network, near)
    near.wait(3)
    network.lose()
    time.sleep(0.5)
    add(sonde, range(3, 300))
    # What is known already waits, too, behind what is not.
    add(sonde, [0])
    time.sleep(3)
    assert len(near.requests) == 3
    network.restore()
    near.wait(300)
    running.signal(signal.SIGTERM)
    result = running.finish()
    assert result.status == 0
    assert "undecided" not in result.stderr
    assert taken(near) == list(range(300))
    events = [json.loads(request.body) for request in near.requests]
    assert events[299]["time"] == "2026-11-23T03:04:59.000Z"
    assert all(event["country_code"] for event in events)


def test_hits_that_wait_are_judged_by_other_options(sonde, network, near):
    add(sonde, [0])
    running = start(sonde, network, near)
    near.wait(1)
    network.lose()
    time.sleep(0.5)
    add(sonde, range(3, 40))
    time.sleep(2)
    running.signal(signal.SIGTERM)
    running.finish()
    network.restore()
    other = ("--when", 'country_code and text ~ "*Failed*" and not text ~ "*9.0.7.9*"')
    words = [word for word in WORDS if word not in ("--when", "country_code")]
    result = sonde(*words, *other, "--once", "--webhook", near.url, env=network.env, prefix=network.near.prefix)
    assert "other options than before" in result.stderr
    assert taken(near) == [0, *(number for number in range(3, 40) if number != 7)]


def test_killed_while_the_network_is_lost_nothing_is_lost_or_doubled(sonde, network, near):
    chance = random.Random(5)
    add(sonde, [0])
    running = start(sonde, network, near)
    near.wait(1)
    written = 1
    for kill in range(8):
        if kill % 3 == 0:
            network.lose()
        elif kill % 3 == 2:
            network.restore()
        for _ in range(5):
            add(sonde, range(written, written + 8))
            written += 8
            time.sleep(chance.uniform(0, 0.2))
        running.signal(signal.SIGKILL)
        running.finish()
        running = start(sonde, network, near)
    network.restore()
    wait_for(lambda: len(set(taken(near))) == written)
    running.signal(signal.SIGTERM)
    assert running.finish().status == 0
    ids = collections.defaultdict(set)
    for request in near.requests:
        ids[json.loads(request.body)["ip"]].add(request.key)
    assert all(len(each) == 1 for each in ids.values())
    firsts = list(dict.fromkeys(taken(near)))
    assert firsts == list(range(written))
    # Of each kill the one in hand may come again.
    assert len(near.requests) - written <= 8
