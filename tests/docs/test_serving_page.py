"""The commands of the page about serving run in their order, and its tables are complete."""

import re
from pathlib import Path

import pytest

from covary.store import Store
from covary.web.serving.metrics import Metrics, _now, build_info
from tests.docs.test_tutorial import run, shows
from tests.store.databases import postgres  # noqa: F401 (a fixture)

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "serving.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [(first.removeprefix("$ "), shown) for first, *shown in map(str.splitlines, BLOCKS)]
ELSEWHERE = "postgresql://covary@127.0.0.1/forecasts"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the commands run one after another."""
    return tmp_path_factory.mktemp("serving")


@pytest.fixture(scope="module")
def database(postgres):  # noqa: F811
    return postgres.new_place()


def test_the_page_shows_the_commands_that_it_is_about():
    verbs = [command.split()[1] for command, _ in COMMANDS]
    assert verbs == ["init", "links", "backup", "restore", "restore"]


@pytest.mark.parametrize(("command", "shown"), COMMANDS, ids=[c for c, _ in COMMANDS])
def test_a_command_runs_and_prints_what_the_page_shows(command, shown, folder, database):
    done = run(command.replace(ELSEWHERE, f"'{database}'"), folder)
    refused = any(line.startswith("covary: ") for line in shown)
    assert done.returncode == int(refused), done.stdout
    assert shows(done.stdout, shown), done.stdout


def full_name(family):
    return f"{family.name}_total" if family.type == "counter" else family.name


def test_every_number_that_is_counted_stands_in_the_table(tmp_path):
    with Store.open(tmp_path / "study.db") as store:
        families = [build_info("sqlite"), *_now(store, Metrics())]
    told = {full_name(family) for family in families}
    assert set(re.findall(r"`(covary_[a-z_]+?)(?:\{[a-z,]+\})?`", PAGE)) == told


def test_the_labels_in_the_table_are_those_that_are_told(tmp_path):
    metrics = Metrics()
    metrics.count("POST", "/judge/answer", 429, 0.1)
    with Store.open(tmp_path / "study.db") as store:
        families = [build_info("sqlite"), *_now(store, metrics)]
    said = dict(re.findall(r"`(covary_[a-z_]+)\{([a-z,]+)\}`", PAGE))
    for family in families:
        for sample in family.samples:
            assert said.get(full_name(family), "").split(",") == [
                name for name in sample.labels if name != "le"
            ] or (sample.labels == {} and full_name(family) not in said)


def test_every_link_of_the_page_leads_somewhere():
    targets = re.findall(r"\]\(([^)#]+)", PAGE)
    assert "../deploy/nginx.conf" in targets
    for target in targets:
        assert (DOCS / target).exists(), target
