"""A stand-in for ip-api.com, ipinfo.io, ipify, the Moscow Exchange, picsum.photos, the publishers of lists, the registries of addresses and web services about addresses on loopback.

    /usr/bin/python3 Tests/Simulator --port 0 --window 2 --batch-limit 15

Prints one JSON line with the base URLs when ready, and ends on SIGTERM, on SIGINT, or when the pipe
that is its standard input closes.
"""

import argparse
import asyncio
import json
import os
import signal
import sys

from server import Simulator
from settings import add_arguments, from_arguments


async def run(arguments):
    """Serves until told to end."""
    simulator = Simulator(from_arguments(arguments))
    port = await simulator.start(arguments.host, arguments.port)
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    _watch_input(loop, ended)
    print(json.dumps({"port": port, **simulator.urls}), flush=True)
    await ended.wait()


def _watch_input(loop, ended):
    """Ends with whoever started this; /dev/null and files never close and are not watched."""

    def readable():
        if not os.read(0, 65536):
            loop.remove_reader(0)
            ended.set()

    try:
        loop.add_reader(0, readable)
    except (PermissionError, OSError, ValueError):
        pass


def main():
    """Reads the command line and serves."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0: free ports; else this and eight more")
    add_arguments(parser)
    arguments = parser.parse_args()
    try:
        asyncio.run(run(arguments))
    except (ValueError, OSError) as error:
        sys.exit(f"simulator: {error}")
    os._exit(0)  # connections that hang are not waited for


if __name__ == "__main__":
    main()
