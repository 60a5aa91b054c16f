"""The HTTP API of `sonde serve`, row by row, and its description."""

import json
import re
import time
from urllib.parse import quote

import pytest
from command import ROOT
from serving import Dashboard

ID = 32 * "0"
PATHS = {
    "/healthz": {"GET"},
    "/metrics": {"GET"},
    "openapi.json": {"GET"},
    "session": {"GET", "POST", "DELETE"},
    "users": {"GET", "POST"},
    **{name: {"POST"} for name in ("invitations", "password", "reset")},
    "sessions": {"GET"},
    "sessions/{id}": {"DELETE"},
    "tokens": {"GET", "POST"},
    "tokens/{id}": {"DELETE"},
    "check": {"POST"},
    "fields": {"GET"},
    "providers": {"GET"},
    "lookups": {"GET", "POST", "DELETE"},
    "lookups/{ip}": {"DELETE"},
    "lookups/{ip}/refresh": {"POST"},
    "scans": {"GET", "POST"},
    "scans/{id}": {"GET", "DELETE"},
    **{f"scans/{{id}}/{name}": {"POST"} for name in ("start", "pause", "resume", "stop", "retry")},
    **{
        f"scans/{{id}}/{name}": {"GET"}
        for name in ("records", "missing", "rejects", "places", "throughput", "summary", "report")
    },
    "logs": {"GET"},
    "logs/{id}": {"GET"},
    **{f"logs/{{id}}/{name}": {"GET"} for name in ("summary", "rate", "places")},
    "network": {"GET"},
    **{f"network/{name}": {"GET"} for name in ("losses", "outages", "timeline", "latency")},
    "watchlist": {"GET", "POST"},
    "watchlist/{id}": {"PUT", "DELETE"},
    "events": {"GET"},
    "cache": {"GET", "DELETE"},
    "cache/{ip}": {"GET", "DELETE"},
    "cache/stats": {"GET"},
}


def filled(path):
    """A path with something in its places."""
    return path.replace("{id}", ID).replace("{ip}", "8.8.8.8")


@pytest.mark.parametrize("path", PATHS)
def test_wrong_methods_are_405(dashboard, path):
    methods = PATHS[path]
    allowed = methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
    for method in {"GET", "POST", "PUT", "DELETE", "PATCH", "BREW"} - methods:
        answer = dashboard.ask(method, filled(path))
        assert (answer.status, answer.problem) == (405, "method"), method
        assert set(answer.headers["Allow"].split(", ")) == allowed


# JSON bodies

POSTS = {"check": {"text": "x"}, "lookups": {"ip": "10.0.0.1"}, "session": {"link": "x"}}


@pytest.mark.parametrize("path", POSTS)
def test_bodies_that_are_refused(dashboard, path):
    kind = {"Content-Type": "application/json"}
    name = next(iter(POSTS[path]))

    def refusal(body, **headers):
        answer = dashboard.ask("POST", path, body=body, headers={**kind, **headers})
        return answer.status, answer.problem

    for body in (b"", b"{", b"{}x", b'{"%s":"a","%s":"b"}' % (name.encode(), name.encode()), b"\xff"):
        assert refusal(body) == (400, "invalid"), body
    assert refusal(json.dumps({**POSTS[path], "more": 1}).encode()) == (400, "invalid")
    for body in (b"{}", b"[]", b"null", json.dumps({name: 1}).encode(), json.dumps({name: None}).encode()):
        assert refusal(body) == (422, "invalid"), body
    assert refusal(json.dumps({name: "x" * 65536}).encode()) == (413, "too-large")
    for other in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = refusal(json.dumps(POSTS[path]).encode(), **{"Content-Type": other})
        assert answer == (415, "media-type"), other


BODYLESS = [
    ("POST", "lookups/10.0.0.1/refresh"),
    *(("POST", f"scans/{ID}/{name}") for name in ("start", "pause", "resume", "stop", "retry")),
    *(("DELETE", path) for path in ("lookups", "lookups/8.8.8.8", f"scans/{ID}", "cache", "cache/8.8.8.8")),
    ("DELETE", "session"),
]


@pytest.mark.parametrize(("method", "path"), BODYLESS)
def test_what_wants_no_body_takes_none(dashboard, method, path):
    # Of a scan that is not there nothing else is told.
    path = path.replace(ID, dashboard.scan("10.0.0.1\n").json["id"])

    def status(body, kind="application/json"):
        return dashboard.ask(method, path, body=body, headers={"Content-Type": kind}).status

    assert (status(b'{"x":1}'), status(b"{"), status(b"[]"), status(b"x", "text/plain")) == (400, 400, 422, 415)
    assert status(b"[" + b" " * 65536 + b"]") == 413
    assert status(b"{}") in (200, 204, 404, 409)


def test_every_problem_says_what_it_is(dashboard):
    for method, path, cookie in (
        ("GET", "session", None),
        ("GET", "nothing", None),
        ("GET", "nothing", dashboard.cookie),
        ("PATCH", "scans", dashboard.cookie),
        ("GET", f"scans/{ID}", dashboard.cookie),
        ("DELETE", "lookups/9.9.9.9", dashboard.cookie),
        ("GET", "/nothing", dashboard.cookie),
    ):
        answer = dashboard.ask(method, path, cookie=cookie)
        assert answer.problem and answer.json["detail"], (path, answer)


def test_nobody_without_a_session_learns_what_is_there(dashboard):
    for method in ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        for path in ("nothing", "", "scans/1/2/3", "nothing/x"):
            answer = dashboard.ask(method, path, cookie=None)
            assert (answer.status, answer.problem) == (401, "unauthorized"), (method, path)
            assert dashboard.ask(method, path).problem == "not-found", (method, path)
    assert dashboard.ask("GET", "/api/v2/nothing", cookie=None).problem == "not-found"
    assert dashboard.ask("GET", "openapi.json", cookie=None).status == 200


def test_unknown_parameters_are_400(dashboard):
    for path in ("session", "lookups", "scans", "network", "network/losses", "network/outages", "network/timeline", "network/latency", "cache", "cache/stats"):
        assert dashboard.ask("GET", path, colour="red").status == 400, path
    for query in ({"limit": 0}, {"limit": 501}, {"limit": "x"}, {"before": "x"}):
        assert dashboard.ask("GET", "lookups", **query).status == 422, query


# Check and look-ups


def test_check(dashboard):
    cases = json.loads((ROOT / "Tests/Blackbox/check_cases.json").read_text())
    answers = [dashboard.ask("POST", "check", json={"text": case["text"]}).json for case in cases]
    said = [{"text": case["text"], **answer} for case, answer in zip(cases, answers)]
    assert [(wrong, case) for wrong, case in zip(said, cases) if wrong != case] == []


def test_a_look_up_is_a_record_as_in_scan(dashboard, sonde, simulator):
    record = dashboard.ask("POST", "lookups", json={"ip": " 8.8.8.8 "}).json
    assert (record["ip"], record["status"], record["source"]) == ("8.8.8.8", "ok", "ip-api")
    assert "hostname" in record and "mobile" in record
    for ip, status in (("10.0.0.1", "reserved"), ("::FFFF:8.8.4.4", "ok")):
        answer = dashboard.ask("POST", "lookups", json={"ip": ip})
        assert (answer.status, answer.json["status"]) == (200, status)
    ips = [item["ip"] for item in dashboard.get("lookups")["items"]]
    assert ips == ["8.8.4.4", "10.0.0.1", "8.8.8.8"]


@pytest.mark.parametrize("ip", ["", "nonsense", "8.8.8.8:53", "8.8.8.0/24", "8.8.8.1-8.8.8.9", "1" * 46])
def test_what_is_no_address_is_422(dashboard, ip):
    answer = dashboard.ask("POST", "lookups", json={"ip": ip})
    assert (answer.status, answer.problem) == (422, "invalid-address")
    assert answer.json["detail"]


def test_an_answer_is_kept_and_refreshed(dashboard, simulator):
    for _ in range(2):
        record = dashboard.ask("POST", "lookups", json={"ip": "8.8.8.8"}).json
    assert record["cached"] and simulator.requests("ip-api batch") + simulator.requests("ip-api single") == 1
    record = dashboard.ask("POST", "lookups/8.8.8.8/refresh").json
    assert not record["cached"]
    assert simulator.addresses()["8.8.8.8"] == 2
    assert len(dashboard.get("lookups")["items"]) == 1


def test_find_me(dashboard, simulator):
    simulator.control(caller="9.9.9.9")
    assert dashboard.ask("POST", "lookups", json={"me": True}).json["ip"] == "9.9.9.9"
    for body in ({"me": False}, {"me": True, "ip": "8.8.8.8"}):
        assert dashboard.ask("POST", "lookups", json=body).status == 422


@pytest.mark.parametrize("spelling", ["2001:4860:4860::8888", "2001:4860:4860:0:0:0:0:8888", "2001:4860:4860::8888 "])
def test_addresses_in_any_spelling(dashboard, spelling):
    assert dashboard.ask("POST", "lookups", json={"ip": "2001:4860:4860::8888"}).status == 200
    assert dashboard.ask("POST", f"lookups/{quote(spelling)}/refresh").status == 200
    assert dashboard.ask("GET", f"cache/{quote(spelling, safe='')}").status == 200
    assert dashboard.ask("DELETE", f"lookups/{quote(spelling, safe='')}").status == 204
    assert dashboard.ask("DELETE", f"lookups/{quote(spelling, safe='')}").problem == "not-found"


def test_deleting_all_look_ups(dashboard):
    dashboard.ask("POST", "lookups", json={"ip": "8.8.8.8"})
    assert dashboard.ask("DELETE", "lookups").status == 204
    assert dashboard.get("lookups")["items"] == []


def test_look_ups_come_in_pages(dashboard):
    for n in range(5):
        dashboard.ask("POST", "lookups", json={"ip": f"10.0.0.{n}"})
    seen, before = [], {}
    while before is not None:
        page = dashboard.get("lookups", limit=2, **before)
        seen += [item["ip"] for item in page["items"]]
        before = page["next"] and {"before": page["next"]}
    assert seen == [f"10.0.0.{n}" for n in reversed(range(5))]


def test_quota_used_up(sonde, simulator):
    simulator.control(single_limit=0, batch_limit=0)
    dashboard = Dashboard(sonde, simulator, "--provider", "ip-api")
    answer = dashboard.ask("POST", "lookups", json={"ip": "8.8.8.8"})
    assert (answer.status, answer.problem) == (429, "quota")
    assert int(answer.headers["Retry-After"]) > 0


def test_a_provider_that_fails(sonde, simulator):
    simulator.control(faults=[{"fault": "status", "status": 500}])
    dashboard = Dashboard(sonde, simulator, "--provider", "ip-api", "--retries", "0")
    start = time.monotonic()
    answer = dashboard.ask("POST", "lookups", json={"ip": "8.8.8.8"})
    assert (answer.status, answer.problem) == (502, "provider"), answer
    assert time.monotonic() - start < 5


def test_the_next_provider_answers(sonde, simulator, loc_database):
    simulator.control(latency=20)
    dashboard = Dashboard(sonde, simulator, "--database", loc_database)
    start = time.monotonic()
    answer = dashboard.ask("POST", "lookups", json={"ip": "8.8.8.8"})
    assert answer.status == 200 and answer.json.get("source") != "ip-api"
    assert time.monotonic() - start < 3


# Events


def test_events_begin_with_how_things_are(dashboard):
    scan = dashboard.scan("8.8.8.8\n").json["id"]
    dashboard.until(scan, "done")
    stream = dashboard.events()
    assert stream.response.headers.get_content_type() == "text/event-stream"
    assert stream.response.headers["X-Accel-Buffering"] == "no"
    name, network, number = stream.next()
    assert (name, network["state"], number) == ("network", "online", None)
    name, event, _ = stream.next()
    assert (name, event["id"], event["state"]) == ("scan", scan, "done")


def test_events_tell_and_resume(dashboard):
    stream = dashboard.events()
    stream.next("network")
    dashboard.ask("POST", "lookups", json={"ip": "10.0.0.1"})
    name, record, first = stream.next("lookup")
    assert record["ip"] == "10.0.0.1"
    dashboard.ask("POST", "lookups", json={"ip": "10.0.0.2"})
    second = stream.next("lookup")[2]
    assert int(second) > int(first)
    again = dashboard.events(Last_Event_ID=first)
    assert again.next("lookup", "reset")[1]["ip"] == "10.0.0.2"
    assert dashboard.events(Last_Event_ID="1").next("lookup", "reset")[0] == "reset"


def test_a_scan_is_told_at_most_four_times_a_second(dashboard, simulator):
    simulator.control(latency=0.02, batch_limit=None)
    stream = dashboard.events()
    scan = dashboard.scan("".join(f"8.8.{n >> 8}.{n & 255}\n" for n in range(20_000))).json["id"]
    states, start = [], time.monotonic()
    while not states or states[-1] not in ("done", "failed"):
        states.append(stream.next("scan")[1]["state"])
    assert states[-1] == "done" and len(states) <= 4 * (time.monotonic() - start) + 3
    assert dashboard.get(f"scans/{scan}")["state"] == "done"


def test_too_many_streams_of_one_user(dashboard):
    streams = [dashboard.events() for _ in range(33)]
    assert [stream.status for stream in streams] == [200] * 32 + [503]


# The network and the cache


def test_the_network_is_as_status_has_it(dashboard, sonde, simulator):
    own = sonde("status", "--format", "json", env=simulator.env)
    network = dashboard.get("network")
    assert network.keys() == json.loads(own.stdout).keys() - {"databases"}
    assert network["state"] == "online"
    assert dashboard.get("network/losses") == {"items": [], "next": None}
    answer = dashboard.ask("GET", "network/losses", format="csv")
    assert answer.body == b"start,end,seconds,cause,interface\n"


def test_the_cache(dashboard):
    assert dashboard.get("cache/stats")["count"] == 0
    for ip in ("8.8.8.8", "1.1.1.1", "9.9.9.9"):
        dashboard.ask("POST", "lookups", json={"ip": ip})
    stats = dashboard.get("cache/stats")
    assert (set(stats), stats["count"]) == ({"count", "bytes", "oldest"}, 3)
    assert [item["ip"] for item in dashboard.get("cache")["items"]] == ["9.9.9.9", "1.1.1.1", "8.8.8.8"]
    first = dashboard.get("cache", limit=2)
    rest = dashboard.get("cache", limit=2, before=first["next"])
    assert [item["ip"] for item in rest["items"]] == ["8.8.8.8"] and rest["next"] is None
    assert [item["ip"] for item in dashboard.get("cache", search="1.1.1")["items"]] == ["1.1.1.1"]
    assert dashboard.get("cache", search="nowhere at all")["items"] == []
    assert dashboard.get("cache/1.1.1.1")["ip"] == "1.1.1.1"
    assert dashboard.ask("DELETE", "cache/1.1.1.1").status == 204
    assert dashboard.ask("DELETE", "cache/1.1.1.1").problem == "not-found"
    assert dashboard.ask("GET", "cache/1.1.1.1").problem == "not-found"
    assert dashboard.ask("GET", "cache/x").problem == "invalid-address"
    assert dashboard.ask("DELETE", "cache").status == 204
    assert dashboard.get("cache/stats")["count"] == 0


def test_without_a_cache(sonde, simulator):
    dashboard = Dashboard(sonde, simulator, "--no-cache")
    dashboard.ask("POST", "lookups", json={"ip": "8.8.8.8"})
    assert dashboard.get("cache") == {"items": [], "next": None}
    assert dashboard.get("cache/stats") == {"count": 0, "bytes": 0, "oldest": None}


# The description


def test_the_description_has_every_path_and_method(dashboard):
    described = dashboard.get("openapi.json")
    assert described["openapi"].startswith("3.1.")
    methods = {"get", "put", "post", "delete"}
    found = {
        path: {name.upper() for name in methods & item.keys()} for path, item in described["paths"].items()
    }
    whole = {path if path[0] == "/" else f"/api/v1/{path}": methods for path, methods in PATHS.items()}
    assert found == whole


def test_answers_are_as_described(dashboard):
    description = Description(dashboard.get("openapi.json"))
    scan = dashboard.scan("8.8.8.8\n10.0.0.1\nx\n", **{"as": "list"})
    description.check(scan, "post", "scans")
    place = f"scans/{scan.json['id']}"
    dashboard.until(scan.json["id"], "done")
    link = {"link": dashboard.new_link().partition("=")[2]}
    for method, path, query in (
        *(("get", path, {}) for path in ("session", "scans", "network", "network/losses", "network/outages", "network/timeline", "network/latency", "cache/stats", "fields", "providers", "users")),
        *(("get", f"{place}/{name}", {}) for name in ("records", "places", "throughput", "summary")),
        *(("get", f"{place}/{name}", {}) for name in ("missing", "rejects", "report")),
        *(("get", f"{place}/records", {"format": form}) for form in ("csv", "ndjson", "json", "geojson")),
        ("get", place, {}),
        ("get", "network/losses", {"format": "csv"}),
        ("post", "lookups", {"json": {"ip": "8.8.4.4"}}),
        ("post", "lookups", {"json": {"ip": "x"}}),
        ("post", "check", {"json": {"text": "8.8.8.8"}}),
        ("post", "check", {"json": {"text": "8"}}),
        ("post", "check", {"json": {}}),
        ("get", "lookups", {}),
        ("get", "lookups", {"limit": 0}),
        ("get", "lookups", {"colour": 1}),
        ("post", "lookups/8.8.4.4/refresh", {}),
        ("delete", "lookups/8.8.4.4", {}),
        ("delete", "lookups/8.8.4.4", {}),
        ("get", "cache", {}),
        ("get", "cache/8.8.8.8", {}),
        ("get", "cache/8.8.4.5", {}),
        ("post", f"{place}/retry", {}),
        ("post", f"{place}/stop", {}),
        ("post", f"scans/{ID}/pause", {}),
        ("get", "session", {"cookie": None}),
        ("post", "session", {"json": link, "cookie": None}),
        ("post", "session", {"json": link, "cookie": None}),
        ("delete", place, {}),
        ("get", place, {}),
        ("delete", "session", {}),
    ):
        description.check(dashboard.ask(method.upper(), path, **query), method, path)


class Description:
    """What the description says of answers."""

    def __init__(self, document):
        self.document = document

    def resolve(self, value):
        """What a reference leads to."""
        while "$ref" in value:
            target = self.document
            for name in value["$ref"].removeprefix("#/").split("/"):
                target = target[name]
            value = target
        return value

    def check(self, answer, method, path):
        """Fails where an answer is not as described."""
        whole = f"/api/v1/{path}"
        patterns = sorted(self.document["paths"], key=lambda pattern: pattern.count("{"))
        pattern = next(p for p in patterns if re.fullmatch(re.sub(r"{\w+}", "[^/]+", p), whole))
        responses = self.document["paths"][pattern][method]["responses"]
        assert str(answer.status) in responses, (method, path, answer)
        content = self.resolve(responses[str(answer.status)]).get("content")
        if content is None:
            assert answer.body == b"", (method, path, answer)
            return
        kind = answer.headers.get_content_type()
        assert kind in content, (method, path, answer)
        if kind.endswith("json") and kind != "application/x-ndjson":
            faults = list(self.faults(answer.json, content[kind]["schema"], "$"))
            assert faults == [], (method, path, faults)

    def faults(self, value, schema, place):
        """Where a value is not as a schema says: of JSON Schema what the description uses."""
        schema = self.resolve(schema)
        if "anyOf" in schema:
            every = [list(self.faults(value, one, place)) for one in schema["anyOf"]]
            yield from [] if [] in every else every[0]
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        if types and not any(is_of(value, kind) for kind in types):
            yield f"{place} is no {types}: {value!r}"
        if "enum" in schema and value not in schema["enum"]:
            yield f"{place} is {value!r}"
        if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
            yield f"{place} is {value!r}"
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from self.faults(item, schema.get("items", {}), f"{place}[{index}]")
        if isinstance(value, dict):
            members = schema.get("properties", {})
            yield from (f"{place} has no {name}" for name in schema.get("required", []) if name not in value)
            for name, item in value.items():
                other = schema.get("additionalProperties", True)
                if name in members:
                    yield from self.faults(item, members[name], f"{place}.{name}")
                elif other is False:
                    yield f"{place} has {name}"
                elif other is not True:
                    yield from self.faults(item, other, f"{place}.{name}")


KINDS = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "object": dict,
    "array": list,
    "null": type(None),
}


def is_of(value, kind):
    """Whether a value of JSON is of a type."""
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, KINDS[kind])


def test_an_address_of_the_cache_is_listed_once_for_each_source(dashboard, sonde, simulator):
    # A scan asks for fewer fields than a look-up, and so do the times differ.
    scan = dashboard.scan("8.8.8.8\n1.1.1.1\n").json["id"]
    dashboard.until(scan, "done")
    time.sleep(1.1)
    answer = dashboard.ask("POST", "lookups", json={"ip": "8.8.8.8"}).json
    assert simulator.counts()["total"] == 2
    items = dashboard.get("cache")["items"]
    assert [each["ip"] for each in items] == ["8.8.8.8", "1.1.1.1"]
    assert items[0]["fetched_at"] == answer["fetched_at"] and items[0]["mobile"] == answer["mobile"]
    assert dashboard.get("cache/8.8.8.8") == items[0]
    assert dashboard.get("cache/stats")["count"] == 2
    pages = [dashboard.get("cache", limit=1)]
    while pages[-1]["next"]:
        pages.append(dashboard.get("cache", limit=1, before=pages[-1]["next"]))
    assert [each for page in pages for each in page["items"]] == items
    assert [each["ip"] for each in dashboard.get("cache", search="8.8.8.8")["items"]] == ["8.8.8.8"]

    def command(*arguments):
        return sonde("cache", *arguments, env=dashboard.env)

    listed = command("list").records
    assert {each["ip"]: each["fetched_at"] for each in listed} == {each["ip"]: each["fetched_at"] for each in items}
    assert [each["fetched_at"] for each in command("show", "8.8.8.8").records] == [answer["fetched_at"]]
    assert command("stats", "--format", "json").records[0]["answers"] == 2
    assert dashboard.ask("DELETE", "cache/8.8.8.8").status == 204
    assert [each["ip"] for each in command("list").records] == ["1.1.1.1"]
    assert dashboard.ask("GET", "cache/8.8.8.8").status == 404
