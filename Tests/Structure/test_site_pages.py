"""The site's pages: a title of their own, and their words in the HTML."""

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".packaging"))
import site_pages

HTML = '<html><head><title>Documentation</title><script>var baseUrl = "/a/b/"</script></head><body><noscript>No.</noscript></body></html>'
TOP = "doc://sonde/documentation/sonde"


def write(site, path, title, content=(), above=(), **more):
    """Writes a page as DocC does."""
    node = {"metadata": {"title": title, **more.pop("metadata", {})}, "hierarchy": {"paths": [list(above)]},
            "primaryContentSections": [{"kind": "content", "content": list(content)}, *more.pop("sections", [])],
            "references": {TOP: {"title": "Sonde", "url": "/documentation/sonde"}}, **more}
    data = (site / "data" / path).with_suffix(".json")
    data.parent.mkdir(parents=True, exist_ok=True)
    data.write_text(json.dumps(node))
    page = site / path / "index.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(HTML)
    return page


def text(words):
    return {"type": "text", "text": words}


def paragraph(*parts):
    return {"type": "paragraph", "inlineContent": list(parts)}


@pytest.fixture
def site(tmp_path):
    (tmp_path / "index.html").write_text(HTML)
    write(tmp_path, "documentation", "Sonde and its libraries")
    return tmp_path


def title(page):
    return re.search("<title>(.*)</title>", page.read_text())[1]


def test_words_are_in_the_page_as_text(site):
    content = [
        {"type": "heading", "level": 2, "anchor": "what", "text": "What <is>"},
        paragraph(text("a & b "), {"type": "codeVoice", "code": "<i>"}, {"type": "reference", "identifier": TOP}),
        {"type": "codeListing", "code": ["one", "two"]},
        {"type": "unorderedList", "items": [{"content": [paragraph({"type": "strong", "inlineContent": [text("x")]})]}]},
        {"type": "table", "rows": [[[paragraph(text("head"))]], [[paragraph({"type": "emphasis", "inlineContent": [text("cell")]})]]]},
        {"type": "aside", "content": [paragraph(text("mind"))]},
    ]
    page = write(site, "documentation/sonde", "Sonde", content, seeAlsoSections=[{"title": "More", "identifiers": [TOP, "doc://gone"]}])
    site_pages.main(site)
    words = re.search("<noscript>(.*)</noscript>", page.read_text(), re.S)[1]
    for part in [
        "<h1>Sonde</h1>", '<h2 id="what">What &lt;is&gt;</h2>', "<pre><code>one\ntwo</code></pre>", "<li><p><strong>x</strong></p>",
        '<p>a &amp; b <code>&lt;i&gt;</code><a href="/a/b/documentation/sonde">Sonde</a></p>', "<th><p>head</p>", "<td><p><em>cell</em></p>",
        "<blockquote><p>mind</p>", '<h2>More</h2>\n<ul><li><a href="/a/b/documentation/sonde">Sonde</a></li><li>doc://gone</li></ul>',
    ]:
        assert part in words
    assert title(page) == "Sonde"
    assert "<h1>Sonde and its libraries</h1>" in (site / "index.html").read_text()


def declared(code):
    return {"kind": "declarations", "declarations": [{"tokens": [{"text": word} for word in code]}]}


def test_each_page_has_a_title_of_its_own(site):
    one = write(site, "documentation/sonde/a", "Inputs", above=[TOP])
    overloads = [write(site, f"documentation/sonde/f-{n}", "f(_:)", above=[TOP], sections=[declared(["func f(", kind, ")"])])
                 for n, kind in enumerate(["Int", "Text<A>"])]
    wanted = write(site, "documentation/sonde/g", "g()", above=[TOP], sections=[declared(["func g()"])], metadata={"required": True})
    given = write(site, "documentation/sonde/g-1", "g()", above=[TOP], sections=[declared(["func g()"])])
    site_pages.main(site)
    assert title(one) == "Inputs · Sonde"
    assert [title(each) for each in overloads] == ["func f(Int) · Sonde", "func f(Text&lt;A&gt;) · Sonde"]
    assert [title(wanted), title(given)] == ["required func g() · Sonde", "func g() · Sonde"]


def test_what_is_not_known_is_an_error(site):
    write(site, "documentation/sonde", "Sonde", [{"type": "video"}])
    with pytest.raises(ValueError, match="DocC's video"):
        site_pages.main(site)


def test_two_pages_of_one_title_are_an_error(site):
    for name in ["a", "b"]:
        write(site, f"documentation/sonde/{name}", "Inputs", above=[TOP])
    with pytest.raises(ValueError, match="several pages"):
        site_pages.main(site)
