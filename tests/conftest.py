"""How hypothesis searches, and why tests were skipped, once for each cause."""

import os
from collections import Counter

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

# The tests run side by side, and each of them on one core: threads of a small product wait for
# each other and take up to fifty times the processor time.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

settings.register_profile(
    "covary",
    deadline=None,
    max_examples=25,
    derandomize=bool(os.environ.get("CI")),
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("covary")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Look for examples in src alone: tests have none, and each process would read them twice."""
    return [each for each in (yield) if not isinstance(each, DoctestModule)]


def pytest_terminal_summary(terminalreporter):
    """Say once for each cause how many tests were skipped."""
    reports = terminalreporter.stats.get("skipped", ())
    causes = Counter(str(report.longrepr[-1]).removeprefix("Skipped: ") for report in reports)
    if causes:
        terminalreporter.section("skipped")
    for cause, number in causes.most_common():
        terminalreporter.line(f"{number:5}  {cause}")
