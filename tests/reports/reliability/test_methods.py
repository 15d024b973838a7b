"""The methods paragraph says exactly what was computed, in English."""

import pytest

import covary
from covary.analysis.forensics import Finding, Findings
from covary.reports.blocks import Bullets, Paragraph
from covary.reports.references import COEFFICIENTS, COMPARISONS, INTERVALS, PAPERS
from covary.reports.reliability.methods import full_methods
from tests.reports import studies


def texts(ratings, findings=None, **keywords):
    """The paragraphs and the references of a study."""
    *paragraphs, last = full_methods(studies.measured(ratings, **keywords), ratings, findings)
    assert all(isinstance(block, Paragraph) for block in paragraphs)
    assert isinstance(last, Bullets)
    return [block.text for block in paragraphs], last.items


def test_the_first_paragraph_of_the_severity_example_reads_as_in_a_paper():
    (first, *_), _ = texts(studies.severity())
    assert first == (
        "The data are 20 ratings of 10 items by 2 judges. "
        "Ratings were given on an ordinal scale with the categories 1, 2 and 3. "
        "Agreement was measured with Krippendorff's alpha with the ordinal distance (Krippendorff "
        "2004; Krippendorff 2011); every two ratings of an item are compared, so a missing rating "
        "costs only its own pairs. "
        "Its 95% confidence interval is a score interval over tilted weights of items (Wilson "
        "1927; Gart & Nam 1988; Efron 1981) and holds for these judges and other items. "
        "Agreement is read on the scales of Krippendorff (1980) and Landis & Koch (1977), which "
        "are conventions, and called high where its whole interval lies at 0.667 or above "
        "(Krippendorff 2004). "
        f"All values were computed with covary {covary.__version__} (seed 7)."
    )


def test_the_second_paragraph_is_about_correlation():
    (_, second, *_), _ = texts(studies.severity())
    assert second == (
        "Correlation is reported beside agreement, because judges who differ in severity disagree "
        "and still covary (Amidei et al. 2019). "
        "It was measured with Goodman & Kruskal's gamma (Goodman & Kruskal 1954); two judges are "
        "compared on the items that both rated. "
        "Its 95% confidence interval is a score interval over tilted weights of items (Wilson "
        "1927; Gart & Nam 1988; Efron 1981) and holds for these judges and other items. "
        "Correlation is read on the scales of Rosenthal (1996) and Cohen (1988), which are "
        "conventions, and called high where its whole interval lies at 0.5 or above (Cohen 1988). "
        "Severity is the judges' share of the disagreement in the model rating = item + judge + "
        "rest, on mid-ranks, from mean squares; it counts as a cause where its whole interval lies "
        "at 0.25 or above. Use of the scale and noise follow from the pairs of judges (Lin 1989). "
        "Means are called reliable from 0.8 up (Spearman and Brown's formula for the ratings that "
        "an item has); where one category takes 90% of the ratings and agreement is not shown, "
        "nothing is concluded."
    )


def test_further_coefficients_are_named_with_their_variants():
    (_, _, third), _ = texts(studies.severity())
    assert third.startswith("Further coefficients are percent agreement (Artstein & Poesio 2008), ")
    assert "percent agreement within 1 rank" in third
    assert "Cohen's kappa with quadratic weights (Cohen 1968)" in third


def test_one_criterion_with_a_name_is_named():
    part = studies.two_criteria().select(criterion="fluency")
    (first, *_), _ = texts(part)
    assert first.startswith("The data are 16 ratings of 8 items by 2 judges on fluency. ")


def test_criteria_that_differ_are_told_apart():
    (first, second, *_), _ = texts(studies.two_criteria())
    assert first.startswith(
        "The data are 27 ratings on 2 criteria: 16 ratings of 8 items by 2 judges on fluency and "
        "11 ratings of 6 items by 2 judges on topic. "
        "On fluency, ratings were given on an ordinal scale with the categories 1, 2 and 3. "
        "On topic, ratings were given on an ordinal scale with the categories 1 and 2. "
    )
    assert "Left out for too few ratings: 1 item on topic." in first
    assert "Left out for too few ratings: 1 item on topic." in second


def test_what_criteria_share_is_said_once():
    (first, *_), _ = texts(studies.shipped("qgstec-reevaluated"))
    assert first.startswith(
        "The data are 13,440 ratings on 5 criteria (ambiguity, correctness, question type, "
        "relevance and variety); each criterion has 2,688 ratings of 896 items by 3 judges. "
    )
    assert first.count("Agreement was measured with") == 1


def test_three_judges_get_the_interval_for_other_judges_too():
    (first, second, *_), references = texts(studies.shipped("qgstec-reevaluated"))
    other = (
        "A second interval, for other judges and other items, is that of these judges, "
        "widened by leaving out each judge in turn (Efron & Tibshirani 1993)."
    )
    assert other in first
    assert other in second
    assert "Goodman & Kruskal's gamma as the mean over pairs of judges" in second
    assert any(line.startswith("Efron, B. & Tibshirani") for line in references)


def test_dropped_items_are_counted_on_each_criterion():
    (first, *_), _ = texts(studies.shipped("qgstec-original"))
    assert "Left out for too few ratings: 1 item on each criterion." in first


def test_slots_are_not_called_judges():
    (first, second, *_), references = texts(studies.shipped("flickr8k-experts"))
    assert first.startswith(
        "The data are 17,466 ratings of 5,822 items, up to 3 for each item. It is not known who "
        "gave which rating, so the ratings of an item are treated as exchangeable. "
    )
    assert "Goodman & Kruskal's gamma of exchangeable ratings (Goodman & Kruskal 1954; " in second
    assert any(line.startswith("Banchs, R. E. (2016)") for line in references)


def test_names_have_no_correlation_and_the_paper_for_it_is_not_cited():
    (first, second, *_), references = texts(studies.names())
    assert "on a nominal scale whose range was not declared (ratings seen: a, b and c)." in first
    assert second.startswith("No correlation is reported, because the categories have no order.")
    assert not any(line.startswith(("Amidei", "Goodman")) for line in references)


def test_an_undefined_coefficient_is_said_with_its_reason():
    (first, *_), _ = texts(studies.constant())
    assert "Here it has no value: " in first
    assert "confidence interval" not in first


def test_without_intervals_none_is_claimed():
    (first, *_), references = texts(studies.severity(), intervals=False)
    assert "No interval was computed." in first
    assert "called high where the value lies at 0.667 or above" in first
    assert not any(line.startswith("Hughes") for line in references)


def test_the_confidence_is_written_without_rounding_it_away():
    (first, *_), _ = texts(studies.severity(), confidence=0.999)
    assert "Its 99.9% confidence interval" in first


def test_ratings_that_were_set_aside_are_counted():
    table = {"item": [1, 1, 2, 2, 3, 3], "judge": ["A", "B"] * 3, "rating": [1, 2, 3, 3, 9, 2]}
    ratings = covary.Ratings(table, scale="1-3", faulty="set-aside")
    (first, *_), _ = texts(ratings)
    assert "Before the analysis 1 rating off the scale was set aside." in first


def test_serious_findings_are_in_the_text():
    found = Findings((Finding("negative-times", "serious"),))
    paragraphs, _ = texts(studies.severity(), found)
    assert paragraphs[-1] == (
        "A check of the data found 1 serious defect: some response times are negative."
    )


def test_the_references_are_those_of_the_severity_example():
    _, references = texts(studies.severity())
    years = [line.split(")")[0].split("(")[1] for line in references]
    names = [line.split(",")[0] for line in references]
    assert list(zip(names, years, strict=True))[:3] == [
        ("Amidei", "2019"),
        ("Artstein", "2008"),
        ("Cohen", "1968"),
    ]
    assert ("Landis", "1977") in set(zip(names, years, strict=True))
    assert references == tuple(sorted(set(references)))


@pytest.mark.parametrize("study", ["severity", "two_criteria", "names"])
def test_every_paper_in_the_text_is_in_the_list(study):
    paragraphs, references = texts(getattr(studies, study)())
    listed = " ".join(references)
    cited = [paper for paper in PAPERS.values() if paper.short in " ".join(paragraphs)]
    assert cited
    assert all(paper.full in listed for paper in cited)


def test_every_coefficient_of_covary_has_its_papers():
    public = [name for name in covary.__all__ if name.endswith(("kappa", "alpha", "icc", "_w"))]
    public += ["gwet_ac1", "gwet_ac2", "goodman_kruskal_gamma", "kendall_tau_b", "spearman"]
    public += ["pearson", "scott_pi", "brennan_prediger", "percent_agreement"]
    assert set(public) <= set(COEFFICIENTS)


def test_the_tables_cite_papers_that_exist():
    tables = (COEFFICIENTS, COMPARISONS, INTERVALS)
    keys = {key for table in tables for keys in table.values() for key in keys}
    assert keys <= set(PAPERS)
    assert set(PAPERS) - keys == {"amidei", "belz-qra", "belz-qra-plus", "kottner", "lin"}
