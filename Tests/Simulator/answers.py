"""What the stand-in knows of an address: a pure function of the address alone.

`answer` gives ip-api's full record, `ipinfo_answer` and `lite_answer` give ipinfo's; tests import
them as the expected values. Shapes: https://ip-api.com/docs/api:json,
https://ipinfo.io/developers and https://ipinfo.io/developers/lite-api.
"""

import ipaddress
import random
from functools import lru_cache
from zlib import crc32

from documented import DOCUMENTED, DOCUMENTED_IPINFO
from places import CONTINENTS, COUNTRIES, NETWORKS, PLACES

# ip-api's fields in the order they have on the wire, with their bits. `query` comes last on the
# wire although the documentation prints it first.
FIELD_BITS = {
    "status": 1 << 14,
    "continent": 1 << 20,
    "continentCode": 1 << 21,
    "country": 1 << 0,
    "countryCode": 1 << 1,
    "region": 1 << 2,
    "regionName": 1 << 3,
    "city": 1 << 4,
    "district": 1 << 19,
    "zip": 1 << 5,
    "lat": 1 << 6,
    "lon": 1 << 7,
    "timezone": 1 << 8,
    "offset": 1 << 25,
    "currency": 1 << 23,
    "isp": 1 << 9,
    "org": 1 << 10,
    "as": 1 << 11,
    "asname": 1 << 22,
    "reverse": 1 << 12,
    "mobile": 1 << 16,
    "proxy": 1 << 17,
    "hosting": 1 << 24,
    "message": 1 << 15,
    "query": 1 << 13,
}
DEFAULT_MASK = 61439

# Answers repeat after so many, which lets the server prepare them; two addresses share one with
# a chance of 1 in 4,096.
TEMPLATES = 4096

PRIVATE = [ipaddress.ip_network(n) for n in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")]
RESERVED = [
    ipaddress.ip_network(n)
    for n in (
        "0.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 198.18.0.0/15 "
        "198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ::/128 ::1/128 100::/64 "
        "2001:2::/48 2001:10::/28 2001:db8::/32 fe80::/10 fec0::/10 ff00::/8"
    ).split()
]

# First octets of IPv4 networks that may be special; all others certainly are not.
SPECIAL_OCTETS = frozenset([0, 10, 100, 127, 169, 172, 192, 198, 203, *range(224, 256)])


def parse(text):
    """The address that `text` writes (an IPv4-mapped one as IPv4), or None."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if address.version == 6:
        if address.scope_id is not None:
            return None
        return address.ipv4_mapped or address
    return address


def special_message(address):
    """ip-api's `message` for an address that nobody can look up, or None for a public one.

    Which message ip-api gives beyond the documented ranges is not known.
    """
    same_version = [n for n in PRIVATE if n.version == address.version]
    if any(address in network for network in same_version):
        return "private range"
    if any(address in n for n in RESERVED if n.version == address.version):
        return "reserved range"
    return None


def template_number(address):
    """Which of the prepared answers an address has."""
    return crc32(address.packed) % TEMPLATES


@lru_cache(maxsize=None)
def template(number):
    """A prepared answer of ip-api, without `reverse`, `message` and `query`.

    A `fail` for one in 64 and one without any value for another: ip-api knows nothing of those.
    """
    if number % 64 == 5:
        return {"status": "fail", "message": "reserved range"}
    if number % 64 == 37:
        return _without_values()
    chooser = random.Random(f"answer {number}")
    place, network = chooser.choice(PLACES), chooser.choice(NETWORKS)
    lat, lon = place.lat, place.lon
    if place.city:
        lat = round(lat + chooser.uniform(-0.4, 0.4), 4)
        lon = round(lon + chooser.uniform(-0.4, 0.4), 4)
    return {
        "status": "success",
        "continent": CONTINENTS[place.continent_code],
        "continentCode": place.continent_code,
        "country": COUNTRIES[place.country_code],
        "countryCode": place.country_code,
        "region": place.region,
        "regionName": place.region_name,
        "city": place.city,
        "district": "",
        "zip": place.zip,
        "lat": lat,
        "lon": lon,
        "timezone": place.timezone,
        "offset": place.offset,
        "currency": place.currency,
        "isp": network.isp,
        "org": network.org,
        "as": f"AS{network.number} {network.name}" if network.number else "",
        "asname": network.handle,
        "mobile": chooser.random() < 0.1,
        "proxy": chooser.random() < 0.1,
        "hosting": chooser.random() < 0.2,
    }


def _without_values():
    texts = (
        "continent continentCode country countryCode region regionName city district zip timezone "
        "currency isp org as asname"
    ).split()
    flags = dict.fromkeys(["mobile", "proxy", "hosting"], False)
    return {"status": "success", **dict.fromkeys(texts, ""), **flags}


def reverse_name(address):
    """The PTR name of an address; two in three have none."""
    if template_number(address) % 3:
        return ""
    return f"host-{int(address) % 65536}.{address.version}.example.net"


def answer(text):
    """ip-api's full record for an address, in the order it has on the wire, `query` last."""
    address = parse(text)
    if address is None:
        return {"status": "fail", "message": "invalid query", "query": text}
    if message := special_message(address):
        return {"status": "fail", "message": message, "query": text}
    record = DOCUMENTED.get(str(address))
    if record is None:
        record = dict(template(template_number(address)), reverse=reverse_name(address))
    record = dict(record, query=text)
    if record["status"] == "fail":
        record.pop("reverse", None)
    return {name: record[name] for name in FIELD_BITS if name in record}


def _network(record):
    number, _, name = record["as"].partition(" ")
    return number, name


def ipinfo_answer(text):
    """ipinfo's legacy record, or None for a text that is no address; `readme` is the server's."""
    address = parse(text)
    if address is None:
        return None
    if special_message(address):
        return {"ip": text, "bogon": True}
    if documented := DOCUMENTED_IPINFO.get(str(address)):
        return {"ip": text, **documented}
    known = answer(text)
    if not known.get("countryCode"):
        return {"ip": text}
    record = {
        "ip": text,
        "hostname": known["reverse"],
        "city": known["city"],
        "region": known["regionName"],
        "country": known["countryCode"],
        "loc": f"{known['lat']:.4f},{known['lon']:.4f}",
        "org": known["as"],
        "postal": known["zip"],
        "timezone": known["timezone"],
    }
    return {name: value for name, value in record.items() if value}


def lite_answer(text):
    """ipinfo Lite's record, or None for a text that is no address; AS keys only where routed."""
    address = parse(text)
    if address is None:
        return None
    if special_message(address):
        return {"ip": text, "bogon": True}
    known = answer(text)
    if not known.get("countryCode"):
        return {"ip": text}
    record = {"ip": text}
    if known["as"]:
        number, name = _network(known)
        domain = next((n.domain for n in NETWORKS if n.name == name), "example.com")
        record |= {"asn": number, "as_name": name, "as_domain": domain}
    return record | {
        "country_code": known["countryCode"],
        "country": known["country"],
        "continent_code": known["continentCode"],
        "continent": known["continent"],
    }
