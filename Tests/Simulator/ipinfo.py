"""ipinfo.io: the legacy API, Lite, and their batches.

https://ipinfo.io/developers, https://ipinfo.io/developers/batch,
https://ipinfo.io/developers/lite-api. Lite has its own host there (api.ipinfo.io); here it is
found under `/lite/…` and `/batch/lite`, and, as on a mirror that has that whole host under
`/lite`, under `/lite/lite/…` and `/lite/batch/lite` too.
"""

import json

from answers import ipinfo_answer, lite_answer
from hostile import make_hostile
from ip_api import Call
from wire import JSON, Answer

TEXT = "text/plain; charset=utf-8"
LARGEST_BATCH = 1000

UNKNOWN_TOKEN = {
    "status": 403,
    "error": {
        "title": "Unknown token",
        "message": "Please ensure you've entered your token correctly. Refer to "
        "https://ipinfo.io/developers for details, or contact us at support@ipinfo.io for help",
    },
}
WRONG_IP = {
    "status": 404,
    "error": {"title": "Wrong ip", "message": "Please provide a valid IP address"},
}
DAILY_LIMIT = {
    "status": 429,
    "error": {
        "title": "Rate limit exceeded",
        "message": "You've hit the daily limit for the unauthenticated API.  Create an API access "
        "token by signing up to get 50k req/month.",
    },
}
TOKEN_LIMIT = {
    "status": 429,
    "error": {
        "title": "Rate limit exceeded",
        "message": "Upgrade to increase your usage limits at https://ipinfo.io/pricing, or "
        "contact us via https://ipinfo.io/support",
    },
}
NO_ENDPOINT = {"error": "Endpoint not found. Did you mean /lite/me or /lite/8.8.8.8?"}


def _json(value, status=200):
    """Pretty-printed as the service does it, with two spaces."""
    return Answer(status, json.dumps(value, indent=2, ensure_ascii=False).encode(), JSON)


class IPinfo:
    """The stand-in for ipinfo.io and api.ipinfo.io."""

    name = "ipinfo"

    def __init__(self, settings, _limits):
        self.settings = settings
        self.reset()

    def reset(self):
        """Begins the day and the month anew."""
        self.spent = {}

    def understand(self, request):
        """What a request asks."""
        path = request.path
        if path.startswith("/lite/lite/") or path == "/lite/batch/lite":
            path = path[len("/lite"):]
        parts = [part for part in path.split("/") if part]
        if path in ("/batch", "/batch/legacy", "/batch/lite"):
            items = _items(request.body)
            name = "ipinfo batch-lite" if path == "/batch/lite" else "ipinfo batch"
            addresses = [_address(item) for item in items or []]
            return Call(name, request.method, addresses, items)
        if path == "/me":
            return Call("ipinfo me", request.method, [])
        if parts[:1] == ["lite"] and len(parts) in (2, 3):
            address = self.settings.caller if parts[1] == "me" else parts[1]
            return Call("ipinfo lite", request.method, [address], [address, *parts[2:]])
        if not parts or parts[0] in ("json", "geo"):
            parts.insert(0, self.settings.caller)
        if len(parts) <= 2:
            return Call("ipinfo single", request.method, [parts[0]], parts)
        return Call("ipinfo other", request.method, [])

    def answer(self, request, call, client, now):
        """The answer to a request; the token is looked at first."""
        token = request.token
        if token is not None and token not in self.settings.tokens:
            return _json(UNKNOWN_TOKEN, 403)
        kind = call.name.split()[1]
        if kind == "other":
            return _json(NO_ENDPOINT, 404)
        if kind == "me":
            return self._me(token)
        if kind.startswith("batch"):
            return self._batch(request, call, token)
        if kind == "lite":
            return self._lite(call, token)
        if not self._spend(token or client, token, 1):
            return _json(TOKEN_LIMIT if token else DAILY_LIMIT, 429)
        return self._single(request, call, token)

    def _spend(self, account, token, count):
        """Counts addresses against the day's limit of a client or the month's of a token."""
        limit = self.settings.token_limit if token else self.settings.daily_limit
        spent = self.spent.get(account, 0)
        if limit is not None and spent + count > limit:
            return False
        self.spent[account] = spent + count
        return True

    def _me(self, token):
        if token is None:
            return _json(UNKNOWN_TOKEN, 403)
        spent, limit = self.spent.get(token, 0), self.settings.token_limit or 50_000
        requests = {"day": spent, "month": spent, "limit": limit, "remaining": limit - spent}
        return _json({"token": token, "requests": requests, "features": {}})

    def _single(self, request, call, token):
        address, *rest = call.items
        record = self._record(address, token)
        if record is None:
            return _json(WRONG_IP, 404)
        if not rest and "text/html" in request.headers.get("accept", ""):
            return Answer(200, b"<!DOCTYPE html><title>ipinfo</title>", "text/html; charset=utf-8")
        if not rest or rest == ["json"]:
            return _json(record)
        if rest == ["geo"]:
            wanted = "ip city region country loc postal timezone bogon readme".split()
            return _json({name: record[name] for name in wanted if name in record})
        return Answer(200, f"{record.get(rest[0], '')}\n".encode(), TEXT)

    def _lite(self, call, token):
        if token is None:
            return _json(UNKNOWN_TOKEN, 403)
        address, *rest = call.items
        record = self._lite_record(address)
        if record is None:
            return _json({"error": "Please provide a valid IP address"}, 400)
        if not rest:
            return _json(record)
        if rest[0] not in record:
            return _json({"error": f"{rest[0]} is not a valid field."}, 404)
        return Answer(200, f"{record[rest[0]]}\n".encode(), TEXT)

    def _batch(self, request, call, token):
        if token is None:  # the status of this answer is not documented
            return _json({"error": "API token required"}, 403)
        if request.method != "POST":
            return _json(NO_ENDPOINT, 404)
        if call.items is None or len(call.items) > LARGEST_BATCH:
            return _json({"error": "Invalid request body"}, 400)
        distinct = list(dict.fromkeys(call.items))
        is_lite = call.name == "ipinfo batch-lite"
        # Lite is not limited.
        if not is_lite and not self._spend(token, token, len(distinct)):
            return _json(TOKEN_LIMIT, 429)
        values = {item: self._item(item, is_lite, token) for item in distinct}
        if request.query.get("filter"):
            values = {item: value for item, value in values.items() if value != ""}
        return _json(values)

    def _item(self, item, is_lite, token):
        """A batch element is a path: an address, with `lite/` before or a field after it."""
        path = item.strip("/")
        if path.startswith("lite/"):
            path, is_lite = path[len("lite/"):], True
        address, _, field = path.partition("/")
        record = self._lite_record(address) if is_lite else self._record(address, token)
        if record is None:
            return WRONG_IP
        return record.get(field, "") if field and field != "json" else record

    def _record(self, address, token):
        record = ipinfo_answer(address)
        if record is None:
            return None
        if token is None and "bogon" not in record:
            anycast = {"anycast": True} if record.pop("anycast", False) else {}
            record |= {"readme": "https://ipinfo.io/missingauth", **anycast}
        return make_hostile(record) if self.settings.hostile else record

    def _lite_record(self, address):
        record = lite_answer(address)
        if record is None or not self.settings.hostile:
            return record
        return make_hostile(record)


def _items(body):
    """The batch's elements: a JSON array of texts, or a line each."""
    if body.lstrip()[:1] in (b"[", b"{", b'"'):
        try:
            items = json.loads(body)
        except ValueError:
            return None
        is_right = isinstance(items, list) and all(isinstance(item, str) for item in items)
        return items if is_right else None
    try:
        return [line.strip() for line in body.decode().splitlines() if line.strip()]
    except UnicodeDecodeError:
        return None


def _address(item):
    return item.strip("/").removeprefix("lite/").partition("/")[0]
