"""What a round does: inputs, options and disturbances, all drawn from one seed."""

import gzip
import random

# Faults that pass: met with a small probability each, so that retries see them through.
FAULTS = [
    {"fault": "status", "status": 500},
    {"fault": "status", "status": 502, "body": "<html>Bad gateway</html>", "type": "text/html"},
    {"fault": "status", "status": 503, "retry_after": 1},
    {"fault": "status", "status": 429, "headers": {"X-Rl": 0, "X-Ttl": 1}},
    {"fault": "status", "status": 408},
    {"fault": "status", "status": 425},
    {"fault": "status", "status": 204},
    {"fault": "status", "status": 206},
    {"fault": "status", "status": 400},
    {"fault": "status", "status": 413},
    {"fault": "status", "status": 451},
    {"fault": "empty"},
    {"fault": "garbage"},
    {"fault": "delay", "seconds": 0.3},
    {"fault": "drip", "seconds": 0.3},
    {"fault": "hang"},
    {"fault": "reset"},
    {"fault": "close"},
    {"fault": "cut"},
    {"fault": "cut", "how": "reset"},
    {"fault": "truncated"},
    {"fault": "long_length"},
    {"fault": "short_length"},
    {"fault": "wrong_types"},
    {"fault": "wrong_shape"},
    {"fault": "missing"},
    {"fault": "doubled"},
    {"fault": "reordered"},
    {"fault": "foreign"},
    {"fault": "no_query"},
    {"fault": "login_200"},
    {"fault": "login_302"},
]

# Headers that no honest provider sends; none of them may hold a scan back for long, or trap it.
LIES = [
    {"X-Ttl": "-5"}, {"X-Rl": "9223372036854775808"}, {"X-Rl": "-1"}, {"X-Ttl": "0x10"},
    {"X-Rl": "1e9", "X-Ttl": ""}, {"Retry-After": "-3"}, {"Retry-After": "soon"}, {"Retry-After": "0.5"},
    {"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"},
]
FAULTS += [
    {"fault": "status", "status": status, "headers": headers} for headers in LIES for status in (429, 503)
]

# Waits that are longer than the provider's own can be; one of them costs the longest believable.
LONG_LIES = [
    {"fault": "status", "status": 429, "headers": {"Retry-After": "99999999"}, "next": 1},
    {"fault": "status", "status": 429, "headers": {"X-Rl": "0", "X-Ttl": "99999999"}, "next": 1},
    {"fault": "status", "status": 429, "headers": {"X-Ttl": "9223372036854775808"}, "next": 1},
]
LONGEST_WAIT = 300

STOPS = ["KILL", "KILL", "INT", "TERM", "HUP"]


class Scenario:
    """A round's choices; the same seed gives the same."""

    def __init__(self, seed, database):
        self.seed = seed
        self.chooser = chooser = random.Random(seed)
        self.is_log = chooser.random() < 0.3
        self.inputs = {f"input-{n}": self._input() for n in range(chooser.choice([1, 1, 1, 2, 3]))}
        self.format = chooser.choice(["ndjson", "csv", "json"])
        self.is_unordered = chooser.random() < 0.2
        self.falls_back = chooser.random() < 0.3
        self.keeps_cache = chooser.random() < 0.6
        self.options = self._options(database)
        self.faults = [
            dict(fault, probability=chooser.choice([0.01, 0.03]))
            for fault in chooser.sample(FAULTS, chooser.randrange(0, 12))
        ]
        self.window = chooser.choice([None, None, (1, 8), (2, 5)])
        self.latency = chooser.choice([0.0, 0.02, 0.05])
        self.stops = [chooser.choice(STOPS) for _ in range(chooser.choice([0, 1, 2, 4, 6]))]
        self.losses = chooser.choice([0, 0, 1, 3])
        self.clock = chooser.choice([None, None, None, 23 * 3600, -2 * 3600, 40 * 86_400])
        self.limit = chooser.choice([None, None, None, ("-n", 12), ("-n", 24), ("-n", 48), ("-f", 16)])
        self.rivals = chooser.choice([0, 0, 1, 3])
        self.is_shared = chooser.random() < 0.25
        # Programs of one machine have one clock.
        self.has_neighbour = self.clock is None and chooser.random() < 0.4
        if self.clock is None and chooser.random() < 0.08:
            self.faults.insert(0, chooser.choice(LONG_LIES))

    def __str__(self):
        faults = [f"{fault['fault']} {fault.get('status', '')}".strip() for fault in self.faults]
        return (
            f"{' '.join(self.arguments)} · faults {faults} · window {self.window} · stops {self.stops} · "
            f"losses {self.losses} · clock {self.clock} · limit {self.limit} · rivals {self.rivals} · "
            f"shared {self.is_shared} · neighbour {self.has_neighbour}"
        )

    @property
    def longest(self):
        """How many seconds a run may take."""
        return 120 + (LONGEST_WAIT if any(fault in LONG_LIES for fault in self.faults) else 0)

    @property
    def arguments(self):
        """The command line but for the output and what depends on the run."""
        return ["scan", *self.inputs, *self.options]

    def _options(self, database):
        chooser = self.chooser
        options = ["--retries", "12", "--timeout", "1s", "--format", self.format]
        options += ["--concurrency", str(chooser.choice([1, 2, 8]))]
        options += ["--provider", "ip-api,local" if self.falls_back else "ip-api"]
        options += ["--database", str(database)] if self.falls_back else []
        options += ["--offline-timeout", "forever"]
        options += ["--log"] if self.is_log else []
        options += ["--unordered"] if self.is_unordered else []
        options += ["--duplicates", "keep"] if chooser.random() < 0.2 else []
        options += ["--fields", "+proxy,+input"] if chooser.random() < 0.2 else []
        options += ["--spreadsheet"] if self.format == "csv" and chooser.random() < 0.2 else []
        return options

    def _input(self):
        chooser = self.chooser
        count = chooser.choice([0, 1, 99, 100, 101, 500, 2000])
        lines = [self._item() for _ in range(count)]
        if self.is_log:
            lines = [f'{line} - - [17/May/2015:10:05:03 +0000] "GET /{n}"' for n, line in enumerate(lines)]
        data = chooser.choice(["\n", "\n", "\r\n"]).join(lines).encode()
        data += b"\n" if chooser.random() < 0.8 else b""
        return gzip.compress(data) if chooser.random() < 0.2 else data

    def _item(self):
        chooser = self.chooser
        kind = chooser.random()
        if kind < 0.75:
            return f"5.{chooser.randrange(40)}.{chooser.randrange(250)}.{chooser.randrange(1, 9)}"
        if kind < 0.85:
            return f"2a00:{chooser.randrange(0x1000):x}::{chooser.randrange(1, 0xFFFF):x}"
        return chooser.choice(
            ["10.0.0.1", "fe80::1%eth0", "192.0.2.7", "bogus", "999.1.1.1", "", "# comment", "1.2.3.4:80"]
            + ([] if self.is_log else ["5.5.5.0/29", "5.6.7.8-5.6.7.12", "5.0.0.0/8"])
        )
