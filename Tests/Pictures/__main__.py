"""Draws the picture of the README: a scan on a real terminal that survives a loss of the network.

    swift build -c release --disable-local-rpath --product sonde
    sudo SONDE_BINARY=.build/release/sonde /usr/bin/python3 Tests/Pictures

The command runs in a network namespace against the simulator; its link is cut and mended. Takes
about a minute, and needs root, iproute2, nftables and Debian's python3-pyte.
"""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "Blackbox"), str(TESTS / "Simulator")]

import drawing  # noqa: E402
import recording  # noqa: E402
import transcript  # noqa: E402

PICTURE = TESTS.parent / ".github" / "network-loss.svg"
TITLE = "A scan that loses its network and completes"
DESCRIPTION = (
    "A terminal in which sonde enriches a list. A progress line counts the addresses; when the link "
    "is cut, sonde says what was lost, where and since when, and waits; when it is mended it says so, "
    "resumes, waits for the provider's quota, and ends with a summary in which every address is counted."
)


def main():
    """Records the scan and writes the picture."""
    command = " ".join(("sonde", *recording.ARGUMENTS))
    lines = transcript.lines(recording.record())
    picture = drawing.svg(command, lines, recording.COLUMNS, TITLE, DESCRIPTION)
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture)
    print(f"{PICTURE}: {len(picture.encode())} bytes")


if __name__ == "__main__":
    main()
