"""`sonde extract`: the addresses of a log, each standing on its own."""

import pytest

FOUND = [
    ("8.8.8.8", "8.8.8.8"),
    ("seen 8.8.8.8.", "8.8.8.8"),
    ("(8.8.8.8) [1.1.1.1] \"9.9.9.9\" '4.4.4.4' <5.5.5.5>", "8.8.8.8 1.1.1.1 9.9.9.9 4.4.4.4 5.5.5.5"),
    ("http://8.8.8.8/x https://[2001:db8::1]:8443/", "8.8.8.8 2001:db8::1"),
    ("8.8.8.8:53 8.8.8.8:https", "8.8.8.8 8.8.8.8"),
    ("ip:8.8.8.8 outside:8.8.8.8/443", "8.8.8.8 8.8.8.8"),
    ("src=8.8.8.8,dst=1.1.1.1;x", "8.8.8.8 1.1.1.1"),
    ("8.8.8.8-9.9.9.9", "8.8.8.8 9.9.9.9"),
    ("8.8.8.8/24", "8.8.8.8"),
    ("user@8.8.8.8", "8.8.8.8"),
    ("é8.8.8.8é", "8.8.8.8"),
    ("/lookup/8.8.8.8", "8.8.8.8"),
    ("trust/8.8.8.8(5678)", "8.8.8.8"),
    ("inside/8.8.8.8 outside/8.8.4.4, dmz/1.1.1.1; lan/2.2.2.2) wan/3.3.3.3", "8.8.8.8 8.8.4.4 1.1.1.1 2.2.2.2 3.3.3.3"),
    ("a/b/8.8.8.8 x", "8.8.8.8"),
    ("9a/8.8.8.8", "8.8.8.8"),
    ("2001:DB8::0001 and ::1", "2001:db8::1 ::1"),
    ("::ffff:8.8.8.8", "8.8.8.8"),
    ("64:ff9b::8.8.8.8", "64:ff9b::808:808"),
    ("fe80::1%eth0 up", "fe80::1%eth0"),
    ("10.0.0.1 127.0.0.1", "10.0.0.1 127.0.0.1"),
    ("8.8.8.8\t1.1.1.1\x009.9.9.9", "8.8.8.8 1.1.1.1 9.9.9.9"),
]

NOT_FOUND = [
    "1.2.3.4.5",
    "v1.2.3.4-rc",
    "1.2.3.4rc",
    "lib-1.2.3.4.tar.gz",
    "1.2.3.4.example.net",
    "host.1.2.3.4",
    "_8.8.8.8",
    "8.8.8.8_",
    "x8.8.8.8",
    "999.1.1.1",
    "10.0.0.300",
    "1.2.3.4567",
    "01.2.3.4",
    "1.2.3",
    "dead:beef:1.2.3.4",
    "10:05:03:1.2.3.4",
    "rv:1.9.2.3",
    "Chrome/30.0.0.0 Safari",
    "Chrome/30.0.0.0",
    "Foo/1.2.3.4;",
    "Foo/1.2.3.4,",
    "(Foo/1.2.3.4)",
    '"Foo/1.2.3.4"',
    "12:34:56 and 00:1b:44:11:3a:b7",
    "std::vector",
    "::",
    "1:2:3:4:5:6:7:8:9",
    "12345::1",
    "",
]


def test_every_occurrence_is_found(sonde):
    text = "".join(line + "\n" for line, _ in FOUND)
    expected = [address for _, addresses in FOUND for address in addresses.split()]
    result = sonde("extract", input=text)
    assert result.lines == expected and result.status == 0


@pytest.mark.parametrize("line, addresses", FOUND, ids=range(len(FOUND)))
def test_each_line_alone(sonde, line, addresses):
    assert sonde("extract", input=line).lines == addresses.split()


def test_what_is_no_address_is_not_found(sonde):
    assert sonde("extract", input="8.8.8.8\n" + "\n".join(NOT_FOUND) + "\n1.1.1.1").lines == ["8.8.8.8", "1.1.1.1"]
    wrong = [line for line in NOT_FOUND if sonde("extract", input=line).stdout]
    assert wrong == []


def test_unique_prints_the_first_of_each(sonde):
    text = "8.8.8.8 1.1.1.1 8.8.8.8\n2001:db8::1 2001:DB8:0::1 ::ffff:8.8.8.8\n"
    assert sonde("extract", input=text).lines == ["8.8.8.8", "1.1.1.1", "8.8.8.8", "2001:db8::1", "2001:db8::1", "8.8.8.8"]
    assert sonde("extract", "--unique", input=text).lines == ["8.8.8.8", "1.1.1.1", "2001:db8::1"]


def test_the_log_mode_of_check_and_scan_finds_the_same(sonde):
    name = sonde.file("log", "a 8.8.8.8 b 10.0.0.1\nno address\n1.1.1.1:80 8.8.8.8\n")
    result = sonde("check", "--log", "--format", "csv", "--fields", "ip,status,line", name)
    assert result.stdout == b"ip,status,line\n8.8.8.8,ok,1\n10.0.0.1,reserved,1\n1.1.1.1,ok,3\n"
    assert result.status == 0


def test_long_lines_and_pieces_are_no_obstacle(sonde):
    # Addresses lie across every border at which the input may have been cut into pieces.
    text = "x" * 65530 + " 8.8.8.8 " + "y" * (1 << 20) + " 2001:4860:4860::8888 " + "z" * 3_000_000 + " 1.1.1.1"
    assert sonde("extract", input=text).lines == ["8.8.8.8", "2001:4860:4860::8888", "1.1.1.1"]
    many = " ".join(f"5.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}" for n in range(200_000))
    assert sonde("extract", input=many).lines == many.split()


def test_text_without_an_address_is_fine(sonde):
    result = sonde("extract", input="nothing here\n")
    assert (result.stdout, result.status) == (b"", 0)
