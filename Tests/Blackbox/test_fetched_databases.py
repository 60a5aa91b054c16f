"""`sonde tables update dbip geolite ipinfo_lite`: databases that are fetched, and read by `local`."""

import datetime
import gzip
import io
import json
import os
import re
import shutil
import signal
import subprocess
import tarfile
import time

import mmdb
import pytest
from command import wait_for
from databases import KOELN, LONDON, LAYOUTS
from lists import ACCOUNT, GEOLITE, IPINFO_LITE, KEY, STORE
from serving import Dashboard

pytestmark = pytest.mark.slow

NOW = datetime.datetime.now(datetime.UTC)
MONTH = NOW.strftime("%Y-%m")
BEFORE = (NOW.replace(day=1) - datetime.timedelta(days=1)).strftime("%Y-%m")
DBIP = f"download.db-ip.com/free/dbip-city-lite-{MONTH}.mmdb.gz"
DBIP_BEFORE = f"download.db-ip.com/free/dbip-city-lite-{BEFORE}.mmdb.gz"
KEYS = {"SONDE_MAXMIND_ACCOUNT": ACCOUNT, "SONDE_MAXMIND_KEY": KEY, "SONDE_IPINFO_TOKEN": "test-token"}
DAY = 86_400
# Addresses of the databases; nobody else's answer is about the last.
LONDONS, OWN = "81.2.69.142", "81.2.69.0/24"
BUILT = int(NOW.timestamp()) - 20 * DAY


def day(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d")


class Databases:
    """What the owners publish, made from networks."""

    def __init__(self, simulator, folder):
        self.simulator, self.folder, self.lists = simulator, folder, {}

    def make(self, kind, networks, built=BUILT):
        """The bytes of an MMDB."""
        return mmdb.write(self.folder / "made.mmdb", kind, networks, built=built).read_bytes()

    def put(self, path, content, **day):
        """Publishes what lies at a path."""
        self.lists[path] = {"hex": content.hex(), **day}
        self.simulator.control(lists=self.lists, reset=False)

    def dbip(self, networks, built=BUILT, kind="DBIP-City-Lite", path=DBIP):
        """Publishes a database as DB-IP does."""
        self.put(path, gzip.compress(self.make(kind, networks, built)))

    def geolite(self, networks, built=BUILT, kind="GeoLite2-City"):
        """Publishes one as MaxMind does: an archive with a folder, at another host."""
        self.put(STORE, archive({"GeoLite2-City_20261101/GeoLite2-City.mmdb": self.make(kind, networks, built)}))

    def ipinfo_lite(self, networks=None, built=BUILT):
        """Publishes one as IPinfo does."""
        kind, usual = LAYOUTS["ipinfo-lite"]
        self.put(IPINFO_LITE, self.make(kind, networks or usual, built))


def archive(files, form=tarfile.GNU_FORMAT):
    """A compressed tar of files by their names, with MaxMind's texts before them."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=form) as tar:
        folder = tarfile.TarInfo("GeoLite2-City_20261101")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        for name, content in {"GeoLite2-City_20261101/LICENSE.txt": b"Use of this " * 99, **files}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


@pytest.fixture
def published(simulator, tmp_path):
    return Databases(simulator, tmp_path)


@pytest.fixture
def update(sonde, simulator):
    """Runs `sonde tables update`, with all keys."""
    return lambda *names, env=None, **more: sonde(
        "tables", "update", *names, env={**simulator.env, **KEYS, **(env or {})}, **more
    )


def folder(sonde):
    return sonde.home / "state/sonde/tables"


def local(sonde, *options, address=LONDONS, fields="status,country_code,city,database,database_date"):
    result = sonde("scan", "--provider", "local", "--fields", fields, "--format", "ndjson", *options, address)
    assert result.status == 0, result.stderr
    return result.records[0]


def shown(sonde, name, action="show"):
    (row,) = map(json.loads, sonde("tables", action, name).stdout.splitlines())
    return row


def test_dbip_is_this_month_s_and_answers_at_once(sonde, published, update):
    before = local(sonde)
    assert before.get("database") != "dbip"
    published.dbip({OWN: LONDON, "5.6.0.0/16": KOELN})
    result = update("dbip")
    assert (result.status, result.stderr.splitlines()) == (0, [
        f"sonde: dbip: 2 networks, built on {day(BUILT)}",
        "sonde: dbip: CC BY 4.0; IP Geolocation by DB-IP, https://db-ip.com",
    ])
    assert local(sonde) == {
        "status": "ok", "country_code": "GB", "city": "London", "database": "dbip", "database_date": day(BUILT),
    }
    row = shown(sonde, "dbip")
    assert row.pop("fetched_at")[:4] == MONTH[:4]
    columns = row.pop("columns")
    assert row == {
        "name": "dbip", "url": "https://download.db-ip.com/free/dbip-city-lite-YYYY-MM.mmdb.gz", "rows": 2,
        "licence": "CC BY 4.0; IP Geolocation by DB-IP, https://db-ip.com", "built": day(BUILT),
    }
    assert columns[0] == "dbip_network" and "dbip_country_iso_code" in columns and "dbip_city_names_en" in columns
    assert set(shown(sonde, "dbip", "list")) == {"name", "url", "licence", "rows", "fetched_at", "built"}
    text = sonde("tables", "list", "--format", "text", "dbip").stdout.decode()
    assert text.startswith(f"dbip          2 networks, built on {day(BUILT)}, fetched ")
    assert sorted(file.name for file in folder(sonde).iterdir()) == ["dbip", "dbip.about"]
    assert all(file.stat().st_mode & 0o077 == 0 for file in folder(sonde).iterdir())


def test_a_database_adds_columns(sonde, published, update):
    never = sonde("check", "--with", "dbip", "1.1.1.1")
    assert never.status == 2 and "'sonde tables update dbip' fetches it" in never.stderr
    published.dbip({OWN: LONDON})
    assert update("dbip").status == 0
    fields = "dbip_network,dbip_city_names_en,dbip_location_latitude"
    result = sonde("check", "--with", "dbip", "--fields", fields, LONDONS)
    assert result.records == [{"dbip_network": OWN, "dbip_city_names_en": "London", "dbip_location_latitude": 51.5142}]
    taken = sonde("check", "--with", "dbip=x.csv", LONDONS)
    assert taken.status == 2 and "'dbip' is a source of its own" in taken.stderr


def test_until_this_month_s_is_there_it_is_that_of_the_month_before(sonde, simulator, published, update):
    nothing = update("dbip")
    assert nothing.status == 1 and "dbip: answered HTTP 404" in nothing.stderr and not folder(sonde).joinpath("dbip").exists()
    published.dbip({OWN: LONDON}, path=DBIP_BEFORE)
    assert update("dbip").status == 0
    assert "1 network, as before" in update("dbip").stderr
    published.dbip({OWN: KOELN}, built=BUILT + DAY)
    assert f"built on {day(BUILT + DAY)}" in update("dbip").stderr
    assert local(sonde)["city"] == "Köln"
    assert simulator.requests(f"tables {DBIP_BEFORE}") == 3


def test_what_has_not_changed_is_not_sent_again(sonde, published, update):
    published.dbip({OWN: LONDON})
    assert update("dbip").status == 0
    about = folder(sonde) / "dbip.about"
    about.write_text(re.sub(r"(?<=-1 )\d+", "1700000000", about.read_text()))
    assert shown(sonde, "dbip")["fetched_at"] == "2023-11-14T22:13:20Z"
    result = update()
    assert result.status == 0 and "dbip: 1 network, as before" in result.stderr, "it is renewed with the others"
    assert shown(sonde, "dbip")["fetched_at"] > "2026"
    # What is known of another file is not believed.
    about.write_text("sonde-database-1 1700000000 7 1 1 x\n")
    assert (shown(sonde, "dbip")["rows"], shown(sonde, "dbip")["built"]) == (1, day(BUILT))
    assert update("dbip").stderr.startswith(f"sonde: dbip: 1 network, built on {day(BUILT)}\n")


def test_geolite_s_key_goes_to_its_host_alone(sonde, simulator, published, update):
    published.geolite({OWN: LONDON})
    assert update("geolite").status == 0
    assert simulator.counts()["requests"] == {f"tables {GEOLITE}": 1, f"tables {STORE}": 1}
    assert local(sonde)["database"] == "geolite"
    row = shown(sonde, "geolite")
    assert row["url"] == "https://download.maxmind.com/geoip/databases/GeoLite2-City/download?suffix=tar.gz"
    assert "GeoLite End User License Agreement" in row["licence"]
    assert "1 network, as before" in update("geolite").stderr
    # A mirror's redirect leads nowhere without TLS but to one's own network.
    for target in ("http://example.com/x", "http://user:word@127.0.0.1/x", "ftp://127.0.0.1/x"):
        simulator.control(lists={GEOLITE: {"location": target, "status": 302}})
        result = update("geolite")
        assert result.status == 3 and "login page" in result.stderr and "stays" in result.stderr
    simulator.control(lists={GEOLITE: {"location": f"/{GEOLITE}", "status": 302}})
    result = update("geolite")
    assert result.status == 1 and "redirected too often" in result.stderr


def test_without_a_key_nothing_is_asked(sonde, simulator, published, update):
    for name, variable, setting in (
        ("geolite", "SONDE_MAXMIND_ACCOUNT", "maxmind-account"),
        ("geolite", "SONDE_MAXMIND_KEY", "maxmind-key"),
        ("ipinfo_lite", "SONDE_IPINFO_TOKEN", "ipinfo-token"),
    ):
        result = update("aws", name, env={variable: None})
        assert result.status == 2 and f"{name} needs an account: set {variable} or {setting}" in result.stderr
    assert simulator.counts()["total"] == 0
    # Those that need none are renewed without one.
    published.dbip({OWN: LONDON})
    assert update("dbip", env=dict.fromkeys(KEYS)).status == 0


def test_keys_come_from_the_configuration_too(sonde, published, update):
    published.geolite({OWN: LONDON})
    published.ipinfo_lite()
    sonde.config_file.write_text(f"maxmind-account = {ACCOUNT}\nmaxmind-key = {KEY}\nipinfo-token = test-token\n")
    sonde.config_file.chmod(0o644)
    refused = update("geolite", env=dict.fromkeys(KEYS))
    assert refused.status == 2 and KEY not in refused.stderr
    sonde.config_file.chmod(0o600)
    assert update("geolite", "ipinfo_lite", env=dict.fromkeys(KEYS)).status == 0
    # They are no settings of commands that need none.
    assert sonde("check", "1.1.1.1").status == 0


def test_keys_are_told_to_nobody(sonde, simulator, published, update):
    published.geolite({OWN: LONDON})
    published.ipinfo_lite()
    simulator.control(reset=False, faults=[{"fault": "delay", "seconds": 1, "call": f"tables {GEOLITE}"}])
    env = {**simulator.env, **KEYS}
    running = sonde.start("tables", "update", "geolite", "ipinfo_lite", env=env)
    wait_for(lambda: simulator.requests(f"tables {GEOLITE}"))
    told = open(f"/proc/{running.process.pid}/cmdline", "rb").read().decode()
    result = running.finish()
    assert result.status == 0, result.stderr
    simulator.control(reset=False, faults=[])
    told += result.stdout.decode() + result.stderr
    for wrong in ({"SONDE_MAXMIND_KEY": "wrong-" + KEY}, {"SONDE_IPINFO_TOKEN": "wrong-token"}):
        failed = update("geolite", "ipinfo_lite", env=wrong)
        assert failed.status == 1 and "stays" in failed.stderr and re.search("answered HTTP 40[13]: check ", failed.stderr)
        told += failed.stderr
    for arguments in (("tables", "show", "geolite", "ipinfo_lite"), ("status", "--format", "json"), ("tables", "list")):
        result = sonde(*arguments, env=env)
        told += result.stdout.decode() + result.stderr
    for file in sonde.home.rglob("*"):
        told += file.read_bytes().decode("latin-1") if file.is_file() else ""
    for secret in (KEY, ACCOUNT, "test-token", "wrong-token", "X-Amz-Signature"):
        assert secret not in told


def test_a_key_leaves_the_machine_by_tls_alone(sonde):
    for name in ("geolite", "ipinfo_lite"):
        result = sonde("tables", "update", name, env={"SONDE_TABLES_URL": "http://10.255.255.1:9", **KEYS})
        assert result.status == 2 and "not sent to 10.255.255.1:9 without TLS; use https://" in result.stderr
        assert KEY not in result.stderr


def test_local_reads_them_in_order(sonde, published, update):
    published.dbip({OWN: KOELN, "1.1.1.0/24": KOELN})
    published.geolite({OWN: LONDON})
    published.ipinfo_lite()
    result = update("ipinfo_lite", "dbip", "geolite")
    assert result.status == 0, result.stderr
    fields = "country_code,city,asn,database,as_database,message"
    found = local(sonde, fields=fields)
    assert found == {
        "country_code": "GB", "city": "London", "asn": 20712, "database": "geolite", "as_database": "ipinfo_lite",
        "message": "geolite says GB, dbip says DE",
    }
    assert local(sonde, address="1.1.1.1")["database"] == "dbip"
    names = [row["name"] for row in map(json.loads, sonde("tables", "list").stdout.splitlines())]
    assert names[-3:] == ["dbip", "geolite", "ipinfo_lite"]
    (status,) = sonde("status", "--format", "json", "--endpoint", "127.0.0.1:9").records
    assert [database["name"] for database in status["databases"]][:3] == ["geolite", "dbip", "ipinfo_lite"]
    assert status["databases"][0]["built"] == day(BUILT)
    assert f"dbip, built on {day(BUILT)}" in sonde("status", "--endpoint", "127.0.0.1:9").stdout.decode()
    screen = sonde.pty("lookup", "--provider", "local", LONDONS)
    assert f"answered by geolite of {day(BUILT)}, " in screen.raw and "dbip of" not in screen.raw
    # One that is given stands for all of them.
    chosen = str(folder(sonde) / "dbip")
    assert local(sonde, "--database", chosen)["city"] == "Köln"
    # For a comparison, all together are one source.
    alone = sonde("compare", "--provider", "local", LONDONS)
    assert alone.status == 2 and "needs two sources" in alone.stderr
    removed = sonde("tables", "remove", "geolite")
    assert removed.stderr == "sonde: geolite: removed\n" and not [file for file in folder(sonde).iterdir() if "geolite" in file.name]
    assert local(sonde)["database"] == "dbip"
    assert sonde("tables", "remove", "geolite").stderr == "sonde: geolite: was never fetched\n"


def test_a_damaged_one_does_not_keep_the_others_from_answering(sonde, published, update):
    published.dbip({OWN: LONDON})
    published.ipinfo_lite()
    assert update("dbip", "ipinfo_lite").status == 0
    (folder(sonde) / "dbip").write_bytes(b"nonsense")
    result = sonde("scan", "--provider", "local", "--fields", "database", LONDONS)
    assert result.records == [{"database": "ipinfo_lite"}] and "going on without it" in result.stderr
    assert "rows" not in shown(sonde, "dbip")
    # A new one takes its place, whatever it was.
    assert update("dbip").status == 0 and local(sonde)["database"] == "dbip"


BIG = {f"{n}.0.0.0/16": LONDON for n in range(11, 31)}


def bad(make):
    """What does not take the place of a database of 20 networks, with what is said of it."""
    whole = make("DBIP-City-Lite", BIG)
    packed = gzip.compress(whole)
    return {
        "empty": (b"", "is empty"),
        "nothing": (gzip.compress(b""), "is no such database: the file is empty"),
        "HTML": (b" <!DOCTYPE html><p>Log in", "is HTML"),
        "text": (b"network,country\n1.1.1.0/24,AU\n", "is no such database"),
        "half": (packed[: len(packed) // 2], "is no such database: the compressed data is cut short"),
        "flipped": (packed[:60] + bytes(3) + packed[63:], "is no such database: damaged gzip data"),
        "cut": (gzip.compress(whole[: len(whole) // 2]), "is no such database"),
        "hollow": (gzip.compress(whole[:400] + bytes(400) + whole[800:]), "is no such database|has [0-9]+ networks"),
        "archive": (archive({"x/readme.txt": b"nothing"}), "is no such database: no whole .mmdb file is in the archive"),
        "short archive": (gzip.compress(gzip.decompress(archive({"x/x.mmdb": whole}))[: 2048 + 512 + 512]), "is no such database: no whole .mmdb file is in the archive"),
        "another type": (gzip.compress(make("DBIP-Country-Lite", BIG)), "is of the type 'DBIP-Country-Lite', and the former one 'DBIP-City-Lite'"),
        "older": (gzip.compress(make("DBIP-City-Lite", BIG, BUILT - DAY)), "was built on .*, before the former one"),
        "smaller": (gzip.compress(make("DBIP-City-Lite", {"11.0.0.0/16": LONDON}, BUILT + DAY)), "has 1 networks, and the former one 20"),
    }


@pytest.mark.parametrize("kind", [*bad(lambda *_: bytes(4096)), "libloc", "error"])
def test_a_bad_one_does_not_take_the_place_of_a_good_one(sonde, published, update, kind, loc_database):
    published.dbip(BIG)
    assert update("dbip").status == 0
    path = folder(sonde) / "dbip"
    before, row = path.read_bytes(), shown(sonde, "dbip")
    if kind == "libloc":
        content, words = open(loc_database, "rb").read(), "is no MMDB"
    elif kind == "error":
        content, words = gzip.compress(before), "answered HTTP 500"
    else:
        content, words = bad(published.make)[kind]
    published.put(DBIP, content, **({"status": 500, "etag": ""} if kind == "error" else {}))
    result = update("dbip", "--quiet")
    assert result.status == 1 and re.search(f"dbip: ({words})", result.stderr), result.stderr
    assert "stays" in result.stderr and len(result.stderr.splitlines()) == 1
    assert path.read_bytes() == before and shown(sonde, "dbip") == row
    assert sorted(file.name for file in folder(sonde).iterdir()) == ["dbip", "dbip.about"]
    assert local(sonde, address="11.0.0.1")["database"] == "dbip"


def test_the_first_one_is_of_the_type_that_its_name_promises(sonde, published, update):
    wrong = {"dbip": "DBIP-Country-Lite", "geolite": "GeoLite2-Country", "ipinfo_lite": "ipinfo bundle_location_core.mmdb"}
    published.dbip({OWN: LONDON}, kind=wrong["dbip"])
    published.geolite({OWN: LONDON}, kind=wrong["geolite"])
    published.put(IPINFO_LITE, published.make(wrong["ipinfo_lite"], LAYOUTS["ipinfo-lite"][1]))
    for name, kind in wrong.items():
        result = update(name)
        assert (result.status, result.stderr) == (1, f"sonde: {name}: is of another type, '{kind}'\n")
        assert not list(folder(sonde).glob(f"{name}*")), "nothing of it stays"
    assert local(sonde).get("database") not in wrong
    published.dbip({OWN: LONDON})
    published.geolite({OWN: LONDON})
    published.put(IPINFO_LITE, published.make("ipinfo bundle_location_lite.mmdb", LAYOUTS["ipinfo-lite"][1]))
    assert update(*wrong).status == 0


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
def test_archives_of_every_form(sonde, published, update, form):
    database = published.make("GeoLite2-City", {OWN: LONDON})
    names = {f"{'long/' * 19}é.txt" if form != tarfile.USTAR_FORMAT else "a.txt": b"x" * 513, "a.mmdb.txt": b"no", "b/x.mmdb": database}
    published.put(STORE, archive(names, form))
    assert update("geolite").status == 0
    assert (folder(sonde) / "geolite").read_bytes() == database


def test_it_may_come_packed_or_not(sonde, published, update):
    whole = published.make("ipinfo generic_lite_free.mmdb", LAYOUTS["ipinfo-lite"][1])
    for content in (whole, gzip.compress(whole), archive({"x.mmdb": whole}), gzip.compress(whole[:99]) + gzip.compress(whole[99:])):
        published.put(IPINFO_LITE, content)
        assert update("ipinfo_lite").status == 0
        assert (folder(sonde) / "ipinfo_lite").read_bytes() == whole


def test_nothing_of_a_replaced_one_stays(sonde, published, update):
    """GeoLite's terms: also none of its compiled form."""
    published.geolite({OWN: LONDON})
    assert update("geolite").status == 0
    cache = {"XDG_CACHE_HOME": str(sonde.home / "cache")}
    networks = ["--provider", "local", "--database", str(folder(sonde) / "geolite"), "--by-network"]
    assert sonde("scan", *networks, "--format", "ndjson", OWN, env=cache).status == 0
    tables = lambda: {file.name for file in (sonde.home / "cache/sonde").glob("*.table")}
    former = tables()
    assert len(former) == 1
    published.geolite({OWN: KOELN}, built=BUILT + DAY)
    held = open(folder(sonde) / "geolite", "rb")
    assert update("geolite", env=cache).status == 0
    assert os.fstat(held.fileno()).st_nlink == 0
    assert not tables()


def test_two_at_once(sonde, simulator, published, update):
    published.dbip(BIG)
    simulator.control(reset=False, faults=[{"fault": "hold", "call": f"tables {DBIP}"}])
    env = {**simulator.env}
    first = sonde.start("tables", "update", "dbip", env=env)
    wait_for(lambda: simulator.requests(f"tables {DBIP}"))
    second = update("dbip")
    assert second.status == 1 and "dbip: another run is fetching it" in second.stderr
    simulator.control(reset=False, faults=[])
    assert first.finish().status == 0
    assert local(sonde, address="11.0.0.1")["database"] == "dbip"


def test_half_a_download_and_an_interrupted_one(sonde, simulator, published, update):
    published.dbip(BIG)
    assert update("dbip").status == 0
    before = (folder(sonde) / "dbip").read_bytes()
    published.dbip(BIG, built=BUILT + DAY)
    for fault in ("cut", "long_length", "reset"):
        simulator.control(reset=False, faults=[{"fault": fault, "call": f"tables {DBIP}"}])
        result = update("dbip")
        assert result.status == 1 and "connection lost" in result.stderr and (folder(sonde) / "dbip").read_bytes() == before
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, 137)):
        simulator.control(faults=[{"fault": "drip", "seconds": 20, "call": f"tables {DBIP}"}])
        running = sonde.start("tables", "update", "dbip", env=simulator.env)
        wait_for(lambda: simulator.requests(f"tables {DBIP}"))
        time.sleep(0.2)
        running.signal(number)
        assert running.finish().status == status
        assert (folder(sonde) / "dbip").read_bytes() == before
    simulator.control(reset=False, faults=[])
    assert update("dbip").status == 0
    assert sorted(file.name for file in folder(sonde).iterdir()) == ["dbip", "dbip.about"], "nor does what was left by it stay"


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace(1) is missing")
def test_killed_at_every_write(sonde, simulator, published, update):
    """The old one is whole, or the new one is, whichever call was the last."""
    published.dbip(BIG)
    assert update("dbip").status == 0
    path = folder(sonde) / "dbip"
    old = path.read_bytes()
    new = published.make("DBIP-City-Lite", {**BIG, "99.0.0.0/16": KOELN}, BUILT + DAY)
    published.put(DBIP, gzip.compress(new))
    saved = sonde.directory / "saved"
    shutil.copytree(folder(sonde), saved)
    seen = set()
    for call in ("write", "ftruncate", "fsync", "rename", "unlink"):
        for number in range(1, 60):
            shutil.rmtree(folder(sonde))
            shutil.copytree(saved, folder(sonde))
            trace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"]
            result = sonde("tables", "update", "dbip", env=simulator.env, prefix=trace)
            if "ptrace" in result.stderr:
                pytest.skip("strace(1) may not trace here")
            found = path.read_bytes()
            assert found in (old, new)
            seen.add((result.status == 0, found == new))
            assert shown(sonde, "dbip")["rows"] == (21 if found == new else 20)
            if result.status == 0:
                break
    assert {(False, False), (True, True)} <= seen
    assert update("dbip").status == 0 and path.read_bytes() == new


@pytest.mark.parametrize("what", ["download", "content"])
def test_a_full_disk(sonde, simulator, published, update, what):
    """No file may be longer: neither the download, nor what it unpacks to."""
    networks = {f"{n}.0.0.0/16": dict(LONDON, postal={"code": str(n)}) for n in range(11, 90)}
    published.dbip(networks)
    assert update("dbip").status == 0
    before = (folder(sonde) / "dbip").read_bytes()
    published.dbip(networks, built=BUILT + DAY)
    packed = len(published.lists[DBIP]["hex"]) // 2
    assert 2 * packed < len(before)
    limit = packed // 2 if what == "download" else packed + 1
    full = ["sh", "-c", f'trap "" XFSZ; exec prlimit --fsize={limit} "$@"', "sh"]
    result = sonde("tables", "update", "dbip", env=simulator.env, prefix=full)
    assert result.status == 5 and "File too large" in result.stderr, result.stderr
    assert (folder(sonde) / "dbip").read_bytes() == before
    assert not list(folder(sonde).glob("*.part"))


def test_pages_with_its_answers_give_credit(sonde, published, update):
    published.dbip({OWN: LONDON})
    assert update("dbip").status == 0
    sonde.file("access.log", f"{LONDONS} GET /\n")
    result = sonde("summary", "--provider", "local", "access.log", "--html", "page.html")
    assert result.status == 0, result.stderr
    page = sonde.read("page.html").decode()
    assert '<li><a href="https://db-ip.com">IP Geolocation by DB-IP</a>: CC BY 4.0</li>' in page
    # Nobody else's answers do.
    sonde.file("other.log", "193.0.6.139 GET /\n")
    assert sonde("summary", "--provider", "local", "other.log", "--html", "other.html").status == 0
    assert "DB-IP" not in sonde.read("other.html").decode()


def test_the_dashboard_gives_credit(sonde, simulator, published, update):
    credit = b'<footer class="credits"><a href="https://db-ip.com">IP Geolocation by DB-IP</a></footer>'
    dashboard = Dashboard(sonde, simulator)
    first = dashboard.ask("GET", "/")
    assert b"<footer" not in first.body
    # Its answers are given from then on, without a restart, and until it is removed.
    published.dbip({OWN: LONDON})
    assert update("dbip").status == 0
    known = {"If-None-Match": first.headers["ETag"]}
    for path in ("/", "/scans", "/no-such-page"):
        assert credit in dashboard.ask("GET", path, headers={"Accept": "text/html", **known}).body
    assert sonde("tables", "remove", "dbip").status == 0
    again = dashboard.ask("GET", "/", headers=known)
    assert again.status == 304, "the former page"


def test_a_download_takes_little_memory(sonde, simulator, published, update, tmp_path):
    """40 MB that cannot be packed: as much again in memory would show."""
    def peak(name):
        done = subprocess.run(
            ["/usr/bin/python3", "-c", "import resource,subprocess,sys; c=subprocess.run(sys.argv[1:]).returncode; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(c)",
             *sonde.command(("tables", "update", name))],
            env=sonde.environment({**simulator.env, **KEYS}), capture_output=True, cwd=sonde.work,
        )
        return done.returncode, int(done.stdout)

    small = published.make("ipinfo generic_lite_free.mmdb", LAYOUTS["ipinfo-lite"][1])
    published.put(IPINFO_LITE, small)
    status, before = peak("ipinfo_lite")
    assert status == 0
    large = tmp_path / "large.mmdb.gz"
    # Behind the database's own data lies what no record points to.
    marker = small.rindex(b"\xab\xcd\xefMaxMind.com")
    large.write_bytes(gzip.compress(small[:marker] + os.urandom(40 << 20) + small[marker:], 1))
    published.lists[IPINFO_LITE] = {"file": str(large)}
    simulator.control(lists=published.lists, reset=False)
    status, after = peak("ipinfo_lite")
    assert status == 0 and after - before < 16 << 10
