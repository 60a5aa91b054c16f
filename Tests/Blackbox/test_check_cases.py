"""The table of what the dashboard's field says of a text: `sonde check` says the same of it."""

import json
from pathlib import Path

CASES = json.loads((Path(__file__).parent / "check_cases.json").read_text())


def test_check_agrees_with_the_table(sonde):
    # One field holds one address; a line of a list may hold many, one in more words, and a comment.
    own = ("this is a block or a range: use Scans", "longer than an address can be")
    cases = [case for case in CASES if case["message"] not in own]
    cases = [case for case in cases if case["state"] != "empty" and not set("\n#") & set(case["text"])]
    assert len(cases) > 200
    text = "".join(case["text"] + "\n" for case in cases)
    result = sonde("check", "--format", "ndjson", "--duplicates", "keep", input=text)
    records = [json.loads(line) for line in result.stdout.decode().splitlines()]
    said = [(record["line"], record["status"], record.get("message")) for record in records]
    assert said == [(line, case["status"], case["message"]) for line, case in enumerate(cases, 1)]
    valid = [(record["ip"], case["ip"]) for record, case in zip(records, cases) if case["state"] == "valid"]
    assert valid and all(ip == wanted for ip, wanted in valid)
