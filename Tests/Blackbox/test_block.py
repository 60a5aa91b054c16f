"""`block`: which hits are bad, good or neither, the set and its limits, and every form of output."""

import csv
import io
import json
import random
from ipaddress import ip_address, ip_network

import pytest

LOG = [
    *["8.8.8.8 login failed"] * 5,
    *["8.8.8.9 login failed"] * 3,
    "8.8.8.9 welcome",
    *["1.1.1.1 login failed"] * 2,
    *["9.9.9.9 welcome"] * 7,
    "2a00:1450::1 login failed",
    "2a00:1450::2 login failed",
    "10.0.0.1 login failed",
]
BAD = "8.8.8.8\n8.8.8.9\n1.1.1.1\n2a00:1450::/32\n10.0.0.0/8\n"


@pytest.fixture
def block(sonde):
    """Runs `block` on the log, whose bad addresses are in a file."""
    sonde.file("bad.txt", BAD)
    sonde.file("a.log", "".join(f"{line}\n" for line in LOG))

    def run(*arguments, bad="ip in @bad.txt", inputs=("a.log",), **options):
        words = ("block", *inputs, "--bad", bad, "--provider", "local", *arguments)
        return sonde(*words, **options)

    return run


def plan(result):
    return json.loads(result.stdout)


def test_rules_have_their_figures(block):
    result = block("--format", "json")
    assert result.status == 0
    found = plan(result)
    figures = [(r["prefix"], r["bad"], r["good"], r["other"], r["addresses"]) for r in found["rules"]]
    assert figures == [
        ("8.8.8.8/31", 9, 0, 0, 2),
        ("1.1.1.1/32", 2, 0, 0, 1),
        ("2a00:1450::/64", 2, 0, 0, 2),
    ]
    totals = found["totals"]
    assert totals == {
        "rules": 3, "at_least": 3, "bad": 13, "bad_covered": 13, "good": 7, "good_touched": 0,
        "other": 0, "never": 1, "addresses": 5, "span_ipv4": 3, "span_ipv6": 1, "met": True,
        "expires_at": None,
    }
    assert found["left"] == {"enough": 0, "good": 0, "rules": 0, "top": []}
    assert "3 rules: 13 of 13 bad hits, 0 of 7 good ones\n" in result.stderr


def test_other_hits_of_a_bad_address_are_neither(block, sonde):
    # By file, so that one address has bad hits and others.
    sonde.file("bad.log", "8.8.8.8\n8.8.8.8\n")
    sonde.file("good.log", "8.8.8.8\n9.9.9.9\n")
    inputs = ("bad.log", "good.log")
    result = block("--format", "json", bad="input = bad.log", inputs=inputs)
    assert [(r["bad"], r["good"], r["other"]) for r in plan(result)["rules"]] == [(2, 0, 1)]
    result = block("--format", "json", "--good", "ip", bad="input = bad.log", inputs=inputs)
    assert result.status == 1
    found = plan(result)
    assert (found["rules"], found["left"]["good"]) == ([], 2)
    assert found["left"]["top"] == [{"ip": "8.8.8.8", "bad": 2, "why": "good"}]
    assert "--cover is not reached: --collateral stands in the way" in result.stderr
    result = block("--format", "json", "--good", "ip", "--collateral", "50%", bad="input = bad.log", inputs=inputs)
    rule = plan(result)["rules"][0]
    assert (result.status, rule["bad"], rule["good"], rule["other"]) == (0, 2, 1, 0)
    assert rule["touched"] == [{"ip": "8.8.8.8", "hits": 1}]


def test_the_cover_gives_way(block):
    result = block("--max-rules", 1, "--format", "json")
    assert result.status == 1
    found = plan(result)
    assert [r["prefix"] for r in found["rules"]] == ["8.8.8.8/31"]
    assert (found["totals"]["met"], found["left"]["rules"]) == (False, 4)
    assert "--cover is not reached: --max-rules stands in the way" in result.stderr
    result = block("--max-rules", 1, "--cover", "69%")
    assert (result.status, result.stdout) == (0, b"8.8.8.8/31\n")


@pytest.mark.parametrize(
    ("never", "arguments", "limit"),
    [("9.9.9.0/25\n", ("--longest", "24"), "--never"), (None, ("--longest", "32,64"), "--longest")],
)
def test_networks_that_no_rule_may_touch_stand_in_the_way(sonde, never, arguments, limit):
    address = "9.9.9.200" if never else "2001:1::1"
    sonde.file("a.log", f"{address} login failed\n")
    if never:
        sonde.file("never.txt", never)
        arguments += ("--never", "never.txt")
    words = ("block", "a.log", "--bad", "ip", "--collateral", "100%", "--provider", "local", *arguments)
    result = sonde(*words, "--format", "json")
    assert (result.status, plan(result)["left"]["good"]) == (1, 1)
    assert f"--cover is not reached: {limit} stands in the way" in result.stderr
    table = sonde(*words, "--format", "table").stdout.decode()
    assert "as even the longest prefixes have addresses that no rule may touch: 1 bad" in table


def test_what_is_left_is_counted_as_all_else(block):
    result = block("--format", "json", "--count", "addresses", "--cover", "20%")
    left = plan(result)["left"]
    assert left["enough"] == len(left["top"]) and {each["bad"] for each in left["top"]} == {1}



def test_some_networks_are_never_touched(block, sonde):
    sonde.file("office.txt", "8.8.8.9\n1.1.1.0/24\n")
    result = block("--never", "office.txt", "--format", "json")
    found = plan(result)
    assert [r["prefix"] for r in found["rules"]] == ["8.8.8.8/32", "2a00:1450::/64"]
    assert (found["totals"]["bad"], found["totals"]["never"]) == (7, 7)
    result = block("--never", "missing.txt")
    assert (result.status, result.stdout) == (2, b"")
    assert "--never: missing.txt" in result.stderr


def test_addresses_are_counted_in_place_of_hits(block):
    found = plan(block("--count", "addresses", "--format", "json"))
    totals = found["totals"]
    assert (totals["bad"], totals["good"], totals["never"]) == (5, 1, 1)
    assert [r["bad"] for r in found["rules"]] == [2, 2, 1]


def test_nothing_bad_needs_no_rules(block):
    result = block(bad="ip in (11.0.0.0/8)")
    assert (result.status, result.stdout) == (0, b"")
    assert "nothing is bad: no rules\n" in result.stderr


def test_the_order_of_lines_and_files_changes_nothing(block, sonde):
    forms = ("plain", "csv", "json", "nft", "table")
    expected = [block("--format", form).stdout for form in forms]
    lines = LOG.copy()
    for seed in range(3):
        random.Random(seed).shuffle(lines)
        sonde.file("1.log", "".join(f"{line}\n" for line in lines[:8]))
        sonde.file("2.log", "".join(f"{line}\n" for line in lines[8:]))
        found = [block("--format", form, inputs=("2.log", "1.log")).stdout for form in forms]
        assert found == expected


def test_records_are_counted_as_logs_are(block, sonde):
    assert sonde("scan", "--log", "a.log", "--duplicates", "keep", "--provider", "local", "-o", "a.csv").status == 0
    assert block("--format", "json", inputs=("a.csv",)).stdout == block("--format", "json").stdout


def test_csv_is_for_programs_and_spreadsheets(block, sonde):
    sonde.file("r.csv", "ip,status,country_code,asn,as_name\n8.8.8.8,ok,US,15169,=1+1\n")
    row = list(csv.DictReader(io.StringIO(block("--format", "csv", inputs=("r.csv",)).stdout.decode())))[0]
    assert row == {
        "prefix": "8.8.8.8/32", "bad": "1", "good": "0", "other": "0", "addresses": "1",
        "country_code": "US", "asn": "15169", "as_name": "=1+1",
    }
    out = block("--format", "csv", "--spreadsheet", inputs=("r.csv",)).stdout
    assert b",'=1+1\n" in out


def test_the_ending_names_the_form(block, sonde):
    for name, start in (("a.txt", b"8.8.8.8/31\n"), ("a.csv", b"prefix,"), ("a.json", b"{"), ("a.nft", b"# Load: nft")):
        result = block("-o", f"out-{name}")
        assert (result.status, result.stdout) == (0, b"")
        assert (sonde.work / f"out-{name}").read_bytes().startswith(start)
    result = block("-o", "out.xml")
    assert result.status == 2 and "its ending says no form of rules" in result.stderr
    assert not (sonde.work / "out.xml").exists()


def test_rules_may_end(block):
    found = plan(block("--format", "json", "--expire", "12h"))
    assert found["totals"]["expires_at"].endswith("Z")
    assert b" timeout 43200s comment " in block("--format", "nft", "--expire", "12h").stdout
    assert b" timeout 43200 comment " in block("--format", "ipset", "--expire", "12h").stdout
    result = block("--format", "nginx", "--expire", "12h")
    assert b"\n# until 20" in result.stdout
    assert "nothing will remove the rules at 20" in result.stderr
    result = block("--format", "ipset", "--expire", "30d")
    assert result.status == 2 and "ipset takes up to 2147483s" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--cover", "95"), "expected a percentage from 0% to 100%"),
        (("--cover", "101%"), "expected a percentage"),
        (("--shortest", "33"), "expected a length from 0 to 32"),
        (("--shortest", "28", "--longest", "24"), "no prefix is at least 28 and at most 24 long"),
        (("--name", "9a"), "expected a letter, then up to 23"),
        (("--name", "a" * 25), "expected a letter, then up to 23"),
        (("--name", "table", "--format", "nft"), "--name table is a keyword of nft"),
        (("--name", "INPUT", "--format", "iptables"), "is a chain or target of iptables"),
        (("--good", "country_cod = CN"), "--good, column 1"),
        (("--good", "hits > 3 or line > 3"), "join them by an 'and' outside all brackets"),
        (("--good", "offset > 3"), "offset is not known of what block counts"),
        (("--good", 'text ~ "*x*" or hits > 3'), "hits counts the occurrences that stay"),
        (("--capture", "("), "--capture: missing closing parenthesis"),
        (("--capture", "for"), "it has no named group"),
        (("--capture", r"(?<asn>\d+)"), "asn is a field already"),
    ],
)
def test_mistakes_are_refused(block, arguments, words):
    result = block(*arguments)
    assert (result.status, result.stdout) == (2, b"")
    assert words in result.stderr


def figures(result):
    return [(r["prefix"], r["bad"], r["good"], r["other"]) for r in plan(result)["rules"]]


def test_the_text_of_a_line_decides(block):
    result = block("--format", "json", bad='text ~ "*failed*"')
    assert figures(result) == [
        ("8.8.8.8/31", 8, 0, 1), ("1.1.1.1/32", 2, 0, 0), ("2a00:1450::/64", 2, 0, 0),
    ]
    totals = plan(result)["totals"]
    assert (totals["bad"], totals["good"], totals["never"], totals["other"]) == (12, 7, 1, 1)


def test_totals_count_the_hits_that_meet_the_rest(block):
    # Of 8.8.8.9, one of four hits is a welcome.
    found = [
        ("hits >= 4", [("9.9.9.9/32", 7, 0, 0), ("8.8.8.8/31", 9, 0, 0)]),
        ('text ~ "*failed*" and hits >= 4', [("8.8.8.8/32", 5, 0, 0)]),
        ('text ~ "*failed*" and hits < 3', [("1.1.1.1/32", 2, 0, 0), ("2a00:1450::/64", 2, 0, 0)]),
        ('hits = 4 and text ~ "*"', [("8.8.8.9/32", 4, 0, 0)]),
        ('text ~ "*welcome*" and (hits = 1 or ip = 9.9.9.9)', [("9.9.9.9/32", 7, 0, 0), ("8.8.8.9/32", 1, 0, 3)]),
        ("not hits > 2", [("1.1.1.1/32", 2, 0, 0), ("2a00:1450::/64", 2, 0, 0)]),
    ]
    for bad, expected in found:
        result = block("--format", "json", "--cover", "100%", bad=bad)
        assert sorted(figures(result)) == sorted(expected), bad


def test_totals_of_good_hits_and_of_records(block, sonde):
    good = 'text ~ "*welcome*" and hits >= 2'
    result = block("--format", "json", "--good", good, bad='text ~ "*failed*"')
    assert plan(result)["totals"]["good"] == 7
    # A record has totals of its own, and its time counts.
    sonde.file("r.csv", "ip,status,hits,first_seen\n1.1.1.1,ok,3,2026-11-23T03:00:00Z\n9.9.9.9,ok,1,\n")
    for bad in ("hits = 3", "first_seen >= 2026-01-01"):
        result = block("--format", "json", "--cover", "100%", bad=bad, inputs=("a.log", "r.csv"))
        assert figures(result) == [("1.1.1.1/32", 3, 0, 2)]


def test_totals_and_answers_ask_only_about_what_they_leave_open(sonde, simulator):
    lines = ["8.8.8.8 a"] * 5 + ["9.9.9.9 a"] * 2 + ["1.1.1.1 b"] * 9 + ["10.0.0.1 a"] * 9
    sonde.file("a.log", "".join(f"{line}\n" for line in lines))
    simulator.control(batch_limit=None)
    bad = 'text ~ "* a" and hits >= 3 and country_code = US'
    result = sonde("block", "a.log", "--bad", bad, "--provider", "ip-api", "--format", "json", env=simulator.env)
    assert figures(result) == [("8.8.8.8/32", 5, 0, 0)]
    assert set(simulator.addresses()) == {"8.8.8.8"}


def test_named_groups_are_fields(block):
    result = block("--capture", r"login (?<what>\w+)", "--format", "json", bad="what = failed and hits > 2")
    assert figures(result) == [("8.8.8.8/31", 8, 0, 1)]
    result = block("--capture", r" (?<what>w\w+)", "--format", "json", bad="what")
    assert figures(result) == [("9.9.9.9/32", 7, 0, 0), ("8.8.8.9/32", 1, 0, 3)]


def test_a_hostile_line_does_not_match(block, sonde):
    sonde.file("a.log", "a" * 60 + "c 8.8.8.8 b\n" + "aab 9.9.9.9\n" + "a" * 60 + "c 1.1.1.1 b\n")
    result = block("--capture", "(?<x>(a+)+b)", bad="x")
    assert result.stdout == b"9.9.9.9/32\n"
    assert result.stderr.startswith(
        "sonde: --capture: a line takes more than 100,000 steps, and does not match\n"
    )
    assert "sonde: --capture: 2 lines take too many steps\n" in result.stderr


def test_bad_is_needed(sonde):
    result = sonde("block", "a.log")
    assert result.status == 2
    assert "which hits are bad? Give --bad EXPR" in result.stderr


def test_only_what_an_answer_could_decide_is_asked_about(sonde, simulator):
    sonde.file("a.log", "8.8.8.8\n9.9.9.9\n1.1.1.1\n")
    simulator.control(batch_limit=None)
    result = sonde("block", "a.log", "--bad", "ip in (8.8.8.0/24)", "--provider", "ip-api", env=simulator.env)
    assert (result.status, result.stdout) == (0, b"8.8.8.8/32\n")
    assert "0 requests" in result.stderr
    result = sonde(
        "block", "a.log", "--bad", "ip in (8.8.8.0/24)", "--format", "csv", "--provider", "ip-api", env=simulator.env
    )
    # About the address of the rule alone.
    assert result.stdout.count(b"\n") == 2 and b",US," in result.stdout


def test_random_logs_give_sets_within_their_limits(block, sonde):
    for seed in range(3):
        numbers = random.Random(seed)
        hosts = [f"5.6.{numbers.randrange(8)}.{numbers.randrange(256)}" for _ in range(300)]
        bad = {h for h in hosts if numbers.random() < 0.6}
        hits = [numbers.choice(hosts) for _ in range(3000)]
        sonde.file("a.log", "".join(f"{host}\n" for host in hits))
        sonde.file("bad.txt", "".join(f"{host}\n" for host in sorted(bad)))
        found = plan(block("--collateral", "10%", "--format", "json"))
        networks = [ip_network(rule["prefix"]) for rule in found["rules"]]
        inside = [h for h in hits if any(ip_address(h) in n for n in networks)]
        covered = sum(h in bad for h in inside)
        assert found["totals"]["bad_covered"] == covered >= 0.95 * sum(h in bad for h in hits)
        assert found["totals"]["good_touched"] == len(inside) - covered <= 0.1 * sum(h not in bad for h in hits)
        assert len(networks) <= found["totals"]["at_least"] * 1.02 + 2


LOGINS = ["Failed password", "Accepted password", "session closed"]


def logins(seed):
    """Lines of a log of logins with their addresses: a few hosts come often, most seldom."""
    pick = random.Random(seed)
    hosts = [f"8.{n}.{n}.8" for n in range(1, 60)] + [f"2a00:1450:{n:x}::8" for n in range(1, 20)]
    weights = [1 / (n + 1) for n in range(len(hosts))]
    return [(pick.choices(hosts, weights)[0], pick.choice(LOGINS)) for _ in range(1500)]


@pytest.mark.parametrize(
    ("bad", "of_text", "holds"),
    [
        ('text ~ "*Failed*" and hits >= 20', "Failed", lambda count: count >= 20),
        ("hits >= 40", "", lambda count: count >= 40),
        ('not hits < 12 and text ~ "*closed*"', "closed", lambda count: count >= 12),
        ('text ~ "*failed*"', "Failed", lambda count: count > 0),
    ],
)
def test_lines_and_totals_make_hits_bad(block, sonde, bad, of_text, holds):
    """The totals are of the lines that the rest of the condition chooses, over all inputs."""
    lines = logins(3)
    texts = [f"Nov 20 10:00:00 gate sshd[1]: {word} for root from {host} port 22\n" for host, word in lines]
    sonde.file("one.log", "".join(texts[:700]))
    sonde.file("two.log", "".join(texts[700:]))
    found = plan(block("--format", "json", "--cover", "100%", bad=bad, inputs=("one.log", "two.log")))
    counts = {}
    for host, word in lines:
        counts.setdefault(host, [0, 0])[of_text in word] += 1
    chosen = {host: (true, other) for host, (other, true) in counts.items() if holds(true)}
    assert 0 < len(chosen) < len(counts) or bad == 'text ~ "*failed*"'
    totals = found["totals"]
    assert totals["bad"] == sum(true for true, _ in chosen.values())
    assert totals["good"] == sum(sum(both) for host, both in counts.items() if host not in chosen)
    rules = [(ip_network(rule["prefix"]), rule) for rule in found["rules"]]
    for network, rule in rules:
        within = [both for host, both in chosen.items() if ip_address(host) in network]
        assert (rule["bad"], rule["other"]) == (sum(t for t, _ in within), sum(o for _, o in within))


def test_totals_decide_before_anybody_is_asked(sonde, simulator):
    simulator.control(batch_limit=None)
    sonde.file("a.log", "".join(f"{host} login\n" for host in ["8.8.8.8"] * 5 + ["9.9.9.9"] * 2 + ["1.1.1.1"] * 3))
    result = sonde(
        "block", "a.log", "--bad", "hits >= 3 and country_code = US", "--format", "plain", "--provider", "ip-api", env=simulator.env
    )
    assert result.status == 0, result.stderr
    assert "9.9.9.9" not in simulator.addresses() and "8.8.8.8" in simulator.addresses()
    assert result.stdout == b"8.8.8.8/32\n"


def test_a_record_counts_at_its_time(block, sonde):
    sonde.file("r.csv", "ip,status,time,hits\n8.8.8.8,ok,2026-11-20T10:00:00Z,7\n9.9.9.9,ok,2026-11-21T10:00:00Z,2\n")
    found = plan(block("--format", "json", "--since", "2026-11-21", bad="hits >= 2", inputs=("r.csv",)))
    assert [rule["prefix"] for rule in found["rules"]] == ["9.9.9.9/32"]
    found = plan(block("--format", "json", bad="hits >= 3", inputs=("r.csv",)))
    assert (found["totals"]["bad"], found["totals"]["good"]) == (7, 2)


def test_what_it_spares_is_not_written_over(block, sonde):
    sonde.file("spared.txt", "1.2.3.4/32\n")
    result = block("--never", "spared.txt", "-o", "spared.txt")
    assert result.status == 2 and "spared.txt" in result.stderr
    assert sonde.read("spared.txt") == b"1.2.3.4/32\n"


@pytest.mark.parametrize("user", ["al\xe9ice".encode(), "\u540d\U0001f512".encode(), b"al\xffice", b"\xc3\xf0\x9f"])
def test_a_pattern_matches_all_that_is_a_text_and_what_is_none(block, sonde, user):
    (sonde.work / "odd.log").write_bytes(b"Failed for %b from 1.1.1.1\n" % user)
    result = block("--capture", r"for (?<user>\S+) from", "--format", "plain", bad="user", inputs=("odd.log",))
    assert b"1.1.1.1" in result.stdout


def test_a_long_time_is_one_that_nft_takes(block):
    assert b" timeout 9000d0s " in block("--format", "nft", "--expire", "9000d").stdout
    assert b" timeout 3600s " in block("--format", "nft", "--expire", "1h").stdout
