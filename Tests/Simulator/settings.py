"""What can be set, on the command line and through `POST /_control`."""

import json
from dataclasses import asdict, dataclass, field, fields


@dataclass
class Settings:
    """The settings with the services' published values as defaults.

    https://ip-api.com/docs/api:json (limits, ban), https://ipinfo.io/developers (daily limit).
    """

    window: float = 60.0  # seconds of ip-api's rate windows
    batch_limit: int | None = 15  # requests a window on /batch; null: no limit and no headers
    single_limit: int | None = 45  # the same on /json
    ban_after: int = 100  # 429s for one client until it is banned; 0: never
    ban_seconds: float = 3600.0
    ban_status: int = 403  # what a banned client is answered: 403, or silent 429s
    keys: list = field(default_factory=lambda: ["pro-key"])  # of ip-api's pro endpoint
    tokens: list = field(default_factory=lambda: ["test-token"])  # of ipinfo
    daily_limit: int | None = 1000  # ipinfo's requests a day without a token
    token_limit: int | None = None  # ipinfo's addresses a month with a token
    caller: str = "24.48.0.1"  # the public address that a client is said to have
    latency: float = 0.0  # seconds before every answer
    hostile: bool = False  # hostile texts in the records
    exchange: dict = field(default_factory=dict)  # what differs from its usual rates, see exchange.py
    gallery: dict = field(default_factory=dict)  # what differs from its usual list, see picsum.py
    lists: dict = field(default_factory=dict)  # what differs from the usual lists, see lists.py
    rdap: dict = field(default_factory=dict)  # what differs from the usual registries, see rdap.py
    services: dict = field(default_factory=dict)  # what differs from the usual web services, see asked.py
    seed: int = 1  # of the faults' choices
    faults: list = field(default_factory=list)  # see faults.py
    count_addresses: bool = True  # whether to keep every address asked, with how often
    keep_log: bool = True  # whether to keep a line for every request

    def update(self, changes):
        """Sets what is named; an unknown name or wrong type is a ValueError."""
        known = {f.name: f for f in fields(self)}
        for name, value in changes.items():
            if name not in known:
                raise ValueError(f"no setting is called {name}")
            setattr(self, name, _converted(name, getattr(Settings(), name), value))

    def as_dict(self):
        """All settings, for JSON."""
        return asdict(self)


def _converted(name, default, value):
    if name in ("batch_limit", "single_limit", "daily_limit", "token_limit"):
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise ValueError(f"{name} is a whole number or null")
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not type(default):
        raise ValueError(f"{name} is of type {type(default).__name__}")
    return value


def add_arguments(parser):
    """An option for each setting: `--batch-limit 5`, `--tokens '["a"]'`, `--faults '[…]'`."""
    for f in fields(Settings):
        parser.add_argument("--" + f.name.replace("_", "-"), metavar="JSON", default=None)


def from_arguments(arguments):
    """The settings of a command line; a value that is no JSON is taken as text."""
    changes = {}
    for f in fields(Settings):
        text = getattr(arguments, f.name)
        if text is None:
            continue
        try:
            changes[f.name] = json.loads(text)
        except json.JSONDecodeError:
            changes[f.name] = text
    settings = Settings()
    settings.update(changes)
    return settings
