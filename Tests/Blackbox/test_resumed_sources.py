"""Scans that are killed and resumed, while databases and tables are fetched, renewed or removed.

One rule: a resumed scan reads the files that it began with, as they are by then; files that were
added meanwhile are for the next scan, and without one of its own it is refused.
"""

import csv
import io
import json
import os
import signal
import subprocess

import mmdb
import pytest
from asked import OWN
from command import wait_for
from databases import KOELN, LONDON
from serving import Dashboard

pytestmark = pytest.mark.slow

# The one in the middle is the only one that a service is asked about, which holds the scan there.
HELD = "2a00::1"
ADDRESSES = [f"5.{n % 250}.{n // 250}.1" for n in range(20_000)]
ADDRESSES.insert(10_000, HELD)
HOLDING = [{"fault": "hold", "call": f"service {OWN}"}, {"fault": "hold", "call": "ip-api batch", "from": 2}]
HOLD = {"families": [6], "quota": "1000/s", "columns": {"name": "/name"}}
FIELDS = ("--fields", "ip,country_code,database,database_date")
# Where libloc's database is installed.
LIBLOC = ("/var/lib/location", "/usr/share/libloc-location")
OLD, NEW = 1_700_000_000, 1_710_000_000


def write(path, kind, entry, built=OLD):
    """A database that has one answer for all addresses of the list."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name("made")
    mmdb.write(made, kind, {"5.0.0.0/8": entry, "2a00::/16": entry}, built=built)
    made.replace(path)


@pytest.fixture
def folder(sonde):
    """Where fetched databases lie."""
    return sonde.home / "state/sonde/tables"


@pytest.fixture
def scan(sonde, simulator):
    """Runs a scan of the list."""
    sonde.file("list.txt", "\n".join(ADDRESSES))
    sonde.file("hold.json", json.dumps({"url": f"{simulator.urls['services']}/{OWN}/v1/{{ip}}", **HOLD}))
    return lambda *options, **more: sonde("scan", *FIELDS, *options, "-q", "list.txt", **more)


@pytest.fixture
def killed(sonde, simulator):
    """Begins a scan that some answer is missing to, and kills it once its journal knows of the records before."""
    def begin(*options, **more):
        simulator.control(faults=HOLDING)
        running = sonde.start("scan", *FIELDS, *options, "-q", "-o", "part.csv", "list.txt", **more)
        wait_for(lambda: has_progress(sonde.work / "part.csv.journal"))
        running.signal(signal.SIGKILL)
        running.finish()
        simulator.control(faults=[])
        assert 1 < sonde.read("part.csv").count(b"\n") < len(ADDRESSES), "it was neither at its beginning nor at its end"

    return begin


def has_progress(journal):
    """Whether a journal knows of records: the first two of its four slots, 512 KiB each, are blank until then."""
    with journal.open("rb") as file:
        return any(file.read(1 << 20))


def rows(sonde, name="part.csv"):
    return list(csv.DictReader(io.StringIO(sonde.read(name).decode())))


WAITS = ("--with", "hold=ask:hold.json")
RESUME = ("-o", "part.csv", "--resume")


def test_a_database_fetched_meanwhile_is_for_the_next_scan(sonde, scan, killed, folder):
    local = ("--provider", "local", *WAITS)
    write(folder / "dbip", "DBIP-City-Lite", LONDON)
    assert scan(*local, "-o", "whole.csv").status == 0
    killed(*local)
    write(folder / "geolite", "GeoLite2-City", KOELN)
    assert scan(*local, *RESUME).status == 0
    assert sonde.read("part.csv") == sonde.read("whole.csv")
    assert scan(*local, "-o", "next.csv").status == 0
    assert {row["database"] for row in rows(sonde, "next.csv")} == {"geolite"}


def test_where_there_was_none_there_is_none(sonde, simulator, scan, killed, folder):
    """`local` is for what the provider could not answer."""
    hidden = ["unshare", "-m", "sh", "-c", f'{" && ".join(f"mount -t tmpfs none {path}" for path in LIBLOC if os.path.isdir(path))} && exec "$@"', "sh"]
    if subprocess.run([*hidden, "true"], capture_output=True).returncode:
        pytest.skip("nothing may be mounted here")
    assert scan("--provider", "local", prefix=hidden).status == 2
    options = ("--provider", "ip-api,local", "--concurrency", "1", "--no-cache")
    killed(*options, env=simulator.env, prefix=hidden)
    write(folder / "dbip", "DBIP-City-Lite", LONDON)
    assert scan(*options, "--max-requests", "1", *RESUME, env=simulator.env, prefix=hidden).status == 1
    assert {row["database"] for row in rows(sonde)} == {""} and len(rows(sonde)) == len(ADDRESSES)


def test_a_renewed_database_answers_the_rest(sonde, scan, killed, folder):
    write(folder / "dbip", "DBIP-City-Lite", LONDON)
    write(sonde.work / "own.mmdb", "Own", LONDON)
    for options in (("--provider", "local", *WAITS), ("--provider", "local", "--database", "own.mmdb", *WAITS)):
        killed(*options)
        write(folder / "dbip", "DBIP-City-Lite", KOELN, NEW)
        write(sonde.work / "own.mmdb", "Own", KOELN, NEW)
        assert scan(*options, *RESUME).status == 0
        found = rows(sonde)
        answers = [(row["country_code"], row["database_date"]) for row in found]
        assert [row["ip"] for row in found] == ADDRESSES
        assert answers == sorted(answers, key=lambda answer: answer[1]), "each day's answers are together"
        assert set(answers) == {("GB", "2023-11-14"), ("DE", "2024-03-09")}
        for name in ("part.csv", "own.mmdb"):
            (sonde.work / name).unlink()
        write(folder / "dbip", "DBIP-City-Lite", LONDON)
        write(sonde.work / "own.mmdb", "Own", LONDON)


def test_without_a_database_of_its_own_it_is_refused(sonde, scan, killed, folder):
    write(folder / "dbip", "DBIP-City-Lite", LONDON)
    write(folder / "geolite", "GeoLite2-City", KOELN)
    local = ("--provider", "local", *WAITS)
    killed(*local)
    kept = (folder / "geolite").read_bytes()
    (folder / "geolite").unlink()
    refused = scan(*local, *RESUME)
    assert refused.status == 2 and f"another --database: it was '{folder}/geolite,{folder}/dbip" in refused.stderr
    chosen = scan(*local, "--database", folder / "dbip", *RESUME)
    assert chosen.status == 2 and "another --database" in chosen.stderr
    (folder / "geolite").write_bytes(kept)
    assert scan(*local, *RESUME).status == 0
    assert len(rows(sonde)) == len(ADDRESSES)


@pytest.mark.parametrize("more", [(), ("--as-of", "2030-01-01")], ids=["newest", "as of"])
def test_so_it_is_with_a_directory(sonde, scan, killed, more):
    options = ("--provider", "local", "--database", "dbs", *WAITS, *more)
    write(sonde.work / "dbs/a", "Test-City", LONDON)
    assert scan(*options, "-o", "whole.csv").status == 0
    killed(*options)
    write(sonde.work / "dbs/b", "Test-City", KOELN, NEW)
    write(sonde.work / "dbs/c", "Test-ASN", {"autonomous_system_number": 1}, NEW)
    assert scan(*options, *RESUME).status == 0
    assert sonde.read("part.csv") == sonde.read("whole.csv")
    (sonde.work / "part.csv").unlink()
    killed(*options)
    (sonde.work / "dbs/b").unlink()
    refused = scan(*options, *RESUME)
    assert refused.status == 2 and "another --database: it was '" in refused.stderr


def test_so_it_is_with_a_directory_before_its_first_day(sonde, scan, killed):
    options = ("--as-of", "2022-01-01", "--database", "dbs", *WAITS)
    write(sonde.work / "dbs/a", "Test-City", LONDON)
    killed(*options)
    write(sonde.work / "dbs/b", "Test-City", KOELN, 1_600_000_000)
    assert scan(*options, *RESUME).status == 0
    assert {row["country_code"] for row in rows(sonde)} == {""} and len(rows(sonde)) == len(ADDRESSES)


def test_of_a_directory_whose_only_database_was_replaced_it_is_refused(sonde, scan, killed):
    for options in ((), ("--as-of", "2026-01-01")):
        options = ("--database", "dbs", *options, *WAITS)
        write(sonde.work / "dbs/a", "Test-City", LONDON)
        killed(*options)
        write(sonde.work / "dbs/b", "Test-City", KOELN, NEW)
        (sonde.work / "dbs/a").unlink()
        refused = scan(*options, *RESUME)
        assert refused.status == 2
        assert "another --database: it was" in refused.stderr and "dbs/a" in refused.stderr
        for name in ("part.csv", "part.csv.journal", "dbs/b"):
            (sonde.work / name).unlink()


def test_so_it_is_with_the_days_of_lines(sonde, scan, killed):
    days = ("2023-12-01", "2024-04-01")
    sonde.file("list.txt", "".join(f"{days[n * 2 // len(ADDRESSES)]} {address}\n" for n, address in enumerate(ADDRESSES)))
    options = ("--log", "--as-of", "line", "--database", "dbs", *WAITS)
    write(sonde.work / "dbs/a", "Test-City", LONDON)
    assert scan(*options, "-o", "whole.csv").status == 0
    killed(*options)
    write(sonde.work / "dbs/b", "Test-City", KOELN, NEW)
    assert scan(*options, *RESUME).status == 0
    assert sonde.read("part.csv") == sonde.read("whole.csv")


def test_so_it_is_with_tables(sonde, scan, killed, folder):
    """Of `--with`, a table that was added is the same by its name, whatever its copy says by then."""
    fields = ("--fields", "ip,own_team")
    local = ("--provider", "local", "--database", "own.mmdb", "--with", "own", *WAITS)
    write(sonde.work / "own.mmdb", "Own", LONDON)
    sonde.file("nets.csv", "network,team\n5.0.0.0/8,first\n2a00::/16,first\n")
    assert sonde("tables", "add", "own", "nets.csv").status == 0
    killed(*local, *fields)
    sonde.file("nets.csv", "network,team\n5.0.0.0/8,second\n2a00::/16,second\n")
    assert scan(*local, *fields, *RESUME).status == 0
    teams = [row["own_team"] for row in rows(sonde)]
    assert teams == sorted(teams) and set(teams) == {"first", "second"} and len(teams) == len(ADDRESSES)
    (sonde.work / "part.csv").unlink()
    killed(*local, *fields)
    assert sonde("tables", "remove", "own").status == 0
    assert scan(*local, *fields, *RESUME).status == 2
    sonde.file("other.csv", "network,team\n5.0.0.0/8,third\n2a00::/16,third\n")
    assert sonde("tables", "add", "own", "other.csv").status == 0
    refused = scan(*local, *fields, *RESUME)
    assert refused.status == 2 and "another --with: it was 'own=" in refused.stderr


class Served:
    """A dashboard whose scan of the list is held, and its results."""

    def __init__(self, sonde, simulator, *options):
        simulator.control(faults=HOLDING)
        self.simulator = simulator
        self.dashboard = Dashboard(sonde, simulator, "--provider", "local", *WAITS, *options)
        self.scan = self.dashboard.scan("\n".join(ADDRESSES), name="list", **{"as": "list"}).json["id"]

    def kill(self):
        """Kills the server once the scan's journal knows of records."""
        [journal] = wait_until(lambda: list(self.dashboard.state.rglob("*.journal")))
        wait_for(lambda: has_progress(journal))
        self.dashboard.stop(signal.SIGKILL)

    def resume(self, state="done"):
        """Starts the server; the scan, once it has ended."""
        self.simulator.control(faults=[])
        self.dashboard.start()
        return self.dashboard.until(self.scan, state)

    @property
    def countries(self):
        answer = self.dashboard.ask("GET", f"scans/{self.scan}/records", format="csv")
        return [row["country_code"] for row in csv.DictReader(io.StringIO(answer.body.decode()))]


def wait_until(what):
    """What there is, once there is any."""
    wait_for(what)
    return what()


@pytest.mark.parametrize("options", [(), ("--database", "dbs")], ids=["fetched", "directory"])
def test_so_it_is_with_scans_of_the_dashboard(sonde, simulator, scan, folder, options):
    at = sonde.work / "dbs" if options else folder
    write(at / "dbip", "City", LONDON)
    served = Served(sonde, simulator, *options)
    served.kill()
    # Without a directory the better one; in it the newer one.
    write(at / "geolite", "City", KOELN, NEW)
    served.resume()
    assert served.countries == ["GB"] * len(ADDRESSES)
    # The next scan reads it; renewed, it answers the rest.
    simulator.control(faults=HOLDING)
    served.dashboard.stop()
    served = Served(sonde, simulator, *options)
    served.kill()
    (at / "geolite").unlink()
    failed = served.resume("failed")
    assert failed["detail"] == "it began with local databases that are not there now; resume it once they are back"
    write(at / "geolite", "City", LONDON, NEW + 1)
    assert served.dashboard.ask("POST", f"scans/{served.scan}/resume").status == 200
    served.dashboard.until(served.scan, "done")
    found = served.countries
    assert found == sorted(found) and set(found) == {"DE", "GB"} and len(found) == len(ADDRESSES)


def test_the_page_offers_to_resume_it(sonde, simulator, scan, folder, dashboard_browser):
    write(folder / "geolite", "City", LONDON)
    served = Served(sonde, simulator)
    served.kill()
    (folder / "geolite").rename(folder / "gone")
    served.resume("failed")
    (folder / "gone").rename(folder / "geolite")
    with dashboard_browser.visiting(served.dashboard) as page:
        page.go(f"scans/{served.scan}")
        page.press_button("Resume")
        page.state("done")
    assert served.countries == ["GB"] * len(ADDRESSES)
