"""The forms in which services are sent alerts, and `sonde watch --test-alert`."""

import json
import re
import socket

import alert_services
import pytest
from alert_services import Service
from namespaces import PROVIDER, Network, skip_unless_allowed
from receivers import ONLINE, AnsweringReceiver, Queue, answer, ended, wait_for, watching
from watching import Watch

pytestmark = pytest.mark.slow

HOST = "gate.example"
FORMS = {
    "slack": "http://{}/services/T/B/secret",
    "discord": "http://{}/api/webhooks/1/token",
    "teams": "http://{}/workflows/secret",
    "ntfy": "http://:tk_secret@{}/topic",
    "alertmanager": "http://{}/api/v2/alerts",
    "pagerduty": "http://KEY@{}/v2/enqueue",
}
ANSWERS = {
    "slack": "HTTP 200: ok",
    "discord": "HTTP 204",
    "teams": "HTTP 202",
    "ntfy": r'HTTP 200: {"event": "message".*',
    "alertmanager": "HTTP 200",
    "pagerduty": r'HTTP 202: {"status": "success".*',
}
TEMPLATES = {
    "telegram": (
        "telegram.json",
        '{"chat_id": -1001, "text": {{json summary}}}\n',
        "http://{}/bot123:abc/sendMessage",
    ),
    "gotify": (
        "gotify.json",
        '{"title": "{{title}}", "message": {{json summary}}, "priority": 5}\n',
        "http://{}/message?token=A1",
    ),
    "pushover": (
        "pushover.form",
        "token=T&user=U&title={{url title}}&message={{url summary}}",
        "http://{}/1/messages.json",
    ),
}
HOSTILE = '@everyone <!channel> & *b* _i_ [x](y) `c`\r\nX-Injected: 1 \u202e"\\ é😀'
SHOWN = HOSTILE.replace("\r\n", r"\r\n").replace("\u202e", r"\u{202e}")


@pytest.fixture
def serve():
    """Makes stand-ins for services."""
    services = []

    def make(name, *arguments):
        services.append(Service(getattr(alert_services, name), *arguments))
        return services[-1]

    yield make
    for service in services:
        service.close()


def trial(sonde, *options, host=HOST, endpoint=ONLINE, env=None):
    """A run of `watch --test-alert`."""
    arguments = ("watch", "--test-alert", "--endpoint", endpoint, "--host-name", host, *options)
    return sonde(*arguments, env=env)


def texts(name, service):
    """The texts that a service would show."""
    markdown = {"discord", "teams"}
    shown = {
        "slack": lambda m: m.json["text"].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"),
        "discord": lambda m: m.json["content"],
        "teams": lambda m: m.json["attachments"][0]["content"]["body"][0]["text"],
        "ntfy": lambda m: m.body.decode(),
        "alertmanager": lambda m: m.json[0]["annotations"]["summary"],
        "pagerduty": lambda m: m.json["payload"]["summary"],
    }[name]
    plain = [shown(message) for message in service.messages]
    return [re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text) if name in markdown else text for text in plain]


# The test of alerts.


@pytest.mark.parametrize("name", FORMS)
def test_a_test_alert_is_taken_in_each_form(sonde, serve, name):
    service = serve(name)
    url = FORMS[name].format(service.place)
    result = trial(sonde, "--webhook", f"{name}={url}")
    assert (result.status, result.stdout) == (0, b"")
    line = rf"sonde: --webhook: http://{re.escape(service.place)}: {ANSWERS[name]}\n"
    assert re.fullmatch(line, result.stderr), result.stderr
    assert len(service.messages) == 1 and service.refusals == []
    [text] = texts(name, service)
    assert re.fullmatch(rf"{HOST}: test of alerts at \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d UTC", text)
    assert not (sonde.home / "state" / "sonde" / "alerts").exists()


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates_suit_other_services(sonde, serve, name):
    service = serve(name)
    file, text, url = TEMPLATES[name]
    (sonde.work / file).write_text(text)
    result = trial(sonde, "--webhook", f"template:{file}={url.format(service.place)}", host=HOSTILE)
    assert (result.status, len(service.messages)) == (0, 1), result.stderr


@pytest.mark.parametrize("name", FORMS)
def test_names_are_text_in_each_form(sonde, serve, name):
    service = serve(name)
    result = trial(sonde, "--webhook", f"{name}={FORMS[name].format(service.place)}", host=HOSTILE)
    assert result.status == 0, result.stderr
    [message] = service.messages
    assert message.headers["X-Injected"] is None
    [text] = texts(name, service)
    assert text.startswith(f"{SHOWN}: test of alerts at "), text
    if name == "ntfy":
        assert message.title == f"{SHOWN}: test of alerts" and message.headers["Title"].isascii()


def test_the_test_says_what_came_back_from_each_and_sends_once(sonde):
    receivers = [AnsweringReceiver(answer(status, body)) for status, body in [(410, b"channel_is_archived"), (429, b"")]]
    taken = AnsweringReceiver()
    urls = [option for each in [*receivers, taken] for option in ("--webhook", f"slack={each.url}")]
    result = trial(sonde, *urls, "--exec", 'echo "$SONDE_STATE,$SONDE_CAUSE" > told; exit 3', "--syslog")
    lines = result.stderr.splitlines()
    assert result.status == 1
    assert lines[:4] == [
        f"sonde: --webhook: {receivers[0].shown}: HTTP 410: channel_is_archived",
        f"sonde: --webhook: {receivers[1].shown}: HTTP 429",
        f"sonde: --webhook: {taken.shown}: HTTP 200",
        "sonde: --exec: the command ended with status 3",
    ]
    assert len(lines) == 5 and lines[4].startswith("sonde: --syslog: /dev/log")
    assert (sonde.work / "told").read_text() == "test,\n"
    assert [len(each.requests) for each in [*receivers, taken]] == [1, 1, 1]
    assert taken.requests[0].fields["idempotency-key"]
    for receiver in [*receivers, taken]:
        receiver.close()


def test_the_test_of_a_command_that_takes_it_ends_with_0(sonde):
    result = trial(sonde, "--exec", "true")
    assert (result.status, result.stderr) == (0, "sonde: --exec: the command ended with status 0\n")
    assert trial(sonde, "--exec", "true", "-q").stderr == ""


def test_nothing_to_test_is_a_mistake(sonde):
    result = trial(sonde)
    assert result.status == 2
    assert result.stderr.startswith("sonde: --test-alert needs --webhook, --exec or --syslog\n")


def test_mistakes_are_told_at_the_start_without_the_url(sonde):
    (sonde.work / "bad.json").write_text('{"text": {{summary}}}')
    (sonde.work / "bad.txt").write_text("{{sumary}}")
    (sonde.work / "binary.txt").write_bytes(b"\xff")
    table = {
        "slck=http://h/secret": "unknown format 'slck'",
        "=http://h/secret": "unknown format ''",
        "pagerduty=http://h/secret": "needs its key as the user",
        "https://events.pagerduty.com/secret": "needs its key as the user",
        "template:=http://h/secret": "unknown format 'template:'",
        "template:none=http://h/secret": "none: No such file or directory",
        "template:bad.json=http://h/secret": "bad.json: with some values this makes no JSON",
        "template:bad.txt=http://h/secret": "bad.txt: 'sumary' is no member of an event",
        "template:binary.txt=http://h/secret": "binary.txt: not UTF-8 text",
        "slack=h/secret": "expected a URL",
    }
    for value, reason in table.items():
        for command in (("watch", "--endpoint", ONLINE), ("serve",)):
            result = sonde(*command, "--webhook", value)
            assert (result.status, result.stdout) == (2, b""), value
            assert reason in result.stderr and "secret" not in result.stderr, result.stderr
    result = trial(sonde, env={"SONDE_WEBHOOK": f"http://{ONLINE}/a slck=http://h/secret"})
    assert result.status == 2 and result.stderr.startswith("sonde: SONDE_WEBHOOK: unknown format 'slck'")


# What a queue holds.


def stored(*events):
    """Writes events as an older version left them, or messages as this one does."""

    def write(sonde, url):
        queue = Queue(sonde, url)
        queue.folder.mkdir(parents=True, exist_ok=True)
        for number, event in enumerate(events, 1):
            path = queue.folder / f"{number:012}-{number:032x}.json"
            path.write_text(json.dumps(event))
        return queue

    return write


def test_what_an_older_version_left_goes_out_in_the_form(sonde, serve):
    service = serve("slack")
    url = FORMS["slack"].format(service.place)
    event = {"event": "network", "at": "2026-11-23T03:14:07.000Z", "state": "offline", "endpoint": "h:80"}
    back = {**event, "at": "2026-11-23T03:16:18.000Z", "state": "online", "down_ms": 131_000}
    queue = stored({**event, "cause": "unreachable"}, back)(sonde, url)
    running = watching(sonde, f"slack={url}", options=("--host-name", HOST))
    wait_for(lambda: not queue.waiting)
    ended(running)
    assert texts("slack", service) == [
        f"{HOST}: network lost (unreachable: h:80) since 2026-11-23 03:14:07 UTC",
        f"{HOST}: network back after 2 min 11 s, lost since 2026-11-23 03:14:07 UTC",
    ]


# A loss.


@skip_unless_allowed()
def test_a_loss_is_told_in_each_form(sonde, serve):
    network = Network()
    try:
        services = {name: serve(name, network.far, PROVIDER) for name in FORMS}
        urls = [
            word
            for name, service in services.items()
            for word in ("--webhook", f"{name}={FORMS[name].format(service.place)}")
        ]
        watch = Watch(sonde, network.near, *urls, "--host-name", HOST)
        network.lose()
        lost = watch.change("offline", "link_down")
        network.restore()
        back = watch.back()[0]
        for service in services.values():
            wait_for(lambda service=service: len(service.messages) >= len(network_events(watch)) - 1)
        assert watch.finish().stderr == ""
    finally:
        network.close()
    since = f"{lost['at'][:10]} {lost['at'][11:19]} UTC"
    place = f"link_down on {lost['interface']}"
    for name, service in services.items():
        assert service.refusals == []
        told = texts(name, service)
        assert told[0] == f"{HOST}: network lost ({place}) since {since}"
        assert re.fullmatch(
            rf"{HOST}: network back after [\d.]+ s \({re.escape(place)}\), lost since {since}", told[-1]
        )
    first, last = (services["alertmanager"].messages[index].json[0] for index in (0, -1))
    assert first["labels"] == last["labels"]
    assert (first["startsAt"], last["startsAt"], last["endsAt"]) == (lost["at"], lost["at"], back["at"])
    incidents = [message.json for message in services["pagerduty"].messages]
    assert len({each["dedup_key"] for each in incidents}) == 1
    assert [each["event_action"] for each in incidents][-1] == "resolve"
    assert {each["event_action"] for each in incidents[:-1]} == {"trigger"}
    titles = [message.title for message in services["ntfy"].messages]
    assert (titles[0], titles[-1]) == (f"{HOST}: network lost", f"{HOST}: network back")


def network_events(watch):
    """The changes of the network that a watch has reported."""
    return [event for event in watch.events if event["event"] == "network"]


def test_the_host_is_the_machine_unless_named(sonde):
    receiver = AnsweringReceiver()
    result = sonde("watch", "--test-alert", "--endpoint", ONLINE, "--webhook", receiver.url)
    assert result.status == 0, result.stderr
    event = json.loads(receiver.requests[0].body)
    assert list(event) == ["event", "at", "host", "summary"]
    assert event["host"] == socket.gethostname()
    receiver.close()


@skip_unless_allowed()
def test_a_test_while_the_network_is_lost_ends_with_3(sonde):
    network = Network()
    try:
        network.lose()
        arguments = ("watch", "--test-alert", "--endpoint", f"{PROVIDER}:80")
        near = network.near.prefix
        running = sonde.start(*arguments, "--webhook", f"http://{PROVIDER}:9/secret", prefix=near)
        result = running.finish(20)
        assert result.status == 3 and "secret" not in result.stderr, result
        assert result.stderr.startswith(f"sonde: --webhook: http://{PROVIDER}:9: ")
        running = sonde.start(*arguments, "--exec", "true", prefix=near)
        assert running.finish(20).status == 0
    finally:
        network.close()
