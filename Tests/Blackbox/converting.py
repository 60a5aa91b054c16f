"""Runs the sample `converter`: on the terminal, and its page in a real browser."""

from command import PATIENCE
from samples import Sample, SamplePage


class Converter(Sample):
    """The command `converter`."""

    program = "converter"

    @property
    def kept(self):
        """Where the rates are kept."""
        return self.home / "cache" / "sonde" / "converter.json"


class ConverterPage(SamplePage):
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

    def shows(self, place, text, within=PATIENCE):
        """Waits until a field has a text."""
        self.until(lambda: self.amount(place).get_property("value") == text, within, f"{text} {place}")

    def choose(self, place, code):
        """Chooses a currency in the list at a side of the dialog, which is open."""
        box = self.find("[role=listbox]", place)
        self.find("[role=option]", code, box).click()

    def rates(self):
        """The rows of the list."""
        rows = self.find("ul", "Rates").find_elements("css selector", "li")
        return {row.accessible_name: row.text.replace("\n", " ") for row in rows}
