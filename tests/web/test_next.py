"""Next saves what the page holds, each answer once."""

import pytest

from tests.web import studies
from tests.web.client import hidden


@pytest.fixture
def judge(enter, tmp_path):
    one = enter(studies.bare(tmp_path, studies.VERBAL, studies.VISUAL))
    one.enter()
    return one


def test_next_stores_nothing_again_that_the_page_has_saved(judge, store):
    fields = hidden(judge.page().text)
    judge.save("6", page=fields["page"], sequence=1)
    judge.save(20, criterion="Clarity", page=fields["page"], sequence=2)
    form = fields | {"rating-0": "6", "rating-1": "20", "touched-1": "1", "sequence": "3"}
    for _ in range(2):
        assert judge.post("/judge/next", data=form).status_code == 303
    assert [answer.rating for _, _, answer in store.answers.log()] == [6, 20]


def test_next_stores_what_the_page_has_changed_since(judge, store):
    fields = hidden(judge.page().text)
    judge.save("6", page=fields["page"], sequence=1)
    form = fields | {"rating-0": "5", "rating-1": "20", "touched-1": "1", "sequence": "2"}
    assert judge.post("/judge/next", data=form).status_code == 303
    assert [answer.rating for _, _, answer in store.answers.log()] == [6, 5, 20]
    assert store.answers.current(1)[1, "Fluency"].rating == 5


def test_next_stores_all_again_while_an_answer_of_the_page_may_be_on_its_way(judge, store):
    """6, then 2 (which is slow), then 6 again, then Next: the slow one must not count."""
    fields = hidden(judge.page().text)
    judge.save("6", page=fields["page"], sequence=1)
    form = fields | {"rating-0": "6", "rating-1": "20", "touched-1": "1", "sequence": "4"}
    assert judge.post("/judge/next", data=form).status_code == 303
    slow = {"position": 1, "criterion": "Fluency", "rating": "2", "page": fields["page"],
            "sequence": 2, "key": "slow"}  # fmt: skip
    answer = judge.post("/judge/answer", json=slow, headers={"X-Covary-Token": fields["token"]})
    assert answer.json() == {"saved": True, "late": True}
    assert store.answers.current(1)[1, "Fluency"].rating == 6


def test_next_stores_an_answer_of_an_earlier_visit_once_more(judge, store):
    """The same answer from another load of the page is another answer: it was looked at again."""
    judge.send("next", rating_0="3", rating_1="20", touched_1="1")
    page = judge.page("/judge/item/1").text
    form = hidden(page) | {"rating-0": "3", "rating-1": "20", "touched-1": "1"}
    assert judge.post("/judge/next", data=form).status_code == 303
    assert [answer.rating for _, _, answer in store.answers.log()] == [3, 20, 3, 20]


def test_a_script_is_told_where_to_go_on_and_that_something_is_missing(judge):
    script = {"Accept": "application/json"}
    fields = hidden(judge.page().text) | {"rating-0": "6"}
    assert judge.post("/judge/next", data=fields, headers=script).status_code == 422
    whole = fields | {"rating-1": "20", "touched-1": "1"}
    told = judge.post("/judge/next", data=whole, headers=script)
    assert (told.status_code, told.json()) == (200, {"next": "/judge"})


def test_who_mends_an_earlier_item_goes_on_to_the_one_after_it(judge):
    """After the third, the first is mended: the second comes, and not the fourth."""
    rated = {"rating_0": "3", "rating_1": "20", "touched_1": "1"}
    judge.send("next", **rated)
    judge.send("next", **rated)
    places = []
    for position in (1, 2):
        form = hidden(judge.page(f"/judge/item/{position}").text)
        form |= {name.replace("_", "-"): value for name, value in rated.items()}
        places.append(judge.post("/judge/next", data=form).headers["location"])
    assert places == ["/judge/item/2", "/judge"]
