"""The API against its own description, by requests that schemathesis makes up from it (https://schemathesis.io)."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from command import PATIENCE

TOOL = Path(__file__).resolve().parents[2] / ".build" / "page-tools" / "bin" / "schemathesis"
is_missing = not os.environ.get("CI") and not TOOL.exists()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(is_missing, reason="needs schemathesis (Tests/setup.sh --tests)"),
    pytest.mark.slow,
]

# What an answer must be: described, of the described form, and 405 with `Allow` where no method is.
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
)

# A stream of events has no end, which it would wait for.
ENDLESS = "/api/v1/events"

# What ends the session that everything else is to be asked with.
ENDING = ("/api/v1/session", "/api/v1/sessions/{id}", "/api/v1/password")


def conform(team, folder, description, *options):
    """Makes sure that the server answers as a description says."""
    path = folder / "openapi.json"
    path.write_text(json.dumps(description))
    result = subprocess.run(
        [
            *(TOOL, "run", path, "--url", team.base, "--checks", ",".join(CHECKS), "--no-color"),
            *("--phases", "examples,coverage,fuzzing", "--max-examples", "10", "--seed", "1", "--no-shrink"),
            *("--request-timeout", "30", "--exclude-path", ENDLESS, *options),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=10 * PATIENCE,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_without_a_session_it_answers_as_described(team, tmp_path):
    conform(team, tmp_path, team.get("openapi.json"))


def test_with_a_session_too(team, tmp_path):
    description = team.get("openapi.json")
    # Else it makes tokens up, which are meant before the session is.
    del description["security"], description["components"]["securitySchemes"]
    for methods in description["paths"].values():
        for method in methods.values():
            if isinstance(method, dict):
                method.pop("security", None)
    excluded = [word for path in ENDING for word in ("--exclude-path", path)]
    said = conform(team, tmp_path, description, "--header", f"Cookie: {team.cookie}", *excluded)
    assert "only 401/403 responses" not in said, said
    assert team.get("session")["user"]["email"] == team.ADMIN
