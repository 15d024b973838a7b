"""No page shows code that nobody runs, or a command or an option that does not exist."""

import re
import shlex

import click
import pytest

from covary.cli.entry import covary
from covary.store import Store
from covary.study import read_study, write_template
from covary.study.simulated_judges import simulated_judges
from covary.web.serving.simulation import simulate
from tests.docs.pages import DOCS, ROOT, blocks, pages

PAGES = [page for page in (*pages(), ROOT / "README.md") if page.suffix == ".md"]
RUNNABLE = re.compile(r"^```(?:python|pycon|console)$", re.MULTILINE)
ANY_BLOCK = re.compile(r"^```[a-z]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def commands_on(page):
    """The commands in all blocks of a page, as words."""
    for block in ANY_BLOCK.findall(page.read_text(encoding="utf-8")):
        joined = re.sub(r" \\\n\s*", " ", block)
        for line in re.findall(r"^(?:\$ )?(covary .*)$", joined, re.MULTILINE):
            if not re.match(r"covary [a-z-]+(?: |$)", line):
                continue
            plain = re.split(r" [>|&#]|   ", line)[0]
            yield line, shlex.split(plain)


def known_command(words):
    """The command that words name, its sub-command where it has some, and what is left of them."""
    command, rest = covary, words[1:]
    while isinstance(command, click.Group) and rest and rest[0] in command.verbs:
        command, rest = command.verbs[rest[0]].load(), rest[1:]
    return command, rest


@pytest.mark.parametrize(
    "page", [each for each in PAGES if RUNNABLE.search(each.read_text("utf-8"))], ids=name_of
)
def test_a_page_with_code_that_runs_has_a_test_that_reads_it(page):
    folder = ROOT / "tests"
    tests = [*folder.rglob("test_*page*.py"), *folder.glob("docs/test_*.py")]
    assert any(f'"{page.name}"' in path.read_text("utf-8") for path in tests), (
        "run its examples in tests/docs"
    )


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_on_a_page_exists_with_its_options(page):
    for line, words in commands_on(page):
        command, rest = known_command(words)
        assert command is not covary, f"{line}: there is no such command"
        known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
        said = {word.partition("=")[0] for word in rest if re.match(r"--[a-z]", word)}
        assert said <= known | {"--help", "-h"}, line


def test_the_front_page_shows_commands():
    assert len(list(commands_on(DOCS / "index.md"))) >= 2


def test_a_command_that_does_not_exist_would_be_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```\ncovary reprot x.csv --sclae 1-5   # wrong\ncovary: an error\n```\n")
    ((_, words),) = commands_on(page)
    assert known_command(words)[0] is covary
    assert words == ["covary", "reprot", "x.csv", "--sclae", "1-5"]


def test_the_python_of_the_page_about_the_store_runs(tmp_path, monkeypatch):
    """It reads what simulated judges answered."""
    (code,) = blocks((DOCS / "store.md").read_text(encoding="utf-8"), "python")
    monkeypatch.chdir(tmp_path)
    write_template("forecasts")
    study = read_study("forecasts")
    with Store.open("forecasts/study.db") as store:
        simulate(study, store, simulated_judges(study, judges=2))
    exec(code, names := {})
    assert any(type(each).__name__ == "Ratings" for each in names.values())
