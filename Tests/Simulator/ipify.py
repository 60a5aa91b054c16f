"""ipify (https://www.ipify.org): the caller's address as text, JSON or JSONP.

As the service does (https://github.com/rdegges/ipify-api), the first entry of `X-Forwarded-For` is
believed, and one that is no address gives `<nil>`.
"""

import json

from answers import parse
from ip_api import Call
from wire import Answer


class Ipify:
    """The stand-in for api.ipify.org and api64.ipify.org."""

    name = "ipify"

    def __init__(self, settings, _limits):
        self.settings = settings

    def reset(self):
        """Has nothing to forget."""

    def understand(self, request):
        """What a request asks."""
        return Call("ipify address" if request.path == "/" else "ipify other", request.method, [])

    def answer(self, request, call, client, now):
        """The address that the caller is said to have."""
        if call.name == "ipify other":
            return Answer(404)
        if request.method != "GET":
            return Answer(405)
        address = self.settings.caller
        if forwarded := request.headers.get("x-forwarded-for"):
            first = parse(forwarded.split(",")[0].strip())
            address = "<nil>" if first is None else str(first)
        form = request.query.get("format")
        body = json.dumps({"ip": address}, separators=(",", ":"))
        if form == "json":
            return Answer(body=body.encode(), type="application/json")
        if form == "jsonp":
            name = request.query.get("callback", "callback")
            return Answer(body=f"{name}({body});".encode(), type="application/javascript")
        return Answer(body=address.encode(), type="text/plain")
