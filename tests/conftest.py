"""How tests are found, how hypothesis searches, and why tests were skipped, by cause."""

import gc
import os
from collections import Counter
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

# The tests run side by side, and each of them on one core: threads of a small product wait for
# each other and take up to fifty times the processor time.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

HERE = Path(__file__).parent

settings.register_profile(
    "covary",
    deadline=None,
    max_examples=25,
    derandomize=bool(os.environ.get("CI")),
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("covary")


class Examples:
    """Examples are looked for in the files of src that have a prompt, and in packages.

    Tests have none, and each process of a run would read and import every file for them; what is
    in a package must be imported by way of it, or pytest imports it a second time.
    """

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path, parent):
        found = yield
        if found and may_have_examples(file_path):
            return found
        return [each for each in found if not isinstance(each, DoctestModule)]


def may_have_examples(file):
    prompted = file.name == "__init__.py" or ">>> " in file.read_text(encoding="utf-8")
    return HERE not in file.parents and prompted


def pytest_configure(config):
    config.pluginmanager.register(Examples())


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Thirteen thousand tests stay to the end: they are not looked through for what may go."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_terminal_summary(terminalreporter):
    """Say once for each cause how many tests were skipped."""
    reports = terminalreporter.stats.get("skipped", ())
    causes = Counter(str(report.longrepr[-1]).removeprefix("Skipped: ") for report in reports)
    if causes:
        terminalreporter.section("skipped")
    for cause, number in causes.most_common():
        terminalreporter.line(f"{number:5}  {cause}")
