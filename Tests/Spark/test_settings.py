"""`import sonde` where the environment, a configuration file or the process itself is not as usual."""

import os
import stat
import subprocess
import sys

import pytest
from conftest import rows

LINES = ["x 5.1.1.1", "x 5.2.2.2"]


@pytest.fixture(params=["environment", "file", "credential"])
def settle(request, monkeypatch, tmp_path):
    """Sets options by their long names, as a user would."""

    def settle(**options):
        if request.param == "environment":
            for name, value in options.items():
                monkeypatch.setenv(f"SONDE_{name.upper()}", value)
            return
        is_users = request.param == "file"
        place = tmp_path / "settings" / ("sonde/config" if is_users else "config")
        place.parent.mkdir(parents=True, exist_ok=True)
        monkeypatch.setenv("XDG_CONFIG_HOME" if is_users else "CREDENTIALS_DIRECTORY", str(tmp_path / "settings"))
        lines = [f"{name.replace('_', '-')}  =  {value} # as a user has it\n" for name, value in options.items()]
        place.write_text("".join(["\ufeff# Of mine.\n\n", *lines]))

    return settle


def test_what_is_set_elsewhere_is_as_if_it_were_given(sonde, local, settle, tmp_path):
    settle(log="yes", where="line > 1", rejects=str(tmp_path / "rejects"))
    found = sonde.scan([*LINES, "x 5.3.3.3"], fields="ip,line,offset", **local)
    assert found.read_all().to_pylist() == [
        {"ip": "5.2.2.2", "line": 2, "offset": 10},
        {"ip": "5.3.3.3", "line": 3, "offset": 20},
    ]
    assert rows(sonde.scan(LINES, log=False, where="line < 2", **local), "ip") == [("5.1.1.1",)]
    assert sonde.summary(LINES, **local) == sonde.summary(LINES, where="line > 1", **local)
    assert sonde.schema(**local).equals(sonde.schema(log=True, **local))


def test_a_file_that_is_set_elsewhere_has_one_role(sonde, local, settle, tmp_path):
    place = tmp_path / "out.parquet"
    settle(missing=str(place))
    with pytest.raises(sonde.UsageError, match="is also an output"):
        sonde.to_parquet(["5.1.1.1"], place, **local)
    with pytest.raises(sonde.UsageError, match="stdout is also an output"):
        sonde.scan(["5.1.1.1"], missing="-", **local)


def test_a_range_in_the_environment_leaves_the_columns_alone(sonde, local, monkeypatch, tmp_path):
    usual = sonde.schema(log=True, **local)
    (tmp_path / "log").write_text("\n".join(LINES))
    monkeypatch.setenv("SONDE_LOG", "1")
    monkeypatch.setenv("SONDE_RANGE", "0:4")
    assert sonde.schema(**local).equals(usual)
    assert rows(sonde.scan(tmp_path / "log", **local), "ip") == [("5.1.1.1",)]


@pytest.mark.parametrize(
    "options",
    [
        {"max_expand": "1"}, {"log": "1"}, {"pcap": "1"}, {"refang": "1"}, {"log": "1", "pick": "first"},
        {"where": "source = libloc or status = invalid"}, {"rejects": "rejects"}, {"duplicates": "first"},
    ],
    ids=str,
)  # fmt: skip
def test_lookup_is_of_what_it_was_given(sonde, local, settle, options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = ["zz", "5.1.1.0/31", "5[.]1.1.1", "5.1.1.1", "zz"]
    found = sonde.lookup(*asked, fields="ip,status", **local)
    assert [each["ip"] for each in found] == ["zz", "5.1.1.0", "5.1.1.1", "5[.]1.1.1", "5.1.1.1", "zz"]
    settle(**options)
    assert sonde.lookup(*asked, fields="ip,status", **local) == found


def test_no_value_is_changed_for_spreadsheets(sonde, local, settle):
    settle(spreadsheet="1")
    assert rows(sonde.scan(["=1+1"], **local), "ip") == [("=1+1",)]


def test_options_may_be_given_by_iterators(sonde, local, tmp_path):
    (tmp_path / "own.csv").write_text("network,team\n5.0.0.0/8,red\n")
    found = sonde.scan(["5.1.1.1"], with_=map(str, [f"own={tmp_path / 'own.csv'}"]), **local)
    assert found.read_all()["own_team"].to_pylist() == ["red"]
    with pytest.raises(sonde.UsageError, match="absent"):
        sonde.scan(["5.1.1.1"], **{**local, "database": map(str, ["/absent.mmdb"])})
    assert sonde.schema(**{**local, "cache": tmp_path / "cache.db"}).equals(sonde.schema(**local))


def test_columns_without_values_have_no_items(sonde, local):
    pd = pytest.importorskip("pandas")
    column = pd.Series([float("nan")] * 2)
    assert rows(sonde.scan(column, **local), "ip") == rows(sonde.scan(pd.DataFrame({"a": column}), **local), "ip") == []
    with pytest.raises(TypeError, match="float"):
        rows(sonde.scan(pd.Series([1.5]), **local), "ip")


WORK = """
import sys, sonde
with open(sys.argv[1], "w") as file:
    file.write(str(sonde.scan(["5.1.1.1"], provider="local", database=sys.argv[2]).read_all()["ip"].to_pylist()))
"""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_process_without_descriptors_of_its_own_has_all_records(sonde, local, closed, tmp_path):
    command = f'exec "$0" -c "$1" "$2" "$3" {closed}'
    place = tmp_path / "found"
    subprocess.run(["bash", "-c", command, sys.executable, WORK, place, local["database"]], check=True)
    assert place.read_text() == "['5.1.1.1']"


def test_a_parquet_file_takes_the_place_of_nothing_else(sonde, local, tmp_path):
    place, link = tmp_path / "p", tmp_path / "l"
    place.touch(0o600)
    link.symlink_to("p")
    sonde.to_parquet(["5.1.1.1"], link, **local)
    assert link.is_symlink() and place.stat().st_size and stat.S_IMODE(place.stat().st_mode) == 0o600
    os.mkfifo(tmp_path / "fifo")
    asked = []

    def items():
        asked.append(1)
        yield "5.1.1.1"

    for bad, error in [("fifo", FileExistsError), ("", IsADirectoryError), ("new/", IsADirectoryError)]:
        with pytest.raises(error):
            sonde.to_parquet(items(), f"{tmp_path}/{bad}", **local)
    with pytest.raises(FileNotFoundError, match="absent/x'$"):
        sonde.to_parquet(items(), tmp_path / "absent" / "x", **local)
    assert asked == [] and sorted(os.listdir(tmp_path)) == ["fifo", "l", "p"]
    sonde.to_parquet(["5.1.1.1"], tmp_path / ("é" * 120), **local)
