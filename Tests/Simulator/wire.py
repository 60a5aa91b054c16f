"""HTTP/1.1 by hand on asyncio streams, so that an answer can be spoilt at any byte.

Requests of one connection are read and answered one after the other, which keeps pipelined ones in
order (RFC 9112 §9.3.2).
"""

import asyncio
import socket
import struct
import time
from base64 import b64decode
from binascii import Error as Base64Error
from dataclasses import dataclass, field
from email.utils import formatdate
from urllib.parse import parse_qsl, unquote, urlsplit

REASONS = {
    200: "OK", 302: "Found", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 422: "Unprocessable Entity",
    429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout",
}
JSON = "application/json; charset=utf-8"
LARGEST_BODY = 64 << 20


class Malformed(Exception):
    """What came is no HTTP request."""


@dataclass
class Request:
    """A request, read whole."""

    method: str
    target: str
    headers: dict
    body: bytes
    keeps_alive: bool

    def __post_init__(self):
        parts = urlsplit(self.target)
        self.path = unquote(parts.path)
        self.query = dict(parse_qsl(parts.query, keep_blank_values=True)) if parts.query else {}

    @property
    def token(self):
        """The token of ipinfo's three ways to give one: Bearer, Basic's user, `?token=`."""
        scheme, _, value = self.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return value.strip()
        if scheme.lower() == "basic":
            try:
                return b64decode(value).decode().partition(":")[0]
            except (Base64Error, UnicodeDecodeError):
                return "?"
        return self.query.get("token")


@dataclass
class Answer:
    """A response; `headers` are those beyond date, type and length."""

    status: int = 200
    body: bytes = b""
    type: str = JSON
    headers: list = field(default_factory=list)


async def read_request(reader):
    """The next request of a connection, or None at its end."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial.strip():
            raise Malformed("the connection ended within a request head") from None
        return None
    except asyncio.LimitOverrunError:
        raise Malformed("the request head is too long") from None
    lines = head.decode("latin-1").split("\r\n")
    try:
        method, target, version = lines[0].split(" ")
        pairs = (line.split(":", 1) for line in lines[1:] if line)
        headers = {name.lower(): value.strip() for name, value in pairs}
    except ValueError:
        raise Malformed("the request line or a header has the wrong form") from None
    connection = headers.get("connection", "").lower()
    keeps_alive = "close" not in connection and (version == "HTTP/1.1" or "keep-alive" in connection)
    body = await _read_body(reader, headers)
    return Request(method, target, headers, body, keeps_alive)


async def _read_body(reader, headers):
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return await _read_chunks(reader)
    try:
        length = int(headers.get("content-length", 0))
    except ValueError:
        raise Malformed("Content-Length is no number") from None
    if length > LARGEST_BODY:
        raise Malformed("the body is too long")
    return await reader.readexactly(length) if length else b""


async def _read_chunks(reader):
    body = bytearray()
    while True:
        size = int((await reader.readline()).split(b";")[0], 16)
        body += await reader.readexactly(size)
        await reader.readexactly(2)
        if size == 0 or len(body) > LARGEST_BODY:
            return bytes(body)


_date = (0, "")


def _now():
    """The `Date` header's value, made once a second."""
    global _date
    second = int(time.time())
    if _date[0] != second:
        _date = (second, formatdate(second, usegmt=True))
    return _date[1]


def serialise(answer, length=None, keeps_alive=True):
    """The bytes of an answer; `length` lies about how many bytes the body has."""
    lines = [
        f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, 'Status')}",
        f"Date: {_now()}",
        f"Content-Type: {answer.type}",
        f"Content-Length: {len(answer.body) if length is None else length}",
        "Access-Control-Allow-Origin: *",
    ]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    if not keeps_alive:
        lines.append("Connection: close")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + answer.body


def reset(writer):
    """Ends a connection with a TCP reset instead of an orderly close."""
    connection = writer.get_extra_info("socket")
    if connection is not None:
        linger = struct.pack("ii", 1, 0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()
