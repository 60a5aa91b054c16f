"""nginx as it stands before a server: it ends TLS, and serves below a path of its own."""

import socket
import ssl
import subprocess
import time

from ports import free_port

CONFIGURATION = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/cert.pem;
    ssl_certificate_key {folder}/key.pem;
    location /sub/ {{
      proxy_pass http://{host};
      {headers}
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }}
  }}
}}
"""


class Nginx:
    """nginx on a port of its own, with a certificate that nobody trusts."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.host = f"localhost:{self.port}"
        self.origin = f"https://{self.host}"

    def start(self, host, headers=""):
        """Starts it before a server, with what its configuration has more."""
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
             "-keyout", self.folder / "key.pem", "-out", self.folder / "cert.pem"],
            check=True, capture_output=True,
        )  # fmt: skip
        configuration = self.folder / "nginx.conf"
        values = {"folder": self.folder, "port": self.port, "host": host, "headers": headers}
        configuration.write_text(CONFIGURATION.format(**values))
        self.process = subprocess.Popen(["nginx", "-c", configuration, "-e", self.folder / "error.log"])
        self._wait()

    def _wait(self):
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                return self.connect().close()
            except ConnectionRefusedError:
                time.sleep(0.05)
        raise TimeoutError("nginx does not listen")

    def connect(self, timeout=8):
        """A connection over TLS."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        plain = socket.create_connection(("127.0.0.1", self.port), timeout)
        return context.wrap_socket(plain, server_hostname="localhost")

    def stop(self):
        """Stops it."""
        self.process.terminate()
        self.process.wait(timeout=10)
