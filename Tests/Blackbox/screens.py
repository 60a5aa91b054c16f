"""Sheets of screenshots: a view on a phone, a tablet and a desktop, held to the sheet in the tree.

A sheet is small: half as wide and high, of sixteen colours. Two are alike if the mean colours of nearly
all their squares are, so that letters may be drawn a little differently elsewhere.
"""

import base64
import os
import struct
import time
import zlib
from pathlib import Path

from command import PATIENCE

KEPT = Path(__file__).resolve().parents[1] / "Screens"

# Width and height of the screens, from left to right.
SIZES = ((390, 844), (768, 1024), (1280, 800))

# What differs from run to run is not shown: times, what moves, the reader's place in the text.
VOLATILE = """
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    ${arguments[0]} { visibility: hidden !important; }
    * { caret-color: transparent !important; scrollbar-width: none !important; }
  `);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets.filter((each) => each !== window.hiding), sheet];
  window.hiding = sheet;
  document.activeElement?.blur();
  scrollTo(0, 0);
  return document.fonts.ready.then(() => null);
"""

# Waits until what was changed is drawn.
DRAWN = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));"

# The screenshots side by side, each pixel the mean of four, in the sixteen colours that are there most.
SHEET = """
  const [pictures, done] = arguments;
  const bitmaps = pictures.map((data) => createImageBitmap(new Blob([Uint8Array.from(atob(data), (each) => each.charCodeAt(0))])));
  Promise.all(bitmaps).then((bitmaps) => {
    const width = bitmaps.reduce((sum, each) => sum + (each.width >> 1), 0);
    const height = Math.max(...bitmaps.map((each) => each.height >> 1));
    const colours = new Uint32Array(width * height).fill(0xffffff);
    let left = 0;
    for (const bitmap of bitmaps) {
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      const line = bitmap.width * 4;
      for (let y = 0; y < bitmap.height >> 1; y += 1)
        for (let x = 0; x < bitmap.width >> 1; x += 1) {
          const at = y * 2 * line + x * 8;
          const mean = (part) => (data[at + part] + data[at + 4 + part] + data[at + line + part] + data[at + line + 4 + part]) >> 2;
          colours[y * width + left + x] = (mean(0) << 16) | (mean(1) << 8) | mean(2);
        }
      left += bitmap.width >> 1;
    }
    const counts = new Map();
    // Most pixels have the colour of the one before.
    for (let start = 0, end = 1; start < colours.length; start = end, end += 1) {
      const each = colours[start];
      while (colours[end] === each) end += 1;
      counts.set(each, (counts.get(each) ?? 0) + end - start);
    }
    const distance = (one, other) => [16, 8, 0].reduce((sum, by) => sum + (((one >> by) & 255) - ((other >> by) & 255)) ** 2, 0);
    const palette = [];
    // Those that are much like one that is taken add nothing.
    for (const near of [100, 0])
      for (const [colour] of [...counts].sort((one, other) => other[1] - one[1]).slice(0, 4096))
        if (palette.length < 16 && !palette.some((each) => distance(each, colour) <= near)) palette.push(colour);
    const nearest = new Map();
    const index = (colour) => {
      if (!nearest.has(colour)) nearest.set(colour, palette.reduce((best, each, at) => distance(each, colour) < distance(palette[best], colour) ? at : best, 0));
      return nearest.get(colour);
    };
    const digits = new Uint8Array(colours.length);
    for (let start = 0, end = 1; start < colours.length; start = end, end += 1) {
      const each = colours[start];
      while (colours[end] === each) end += 1;
      digits.fill(index(each).toString(16).charCodeAt(0), start, end);
    }
    done([width, height, palette, new TextDecoder().decode(digits)]);
  });
"""


class Sheet:
    """A picture of at most sixteen colours."""

    def __init__(self, width, height, palette, pixels):
        self.width = width
        self.height = height
        # As numbers of 24 bits.
        self.palette = palette
        # An index a pixel, row by row.
        self.pixels = pixels

    @property
    def png(self):
        """It as a PNG (RFC 2083)."""
        row = (self.width + 1) // 2
        lines = b""
        for y in range(self.height):
            line = self.pixels[y * self.width : (y + 1) * self.width] + b"\0"
            lines += b"\0" + bytes(line[2 * x] << 4 | line[2 * x + 1] for x in range(row))
        colours = b"".join(colour.to_bytes(3, "big") for colour in self.palette)
        parts = {b"IHDR": struct.pack(">IIBBBBB", self.width, self.height, 4, 3, 0, 0, 0), b"PLTE": colours, b"IDAT": zlib.compress(lines, 9), b"IEND": b""}
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts.items()
        )

    @classmethod
    def read(cls, data):
        """One that was written by `png`."""
        parts = {}
        at = 8
        while at < len(data):
            size, kind = struct.unpack_from(">I4s", data, at)
            parts[kind] = data[at + 8 : at + 8 + size]
            at += size + 12
        width, height = struct.unpack_from(">II", parts[b"IHDR"])
        colours = parts[b"PLTE"]
        palette = [int.from_bytes(colours[at : at + 3], "big") for at in range(0, len(colours), 3)]
        lines = zlib.decompress(parts[b"IDAT"])
        row = (width + 1) // 2 + 1
        pixels = b"".join(digits(lines[y * row + 1 : (y + 1) * row].hex())[:width] for y in range(height))
        return cls(width, height, palette, pixels)

    def pixels_by(self, palette):
        """Its pixels as indices of another palette."""
        return self.pixels.translate(bytes(palette.index(colour) for colour in self.palette).ljust(256, b"\0"))

    def difference(self, other, side=8):
        """The share of the squares whose mean colour differs."""
        if (self.width, self.height) != (other.width, other.height):
            return 1
        palette = list(dict.fromkeys([*self.palette, *other.palette]))
        pair = [sheet.pixels_by(palette) for sheet in (self, other)]
        tops = range(0, self.height - side + 1, side)
        lefts = range(0, self.width - side + 1, side)
        differing = 0
        for top in tops:
            for left in lefts:
                starts = [y * self.width + left for y in range(top, top + side)]
                one, two = (b"".join(pixels[start : start + side] for start in starts) for pixels in pair)
                differing += one != two and apart(mean(one, palette), mean(two, palette)) > 24
        return differing / (len(tops) * len(lefts))


def mean(pixels, palette):
    """The mean colour of pixels."""
    colours = [palette[index].to_bytes(3, "big") for index in pixels]
    return [sum(part) / len(pixels) for part in zip(*colours)]


def apart(one, other):
    """By how much two colours differ in the part in which they differ most."""
    return max(abs(a - b) for a, b in zip(one, other))


def digits(text):
    """The values of hexadecimal digits."""
    return text.encode().translate(VALUES)


VALUES = bytes(int(chr(code), 16) if chr(code) in "0123456789abcdef" else 0 for code in range(256))


def taken(page, hidden, settle):
    """A sheet of the page as it is now; `settle` is called on each screen."""
    page.driver.set_script_timeout(PATIENCE)
    pictures = []
    for width, height in SIZES:
        page.screen(width, height, is_phone=width < 500)
        settle()
        # Where the last click was, there may be something else by now, which would tell what it is.
        page.command("Input.dispatchMouseEvent", type="mouseMoved", x=0, y=0)
        page.script(VOLATILE, hidden)
        page.driver.execute_async_script(DRAWN)
        pictures.append(page.command("Page.captureScreenshot", format="png")["data"])
    page.script("document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== window.hiding)")
    width, height, palette, pixels = page.driver.execute_async_script(SHEET, pictures)
    return Sheet(width, height, palette, digits(pixels)), pictures


# Fewer squares than this may differ: some 30 of a phone's button or a tablet's line.
TOLERATED = 0.004
# How often a page is looked at that draws a map anew, on a busy machine.
TRIES = 4


def hold(page, name, folder, hidden="time", settle=lambda: None):
    """Holds the page to its sheets, light and dark; or with `SONDE_TAKE_SCREENS` takes them anew."""
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        path = KEPT / f"{name}-{scheme}.png"
        for _ in range(TRIES):
            sheet, pictures = taken(page, hidden, settle)
            if os.environ.get("SONDE_TAKE_SCREENS"):
                path.write_bytes(sheet.png)
            share = sheet.difference(Sheet.read(path.read_bytes()))
            if share <= TOLERATED:
                break
            time.sleep(1)
        for (width, _), picture in zip(SIZES, pictures):
            (folder / f"{name}-{scheme}-{width}.png").write_bytes(base64.b64decode(picture))
        if share > TOLERATED:
            (folder / path.name).write_bytes(sheet.png)
        assert share <= TOLERATED, f"{share:.1%} of {path.name} is different: see {folder}, and Tests/Screens/renew.sh"
