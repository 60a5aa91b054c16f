"""Measures the dashboard in a browser while it scans a million addresses by the local database, and after.

    SONDE_BINARY=.build/release/sonde /usr/bin/python3 Tests/Benchmarks/dashboard.py [ADDRESSES]

Prints rows of Markdown. Needs chromium-headless-shell, chromium-driver and python3-selenium.
"""

import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "Blackbox"), str(TESTS / "Simulator")]

from command import Sonde  # noqa: E402
from dashboard_page import DashboardPage  # noqa: E402
from serving import Dashboard  # noqa: E402

# Between a key and the first listener that could act on it: what Event Timing calls the input delay.
LISTEN = """
  window.delays = [];
  addEventListener("keydown", (event) => window.delays.push(performance.now() - event.timeStamp), { capture: true });
"""

IS_DONE = "return [...document.querySelectorAll('[role=status]')].some((each) => each.textContent === 'done')"

# Presses a button and gives the milliseconds until other rows have been drawn.
PRESS = """
  const [button, done] = arguments;
  const rows = () => [...document.querySelectorAll("tbody")].map((each) => each.textContent).join();
  const before = rows();
  const start = performance.now();
  button.click();
  const look = () => {
    if (rows() === before) return requestAnimationFrame(look);
    requestAnimationFrame(() => done(performance.now() - start));
  };
  requestAnimationFrame(look);
"""


def addresses(count):
    """Distinct addresses in random order, a line each."""
    chance = random.Random(12)
    numbers = chance.sample(range(16 << 24, 100 << 24), count)
    return "".join(f"{n >> 24}.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}\n" for n in numbers)


def heap(page):
    """The bytes that the page's JavaScript holds, after a collection."""
    page.command("HeapProfiler.enable")
    page.command("HeapProfiler.collectGarbage")
    return page.command("Runtime.getHeapUsage")["usedSize"]


def key(page):
    """Presses a key that does nothing."""
    for kind in ("keyDown", "keyUp"):
        page.command("Input.dispatchKeyEvent", type=kind, key="Shift", code="ShiftLeft", windowsVirtualKeyCode=16)


def watch(page):
    """Presses keys while the scan runs; gives how long they waited, and how long the scan took."""
    start = time.monotonic()
    page.script(LISTEN)
    while not page.script(IS_DONE):
        key(page)
        assert time.monotonic() - start < 300, "the scan does not end"
        time.sleep(0.02)
    return page.script("return window.delays"), time.monotonic() - start


def pressed(page, name):
    """The time that a button of the records takes."""
    button = page.button(name, page.find("table", "Records") if name == "City" else None)
    return page.driver.execute_async_script(PRESS, button)


def row(what, times, unit="ms"):
    """A row of the table."""
    print(f"| {what} | {len(times)} | {statistics.median(times):.0f} {unit} | {max(times):.0f} {unit} |", flush=True)


def measure(page, file):
    """Scans a file before the page's eyes and prints what is measured."""
    page.view("Scans")
    page.press_button("New scan")
    dialog = page.find("dialog", "New scan")
    page.driver.find_element("css selector", "input[type=file]").send_keys(str(file))
    page.until(lambda: [each for each in page.all("[role=status]", "Plan") if "Entries" in each.text], within=120)
    page.press_button("Start", dialog)
    page.find("h1", file.name)
    delays, duration = watch(page)
    print(f"| the scan, watched | 1 | {duration:.1f} s | |")
    row("input delay while it runs", delays)
    time.sleep(2)
    row("JavaScript heap, after a collection", [heap(page) / 1e6], "MB")
    row("the first sort of a column", [pressed(page, "City")])
    row("the next page", [pressed(page, "Next page") for _ in range(20)])
    row("the other order", [pressed(page, "City")])
    row("JavaScript heap, at the end", [heap(page) / 1e6], "MB")


def main():
    """Makes the file, starts the server and the browser."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as name:
        sonde = Sonde(Path(name))
        file = Path(name) / "addresses.txt"
        file.write_text(addresses(count))
        server = Dashboard(sonde, None, "--provider", "local")
        page = DashboardPage()
        print("| the dashboard, a million addresses | runs | median | most |\n| --- | --: | --: | --: |")
        try:
            with page.visiting(server):
                measure(page, file)
        finally:
            page.close()
            sonde.close()


if __name__ == "__main__":
    main()
