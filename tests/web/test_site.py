"""What a site knows of its study: the versions of items, its cookies, and when ratings differ."""

from dataclasses import replace

import pytest

from covary.scales import VerbalScale, VisualScale, YesNo
from covary.study.model import Criterion, Item, TrainingSettings
from covary.web.discussion.researcher_pages import thresholds_of
from covary.web.site import Site
from tests.web import studies


@pytest.fixture
def site(tmp_path, store):
    return Site(studies.bare(tmp_path), store)


def test_an_item_that_was_rewritten_has_another_version(site):
    item = site.given.items[0]
    first = site.version_of(item)
    rewritten = replace(item, texts=("Another text.",))
    assert site.version_of(rewritten) != first
    assert site.version_of(item) == first


def test_a_picture_that_was_drawn_anew_is_another_version_of_its_item(site, tmp_path):
    (tmp_path / "chart.png").write_bytes(b"one")
    item = Item("a", ("A text.",), image="chart.png")
    first = site.version_of(item)
    (tmp_path / "chart.png").write_bytes(b"another")
    assert site.version_of(item) != first


@pytest.mark.parametrize(
    ("scale", "said", "words"),
    [
        (VerbalScale([1, 2, 3, 4]), None, "more than 1 rank apart"),
        (VerbalScale([1, 2, 3, 4]), 2, "more than 2 ranks apart"),
        (VerbalScale([1, 2, 3, 4]), 0, "at all different"),
        (VisualScale(), None, "more than 20 points apart"),
        (VisualScale(), 2.5, "more than 2.5 points apart"),
        (YesNo(), None, "at all different"),
    ],
)
def test_researchers_read_from_when_on_ratings_differ(tmp_path, scale, said, words):
    criterion = Criterion("Relevance", "How relevant?", scale)
    limits = {} if said is None else {criterion.key: said}
    training = TrainingSettings(thresholds=limits)
    study = studies.bare(tmp_path, criterion, training=training)
    assert thresholds_of(study) == [(criterion.key, words)]
