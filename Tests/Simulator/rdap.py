"""RDAP services of the five regional registries (RFC 9082, RFC 9083), each under its host: `/rdap.arin.net/registry/ip/8.8.8.8`, and IANA's files that say which has what (RFC 9224).

Each counts the requests of a client in any stretch of time, answers 429 to those that are too many, and after some of these 403 to all.
Who is asked about an address that is another's sends there.

`rdap` of the settings says what differs:

- `limits`: by the host, how many requests there may be in how many seconds; `null` for any number;
- `ban_after`: so many 429s until a client is banned; `silent`: whether a 429 does not tell until when;
- `networks`: by a network or by `FIRST-LAST`, what is answered about its addresses, the narrowest one first: see `describe`;
- `files`: IANA's files by their names, the `body`, `status` or `location` of the answer;
- `seconds`: before every answer.
"""

import ipaddress
import json
import math
import time
from collections import defaultdict, deque

from ip_api import Call
from wire import Answer

RDAP_JSON = "application/rdap+json"
ARIN, RIPE, APNIC = "rdap.arin.net", "rdap.db.ripe.net", "rdap.apnic.net"
LACNIC, AFRINIC = "rdap.lacnic.net", "rdap.afrinic.net"
SERVICES = {
    ARIN: "https://rdap.arin.net/registry/",
    RIPE: "https://rdap.db.ripe.net/",
    APNIC: "https://rdap.apnic.net/",
    LACNIC: "https://rdap.lacnic.net/rdap/",
    AFRINIC: "https://rdap.afrinic.net/rdap/",
}
LIMITS = {host: [1, 1.0] for host in SERVICES} | {LACNIC: [10, 60.0]}
BLOCKS = {
    ARIN: ["3.0.0.0/8", "4.0.0.0/8", "8.0.0.0/8", "9.0.0.0/8", "2600::/12"],
    RIPE: ["2.0.0.0/8", "5.0.0.0/8", "31.0.0.0/8", "2a00::/12"],
    APNIC: ["1.0.0.0/8", "14.0.0.0/8", "27.0.0.0/8", "2400::/12"],
    LACNIC: ["177.0.0.0/8", "179.0.0.0/8", "200.0.0.0/8", "2800::/12"],
    AFRINIC: ["41.0.0.0/8", "102.0.0.0/8", "2c00::/12"],
}
DELEGATED = [(ipaddress.ip_network(block), host) for host, blocks in BLOCKS.items() for block in blocks]


def host_of(address):
    """The host of the registry that has an address, or None."""
    return next((host for block, host in DELEGATED if address in block), None)


def card(name=None, mails=()):
    """A jCard (RFC 7095) with a name and addresses of e-mail, each with its parameters if it has any."""
    properties = [["version", {}, "text", "4.0"]]
    if name is not None:
        properties.append(["fn", {}, "text", name])
    for mail in mails:
        text, parameters = mail if isinstance(mail, (list, tuple)) else (mail, {})
        properties.append(["email", parameters, "text", text])
    return ["vcard", properties]


def describe(first, last, **what):
    """An answer about a network: `name`, `registrant`, `abuse` (addresses of e-mail), `nested` (whether those stand within the registrant), `cidr0` (whether there are blocks)."""
    abuse = {"objectClassName": "entity", "roles": ["abuse"], "vcardArray": card("Abuse", what.get("abuse", []))}
    holder = {"objectClassName": "entity", "roles": ["registrant"], "vcardArray": card(what.get("registrant"))}
    is_nested = what.get("nested", True)
    if is_nested:
        holder["entities"] = [abuse]
    answer = {
        "rdapConformance": ["rdap_level_0", "cidr0"],
        "objectClassName": "ip network",
        "handle": f"NET-{first}",
        "startAddress": str(first),
        "endAddress": str(last),
        "ipVersion": f"v{first.version}",
        "name": what.get("name"),
        "entities": [holder] if is_nested else [holder, abuse],
    }
    if what.get("cidr0", True):
        key = f"v{first.version}prefix"
        blocks = ipaddress.summarize_address_range(first, last)
        answer["cidr0_cidrs"] = [{key: str(b.network_address), "length": b.prefixlen} for b in blocks]
    if what.get("ends", True) is False:
        del answer["startAddress"], answer["endAddress"]
    return answer


def usual(address):
    """What is answered about an address of which nothing is set: its /24, or of IPv6 its /48."""
    block = ipaddress.ip_network(f"{address}/{24 if address.version == 4 else 48}", strict=False)
    name = "NET-" + str(block.network_address).replace(".", "-").replace(":", "-")
    return describe(block[0], block[-1], name=name, registrant=f"Owner of {block}", abuse=[f"abuse@{name.lower()}.example"])


def ends(text):
    """The first and the last address of a network or of a range."""
    if "-" in text:
        first, last = text.split("-")
        return ipaddress.ip_address(first), ipaddress.ip_address(last)
    block = ipaddress.ip_network(text)
    return block[0], block[-1]


class Rdap:
    """The stand-ins for the registries."""

    name = "rdap"

    def __init__(self, settings, _limits):
        self.settings = settings
        self.reset()

    def reset(self):
        """Forgets what was asked, and who is banned."""
        self.arrivals = defaultdict(deque)
        self.refusals = defaultdict(int)

    def understand(self, request):
        """What a request asks: `rdap HOST`."""
        host, _, path = request.path.lstrip("/").partition("/")
        address = path.rpartition("ip/")[2]
        return Call(f"rdap {host}", request.method, [address] if host in SERVICES else [], path)

    def answer(self, request, call, client, now):
        """What is known of an address, if the client may ask."""
        host = call.name.removeprefix("rdap ")
        if host not in SERVICES or request.method != "GET":
            return Answer(400, b"{}", RDAP_JSON)
        refusal = self._refusal(host, client, now)
        if refusal is not None:
            return refusal
        prefix = SERVICES[host].partition(host + "/")[2] + "ip/"
        if not call.items.startswith(prefix) or "rdap+json" not in request.headers.get("accept", ""):
            return Answer(400, b'{"errorCode":400}', RDAP_JSON)
        return self._describe(host, call.items.removeprefix(prefix))

    def _refusal(self, host, client, now):
        """Counts a request; the answer where it is one too many."""
        day = self.settings.rdap
        limit = day.get("limits", {}).get(host, LIMITS[host])
        if self.refusals[client, host] >= day.get("ban_after", 3):
            return Answer(403, b'{"errorCode":403}', RDAP_JSON)
        if limit is None:
            return None
        arrivals = self.arrivals[client, host]
        while arrivals and now - arrivals[0] >= limit[1]:
            arrivals.popleft()
        if len(arrivals) < limit[0]:
            arrivals.append(now)
            return None
        self.refusals[client, host] += 1
        rest = math.ceil(arrivals[0] + limit[1] - now)
        headers = [] if day.get("silent") else [("Retry-After", rest)]
        return Answer(429, b'{"errorCode":429}', RDAP_JSON, headers)

    def _describe(self, host, text):
        time.sleep(self.settings.rdap.get("seconds", 0))
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return Answer(400, b'{"errorCode":400}', RDAP_JSON)
        set_for = [
            (int(last) - int(first), first, last, what)
            for key, what in self.settings.rdap.get("networks", {}).items()
            for first, last in [ends(key)]
            if first.version == address.version and first <= address <= last
        ]
        if not set_for:
            owner = host_of(address)
            if owner != host:
                return self._elsewhere(owner, address)
            return Answer(200, json.dumps(usual(address)).encode(), RDAP_JSON)
        _, first, last, what = min(set_for, key=lambda found: found[0])
        if what.get("host", host) != host:
            return self._elsewhere(what["host"], address)
        if "location" in what:
            return Answer(what.get("status", 302), headers=[("Location", what["location"])])
        if "says" in what:
            first, last = ends(what["says"])
        body = what.get("body", json.dumps(describe(first, last, **what)))
        status = what.get("status", 200)
        return Answer(status, body.encode(), what.get("type", RDAP_JSON), what.get("headers", []))

    @staticmethod
    def _elsewhere(host, address):
        if host is None:
            return Answer(404, b'{"errorCode":404}', RDAP_JSON)
        return Answer(302, headers=[("Location", f"{SERVICES[host]}ip/{address}")])


class Directories:
    """The stand-in for data.iana.org."""

    name = "rdap-bootstrap"

    def __init__(self, settings, _limits):
        self.settings = settings

    def reset(self):
        """Has nothing to forget."""

    def understand(self, request):
        """What a request asks."""
        return Call(f"bootstrap {request.path.rpartition('/')[2]}", request.method, [])

    def answer(self, request, call, client, now):
        """A file as it is."""
        name = call.name.removeprefix("bootstrap ")
        day = self.settings.rdap.get("files", {}).get(name, {})
        if "location" in day:
            return Answer(302, headers=[("Location", day["location"])])
        if request.path not in ("/data.iana.org/rdap/ipv4.json", "/data.iana.org/rdap/ipv6.json"):
            return Answer(404, b"none", "text/plain")
        return Answer(day.get("status", 200), day.get("body", directory(name)).encode())


def directory(name):
    """IANA's file of the IPv4 or the IPv6 networks."""
    services = [
        [[block for block in blocks if (":" in block) == (name == "ipv6.json")], ["http://" + SERVICES[host][8:], SERVICES[host]]]
        for host, blocks in BLOCKS.items()
    ]
    return json.dumps({"version": "1.0", "publication": "2026-11-22T00:00:00Z", "services": services})
