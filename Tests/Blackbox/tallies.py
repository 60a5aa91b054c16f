"""What a summary should say, counted slowly from occurrences and records."""

from datetime import datetime, timedelta, timezone
from ipaddress import ip_address
from zoneinfo import ZoneInfo

UTC = ZoneInfo("UTC")
KINDS = ["country", "network", "city", "status", "source", "address"]
BLOCKS = {"10.0.0.0/8": "Private-Use"}


def joined(*texts, by=", "):
    return by.join(text for text in texts if text)


def words(record):
    """What stands beside an address."""
    status = record.get("status")
    if status == "reserved":
        return record["block"]
    if status in ("unknown", "failed"):
        return status
    if status == "network_lost":
        return "network lost"
    return joined(
        record.get("country_code"), record.get("city"), joined(network(record), record.get("as_name"), by=" ")
    )


def network(record):
    return f"AS{record['asn']}" if record.get("asn") else ""


def city(record):
    if not record.get("city"):
        return ""
    return joined(record["city"], record.get("region"), record.get("country_code"))


KEYS = {
    "country": (lambda r: r.get("country_code", ""), lambda r: r.get("country", "")),
    "network": (network, lambda r: r.get("as_name", "")),
    "city": (city, lambda r: r.get("city", "")),
    "status": (lambda r: r.get("status", ""), lambda r: r.get("status", "")),
    "source": (lambda r: r.get("source", ""), lambda r: r.get("source", "")),
    "address": (lambda r: r.get("ip", ""), words),
}


def tables(hits, top=10):
    """The rows of all tables but timelines; `hits` are records, one for each hit."""
    rows = []
    for kind in KINDS:
        key, name = KEYS[kind]
        groups = {}
        for record in hits:
            groups.setdefault(key(record), []).append(record)
        if not any(groups):
            continue
        table = []
        for value, members in groups.items():
            row = {"table": kind, "key": value, "name": ""}
            if value:
                row["name"] = "" if kind == "address" else value
                names = [name(r) for r in members if name(r)]
                if names:
                    # That of the most addresses, then hits, then the first.
                    of = {each: len({r["ip"] for r in members if name(r) == each and "ip" in r}) for each in dict.fromkeys(names)}
                    row["name"] = max(of, key=lambda each: (of[each], names.count(each), -names.index(each)))
            row["addresses"] = len({r["ip"] for r in members if "ip" in r})
            row["hits"] = len(members)
            row["share"] = len(members) / len(hits)
            if kind == "city" and value:
                first = next((r for r in members if "latitude" in r), None)
                if first:
                    row |= {"latitude": first["latitude"], "longitude": first["longitude"]}
            table.append(row)
        table.sort(key=lambda row: (row["key"] == "", -row["hits"], row["key"].encode()))
        rows += table[:top] if top else table
    return rows


def timeline(times, hits, zone=UTC):
    """The rows of the timeline; `times` are those of the hits that have one, aware."""
    if not times:
        return []
    first, last = min(times), max(times)
    if last - first > timedelta(hours=72):
        day, end, counts = first.astimezone(zone).date(), last.astimezone(zone).date(), {}
        for time in times:
            local = time.astimezone(zone).date()
            counts[local] = counts.get(local, 0) + 1
        rows = []
        while day <= end:
            name = f"{day.day} {day:%b} {day.year}"
            rows.append(("day", day.isoformat(), name, counts.get(day, 0)))
            day += timedelta(days=1)
    else:
        counts = {}
        for time in times:
            start = hour(time, zone)
            counts[start] = counts.get(start, 0) + 1
        rows, start = [], hour(first, zone)
        while start <= hour(last, zone):
            local = start.astimezone(zone)
            offset = "Z" if zone == UTC else f"{local:%z}"[:3] + ":" + f"{local:%z}"[3:]
            key = f"{local:%Y-%m-%dT%H:%M}{offset}"
            name = f"{local.day} {local:%b} {local.year}, {local:%H:%M}"
            rows.append(("hour", key, name, counts.get(start, 0)))
            start = hour(start + timedelta(hours=1), zone)
    return [
        {"table": kind, "key": key, "name": name, "hits": n, "share": n / hits} for kind, key, name, n in rows
    ]


def hour(time, zone):
    """When the hour of a zone began that a moment lies in, in UTC."""
    local = time.astimezone(zone)
    return (time - timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)).astimezone(
        timezone.utc
    )


def reserved(address):
    """The record of an address in one of the blocks that tests use, or none."""
    for block, name in BLOCKS.items():
        network_part, _, length = block.partition("/")
        shift = 32 - int(length)
        if ":" not in address and int(ip_address(address)) >> shift == int(ip_address(network_part)) >> shift:
            return {"ip": address, "status": "reserved", "block": name}
    return None


def moment(text):
    """A time as ISO 8601 has it, aware."""
    return datetime.fromisoformat(text)
