"""`--where EXPR`: who is left out, and that nobody is asked about those who could not be let in."""

import ipaddress
import json
import random
import signal
import time

import pytest

SKIP = "10.0.0.0/8\n8.8.8.0/24\n2001:4860::/32\n5.1.0.0/16\n"
NETS = "network,team,rank\n5.0.0.0/8,net,7\n5.1.0.0/16,lab,10\n10.0.0.0/8,office,x\n"
LIST = "8.8.8.8\n10.1.2.3\n1.1.1.1\nnonsense\n2001:4860::1\n8.8.8.8\n5.1.2.3\n5.2.3.4\n"


@pytest.fixture
def files(sonde):
    """The command beside a list, networks to skip, and a table."""
    sonde.file("list.txt", LIST)
    sonde.file("skip.txt", SKIP)
    sonde.file("nets.csv", NETS)
    return sonde


def chosen(sonde, condition, *more, command="check", **rest):
    result = sonde(command, "--where", condition, "--fields", "ip", *more, "list.txt", **rest)
    return [record["ip"] for record in result.records]


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        ("not ip in @skip.txt", "1.1.1.1 nonsense 5.2.3.4"),
        ("ip not in @skip.txt", "1.1.1.1 nonsense 5.2.3.4"),
        ("ip in (10.0.0.0/8, 8.8.8.8, 1.1.1.0-1.1.1.9)", "8.8.8.8 10.1.2.3 1.1.1.1 nonsense"),
        ("ip in (@skip.txt, 1.1.1.1)", "8.8.8.8 10.1.2.3 1.1.1.1 nonsense 2001:4860::1 5.1.2.3"),
        ("ip in (::/0)", "nonsense 2001:4860::1"),
        ("ip = 1.1.1.1 or ip = ::ffff:8.8.8.8", "8.8.8.8 1.1.1.1 nonsense"),
        ('ip ~ "*.8" and ip >= 5.1.2.3', "8.8.8.8 nonsense"),
        ("status = reserved", "10.1.2.3 nonsense"),
        ("NOT (line < 3 OR line = 5)", "1.1.1.1 nonsense 8.8.8.8 5.1.2.3 5.2.3.4"),
        ("own_network", "10.1.2.3 nonsense 5.1.2.3 5.2.3.4"),
        ("not own_network", "8.8.8.8 1.1.1.1 nonsense 2001:4860::1"),
        ("own_team = lab or own_team = 'office'", "10.1.2.3 nonsense 5.1.2.3"),
        ("own_team != lab", "10.1.2.3 nonsense 5.2.3.4"),
        ("own_rank > 8", "10.1.2.3 nonsense 5.1.2.3"),
        ('own_rank > "8"', "10.1.2.3 nonsense"),
        ("own_rank in (07, x)", "10.1.2.3 nonsense 5.2.3.4"),
        ("own_team not in (lab)", "10.1.2.3 nonsense 5.2.3.4"),
        ("own_team ~ OFF*ce or own_team ~ 'L*'", "10.1.2.3 nonsense 5.1.2.3"),
        ("not not input ~ *.txt", "8.8.8.8 10.1.2.3 1.1.1.1 nonsense 2001:4860::1 5.1.2.3 5.2.3.4"),
        ("country_code = CN or country_code != CN", "nonsense"),
    ],
)
def test_a_condition_chooses(files, condition, left):
    assert chosen(files, condition, "--with", "own=nets.csv") == left.split()


@pytest.mark.parametrize(
    ("condition", "column", "words"),
    [
        ("contry_code = CN", 1, "did you mean 'country_code'?"),
        ("ip and own_team = x", 8, "--with own=FILE"),
        ("(ip", 1, "not closed"),
        ("ip)", 3, "no bracket is open"),
        ("ip = 8.8.8.0/24", 6, "ip in (8.8.8.0/24)"),
        ("asn in (1, x)", 12, "is a number"),
        ("ip in (::1, fe80::1%eth0)", 13, 'write fe80::1, or ip ~ "fe80::1%eth0"'),
        ("ip == 1.1.1.1", 4, "write ="),
        ("status = okay", 10, "is never 'okay'"),
        ("ip in @missing.txt", 7, "No such file"),
        ("ip in @bad.txt", 7, "line 2"),
        ("country_code CN", 14, "'and', 'or'"),
        ("country_code =", 15, "value is missing"),
        ('city = "x', 8, "quotes are not closed"),
        ("proxy < true", 7, "true or false"),
        ('line ~ "*x*"', 6, "line is the number of a line, and ~ matches text: text is the line itself"),
        ("ip and asn ~ 15*", 12, "asn is a number, and ~ matches text: compare it by = or <"),
        ("longitude ~ *", 11, "compare it by = or <"),
        ("not cached ~ true", 12, "write cached or not cached"),
        ("fetched_at < 2015-13-17", 14, "fetched_at is a time, which '2015-13-17' is not: write a date (2015-05-17)"),
        ("ip or last_seen in (7d, soon)", 25, "how long ago (2h, 7d)"),
        ("asn in @skip.txt", 8, "only ip"),
        ("ip and", 7, "condition is missing"),
        ("日本 = 1", 1, "no field '日本'"),
        ("country = United States", 18, "a value of several words stands in quotes"),
        ("(country = United States)", 19, "a value of several words stands in quotes"),
        ("ptr ~ '*x*'", 1, "--with names, which check does not take"),
        ("(" * 4000 + "ip", 201, "200 brackets"),
    ],
)
def test_what_is_wrong_is_marked(files, condition, column, words):
    files.file("bad.txt", "10.0.0.0/8\n10.0.0.0/99\n")
    result = files("check", "--where", condition, "list.txt")
    lines = result.stderr.splitlines()
    assert result.status == 2 and result.stdout == b"" and len(lines) == 3
    assert f"column {column}: " in lines[0] and words in lines[0]
    if len(condition) < 100:
        assert lines[1] == "  " + condition
        assert lines[2].index("^") == column + 1


def test_a_column_of_a_source_is_proposed(files):
    result = files("check", "--with", "own=nets.csv", "--where", "own_teem = x", "list.txt")
    assert result.status == 2 and "did you mean 'own_team'?" in result.stderr


def test_a_second_condition_is_not_lost(files):
    for command in ("check", "scan", "summary"):
        result = files(command, "--where", "ip", "--where", "line", "list.txt")
        assert (result.status, result.stdout) == (2, b"")
        assert "--where stands there twice: join both by 'and' in one" in result.stderr
    files.config_file.write_text("where = line\n")
    result = files("check", "--where", "ip = 8.8.8.8", "8.8.8.8")
    assert len(result.records) == 1, "the command line has the last word"


def test_all_left_out_is_a_success(files, simulator):
    for command in ("check", "scan", "lookup"):
        result = files(command, "--where", "ip = 9.9.9.9", "8.8.8.8", "10.0.0.1", env=simulator.env)
        assert (result.status, result.stdout) == (0, b"") and "2 " in result.stderr
    assert simulator.counts()["total"] == 0


def test_what_tables_decide_is_never_asked(files, simulator):
    result = files(
        "scan", "--provider", "ip-api", "--no-cache", "--where", "not ip in @skip.txt and country_code",
        "--events", "events", "--format", "ndjson", "list.txt", env=simulator.env,
    )
    assert result.status == 0
    assert [record["ip"] for record in result.records] == ["1.1.1.1", "nonsense", "5.2.3.4"]
    assert sorted(simulator.addresses()) == ["1.1.1.1", "5.2.3.4"]
    summary = json.loads(files.read("events").splitlines()[-1])
    assert (summary["entries"], summary["duplicates"], summary["excluded"]) == (8, 1, 4)
    assert summary["ok"] == 2 and summary["invalid"] == 1 and summary["reserved"] == 0
    assert "4 excluded, 1 duplicate" in result.stderr


def test_what_only_an_answer_decides_is_asked_and_kept(files, simulator):
    ask = ["scan", "--provider", "ip-api", "--cache", "cache.db", "list.txt", "--where", "not country_code = US"]
    first = files(*ask, env=simulator.env)
    assert {record["ip"] for record in first.records} & {"8.8.8.8"} == set()
    assert len(simulator.addresses()) == 5
    assert files(*ask, env=simulator.env).stdout.count(b"\n") == first.stdout.count(b"\n")
    assert len(simulator.addresses()) == 5 and set(simulator.addresses().values()) == {1}
    shown = files("plan", *ask[1:], env=simulator.env).stdout.decode().split()
    excluded = int(shown[shown.index("excluded") + 1])
    assert excluded == 6 + 1 - first.stdout.count(b"\n") and "to ask 0" in " ".join(shown)


def test_a_plan_counts_what_is_left_out(files, simulator):
    shown = files("plan", "--where", "not ip in @skip.txt", "list.txt", env=simulator.env).stdout.decode()
    rows = dict(line.rsplit(None, 1) for line in shown.splitlines()[:8] if line)
    assert rows == {
        "entries": "8", "distinct": "6", "duplicates": "1", "cached": "0", "reserved": "0", "invalid": "1",
        "excluded": "4", "to ask": "2",
    }
    assert simulator.counts()["total"] == 0


def test_every_occurrence_is_left_out(files):
    result = files("check", "--duplicates", "keep", "--where", "not ip in @skip.txt", "list.txt")
    assert "8 entries: 2 ok, 1 invalid, 5 excluded in" in result.stderr


def test_a_failure_is_not_left_out(files, simulator):
    env = {**simulator.env, "SONDE_IP_API_URL": "http://127.0.0.1:9"}
    result = files(
        "scan", "--provider", "ip-api", "--retries", "0", "--where", "country_code = CN and not ip in @skip.txt",
        "--missing", "missing.txt", "list.txt", env=env,
    )
    assert result.status == 1 and "2 failed, 4 excluded" in result.stderr
    assert files.read("missing.txt").split() == [b"1.1.1.1", b"5.2.3.4"]


def test_lookup_asks_for_the_fields_of_the_condition(files, simulator):
    result = files("lookup", "--provider", "ip-api", "--where", "hostname", "8.8.8.8", "5.1.2.3", env=simulator.env)
    assert result.status == 0
    for record in result.records:
        assert record["hostname"]
    assert len(result.records) >= 1


def test_a_file_of_the_condition_is_no_output(files):
    result = files("scan", "--where", "not ip in @skip.txt", "-o", "skip.txt", "list.txt")
    assert result.status == 2 and files.read("skip.txt").decode() == SKIP


@pytest.mark.parametrize("name", ["out.csv", "out.sqlite", "unordered.ndjson"])
def test_a_scan_that_is_killed_asks_for_nothing_twice(sonde, simulator, name):
    simulator.control(batch_limit=100_000, latency=0.03)
    addresses = [f"5.{n // 250}.{n % 250}.3" for n in range(1500)]
    sonde.file("list.txt", "\n".join([*addresses, *addresses[:40], "bogus", "10.0.0.1"]) + "\n")
    sonde.file("skip.txt", "5.1.0.0/16\n5.3.0.0/17\n5.5.0.0/16\n")
    command = [
        "scan", "--provider", "ip-api", "--concurrency", "2", "--cache", "cache.db", "list.txt",
        "--where", "not ip in @skip.txt and country_code != US", "-o", name, "--resume", "--events", "events",
    ]
    command += ["--unordered"] if "unordered" in name else []
    chooser = random.Random(name)
    for _ in range(6):
        running = sonde.start(*command, env=simulator.env)
        time.sleep(chooser.uniform(0.05, 0.3))
        running.signal(signal.SIGKILL)
        running.finish()
    assert sonde(*command, env=simulator.env).status == 0
    skipped = [ipaddress.ip_network(line) for line in sonde.read("skip.txt").decode().split()]
    wanted = [a for a in addresses if not any(ipaddress.ip_address(a) in each for each in skipped)]
    asked = simulator.addresses()
    assert sorted(asked) == sorted(wanted)
    # What was under way when the process was killed is asked again; that is no more than two batches a kill.
    assert sum(asked.values()) - len(wanted) <= 6 * 2 * 100
    events = [json.loads(line) for line in sonde.read("events").splitlines()]
    # A run that finds the file finished tells only of what that holds.
    summary = max((event for event in events if event["event"] == "summary"), key=lambda event: event["entries"])
    counts = [summary[key] for key in ("duplicates", "excluded", "ok", "unknown", "reserved", "invalid", "failed")]
    assert summary["entries"] == 1542 == sum(counts) + summary["network_lost"]
    assert summary["duplicates"] == 40 and summary["invalid"] == 1
    again = sonde(*command, env=simulator.env)
    assert "finished" in again.stderr and simulator.addresses() == asked


def test_another_condition_is_not_resumed(sonde, simulator):
    simulator.control(batch_limit=100_000, latency=0.3)
    sonde.file("list.txt", "\n".join(f"5.0.{n // 250}.{n % 250}" for n in range(1000)))
    command = ["scan", "--provider", "ip-api", "--concurrency", "1", "-o", "out.csv", "list.txt"]
    running = sonde.start(*command, "--where", "not country_code = US", env=simulator.env)
    deadline = time.monotonic() + 20
    while simulator.requests("ip-api batch") < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    running.signal(signal.SIGTERM)
    running.finish()
    simulator.control(latency=0.0)
    other = sonde(*command, "--resume", "--where", "country_code = US", env=simulator.env)
    assert other.status == 2 and "another --where" in other.stderr
    same = sonde(*command, "--resume", "--where", "not  country_code=US", env=simulator.env)
    assert same.status == 0, same.stderr


def test_networks_that_are_left_out_are_those_of_ipaddress(sonde):
    """Also where a block of addresses is looked up at once: reserved and invalid entries, IPv6, and repeated ones."""
    generator = random.Random(29)
    skipped = [ipaddress.ip_network((generator.getrandbits(32), generator.randint(3, 32)), strict=False) for _ in range(60)]
    skipped += [ipaddress.ip_network((generator.getrandbits(128), generator.randint(1, 20)), strict=False) for _ in range(20)]
    sonde.file("skip.txt", "\n".join(map(str, skipped)))
    items = [str(ipaddress.ip_address(generator.getrandbits(32))) for _ in range(6000)]
    items += [str(ipaddress.IPv6Address(generator.getrandbits(128))) for _ in range(2000)]
    items += ["10.0.0.1", "nonsense", "::ffff:8.8.8.8", *items[:100]]
    generator.shuffle(items)

    def is_in(item):
        address = ipaddress.ip_address(item)
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in skipped if network.version == address.version)

    for condition, is_let in [
        ("not ip in @skip.txt", lambda item: not is_in(item)),
        ("ip in @skip.txt", is_in),
        ("ip in @skip.txt or ip in (8.0.0.0/8, 10.0.0.1)", lambda item: is_in(item) or item.startswith(("8.", "::ffff:8.")) or item == "10.0.0.1"),
        ("not (ip in @skip.txt) and not ip in (10.0.0.1)", lambda item: not is_in(item) and item != "10.0.0.1"),
    ]:
        result = sonde("check", "--where", condition, "--duplicates", "keep", "--format", "csv", "--fields", "ip", input="\n".join(items))
        expected = [item.removeprefix("::ffff:") for item in items if item == "nonsense" or is_let(item)]
        assert result.stdout.decode().splitlines() == ["ip", *expected], condition


# What an independent evaluation says of random conditions.

TEXTS = ["country_code", "city", "region", "as_name", "timezone", "status", "source", "own_team"]
NUMBERS = ["asn", "latitude", "longitude", "line"]
FLAGS = ["mobile", "proxy", "hosting"]
SIGNS = {
    "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}
NETWORKS = ["5.0.0.0/9", "5.1.0.0/16", "8.8.8.0/24", "10.0.0.0/8", "::/1", "1.1.1.1"]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def like(text, pattern):
    """Whether a pattern matches, by its parts."""
    parts = pattern.lower().split("*")
    text = text.lower()
    if len(parts) == 1:
        return text == parts[0]
    if not text.startswith(parts[0]) or not text[len(parts[0]):].endswith(parts[-1]):
        return False
    text = text[len(parts[0]):len(text) - len(parts[-1])]
    for part in filter(None, parts[1:-1]):
        _, found, text = text.partition(part)
        if not found:
            return False
    return True


def condition(chooser, records, depth=0):
    """A random condition, and a function that says of a record whether it is so."""
    kind = chooser.choice(["leaf", "leaf", "not", "and", "or"] if depth < 4 else ["leaf"])
    if kind == "not":
        text, holds = condition(chooser, records, depth + 1)
        return f"not ({text})", lambda record: not holds(record)
    if kind in ("and", "or"):
        parts = [condition(chooser, records, depth + 1) for _ in range(chooser.randint(2, 3))]
        whole = all if kind == "and" else any
        text = f" {kind} ".join(f"({text})" for text, _ in parts)
        return text, lambda record: whole([holds(record) for _, holds in parts])
    return leaf(chooser, records)


def leaf(chooser, records):
    kind = chooser.choice(["text", "text", "number", "flag", "ip", "set", "list", "like"])
    if kind == "flag":
        name = chooser.choice(FLAGS)
        if chooser.random() < 0.5:
            return name, lambda record: record.get(name) is True
        return f"{name} != true", lambda record: record.get(name) is False
    if kind == "ip":
        chosen = chooser.sample(NETWORKS, 2)
        networks = [ipaddress.ip_network(each) for each in chosen]
        return f"ip in ({', '.join(chosen)})", lambda record: any(
            ipaddress.ip_address(record["ip"]) in each for each in networks
        )
    if kind == "set":
        name = chooser.choice([*TEXTS, *NUMBERS])
        return name, lambda record: record.get(name) not in (None, "")
    name = chooser.choice(NUMBERS if kind == "number" else TEXTS)
    values = [record[name] for record in records if record.get(name) not in (None, "")]
    value = chooser.choice(values) if values else 0
    if kind == "number":
        sign = chooser.choice(list(SIGNS))
        return f"{name} {sign} {value}", lambda record: name in record and SIGNS[sign](record[name], value)
    if kind == "list":
        others = [value, chooser.choice(values)] if values else [value]
        words = ", ".join(quoted(str(each)) for each in others)
        return f"{name} in ({words})", lambda record: record.get(name) in others
    value = str(value)
    if kind == "like":
        start, end = sorted(chooser.choices(range(len(value) + 1), k=2))
        pattern = chooser.choice(["*", ""]) + value[start:end].swapcase() + "*"
        return f"{name} ~ {quoted(pattern)}", lambda record: bool(record.get(name)) and like(record[name], pattern)
    if name in ("status", "source"):
        return f"{name} = {value}", lambda record: record.get(name) == value
    sign = chooser.choice(list(SIGNS))
    return f"{name} {sign} {quoted(value)}", lambda record: bool(record.get(name)) and SIGNS[sign](
        record[name].encode(), value.encode()
    )


def test_random_conditions_choose_what_another_evaluation_does(files, simulator):
    lines = [f"5.{n % 3}.{n}.3" for n in range(150)] + ["10.0.0.1", "2600::1", "8.8.8.8", "1.1.1.1"]
    files.file("list.txt", "\n".join(lines))
    common = ["scan", "--provider", "ip-api", "--cache", "cache.db", "--with", "own=nets.csv", "list.txt"]
    common += ["--fields", "+mobile,+proxy,+hosting", "--format", "ndjson"]
    records = files(*common, env=simulator.env).records
    assert len(records) == len(lines)
    chooser = random.Random(17)
    for _ in range(80):
        text, holds = condition(chooser, records)
        result = files(*common, "--where", text, env=simulator.env)
        assert result.status == 0, (text, result.stderr)
        assert [r["ip"] for r in result.records] == [r["ip"] for r in records if holds(r)], text
    assert set(simulator.addresses().values()) == {1}
