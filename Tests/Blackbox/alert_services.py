"""Stand-ins for the services that take alerts: they check a message and answer as the real ones do."""

import base64
import email.header
import http.server
import json
import threading
import urllib.parse


class Refusal(Exception):
    """A status and a body in place of the usual answer."""


def need(condition, status, body):
    """Refuses what is not so."""
    if not condition:
        raise Refusal(status, body)


def objects(request, status, body):
    """The JSON of a request."""
    need(request.headers["Content-Type"] == "application/json", status, body)
    try:
        return json.loads(request.body)
    except ValueError:
        raise Refusal(status, body) from None


def slack(request):
    """https://api.slack.com/messaging/webhooks"""
    need(request.path.startswith("/services/"), 404, "no_service")
    message = objects(request, 400, "invalid_payload")
    need(isinstance(message.get("text"), str) and message["text"], 400, "no_text")
    need(set(message) == {"text"}, 400, "invalid_payload")
    return 200, "ok"


def discord(request):
    """https://discord.com/developers/docs/resources/webhook#execute-webhook"""
    need(request.path == "/api/v10/webhooks/1/token", 404, '{"message": "Unknown Webhook", "code": 10015}')
    message = objects(request, 400, '{"message": "The request body contains invalid JSON.", "code": 50109}')
    need(0 < len(message["content"]) <= 2000, 400, '{"content": ["Must be 2000 or fewer in length."]}')
    need(message["allowed_mentions"] == {"parse": []}, 400, "mentions")
    return 204, ""


def teams(request):
    """https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors"""
    message = objects(request, 400, "InvalidRequestContent")
    need(message["type"] == "message" and len(message["attachments"]) == 1, 400, "TriggerInputSchemaMismatch")
    [attachment] = message["attachments"]
    need(attachment["contentType"] == "application/vnd.microsoft.card.adaptive", 400, "no card")
    card = attachment["content"]
    need(card["type"] == "AdaptiveCard" and card["version"] == "1.4", 400, "no card")
    need(card["$schema"] == "http://adaptivecards.io/schemas/adaptive-card.json", 400, "no schema")
    need([block["type"] for block in card["body"]] == ["TextBlock"] and card["body"][0]["wrap"], 400, "no text")
    return 202, ""


def ntfy(request):
    """https://docs.ntfy.sh/publish"""
    need(request.path == "/topic" and len(request.body) <= 4096, 400, '{"code": 40014}')
    token = base64.b64encode(b":tk_secret").decode()
    need(request.headers["Authorization"] == f"Basic {token}", 401, '{"code": 40101, "http": 401}')
    need(request.headers["Content-Type"] == "text/plain; charset=utf-8", 400, "type")
    need(request.headers["Priority"] in "345" and request.headers["Tags"], 400, '{"code": 40007}')
    return 200, json.dumps({"event": "message", "message": request.body.decode()})


def alertmanager(request):
    """https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml"""
    need(request.path == "/api/v2/alerts", 404, "")
    for alert in objects(request, 400, '"parsing alerts body failed"'):
        need(alert["labels"]["alertname"] and all(alert["labels"].values()), 400, '"at least one label pair required"')
        need(alert["startsAt"] <= alert.get("endsAt", "9"), 400, '"start time must be before end time"')
        need(set(alert) <= {"labels", "annotations", "startsAt", "endsAt"}, 400, '"unknown field"')
    return 200, ""


def pagerduty(request):
    """https://developer.pagerduty.com/docs/events-api-v2/trigger-events"""
    invalid = '{"status": "invalid event", "message": "Event object is invalid"}'
    need(request.path == "/v2/enqueue" and request.headers["Authorization"] is None, 400, invalid)
    event = objects(request, 400, invalid)
    need(event["routing_key"] == "KEY" and event["event_action"] in ("trigger", "resolve"), 400, invalid)
    need(0 < len(event["dedup_key"]) <= 255, 400, invalid)
    payload = event["payload"]
    need(0 < len(payload["summary"]) <= 1024 and payload["source"], 400, invalid)
    need(payload["severity"] in ("critical", "error", "warning", "info"), 400, invalid)
    return 202, json.dumps({"status": "success", "message": "Event processed", "dedup_key": event["dedup_key"]})


def telegram(request):
    """https://core.telegram.org/bots/api#sendmessage"""
    need(request.path == "/bot123:abc/sendMessage", 404, '{"ok":false,"error_code":404,"description":"Not Found"}')
    message = objects(request, 400, '{"ok":false,"error_code":400}')
    need(message["chat_id"] == -1001 and message["text"], 400, '{"ok":false,"description":"message text is empty"}')
    return 200, '{"ok":true}'


def gotify(request):
    """https://gotify.net/api-docs#/message/createMessage"""
    need(request.path == "/message?token=A1", 401, '{"error":"Unauthorized","errorCode":401}')
    message = objects(request, 400, '{"error":"Bad Request","errorCode":400}')
    need(message["message"] and message["title"] and message["priority"] == 5, 400, '{"error":"Bad Request"}')
    return 200, '{"id":1}'


def pushover(request):
    """https://pushover.net/api"""
    need(request.path == "/1/messages.json", 404, "")
    need(request.headers["Content-Type"] == "application/x-www-form-urlencoded", 400, '{"status":0}')
    message = urllib.parse.parse_qs(request.body.decode(), strict_parsing=True)
    need(message["token"] == ["T"] and message["user"] == ["U"] and message["message"], 400, '{"status":0}')
    return 200, '{"status":1}'


class Message:
    """What a service was sent."""

    def __init__(self, path, headers, body):
        self.path, self.headers, self.body = path, headers, body

    @property
    def json(self):
        """The body, in JSON."""
        return json.loads(self.body)

    @property
    def title(self):
        """The header `Title`, decoded by RFC 2047."""
        return str(email.header.make_header(email.header.decode_header(self.headers["Title"])))


class Service:
    """A service on loopback, or at an address of a namespace."""

    def __init__(self, judge, namespace=None, host="127.0.0.1"):
        self.messages = []
        self.refusals = []
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """Answers what the service says of a message."""

            def do_POST(self):
                """Takes a message."""
                body = self.rfile.read(int(self.headers["Content-Length"]))
                message = Message(self.path, self.headers, body)
                try:
                    status, page = judge(message)
                    service.messages.append(message)
                except Refusal as refusal:
                    status, page = refusal.args
                    service.refusals.append(message)
                self.send_response(status)
                self.send_header("Content-Length", str(len(page.encode())))
                self.end_headers()
                self.wfile.write(page.encode())

            def log_message(self, *_):
                """Says nothing."""

        def serve():
            return http.server.ThreadingHTTPServer((host, 0), Handler)

        self.server = namespace.inside(serve) if namespace else serve()
        self.place = f"{host}:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        """Stops listening."""
        self.server.shutdown()
        self.server.server_close()
