"""What the records should say, from the simulator's pure functions and the table of fields."""

import functools
import re

from answers import answer, ipinfo_answer, lite_answer

FIELDS = (
    "ip status source country_code country region city postal_code latitude longitude timezone "
    "asn as_name isp org hostname cached fetched_at message line"
).split()
MORE_FIELDS = (
    "input network continent_code region_code registered_country_code accuracy_radius mobile proxy hosting tor vpn relay "
    "database database_date as_database as_database_date"
).split()

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def _texts(pairs):
    return {name: value for name, value in pairs.items() if value not in ("", None)}


def _system(text):
    number, _, name = text.partition(" ")
    return {"asn": int(number[2:]), "as_name": name} if number else {}


def _from_ip_api(address):
    known = answer(address)
    if known["status"] == "fail":
        return {}
    return _texts(
        {
            "country_code": known["countryCode"],
            "country": known["country"],
            "region": known["regionName"],
            "city": known["city"],
            "postal_code": known["zip"],
            "latitude": known.get("lat"),
            "longitude": known.get("lon"),
            "timezone": known["timezone"],
            **_system(known["as"]),
            "isp": known["isp"],
            "org": known["org"],
        }
    )


def _from_ipinfo(address):
    known = ipinfo_answer(address)
    lat, _, lon = known.get("loc", "").partition(",")
    return _texts(
        {
            "country_code": known.get("country"),
            "region": known.get("region"),
            "city": known.get("city"),
            "postal_code": known.get("postal"),
            "latitude": float(lat) if lat else None,
            "longitude": float(lon) if lon else None,
            "timezone": known.get("timezone"),
            **_system(known.get("org", "")),
            "hostname": known.get("hostname"),
        }
    )


def _from_lite(address):
    known = lite_answer(address)
    names = ("country_code", "country", "as_name")
    number = {"asn": int(known["asn"][2:])} if "asn" in known else {}
    return {name: known[name] for name in names if name in known} | number


SOURCES = {"ip-api": _from_ip_api, "ipinfo": _from_ipinfo, "ipinfo-lite": _from_lite}


@functools.lru_cache(1 << 16)
def _values(address, source):
    """What a source says of an address: the same whenever it is asked."""
    return SOURCES[source](address)


def record(address, source="ip-api", line=None):
    """The whole record of a public address but for its time and an `unknown` one's message."""
    values = _values(address, source)
    head = {"ip": address, "status": "ok" if values else "unknown"}
    if values:
        head |= {"source": source, **values}
    return head | ({} if line is None else {"line": line})


def differences(records, expected, cached=(False,)):
    """Where records are not as expected, the first few; times, `cached` and messages are checked.

    `cached` are the values that the column may have.
    ipinfo's `country` is the ISO name of the code, which may be longer than the usual one.
    """
    wrong = []
    if len(records) != len(expected):
        wrong.append(f"{len(records)} records instead of {len(expected)}")
    for got, wanted in zip(records, expected):
        problem = _problem(dict(got), dict(wanted), cached)
        if problem:
            wrong.append(f"{problem}: {got} instead of {wanted}")
    return wrong[:5]


def _problem(got, wanted, allowed):
    cached, time, message = (got.pop(name, None) for name in ("cached", "fetched_at", "message"))
    if got["status"] == "ok":
        if got["source"] == "ipinfo" and not got.pop("country", None):
            return "no country"
        if cached not in allowed or not TIME.fullmatch(time or "") or message is not None:
            return f"cached {cached}, fetched_at {time}, message {message}"
    elif not message:
        return "no message"
    return None if got == wanted else "values differ"
