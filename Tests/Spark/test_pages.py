"""What the manual shows of Python: each block runs, in the order of its page, unless it is marked as not tried."""

import re
import subprocess
import sys

import pytest
import world

PAGES = ["Python", "Pipelines"]


def blocks(page):
    """The blocks of a page with their languages, but for those that are not tried."""
    text = (world.ROOT / f"Sources/sonde/sonde.docc/{page}.md").read_text()
    for found in re.finditer(r"^([^\n]*)\n\n```(\w+)\n(.*?)^```$", text, re.M | re.S):
        if "*not tried*" not in found[1]:
            yield found[2], found[3]


@pytest.mark.parametrize("page", PAGES)
def test_the_recipes_of_a_page_run(simulator, tmp_path, page):
    (tmp_path / "list.txt").write_text("8.8.8.8\n1.1.1.1\n10.0.0.1\n")
    (tmp_path / "access.log").write_text("8.8.8.8 - GET /\n1.1.1.1 - GET /\n")
    count = 0
    for language, text in blocks(page):
        # What installs is tried elsewhere.
        if language == "python" or (language == "sh" and "pip install" not in text):
            command = {"python": [sys.executable, "-c"], "sh": ["bash", "-ec"]}[language]
            done = subprocess.run([*command, text], cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (text, done.stderr)
            count += 1
    assert count >= 2
