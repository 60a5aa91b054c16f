"""Gives each page of a site that DocC has built its own title, and its words for readers without JavaScript.

    site_pages.py SITE

DocC writes the same HTML for every page, and its words into `data/` as render JSON (swift-docc, RenderNode.spec.json),
from which a script draws them. An unknown part of a page is an error, so that none is left out.
"""

import json
import re
import sys
from collections import Counter
from html import escape
from pathlib import Path


class Page:
    """A page, as DocC's render JSON has it."""

    def __init__(self, node, base):
        self.node, self.base = node, base
        self.references = node.get("references", {})

    def link(self, identifier, text=None):
        """A link to another page, or its text where it leads nowhere."""
        found = self.references.get(identifier, {})
        text = text or escape(found.get("title", identifier))
        url = found.get("url", "")
        target = self.base + url if url.startswith("/") else url
        return f'<a href="{escape(target)}">{text}</a>' if url else text

    def inline(self, parts):
        return "".join(self.part(part) for part in parts)

    def part(self, part):
        match part["type"]:
            case "text":
                return escape(part["text"])
            case "codeVoice":
                return f"<code>{escape(part['code'])}</code>"
            case "emphasis":
                return f"<em>{self.inline(part['inlineContent'])}</em>"
            case "strong":
                return f"<strong>{self.inline(part['inlineContent'])}</strong>"
            case "reference":
                return self.link(part["identifier"])
            case kind:
                raise ValueError(f"{self.title()}: DocC's {kind} is not known here")

    def blocks(self, blocks):
        return "".join(self.block(block) for block in blocks)

    def block(self, block):
        match block["type"]:
            case "paragraph":
                return f"<p>{self.inline(block['inlineContent'])}</p>\n"
            case "heading":
                # The page's title has level 1.
                level = min(6, max(2, block["level"]))
                return f'<h{level} id="{escape(block["anchor"])}">{escape(block["text"])}</h{level}>\n'
            case "codeListing":
                return f"<pre><code>{escape(chr(10).join(block['code']))}</code></pre>\n"
            case "aside":
                return f"<blockquote>{self.blocks(block['content'])}</blockquote>\n"
            case "unorderedList" | "orderedList" as kind:
                name = "ul" if kind == "unorderedList" else "ol"
                items = "".join(f"<li>{self.blocks(each['content'])}</li>" for each in block["items"])
                return f"<{name}>{items}</{name}>\n"
            case "table":
                rows = "".join(self.row(row, not number) for number, row in enumerate(block["rows"]))
                return f"<table>{rows}</table>\n"
            case kind:
                raise ValueError(f"{self.title()}: DocC's {kind} is not known here")

    def row(self, cells, is_header):
        name = "th" if is_header else "td"
        made = "".join(f"<{name}>{self.blocks(cell)}</{name}>" for cell in cells)
        return f"<tr>{made}</tr>\n"

    def section(self, section):
        match section["kind"]:
            case "content":
                return self.blocks(section["content"])
            case "declarations":
                code = ("".join(token["text"] for token in each["tokens"]) for each in section["declarations"])
                return "".join(f"<pre><code>{escape(each)}</code></pre>\n" for each in code)
            case "parameters":
                terms = (f"<dt>{escape(each['name'])}</dt><dd>{self.blocks(each['content'])}</dd>" for each in section["parameters"])
                return f"<dl>{''.join(terms)}</dl>\n"
            case "mentions":
                return self.links("Mentioned in", section["mentions"])
            case kind:
                raise ValueError(f"{self.title()}: DocC's {kind} is not known here")

    def links(self, title, identifiers):
        items = "".join(f"<li>{self.link(each)}</li>" for each in identifiers)
        return f"<h2>{escape(title)}</h2>\n<ul>{items}</ul>\n"

    def title(self, name=None):
        """A name, by default the page's, and the names of the pages above it."""
        above = next(iter(self.node.get("hierarchy", {}).get("paths", [])), [])
        names = [self.references[each]["title"] for each in above if each in self.references]
        return " · ".join([name or self.node["metadata"]["title"], *reversed(names)])

    def declaration(self):
        """The declaration of a symbol, which tells it from others of its name."""
        sections = self.node.get("primaryContentSections", [])
        declared = [each for section in sections for each in section.get("declarations", [])]
        # A protocol's requirement, beside an implementation of it.
        start = "required " if self.node["metadata"].get("required") else ""
        return start + " ".join("".join(token["text"] for each in declared for token in each["tokens"]).split())

    def words(self):
        """The content of the page as HTML."""
        node = self.node
        parts = [f"<h1>{escape(node['metadata']['title'])}</h1>\n", f"<p>{self.inline(node.get('abstract', []))}</p>\n"]
        parts += [self.section(each) for each in node.get("primaryContentSections", [])]
        for name in ("topicSections", "defaultImplementationsSections", "relationshipsSections", "seeAlsoSections"):
            parts += [self.links(each.get("title", "Topics"), each["identifiers"]) for each in node.get(name, [])]
        return "".join(parts)


def rewrite(html, page, title):
    """The HTML of a page with its title, and its words where there is no JavaScript."""
    html, titles = re.subn(r"<title>[^<]*</title>", lambda _: f"<title>{escape(title)}</title>", html, count=1)
    html, words = re.subn(r"<noscript>.*?</noscript>", lambda _: f"<noscript>{page.words()}</noscript>", html, count=1, flags=re.S)
    if (titles, words) != (1, 1):
        raise ValueError(f"{title}: DocC's HTML has another form")
    return html


def main(site):
    base = re.search(r'var baseUrl = "(.*?)/?"', (site / "index.html").read_text())[1]
    pages = {}
    for file in sorted((site / "documentation").rglob("index.html")):
        data = (site / "data" / file.parent.relative_to(site)).with_name(file.parent.name + ".json")
        pages[file] = Page(json.loads(data.read_text()), base)
    names = Counter(page.title() for page in pages.values())
    titles = {file: page.title(page.declaration() if names[page.title()] > 1 else None) for file, page in pages.items()}
    if double := [title for title, count in Counter(titles.values()).items() if count > 1]:
        raise ValueError(f"several pages are called {double[0]}")
    # The first page, which stands at the root as well.
    first = site / "documentation" / "index.html"
    pages[site / "index.html"], titles[site / "index.html"] = pages[first], "Documentation of Sonde"
    for file, page in pages.items():
        file.write_text(rewrite(file.read_text(), page, titles[file]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
