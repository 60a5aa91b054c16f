"""Draws lines of a terminal as SVG: text in the reader's own fonts, for a light and a dark page."""

from xml.sax.saxutils import escape

CELL, LEADING, SIZE = 8.0, 21, 13.3  # pixels: a column, a line, the type
GUTTER, MARGIN = 74, 16

STYLE = """
text { font: %spx ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }
.page { fill: #ffffff; stroke: #d0d7de } .gutter { fill: #f6f8fa }
.text { fill: #1f2328 } .progress { fill: #59636e } .note { fill: #59636e }
.lost { fill: #cf222e } .back { fill: #1a7f37 }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; stroke: #3d444d } .gutter { fill: #151b23 }
.text { fill: #f0f6fc } .progress { fill: #9198a1 } .note { fill: #9198a1 }
.lost { fill: #ff7b72 } .back { fill: #3fb950 }
}
""" % SIZE


def svg(command, lines, columns, title, description):
    """The picture of a command and the lines that it drew, each with its time beside it."""
    lines = list(lines)
    width = GUTTER + 2 * MARGIN + columns * CELL
    height = 2 * MARGIN + LEADING * (len(lines) + 1)
    body = [_text(GUTTER + MARGIN, 0, "text", f"$ {command}")]
    for row, line in enumerate(lines, 1):
        body += _note(row, line)
        style = "progress" if line.kind in ("quota", "waiting", "running") else "text"
        body.append(_text(GUTTER + MARGIN, row, style, line.text))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:g} {height}"'
        f' width="{width:g}" height="{height}">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(description)}</desc>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" x=".5" y=".5" width="{width - 1:g}" height="{height - 1}" rx="6"/>',
        f'<path class="gutter" d="M{GUTTER} 1H6.5A5.5 5.5 0 0 0 1 6.5V{height - 6.5}'
        f'A5.5 5.5 0 0 0 6.5 {height - 1}H{GUTTER}Z"/>',
        *body,
        "</svg>",
        "",
    ])


def _note(row, line):
    """When a line stood there; nothing beside what goes on from the line above."""
    if line.text.startswith(" "):
        return []
    style = line.kind if line.kind in ("lost", "back") else "note"
    text = f"{line.at:.0f} s"
    return [_text(GUTTER - 10 - len(text) * CELL, row, style, text)]


def _text(x, row, style, text):
    """Text on the terminal's grid, whatever the width of the reader's font."""
    indent = len(text) - len(text.lstrip())
    text = text.strip()
    x += indent * CELL
    y = MARGIN + LEADING * row + 15
    return (
        f'<text class="{style}" x="{x:g}" y="{y}" textLength="{len(text) * CELL:g}"'
        f' lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
    )
