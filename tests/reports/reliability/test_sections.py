"""What a report says and in which order."""

import json

import numpy as np
import pytest

from covary import Ratings, datasets, report
from covary.reports.blocks import Bullets, Code, Figure, Table

ORDER = [
    *("verdict", "look", "next", "agreement", "disagreement", "disputed", "judges", "pairs"),
    *("lines", "distributions", "groups", "subsets", "data", "further", "methods", "checklist"),
    "signatures",
]


def section(made, key):
    return next(section for section in made.contents.sections if section.key == key)


def blocks(made, kind):
    for each in made.contents.sections:
        for block in each.blocks:
            if isinstance(block, kind):
                yield block
            if isinstance(block, Figure) and kind is Table and block.table is not None:
                yield block.table


def tables(made, key):
    return [table for table in blocks(made, Table) if table.key.startswith(key)]


def column(table, title):
    place = [each.title for each in table.columns].index(title)
    return [row[place] for row in table.rows]


def test_a_full_study_has_every_section_in_order(continuous_report):
    assert [each.key for each in continuous_report.contents.sections] == ORDER


def test_the_verdict_comes_first_a_sentence_for_each_criterion(continuous_report):
    first, second, facts, picture = section(continuous_report, "verdict").blocks
    assert [line.text.split(" – ")[0] for line in (first, second)] == ["adequacy", "fluency"]
    assert {line.kind for line in (first, second)} == {"verdict"}
    assert [row[0] for row in facts.rows] == ["adequacy", "fluency"]
    assert picture.key == "agreement-picture"
    whole = section(continuous_report, "agreement").blocks[-1]
    assert any("ingle ratings" in line.text for line in whole.lines)
    assert any("of the disagreement is severity" in line.text for line in whole.lines)


def test_what_decides_is_not_folded_and_everything_else_is(continuous_report):
    folded = {each.key: bool(each.inside) for each in continuous_report.contents.sections}
    assert [key for key, inside in folded.items() if not inside] == ["verdict", "look", "next"]
    assert not any("report.inside" in each.inside for each in continuous_report.contents.sections)


def test_verdicts_that_say_the_same_stand_together():
    made = report(datasets.load("qgstec-reevaluated"), rng=1)
    verdicts = [b for b in section(made, "verdict").blocks if getattr(b, "kind", "") == "verdict"]
    heads = [verdict.head for verdict in verdicts]
    assert len(heads) < 5
    for name in ("ambiguity", "correctness", "question type", "relevance", "variety"):
        assert sum(name in head for head in heads) == 1


def test_the_first_screens_name_a_judge_who_stands_apart_and_the_disputed_items():
    made = report(datasets.load("qgstec-original"), rng=1)
    *_, judges, items = section(made, "look").blocks
    assert any(line.text.startswith("On variety, J4 correlates") for line in judges.lines)
    assert not any("question type" in line.text for line in judges.lines)
    assert len(items.rows) == 5


def test_every_row_has_a_cell_for_each_column(continuous_report, hostile_report):
    for made in (continuous_report, hostile_report):
        for table in blocks(made, Table):
            assert {len(row) for row in table.rows} <= {len(table.columns)}, table.key


def test_no_two_tables_figures_or_sections_share_a_key(hostile_report, continuous_report):
    for made in (hostile_report, continuous_report):
        keys = [each.key for each in made.contents.sections]
        keys += [each.key for each in blocks(made, Figure)]
        keys += [each.key for each in blocks(made, Table)]
        assert len(set(keys)) == len(keys)


def test_criteria_whose_names_have_no_letters_still_have_keys_of_their_own():
    rows = {"item": [], "judge": [], "rating": [], "criterion": []}
    for name in ("流畅", "准确"):
        for item, (a, b, c) in enumerate([(1, 2, 2), (3, 3, 2), (2, 2, 1), (1, 1, 1)]):
            for judge, rating in zip("abc", (a, b, c), strict=True):
                row = (item, judge, rating, name)
                for key, value in zip(rows, row, strict=True):
                    rows[key].append(value)
    made = report(Ratings(rows, scale="1-3"), intervals=False)
    keys = [each.key for each in (*blocks(made, Figure), *blocks(made, Table))]
    assert len(set(keys)) == len(keys)


def test_pairs_of_judges_without_a_correlation_are_said_wherever_the_mean_stands():
    """A judge who never varies is in 3 of the 6 pairs of 4 judges."""
    rows = [[1 + i % 5, 1 + (i + i // 20) % 5, 1 + (2 * i) % 5, 3] for i in range(40)]
    made = report(Ratings.from_wide(rows, scale="1-5"))
    said = "Correlation is undefined for 3 of 6 pairs of judges, which are left out of the mean."
    assert said in " ".join(made.short().split())
    (facts,) = tables(made, "facts")
    assert said in facts.note
    assert (
        made.markdown().count(said) == 3
    )  # there, below the table of coefficients, in the methods


def test_both_intervals_stand_in_the_main_table(continuous_report):
    (main,) = tables(continuous_report, "agreement")
    titles = [each.title for each in main.columns]
    assert titles.count("other judges") == 2
    overall = continuous_report.reliability.criteria[1].overall
    row = main.rows[1]
    low, high = overall.agreement.interval.low, overall.agreement.interval.high
    assert row[titles.index("agreement")].endswith(f"[{low:.2f}, {high:.2f}]".replace("0.", "."))
    other = overall.agreement_of_others
    assert not other.decisive  # four judges of very different severity
    assert row[titles.index("other judges")] == "too few"
    assert "Too few: these judges" in main.note
    picture = continuous_report.contents.figures["agreement-picture"]
    name = continuous_report.reliability.criteria[1].name
    drawn = [mark for mark in picture.spec["data"]["values"] if mark["name"] == name]
    assert ["wide_low" in mark for mark in drawn] == [False, True]  # agreement, correlation
    other, place = overall.correlation_of_others, titles.index("other judges") + 2
    assert row[place] == f"[{other.low:.2f}, {other.high:.2f}]".replace("0.", ".")


def test_two_judges_have_no_interval_for_others_and_the_note_says_why(severe_report):
    (main,) = tables(severe_report, "agreement")
    assert "other judges" not in [each.title for each in main.columns]
    assert "three judges" in main.note


def test_several_scales_name_each_coefficient_with_probabilities(continuous_report):
    (bands,) = tables(continuous_report, "bands")
    titles = " ".join(each.title for each in bands.columns)
    assert all(name in titles for name in ("Krippendorff", "Landis & Koch", "Rosenthal", "Cohen"))
    assert all("(" in cell for row in bands.rows for cell in row[1:])


def test_every_picture_of_numbers_has_them_in_a_table_and_every_picture_is_described(
    continuous_report,
):
    figures = list(blocks(continuous_report, Figure))
    assert len(figures) == 6  # one for each kind, with a panel for each criterion
    assert [len(figure.panels) for figure in figures] == [1, 1, 2, 2, 2, 2]
    for figure in figures:
        assert figure.title
        assert figure.description


def test_pictures_are_plain_values_that_json_takes(continuous_report, hostile_report):
    for made in (continuous_report, hostile_report):
        for figure in blocks(made, Figure):
            json.dumps(figure.spec, allow_nan=False)


def test_the_lines_of_judges_do_not_hide_each_other():
    alike = Ratings.from_wide([[1, 1, 1], [2, 2, 2], [3, 3, 3]], scale="1-3")
    made = report(alike, intervals=False)
    (figure,) = section(made, "lines").blocks[1:]
    heights = [point["height"] for point in figure.spec["data"]["values"] if point["place"] == 1]
    assert len(set(heights)) == 3
    assert max(heights) - min(heights) < 0.5
    assert heights == sorted(heights)


def test_judges_who_rated_none_of_the_items_drawn_have_no_line():
    rng, items = np.random.default_rng(1), 600
    judges = np.argsort(rng.random((items, 150)), axis=1)[:, :2]
    rows = {
        "item": np.repeat(np.arange(items), 2),
        "judge": [f"j{judge}" for judge in judges.ravel()],
        "rating": rng.integers(1, 6, 2 * items),
    }
    made = report(Ratings(rows, scale="1-5"), intervals=False)
    (figure,) = section(made, "lines").blocks[1:]
    points = [each for each in figure.spec["data"]["values"] if each["height"] is not None]
    drawn = {point["judge"] for point in points}
    assert 0 < len(drawn) < 7
    assert all(f">{judge}<" in figure.panels[0].shapes for judge in drawn)


def test_many_items_are_thinned_out_evenly_and_the_picture_says_so():
    rng = np.random.default_rng(1)
    truth = rng.integers(1, 6, 500)
    ratings = np.column_stack([np.clip(truth + rng.integers(-1, 2, 500), 1, 5) for _ in range(3)])
    made = report(Ratings.from_wide(ratings, scale="1-5"), intervals=False)
    (figure,) = section(made, "lines").blocks[1:]
    assert {point["place"] for point in figure.spec["data"]["values"]} == set(range(1, 61))
    assert "60 of them, evenly spaced" in figure.description
    means = np.zeros(60)
    for point in figure.spec["data"]["values"]:
        means[point["place"] - 1] += point["height"] / 3
    assert (np.diff(means) >= -1e-9).all()
    assert np.corrcoef(means, np.quantile(ratings.mean(axis=1), np.linspace(0, 1, 60)))[0, 1] > 0.99


def test_the_distribution_of_a_published_table_is_its_counts():
    made = report(datasets.load("flickr8k-experts"), intervals=False)
    (use,) = tables(made, "use")
    counts = [[cell.split(" ")[0] for cell in row[1:]] for row in use.rows]
    assert counts == [
        ["4,120", "1,109", "346", "247"],
        ["3,327", "1,666", "518", "311"],
        ["2,350", "2,222", "837", "413"],
    ]


def test_slots_have_no_sections_that_follow_a_judge():
    made = report(datasets.load("flickr8k-experts"), intervals=False)
    keys = [each.key for each in made.contents.sections]
    assert not {"pairs", "lines", "judges", "groups", "subsets"} & set(keys)


def test_judges_have_a_row_and_a_sentence_each(continuous_report):
    judged = section(continuous_report, "judges")
    (first, _) = tables(continuous_report, "judges")
    assert column(first, "judge") == ["Ann", "Bo", "Cy", "Dee"]
    assert {"severity", "consistency", "noise", "drift", "seconds"} <= {
        each.title for each in first.columns
    }
    sentences = next(block for block in judged.blocks if isinstance(block, Bullets)).items
    assert [sentence.split()[0] for sentence in sentences] == ["Ann", "Bo", "Cy", "Dee"]


def test_columns_that_nobody_has_are_left_out(severe_report):
    (shown,) = tables(severe_report, "judges")
    assert not {"drift", "seconds", "hasty"} & {each.title for each in shown.columns}


def test_groups_stand_beside_all_judges(continuous_report):
    first, _ = tables(continuous_report, "groups")
    assert column(first, "group") == ["all judges", "crowd", "expert"]


def test_an_undefined_coefficient_is_a_dash_with_its_reason_under_the_table():
    made = report(Ratings.from_wide([[1, 1], [1, 1], [1, 1]], scale="1-3"), intervals=False)
    (main,) = tables(made, "agreement")
    reason = made.reliability.criteria[0].overall.agreement.notes[-1]
    assert "agreement" not in [each.title for each in main.columns]  # nothing but dashes
    assert reason in main.note


def test_every_number_of_the_main_tables_has_its_signature(continuous_report):
    signed = "\n".join(block.text for block in blocks(continuous_report, Code))
    for each in continuous_report.reliability.criteria:
        for estimate in (each.overall.agreement, each.overall.correlation, *each.beside):
            assert f"{each.name}: {estimate.signature}" in signed


def test_a_serious_finding_is_announced_beside_the_verdict():
    rows = [[1, 2, 3], [1, 1, 2], [2, 3, 3], [1, 3, 4], [2, 2, 4]] * 8
    made = report(Ratings.from_wide(rows, scale="1-4"), intervals=False)
    first = section(made, "look").blocks[0]
    assert (first.kind, first.head.startswith("Serious: ")) == ("warning", True)
    assert first.advice
    assert section(made, "data").blocks[0].kind == "warning"


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_names_of_categories_are_reported_at_either_level(level):
    words = [["good", "bad"], ["good", "good"], ["bad", "bad"], ["fair", "good"], ["fair", "fair"]]
    made = report(Ratings.from_wide(words, level=level), intervals=False)
    assert ("lines" in [each.key for each in made.contents.sections]) == (level == "ordinal")
