"""What was judged is kept: versions of items, changes that need a word, answers that point back."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from covary.errors import InvalidArgument
from covary.store.export import collect, ratings_of, write_everything
from covary.study.item_versions import version_of
from covary.study.model import Turn
from tests.store.made_up import FLUENCY, answer, item_at, study

FIRST = item_at(1, 1)
"""The item of Ann's first task; Bo meets it at another position."""


def rewritten(described, item=FIRST, **changes):
    items = tuple(
        replace(known, **changes) if known.id == item else known for known in described.items
    )
    return replace(described, items=items)


def on_version(described, rating, judge, **more):
    """Return an answer on an item as it stands in a study."""
    position = next(n for n in range(1, 7) if item_at(judge, n) == FIRST)
    version = version_of(described.item(FIRST), described.folder).version
    return answer(rating, judge=judge, position=position, item_version=version, **more)


@pytest.fixture
def judged(store):
    """Ann has judged an item, whose text was changed and accepted before Bo judged it."""
    store.items.take(study())
    store.answers.save([on_version(study(), 4, 1)])
    store.items.take(rewritten(study(), texts=("another text",)), accept=True)
    store.answers.save([on_version(rewritten(study(), texts=("another text",)), 2, 2)])
    return store


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("texts", ("other",)),
        ("systems", ("z",)),
        ("source", "s9"),
        ("input", "What?"),
        ("image_text", "A fire."),
        ("context", (Turn("Ann", "Hello."),)),
        ("speaker", "Ann"),
        ("cluster", "d1"),
    ],
)
def test_whatever_an_item_says_makes_its_version(field, value):
    before, after = study(), rewritten(study(), **{field: value})
    old, new = (version_of(one.item(FIRST), one.folder) for one in (before, after))
    assert old.version != new.version
    assert old.differences(new) == (field,)


@pytest.mark.parametrize("changes", [{"kind": "gold"}, {"expected": {FLUENCY.key: 3}}])
def test_what_an_item_is_for_makes_no_other_version(changes):
    before, after = study(), rewritten(study(), **changes)
    assert version_of(before.item(FIRST), before.folder) == version_of(
        after.item(FIRST), after.folder
    )


def test_another_picture_of_the_same_name_is_another_version(tmp_path):
    described = rewritten(study(tmp_path), image="fire.png")
    (tmp_path / "fire.png").write_bytes(b"one")
    first = version_of(described.item(FIRST), tmp_path).version
    (tmp_path / "fire.png").write_bytes(b"another")
    assert version_of(described.item(FIRST), tmp_path).version != first


def test_items_that_nobody_judged_change_without_a_word(store):
    store.items.take(study())
    assert store.items.take(rewritten(study(), texts=("other",))) == ()
    assert store.items.in_force()[FIRST].content["texts"] == ["other"]
    store.items.take(rewritten(study(), texts=("other",)))
    assert [kept.number for kept in store.items.all() if kept.content.item == FIRST] == [1, 2]


def test_a_judged_item_changes_only_where_that_is_accepted(store):
    store.items.take(study())
    store.answers.save([on_version(study(), 4, 1)])
    changed = rewritten(study(), texts=("other",), systems=("z",))
    with pytest.raises(InvalidArgument) as refused:
        store.items.take(changed)
    assert refused.value.code == "store.items-changed"
    assert f"{FIRST} (texts, systems)" in str(refused.value)
    assert "--accept-changes" in str(refused.value)
    assert store.items.in_force()[FIRST].content["texts"] == [f"text {FIRST}"]
    (change,) = store.items.take(changed, accept=True)
    assert (change.item, change.fields, change.answers) == (FIRST, ("texts", "systems"), 1)
    assert store.items.changes(changed) == ()


def test_an_item_that_is_put_back_is_its_first_version_again(judged):
    judged.items.take(study(), accept=True)
    kept = [version for version in judged.items.all() if version.content.item == FIRST]
    assert [version.name for version in kept] == [FIRST, f"{FIRST} @2"]
    assert judged.items.in_force()[FIRST] == kept[0].content


def test_each_version_is_an_item_of_its_own_in_the_ratings(judged):
    now = rewritten(study(), texts=("another text",))
    ratings = ratings_of(now, judged)
    assert sorted(ratings.values("item")) == [FIRST, f"{FIRST} @2"]
    assert any(note.code == "store.several-versions" for note in ratings.notes)


def test_no_rating_is_relabelled_by_a_change_in_the_folder(store):
    store.items.take(study())
    store.answers.save([on_version(study(), 4, 1)])
    relabelled = rewritten(study(), systems=("z",), source="s9")
    ratings = ratings_of(relabelled, store)
    system = study().item(FIRST).system
    assert ratings.values("system") == (system,)
    assert ratings.values("source") == (study().item(FIRST).source,)
    (note,) = [note for note in ratings.notes if note.code == "store.changed-since"]
    assert list(note.facts["items"]) == [FIRST]


def test_answers_that_are_older_than_the_versions_belong_to_the_first(store):
    store.answers.save([answer(4)])
    store.items.take(study())
    store.items.take(rewritten(study(), texts=("other",)), accept=True)
    collection = collect(rewritten(study(), texts=("other",)), store)
    assert collection.columns["item"] == [FIRST]


def test_a_store_that_was_never_served_since_still_gives_its_ratings(store):
    store.answers.save([answer(4)])
    assert collect(study(), store).columns["item"] == [FIRST]


def test_the_whole_export_has_every_version(judged, tmp_path):
    files = write_everything(study(), judged, tmp_path)
    written = next(file for file in files if file.name == "item-versions.csv").read_text()
    assert f"{FIRST} @2" in written
    assert "another text" in written
    answers = files[0].read_text().splitlines()
    assert answers[0].endswith(",item_version")
    assert answers[1].rpartition(",")[2] != answers[2].rpartition(",")[2]


def codes(store, described):
    return {problem.code: problem.serious for problem in store.check(described)}


def test_the_check_tells_versions_and_unaccepted_changes_apart(judged):
    now = rewritten(study(), texts=("another text",))
    assert codes(judged, now) == {"judged-in-versions": False}
    again = rewritten(study(), texts=("a third text",))
    assert codes(judged, again) == {"judged-in-versions": False, "item-changed": True}


def meddle(store, statement):
    table = "item_versions"
    with store.database.engine.begin() as connection:
        if store.database.kind == "sqlite":
            connection.execute(text(f"DROP TRIGGER {table}_no_update"))
        else:
            connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER {table}_append_only"))
        connection.execute(text(statement))


def test_a_version_that_was_rewritten_in_the_store_is_noticed(judged):
    meddle(judged, 'UPDATE item_versions SET content = \'{"texts": ["forged"]}\' WHERE id = 1')
    found = codes(judged, rewritten(study(), texts=("another text",)))
    assert found["version-rewritten"]
    assert found["unprotected"]


def test_answers_on_a_version_that_was_not_kept_are_noticed(store):
    store.items.take(study())
    store.answers.save([answer(4, item_version="0" * 12)])
    assert codes(store, study()) == {"version-lost": True}
    assert collect(study(), store).columns["item"] == [f"{FIRST} @{'0' * 12}"]
