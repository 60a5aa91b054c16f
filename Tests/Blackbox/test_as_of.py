"""`--database DIR` and `--as-of`: dated databases, known by their content."""

import datetime

import mmdb
import pytest


def seconds(day):
    """The noon of a day, in seconds since 1970 UTC."""
    return int(datetime.datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp())


@pytest.fixture
def folder(sonde):
    """A directory with two types of databases of several days, under names that say nothing, and other files."""
    path = sonde.work / "dbs"
    path.mkdir()
    for name, day, country in (("c.bin", "2024-01-10", "DE"), ("a.bin", "2024-02-10", "FR"), ("b.bin", "2024-03-10", "US")):
        mmdb.write(path / name, "Test-Country", {"5.0.0.0/8": {"country": {"iso_code": country}}}, built=seconds(day))
    for name, day, number in (("x", "2024-01-20", 1), ("y", "2024-02-20", 2)):
        mmdb.write(path / name, "Test-ASN", {"5.0.0.0/8": {"autonomous_system_number": number}}, built=seconds(day))
    (path / "README").write_text("not a database\n")
    (path / "empty.mmdb").write_bytes(b"")
    (path / "sub").mkdir()
    return path


def found(run):
    """The country and AS of the only record."""
    (record,) = run.records
    return record.get("country_code"), record.get("asn")


def test_of_a_directory_the_newest_of_each_type_answers(sonde, folder, loc_database):
    options = ("scan", "--provider", "local", "--database")
    assert found(sonde(*options, "dbs", "5.6.7.8")) == ("US", 2)
    (folder / "location").write_bytes(loc_database.read_bytes())
    run = sonde(*options, "dbs", "5.6.7.8")
    assert found(run) == ("US", 2) and "says" in run.records[0].get("message", "says")
    run = sonde("compare", "-q", *options[1:], "dbs", "5.6.7.8")
    assert [name for name in run.records[0] if name.endswith("_status")] == ["y_status", "b_status", "location_status"]
    run = sonde(*options, "dbs/sub", "5.6.7.8")
    assert run.status == 2 and "dbs/sub: there is no libloc or MMDB database in it" in run.stderr
    (folder / "bad.mmdb").write_bytes(b"\xab\xcd\xefMaxMind.com\x00")
    run = sonde(*options, "dbs", "5.6.7.8")
    assert run.status == 2 and "bad.mmdb" in run.stderr


@pytest.mark.parametrize(
    "time, country, number",
    [
        ("2024-12-31", "US", 2), ("2024-03-10T12:00:00Z", "US", 2), ("2024-03-10T11:59:59Z", "FR", 2),
        ("2024-03-10T14:00:00+02:00", "US", 2), ("2024-03-10", "US", 2), ("2024-03-09", "FR", 2),
        ("2024-02-15", "FR", 1), ("2024-01-15", "DE", None),
    ],
)
def test_of_each_type_the_newest_by_then_answers(sonde, folder, time, country, number):
    for command in ("scan", "lookup"):
        run = sonde(command, "--as-of", time, "--database", "dbs", "5.6.7.8")
        assert found(run) == (country, number) and run.status == 0 and "days old" not in run.stderr
    run = sonde("annotate", "-q", "--as-of", time, "--database", "dbs", "--fields", "country_code", input="5.6.7.8\n")
    assert run.stdout.decode() == f"5.6.7.8 [{country}]\n"
    run = sonde("summary", "-q", "--as-of", time, "--database", "dbs", "--tables", "country", "--format", "csv", input="5.6.7.8 5.6.7.9\n")
    assert run.stdout.decode().splitlines()[1].startswith(f"country,{country},")


def test_before_all_databases_nothing_is_known_and_that_is_said(sonde, folder):
    run = sonde("scan", "--as-of", "2024-01-09", "--database", "dbs", "5.6.7.8", "10.0.0.1")
    unknown, reserved = run.records
    assert (unknown["status"], unknown["message"]) == ("unknown", "no database was built by 2024-01-09T23:59:59Z")
    assert reserved["status"] == "reserved" and run.status == 0
    # A single file is as old as it is, too.
    run = sonde("scan", "--as-of", "2024-01-09", "--database", "dbs/c.bin", "5.6.7.8")
    assert run.records[0]["status"] == "unknown"
    assert found(sonde("scan", "--as-of", "2024-01-10", "--database", "dbs/c.bin", "--database", "dbs/a.bin", "5.6.7.8")) == ("DE", None)


def test_only_local_knows_the_past(sonde, folder, simulator):
    for providers in ("ip-api", "ip-api,local", "local,ip-api"):
        run = sonde("scan", "--as-of", "2024-02-15", "--database", "dbs", "--provider", providers, "5.6.7.8", env=simulator.env)
        assert run.status == 2 and "--as-of is for --provider local alone" in run.stderr
    assert found(sonde("scan", "--as-of", "2024-02-15", "--database", "dbs", "--provider", "local", "5.6.7.8")) == ("FR", 1)
    assert simulator.counts()["total"] == 0
    for wrong in ("yesterday", "2024-02-30", "2024", ""):
        assert sonde("scan", "--as-of", wrong, "--database", "dbs", "5.6.7.8").status == 2
    for command in (("plan", "5.6.7.8"), ("me",), ("upgrade", "x"), ("compare", "5.6.7.8")):
        assert sonde(*command, "--as-of", "2024-02-15").status == 2
