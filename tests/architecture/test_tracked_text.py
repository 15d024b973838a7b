"""No file of the repository names a folder of somebody's machine or a package registry."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

REGISTRIES = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("files", "pythonhosted", "org"),
        ("registry", "npmjs", "org"),
    )
)

# A path that begins at the root of a machine; the end of an address or of ./path is none.
MACHINE_PATH = re.compile(
    r"(?<![\w.~})/*-])/(?:home|Users|root|opt|work|mnt|srv|tmp|private|var)/\w"
    r"|file:/{2,3}\w"
    r"|\b[A-Z]:\\{1,2}\w+\\"
)


def repository_files(root: Path) -> list[Path]:
    """Files that git tracks, or would track."""
    if shutil.which("git") is None or not (root / ".git").exists():
        pytest.skip("not a git checkout, so which files belong to it is not known")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout
    paths = [root / name.decode() for name in names.split(b"\0") if name]
    return [path for path in paths if path.is_file()]


def text_of(path: Path) -> str:
    """The text of a file; nothing when it is not text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def traces_of_a_machine(paths: list[Path]) -> list[str]:
    return [
        f"{path}:{number} {line.strip()[:100]}"
        for path in paths
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        if MACHINE_PATH.search(line) or any(host in line for host in REGISTRIES)
    ]


def test_no_file_names_a_machine_or_a_registry(repository):
    assert traces_of_a_machine(repository_files(repository)) == []


@pytest.mark.parametrize(
    "parts",
    [
        ("read('/", "home/ann/ratings.csv')"),
        ("data: /", "Users/ann/ratings.csv"),
        ("--find-links file:/", "//wheels"),
        ("C:", "\\data\\ratings.csv"),
        ("--index-url https://", REGISTRIES[0], "/simple"),
        ("https://", REGISTRIES[1], "/packages/x.whl"),
    ],
    ids=["home", "mac", "file", "windows", "index", "download"],
)
def test_a_trace_is_found(tmp_path, parts):
    path = tmp_path / "notes.md"
    path.write_text("fine\n" + "".join(parts) + "\n", encoding="utf-8")
    assert len(traces_of_a_machine([path])) == 1


@pytest.mark.parametrize(
    "line",
    [
        "#!/usr/bin/env bash",
        "2>/dev/null",
        "https://example.org/home/page",
        "see tests/work/opt/case.toml and ./tmp/x",
        "href='/judges/next'",
    ],
    ids=["shebang", "null", "address", "relative", "route"],
)
def test_an_innocent_line_is_left_alone(tmp_path, line):
    path = tmp_path / "notes.md"
    path.write_text(line, encoding="utf-8")
    assert traces_of_a_machine([path]) == []


def test_a_picture_is_not_read_as_text(tmp_path):
    path = tmp_path / "plot.png"
    path.write_bytes(b"\x89PNG\xff\xfe")
    assert text_of(path) == ""
