"""The site: built without a warning, complete, and loading nothing from elsewhere."""

import re
import subprocess
import sys

import click
import pytest
from sphinx.util.inventory import InventoryFile

import covary
from covary.cli.entry import covary as program
from covary.cli.reading import NAMES
from tests.docs.pages import DOCS, links, pages, toctrees
from tests.docs.test_everything_is_documented import PACKAGES

COMMANDS = tuple(program.load_all().values())


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as `make docs` builds it."""
    place = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet",
         "-d", str(place / "trees"), str(DOCS), str(place / "html")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return place / "html"


@pytest.fixture(scope="module")
def described(site):
    """The full names of Python things, and the options of commands, that the site describes."""
    found = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    kinds = {kind: set(things) for kind, things in found.data.items()}
    python = {name for kind, names in kinds.items() if kind.startswith("py:") for name in names}
    return python | kinds["std:cmdoption"]


def test_every_page_is_in_a_table_of_contents():
    listed = {name for page in pages() if page.suffix == ".md" for name in toctrees(page)}
    here = {page.relative_to(DOCS).with_suffix("").as_posix() for page in pages()}
    assert here - listed == {"index"}, "add these to a toctree of docs/index.md"
    assert listed - here == set()


def test_every_link_leads_to_a_file():
    for page in pages():
        for target in links(page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links {target}"


def test_the_site_describes_every_public_name(described):
    modules = {"datasets"}  # described by the page of its own names
    assert {f"covary.{name}" for name in covary.__all__} - described <= {
        f"covary.{name}" for name in modules
    }
    for package in PACKAGES:
        own = {name for name in package.__all__ if name not in covary.__all__}
        assert {f"{package.__name__}.{name}" for name in own} <= described


def test_the_site_describes_every_option_of_its_own_of_every_command(described):
    own = {
        f"covary-{command.name}.{name}"
        for command in COMMANDS
        for each in command.params
        if isinstance(each, click.Option) and each.name not in {*NAMES, "debug"}
        for name in each.opts
    }
    assert own - described == set()


def test_pages_can_be_read_without_a_mouse_and_without_eyes(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "<pre>" not in text, "code that scrolls must be reached by the keyboard"
        assert '<aside class="sidebar-drawer" aria-label=' in text or "<aside" not in text
        assert 'role="heading">' not in text
        assert all(len(alt) > 20 for alt in re.findall(r'<img alt="([^"]*)"', text)), page.name


def test_pages_load_nothing_from_elsewhere(site):
    loaded = re.compile(
        r"""<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)="(?:https?:)?//[^"]*"""
    )
    from_css = re.compile(r"""(?:url\(|@import)\s*["']?(?:https?:)?//[^)"']*""")
    for page in site.rglob("*.html"):
        assert loaded.findall(page.read_text(encoding="utf-8")) == [], page.name
    for sheet in site.rglob("*.css"):
        assert from_css.findall(sheet.read_text(encoding="utf-8")) == [], sheet.name
