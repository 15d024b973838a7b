"""The report on a crowd: what it says, its forms, and what it leaves out for good reasons."""

import csv
import io
import json
import math

import pytest

from covary import Ratings
from covary.analysis.crowd.result import VotesPerExpert
from covary.errors import InvalidArgument
from covary.reports.blocks import Bullets, Figure, Paragraph, Table
from covary.reports.crowd import crowd_report
from covary.reports.crowd.sections import money, rate_words, time_words
from covary.reports.formatting import DASH
from tests.analysis.crowd_studies import SCALE, WORDS, crowd_and_experts, drawn, two_experts
from tests.reports.conftest import HOSTILE
from tests.reports.test_latex import compiled, needs

KEYS = ["answer", "combined", "single-votes", "votes", "judges", "costs", "methods"]
QUICK = {"rng": 1, "arrangements": 300, "resamples": 60}


@pytest.mark.parametrize(
    ("votes", "low", "high", "words"),
    [
        (3.4, 2.1, math.inf, "3.4 [2.1, more than 5]"),
        (math.inf, 4.2, math.inf, "more than 5 [4.2, more than 5]"),
        (math.inf, math.inf, math.inf, "more than 5"),
        (math.nan, math.nan, math.nan, DASH),
    ],
)
def test_votes_beyond_those_there_are_need_no_interval(votes, low, high, words):
    known = {"most": 5, "reached": 0.5, "experts": 0.6, "cost_per_item": 0.2}
    rate = VotesPerExpert(
        coefficient="kappa", method="majority", votes=votes, low=low, high=high, **known
    )
    assert rate_words(rate) == words


def slots(codes):
    return Ratings.from_wide(
        [[WORDS[c] for c in row] for row in codes], scale=SCALE, judges="slots"
    )


@pytest.fixture(scope="module")
def made():
    crowd, experts = crowd_and_experts()
    return crowd_report(
        crowd,
        experts,
        pay=0.05,
        fee=0.01,
        wage=7.25,
        methods=("banchs-a", "banchs-b", "majority"),
        **QUICK,
    )


@pytest.fixture(scope="module")
def printed():
    """The experts of Banchs (2016) beside votes that were drawn."""
    return crowd_report(slots(drawn(1)[0]), two_experts(), **QUICK)


@pytest.fixture(scope="module")
def hostile():
    votes, experts, _ = drawn(2, items=40)
    names = [f"{HOSTILE} 1", f"{HOSTILE} 2"]
    judges = Ratings.from_wide(
        [[WORDS[c] for c in row] for row in experts], scale=SCALE, judges=names
    )
    return crowd_report(slots(votes), judges, title=HOSTILE, **QUICK)


def section(made, key):
    return next(each for each in made.contents.sections if each.key == key)


def tables(made, key):
    found = []
    for block in section(made, key).blocks:
        if isinstance(block, Table):
            found.append(block)
        if isinstance(block, Figure) and block.table:
            found.append(block.table)
    return {each.key: each for each in found}


def test_the_sections_stand_in_order(made):
    assert [each.key for each in made.contents.sections] == KEYS


def test_the_printed_agreement_between_experts_stands_in_the_table(printed):
    rows = tables(printed, "combined")["agreement"].rows
    values = {row[0]: row[3] for row in rows if row[1] == "expert 1"}
    assert values["Cohen's kappa"].startswith(".37 [")
    assert values["Fisher's ICC"].startswith(".55 [")


def test_cost_people_and_wage_are_said(made):
    cells = {row[0]: row[1] for row in tables(made, "judges")["people"].rows}
    assert cells["people"] == "33"
    assert cells["votes per person, mean"] == "36.82"  # Banchs (2016): 1215 / 33
    assert tables(made, "costs")["cost-and-work"].rows[1][:2] == ("cost", "72.90")
    (warning,) = [
        b.text
        for b in section(made, "answer").blocks
        if isinstance(b, Paragraph) and b.kind == "warning"
    ]
    assert "less than the minimum wage of 7.25" in warning


def test_the_spread_is_said_not_to_be_a_standard_error(made):
    (notes,) = [b for b in section(made, "answer").blocks if isinstance(b, Bullets)]
    assert "not a standard error" in notes.items[0]
    assert "not a standard error" in made.short()
    assert "no agreement between them" in made.markdown()


def test_pictures_hold_the_densities_and_the_lines(made):
    figures = [b for b in section(made, "single-votes").blocks if isinstance(b, Figure)]
    assert len(figures) == 2
    rows = figures[0].spec["data"]["values"]
    study = made.crowd
    for expert in study.experts:
        own = [row for row in rows if row["expert"] == expert]
        assert sum(row["share"] for row in own if "share" in row) == pytest.approx(1)
        lines = {row["line"]: row["at"] for row in own if "line" in row}
        assert set(lines) == {"the other expert", "method A", "method B", "majority"}
        (between,) = study.between_experts("cohen_kappa")
        assert lines["the other expert"] == between.value


def test_the_curve_has_a_cost_axis_where_prices_are_known(made, printed):
    def first(report):
        return next(b for b in section(report, "votes").blocks if isinstance(b, Figure))

    assert "['24.30', '48.60', '72.90']" in json.dumps(first(made).spec)
    assert "labelExpr" not in json.dumps(first(printed).spec)
    heads = [column.title for column in first(printed).table.columns]
    assert "cost" not in heads


def test_every_form_is_written(made, tmp_path):
    for ending in ("html", "md", "tex", "json", "csv"):
        path = made.write(tmp_path / f"report.{ending}")
        assert path.stat().st_size > 1000
    rows = list(csv.DictReader(io.StringIO(made.csv())))
    assert {row["kind"] for row in rows} == {
        "arrangements",
        "experts",
        "crowd",
        "difference",
        "curve",
        "votes per expert",
    }
    (kappa,) = [r for r in rows if (r["kind"], r["coefficient"]) == ("experts", "cohen_kappa")]
    assert float(kappa["value"]) == made.crowd.between_experts("cohen_kappa")[0].value
    found = json.loads(made.json())["crowd"]
    assert found["costs"]["crowd_cost"] == pytest.approx(72.9)


def test_the_short_form_fits_a_terminal(made):
    text = made.short()
    assert max(map(len, text.splitlines())) <= 100
    assert "33 people gave 1,215 votes" in text
    assert "The crowd cost 72.90: 1,215 votes at 0.06." in text
    assert str(made) == text


def test_names_cannot_break_out_of_a_page(hostile):
    page = hostile.html()
    assert "<script>alert" not in page
    assert HOSTILE not in page


@needs("pdflatex")
def test_the_paper_form_compiles(hostile, tmp_path):
    compiled(hostile.latex(), tmp_path)


def test_one_expert_and_one_rating_only_make_a_report_too():
    votes = slots([[0, 0, 0]] * 6)
    one = Ratings.from_wide([[WORDS[0]]] * 6, scale=SCALE, judges=["Ann"])
    made = crowd_report(votes, one, **QUICK)
    assert "undefined" in made.html()
    assert "nothing says how well experts agree" in made.short()
    assert math.isnan(made.crowd.arrangements[0].mean)


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_computed():
    crowd, experts = crowd_and_experts(items=20)
    with pytest.raises(InvalidArgument, match="a report cannot be written as"):
        crowd_report(crowd, experts, "report.pdf")


def test_amounts_and_times_read_well():
    assert (money(1234.5), money(math.nan)) == ("1,234.50", DASH)
    assert [time_words(s) for s in (27.6, 246, 36_360, math.nan)] == [
        "28 s",
        "4.1 min",
        "10.1 h",
        DASH,
    ]
