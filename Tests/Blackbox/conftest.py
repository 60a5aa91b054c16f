"""Fixtures of the black-box tests: a simulator, the command, and databases of known content."""

import contextlib
import signal
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Simulator")]

import databases  # noqa: E402
import libloc  # noqa: E402
from browser import Browser  # noqa: E402
from client import SimulatorProcess  # noqa: E402
from command import Sonde, binary  # noqa: E402
from dashboard_page import DashboardPage  # noqa: E402
from receivers import AnsweringReceiver  # noqa: E402
from redis_server import RedisServer  # noqa: E402
from serving import Dashboard, Team  # noqa: E402
from settings import Settings  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def ordinary_signals():
    """Signals that whoever runs the tests ignores would be ignored by every command, too."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            signal.signal(number, default)


@pytest.fixture(scope="session", autouse=True)
def no_stale_clocks():
    """Removes what faketime(1) left in shared memory when it was killed.

    It refuses to run where the number of its process is that of such a one.
    """
    for path in Path("/dev/shm").glob("*faketime_*"):
        with contextlib.suppress(OSError):
            if not uses_faketime(path.name.rpartition("_")[2]):
                path.unlink()


def uses_faketime(process):
    """Whether there is a process of a number that has faketime(1) or its library in memory."""
    try:
        return "faketime" in Path(f"/proc/{process}/maps").read_text()
    except FileNotFoundError:
        return False


@pytest.fixture(scope="session", autouse=True)
def no_browser_left():
    """Ends the browsers that tests have shared."""
    yield
    Browser.end_all()


@pytest.fixture(scope="session")
def simulator_process():
    """One simulator for all tests."""
    process = SimulatorProcess("--port", 0)
    yield process
    process.stop()


@pytest.fixture
def simulator(simulator_process):
    """The simulator with the published limits, no faults, and all counts at nothing."""
    simulator_process.control(**Settings().as_dict())
    return simulator_process


@pytest.fixture
def redis(tmp_path):
    """A Redis of the test's own."""
    server = RedisServer(tmp_path / "redis")
    yield server
    server.close()


@pytest.fixture
def sonde(tmp_path):
    """The command, in a fresh directory."""
    if binary() is None:
        pytest.fail("there is no command to test: build it, or set SONDE_BINARY")
    sonde = Sonde(tmp_path)
    yield sonde
    sonde.close()


@pytest.fixture
def dashboard(sonde, simulator, request):
    """A running `sonde serve` that asks the simulator, and a session; its options are the parameter, if any."""
    return Dashboard(sonde, simulator, *getattr(request, "param", ()))


@pytest.fixture(scope="session")
def registered(tmp_path_factory):
    """The state of a server whose admin has registered and logged in, and the session: to hash a password takes long."""
    sonde = Sonde(tmp_path_factory.mktemp("registered"))
    team = Team(sonde)
    assert team.stop()[0].status == 0
    return team.state, team.cookie.partition("=")[2]


@pytest.fixture
def team(sonde, simulator, registered, request):
    """A running `sonde serve --team`, and the session of its admin; its options are the parameter, if any."""
    return Team(sonde, simulator, *getattr(request, "param", ()), before=registered)


@pytest.fixture(scope="module")
def dashboard_browser():
    """A browser for the dashboards of a module's tests."""
    browser = DashboardPage()
    yield browser
    browser.close()


@pytest.fixture
def page(dashboard_browser, dashboard):
    """The page of a running `sonde serve`, entered by a link; whatever a test does, no script but its own is run."""
    with dashboard_browser.visiting(dashboard) as page:
        yield page


@pytest.fixture(scope="session")
def loc_database(tmp_path_factory):
    """A database in libloc's own format; its content is in libloc.py."""
    return libloc.write(tmp_path_factory.mktemp("libloc") / "location.db")


@pytest.fixture
def mmdb_database(tmp_path):
    """Writes an MMDB of one of the layouts in databases.py and returns its path."""
    return lambda layout, **options: databases.write(layout, tmp_path, **options)


@pytest.fixture
def receive():
    """Makes receivers of alerts, with the answers that they give."""
    receivers = []

    def make(*answers):
        receivers.append(AnsweringReceiver(*answers))
        return receivers[-1]

    yield make
    for receiver in receivers:
        receiver.close()
