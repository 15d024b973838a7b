"""Whatever is tried in whatever order, nothing that anybody said is ever lost."""

from hypothesis import given, settings
from hypothesis import strategies as st

from covary.study.manual import Edition
from covary.training import (
    Agreed,
    Change,
    Changed,
    Cycle,
    Finished,
    JudgeJoined,
    JudgeLeft,
    MovedOn,
    Proposed,
    Rated,
    Refused,
    RoundOpened,
    Said,
    SetAsideMark,
    Stopped,
)
from tests.training.courses import FIRST, begun

JUDGES = st.sampled_from(["Ann", "Bo", "Cy", "Di"])
ITEMS = st.sampled_from(["t1", "t2", "t3", "e1"])
KEYS = st.sampled_from(["relevance", "fluency"])
WORDS = st.text(max_size=5)
MARKS = st.lists(st.tuples(ITEMS, KEYS), max_size=2).map(tuple)
RATINGS = st.fixed_dictionaries(
    {"relevance": st.integers(1, 5), "fluency": st.one_of(st.none(), st.floats(0, 101))}
)
EDITIONS = st.builds(Edition, st.just(FIRST.criteria), st.sampled_from(["1 is best.\n", "a", "b"]))
CHANGES = st.builds(
    Change, st.sampled_from(["rule", "wording", "x"]), WORDS, st.sampled_from(["", "a", "b"]),
    st.lists(st.integers(1, 2), max_size=1).map(tuple),
)  # fmt: skip
ANY = st.one_of(
    st.builds(RoundOpened, st.lists(ITEMS, max_size=2).map(tuple)),
    st.builds(Rated, JUDGES, ITEMS, RATINGS),
    st.builds(Finished, JUDGES),
    st.builds(MovedOn, st.sampled_from(["socialisation", "externalisation", "combination"])),
    st.builds(Said, JUDGES, ITEMS, KEYS, WORDS),
    st.builds(SetAsideMark, ITEMS, KEYS, WORDS),
    st.builds(Proposed, JUDGES, WORDS, MARKS),
    st.builds(Agreed, JUDGES, st.integers(1, 2), st.booleans(), WORDS),
    st.builds(
        Changed, JUDGES, st.sampled_from([FIRST.version, "older"]), EDITIONS,
        st.lists(CHANGES, max_size=1).map(tuple),
    ),
    st.builds(JudgeJoined, JUDGES),
    st.builds(JudgeLeft, JUDGES, WORDS),
    st.builds(Stopped, st.sampled_from(["rule", "researcher"]), WORDS),
)  # fmt: skip


@st.composite
def walks(draw):
    """Something of a sensible course, with anything at all thrown in between."""
    course = [RoundOpened(("t1", "t2"))]
    for judge, rank in (("Ann", 1), ("Bo", 4), ("Cy", draw(st.integers(1, 4)))):
        course += [Rated(judge, item, {"relevance": rank, "fluency": 50}) for item in ("t1", "t2")]
        course.append(Finished(judge))
    course.append(MovedOn("socialisation"))
    course += [Said("Ann", item, "relevance", draw(WORDS) + item) for item in ("t1", "t2")]
    course += [
        MovedOn("externalisation"),
        Proposed("Bo", draw(WORDS) + "!", (("t1", "relevance"),)),
    ]
    course += [Agreed(judge, 1, draw(st.booleans())) for judge in ("Ann", "Cy")]
    course += [MovedOn("combination"), RoundOpened(("t3",))]
    for _ in range(draw(st.integers(0, 12))):
        course.insert(draw(st.integers(0, len(course))), draw(ANY))
    return course


@settings(max_examples=60)
@given(walks())
def test_nothing_said_is_lost_and_every_refusal_leaves_all_as_it_was(course):
    cycle, taken = begun(), []
    for event in course:
        before = cycle.to_dicts()
        try:
            cycle = cycle.apply(event)
        except Refused:
            assert cycle.to_dicts() == before
        else:
            taken.append(event)
    assert cycle.events[1:] == tuple(taken)
    said = [each.text for each in taken if isinstance(each, Said)]
    assert [entry.text for each in cycle.rounds for entry in each.said] == said
    proposed = [each.text for each in taken if isinstance(each, Proposed)]
    assert [each.text for each in cycle.proposals] == proposed
    edited = [each.edition for each in taken if isinstance(each, Changed)]
    assert list(cycle.editions) == [FIRST, *edited]
    used = [item for each in cycle.rounds for item in each.items]
    assert len(used) == len(set(used))
    assert not set(used) & cycle.evaluation_items
    assert Cycle.of(cycle.to_dicts()) == cycle
