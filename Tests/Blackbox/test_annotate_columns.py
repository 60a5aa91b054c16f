"""`annotate --style columns`: tables gain columns, and nothing else in them changes."""

import csv
import io
import json
import random

import pytest
from annotated import NoTable, meaning, table
from expected import record

FIELDS = "status country_code country region city asn as_name".split()
CELLS = [
    *rb"8.8.8.8|1.1.1.1:53|[2001:4860::1]:443|2001:db8::1|fe80::1%eth0| 5.6.7.8 || |x|unknown|8.8.8.8/24".split(
        b"|"
    ),
    b"a b",
    b"\xff\xfe",
    b"\0",
    b'a"b',
    b'a""',
    b'5"',
    b"\r",
    b"8.8.8.8\r",
    b'fe80::1%a""b',
]
NAMES = [b"ip", b"IP", b"client", b"a", b"b c", b'"q,d"', b'"n\nl"', b'"x""y"', b"", b"ip_status", b"z;"]


@pytest.fixture
def local(loc_database):
    """The options of a run that sends nothing."""
    return ["--style", "columns", "--provider", "local", "--database", loc_database]


@pytest.fixture
def cells_of(sonde, loc_database):
    """The cells of addresses as `scan` writes them, or those of a bad one."""
    known = {}

    def look_up(found, text):
        if found is False:
            return [b"invalid", *[b""] * (len(FIELDS) - 1)]
        if found not in known:
            options = ["--provider", "local", "--database", loc_database, "--format", "csv"]
            fields = ["--fields", ",".join(FIELDS), found]
            rows = list(csv.reader(io.StringIO(sonde("scan", *options, *fields).stdout.decode())))
            known[found] = [cell.encode() for cell in rows[1]]
        return known[found]

    return look_up


def summary(sonde):
    event = json.loads(sonde.read("events").splitlines()[-1])
    return [event[name] for name in ("lines", "annotated", "unchanged", "late", "entries", "invalid")]


# What is inserted


def test_rows_gain_what_scan_knows(sonde, simulator):
    given = b'n,ip,"a ""b"""\r\n1,8.8.8.8,"x\r\ny"\r\n2,"[1.1.1.1]:53",\r\n3,,z\r\n4,1.1.1,\r\n5,10.0.0.1,'
    options = ["--style", "columns", "--provider", "ip-api", "--events", "events", "-o", "out"]
    result = sonde("annotate", *options, input=given, env=simulator.env)
    assert result.status == 0
    written = sonde.read("out")
    rows = list(csv.reader(io.StringIO(written.decode(), newline="")))
    assert rows[0] == ["n", "ip", 'a "b"', *(f"ip_{field}" for field in FIELDS)]
    for row, address in ((rows[1], "8.8.8.8"), (rows[2], "1.1.1.1")):
        assert row[3:] == [str(record(address).get(field, "")) for field in FIELDS]
    assert [row[3:] for row in rows[3:]] == [
        [""] * 7,
        ["invalid", *[""] * 6],
        ["reserved", *[""] * 6],
    ]
    assert written.startswith(b'n,ip,"a ""b""",ip_status,')
    assert b'\r\n1,8.8.8.8,"x\r\ny",ok,' in written and b'\r\n2,"[1.1.1.1]:53",,ok,' in written
    assert b'\r\n3,,z,,,,,,,\r\n4,1.1.1,,invalid,,,,,,\r\n5,10.0.0.1,,reserved,,,,,,' in written
    assert summary(sonde) == [5, 5, 0, 0, 4, 1]


def test_several_columns_gain_their_own_in_the_order_asked_for(sonde, local):
    given = b"client ip\tx\tproxy\n8.8.8.8\t\t5.6.7.8:80\n"
    columns = ["--column", "proxy", "--column", "client ip", "--fields", "country_code,as_name"]
    assert sonde("annotate", *local, *columns, input=given).stdout == (
        b"client ip\tx\tproxy\tproxy_country_code\tproxy_as_name"
        b"\tclient ip_country_code\tclient ip_as_name\n"
        b"8.8.8.8\t\t5.6.7.8:80\tFR\tOrange, S.A.\tUS\tGOOGLE\n"
    )


def test_each_file_brings_its_header_and_delimiter(sonde, local):
    sonde.file("a.csv", b"ip,n\n5.6.7.8,1\n")
    sonde.file("b.tsv", b"\xef\xbb\xbfIP\tn\n5.6.7.8\t1\n")
    sonde.file("c.csv", b"x;addr\r\n1;5.6.7.8:80\r\n")
    sonde.file("d.csv", b"")
    files = ["a.csv", "b.tsv", "d.csv", "c.csv"]
    assert sonde("annotate", *local, "--fields", "as_name", *files).stdout == (
        b'ip,n,ip_as_name\n5.6.7.8,1,"Orange, S.A."\n'
        b"\xef\xbb\xbfIP\tn\tIP_as_name\n5.6.7.8\t1\tOrange, S.A.\n"
        b"x;addr;addr_as_name\r\n1;5.6.7.8:80;Orange, S.A.\r\n"
    )


def test_a_header_begins_a_line(sonde, local):
    sonde.file("a.csv", b"ip,n\n5.6.7.8,1")
    sonde.file("b.csv", b"IP,n\r\n8.8.8.8,2")
    files = ["a.csv", "b.csv", "a.csv"]
    options = ["--fields", "country_code", "--events", "events", "-o", "out"]
    assert sonde("annotate", *local, *options, *files).status == 0
    assert sonde.read("out") == (
        b"ip,n,ip_country_code\n5.6.7.8,1,FR\nIP,n,IP_country_code\r\n8.8.8.8,2,US\n"
        b"ip,n,ip_country_code\n5.6.7.8,1,FR"
    )
    assert summary(sonde)[:4] == [3, 3, 0, 0]


def test_a_column_is_found_whatever_the_case_if_there_is_no_doubt(sonde, local):
    options = ["--fields", "country_code", "--column"]
    given = b"Src,DST\n8.8.8.8,5.6.7.8\n"
    result = sonde("annotate", *local, *options, "SRC", input=given)
    assert result.stdout == b"Src,DST,Src_country_code\n8.8.8.8,5.6.7.8,US\n"
    given = b"src,SRC,Dst\n8.8.8.8,5.6.7.8,\n"
    result = sonde("annotate", *local, *options, "SRC", input=given)
    assert result.stdout == b"src,SRC,Dst,SRC_country_code\n8.8.8.8,5.6.7.8,,FR\n"
    result = sonde("annotate", *local, *options, "Src", input=given)
    assert result.status == 2 and "no column 'Src'" in result.stderr


@pytest.mark.parametrize("size", [1, 9 << 20])
def test_quotes_that_nobody_closes_are_told(sonde, local, size):
    sonde.file("a.csv", b'ip,n\n5.6.7.8,1\n8.8.8.8,"' + b"x\n" * size)
    result = sonde("annotate", *local, "a.csv", "-o", "out")
    assert result.status == 0 and "a.csv: a quote is not closed" in result.stderr
    sonde.file("a.csv", b'ip,n\n5.6.7.8,1\n8.8.8.8,"' + b"x\n" * size + b'"')
    result = sonde("annotate", *local, "a.csv", "-o", "out")
    assert result.status == 0 and "quote" not in result.stderr


def test_lines_that_end_with_returns_alone_are_told(sonde, local):
    given = b"ip,n\r8.8.8.8,1\r"
    sonde.file("a.csv", given)
    result = sonde("annotate", *local, "a.csv")
    assert (result.status, result.stdout) == (0, given)
    assert "a.csv: its lines end with a return alone" in result.stderr


def test_a_delimiter_can_be_any_character(sonde, local):
    given = b"ip|a:b\n5.6.7.8|x\n"
    fields = ["--fields", "as_name,ip", "--column", "ip"]
    result = sonde("annotate", *local, "--delimiter", "|", *fields, input=given)
    assert result.stdout == b"ip|a:b|ip_as_name|ip_ip\n5.6.7.8|x|Orange, S.A.|5.6.7.8\n"
    result = sonde("annotate", *local, "--delimiter", ":", *fields, input=b"ip:n\n[2001:4860::1]:1\n")
    # The cell is "[2001", and the row has five of them.
    assert result.stdout.endswith(b"\n[2001:4860::1]:1\n")
    result = sonde("annotate", *local, "--delimiter", ":", *fields, input=b'ip:n\n"2001:4860::1":1\n')
    assert result.stdout.endswith(b'\n"2001:4860::1":1:GOOGLE:"2001:4860::1"\n')
    result = sonde("annotate", *local, "--delimiter", r"\t", *fields, input=b"ip\ta,b,c\n8.8.8.8\t\n")
    assert result.stdout.endswith(b"\n8.8.8.8\t\tGOOGLE\t8.8.8.8\n")
    for wrong in ("", '"', "ab", "é"):
        assert sonde("annotate", *local, "--delimiter", wrong, input=given).status == 2


def test_other_rows_pass_unchanged_and_are_counted(sonde, local):
    given = b'ip,n\n8.8.8.8\n\n8.8.8.8,1,2\n8.8.8.8,1\n8.8.8.8,"1\n2,3\n'
    options = ["--fields", "country_code", "--events", "events", "-o", "out"]
    assert sonde("annotate", *local, *options, input=given).status == 0
    assert sonde.read("out") == given.replace(b"n\n", b"n,ip_country_code\n", 1).replace(
        b"8.8.8.8,1\n", b"8.8.8.8,1,US\n"
    )
    assert summary(sonde)[:4] == [5, 1, 4, 0]


def test_rows_without_an_address_can_be_left_out(sonde, local):
    given = b"ip,n\n8.8.8.8,1\nx,2\n,3\n8.8.8.8\n"
    result = sonde("annotate", *local, "--only-matching", "--fields", "status", input=given)
    assert result.stdout == b"ip,n,ip_status\n8.8.8.8,1,ok\n"


def test_new_cells_are_safe_in_a_spreadsheet(sonde, simulator):
    given = b"=ip\n8.8.8.8\n"
    known = record("8.8.8.8")
    options = ["--style", "columns", "--provider", "ip-api", "--fields", "longitude,city", "--spreadsheet"]
    result = sonde("annotate", *options, input=given, env=simulator.env)
    assert result.stdout.decode().splitlines() == [
        "=ip,'=ip_longitude,'=ip_city",
        f"8.8.8.8,{known['longitude']},{known['city']}",
    ]


@pytest.mark.parametrize(
    "given, options, words",
    [
        (b"a,b\n1.1.1.1,x\n", ["--column", "c"], "'c'; its columns are 'a', 'b'"),
        (b"a,b\n1.1.1.1,8.8.8.8\n", [], "its columns are 'a', 'b'"),
        (b"a,b\nx,y\n", [], "its columns are 'a', 'b'"),
        (b"a,b\n", [], "its columns are 'a', 'b'"),
        (b"8.8.8.8 - - [x] GET /\n1.1.1.1 - - [x] GET /\n", [], "or take --style brackets for a log; its columns are"),
        (b"8.8.8.8,GET\n1.1.1.1,PUT\n", [], "first row is no header, since '8.8.8.8' is an address"),
        (b'x,"[2001:db8::1]:53"\nx,1.1.1.1\n', ["--delimiter", ","], "no header, since '[2001:db8::1]:53'"),
        (b"1.1.1.1,8.8.8.8\n8.8.8.8,1.1.1.1\n", [], "first row is no header"),
        (b"8.8.8.8\n", ["--column", "8.8.8.8"], "first row is no header"),
        (b"ip,IP\n8.8.8.8,\n", [], "its columns are 'ip', 'IP'"),
        (b"ip,ip_status\n", [], "two columns 'ip_status'"),
        (b"a,b\n", ["--column", "a", "--column", "a"], "two columns 'a_status'"),
        (b'a,"b\n', ["--column", "a"], "quotes of its header"),
        (b"a\x1b[2J,b\n", [], r"'a\x1b[2J'"),
    ],
)
def test_a_table_that_does_not_tell_is_wrong_usage(sonde, local, given, options, words):
    result = sonde("annotate", *local, *options, input=given)
    assert (result.status, result.stdout) == (2, b"")
    assert words in result.stderr


def test_a_range_is_wrong_usage(sonde, local):
    sonde.file("a.csv", b"ip\n8.8.8.8\n")
    assert sonde("annotate", *local, "--range", "0:5", "a.csv").status == 2


def test_nothing_and_a_header_alone_are_fine(sonde, local):
    for given in (b"", b"\xef\xbb\xbf"):
        result = sonde("annotate", *local, input=given)
        assert (result.status, result.stdout) == (0, given)
    result = sonde("annotate", *local, "--fields", "city", input=b"ip")
    assert (result.status, result.stdout) == (0, b"ip,ip_city")


def test_a_row_goes_out_as_soon_as_it_is_known(sonde, local):
    running = sonde.start("annotate", *local, "--fields", "country_code")
    running.write(b"x,client\n")
    running.write(b"1,8.8.8.8\n")
    assert running.line() == b"x,client,client_country_code\n"
    assert running.line() == b"1,8.8.8.8,US\n"
    running.write(b'"2\n')
    running.write(b'3",5.6.7.8\n')
    assert (running.line(), running.line()) == (b'"2\n', b'3",5.6.7.8,FR\n')
    assert running.finish().status == 0


# Beside the slow reference


class Tables:
    """Makes tables, and what nearly is one."""

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def cell(self, quotes):
        cell = self.chance.choice(CELLS)
        if self.chance.random() > quotes:
            return cell
        text = cell.replace(b'"', b'""')
        if self.chance.random() < 0.3:
            text += self.chance.choice([b"\n", b",", b"\t", b";", b'""', b"\r\n"])
        behind = self.chance.choice([b" ", b"x", b'"']) if self.chance.random() < 0.05 else b""
        return b'"' + text + b'"' + behind

    def table(self, rows, delimiter):
        """A table, the columns to ask for, and whether the delimiter is to be told."""
        count, end = self.chance.randrange(1, 5), self.chance.choice([b"\n", b"\r\n"])
        names = self.chance.sample(NAMES, count)
        quotes = self.chance.choice([0.1, 0.4])
        lines = [names]
        for _ in range(rows):
            cells = count if self.chance.random() < 0.9 else self.chance.randrange(1, 6)
            lines.append([self.cell(quotes) for _ in range(cells)])
        data = end.join(delimiter.join(line) for line in lines)
        data += end if self.chance.random() < 0.7 else b""
        if self.chance.random() < 0.1:
            place = self.chance.randrange(len(data) + 1)
            data = data[:place] + self.chance.choice([b'"', b"\n", b"\0", b"\xff"]) + data[place:]
        if self.chance.random() < 0.1:
            data = b"\xef\xbb\xbf" + data
        columns = [meaning(name) for name in self.chance.sample(names, 1)]
        return data, columns if self.chance.random() < 0.7 and columns[0] else []


@pytest.mark.parametrize("seed", range(40))
def test_tables_are_as_a_slow_reader_reads_them(sonde, local, cells_of, seed):
    tables = Tables(seed)
    delimiter = tables.chance.choice([b",", b"\t", b";"])
    data, columns = tables.table(200 if seed % 4 else 5000, delimiter)
    told = [delimiter] if tables.chance.random() < 0.3 else []
    options = [word for name in columns for word in ("--column", name.decode())]
    options += [word for one in told for word in ("--delimiter", one.decode())]
    result = sonde("annotate", *local, *options, "--events", "events", "-o", "out", input=data)
    try:
        wanted, unchanged = table(data, FIELDS, cells_of, columns, *told)
    except NoTable:
        assert result.status == 2
        return
    assert sonde.read("out") == wanted
    assert summary(sonde)[2] == unchanged


def test_a_row_that_is_too_long_passes_unchanged(sonde, local):
    # It ends where its quotes do, and what follows is read.
    long = b'8.8.8.8,"' + b"x,\n" * (6 << 20) + b'"\n'
    options = ["--fields", "country_code", "--events", "events", "-o", "out"]
    given = b"ip,n\n5.6.7.8,1\n" + long + b"8.8.8.8,2\n"
    assert sonde("annotate", *local, *options, input=given).status == 0
    assert sonde.read("out") == (
        b"ip,n,ip_country_code\n5.6.7.8,1,FR\n" + long + b"8.8.8.8,2,US\n"
    )
    assert summary(sonde)[:4] == [3, 2, 1, 0]
    # Quotes that nobody closes.
    given = b'ip,n\n5.6.7.8,1\n8.8.8.8,"' + b"x\n" * (9 << 20)
    assert sonde("annotate", *local, *options, input=given).status == 0
    assert sonde.read("out") == given.replace(b"n\n5.6.7.8,1", b"n,ip_country_code\n5.6.7.8,1,FR", 1)
    assert summary(sonde)[:4] == [2, 1, 1, 0]


def test_a_long_cell_is_kept(sonde, local):
    cell = b'"' + b'a""\n,' * 2_000_000 + b'"'
    given = b"n,ip\n" + cell + b",8.8.8.8\n" + cell + b",5.6.7.8\n"
    result = sonde("annotate", *local, "--fields", "country_code", input=given)
    assert result.stdout == (
        b"n,ip,ip_country_code\n" + cell + b",8.8.8.8,US\n" + cell + b",5.6.7.8,FR\n"
    )
