"""Web services that are asked about one address at a time, each under its host: `/internetdb.shodan.io/8.8.8.8`.

https://internetdb.shodan.io, https://docs.greynoise.io (community API), https://docs.abuseipdb.com (check), and `own.example`, a service as a user may describe it: `/own.example/v1/8.8.8.8`.

Each counts the requests of a client in any stretch of time, answers 429 to those that are too many, and after some of these 403 to all.
`services` of the settings says by the host what differs:

- `limit`: how many requests in how many seconds; `null` for any number;
- `ban_after`: so many 429s until a client is banned; `silent`: whether a 429 does not tell until when;
- `keys`: those that are accepted;
- `answers`: by the address its `body`, `status`, `headers`, `type`; of a JSON body that it is about `address` instead; `size` in bytes of a body that is too large; `location` of a redirect;
- `counts`: whether answers tell in headers how many requests are left, and until when.
"""

import ipaddress
import json
import math
import time
from collections import defaultdict, deque

from ip_api import Call
from wire import JSON, Answer

INTERNETDB, GREYNOISE = "internetdb.shodan.io", "api.greynoise.io"
ABUSEIPDB, OWN = "api.abuseipdb.com", "own.example"
DAY = 86400.0
LIMITS = {INTERNETDB: [1, 1.0], GREYNOISE: [50, DAY], ABUSEIPDB: [1000, DAY], OWN: None}
KEY_FIELDS = {GREYNOISE: "key", ABUSEIPDB: "key", OWN: "x-token"}


def internetdb(address):
    """What Shodan has of an address."""
    return {
        "cpes": ["cpe:/a:cloudflare:cloudflare"], "hostnames": [f"host-{address}.example", "one.example"],
        "ip": address, "ports": [53, 443], "tags": ["cloud"], "vulns": ["CVE-2021-44228", "CVE-2022-0001"],
    }


def greynoise(address):
    """What GreyNoise has of an address."""
    return {
        "ip": address, "noise": True, "riot": False, "classification": "malicious", "name": "unknown",
        "link": f"https://viz.greynoise.io/ip/{address}", "last_seen": "2026-11-20", "message": "Success",
    }


def abuseipdb(address):
    """What AbuseIPDB has of an address."""
    return {
        "data": {
            "ipAddress": address, "isPublic": True, "ipVersion": 4, "isWhitelisted": False,
            "abuseConfidenceScore": 100, "countryCode": "CN", "usageType": None, "isp": "An ISP",
            "domain": "isp.example", "hostnames": [], "totalReports": 37, "numDistinctUsers": 9,
            "lastReportedAt": "2026-11-20T20:55:14+00:00",
        }
    }


def own(address):
    """What a service of one's own has of an address."""
    return {
        "about": {"ip": address}, "name": "asset", "rank": 7, "weight": 0.5, "active": True, "owners": ["a", "b"],
        "list": [1, "two", None], "a/b": {"c~d": "escaped"},
    }


USUAL = {INTERNETDB: internetdb, GREYNOISE: greynoise, ABUSEIPDB: abuseipdb, OWN: own}
UNKNOWN = {
    INTERNETDB: {"detail": "No information available"},
    GREYNOISE: {"noise": False, "riot": False, "message": "IP not observed scanning the internet or contained in RIOT data set."},
    OWN: {"error": "none"},
}


class Asked:
    """The stand-ins for the services."""

    name = "services"

    def __init__(self, settings, _limits):
        self.settings = settings
        self.reset()

    def reset(self):
        """Forgets what was asked, and who is banned."""
        self.arrivals = defaultdict(deque)
        self.refusals = defaultdict(int)

    def understand(self, request):
        """What a request asks: `service HOST`."""
        host, _, path = request.path.lstrip("/").partition("/")
        address = {
            INTERNETDB: path,
            GREYNOISE: path.removeprefix("v3/community/"),
            ABUSEIPDB: request.query.get("ipAddress", "") if path == "api/v2/check" else "",
            OWN: path.removeprefix("v1/"),
        }.get(host, "")
        return Call(f"service {host}", request.method, [address] if _is_address(address) else [], path)

    def answer(self, request, call, client, now):
        """What is known of an address, if the client may ask."""
        host = call.name.removeprefix("service ")
        day = self.settings.services.get(host, {})
        if host not in USUAL or request.method != "GET" or not call.addresses:
            return Answer(400, b'{"error":"bad request"}')
        if host == ABUSEIPDB and request.query.get("maxAgeInDays") != "90":
            return Answer(422, b'{"errors":[{"detail":"maxAgeInDays","status":422}]}')
        key = request.headers.get(KEY_FIELDS.get(host, ""))
        keys = day.get("keys", ["test-key"])
        if key is not None and key not in keys or host == ABUSEIPDB and key is None:
            return Answer(401, b'{"errors":[{"detail":"Authentication failed.","status":401}]}')
        refusal, headers = self._count(host, day, (client, key), now)
        if refusal is not None:
            return refusal
        time.sleep(day.get("seconds", 0))
        return self._describe(host, day, call.addresses[0], headers)

    def _count(self, host, day, client, now):
        """Counts a request; the answer where it is one too many, and the headers that tell of the limit."""
        limit = day.get("limit", LIMITS[host])
        if self.refusals[client, host] >= day.get("ban_after", 3):
            return Answer(403, b'{"error":"banned"}'), []
        if limit is None:
            return None, []
        arrivals = self.arrivals[client, host]
        while arrivals and now - arrivals[0] >= limit[1]:
            arrivals.popleft()
        is_allowed = len(arrivals) < limit[0]
        if is_allowed:
            arrivals.append(now)
        rest = math.ceil(arrivals[0] + limit[1] - now)
        counts = [("X-RateLimit-Limit", limit[0]), ("X-RateLimit-Remaining", limit[0] - len(arrivals))]
        counts.append(("X-RateLimit-Reset", int(time.time()) + rest))
        if is_allowed:
            return None, counts if day.get("counts", host == ABUSEIPDB) else []
        self.refusals[client, host] += 1
        headers = [] if day.get("silent", host == GREYNOISE) else [("Retry-After", rest), *counts]
        return Answer(429, b'{"errors":[{"detail":"limit exceeded","status":429}]}', JSON, headers), []

    @staticmethod
    def _describe(host, day, address, headers):
        answers = day.get("answers", {})
        what = answers.get(address, answers.get("*", {}))
        if "location" in what:
            return Answer(what.get("status", 302), headers=[("Location", what["location"])])
        if what.get("unknown"):
            return Answer(404, json.dumps(UNKNOWN[host] | {"ip": address}).encode(), JSON, headers)
        body = what.get("body", json.dumps(USUAL[host](what.get("address", address)) | what.get("with", {})))
        if "size" in what:
            body = json.dumps(USUAL[host](address) | {"padding": "x" * what["size"]})
        return Answer(what.get("status", 200), body.encode(), what.get("type", JSON), [*headers, *what.get("headers", [])])


def _is_address(text):
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
