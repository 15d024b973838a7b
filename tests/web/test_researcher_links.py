"""Links of judges: made, shown once, revoked, renewed."""

import csv
import io
import re
from html import unescape
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from covary.cli.entry import covary
from covary.store import Store
from covary.web.serving.app import create_app
from tests.web import studies
from tests.web.client import Judge, heading, hidden
from tests.web.researching import Researcher


@pytest.fixture
def study(tmp_path, store):
    made = studies.study(tmp_path)
    store.sheets.put([studies.sheet(made, number) for number in (1, 2, 3)])
    return made


@pytest.fixture
def researcher(store, study):
    client = Researcher(create_app(study, store), store)
    client.enter()
    yield client
    client.close()


def enters(study, store, link):
    judge = Judge(create_app(study, store), link.rpartition("/")[2])
    try:
        return judge.get(f"/j/{judge.token}").status_code == 303
    finally:
        judge.close()


def test_links_are_made_and_let_judges_in(researcher, study, store):
    links = researcher.links(number="2", group="students")
    assert [(judge.name, judge.group) for judge in store.judges.all()] == [
        ("J1", "students"), ("J2", "students"),
    ]  # fmt: skip
    assert list(links) == ["J1", "J2"]
    assert all(link.startswith("http://study.test/j/") for link in links.values())
    assert all(enters(study, store, link) for link in links.values())


def test_a_judge_comes_back_to_the_same_way_by_a_new_link_only(researcher, study, store):
    (old,) = researcher.links(names="Ann").values()
    made = researcher.send("/judges/1/link", "/judges/1")
    new = unescape(re.search(r"<code>(.*?)</code>", made.text)[1])
    assert new != old
    assert not enters(study, store, old)
    assert enters(study, store, new)
    researcher.send("/judges/1/revoke", "/judges/1")
    assert not enters(study, store, new)


def test_links_are_shown_this_once(researcher, store):
    form = hidden(researcher.page("/judges").text) | {"names": "Ann\n\n Bob \n"}
    made = researcher.post("/researcher/links", data=form)
    tokens = re.findall(r"/j/([\w-]{32,})<", made.text)
    assert len(tokens) == 2
    again = researcher.post("/researcher/links", data=form | {"names": "Cid"})
    assert again.status_code == 409
    assert "shown already" in again.text
    assert len(store.judges.all()) == 2
    pages = [researcher.page(path).text for path in ("", "/judges", "/judges/1", "/study")]
    everything = researcher.page("/export?format=everything").content
    assert not any(token in page for token in tokens for page in pages)
    assert not any(token.encode() in everything for token in tokens)


def test_the_table_to_save_holds_the_links_and_no_formula(researcher):
    made = researcher.send("/links", "/judges", names="=1+1\nBob", group="+students")
    data = unescape(re.search(r'href="(data:[^"]*)"', made.text)[1])
    rows = list(csv.reader(io.StringIO(unquote(data.partition(",")[2]))))
    assert rows[0] == ["name", "group", "link"]
    assert [row[:2] for row in rows[1:]] == [["'=1+1", "'+students"], ["Bob", "'+students"]]
    assert all(row[2].startswith("http://study.test/j/") for row in rows[1:])


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"names": "Ann\nBob"}, "There is a judge called 'Ann' already"),
        ({"names": "Bob\nBob"}, "'Bob' is named twice"),
        ({"names": "x" * 101}, "longer than 100 letters"),
        ({"number": "0"}, "from 1 to 1,000"),
        ({"number": "1001"}, "from 1 to 1,000"),
        ({"number": "many"}, "from 1 to 1,000"),
        ({"names": "a\0b"}, "characters that text cannot have"),
        ({"names": "\n".join(map(str, range(1001)))}, "at most 1,000"),
    ],
)
def test_all_are_added_or_none_and_the_page_says_why(researcher, store, fields, words):
    store.judges.add("Ann")
    made = researcher.send("/links", "/judges", **fields)
    assert made.status_code == 422
    assert words.lower() in unescape(made.text).lower()
    assert [judge.name for judge in store.judges.all()] == ["Ann"]


def test_behind_https_the_links_are_https_whatever_the_proxy_says(store, study):
    app = create_app(study, store, secure=True)
    client = Researcher(app, store, "https://study.test")
    client.enter()
    (link,) = client.links(number="1").values()
    client.close()
    assert link.startswith("https://study.test/j/")


def test_the_page_of_nobody_is_not_there(researcher):
    assert heading(researcher.page("/judges/77")) == "There is no such judge"


def test_the_command_prints_a_link_that_works_once(tmp_path):
    folder = tmp_path / "forecasts"
    assert CliRunner().invoke(covary, ["init", str(folder)]).exit_code == 0
    with Store.open(folder / "study.db") as store:
        assert store.researchers.claim(store.researchers.new_link())  # somebody is in already
    run = CliRunner().invoke(
        covary, ["researcher-link", str(folder), "--address", "https://study.example.org/"]
    )
    assert run.exit_code == 0, run.output
    link = run.output.splitlines()[-1]
    assert link.startswith("https://study.example.org/r/")
    with Store.open(folder / "study.db") as store:
        assert store.researchers.claim(link.rpartition("/")[2])
        assert store.researchers.claim(link.rpartition("/")[2]) is None
