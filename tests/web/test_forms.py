"""The form layer: each kind of field takes what it says, and refuses the rest by name."""

import re

import pytest

from covary.web.forms import (
    HIGHEST,
    Choice,
    Name,
    Refusal,
    Seconds,
    Text,
    Whole,
    read_json,
    whole_number,
)
from covary.web.serving.app import create_app
from tests.web import in_training, recruiting, studies
from tests.web.client import hidden
from tests.web.in_training import Room, edit
from tests.web.researching import Researcher

MANY_DIGITS = "9" * 5000


def short(value):
    if isinstance(value, int) and value > HIGHEST:
        return "huge"
    return f"{type(value).__name__} {repr(value)[:20]}"


@pytest.mark.parametrize(
    ("sent", "number"),
    [
        ("0", 0),
        ("007", 7),
        (12, 12),
        ("1" * 19, 1111111111111111111),
        ("0" * 5000 + "3", 3),
        ("-1", None),
        ("+1", None),
        ("1.0", None),
        (" 1", None),
        ("", None),
        ("²", None),
        ("٣", None),
        (1.0, None),
        (True, None),
        (None, None),
        ([1], None),
    ],
    ids=short,
)
def test_a_whole_number_is_digits_or_a_number_and_nothing_else(sent, number):
    assert whole_number(sent) == number


@pytest.mark.parametrize("sent", [MANY_DIGITS, 10**4000], ids=["digits", "number"])
def test_a_number_of_thousands_of_digits_is_beyond_every_bound(sent):
    assert whole_number(sent) > HIGHEST


FIELD = Whole("number", least=2, most=5)


@pytest.mark.parametrize(("sent", "number"), [("2", 2), ("5", 5), (3, 3)])
def test_a_number_within_its_bounds_is_taken(sent, number):
    assert FIELD.read({"number": sent}) == number


@pytest.mark.parametrize("sent", ["1", "6", "", "x", None, MANY_DIGITS, -3, True], ids=short)
def test_a_number_beyond_its_bounds_is_refused_with_its_name_and_what_it_takes(sent):
    with pytest.raises(Refusal) as refused:
        FIELD.read({"number": sent})
    assert refused.value.status == 422
    assert refused.value.data == {"field": "number", "least": 2, "most": 5}
    assert "“number” takes a whole number from 2 to 5" in str(refused.value)


def test_a_number_that_was_not_sent_is_its_default_or_refused():
    assert Whole("number", default=4).read({}) == 4
    assert Whole("number", least=3, default=1).read({"number": "x"}) == 1
    with pytest.raises(Refusal):
        Whole("number").read({})
    with pytest.raises(Refusal):
        Whole("number", default=4, most=5).read({"number": "6"})


@pytest.mark.parametrize(
    ("sent", "number"), [("0", 2), ("9", 5), ("4", 4), (MANY_DIGITS, 5)], ids="abcd"
)
def test_a_number_that_clamps_comes_to_the_nearest_bound(sent, number):
    assert Whole("number", least=2, most=5, clamps=True).read({"number": sent}) == number


def test_a_number_of_the_path_that_is_none_is_a_page_that_is_not_there():
    with pytest.raises(Refusal) as refused:
        Whole("judge", status=404).read({"judge": "x"})
    assert refused.value.status == 404


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        ("1.5", 1.5),
        (0, 0.0),
        ("1000000", 1e6),
        ("1000000.5", None),
        (-0.1, None),
        ("nan", None),
        ("inf", None),
        (True, None),
        ("soon", None),
        (None, None),
        ([1], None),
        (10**400, None),
    ],
    ids=short,
)
def test_seconds_that_make_no_sense_are_left_out(sent, seconds):
    assert Seconds("seconds").read({"seconds": sent}) == seconds


def test_a_text_has_plain_line_ends_and_nothing_around_it():
    assert Text("text", 9).read({"text": " a\r\nb\rc\n"}) == "a\nb\nc"
    assert Text("text", 9, strip=False).read({"text": " a\r\n"}) == " a\n"
    assert Text("text", 9).read({}) == ""


def test_a_text_may_be_as_long_as_it_says_and_no_longer():
    assert Text("text", 3).read({"text": "abc"}) == "abc"
    with pytest.raises(Refusal) as refused:
        Text("text", 3, status=413).read({"text": "abcd"})
    assert refused.value.status == 413
    assert refused.value.data == {"field": "text", "length": 4, "most": 3}


def test_a_choice_is_one_of_those_that_were_offered():
    field = Choice("agreed", ("yes", "no"))
    assert field.read({"agreed": "no"}) == "no"
    for sent in ({"agreed": "maybe"}, {"agreed": None}, {"agreed": ["yes"]}, {}):
        with pytest.raises(Refusal) as refused:
            field.read(sent)
        assert refused.value.allowed == ("yes", "no")
        assert "“agreed” takes one of 'yes', 'no'" in str(refused.value)


def test_a_name_has_the_letters_that_it_was_given():
    field = Name("once", re.compile("[0-9a-f]{4}"), status=400)
    assert field.read({"once": "00af"}) == "00af"
    for sent in ("00afe", "00a", "00aF", "", None, 1234):
        assert not field.fits({"once": sent})
        with pytest.raises(Refusal) as refused:
            field.read({"once": sent})
        assert (refused.value.status, refused.value.data) == (400, {"field": "once"})


@pytest.mark.parametrize(
    "body", [b"", b"[1]", b"nonsense", b"\xff", b"[" * 100_000, b"1" * 5000], ids=range(6)
)
def test_what_is_no_json_object_is_not_understood(body):
    with pytest.raises(Refusal) as refused:
        read_json(body)
    assert refused.value.status == 400


# every page that reads a number


@pytest.fixture
def researcher(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path))
    signed_in = Researcher(judge.http._transport.app, store)
    signed_in.enter()
    yield signed_in
    signed_in.close()


@pytest.mark.parametrize("number", [MANY_DIGITS, "²", "-1", "x", "0", ""], ids=short)
@pytest.mark.parametrize("path", ["/items?page=", "/judges?page="])
def test_a_page_of_a_table_is_shown_whatever_number_is_asked_for(researcher, path, number):
    assert researcher.get(f"/researcher{path}{number}").status_code == 200


@pytest.mark.parametrize("number", [MANY_DIGITS, "²", "-1", "x"], ids=short)
def test_a_sheet_that_is_none_is_not_previewed(researcher, number):
    assert researcher.get(f"/researcher/preview?sheet={number}").status_code in (200, 404)
    for path in (f"/way/{number}/0", f"/way/1/{number}", f"/item/{number}/0", f"/item/0/{number}"):
        assert researcher.get(f"/researcher/preview{path}").status_code == 404, path
    assert researcher.get(f"/researcher/judges/{number}").status_code == 404


def test_people_who_were_recruited_are_shown_whatever_page_is_asked_for(tmp_path, store):
    signed_in = Researcher(create_app(recruiting.study(tmp_path), store), store)
    signed_in.enter()
    assert signed_in.get(f"/researcher/recruiting?page={MANY_DIGITS}").status_code == 200
    signed_in.close()


@pytest.mark.parametrize("number", [MANY_DIGITS, "²", "1001", "0", ""], ids=short)
def test_so_many_links_are_not_made(researcher, number):
    refused = researcher.send("/links", "/judges", number=number)
    assert refused.status_code == 422
    assert "Say how many links to make, from 1 to 1,000, or names." in refused.text


def test_a_round_reads_every_number_and_never_fails(store, tmp_path):
    room = Room(store, in_training.study(tmp_path))
    room.agreed()
    ann = room.judges["Ann"]
    for number in (MANY_DIGITS, "²", "x", "99"):
        for path in (
            f"/item/{number}",
            f"/mark/{number}/1",
            f"/mark/1/{number}",
            f"/differences?round={number}",
            f"/proposals?round={number}",
            f"/manual?version={number}",
            f"/compare?old={number}&new={number}",
            f"/news?at=mark.1.{number}&since={number}",
        ):
            status = ann.get(f"/judge/round{path}").status_code
            assert status in (200, 303, 404), (path[:20], status)
        page = room.researcher.rounds("/edit")
        for more in ({"rows": number}, {"do": f"add-{number}"}):
            sent = edit(page) | {"do": "preview"} | more
            answer = room.researcher.post("/researcher/rounds/edit", data=sent)
            assert answer.status_code in (200, 422), more
    room.close()


def test_a_rating_of_thousands_of_digits_is_off_the_scale(enter, tmp_path, store):
    judge = enter(studies.bare(tmp_path, studies.VERBAL, studies.VISUAL))
    judge.enter()
    for criterion in ("Fluency", "Clarity"):
        for rating in (10**4000, MANY_DIGITS):
            refused = judge.save(rating, criterion=criterion)
            assert refused.status_code in (400, 422), criterion
    assert judge.get(f"/judge/item/{MANY_DIGITS}").status_code == 303
    assert list(store.answers.log()) == []


@pytest.mark.parametrize("length", [MANY_DIGITS, "-1", "1e9", "many"], ids=lambda sent: sent[:4])
def test_a_body_of_a_length_that_is_huge_or_no_number_is_too_long(enter, tmp_path, length):
    judge = enter(studies.bare(tmp_path))
    answer = judge.post("/judge/next", content=b"", headers={"Content-Length": length})
    assert answer.status_code == 413


def test_a_form_takes_no_files(enter, tmp_path):
    judge = enter(studies.study(tmp_path))
    judge.enter()
    sent = hidden(judge.page().text) | {"agreed": "yes"}
    refused = judge.post("/judge/consent", data=sent, files={"file": ("a.txt", b"x")})
    assert refused.status_code == 400
    assert "agreed" in judge.page().text  # nothing of it was taken


def test_a_page_is_sent_as_a_page_also_to_a_script_and_only_a_way_on_as_json(enter, tmp_path):
    judge = enter(studies.study(tmp_path))
    judge.enter()
    script = {"Accept": "application/json"}
    form = hidden(judge.page().text) | {"agreed": "yes"}
    plain = judge.post("/judge/consent", data=form)
    assert (plain.status_code, plain.headers["location"]) == (303, "/judge")
    unanswered = judge.post("/judge/background", data=hidden(judge.page().text), headers=script)
    assert unanswered.status_code == 422
    assert unanswered.headers["content-type"].startswith("text/html")
    form = hidden(judge.page().text) | {"answer-0": "yes"}
    onward = judge.post("/judge/background", data=form, headers=script)
    assert (onward.status_code, onward.json()) == (200, {"next": "/judge"})
