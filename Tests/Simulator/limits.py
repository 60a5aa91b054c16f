"""ip-api's rate windows and ban (https://ip-api.com/docs/api:json, /docs/unban).

A window is fixed and begins with the first request after the last one ended. `X-Rl` says how many
requests are left in it, `X-Ttl` how long it lasts, rounded up to whole seconds.
"""

import math
from dataclasses import dataclass


@dataclass
class Window:
    """A rate window of one client on one kind of endpoint."""

    client: str
    kind: str
    start: float
    length: float
    limit: int
    requests: int = 0
    refused: int = 0

    def ttl(self, now):
        """Seconds until the window resets, rounded up."""
        # What is left of a whole second by the rounding of sums is no second.
        return max(0, math.ceil(round(self.start + self.length - now, 6)))


class Limits:
    """The windows and bans of all clients."""

    def __init__(self):
        self.reset()

    def reset(self):
        """Forgets all windows and bans."""
        self.current = {}
        self.past = []
        self.refusals = {}
        self.banned_until = {}

    def is_banned(self, client, now):
        """Whether a client is banned at this time."""
        return now < self.banned_until.get(client, 0)

    def spend(self, client, kind, limit, settings, now):
        """Counts a request; says whether it is within the limit, and the window's headers."""
        window = self.current.get((client, kind))
        if window is None or now >= window.start + window.length:
            if window is not None:
                self.past.append(window)
            window = Window(client, kind, now, settings.window, limit)
            self.current[client, kind] = window
        is_allowed = window.requests < limit
        if is_allowed:
            window.requests += 1
        else:
            window.refused += 1
            self._refuse(client, settings, now)
        left = max(0, limit - window.requests)
        return is_allowed, [("X-Ttl", window.ttl(now)), ("X-Rl", left)]

    def _refuse(self, client, settings, now):
        count = self.refusals[client] = self.refusals.get(client, 0) + 1
        if settings.ban_after and count >= settings.ban_after:
            self.banned_until[client] = now + settings.ban_seconds
            self.refusals[client] = 0

    def windows(self, origin):
        """All windows, oldest first, their starts in seconds since `origin`."""
        every = sorted([*self.past, *self.current.values()], key=lambda window: window.start)
        return [dict(vars(window), start=round(window.start - origin, 6)) for window in every]
