"""Says what a parser of HTML finds wrong with the pages' templates.

Usage: html_errors.py FILE...
"""

import sys
from pathlib import Path

import html5lib


def main():
    errors = []
    for name in sys.argv[1:]:
        parser = html5lib.HTMLParser()
        parser.parse(Path(name).read_text())
        errors += [f"{name}:{line}:{column}: {code} {data or ''}" for (line, column), code, data in parser.errors]
    print("\n".join(errors) or "no errors in HTML")
    sys.exit(bool(errors))


if __name__ == "__main__":
    main()
