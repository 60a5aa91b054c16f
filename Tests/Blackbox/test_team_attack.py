"""Passwords of `sonde serve --team` under attack: the right user gets in, and time tells nothing."""

import contextlib
import http.client
import json
import os
import statistics
import threading
import time
from pathlib import Path

import pytest

# How long the attack lasts, in seconds; the whole of it is 60.
LENGTH = float(os.environ.get("SONDE_ATTACK_SECONDS", "12"))
ADDRESSES = [f"127.0.1.{number}" for number in range(1, 51)]


def log_in(team, email, password, address):
    """The status of logging in from an address, and how long it took."""
    host, port = team.address.split(":")
    body = json.dumps({"email": email, "password": password})
    start = time.monotonic()
    with contextlib.closing(http.client.HTTPConnection(host, int(port), 30, (address, 0))) as connection:
        connection.request("POST", "/api/v1/session", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        response.read()
        return response.status, time.monotonic() - start


def usage(team):
    """The seconds of processor and the most bytes of memory that the server has used."""
    place = Path("/proc") / str(team.running.process.pid)
    fields = (place / "stat").read_text().rpartition(")")[2].split()
    peak = next(line for line in (place / "status").read_text().splitlines() if line.startswith("VmHWM"))
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(peak.split()[1]) << 10


@pytest.mark.measures_time
@pytest.mark.parametrize("accounts", [1, 500])
def test_the_right_user_gets_in_while_others_guess(team, accounts):
    targets = [team.ADMIN] if accounts == 1 else [f"user{number}@example.org" for number in range(accounts)]
    ends = time.monotonic() + LENGTH
    answers = []

    def guess(turn):
        # Twenty a second, all of them together.
        due = time.monotonic() + turn / 20
        while due < ends:
            time.sleep(max(0, due - time.monotonic()))
            email, address = targets[len(answers) % len(targets)], ADDRESSES[len(answers) % len(ADDRESSES)]
            answers.append(log_in(team, email, f"wrong password {len(answers)}", address)[0])
            due += 1

    guessers = [threading.Thread(target=guess, args=[turn]) for turn in range(20)]
    (busy, _), start = usage(team), time.monotonic()
    for guesser in guessers:
        guesser.start()
    tries = []
    while time.monotonic() < ends - 1:
        tries.append(log_in(team, team.ADMIN, team.PASSWORD, f"127.0.2.{1 + len(tries) % 200}"))
        time.sleep(0.5)
    for guesser in guessers:
        guesser.join()
    length = time.monotonic() - start
    late, peak = usage(team)
    late_tries = [each for each in tries if each[0] != 201 or each[1] > 1]
    figures = f"{len(tries)} tries, {len(late_tries)} late, {len(answers)} guesses, {(late - busy) / length:.2f} cores, {peak >> 20} MiB"
    print(figures)
    assert 201 not in answers and len(answers) > 10 * LENGTH, figures
    assert len(late_tries) <= max(1, len(tries) // 100), f"{figures}: {late_tries}"
    assert (late - busy) / length <= 1.1 and peak < 300 << 20, figures


@pytest.mark.measures_time
def test_time_does_not_tell_whether_an_account_exists(team):
    # Other work on the machine only ever adds to a difference: one calm round of three shows that there is none.
    assert any(difference(team, network) <= 0.1 for network in ("127.0.3", "127.0.4", "127.0.5"))


def difference(team, network):
    """By which part the medians of log-ins to an account and to none differ, from 20 addresses of a network."""
    times = {team.ADMIN: [], "nobody@example.org": []}
    for number in range(int(os.environ.get("SONDE_ATTACK_TRIES", "40"))):
        for email, taken in times.items():
            status, time_taken = log_in(team, email, "wrong password", f"{network}.{1 + number % 20}")
            assert status in (401, 429)
            if status == 401:
                taken.append(time_taken)
    known, unknown = (statistics.median(taken) for taken in times.values())
    print(f"{known:.4f} s for an account, {unknown:.4f} s for none, {len(times[team.ADMIN])} tries")
    return abs(known - unknown) / max(known, unknown)
