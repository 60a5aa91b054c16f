"""Libraries that most commands need not are loaded when one does; without them it says so."""

import bz2
import lzma
import re
import struct
import subprocess

import pytest
from captures import framed, ip, pcap
from command import ROOT, binary

LAZY = [
    *("libbz2.so.1.0", "libcares.so.2", "libcrypto.so.3", "libcurl.so.4", "libhiredis.so.0.14", "liblzma.so.5", "libloc.so.1"),
    "libmaxminddb.so.0",
    "libpcap.so.0.8",
    "libpcre2-8.so.0",
    "libsystemd.so.0",
]


@pytest.fixture
def without(sonde):
    """Runs the command where some libraries are no libraries."""

    def run(libraries, *arguments, env=None, **options):
        folder = sonde.directory / f"libraries-{sonde.runs}"
        folder.mkdir()
        for library in libraries:
            (folder / library).write_bytes(b"no library\n")
        return sonde(*arguments, env={"LD_LIBRARY_PATH": str(folder), **(env or {})}, **options)

    return run


def assert_said(result, library, package):
    assert (result.status, result.stdout) == (5, b"")
    pattern = rf"sonde: (\S+: )?{re.escape(library)} cannot be loaded: .*; install {re.escape(package)}\n"
    assert re.fullmatch(pattern, result.stderr), result.stderr


def test_no_library_is_linked_that_is_loaded_when_needed():
    section = subprocess.run(["readelf", "-d", binary()], capture_output=True, text=True, check=True)
    linked = re.findall(r"NEEDED.*\[(.*)\]", section.stdout)
    assert "libc.so.6" in linked and not set(LAZY) & set(linked)


def test_what_needs_no_library_works_without_any(sonde, without):
    sonde.file("log", "from 8.8.8.8\n")
    assert without(LAZY, "--version").status == 0
    assert without(LAZY, "check", input="8.8.8.8\n").records[0]["status"] == "ok"
    assert without(LAZY, "extract", "log").stdout == b"8.8.8.8\n"


def test_without_libcrypto_there_are_no_pseudonyms(sonde, without):
    key = "0123456789abcdeffedcba98765432101032547698badcfeefcdab8967452301"
    (sonde.work / sonde.file("key", key)).chmod(0o600)
    result = without(["libcrypto.so.3"], "check", "--anonymize", "pseudonym", "--anonymize-key", "key", "8.8.8.8")
    assert_said(result, "libcrypto.so.3", "libssl3")


def test_without_libsystemd_there_is_no_journal(without):
    result = without(["libsystemd.so.0"], "guard", "--journal", "ssh", "--when", "ip", "--provider", "local")
    assert_said(result, "libsystemd.so.0", "libsystemd0")


@pytest.mark.parametrize("arguments", [["scan", "8.8.8.8"], ["plan", "8.8.8.8"], ["cache", "list"], ["serve"]])
def test_without_hiredis_nothing_is_shared(without, arguments):
    result = without(["libhiredis.so.0.14"], *arguments, "--shared", "redis://127.0.0.1:9")
    assert_said(result, "libhiredis.so.0.14", "libhiredis0.14")


def test_without_libssl_nothing_is_shared_by_tls(without):
    result = without(["libssl.so.3"], "cache", "list", "--shared", "rediss://127.0.0.1:9")
    assert_said(result, "libssl.so.3", "libssl3")


@pytest.mark.parametrize(
    "arguments",
    [
        ["scan", "--provider", "ip-api", "8.8.8.8"],
        ["lookup", "8.8.8.8"],
        ["me"],
        ["plan", "8.8.8.8"],
        ["status"],
        ["watch", "--once"],
        ["watch", "--once", "--endpoint", "127.0.0.1:9", "--portal-url", "http://127.0.0.1:9"],
        ["watch", "--once", "--endpoint", "127.0.0.1:9", "--webhook", "http://127.0.0.1:9"],
    ],
    ids=" ".join,
)
def test_without_libcurl_nothing_is_asked(without, arguments):
    assert_said(without(["libcurl.so.4"], *arguments), "libcurl.so.4", "libcurl4")


def test_without_c_ares_no_names_are_asked_for(without, loc_database):
    result = without(
        ["libcares.so.2"], "scan", "--provider", "local", "--database", loc_database, "--with", "names", "8.8.8.8"
    )
    assert_said(result, "libcares.so.2", "libc-ares2")


def test_without_its_library_a_database_is_not_read(without, loc_database, mmdb_database):
    for library, package, database in [
        ("libloc.so.1", "libloc1", loc_database),
        ("libmaxminddb.so.0", "libmaxminddb0", mmdb_database("city")),
    ]:
        arguments = ["lookup", "--provider", "local", "--database", database, "8.8.8.8"]
        # libloc itself is linked with libcrypto.
        others = [other for other in LAZY if other not in (library, "libcrypto.so.3")]
        assert without(others, *arguments).status == 0
        assert_said(without(LAZY, *arguments), library, package)


@pytest.mark.parametrize(
    "pack, library, package", [(bz2.compress, "libbz2.so.1.0", "libbz2-1.0"), (lzma.compress, "liblzma.so.5", "liblzma5")]
)
def test_without_its_library_what_is_packed_is_not_read(sonde, without, pack, library, package):
    name = sonde.file("packed", pack(b"8.8.8.8\n"))
    # The second name of a library is tried, too.
    assert_said(without([library, "libbz2.so.1"], "check", name), library, package)
    assert without([other for other in LAZY if other != library], "extract", name).stdout == b"8.8.8.8\n"


def test_without_libpcap_the_kernels_flags_tell_of_links(without):
    result = without(["libpcap.so.0.8"], "status", "--endpoint", "127.0.0.1:9")
    assert result.status in (0, 3)
    assert "libpcap.so.0.8 cannot be loaded" in result.stdout.decode()
    assert "the kernel's flags alone" in " ".join(result.stdout.decode().split())


def test_without_libpcap_a_capture_is_not_read(sonde, without):
    name = sonde.file("c.pcap", pcap([framed(ip("8.8.8.8", "1.1.1.1"))]))
    for arguments in (["extract", name], ["scan", "--provider", "local", name]):
        assert_said(without(["libpcap.so.0.8"], *arguments), "libpcap.so.0.8", "libpcap0.8")


@pytest.mark.parametrize(
    "debian, other, name, content",
    [
        ("libpcap.so.0.8", "libpcap.so.1", "c.pcap", pcap([framed(ip("8.8.8.8", "1.1.1.1"))])),
        ("libbz2.so.1.0", "libbz2.so.1", "packed", bz2.compress(b"8.8.8.8\n1.1.1.1\n")),
    ],
)
def test_a_library_that_has_another_name_elsewhere_is_found(sonde, tmp_path, debian, other, name, content):
    (tmp_path / debian).write_bytes(b"no library\n")
    listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    (tmp_path / other).symlink_to(re.search(rf"^\s*{re.escape(debian)} .*=> (\S+)$", listed, re.M)[1])
    result = sonde("extract", sonde.file(name, content), env={"LD_LIBRARY_PATH": str(tmp_path)})
    assert (result.status, result.stdout.splitlines()) == (0, [b"8.8.8.8", b"1.1.1.1"])


def test_the_first_name_of_each_library_is_the_one_of_this_system():
    """What the packages depend on: the names in the sources against those that the headers' libraries have."""
    named = subprocess.run([ROOT / ".packaging/loaded.sh"], capture_output=True, text=True, check=True).stdout.split()
    assert sorted(named) == named and set(named) == {*LAZY, "libmicrohttpd.so.12", "libssl.so.3"} - {"libsystemd.so.0"}


# What names or runs a build that others are given.
BUILDERS = ["README.md", ".packaging", ".github", "Samples", "Sources/sonde/sonde.docc", "Tests/Benchmarks", "Tests/Pictures"]


def test_no_release_is_built_to_load_libraries_from_beside_it():
    builds = subprocess.run(
        ["grep", "-rhE", "swift build.*(-c|--configuration) release", *BUILDERS], cwd=ROOT, capture_output=True, text=True
    ).stdout.splitlines()
    # The folder of the build may be asked for.
    builds = [line for line in builds if "--show-bin-path" not in line]
    assert len(builds) >= 5
    assert [line for line in builds if "--disable-local-rpath" not in line] == []


DT_NULL, DT_RUNPATH, PT_DYNAMIC = 0, 29, 2


def without_runpath(path):
    """Takes away where a program looks for libraries (elf(5)), as in a release; gives what that was."""
    image = bytearray(path.read_bytes())
    (offset,) = struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 54)
    for header in range(offset, offset + size * count, size):
        kind, _, start, _, _, length = struct.unpack_from("<IIQQQQ", image, header)
        if kind == PT_DYNAMIC:
            entries = [image[at : at + 16] for at in range(start, start + length, 16)]
            kept = [entry for entry in entries if struct.unpack("<q8x", entry)[0] not in (DT_NULL, DT_RUNPATH)]
            image[start : start + length] = b"".join(kept).ljust(length, b"\0")
    path.write_bytes(image)


def test_no_library_beside_the_program_or_in_the_working_folder_is_loaded(sonde, simulator, tmp_path):
    section = subprocess.run(["readelf", "-d", binary()], capture_output=True, text=True, check=True).stdout
    runpath = re.search(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", section)
    program = tmp_path / "program" / "sonde"
    program.parent.mkdir()
    program.write_bytes(binary().read_bytes())
    program.chmod(0o755)
    # That of a release has none; a build for tests has the toolchain's, too, which it needs.
    env = dict(simulator.env)
    if runpath:
        without_runpath(program)
        env["LD_LIBRARY_PATH"] = runpath[1].replace(":$ORIGIN", "").replace("$ORIGIN", "")
    for library in [*LAZY, *re.findall(r"NEEDED.*\[(lib(?!swift|c\.|m\.|stdc|gcc).*)\]", section)]:
        (program.parent / library).write_bytes(b"no library\n")
        sonde.file(library, b"no library\n")
    done = subprocess.run(
        [program, "scan", "--provider", "ip-api", "--no-cache", "8.8.8.8"],
        env=sonde.environment(env), cwd=sonde.work, capture_output=True, text=True,
    )
    assert (done.returncode, done.stderr.count("cannot be loaded")) == (0, 0), done.stderr
    assert '"status":"ok"' in done.stdout
