"""What a user of a team may use, and what the admin sees of that."""

import pytest

LIMITED = pytest.mark.parametrize("team", [("--limit-lookups", "2/min")], indirect=True, ids=["two a minute"])


@LIMITED
def test_look_ups_that_ask_a_provider_are_limited(team):
    def ask(address, path="lookups"):
        return team.ask("POST", path, json={"ip": address}) if path == "lookups" else team.ask("POST", path)

    assert [ask(address).status for address in ("8.8.8.8", "1.1.1.1")] == [200, 200]
    refused = ask("9.9.9.9")
    assert (refused.status, refused.problem) == (429, "rate") and 1 <= int(refused.headers["Retry-After"]) <= 60
    # What is kept, and what nobody is asked about, is free; asking anew is not.
    assert [ask(address).status for address in ("8.8.8.8", "10.0.0.1")] == [200, 200]
    assert ask("", "lookups/8.8.8.8/refresh").status == 429


def test_the_admin_sees_what_users_use(team):
    team.ask("POST", "lookups", json={"ip": "8.8.8.8"})
    team.scan("1.1.1.1\n")
    [user] = team.get("users")["items"]
    assert (user["admin"], user["disabled"], user["lookups"], user["scans"]) == (True, False, 1, 1)
    assert user["bytes"] >= 8 and user["connections"] >= 1 and user["streams"] == 0
