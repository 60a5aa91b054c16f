"""A real browser without a window, for the pages that Sonde writes: Debian's Chromium, by Selenium."""

import json
import os
import shutil

import pytest
from command import PATIENCE

DRIVER = "/usr/bin/chromedriver"
# Without all that makes windows, it needs a third of the processor time. The command in /usr/bin is a
# script, whose end its browser survives.
BROWSER = "/usr/lib/chromium/chromium-headless-shell"


def skip_without_browser():
    """Marks tests that need a browser; under CI they fail rather than skip."""
    reason = "needs chromium-headless-shell, chromium-driver and python3-selenium"
    is_missing = not (shutil.which(DRIVER) and shutil.which(BROWSER))
    return pytest.mark.skipif(not os.environ.get("CI") and is_missing, reason=reason)


# The rows of the table with a caption: the texts of their cells.
ROWS = """
  const table = [...document.querySelectorAll("table")].find((each) => each.caption.textContent === arguments[0]);
  return table && [...table.tBodies].flatMap((body) => [...body.rows])
    .map((row) => [...row.cells].map((cell) => cell.textContent));
"""

MARKS = """
  return [...document.querySelectorAll("svg.map .mark")].map((mark) => mark.getAttribute("aria-label"));
"""


# Takes away what tests set in a browser, and what pages keep in it.
NOTHING_LEFT = [
    ("Emulation.clearDeviceMetricsOverride", {}),
    ("Emulation.setEmulatedMedia", {"media": "", "features": []}),
    ("Emulation.setScriptExecutionDisabled", {"value": False}),
    ("Network.enable", {}),
    ("Network.setBlockedURLs", {"urls": []}),
    ("Network.setCacheDisabled", {"cacheDisabled": False}),
    ("Network.clearBrowserCache", {}),
    ("Network.clearBrowserCookies", {}),
    ("Browser.resetPermissions", {}),
    ("Browser.setDownloadBehavior", {"behavior": "default"}),
]


def started():
    """A browser that has been started, by its driver."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    # The sandbox does not work for root; shared memory is small in containers. Nor is there a process for drawing.
    for argument in ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--in-process-gpu"):
        options.add_argument(argument)
    options.add_argument("--window-size=1280,900")
    # Elements then tell scripts the names that a screen reader is told.
    options.add_argument("--enable-blink-features=ComputedAccessibilityInfo")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service(DRIVER), options=options)
    driver.set_script_timeout(PATIENCE)
    return driver


class Browser:
    """A browser with one page in it."""

    # The drivers of those that were given back.
    idle = []

    def __init__(self, is_own=False):
        # Not shared: in another network, for example.
        self.is_own = is_own
        self.driver = started() if is_own or not Browser.idle else Browser.idle.pop()

    def open(self, path):
        """Opens a file and waits until all of the page is drawn."""
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(path.as_uri())
        self.settle()

    def settle(self):
        """Waits until the page has nothing more to do."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestIdleCallback(() => done(), { timeout: 1000 }));"
        )

    def rows(self, caption):
        """The cells' texts of the rows of a table; `None` where there is no such table."""
        return self.driver.execute_script(ROWS, caption)

    def captions(self):
        """The captions of all tables."""
        return self.driver.execute_script(
            "return [...document.querySelectorAll('caption')].map((each) => each.textContent)"
        )

    def marks(self):
        """The accessible names of the marks on the map."""
        return self.driver.execute_script(MARKS)

    def named(self, role):
        """The names of all elements of a role, as the browser tells them to a screen reader."""
        nodes = self.command("Accessibility.getFullAXTree")["nodes"]
        return [
            node.get("name", {}).get("value", "")
            for node in nodes
            if not node["ignored"] and node.get("role", {}).get("value") == role
        ]

    def header(self, caption, column):
        """The button in the header of a column, in the middle of the window, where nothing lies above it."""
        path = f'//table[caption="{caption}"]//th/button[.="{column}"]'
        button = self.driver.find_element("xpath", path)
        self.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", button)
        return button

    def order(self, caption, column):
        """How a table is sorted by a column, as a screen reader is told."""
        return self.header(caption, column).find_element("xpath", "..").get_attribute("aria-sort")

    def press(self, element, key):
        """Gives an element the focus and presses a key, as one who has no mouse does."""
        self.driver.execute_script("arguments[0].focus()", element)
        self.type(key)
        self.settle()

    def type(self, keys):
        """Types into what has the focus."""
        self.driver.switch_to.active_element.send_keys(keys)

    def command(self, name, **arguments):
        """Gives a command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, arguments)

    def layouts(self):
        """How often the page has been laid out."""
        self.command("Performance.enable")
        metrics = self.command("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "LayoutCount")

    def complaints(self):
        """What the console says, refusals by the Content-Security-Policy included."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """What was asked for, but for the page itself and what stands in it."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        urls = [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in urls if not url.startswith(("file:", "data:"))]

    def close(self):
        """Ends the browser, or gives it back with nothing left of what was done in it."""
        if self.is_own:
            self.driver.quit()
            return
        first, *others = self.driver.window_handles
        for other in others:
            self.driver.switch_to.window(other)
            self.driver.close()
        self.driver.switch_to.window(first)
        self.driver.get("about:blank")
        for name, arguments in NOTHING_LEFT:
            self.command(name, **arguments)
        self.complaints()
        self.requests()
        Browser.idle.append(self.driver)

    @classmethod
    def end_all(cls):
        """Ends those that were given back."""
        while cls.idle:
            cls.idle.pop().quit()
