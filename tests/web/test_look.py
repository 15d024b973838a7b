"""Judges' pages and reports share one palette, and pages are written without gaps."""

import re
from importlib.resources import files

import pytest

from tests.web import studies

SETTING = re.compile(r"--([\w-]+): (#[0-9a-f]{6});")
SCHEMES = {"light": r":root \{(.*?)\n\}", "dark": r"color-scheme: dark\) \{\s*:root \{(.*?)\}"}


def palette(room, path, scheme):
    text = files(f"covary.{room}").joinpath(*path.split("/")).read_text(encoding="utf-8")
    return dict(SETTING.findall(re.search(SCHEMES[scheme], text, re.DOTALL)[1]))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_colours_are_those_of_the_report(scheme):
    report = palette("reports", "style.css", scheme)
    judge = palette("web", "static/style.css", scheme)
    shared = report.keys() & judge.keys()
    assert {"paper", "ink", "muted", "line", "soft", "link", "fair"} <= shared
    assert {name: judge[name] for name in shared} == {name: report[name] for name in shared}


def test_what_steers_a_template_leaves_no_blank_lines_in_a_page(enter, tmp_path):
    lines = enter(studies.study(tmp_path)).enter().text.splitlines()
    assert sum(not line.strip() for line in lines) < len(lines) / 10
