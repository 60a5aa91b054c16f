"""Databases compiled into tables: the same answers, made once, made anew when a database changes."""

import os
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.slow

# More addresses than are worth a table.
BLOCK = "5.6.0.0/16"
OPTIONS = ("--provider", "local", "--format", "csv", "--fields", "ip,country_code,asn,as_name,network")


@pytest.fixture
def scan(sonde, tmp_path):
    """Scans the block with a database, always with the same cache folder."""

    def run(database, *arguments, **changes):
        env = {"XDG_CACHE_HOME": str(tmp_path / "cache"), **changes}
        result = sonde("scan", BLOCK, "--database", database, *OPTIONS, *arguments, env=env)
        assert result.status == 0, result.stderr
        assert len(result.lines) == 65_537
        return result.stdout

    return run


def tables(tmp_path):
    return sorted((tmp_path / "cache" / "sonde").glob("*.table*"))


def test_a_large_scan_leaves_a_table_that_answers_the_same(scan, tmp_path, loc_database):
    first = scan(loc_database)
    assert b"5.6.7.9,FR,3215,\"Orange, S.A.\",5.6.7.0/24\n" in first
    assert b"5.6.8.9,DE,3320,Deutsche Telekom AG,5.0.0.0/8\n" in first
    (table,) = tables(tmp_path)
    assert table.stat().st_mode & 0o777 == 0o600
    made = table.stat()
    assert scan(loc_database) == first
    assert tables(tmp_path) == [table] and table.stat().st_mtime_ns == made.st_mtime_ns


def test_the_folders_above_the_table_are_made(scan, tmp_path, loc_database):
    scan(loc_database, XDG_CACHE_HOME=str(tmp_path / "a" / "b" / "cache"))
    (table,) = (tmp_path / "a" / "b" / "cache" / "sonde").glob("*.table")
    assert all(folder.stat().st_mode & 0o777 == 0o700 for folder in list(table.parents)[:4])


def test_a_few_addresses_make_no_table(sonde, tmp_path, loc_database):
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert sonde("lookup", "8.8.8.8", "--provider", "local", "--database", loc_database, env=env).status == 0
    assert tables(tmp_path) == []


def test_a_changed_database_is_compiled_anew(scan, tmp_path, loc_database, mmdb_database):
    database = tmp_path / "database"
    shutil.copy(loc_database, database)
    first = scan(database)
    (table,) = tables(tmp_path)
    shutil.copy(mmdb_database("city"), tmp_path / "newer")
    os.replace(tmp_path / "newer", database)
    second = scan(database)
    assert second != first and second == scan(database, XDG_CACHE_HOME=str(tmp_path / "other"))
    assert len(tables(tmp_path)) == 1 and tables(tmp_path) != [table]


def test_a_damaged_table_is_found_out_and_made_anew(scan, tmp_path, loc_database):
    first = scan(loc_database)
    (table,) = tables(tmp_path)
    whole = table.read_bytes()
    for place in (100, 8192 + 20, len(whole) // 2):
        table.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        assert scan(loc_database) == first
    table.write_bytes(whole[:5000])
    assert scan(loc_database) == first
    assert tables(tmp_path) == [table] and table.read_bytes() == whole


def test_several_scans_at_once_make_one_table(sonde, tmp_path, loc_database):
    env = sonde.environment({"XDG_CACHE_HOME": str(tmp_path / "cache")})
    command = sonde.command(["scan", BLOCK, "--database", loc_database, *OPTIONS])
    scans = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) for _ in range(3)]
    first, *others = [process.communicate(timeout=120)[0] for process in scans]
    assert all(process.returncode == 0 for process in scans)
    assert first.count(b"\n") == 65_537 and all(other == first for other in others)
    assert len(tables(tmp_path)) == 1


def test_a_killed_scan_keeps_no_other_from_making_the_table(sonde, scan, tmp_path, loc_database):
    folder = tmp_path / "cache" / "sonde"
    folder.mkdir(parents=True)
    # What a scan leaves that was killed while it made a table: no lock lasts longer than its holder.
    (folder / "tables.lock").touch()
    (folder / "0123456789abcdef.table-new").write_bytes(b"unfinished")
    scan(loc_database)
    assert [table.suffix for table in tables(tmp_path)] == [".table"]


def test_a_cache_folder_that_cannot_be_written_does_not_matter(scan, tmp_path, loc_database):
    expected = scan(loc_database)
    (tmp_path / "file").write_text("no folder")
    for place in (str(tmp_path / "file"), "relative", ""):
        assert scan(loc_database, XDG_CACHE_HOME=place) == expected


@pytest.fixture
def with_default_databases(sonde, tmp_path):
    """Runs the command where the machine's own databases are two files, of `location update` and the package."""
    updated, packaged = tmp_path / "updated", tmp_path / "packaged"
    script = "mount --bind {} /var/lib/location && mount --bind {} /usr/share/libloc-location".format(updated, packaged)
    prefix = ("unshare", "-m", "sh", "-c", f'{script} && exec "$@"', "sh")
    updated.mkdir()
    packaged.mkdir()
    if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
        pytest.skip("mounting needs root and libloc's own folders")

    def run(newer, older, *arguments, env=None):
        for content, path in (newer, updated / "database.db"), (older, packaged / "location.db"):
            path.unlink(missing_ok=True)
            if content is not None:
                path.write_bytes(content)
        return sonde("scan", "5.6.7.9", *arguments, env=env, prefix=prefix)

    return run


DAMAGED = b"LOCDBXX\0\1" + bytes(100)
GIVEN_UP = "sonde: /var/lib/location/database.db: not a sound database: "


def test_a_damaged_default_database_leaves_the_other_one_to_answer(with_default_databases, loc_database):
    sound = loc_database.read_bytes()
    for newer in DAMAGED, b"":
        result = with_default_databases(newer, sound, "--provider", "local")
        assert (result.status, result.records[0]["source"]) == (0, "libloc"), result.stderr
        assert "; going on without it\n" in result.stderr
    assert "going on" not in with_default_databases(sound, DAMAGED, "--provider", "local").stderr


def test_damaged_default_databases_leave_a_web_service_to_answer(with_default_databases, simulator):
    result = with_default_databases(DAMAGED, None, env=simulator.env)
    assert (result.status, result.records[0]["source"]) == (0, "ip-api"), result.stderr
    assert GIVEN_UP in result.stderr


def test_damaged_default_databases_alone_are_refused(with_default_databases):
    result = with_default_databases(DAMAGED, None, "--provider", "local")
    assert (result.status, result.stdout) == (2, b"")
    assert GIVEN_UP in result.stderr and "going on" not in result.stderr
