"""A file system for fsspec, this machine's files at `moody:///`, whose reading is as a file `_mood` beside them says.

It holds `refuse`, `cut`, or the seconds that each reading takes.
"""

import time
from pathlib import Path

from fsspec import register_implementation
from fsspec.implementations.local import LocalFileSystem


class Moody(LocalFileSystem):
    """The files of this machine."""

    protocol = "moody"

    def __init__(self):
        # It has no options; those of another store are refused.
        super().__init__()

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.removeprefix("moody://"))

    def _open(self, path, mode="rb", **options):
        file = super()._open(path, mode, **options)
        place, read = Path(path).with_name("_mood"), file.read

        def moody(*length):
            mood = place.read_text() if place.exists() else "0"
            if mood == "refuse":
                raise PermissionError("the store is in no mood")
            data = read(*length)
            if mood == "cut":
                return data[: len(data) // 2]
            time.sleep(float(mood))
            return data

        file.read = moody
        return file


def install(modules):
    """Has every process that finds modules in a folder know of it."""
    (modules / "moody.py").write_bytes(Path(__file__).read_bytes())
    about = modules / "moody-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: moody\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[fsspec.specs]\nmoody = moody:Moody\n")
    # This one has looked already.
    register_implementation("moody", Moody)
