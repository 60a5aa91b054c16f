"""`--refang`: defanged marks are the marks that they stand for, in every command that reads a list or a log."""

import json
import re

import pytest

LIST = "8[.]8[.]8[.]8\n 2001[:]db8[:][:]1 # home\n10{dot}0(DOT)0[.]0/31\nhxxp://8.8.8[.]8/\n9.9.9.9\n"
LOG = "from 8[.]8[.]8[.]8, 2001{:}db8::1 and hxxp://9(dot)9.9.9/ but not 8[.8.8.8 or 7[.)7.7.7\n"
FOUND = ["8.8.8.8", "2001:db8::1", "9.9.9.9"]


def records(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def slowly(text):
    """The text with plain marks, by regular expressions."""
    pairs = [r"\[%s\]", r"\(%s\)", r"\{%s\}"]
    for plain, mark in ((".", r"(?:\.|dot)"), (":", ":")):
        text = re.sub("|".join(pair % mark for pair in pairs), plain, text, flags=re.IGNORECASE)
    return text


def test_a_list(sonde):
    result = sonde("check", "--refang", "--fields", "ip,status,line,message", "-", input=LIST)
    found = records(result)
    assert [record["ip"] for record in found] == [
        "8.8.8.8", "2001:db8::1", "10.0.0.0", "10.0.0.1", "hxxp://8.8.8[.]8/", "9.9.9.9",
    ]
    assert found[4]["message"] == "column 1: is defanged; write 8.8.8.8" and result.status == 1


def test_without_it_nothing_changes_but_the_message_names_it(sonde):
    result = sonde("check", "-", input="8[.]8[.]8[.]8\n8.8.8.8\n")
    first, second = records(result)
    assert first["ip"] == "8[.]8[.]8[.]8" and first["status"] == "invalid" and second["ip"] == "8.8.8.8"
    assert first["message"] == "column 2: is defanged, which --refang reads; write 8.8.8.8"
    assert sonde("extract", "-", input=LOG).stdout == b""


@pytest.mark.parametrize(
    "arguments",
    [
        ("extract",), ("check", "--log", "--fields", "ip", "--format", "tsv"),
        ("scan", "--log", "--provider", "local", "--fields", "ip", "--format", "tsv"),
    ],
)
def test_a_log(sonde, arguments):
    sonde.file("a.log", LOG * 3)
    result = sonde(*arguments, "--refang", "a.log")
    lines = [line for line in result.stdout.decode().split() if line != "ip"]
    assert lines == FOUND * (3 if arguments == ("extract",) else 1), result.stderr
    assert sonde(*arguments, "--refang", "-", input=LOG * 3).stdout == result.stdout


def test_any_text_gives_what_its_plain_form_gives(sonde):
    text = "".join(
        f"{a}[.]{b}(dot){a}{{.}}9 {a}[.]{b}.1.1[.]x [{a}.{b}.0.1] 2001[:]db8::{b} {b}[:]{a}.1.1.1\n"
        for a in range(0, 300, 7) for b in range(0, 300, 11)
    )
    sonde.file("a.log", text)
    sonde.file("plain.log", slowly(text))
    assert sonde("extract", "--refang", "a.log").stdout == sonde("extract", "plain.log").stdout


def test_annotate_leaves_the_line_as_it_is(sonde):
    arguments = ("annotate", "--refang", "--provider", "local", "--fields", "ip")
    result = sonde(*arguments, "-", input="8[.]8[.]8[.]8 [.] x\n")
    assert result.stdout == b"8[.]8[.]8[.]8 [8.8.8.8] [.] x\n"
    line = '{"a":"8[.]8[.]8[.]8","b":"[:][:]1, 9.9[.]9.9","c":"at 8[.]8.8.8"}\n'
    result = sonde(*arguments, "--style", "json", "-", input=line)
    added = json.loads(result.stdout)
    assert result.stdout.decode().startswith(line.strip()[:-1])
    assert added["sonde"] == {"/a": {"ip": "8.8.8.8"}, "/b": [{"ip": "::1"}, {"ip": "9.9.9.9"}]}
    result = sonde(*arguments, "--style", "columns", "-", input="ip,x\n8[.]8[.]8[.]8,1\n")
    assert result.stdout == b"ip,x,ip_ip\n8[.]8[.]8[.]8,1,8.8.8.8\n"


def test_summary_and_plan_count_them(sonde):
    result = sonde("summary", "--refang", "--provider", "local", "--by", "ip", "--format", "csv", "-", input=LOG)
    assert sorted(line.split(",")[0] for line in result.stdout.decode().splitlines()[1:]) == sorted(FOUND)
    plan = sonde("plan", "--refang", "--log", "--provider", "ip-api", "-", input=LOG)
    assert re.search(rb"\b3 distinct|distinct +3", plan.stdout), plan.stdout


def test_anonymized_lines_hold_no_defanged_address(sonde):
    line = 'a 8[.]8[.]8[.]8 {"x":"9[.]9[.]9[.]9"}\n'
    for style in ("brackets", "end"):
        arguments = ("annotate", "--refang", "--provider", "local", "--anonymize", "truncate", "--fields", "none")
        result = sonde(*arguments, "--style", style, "-", input=line)
        assert result.stdout == b'a 8.8.8.0 {"x":"9.9.9.0"}\n'
    result = sonde("annotate", "--refang", "--provider", "local", "--anonymize", "truncate", "--style", "json",
                   "--fields", "ip", "-", input='{"x":"9[.]9[.]9[.]9"}\n')
    assert result.stdout == b'{"x":"9.9.9.0","sonde":{"/x":{"ip":"9.9.9.0"}}}\n'


def test_an_operand(sonde):
    result = sonde("check", "--refang", "--fields", "ip", "8[.]8[.]8[.]8")
    assert result.stdout == b'{"ip":"8.8.8.8"}\n'
