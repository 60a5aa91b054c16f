"""The lists and databases that others publish, each under its host: `/ip-ranges.amazonaws.com/ip-ranges.json`.

`lists` of the settings says what differs, by a path without its first slash: the answer's `body`
(or `hex`, of bytes, or `file`, the path of one), `status`, `type`, `etag` (else the hash of the
body) or `location`. There is no database unless they say so. Two owners of databases ask who it is:
MaxMind, whose answer leads to a store on another host, which accepts no one else's secrets, and IPinfo.
"""

import hashlib
import json
from base64 import b64encode
from pathlib import Path

from ip_api import Call
from wire import JSON, Answer

AWS = "ip-ranges.amazonaws.com/ip-ranges.json"
GOOGLE = "www.gstatic.com/ipranges/goog.json"
CLOUD = "www.gstatic.com/ipranges/cloud.json"
CLOUDFLARE = ["www.cloudflare.com/ips-v4", "www.cloudflare.com/ips-v6"]
TOR = "check.torproject.org/torbulkexitlist"
RELAY = "mask-api.icloud.com/egress-ip-ranges.csv"
DROP = ["www.spamhaus.org/drop/drop_v4.json", "www.spamhaus.org/drop/drop_v6.json"]
GITHUB = "api.github.com/meta"
GEOLITE = "download.maxmind.com/geoip/databases/GeoLite2-City/download"
IPINFO_LITE = "ipinfo.io/data/ipinfo_lite.mmdb"
# Where MaxMind's answer leads: 127.0.0.1 by another name, which is another host.
STORE = "store.r2.cloudflarestorage.com/GeoLite2-City.tar.gz"
ACCOUNT, KEY = "271828", "test-key_0123456789"
ORACLE = "docs.oracle.com/en-us/iaas/tools/public_ip_ranges.json"


def aws(*rows):
    """AWS's document of rows: a network, its region and service."""
    document = {"syncToken": "1", "createDate": "2026-11-22-00-00-00", "prefixes": [], "ipv6_prefixes": []}
    for network, region, service in rows:
        version = ("ipv6_prefix", "ipv6_prefixes") if ":" in network else ("ip_prefix", "prefixes")
        row = {version[0]: network, "region": region, "service": service, "network_border_group": region}
        document[version[1]].append(row)
    return json.dumps(document, indent=2)


def google(*rows):
    """Google's document of rows: a network, and in that of its cloud the scope."""
    prefixes = []
    for network, *scope in rows:
        row = {"ipv6Prefix" if ":" in network else "ipv4Prefix": network}
        prefixes.append({**row, "service": "Google Cloud", "scope": scope[0]} if scope else row)
    return json.dumps({"syncToken": "1", "creationTime": "2026-11-22T00:00:00.000", "prefixes": prefixes})


USUAL = {
    AWS: aws(
        ("3.5.140.0/22", "ap-northeast-2", "AMAZON"), ("3.5.140.0/22", "ap-northeast-2", "S3"),
        ("52.94.0.0/16", "us-east-1", "AMAZON"), ("2600:1f00::/24", "us-east-1", "AMAZON"),
    ),
    GOOGLE: google(["8.8.8.0/24"], ["34.64.0.0/10"], ["2001:4860::/32"]),
    CLOUD: google(["34.80.0.0/15", "asia-east1"], ["2600:1900::/35", "us-central1"]),
    CLOUDFLARE[0]: "173.245.48.0/20\n104.16.0.0/13",
    CLOUDFLARE[1]: "2400:cb00::/32\n2606:4700::/32",
    TOR: "".join(f"185.220.101.{n}\n" for n in range(200)),
}



def drop(*rows):
    """Spamhaus's lines of rows: a network, its number and registry."""
    lines = [json.dumps({"cidr": network, "sblid": number, "rir": registry}) for network, number, registry in rows]
    end = {"type": "metadata", "timestamp": 1795000000, "size": 1, "records": len(rows), "copyright": "(c) 2026"}
    return "\n".join([*lines, json.dumps(end)]) + "\n"


# Those that are fetched only once they are named.
RARE = {
    RELAY: "172.224.224.0/27,GB,GB-EN,London,\n2a02:26f7:b0c0:4000::/64,DE,DE-BE,Berlin,\n",
    DROP[0]: drop(("1.10.16.0/20", "SBL256894", "apnic"), ("1.19.0.0/16", "SBL434604", "apnic")),
    DROP[1]: drop(("2001:678:738::/48", "SBL635837", "ripencc")),
    "developers.google.com/static/search/apis/ipranges/googlebot.json": google(["66.249.64.0/27"], ["2001:4860:4801:10::/64"]),
    "www.bing.com/toolbox/bingbot.json": google(["157.55.39.0/24"]),
    "openai.com/gptbot.json": google(["52.230.152.0/24"]),
    GITHUB: json.dumps({
        "verifiable_password_authentication": False, "ssh_keys": ["ssh-ed25519 AAAA"],
        "hooks": ["192.30.252.0/22"], "web": ["192.30.252.0/22", "2a0a:a440::/29"], "empty": [],
        "domains": {"website": ["*.github.com"]},
    }),
    "api.fastly.com/public-ip-list": json.dumps({"addresses": ["23.235.32.0/20"], "ipv6_addresses": ["2a04:4e40::/32"]}),
    ORACLE: json.dumps({
        "last_updated_timestamp": "2026-11-22T00:00:00.000000",
        "regions": [{"region": "us-phoenix-1", "cidrs": [{"cidr": "129.146.0.0/21", "tags": ["OCI", "OSN"]}]}],
    }),
}


class Lists:
    """The stand-in for those who publish lists."""

    name = "tables"

    def __init__(self, settings, _limits):
        self.settings = settings

    def reset(self):
        """Has nothing to forget."""

    def understand(self, request):
        """What a request asks."""
        return Call(f"tables {request.path.lstrip('/')}", request.method, [])

    def refusal(self, request, path):
        """What is answered to who may not have a database, or to who tells a secret to a store; None for others."""
        said = request.headers.get("authorization")
        wanted = {
            GEOLITE: "Basic " + b64encode(f"{ACCOUNT}:{KEY}".encode()).decode(),
            IPINFO_LITE: f"Bearer {self.settings.tokens[0]}" if self.settings.tokens else None,
        }
        if path in wanted:
            status = 401 if path == GEOLITE else 403
            return None if said == wanted[path] else Answer(status, b"Invalid license key", "text/plain")
        return Answer(400, b"only one way to say who it is", "text/plain") if said else None

    def answer(self, request, call, client, now):
        """A list, or that it is still the same."""
        path = request.path.lstrip("/")
        refusal = self.refusal(request, path)
        if refusal:
            return refusal
        day = self.settings.lists.get(path, {})
        if path == GEOLITE and not day:
            place = f"http://localhost:{request.headers['host'].rpartition(':')[2]}/{STORE}?X-Amz-Signature=abc"
            return Answer(302, headers=[("Location", place)])
        body = day.get("body", (USUAL | RARE).get(path))
        content = (body or "").encode()
        if "hex" in day or "file" in day:
            content = bytes.fromhex(day["hex"]) if "hex" in day else Path(day["file"]).read_bytes()
            body = content
        if "location" in day:
            return Answer(day.get("status", 301), headers=[("Location", day["location"])])
        if body is None:
            return Answer(404, b"none", "text/plain")
        tag = day.get("etag", f'"{hashlib.sha256(content).hexdigest()[:16]}"')
        headers = [("ETag", tag)] if tag else []
        if tag and request.headers.get("if-none-match") == tag:
            return Answer(304, headers=headers)
        media = JSON if path.endswith(".json") else "text/plain"
        return Answer(day.get("status", 200), content, day.get("type", media), headers)
