"""What researchers see of recruiting: the link, the places, who came, and what to pay."""

import csv
import io
import re
from decimal import Decimal
from html import unescape

import pytest

from covary.web.serving.app import create_app
from tests.store.clock import clock  # noqa: F401 (a fixture)
from tests.web import recruiting, studies
from tests.web.client import heading
from tests.web.recruiting import Person, Recruiting
from tests.web.researching import Researcher

PAID = Recruiting(
    done="DONE1", screened_out="OUT1", failed="FAIL1", returned="BACK1", currency="GBP",
    pay=Decimal("2.50"), failed_checks_allowed=1,
)  # fmt: skip


@pytest.fixture
def study(tmp_path):
    return recruiting.study(tmp_path, PAID)


@pytest.fixture
def researcher(store, study):
    store.sheets.put([studies.sheet(study, number) for number in (1, 2, 3)])
    client = Researcher(create_app(study, store), store)
    client.enter()
    yield client
    client.close()


@pytest.fixture
def person(store, study):
    made = []

    def comes(name):
        made.append(Person(create_app(study, store), name, store.visits.join_secret()))
        return made[-1]

    yield comes
    for each in made:
        each.close()


def link_on(page):
    found = re.search(r'<p class="join"><code>(.*?)</code>', page.text)
    return None if found is None else unescape(found[1])


def test_the_link_is_made_shown_renewed_and_revoked(researcher, store):
    assert "There is no link, so nobody can come." in researcher.page("/recruiting").text
    first = link_on(researcher.send("/recruiting/link", "/recruiting"))
    assert first == (
        f"http://study.test/join/{store.visits.join_secret()}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
    assert link_on(researcher.page("/recruiting")) == first  # it can be read again
    second = link_on(researcher.send("/recruiting/link", "/recruiting"))
    assert second != first
    assert link_on(researcher.send("/recruiting/revoke", "/recruiting")) is None


def test_places_and_people_are_counted(researcher, study, store, person, clock):  # noqa: F811
    store.visits.new_join_secret()
    person("away").work(6)
    clock.go_on(hours=3)
    person("ann").work(*recruiting.right(study))
    stopped = person("stopped")
    stopped.agree()
    stopped.send("stop")
    page = researcher.page("/recruiting").text
    assert "<strong>1</strong> of 3 places are done" in page
    assert "<strong>1</strong> at work" in page
    assert "<strong>1</strong> free" in page
    said = researcher.send("/recruiting/reclaim", "/recruiting").text
    assert "1 place was taken back." in said
    assert "<strong>0</strong> at work" in said
    assert "<strong>2</strong> free" in said
    assert "3 people came; 1 went away; 1 stopped." in said
    standings = re.findall(r'<td class="short">(\w[a-z ]+)</td>', researcher.page("/judges").text)
    assert [each for each in standings if each != "just now"] == ["abandoned", "done", "withdrew"]
    assert re.findall(r'<th scope="row"><code>(.*?)</code>', said) == ["stopped", "ann", "away"]


def test_the_table_has_what_is_needed_to_pay_people(researcher, study, store, person):
    store.visits.new_join_secret()
    person("ann").work(*recruiting.right(study))
    person("-bo").work(6, 4, 4, 4, 7, 7)
    table = researcher.page("/recruiting/people.csv")
    assert "attachment" in table.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(table.text)))
    told = ("participant", "submission", "judge", "outcome", "code", "pay", "currency")
    assert [[row[name] for name in told] for row in rows] == [
        ["ann", "s-ann", "J1", "done", "DONE1", "2.50", "GBP"],
        ["'-bo", "s--bo", "J2", "failed checks", "FAIL1", "0", "GBP"],
    ]
    assert all(float(row["minutes"]) >= 0 for row in rows)


def test_who_was_screened_out_or_found_no_place_waits_for_no_sheet(researcher, store):
    """Three sheets; of four people one was screened out, one left, two only came."""
    store.visits.new_join_secret()
    for name, ending in (("a", "screened out"), ("b", "withdrew"), ("c", None), ("d", None)):
        judge = store.visits.arrive("Prolific", name, f"s-{name}", "t1").judge.id
        if ending:
            store.visits.end(judge, ending)
    page = researcher.page("/judges")
    assert "4 judges for 3 places; 3 sheets are free." in page.text
    for _ in range(4):
        store.judges.add()
    page = researcher.page("/judges")
    assert "3 sheets are free, and 4 judges have none yet: sheets are added" in page.text


def test_the_platforms_names_are_in_no_export_of_ratings(researcher, study, store, person):
    store.visits.new_join_secret()
    person("secret-pid").work(*recruiting.right(study))
    for path in ("?format=csv", "?format=everything"):
        content = researcher.page(f"/export{path}").content
        assert content
        assert b"secret-pid" not in content
    pages = [researcher.page(path).text for path in ("", "/judges", "/judges/1", "/study")]
    assert not any("secret-pid" in page for page in pages)


def test_only_researchers_see_it(researcher, store, study):
    stranger = Researcher(create_app(study, store), store)
    for path in ("/recruiting", "/recruiting/people.csv"):
        assert stranger.page(path).status_code == 403
    for path in ("link", "revoke", "reclaim"):
        assert stranger.post(f"/researcher/recruiting/{path}", data={}).status_code == 403
        forged = researcher.post(f"/researcher/recruiting/{path}", data={"token": "x"})
        assert forged.status_code == 403
    stranger.close()
    assert store.visits.join_secret() is None


def test_a_study_that_does_not_recruit_says_so(store, tmp_path):
    client = Researcher(create_app(studies.study(tmp_path), store), store)
    assert "/researcher/recruiting" not in client.enter().text
    assert heading(client.page("/recruiting")) == "This study does not recruit"
    client.close()


def test_hostile_names_are_shown_as_text(researcher, store):
    store.visits.arrive("Prolific", "<script>alert(1)</script>", "<b>", "t")
    page = researcher.page("/recruiting").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_sheet_taken_back_by_hand_goes_to_somebody_else(researcher, study, store, person):
    store.visits.new_join_secret()
    ann = person("ann")
    ann.work(6, 4)
    researcher.send("/judges/1/take-back", "/judges/1")
    assert heading(ann.come()) == "You cannot go on with this study"
    assert [each.outcome for each in store.visits.all()] == ["abandoned"]
    for name in ("bo", "cid", "dan"):
        person(name).work(*recruiting.right(study))
    assert [each.outcome for each in store.visits.all()] == ["abandoned", "done", "done", "done"]
    assert store.check(study) == []
