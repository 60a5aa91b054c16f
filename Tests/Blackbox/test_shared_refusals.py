"""`--shared`: what the server refuses for good, what it holds that is not Sonde's, and what its URL may be."""

import json
import re
import time

import pytest
from expected import differences, record
from redis_proxy import Answering, Error, Proxy

pytestmark = pytest.mark.slow

ADDRESSES = [f"5.{n // 250}.{n % 250}.13" for n in range(1000)]
SECRET = "s3cret-Pass"
HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture
def shared(sonde, simulator, redis):
    """Runs a command with `--shared`."""

    def run(command, *arguments, url=None, env=None, shared=True):
        more = ["--shared", url or redis.url] if shared else []
        return sonde(command, *arguments, *more, env={**simulator.env, **(env or {})})

    return run


@pytest.fixture
def scan(sonde, simulator, redis):
    """Starts a scan with `--shared`, of some addresses, which asks ip-api alone."""

    def start(count, *more, url=None, env=None):
        name = sonde.file(f"list-{sonde.runs}.txt", "\n".join(ADDRESSES[:count]) + "\n")
        arguments = ["scan", name, "--provider", "ip-api", "--shared", url or redis.url, *more]
        return sonde.start(*arguments, env={**simulator.env, **(env or {})})

    return start


def right(result, count):
    wanted = [record(address, line=n) for n, address in enumerate(ADDRESSES[:count], 1)]
    assert differences(result.records, wanted, cached=(True, False)) == []
    assert result.status == 0, result.stderr


def lines(result, words):
    return [line for line in result.stderr.splitlines() if words in line]


def await_requests(simulator, count, timeout=20):
    deadline = time.monotonic() + timeout
    while simulator.counts()["total"] < count:
        assert time.monotonic() < deadline, f"no {count} requests"
        time.sleep(0.01)


def keys(redis, pattern):
    answer = redis.ask("KEYS", pattern).decode().split("\r\n")
    return sorted(answer[2::2])


# Refused for good


def refuse(redis, way):
    """Has the server refuse; the URL, the environment and the words that tell why."""
    env = {"SONDE_SHARED_PASSWORD": SECRET}
    if way == "no password":
        redis.ask("CONFIG", "SET", "requirepass", "right")
        return redis.url, {}, "NOAUTH"
    if way == "wrong password":
        redis.ask("CONFIG", "SET", "requirepass", "right")
        return redis.url, env, "WRONGPASS"
    if way == "no such user":
        return f"redis://nobody@127.0.0.1:{redis.port}/0", env, "WRONGPASS"
    if way == "password of nobody":
        return redis.url, env, "ERR AUTH <password> called without any password"
    if way == "no rights":
        redis.ask("ACL", "SETUSER", "me", "on", f">{SECRET}", "~{sonde}:*", "+@read", "+@connection", "+info", "+time")
        return f"redis://me@127.0.0.1:{redis.port}/0", env, "NOPERM"
    if way == "other keys":
        redis.ask("ACL", "SETUSER", "me", "on", f">{SECRET}", "~{sonde}:answer*", "~{sonde}:salt", "~{sonde}:quiet", "+@all")
        return f"redis://me@127.0.0.1:{redis.port}/0", env, "NOPERM"
    if way == "database":
        return redis.url.replace("/0", "/99"), {}, "ERR DB index is out of range"
    raise AssertionError(way)


WAYS = ["no password", "wrong password", "no such user", "password of nobody", "no rights", "other keys", "database"]


@pytest.mark.parametrize("way", WAYS)
def test_what_is_refused_for_good_ends_a_run_before_anything_is_asked(scan, simulator, sonde, redis, loc_database, way):
    url, env, words = refuse(redis, way)
    sonde.file("old.csv", "what was there\n")
    began = time.monotonic()
    more = ["--provider", "ip-api,local", "--database", loc_database, "--events", "events.ndjson"]
    result = scan(100, "-o", "new.csv", *more, url=url, env=env).finish()
    assert time.monotonic() - began < 10
    assert result.status == 5 and simulator.counts()["total"] == 0
    place = re.sub("//[^@/]*@", "//", url)
    assert result.stderr.startswith(f"sonde: {place}: Redis says: {words}") and result.stderr.count("\n") == 1
    assert SECRET not in result.stderr
    # No output is touched.
    left = {path.name for path in sonde.work.iterdir() if path.is_file()}
    assert not left & {"new.csv", "new.csv.journal", "events.ndjson"} and sonde.read("old.csv") == b"what was there\n"


STRANGERS = {
    "http": HTTP, "ssh": b"SSH-2.0-OpenSSH_9.2p1\r\n", "mail": b"220 example.org ESMTP\r\n", "tls": b"\x15\x03\x01\x00\x02\x02\x46",
    "yes": b"+OK\r\n" * 9, "unknown": b"-ERR unknown command `AUTH`, with args beginning with: `%s` \r\n" % SECRET.encode() * 9,
    "cross": b"-CROSSSLOT Keys in request don't hash to the same slot\r\n" * 9,
    "denied": b"-DENIED Redis is running in protected mode\r\n" * 9,
}


@pytest.mark.parametrize("kind", STRANGERS)
def test_what_is_no_redis_or_none_to_be_used_ends_a_run_at_once(scan, simulator, kind):
    stranger = Answering(STRANGERS[kind])
    result = scan(10, url=stranger.url, env={"SONDE_SHARED_PASSWORD": SECRET}).finish()
    stranger.close()
    assert result.status == 5 and simulator.counts()["total"] == 0 and result.stdout == b""
    assert result.stderr.startswith(f"sonde: {stranger.url}: ") and SECRET not in result.stderr
    if kind in ("cross", "denied"):
        assert f"Redis says: {kind.upper()}" in result.stderr


def test_every_command_that_shares_says_so_alike(shared, simulator, sonde, redis):
    redis.ask("CONFIG", "SET", "requirepass", "right")
    sonde.file("list.txt", "5.0.0.1\n")
    sonde.file("log.txt", "5.0.0.1 - -\n")
    failed = {"ip": "5.0.0.1", "status": "failed", "message": "x"}
    sonde.file("failed.ndjson", json.dumps(failed) + "\n")
    commands = [
        ["scan", "list.txt"], ["lookup", "5.0.0.1"], ["me"], ["annotate", "log.txt"], ["summary", "log.txt"], ["plan", "list.txt"],
        ["upgrade", "failed.ndjson", "-o", "new.ndjson"], ["upgrade", "failed.ndjson", "-o", "failed.ndjson"], ["status"],
        ["cache", "list"], ["cache", "stats"], ["cache", "clear"], ["quota", "list"], ["quota", "reset", "ip-api"], ["serve"],
    ]
    env = {"SONDE_SHARED_PASSWORD": SECRET}
    for command in commands:
        result = shared(*command, env=env)
        assert result.status == 5 and result.stdout == b"", command
        assert result.stderr == f"sonde: {redis.url}: Redis says: WRONGPASS invalid username-password pair or user is disabled.\n"
    assert simulator.counts()["total"] == 0 and not (sonde.work / "new.ndjson").exists()
    assert sonde.read("failed.ndjson").decode() == json.dumps(failed) + "\n"
    # Who asks nobody needs no server.
    assert shared("check", "list.txt", env=env, shared=False).status == 0


@pytest.mark.parametrize("way", ["wrong password", "no rights"])
def test_what_is_refused_later_is_waited_for(scan, simulator, redis, sonde, way):
    simulator.control(window=1, batch_limit=2)
    redis.ask("ACL", "SETUSER", "me", "on", f">{SECRET}", "~*", "+@all")
    url, env = f"redis://me@127.0.0.1:{redis.port}/0", {"SONDE_SHARED_PASSWORD": SECRET}
    run = scan(600, "--no-cache", "--rate", "2/s", "--events", "events.ndjson", url=url, env=env)
    await_requests(simulator, 2)
    if way == "no rights":
        redis.ask("ACL", "SETUSER", "me", "-eval", "-evalsha")
    else:
        redis.ask("ACL", "SETUSER", "me", "resetpass", ">another")
        redis.ask("CLIENT", "KILL", "USER", "me")
    deadline = time.monotonic() + 20
    while "shared_unreachable" not in run.stderr:
        assert time.monotonic() < deadline, run.stderr
        time.sleep(0.01)
    asked = simulator.counts()["total"]
    time.sleep(1.5)
    assert simulator.counts()["total"] == asked
    redis.ask("ACL", "SETUSER", "me", f">{SECRET}", "+@all")
    result = run.finish(timeout=60)
    right(result, 600)
    [lost] = lines(result, "sonde: network lost")
    assert ("WRONGPASS" if way == "wrong password" else "NOPERM") in lost and SECRET not in result.stderr
    told = sonde.read("events.ndjson").decode()
    assert SECRET not in told and "me@" not in told


# What passes by itself


@pytest.mark.parametrize(
    "words", ["LOADING Redis is loading the dataset in memory", "MASTERDOWN Link", "CLUSTERDOWN x", "TRYAGAIN x", "NOREPLICAS x",
              "MISCONF x", "READONLY x", "ERR max number of clients reached"]
)  # fmt: skip
def test_what_passes_by_itself_is_waited_for_from_the_start(scan, simulator, words):
    busy = Answering(f"-{words}\r\n".encode() * 9)
    result = scan(10, "--offline-timeout", "1", url=busy.url).finish()
    busy.close()
    assert result.status == 3 and simulator.counts()["total"] == 0 and len(lines(result, "sonde: network lost")) == 1
    assert {each["status"] for each in result.records} == {"network_lost"}
    assert all(f"shared_unreachable, {busy.url}: Redis says: {words}" in each["message"] for each in result.records)


def test_a_server_that_loads_is_used_when_it_is_ready(scan, simulator, redis):
    began = time.monotonic()

    def load(_, answer):
        return answer if time.monotonic() - began > 3 else Error(b"LOADING Redis is loading the dataset in memory")

    proxy = Proxy(redis, load)
    result = scan(300, url=proxy.url).finish()
    proxy.close()
    right(result, 300)
    assert len(lines(result, "sonde: network lost")) == 1 and len(lines(result, "sonde: network is back")) == 1


# What is not Sonde's


KINDS = [["SET", "x"], ["LPUSH", "x"], ["SADD", "x"], ["ZADD", "1", "x"], ["HSET", "a", "x"], ["XADD", "*", "a", "x"]]


def put(redis, key, kind):
    """Puts a value of another kind into a key, at once: a scan that runs writes there, too."""
    script = "redis.call('DEL', KEYS[1]); return redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))"
    assert not redis.ask("EVAL", script, 1, key, *kind).startswith(b"-")


def test_an_answer_of_another_kind_is_absent_and_replaced(scan, simulator, redis, shared):
    right(scan(3).finish(), 3)
    for kind in KINDS:
        put(redis, f"{{sonde}}:answer:{ADDRESSES[0]}", kind)
        result = scan(3).finish()
        right(result, 3)
        assert [each["cached"] for each in result.records] == [False, True, True] and "lost" not in result.stderr, kind
        assert {each["cached"] for each in scan(3).finish().records} == {True}
    for key in ("{sonde}:answers", "{sonde}:scopes"):
        put(redis, key, ["SET", "x"])
        result = scan(3, "--cache-ttl", "0s").finish()
        right(result, 3)
        assert "lost" not in result.stderr
        assert {each["cached"] for each in scan(3).finish().records} == {True}
        assert shared("cache", "stats").status == 0


@pytest.mark.parametrize("kind", [*KINDS, None], ids=lambda kind: kind[0] if kind else "damage")
def test_a_row_of_the_quota_that_is_not_sondes_is_as_after_a_flush(scan, simulator, redis, kind):
    """Who knew it waits for a window, and nothing is told as a loss."""
    simulator.control(window=1, batch_limit=2)
    run = scan(500, "--no-cache", "--rate", "2/s")
    await_requests(simulator, 2)
    [key] = [key for key in keys(redis, "{sonde}:quota:*") if ":turn" not in key]
    if kind:
        put(redis, key, kind)
    else:
        redis.ask("SETRANGE", key, "40", b"\xff\xfe")
    result = run.finish(timeout=60)
    right(result, 500)
    assert "lost" not in result.stderr and simulator.counts()["throttled"] == 0
    assert redis.ask("TYPE", key) in (b"+string\r\n", b"+none\r\n")


@pytest.mark.parametrize("value", [["LPUSH", "x"], ["SET", "short"], ["SET", ""]])
def test_a_salt_that_is_not_sondes_is_replaced(scan, simulator, redis, value):
    for _ in range(2):
        put(redis, "{sonde}:salt", value)
        result = scan(3).finish()
        right(result, 3)
        assert "lost" not in result.stderr and redis.ask("STRLEN", "{sonde}:salt") == b":16\r\n"
    # Also under way.
    simulator.control(window=1, batch_limit=2)
    run = scan(500, "--no-cache", "--rate", "2/s")
    await_requests(simulator, 2)
    put(redis, "{sonde}:salt", value)
    result = run.finish(timeout=60)
    right(result, 500)
    assert "lost" not in result.stderr and simulator.counts()["throttled"] == 0


def test_a_quiet_time_that_nobody_set_holds_nobody_up(scan, redis):
    redis.ask("SET", "{sonde}:quiet", "", "PX", "99999999999")
    began = time.monotonic()
    right(scan(3).finish(), 3)
    assert time.monotonic() - began < 10


# No room


def test_a_full_server_loses_the_oldest_answers_first(scan, redis, shared):
    right(scan(600).finish(), 600)
    used = int(re.search(rb"used_memory:(\d+)", redis.ask("INFO", "memory"))[1])
    redis.ask("CONFIG", "SET", "maxmemory", str(used))
    result = scan(900).finish()
    right(result, 900)
    assert "OOM" not in result.stderr and "lost" not in result.stderr
    listed = [json.loads(line)["ip"] for line in shared("cache", "list", "--format", "ndjson").stdout.splitlines()]
    # Of each hundred the newest are there, and none of the oldest.
    assert set(ADDRESSES[600:900]) <= set(listed) and not set(ADDRESSES[:100]) & set(listed)


def test_without_room_new_answers_are_not_kept_and_the_quota_goes_on(scan, simulator, redis, shared):
    simulator.control(window=1, batch_limit=3)
    right(scan(200).finish(), 200)
    redis.ask("CONFIG", "SET", "maxmemory", "1")
    runs = [scan(800, "--rate", "3/s"), scan(700, "--rate", "3/s")]
    for run, count in zip(runs, (800, 700)):
        result = run.finish(timeout=60)
        right(result, count)
        [said] = lines(result, "OOM")
        assert said.startswith(f"sonde: {redis.url}: Redis says: OOM") and said.endswith("; new answers are not kept")
        assert "lost" not in result.stderr
    assert simulator.counts()["throttled"] == 0 and all(w["requests"] <= 3 for w in simulator.windows())
    # All that was there has been deleted in vain; the server can be looked into and cleaned.
    assert json.loads(shared("cache", "stats", "--format", "json").stdout)["answers"] == 0
    assert shared("plan", "8.8.8.8").status == 0 and shared("status").status == 0
    assert shared("cache", "clear").status == 0
    assert not keys(redis, "{sonde}:answer*")
    redis.ask("CONFIG", "SET", "maxmemory", "0")
    assert "OOM" not in scan(100).finish().stderr


# Numbers without sense

ENDS = [9223372036854775807, -9223372036854775808, -1, 0, 253402300800, 99999999999999999999]


@pytest.mark.parametrize("moment", ENDS)
@pytest.mark.parametrize("when", ["start", "later"])
def test_a_time_that_is_none_is_as_if_it_were_gone(scan, simulator, redis, shared, moment, when):
    simulator.control(window=1, batch_limit=2)
    state = {"begun": when == "start"}

    def lie(words, answer):
        if not state["begun"]:
            return answer
        if words[0] == "TIME":
            return [b"%d" % moment, b"%d" % moment]
        if words[0] == "EVALSHA" and isinstance(answer, list) and len(answer) == 5:
            return answer[:2] + [b"%d" % moment, b"%d" % moment] + answer[4:]
        return answer

    proxy = Proxy(redis, lie)
    if when == "later":
        run = scan(500, "--no-cache", "--rate", "2/s", "--offline-timeout", "2", url=proxy.url)
        await_requests(simulator, 2)
        state["begun"] = True
    else:
        run = scan(500, "--no-cache", "--offline-timeout", "1", url=proxy.url)
    result = run.finish(timeout=60)
    assert result.status == 3 and len(lines(result, "sonde: network lost")) == 1
    assert "the clock of Redis shows no time between 2000 and 2100" in result.stderr
    assert shared("status", url=proxy.url).status == 3 and shared("plan", "8.8.8.8", url=proxy.url).status == 5
    proxy.close()


@pytest.mark.parametrize("number", ENDS[:4])
def test_no_number_of_the_server_ends_the_process(scan, simulator, redis, shared, number):
    right(scan(5).finish(), 5)

    def lie(_, answer):
        def changed(item):
            if isinstance(item, list):
                return [changed(each) for each in item]
            if isinstance(item, int):
                return number
            return b"%d" % number if isinstance(item, bytes) and item.isdigit() and len(item) > 4 else item

        return changed(answer)

    proxy = Proxy(redis, lie)
    for command in (["list"], ["stats"], ["show", ADDRESSES[0]], ["delete", ADDRESSES[0]], ["clear"]):
        assert shared("cache", *command, url=proxy.url).status in (0, 1, 5)
    for command in (["status"], ["plan", "8.8.8.8"], ["lookup", "8.8.8.8", "--offline-timeout", "1"]):
        assert shared(*command, url=proxy.url).status in (0, 1, 3, 5)
    assert scan(50, "--offline-timeout", "1", url=proxy.url).finish().status in (0, 3)
    proxy.close()


# One that comes and goes


def test_one_that_flaps_is_one_outage(scan, simulator, redis, sonde):
    simulator.control(window=1, batch_limit=1)
    run = scan(1000, "--no-cache", "--rate", "1/s", "--events", "events.ndjson")
    await_requests(simulator, 1)
    for _ in range(6):
        redis.kill()
        time.sleep(0.8)
        redis.start()
        time.sleep(1.5)
    result = run.finish(timeout=120)
    right(result, 1000)
    assert len(lines(result, "sonde: network lost")) == 1 and len(lines(result, "sonde: network is back")) == 1
    events = [json.loads(line) for line in sonde.read("events.ndjson").splitlines()]
    changes = [event for event in events if event["event"] == "network"]
    assert [each["state"] for each in changes] == ["offline", "online"] and events[-1]["losses"] == 1
    assert simulator.counts()["throttled"] == 0


def test_one_that_is_lost_soon_after_its_return_is_one_outage_however_long(scan, simulator, redis, sonde):
    simulator.control(window=1, batch_limit=1)
    run = scan(1000, "--no-cache", "--rate", "1/s", "--events", "events.ndjson")
    await_requests(simulator, 1)
    for away in (1, 14):
        redis.kill()
        time.sleep(away)
        redis.start()
        time.sleep(4)
    result = run.finish(timeout=120)
    right(result, 1000)
    assert len(lines(result, "sonde: network lost")) == 1 and len(lines(result, "sonde: network is back")) == 1
    events = [json.loads(line) for line in sonde.read("events.ndjson").splitlines()]
    changes = [event for event in events if event["event"] == "network"]
    assert [each["state"] for each in changes] == ["offline", "online"] and events[-1]["losses"] == 1


def test_one_that_refuses_what_is_done_there_is_not_back(scan, simulator, redis):
    """It logs in everybody, but runs no script of the quota."""
    simulator.control(window=1, batch_limit=1)
    state = {"refuses": False}

    def refuse(words, answer):
        refuses = state["refuses"] and words[0] in ("EVAL", "EVALSHA")
        return Error(b"NOPERM this user has no permissions to run the 'evalsha' command") if refuses else answer

    proxy = Proxy(redis, refuse)
    run = scan(300, "--no-cache", "--rate", "1/s", url=proxy.url)
    await_requests(simulator, 1)
    state["refuses"] = True
    time.sleep(4)
    state["refuses"] = False
    result = run.finish(timeout=60)
    proxy.close()
    right(result, 300)
    assert len(lines(result, "sonde: network lost")) == 1 and len(lines(result, "sonde: network is back")) == 1


# Its URL

MISTAKES = {
    "redis://h:99999": "the port behind ':' is not a number from 1 to 65535",
    "redis://h/-1": "the database behind '/' is not a number from 0 to 1048575",
    "redis://h/0/1": "only the number of a database, as in /0, may come last",
    "redis://h?x=1": "nothing may follow a '?': only TLS has parameters",
    "rediss://h?x=1": "only ca=FILE, cert=FILE and key=FILE may follow the '?'",
    "redis-sentinel://h": "the master's name, as in /NAME, must follow the sentinels",
    "http://h": "it begins with none of redis://, rediss://, redis-sentinel://, rediss-sentinel:// and unix://",
    f"redis://me:{SECRET}@h/0": "it holds a password",
    f"redis://:{SECRET}@h:99999": "it holds a password",
    f"redis://me:{SECRET}/x@h": "it holds a password",
    f"redis://h/0?password={SECRET}": "nothing may follow a '?'",
    f"rediss-sentinel://me:{SECRET}@h/name": "it holds a password",
    f"unix://me:{SECRET}@/run/redis.sock": "the path of a socket begins with '/'",
}


@pytest.mark.parametrize("url", MISTAKES)
def test_a_mistake_in_the_url_is_named_and_no_password_repeated(sonde, url):
    def check(result):
        assert result.status == 2 and result.stdout == b""
        assert f"{MISTAKES[url]}" in result.stderr and "expected redis" in result.stderr
        assert SECRET not in result.stderr and "--shared" in result.stderr.lower().replace("sonde_shared", "--shared")
        if "password" in MISTAKES[url]:
            assert "SONDE_SHARED_PASSWORD" in result.stderr

    commands = [
        ["scan", "8.8.8.8"], ["lookup", "8.8.8.8"], ["me"], ["annotate", "x"], ["summary", "x"], ["plan", "8.8.8.8"], ["upgrade", "x"],
        ["status"], ["cache", "stats"], ["serve"],
    ]  # fmt: skip
    for command in commands:
        check(sonde(*command, "--shared", url))
    check(sonde("scan", "8.8.8.8", f"--shared={url}"))
    check(sonde("scan", "8.8.8.8", env={"SONDE_SHARED": url}))
    config = sonde.home / ".config" / "sonde" / "config"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f"shared = {url}\n")
    result = sonde("scan", "8.8.8.8", env={"XDG_CONFIG_HOME": str(sonde.home / ".config")})
    assert result.status == 2 and MISTAKES[url] in result.stderr and SECRET not in result.stderr


def test_a_password_is_taken_from_no_command_line(sonde):
    for words in (["--shared-password", SECRET], [f"--shared-password={SECRET}"]):
        result = sonde("scan", "8.8.8.8", *words)
        assert result.status == 2 and SECRET not in result.stderr and "SONDE_SHARED_PASSWORD" in result.stderr
