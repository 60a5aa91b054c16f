"""Answers of the real services for well-known addresses.

24.48.0.1 is the example of https://ip-api.com/docs/api:json, 8.8.8.8 that of
https://ipinfo.io/developers; the others are as captured by third parties.
"""


def _ip_api(continent, code, country, country_code, region, region_name, city, zip_code, lat, lon,
            timezone, offset, currency, isp, org, as_text, asname, reverse, hosting):
    return {
        "status": "success",
        "continent": continent,
        "continentCode": code,
        "country": country,
        "countryCode": country_code,
        "region": region,
        "regionName": region_name,
        "city": city,
        "district": "",
        "zip": zip_code,
        "lat": lat,
        "lon": lon,
        "timezone": timezone,
        "offset": offset,
        "currency": currency,
        "isp": isp,
        "org": org,
        "as": as_text,
        "asname": asname,
        "reverse": reverse,
        "mobile": False,
        "proxy": False,
        "hosting": hosting,
    }


DOCUMENTED = {
    "24.48.0.1": _ip_api(
        "North America", "NA", "Canada", "CA", "QC", "Quebec", "Montreal", "H1K", 45.6085,
        -73.5493, "America/Toronto", -14400, "CAD", "Le Groupe Videotron Ltee", "Videotron Ltee",
        "AS5769 Videotron Telecom Ltee", "VIDEOTRON", "modemcable001.0-48-24.mc.videotron.ca",
        False,
    ),
    "8.8.8.8": _ip_api(
        "North America", "NA", "United States", "US", "VA", "Virginia", "Ashburn", "20149", 39.03,
        -77.5, "America/New_York", -14400, "USD", "Google LLC", "Google Public DNS",
        "AS15169 Google LLC", "GOOGLE", "dns.google", True,
    ),
    "1.1.1.1": _ip_api(
        "Oceania", "OC", "Australia", "AU", "QLD", "Queensland", "South Brisbane", "4101",
        -27.4766, 153.0166, "Australia/Brisbane", 36000, "AUD", "Cloudflare, Inc",
        "APNIC and Cloudflare DNS Resolver project", "AS13335 Cloudflare, Inc.", "CLOUDFLARENET",
        "one.one.one.one", True,
    ),
    "208.80.152.201": _ip_api(
        "North America", "NA", "United States", "US", "IL", "Illinois", "Chicago", "60602",
        41.8781, -87.6298, "America/Chicago", -18000, "USD", "Wikimedia Foundation Inc.",
        "Wikimedia Foundation Inc.", "AS14907 Wikimedia Foundation Inc.", "WIKIMEDIA", "", True,
    ),
}

DOCUMENTED_IPINFO = {
    "8.8.8.8": {
        "hostname": "dns.google",
        "city": "Mountain View",
        "region": "California",
        "country": "US",
        "loc": "37.4056,-122.0775",
        "org": "AS15169 Google LLC",
        "postal": "94043",
        "timezone": "America/Los_Angeles",
        "anycast": True,
    },
    "1.1.1.1": {
        "hostname": "one.one.one.one",
        "city": "Brisbane",
        "region": "Queensland",
        "country": "AU",
        "loc": "-27.4816,153.0175",
        "org": "AS13335 Cloudflare, Inc.",
        "postal": "4101",
        "timezone": "Australia/Brisbane",
        "anycast": True,
    },
}

# ip-api's `lang`, as far as its own documentation shows it (https://ip-api.com/docs/api:batch).
LANGUAGES = ("en", "de", "es", "pt-BR", "fr", "ja", "zh-CN", "ru")
LOCALISED = {
    "ru": {"United States": "США", "Chicago": "Чикаго", "Canada": "Канада"},
    "de": {"United States": "Vereinigte Staaten", "Canada": "Kanada"},
}
