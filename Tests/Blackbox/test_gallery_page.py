"""The sample `gallery`'s page in a real browser, against picsum's stand-in."""

import signal

import pytest
from browser import skip_without_browser
from gallery_page import PASSWORD, Gallery, GalleryPage
from namespaces import PORT, PROVIDER
from namespaces import skip_unless_allowed as skip_without_namespaces
from samples import asks_nobody_else, in_a_network

pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser-samples")]


@pytest.fixture(scope="module")
def browser():
    """One browser for the tests without a loss of the network."""
    page = GalleryPage()
    yield page
    page.close()


@pytest.fixture
def gallery(tmp_path):
    """The command."""
    gallery = Gallery(tmp_path)
    yield gallery
    gallery.close()


@pytest.fixture
def page(browser, gallery, simulator):
    """A browser in which somebody has logged in, and sees the pictures."""
    browser.screen(1280, 900)
    browser.scheme("light")
    browser.running = gallery.serve(simulator.env)
    browser.visit(browser.running.address)
    browser.enter_as("ada@example.org")
    browser.shows(15)
    browser.origin = simulator.env["GALLERY_URL"]
    return browser


def test_people_register_and_log_in(browser, gallery, simulator):
    browser.visit(gallery.serve(simulator.env).address)
    browser.log_in("ada@example.org")
    browser.tells("Invalid credentials")
    for email, password, words in [
        ("ada", PASSWORD, "No valid email"),
        ("ada@example.org", "short", "Password needs 10 to 1024 bytes"),
    ]:
        browser.register(email, password)
        browser.tells(words)
    browser.register(" Ada@example.org")
    browser.said("status", "Registered. Please log in.")
    browser.find("h1", "Log in")
    browser.register("ada@example.org")
    browser.tells("User Already Exists")
    browser.find("a", "Back to log in").click()
    browser.find("h1", "Log in")
    browser.log_in("ada@example.org", PASSWORD + "x")
    browser.tells("Invalid credentials")
    browser.log_in("ada@example.org")
    browser.find("h1", "Pictures")
    browser.shows(15)
    browser.driver.refresh()
    browser.shows(15)
    browser.press_button("Log out")
    browser.find("h1", "Log in")
    assert browser.pictures() == []
    browser.driver.refresh()
    browser.find("h1", "Log in")


def test_pictures_have_their_authors_and_there_are_more(page):
    assert page.pictures()[0] == "Lukas Budimaier"
    first = page.find("ul", "Pictures").find_elements("css selector", "li")[0]
    assert first.accessible_name == "Lukas Budimaier" and "Lukas Budimaier" in first.text
    assert first.find_element("css selector", "img").get_attribute("alt") == "Lukas Budimaier"
    page.status("Data is loaded")
    page.press_button("More")
    page.shows(30)
    page.press_button("More")
    page.until(lambda: not page.all("button", "More"))
    page.shows(30)


def test_a_picture_opens_large(page):
    first = page.find("ul", "Pictures").find_element("css selector", "button")
    assert first.accessible_name == "Lukas Budimaier"
    page.press(first, "\ue007")
    dialog = page.find("dialog", "Lukas Budimaier")
    page.until(lambda: page.script("return document.getElementById('large').naturalWidth"))
    assert page.violations() == [] and "Lukas Budimaier" in dialog.text
    page.press_key("\ue00c")
    page.until(lambda: not dialog.is_displayed())
    assert page.focused() == first
    first.click()
    page.press_button("Close", dialog)
    page.until(lambda: not dialog.is_displayed())


def test_what_it_takes_is_said_beside_each_field(page):
    page.press_button("Add image")
    said = [page.script("""
      const field = document.querySelector(`#adding [name=${arguments[0]}]`);
      return document.getElementById(field.getAttribute("aria-describedby")).textContent;
    """, name) for name in ("author", "url")]
    assert said == ["Up to 200 characters", "https://… of a PNG, JPEG, WebP or GIF, at most 10 MB and 50 megapixels"]
    page.press_button("Cancel")


def test_a_picture_is_added_and_removed(page):
    page.press_button("Add image")
    dialog = page.find("dialog", "Add image")
    page.press_button("Cancel", dialog)
    page.until(lambda: not dialog.is_displayed())
    page.add("Ada <b>", f"{page.origin}/made/jpeg")
    page.until(lambda: not dialog.is_displayed())
    page.shows(16)
    assert page.pictures()[0] == "Ada <b>"
    page.driver.refresh()
    page.shows(16)
    page.press_button("Remove")
    page.shows(15)
    assert not page.all("button", "Remove")


def test_what_is_no_picture_is_told_in_the_dialog(page):
    urls = ["", "nonsense", "https://127.0.0.1/a.png", f"{page.origin}/made/svg", f"{page.origin}/made/html", f"{page.origin}/none"]
    for count, url in enumerate(urls, 16):
        dialog = page.add("Ada", url)
        page.tells("Not a picture")
        assert dialog.is_displayed(), url
        page.add("Ada", f"{page.origin}/made/png")
        page.until(lambda: not dialog.is_displayed(), what=url)  # noqa: B023
        page.shows(count)
        assert page.alert("Error") is None, url


def test_what_was_added_is_kept_for_its_account(page, gallery, simulator):
    page.add("Mine", f"{page.origin}/made/png")
    page.shows(16)
    page.press_button("Log out")
    page.enter_as("bob@example.org")
    page.shows(15)
    page.running.signal(signal.SIGTERM)
    page.tells("Gallery does not answer")
    assert page.running.finish(5).status == 0
    # What is kept is shown at once, whatever the list's server does.
    simulator.control(faults=[{"fault": "hang"}])
    page.visit(gallery.serve(simulator.env).address)
    page.log_in("ada@example.org")
    page.shows(16, within=5)
    assert page.pictures()[0] == "Mine"
    page.status("Data is being loaded")


def test_loading_and_its_failure_are_told_and_tried_again(browser, gallery, simulator):
    simulator.control(faults=[{"fault": "delay", "seconds": 3, "call": "picsum list", "next": 1},
                              {"fault": "status", "status": 500, "call": "picsum list", "next": 1}])
    browser.visit(gallery.serve(simulator.env).address)
    browser.enter_as("ada@example.org")
    browser.shows(15)
    browser.press_button("More")
    assert "status 500" in browser.status("Error loading data")
    browser.shows(15)
    browser.press_button("Try again")
    browser.shows(30)
    assert not browser.all("button", "Try again")


def test_the_page_asks_nobody_else(page):
    asks_nobody_else(page, lambda: page.shows(15))


@pytest.mark.parametrize("size", [(320, 640), (1280, 900)])
def test_the_page_is_accessible(page, size):
    page.screen(*size)
    try:
        assert page.violations_in_light_and_dark() == []
        page.add("Ada", "x")
        page.tells("Not a picture")
        assert page.violations_in_light_and_dark() == []
        assert page.width()[0] <= page.width()[1]
        page.press_button("Cancel")
        page.press_button("Log out")
        page.log_in("ada@example.org", "wrong password")
        page.tells("Invalid credentials")
        assert page.violations_in_light_and_dark() == []
        page.find("a", "Register").click()
        page.find("h1", "Register")
        assert page.violations_in_light_and_dark() == []
    finally:
        page.command("Emulation.clearDeviceMetricsOverride")


@skip_without_namespaces()
def test_a_loss_of_the_network_is_told_and_waited_for(gallery):
    in_a_network(gallery, lose_and_restore)


def lose_and_restore(gallery, network):
    """With a browser in the namespace: no network at the start, back, and lost while the page is open."""
    env = {"GALLERY_URL": f"http://{PROVIDER}:{PORT + 4}"}
    page = GalleryPage(is_own=True)
    try:
        network.lose()
        page.visit(gallery.serve(env, network.near.prefix).address)
        page.enter_as("ada@example.org")
        page.tells_loss(5)
        assert "Network lost" in page.status("Error loading data")
        network.restore()
        page.shows(15)
        assert page.alert("Network") is None
        page.loses(network)
        page.press_button("More")
        page.add("Ada", f"http://{PROVIDER}:{PORT + 4}/made/png")
        page.until(lambda: (page.alert("Error") or "").startswith("Network lost:"))
        page.press_button("Cancel")
        page.shows(15)
        network.restore()
        page.until(lambda: page.alert("Network") is None, 10)
        page.shows(30)
    finally:
        page.close()
