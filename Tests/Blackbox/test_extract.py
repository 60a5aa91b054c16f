"""`sonde extract`: the addresses of a log, each standing on its own."""

import gzip
import os
import subprocess

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
    ("HIER_DIRECT/93.184.216.34 text/html", "93.184.216.34"),
    ('"Mozilla/5.0 (X11)" TCP_MISS:HIER_DIRECT/93.184.216.34', "93.184.216.34"),
    ('{"remote":"host/10.0.0.5"} localhost/127.0.0.1 connected', "10.0.0.5 127.0.0.1"),
    ("12:8.8.8.8 10:05:03:8.8.4.4 aa:bb:cc:dd:ee:ff:1.1.1.1 2500:10:05:03:9.9.9.9", "8.8.8.8 8.8.4.4 1.1.1.1 9.9.9.9"),
    ("dead:beef:1.2.3.4", "1.2.3.4"),
    ("\x1b[01;31m\x1b[K8.8.8.8\x1b[m\x1b[K", "8.8.8.8"),
    ("#033[32m8.8.8.8#033[0m", "8.8.8.8"),
    (r'{"m":"\n8.8.8.8\t\u00228.8.4.4\u0022 \u001b[32m1.1.1.1\u001b[0m"}', "8.8.8.8 8.8.4.4 1.1.1.1"),
    (r"\x228.8.8.8\x22 %2F%2F8.8.4.4", "8.8.8.8 8.8.4.4"),
    ("12:2001:db8::1 10:05:03:2001:db8::2 [IPv6:2001:db8::25] ip6:2001:db8:ab::1", "2001:db8::1 2001:db8::2 2001:db8::25 2001:db8:ab::1"),
    ("12:::ffff:8.8.8.8 [IPv6:::1] ::ffff:8.8.4.4:443", "8.8.8.8 ::1 8.8.4.4"),
    ("IP 10.0.0.1.443 > 10.0.0.2.55555: Flags [S]", "10.0.0.1 10.0.0.2"),
    ("IP6 fe80::1.546 > ff02::1:2.dhcp-server: x", "fe80::1 ff02::1:2"),
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
    "2001:db8:1.2.3.4",
    "12:2001:db8:1.2.3.4",
    "x::8.8.8.8",
    "rv:1.9.2.3",
    '"Mozilla/5.0 (X11) Chrome/30.0.0.0 Safari"',
    "the test ran on Chrome/120.0.0.0",
    "user_agent=HeadlessChrome/120.0.0.0 and EdgA/1.2.3.4, Electron/1.2.3.4",
    '"App/1.2.3.4 CFNetwork/1"',
    "Mozilla/5.0+(X11)+Edg/120.0.0.0 -",
    "Mozilla/5.0%20(X11)%20Chrome/120.0.0.0%20Safari",
    "{Mozilla/5.0 OPR/106.0.0.0}",
    r'{"log":"\"Mozilla/5.0 (X11) Edg/120.0.0.0\"\n"}',
    ":::22",
    "a::b dead::beef Abc::~Abc",
    "50:0a:09:81:98:f4:2a:cc",
    "5.15.0.91-91-generic",
    "1.2.3.4-5ubuntu1",
    "1.2.3.4~bpo12+1",
    "foo-1.2.3.4-1.el8.x86_64",
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


def test_a_range_is_the_lines_that_begin_in_it(sonde):
    lines = [f"5.1.{n // 250}.{n % 250} x\n" for n in range(3000)]
    sonde.file("log", "".join(lines))
    whole = sonde("extract", "log").lines
    size, step = sum(map(len, lines)), 4099
    parts = [sonde("extract", "--range", f"{at}:{step}", "log").lines for at in range(0, size, step)]
    assert sum(parts, []) == whole and len(whole) == 3000
    assert sonde("extract", "--range", "9g:", "log").status == 0
    for operands in [["log", "log"], ["-"], []]:
        assert sonde("extract", "--range", "0:1", *operands, input=b"8.8.8.8\n").status == 2


MANY = "".join(f"5.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255} - - [x] \"GET /{n} HTTP/1.1\" 2a00:1:2:3:4:5:{(n >> 8) + 1:x}:{(n & 255) + 1:x}\n" for n in range(120_000))
MANY_FOUND = [word for line in MANY.splitlines() for word in (line.split()[0], line.split()[-1])]


def test_a_file_in_many_parts_gives_the_same_as_a_pipe(sonde):
    name = sonde.file("log", MANY)
    assert len(MANY) > 4 << 20
    assert sonde("extract", name).lines == MANY_FOUND
    assert sonde("extract", input=MANY).lines == MANY_FOUND
    assert sonde("extract", sonde.file("log.gz", gzip.compress(MANY.encode(), 1))).lines == MANY_FOUND


@pytest.mark.parametrize("ending, unpack", [(".gz", ["gzip", "-dc"]), (".txt.ZST", ["zstd", "-dcq"])])
def test_an_ending_compresses_the_lines(sonde, ending, unpack):
    for text, found in ((MANY, MANY_FOUND), ("none", [])):
        result = sonde("extract", sonde.file("log", text), "-o", "found" + ending)
        assert result.status == 0 and not result.stdout
        packed = sonde.read("found" + ending)
        assert len(packed) < len(MANY) / 2
        unpacked = subprocess.run(unpack, input=packed, capture_output=True, check=True).stdout
        assert unpacked.decode().splitlines() == found


def test_a_line_without_a_space_is_searched_all_through(sonde):
    text = "8.8.8.8-" * 400_000 + "1.1.1.1"
    name = sonde.file("log", text)
    assert sonde("extract", "--count", name).stdout == b"400001\n"
    assert sonde("extract", "--count", input=text).stdout == b"400001\n"
    assert sonde("check", "--log", "--duplicates", "keep", "--fields", "ip,line", name).records[-1] == {"ip": "1.1.1.1", "line": 1}


def test_count_is_the_number_of_lines_there_would_be(sonde):
    one = sonde.file("one", "8.8.8.8 1.1.1.1 8.8.8.8 10.0.0.1\n")
    two = sonde.file("two", "8.8.8.8 ::1\n")
    empty = sonde.file("empty", "")
    assert sonde("extract", "--count", one).lines == ["4"]
    assert sonde("extract", "--count", one, two, empty).lines == [f"{one}:4", f"{two}:2", f"{empty}:0"]
    assert sonde("extract", "--count", "--unique", one, two).lines == [f"{one}:3", f"{two}:1"]
    assert sonde("extract", "--count", "--no-reserved", "-4", one, two).lines == [f"{one}:3", f"{two}:1"]
    assert sonde("extract", "--count", input="8.8.8.8").lines == ["1"]


def test_addresses_of_one_family(sonde):
    text = "8.8.8.8 2001:db8::1 ::ffff:9.9.9.9\n"
    assert sonde("extract", "-4", input=text).lines == ["8.8.8.8", "9.9.9.9"]
    assert sonde("extract", "--ipv6", input=text).lines == ["2001:db8::1"]
    assert sonde("extract", "-4", "-6", input=text).lines == sonde("extract", input=text).lines


def test_reserved_addresses_can_be_left_out(sonde):
    text = "8.8.8.8 10.0.0.1 ::1 fe80::1%eth0 2001:4860:4860::8888 192.0.2.1 224.0.0.1\n"
    assert sonde("extract", "--no-reserved", input=text).lines == ["8.8.8.8", "2001:4860:4860::8888"]


def test_each_line_can_begin_with_the_file(sonde):
    one, two = sonde.file("one", "8.8.8.8 fe80::1%eth0\n"), sonde.file("two", "8.8.8.8 1.1.1.1\n")
    expected = [f"{one}:8.8.8.8", f"{one}:fe80::1%eth0", f"{two}:8.8.8.8", f"{two}:1.1.1.1"]
    assert sonde("extract", "--with-filename", one, two).lines == expected
    assert sonde("extract", "--with-filename", "--unique", one, two).lines == expected[:2] + expected[3:]
    assert sonde("extract", "--with-filename", input="8.8.8.8").lines == ["-:8.8.8.8"]
    assert sonde("extract", "--with-filename", "--count", one).lines == [f"{one}:2"]


def test_files_and_stdin_keep_their_order(sonde):
    one, two = sonde.file("one", "1.1.1.1"), sonde.file("two", gzip.compress(b"2.2.2.2"))
    result = sonde("extract", one, "-", two, "nowhere", one, input="3.3.3.3")
    assert result.lines == ["1.1.1.1", "3.3.3.3", "2.2.2.2", "1.1.1.1"]
    assert result.status == 5 and result.stderr == "sonde: nowhere: No such file or directory\n"


def test_stdin_that_is_a_file_is_read_from_where_it_is(sonde):
    name = sonde.file("log", "8.8.8.8\n1.1.1.1\n9.9.9.9\n")
    with open(sonde.work / name) as file:
        os.lseek(file.fileno(), 8, os.SEEK_SET)
        result = sonde.start("extract", stdin=file).finish()
        assert result.stdout == b"1.1.1.1\n9.9.9.9\n"
        assert os.read(file.fileno(), 10) == b""


def test_damaged_compressed_input_gives_what_could_be_read(sonde):
    packed = gzip.compress(MANY.encode())
    result = sonde("extract", sonde.file("log.gz", packed[: len(packed) // 2]))
    assert result.status == 5 and "the compressed data is cut short" in result.stderr
    assert len(result.lines) > 10_000
    assert result.lines == MANY_FOUND[: len(result.lines)]


def test_addresses_of_a_pipe_come_at_once(sonde):
    running = sonde.start("extract")
    for address in ["8.8.8.8", "1.1.1.1"]:
        running.write(f"from {address}\n")
        assert running.line() == f"{address}\n".encode()
    assert running.finish().status == 0


def test_null_bytes_and_binary_data_are_text_like_any_other(sonde):
    noise = bytes(range(256)) * 5000
    text = noise + b"\x008.8.8.8\x00" + noise + b"\xff1.1.1.1\xfe\n"
    assert sonde("extract", input=text).lines == ["8.8.8.8", "1.1.1.1"]
    assert sonde("extract", sonde.file("binary", text)).lines == ["8.8.8.8", "1.1.1.1"]
