"""Makes the dashboard's two font files anew: Montserrat at weight 600, for headings, its Latin letters alone.

Needs fontpkg-montserrat, fonttools and brotli, from PyPI: python -m pip install fontpkg-montserrat fonttools brotli
Usage: python Tests/Fonts
"""

import shutil
from io import BytesIO
from pathlib import Path

import fontpkg_montserrat
from fontTools.subset import Options, Subsetter, parse_unicodes, save_font
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

RESOURCES = Path(__file__).parents[2] / "Sources/CSondeDashboardAssets/Resources"
SOURCE = Path(fontpkg_montserrat.__file__).parent
WEIGHT = 600

# The browser reads the second only where a heading has a letter of it: see base.css.
SUBSETS = {
    "montserrat-latin": "U+20-7E,U+2013,U+2019,U+2026",
    "montserrat-latin-ext": "U+A0-17F,U+192,U+1E9E,U+218-21B,U+2014,U+2018,U+201A-201E,U+20AC",
}


def main():
    heavy = instantiateVariableFont(TTFont(SOURCE / "files/Montserrat[wght].ttf"), {"wght": WEIGHT})
    whole = BytesIO()
    heavy.save(whole)
    for name, letters in SUBSETS.items():
        options = Options(flavor="woff2", layout_features=["kern", "liga", "tnum"])
        whole.seek(0)
        font = TTFont(whole)
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=parse_unicodes(letters))
        subsetter.subset(font)
        save_font(font, RESOURCES / f"{name}.woff2", options)
    shutil.copy(SOURCE / "LICENSE", RESOURCES / "montserrat-licence.txt")


if __name__ == "__main__":
    main()
