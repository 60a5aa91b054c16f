"""Says what Python's ipaddress makes of each line of stdin: the canonical text, or - if nothing.

Two rules differ on purpose: a zone is for link-local IPv6 addresses only, and an IPv4-mapped
address is its IPv4 address.
"""

import ipaddress
import sys


def answer(text):
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return "-"
    if address.version == 4:
        return str(address)
    zone = address.scope_id
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped) if zone is None else "-"
    if zone is not None and not address.is_link_local:
        return "-"
    return str(address)


lines = sys.stdin.buffer.read().decode("utf-8").split("\n")
sys.stdout.buffer.write("\n".join(map(answer, lines)).encode("utf-8"))
