"""Makes the world's outlines and its countries' points, which pages with a map are drawn from.

    python3 -m venv .build/outlines && .build/outlines/bin/pip install rdata
    .build/outlines/bin/python Tests/Outlines

Needs Debian's apt-get and dpkg: the data comes out of packages that need not be installed.

- Outlines: Natural Earth's countries at 1:110 million, as python3-geopandas brings them, read with
  python3-pyshp. Their ISO 3166-1 alpha-3 codes become alpha-2 by iso-codes.
- Points: Natural Earth's small countries and, for the others, the middle of a country's largest
  piece of land at 1:50 million, both as r-cran-rnaturalearthdata brings them; nine by hand.

Natural Earth is in the public domain (https://www.naturalearthdata.com/about/terms-of-use/).
"""

import json
import lzma
import struct
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import rdata

RESULT = Path(__file__).resolve().parents[2] / "Sources/CSondePageAssets/Resources/outlines.json"
PACKAGES = ("python3-geopandas", "python3-pyshp", "iso-codes", "r-cran-rnaturalearthdata")
ORIGIN = "Natural Earth (https://www.naturalearthdata.com), made smaller by Tests/Outlines"
LICENCE = "Public domain"

# Numbers in the result are tenths of a degree.
SCALE = 10

# Natural Earth gives Kosovo no ISO code. XK is the one that databases of addresses use.
KOSOVO = ("Kosovo", "XK")
# Drawn without a code: what they are part of in ISO 3166 has an outline of its own.
WITHOUT_CODE = {"N. Cyprus": "CY", "Somaliland": "SO"}

# Degrees of longitude and latitude of what Natural Earth shows as parts of other countries, and of
# the Seychelles, whose point there is an island a thousand kilometres from the others.
BY_HAND = {
    "BV": (3.4, -54.4),
    "CC": (96.8, -12.2),
    "CX": (105.6, -10.5),
    "GF": (-53.2, 4.0),
    "RE": (55.5, -21.1),
    "SC": (55.5, -4.7),
    "SJ": (16.0, 78.6),
    "UM": (166.6, 19.3),
    "YT": (45.2, -12.8),
}


def unpack(folder):
    """Puts the contents of the packages into a folder."""
    subprocess.run(["apt-get", "-q", "download", *PACKAGES], cwd=folder, check=True, stdout=sys.stderr)
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg", "-x", package, folder], check=True)


def alpha_2_codes(folder):
    """The ISO 3166-1 codes of two letters by those of three."""
    table = json.loads((folder / "usr/share/iso-codes/json/iso_3166-1.json").read_text())
    return {row["alpha_3"]: row["alpha_2"] for row in table["3166-1"]}


def code(record, codes):
    """The code of a country with an outline; for a part without one, that of the whole."""
    if record.name == KOSOVO[0]:
        return KOSOVO[1]
    return codes.get(record.iso_a3) or WITHOUT_CODE[record.name]


def ring(points):
    """A closed line: its first point, and from each point to the next what is to be added."""
    scaled = [(round(x * SCALE), round(y * SCALE)) for x, y in points[:-1]]
    distinct = [point for point, before in zip(scaled, [None, *scaled]) if point != before]
    numbers, last = [], (0, 0)
    for point in distinct:
        numbers += [point[0] - last[0], point[1] - last[1]]
        last = point
    return numbers if len(distinct) > 2 else []


def outlines(folder, codes):
    """The closed lines of each country."""
    libraries = folder / "usr/lib/python3/dist-packages"
    sys.path.insert(0, str(libraries))
    import shapefile

    data = libraries / "geopandas/datasets/naturalearth_lowres/naturalearth_lowres"
    result = {}
    with shapefile.Reader(str(data), encoding="latin-1") as reader:
        for country in reader.shapeRecords():
            ends = [*country.shape.parts, len(country.shape.points)]
            rings = [ring(country.shape.points[start:end]) for start, end in zip(ends, ends[1:])]
            result.setdefault(code(country.record, codes), []).extend(filter(None, rings))
    return result


def natural_earth(folder, name):
    """A data set of the R package: compressed objects in a file, and where each of them begins."""
    database = folder / "usr/lib/R/site-library/rnaturalearthdata/data/Rdata"
    start, length = map(int, rdata.read_rds(f"{database}.rdx")["variables"][name])
    stored = database.with_suffix(".rdb").read_bytes()[start : start + length]
    # The size, a letter for the method, and the data (R's src/main/connections.c, R_compress3).
    size, method = struct.unpack(">Ic", stored[:5])
    assert method == b"Z", method
    lzma2 = [{"id": lzma.FILTER_LZMA2, "preset": 6}]
    data = lzma.decompress(stored[5:], lzma.FORMAT_RAW, filters=lzma2)
    assert len(data) == size
    with warnings.catch_warnings(action="ignore"):
        return rdata.conversion.convert(rdata.parser.parse_data(data), default_encoding="utf-8")


def points(folder, wanted):
    """Where to put a mark of each country."""
    countries = natural_earth(folder, "countries50")
    small = natural_earth(folder, "tiny_countries50")
    middles = [shape.labpt for shape in countries.polygons]
    places = dict(zip(countries.data["iso_a2"].fillna(""), middles))
    # Where most of a small country's people live, rather than its largest island.
    places.update(zip(small.data["iso_a2"].fillna(""), small.coords.values))
    places.update(BY_HAND)
    places[KOSOVO[1]] = dict(zip(countries.data["name"], middles))[KOSOVO[0]]
    missing = wanted - places.keys()
    assert not missing, f"without a point: {sorted(missing)}"
    return {key: [round(number * SCALE) for number in places[key]] for key in sorted(wanted)}


def lines(members):
    """An object with a member a line, so that a change shows what has changed."""
    rows = [f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}" for key, value in members]
    return "{\n" + ",\n".join(rows) + "\n}"


def main():
    """Fetches the data and writes the result."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # For the user that APT works as.
        folder.chmod(0o755)
        unpack(folder)
        codes = alpha_2_codes(folder)
        shapes = outlines(folder, codes)
        marks = points(folder, {*codes.values(), KOSOVO[1]})
    text = (
        f'{{"origin":{json.dumps(ORIGIN)},\n"licence":{json.dumps(LICENCE)},\n"scale":{SCALE},\n'
        f'"points":{lines(sorted(marks.items()))},\n"outlines":{lines(sorted(shapes.items()))}}}\n'
    )
    RESULT.write_text(text)
    print(f"{RESULT}: {len(shapes)} outlines, {len(marks)} points, {len(text)} bytes")


if __name__ == "__main__":
    main()
