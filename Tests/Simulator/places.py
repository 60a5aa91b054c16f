"""The places and networks that answers are made of.

The texts are chosen for what they do to a client: scripts other than Latin, quotes, commas, empty
values, negative and whole-number coordinates, and texts that a spreadsheet would run.
"""

from typing import NamedTuple


class Place(NamedTuple):
    """A city as ip-api names it (https://ip-api.com/docs/api:json)."""

    continent_code: str
    country_code: str
    region: str
    region_name: str
    city: str
    zip: str
    lat: float
    lon: float
    timezone: str
    offset: int
    currency: str


class Network(NamedTuple):
    """An autonomous system and who runs it; number 0 is one that is not announced in BGP."""

    number: int
    name: str
    handle: str
    domain: str
    isp: str
    org: str


CONTINENTS = {
    "AF": "Africa",
    "AN": "Antarctica",
    "AS": "Asia",
    "EU": "Europe",
    "NA": "North America",
    "OC": "Oceania",
    "SA": "South America",
}

# ISO 3166-1 English short names where ip-api and ipinfo agree with them.
COUNTRIES = {
    "AQ": "Antarctica",
    "AR": "Argentina",
    "AU": "Australia",
    "BR": "Brazil",
    "CA": "Canada",
    "CH": "Switzerland",
    "DE": "Germany",
    "FR": "France",
    "GB": "United Kingdom",
    "GH": "Ghana",
    "IS": "Iceland",
    "IT": "Italy",
    "JP": "Japan",
    "MX": "Mexico",
    "NO": "Norway",
    "NZ": "New Zealand",
    "PL": "Poland",
    "SG": "Singapore",
    "US": "United States",
    "ZA": "South Africa",
}

PLACES = [
    Place("NA", "US", "VA", "Virginia", "Ashburn", "20149", 39.03, -77.5, "America/New_York", -14400, "USD"),
    Place("NA", "US", "CA", "California", "Los Angeles", "90014", 34.0484, -118.2545, "America/Los_Angeles", -25200, "USD"),
    Place("NA", "US", "HI", "Hawaii", "‘Ewa Beach", "96706", 21.3156, -158.0072, "Pacific/Honolulu", -36000, "USD"),
    Place("NA", "CA", "QC", "Quebec", "Trois-Rivières", "G9A", 46.3432, -72.5421, "America/Toronto", -14400, "CAD"),
    Place("NA", "MX", "CMX", "Mexico City", 'Ciudad de México, "CDMX"', "06000", 19.4285, -99.1277, "America/Mexico_City", -21600, "MXN"),
    Place("SA", "BR", "SP", "São Paulo", "São Paulo", "01323", -23.5505, -46.6333, "America/Sao_Paulo", -10800, "BRL"),
    Place("SA", "AR", "C", "Buenos Aires F.D.", "Buenos Aires", "", -34.6037, -58.3816, "America/Argentina/Buenos_Aires", -10800, "ARS"),
    Place("EU", "DE", "BY", "Bavaria", "München", "80331", 48.1351, 11.582, "Europe/Berlin", 7200, "EUR"),
    Place("EU", "DE", "NW", "North Rhine-Westphalia", "Köln", "50667", 50.9375, 6.9603, "Europe/Berlin", 7200, "EUR"),
    Place("EU", "FR", "IDF", "Île-de-France", "L'Haÿ-les-Roses", "94240", 48.7776, 2.3375, "Europe/Paris", 7200, "EUR"),
    Place("EU", "GB", "ENG", "England", "London, City of", "EC1A", 51.5085, -0.1257, "Europe/London", 3600, "GBP"),
    Place("EU", "CH", "ZH", "Zurich", "Zürich", "8001", 47.3667, 8.55, "Europe/Zurich", 7200, "CHF"),
    Place("EU", "IS", "1", "Capital Region", "Reykjavík", "101", 64.1466, -21.9426, "Atlantic/Reykjavik", 0, "ISK"),
    Place("EU", "PL", "10", "Łódź Voivodeship", "Łódź", "90-001", 51.7592, 19.456, "Europe/Warsaw", 7200, "PLN"),
    Place("EU", "NO", "50", "Trøndelag", "Trondheim", "7010", 63.4305, 10.3951, "Europe/Oslo", 7200, "NOK"),
    Place("EU", "IT", "82", "Sicily", "", "", 37.5, 14, "Europe/Rome", 7200, "EUR"),
    Place("AS", "JP", "13", "Tokyo", "千代田区", "100-0001", 35.6938, 139.7535, "Asia/Tokyo", 32400, "JPY"),
    Place("AS", "SG", "", "", "Singapore", "18", 1.2897, 103.8501, "Asia/Singapore", 28800, "SGD"),
    Place("AF", "ZA", "GP", "Gauteng", "Johannesburg", "2000", -26.2041, 28.0473, "Africa/Johannesburg", 7200, "ZAR"),
    Place("AF", "GH", "AA", "Greater Accra Region", "Accra", "", 5.5545, -0.1902, "Africa/Accra", 0, "GHS"),
    Place("OC", "AU", "QLD", "Queensland", "South Brisbane", "4101", -27.4766, 153.0166, "Australia/Brisbane", 36000, "AUD"),
    Place("OC", "NZ", "CAN", "Canterbury", "Ōtautahi Christchurch", "8011", -43.5333, 172.6333, "Pacific/Auckland", 43200, "NZD"),
    Place("AN", "AQ", "", "", "", "", -90, 0, "Antarctica/McMurdo", 43200, "USD"),
]

NETWORKS = [
    Network(15169, "Google LLC", "GOOGLE", "google.com", "Google LLC", "Google Cloud"),
    Network(3320, "Deutsche Telekom AG", "DTAG", "telekom.de", "Deutsche Telekom AG", ""),
    Network(5769, "Videotron Telecom Ltee", "VIDEOTRON", "videotron.com", "Le Groupe Vidéotron Ltée", "Videotron Ltee"),
    Network(3215, "Orange S.A.", "France-Telecom", "orange.com", "Orange", 'SARL "Fibre, Câble & Fils"'),
    Network(2497, "Internet Initiative Japan Inc.", "IIJ", "iij.ad.jp", "株式会社インターネットイニシアティブ", "IIJ"),
    Network(4294967294, "Four Octets, Inc.", "FOUR-OCTETS", "four.example", "Four Octets, Inc.", "Four Octets"),
    Network(64496, "=SUM(A1:A9)", "FORMULA", "formula.example", "=SUM(A1:A9)", "+1 Telecom"),
    Network(64497, "-Dash Networks", "DASH", "dash.example", "-Dash Networks", "@Home"),
    Network(0, "", "", "", "Unrouted Holdings", "Unrouted Holdings"),
    Network(64511, "1 & 1 <Hosting> \\ Back/Slash", "ONE", "one.example", "O'Hosting; GmbH", "Tabs\tInc"),
]
