"""How far a study is."""

from tests.store.made_up import CLARITY, FLUENCY, answer


def test_nothing_is_counted_before_anything_was_answered(store):
    counts = store.answers.counts()
    assert (counts.judges, counts.items, counts.answers) == ({}, {}, 0)


def test_changes_are_counted_as_changes_and_repeats_not_as_another_answer(store):
    store.answers.save([answer(4, sequence=1), answer(2, sequence=3), answer(1, sequence=2)])
    store.answers.save([answer(50.5, criterion=CLARITY.key)])
    store.answers.save([answer(3, position=7, kind="repeat"), answer(3, judge=2)])
    counts = store.answers.counts()
    ann, bo = counts.judges[1, 1], counts.judges[2, 2]
    assert (ann.answered, ann.changed, bo.answered, counts.answers) == (3, 2, 1, 6)
    assert counts.items == {
        ("a2", FLUENCY.key): 1, ("a2", CLARITY.key): 1, ("a3", FLUENCY.key): 1
    }  # fmt: skip


def test_what_is_new_is_added_to_what_was_counted(store):
    for n in range(1, 6):
        store.answers.save([answer(3, position=n)])
        assert store.answers.counts().judges[1, 1].answered == n
    store.answers.save([answer(4, position=5, sequence=2)])
    assert store.answers.counts().judges[1, 1].answered == 5
    assert (
        store.answers.counts().judges[1, 1].last_at
        >= store.answers.current(1)[1, FLUENCY.key].answered_at
    )
