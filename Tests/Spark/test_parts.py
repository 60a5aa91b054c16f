"""Parts of `sonde.spark` by themselves: what a store of a few objects on one machine does not show."""

import gzip
import pickle
import random
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest

pa = pytest.importorskip("pyarrow")


# Seconds where nothing hangs.
@pytest.fixture
def parts(machine):
    """The package, without a session of Spark."""
    import sonde.spark
    from sonde.spark import feeds, listing, logs, objects, splits, stores  # noqa: F401

    return sonde.spark


class Kept:
    """An object of the tests' own, which no store has."""

    def __init__(self, data, size=None):
        self.data, self.size = data, len(data) if size is None else size

    def content(self):
        return self.data

    def whole(self):
        yield self.data

    def lines(self, offset, length):
        return offset, iter([self.data])


def found(*rows):
    """Records of `sonde`, each a line and an offset."""
    line, offset = zip(*rows, strict=True)
    return pa.record_batch({"line": pa.array(line, pa.int64()), "offset": pa.array(offset, pa.int64())})


# More than a signed number has room for beside 16 TiB, and the largest object of S3.
MANY, LARGE = 300_000, 50 << 40


def many(parts, *last):
    """Splits of many objects, the last ones of which are given."""
    several = [parts.splits.Split(f"s3://a/{n:06}", 0, 9, Kept(b"5.1.1.1 x", 9)) for n in range(MANY - len(last))]
    return [*several, *(parts.splits.Split(f"s3://a/last{n}", 0, None, each) for n, each in enumerate(last))]


def named(places, at):
    """What places mean, and whether they are numbers that ascend."""
    number, is_line, place = places.taken_apart(at)
    values = at.to_pylist()
    assert values == sorted(values) and values[0] >= 0
    return [(places.files[n], line, where) for n, line, where in zip(number, is_line.tolist(), place, strict=True)]


def test_places_are_of_their_own_object_however_many_there_are(parts):
    planned = many(parts, Kept(b"5.1.1.1\n"), Kept(b"a log\n5.1.1.1\n"))
    places = parts.logs.numbered(planned)
    one = parts.feeds.Feed(planned[-2])
    assert named(places, one.places(found((1, 3)), places)) == [("s3://a/last0", False, 3)]
    assert named(places, one.places(found((7, None)), places)) == [("s3://a/last0", True, 7)]
    both = parts.feeds.Together(planned[-2:])
    assert b"".join(both.chunks) == b"#\n5.1.1.1\na log\n5.1.1.1\n"
    assert named(places, both.places(found((2, 2), (4, 16)), places)) == [
        ("s3://a/last0", False, 0),
        ("s3://a/last1", False, 6),
    ]


def test_places_are_of_their_own_object_however_large_it_is(parts):
    planned = [parts.splits.Split(f"s3://a/{n}", 0, LARGE, Kept(b"", LARGE)) for n in range(1000)]
    places = parts.logs.numbered(planned)
    at = parts.feeds.Feed(planned[-2]).places(found((None, LARGE - 9), (None, LARGE - 1)), places)
    assert named(places, at) == [("s3://a/998", False, LARGE - 9), ("s3://a/998", False, LARGE - 1)]


def test_what_has_no_number_is_refused(parts):
    with pytest.raises(parts.SondeError, match=f"s3://a/last0: {LARGE} bytes or lines .* in {MANY} files: read fewer"):
        parts.logs.numbered(many(parts, Kept(b"", LARGE)))
    planned = many(parts, Kept(b""))
    places = parts.logs.numbered(planned)
    with pytest.raises(parts.SondeError, match=f"s3://a/last0: {LARGE} bytes or lines"):
        parts.feeds.Feed(planned[-1]).places(found((1, None), (LARGE, None)), places)


def test_places_mean_the_same_in_sql(spark, parts):
    planned = many(parts, Kept(b""))
    for places in (parts.logs.numbered(planned), parts.logs.numbered(planned[-1:])):
        at = parts.feeds.Feed(planned[-1]).places(found((1, 8), (77, None)), places)
        rows = spark.createDataFrame([(each,) for each in at.to_pylist()], "at bigint").selectExpr(
            places.file_number("at"), places.is_line("at"), places.place_in_file("at")
        )
        assert [tuple(row) for row in rows.collect()] == [(len(places.files), False, 8), (len(places.files), True, 77)]


def test_settings_of_spark_lead_to_s3_alone(parts, monkeypatch):
    from pyarrow import fs

    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(fs, "resolve_s3_region", lambda bucket: f"region of {bucket}")
    settings = {"access.key": "a", "secret.key": "b"}
    keys = {"access_key": "a", "secret_key": "b"}
    of = parts.stores.of
    for scheme in ("s3", "S3A"):
        for bucket in ("one", "two"):
            found = of(f"{scheme}://{bucket}/log", settings, None)
            assert dict(found.options) == {**keys, "region": f"region of {bucket}"}
    other = {**settings, "endpoint": "store:9000", "connection.ssl.enabled": "false", "path.style.access": "false"}
    wanted = {**keys, "endpoint_override": "store:9000", "scheme": "http", "force_virtual_addressing": True}
    assert dict(of("s3://one/log", other, None).options) == wanted
    # Options of one's own are used alone.
    assert dict(of("s3://one/log", other, {"region": "c"}).options) == {"region": "c"}
    for url in ("gs://one/log", "hdfs://one/log", "abfs://one/log"):
        assert of(url, settings, None).options == () and of(url, settings, {"user": "a"}).options == (("user", "a"),)


def test_a_process_opens_a_store_once(parts, monkeypatch):
    """However often the store is pickled, for every task is, and however many threads want it at once."""
    from pyarrow import fs

    made = []
    monkeypatch.setattr(fs, "S3FileSystem", lambda **options: time.sleep(0.1) or made.append(options) or object())

    def store(attempts, authority="a"):
        # Amazon would be asked for the region of a bucket without one.
        retries = fs.AwsStandardS3RetryStrategy(max_attempts=attempts)
        options = {"access_key": "a", "region": "b", "retry_strategy": retries}
        return pickle.loads(pickle.dumps(parts.stores.of(f"s3://{authority}/log", {}, options)))

    first = store(3)
    with ThreadPoolExecutor(8) as pool:
        several = list(
            pool.map(lambda each: each.open(), [store(3), first, store(3), pickle.loads(pickle.dumps(first))])
        )
    again = pickle.loads(pickle.dumps(first)).open()
    assert len(made) == 1 and all(each is again for each in several)
    store(4).open()
    store(3, "b").open()
    assert [each["retry_strategy"].max_attempts for each in made] == [3, 4, 3]
    with pytest.raises(parts.SondeError, match="s3://a: .*pickle"):
        parts.stores.of("s3://a/log", {}, {"region": "b", "lock": threading.Lock()}).open()


def test_small_gzip_files_are_unpacked_member_by_member(parts, monkeypatch):
    rng = random.Random(5)
    unpacked = parts.feeds._unpacked
    texts = [b"5.1.1.1 " + rng.randbytes(n).hex().encode() for n in (0, 1, 400, 470, 480, 500, 1000, 5000, 100_000)]
    for count in (1, 2, 9, 30):
        chosen = rng.choices(texts, k=count)
        members = [gzip.compress(each, rng.randrange(10)) for each in chosen]
        data = b"".join(members)
        assert unpacked(data) == b"".join(chosen)
        for broken in (
            data[:-1],
            data[:-9],
            data[: len(data) - len(members[-1]) + 5],
            data + b"\0",
            data + b"\x1f\x8b\x08",
        ):
            assert unpacked(broken) is None
    assert (
        unpacked(gzip.compress(b"")) is unpacked(b"5.1.1.1") is unpacked(gzip.compress(b"PK\x03\x04 1.1.1.1")) is None
    )
    most = parts.feeds._UNPACKED
    assert unpacked(gzip.compress(b"x" * most)) == b"x" * most
    assert unpacked(gzip.compress(b"x" * most) + gzip.compress(b"x")) is None

    class Member:
        """One of a file, which counts the bytes that are given."""

        given = 0

        def __init__(self, **options):
            self.real = real(**options)

        def decompress(self, data, most):
            Member.given += len(data)
            return self.real.decompress(data, most)

        def __getattr__(self, name):
            return getattr(self.real, name)

    real = zlib.decompressobj
    monkeypatch.setattr(zlib, "decompressobj", Member)
    # As a program writes them that ends a member with each line.
    data = gzip.compress(b"5.1.1.1 x\n") * 5000
    assert unpacked(data) == b"5.1.1.1 x\n" * 5000
    # A kilobyte for each, not all that is left of the file.
    assert Member.given <= 1024 * 5000


@pytest.fixture
def memory(parts):
    """Objects in the memory of this process."""
    import fsspec

    files = fsspec.filesystem("memory")
    for place in ("/a.log", "/b.txt", "/c/a.log", "/c/d.log"):
        files.pipe(place, place.encode())
    yield lambda url: [(each.name, each.content().decode()) for each in parts.listing.stored(url, {}, None)]
    files.rm("/", recursive=True)


def test_objects_below_the_root_have_names_of_their_own(memory):
    """Each leads to its object by itself, in the spelling of whoever asks."""
    below = {"": ["a.log", "b.txt"], "*.log": ["a.log"], "*/a.log": ["c/a.log"], "c": ["c/a.log", "c/d.log"]}
    below |= {"a.log": ["a.log"], "*": ["a.log", "b.txt", "c/a.log", "c/d.log"], "{a.log,c/}": ["a.log", *below["c"]]}
    for start in ("memory://", "memory:///", "MEMORY://", "Memory:///"):
        for place, names in below.items():
            found = memory(start + place)
            assert found == [(start + name, f"/{name}") for name in names], start + place
            assert all(memory(name) == [(name, text)] for name, text in found)


def test_a_pattern_below_the_root_is_not_of_the_folder_of_this_process(parts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nowhere-else.log").write_text("5.1.1.1\n")
    for url in ("local:///nowhere-else*.log", "local:///nowhere*", "moody:///nowhere-else.*"):
        with pytest.raises(parts.SondeError, match="no such object"):
            parts.listing.stored(url, {}, None)
    first = tmp_path.parts[1]
    (one,) = parts.listing.stored(f"local:///{first[:-1]}?/{'/'.join(tmp_path.parts[2:])}/*.log", {}, None)
    assert one.name == f"local://{tmp_path}/nowhere-else.log"


def test_schemes_of_files_are_in_any_case(parts, tmp_path):
    (tmp_path / "a b").write_text("5.1.1.1\n")
    for start in ("file:", "FILE://", "File://localhost"):
        assert [each.path for each in parts.splits.plan(f"{start}{tmp_path}/a%20b", None, 1)] == [f"{tmp_path}/a b"]


@pytest.mark.parametrize("fault", ["kill -9 $$", "echo no room >&2; exit 5"])
def test_errors_of_runs_name_objects(parts, instead, fault):
    """Whatever is read by them: one, or several together."""
    splits = [parts.splits.Split(f"s3://a/{n}", 0, 8, Kept(b"5.1.1.1\n")) for n in range(3)]
    places = parts.logs.numbered(splits)
    with instead(f"cat >/dev/null; {fault}"):
        for several, words in ((splits[:1], "s3://a/0: "), (splits, "s3://a/0 or one of 2 that are read with it: ")):
            (feed,) = parts.feeds.feeds(several)
            with pytest.raises(parts.SondeError, match=f"^{words}.*(SIGKILL|no room)") as caught:
                list(parts.logs.found(feed, places))
            assert (caught.value.status, caught.value.signal) == ((None, 9) if "kill" in fault else (5, None))
    feed = parts.feeds.Together([*splits, parts.splits.Split("s3://a/4", 0, 8, Broken())])
    with pytest.raises(parts.SondeError, match=r"^sonde on \S+: s3://a/4 is broken$"):
        list(parts.logs.found(feed, places))


class Broken(Kept):
    """An object that cannot be read, and says so."""

    def __init__(self):
        super().__init__(b"", 8)

    def content(self):
        from sonde import SondeError

        raise SondeError("s3://a/4 is broken")


@pytest.mark.parametrize(
    ("condition", "names", "later"),
    [
        ("line = 1", ["line"], "line = 3"),
        ('not (line>=2 and as_name = "line") or text ~ "*a\\"b*"', ["line", "as_name", "text"], "line>=4"),
        ("line in (1, 2,'3') and hits > 1", ["line", "hits"], "line in (3, 4,5) and hits > 1"),
        ("line not in (1) and ip not in @line and day", ["line", "ip", "day"], "line not in (3) and"),
        ("ip in @\"line = 1\" and 'line' != 4.5 AND not tor", ["ip", "line", "tor"], "'line' != 6.5 AND"),
        ("own_line = 1 and offset < 5", ["own_line", "offset"], "own_line = 1 and offset < 12"),
        ("line", ["line"], "line"),
        ("", [], ""),
    ],
)
def test_a_condition_is_read_as_the_program_reads_it(machine, condition, names, later):
    from sonde import conditions

    assert conditions.fields(condition) == names
    assert later in conditions.shifted(condition, {"line": 2, "offset": 7})


def test_the_columns_of_lines_are_those_of_the_program(sonde, local):
    from sonde.spark import options

    refused = set()
    for name in sonde.schema(fields=",".join(set(everything()))).names:
        try:
            sonde.schema(fields=name, by_network=True, **local)
        except sonde.UsageError:
            refused.add(name)
    assert refused == {*options.OCCURRENCE, *options.TOTALS}


def everything():
    """The names of all columns."""
    from sonde import columns

    return columns.known()
