"""Event streams of the library `Web`."""

import time

import pytest
from probe import Probe, Stream


@pytest.fixture
def probe():
    """A server for each test: its events are counted."""
    probe = Probe()
    yield probe
    assert probe.stop() < 2


def test_a_stream_begins_with_the_states_and_tells_ones_own_events(probe):
    anna, bert = Stream(probe, "anna-1"), Stream(probe, "bert-1")
    assert anna.event() == {"event": "state", "data": '{"user":"anna"}'}
    assert bert.event() == {"event": "state", "data": '{"user":"bert"}'}
    probe.tell("all", "1")
    probe.tell("own", "2", owner="anna")
    probe.tell("own", "3", owner="bert")
    probe.tell("all", "4")
    events = [anna.event() for _ in range(3)]
    assert [event["data"] for event in events] == ["1", "2", "4"]
    assert [bert.event()["data"] for _ in range(3)] == ["1", "3", "4"]
    ids = [int(event["id"]) for event in events]
    assert ids == sorted(set(ids))


def test_a_stream_resumes_where_it_broke(probe):
    stream = Stream(probe, "anna-1")
    stream.event()
    probe.tell("n", "0")
    last = stream.event()["id"]
    stream.close()
    for number in range(1, 4):
        probe.tell("n", str(number), owner="anna" if number == 2 else None)
    stream = Stream(probe, "anna-1", last=last)
    assert stream.event()["event"] == "state"
    assert [stream.event()["data"] for _ in range(3)] == ["1", "2", "3"]
    stream = Stream(probe, "bert-1", last=last)
    stream.event()
    assert [stream.event()["data"] for _ in range(2)] == ["1", "3"]
    probe.tell("n", "x", times=1000)
    stream = Stream(probe, "anna-1", last=int(last) + 3)
    stream.event()
    assert [stream.event()["data"] for _ in range(1000)] == ["x"] * 1000


@pytest.mark.parametrize("last", ["0", "1", "x", "-1", "99999999999999999999", "9" * 19, " "])
def test_a_stream_that_cannot_resume_is_told_so(probe, last):
    stream = Stream(probe, "anna-1", last=last)
    assert stream.event()["event"] == "state"
    if last == " ":
        return
    assert stream.event()["event"] == "reset"
    probe.tell("n", "1")
    assert stream.event()["data"] == "1"


def test_events_that_are_no_longer_kept_are_a_reset(probe):
    stream = Stream(probe, "anna-1")
    stream.event()
    probe.tell("n", "0")
    last = stream.event()["id"]
    probe.tell("n", "x", times=1001)
    stream = Stream(probe, "anna-1", last=last)
    stream.event()
    reset = stream.event()
    assert reset["event"] == "reset"
    stream = Stream(probe, "anna-1", last=reset["id"])
    stream.event()
    probe.tell("n", "1")
    assert stream.event()["data"] == "1"


def test_streams_end_with_their_session(probe):
    mine, other = Stream(probe, "anna-1"), Stream(probe, "anna-2")
    mine.event(), other.event()
    assert probe.ask("DELETE /me", "Cookie: probe=anna-1").status == 204
    with pytest.raises(EOFError):
        mine.event()
    probe.tell("n", "1")
    assert other.event()["data"] == "1"


def test_streams_end_with_the_age_of_their_session():
    probe = Probe(lifetime=1)
    stream = Stream(probe, "anna-1")
    start = time.monotonic()
    assert stream.event()["event"] == "state"
    probe.tell("n", "1")
    assert stream.event()["data"] == "1"
    with pytest.raises(EOFError):
        stream.event()
    assert 0.8 < time.monotonic() - start < 3
    assert probe.tell("n", "2") == 0
    probe.stop()


def test_a_user_has_32_streams_and_those_left_do_not_count(probe):
    streams = [Stream(probe, "anna-1") for _ in range(32)]
    assert {stream.status for stream in streams} == {200}
    refused = Stream(probe, "anna-1")
    assert refused.status == 503
    assert Stream(probe, "bert-1").status == 200
    for stream in streams[:5]:
        stream.close()
    until = time.monotonic() + 5
    while Stream(probe, "anna-2").status != 200:
        assert time.monotonic() < until
        time.sleep(0.1)


def test_a_reader_that_is_far_behind_is_cut(probe):
    slow, quick = Stream(probe, "anna-1"), Stream(probe, "bert-1")
    slow.event(), quick.event()
    streams = 2
    for _ in range(200):
        streams = probe.tell("n", "x" * 50_000)
        assert quick.event()["event"] == "n"
        if streams == 1:
            break
    assert streams == 1


@pytest.mark.measures_time
def test_a_thousand_streams_are_told_within_a_second(probe):
    streams = [Stream(probe, f"user{number // 30}-1") for number in range(1000)]
    for stream in streams:
        stream.event()
    start = time.monotonic()
    assert probe.tell("lost", "now") == 1000
    for stream in streams:
        assert stream.event()["data"] == "now"
    assert time.monotonic() - start < 1
    assert probe.resident < 200 << 20
    extra = [Stream(probe, f"more{number}-1") for number in range(25)]
    assert [stream.status for stream in extra] == [200] * 24 + [503]
