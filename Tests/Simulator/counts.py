"""What was asked: counts that a test compares with what a client says of itself."""

import time
from collections import Counter

LONGEST_LOG = 200_000


class Counts:
    """Counts since the start or the last reset."""

    def __init__(self):
        self.open_connections = 0
        self.under_way = {}  # by identity, the lines of requests
        self.reset()

    def reset(self):
        """Begins anew; what is open or under way stays counted as such."""
        self.origin = time.monotonic()
        self.origin_wall = time.time()
        self.number = 0
        self.requests = Counter()  # by "service endpoint"
        self.clients = Counter()
        self.statuses = Counter()
        self.faults = Counter()
        self.addresses = Counter()
        self.items = 0
        self.special_items = 0
        self.throttled = 0
        self.connections = 0
        self.max_connections = self.open_connections
        # What is under way belongs to what was counted before.
        self.under_way = {}
        self.max_concurrency = 0
        self.numbers = Counter()  # of the last request, by "service endpoint"
        self.log = []

    def connect(self):
        """A connection came."""
        self.connections += 1
        self.open_connections += 1
        self.max_connections = max(self.max_connections, self.open_connections)

    def disconnect(self):
        """A connection ended."""
        self.open_connections -= 1

    def begin(self, call, client, keeps_addresses, keeps_log):
        """A request came whole; returns its line of the log."""
        self.number += 1
        self.requests[call.name] += 1
        self.clients[client] += 1
        self.items += len(call.addresses)
        if keeps_addresses:
            self.addresses.update(call.addresses)
        line = {
            "number": self.number,
            "at": round(time.monotonic() - self.origin, 6),
            "client": client,
            "call": call.name,
            "method": call.method,
            "items": len(call.addresses),
            "first": call.addresses[0] if call.addresses else None,
            "status": None,
            "fault": None,
        }
        self.under_way[id(line)] = line
        self.max_concurrency = max(self.max_concurrency, len(self.under_way))
        if keeps_log and len(self.log) < LONGEST_LOG:
            self.log.append(line)
        return line

    def end(self, line, status):
        """A request was answered, or ended without one (`status` None)."""
        self.under_way.pop(id(line), None)
        self.statuses[str(status)] += 1
        if status == 429:
            self.throttled += 1
        line["status"] = status
        line["done"] = round(time.monotonic() - self.origin, 6)

    def as_dict(self):
        """All counts but addresses and log, for JSON."""
        return {
            "total": self.number,
            "requests": dict(self.requests),
            "clients": dict(self.clients),
            "statuses": dict(self.statuses),
            "faults": dict(self.faults),
            "items": self.items,
            "special_items": self.special_items,
            "throttled": self.throttled,
            "distinct": len(self.addresses),
            "most_asked": self.addresses.most_common(1)[0][1] if self.addresses else 0,
            "connections": self.connections,
            "open_connections": self.open_connections,
            "max_connections": self.max_connections,
            "under_way": len(self.under_way),
            "max_concurrency": self.max_concurrency,
            "since": self.origin_wall,
        }
