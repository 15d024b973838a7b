"""The pictures of a report as objects and as files."""

import json
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
import vl_convert

from covary import InvalidArgument, Ratings, datasets, plan, report, systems
from covary.cli.entry import main
from covary.reports.drawings import intervals, judge_plane, stacked
from covary.reports.plots import cut_text

ROWS = [
    {
        "name": "<b>",
        "measure": "agreement",
        "value": 0.5,
        "low": 0.25,
        "high": 0.75,
        "text": "α .5",
    },
    {"name": "<b>", "measure": "correlation", "value": -0.1, "text": "γ −.1"},
]


@pytest.fixture(scope="module")
def made():
    return report(datasets.load("qgstec-reevaluated"), intervals=False)


def test_every_kind_of_picture_stands_once(made):
    assert (
        list(made.figures)
        == [
            *("agreement-picture", "disagreement-picture", "judges-picture", "pairs-picture"),
            *("lines-picture", "use-picture", "systems-picture"),
        ][: len(made.figures)]
    )
    assert len(made.figures["pairs-picture"].panels) == 5


@pytest.mark.parametrize(
    ("ending", "start"), [("svg", b"<svg"), ("pdf", b"%PDF-"), ("png", b"\x89PNG")]
)
def test_a_figure_is_saved_as_its_name_says(made, tmp_path, ending, start):
    figure = made.figures["agreement-picture"]
    path = figure.save(tmp_path / f"figure.{ending}")
    assert path.read_bytes().startswith(start)
    assert path.stat().st_size > 1000


def test_a_saved_picture_is_sound_and_needs_no_stylesheet(made):
    for figure in made.figures.values():
        drawn = figure.svg()
        ElementTree.fromstring(drawn)
        assert "var(--" not in drawn
        assert not re.search(r'="-?[\d.]+%"', drawn)
        assert figure.title in figure._repr_html_()
        assert figure._repr_svg_() == drawn


def test_results_show_their_pictures_in_a_notebook(made):
    outputs = [(d, s, j) for d in range(6) for s in range(3) for j in range(3)]
    columns = {
        "item": [f"{d}-{s}" for d, s, _ in outputs],
        "source": [str(d) for d, _, _ in outputs],
        "system": ["abc"[s] for _, s, _ in outputs],
        "judge": ["xyz"[j] for _, _, j in outputs],
        "rating": [1 + (d + 3 * s + j) % 5 for d, s, j in outputs],
    }
    ratings = Ratings(columns, scale="1-5")
    for result in (systems(ratings, resamples=100), plan(ratings), made.reliability):
        shown = result._repr_html_()
        assert shown.endswith("</table>")
        assert shown.count("<figure>") == 1
        ElementTree.fromstring(shown[: shown.rindex("<table>")])


def test_the_specification_is_vega_lite_that_can_be_drawn(made, tmp_path):
    path = made.figures["pairs-picture"].save(tmp_path / "pairs.json")
    spec = json.loads(path.read_text())
    assert "vega-lite" in spec["$schema"]
    assert vl_convert.vegalite_to_svg(spec).startswith("<svg")


def test_an_ending_that_no_figure_has_is_refused(made, tmp_path):
    with pytest.raises(InvalidArgument, match=r"'x.docx'.*\.pdf"):
        made.figures["agreement-picture"].save(tmp_path / "x.docx")


def test_values_stand_where_they_belong():
    """From −.25 to 1 between 1% and 98.5%: .5 is 60% of the way, .25 40%, .75 80%."""
    shapes = intervals(ROWS, ["<b>"], (0.667, 0.5)).shapes
    assert 'cx="59.50%"' in shapes
    assert re.search(r'x1="40.00%"[^>]* x2="79.00%"[^>]*stroke-width="4"', shapes)
    assert "&lt;b&gt;: α .5" in shapes
    assert "<b>" not in shapes


def test_parts_of_a_bar_add_up():
    bars = [
        {"name": "a", "part": p, "share": s, "text": "x"} for p, s in (("u", 0.25), ("v", 0.75))
    ]
    shapes = stacked(bars, ["a"], ["u", "v"]).shapes
    assert 'x="0.00%" y="44.0" width="25.00%"' in shapes
    assert 'x="25.00%" y="44.0" width="75.00%"' in shapes


def test_markdown_links_pictures_that_are_there_and_prints_no_captions_of_others(tmp_path):
    rows = [[1, 2, 2], [3, 3, 4], [2, 2, 1], [4, 5, 4], [5, 5, 5]]
    small = report(Ratings.from_wide(rows, scale="1-5"), tmp_path / "a report.md", intervals=False)
    text = (tmp_path / "a report.md").read_text(encoding="utf-8")
    links = re.findall(r"!\[.*\]\((.*)\)", text)
    assert len(links) == len(small.figures)
    for link in links:
        assert (tmp_path / link.replace("%20", " ")).is_file()
    assert not any(figure.title in small.markdown() for figure in small.figures.values())


def test_the_command_writes_every_picture(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    file.write_text(
        "item,judge,rating\n" + "".join(f"q{n},{j},{1 + (n + k) % 3}\n"
        for n in range(9) for k, j in enumerate("ABC"))
    )  # fmt: skip
    folder = tmp_path / "figures"
    asked = ["--no-intervals", "-o", str(folder), "--format", "svg", "--format", "json"]
    assert main(["figures", str(file), *asked]) == 0
    assert f"Written: {folder / 'agreement-picture.svg'}" in capsys.readouterr().out
    names = {path.stem for path in folder.iterdir()}
    assert names >= {"agreement-picture", "lines-picture", "use-picture"}
    assert {path.suffix for path in folder.iterdir()} == {".svg", ".json"}


def test_names_in_a_picture_of_judges_cover_each_other_nowhere():
    ends = {"x_low": -0.5, "x_high": 0.5, "y_low": 0.1, "y_high": 0.9}
    places = [(0.0, 0.5), (0.001, 0.5), (0.002, 0.501), (0.003, 0.499), (0.4, 0.2)]
    points = [
        {"judge": name, "label": name, "title": name, "x": x, "y": y} | ends
        for name, (x, y) in zip(("Ann", "Bo", "Cy", "Di", "Ed"), places, strict=True)
    ]
    shapes = judge_plane("", points, "severity").shapes
    shown = re.findall(r">(Ann|Bo|Cy|Di|Ed)</text>", shapes)
    # Four judges stand at one place: one name fits above it and one below.
    assert "Ed" in shown
    assert len(shown) <= 3
    assert all(f"<title>{name}</title>" in shapes for name in ("Ann", "Bo", "Cy", "Di", "Ed"))


def test_the_name_of_the_upright_axis_stands_above_its_numbers_and_inside_the_picture():
    point = {"judge": "Ann", "label": "Ann", "title": "Ann", "x": 0.0, "y": 0.97}
    ends = {"x_low": -1.0, "x_high": 1.0, "y_low": 0.9, "y_high": 0.99}
    shapes = judge_plane("", [point | ends], "severity").shapes
    heights = {
        words: float(y)
        for y, words in re.findall(r'<text x="[^"]*" y="([\d.]+)"[^>]*>([^<]*)</text>', shapes)
    }
    assert heights["consistency"] >= 10  # letters of 11 pixels stand above their line
    assert heights["1"] - heights["consistency"] >= 12
    assert heights["Ann"] >= 12


def test_the_numbers_of_the_upright_axis_are_equally_far_apart():
    point = {"judge": "Ann", "label": "Ann", "title": "Ann", "x": 0.0, "y": 0.3}
    for low, shown in (
        (0.1, ["0", ".5", "1"]),
        (-0.25, ["0", ".5", "1"]),
        (-0.6, ["−.5", "0", ".5", "1"]),
    ):
        ends = {"x_low": -1.0, "x_high": 1.0, "y_low": low, "y_high": 0.9}
        shapes = judge_plane("", [point | ends], "severity").shapes
        marks = re.findall(
            r'y="([\d.]+)" font-size="11"[^>]*text-anchor="end"[^>]*>([^<]*)<', shapes
        )
        assert [words for _, words in marks] == shown
        heights = [float(y) for y, _ in marks]
        steps = [first - then for first, then in pairwise(heights)]
        assert max(steps) - min(steps) < 0.2


def test_long_names_that_begin_alike_are_told_apart_in_a_picture():
    names = [f"transformer-with-retrieval-{number:02d}" for number in range(12)]
    assert len({cut_text(name, 12) for name in names}) == 12
    assert all(len(cut_text(name, most)) == most for name in names for most in (8, 9, 12, 18, 26))
