"""Databases of known content in every layout that `--provider local` reads.

MaxMind: https://dev.maxmind.com/geoip/docs/databases; DB-IP: https://db-ip.com/db/format;
IPinfo: https://github.com/ipinfo/sample-database.
"""

import mmdb


def _city(code, country, city, lat, lon, zone, postal, region, region_code):
    return {
        "city": {"names": {"en": city, "de": city.upper()}},
        "continent": {"code": "EU", "names": {"en": "Europe"}},
        "country": {"iso_code": code, "names": {"en": country}},
        "location": {"latitude": lat, "longitude": lon, "time_zone": zone, "accuracy_radius": 10},
        "postal": {"code": postal},
        "subdivisions": [{"iso_code": region_code, "names": {"en": region}}],
    }


LONDON = _city("GB", "United Kingdom", "London", 51.5142, -0.0931, "Europe/London", "EC1A", "England", "ENG")
KOELN = _city("DE", "Germany", "Köln", 50.9375, 6.9603, "Europe/Berlin", "50667", "North Rhine-Westphalia", "NW")

LAYOUTS = {
    "city": (
        "GeoLite2-City",
        {"81.2.69.0/24": LONDON, "5.6.0.0/16": KOELN, "2001:4860::/32": KOELN, "9.9.9.9/32": {}},
    ),
    "asn": (
        "GeoLite2-ASN",
        {
            "81.2.69.0/24": {
                "autonomous_system_number": 20712,
                "autonomous_system_organization": "Andrews & Arnold Ltd",
            },
            "5.6.7.0/24": {"autonomous_system_number": 4200000000},
        },
    ),
    "dbip": (
        "DBIP-Location-ISP (compat=Enterprise)",
        {
            "81.2.69.0/24": dict(
                LONDON,
                traits={
                    "autonomous_system_number": 20712,
                    "autonomous_system_organization": "Andrews & Arnold Ltd",
                    "isp": "AAISP",
                    "organization": "AA, \"Org\"",
                },
            )
        },
    ),
    "ipinfo-lite": (
        "ipinfo generic_lite_free.mmdb",
        {
            "81.2.69.0/24": {
                "asn": "AS20712",
                "as_name": "Andrews & Arnold Ltd",
                "as_domain": "aa.net.uk",
                "continent": "Europe",
                "continent_code": "EU",
                "country": "United Kingdom",
                "country_code": "GB",
            }
        },
    ),
    "ipinfo-legacy": (
        "ipinfo generic_country_asn_free.mmdb",
        {
            "81.2.69.0/24": {
                "asn": "AS20712",
                "as_name": "Andrews & Arnold Ltd",
                "as_domain": "aa.net.uk",
                "continent": "EU",
                "continent_name": "Europe",
                "country": "GB",
                "country_name": "United Kingdom",
            }
        },
    ),
}

_CITY = {
    "country_code": "GB",
    "country": "United Kingdom",
    "region": "England",
    "city": "London",
    "postal_code": "EC1A",
    "latitude": 51.5142,
    "longitude": -0.0931,
    "timezone": "Europe/London",
}
_SYSTEM = {"asn": 20712, "as_name": "Andrews & Arnold Ltd"}
_COUNTRY = {"country_code": "GB", "country": "United Kingdom"}

# What each layout says of 81.2.69.142.
EXPECTED = {
    "city": _CITY,
    "asn": _SYSTEM,
    "dbip": {**_CITY, **_SYSTEM, "isp": "AAISP", "org": 'AA, "Org"'},
    "ipinfo-lite": {**_COUNTRY, **_SYSTEM},
    "ipinfo-legacy": {**_COUNTRY, **_SYSTEM},
}


def write(layout, directory, **options):
    """Writes the database of a layout and returns its path."""
    database_type, networks = LAYOUTS[layout]
    return mmdb.write(directory / f"{layout}.mmdb", database_type, networks, **options)
