"""Each thing that can be wrong with a store is found, and says what to do."""

import pytest
from sqlalchemy import text

from covary.scales import CannotJudge, VerbalScale
from covary.store import Store
from covary.study.model import Criterion, Manual
from tests.store.made_up import CLARITY, FLUENCY, answer, sheets, study


def codes(store, described=None):
    return [problem.code for problem in store.check(described)]


WITHOUT_KEYS = {
    "sqlite": "PRAGMA foreign_keys = OFF",
    "postgresql": "SET session_replication_role = replica",
}


@pytest.fixture
def loose(store):
    """The store without its guards, as after somebody meddled with it."""
    store.answers.save([answer(4), answer(50.5, criterion=CLARITY.key)])

    def meddle(*statements):
        with store.database.engine.connect() as connection:
            raw = connection.connection.driver_connection
            raw.execute(WITHOUT_KEYS[store.database.kind])
            for statement in statements:
                raw.execute(statement)
            if store.database.kind == "postgresql":
                raw.commit()
            connection.invalidate()

    return meddle


def test_a_sound_store_has_no_problem(store):
    store.answers.save([answer(4), answer(50.5, criterion=CLARITY.key, position=2)])
    store.sheets.reclaim(1)
    assert codes(store) == []
    assert codes(store, study()) == []


COPY = (
    "INSERT INTO answers (judge, sheet, position, criterion, item, kind, occasion, rating, "
    "touched, late, changed, manual, page, sequence, answer_key, shown_order, answered_at) "
    "SELECT {judge}, {sheet}, {position}, criterion, item, kind, occasion, {rating}, touched, "
    "late, changed, manual, page, sequence, {key}, shown_order, answered_at FROM answers "
    "WHERE id = 1"
)
SAME = {"judge": "judge", "sheet": "sheet", "position": "position", "rating": "rating",
        "key": "'new'"}  # fmt: skip

FAULTS = {
    "no-judge": ([COPY.format(**SAME | {"judge": "99"})], ["orphans", "not-issued"]),
    "no-sheet": (
        [COPY.format(**SAME | {"sheet": "99"})],
        ["orphans", "not-issued", "off-the-sheet"],
    ),
    "others-sheet": (
        [COPY.format(**SAME | {"sheet": "2"})],
        ["not-issued", "off-the-sheet"],
    ),
    "other-place": ([COPY.format(**SAME | {"position": "2"})], ["off-the-sheet"]),
    "twice": (
        ["DROP INDEX answers_once", COPY.format(**SAME | {"key": "answer_key"})],
        ["saved-twice"],
    ),
    "not-json": ([COPY.format(**SAME | {"rating": "'{'"})], ["unreadable"]),
    "issued-twice": (
        ["INSERT INTO issues (sheet, judge, issued_at) VALUES (1, 2, 0)"],
        ["issued-twice", "issue-log"],
    ),
    "never-issued": (["UPDATE sheets SET judge = NULL WHERE number = 1"], ["issue-log"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_is_found(store, loose, fault):
    statements, found = FAULTS[fault]
    loose(*statements)
    problems = store.check()
    seals = {"rows-changed", "rows-gone", "rows-unsealed"}
    assert [each.code for each in problems if each.code not in seals] == found
    assert all(each.advice and each.count and each.serious for each in problems)


def test_rows_of_nobody_are_named_by_the_judge_who_is_not_there(loose, store):
    loose(*(COPY.format(**SAME | {"judge": "99", "key": f"'{key}'"}) for key in "ab"))
    orphans, not_issued = (each for each in store.check() if each.code in ("orphans", "not-issued"))
    assert (orphans.count, orphans.data["places"]) == (2, [99])
    assert (orphans.data["table"], orphans.data["column"]) == ("answers", "judge")
    assert (not_issued.count, not_issued.data["places"]) == (2, [(99, 1)])


def test_guards_that_were_removed_are_missed(store, loose):
    if store.database.kind == "sqlite":
        loose("DROP TRIGGER answers_no_update")
    else:
        loose("ALTER TABLE answers DISABLE TRIGGER answers_append_only")
    assert codes(store) == ["unprotected"]


def test_a_damaged_file_is_found(tmp_path):
    file = tmp_path / "study.db"
    with Store.open(file) as store:
        store.sheets.put(sheets(3))
        store.judges.add("Ann")
        store.sheets.issue(1)
        store.answers.save([answer(4, position=n) for n in range(1, 101)])
    content = bytearray(file.read_bytes())
    with Store.open(file) as store, store.database.reading() as connection:
        root = connection.execute(
            text("SELECT rootpage FROM sqlite_master WHERE name = 'answers_of_a_task'")
        ).scalar()
    content[(root - 1) * 4096 + 8 : (root - 1) * 4096 + 2000] = b"\xff" * 1992
    file.write_bytes(content)
    with Store.open(file) as store:
        (problem,) = store.check()
    assert problem.code == "damaged"
    assert "backup" in problem.advice


def test_what_does_not_fit_the_study_is_found(store):
    store.answers.save([answer(4), answer(9, position=2), answer("x", position=3)])
    store.answers.save(
        [answer(101, criterion=CLARITY.key), answer(4, criterion="gone", position=4)]
    )
    problems = {each.code: each for each in store.check(study())}
    assert set(problems) == {"unknown-criterion", "off-scale"}
    assert [p.count for p in store.check(study()) if p.code == "off-scale"] == [2, 1]
    assert "'gone'" in problems["unknown-criterion"].message
    smaller = study(criteria=(Criterion("gone", "?", VerbalScale([1, 2])),))
    assert "unknown-criterion" in codes(store, smaller)


def test_items_that_left_the_study_are_missed(store):
    store.answers.save([answer(4)])
    whole = study()
    smaller = type(whole)(**vars(whole) | {"items": whole.items[:1]})
    assert codes(store, smaller) == ["unknown-item", "sheet-without-item"]


def test_another_version_of_the_manual_is_said_but_not_serious(store):
    store.answers.save([answer(4)])
    whole = study()
    (problem,) = store.check(type(whole)(**vars(whole) | {"manual": Manual("New.", "m2")}))
    assert (problem.code, problem.serious, problem.count) == ("other-manual", False, 1)
    assert "'m1'" in problem.message


def test_who_could_not_judge_is_off_no_scale(store):
    store.answers.save([answer(CannotJudge("blank")), answer(None, position=2)])
    assert codes(store, study()) == []


def test_what_cannot_be_read_is_unreadable_and_not_off_its_scale_too(store, loose):
    loose(COPY.format(**SAME | {"rating": "'{'"}))
    found = codes(store, study())
    assert "unreadable" in found
    assert "off-scale" not in found


def test_where_something_is_wrong_is_said(store, loose):
    loose(
        "INSERT INTO issues (sheet, judge, issued_at) VALUES (1, 2, 0)",
        COPY.format(**SAME | {"position": "2"}),
    )
    places = {each.code: each.data["places"] for each in store.check()}
    assert places["issued-twice"] == [1]
    assert places["issue-log"] == [(1, 2)]
    assert places["off-the-sheet"] == [(1, 2, answer().item)]


def test_what_touches_ratings_stands_first(store):
    store.answers.save([answer(4, manual="m0"), answer(9, position=2)])
    problems = store.check(study())
    assert [(each.code, each.serious) for each in problems] == [
        ("off-scale", True),
        ("other-manual", False),
    ]
    assert problems[0].data["ratings"] == "9"


def test_a_rating_is_on_the_scale_of_its_own_criterion(store):
    """50 is on the line from 0 to 100, and not among 1 to 5."""
    store.answers.save([answer(50, criterion=CLARITY.key), answer(50, position=2)])
    (problem,) = store.check(study())
    assert (problem.code, problem.count) == ("off-scale", 1)
    assert problem.data["criterion"] == FLUENCY.key
