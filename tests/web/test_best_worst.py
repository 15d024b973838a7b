"""The best and the worst of several texts, from a judge's page to ratings of each text."""

import csv
import re
from dataclasses import replace

import pytest

from covary.analysis.preferences import preferences
from covary.errors import InvalidArgument
from covary.ratings.frames import fetch
from covary.scales import BestWorstChoice, CannotJudge
from covary.store.export import gold_ratings, ratings_of, write_everything, write_ratings
from covary.study.model import Criterion, Item
from covary.web.judge.task_template import task_template
from covary.web.researcher.live import examine
from covary.web.serving.app import create_app
from tests.web import studies
from tests.web.client import heading, hidden
from tests.web.researching import Researcher

BETTER = Criterion("Better", "Which is the best, which the worst?", BestWorstChoice())
SYSTEMS = ("sys-a", "sys-b", "sys-c", "sys-d")
SETS = tuple(
    Item(f"set{n}", tuple(f"{word} {n}" for word in ("One", "Two", "Three", "Four")), SYSTEMS,
         source=f"day {n}")
    for n in (1, 2)
)  # fmt: skip
DEALT = (2, 0, 1, 3)
"""The page shows the item's third text first, then its first, its second and its fourth."""


@pytest.fixture
def study(tmp_path):
    return studies.bare(tmp_path, BETTER, items=SETS)


@pytest.fixture
def judge(enter, study):
    judge = enter(study, order=DEALT)
    judge.enter()
    return judge


def send(judge, **marks):
    form = hidden(judge.page().text)
    return judge.post("/judge/next", data=form | {f"rating-0-{k}": v for k, v in marks.items()})


def current(store):
    return [answer.rating for answer in store.answers.current(1).values()]


def rows_of(file):
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def test_the_page_counts_its_texts_and_names_no_system(judge):
    page = judge.page().text
    assert re.findall(r'class="judged"[^>]*>([^<]*)<', page) == [
        "Three 1",
        "One 1",
        "Two 1",
        "Four 1",
    ]
    assert re.findall(r"<h2><bdi>([^<]*)<", page) == ["1", "2", "3", "4"]
    assert re.findall(r"<legend>(Best|Worst)</legend>", page) == ["Best", "Worst"]
    for part in ("best", "worst"):
        marks = re.findall(rf'name="rating-0-{part}" value="(\d)"', page)
        assert marks == ["1", "2", "3", "4"]
    assert "sys-" not in page
    assert "set1" not in page


def test_the_script_saves_both_marks_as_one_answer_in_the_items_order(judge, store):
    assert judge.save({"best": "1", "worst": "2"}).status_code == 200
    assert current(store) == ["3 > 1"]
    page = judge.page().text  # and the page shows them again
    assert re.findall(r'name="rating-0-(\w+)" value="(\d)" checked', page) == [
        ("best", "1"),
        ("worst", "2"),
    ]


@pytest.mark.parametrize(
    "sent",
    [{"best": "2", "worst": "2"}, {"best": "1"}, {"best": "1", "worst": "5"}, "3 > 1", [1, 2]],
)
def test_what_does_not_name_two_texts_of_the_page_is_refused(judge, store, sent):
    assert judge.save(sent).status_code == 422
    assert current(store) == []


def test_without_script_both_are_asked_for(judge, store):
    for marks in ({}, {"best": "1"}, {"worst": "1"}):
        answer = send(judge, **marks)
        assert answer.status_code == 422
        assert "Please answer what is marked" in answer.text
    assert current(store) == []
    assert send(judge, best="1", worst="4").status_code == 303
    assert current(store) == ["3 > 4"]
    assert heading(judge.page()) == "Item 2 of 2"


def test_without_script_one_text_cannot_be_both_and_the_earlier_answer_stays(judge, store):
    judge.save({"best": "1", "worst": "2"})
    assert send(judge, best="2", worst="2").status_code == 422
    assert current(store) == ["3 > 1"]
    assert heading(judge.page()) == "Item 1 of 2"


def test_each_text_becomes_a_rating_beside_the_others_of_its_page(judge, study, store, tmp_path):
    send(judge, best="1", worst="2")
    send(judge, best="4", worst="1")
    ratings = ratings_of(study, store)
    found = fetch(ratings.frame)
    rows = list(
        zip(
            *(found[name] for name in ("item", "system", "source", "cluster", "rating", "text")),
            strict=True,
        )
    )
    assert rows == [
        ("set1 / 1", "sys-a", "set1", "day 1", "worst", "One 1"),
        ("set1 / 2", "sys-b", "set1", "day 1", "neither", "Two 1"),
        ("set1 / 3", "sys-c", "set1", "day 1", "best", "Three 1"),
        ("set1 / 4", "sys-d", "set1", "day 1", "neither", "Four 1"),
        ("set2 / 1", "sys-a", "set2", "day 2", "neither", "One 2"),
        ("set2 / 2", "sys-b", "set2", "day 2", "neither", "Two 2"),
        ("set2 / 3", "sys-c", "set2", "day 2", "worst", "Three 2"),
        ("set2 / 4", "sys-d", "set2", "day 2", "best", "Four 2"),
    ]  # fmt: skip
    (own,) = preferences(ratings).criteria
    scores = {one.system: (one.best, one.worst, one.shown) for one in own.scores}
    assert scores == {
        "sys-a": (0, 1, 2), "sys-b": (0, 0, 2), "sys-c": (1, 1, 2), "sys-d": (1, 0, 2),
    }  # fmt: skip
    file, _ = write_ratings(study, store, tmp_path / "ratings.csv")
    assert [row["rating"] for row in rows_of(file)] == [row[4] for row in rows]
    (log,) = (
        each for each in write_everything(study, store, tmp_path) if each.name == "answers.csv"
    )
    assert [(row["rating"], row["order_shown"]) for row in rows_of(log)] == [
        ("3 > 1", "2 0 1 3"),
        ("4 > 3", "2 0 1 3"),
    ]


def test_who_cannot_judge_rated_none_of_the_texts(enter, study, store):
    study = replace(study, criteria=(replace(BETTER, cannot_judge=True),))
    judge = enter(study, order=DEALT)
    judge.enter()
    judge.save(None, cannot_judge=True, reason="All alike.")
    assert current(store) == [CannotJudge("All alike.")]
    ratings = ratings_of(study, store)
    assert (ratings.n_ratings, len(fetch(ratings.frame)["item"])) == (0, 4)


def test_a_known_answer_is_known_of_each_text(enter, study, store):
    gold = replace(SETS[0], kind="gold", expected={"Better": "3 > 2"})
    study = replace(study, items=(gold, SETS[1]))
    judge = enter(study, order=DEALT)
    judge.enter()
    judge.save({"best": "1", "worst": "2"})
    ratings, known = gold_ratings(study, store)
    assert known == {
        "Better": {
            "set1 / 1": "neither", "set1 / 2": "worst", "set1 / 3": "best", "set1 / 4": "neither",
        }
    }  # fmt: skip
    assert list(fetch(ratings.frame)["rating"]) == ["worst", "neither", "best", "neither"]


def test_a_platform_that_shows_one_order_to_all_cannot_ask_for_it(study):
    with pytest.raises(InvalidArgument, match="in the same order to everybody"):
        task_template(study)


def test_the_researcher_sees_each_answer_and_agreement_on_each_text(enter, study, store):
    for judge in enter(study, judges=2, order=DEALT):
        judge.enter()
        send(judge, best="1", worst="2")
        send(judge, best="4", worst="1")
    (line,) = examine(study, store)["lines"]
    assert (line.items, line.judges, line.ratings, line.agreement.value) == (8, 2, 16, 1)
    desk = Researcher(create_app(study, store), store)
    desk.enter()
    shown = desk.page().text
    assert "1.00" in shown
    assert "3 &gt; 1" in desk.page("/answers").text
    desk.close()


def test_a_preference_and_the_best_and_worst_of_one_page_are_counted_each(enter, store, tmp_path):
    items = tuple(replace(item, texts=item.texts[:2], systems=SYSTEMS[:2]) for item in SETS)
    study = studies.bare(tmp_path, studies.BETTER, replace(BETTER, name="Extremes"), items=items)
    judge = enter(study, order=(1, 0))
    judge.enter()
    judge.save("left", criterion="Better")
    judge.save({"best": "2", "worst": "1"}, criterion="Extremes", sequence=2)
    preferred, extremes = preferences(ratings_of(study, store)).criteria
    assert (preferred.criterion, preferred.rated, preferred.pairs[0].losses) == ("Better", False, 1)
    assert (extremes.criterion, extremes.rated, extremes.pairs[0].wins) == ("Extremes", True, 1)
