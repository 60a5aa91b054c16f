"""`guard` follows logs: rotations, restarts after any end, and the ways that alerts take."""

import gzip
import json
import os
import random
import shutil
import signal
import threading
import time

import pytest
from receivers import answer, wait_for

pytestmark = pytest.mark.slow

# Each line of an address raises an alert, also one that was read twice.
HITS = ("--when", 'text ~ "*Failed*"', "--every", "0s", "--provider", "local")


def address(number):
    return f"9.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def line(number):
    return f"2026-11-23T03:00:00Z Failed for root from {address(number)} port 22\n"


def lines(*numbers):
    return "".join(line(number) for number in numbers)


def numbers(output):
    """The numbers of the addresses of alerts, in order."""
    parts = [json.loads(text)["ip"].split(".") for text in output.splitlines()]
    return [int(a) << 16 | int(b) << 8 | int(c) for _, a, b, c in parts]


def add(path, text):
    with open(path, "ab") as file:
        file.write(text.encode())


def once(sonde, *names, **options):
    return sonde("guard", *names, "--once", "--from-start", *HITS, "--name", "x", **options)


def test_a_log_is_followed_through_rotations(sonde):
    log = sonde.work / "a.log"
    running = sonde.start("guard", "a.log", *HITS)

    def comes(*expected):
        assert numbers(b"".join(running.line() for _ in expected)) == list(expected)

    # Not there yet: read from its beginning, once its lines have ends.
    time.sleep(0.5)
    add(log, lines(1, 2)[:-1])
    comes(1)
    add(log, "\n")
    comes(2)
    # Renamed: read to its end, and the last line without one.
    os.rename(log, sonde.work / "a.log.1")
    add(sonde.work / "a.log.1", lines(3) + lines(4)[:-1])
    add(log, lines(5))
    assert sorted(numbers(running.line() + running.line() + running.line())) == [3, 4, 5]
    # Truncated, and longer than before at once.
    shutil.copy(log, sonde.work / "a.log.2")
    log.write_text(lines(6, 7))
    comes(6, 7)
    # Deleted, and new.
    log.unlink()
    add(log, lines(8))
    comes(8)
    running.signal(signal.SIGTERM)
    result = running.finish()
    assert (result.status, result.stderr) == (0, "")


def test_what_is_there_when_first_named_is_passed_over(sonde):
    sonde.file("a.log", lines(1) + lines(2)[:-1])
    first = sonde("guard", "a.log", "--once", *HITS, "--name", "x")
    assert (first.status, first.stdout, first.stderr) == (0, b"", "")
    add(sonde.work / "a.log", "\n" + lines(3))
    sonde.file("b.log", lines(4))
    again = sonde("guard", "a.log", "--once", *HITS, "--name", "x")
    # The line without an end counts with its end.
    assert numbers(again.stdout) == [2, 3]
    both = sonde("guard", "a.log", "b.log", "--once", "--from-start", *HITS, "--name", "x")
    assert numbers(both.stdout) == [4]


def test_files_rotated_while_nobody_reads_are_found(sonde):
    work = sonde.work
    sonde.file("a.log", lines(1, 2))
    assert numbers(once(sonde, "a.log").stdout) == [1, 2]
    # Renamed twice, with a file between.
    add(work / "a.log", lines(3))
    os.rename(work / "a.log", work / "a.log.2")
    add(work / "a.log.1", lines(4, 5))
    add(work / "a.log", lines(6))
    result = once(sonde, "a.log")
    assert (numbers(result.stdout), result.stderr) == ([3, 4, 5, 6], "")
    # Copied and truncated.
    add(work / "a.log", lines(7))
    shutil.copy(work / "a.log", work / "a.log.0")
    (work / "a.log").write_text(lines(8))
    result = once(sonde, "a.log")
    assert (numbers(result.stdout), result.stderr) == ([7, 8], "")
    # Compressed: told with the position.
    place = (work / "a.log").stat().st_size
    add(work / "a.log", lines(9))
    (work / "a.log.3.gz").write_bytes(gzip.compress((work / "a.log").read_bytes()))
    (work / "a.log").unlink()
    add(work / "a.log", lines(10))
    result = once(sonde, "a.log")
    assert numbers(result.stdout) == [10]
    assert result.stderr == f"sonde: a.log: what was behind byte {place} is gone or compressed\n"


def test_copies_of_a_log_that_was_last_seen_empty_are_found(sonde):
    work = sonde.work
    log = work / "a.log"

    def rotate(number):
        shutil.copy(log, work / f"a.log.{number}")
        os.truncate(log, 0)

    # What lies beside a log when it is first seen is passed over, even if it is written to later.
    sonde.file("a.log", "")
    sonde.file("a.log.0", lines(1))
    assert numbers(once(sonde, "a.log").stdout) == []
    add(work / "a.log.0", lines(2))
    add(log, lines(3))
    rotate(1)
    assert numbers(once(sonde, "a.log").stdout) == [3]
    # Filled, copied and truncated twice behind the position 0.
    add(log, lines(4))
    rotate(2)
    add(log, lines(5, 6))
    rotate(3)
    add(log, lines(7))
    assert numbers(once(sonde, "a.log").stdout) == [4, 5, 6, 7]
    # Copied and not truncated yet, twice.
    rotate(4)
    assert numbers(once(sonde, "a.log").stdout) == []
    add(log, lines(8))
    shutil.copy(log, work / "a.log.5")
    add(log, lines(9))
    assert numbers(once(sonde, "a.log").stdout) == [8, 9]
    os.truncate(log, 0)
    # The copy that ends before the position was made at the same tick of the clock.
    os.utime(work / "a.log.5", ns=(log.stat().st_mtime_ns,) * 2)
    add(log, lines(10))
    assert numbers(once(sonde, "a.log").stdout) == [10]


def test_a_log_that_is_followed_itself_is_no_rotation_of_another(sonde):
    sonde.file("access.log", "")
    os.utime(sonde.work / "access.log", (0, 0))
    sonde.file("access-2.log", lines(1))
    result = once(sonde, "access.log", "access-2.log")
    assert (numbers(result.stdout), result.stderr) == ([1], "")


@pytest.mark.parametrize("copies", [False, True], ids=["rename", "copytruncate"])
def test_a_beginning_that_all_lines_have_says_little(sonde, copies):
    log, beginning = sonde.work / "a.log", line(0)[:12]
    # Read to its end, and a copy of it left beside it.
    log.write_text(lines(1, 2))
    assert numbers(once(sonde, "a.log").stdout) == [1, 2]
    shutil.copy(log, f"{log}.2")
    log.write_text("")
    assert numbers(once(sonde, "a.log").stdout) == []
    add(log, beginning)
    assert numbers(once(sonde, "a.log").stdout) == []
    add(log, line(3)[12:] + lines(4))
    if copies:
        shutil.copy(log, f"{log}.1")
        os.truncate(log, 0)
    else:
        os.rename(log, f"{log}.1")
    add(log, lines(5))
    result = once(sonde, "a.log")
    assert (numbers(result.stdout), result.stderr) == ([3, 4, 5], "")


def test_what_lay_beside_a_log_that_was_not_there_is_passed_over(sonde):
    sonde.file("a.log.1", lines(1, 2))
    os.utime(sonde.work / "a.log.1", (0, 0))
    assert numbers(once(sonde, "a.log").stdout) == []
    add(sonde.work / "a.log.1", lines(3))
    add(sonde.work / "a.log", lines(4))
    assert numbers(once(sonde, "a.log").stdout) == [4]


def rotations(chance):
    """Random steps of a writer and of a guard: each of them a name and a number."""
    copies = chance.random() < 0.5
    steps = []
    for _ in range(40):
        steps.append(("write", chance.randrange(3)))
        if chance.random() < 0.3:
            steps.append(("copy" if copies else "rename", 0))
            if chance.random() < 0.3:
                steps.append(("run", 0))
            steps.append(("truncate" if copies else "write", 0))
        if chance.random() < 0.4:
            steps.append(("run", 0))
        if not copies and chance.random() < 0.3:
            # Whoever has the file open writes on.
            steps.append(("late", chance.randrange(3)))
    return [*steps, ("run", 0)]


@pytest.mark.parametrize("seed", range(10))
def test_whatever_the_order_each_line_is_read_once(sonde, seed):
    # Either each rotated file gets a new number, or those of all move.
    shifts = seed % 2 == 1
    log, written, read, count = sonde.work / "a.log", 0, [], 0
    steps = rotations(random.Random(seed))
    log.touch()
    assert once(sonde, "a.log").stdout == b""
    for step, number in steps:
        if step == "write":
            add(log, lines(*range(written, written + number)))
            written += number
        elif step == "run":
            result = once(sonde, "a.log")
            assert result.stderr == "", (steps, written, read)
            read += numbers(result.stdout)
        elif step == "truncate":
            os.truncate(log, 0)
        elif step == "late":
            if count:
                add(f"{log}.1" if shifts else f"{log}.{count}", lines(*range(written, written + number)))
                written += number
        else:
            count += 1
            for old in range(count, 1, -1) if shifts else ():
                os.rename(f"{log}.{old - 1}", f"{log}.{old}")
            rotated = f"{log}.1" if shifts else f"{log}.{count}"
            shutil.copy(log, rotated) if step == "copy" else os.rename(log, rotated)
    assert sorted(read) == list(range(written)), steps


def test_what_was_compressed_unread_is_told(sonde):
    log = sonde.work / "a.log"

    def compress(number):
        """Rotates as logrotate does, which keeps the time."""
        old = log.stat()
        (sonde.work / f"a.log.{number}.gz").write_bytes(gzip.compress(log.read_bytes()))
        os.utime(sonde.work / f"a.log.{number}.gz", ns=(old.st_atime_ns, old.st_mtime_ns))
        log.unlink()

    sonde.file("a.log", lines(1))
    assert numbers(once(sonde, "a.log").stdout) == [1]
    # All was read of it, and there is nothing in an empty one.
    compress(1)
    log.touch()
    compress(2)
    add(log, lines(2))
    result = once(sonde, "a.log")
    assert (numbers(result.stdout), result.stderr) == ([2], "")
    # The rest of one, and one that was never seen.
    time.sleep(0.02)
    add(log, lines(3))
    compress(3)
    time.sleep(0.02)
    add(log, lines(4, 5))
    compress(4)
    add(log, lines(6))
    result = once(sonde, "a.log")
    assert numbers(result.stdout) == [6]
    assert result.stderr == (
        f"sonde: a.log: what was behind byte {len(lines(2))} is gone or compressed\n"
        "sonde: a.log.4.gz: what was behind byte 0 is gone or compressed\n"
    )
    result = once(sonde, "a.log")
    assert (result.stdout, result.stderr) == (b"", "")


def test_what_a_pattern_found_is_awaited_after_it_is_gone(sonde):
    log = sonde.work / "a.log"
    add(log, lines(0))
    running = sonde.start("guard", "*.log", "--from-start", *HITS)
    assert numbers(running.line()) == [0]
    os.rename(log, sonde.work / "a.log.1")
    time.sleep(1.5)
    # It comes and is rotated away before anybody sees it, and the pattern is not looked at for seconds.
    add(sonde.work / "new", lines(1))
    os.rename(sonde.work / "new", sonde.work / "a.log.2")
    assert numbers(running.line()) == [1]
    # Whoever still has the first one open writes on.
    time.sleep(3)
    add(sonde.work / "a.log.1", lines(2))
    assert numbers(running.line()) == [2]
    running.signal(signal.SIGTERM)
    assert running.finish().stderr == ""


def test_rotations_that_follow_each_other_at_once_lose_no_line(sonde):
    log, chance, written = sonde.work / "a.log", random.Random(3), 0
    log.touch()
    running = sonde.start("guard", "a.log", *HITS, "--at-most", "0", "--name", "x")
    wait_for(lambda: (sonde.home / "state/sonde/guard/x/state.db").exists())
    time.sleep(1.5)
    for _ in range(60):
        for _ in range(chance.choice([1, 2, 3])):
            add(log, lines(*range(written, written + 10)))
            written += 10
            # All names move, while the follower looks for one; none is deleted, for it may be far behind.
            for old in range(200, 0, -1):
                if os.path.exists(f"{log}.{old}"):
                    os.rename(f"{log}.{old}", f"{log}.{old + 1}")
            os.rename(log, f"{log}.1")
        add(log, lines(written))
        written += 1
        time.sleep(chance.uniform(0, 0.06))
    output = b"".join(running.line() for _ in range(written))
    assert sorted(numbers(output)) == list(range(written))
    running.signal(signal.SIGTERM)
    assert running.finish().stderr == ""


def test_what_a_writer_adds_to_a_rotated_file_is_read_to_the_end(sonde):
    log, written, is_over = sonde.work / "a.log", [0], threading.Event()
    log.touch()
    once(sonde, "a.log")
    os.rename(log, sonde.work / "a.log.1")

    def write():
        while not is_over.is_set():
            add(sonde.work / "a.log.1", lines(*range(written[0], written[0] + 3)))
            written[0] += 3
            time.sleep(0.01)

    writer = threading.Thread(target=write)
    writer.start()
    read = [number for _ in range(15) for number in numbers(once(sonde, "a.log").stdout)]
    is_over.set()
    writer.join()
    read += numbers(once(sonde, "a.log").stdout)
    assert read == list(range(written[0]))


@pytest.mark.parametrize("names", [("a.log*",), ("a.log", "a.log.1", "a.log.2")], ids=["pattern", "names"])
def test_names_that_are_rotated_into_each_other_are_read_once(sonde, names):
    def rotate():
        for number in range(5, 0, -1):
            if os.path.exists(sonde.work / f"a.log.{number}"):
                os.rename(sonde.work / f"a.log.{number}", sonde.work / f"a.log.{number + 1}")
        os.rename(sonde.work / "a.log", sonde.work / "a.log.1")

    for number, name in enumerate(("a.log", "a.log.1", "a.log.2")):
        sonde.file(name, lines(10 * number, 10 * number + 1))
    assert sorted(numbers(once(sonde, *names).stdout)) == [0, 1, 10, 11, 20, 21]
    add(sonde.work / "a.log", lines(30))
    rotate()
    add(sonde.work / "a.log", lines(31))
    assert sorted(numbers(once(sonde, *names).stdout)) == [30, 31]
    for number in (32, 33):
        rotate()
        add(sonde.work / "a.log", lines(number))
    assert sorted(numbers(once(sonde, *names).stdout)) == [32, 33]


def test_a_log_whose_name_goes_on_with_digits_is_another(sonde):
    sonde.file("server1.log", lines(1))
    assert numbers(once(sonde, "server1.log").stdout) == [1]
    # As logrotate and lumberjack name them, and another machine.
    os.rename(sonde.work / "server1.log", sonde.work / "server1-20261130.log")
    sonde.file("server1-2026-11-30T11-00-00.000.log", lines(2))
    sonde.file("server10.log", lines(9))
    sonde.file("server1.log", lines(3))
    assert numbers(once(sonde, "server1.log").stdout) == [2, 3]


def test_a_large_file_holds_up_no_other(sonde):
    with open(sonde.work / "a.log", "wb") as file:
        file.write(b"2026-11-23T03:00:00Z nothing is meant by this line of many\n" * 200_000)
    add(sonde.work / "a.log", lines(1))
    sonde.file("b.log", lines(2))
    assert numbers(once(sonde, "a.log", "b.log").stdout) == [2, 1]


def test_a_pattern_finds_files_and_reads_none_twice(sonde):
    work = sonde.work
    sonde.file("a.log", lines(1))
    sonde.file("b.log", lines(2))
    sonde.file("c.log.gz", gzip.compress(lines(3).encode()))
    result = once(sonde, "*.log*")
    assert sorted(numbers(result.stdout)) == [1, 2]
    assert result.stderr == "sonde: c.log.gz: compressed files are not followed; --replay reads them\n"
    shutil.copy(work / "a.log", work / "d.log")
    os.rename(work / "b.log", work / "b.log.1")
    add(work / "b.log.1", lines(4))
    add(work / "b.log", lines(5))
    (work / "c.log.gz").unlink()
    result = once(sonde, "*.log*")
    assert (sorted(numbers(result.stdout)), result.stderr) == ([4, 5], "")


def test_columns_that_were_named_before_hold_after_a_restart_and_a_rotation(sonde):
    def row(number):
        return f"2026-11-20 10:00:00 {address(number)} 8.8.8.8\n"

    def run(*options):
        result = sonde("guard", "w3.log", "--once", "--when", "ip", "--name", "x", "--pick", "name:c-ip", "--provider", "local", *options)
        assert (result.status, result.stderr) == (0, "")
        return numbers(result.stdout)

    head = "#Fields: date time c-ip s-ip\n"
    log = sonde.work / "w3.log"
    log.write_text(head + row(1))
    # Not from its beginning, and yet below its columns.
    assert run() == []
    add(log, row(2))
    assert run() == [2]
    add(log, row(3))
    os.rename(log, f"{log}.1")
    add(log, head.replace("c-ip s-ip", "s-ip c-ip") + "2026-11-20 10:00:00 8.8.8.8 9.0.0.4\n")
    assert sorted(run()) == [3, 4]


def test_a_line_end_of_two_bytes_is_none_of_the_text(sonde):
    (sonde.work / "a.log").write_bytes(b"1.1.1.1 Failed\r\n2.2.2.2 Failed\r\n")
    words = ("guard", "a.log", "--once", "--from-start", "--provider", "local", "--when")
    for result in (
        sonde(*words, 'text ~ "*Failed"'),
        sonde(*words, "end = Failed", "--capture", "(?<end>Failed)$"),
        sonde("guard", "--replay", "a.log", *words[4:], 'text ~ "*Failed"'),
    ):
        assert [json.loads(line)["text"] for line in result.stdout.splitlines()] == ["1.1.1.1 Failed", "2.2.2.2 Failed"]


def test_what_cannot_be_read_or_written_ends_with_5(sonde):
    words = ("guard", "a.log", "--once", "--from-start", *HITS)
    (sonde.work / "a.log").write_bytes(b"\xff\xfe" + lines(1).encode("utf-16-le"))
    result = sonde(*words)
    assert (result.status, result.stderr) == (5, "sonde: a.log: UTF-16 is not followed; --replay reads it\n")
    assert numbers(sonde("guard", "--replay", "a.log", *HITS).stdout) == [1]
    (sonde.work / "a.log").unlink()
    (sonde.work / "a.log").mkdir()
    assert sonde(*words).status == 5
    state = sonde.home / "state" / "sonde"
    state.mkdir(parents=True, exist_ok=True)
    (state / "guard").write_text("")
    result = sonde(*words, "--name", "x")
    assert result.status == 5 and "Not a directory" in result.stderr


def test_that_too_many_files_are_open_is_told_once(sonde):
    for number in range(700):
        sonde.file(f"{number}.log", lines(number))
    result = sonde("guard", "*.log", "--once", "--from-start", *HITS, prefix=("prlimit", "--nofile=400"))
    read = set(numbers(result.stdout))
    assert result.status == 5 and 0 < len(read) < 700 and read <= set(range(700))
    assert result.stderr == "sonde: some files cannot be followed: Too many open files; they are tried again\n"


@pytest.mark.skipif(not os.environ.get("CI") and os.geteuid() != 0, reason="a network of its own needs root")
def test_hits_that_no_answer_can_judge_end_it_as_a_scan(sonde, simulator):
    sonde.file("a.log", lines(1))
    words = ("guard", "--replay", "a.log", "--when", "country_code = FR", "--provider", "ip-api", "--no-cache")
    simulator.control(faults=[{"fault": "status", "status": 403}])
    result = sonde(*words, env=simulator.env)
    assert (result.status, "undecided: 1 hit" in result.stderr) == (4, True)
    lost = sonde(*words, "--offline-timeout", "0", prefix=("unshare", "--net"))
    assert (lost.status, "undecided: 1 hit" in lost.stderr) == (3, True)


def test_counts_stay_and_other_options_count_anew(sonde):
    def run(*options):
        return sonde("guard", "a.log", "--once", "--from-start", "--name", "x", *HITS, *options)

    sonde.file("a.log", lines(1, 1))
    assert run("--count", "3").stdout == b""
    add(sonde.work / "a.log", lines(1))
    assert json.loads(run("--count", "3").stdout)["count"] == 3
    add(sonde.work / "a.log", lines(1))
    result = run("--count", "2")
    assert result.stdout == b"" and result.stderr.startswith("sonde: other options than before")


def test_a_name_is_for_one_process(sonde):
    sonde.file("a.log", lines(1))
    running = sonde.start("guard", "a.log", "--from-start", *HITS, "--name", "x")
    running.line()
    result = once(sonde, "a.log")
    assert result.status == 2 and "another process has this name" in result.stderr
    running.signal(signal.SIGTERM)
    assert running.finish().status == 0
    folder = sonde.home / "state" / "sonde" / "guard" / "x"
    assert folder.stat().st_mode & 0o777 == 0o700


def test_standard_input_is_read_to_its_end(sonde):
    running = sonde.start("guard", *HITS, "--count", "1")
    running.write(line(1))
    assert numbers(running.line()) == [1]
    running.write(line(2)[:-1])
    result = running.finish()
    assert (result.status, numbers(result.stdout), result.stderr) == (0, [1, 2], "")


def test_a_command_gets_the_event(sonde):
    sonde.file("a.log", lines(1, 2))
    command = 'cat >> events; echo "$SONDE_ALERT_ID $SONDE_ALERT_IP $SONDE_ALERT_COUNT" >> variables'
    result = once(sonde, "a.log", env={"SONDE_EXEC": command})
    assert (result.status, result.stderr) == (0, "")
    assert sonde.read("events") == result.stdout
    events = [json.loads(text) for text in result.stdout.splitlines()]
    assert sonde.read("variables").decode() == "".join(f"{e['id']} {e['ip']} 1\n" for e in events)


def test_a_slow_answer_costs_no_other_alert_its_place(sonde, simulator, receive):
    receiver = receive(answer(200))
    slow = {"fault": "hold", "address": address(1)}
    simulator.control(faults=[slow])
    words = ("guard", "a.log", *HITS[:2], "--provider", "ipinfo", "--no-cache", "--webhook", receiver.url)
    add(sonde.work / "a.log", "")
    running = sonde.start(*words, env={**simulator.env, "SONDE_IPINFO_TOKEN": None})
    time.sleep(0.5)
    add(sonde.work / "a.log", lines(0))
    receiver.wait(1)
    add(sonde.work / "a.log", lines(1))
    wait_for(lambda: simulator.requests("ipinfo single") == 2)
    # Those after it are asked about meanwhile.
    add(sonde.work / "a.log", lines(*range(2, 40)))
    wait_for(lambda: simulator.requests("ipinfo single") == 40)
    simulator.control(reset=False, faults=[])
    receiver.wait(40)
    events = [json.loads(request.body) for request in receiver.requests]
    assert [event["ip"] for event in events] == [address(number) for number in range(40)]
    assert [event["ip"] for event in events if "country_code" not in event] == []
    running.signal(signal.SIGTERM)
    running.finish()


def test_what_is_answered_in_time_is_replayed_with_its_place(sonde, simulator):
    slow = {"fault": "hold", "address": address(7)}
    simulator.control(faults=[slow])
    sonde.file("a.log", lines(*range(20)))
    words = ("guard", "--replay", "a.log", *HITS[:2], "--provider", "ipinfo", "--no-cache")
    result = sonde(*words, env={**simulator.env, "SONDE_IPINFO_TOKEN": None})
    events = [json.loads(text) for text in result.stdout.splitlines()]
    assert [event["ip"] for event in events] == [address(number) for number in range(20)]
    assert [event["ip"] for event in events if "country_code" not in event] == [address(7)]


def test_alerts_that_no_queue_can_keep_are_kept_by_the_guard(sonde, receive):
    receiver = receive(answer(503))
    sonde.file("a.log", lines(*range(20)))
    queues = sonde.home / "state/sonde/alerts"
    queues.parent.mkdir(parents=True)
    queues.write_text("no folder")
    words = ("guard", "a.log", "--from-start", *HITS, "--name", "x", "--webhook", receiver.url)
    result = sonde(*words, "--once")
    assert numbers(result.stdout) == list(range(20))
    assert "20 alerts are not delivered yet; the next run tries again" in result.stderr
    running = sonde.start(*words)
    receiver.wait(2)
    running.signal(signal.SIGKILL)
    running.finish()
    queues.unlink()
    before = len(receiver.requests)
    receiver.answers[:] = [answer(200)]
    result = sonde(*words, "--once")
    assert (result.status, result.stderr, result.stdout) == (0, "", b"")
    taken = [numbers(request.body)[0] for request in receiver.requests[before:]]
    assert taken == list(range(20))
    assert sonde(*words, "--once").status == 0 and len(receiver.requests) == before + 20


def test_a_flood_is_delivered_once(sonde, receive):
    receiver = receive(answer(200))
    sonde.file("a.log", lines(1, 2, 3, 4, 5))
    result = once(sonde, "a.log", "--webhook", receiver.url, "--at-most", "2")
    printed = [json.loads(text) for text in result.stdout.splitlines()]
    assert [event["event"] for event in printed] == ["alert", "alert", "flood", "alert", "alert"]
    taken = [json.loads(request.body) for request in receiver.requests]
    assert [event["id"] for event in taken] == [event["id"] for event in printed[:3]]
    keys = [request.fields["idempotency-key"] for request in receiver.requests]
    assert keys == [event["id"] for event in taken]


def test_a_test_alert_tries_each_way(sonde, receive):
    receiver = receive(answer(200))
    result = sonde(
        "guard", "a.log", *HITS, "--test-alert", "--webhook", receiver.url, "--exec", "exit 3"
    )
    assert (result.status, result.stdout, len(receiver.requests)) == (1, b"", 1)
    assert "--exec" in result.stderr
    sonde("guard", "a.log", *HITS, "--test-alert", "--exec", "cat > event")
    assert json.loads((sonde.work / "event").read_text())["event"] == "test"


def test_a_time_without_a_year_is_of_today(sonde):
    """Also where lines were written after the start, or by a clock that is ahead."""
    running = sonde.start("guard", "a.log", *HITS)
    time.sleep(1.1)
    for ahead in (0, 3600, 12 * 3600):
        written = time.gmtime(time.time() + ahead)
        add(sonde.work / "a.log", time.strftime("%b %e %H:%M:%S", written) + f" gate sshd[1]: Failed from {address(ahead)}\n")
        alert = json.loads(running.line())
        assert alert["time"] == time.strftime("%Y-%m-%dT%H:%M:%S.000Z", written)


def test_a_name_that_no_file_has_is_told(sonde):
    result = once(sonde, "a.log", "*.txt")
    assert (result.status, result.stdout) == (0, b"")
    assert result.stderr == "sonde: a.log: there is no such file yet\nsonde: *.txt: there is no such file yet\n"


@pytest.mark.parametrize("copies", [False, True], ids=["rename", "copytruncate"])
def test_each_alert_is_raised_once_whatever_ends_it(sonde, receive, copies):
    receiver, chance = receive(answer(200)), random.Random(7)
    log, written = sonde.work / "a.log", [0]

    def write():
        for number in range(1, 601):
            add(log, line(number))
            written.append(number)
            if number % 50 == 0:
                if copies:
                    shutil.copy(log, f"{log}.{number // 50}")
                    os.truncate(log, 0)
                else:
                    os.rename(log, f"{log}.{number // 50}")
            time.sleep(0.005)

    words = ("guard", "a.log", "--from-start", *HITS, "--name", "x", "--at-most", "0")
    add(log, line(0))
    output = sonde(*words, "--webhook", receiver.url, "--once").stdout
    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(10):
        running = sonde.start(*words, "--webhook", receiver.url)
        time.sleep(chance.uniform(0.05, 0.6))
        running.signal(signal.SIGKILL)
        # A line of output may be cut off by the kill.
        output += b"".join(
            text for text in running.finish().stdout.splitlines(True) if text.endswith(b"\n")
        )
    writer.join()
    result = sonde(*words, "--webhook", receiver.url, "--once")
    assert (result.status, result.stderr) == (0, "")
    ids = {}
    for request in receiver.requests:
        event = json.loads(request.body)
        ids.setdefault(numbers(request.body)[0], set()).add(event["id"])
    assert sorted(ids) == written
    assert all(len(known) == 1 for known in ids.values())
    assert set(numbers(output + result.stdout)) == set(written)


@pytest.mark.skipif(not os.environ.get("CI") and os.geteuid() != 0, reason="a small disk needs root")
def test_a_full_disk_ends_it_before_an_alert_is_forgotten(sonde):
    sonde.file("a.log", lines(*range(20_000)))
    state = sonde.home / "state"
    state.mkdir(parents=True, exist_ok=True)
    script = 'mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@"'
    small = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, str(state)]
    result = once(sonde, "a.log", prefix=small)
    assert (result.status, result.stdout) == (5, b"")
    assert result.stderr.endswith("/guard/x/state.db: the state cannot be read or written: database or disk is full\n")
    # On a larger one, nothing is missing.
    sonde.file("a.log", lines(1, 2, 3))
    assert numbers(once(sonde, "a.log").stdout) == [1, 2, 3]


def test_a_header_that_all_files_have_is_none_of_them(sonde):
    work, header = sonde.work, "time,event,address\n"
    sonde.file("a.log", header)
    assert once(sonde, "a.log").status == 0
    # A file that held nothing else has not read those that begin like it.
    add(work / "a.log", lines(1))
    os.rename(work / "a.log", work / "a.log.2")
    add(work / "a.log.1", header + lines(2, 3))
    add(work / "a.log", header + lines(4))
    result = once(sonde, "a.log")
    assert (numbers(result.stdout), result.stderr) == ([1, 2, 3, 4], "")
    assert once(sonde, "a.log").stdout == b""


def test_a_first_line_without_its_end_in_a_replaced_file_is_read_once(sonde):
    sonde.file("a.log", lines(1)[:-1])
    assert once(sonde, "a.log").stdout == b""
    sonde.file("new", lines(1, 2))
    os.rename(sonde.work / "new", sonde.work / "a.log")
    result = once(sonde, "a.log")
    assert (numbers(result.stdout), result.stderr) == ([1, 2], "")


def test_a_pattern_that_is_new_passes_over_what_is_there(sonde):
    words = ("--once", *HITS, "--name", "x")
    sonde.file("a1.log", lines(1))
    sonde.file("b1.log", lines(2))
    assert sonde("guard", "a*.log", *words).stdout == b""
    add(sonde.work / "a1.log", lines(3))
    assert numbers(sonde("guard", "a*.log", "b*.log", *words).stdout) == [3]
    add(sonde.work / "b1.log", lines(4))
    assert numbers(sonde("guard", "a*.log", "b*.log", *words).stdout) == [4]


def test_a_rotated_file_that_is_overwritten_is_not_read_again(sonde):
    work = sonde.work
    running = sonde.start("guard", "a.log", "--from-start", *HITS)
    for turn in range(4):
        add(work / "a.log", lines(3 * turn + 1, 3 * turn + 2, 3 * turn + 3))
        for _ in range(3):
            running.line()
        shutil.copy(work / "a.log", work / "a.log.1")
        (work / "a.log").write_text("")
        time.sleep(1.3)
    running.signal(signal.SIGTERM)
    result = running.finish()
    assert (numbers(result.stdout), result.stderr) == (list(range(1, 13)), "")


def test_a_file_whose_size_is_not_that_of_what_is_in_it_holds_up_none(sonde):
    running = sonde.start("guard", "/sys/kernel/mm/transparent_hugepage/enabled", "a.log", "--from-start", *HITS)
    add(sonde.work / "a.log", lines(1))
    assert numbers(running.line()) == [1]
    running.signal(signal.SIGTERM)
    assert running.finish().status == 0
