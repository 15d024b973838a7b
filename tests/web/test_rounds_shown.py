"""The pages of a round are shown to whoever takes part in it, and to the researcher."""

import pytest

from covary.study.manual import edition_of
from covary.training import Began
from tests.web import in_training
from tests.web.client import heading
from tests.web.in_training import Room

PAGES = ("", "/differences", "/mark/1/1", "/talk/1/1", "/proposals", "/manual", "/compare")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_of_the_discussion_is_shown_as_one_that_is_there(store, tmp_path, path):
    room = Room(store, in_training.study(tmp_path))
    room.discussed()
    pages = [room.judges["Ann"].get(f"/judge/round{path}"),
             room.researcher.get(f"/researcher/rounds{path}")]  # fmt: skip
    room.close()
    assert [page.status_code for page in pages] == [200, 200]


def test_before_the_first_round_judges_read_that_training_begins_soon(store, tmp_path):
    made = in_training.study(tmp_path)
    room = Room(store, made)
    room.apply(Began(edition_of(made), tuple(room.judges), ())).enter()
    page = room.judges["Ann"].page("/judge/round")
    room.close()
    assert page.status_code == 200
    assert heading(page) == "Training begins soon"
    assert "0 of" not in page.text
