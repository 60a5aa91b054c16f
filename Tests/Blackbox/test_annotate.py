"""`annotate`: a log in, the same log out, with what is known of its addresses in brackets."""

import bz2
import gzip
import json
import lzma
import os
import random
import re
import signal
import stat
import subprocess
import time

import pytest
from command import NOWHERE, PATIENCE, wait_for
from expected import record
from namespaces import Network, skip_unless_allowed

pytestmark = pytest.mark.slow

INSERTED = re.compile(rb" \[[^\]]*\]")
KINDS = "duplicates ok unknown reserved invalid failed network_lost".split()


def words(address):
    """What stands in brackets behind an address that ip-api knows."""
    known = record(address)
    if known["status"] == "unknown":
        return "unknown"
    network = f"AS{known['asn']} {known['as_name']}" if "asn" in known else known.get("as_name")
    values = [known.get("country_code"), known.get("city"), network]
    return ", ".join(value for value in values if value).replace("]", ")")


def public(count, seed=1):
    """Addresses about which the simulator knows something."""
    chance, found = random.Random(seed), []
    while len(found) < count:
        address = f"5.{chance.randrange(256)}.{chance.randrange(256)}.{chance.randrange(256)}"
        if record(address)["status"] == "ok" and address not in found:
            found.append(address)
    return found


def summary(sonde, name="events"):
    """The summary event of a run, whose books must balance."""
    event = json.loads(sonde.read(name).splitlines()[-1])
    assert event["event"] == "summary"
    assert event["entries"] == sum(event[kind] for kind in (*KINDS, "unanswered"))
    assert event["lines"] == event["annotated"] + event["unchanged"] + event["late"]
    return event


def counts(event):
    return {kind: event[kind] for kind in ("lines", "annotated", "unchanged", "late")}


@pytest.fixture
def free(simulator):
    """The simulator without limits."""
    simulator.control(batch_limit=None, single_limit=None)
    return simulator


@pytest.fixture
def local(loc_database):
    """The options of a run that sends nothing."""
    return ["--provider", "local", "--database", loc_database]


# What is inserted


def test_behind_each_address_stands_what_is_known(sonde, free):
    lines = (
        b'8.8.8.8 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 12\r\n'
        b"no address here\n"
        b"from 1.1.1.1:443 to [2606:4700:4700::1111]:53, 8.8.8.8.\n"
        b"::ffff:8.8.8.8 and 10.0.0.1 fe80::1%eth0 x\n"
        b"IP 1.1.1.1.53 > 9.9.9.9.domain: UDP\n"
        b"\n"
        b"last 9.9.9.9"
    )
    result = sonde("annotate", "--events", "events", "-o", "out", input=lines, env=free.env)
    assert (result.status, result.stdout) == (0, b"")

    def inserted(address):
        return f"{address} [{words(address.removeprefix('::ffff:'))}]"

    one, nine = words("1.1.1.1"), words("9.9.9.9")
    assert sonde.read("out").decode() == (
        f'{inserted("8.8.8.8")} - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 12\r\n'
        "no address here\n"
        f"from {inserted('1.1.1.1')}:443 to [{inserted('2606:4700:4700::1111')}]:53, "
        f"{inserted('8.8.8.8')}.\n"
        f"{inserted('::ffff:8.8.8.8')} and 10.0.0.1 [Private-Use] "
        "fe80::1%eth0 [Link-Local Unicast] x\n"
        f"IP 1.1.1.1.53 [{one}] > 9.9.9.9.domain [{nine}]: UDP\n"
        "\n"
        f"last {inserted('9.9.9.9')}"
    )
    event = summary(sonde)
    assert counts(event) == {"lines": 7, "annotated": 5, "unchanged": 2, "late": 0}
    assert (event["entries"], event["ok"], event["reserved"], event["duplicates"]) == (10, 4, 2, 4)
    assert "10 entries: 4 ok (4 ip-api), 2 reserved, 4 duplicates" in result.stderr
    assert "; 7 lines: 5 annotated, 2 unchanged; 1 request in" in result.stderr


def test_an_address_without_an_answer_gets_the_reason(sonde, free):
    fault = {"fault": "entry_error", "message": "oh", "status": "error", "of": "1.1.1.1"}
    free.control(batch_limit=None, faults=[fault])
    unknown = next(f"5.57.128.{n}" for n in range(256) if words(f"5.57.128.{n}") == "unknown")
    options = ("--provider", "ip-api", "--retries", 0)
    result = sonde("annotate", *options, input=f"8.8.8.8 {unknown} 1.1.1.1\n", env=free.env)
    known = f"8.8.8.8 [{words('8.8.8.8')}]"
    assert result.stdout.decode() == f"{known} {unknown} [unknown] 1.1.1.1 [failed]\n"
    assert result.status == 1


def test_an_address_is_lost_with_the_network(sonde):
    options = ("--provider", "ip-api", "--offline-timeout", "0.1")
    env = {"SONDE_IP_API_URL": "http://nowhere.invalid"}
    result = sonde("annotate", *options, input=b"8.8.8.8 10.0.0.1\n", env=env)
    assert (result.status, result.stdout) == (3, b"8.8.8.8 [network lost] 10.0.0.1 [Private-Use]\n")


def test_fields_are_picked_or_added(sonde, free):
    known = record("8.8.8.8")
    lines = b"8.8.8.8\n"
    for options, inserted in [
        ("country_code,asn,as_name", f"{known['country_code']}, {known['asn']}, {known['as_name']}"),
        ("as_name", known["as_name"]),
        ("latitude,network,longitude", f"{known['latitude']}, {known['longitude']}"),
        ("+timezone", f"{words('8.8.8.8')}, {known['timezone']}"),
        ("status,cached,ip", "ok, false, 8.8.8.8"),
        ("network", ""),
    ]:
        result = sonde("annotate", "--fields", options, input=lines, env=free.env)
        assert result.stdout.decode() == f"8.8.8.8 [{inserted}]\n"


@pytest.mark.parametrize("field", ["line", "input"])
def test_a_field_that_depends_on_the_place_is_refused(sonde, field):
    result = sonde("annotate", "--fields", f"+{field}", input=b"8.8.8.8\n")
    assert result.status == 2 and f"--fields {field} makes no sense" in result.stderr


def test_what_the_provider_says_cannot_break_a_line(sonde, free):
    free.control(batch_limit=None, hostile=True)
    addresses = public(300)
    text = "".join(f"a {address} b\n" for address in addresses).encode()
    result = sonde("annotate", "--fields", "city,as_name,isp,region", input=text, env=free.env)
    assert INSERTED.sub(b"", result.stdout) == text
    shown = result.stdout.decode()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", shown)


# Lines in = lines out

PLAIN = [
    b"", b" ", b"\t", b"-", b"word", b"\xff\xfe", b"\x00", b"\xc3\xa9", b"1.2.3", b"999.1.1.1",
    b"v1.2.3.4-rc", b"std::vector", b"10:05:03", b"00:1b:63:84:45:e6", b"[x]", b'"q"', b"a]b", b"\r",
    b"\xe2\x80\xa8", b"1.2.3.4.5", b"example.com",
]  # fmt: skip
AROUND = [(b"", b""), (b"[", b"]"), (b'"', b'"'), (b"(", b")"), (b"src=", b""), (b"", b":443"), (b"<", b">")]


def fuzzed(seed, lines, knows):
    """A log, and what becomes of it, made together; `knows` gives what is known of an address."""
    chance = random.Random(seed)
    pool = [f"{chance.randrange(11, 100)}.{n}.7.{n % 200}" for n in range(60)]
    pool += ["2001:4860::8888", "2606:4700::1", "10.1.2.3", "192.168.1.1", "::1", "8.8.8.8"]
    log, wanted = b"", b""
    for _ in range(lines):
        for _ in range(chance.randrange(6)):
            if chance.random() < 0.5:
                piece = chance.choice(PLAIN)
                log, wanted = log + piece, wanted + piece
            else:
                before, behind = chance.choice(AROUND)
                address = chance.choice(pool)
                if ":" in address and behind == b":443":
                    before, behind = b"[", b"]:443"
                head = before + address.encode()
                log += head + behind
                wanted += head + b" [" + knows(address).encode() + b"]" + behind
            log, wanted = log + b" ", wanted + b" "
        end = chance.choice([b"\n", b"\n", b"\r\n", b"\n\n"])
        log, wanted = log + end, wanted + end
    cut = chance.random() < 0.5
    return (log.rstrip(b"\n"), wanted.rstrip(b"\n")) if cut else (log, wanted)


def reserved(address):
    return {"10": "Private-Use", "192": "Private-Use", "": "Loopback Address"}.get(
        re.split("[.:]", address)[0]
    )


@pytest.mark.parametrize("seed", range(6))
def test_a_fuzzed_log_is_as_a_slow_reference_has_it(sonde, free, seed):
    def knows(address):
        if address.startswith(("10.1.", "192.168.", "::1")):
            return reserved(address)
        return words(address)

    log, wanted = fuzzed(seed, 400, knows)
    sonde.file("log", log)
    result = sonde("annotate", "--provider", "ip-api", "log", env=free.env)
    assert result.stdout == wanted
    piped = sonde("annotate", "--provider", "ip-api", input=log, env=free.env)
    assert piped.stdout == wanted


@pytest.mark.parametrize("size", [1 << 18, (1 << 18) - 7, 3 << 18, 10 << 20])
def test_lines_of_any_length_are_annotated(sonde, local, size):
    text = b"x" * size + b" 8.8.8.8\n5.1.1.1\n" + b" 8.8.8.8" * (size // 80) + b"\n"
    result = sonde("annotate", *local, input=text)
    assert INSERTED.sub(b"", result.stdout) == text
    assert result.stdout.count(b" [") == size // 80 + 2


def test_a_line_of_more_than_16_mib_passes_unchanged(sonde, local):
    long = b"8.8.8.8 " * (3 << 20)
    text = b"a 8.8.8.8\n" + long + b"\nb 8.8.8.8\n" + long
    options = ("--events", "events", "-o", "out")
    assert sonde("annotate", *local, *options, input=text).status == 0
    inserted = b"8.8.8.8 [US, AS15169 GOOGLE]"
    assert sonde.read("out") == b"a %s\n%s\nb %s\n%s" % (inserted, long, inserted, long)
    assert counts(summary(sonde)) == {"lines": 4, "annotated": 2, "unchanged": 2, "late": 0}


@pytest.mark.parametrize("more", [0, 1, 1 << 20, 15 << 20, 17 << 20])
@pytest.mark.parametrize("end", [b"\n", b""], ids=["ended", "open"])
def test_the_longest_line_is_the_same_in_files_and_pipes(sonde, local, more, end):
    size = (16 << 20) + more
    text = b"5.1.1.1 first\n" + b"8.8.8.8 ".ljust(size - 8, b"x") + b" 8.8.8.8"[:8] + end
    options = (*local, "--events", "events", "-o", "out")
    sonde.file("log", text)
    sonde.file("log.zst", PACKINGS["zst"](text))
    for operand in ["log", "log.zst", "-"]:
        sonde("annotate", *options, operand, input=text)
        out = sonde.read("out")
        assert INSERTED.sub(b"", out) == text
        assert out.count(b" [") == (1 if more else 3), operand
        assert counts(summary(sonde)) == {"lines": 2, "annotated": 1 if more else 2, "unchanged": int(more > 0), "late": 0}


@pytest.mark.parametrize("text", [b"", b"\n", b"\n\n", b"x", b"\x00", b"\r\n", b"\xef\xbb\xbf8.8.8.8"])
def test_small_inputs_pass(sonde, local, text):
    result = sonde("annotate", *local, input=text)
    assert (result.status, INSERTED.sub(b"", result.stdout)) == (0, text)
    sonde.file("log", text)
    assert sonde("annotate", *local, "log").stdout == result.stdout


def test_only_the_lines_with_an_address_are_kept_if_wanted(sonde, local):
    text = b"\nno\n8.8.8.8 a\n\n10.0.0.1\nno\nno 5.1.1.1"
    options = ("--only-matching", "--events", "events", "-o", "out")
    assert sonde("annotate", *local, *options, input=text).status == 0
    assert sonde.read("out") == (
        b"8.8.8.8 [US, AS15169 GOOGLE] a\n10.0.0.1 [Private-Use]\n"
        b"no 5.1.1.1 [DE, AS3320 Deutsche Telekom AG]"
    )
    assert counts(summary(sonde)) == {"lines": 7, "annotated": 3, "unchanged": 4, "late": 0}


# Inputs


def test_files_go_out_one_after_another(sonde, local):
    for name, text in [("a", b"8.8.8.8\nend"), ("b", b""), ("c", b"5.1.1.1\n")]:
        sonde.file(name, text)
    result = sonde("annotate", *local, "a", "b", "-", "c", input=b" of a\n9.1.1.1\n")
    assert INSERTED.sub(b"", result.stdout) == b"8.8.8.8\nend of a\n9.1.1.1\n5.1.1.1\n"


PACKINGS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: subprocess.run(["zstd", "-c"], input=data, capture_output=True, check=True).stdout,
}


@pytest.mark.parametrize("name", PACKINGS)
def test_a_compressed_input_comes_out_uncompressed(sonde, local, name):
    text = b"".join(b"%d 8.8.%d.8\n" % (n, n % 250) for n in range(40_000))
    sonde.file(f"log.{name}", PACKINGS[name](text))
    plain = sonde("annotate", *local, input=text)
    assert sonde("annotate", *local, f"log.{name}").stdout == plain.stdout


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_comes_out_as_utf_8_and_that_is_said_once(sonde, local, encoding):
    text = "é 8.8.8.8\r\n𝄞 5.1.1.1\n"
    for name in "ab":
        sonde.file(name, ("\ufeff" + text).encode(encoding))
    result = sonde("annotate", *local, "a", "b")
    assert INSERTED.sub(b"", result.stdout).decode() == text * 2
    assert result.stderr.count("UTF-16") == 1 and "a is UTF-16, and written as UTF-8" in result.stderr


def test_an_input_that_cannot_be_read_is_reported_and_the_others_are_read(sonde, local):
    sonde.file("a", "8.8.8.8\n")
    result = sonde("annotate", *local, "missing", "a", "-o", "out")
    assert result.status == 5 and "missing: No such file" in result.stderr
    assert sonde.read("out") == b"8.8.8.8 [US, AS15169 GOOGLE]\n"


def test_nothing_is_touched_when_no_input_can_be_opened(sonde, local):
    sonde.file("out", "before")
    result = sonde("annotate", *local, "missing", "-o", "out")
    assert result.status == 5 and sonde.read("out") == b"before"
    assert not (sonde.work / "out.partial").exists()


def test_an_input_that_is_cut_off_comes_out_as_far_as_it_goes(sonde, local):
    text = b"".join(b"%d 8.8.8.%d\n" % (n, n % 250) for n in range(20_000))
    sonde.file("log.gz", gzip.compress(text)[:-3000])
    result = sonde("annotate", *local, "log.gz", "-o", "out")
    assert result.status == 5 and "log.gz" in result.stderr
    out = INSERTED.sub(b"", sonde.read("out"))
    assert text.startswith(out) and len(out) > 50_000
    # The last address may be another one's begin.
    assert not sonde.read("out").endswith(b"]")


def test_of_a_line_that_is_cut_off_all_but_the_last_word_is_annotated(sonde, local):
    noise = random.Random(3).randbytes(60_000).replace(b"\n", b"").replace(b" ", b"")
    text = b"5.1.1.1 a 8.8.8.8 b " + noise + b"\n"
    for before in [b"", b"10.0.0.1\n"]:
        sonde.file("log.gz", gzip.compress(before + text)[:-1000])
        result = sonde("annotate", *local, "log.gz", "-o", "out", "--events", "events")
        assert result.status == 5
        assert sonde.read("out").startswith(
            before.replace(b"\n", b" [Private-Use]\n")
            + b"5.1.1.1 [DE, AS3320 Deutsche Telekom AG] a 8.8.8.8 [US, AS15169 GOOGLE] b "
        )
        assert (before + text).startswith(INSERTED.sub(b"", sonde.read("out")))
        assert summary(sonde)["annotated"] == summary(sonde)["lines"]


@pytest.mark.parametrize("start, length", [(0, 1), (1, 20), (0, ""), (15, ""), (31, 0), (10, 400), ("1k", "1k"), ("9g", "")])
def test_a_range_is_the_lines_that_begin_in_it(sonde, local, start, length):
    lines = [b"%d 8.8.8.%d tail\n" % (n, n % 250) for n in range(200)]
    sonde.file("log", b"".join(lines))

    def number(text, default):
        return int(str(text).rstrip("kg") or default) * {"k": 1024, "g": 1 << 30}.get(str(text)[-1:], 1)

    first = number(start, 0)
    end = first + number(length, 1 << 40)
    position, wanted = 0, b""
    for line in lines:
        wanted += line if first <= position < end else b""
        position += len(line)
    result = sonde("annotate", *local, "--range", f"{start}:{length}", "log")
    assert (result.status, INSERTED.sub(b"", result.stdout)) == (0, wanted)


def test_ranges_side_by_side_are_the_whole(sonde, local):
    text = b"".join(b"%d 8.8.8.%d\n" % (n, n % 250) for n in range(3000)) + b"end 5.1.1.1"
    sonde.file("log", text)
    whole = sonde("annotate", *local, "log").stdout
    step = 7919
    parts = [sonde("annotate", *local, "--range", f"{at}:{step}", "log").stdout for at in range(0, len(text), step)]
    assert b"".join(parts) == whole


def test_a_range_is_of_one_plain_file(sonde, local):
    sonde.file("log", "8.8.8.8\n")
    sonde.file("log.gz", gzip.compress(b"8.8.8.8\n"))
    sonde.file("wide", "\ufeff8.8.8.8\n".encode("utf-16-le"))
    for operands in [["log.gz"], ["wide"], ["log", "log"], ["-"], []]:
        result = sonde("annotate", *local, "--range", "0:5", *operands, input=b"8.8.8.8\n")
        assert (result.status, result.stdout) == (2, b""), operands
        assert "--range" in result.stderr
    for value in ["", ":", "5", "-1:2", "1:2:3", "x:1", "1t:", "9999999999999g:"]:
        assert sonde("annotate", *local, f"--range={value}", "log").status == 2, value


# Asking


def test_each_address_is_asked_about_once(sonde, free):
    addresses = public(700)
    chance = random.Random(7)
    text = "".join(f"x {chance.choice(addresses)} y {chance.choice(addresses)}\n" for _ in range(20_000))
    for cache in [[], ["--no-cache"]]:
        free.control(batch_limit=None)
        result = sonde("annotate", *cache, input=text, env=free.env)
        assert INSERTED.sub(b"", result.stdout).decode() == text
        asked = free.addresses()
        assert set(asked) == set(re.findall(r"[\d.]{7,}", text)) and set(asked.values()) == {1}
        assert free.requests("ip-api batch") == 7


def test_what_failed_is_remembered_within_the_run(sonde, free):
    free.control(batch_limit=None, faults=[{"fault": "status", "status": 503}])
    options = ("--provider", "ip-api", "--retries", 0, "--concurrency", 1)
    running = sonde.start("annotate", *options, env=free.env)
    running.write("8.8.8.8\n")
    assert running.line() == b"8.8.8.8 [failed]\n"
    sent = free.requests("ip-api batch")
    running.write("8.8.8.8\n" * 3)
    result = running.finish()
    assert result.stdout == b"8.8.8.8 [failed]\n" * 4 and result.status == 1
    assert free.requests("ip-api batch") == sent


@pytest.mark.parametrize("cache", [[], ["--no-cache"]])
def test_an_answer_that_expires_stays_valid_within_the_run(sonde, free, cache):
    running = sonde.start("annotate", "--cache-ttl", "1s", *cache, env=free.env)
    running.write("8.8.8.8\n")
    first = running.line()
    time.sleep(1.5)
    running.write("again 8.8.8.8\n")
    assert running.finish().stdout == first + b"again " + first
    assert free.addresses() == {"8.8.8.8": 1}


def test_the_same_command_again_costs_no_request(sonde, free):
    text = "".join(f"{address}\n" for address in public(250))
    cache = ["--cache", sonde.directory / "cache.db"]
    first = sonde("annotate", *cache, input=text, env=free.env)
    assert free.requests("ip-api batch") == 3
    again = sonde("annotate", *cache, "--events", "events", "-o", "out", input=text, env=free.env)
    assert sonde.read("out") == first.stdout and free.requests("ip-api batch") == 3
    assert summary(sonde)["cached"] == 250 and "250 cached" in again.stderr


def test_a_fallback_answers_what_the_provider_does_not(sonde, free, loc_database):
    free.control(batch_limit=None, faults=[{"fault": "status", "status": 503}])
    options = ("--database", loc_database, "--retries", 0, "--events", "events", "-o", "out")
    result = sonde("annotate", *options, input=b"5.6.7.8\n7.7.7.7\n", env=free.env)
    assert sonde.read("out") == b"5.6.7.8 [FR, AS3215 Orange, S.A.]\n7.7.7.7 [failed]\n"
    assert result.status == 1 and "answers in place of ip-api" in result.stderr
    assert summary(sonde)["sources"] == {"libloc": 1}


# Streaming


def test_each_line_goes_out_as_soon_as_it_and_all_before_are_known(sonde, free):
    running = sonde.start("annotate", env=free.env)
    for text in ["none\n", "10.0.0.1\n"]:
        running.write(text)
        running.line()
    running.write("8.8.8.8 and\nnone\n")
    assert running.line().decode() == f"8.8.8.8 [{words('8.8.8.8')}] and\n"
    assert running.line() == b"none\n"
    # What is known already waits for nobody.
    running.write("8.8.8.8\n")
    running.line()
    running.write("unfinished 8.8.8.8")
    time.sleep(0.3)
    assert running.arrived.empty()
    assert running.finish().stdout.endswith(f"unfinished 8.8.8.8 [{words('8.8.8.8')}]".encode())


def test_a_batch_goes_out_after_silence_or_a_second(sonde, free):
    running = sonde.start("annotate", env=free.env)
    addresses = public(30)
    for address in addresses:
        running.write(f"{address}\n")
        time.sleep(0.05)
    result = running.finish()
    assert result.lines == [f"{address} [{words(address)}]" for address in addresses]
    # 1.5 s of lines without a silence, or more with some: a batch goes after a second, the rest at the end.
    assert 2 <= free.requests("ip-api batch") < len(addresses)


def test_lines_keep_their_order_while_later_ones_are_known_first(sonde, free):
    free.control(batch_limit=None, faults=[{"fault": "delay", "seconds": 1, "address": "9.9.9.9"}])
    addresses = public(250)
    addresses[3:3] = ["9.9.9.9"]
    text = "".join(f"{n} {address}\n" for n, address in enumerate(addresses))
    result = sonde("annotate", input=text, env=free.env)
    assert result.lines == [f"{n} {address} [{words(address)}]" for n, address in enumerate(addresses)]


def test_the_quota_is_waited_for(sonde, simulator):
    simulator.control(batch_limit=2, window=1)
    text = "".join(f"{address}\n" for address in public(500))
    result = sonde("annotate", "--events", "events", "-o", "out", input=text, env=simulator.env)
    assert result.status == 0 and INSERTED.sub(b"", sonde.read("out")).decode() == text
    event = summary(sonde)
    assert (event["requests"], event["throttled"], event["ok"]) == (5, 0, 500)


def test_a_full_window_is_read_on_from_when_its_last_answer_comes(sonde, free):
    free.control(batch_limit=None, latency=2)
    text = (b"8.8.8.8 " + b"x" * 1000 + b"\n") * 90_000 + b"1.1.1.1\n"
    sonde.file("log", text)
    options = ("--provider", "ip-api", "--concurrency", 1, "--events", "events", "-o", "out")
    assert sonde("annotate", *options, "log", env=free.env).status == 0
    assert INSERTED.sub(b"", sonde.read("out")) == text
    assert counts(summary(sonde)) == {"lines": 90_001, "annotated": 90_001, "unchanged": 0, "late": 0}


def many(count):
    """Addresses, each of them new."""
    return [f"5.{n // 62_500}.{n // 250 % 250}.{n % 250}" for n in range(count)]


@pytest.mark.parametrize("options", [[], ["--wait", "1h"]], ids=["slices", "whole"])
def test_a_line_with_very_many_addresses_is_as_any_other(sonde, free, options):
    addresses = many(70_000)
    before, line, behind = b"8.8.8.8\n", " ".join(addresses).encode(), b" end\nnone\n9.9.9.9\n"
    options = [*options, "--no-cache", "--provider", "ip-api", "--fields", "ip", "--events", "events", "-o", "out"]
    sonde.file("log", before + line + behind)
    assert sonde("annotate", *options, "log", env=free.env).status == 0
    known = re.sub(rb"[0-9.]{7,}", rb"\g<0> [\g<0>]", before + line + behind)
    # Of some nobody has anything.
    written = re.sub(rb"([0-9.]{7,}) \[unknown\]", rb"\1 [\1]", sonde.read("out"))
    assert written == known
    assert counts(summary(sonde)) == {"lines": 4, "annotated": 3, "unchanged": 1, "late": 0}
    assert summary(sonde)["entries"] == 70_002 and summary(sonde)["duplicates"] == 0


def test_an_object_with_very_many_addresses_is_as_any_other(sonde, free):
    given = {"a": many(70_000), "b": "10.0.0.1"}
    options = ["--style", "json", "--provider", "ip-api", "--fields", "ip", "-o", "out"]
    text = f'{{"up":true}}\n{json.dumps(given)}\n{{"c":"10.0.0.2"}}'
    assert sonde("annotate", *options, input=text, env=free.env).status == 0
    lines = [json.loads(line) for line in sonde.read("out").splitlines()]
    answers = {f"/a/{n}": {"ip": address} for n, address in enumerate(given["a"])}
    answers["/b"] = {"ip": "10.0.0.1"}
    assert lines == [{"up": True}, {**given, "sonde": answers}, {"c": "10.0.0.2", "sonde": {"/c": {"ip": "10.0.0.2"}}}]


def test_it_is_told_why_lines_pass_unchanged(sonde, local):
    options = ("annotate", *local, "--style")
    result = sonde(*options, "json", input="8.8.8.8 x\n")
    assert result.status == 0 and "no line has gained anything: --style json is for lines" in result.stderr
    assert "--style json" not in sonde(*options, "json", input='{"ip":"8.8.8.8"}\nx\n').stderr
    result = sonde(*options, "columns", input="ip,a\n8.8.8.8,b\n8.8.8.8\n8.8.8.8,b,c\n\n")
    assert "2 rows passed unchanged: they have more or fewer cells than the header" in result.stderr
    assert "cells" not in sonde(*options, "columns", input="ip,a\n8.8.8.8,b\n\n").stderr
    for style, text in (("brackets", "8.8.8.8 "), ("json", '{"a":1,'), ("columns", "ip\n")):
        result = sonde(*options, style, input=text + 17_000_000 * "x" + "\n8.8.8.8\n")
        assert "1 line passed unchanged: it is longer than 16 MiB" in result.stderr


@pytest.mark.parametrize("command", ["annotate", "summary"])
def test_a_file_that_is_missing_is_no_address(sonde, command):
    sonde.file("log", "10.0.0.1\n")
    for others in ([], ["log"]):
        result = sonde(command, "missing1.csv", *others)
        assert result.status == 5 and "missing1.csv: No such file" in result.stderr and "as an address" not in result.stderr
    assert "to look an address up: sonde lookup 8.8.8.8" in sonde(command, "8.8.8.8").stderr


# Late lines


def test_a_line_does_not_wait_longer_than_is_wanted(sonde, free):
    free.control(batch_limit=None, faults=[{"fault": "hang"}])
    options = ("--wait", "500ms", "--provider", "ip-api", "--timeout", "1s", "--events", "events")
    running = sonde.start("annotate", *options, env=free.env)
    begin = time.monotonic()
    running.write("8.8.8.8 a\nnone\n10.0.0.1\n8.8.8.8 10.0.0.1\n")
    assert [running.line() for _ in range(4)] == [
        b"8.8.8.8 a\n", b"none\n", b"10.0.0.1 [Private-Use]\n", b"8.8.8.8 10.0.0.1\n",
    ]  # fmt: skip
    assert 0.45 < time.monotonic() - begin < 3
    result = running.finish(5)
    assert result.status == 0
    event = summary(sonde)
    assert counts(event) == {"lines": 4, "annotated": 1, "unchanged": 1, "late": 2}
    # Nothing was learnt of 8.8.8.8.
    kinds = ("entries", "reserved", "duplicates", "unanswered")
    assert [event[kind] for kind in kinds] == [4, 1, 2, 1]
    assert "2 late" in result.stderr and "1 not answered in time, 2 duplicates" in result.stderr


def test_what_was_sent_for_late_lines_is_learnt(sonde, free):
    free.control(batch_limit=None, latency=1.5)
    addresses = public(100)
    text = "".join(f"{address}\n{address} 10.0.0.1\n" for address in addresses)
    cache = ["--cache", sonde.directory / "cache.db"]
    options = [*cache, "--wait", "0.3", "--provider", "ip-api", "--events", "events"]
    result = sonde("annotate", *options, "-o", "out", input=text, env=free.env)
    assert (result.status, sonde.read("out").decode()) == (0, text)
    event = summary(sonde)
    assert counts(event) == {"lines": 200, "annotated": 0, "unchanged": 0, "late": 200}
    assert (event["entries"], event["ok"], event["reserved"], event["requests"]) == (300, 100, 1, 1)
    sonde("annotate", *cache, "--provider", "ip-api", "--events", "events", "-o", "out", input=text, env=free.env)
    assert (summary(sonde)["requests"], summary(sonde)["cached"]) == (0, 100)


@pytest.mark.parametrize("fault", [{"fault": "status", "status": 503}, {"fault": "reset"}])
def test_the_end_does_not_wait_for_another_try(sonde, free, fault):
    free.control(batch_limit=None, faults=[fault])
    begin = time.monotonic()
    options = ("--wait", "0.2", "--provider", "ip-api", "--retries", 20)
    result = sonde("annotate", *options, input=b"8.8.8.8\n", env=free.env)
    assert (result.status, result.stdout) == (0, b"8.8.8.8\n") and time.monotonic() - begin < 3


def test_the_end_does_not_wait_for_the_network(sonde):
    begin = time.monotonic()
    options = ("--wait", "0.5", "--provider", "ip-api", "--offline-timeout", "1h")
    env = {"SONDE_IP_API_URL": "http://nowhere.invalid"}
    result = sonde("annotate", *options, input=b"8.8.8.8\n", env=env)
    assert (result.status, result.stdout) == (0, b"8.8.8.8\n") and time.monotonic() - begin < 5


def test_what_comes_late_serves_later_lines(sonde, free):
    free.control(batch_limit=None, latency=1)
    running = sonde.start("annotate", "--wait", "0.5", env=free.env)
    running.write("8.8.8.8 a\n")
    assert running.line() == b"8.8.8.8 a\n"
    time.sleep(1.5)
    running.write("8.8.8.8 b\n")
    assert running.line().decode() == f"8.8.8.8 [{words('8.8.8.8')}] b\n"
    assert running.finish().status == 0
    assert free.addresses() == {"8.8.8.8": 1}


def test_late_lines_do_not_stop_the_reading(sonde, simulator):
    simulator.control(batch_limit=1, window=60)
    running = sonde.start("annotate", "--wait", "0.3", "--provider", "ip-api", env=simulator.env)
    addresses = public(3000)
    for start in range(0, len(addresses), 100):
        running.write("".join(f"{address}\n" for address in addresses[start : start + 100]))
    begin = time.monotonic()
    result = running.finish(20)
    assert time.monotonic() - begin < 5 and result.status == 0
    assert INSERTED.sub(b"", result.stdout).decode().split() == addresses


def test_no_time_to_wait_is_none(sonde, free):
    result = sonde("annotate", "--wait", "0", input=b"8.8.8.8\n10.0.0.1\n", env=free.env)
    assert result.stdout == b"8.8.8.8\n10.0.0.1 [Private-Use]\n" and result.status == 0


# The output


def test_the_output_is_replaced_when_all_is_done(sonde, free):
    free.control(batch_limit=None, latency=0.7)
    sonde.file("out", "before")
    os.chmod(sonde.work / "out", 0o640)
    running = sonde.start("annotate", "-o", "out", env=free.env)
    running.write("none\n8.8.8.8\n")
    running.process.stdin.close()
    deadline = time.monotonic() + 5
    while sonde.work.joinpath("out.partial").exists() and sonde.read("out.partial") != b"none\n":
        assert time.monotonic() < deadline
        assert sonde.read("out") == b"before"
    assert running.finish().status == 0
    assert sonde.read("out").decode() == f"none\n8.8.8.8 [{words('8.8.8.8')}]\n"
    assert stat.S_IMODE((sonde.work / "out").stat().st_mode) == 0o640
    assert not (sonde.work / "out.partial").exists()


def test_a_link_stays_one(sonde, local):
    sonde.file("target", "before")
    (sonde.work / "link").symlink_to("target")
    assert sonde("annotate", *local, "-o", "link", input=b"10.0.0.1\n").status == 0
    assert (sonde.work / "link").is_symlink() and sonde.read("target") == b"10.0.0.1 [Private-Use]\n"


def test_what_is_no_file_is_written_directly(sonde, local):
    assert sonde("annotate", *local, "-o", "/dev/null", input=b"10.0.0.1\n").status == 0
    result = sonde("annotate", *local, "-o", "/dev/stdout", input=b"10.0.0.1\n")
    assert result.stdout == b"10.0.0.1 [Private-Use]\n"
    assert sonde("annotate", *local, "-o", "-", input=b"10.0.0.1\n").stdout == result.stdout


UNPACKING = {
    "gz": gzip.decompress,
    "zst": lambda data: subprocess.run(["zstd", "-dc"], input=data, capture_output=True, check=True).stdout,
}


@pytest.mark.parametrize("ending", UNPACKING)
@pytest.mark.parametrize("text", [b"", b"8.8.8.8\n", b"5.1.1.1 x\n" * 100_000], ids=len)
def test_an_ending_compresses(sonde, local, ending, text):
    plain = sonde("annotate", *local, input=text).stdout
    assert sonde("annotate", *local, "-o", f"out.log.{ending}", input=text).status == 0
    assert UNPACKING[ending](sonde.read(f"out.log.{ending}")) == plain


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_an_interruption_leaves_what_was_done_beside_the_output(sonde, free, number, status):
    free.control(batch_limit=None, faults=[{"fault": "hang", "address": "9.9.9.9"}])
    sonde.file("out", "before")
    options = ("--events", "events", "-o", "out", "--provider", "ip-api")
    running = sonde.start("annotate", *options, env=free.env)
    running.write("a\n8.8.8.8\nb\n")
    wait_for(lambda: len((sonde.work / "out.partial").read_bytes()) > 10)
    running.write("9.9.9.9\nc\n")
    time.sleep(0.5)
    begin = time.monotonic()
    running.signal(number)
    result = running.finish()
    assert time.monotonic() - begin < 2 and result.status == status
    assert sonde.read("out") == b"before"
    assert sonde.read("out.partial").decode() == f"a\n8.8.8.8 [{words('8.8.8.8')}]\nb\n"
    assert "out stays as it was; what was done is in out.partial" in result.stderr
    assert counts(summary(sonde)) == {"lines": 3, "annotated": 1, "unchanged": 2, "late": 0}


@pytest.mark.parametrize("style", ["brackets", "json"])
@pytest.mark.parametrize("number", [20_000, 39_999])
def test_a_line_that_is_interrupted_goes_out_to_its_end(sonde, free, style, number):
    """What is not known in it is left out, or null where JSON has to have something."""
    addresses = many(40_000)
    free.control(batch_limit=None, faults=[{"fault": "hang", "address": addresses[number]}])
    padding = 20 * " "
    line = json.dumps({"a": addresses, "b": "10.0.0.1"}, separators=("," + padding, ":")) + "\n"
    line = line if style == "json" else line.replace('"', "")
    options = ("--style", style, "--events", "events", "-o", "out", "--provider", "ip-api", "--fields", "ip")
    running = sonde.start("annotate", *options, env=free.env)
    running.write(line + line.replace('5.', '6.'))
    wait_for(lambda: (sonde.work / "out.partial").exists() and len(sonde.read("out.partial")) > 500_000)
    running.signal(signal.SIGINT)
    assert running.finish().status == 130
    written = sonde.read("out.partial").decode()
    assert written.endswith("\n") and written.count("\n") == 1
    assert counts(summary(sonde)) == {"lines": 1, "annotated": 0, "unchanged": 0, "late": 1}
    if style == "brackets":
        assert INSERTED.sub(b"", written.encode()).decode() == line
        assert addresses[0] + " [" in written and addresses[number] + " [" not in written
    else:
        whole = json.loads(written)
        answers = whole.pop("sonde")
        assert whole == json.loads(line) and len(answers) == 40_001
        assert answers["/a/0"] == {"ip": addresses[0]} and answers[f"/a/{number}"] is None


def test_killed_and_begun_again_it_asks_nothing_twice(sonde, free):
    free.control(batch_limit=None, latency=0.15)
    addresses = public(1500)
    text = "".join(f"{address}\n" for address in addresses)
    sonde.file("log", text)
    options = ("--cache", sonde.directory / "cache.db", "--concurrency", 2, "-o", "out", "log")
    running = sonde.start("annotate", *options, env=free.env)
    wait_for(lambda: free.requests("ip-api batch") >= 5)
    running.signal(signal.SIGKILL)
    assert running.finish().status == 137 and not (sonde.work / "out").exists()
    before = sonde.read("out.partial")
    assert sonde("annotate", *options, env=free.env).status == 0
    out = sonde.read("out")
    assert out.startswith(before) and INSERTED.sub(b"", out).decode() == text
    # What was under way when it was killed is asked again, and nothing else.
    twice = [address for address, times in free.addresses().items() if times > 1]
    assert len(twice) <= 2 * 100 and max(free.addresses().values()) <= 2


def test_a_closed_output_ends_it(sonde, free):
    free.control(batch_limit=None, faults=[{"fault": "hang", "address": "9.9.9.9"}])
    process = subprocess.Popen(
        sonde.command(["annotate", "--provider", "ip-api"]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=sonde.environment(free.env),
        cwd=sonde.work,
        bufsize=0,
    )
    try:
        process.stdin.write(b"8.8.8.8\n")
        assert process.stdout.read(8) == b"8.8.8.8 "
        process.stdin.write(b"9.9.9.9\n")
        wait_for(lambda: "9.9.9.9" in free.addresses())
        begin = time.monotonic()
        process.stdout.close()
        assert process.wait(5) == 0 and time.monotonic() - begin < 1
    finally:
        process.kill()


def test_two_at_once_do_not_write_the_same_file(sonde, free):
    free.control(batch_limit=None, faults=[{"fault": "hang"}])
    running = sonde.start("annotate", "-o", "out", env=free.env)
    running.write("8.8.8.8\n")
    wait_for(lambda: (sonde.work / "out.partial").exists())
    result = sonde("annotate", "-o", "out", input=b"10.0.0.1\n")
    assert result.status == 5 and "another sonde is at work on out" in result.stderr
    running.signal(signal.SIGINT)
    running.finish()


# The terminal


def test_what_is_inserted_is_dimmed_on_a_terminal(sonde, local):
    sonde.file("log", "10.0.0.1 x\n")
    dimmed = "10.0.0.1 \x1b[2m[Private-Use]\x1b[22m x"
    plain = "10.0.0.1 [Private-Use] x"
    for options, env, wanted in [
        ([], {}, dimmed),
        ([], {"NO_COLOR": "1"}, plain),
        ([], {"TERM": "dumb"}, plain),
        (["--color", "never"], {}, plain),
        (["--color", "always"], {"NO_COLOR": "1"}, dimmed),
    ]:
        screen = sonde.pty("annotate", *local, "-q", *options, "log", env=env)
        assert (screen.raw.replace("\r\n", "\n"), screen.status) == (wanted + "\n", 0)
    always = sonde("annotate", *local, "--color", "always", "log")
    assert always.stdout.decode() == dimmed + "\n"
    assert sonde("annotate", *local, "log").stdout.decode() == plain + "\n"


# Wrong usage


@pytest.mark.parametrize(
    "options",
    [
        ["--duplicates", "keep"], ["--resume"], ["--format", "csv"], ["--rejects", "r"], ["--missing", "m"],
        ["--unordered"], ["--max-expand", "5"], ["--log"], ["--unique"], ["--style", "html"],
        ["--wait", "soon"], ["--fields", "nonsense"],
    ],
)  # fmt: skip
def test_options_that_make_no_sense_are_refused(sonde, options):
    result = sonde("annotate", *options, input=b"8.8.8.8\n")
    assert (result.status, result.stdout) == (2, b"")


@pytest.mark.parametrize(
    "options, words",
    [
        (["--key", "k"], "--key is for --style json"),
        (["--spreadsheet"], "--spreadsheet is for --style columns"),
        (["--style", "json", "--spreadsheet"], "--spreadsheet is for --style columns"),
        (["--style", "json", "--column", "c"], "--column is for --style columns"),
        (["--style", "columns", "--key", "k"], "--key is for --style json"),
        (["--delimiter", ";"], "--delimiter is for --style columns"),
        (["-o", "out.xz"], "'.xz' is not written: name it .gz or .zst"),
        (["-o", "out.log.BZ2"], "'.bz2' is not written: name it .gz or .zst"),
    ],
)
def test_what_would_be_ignored_is_refused(sonde, options, words):
    result = sonde("annotate", *options, input=b"8.8.8.8\n")
    assert (result.status, result.stdout) == (2, b"") and words in result.stderr
    assert list(sonde.work.iterdir()) == []


def test_a_configuration_is_for_every_style(sonde, local):
    sonde.config_file.write_text("spreadsheet = true\nkey = k\n")
    assert sonde("annotate", *local, input=b"10.0.0.1\n").stdout == b"10.0.0.1 [Private-Use]\n"


def test_an_address_for_a_file_is_told_how_to_ask(sonde, local):
    for operand, command in [("8.8.8.8", "sonde lookup 8.8.8.8"), ("1.1.1.0-1.1.1.9", "sonde scan 1.1.1.0-1.1.1.9")]:
        result = sonde("annotate", *local, operand)
        assert result.status == 5 and command in result.stderr


def test_an_output_that_is_an_input_is_refused(sonde, local):
    sonde.file("log", "8.8.8.8\n")
    sonde.file("out.partial", "9.1.1.1\n")
    for operands in [("log", "-o", "log"), ("out.partial", "-o", "out")]:
        result = sonde("annotate", *local, *operands)
        assert result.status == 2 and "also" in result.stderr
    assert sonde.read("log") == b"8.8.8.8\n" and sonde.read("out.partial") == b"9.1.1.1\n"


# Losses of the network


@skip_unless_allowed()
def test_a_loss_in_the_middle_leaves_no_trace_in_the_lines(sonde):
    network = Network()
    try:
        network.simulator.control(batch_limit=None, latency=0.2)
        addresses = public(2000)
        text = "".join(f"x {address}\n" for address in addresses)
        sonde.file("log", text)
        options = ("--concurrency", 2, "--provider", "ip-api", "--events", "events", "-o", "out")
        running = sonde.start("annotate", *options, "log", env=network.env, prefix=network.near.prefix)
        network.simulator.wait_for(4)
        network.lose()
        time.sleep(1)
        network.restore()
        result = running.finish()
        assert result.status == 0 and "network lost" in result.stderr
        assert sonde.read("out").decode() == "".join(f"x {a} [{words(a)}]\n" for a in addresses)
        assert summary(sonde)["losses"] >= 1
    finally:
        network.close()


# Memory


@pytest.mark.parametrize("provider", ["ip-api", "local"])
def test_memory_does_not_grow_with_the_input(sonde, free, loc_database, provider):
    def peak(count):
        free.control(batch_limit=None, count_addresses=False, keep_log=False)
        text = "".join(f"{5 + n // 62_500}.{n // 250 % 250}.{n % 250}.9 {500 * 'x'}\n" for n in range(count))
        sonde.file("log", text)
        options = ("--no-cache", "--provider", provider, "--database", loc_database, "-o", "out", "log")
        prefix = ("/usr/bin/time", "-f", "peak %M")
        result = sonde("annotate", *options, env=free.env, prefix=prefix, timeout=10 * PATIENCE)
        assert result.status == 0
        return int(re.search(r"peak (\d+)", result.stderr)[1]) >> 10

    # The window of lines that wait is full in both.
    small, large = peak(130_000), peak(260_000)
    assert large < 200 and large < small + 40


def test_memory_does_not_grow_with_the_number_of_long_lines(sonde, loc_database):
    def peak(lines):
        line = ",".join(f'"{5 + n // 62_500}.{n // 250 % 250}.{n % 250}.9"' for n in range(700_000))
        sonde.file("log", f'{{"a":[{line}]}}\n' * lines)
        options = ("--style", "json", "--provider", "local", "--database", loc_database, "-o", "out", "log")
        result = sonde("annotate", *options, prefix=("/usr/bin/time", "-f", "peak %M"), timeout=10 * PATIENCE)
        assert result.status == 0
        return int(re.search(r"peak (\d+)", result.stderr)[1]) >> 10

    one, three = peak(1), peak(3)
    assert three < 200 and three < one + 50, (one, three)


def test_nowhere_to_ask_says_so(sonde):
    result = sonde("annotate", "--provider", "ip-api", "--retries", 0, input=b"8.8.8.8\n", env={"SONDE_IP_API_URL": NOWHERE})
    assert (result.status, result.stdout) == (1, b"8.8.8.8 [failed]\n")
