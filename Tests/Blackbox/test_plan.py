"""`sonde plan`: what a scan would need; nothing is sent."""

import re

import pytest
from command import wait_for

ADDRESSES = [f"5.{n // 250}.{n % 250}.13" for n in range(3000)]
ITEMS = "\n".join([*ADDRESSES, *ADDRESSES[:50], *[f"10.0.0.{n}" for n in range(7)], *["nonsense!"] * 3])


def numbers(text):
    """All numbers in a text, thousands separators taken out."""
    return {int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", text)}


def test_plan_counts_and_sends_nothing(sonde, simulator):
    result = sonde("plan", "--provider", "ip-api", input=ITEMS, env=simulator.env)
    shown = result.stdout.decode().lower()
    assert {3060, 3007, 7, 3, 30} <= numbers(shown) or {3060, 3000, 7, 3, 30} <= numbers(shown)
    for word in ("entries", "distinct", "cached", "reserved", "invalid", "requests", "ip-api"):
        assert word in shown, word
    assert simulator.counts()["total"] == 0 and result.status in (0, 1)


def test_plan_tells_each_provider_s_requests(sonde, simulator):
    env = {**simulator.env, "SONDE_IPINFO_TOKEN": "test-token"}
    shown = sonde("plan", "--provider", "ip-api,ipinfo,ipinfo-lite,local", input=ITEMS, env=env).stdout.decode()
    lines = {name: line for line in shown.splitlines() for name in ("ip-api", "ipinfo-lite", "local") if name in line}
    assert set(lines) == {"ip-api", "ipinfo-lite", "local"}
    assert 30 in numbers(lines["ip-api"]) and 3 in numbers(lines["ipinfo-lite"])
    assert simulator.counts()["total"] == 0


def test_plan_says_where_the_addresses_would_go(sonde):
    result = sonde("plan", "--provider", "ip-api", "8.8.8.8", env={"SONDE_IP_API_URL": None})
    said = (result.stdout.decode() + result.stderr).lower()
    assert "unencrypted" in said and "non-commercial" in said


def test_plan_says_nothing_of_it_for_a_place_that_is_asked_encrypted(sonde):
    result = sonde("plan", "--provider", "ip-api", "8.8.8.8", env={"SONDE_IP_API_URL": "https://mirror.example"})
    assert (result.status, result.stderr) == (0, "")


def test_plan_for_nothing_needs_no_request(sonde):
    result = sonde("plan", input="")
    assert result.status == 0 and numbers(result.stdout.decode()) <= {0}


def rows(sonde, *options, **more):
    """The numbers of a plan by their names; of a provider its requests."""
    lines = sonde("plan", *options, **more).stdout.decode().splitlines()
    return {line[:14].strip(): int(line[14:26]) for line in lines if line and not line.startswith("provider")}


def test_plan_counts_kept_duplicates_as_scan_asks_for_them(sonde, simulator):
    text = "8.8.8.8\n1.1.1.1\n" * 150
    plan = rows(sonde, "--duplicates", "keep", input=text, env=simulator.env)
    assert (plan["entries"], plan["distinct"], plan["to ask"], plan["ip-api"]) == (300, 2, 2, 1)
    result = sonde("scan", "--duplicates", "keep", input=text, env=simulator.env)
    assert len(result.records) == 300 and simulator.counts()["total"] == 1


def test_plan_counts_for_a_later_provider_what_can_reach_it(sonde, simulator):
    env = {**simulator.env, "SONDE_IPINFO_TOKEN": "test-token"}
    kept = ("--cache", "kept.db")
    assert sonde("scan", "--provider", "ip-api", *kept, input="\n".join(ADDRESSES[:1400]), env=env).status in (0, 1)
    sent = simulator.counts()["total"]
    plan = rows(sonde, *kept, "--provider", "ip-api,ipinfo,local", input="\n".join(ADDRESSES[:1530]), env=env)
    assert (plan["cached"], plan["to ask"], plan["ip-api"], plan["ipinfo"]) == (1400, 130, 2, 1)
    assert simulator.counts()["total"] == sent


def files(folder):
    """All that is in a folder, and when it was changed."""
    return {(str(path), path.stat().st_mtime_ns) for path in folder.rglob("*")}


def test_plan_counts_what_was_spent_of_the_window(sonde, simulator):
    simulator.control(batch_limit=4)
    env = simulator.env
    where = sonde.home / "state" / "sonde"
    assert " 3  at once (15 a minute)\n" in sonde("plan", input="\n".join(ADDRESSES[:300]), env=env).stdout.decode()
    assert not where.exists()
    scan = sonde("scan", "--provider", "ip-api", input="\n".join(ADDRESSES[:300]), env=env)
    assert scan.status == 0
    before = files(where)
    enough = sonde("plan", input="\n".join(ADDRESSES[300:400]), env=env)
    assert " 1  at once (15 a minute, 1 left now)\n" in enough.stdout.decode(), enough
    more = sonde("plan", input="\n".join(ADDRESSES[300:500]), env=env).stdout.decode()
    assert re.search(r" 2  (\d\d? s|1 min) \(15 a minute, 1 left now\)\n", more), more
    assert files(where) == before


def test_plan_reads_the_ledger_beside_who_writes_it(sonde, simulator):
    simulator.control(batch_limit=1)
    running = sonde.start("scan", "--provider", "ip-api", *ADDRESSES[:150], env=simulator.env)
    wait_for(lambda: simulator.counts()["total"] >= 1)
    where = sonde.home / "state" / "sonde"
    wait_for(lambda: "0 left now" in sonde("plan", "5.6.7.8", env=simulator.env).stdout.decode())
    names = {path.name for path in where.iterdir()}
    plan = sonde("plan", "5.6.7.8", env=simulator.env).stdout.decode()
    assert "0 left now" in plan, plan
    assert {path.name for path in where.iterdir()} == names
    running.signal(9)
    running.finish()
    assert "0 left now" in sonde("plan", "5.6.7.8", env=simulator.env).stdout.decode()
    assert {path.name for path in where.iterdir()} == names


def shared(sonde, redis, simulator, *items, more=()):
    """Runs `plan --shared`, which changes nothing in Redis."""
    before = {key: redis.ask("DUMP", key) for key in keys(redis)}
    result = sonde("plan", "--shared", redis.url, *more, input="\n".join(items), env=simulator.env)
    assert {key: redis.ask("DUMP", key) for key in keys(redis)} == before or not before
    assert not (sonde.home / "state").exists()
    return result


def keys(redis):
    """The names of all that is kept, but for what connecting leaves."""
    lines = redis.ask("KEYS", "{sonde}:*").split(b"\r\n")
    return {line for line in lines if line.startswith(b"{sonde}:")} - {b"{sonde}:salt", b"{sonde}:quiet"}


def test_plan_counts_what_machines_share(sonde, simulator, redis):
    simulator.control(batch_limit=4)
    told = shared(sonde, redis, simulator, *ADDRESSES[:300])
    assert " 3  at once (15 a minute)\n" in told.stdout.decode() and not keys(redis)
    scan = ["scan", "--provider", "ip-api", "--shared", redis.url]
    elsewhere = {**simulator.env, "XDG_STATE_HOME": str(sonde.work / "elsewhere")}
    assert sonde(*scan, input="\n".join(ADDRESSES[:300]), env=elsewhere).status == 0
    told = shared(sonde, redis, simulator, *ADDRESSES[200:400]).stdout.decode()
    assert re.search(r"cached +100\n", told) and " 1  at once (15 a minute, 1 left now)\n" in told, told
    told = shared(sonde, redis, simulator, *ADDRESSES[200:500]).stdout.decode()
    assert re.search(r" 2  (\d\d? s|1 min) \(15 a minute, 1 left now\)\n", told), told
    told = shared(sonde, redis, simulator, *ADDRESSES[200:400], more=["--no-cache"]).stdout.decode()
    assert re.search(r"cached +0\n", told) and "1 left now" in told, told
    assert simulator.counts()["total"] == 3


def test_plan_waits_a_window_after_the_shared_ledger_was_lost(sonde, simulator, redis):
    scan = ["scan", "--provider", "ip-api", "--shared", redis.url, "5.5.5.5"]
    assert sonde(*scan, env=simulator.env).status == 0
    redis.ask("SAVE")
    redis.kill()
    redis.start()
    for _ in range(2):
        told = shared(sonde, redis, simulator, "6.6.6.6").stdout.decode()
        assert re.search(r" 1  (\d\d s|1 min) \(15 a minute, 0 left now\)\n", told), told


def test_plan_says_that_what_machines_share_is_gone(sonde, simulator, redis):
    redis.kill()
    for more in ([], ["--no-cache"]):
        told = sonde("plan", "--shared", redis.url, *more, "8.8.8.8", env=simulator.env)
        assert told.status == 5 and told.stdout == b"" and "refused" in told.stderr, told
        assert redis.url.rstrip("0") in told.stderr
    local = sonde("plan", "--provider", "local", "--shared", redis.url, "8.8.8.8")
    assert local.status == 0 and "sends nothing" in local.stdout.decode()


def test_plan_tells_the_age_of_an_old_database(sonde, mmdb_database, tmp_path):
    old = mmdb_database("city", built=1_600_000_000)
    result = sonde("plan", "--provider", "local", "--database", old, "5.6.7.8")
    assert result.status == 0 and "days old" in result.stderr and "location update" in result.stderr
    assert str(old) in result.stderr
    for others in (["--quiet"], ["--provider", "ip-api"]):
        assert "days old" not in sonde("plan", "--provider", "local", "--database", old, "5.6.7.8", *others).stderr


def test_plan_says_nothing_of_a_new_database_or_one_that_is_not_needed(sonde, mmdb_database):
    assert sonde("plan", "--provider", "local", "--database", mmdb_database("city"), "5.6.7.8").stderr == ""
    old = mmdb_database("asn", built=1_600_000_000)
    assert sonde("plan", "--provider", "local", "--database", old, "10.0.0.1").stderr == ""


@pytest.mark.parametrize("command", ["scan", "lookup", "me", "plan"])
def test_help_says_how_to_renew_the_database(sonde, command):
    text = " ".join(sonde(command, "--help").stdout.decode().split())
    assert "90 days" in text and "location update" in text


def test_help_says_what_goes_where(sonde):
    text = " ".join(sonde("--help").stdout.decode().split())
    assert "addresses go to ip-api.com unencrypted" in text and "--provider local sends nothing" in text
