"""Configuration: the command line wins, then the environment, then the file."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

SECRET = "s3cr3t-t0ken-0123456789"


def shows_csv(result):
    assert result.status == 0, result.stderr
    return result.stdout.startswith(b"ip,")


def test_command_line_then_environment_then_file(sonde):
    sonde.config_file.write_text("# mine\n\nformat = csv\nfields = ip,status\n")
    assert sonde("check", "8.8.8.8").stdout == b"ip,status\n8.8.8.8,ok\n"
    result = sonde("check", "8.8.8.8", env={"SONDE_FORMAT": "ndjson"})
    assert json.loads(result.stdout) == {"ip": "8.8.8.8", "status": "ok"}
    result = sonde("check", "--fields", "ip", "8.8.8.8", env={"SONDE_FORMAT": "ndjson", "SONDE_FIELDS": "line"})
    assert json.loads(result.stdout) == {"ip": "8.8.8.8"}
    result = sonde("check", "--format", "csv", "8.8.8.8", env={"SONDE_FORMAT": "ndjson"})
    assert result.stdout == b"ip,status\n8.8.8.8,ok\n"


def test_switches_in_the_environment(sonde):
    assert sonde("scan", "--provider", "local", input="nonsense!\n10.0.0.1\n").status == 0
    env = {"SONDE_STRICT": "1"}
    assert sonde("scan", "--provider", "local", input="nonsense!\n10.0.0.1\n", env=env).status == 1


def test_the_file_is_where_home_has_it_without_xdg(sonde):
    path = sonde.home / ".config" / "sonde" / "config"
    path.parent.mkdir(parents=True)
    path.write_text("format = csv\n")
    assert shows_csv(sonde("check", "8.8.8.8", env={"XDG_CONFIG_HOME": None}))


@pytest.mark.parametrize(
    "text, line",
    [
        ("format = csv\n\nfromat = csv\n", 3),
        ("# comment\nformat = xml\n", 2),
        ("timeout = soon\n", 1),
        ("concurrency = many\n", 1),
        ("\nno equals sign here\n", 2),
        ("retries = -1\n", 1),
        ("provider = nobody\n", 1),
        ("timeout = 5s\nretries = 1\ntimeout = 5s\n", 3),
        ("quiet = 1\n\n\nquiet = 1\n", 4),
    ],
)
def test_what_is_wrong_in_the_file_is_said_with_its_line(sonde, text, line):
    sonde.config_file.write_text(text)
    result = sonde("scan", "--provider", "local", "10.0.0.1")
    assert (result.status, result.stdout) == (2, b"")
    assert "config" in result.stderr and str(line) in result.stderr


@pytest.mark.parametrize("name, value", [("SONDE_FORMAT", "xml"), ("SONDE_TIMEOUT", "soon"), ("SONDE_CONCURRENCY", "0")])
def test_a_bad_value_in_the_environment_is_said_with_its_name(sonde, name, value):
    result = sonde("scan", "--provider", "local", "10.0.0.1", env={name: value})
    assert (result.status, result.stdout) == (2, b"")
    assert name in result.stderr or name[6:].lower() in result.stderr


@pytest.mark.parametrize("value", ["5", "5s", "5000ms", "1m", "2h", "1d", "0.5"])
def test_durations(sonde, value):
    assert sonde("scan", "--timeout", value, "--provider", "local", "10.0.0.1").status == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--timeout", "5 apples"),
        ("--timeout", "-1"),
        ("--timeout", ""),
        ("--concurrency", "0"),
        ("--retries", "x"),
        ("--rate", "fast"),
        ("--max-expand", "-5"),
        ("--offline-timeout", "never"),
        ("--duplicates", "some"),
        ("--nonsense",),
        ("--form", "csv"),
        ("--format",),
        ("--strict=perhaps",),
        ("-x",),
    ],
)
def test_wrong_usage_ends_with_2_before_anything_is_written(sonde, options):
    result = sonde("scan", "--provider", "local", "10.0.0.1", *options)
    assert (result.status, result.stdout) == (2, b"") and options[0].split("=")[0] in result.stderr


def test_equals_and_space_are_the_same(sonde):
    assert sonde("check", "--format=csv", "8.8.8.8").stdout == sonde("check", "--format", "csv", "8.8.8.8").stdout


def test_a_file_with_a_key_must_be_its_owner_s_alone(sonde):
    sonde.config_file.write_text(f"ipinfo-token = {SECRET}\n")
    sonde.config_file.chmod(0o644)
    result = sonde("check", "8.8.8.8")
    assert result.status == 2 and "config" in result.stderr and SECRET not in result.stderr
    sonde.config_file.chmod(0o600)
    assert sonde("check", "8.8.8.8").status == 0


def test_keys_of_the_file_are_used(sonde, simulator):
    sonde.config_file.write_text("ipinfo-token = test-token\nip-api-key = pro-key\n")
    sonde.config_file.chmod(0o600)
    simulator.control(batch_limit=0)
    assert sonde("scan", "--provider", "ip-api", "8.8.8.8", env=simulator.env).status == 0
    assert sonde("scan", "--provider", "ipinfo-lite", "8.8.8.8", env=simulator.env).status == 0


@pytest.mark.parametrize("option", ["--ip-api-key", "--ipinfo-token"])
def test_secrets_are_never_taken_from_the_command_line(sonde, option):
    for arguments in ((option, SECRET), (f"{option}={SECRET}",)):
        result = sonde("scan", "--provider", "local", "10.0.0.1", *arguments)
        assert result.status == 2 and SECRET not in result.stderr


FAULTS = [
    [],
    [{"fault": "status", "status": 500}],
    [{"fault": "reset"}],
    [{"fault": "garbage"}],
    [{"fault": "login_302"}],
]


@pytest.mark.parametrize("faults", FAULTS, ids=["refused", "500", "reset", "garbage", "login"])
@pytest.mark.parametrize("provider", ["ip-api", "ipinfo", "ipinfo-lite"])
def test_secrets_are_never_shown(sonde, simulator, provider, faults):
    simulator.control(faults=faults)
    env = {**simulator.env, "SONDE_IP_API_KEY": SECRET, "SONDE_IPINFO_TOKEN": SECRET}
    result = sonde(
        "scan", "--provider", provider, "--retries", "1", "--offline-timeout", "1", "--events", "events",
        "8.8.8.8", "1.1.1.1",
        env=env,
    )
    assert result.status in (1, 3, 4) and simulator.counts()["total"] >= 1
    for text in (result.stdout, result.stderr.encode(), sonde.read("events")):
        assert SECRET.encode() not in text


def test_a_token_is_not_sent_over_plain_http_beyond_loopback(sonde):
    env = {"SONDE_IPINFO_URL": "http://192.0.2.1", "SONDE_IPINFO_TOKEN": SECRET}
    result = sonde("scan", "--provider", "ipinfo-lite", "--retries", "0", "--offline-timeout", "0", "8.8.8.8", env=env)
    assert result.status in (2, 4) and "https" in result.stderr.lower() and SECRET not in result.stderr


def test_base_urls_that_are_none_are_wrong_configuration(sonde):
    for url in ("nonsense", "ftp://127.0.0.1/", "http://"):
        result = sonde("scan", "--provider", "ip-api", "8.8.8.8", env={"SONDE_IP_API_URL": url})
        assert (result.status, result.stdout) == (2, b""), url


@pytest.mark.parametrize("variable, command", [("SONDE_IP_API_URL", "scan"), ("SONDE_IPIFY_URL", "me")])
def test_a_base_url_that_is_none_is_named_by_its_variable_alone(sonde, variable, command):
    operands = ["8.8.8.8"] if command == "scan" else []
    result = sonde(command, *operands, env={variable: "http://user:s3cret@host:99999/"})
    assert result.status == 2 and variable in result.stderr and "s3cret" not in result.stderr


def test_a_base_url_may_end_with_a_slash(sonde, simulator):
    env = {**simulator.env, "SONDE_IP_API_URL": simulator.env["SONDE_IP_API_URL"] + "/"}
    assert sonde("scan", "--provider", "ip-api", "8.8.8.8", env=env).status == 0
    assert simulator.requests("ip-api other") == 0


@pytest.mark.parametrize("value", ["http://bad host:3128", "http://127.0.0.1:99999", "http://[::1", "ftp://user:s3cret@p"])
def test_a_proxy_that_is_none_is_refused_before_anything_is_asked(sonde, simulator, value):
    result = sonde("scan", "8.8.8.8", env={**simulator.env, "http_proxy": value})
    assert (result.status, result.stdout) == (2, b"")
    assert "http_proxy" in result.stderr and "s3cret" not in result.stderr
    assert simulator.counts()["total"] == 0


@pytest.mark.parametrize("exception", ["127.0.0.0/8", "127.0.0.1", "*", "x.example,127.0.0.1/32"])
def test_what_needs_no_proxy_is_neither_sent_to_it_nor_judged_by_it(sonde, simulator, exception):
    env = {**simulator.env, "http_proxy": "http://proxy.invalid:3128", "no_proxy": exception}
    result = sonde("scan", "8.8.8.8", "--provider", "ip-api", "--offline-timeout", "0", env=env)
    assert (result.status, result.records[0]["status"]) == (0, "ok")


def test_an_empty_list_of_what_needs_no_proxy_is_none(sonde, simulator):
    env = {**simulator.env, "http_proxy": "http://127.0.0.1:9", "no_proxy": "", "NO_PROXY": "127.0.0.1"}
    result = sonde("scan", "8.8.8.8", "--provider", "ip-api", "--retries", "0", env=env)
    assert (result.status, result.records[0]["status"]) == (0, "ok")


@pytest.fixture
def refusing_proxy():
    """A proxy that answers whatever it is asked with a status; gives what starts it."""
    servers = []

    def start(status):
        class Refusal(BaseHTTPRequestHandler):
            def do_CONNECT(self):
                asked.append(self.path)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        asked = []
        server = ThreadingHTTPServer(("127.0.0.1", 0), Refusal)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}", asked

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("status, expected, tries", [(407, 4, 1), (403, 4, 1), (502, 1, 2), (302, 3, None), (511, 3, None)])
def test_a_proxy_that_opens_no_tunnel_is_judged_by_its_status(sonde, refusing_proxy, status, expected, tries):
    url, asked = refusing_proxy(status)
    env = {"SONDE_IPINFO_URL": "https://ipinfo.example", "https_proxy": url}
    options = ("--provider", "ipinfo", "--retries", "1", "--offline-timeout", "0")
    result = sonde("scan", "8.8.8.8", *options, env=env)
    (record,) = result.records
    assert (result.status, record["status"]) == (expected, "network_lost" if expected == 3 else "failed")
    assert str(status) in record["message"] or expected == 3 and "captive_portal" in record["message"]
    assert tries is None or len(asked) == tries


def test_a_key_in_a_url_does_not_go_to_a_proxy_unencrypted(sonde, simulator):
    env = {**simulator.env, "SONDE_IP_API_KEY": "pro-key", "http_proxy": "http://127.0.0.1:9"}
    result = sonde("scan", "8.8.8.8", "--provider", "ip-api", "--retries", "0", env=env)
    assert (result.status, result.records[0]["status"]) == (0, "ok")


def test_what_a_proxy_refuses_is_not_told_of_the_provider(sonde, simulator):
    env = {**simulator.env, "http_proxy": "http://127.0.0.1:9"}
    result = sonde("scan", "8.8.8.8", "--provider", "ip-api", "--retries", "0", env=env)
    assert "127.0.0.1:9: connection refused" in result.records[0]["message"]


def test_help_names_both_files(sonde):
    text = sonde("--help").stdout.decode()
    assert "/etc/sonde/config" in text and "~/.config/sonde/config" in text


@pytest.mark.parametrize("value", ["nope", "+", "ip,,status", "+ip,status", "help"])
def test_wrong_columns_are_said_with_their_place(sonde, value):
    sonde.config_file.write_text(f"# mine\nfields = {value}\n")
    result = sonde("check", "8.8.8.8")
    assert (result.status, result.stdout) == (2, b"") and f"{sonde.config_file}:2: " in result.stderr
    sonde.config_file.unlink()
    result = sonde("check", "8.8.8.8", env={"SONDE_FIELDS": value})
    assert (result.status, result.stdout) == (2, b"") and "SONDE_FIELDS" in result.stderr


# As Python has a byte that is not UTF-8 in a name.
STRAY = "\udce9"


@pytest.mark.parametrize(
    "arguments",
    [
        ("scan", "8.8.8.8", "--provider", "local", "-o", f"o{STRAY}.csv"),
        ("scan", f"o{STRAY}.csv", "--provider", "local"),
        ("scan", "8.8.8.8", "--provider", "local", f"--missing=o{STRAY}.csv"),
        ("check", "x", "--rejects", f"o{STRAY}.csv"),
        ("extract", f"o{STRAY}.csv"),
        ("cache", "stats", "--cache", f"o{STRAY}.csv"),
    ],
)
def test_an_argument_that_is_not_utf_8_names_no_other_file(sonde, arguments):
    result = sonde(*arguments)
    assert (result.status, result.stdout) == (2, b"")
    assert "o\\xe9.csv" in result.stderr and "UTF-8" in result.stderr
    assert list(sonde.work.iterdir()) == []


@pytest.mark.parametrize("name", ["SONDE_OUTPUT", "SONDE_CACHE", "HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"])
def test_a_variable_that_is_not_utf_8_names_no_other_file(sonde, name):
    result = sonde("scan", "8.8.8.8", "--provider", "local", env={name: f"{sonde.work}/o{STRAY}"})
    assert (result.status, result.stdout) == (2, b"")
    assert name in result.stderr and list(sonde.work.iterdir()) == []


def test_help_is_given_whatever_the_bytes(sonde):
    assert sonde("scan", "--help", f"o{STRAY}", env={"SONDE_OUTPUT": STRAY}).status == 0
    assert sonde("help", "scan", env={"SONDE_OUTPUT": STRAY}).status == 0


def test_other_variables_may_hold_any_bytes(sonde):
    assert sonde("check", "8.8.8.8", env={"OTHER": STRAY, "SONDE_STATE": STRAY}).status == 0


@pytest.mark.parametrize("variables", [{"SONDE_TIMEOT": "5s"}, {"SONDE_TIMEOUT": "soon"}])
def test_what_is_wrong_in_the_environment_is_no_wrong_usage(sonde, variables):
    result = sonde("scan", "8.8.8.8", env=variables)
    assert result.status == 2 and "Usage" not in result.stderr and "SONDE_TIMEOUT" in result.stderr


def test_what_is_wrong_in_the_file_is_no_wrong_usage(sonde):
    sonde.config_file.write_text("timeot = 5s\n")
    result = sonde("scan", "8.8.8.8")
    assert result.status == 2 and "Usage" not in result.stderr and "'timeout'" in result.stderr


def test_of_a_variable_that_is_like_none_no_other_is_named(sonde):
    result = sonde("scan", "8.8.8.8", env={"SONDE_FOO": "1"})
    assert result.status == 2 and "did you mean" not in result.stderr


def test_a_name_of_one_value_stands_in_a_file_once(sonde):
    sonde.config_file.write_text("timeout = 5s\n# a comment\ntimeout = 7s\n")
    result = sonde("scan", "--provider", "local", "10.0.0.1")
    assert (result.status, result.stdout) == (2, b"")
    assert result.stderr == f"sonde: {sonde.config_file}:3: timeout stands in line 1 already, and takes one value\n"
    sonde.config_file.write_text("with = own=nets.csv\n# several\nwith = azure=more.json\n")
    assert "stands in line" not in sonde("check", "10.0.0.1").stderr


SETUP_ERRORS = [
    ("where", "nope = 1", "check", ", column 1: there is no field 'nope'"),
    ("where", 'line ~ "*x*"', "check", ", column 6: line is the number of a line"),
    ("with", "own=missing.csv", "check", ": missing.csv: No such file"),
    ("with", "aws", "scan", ": "),
    ("fields", "ptr", "scan", ": there is no column 'ptr' without --with names"),
    ("fields", "offset", "annotate", " offset makes no sense here"),
    ("time-zone", "Nowhere", "summary", ": there is no zone 'Nowhere'"),
    ("html", "page", "summary", " takes the name of the page to write"),
    ("range", "0:5", "scan", " applies to logs"),
    ("resume", "1", "scan", " needs --output FILE"),
    ("events", "-", "scan", " - needs --output FILE"),
    ("format", "sqlite", "scan", " sqlite needs --output FILE"),
    ("open-registration", "1", "serve", " needs --team"),
    ("tls-key", "x.pem", "serve", " needs --tls-cert"),
]


@pytest.mark.parametrize("name, value, command, words", SETUP_ERRORS, ids=[f"{n}-{v}" for n, v, *_ in SETUP_ERRORS])
def test_what_only_the_command_finds_wrong_is_named_as_it_was_written(sonde, name, value, command, words):
    operands = () if command == "serve" else ("8.8.8.8",)
    switch = value == "1"
    option = [f"--{name}"] if switch else [f"--{name}", value]
    ways = {
        f"--{name}": sonde(command, *option, *operands),
        "SONDE_" + name.upper().replace("-", "_"): None,
        f"{sonde.config_file}:2: {name}": None,
    }
    spelled = list(ways)
    ways[spelled[1]] = sonde(command, *operands, env={spelled[1]: value})
    sonde.config_file.write_text(f"# mine\n{name} = {value}\n")
    ways[spelled[2]] = sonde(command, *operands)
    for spelling, result in ways.items():
        assert (result.status, result.stdout) == (2, b""), spelling
        assert result.stderr.startswith(f"sonde: {spelling}{words}"), spelling
    assert "Usage" not in ways[spelled[1]].stderr + ways[spelled[2]].stderr


def test_of_several_values_the_wrong_one_is_named(sonde):
    sonde.file("nets.csv", "network,team\n10.0.0.0/8,office\n")
    sonde.config_file.write_text("with = own=nets.csv\nquiet = 1\nwith = azure=missing.json\n")
    result = sonde("check", "8.8.8.8")
    assert result.status == 2 and result.stderr.startswith(f"sonde: {sonde.config_file}:3: with: missing.json: ")
    sonde.config_file.write_text("provider = local\ndatabase = nothing.mmdb\n")
    result = sonde("scan", "8.8.8.8")
    assert result.status == 2 and result.stderr.startswith(f"sonde: {sonde.config_file}:2: nothing.mmdb: ")
