"""`sonde check`: what is an entry, and what is wrong with those that are none."""

import pytest

COLUMNS = ("--format", "csv", "--fields", "ip,status,line")


def check(sonde, text, *options):
    """The rows of CSV with ip, status and line, and the status."""
    result = sonde("check", *COLUMNS, *options, input=text)
    return result.stdout.decode(), result.status


def test_white_space_comments_and_blank_lines(sonde):
    text = "# a list\n\n  8.8.8.8  \n\t1.1.1.1 # after an item\n\n9.9.9.9#close\n   # only a comment\n"
    rows, status = check(sonde, text)
    assert rows == "ip,status,line\n8.8.8.8,ok,3\n1.1.1.1,ok,4\n9.9.9.9,ok,6\n"
    assert status == 0


def test_the_last_line_needs_no_end(sonde):
    assert check(sonde, "8.8.8.8\n1.1.1.1")[0] == "ip,status,line\n8.8.8.8,ok,1\n1.1.1.1,ok,2\n"


def test_addresses_are_canonical_and_answered_once_in_order_of_appearance(sonde):
    text = "2001:DB8:0::0001\n2001:4860:4860:0000:0000:0000:0000:8888\n8.8.8.8\n::ffff:8.8.8.8\n2001:4860:4860::8888\n::FFFF:808:808\n"
    rows, status = check(sonde, text)
    assert rows == "ip,status,line\n2001:db8::1,reserved,1\n2001:4860:4860::8888,ok,2\n8.8.8.8,ok,3\n"
    assert status == 0


def test_duplicates_are_kept_when_asked(sonde):
    rows, _ = check(sonde, "8.8.8.8\n1.1.1.1\n8.8.8.8\n", "--duplicates", "keep")
    assert rows == "ip,status,line\n8.8.8.8,ok,1\n1.1.1.1,ok,2\n8.8.8.8,ok,3\n"


def test_invalid_entries_are_never_duplicates(sonde):
    rows, status = check(sonde, "nonsense!\nnonsense!\n")
    assert rows == "ip,status,line\nnonsense!,invalid,1\nnonsense!,invalid,2\n"
    assert status == 1


def test_blocks_and_ranges_hold_every_address(sonde):
    text = "8.8.8.5/30\n1.1.1.1-1.1.1.3\n9.9.9.9/32\n2001:4860::/127\n2001:4860::f-2001:4860::10\n"
    rows, status = check(sonde, text)
    expected = [f"8.8.8.{n},ok,1" for n in range(4, 8)] + [f"1.1.1.{n},ok,2" for n in (1, 2, 3)]
    expected += ["9.9.9.9,ok,3", "2001:4860::,ok,4", "2001:4860::1,ok,4", "2001:4860::f,ok,5", "2001:4860::10,ok,5"]
    assert rows.splitlines() == ["ip,status,line", *expected]
    assert status == 0


def test_a_range_may_end_at_the_last_address(sonde):
    rows, _ = check(sonde, "255.255.255.254-255.255.255.255\n")
    assert rows == "ip,status,line\n255.255.255.254,reserved,1\n255.255.255.255,reserved,1\n"
    last = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:"
    rows, _ = check(sonde, f"{last}fffe-{last}ffff\n")
    assert rows == f"ip,status,line\n{last}fffe,reserved,1\n{last}ffff,reserved,1\n"


@pytest.mark.parametrize(
    "item, options, size",
    [
        ("8.8.8.0/29", ("--max-expand", "4"), 8),
        ("8.8.8.0-8.8.8.4", ("--max-expand=4",), 5),
        ("8.0.0.0/15", (), 131072),
        ("0.0.0.0/0", (), 1 << 32),
        ("2001:4860::/64", (), 1 << 64),
        ("::/0", (), 1 << 128),
    ],
)
def test_a_block_that_is_too_large_is_one_invalid_record_that_says_how_many(sonde, item, options, size):
    result = sonde("check", *options, input=item)
    (record,) = result.records
    assert (record["ip"], record["status"], record["line"], result.status) == (item, "invalid", 1, 1)
    digits = record["message"].replace(",", "").replace("\u202f", "").replace("_", "")
    assert str(size) in digits


def test_the_largest_block_allowed_is_expanded(sonde):
    result = sonde("check", "--format", "csv", "--fields", "ip", input="8.8.0.0/16")
    lines = result.stdout.splitlines()
    assert (len(lines), lines[1], lines[-1]) == (65537, b"8.8.0.0", b"8.8.255.255")


@pytest.mark.parametrize(
    "item, hint",
    [
        ("1[.]2[.]3[.]4", "1.2.3.4"),
        ("8.8.8.8:53", "8.8.8.8"),
        ("010.1.1.1", "10.1.1.1"),
        ("example.com", ""),
        ("8.8.8.8,1.1.1.1", "annotate"),
        ("10.0.0.0/255.255.255.0", "/24"),
        ("[2001:4860::8888]:443", "2001:4860::8888"),
        ("256.1.1.1", ""),
        ("127.1", ""),
        ("1.2.3", ""),
        ("1.2.3.4.5", ""),
        ("8.8.8.8/33", ""),
        ("8.8.8.8/-1", ""),
        ("8.8.8.8/", ""),
        ("1.1.1.9-1.1.1.1", ""),
        ("1.1.1.1-", ""),
        ("1.1.1.1-::1", ""),
        ("2001:4860::1::2", ""),
        ("2001:4860:12345::", ""),
        ("1:2:3:4:5:6:7:8:9", ""),
        ("2001:4860::1%eth0", ""),
        ("0x8.8.8.8", ""),
        ("８.8.8.8", ""),
        ("8.8.8.8 1.1.1.1", ""),
    ],
)
def test_anything_else_is_one_invalid_record_with_reason_and_correction(sonde, item, hint):
    result = sonde("check", input=f"8.8.4.4\n{item}\n9.9.9.9\n")
    first, record, last = result.records
    assert (first["ip"], last["ip"], last["line"]) == ("8.8.4.4", "9.9.9.9", 3)
    assert (record["ip"], record["status"], record["line"]) == (item, "invalid", 2)
    start, _, reason = record["message"].partition(": ")
    assert start.startswith("column ") and start[7:].isdigit() and int(start[7:]) >= 1
    assert reason and hint in reason
    assert result.status == 1


def test_zone_ids_are_for_link_local_addresses(sonde):
    rows, status = check(sonde, "fe80::1%eth0\n")
    assert rows == "ip,status,line\nfe80::1%eth0,reserved,1\n"
    assert status == 0


def test_literals_are_operands_and_have_no_line(sonde):
    result = sonde("check", *COLUMNS, "8.8.8.8", "1.1.1.0/31", "9.9.9.9-9.9.9.10", "2001:4860::1")
    assert result.stdout == (
        b"ip,status,line\n8.8.8.8,ok,\n1.1.1.0,ok,\n1.1.1.1,ok,\n9.9.9.9,ok,\n9.9.9.10,ok,\n"
        b"2001:4860::1,ok,\n"
    )
    assert all("line" not in record for record in sonde("check", "8.8.8.8").records)


def test_inputs_are_read_in_turn_with_lines_of_their_own(sonde):
    one, two = sonde.file("one", "8.8.8.8\n1.1.1.1\n"), sonde.file("two", "\n9.9.9.9\n8.8.8.8\n")
    result = sonde(
        "check", "--format", "csv", "--fields", "ip,line,input", one, "-", two, "4.4.4.4", input="5.5.5.5\n"
    )
    rows = [row.split(",") for row in result.lines[1:]]
    assert [row[:2] for row in rows] == [
        ["8.8.8.8", "1"],
        ["1.1.1.1", "2"],
        ["5.5.5.5", "1"],
        ["9.9.9.9", "2"],
        ["4.4.4.4", ""],
    ]
    assert rows[0][2] == "one" and rows[3][2] == "two"


def test_double_dash_ends_the_options(sonde):
    name = sonde.file("--strange", "8.8.8.8\n")
    assert sonde("check", *COLUMNS, "--", name).stdout == b"ip,status,line\n8.8.8.8,ok,1\n"


def test_records_of_check_name_no_source_and_nothing_is_asked(sonde, simulator):
    result = sonde("check", input="8.8.8.8\n10.0.0.1\nnonsense!\n", env=simulator.env)
    assert [record["status"] for record in result.records] == ["ok", "reserved", "invalid"]
    assert not any("source" in record or "fetched_at" in record for record in result.records)
    assert "message" not in result.records[0]
    assert simulator.counts()["total"] == 0


def test_the_summary_is_on_stderr_and_quiet_silences_it(sonde):
    text = "8.8.8.8\n8.8.8.8\n10.0.0.1\nnonsense!\n"
    assert sonde("check", input=text).stderr.strip()
    assert sonde("check", "--quiet", input=text).stderr == ""


def test_empty_input_is_fine(sonde):
    for text in ("", "\n\n# nothing\n"):
        result = sonde("check", input=text)
        assert (result.stdout, result.status) == (b"", 0)
