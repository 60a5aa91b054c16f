"""The exit status tells a script what to do: 5 before 4 before 3 before 1."""

import os
import subprocess

import pytest
from command import NOWHERE
from expected import record
from server import SERVICES, variable

REFUSED = [{"fault": "forbidden_html", "call": "ip-api"}]
DOWN = [{"fault": "status", "status": 500, "call": "ip-api"}]


def scan(sonde, simulator, *options, env=None, **more):
    options = ("scan", "--provider", "ip-api", "--retries", "0", *options)
    return sonde(*options, env={**simulator.env, **(env or {})}, **more)


def unknown_address():
    return next(a for a in (f"5.0.0.{n}" for n in range(256)) if record(a)["status"] == "unknown")


def test_0_when_all_valid_addresses_are_answered(sonde, simulator):
    text = f"8.8.8.8\n10.0.0.1\nnonsense!\n{unknown_address()}\n"
    assert scan(sonde, simulator, input=text).status == 0
    assert scan(sonde, simulator, input="").status == 0
    assert scan(sonde, simulator, input="# nothing\n").status == 0


def test_1_when_some_failed(sonde, simulator):
    simulator.control(batch_limit=None, single_limit=None, faults=DOWN)
    result = scan(sonde, simulator, input="8.8.8.8\n10.0.0.1\n")
    assert [r["status"] for r in result.records] == ["failed", "reserved"]
    assert result.status == 1


def test_1_when_there_are_entries_but_not_one_valid(sonde, simulator):
    assert scan(sonde, simulator, input="nonsense!\n").status == 1
    assert scan(sonde, simulator, input="nonsense!\n10.0.0.1\n").status == 0


def test_1_with_strict_when_some_are_invalid(sonde, simulator):
    assert scan(sonde, simulator, "--strict", input="8.8.8.8\nnonsense!\n").status == 1
    assert scan(sonde, simulator, "--strict", input="8.8.8.8\n10.0.0.1\n").status == 0


def test_2_for_wrong_usage(sonde):
    for arguments in (["scna"], ["scan", "--nonsense"], ["completions"], []):
        result = sonde(*arguments)
        assert (result.status, result.stdout) == (2, b"") and result.stderr, arguments


@pytest.mark.parametrize(
    "env, settings",
    [
        ({}, {"faults": REFUSED}),
        ({}, {"faults": [{"fault": "forbidden_json", "call": "ip-api"}]}),
        ({"SONDE_IP_API_KEY": "expired"}, {}),
    ],
    ids=["html", "json", "key"],
)
def test_4_when_the_provider_refuses_for_good(sonde, simulator, env, settings):
    simulator.control(**settings)
    addresses = [f"5.1.{n // 250}.{n % 250}" for n in range(1000)]
    result = scan(sonde, simulator, env=env, input="\n".join(addresses))
    assert {r["status"] for r in result.records} == {"failed"} and len(result.records) == 1000
    assert all(r["message"] for r in result.records) and result.status == 4
    assert simulator.counts()["total"] <= 8, "it kept asking"


def test_4_when_the_token_is_unknown(sonde, simulator):
    env = {**simulator.env, "SONDE_IPINFO_TOKEN": "wrong"}
    for provider in ("ipinfo", "ipinfo-lite"):
        result = sonde("scan", "--provider", provider, "8.8.8.8", env=env)
        assert (result.status, result.records[0]["status"]) == (4, "failed")


def test_4_when_the_quota_of_the_day_is_spent(sonde, simulator):
    simulator.control(daily_limit=5)
    addresses = [f"5.1.1.{n}" for n in range(12)]
    options = ("scan", "--provider", "ipinfo", "--concurrency", "1")
    result = sonde(*options, input="\n".join(addresses), env=simulator.env, timeout=30)
    statuses = [r["status"] for r in result.records]
    assert statuses.count("failed") == 7 and result.status == 4
    assert simulator.counts()["throttled"] <= 2


def test_4_when_banned(sonde, simulator):
    simulator.control(batch_limit=0, ban_after=1, ban_seconds=600, window=1)
    result = sonde("scan", "--provider", "ip-api", "8.8.8.8", env=simulator.env)
    assert (result.status, result.records[0]["status"]) == (4, "failed")


def test_a_refusal_that_the_database_makes_good_is_success(sonde, simulator, loc_database):
    simulator.control(faults=REFUSED)
    options = ("--provider", "ip-api,local", "--database", loc_database)
    result = sonde("scan", *options, "8.8.8.8", env=simulator.env)
    assert (result.status, result.records[0]["source"]) == (0, "libloc")
    assert "ip-api" in result.stderr


def test_5_wins_over_4(sonde, simulator):
    simulator.control(faults=REFUSED)
    assert scan(sonde, simulator, "missing", "8.8.8.8").status == 5


def test_5_wins_over_1(sonde, simulator):
    simulator.control(batch_limit=None, single_limit=None, faults=DOWN)
    assert scan(sonde, simulator, "missing", "8.8.8.8").status == 5
    assert sonde("check", "missing", "-", input="nonsense!\n").status == 5


def isolated():
    """A prefix that runs a command where not even loopback is up, or a skip."""
    prefix = ("unshare", "-n")
    if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
        pytest.skip("a network of its own needs root")
    return prefix


def test_5_where_arguments_cannot_be_read(sonde):
    prefix = ("unshare", "--mount", "sh", "-c", 'umount --lazy /proc && exec "$0" "$@"')
    if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
        pytest.skip("to unmount /proc needs root")
    result = sonde("check", "8.8.8.8", prefix=prefix)
    assert (result.status, result.stdout) == (5, b"")
    assert result.stderr == "sonde: the arguments cannot be read: /proc is not mounted\n"


def test_3_when_the_network_is_lost(sonde, simulator):
    result = scan(sonde, simulator, "--offline-timeout", "500ms", input="8.8.8.8\n10.0.0.1\n", prefix=isolated(), timeout=20)
    assert [r["status"] for r in result.records] == ["network_lost", "reserved"]
    assert result.records[0]["message"] and result.status == 3
    assert simulator.counts()["total"] == 0


def test_a_lost_network_is_made_good_by_the_database(sonde, simulator, loc_database):
    options = ("--provider", "ip-api,local", "--database", loc_database, "--offline-timeout", "500ms")
    result = sonde("scan", *options, "8.8.8.8", "1.2.3.4", env=simulator.env, prefix=isolated(), timeout=20)
    assert [r["status"] for r in result.records] == ["ok", "network_lost"]
    assert result.records[0]["source"] == "libloc" and result.status == 3


def test_5_wins_over_3(sonde, simulator):
    options = ("--offline-timeout", "100ms", "missing", "8.8.8.8")
    assert scan(sonde, simulator, *options, prefix=isolated(), timeout=20).status == 5


@pytest.mark.parametrize("fault", ["login_200", "login_302"])
def test_a_login_page_is_a_lost_network(sonde, simulator, fault):
    simulator.control(faults=[{"fault": fault, "call": "ip-api"}])
    result = scan(sonde, simulator, "--offline-timeout", "1", "8.8.8.8", timeout=30)
    assert (result.status, result.records[0]["status"]) == (3, "network_lost")


def limited(sonde, limit, command, prefix=(), timeout=30):
    """Runs a command under a limit of the shell; `None` where not even its libraries could be loaded."""
    shell = ["bash", "-c", f'ulimit {limit}; exec "$@"', "bash"]
    result = subprocess.run(
        [*prefix, *shell, *sonde.command(command)],
        env=sonde.environment(), cwd=sonde.work, capture_output=True, text=True, timeout=timeout,
    )
    return None if result.returncode == 127 and "shared librar" in result.stderr else result


def is_told_or_enough(result, statuses=(0,)):
    told = result.returncode == 5 and result.stderr.startswith("sonde: ") and not result.stdout
    return told or (result.returncode in statuses and result.stdout)


HERE = "--endpoint 127.0.0.1:9"
QUICK = "--offline-timeout 100ms --retries 0"
LIMITED = {
    "check list": [0], "extract list": [0], "scan --provider local list": [0], f"scan {QUICK} list": [0, 3],
    f"lookup {QUICK} 8.8.8.8": [0, 3], f"me {QUICK}": [0, 3, 5], "plan list": [0], "cache stats": [0],
    f"status {HERE}": [0, 3], f"watch --once {HERE}": [0, 3],
    f"watch --once {HERE} --metrics 127.0.0.1:0 --portal-url http://127.0.0.1:9/": [0, 3],
}


LOCAL = "scan --provider local --no-cache"
SOURCES = "--with names --with owner --with own=nets.csv --resolver 127.0.0.1:9 --offline-timeout 100ms"
MANY = {
    f"{LOCAL} --with names --resolver 127.0.0.1:9 --offline-timeout 100ms list": [0, 3],
    f"{LOCAL} --with owner --offline-timeout 100ms list": [0, 3],
    f"{LOCAL} {SOURCES} list": [0, 3],
    f"scan {QUICK} --provider ip-api,ipinfo --concurrency 32 {SOURCES} list": [0, 3],
    f"annotate {QUICK} --with owner list": [0, 3],
    f"{LOCAL} --shared redis://127.0.0.1:9 --offline-timeout 100ms list": [0, 3],
    f"{LOCAL} -o out.db --rejects bad.db --missing left --events - list": [0],
    "check --with own=nets.csv list": [0],
    "tables list": [0],
}


@pytest.mark.parametrize("command", MANY)
def test_sources_and_outputs_are_told_or_enough(sonde, command):
    sonde.file("list", "8.8.8.8\n10.0.0.1\n")
    sonde.file("nets.csv", "network,team\n10.0.0.0/8,office\n")
    for count in [8, 12, 16, 20, 24, 28, 32, 40, 48, 64]:
        for name in ("out.db", "bad.db", "left"):
            (sonde.work / name).unlink(missing_ok=True)
        result = limited(sonde, f"-n {count}", command.split())
        assert result is None or is_told_or_enough(result, MANY[command]), (count, result)
        if result is not None and result.returncode == 5:
            assert "ulimit -n" in result.stderr


def test_a_soft_limit_is_raised_where_it_may_be(sonde):
    sonde.file("list", "8.8.8.8\n10.0.0.1\n")
    result = limited(sonde, "-S -n 12", f"{LOCAL} {SOURCES.replace('--with own=nets.csv', '')} list".split())
    assert result.returncode in (0, 3) and len(result.stdout.splitlines()) == 2, result


@pytest.mark.parametrize("command", LIMITED)
def test_few_descriptors_are_told_or_enough(sonde, command):
    sonde.file("list", "8.8.8.8\n")
    for count in [4, 7, 11, 14, 18, 19, 20, 24, 40]:
        result = limited(sonde, f"-n {count}", command.split())
        if result is not None:
            assert is_told_or_enough(result, LIMITED[command]), (count, result)


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["v", "d"])
@pytest.mark.parametrize(
    "command",
    ["check list", "extract list", f"{LOCAL} list", f"scan {QUICK} --no-cache list", "annotate --provider local list",
     "summary --provider local list", f"{LOCAL} {SOURCES} list"],
)
def test_little_address_space_is_told_or_enough(sonde, command, limit):
    sonde.file("list", "8.8.8.8\n")
    sonde.file("nets.csv", "network,team\n10.0.0.0/8,office\n")
    # With less, the kernel does not start the program itself.
    for size in [30_000, 60_000, 120_000, 160_000, 200_000, 300_000, 360_000, 400_000, 440_000, 600_000, 800_000]:
        result = limited(sonde, f"-{limit} {size}", command.split())
        if result is not None and "error while loading" not in result.stderr:
            assert is_told_or_enough(result, (0, 3)), (size, result)
            assert result.returncode != 5 or "ulimit" in result.stderr, (size, result)


@pytest.mark.skipif(os.geteuid() != 0, reason="takes a user of its own, whose threads are counted")
@pytest.mark.parametrize(
    "command",
    ["check 8.8.8.8", "extract /etc/hosts", f"{LOCAL} 8.8.8.8", f"watch --once {HERE}",
     f"{LOCAL} --with names --with owner --resolver 127.0.0.1:9 --offline-timeout 100ms 8.8.8.8"],
)
def test_few_threads_are_told_or_enough(sonde, command):
    # A user who runs nothing else, and may look into no folder of the test.
    nowhere = [f"{variable(service)}={NOWHERE}" for service in SERVICES]
    user = ["env", "-i", *nowhere, "setpriv", "--reuid", "64123", "--clear-groups"]
    for count in [*range(1, 17), 100]:
        result = limited(sonde, f"-u {count}", command.split(), prefix=user)
        assert is_told_or_enough(result, (0, 3)), (count, result)
