"""Object stores: the file system of a URL, and the settings that lead to it."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import SparkSession

from sonde.errors import SondeError

_URL = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://(.*)", re.DOTALL)
_S3 = ("s3", "s3a")
# Spark's settings of S3 (Hadoop, "S3A"), and the keywords of pyarrow's S3FileSystem.
_SETTINGS = {"access.key": "access_key", "secret.key": "secret_key", "session.token": "session_token"}
# By these the environment says where S3 is.
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
# Of a request to S3, which answers 503 where many tasks begin at once; pyarrow's own are 3.
_ATTEMPTS = 6
# What changes with an object, by the names that the file systems of fsspec have for it.
_CHANGING = (
    *("etag", "ETag", "md5", "md5Hash", "Content-MD5", "content_md5", "checksum", "generation", "version_id"),
    *("LastModified", "Last-Modified", "last_modified", "updated", "modified", "mtime", "created"),
)
# File systems that this process has opened: a new one would connect anew.
_opened: dict[tuple[int, object], Any] = {}
# Several threads want the first one at once.
_opening = threading.Lock()


def is_stored(path: str) -> bool:
    """Whether a path is an object's, and no file's of every machine."""
    found = _URL.fullmatch(path)
    return bool(found) and found[1].lower() != "file"  # type: ignore[index]


@contextlib.contextmanager
def told(name: str) -> Iterator[None]:
    """Has whatever a store raises say what it was about."""
    try:
        yield
    except SondeError:
        raise
    # Those of fsspec have errors of their own kinds.
    except Exception as error:
        raise SondeError(f"{name}: {str(error) or type(error).__name__}") from error


@dataclass(frozen=True)
class Store:
    """A file system of pyarrow, which each process opens for itself."""

    scheme: str
    authority: str
    options: tuple[tuple[str, Any], ...]

    def open(self) -> Any:
        """The file system.

        Raises:
            SondeError: There is none for the scheme, or its options are refused.

        """
        with told(f"{self.scheme}://{self.authority}"), _opening:
            key = (os.getpid(), self._identity)
            if key not in _opened:
                _opened[key] = self._new()
            return _opened[key]

    @functools.cached_property
    def _identity(self) -> tuple[object, ...]:
        """What equal stores have in common, pickled or not: the text of an option may be no more than its address."""
        dumps: Callable[[object], bytes] = cloudpickle.dumps
        return self.scheme, self.authority, frozenset((name, dumps(value)) for name, value in self.options)

    def refreshed(self) -> Any:
        """The file system, which remembers nothing of what was there."""
        found = self.open()
        if not is_native(self.scheme):
            found.handler.fs.invalidate_cache()
        return found

    def _new(self) -> Any:
        from pyarrow import fs

        options = dict(self.options)
        if self.scheme in _S3:
            options.setdefault("retry_strategy", fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS))
            return fs.S3FileSystem(**options)
        if self.scheme == "gs":
            return fs.GcsFileSystem(**options)
        if self.scheme == "hdfs":
            host, _, port = self.authority.rpartition(":") if ":" in self.authority else (self.authority, "", "")
            return fs.HadoopFileSystem(host or "default", int(port or 0), **options)
        import fsspec

        # Some have the host, the user or the container in the URL.
        found, _ = fsspec.core.url_to_fs(f"{self.scheme}://{self.authority}/", **options)
        return fs.PyFileSystem(fs.FSSpecHandler(found))

    def place(self, url: str) -> str:
        """The path in it of a URL."""
        found = _URL.fullmatch(url)
        assert found is not None
        if self.scheme == "hdfs":
            return "/" + found[2].partition("/")[2].rstrip("/")
        if is_native(self.scheme):
            return found[2].rstrip("/")
        # `local:///` is a place by itself; of schemes, fsspec knows the usual spelling alone.
        return str(self.open().handler.fs._strip_protocol(f"{self.scheme}://{found[2]}")).rstrip("/") or "/"

    def mark(self, path: str, file: Any) -> tuple[int, str]:
        """The size of an object, and what changes with it: its ETag, or its time where the store has none."""
        if not is_native(self.scheme):
            info = self.refreshed().handler.fs.info(path)
            return int(info["size"]), " ".join(f"{name}={info[name]}" for name in _CHANGING if info.get(name))
        known = {}
        with contextlib.suppress(NotImplementedError):
            known = {_text(name).lower(): _text(value) for name, value in (file.metadata() or {}).items()}
        if etag := known.get("etag"):
            return file.size(), etag.strip('"')
        return file.size(), str(self.open().get_file_info(path).mtime_ns)


def is_native(scheme: str) -> bool:
    """Whether pyarrow itself has a file system for it."""
    return scheme in (*_S3, "gs", "hdfs")


def of(url: str, settings: Mapping[str, str], options: Mapping[str, Any] | None) -> Store:
    """The store of a URL, reached by its own options or, as far as it is S3, by settings as of `settings`."""
    found = _URL.fullmatch(url)
    assert found is not None
    scheme, authority = found[1].lower(), found[2].partition("/")[0]
    if options is None:
        options = _keywords(settings) if scheme in _S3 else {}
    if scheme in _S3:
        options = {**_region(authority, options), **options}
    return Store(scheme, authority, tuple(options.items()))


def settings(spark: SparkSession) -> dict[str, str]:
    """What Spark's settings say of S3 now, by their last names, and where they leave its endpoint out, the environment.

    A process that has no session is given these.
    """
    names = (*_SETTINGS, "endpoint", "connection.ssl.enabled", "path.style.access")
    said = {name: spark.conf.get(f"spark.hadoop.fs.s3a.{name}", None) for name in names}
    said["endpoint"] = said["endpoint"] or next(filter(None, map(os.environ.get, _ENDPOINTS)), None)
    return {name: value for name, value in said.items() if value}


def _region(bucket: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Where a bucket is, of Amazon's own, which refuses who asks elsewhere; nothing where that is said."""
    said = ("AWS_REGION", "AWS_DEFAULT_REGION", *_ENDPOINTS)
    if any(map(os.environ.get, said)) or not {"region", "endpoint_override"}.isdisjoint(options):
        return {}
    from pyarrow import fs

    with contextlib.suppress(OSError):
        return {"region": fs.resolve_s3_region(bucket)}
    return {}


def _keywords(settings: Mapping[str, str]) -> dict[str, Any]:
    """The keywords of S3FileSystem by settings; what is not among them, it finds in the environment itself."""
    options: dict[str, Any] = {keyword: settings[name] for name, keyword in _SETTINGS.items() if name in settings}
    is_secure = settings.get("connection.ssl.enabled") != "false"
    if endpoint := settings.get("endpoint"):
        scheme, _, host = endpoint.rpartition("://")
        options["endpoint_override"] = host.rstrip("/")
        options["scheme"] = scheme or ("https" if is_secure else "http")
        if settings.get("path.style.access") == "false":
            options["force_virtual_addressing"] = True
    return options


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode(errors="replace")
