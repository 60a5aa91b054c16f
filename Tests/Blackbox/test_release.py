"""`.packaging/release.sh`: a release is what its tag, its version and its changes agree on."""

import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import tempfile

import pytest
from command import ROOT

VERSION = "Sources/SondeOptions/Version.swift"
LOG = ".github/CHANGELOG.md"
# What a Debian package is made of, and what is not for a release.
DEB = """mkdir -p .build/deb && cd .build/deb
case $1 in bookworm) v=1.2.3-1~deb12u1 ;; trixie) v=1.2.3-1~deb13u1 ;; esac
for name in sonde_${v}_amd64.deb sonde-dbgsym_${v}_amd64.deb sonde_$v.dsc sonde_$v.debian.tar.xz sonde_1.2.3.orig.tar.gz \\
  sonde_${v}_amd64.changes sonde_${v}_amd64.buildinfo; do echo "of deb.sh, $name" >$name; done
echo .build/deb/sonde_${v}_amd64.deb
"""
CHANGES = "# Changelog\n\n## {}\n\n### Added\n\n- New.\n\n## [0.0.9] - 2025-01-01\n"
DEBIAN = ["sonde_1.2.3.orig.tar.gz"] + [
    name.format(f"1.2.3-1~deb{number}u1")
    for number in (12, 13)
    for name in ("sonde_{}_amd64.deb", "sonde-dbgsym_{}_amd64.deb", "sonde_{}.dsc", "sonde_{}.debian.tar.xz")
]


@pytest.fixture
def tree(tmp_path):
    """A repository with one commit, whose package, image, site and wheel are stand-ins, and its tag."""
    (tmp_path / VERSION).parent.mkdir(parents=True)
    (tmp_path / VERSION).write_text('  static let number = "1.2.3"\n  static let date = "2026-01-02"\n')
    (tmp_path / ".packaging").mkdir()
    shutil.copy(ROOT / ".packaging/release.sh", tmp_path / ".packaging")
    stand_in(tmp_path, "deb.sh", DEB)
    made = {"image.sh": ".build/sonde.tar", "site.sh": ".build/site/index.html", "wheel.sh": ".build/sonde.whl"}
    for name, file in made.items():
        end = file.removesuffix("/index.html")
        stand_in(tmp_path, name, f"mkdir -p .build/site\necho of {name} $1 >{file}\necho {end}\n")
    stand_in(tmp_path, "reproduce.sh", "exec grep -q . $1\n")
    # No program is built but those of the packages.
    stand_in(tmp_path, "sbom.sh", "test -e $1 && echo '{}'\n")
    (tmp_path / ".gitignore").write_text(".build/\n")
    (tmp_path / LOG).parent.mkdir()
    (tmp_path / LOG).write_text(CHANGES.format("[1.2.3] - 2026-01-02"))
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    git(tmp_path, "tag", "v1.2.3")
    return tmp_path


def stand_in(tree, name, text):
    script = tree / ".packaging" / name
    script.write_text(f"#!/bin/sh\n{text}")
    script.chmod(0o755)


def git(tree, *arguments):
    """Runs git as somebody."""
    someone = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *someone, *arguments], cwd=tree, check=True, capture_output=True)


def commit(tree):
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "Change")


def release(tree, **variables):
    environment = {**os.environ, **variables}
    return subprocess.run([tree / ".packaging/release.sh"], cwd=tree, env=environment, capture_output=True, text=True)


def test_a_release_is_all_its_parts_and_their_sums(tree):
    result = release(tree)
    assert (result.returncode, result.stdout) == (0, ".build/release-1.2.3\n"), result.stderr
    assert "not signed" in result.stderr
    folder = tree / ".build/release-1.2.3"
    parts = ["NOTES.md", "sonde-1.2.3-site.tar.gz", "sonde-1.2.3.spdx.json", "sonde-1.2.3.tar.gz", *DEBIAN, "sonde.tar", "sonde.whl"]
    parts.sort()
    assert sorted(file.name for file in folder.iterdir()) == sorted(["SHA256SUMS", *parts])
    # What is made of a package has its program, which comes out the same in any folder.
    for name, script in (("sonde.tar", "image.sh"), ("sonde.whl", "wheel.sh")):
        assert (folder / name).read_text() == f"of {script} .build/deb/sonde_1.2.3-1~deb12u1_amd64.deb\n"
    assert (folder / "NOTES.md").read_text() == "### Added\n\n- New.\n\n"
    with tarfile.open(folder / "sonde-1.2.3.tar.gz") as sources:
        assert f"sonde-1.2.3/{VERSION}" in sources.getnames()
    sums = dict(reversed(line.split()) for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert sorted(sums) == parts
    for name, told in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == told
    first = (folder / "SHA256SUMS").read_text()
    assert release(tree).returncode == 0 and (folder / "SHA256SUMS").read_text() == first


@pytest.mark.skipif(not shutil.which("gpg"), reason="GnuPG is not installed")
def test_the_sums_are_signed_by_the_key_that_is_named(tree):
    # Short, since the path of its agent's socket is limited.
    with tempfile.TemporaryDirectory() as home:
        keys = {"GNUPGHOME": home, "PATH": os.environ["PATH"]}
        make = ["gpg", "--batch", "--passphrase", "", "--quick-generate-key", "release@example.org"]
        subprocess.run(make, env=keys, check=True, capture_output=True)
        result = release(tree, GNUPGHOME=home, SONDE_SIGNING_KEY="release@example.org")
        assert result.returncode == 0 and "not signed" not in result.stderr, result.stderr
        sums = tree / ".build/release-1.2.3/SHA256SUMS"
        verify = ["gpg", "--batch", "--verify", f"{sums}.asc", sums]
        assert subprocess.run(verify, env=keys, capture_output=True).returncode == 0
        subprocess.run(["gpgconf", "--kill", "all"], env=keys, check=False)
        assert release(tree, GNUPGHOME=home, SONDE_SIGNING_KEY="nobody@example.org").returncode != 0
        subprocess.run(["gpgconf", "--kill", "all"], env=keys, check=False)


@pytest.mark.parametrize("heading", ["[Unreleased]", "[1.2.4] - 2026-01-02", "[1.2.3] - 2026-01-03", ""])
def test_changes_of_another_version_are_refused(tree, heading):
    (tree / LOG).write_text(CHANGES.format(heading))
    commit(tree)
    git(tree, "tag", "--force", "v1.2.3")
    result = release(tree)
    assert result.returncode == 1 and "newest section of" in result.stderr and not (tree / ".build").exists()


def test_what_is_not_the_tag_is_refused(tree):
    (tree / "more").write_text("")
    assert "changes that no commit has" in release(tree).stderr
    commit(tree)
    result = release(tree)
    assert result.returncode == 1 and "not the tag v1.2.3" in result.stderr
    git(tree, "tag", "v1.2.4")
    assert "not the tag v1.2.3" in release(tree).stderr
    assert not (tree / ".build").exists()


def test_a_package_that_comes_out_otherwise_is_not_released(tree):
    stand_in(tree, "reproduce.sh", "exit 1\n")
    commit(tree)
    git(tree, "tag", "--force", "v1.2.3")
    assert release(tree).returncode == 1 and not (tree / ".build/release-1.2.3").exists()


def test_the_package_is_built_with_each_library_of_the_manifest():
    needed = set(re.findall(r'apt: "([^"]+)"', (ROOT / "Package.swift").read_text()))
    control = (ROOT / ".packaging/debian/control").read_text()
    field = re.search(r"^Build-Depends:(.*?)^\S", control, re.M | re.S)[1]
    named = {each.split()[0] for each in field.split(",") if each.strip()}
    assert len(needed) > 10 and needed <= named, needed - named


@pytest.mark.parametrize("arguments", [["jessie"], ["bookworm/.."]])
def test_a_package_is_for_a_release_that_is_known(arguments):
    done = subprocess.run([ROOT / ".packaging/deb.sh", *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "") and f"not for '{arguments[0]}'" in done.stderr
