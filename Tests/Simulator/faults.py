"""Faults on demand.

A rule is an object with `fault`, the fault's own settings, and what it applies to:

- `call`: "ip-api batch", "ip-api single", "ipinfo batch", "ipinfo lite", … or only "ip-api";
- `address`: only requests that ask about this address (a poison address);
- `from`, `to`: only requests with these numbers, counted from 1 for each call since the last reset;
- `next`: only the next so many requests that match all that;
- `probability`: only so large a part of them, chosen by the seed, the request's content and how
  often that content came before, so that the same run meets the same faults.

The first rule that applies wins. Faults:

- `status`: `status` (503), `retry_after` (seconds, or "date:SECONDS" for an HTTP date), `headers`
  (more of them, an object), `body`, `type`; a 429 has `X-Rl: 0` and `X-Ttl` only if `headers`
  say so;
- `forbidden_json`, `forbidden_html`, `login_302`, `login_200`, `empty`, `garbage`;
- `delay` (`seconds`), `hold` (until there are other rules), `drip` (a byte at a time, `seconds` in
  all), `hang` (never answers);
- `reset`, `close` (before any answer), `cut` (in the middle of the body, by a reset with
  `"how": "reset"`);
- `truncated` (half a JSON with its right length), `long_length`, `short_length`, `huge` (`bytes`);
- `wrong_types`, `wrong_shape`;
- `lying_headers` (`headers`: by their names, in place of the answer's own; a list is a field for
  each value, an empty one takes the field away): a right answer that lies about time;
- `big_header` (`lines` of together `bytes`), `gzip_tail` (bytes behind the end of the compression);
- `missing`, `doubled`, `reordered`, `foreign`, `no_query`: what is wrong with the entries;
- `entry_error` (`message`, and `status`: "error" or "fail"), `huge_values` (numbers out of their
  range, texts of `bytes`): what each entry says, or only the one about the address `of`.

A fault that replaces the answer does not count against the service's limits; one that spoils it
does.
"""

import gzip
import json
import random
import time
from collections import Counter
from email.utils import formatdate
from zlib import crc32

from answers import answer
from wire import Answer

LOGIN_PAGE = (
    b"<!DOCTYPE html><html><head><title>Wi-Fi login</title></head>"
    b'<body><form action="/login">Please log in</form></body></html>'
)
HTML = "text/html; charset=utf-8"

REPLACING = {
    "status", "forbidden_json", "forbidden_html", "login_302", "login_200", "empty", "garbage",
    "hang", "reset", "close", "huge",
}
MANNERS = {"delay", "hold", "drip", "cut", "long_length", "short_length"}
SPOILING = {
    "truncated", "wrong_types", "wrong_shape", "missing", "doubled", "reordered", "foreign",
    "no_query", "lying_headers", "big_header", "gzip_tail", "entry_error", "huge_values",
}
ALL = REPLACING | MANNERS | SPOILING
SELECTORS = {"call", "address", "from", "to", "next", "probability"}


class Rules:
    """The rules in force, and what has been used up of them."""

    def __init__(self, rules=()):
        for rule in rules:
            if not isinstance(rule, dict) or rule.get("fault") not in ALL:
                raise ValueError(f"no such fault: {rule}")
        self.rules = [dict(rule) for rule in rules]
        self.seen = Counter()

    def choose(self, request, call, number, seed):
        """The rule that applies to a request, or None."""
        if not self.rules:
            return None
        content = crc32(request.body, crc32(request.target.encode()))
        self.seen[content] += 1
        for position, rule in enumerate(self.rules):
            if not _matches(rule, call, number):
                continue
            chooser = random.Random(f"{seed} {position} {content} {self.seen[content]}")
            if chooser.random() >= rule.get("probability", 1):
                continue
            if "next" in rule:
                if rule["next"] <= 0:
                    continue
                rule["next"] -= 1
            return dict(rule, chooser=chooser)
        return None


def _matches(rule, call, number):
    wanted = rule.get("call")
    if wanted is not None and wanted != call.name and wanted != call.name.split()[0]:
        return False
    if "address" in rule and rule["address"] not in call.addresses:
        return False
    return rule.get("from", 1) <= number <= rule.get("to", number)


def replacement(rule, location):
    """The answer that a rule puts in the place of the service's own."""
    fault = rule["fault"]
    if fault == "status":
        return _status(rule)
    if fault == "forbidden_json":
        return Answer(403, b'{"status":403,"error":{"title":"Forbidden","message":"Blocked"}}')
    if fault == "forbidden_html":
        return Answer(403, b"<html><body><h1>403 Forbidden</h1></body></html>", HTML)
    if fault == "login_302":
        return Answer(302, LOGIN_PAGE, HTML, [("Location", rule.get("location", location))])
    if fault == "login_200":
        return Answer(200, LOGIN_PAGE, HTML)
    if fault == "empty":
        return Answer(200)
    if fault == "huge":
        return Answer(200, b'[{"status":"' + b"x" * rule.get("bytes", 20 << 20) + b'"}]')
    return Answer(200, rule["chooser"].randbytes(200))


def _status(rule):
    headers = _lines(rule.get("headers", {}))
    retry_after = rule.get("retry_after")
    if isinstance(retry_after, str) and retry_after.startswith("date:"):
        retry_after = formatdate(time.time() + float(retry_after[5:]), usegmt=True)
    if retry_after is not None:
        headers.append(("Retry-After", str(retry_after)))
    body = rule.get("body", "").encode()
    return Answer(rule.get("status", 503), body, rule.get("type", "text/plain"), headers)


def _lines(headers):
    """The header fields of a rule; a list of values is as many fields."""
    return [
        (name, str(value))
        for name, values in headers.items()
        for value in (values if isinstance(values, list) else [values])
    ]


def spoil(rule, whole):
    """A right answer with the rule's fault in its content."""
    fault, chooser = rule["fault"], rule["chooser"]
    if fault == "truncated":
        return Answer(whole.status, whole.body[: len(whole.body) // 2], whole.type, whole.headers)
    if fault == "lying_headers":
        lies = _lines(rule.get("headers", {}))
        named = {name.lower() for name in rule.get("headers", {})}
        true = [(name, value) for name, value in whole.headers if name.lower() not in named]
        return Answer(whole.status, whole.body, whole.type, [*true, *lies])
    if fault == "big_header":
        lines = rule.get("lines", 1)
        size = rule.get("bytes", 250_000) // lines
        headers = [*whole.headers, *((f"X-Filler-{n}", "x" * size) for n in range(lines))]
        return Answer(whole.status, whole.body, whole.type, headers)
    if fault == "gzip_tail":
        body = gzip.compress(whole.body) + b"tail"
        headers = [*whole.headers, ("Content-Encoding", "gzip")]
        return Answer(whole.status, body, whole.type, headers)
    try:
        value = json.loads(whole.body)
    except ValueError:
        return whole
    if fault in ("entry_error", "huge_values"):
        value = _changed(value, rule)
    elif fault == "wrong_shape":
        value = chooser.choice([{"entries": value}, None, 7, "text", [value], []])
    elif fault == "wrong_types":
        value = _with_wrong_types(value)
    elif isinstance(value, list):
        value = _spoilt_list(fault, value, chooser)
    elif isinstance(value, dict):
        value = _spoilt_object(fault, value, chooser)
    body = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    return Answer(whole.status, body, whole.type, whole.headers)


def _changed(value, rule):
    """An answer of either service with what the rule says of its entries."""
    change = _in_error if rule["fault"] == "entry_error" else _huge

    def entry(address, fields):
        return change(fields, address, rule) if rule.get("of", address) == address else fields

    if isinstance(value, list):
        return [entry(fields.get("query"), fields) for fields in value]
    if "query" in value or "ip" in value:
        return entry(value.get("query", value.get("ip")), value)
    return {address: entry(address, fields) for address, fields in value.items()}


def _in_error(fields, address, rule):
    message = rule.get("message", "backend timeout")
    if "query" not in fields:
        return {"status": 503, "error": {"title": "Unavailable", "message": message}}
    return {"status": rule.get("status", "error"), "message": message, "query": address}


def _huge(fields, address, rule):
    """ip-api's, ipinfo's and Lite's names; a field that is not there stays away."""
    text = "ä" * (rule.get("bytes", 1_000_000) // 2)
    huge = {
        "lat": 1e300, "lon": -180.5, "loc": "1e300,-180.5", "as": f"AS4294967296 {text}",
        "org": f"AS4294967296 {text}", "asn": "AS4294967296", "countryCode": "USA", "city": text,
        "country_code": "USA", "message": text,
    }
    return {name: huge.get(name, entry) for name, entry in fields.items()}


def _with_wrong_types(value):
    if isinstance(value, list):
        return [_with_wrong_types(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    wrong = {}
    for name, entry in value.items():
        if isinstance(entry, dict):
            wrong[name] = _with_wrong_types(entry)
        elif name in ("lat", "lon", "loc", "latitude"):
            wrong[name] = {"degrees": str(entry)}
        elif name in ("status", "country", "country_code"):
            wrong[name] = 1
        else:
            wrong[name] = entry
    return wrong


def _spoilt_list(fault, entries, chooser):
    place = chooser.randrange(len(entries)) if entries else 0
    if fault == "missing":
        return entries[:place] + entries[place + 1 :]
    if fault == "doubled":
        return entries[:place] + entries[place : place + 1] * 2 + entries[place + 1 :]
    if fault == "reordered":
        chooser.shuffle(entries)
        return entries
    if fault == "foreign":
        return entries[:place] + [answer("9.9.9.9")] + entries[place + 1 :]
    return [{name: v for name, v in e.items() if name != "query"} for e in entries]


def _spoilt_object(fault, value, chooser):
    """Entries by key as ipinfo's batches give them, or one record."""
    keys = list(value)
    key = chooser.choice(keys) if keys else None
    if fault == "reordered":
        chooser.shuffle(keys)
        return {name: value[name] for name in keys}
    if fault == "foreign" and key is not None:
        if "query" in value or "ip" in value:
            name = "query" if "query" in value else "ip"
            return dict(value, **{name: "9.9.9.9"})
        rest = {name: entry for name, entry in value.items() if name != key}
        return {**rest, "9.9.9.9": value[key]}
    if fault == "no_query":
        return {name: entry for name, entry in value.items() if name not in ("query", "ip")}
    if fault == "missing" and key is not None:
        del value[key]
    return value
