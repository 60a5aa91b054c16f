"""`.packaging/release.sh`: a release is what its tag, its version and its changes agree on."""

import hashlib
import shutil
import subprocess

import pytest
from command import ROOT

VERSION = "Sources/SondeOptions/Version.swift"
LOG = ".github/CHANGELOG.md"
CHANGES = "# Changelog\n\n## {}\n\n### Added\n\n- New.\n\n## [0.0.9] - 2025-01-01\n"


@pytest.fixture
def tree(tmp_path):
    """A repository with one commit, whose package, image, site and wheel are stand-ins, and its tag."""
    (tmp_path / VERSION).parent.mkdir(parents=True)
    (tmp_path / VERSION).write_text('  static let number = "1.2.3"\n  static let date = "2026-01-02"\n')
    (tmp_path / ".packaging").mkdir()
    shutil.copy(ROOT / ".packaging/release.sh", tmp_path / ".packaging")
    made = {"deb.sh": ".build/sonde.deb", "image.sh": ".build/sonde.tar", "site.sh": ".build/site/index.html", "wheel.sh": ".build/sonde.whl"}
    for name, file in made.items():
        end = file.removesuffix("/index.html")
        stand_in(tmp_path, name, f"mkdir -p .build/site\necho of {name} $1 >{file}\necho {end}\n")
    stand_in(tmp_path, "reproduce.sh", "exec grep -q . $1\n")
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


def release(tree):
    return subprocess.run([tree / ".packaging/release.sh"], cwd=tree, capture_output=True, text=True)


def test_a_release_is_the_package_the_image_the_site_and_their_sums(tree):
    result = release(tree)
    assert (result.returncode, result.stdout) == (0, ".build/release-1.2.3\n"), result.stderr
    folder = tree / ".build/release-1.2.3"
    assert sorted(file.name for file in folder.iterdir()) == ["SHA256SUMS", "sonde-1.2.3-site.tar.gz", "sonde.deb", "sonde.tar", "sonde.whl"]
    assert (folder / "sonde.tar").read_text() == "of image.sh .build/sonde.deb\n"
    sums = dict(reversed(line.split()) for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert len(sums) == 4
    for name, told in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == told
    first = (folder / "SHA256SUMS").read_text()
    assert release(tree).returncode == 0 and (folder / "SHA256SUMS").read_text() == first


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
