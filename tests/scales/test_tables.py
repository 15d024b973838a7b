"""Scales: what their tables say is what they are, written and read again."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.formats.toml_tables import Faults, TomlTable, find_key_lines
from covary.scales import GraphicScale, Level, Preference, VerbalScale, VisualScale, YesNo
from covary.study.read import read_scale
from tests.study.toml import written

WORDS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1
).filter(str.strip)
ENDS = st.sampled_from(["high", "low"])
LINES = st.tuples(st.integers(-100, 0), st.integers(1, 1000))


def lists_of(words, least=2, most=11):
    return st.lists(words, min_size=least, max_size=most, unique=True)


@st.composite
def verbal(draw):
    categories = draw(lists_of(WORDS) | lists_of(st.integers(-20, 20)))
    count = len(categories)
    labels = draw(st.just([]) | lists_of(WORDS, count, count))
    level = draw(st.sampled_from(["nominal", "ordinal", "interval"]))
    polarity = draw(st.sampled_from(["unipolar", "bipolar"]))
    return VerbalScale(categories, labels=labels, best=draw(ENDS), level=level, polarity=polarity)


@st.composite
def visual(draw):
    low, high = draw(LINES)
    labels = tuple(draw(st.just(["", ""]) | lists_of(WORDS, 2, 2)))
    return VisualScale(low, high, labels=labels, best=draw(ENDS))


@st.composite
def graphic(draw):
    low, high = draw(LINES)
    places = draw(lists_of(st.floats(low, high), 2, 6))
    return GraphicScale({each: draw(WORDS) for each in places}, low=low, high=high, best=draw(ENDS))


YES_NO = st.builds(lambda words, best: YesNo(*words, best=best), lists_of(WORDS, 2, 2), ENDS)
TIES = WORDS.filter(lambda word: word not in ("A", "B")) | st.none()
SCALES = st.one_of(
    verbal(),
    visual(),
    graphic(),
    YES_NO,
    st.just(YesNo()),
    st.builds(lambda tie: Preference(tie=tie), TIES),
)


def read_again(toml):
    """Read a criterion's scale from TOML; the second are the faults."""
    faults = Faults("a test")
    table = TomlTable(tomllib.loads(toml), "study.toml", faults, find_key_lines(toml))
    return read_scale(table), faults.found


@given(SCALES)
def test_a_scale_that_is_written_is_read_again(scale):
    found, faults = read_again(written({"scale": scale.to_table()}))
    assert (found, faults) == (scale, [])


@given(SCALES, st.data())
def test_a_rating_that_a_spreadsheet_holds_as_text_is_read_again(scale, data):
    if scale.categories is None:
        rating = data.draw(st.floats(scale.low, scale.high))
    else:
        rating = data.draw(st.sampled_from(scale.categories))
    found = scale.read(str(rating))
    assert str(found).strip() == str(rating).strip()
    assert scale.accepts(found)


@given(SCALES, st.text() | st.integers() | st.floats() | st.booleans() | st.none())
def test_what_is_read_as_a_rating_is_on_the_scale(scale, value):
    found = scale.read(value)
    assert found is None or scale.accepts(found)


@pytest.mark.parametrize(
    ("toml", "scale"),
    [
        ('"1-7"', VerbalScale(range(1, 8))),
        ('"good,fair,bad"', VerbalScale(["good", "fair", "bad"])),
        (
            '{ kind = "verbal", labels = ["bad", "good"] }',
            VerbalScale([1, 2], labels=["bad", "good"]),
        ),
        (
            '{ kind = "verbal", categories = ["x", "y"], level = "nominal" }',
            VerbalScale(["x", "y"], level=Level.NOMINAL),
        ),
        ('{ kind = "visual" }', VisualScale()),
        ('{ kind = "visual", low = -1.5, high = 1.5 }', VisualScale(-1.5, 1.5)),
        (
            '{ kind = "graphic", descriptors = { 0 = "poor", "50" = "fair", 100 = "good" } }',
            GraphicScale({0: "poor", 50: "fair", 100: "good"}),
        ),
        ('{ kind = "yes-no" }', YesNo()),
        (
            '{ kind = "yes-no", labels = ["nein", "ja"], best = "low" }',
            YesNo("nein", "ja", best="low"),
        ),
        ('{ kind = "preference", tie = false }', Preference(tie=None)),
        ('{ kind = "preference", tie = true }', Preference()),
        ('{ kind = "preference", tie = "gleich" }', Preference(tie="gleich")),
    ],
)  # fmt: skip
def test_each_way_to_say_a_scale(toml, scale):
    assert read_again(f"scale = {toml}") == (scale, [])


def test_eleven_categories_are_allowed_and_more_only_without_order():
    assert read_again('scale = { kind = "verbal", categories = "0-10" }')[1] == []
    names = ", ".join(f'"{each}"' for each in range(20))
    nominal = f'scale = {{ kind = "verbal", categories = [{names}], level = "nominal" }}'
    assert read_again(nominal)[1] == []
    assert len(read_again(nominal.replace("nominal", "ordinal"))[1]) == 1
