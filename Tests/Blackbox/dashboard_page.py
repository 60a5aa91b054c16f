"""The dashboard in a real browser: what a person with any of its controls does, found by their accessible names."""

import contextlib
import functools
import time
from pathlib import Path

from browser import Browser
from command import PATIENCE

# How soon is looked again for what is waited for: at first, and at most, for each look is work for the browser.
STEP = 0.02
LONGEST_STEP = 0.15

AXE = """
  const [rules, done] = arguments;
  axe.run(document, { runOnly: rules, resultTypes: ["violations"] }).then(({ violations }) =>
    done(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`)));
"""

# Chooses a file as a person does.
CHOOSE = """
  const data = new DataTransfer();
  data.items.add(new File([arguments[1]], arguments[0]));
  const file = document.querySelector("input[type=file]");
  file.files = data.files;
  file.dispatchEvent(new Event("change"));
"""

# Keeps the next answer to a path of the API back until `letGo` is called.
HOLD = """
  const [path] = arguments;
  const real = window.fetch;
  window.letGo = null;
  window.fetch = async (url, options) => {
    const isMeant = new URL(url, document.baseURI).pathname === `/api/v1/${path}`;
    if (isMeant) window.fetch = real;
    const answer = await real(url, options);
    if (isMeant) await new Promise((go) => { window.letGo = go; });
    return answer;
  };
"""

# The elements that are seen, match a selector and, where these are given, have a name and the beginning of a text.
SEEN = """
  const [selector, name, text, within] = arguments;
  const hasSize = ({ width, height }) => width > 0 && height > 0;
  const isSeen = (each) =>
    each.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    [each, ...each.children].some((one) => hasSize(one.getBoundingClientRect()));
  // The browser works out a name in as much time as it needs for the whole page: it is asked only where it may be right.
  const bare = (text) => (text ?? "").replace(/\\s/g, "").toLowerCase();
  const mayBeNamed = (each) =>
    each.labels?.length || each.hasAttribute("aria-labelledby") ||
    [each.textContent, each.ariaLabel, each.title, each.placeholder].some((one) => bare(one).includes(bare(name)));
  // Behind the name of a button for files stands which was chosen.
  const nameOf = (each) => (each.type === "file" ? each.computedName.split(": ")[0] : each.computedName);
  return [...(within ?? document).querySelectorAll(selector)].filter((each) =>
    isSeen(each) && (name === null || (mayBeNamed(each) && nameOf(each) === name)) && (text === null || each.innerText.trim().startsWith(text)));
"""

# The terms and the values in an element; `null` where there are none.
VALUES = """
  const pairs = [...arguments[0].querySelectorAll("dl > div")].map((each) => each.innerText.split(/\\n+(.*)/s).slice(0, 2));
  return pairs.length ? Object.fromEntries(pairs) : null;
"""

# Has `isTold` say whether an event of a name was told, with a text in its JSON.
LISTEN = """
  const [name, text, done] = arguments;
  window.isTold = false;
  import(new URL("live.js", document.querySelector("script[type=module]").src)).then(({ live }) => {
    live.addEventListener(name, ({ detail }) => { window.isTold ||= JSON.stringify(detail).includes(text); });
    done();
  });
"""


# What axe is to judge: WCAG 2.2 AA and its own best practice; and of that the rules that judge colours.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"]


@functools.cache
def axe():
    """The script of axe-core, from PyPI's axe-playwright-python."""
    [script] = Path(__file__).parents[2].glob(".build/page-tools/lib/python3*/site-packages/axe_playwright_python/axe.min.js")
    return script.read_text()


class DashboardPage(Browser):
    """A browser on the dashboard of a server, which is put into `server`."""

    server = None

    def go(self, path=""):
        """Opens a view."""
        self.driver.get(self.server.base + path)

    def enter(self):
        """Opens the page with a new one-time link, and waits until it is drawn."""
        # From elsewhere: within the page the link would be followed without loading it.
        self.driver.get("about:blank")
        self.driver.get(self.server.new_link())
        self.find("h1")

    @contextlib.contextmanager
    def visiting(self, server):
        """Is on the page of a server meanwhile; whatever is done there, the browser has nothing to complain of."""
        self.server = server
        self.screen(1280, 900)
        self.scheme("light")
        self.enter()
        self.find("input", "IP address")
        yield self
        complaints = [each for each in self.complaints() if "Failed to load resource" not in each]
        assert complaints == [], complaints
        self.driver.get("about:blank")

    # Waiting

    def until(self, ask, within=PATIENCE, what=""):
        """Waits until something is so, and gives what it is; `what` is said, or asked, where it does not come to be."""
        from selenium.common.exceptions import ElementNotInteractableException, StaleElementReferenceException

        def now():
            # What is drawn anew, or hidden for a moment, is looked for again.
            with contextlib.suppress(ElementNotInteractableException, StaleElementReferenceException):
                return ask()

        end = time.monotonic() + within
        step = STEP
        while not (found := now()):
            assert time.monotonic() < end, f"not within {within} s: {what() if callable(what) else what}"
            time.sleep(step)
            step = min(1.5 * step, LONGEST_STEP)
        return found

    def script(self, text, *arguments):
        """What a script of the page gives."""
        return self.driver.execute_script(text, *arguments)

    # Finding

    def all(self, selector, name=None, within=None, text=None):
        """The elements that are seen, match a selector and, perhaps, have an accessible name and the beginning of a text."""
        from selenium.common.exceptions import StaleElementReferenceException

        try:
            return self.script(SEEN, selector, name, text, within)
        except StaleElementReferenceException:
            # The page has drawn anew what it was looked for in.
            return []

    def find(self, selector, name=None, within=None):
        """The one such element, once it is there."""
        return self.until(lambda: self.all(selector, name, within), what=f"{selector} named {name}")[0]

    def button(self, name, within=None):
        """A button by its name."""
        return self.find("button", name, within)

    def press_button(self, name, within=None):
        """Presses a button."""
        self.click("button", name, within)

    def click(self, selector, name=None, within=None):
        """Clicks the one such element, once it is there and takes a click."""

        def clicked():
            found = self.all(selector, name, within)
            if found:
                found[0].click()
            return found

        self.until(clicked, what=f"{selector} named {name}")

    def view(self, name):
        """Follows the link of a view, and waits for it."""
        self.click("nav a", name)
        self.find("h1", name)

    def role(self, role, text=None):
        """The elements of a role that are seen, with this beginning of their text."""
        return self.all(f'[role="{role}"]', text=text)

    def said(self, role, text):
        """Waits for an element of a role and text."""
        return self.until(lambda: self.role(role, text), what=f"{role} {text}")[0]

    @contextlib.contextmanager
    def overtaken(self, path, event, text):
        """Keeps the next answer to a path back until an event has been told that has come about here.

        Gives what waits until the answer is there.
        """
        self.driver.execute_async_script(LISTEN, event, text)
        self.script(HOLD, path)
        yield lambda: self.until(lambda: self.script("return Boolean(window.letGo)"), what="no answer")
        self.until(lambda: self.script("return window.isTold"), what=f"no event {event} of {text}")
        self.script("window.letGo()")

    # Scans

    def new_scan(self, name, text):
        """Chooses a file of a name for a new scan, waits for its plan, and gives the dialog."""
        self.view("Scans")
        self.press_button("New scan")
        dialog = self.find("dialog", "New scan")
        self.script(CHOOSE, name, text)
        self.until(lambda: [each for each in self.all("[role=status]", "Plan") if "Entries" in each.text])
        return dialog

    def scan(self, name, text):
        """Starts a scan of a file, and waits for its page; gives its id."""
        self.press_button("Start", self.new_scan(name, text))
        self.find("h1", name)
        return self.driver.current_url.rpartition("/")[2]

    def state(self, *states, within=PATIENCE):
        """Waits until the scan that is shown is in one of these states."""
        shown = lambda: f"{states}, but {[each.text for each in self.role('status')]}"  # noqa: E731
        self.until(lambda: any(self.role("status", state) for state in states), within, shown)

    # The field

    @property
    def field(self):
        """The field for an address."""
        return self.find("input", "IP address")

    def write(self, text):
        """Empties the field and types."""
        self.script("arguments[0].value = ''; arguments[0].dispatchEvent(new Event('input'))", self.field)
        self.field.send_keys(text)

    def look_up(self, address):
        """Looks an address up, and waits for its item."""
        # An item may come, by an event, before the answer of which the button waits to hear.
        self.until(lambda: not self.button("Get Info").get_attribute("aria-busy"))
        self.write(address)
        self.press_button("Get Info")
        return self.item(address)

    def item(self, address):
        """The item of an address."""
        return self.find("li", address)

    def items(self):
        """The addresses in the list, from its top."""
        return self.script("return [...document.querySelectorAll('[aria-label=Results] > li')].map((each) => each.getAttribute('aria-label'))")

    def values(self, item):
        """What an item says of its address."""
        address = item.get_attribute("aria-label")
        # It is drawn anew whenever there is a new answer.
        return self.until(lambda: self.script(VALUES, self.item(address)))

    def expand(self, address):
        """Opens the item of an address, and gives it."""
        item = self.item(address)
        item.find_element("css selector", "button[aria-expanded]").click()
        return item

    def focused(self):
        """What has the focus."""
        return self.driver.switch_to.active_element

    def screen(self, width, height, is_phone=False):
        """Shows the page on a screen of a size."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone)

    def scheme(self, name):
        """Prefers light or dark, with less motion."""
        features = [{"name": "prefers-color-scheme", "value": name}, {"name": "prefers-reduced-motion", "value": "reduce"}]
        self.command("Emulation.setEmulatedMedia", features=features)

    def press_key(self, key):
        """Presses a key, whatever has the focus."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(key).perform()

    def violations(self, rules=RULES):
        """What axe finds wrong with the page as it is now."""
        if not self.script("return 'axe' in window"):
            self.command("Runtime.evaluate", expression=axe())
        return self.driver.execute_async_script(AXE, rules)

    def violations_in_light_and_dark(self):
        """The same in light, and in dark by the rules alone that judge colours."""
        found = []
        for scheme, rules in (("dark", RULES_OF_COLOURS), ("light", RULES)):
            self.scheme(scheme)
            found += [f"{scheme}: {each}" for each in self.violations(rules)]
        return found

    def width(self):
        """How wide the page is, and how wide the screen."""
        return self.script("return [document.documentElement.scrollWidth, innerWidth]")
