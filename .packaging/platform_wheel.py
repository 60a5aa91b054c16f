"""Makes a wheel for every platform, its first argument, into one for this platform, in the folder of the second.

Its libraries go where auditwheel puts those that it finds itself.
"""

import pathlib
import sys
import zipfile

source, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir()
with (
    zipfile.ZipFile(source) as old,
    zipfile.ZipFile(folder / source.name.replace("-any.whl", "-linux_x86_64.whl"), "w", zipfile.ZIP_DEFLATED) as new,
):
    for entry in old.infolist():
        content = old.read(entry)
        if entry.filename.endswith(".dist-info/WHEEL"):
            content = content.replace(b"Root-Is-Purelib: true", b"Root-Is-Purelib: false")
            content = content.replace(b"Tag: py3-none-any", b"Tag: py3-none-linux_x86_64")
        entry.filename = entry.filename.replace("sonde/lib/", "sonde.libs/")
        # auditwheel makes the sums anew.
        if entry.filename.endswith(".dist-info/RECORD"):
            content = content.replace(b"sonde/lib/", b"sonde.libs/")
        new.writestr(entry, content)
