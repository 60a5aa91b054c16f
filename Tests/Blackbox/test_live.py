"""`sonde serve --follow`: logs as the API shows them live."""

import contextlib
import os
import queue
import random
import re
import signal
import time
from collections import Counter

import pytest
from command import wait_for
from serving import Dashboard

pytestmark = pytest.mark.slow

ADDRESS = re.compile(rb"\d+\.\d+\.\d+\.\d+")


@contextlib.contextmanager
def following(sonde, simulator, *paths, options=()):
    """A server that follows logs."""
    asked = [word for path in paths for word in ("--follow", str(path))]
    server = Dashboard(sonde, simulator, *asked, *options)
    yield server
    server.stop()


def the_log(server):
    """The one log of a server."""
    items = server.ask("GET", "logs").json["items"]
    assert len(items) == 1, items
    return items[0]


def summary(server, log, last="5m", **query):
    """What a log's summary says."""
    answer = server.ask("GET", f"logs/{log['id']}/summary", last=last, **query)
    assert answer.status == 200, answer
    return answer.json


def hits_of(server, log, last="24h"):
    """The hits of each address."""
    rows = summary(server, log, last, top=1000)["addresses"]
    return {row["key"]: row["hits"] for row in rows}


def append(path, *lines):
    """Adds lines to a file."""
    with open(path, "a") as file:
        file.writelines(f"{line}\n" for line in lines)


def test_a_log_is_counted_from_its_end_on(sonde, simulator, tmp_path):
    log = tmp_path / "access.log"
    append(log, "1.1.1.1 before")
    with following(sonde, simulator, log) as server:
        wait_for(lambda: the_log(server)["state"] == "following")
        append(log, "8.8.8.8 - 8.8.8.8", "nothing", "8.8.4.4 10.0.0.1")
        wait_for(lambda: the_log(server)["lines"] == 3)
        one = the_log(server)
        assert (one["name"], one["file"], one["hits"], one["behind_seconds"]) == ("access.log", str(log), 4, 0)
        wait_for(lambda: summary(server, one)["total"] == {"hits": 4, "addresses": 3, "pending": 0})
        counted = summary(server, one)
        assert {row["key"]: row["hits"] for row in counted["addresses"]} == {"8.8.8.8": 2, "8.8.4.4": 1, "10.0.0.1": 1}
        assert {row["key"] for row in counted["statuses"]} == {"ok", "reserved"}
        assert "hours" not in counted and "days" not in counted
        country = counted["countries"][0]
        assert country["hits"] >= 2
        chosen = summary(server, one, where=f"country_code = {country['key']}")
        assert chosen["total"]["hits"] == country["hits"]
        assert len(chosen["countries"]) == 1
        for last, step, count in (("5m", 1, 300), ("1h", 10, 360), ("24h", 300, 288)):
            rate = server.ask("GET", f"logs/{one['id']}/rate", last=last).json
            assert rate["step"] == step and len(rate["items"]) == count
            assert sum(item["hits"] for item in rate["items"]) == 4
            rate = server.ask("GET", f"logs/{one['id']}/rate", last=last, where="ip = 8.8.8.8").json
            assert sum(item["hits"] for item in rate["items"]) == 2
        places = server.ask("GET", f"logs/{one['id']}/places").json["items"]
        assert sum(place["hits"] for place in places) == 3
        assert server.ask("GET", f"logs/{one['id']}/summary", where="city ~").status == 422
        assert server.ask("GET", f"logs/{one['id']}/rate", last="2h").status == 422
        assert server.ask("GET", f"logs/{32 * '0'}/rate", last="2h").status == 404


def test_events_tell_of_the_logs_that_are_asked_for(sonde, simulator, tmp_path):
    log = tmp_path / "access.log"
    append(log, "start")
    with following(sonde, simulator, log) as server:
        one = the_log(server)
        assert server.ask("GET", f"events?log={32 * '0'}").status == 404
        stream = server.events(query=f"?log={one['id']}")
        others = server.events()
        wait_for(lambda: the_log(server)["state"] == "following")
        # How things are comes first.
        assert stream.next("log")[1]["hits"] == 0
        start = time.monotonic()
        append(log, "8.8.8.8 <b>\x01" + 2000 * "x")
        told = stream.next("log")[1]
        assert time.monotonic() - start < 1
        assert told["id"] == one["id"] and told["hits"] == 1
        line = told["lines"][-1]
        assert line.startswith("8.8.8.8 [") and "<b>" in line and len(line.encode()) <= 1024
        append(log, "8.8.8.8")
        assert sum(place["hits"] for place in stream.next("log")[1]["places"]) == 1
        with pytest.raises(queue.Empty):
            others.next("log", timeout=0.5)


def test_a_restart_goes_on_in_the_next_line(sonde, simulator, tmp_path):
    log = tmp_path / "access.log"
    append(log, "1.1.1.1")
    with following(sonde, simulator, log) as server:
        wait_for(lambda: the_log(server)["state"] == "following")
        append(log, "8.8.8.8 one")
        wait_for(lambda: the_log(server)["hits"] == 1)
        before = the_log(server)
        server.stop(signal.SIGKILL)
        past = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 1800))
        os.rename(log, f"{log}.1")
        append(f"{log}.1", f"{past} 9.9.9.9", "9.9.9.9 without a time")
        append(log, "8.8.4.4 new file")
        server.start()
        wait_for(lambda: the_log(server)["hits"] == 4)
        after = the_log(server)
        assert (after["id"], after["since"]) == (before["id"], before["since"])
        wait_for(lambda: hits_of(server, after, "1h") == {"8.8.8.8": 1, "9.9.9.9": 2, "8.8.4.4": 1})
        # One hit is at its line's time.
        assert hits_of(server, after, "5m") == {"8.8.8.8": 1, "9.9.9.9": 1, "8.8.4.4": 1}


def test_a_log_may_come_later_or_be_unreadable(sonde, simulator, tmp_path):
    log = tmp_path / "later.log"
    with following(sonde, simulator, log) as server:
        wait_for(lambda: the_log(server)["state"] == "waiting")
        assert the_log(server)["detail"] == "there is no such file"
        wait_for(lambda: server.running.stderr.count("it is waited for") == 1)
        append(log, "8.8.8.8")
        wait_for(lambda: the_log(server)["lines"] == 1)
        assert the_log(server)["state"] == "following"
        # Truncated: from its beginning.
        log.write_text("1.1.1.1\n")
        wait_for(lambda: the_log(server)["lines"] == 2)
        assert server.running.stderr.count("it is waited for") == 1


def test_a_long_line_counts_by_its_beginning(sonde, simulator, tmp_path):
    log = tmp_path / "long.log"
    append(log, "start")
    with following(sonde, simulator, log) as server:
        wait_for(lambda: the_log(server)["state"] == "following")
        append(log, "8.8.8.8 " + "x" * (3 << 20) + " 1.1.1.1", "8.8.4.4")
        wait_for(lambda: the_log(server)["lines"] == 2)
        assert the_log(server)["hits"] == 2


@pytest.mark.parametrize("words", [("/",), ("/dev/null",), ("a.log", "./a.log"), ("-", "-")])
def test_what_cannot_be_followed_is_a_misuse(sonde, tmp_path, words):
    options = [option for word in words for option in ("--follow", word)]
    result = sonde("serve", *options)
    assert result.status == 2, result


def test_without_logs_there_is_no_view(dashboard):
    assert dashboard.ask("GET", "logs").json == {"items": [], "next": None}
    assert dashboard.ask("GET", "/live", headers={"Accept": "text/html"}).status == 404


def test_metrics_tell_of_logs(sonde, simulator, tmp_path):
    log = tmp_path / "access.log"
    append(log, "start")
    with following(sonde, simulator, log) as server:
        wait_for(lambda: the_log(server)["state"] == "following")
        append(log, "8.8.8.8 8.8.8.8")
        wait_for(lambda: the_log(server)["hits"] == 2)
        text = server.ask("GET", "/metrics").body.decode()
        assert re.search(r'sonde_log_hits_total\{log="access.log",.*\} 2\n', text), text
        assert "sonde_log_lines_total" in text and "sonde_log_behind_seconds" in text


class Writer:
    """Writes a log as programs do: torn lines, renames, copies that truncate, deletions."""

    def __init__(self, path, seed):
        self.path, self.random = path, random.Random(seed)
        self.counts, self.lines = Counter(), 0
        self.file = open(path, "ab", buffering=0)
        self.rotations = 0

    def write(self, count):
        """Adds lines, some of them in parts."""
        for _ in range(count):
            address = f"8.{self.random.randrange(4)}.{self.random.randrange(256)}.{self.random.randrange(4)}"
            line = f"{address} - {self.lines}\n".encode()
            self.counts[address] += 1
            self.lines += 1
            cut = self.random.randrange(len(line)) if self.random.random() < 0.1 else len(line)
            self.file.write(line[:cut])
            if cut < len(line):
                time.sleep(0.002)
                self.file.write(line[cut:])

    def rotate(self):
        """Renames the file, and begins another of its name."""
        self.rotations += 1
        os.rename(self.path, f"{self.path}.{self.rotations}")
        self.file.close()
        self.file = open(self.path, "ab", buffering=0)


def test_no_line_is_lost_or_doubled_by_kills_and_rotations(sonde, simulator, tmp_path):
    log = tmp_path / "access.log"
    log.touch()
    writer = Writer(log, 4)
    kills = int(os.environ.get("SONDE_KILLS", "8"))
    with following(sonde, simulator, log) as server:
        wait_for(lambda: the_log(server)["state"] == "following")
        for _ in range(kills):
            writer.write(writer.random.randrange(300))
            if writer.random.random() < 0.5:
                writer.rotate()
            time.sleep(writer.random.random())
            server.stop(signal.SIGKILL)
            writer.write(writer.random.randrange(100))
            if writer.random.random() < 0.5:
                writer.rotate()
                writer.write(writer.random.randrange(100))
            server.launch()
        writer.write(50)
        wait_for(lambda: the_log(server)["lines"] >= writer.lines)
        time.sleep(1.5)
        one = the_log(server)
        assert one["lines"] == writer.lines
        counted = summary(server, one, "24h", top=1000)
        assert counted["total"]["hits"] == writer.lines
        assert counted["total"]["addresses"] == len(writer.counts)
        for row in counted["addresses"]:
            assert writer.counts[row["key"]] == row["hits"]
