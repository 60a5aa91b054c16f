"""Runs the sample `gallery`, and its page in a real browser."""

import json
import urllib.error
import urllib.request

from command import PATIENCE
from dashboard_page import RULES
from samples import Sample, SamplePage

PASSWORD = "correct horse battery"

_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Gallery(Sample):
    """The command `gallery`."""

    program = "gallery"


class Visitor:
    """Somebody who asks the API, with a cookie once logged in."""

    def __init__(self, address, email=None):
        self.address = address
        self.cookie = None
        if email:
            assert self("POST", "api/v1/users", {"email": email, "password": PASSWORD})[0] in (201, 409)
            status, headers, _ = self("POST", "api/v1/session", {"email": email, "password": PASSWORD})
            assert status == 201
            self.cookie = headers["Set-Cookie"].partition(";")[0]

    def __call__(self, method, path, body=None):
        """Asks, and gives status, headers and body."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self.cookie:
            headers["Cookie"] = self.cookie
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with _opener.open(request, timeout=30) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def json(self, path):
        """What a path answers."""
        status, _, body = self("GET", path)
        assert status == 200, body
        return json.loads(body)

    def save(self, url, author="Ada"):
        """Adds a picture; gives the status and what is said."""
        status, _, body = self("POST", "api/v1/saved", {"author": author, "url": url})
        return status, json.loads(body)

    def is_picture(self, url):
        """Whether a URL is taken for a picture, in the words of the page."""
        status, said = self.save(url)
        assert status == 201 or (status, said["title"]) == (422, "Not a picture"), said
        return status == 201

    @property
    def saved(self):
        """The pictures that were added, the newest first."""
        return self.json("api/v1/saved")["items"]


class GalleryPage(SamplePage):
    """A browser on the gallery's page."""

    def visit(self, address):
        """Opens the page, as from elsewhere, without a session."""
        self.address = address
        self.driver.get("about:blank")
        self.driver.get(address)
        self.find("h1", "Log in")

    def violations(self, rules=RULES):
        """The same, but for what an item is to be: a picture and, as text, its author, which is its name."""
        return [each for each in super().violations(rules) if not each.startswith("image-redundant-alt:")]

    def fill(self, **values):
        """Types into the fields of a name that are seen."""
        for name, text in values.items():
            field = self.find("input", name.replace("_", " "))
            field.clear()
            field.send_keys(text)

    def register(self, email, password=PASSWORD):
        """Fills and sends the form, from either view."""
        if not self.all("h1", "Register"):
            self.find("a", "Register").click()
        self.find("h1", "Register")
        self.fill(Email=email, Password=password)
        self.press_button("Register")

    def log_in(self, email, password=PASSWORD):
        """Fills and sends the form."""
        self.fill(Email=email, Password=password)
        self.press_button("Log in")

    def enter_as(self, email):
        """Is somebody who has registered and logged in."""
        visitor = Visitor(self.address, email)
        name, _, value = visitor.cookie.partition("=")
        self.driver.add_cookie({"name": name, "value": value, "httpOnly": True, "sameSite": "Strict"})
        self.driver.get(self.address)
        self.find("h1", "Pictures")

    def pictures(self):
        """The names of the items, from the top."""
        return self.script(
            "return [...document.querySelectorAll('#list > li')].map((each) => each.getAttribute('aria-label'))"
        )

    def drawn(self):
        """How many pictures are seen as such."""
        return self.script("return [...document.images].filter((each) => each.complete && each.naturalWidth).length")

    def shows(self, count, within=PATIENCE):
        """Waits until so many pictures are drawn, and no more are listed."""
        self.until(lambda: len(self.pictures()) == self.drawn() == count, within, f"{count} pictures")

    def add(self, author, url):
        """Fills and sends the dialog, which is opened."""
        if not self.all("dialog"):
            # Whoever has gone far down in the list comes back to it; it would lie under the header.
            self.driver.execute_script("scrollTo({ top: 0, behavior: 'instant' })")
            self.press_button("Add image")
        dialog = self.find("dialog", "Add image")
        self.fill(Author_name=author, Image_URL=url)
        self.press_button("Save", dialog)
        return dialog
