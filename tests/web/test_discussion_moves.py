"""What a researcher and a judge read of a round at each of its stages, without a server."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from covary.study.manual import Edition, edition_of
from covary.training import (
    Agreed,
    Began,
    Change,
    Changed,
    Cycle,
    Finished,
    JudgeJoined,
    JudgeLeft,
    MovedOn,
    Proposed,
    Rated,
    RoundOpened,
    Said,
    SetAsideMark,
    SetAsideProposal,
    Stopped,
)
from covary.web.discussion.differences import (
    difference_views,
    item_talk,
    proposal_views,
    unwritten,
    written_in,
)
from covary.web.discussion.judge_pages import TrainingSheet
from covary.web.discussion.manual import show_manual
from covary.web.discussion.researcher_pages import judges_of, next_move, training_sets
from covary.web.discussion.view import (
    RESEARCHER,
    Naming,
    View,
    changes_since,
    naming_for,
    participants,
    visible_events,
)
from tests.web import in_training
from tests.web.in_training import RULE

NAMES = ("Ann", "Bo", "Cy")


@pytest.fixture
def study(tmp_path):
    return in_training.study(tmp_path, sets=2)


def begun(study, *happened):
    cycle = Cycle()
    items = tuple(each.id for each in study.items if each.kind == "item")
    opened = RoundOpened(tuple(each.id for each in study.training_set(1)))
    for event in (Began(edition_of(study), NAMES, items), opened, *happened):
        cycle = cycle.apply(event)
    return cycle


def ratings(study, finished=NAMES, number=1, **ranks):
    """Ratings of all by the two items of a set; who has finished, finishes."""
    given = {"Ann": (1, 2), "Bo": (4, 2), "Cy": (1, 2)} | ranks
    items = [each.id for each in study.training_set(number)]
    for name in NAMES:
        for item, rank in zip(items, given[name], strict=True):
            yield Rated(name, item, {"relevance": rank})
        if name in finished:
            yield Finished(name)


def compared(study, **ranks):
    return [*ratings(study, **ranks), MovedOn("socialisation")]


def first(study):
    return study.training_set(1)[0].id, "relevance"


def discussed(study):
    said = [Said(name, *first(study), f"{name} looked.") for name in NAMES]
    return [*compared(study), *said, MovedOn("externalisation")]


def proposed(study, *words):
    made = Proposed("Bo", RULE, (first(study),))
    return [*discussed(study), made, *(Agreed(name, 1, yes) for name, yes in words)]


AGREED = (("Ann", True), ("Cy", True))


def view(study, cycle, judge=None, **more):
    """As much of a view as is asked for what a page says."""
    store = SimpleNamespace(judges=SimpleNamespace(all=lambda: more.get("judges", [])))
    naming = naming_for(cycle, own=judge.name if judge else "", aliases=False)
    return View(
        site=SimpleNamespace(store=store), study=study, cycle=cycle, naming=naming, request=None,
        home="/here", frame="", token="", judge=judge,
    )  # fmt: skip


STAGES = {
    "rating": (lambda s: [], "each alone", "Waiting for Ann, Bo and Cy to finish.", ""),
    "one is left": (
        lambda s: ratings(s, finished=("Ann", "Bo")), "each alone", "Waiting for Cy to finish.", "",
    ),
    "all have finished": (ratings, "Every judge has finished", "", "socialisation"),
    "no difference": (
        lambda s: compared(s, Bo=(1, 2)), "nothing to discuss", "", "externalisation",
    ),
    "one difference": (compared, "say how they came", "1 difference has no entry", ""),
    "two differences": (
        lambda s: compared(s, Bo=(4, 4)), "say how they came", "2 differences have no entry", "",
    ),
    "some have spoken": (
        lambda s: [*compared(s), Said("Ann", *first(s), "Hm.")],
        "talked about. On 1 of them not everybody has explained", "", "externalisation",
    ),
    "set aside": (
        lambda s: [*compared(s), SetAsideMark(*first(s), "A slip.")],
        "talked about. Go on when the judges", "", "externalisation",
    ),
    "nothing proposed": (discussed, "Nobody has proposed", "", "combination"),
    "two have yet to answer": (
        proposed, "agree or object", "Waiting for an answer from Ann and Cy on proposal 1.", "",
    ),
    "one has yet to answer": (
        lambda s: proposed(s, AGREED[0]), "agree or object", "from Cy on proposal 1.", "",
    ),
    "all have answered": (
        lambda s: proposed(s, *AGREED), "Everybody has said", "", "combination",
    ),
    "left out": (
        lambda s: [*proposed(s), SetAsideProposal(1, "Said already.")],
        "Everybody has said", "", "combination",
    ),
    "to be written": (
        lambda s: [*proposed(s, *AGREED), MovedOn("combination")],
        "Write what the judges", "Proposal 1 is accepted", "",
    ),
    "objected to": (
        lambda s: [*proposed(s, AGREED[0], ("Cy", False)), MovedOn("combination")],
        "All that was agreed on is in", "", "",
    ),
    "ended by the researcher": (
        lambda s: [Stopped("researcher", "No time")], "has ended: No time. Judges", "", "",
    ),
    "ended with a full stop": (
        lambda s: [Stopped("researcher", "No time.")], "has ended: No time. Judges", "", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("stage", STAGES)
def test_the_next_move_says_what_it_waits_for_and_what_can_be_done(study, stage):
    happened, words, waits, to = STAGES[stage]
    move = next_move(view(study, begun(study, *happened(study))))
    assert words in move.words
    assert waits in move.waits
    assert bool(move.waits) == bool(waits)
    assert (move.to, bool(move.button)) == (to, bool(to))


def test_two_proposals_that_are_to_be_written_are_named_together(study):
    more = Proposed("Ann", "Another rule.", (first(study),))
    words = [Agreed(name, 2, agrees=True) for name in ("Bo", "Cy")]
    cycle = begun(study, *proposed(study, *AGREED), more, *words, MovedOn("combination"))
    move = next_move(view(study, cycle))
    assert "Proposals 1, 2 are accepted" in move.waits
    assert "Write them down, or set them aside" in move.waits
    assert [each.number for each in unwritten(cycle)] == [1, 2]
    edition = Edition(cycle.edition.criteria, f"{cycle.edition.guidelines}\n\n{RULE}\n")
    change = Change("rule", "what cannot be answered", RULE, (1,))
    cycle = cycle.apply(Changed("Cy", cycle.edition.version, edition, (change,)))
    assert [written_in(cycle, number) for number in (1, 2)] == [2, None]
    assert [each.number for each in unwritten(cycle)] == [2]
    assert "Proposal 2 is accepted" in next_move(view(study, cycle)).waits


def again(study, *, ranks):
    items = tuple(each.id for each in study.training_set(1))
    written = [*proposed(study, AGREED[0], ("Cy", False)), MovedOn("combination")]
    return begun(study, *written, RoundOpened(items, again=1), *compared(study, **ranks))


@pytest.mark.parametrize(
    ("ranks", "left", "to"),
    [
        ({"Bo": (1, 2)}, "0 differences are left", "externalisation"),
        ({}, "1 difference is left", ""),
        ({"Bo": (4, 4)}, "2 differences are left", ""),
    ],
)
def test_of_items_that_were_rated_again_the_differences_that_are_left_are_counted(
    study, ranks, left, to
):
    move = next_move(view(study, again(study, ranks=ranks)))
    assert f"The items of round 1 were rated again: {left}." in move.words
    assert (move.waits, move.to) == ("", to)


def test_each_judge_is_listed_with_what_is_rated_of_how_much(study):
    rated = list(ratings(study, finished=("Ann",)))
    cycle = begun(study, *rated[:-1], JudgeLeft("Bo", "Ill."))
    people = [SimpleNamespace(name=name, revoked=name == "Cy") for name in NAMES]
    rows = judges_of(view(study, cycle, judges=people))
    assert [(row.name, row.rated, row.of) for row in rows] == [
        ("Ann", 2, 2), ("Bo", 2, 2), ("Cy", 1, 2),
    ]  # fmt: skip
    assert [row.finished for row in rows] == [True, False, False]
    assert [row.here for row in rows] == [True, False, True]
    assert [row.revoked for row in rows] == [False, False, True]
    ready = Cycle().apply(Began(edition_of(study), NAMES, ()))
    assert [(row.rated, row.of, row.finished) for row in judges_of(view(study, ready))] == [
        (0, 0, False)
    ] * 3


def test_a_training_set_says_in_which_round_it_was_used(study):
    used = training_sets(view(study, begun(study)))
    assert [(each.number, each.items, each.used) for each in used] == [(1, 2, 1), (2, 2, None)]


def test_who_ever_took_part_keeps_an_alias_and_items_their_numbers(study):
    ready = Cycle().apply(Began(edition_of(study), NAMES, ())).apply(JudgeJoined("Dee"))
    opened = RoundOpened(tuple(each.id for each in study.training_set(1)))
    cycle = ready.apply(opened).apply(JudgeLeft("Ann", "Ill."))
    assert participants(cycle) == (*NAMES, "Dee")
    named = naming_for(cycle, own="Bo", aliases=True)
    people = [*NAMES, "Dee", RESEARCHER]
    assert list(map(named.judge, people)) == ["Judge A", "You", "Judge C", "Judge D", RESEARCHER]
    assert list(map(named.alias, people[:3])) == ["Judge A", "Judge B", "Judge C"]
    items = [each.id for each in study.training_set(1)]
    assert [named.number(item) for item in (*items, "other")] == [1, 2, 0]
    assert [named.item(item) for item in (items[1], "other")] == ["item 2", "other"]


@pytest.mark.parametrize(
    ("names", "words"),
    [((), ""), (("Bo",), "You"), (("Ann",), "Ann"), (("Ann", "Bo"), "Ann and you"),
     (("Bo", "Ann", "Cy"), "You, Ann and Cy")],
)  # fmt: skip
def test_judges_are_listed_as_one_would_say_them(names, words):
    assert Naming({}, {}, own="Bo").judges(names) == words
    assert Naming({}, {}).judge("") == ""


def test_news_is_what_others_have_done_on_that_page_since_it_was_drawn(study):
    cycle = begun(study, *compared(study, Bo=(4, 4)))
    since = len(visible_events(cycle))
    other = (study.training_set(1)[1].id, "relevance")
    for event in (Said("Ann", *first(study), "Hm."), Said("Bo", *first(study), "Yes."),
                  SetAsideMark(*other, "A slip.")):  # fmt: skip
        cycle = cycle.apply(event)

    def news(page, since=since, **more):
        return changes_since(cycle, since, page, **more)

    assert news("differences") == "2 new entries"
    assert news("differences", reader="Ann") == "1 new entry"
    assert news("differences", since + 2) == "Something was set aside"
    assert news("differences", since + 3) == ""
    assert news("mark", about=first(study)) == "2 new entries"
    assert news("mark", about=other) == "Something was set aside"
    assert news("proposals") == news("manual") == ""
    assert news("desk") == "2 new entries"
    assert changes_since(cycle, since - 1, "manual") == "The round has moved on"
    moved = cycle.apply(MovedOn("externalisation")).apply(Proposed("Bo", RULE, (first(study),)))
    assert changes_since(moved, since, "wait") == "The round has moved on"
    after = len(visible_events(moved)) - 1
    assert changes_since(moved, after, "proposals") == "1 new proposal"
    assert changes_since(moved, after, "proposals", reader="Bo") == ""
    assert not any(isinstance(event, Rated) for event in visible_events(moved))


def test_the_next_place_comes_after_this_one_or_else_from_the_first(study):
    cycle = begun(study, *list(ratings(study))[:1])  # Ann has rated the first item of the set
    ann = SimpleNamespace(name="Ann", id=1)
    here = replace(
        view(study, cycle, ann), site=SimpleNamespace(tokens=SimpleNamespace(secret=b""))
    )
    sheet = TrainingSheet(here)
    unrated = next(task.position for task in sheet.tasks if sheet.unanswered(task))
    assert [sheet.unanswered(task) != () for task in sheet.tasks].count(True) == 1
    assert [sheet.next_place(after) for after in (0, 1, 2)] == [unrated] * 3
    assert [sheet.task(place) and sheet.task(place).position for place in range(4)] == [
        None, 1, 2, None,
    ]  # fmt: skip
    fresh = TrainingSheet(replace(here, cycle=begun(study)))
    assert [fresh.next_place(after) for after in (0, 1, 2)] == [1, 2, 1]
    done = TrainingSheet(replace(here, cycle=begun(study, *list(ratings(study))[:2])))
    assert done.next_place() is None


def test_the_steps_that_were_reached_are_links_and_one_is_now(study):
    steps = view(study, begun(study, *discussed(study))).steps
    assert [step.address for step in steps] == ["", "/here/differences", "/here/proposals", ""]
    assert [step.now for step in steps] == [False, False, True, False]
    assert view(study, Cycle().apply(Began(edition_of(study), NAMES, ()))).steps == ()
    ended = begun(study, Stopped("researcher", "No time."))
    assert view(study, ended).steps == ()


def test_the_manual_is_written_by_the_researcher_and_the_editors_that_the_study_names(study):
    cycle = begun(study)
    may = [view(study, cycle, judge).may_edit for judge in (
        None, SimpleNamespace(name="Cy", id=3), SimpleNamespace(name="Ann", id=1))]  # fmt: skip
    assert may == [True, True, False]


def test_the_manual_says_which_proposals_are_to_be_written_into_it(study, monkeypatch):
    monkeypatch.setattr(View, "page", lambda self, name, status=200, **values: values)
    for words, numbers in ((AGREED, [1]), ((AGREED[0], ("Cy", False)), [])):
        cycle = begun(study, *proposed(study, *words), MovedOn("combination"))
        here = replace(view(study, cycle), request=SimpleNamespace(query_params={}))
        page = show_manual(here)
        assert [each.number for each in page["to_write"]] == numbers
        assert page["editing"] is True
    early = begun(study, *proposed(study, *AGREED))
    here = replace(view(study, early), request=SimpleNamespace(query_params={}))
    assert show_manual(here)["editing"] is False


@pytest.mark.parametrize("reader", ["Ann", "Bo", None])
def test_what_a_reader_wrote_is_marked_as_ones_own_wherever_it_stands(study, reader):
    said = [Said("Ann", *first(study), "Hm."), Said("Bo", first(study)[0], "", "As a whole.")]
    cycle = begun(study, *compared(study), *said, MovedOn("externalisation"))
    made = Proposed("Bo", RULE, (first(study),))
    cycle = cycle.apply(made).apply(Agreed("Ann", 1, agrees=False, remark="Too strict."))
    judge = reader and SimpleNamespace(name=reader, id=1)
    here = view(study, cycle, judge)

    def own(entries):
        return [(entry.who, entry.own) for entry in entries]

    ann, bo = (("You", True) if reader == name else (name, False) for name in ("Ann", "Bo"))
    (mark,) = difference_views(here, 1)
    assert own(mark.said) == [ann, bo]
    assert (mark.number, mark.item, mark.round) == (1, 1, 1)
    assert (set(mark.silent), mark.to_explain) == ({"Cy"}, False)
    talk = item_talk(here, 1, 1)
    assert [(about, *own([entry])) for about, entry in talk.said] == [
        ("relevance", ann), ("", bo),
    ]  # fmt: skip
    (proposal,) = proposal_views(here, 1)
    assert own(proposal.remarks) == [ann]
    assert proposal.own_word == {"Ann": False, "Bo": True}.get(reader)
    assert proposal.standing == "no consensus"


@pytest.mark.parametrize("reader", ["Ann", "Cy"])
def test_who_gave_a_rating_that_differs_is_asked_to_explain_it_until_it_is_set_aside(study, reader):
    judge = SimpleNamespace(name=reader, id=1)
    spoken = begun(study, *compared(study), Said("Ann", *first(study), "Hm."))
    (mark,) = difference_views(view(study, spoken, judge), 1)
    assert mark.to_explain is (reader == "Cy")
    aside = begun(study, *compared(study), SetAsideMark(*first(study), "A slip."))
    (mark,) = difference_views(view(study, aside, judge), 1)
    assert mark.to_explain is False
