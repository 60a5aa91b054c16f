"""Scans with `--shared` of one list of addresses, and what they must write."""

from expected import differences, record

ADDRESSES = [f"5.{n // 250}.{n % 250}.23" for n in range(1000)]


class SharedScans:
    """Starts scans of the first so many addresses, which ask ip-api alone."""

    def __init__(self, sonde, simulator):
        self.sonde, self.simulator = sonde, simulator

    def __call__(self, count, url, *more, env=None):
        name = self.sonde.file(f"list-{self.sonde.runs}.txt", "\n".join(ADDRESSES[:count]) + "\n")
        arguments = ["scan", name, "--provider", "ip-api", "--shared", url, *more]
        return self.sonde.start(*arguments, env={**self.simulator.env, **(env or {})})


def right(result, count):
    """Checks that a scan has ended well, with each record."""
    wanted = [record(address, line=n) for n, address in enumerate(ADDRESSES[:count], 1)]
    assert differences(result.records, wanted, cached=(True, False)) == []
    assert result.status == 0, result.stderr
