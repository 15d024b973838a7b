"""A judge's whole way, request by request."""

import re
from dataclasses import replace

import pytest
from markupsafe import escape

from covary.design.plan import Sheet, Task
from covary.store import Store
from covary.study import TEMPLATES, read_study, write_template
from covary.study.model import Manual, Session
from covary.web.judge.sheets import prepare_sheets
from covary.web.serving.app import create_app
from covary.web.serving.simulation import evaluate_first
from tests.web import studies
from tests.web.client import Judge, heading, hidden


def two_parts(folder, **session):
    parts = (replace(studies.VERBAL, part="words"), replace(studies.VISUAL, part="line"))
    return studies.bare(folder, *parts, session=Session(**session))


def test_the_way_goes_from_consent_to_the_code(enter, tmp_path, store):
    judge = enter(studies.study(tmp_path))
    assert heading(judge.enter()) == "Before you begin"
    assert heading(judge.send("consent", agreed="yes")) == "About you"
    assert heading(judge.send("background", answer_0="yes", answer_1="birds")) == "Guidelines"
    assert heading(judge.go_on()) == "Practice 1 of 1"
    assert heading(judge.send("next", rating_0="4")) == "That was the practice"
    assert heading(judge.go_on()) == "Item 1 of 3"
    assert heading(judge.send("next", rating_0="5")) == "Item 2 of 3"
    assert heading(judge.send("next", rating_0="6")) == "Item 3 of 3"
    done = judge.send("next", rating_0="7")
    assert heading(done) == "Thank you, you are done"
    assert "COVARY-42" in done.text
    current = store.answers.current(1)
    assert [current[position, "Fluency"].rating for position in (1, 2, 3, 4)] == [4, 5, 6, 7]
    assert [current[position, "Fluency"].kind for position in (1, 2)] == ["practice", "item"]
    assert {answer.manual for answer in current.values()} == {"m1"}
    kinds = [note.kind for note in store.notes.all(1)]
    assert kinds == ["consent", "background", "guidelines", "began", "left", "practice-over",
                     "left", "left", "left", "finished"]  # fmt: skip
    (said,) = store.notes.all(1, "background")
    assert said.data["answers"] == {"native": "yes", "field": "birds"}


def test_nothing_is_asked_of_somebody_who_does_not_agree(enter, tmp_path, store):
    judge = enter(studies.study(tmp_path))
    judge.enter()
    assert heading(judge.send("consent", agreed="no")) == "Thank you for considering it"
    assert heading(judge.page("/judge/guidelines")) == "Thank you for considering it"
    assert store.sheets.of(1) is None
    assert heading(judge.send("consent", agreed="yes")) == "About you"


def test_a_background_question_that_must_be_answered_is_marked_and_the_rest_is_kept(
    enter, tmp_path
):
    judge = enter(studies.study(tmp_path))
    judge.enter()
    judge.send("consent", agreed="yes")
    refused = judge.send("background", answer_1="birds")
    assert refused.status_code == 422
    assert "Please choose one." in refused.text
    assert 'value="birds"' in refused.text


def test_the_study_goes_on_where_it_was_left_on_any_device(enter, tmp_path):
    judge = enter(studies.bare(tmp_path))
    judge.enter()
    judge.send("next", rating_0="4")
    judge.save("6")
    elsewhere = Judge(judge.http._transport.app, judge.token)
    page = elsewhere.enter()
    assert heading(page) == "Item 2 of 3"
    assert re.search(r'value="6" checked', page.text)
    elsewhere.close()


def test_an_item_without_an_answer_is_not_left(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path, studies.VERBAL, studies.VISUAL))
    judge.enter()
    refused = judge.send("next", rating_0="4", rating_1="50.0", touched_1="0")
    assert refused.status_code == 422
    assert heading(refused) == "Item 1 of 3"
    assert "Please answer what is marked" in refused.text
    assert [answer.rating for answer in store.answers.current(1).values()] == [4]
    assert heading(judge.send("next", rating_1="50.0", touched_1="1")) == "Item 2 of 3"
    assert store.answers.current(1)[1, "Clarity"].rating == 50


def test_judges_go_back_and_change_their_mind_where_the_study_allows_it(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path))
    first = judge.enter()
    assert "Back</a>" not in first.text
    judge.send("next", rating_0="1")
    judge.send("next", rating_0="2")
    assert 'href="/judge/item/2"' in judge.page().text
    back = judge.page("/judge/back")
    assert heading(back) == "Item 2 of 3"
    earlier = judge.page("/judge/item/1")
    fields = hidden(earlier.text) | {"rating-0": "7"}
    after = judge.post("/judge/next", data=fields, follow_redirects=True)
    assert heading(after) == "Item 2 of 3"
    assert store.answers.current(1)[1, "Fluency"].rating == 7
    fields = hidden(after.text) | {"rating-0": "2"}
    assert heading(judge.post("/judge/next", data=fields, follow_redirects=True)) == "Item 3 of 3"


def test_judges_do_not_go_back_where_the_study_forbids_it(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path, session=Session(go_back=False)))
    old = hidden(judge.enter().text)
    judge.send("next", rating_0="1")
    assert "Back</a>" not in judge.page().text
    assert heading(judge.page("/judge/item/1")) == "Item 2 of 3"
    assert heading(judge.page("/judge/back")) == "Item 2 of 3"
    assert judge.post("/judge/next", data=old | {"rating-0": "7"}).status_code == 409
    assert store.answers.current(1)[1, "Fluency"].rating == 1


def test_two_pages_of_one_item_do_no_harm(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path))
    one, other = (hidden(judge.enter().text) for _ in range(2))
    judge.post("/judge/next", data=one | {"rating-0": "3"})
    answer = judge.post("/judge/next", data=other | {"rating-0": "5"}, follow_redirects=True)
    assert heading(answer) == "Item 2 of 3"
    assert [each.rating for each in store.answers.current(1).values()] == [5]
    assert len(store.notes.all(1, "left")) == 1


def test_pressing_next_twice_stores_one_answer_and_skips_no_item(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path))
    form = hidden(judge.enter().text) | {"rating-0": "3"}
    for _ in range(2):
        assert heading(judge.post("/judge/next", data=form, follow_redirects=True)) == "Item 2 of 3"
    assert len(list(store.answers.log())) == 1


def test_a_break_is_offered_and_a_stale_page_of_it_changes_nothing(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path, session=Session(break_every=1)))
    judge.enter()
    pause = judge.send("next", rating_0="3")
    assert heading(pause) == "Time for a break"
    assert "1 of 3 items" in pause.text
    stale = hidden(pause.text)
    assert heading(judge.go_on()) == "Item 2 of 3"
    judge.send("next", rating_0="3")
    assert heading(judge.post("/judge/continue", data=stale, follow_redirects=True)) == (
        "Time for a break"
    )
    assert [note.data["position"] for note in store.notes.all(1, "break")] == [2]


def test_parts_are_numbered_as_their_items_come_whatever_is_practised(enter, tmp_path, store):
    """Only the second part has practice, which comes first on every sheet."""
    study = two_parts(tmp_path)
    practice = Task(1, study.items[0].id, "practice", "line")
    tasks = [
        Task(place, study.items[1].id, "item", part)
        for place, part in enumerate(("words", "line"), 2)
    ]
    study = replace(study, items=(replace(study.items[0], kind="practice"), *study.items[1:]))
    store.sheets.put([Sheet(1, (practice, *tasks))])
    judge = enter(study)
    assert "Part 2 of 2" in judge.enter().text
    judge.send("next", rating_0="61.3", touched_0="1")
    assert "Part 1 of 2" in judge.go_on().text
    assert heading(judge.send("next", rating_0="3")) == "Part 2 of 2"


@pytest.mark.parametrize(
    ("form", "page"),
    [
        ("/judge/next", "/judge"),
        ("/judge/continue", "/judge"),
        ("/judge/round/say", "/judge/round"),
        ("/researcher/state", "/researcher"),
        ("/researcher/recruiting/link", "/researcher"),
    ],
)
def test_a_form_whose_address_is_loaded_again_leads_to_its_page(enter, tmp_path, form, page):
    """A proxy that found no server answered the form with a page that loads itself again."""
    judge = enter(studies.study(tmp_path))
    judge.begin()
    led = judge.ask("GET", form, follow_redirects=False)
    assert (led.status_code, led.headers["location"]) == (303, page)
    assert judge.ask("GET", "/judge/answer", follow_redirects=False).status_code == 405


def test_parts_are_announced_and_the_preferred_one_is_asked(enter, tmp_path, store):
    judge = enter(two_parts(tmp_path, ask_preference=True, remarks=True))
    assert "Part 1 of 2" in judge.enter().text
    for _ in range(3):
        page = judge.send("next", rating_0="3")
    assert heading(page) == "Part 2 of 2"
    assert 'type="range"' in judge.go_on().text
    for _ in range(3):
        page = judge.send("next", rating_0="61.3", touched_0="1")
    assert heading(page) == "Which way of answering did you prefer?"
    assert "a line to point at" in page.text
    assert judge.send("preferred", part="7").status_code == 422
    assert judge.send("preferred", part="1", reason="finer").status_code == 200
    assert heading(judge.send("remarks", remarks="Nice.")) == "Thank you, you are done"
    assert store.notes.all(1, "preferred")[0].data == {"part": "line", "reason": "finer"}
    assert store.notes.all(1, "remarks")[0].data == {"text": "Nice."}
    assert {key for _, key in store.answers.current(1)} == {"Fluency (words)", "Clarity (line)"}


def test_no_preference_is_an_answer(enter, tmp_path, store):
    judge = enter(two_parts(tmp_path, ask_preference=True))
    judge.enter()
    for _ in range(3):
        judge.send("next", rating_0="3")
    judge.go_on()
    for _ in range(3):
        judge.send("next", rating_0="61.3", touched_0="1")
    judge.send("preferred", part="none")
    assert store.notes.all(1, "preferred")[0].data["part"] is None


def test_the_end_leads_to_the_platform_at_once_and_only_once(enter, tmp_path):
    address = "https://app.prolific.com/submissions/complete?cc=C0DE&x=1"
    study = studies.bare(tmp_path, items=studies.bare(tmp_path).items[:1])
    judge = enter(replace(study, session=Session(code="C0DE", redirect=address)))
    judge.enter()
    done = judge.send("next", rating_0="3")
    written = address.replace("&", "&amp;")
    assert f'<meta http-equiv="refresh" content="0; url={written}">' in done.text
    assert "C0DE</p>" in done.text
    again = judge.page()
    assert "refresh" not in again.text
    assert f'href="{written}"' in again.text


@pytest.mark.parametrize("address", ["javascript:alert(1)", "//evil.test", "data:text/html,x"])
def test_the_end_leads_to_no_address_that_is_none(enter, tmp_path, address):
    judge = enter(studies.bare(tmp_path, items=(), session=Session(redirect=address)))
    page = judge.enter()
    assert heading(page) == "Thank you, you are done"
    assert address not in page.text


def test_changed_guidelines_are_shown_again_and_answers_carry_their_version(enter, tmp_path, store):
    study = studies.bare(tmp_path, manual=Manual("Old.", "m1"))
    judge = enter(study)
    judge.enter()
    judge.go_on()
    judge.send("next", rating_0="3")
    judge.close()
    later = enter(replace(study, manual=Manual("New.", "m2")))
    later.token = judge.token
    page = later.enter()
    assert heading(page) == "Guidelines"
    assert "New." in page.text
    assert heading(later.go_on()) == "Item 2 of 3"
    later.send("next", rating_0="3")
    assert [answer.manual for answer in store.answers.current(1).values()] == ["m1", "m2"]


def test_the_next_session_opens_in_its_time(enter, tmp_path):
    study = studies.bare(tmp_path, session=Session(occasion_gap_hours=48))
    judge = enter(study, occasions=2)
    judge.enter()
    for _ in range(3):
        page = judge.send("next", rating_0="3")
    assert heading(page) == "Thank you, until next time"
    assert "UTC</time>" in page.text
    at_once = enter(replace(study, session=Session()))
    at_once.token = judge.token
    assert heading(at_once.enter()) == "Welcome back"
    assert heading(at_once.go_on()) == "Item 1 of 3"


@pytest.mark.parametrize(("state", "words"), [("paused", "paused"), ("closed", "closed")])
def test_a_study_that_is_not_open_takes_nothing_and_says_so(enter, tmp_path, store, state, words):
    judge = enter(studies.bare(tmp_path))
    form = hidden(judge.enter().text)
    store.set_state(state)
    page = judge.page()
    assert page.status_code == 200
    assert heading(page) == f"The study is {words}"
    assert judge.post("/judge/next", data=form | {"rating-0": "3"}).status_code == 409
    saving = {"position": 1, "criterion": "Fluency", "rating": "3", "page": form["page"],
              "sequence": 1, "key": "k"}  # fmt: skip
    headers = {"X-Covary-Token": form["token"]}
    assert judge.post("/judge/answer", json=saving, headers=headers).status_code == 409
    assert store.answers.current(1) == {}
    store.set_state("open")
    assert judge.post("/judge/answer", json=saving, headers=headers).status_code == 200


def test_who_is_done_keeps_the_code_when_the_study_closes(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path, items=()))
    judge.enter()
    store.set_state("closed")
    assert "COVARY-42" in judge.page().text


def test_more_judges_than_planned_get_sheets_that_continue_the_plan(enter, tmp_path, store):
    study = studies.bare(tmp_path)
    judge = enter(study)
    late = Judge(judge.http._transport.app, store.judges.add()[1])
    judge.enter()
    assert heading(late.enter()) == "Item 1 of 3"
    late.close()
    assert [sheet.number for sheet in store.sheets.all()] == [1, 2]
    assert store.sheets.holders() == {1: 1, 2: 2}


def test_sides_are_as_the_task_says_and_the_rating_is_in_the_items_own_order(
    enter, tmp_path, store
):
    judge = enter(studies.bare(tmp_path, studies.BETTER), order=(1, 0))
    page = judge.enter().text
    first, second = studies.TEXTS[0], studies.TEXTS[0][::-1]
    assert page.index(second) < page.index(first)
    judge.send("next", rating_0="left")
    answer = store.answers.current(1)[1, "Better"]
    assert (answer.rating, answer.order) == ("B", (1, 0))


def test_turns_before_the_judged_one_are_shown_and_the_judged_one_is_marked(enter, tmp_path):
    page = enter(studies.bare(tmp_path, items=(studies.conversation(),))).enter().text
    places = [
        page.index(text) for text in ("Will it rain", "In Leeds or", "aria-current", "stays dry")
    ]
    assert places == sorted(places)
    assert "York: 0 mm" in page


def test_an_untouched_pointer_is_in_the_middle_and_a_placed_one_where_it_was(enter, tmp_path):
    judge = enter(studies.bare(tmp_path, studies.VISUAL))
    page = judge.enter().text
    assert 'value="50.0" aria-label="How clear is this text? from extremely bad' in page
    assert 'aria-valuetext="not answered yet"' in page
    assert hidden(page)["touched-0"] == "0"
    judge.save(50, touched=False)
    assert hidden(judge.page().text)["touched-0"] == "0"
    judge.save(73.4, sequence=2)
    page = judge.page().text
    assert 'value="73.4"' in page
    assert hidden(page)["touched-0"] == "1"


def test_an_untouched_pointer_is_a_missing_answer(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path, studies.VISUAL))
    judge.enter()
    assert judge.save(50, touched=False).status_code == 200
    answer = store.answers.current(1)[1, "Clarity"]
    assert (answer.rating, answer.touched) == (None, False)


@pytest.mark.parametrize("template", TEMPLATES)
def test_each_template_can_be_judged_as_it_stands(tmp_path, template):
    write_template(tmp_path / "study", template)
    study = read_study(tmp_path / "study")
    with Store.open(study.folder / "study.db") as store:
        prepare_sheets(study, store)
        evaluate_first(study, store)
        judge = Judge(create_app(study, store), store.judges.add()[1])
        judge.enter()
        if study.consent:
            judge.send("consent", agreed="yes")
        if study.background:
            told = {f"answer_{n}": (asked.options or ("7",))[0]
                    for n, asked in enumerate(study.background)}  # fmt: skip
            judge.send("background", **told)
        page = judge.go_on()
        assert re.match(r"(Practice|Item) 1 of", heading(page))
        part = store.sheets.of(1).tasks[0].part
        asked = study.criteria_of(part)
        for criterion in asked:
            assert escape(criterion.question) in page.text
        assert page.text.count("<fieldset") == len(asked)
        judge.close()


@pytest.mark.parametrize(
    ("language", "direction", "word"),
    [
        ("ar", "rtl", "التالي"),
        ("ja", "ltr", "次へ"),
        ("de-AT", "ltr", "Weiter"),
        ("fa", "rtl", "Next"),
    ],
)
def test_a_judges_page_speaks_the_language_of_the_study(enter, tmp_path, language, direction, word):
    judge = enter(replace(studies.bare(tmp_path), language=language))
    page = judge.enter()
    spoken = "en" if language == "fa" else language.partition("-")[0]
    assert f'<html lang="{spoken}" dir="{direction}">' in page.text
    assert f">{word}</button>" in page.text
    assert f">{word}</button>" not in judge.get("/j/nobody").text


def test_a_study_calls_things_by_its_own_words_and_they_are_escaped(enter, tmp_path):
    renamed = {"Next": "On & <on>"}
    judge = enter(replace(studies.bare(tmp_path), words=renamed))
    assert "On &amp; &lt;on&gt;</button>" in judge.enter().text


def test_a_refusal_speaks_the_language_of_the_study(enter, tmp_path):
    judge = enter(replace(studies.bare(tmp_path), language="de"))
    assert "Dieser Link ist ungültig" in judge.get("/j/nobody").text
