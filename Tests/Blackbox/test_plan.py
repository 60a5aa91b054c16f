"""`sonde plan`: what a scan would need; nothing is sent."""

import re

ADDRESSES = [f"5.{n // 250}.{n % 250}.13" for n in range(3000)]
ITEMS = "\n".join([*ADDRESSES, *ADDRESSES[:50], *[f"10.0.0.{n}" for n in range(7)], *["nonsense!"] * 3])


def numbers(text):
    """All numbers in a text, thousands separators taken out."""
    return {int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", text)}


def test_plan_counts_and_sends_nothing(sonde, simulator):
    result = sonde("plan", "--provider", "ip-api", input=ITEMS, env=simulator.env)
    shown = result.stdout.decode().lower()
    assert {3060, 3007, 7, 3, 30} <= numbers(shown) or {3060, 3000, 7, 3, 30} <= numbers(shown)
    for word in ("entries", "distinct", "cached", "reserved", "invalid", "requests", "ip-api"):
        assert word in shown, word
    assert simulator.counts()["total"] == 0 and result.status in (0, 1)


def test_plan_tells_each_provider_s_requests(sonde, simulator):
    env = {**simulator.env, "SONDE_IPINFO_TOKEN": "test-token"}
    shown = sonde("plan", "--provider", "ip-api,ipinfo,ipinfo-lite,local", input=ITEMS, env=env).stdout.decode()
    lines = {name: line for line in shown.splitlines() for name in ("ip-api", "ipinfo-lite", "local") if name in line}
    assert set(lines) == {"ip-api", "ipinfo-lite", "local"}
    assert 30 in numbers(lines["ip-api"]) and 3 in numbers(lines["ipinfo-lite"])
    assert simulator.counts()["total"] == 0


def test_plan_says_where_the_addresses_would_go(sonde):
    result = sonde("plan", "--provider", "ip-api", "8.8.8.8", env={"SONDE_IP_API_URL": None})
    said = (result.stdout.decode() + result.stderr).lower()
    assert "unencrypted" in said and "non-commercial" in said


def test_plan_for_nothing_needs_no_request(sonde):
    result = sonde("plan", input="")
    assert result.status == 0 and numbers(result.stdout.decode()) <= {0}
