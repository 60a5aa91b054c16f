"""Certificates for a Redis over TLS, from an authority of the tests' own."""

import subprocess


class Certificates:
    """Files in PEM format in a folder: the authority's `ca.pem`, and what `make` names."""

    CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.ca, self.ca_key = folder / "ca.pem", folder / "ca-key.pem"
        self.run(
            "req", "-x509", *self.CURVE, "-subj", "/CN=authority", "-days", "30", "-nodes", "-keyout", self.ca_key, "-out", self.ca
        )

    def run(self, *arguments):
        """Makes a key, a request or a certificate."""
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)

    def make(self, name, subject="IP:127.0.0.1", days=30, password=None):
        """The certificate for a host, and its key, as paths."""
        certificate, key, request = (self.folder / f"{name}{end}" for end in (".pem", "-key.pem", ".csr"))
        secret = ["-passout", f"pass:{password}"] if password else ["-nodes"]
        names = ["-subj", f"/CN={name}", "-addext", f"subjectAltName={subject}"]
        self.run("req", *self.CURVE, *names, *secret, "-keyout", key, "-out", request)
        signed = ["-CA", self.ca, "-CAkey", self.ca_key, "-days", str(days), "-copy_extensions", "copy"]
        self.run("x509", "-req", "-in", request, *signed, "-out", certificate)
        return certificate, key

    def options(self, port, certificate, key, clients="no"):
        """What makes a server listen with these at a port, besides the other ones."""
        return [
            "--tls-port", str(port), "--tls-cert-file", str(certificate), "--tls-key-file", str(key),
            "--tls-ca-cert-file", str(self.ca), "--tls-auth-clients", clients,
        ]  # fmt: skip
