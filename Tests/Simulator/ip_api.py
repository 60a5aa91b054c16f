"""ip-api.com: `/json/{query}` and `/batch`, free and pro.

https://ip-api.com/docs/api:json, https://ip-api.com/docs/api:batch,
https://members.ip-api.com/docs/json; key order and errors as in the official caching proxy
(https://github.com/ip-api/proxy).
"""

import json
from dataclasses import dataclass
from socket import AF_INET, inet_pton
from zlib import crc32

from answers import (
    DEFAULT_MASK,
    FIELD_BITS,
    SPECIAL_OCTETS,
    TEMPLATES,
    answer,
    parse,
    special_message,
    template,
)
from documented import DOCUMENTED, LANGUAGES, LOCALISED
from hostile import make_hostile
from wire import Answer

BAD_KEY = {
    "status": "fail",
    "message": "invalid/expired key, renew at https://members.ip-api.com/order",
}
HOSTS = {"dns.google": "8.8.8.8", "one.one.one.one": "1.1.1.1"}
LARGEST_BATCH = 100


@dataclass
class Call:
    """A request as a service understands it: what it is for and the addresses it asks about."""

    name: str
    method: str
    addresses: list
    items: object = None


def mask_of(text):
    """The bits of a `fields` value: a number, or names of which unknown ones are ignored."""
    if text is None or text == "":
        return DEFAULT_MASK
    if isinstance(text, int):
        return text
    if text.isdigit():
        return int(text)
    return sum({FIELD_BITS.get(name.strip(), 0) for name in text.split(",")})


def dump(value):
    """Compact JSON with texts as they are, like the service's."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class IPAPI:
    """The stand-in for ip-api.com."""

    name = "ip-api"

    def __init__(self, settings, limits):
        self.settings = settings
        self.limits = limits
        self.prepared = {}

    def reset(self):
        """Begins all windows anew."""
        self.limits.reset()

    def understand(self, request):
        """What a request asks."""
        if request.path == "/batch":
            items = _items(request.body) if request.method == "POST" else None
            return Call("ip-api batch", request.method, _addresses(items), items)
        if request.path == "/json" or request.path.startswith("/json/"):
            query = request.path[len("/json/"):] or self.settings.caller
            return Call("ip-api single", request.method, [query], query)
        return Call("ip-api other", request.method, [])

    def answer(self, request, call, client, now):
        """The answer to a request: key, ban and rate limit first, as the service does."""
        kind = call.name.split()[1]
        if kind == "other":
            return Answer(404, b"404 page not found\n", "text/plain; charset=utf-8")
        if "key" in request.query:
            if request.query["key"] not in self.settings.keys:
                return Answer(403, dump(BAD_KEY).encode())
            return self._content(request, call, [])
        if self.limits.is_banned(client, now):
            return Answer(self.settings.ban_status)
        limit = self.settings.batch_limit if kind == "batch" else self.settings.single_limit
        if limit is None:
            return self._content(request, call, [])
        is_allowed, headers = self.limits.spend(client, kind, limit, self.settings, now)
        if not is_allowed:
            return Answer(429, headers=headers)
        return self._content(request, call, headers)

    def _content(self, request, call, headers):
        mask = mask_of(request.query.get("fields"))
        language = request.query.get("lang", "en")
        if call.name == "ip-api single":
            body = dump(self._record(HOSTS.get(call.items, call.items), mask, language, call.items))
            return Answer(body=body.encode("utf-8", "replace"), headers=headers)
        if request.method != "POST":
            return Answer(405, headers=[*headers, ("Allow", "POST")])
        if not call.items:
            body = dump([{"status": "fail", "message": "invalid body"}])
            return Answer(body=body.encode(), headers=headers)
        if len(call.items) > LARGEST_BATCH:
            return Answer(422, headers=headers)
        body = self._batch(call.items, mask, language)
        return Answer(body=body.encode("utf-8", "replace"), headers=headers)

    def _batch(self, items, mask, language):
        is_plain = language == "en" and not self.settings.hostile
        if not is_plain or mask & FIELD_BITS["reverse"] or not mask & FIELD_BITS["query"]:
            return "[" + ",".join([self._item(item, mask, language) for item in items]) + "]"
        heads = self._heads(mask)
        parts = []
        for item in items:
            # The quick way, for plain public IPv4 addresses: a prepared text and the address.
            try:
                packed = inet_pton(AF_INET, item)
                if packed[0] in SPECIAL_OCTETS or item in DOCUMENTED:
                    raise OSError
            except (OSError, TypeError, ValueError):
                parts.append(self._item(item, mask, language))
                continue
            head, tail = heads[crc32(packed) % TEMPLATES]
            parts.append(f"{head}{item}{tail}")
        return "[" + ",".join(parts) + "]"

    def _heads(self, mask):
        """The text before the address and the one after it, for each prepared answer."""
        if mask not in self.prepared:
            texts = [
                dump(_selected(dict(template(number), query="\0"), mask))
                for number in range(TEMPLATES)
            ]
            self.prepared[mask] = [text.split("\\u0000") for text in texts]
        return self.prepared[mask]

    def _item(self, item, mask, language):
        """A batch element: a text, or an object whose values override the URL's."""
        if isinstance(item, dict):
            mask = mask_of(item["fields"]) if "fields" in item else mask
            # An unknown language falls back to the request's own.
            language = item["lang"] if item.get("lang") in LANGUAGES else language
            item = item["query"]
        return dump(self._record(item, mask, language, item))

    def _record(self, query, mask, language, asked):
        if language not in LANGUAGES:
            return {"status": "fail", "message": "invalid language", "query": asked}
        record = dict(answer(query), query=asked)
        names = LOCALISED.get(language, {})
        for field in ("continent", "country", "regionName", "city"):
            if record.get(field) in names:
                record[field] = names[record[field]]
        if self.settings.hostile:
            record = make_hostile(record)
        return _selected(record, mask)


def _selected(record, mask):
    return {
        name: record[name] for name, bit in FIELD_BITS.items() if mask & bit and name in record
    }


def _items(body):
    """The batch's elements, or None where the body has the wrong shape."""
    try:
        items = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(items, list):
        return None
    for item in items:
        if type(item) is str:
            continue
        if not isinstance(item, dict) or not isinstance(item.get("query"), str):
            return None
        if not isinstance(item.get("fields", ""), (str, int)):
            return None
    return items


def _addresses(items):
    return [item if type(item) is str else item["query"] for item in items or []]


def is_special(text):
    """Whether a text is an address that a client ought to know for special-purpose itself."""
    address = parse(text)
    return address is not None and special_message(address) is not None
