"""The connections of all services, and `/_control` on each of their ports."""

import asyncio
import json
import time

from answers import SPECIAL_OCTETS
from asked import Asked
from counts import Counts
from exchange import MoscowExchange
from faults import MANNERS, REPLACING, Rules, replacement, spoil
from ip_api import IPAPI, is_special
from ipify import Ipify
from ipinfo import IPinfo
from limits import Limits
from lists import Lists
from picsum import Picsum
from rdap import Directories, Rdap
from wire import JSON, Answer, Malformed, Request, read_request, reset, serialise


class Dropped(Exception):
    """The connection is to end now."""


# A page for each service.
SERVICES = (IPAPI, IPinfo, Ipify, MoscowExchange, Picsum, Lists, Rdap, Directories, Asked)


def variable(service):
    """What leads a command to a service's stand-in."""
    if hasattr(service, "variable"):
        return service.variable
    return f"SONDE_{service.name.replace('-', '_').upper()}_URL"


class Simulator:
    """The services with their settings, limits, faults and counts."""

    def __init__(self, settings):
        self.settings = settings
        self.limits = Limits()
        self.counts = Counts()
        self.rules = Rules(settings.faults)
        self.services = [service(settings, self.limits) for service in SERVICES]
        self.servers = []
        self.urls = {}

    async def start(self, host, port):
        """Listens for each service: on `port` and those after it, or on free ones for 0."""
        for position, service in enumerate(self.services):
            server = await asyncio.start_server(
                lambda reader, writer, service=service: self._serve(service, reader, writer),
                host,
                port + position if port else 0,
                backlog=1024,
            )
            bound = server.sockets[0].getsockname()[1]
            shown = f"[{host}]" if ":" in host else host
            self.urls[service.name.replace("-", "_")] = f"http://{shown}:{bound}"
            self.servers.append(server)
        return int(self.urls["ip_api"].rsplit(":", 1)[1])

    async def _serve(self, service, reader, writer):
        client = writer.get_extra_info("peername")[0]
        is_counted = False  # one that only asks for the counts is not
        try:
            while request := await read_request(reader):
                if request.path == "/_control":
                    writer.write(serialise(self._control(request)))
                    await writer.drain()
                else:
                    if not is_counted:
                        self.counts.connect()
                        is_counted = True
                    await self._exchange(service, request, client, reader, writer)
                if not request.keeps_alive:
                    break
        except (Dropped, ConnectionError, asyncio.IncompleteReadError):
            pass
        except Malformed as error:
            writer.write(serialise(Answer(400, f"{error}\n".encode(), "text/plain")))
        finally:
            if is_counted:
                self.counts.disconnect()
            writer.close()

    async def _exchange(self, service, request, client, reader, writer):
        """Answers one request, counted from its last byte to the answer's."""
        call = service.understand(request)
        settings, counts = self.settings, self.counts
        line = counts.begin(call, client, settings.count_addresses, settings.keep_log)
        counts.special_items += _special(call)
        counts.numbers[call.name] += 1
        rule = self.rules.choose(request, call, counts.numbers[call.name], settings.seed)
        status = None
        try:
            answer = self._answer(service, request, call, client, rule)
            if rule is not None:
                counts.faults[rule["fault"]] += 1
                line["fault"] = rule["fault"]
            if settings.latency:
                await asyncio.sleep(settings.latency)
            await self._send(answer, rule, request, reader, writer)
            status = answer.status
        finally:
            counts.end(line, status)

    def _answer(self, service, request, call, client, rule):
        if rule is not None and rule["fault"] in REPLACING:
            return replacement(rule, self.urls["ipify"] + "/login")
        answer = service.answer(request, call, client, time.monotonic())
        if rule is None or rule["fault"] in MANNERS:
            return answer
        return spoil(rule, answer)

    async def _send(self, answer, rule, request, reader, writer):
        """Writes an answer in the manner of the rule."""
        fault = rule["fault"] if rule else None
        if fault == "hang":
            while not reader.at_eof() and not writer.is_closing():
                await asyncio.sleep(0.02)
            raise Dropped
        if fault == "reset":
            reset(writer)
            raise Dropped
        if fault == "close":
            raise Dropped
        if fault == "delay":
            await asyncio.sleep(rule.get("seconds", 1))
        rules = self.rules
        while fault == "hold" and self.rules is rules and not reader.at_eof():
            await asyncio.sleep(0.02)
        length = len(answer.body)
        if fault == "long_length":
            length += 10
        elif fault == "short_length":
            length //= 2
        data = serialise(answer, length, request.keeps_alive)
        if fault == "drip":
            await _drip(data, rule.get("seconds", 1), writer)
            return
        if fault == "cut":
            await _cut(data[: len(data) - len(answer.body) // 2 - 1], rule, writer)
        writer.write(data)
        await writer.drain()
        if fault in ("long_length", "short_length"):
            raise Dropped

    def _control(self, request: Request):
        """`GET`: settings and counts (`?addresses=1`, `?log=1` for more); `POST`: settings.

        A `POST` with `"reset": true` also forgets counts, windows, bans and quotas.
        """
        if request.method == "GET":
            return self._report(request.query)
        try:
            changes = json.loads(request.body or b"{}")
            wants_reset = changes.pop("reset", False)
            if "faults" in changes:
                self.rules = Rules(changes["faults"])
            self.settings.update(changes)
        except (ValueError, AttributeError) as error:
            return Answer(400, json.dumps({"error": str(error)}).encode(), JSON)
        if wants_reset:
            self.counts.reset()
            for service in self.services:
                service.reset()
        return Answer(200, json.dumps({"settings": self.settings.as_dict()}).encode(), JSON)

    def _report(self, query):
        report = {
            "settings": self.settings.as_dict(),
            "counts": self.counts.as_dict(),
            "windows": self.limits.windows(self.counts.origin),
        }
        if query.get("addresses"):
            report["addresses"] = dict(self.counts.addresses)
        if query.get("log"):
            report["log"] = self.counts.log
        return Answer(200, json.dumps(report).encode(), JSON)


def _special(call):
    """How many addresses a client asked about that it should have known for special-purpose."""
    return sum(1 for address in call.addresses if _may_be_special(address) and is_special(address))


def _may_be_special(text):
    # Most public IPv4 addresses are told by their first octet alone.
    first = text[:4].partition(".")[0]
    return not first.isdigit() or int(first) in SPECIAL_OCTETS





async def _drip(data, seconds, writer):
    pause = seconds / len(data)
    step = max(1, int(0.005 / pause)) if pause else len(data)
    for start in range(0, len(data), step):
        writer.write(data[start : start + step])
        await writer.drain()
        await asyncio.sleep(pause * step)


async def _cut(data, rule, writer):
    writer.write(data)
    await writer.drain()
    if rule.get("how") == "reset":
        await asyncio.sleep(0.02)
        reset(writer)
    raise Dropped
