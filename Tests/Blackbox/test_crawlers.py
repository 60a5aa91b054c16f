"""`--with crawler`: by published lists, and by the names of addresses whose line claims to be a crawler."""

import contextlib
import csv
import io
import ipaddress
import json
import random
import sqlite3

import mmdb
import pytest
from name_server import A, AAAA, PTR, SERVFAIL, NameServer, message, reverse

LISTS = ("googlebot", "bingbot", "gptbot")
AGENTS = {
    "googlebot": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "bingbot": "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "gptbot": "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "applebot": "Mozilla/5.0 (Macintosh) AppleWebKit/600.2.5 (Applebot/0.1; +http://www.apple.com/go/applebot)",
    "yandexbot": "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
    "baiduspider": "Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)",
    None: "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
}
# A list decides, and so does a confirmed name; others claim what they are not.
LISTED, LISTED6, BING, GPT = "66.249.64.7", "2001:4860:4801:10::5", "157.55.39.9", "52.230.152.8"
NAMED, NAMED6, PROXY = "66.249.66.1", "2001:4860:4801:40::9", "66.249.90.77"
LIAR, COPY, ALIKE, MIXED, NAMELESS = "5.6.7.8", "5.6.7.9", "5.6.7.10", "5.6.7.11", "5.6.7.12"
FAKE6 = "2a00:1450:4001::77"


def line(address, agent=None, path="/"):
    return f'{address} - - [27/Nov/2026:10:00:00 +0000] "GET {path} HTTP/1.1" 200 12 "-" "{AGENTS.get(agent, agent)}"\n'


@pytest.fixture
def server():
    """Names of crawlers, of liars and of others."""
    server = NameServer()
    server.add(NAMED, "crawl-66-249-66-1.googlebot.com")
    server.add(NAMED6, "crawl-6.googlebot.com")
    server.add(PROXY, "rate-limited-proxy-66-249-90-77.Google.com")
    server.add("17.58.101.179", "17-58-101-179.applebot.apple.com")
    server.add("5.255.1.1", "spider-5-255-1-1.yandex.com")
    server.add("180.76.15.1", "baiduspider-180-76-15-1.crawl.baidu.com")
    # Its holder may say anything; only the holder of the name can confirm it.
    server.add(LIAR, "crawl-66-249-66-1.googlebot.com", back=False)
    server.add(FAKE6, "crawl-6.googlebot.com", back=False)
    server.add(COPY, "googlebot.com.evil.example")
    server.add(ALIKE, "crawl-1.evilgooglebot.com", "crawl-1.googlebot.com.evil.example")
    server.add(MIXED, "own.evil.example")
    server.add(MIXED, "crawl-66-249-66-1.googlebot.com", back=False)
    yield server
    server.close()


@pytest.fixture
def crawlers(sonde, server, loc_database):
    """Runs a command with crawlers; the provider is a local database."""

    def run(command, *arguments, **options):
        local = ("--provider", "local", "--database", loc_database, "--resolver", server.place, "--cache", "kept.db")
        return sonde(command, *local, "--with", "crawler", *arguments, **options)

    return run


@pytest.fixture
def fetched(sonde, simulator, crawlers):
    assert sonde("tables", "update", *LISTS, env=simulator.env).status == 0
    return crawlers


def verdicts(result):
    return {
        record["ip"]: tuple(record.get(name) for name in ("crawler", "crawler_name", "crawler_status"))
        for record in result.records
    }


FIELDS = ("--fields", "ip,crawler,crawler_name,crawler_status", "--format", "ndjson")
OK, NONE = "ok", (None, None, None)
GOOGLE, FAKE = ("genuine", "googlebot", OK), ("impostor", "googlebot", OK)


def scan(run, sonde, *lines, **options):
    sonde.file("access.log", "".join(lines))
    return run("scan", "--log", *FIELDS, *options.pop("more", ()), "access.log", **options)


def test_lists_and_names_tell_true_crawlers_from_false_ones(fetched, sonde, server):
    result = scan(
        fetched, sonde,
        *(line(address, "googlebot") for address in (LISTED, LISTED6, NAMED, NAMED6, PROXY)),
        *(line(address, "googlebot") for address in (LIAR, FAKE6, COPY, ALIKE, MIXED, NAMELESS)),
        line(BING, "bingbot"), line(GPT, "gptbot"), line("9.9.9.9", "gptbot"), line("9.9.9.10", "bingbot"),
        line("17.58.101.179", "applebot"), line("5.255.1.1", "yandexbot"), line("180.76.15.1", "baiduspider"),
        line("9.9.9.11", "applebot"), line("9.9.9.12"), line("10.0.0.1", "googlebot"),
    )  # fmt: skip
    assert result.status == 0, result.stderr
    assert verdicts(result) == {
        **dict.fromkeys((LISTED, LISTED6, NAMED, NAMED6, PROXY), GOOGLE),
        **dict.fromkeys((LIAR, FAKE6, COPY, ALIKE, MIXED, NAMELESS), FAKE),
        BING: ("genuine", "bingbot", OK), GPT: ("genuine", "gptbot", OK),
        "9.9.9.9": ("impostor", "gptbot", OK), "9.9.9.10": ("impostor", "bingbot", OK),
        "17.58.101.179": ("genuine", "applebot", OK), "5.255.1.1": ("genuine", "yandexbot", OK),
        "180.76.15.1": ("genuine", "baiduspider", OK), "9.9.9.11": ("impostor", "applebot", OK),
        "9.9.9.12": NONE, "10.0.0.1": NONE,
    }  # fmt: skip


def test_only_those_are_asked_about_that_claim_something_and_no_list_has(fetched, sonde, server):
    result = scan(
        fetched, sonde, line(LISTED, "googlebot"), line(NAMED, "googlebot"), line("9.9.9.12"), line(GPT, "gptbot"),
        line("9.9.9.9", "gptbot"), line(NAMED), line("10.0.0.1", "googlebot"),
    )  # fmt: skip
    assert result.status == 0, result.stderr
    assert server.asked() == [reverse(NAMED)]


def test_without_a_claim_lists_decide_and_nobody_is_asked(fetched, sonde, server):
    result = fetched("scan", *FIELDS, LISTED, NAMED, "9.9.9.9")
    assert verdicts(result) == {LISTED: GOOGLE, NAMED: NONE, "9.9.9.9": NONE}
    looked = fetched("lookup", *FIELDS, LISTED6)
    assert (verdicts(looked), looked.status, server.questions) == ({LISTED6: GOOGLE}, 0, [])


def test_with_names_all_names_count_and_are_asked_for_once(fetched, sonde, server):
    result = scan(fetched, sonde, line(NAMED), line(PROXY, "googlebot"), line(LIAR), line("9.9.9.9"), more=("--with", "names"))
    assert result.status == 0, result.stderr
    assert verdicts(result) == {NAMED: GOOGLE, PROXY: GOOGLE, LIAR: NONE, "9.9.9.9": NONE}
    assert sorted(server.asked()) == sorted(map(reverse, (NAMED, PROXY, LIAR, "9.9.9.9")))
    server.forget()
    fresh = scan(fetched, sonde, line(NAMED), line(PROXY, "googlebot"), more=("--with", "names", "--no-cache"))
    assert verdicts(fresh) == {NAMED: GOOGLE, PROXY: GOOGLE}
    assert sorted(server.asked()) == sorted(map(reverse, (NAMED, PROXY)))


def test_without_lists_names_decide_and_the_rest_is_empty(crawlers, sonde, server):
    result = scan(crawlers, sonde, line(LISTED, "googlebot"), line(NAMED, "googlebot"), line(GPT, "gptbot"), line(BING))
    assert result.status == 0, result.stderr
    # Nothing has a name for the first one here.
    unknown = (None, None, "unknown")
    assert verdicts(result) == {LISTED: FAKE, NAMED: GOOGLE, GPT: unknown, BING: NONE}


def test_a_resolver_without_an_answer_is_told_and_counts(fetched, sonde, server):
    server.rule = lambda question: [message(question, SERVFAIL)] if question.name == reverse(NAMELESS) else None
    result = scan(
        fetched, sonde, line(NAMELESS, "googlebot"), line(LISTED, "googlebot"), line(NAMED, "googlebot"), more=("--retries", "0")
    )
    assert verdicts(result) == {NAMELESS: (None, None, "failed"), LISTED: GOOGLE, NAMED: GOOGLE}
    assert result.status == 1 and "crawler_status: 1 failed" in result.stderr


def test_the_fifth_source_counts_like_the_first(fetched, sonde, server, simulator):
    server.rule = lambda question: [message(question, SERVFAIL)]
    others = [word for name in ("names", "route", "internetdb", "greynoise") for word in ("--with", name)]
    sonde.file("access.log", line(NAMELESS, "googlebot"))
    local = ("--provider", "local", "--resolver", server.place, "--retries", "0", "--max-requests", "0")
    result = sonde("scan", "--log", *local, *others, "--with", "crawler", "access.log", env=simulator.env)
    assert result.status == 1 and "crawler_status: 1 failed" in result.stderr, result.stderr


def test_without_a_resolver_lists_still_decide(fetched, sonde, server):
    server.close()
    lines = [line(NAMELESS, "googlebot"), line(LISTED, "googlebot"), line("9.9.9.9", "gptbot"), line("9.9.9.12")]
    result = scan(fetched, sonde, *lines, more=("--offline-timeout", "0.2"))
    lost = (None, None, "network_lost")
    assert verdicts(result) == {NAMELESS: lost, LISTED: GOOGLE, "9.9.9.9": ("impostor", "gptbot", OK), "9.9.9.12": NONE}
    assert result.status == 3


def test_the_line_of_the_record_claims(fetched, sonde, server):
    lines = [line(NAMELESS), line(NAMELESS, "googlebot"), line(LIAR, "googlebot"), line(LIAR)]
    assert verdicts(scan(fetched, sonde, *lines)) == {NAMELESS: NONE, LIAR: FAKE}
    every = scan(fetched, sonde, *lines, more=("--duplicates", "keep"))
    assert [record.get("crawler") for record in every.records] == [None, "impostor", "impostor", None]
    chosen = scan(fetched, sonde, *lines, more=("--where", 'text ~ "*Googlebot*"'))
    assert verdicts(chosen) == {NAMELESS: FAKE, LIAR: FAKE}
    impostors = scan(fetched, sonde, *lines, more=("--where", "crawler = impostor"))
    assert verdicts(impostors) == {LIAR: FAKE}


def test_annotate_judges_every_line(fetched, sonde, server):
    lines = [
        line(NAMELESS), line(NAMELESS, "googlebot"), line(NAMELESS, "gptbot"), line(NAMELESS), line(LISTED),
        line(NAMED, "googlebot"), line(NAMELESS, "googlebot"),
    ]  # fmt: skip
    sonde.file("access.log", "".join(lines))
    result = fetched("annotate", "--fields", "crawler,crawler_name", "access.log")
    assert result.status == 0, result.stderr
    shown = ["", " [impostor, googlebot]", " [impostor, gptbot]", "", " [genuine, googlebot]", " [genuine, googlebot]"]
    shown.append(shown[1])
    expected = [f"{each.partition(' ')[0]}{mark} {each.partition(' ')[2]}" for each, mark in zip(lines, shown)]
    # What the database knows of an address does not matter here.
    assert result.stdout.decode().replace(" [unknown]", "").replace(" []", "").replace("[unknown, ", "[") == "".join(expected)
    assert server.asked() == [reverse(NAMELESS), reverse(NAMED)]


@pytest.mark.parametrize("cache", [(), ("--no-cache",)], ids=["cache", "no cache"])
def test_annotate_asks_a_provider_once_about_an_address(sonde, simulator, server, cache):
    lines = [line(NAMELESS), line(NAMELESS, "googlebot"), line(NAMELESS, "bingbot"), line("8.8.8.8", "gptbot"), line("8.8.8.8")]
    sonde.file("access.log", "".join(lines) * 50)
    fields = ("--fields", "ip,status,crawler", "--style", "end", "--resolver", server.place)
    result = sonde("annotate", "--with", "crawler", *fields, *cache, "access.log", env=simulator.env)
    assert result.status == 0, result.stderr
    ends = [row.partition("\t")[2] for row in result.stdout.decode().splitlines()]
    first = "5.6.7.12 [5.6.7.12, ok"
    assert ends == [f"{first}]", f"{first}, impostor]", f"{first}, impostor]", *["8.8.8.8 [8.8.8.8, ok]"] * 2] * 50
    assert simulator.addresses() == {"5.6.7.12": 1, "8.8.8.8": 1}
    assert server.asked() == [reverse(NAMELESS)]


def test_annotate_keeps_the_lines_of_impostors(fetched, sonde):
    lines = [line(NAMELESS), line(NAMELESS, "googlebot"), line(LISTED, "googlebot"), line(LIAR, "bingbot"), line("9.9.9.9")]
    sonde.file("access.log", "".join(lines))
    result = fetched("annotate", "--fields", "none", "--where", "crawler = impostor", "access.log")
    assert result.stdout.decode() == lines[1] + lines[3], result.stderr


def test_annotate_of_json_and_columns(fetched, sonde):
    agent = AGENTS["googlebot"]
    rows = [{"ip": NAMELESS, "ua": agent}, {"ip": NAMELESS, "ua": "curl"}, {"ip": LISTED, "ua": "curl"}]
    sonde.file("log.ndjson", "".join(json.dumps(row) + "\n" for row in rows))
    result = fetched("annotate", "--style", "json", "--fields", "crawler", "log.ndjson")
    found = [json.loads(row)["sonde"]["/ip"].get("crawler") for row in result.stdout.splitlines()]
    assert found == ["impostor", None, "genuine"], result.stderr
    sonde.file("log.csv", f'ip,ua\n{NAMELESS},"{agent}"\n{NAMELESS},curl\n{LISTED},curl\n')
    result = fetched("annotate", "--style", "columns", "--fields", "crawler,crawler_name", "log.csv")
    table = list(csv.DictReader(io.StringIO(result.stdout.decode())))
    assert [row["ip_crawler"] for row in table] == ["impostor", "", "genuine"], result.stderr


def test_a_summary_counts_them(fetched, sonde):
    lines = [line(LIAR, "googlebot")] * 3 + [line(LISTED, "googlebot")] * 2 + [line("9.9.9.9"), line(NAMELESS, "gptbot")]
    sonde.file("access.log", "".join(lines))
    result = fetched("summary", "--by", "crawler,crawler_name", "--format", "csv", "access.log")
    rows = [(row["crawler"], row["crawler_name"], row["hits"]) for row in csv.DictReader(io.StringIO(result.stdout.decode()))]
    expected = [("impostor", "googlebot", "3"), ("genuine", "googlebot", "2"), ("impostor", "gptbot", "1"), ("", "", "1")]
    assert rows == expected, result.stderr
    top = fetched("summary", "--by", "ip,crawler", "--top", "2", "--format", "csv", "access.log")
    assert [(row["ip"], row["crawler"]) for row in csv.DictReader(io.StringIO(top.stdout.decode()))] == [
        (LIAR, "impostor"), (LISTED, "genuine"),
    ], top.stderr  # fmt: skip


def test_a_plan_counts_the_names_of_claims(fetched, sonde, server):
    sonde.file("plan.log", line(LISTED, "googlebot") + line(NAMED, "googlebot") + line("9.9.9.9") + line(LIAR, "bingbot"))
    arguments = ("--provider", "local", "--resolver", server.place, "--cache", "kept.db", "--with", "crawler", "plan.log")
    plan = sonde("plan", "--log", *arguments)
    (row,) = [each for each in plan.stdout.decode().splitlines() if "crawler" in each]
    assert plan.status == 0 and " 2" in row and server.questions == [], plan.stdout
    assert scan(fetched, sonde, line(NAMED, "googlebot")).status == 0
    (row,) = [each for each in sonde("plan", "--log", *arguments).stdout.decode().splitlines() if "crawler" in each]
    assert " 1" in row


def test_names_are_kept_for_the_next_run(fetched, sonde, server):
    lines = [line(each, "googlebot") for each in (NAMED, LIAR, MIXED)]
    first = scan(fetched, sonde, *lines)
    server.forget()
    assert verdicts(scan(fetched, sonde, *lines)) == verdicts(first) == {NAMED: GOOGLE, LIAR: FAKE, MIXED: FAKE}
    assert server.questions == []


def test_a_scan_is_resumed_only_with_the_same_sources(fetched, sonde, loc_database, server):
    sonde.file("access.log", "".join(line(f"9.9.{number // 250}.{number % 250 + 1}", "googlebot") for number in range(2000)))
    local = ("--provider", "local", "--database", loc_database, "--resolver", server.place)
    running = sonde.start("scan", "--log", *local, "--with", "crawler", "-o", "out.csv", "access.log")
    running.signal(2)
    running.finish()
    again = ("scan", "--log", *local, "--resume", "-o", "out.csv", "access.log")
    if (sonde.work / "out.csv.journal").exists():
        refused = sonde(*again)
        assert refused.status == 2 and "with" in refused.stderr
    assert sonde(*again, "--with", "crawler").status == 0
    rows = list(csv.DictReader(io.StringIO(sonde.read("out.csv").decode())))
    assert len(rows) == 2000 and {row["crawler"] for row in rows} == {"impostor"}


def test_guard_judges_every_line(fetched, sonde, server):
    lines = [line(NAMELESS), line(NAMELESS, "googlebot"), line(LISTED, "googlebot"), line(NAMED, "bingbot"), line(NAMELESS)]
    sonde.file("access.log", "".join(lines))
    result = fetched("guard", "--replay", "access.log", "--when", "crawler = impostor", "--by", "ip,crawler_name")
    assert result.status == 0, result.stderr
    assert [alert["key"] for alert in map(json.loads, result.stdout.splitlines())] == [{"ip": NAMELESS, "crawler_name": "googlebot"}]
    assert server.asked() == [reverse(NAMELESS), reverse(NAMED)]


@pytest.mark.parametrize("form", ["csv", "ndjson", "sqlite"])
def test_upgrade_asks_again_by_the_text_of_a_record(fetched, sonde, server, form):
    server.rule = lambda question: [message(question, SERVFAIL)] if question.name == reverse(LIAR) else None
    sonde.file("access.log", line(LIAR, "googlebot") + line(LISTED, "googlebot") + line("9.9.9.9"))
    shown = ("--fields", "ip,status,source,text,crawler,crawler_name,crawler_status", "--retries", "0")
    first = fetched("scan", "--log", *shown, "-o", f"out.{form}", "access.log")
    assert first.status == 1, first.stderr
    server.rule = None
    upgraded = fetched("upgrade", f"out.{form}", "-o", f"out.{form}")
    assert upgraded.status == 0, upgraded.stderr
    path = sonde.work / f"out.{form}"
    if form == "sqlite":
        with contextlib.closing(sqlite3.connect(path)) as database:
            rows = database.execute("SELECT ip, crawler, crawler_status FROM records").fetchall()
    elif form == "csv":
        rows = [(row["ip"], row["crawler"], row["crawler_status"]) for row in csv.DictReader(path.open())]
    else:
        rows = [(row["ip"], row.get("crawler"), row.get("crawler_status")) for row in map(json.loads, path.open())]
    found = {ip: (verdict or None, status or None) for ip, verdict, status in rows}
    assert found == {LIAR: ("impostor", OK), LISTED: ("genuine", OK), "9.9.9.9": (None, None)}, upgraded.stderr


def test_check_asks_nobody(sonde):
    result = sonde("check", "--with", "crawler", "8.8.8.8")
    assert result.status == 2 and "check asks nobody else" in result.stderr


def test_own_tables_may_not_have_its_names(sonde):
    sonde.file("x.csv", "network,name\n8.8.8.0/24,a\n")
    for name in ("crawler", "crawler_name"):
        result = sonde("check", "--with", f"{name}=x.csv", "8.8.8.8")
        assert result.status == 2 and name in result.stderr


def test_random_claims_get_what_their_names_say(fetched, sonde, server):
    generator = random.Random(30)
    domains = ["googlebot.com", "google.com", "search.msn.com", "applebot.apple.com", "yandex.net", "baidu.jp"]
    owners = dict(zip(domains, ["googlebot", "googlebot", "bingbot", "applebot", "yandexbot", "baiduspider"]))
    lines, expected = [], {}
    for number in range(400):
        address = str(ipaddress.ip_address(generator.choice([0x0B000000, 0x2A10 << 112]) + number * 7 + 1))
        domain = generator.choice(domains)
        name, genuine = generator.choice([
            (f"crawl-{number}.{domain}", True), (f"crawl-{number}.evil{domain}", False),
            (f"crawl-{number}.{domain}.evil.example", False), (f"a{number}.example", False), (None, False),
        ])  # fmt: skip
        isBack = generator.random() < 0.7
        if name:
            server.add(address, name, back=isBack)
        claim = generator.choice([*AGENTS])
        lines.append(line(address, claim))
        if genuine and isBack and claim not in (None, "gptbot"):
            expected[address] = ("genuine", owners[domain], OK)
        else:
            expected[address] = ("impostor", claim, OK) if claim else NONE
    result = scan(fetched, sonde, *lines)
    assert result.status == 0, result.stderr
    assert verdicts(result) == expected
    claimed = sum(1 for each in lines if AGENTS[None] not in each and AGENTS["gptbot"] not in each)
    assert len(server.asked()) == claimed and max(server.counts().values()) == 1
    assert not [question for question in server.questions if question.type not in (A, AAAA, PTR)]


def test_yesterdays_log_is_told_offline_save_for_names(sonde, simulator, server, loc_database):
    """The command of the manual: who is where, who is on DROP, which Googlebots are none, and an own score."""
    updated = sonde("tables", "update", "googlebot", "drop", env=simulator.env)
    assert updated.status == 0, updated.stderr
    mmdb.write(sonde.work / "ours.mmdb", "Ours", {"1.10.16.0/20": {"risk": {"score": 87}}, LIAR + "/32": {"risk": {"score": 3}}})
    lines = [line("1.10.17.1"), line(LISTED, "googlebot"), line(LIAR, "googlebot"), line(NAMED, "googlebot"), line("9.9.9.9")]
    sonde.file("access.log", "".join(lines))
    fields = ("--fields", "drop_sblid,crawler,crawler_name,risk_risk_score", "--style", "end")
    local = ("--provider", "local", "--database", loc_database, "--resolver", server.place)
    sources = ("--with", "drop", "--with", "crawler", "--with", "risk=ours.mmdb")
    result = sonde("annotate", *local, *sources, *fields, "access.log")
    assert result.status == 0, result.stderr
    ends = [row.partition("\t")[2].replace("[unknown, ", "[") for row in result.stdout.decode().splitlines()]
    assert ends[:4] == [
        "1.10.17.1 [SBL256894, 87]", f"{LISTED} [genuine, googlebot]", f"{LIAR} [impostor, googlebot, 3]",
        f"{NAMED} [genuine, googlebot]",
    ]  # fmt: skip
    assert sorted(server.asked()) == sorted(map(reverse, (LIAR, NAMED)))
