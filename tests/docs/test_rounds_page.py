"""The page about guidelines: its Python runs from top to bottom and prints what it shows."""

import doctest
import re
from pathlib import Path

from covary.analysis.rounds import rounds
from covary.training import KINDS_OF_CHANGE, PHASES
from tests.analysis.test_rounds import QUALITY, group

PAGE = (Path(__file__).parents[2] / "docs" / "rounds.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_runs_from_top_to_bottom():
    told, names = [], {}
    for block in blocks("pycon"):
        found = doctest.DocTestParser().get_doctest(block, names, "rounds.md", "docs/rounds.md", 0)
        assert found.examples
        doctest.DocTestRunner().run(found, out=told.append, clear_globs=False)
        names.update(found.globs)
    assert not told, "".join(told)


def test_the_comparison_with_a_new_group_runs(capsys):
    (code,) = blocks("python")
    judges = [0, 0, 0]
    exec(
        code,
        {
            "rounds": rounds,
            "authors": group(3, QUALITY, judges, 0.2, 1),
            "newcomers": group(3, QUALITY, judges, 0.8, 2, "new"),
        },
    )
    assert capsys.readouterr().out.startswith("A new group reaches alpha")


def test_the_page_explains_every_phase_and_kind_of_change():
    for phase in PHASES:
        assert f"| {phase} |" in PAGE
    for kind in KINDS_OF_CHANGE:
        assert f"*{kind}*" in PAGE
