"""Lorem Picsum (https://picsum.photos): a list of pictures by page, and the pictures.

`gallery` of the settings says what differs from a usual day:

- `pages`: how many pages there are from the fourth on; the pages behind them are empty;
- `names_empty`: whether the last of them names the empty one as its next;
- `next`: what `Link` names in place of the next page's URL;
- `authors`: authors by id;
- `redirects`: how often a picture is redirected on the same origin before it comes.

Beside what picsum has there are `/made/png`, `jpeg`, `gif`, `webp`, `svg`, `html`, `full` (10 MB),
`large` (a byte more), `deep` (too many pixels), `empty`, some that are named wrongly, and
`redirect?to=URL`.
"""

import json
import re
import struct
import zlib
from base64 import b64decode

from ip_api import Call
from wire import Answer

USUAL = {"pages": 2, "names_empty": True, "next": None, "authors": {}, "redirects": 0}
AUTHORS = ["Alejandro Escamilla", "Paul Jarvis", "Tina Rataj", "Lukas Budimaier", "Danielle MacInnes", "NASA", "E+N Photographies"]
FIRST = 4
LISTED = re.compile(r"/id/(\d+)/(\d{1,4})/(\d{1,4})")
HOP = re.compile(r"/hop/(\d+)(/id/.*)")
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
SMALL = {
    "jpeg": "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxD/2Q==",
    "gif": "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
    "webp": "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
}


def png(width, height, shade=128):
    """A picture of one colour that fades downwards."""

    def chunk(name, data):
        return struct.pack("!I", len(data)) + name + data + struct.pack("!I", zlib.crc32(name + data))

    rows = b"".join(
        b"\0" + bytes([shade, (shade * 7 + row * 90 // height) % 256, 255 - shade // 2]) * width for row in range(height)
    )
    header = struct.pack("!IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


def deep_png():
    """A picture of more pixels than 50 million, by its header; its data are nothing."""
    return png(1, 1).replace(struct.pack("!II", 1, 1), struct.pack("!II", 10_000, 5_001))


class Picsum:
    """The stand-in for picsum.photos."""

    name = "picsum"
    variable = "GALLERY_URL"

    def __init__(self, settings, _limits):
        self.settings = settings

    def reset(self):
        """Has nothing to forget."""

    def understand(self, request):
        """What a request asks."""
        if request.path == "/v2/list":
            return Call("picsum list", request.method, [])
        is_picture = LISTED.fullmatch(request.path) or HOP.fullmatch(request.path)
        return Call("picsum picture" if is_picture else "picsum made", request.method, [])

    def answer(self, request, call, client, now):
        """The list, a picture, or something made."""
        if request.method != "GET":
            return Answer(405)
        day = {**USUAL, **self.settings.gallery}
        origin = f"http://{request.headers.get('host', 'localhost')}"
        if call.name == "picsum list":
            return listed(day, request.query, origin)
        if hop := HOP.fullmatch(request.path):
            return picture(day, hop[2], int(hop[1]))
        if LISTED.fullmatch(request.path):
            return picture(day, request.path, day["redirects"])
        return made(request.path.removeprefix("/made/"), request.query)


def listed(day, query, origin):
    """A page of the list, with links to those before and behind it (RFC 8288)."""
    page, limit = int(query.get("page", 1)), int(query.get("limit", 30))
    last = FIRST + day["pages"] - 1
    numbers = range((page - 1) * limit, page * limit) if page <= last else []
    entries = [
        {
            "id": str(number),
            "author": day["authors"].get(str(number), AUTHORS[number % len(AUTHORS)]),
            "width": 5000,
            "height": 3333 if number % 3 else 5000,
            "url": f"https://unsplash.com/photos/{number}",
            "download_url": f"{origin}/id/{number}/5000/3333",
        }
        for number in numbers
    ]
    links = [f'<{origin}/v2/list?page={page - 1}&limit={limit}>; rel="prev"'] if page > 1 else []
    if page < last or page == last and day["names_empty"]:
        links.append(f'<{day["next"] or f"{origin}/v2/list?page={page + 1}&limit={limit}"}>; rel="next"')
    return Answer(body=json.dumps(entries).encode(), headers=[("Link", ", ".join(links))] if links else [])


def picture(day, path, redirects):
    """A picture, or a redirect on the way to it."""
    if redirects:
        return Answer(302, headers=[("Location", f"/hop/{redirects - 1}{path}")])
    number, width, height = map(int, LISTED.fullmatch(path).groups())
    return Answer(body=png(width, height, number * 37 % 256), type="image/png")


def made(kind, query):
    """What tests want besides."""
    if kind == "redirect":
        return Answer(302, headers=[("Location", query.get("to", ""))])
    bodies = {
        "png": (png(60, 40), "image/png"),
        "svg": (SVG, "image/svg+xml"),
        "svg-named-png": (SVG, "image/png"),
        "html": (b"<!doctype html><script>alert(1)</script>", "image/png"),
        "png-named-html": (png(60, 40), "text/html"),
        "large": (png(9, 9).ljust(10_000_001, b"\0"), "image/png"),
        "full": (png(9, 9).ljust(10_000_000, b"\0"), "image/png"),
        "deep": (deep_png(), "image/png"),
        "empty": (b"", "image/png"),
        **{name: (b64decode(text), f"image/{name}") for name, text in SMALL.items()},
    }
    if kind not in bodies:
        return Answer(404, b"none", "text/plain")
    body, media = bodies[kind]
    return Answer(body=body, type=media)
