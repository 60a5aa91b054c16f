"""Queues of alerts: order, several programs on one, ends of every kind, disks that take nothing."""

import collections
import os
import random
import signal
import subprocess
import time

import pytest
from receivers import ONLINE, Queue, answer, ended, wait_for, watching

pytestmark = pytest.mark.slow

def test_each_url_has_a_queue_of_its_own_and_waits_for_no_other(sonde, receive):
    good, bad = receive(answer(200)), receive(answer(503))
    queues = [Queue(sonde, good.url), Queue(sonde, bad.url)]
    for queue in queues:
        queue.add(*range(1, 31))
    running = watching(sonde, bad.url, good.url)
    good.wait(30)
    assert good.numbers == list(range(1, 31))
    wait_for(lambda: not queues[0].waiting)
    said = ended(running)
    assert set(bad.numbers) == {1} and len(queues[1].waiting) == 30
    assert f"{bad.shown}: 30 alerts are not delivered; " in said and good.shown not in said


def test_the_environment_and_the_file_hold_several(sonde, receive):
    receivers = [receive(answer(200)) for _ in range(4)]
    for number, receiver in enumerate(receivers):
        Queue(sonde, receiver.url).add(number)
    urls = [receiver.url for receiver in receivers]
    running = watching(sonde, env={"SONDE_WEBHOOK": f" {urls[0]}  {urls[1]}\t"})
    for receiver in receivers[:2]:
        receiver.wait(1)
    ended(running)
    sonde.config_file.write_text(f"webhook = {urls[2]}\nwebhook = {urls[3]}\n")
    sonde.config_file.chmod(0o600)
    running = watching(sonde)
    for receiver in receivers[2:]:
        receiver.wait(1)
    ended(running)
    assert [receiver.numbers for receiver in receivers] == [[0], [1], [2], [3]]


def test_a_url_given_twice_and_one_that_is_none_show_no_key(sonde):
    for urls, words in (
        (("http://h:80/key", "http://h:80/key"), "--webhook has the same URL twice: http://h\n"),
        (("ftp://h/key",), "--webhook"),
    ):
        webhooks = [word for url in urls for word in ("--webhook", url)]
        result = sonde("watch", "--once", "--endpoint", ONLINE, *webhooks)
        assert result.status == 2 and words in result.stderr and "/key" not in result.stderr


def test_alerts_of_an_older_version_are_taken_in_once_and_in_order(sonde, receive):
    receiver = receive(answer(200))
    queue = Queue(sonde, receiver.url)
    first = queue.add_legacy(ONLINE, 9, 10, 11)
    second = queue.add_legacy(ONLINE, 1, 2, suffix="-3")
    # Of an endpoint that this watch does not know.
    third = queue.add_legacy("elsewhere.example:443", 3)
    other = Queue(sonde, "http://127.0.0.1:1/").add_legacy(ONLINE, 5)
    running = watching(sonde, receiver.url)
    receiver.wait(6)
    wait_for(lambda: not queue.waiting)
    assert ended(running) == ""
    # The directories come in no particular order, their alerts do.
    numbers = [[number for number in receiver.numbers if number in group] for group in ((9, 10, 11), (1, 2), (3,))]
    assert numbers == [[9, 10, 11], [1, 2], [3]]
    assert [folder.exists() for folder in (first, second, third, other)] == [False, False, False, True]
    ended(watching(sonde, receiver.url))
    assert len(receiver.requests) == 6


def test_files_that_are_no_alerts_are_left_alone(sonde, receive):
    receiver = receive(answer(200))
    queue = Queue(sonde, receiver.url)
    queue.add(3, 1)
    names = ["x.json", "1.json", f"{5:012}.json", f"{5:012}-{'g' * 32}.json", f"+{5:011}-{'a' * 32}.json"]
    for name in names:
        (queue.folder / name).write_text("{}")
    (queue.folder / f"{2:012}-{'a' * 32}.json").mkdir()
    (queue.folder / f"{2:012}-{'b' * 32}.json").touch()
    running = watching(sonde, receiver.url)
    receiver.wait(2)
    wait_for(lambda: len(queue.waiting) == len(names))
    ended(running)
    assert receiver.numbers == [1, 3]


def test_when_the_sender_is_killed_another_takes_over(sonde, receive):
    receiver = receive(answer(503, b"", "Retry-After: 3600"))
    queue = Queue(sonde, receiver.url)
    queue.add(1, 2)
    first = watching(sonde, receiver.url)
    receiver.wait(1)
    second = watching(sonde, receiver.url)
    time.sleep(1)
    assert len(receiver.requests) == 1
    receiver.answers[:] = [answer(200)]
    began = time.monotonic()
    first.signal(signal.SIGKILL)
    first.finish()
    assert [request.number for request in receiver.wait(3)] == [1, 1, 2]
    assert time.monotonic() - began < 5
    wait_for(lambda: not queue.waiting)
    assert ended(second) == ""
    assert len({request.key for request in receiver.requests}) == 2


def test_one_that_only_adds_says_that_another_sends(sonde, receive):
    receiver = receive(answer(503, b"", "Retry-After: 3600"))
    queue = Queue(sonde, receiver.url)
    queue.add(1)
    first = watching(sonde, receiver.url)
    receiver.wait(1)
    said = ended(watching(sonde, receiver.url))
    assert said == (
        f"sonde: --webhook: {receiver.shown}: 1 alert is not delivered yet; "
        f"another sonde sends what lies in {queue.folder}\n"
    )
    ended(first)


def test_alerts_older_than_7_days_are_dropped_and_those_of_1970_are_not(sonde, receive):
    receiver = receive(answer(200))
    queue = Queue(sonde, receiver.url)
    queue.add(1, 2, 3, 4)
    old = time.time() - 7 * 86400 - 60
    for path, when in zip(queue.waiting, (old, old, 1000, time.time() - 6 * 86400)):
        os.utime(path, (when, when))
    running = watching(sonde, receiver.url)
    receiver.wait(2)
    wait_for(lambda: not queue.waiting)
    said = ended(running)
    assert receiver.numbers == [3, 4]
    assert said == f"sonde: --webhook: {receiver.shown}: 2 alerts are older than 7 days, and dropped\n"


def test_a_refused_alert_moved_back_is_sent_however_old_it_is(sonde, receive):
    receiver = receive(answer(400), answer(200))
    queue = Queue(sonde, receiver.url)
    queue.add(1)
    running = watching(sonde, receiver.url)
    refused = wait_for(lambda: list(queue.refused.glob("*")))[0]
    ended(running)
    old = time.time() - 30 * 86400
    os.utime(refused, (old, old))
    refused.rename(queue.folder / refused.name)
    running = watching(sonde, receiver.url)
    assert [request.number for request in receiver.wait(2)] == [1, 1]
    wait_for(lambda: not queue.waiting)
    assert ended(running) == ""


def test_killed_a_hundred_times_none_is_lost_and_one_comes_twice_at_most_for_each(sonde, receive):
    receiver = receive(lambda connection: (time.sleep(0.003), connection.sendall(answer(200))))
    queue = Queue(sonde, receiver.url)
    generator = random.Random(1)
    total = kills = 0
    while kills < 100:
        queue.add(*range(total + 1, total + 11))
        total += 10
        running = watching(sonde, receiver.url)
        time.sleep(generator.random() * 0.15)
        running.signal(signal.SIGKILL)
        running.finish()
        kills += 1
    running = watching(sonde, receiver.url)
    wait_for(lambda: not queue.waiting)
    ended(running)
    seen = collections.Counter(request.number for request in receiver.requests)
    assert set(seen) == set(range(1, total + 1))
    assert sum(seen.values()) - total <= kills
    firsts = list(dict.fromkeys(receiver.numbers))
    assert firsts == sorted(firsts)
    keys = collections.defaultdict(set)
    for request in receiver.requests:
        keys[request.number].add(request.key)
    assert all(len(each) == 1 for each in keys.values())


@pytest.mark.measures_time
def test_a_thousand_alerts_go_out_at_half_the_rate_of_curl_at_least(sonde, receive):
    receiver = receive(answer(200))
    queue = Queue(sonde, receiver.url)
    queue.add(*range(1, 1001))
    start = time.monotonic()
    running = watching(sonde, receiver.url)
    receiver.wait(1000)
    rate = 1000 / (time.monotonic() - start)
    ended(running)
    assert receiver.numbers == list(range(1, 1001))
    loop = f"for ((n = 0; n < 200; n++)); do curl -s -o {os.devnull} -d {{}} {receiver.url}; done"
    start = time.monotonic()
    subprocess.run(["bash", "-c", loop], check=True)
    assert rate >= 200 / (time.monotonic() - start) / 2
