"""What becomes of an alert by the answer of its receiver."""

import json
import time

import pytest
from receivers import AnsweringReceiver, Queue, answer, ended, wait_for, watching

pytestmark = pytest.mark.slow


def run(sonde, receiver, count, requests, *numbers):
    """What a watch says that sends alerts until there were so many requests, and the queue after."""
    queue = Queue(sonde, receiver.url)
    queue.add(*(numbers or range(1, count + 1)))
    running = watching(sonde, receiver.url)
    receiver.wait(requests)
    wait_for(lambda: not queue.waiting)
    return ended(running), queue


@pytest.mark.parametrize("status", [200, 201, 202, 204, 226, 299])
def test_any_2xx_takes_an_alert(sonde, receive, status):
    receiver = receive(answer(status, b"" if status == 204 else b"<html>"))
    said, queue = run(sonde, receiver, 3, 3)
    assert (said, receiver.numbers, queue.refused.exists()) == ("", [1, 2, 3], False)
    assert len({request.key for request in receiver.requests}) == 3


def test_many_alerts_take_few_connections_and_one_that_ends_costs_none(sonde, receive):
    # Each connection ends without a word after ten answers.
    receiver = receive(answer(200).replace(b"Connection: close\r\n", b""))
    receiver.keeps = 10
    said, queue = run(sonde, receiver, 35, 35)
    assert (said, receiver.numbers, queue.refused.exists()) == ("", list(range(1, 36)), False)
    ports = [request.port for request in receiver.requests]
    # On a busy machine some wait for more than the second for which a connection is kept.
    assert 4 <= len(set(ports)) < 20


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 410, 413, 418, 422])
def test_what_is_refused_is_put_aside_and_holds_up_nothing(sonde, receive, status):
    receiver = receive(answer(status, b"no such channel"), answer(200))
    said, queue = run(sonde, receiver, 3, 3)
    assert receiver.numbers == [1, 2, 3]
    assert queue.numbers(sorted(queue.refused.iterdir())) == [1]
    assert said == (
        f"sonde: --webhook: {receiver.shown}: an alert is refused, moved to {queue.refused}: "
        f"HTTP {status}: no such channel\n"
        f"sonde: --webhook: {receiver.shown}: 1 alert was refused; see {queue.refused}\n"
    )


def test_a_refusal_is_told_once_until_the_url_takes_one_or_another_status_comes(sonde, receive):
    statuses = [400, 400, 404, 400, 200, 400, 400, 200]
    receiver = receive(*(answer(status) for status in statuses))
    said, queue = run(sonde, receiver, 8, 8)
    told = [line.rsplit(" ", 1)[1] for line in said.splitlines() if "an alert is refused" in line]
    assert told == ["400", "404", "400", "400"]
    assert queue.numbers(sorted(queue.refused.iterdir())) == [1, 2, 3, 4, 6, 7]
    assert said.splitlines()[-1].endswith(f"6 alerts were refused; see {queue.refused}")


def test_an_answers_words_are_printable_short_and_show_no_url(sonde, receive):
    words = "\n Cannot POST /hook/secret \x1b[31m\u202e\u0085 é" + "x" * 300
    receiver = receive(answer(404, words.encode()), answer(200))
    said, _ = run(sonde, receiver, 2, 2)
    shown = said.splitlines()[0].partition("HTTP 404: ")[2]
    assert shown.startswith("Cannot POST … \\x1b[31m\\u{202e}\\u{85} éxxx")
    plain = shown.replace("\\x1b", "?").replace("\\u{202e}", "?").replace("\\u{85}", "?")
    assert len(plain) == 200 and "secret" not in said


def test_the_last_100_refused_are_kept_and_one_moved_back_is_sent(sonde, receive):
    receiver = receive(*([answer(400)] * 103), answer(200))
    _, queue = run(sonde, receiver, 103, 103)
    refused = sorted(queue.refused.iterdir())
    assert queue.numbers(refused) == list(range(4, 104))
    key = receiver.requests[7].key
    refused[4].rename(queue.folder / refused[4].name)
    running = watching(sonde, receiver.url)
    receiver.wait(104)
    wait_for(lambda: not queue.waiting)
    assert ended(running) == ""
    assert (receiver.requests[103].number, receiver.requests[103].key) == (8, key)


def test_what_fails_for_now_is_tried_again_and_told_once(sonde, receive):
    receiver = receive(answer(503), answer(500), answer(408), answer(200))
    said, _ = run(sonde, receiver, 2, 5)
    assert receiver.numbers == [1, 1, 1, 1, 2]
    assert len({request.key for request in receiver.requests}) == 2
    assert said == (
        f"sonde: --webhook: {receiver.shown}: HTTP 503; trying again\n"
        f"sonde: --webhook: {receiver.shown}: delivered again\n"
    )


def pauses(receiver):
    """The times between requests."""
    times = [request.at for request in receiver.requests]
    return [after - before for before, after in zip(times, times[1:])]


@pytest.mark.parametrize(
    ("reply", "least"),
    [
        (answer(429, b"", "Retry-After: 2"), 2),
        (answer(503, b"", "Retry-After: 2"), 2),
        (answer(307, b"", "Location: http://127.0.0.1:9/", "Retry-After: 2"), 2),
        (answer(429, b'{"message": "slow", "retry_after": 1.5, "global": false}'), 1.5),
        (answer(429, b'{"retry_after": 1.5}', "Retry-After: 2"), 2),
        (answer(429, b'{"retry_after": 2.5}', "Retry-After: 1"), 2.5),
        (answer(429, b'{"retry_after": 0.3}'), 0.3),
    ],
)
def test_the_wait_that_an_answer_tells_is_kept(sonde, receive, reply, least):
    receiver = receive(reply, answer(200))
    run(sonde, receiver, 2, 3)
    first, second = pauses(receiver)
    assert first >= least - 0.01 and second < first + 10
    assert receiver.numbers == [1, 1, 2]


def test_a_wait_until_a_date(sonde, receive):
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 3))
    receiver = receive(answer(503, b"", f"Retry-After: {date}"), answer(200))
    run(sonde, receiver, 1, 2)
    assert pauses(receiver)[0] > 1.5


def test_a_redirect_is_a_login_pages_and_not_followed(sonde, receive):
    elsewhere = receive(answer(200))
    receiver = receive(answer(302, b"", f"Location: {elsewhere.url}"), answer(200))
    said, queue = run(sonde, receiver, 1, 2)
    assert "HTTP 302; trying again" in said and "delivered again" in said
    assert (elsewhere.requests, queue.refused.exists()) == ([], False)


def ten_megabytes(status):
    """An answer of 10 MB."""

    def reply(connection):
        connection.sendall(f"HTTP/1.1 {status} x\r\nContent-Length: 10000000\r\n\r\n".encode())
        connection.sendall(b"y" * 10_000_000)

    return reply


def endless(status):
    """An answer without an end."""

    def reply(connection):
        connection.sendall(f"HTTP/1.1 {status} x\r\n\r\n".encode())
        while True:
            connection.sendall(b"z")
            time.sleep(0.1)

    return reply


def cut_off(status):
    """An answer that ends before its body does."""
    return f"HTTP/1.1 {status} x\r\nContent-Length: 100\r\n\r\nshort".encode()


@pytest.mark.parametrize("make", [ten_megabytes, cut_off, endless])
def test_the_status_decides_whatever_comes_after_it(sonde, receive, make):
    receiver = receive(make(200), make(400), answer(200))
    said, queue = run(sonde, receiver, 3, 3)
    assert receiver.numbers == [1, 2, 3]
    assert queue.numbers(queue.refused.iterdir()) == [2]
    assert len(said) < 600


@pytest.mark.parametrize("reply", [b"", b"HTTP/1.1 20", b"\0\xff\r\n"], ids=["none", "part", "noise"])
def test_what_is_no_answer_is_tried_again(sonde, receive, reply):
    receiver = receive(reply, answer(200))
    said, queue = run(sonde, receiver, 1, 2)
    assert receiver.numbers == [1, 1] and not queue.refused.exists()
    assert "; trying again\n" in said and said.endswith("delivered again\n")


def test_a_silent_receiver_is_given_up_after_10_s(sonde, receive):
    receiver = receive(lambda connection: connection.recv(1), answer(200))
    said, _ = run(sonde, receiver, 1, 2)
    assert 10 <= pauses(receiver)[0] < 15 and "timed out waiting for the answer; trying again" in said


def test_nothing_listens_at_first(sonde, receive):
    receiver = receive(answer(200))
    receiver.close()
    queue = Queue(sonde, receiver.url)
    queue.add(1, 2)
    running = watching(sonde, receiver.url)
    wait_for(lambda: "connection refused; trying again" in running.stderr)
    again = AnsweringReceiver(answer(200), port=receiver.port)
    assert [request.number for request in again.wait(2)] == [1, 2]
    wait_for(lambda: not queue.waiting)
    assert ended(running).count("\n") == 2
    again.close()


def test_what_was_not_delivered_is_told_at_the_end_also_when_quiet(sonde, receive):
    receiver = receive(answer(503))
    queue = Queue(sonde, receiver.url)
    queue.add(*range(1, 4))
    running = watching(sonde, receiver.url, options=("--quiet",))
    receiver.wait(1)
    assert ended(running).splitlines()[-1] == (
        f"sonde: --webhook: {receiver.shown}: 3 alerts are not delivered; the next sonde with this URL "
        f"sends what lies in {queue.folder}"
    )
    assert json.loads(queue.waiting[0].read_text())["n"] == 1
