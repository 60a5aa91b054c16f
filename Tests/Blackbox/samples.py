"""What the samples of programs on Sonde's libraries have in common: the command, its page, and what is done to both."""

import re
import signal
import time
from urllib.parse import urlsplit

from command import PATIENCE, Sonde, built
from dashboard_page import DashboardPage
from namespaces import Network

# What the service that a sample asks may do wrong.
FAULTS = {
    "status 500": {"fault": "status", "status": 500},
    "HTML": {"fault": "login_200"},
    "redirect": {"fault": "login_302"},
    "cut": {"fault": "cut"},
    "reset": {"fault": "reset"},
    "closed": {"fault": "close"},
    "noise": {"fault": "garbage"},
    "nothing": {"fault": "empty"},
    "half": {"fault": "truncated"},
    "10 MB": {"fault": "huge", "bytes": 10 << 20},
}


class Sample(Sonde):
    """A sample in the place of `sonde`, whose files are kept from run to run."""

    # What it is called.
    program = ""

    def environment(self, changes=None):
        """The environment of a run."""
        return super().environment({"XDG_CACHE_HOME": str(self.home / "cache"), **(changes or {})})

    def command(self, arguments, prefix=()):
        """The whole command line."""
        return [*prefix, str(built(self.program)), *map(str, arguments)]

    def serve(self, env, prefix=()):
        """Starts serving; `address` is what it prints, the page's address or the link that opens it."""
        running = self.start(env=env, prefix=prefix)
        running.address = running.line().decode().rstrip("\n")
        return running


class SamplePage(DashboardPage):
    """A browser on a sample's page."""

    def status(self, text, within=PATIENCE):
        """Waits until the status begins with a text."""
        return self.until(lambda: [each.text for each in self.role("status", text)], within, text)[0]

    def alert(self, name):
        """The text of the alert of a name; `None` where there is none."""
        found = self.all("[role=alert]", name)
        return found[0].text if found else None

    def tells(self, text):
        """Waits for an alert about an error."""
        self.until(lambda: self.alert("Error") == text, what=text)

    def tells_loss(self, within):
        """Waits until it is told that the link is down."""
        self.until(lambda: self.alert("Network"), within)
        assert re.fullmatch(r"Network lost: link down \(near0\) since \d\d:\d\d:\d\d", self.alert("Network"))

    def loses(self, network):
        """Cuts the link, which is told."""
        network.lose()
        self.tells_loss(5)


def ends_by_a_signal(kind, folder, simulator):
    """Makes sure that a sample ends soon, also while a request is under way."""
    simulator.control(faults=[{"fault": "hang"}])
    for number in (signal.SIGTERM, signal.SIGINT):
        (folder / str(number)).mkdir()
        sample = kind(folder / str(number))
        running = sample.serve(simulator.env)
        start = time.monotonic()
        running.signal(number)
        assert running.finish(5).status == 0
        assert time.monotonic() - start < 2
        sample.close()


def asks_nobody_else(page, is_drawn):
    """Makes sure that a page that is loaded anew asks its own server alone, and complains of nothing."""
    page.requests()
    page.complaints()
    page.driver.refresh()
    is_drawn()
    assert {urlsplit(url).netloc for url in page.requests()} == {urlsplit(page.running.address).netloc}
    assert page.complaints() == []


def in_a_network(sample, scenario):
    """Plays a scenario where the network can be lost: with the sample and a network, all of it on the near side."""
    network = Network()
    try:
        network.near.inside(lambda: scenario(sample, network))
    finally:
        sample.close()
        network.close()
