"""Runs the sample `converter`: on the terminal, and its page in a real browser."""

from command import ROOT, Sonde
from dashboard_page import DashboardPage


class Converter(Sonde):
    """The command `converter` in the place of `sonde`, whose rates are kept from run to run."""

    def environment(self, changes=None):
        """The environment of a run."""
        return super().environment({"XDG_CACHE_HOME": str(self.home / "cache"), **(changes or {})})

    def command(self, arguments, prefix=()):
        """The whole command line."""
        return [*prefix, str(ROOT / ".build/debug/converter"), *map(str, arguments)]

    @property
    def kept(self):
        """Where the rates are kept."""
        return self.home / "cache" / "sonde" / "converter.json"

    def serve(self, env, prefix=()):
        """Starts serving; `link` is the link that it prints."""
        running = self.start(env=env, prefix=prefix)
        running.link = running.line(20).decode().rstrip("\n")
        return running


class ConverterPage(DashboardPage):
    """A browser on the converter's page."""

    def visit(self, link):
        """Opens a link, as from elsewhere."""
        self.driver.get("about:blank")
        self.driver.get(link)
        self.find("h1", "Currency converter")

    def amount(self, place):
        """One of the two fields."""
        return self.find("input", f"Amount {place}")

    def type_into(self, place, text):
        """Replaces what a field has by typing."""
        field = self.amount(place)
        field.send_keys("\ue009a\ue000" + (text or "\ue017"))

    def shows(self, place, text, within=5):
        """Waits until a field has a text."""
        self.until(lambda: self.amount(place).get_property("value") == text, within, f"{text} {place}")

    def choose(self, place, code):
        """Chooses a currency in the list at a side of the dialog, which is open."""
        box = self.find("[role=listbox]", place)
        self.find("[role=option]", code, box).click()

    def status(self, text, within=10):
        """Waits until the status begins with a text."""
        return self.until(lambda: [each.text for each in self.role("status", text)], within, text)[0]

    def rates(self):
        """The rows of the list."""
        rows = self.find("ul", "Rates").find_elements("css selector", "li")
        return {row.accessible_name: row.text.replace("\n", " ") for row in rows}

    def alert(self, name):
        """The text of the alert of a name; `None` where there is none."""
        found = self.all("[role=alert]", name)
        return found[0].text if found else None
