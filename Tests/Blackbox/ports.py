"""Ports for servers that tests start."""

import contextlib
import itertools
import random
import socket

# Below those that the kernel gives to connections (ip_local_port_range, ip(7)), any of which may take a port
# between its choice and its use; the ports 10,000 above, which Redis' clusters take too, are below those as well.
_PORTS = range(12_000, 22_000)
_next = itertools.count(random.randrange(len(_PORTS)))


def free_port(host="127.0.0.1"):
    """A port that nobody uses, neither for TCP nor for UDP, and that this process has not given before."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in itertools.islice(_next, len(_PORTS)):
        port = _PORTS[number % len(_PORTS)]
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as datagrams:
            datagrams.bind((host, port))
            with socket.create_server((host, port), family=family):
                return port
    raise OSError("no port is free")
