"""The pages of a round are shown to whoever takes part in it, and to the researcher."""

import pytest

from tests.web import in_training
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
