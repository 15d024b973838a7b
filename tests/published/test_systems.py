"""Every number of an analysis of variance that another program gives, against covary's."""

import pytest

from covary import datasets
from covary.stats.models.anova import additive_model, one_way
from covary.stats.models.observations import observations
from covary.stats.posthoc import compare_means
from tests.published.reading import CASES, Case, cases_of

FILES = sorted((CASES / "systems").glob("*.toml"))
ALL = [case for path in FILES for case in cases_of(path)]


def arrays(data):
    """The ratings, the codes of each factor and the names of the systems."""
    if data["format"] == "shipped":
        found = observations(datasets.load(data["dataset"]), factors=("system", "judge", "source"))
        return found.values, found.factors, found.names["system"]
    rows = [line.split() for line in data["table"].splitlines()]
    names = tuple(sorted({name for name, _ in rows}))
    codes = [names.index(name) for name, _ in rows]
    return [float(value) for _, value in rows], {"system": codes}, names


def effect(values, factors, options):
    return one_way(values, factors[options.get("factor", "system")])


def effect_beside_others(values, factors, options):
    return additive_model(values, factors).effect(options["factor"])


def comparisons(values, factors, options):
    together = options.get("error") == "additive"
    model = additive_model(values, factors if together else {"system": factors["system"]})
    return compare_means(
        model.means["system"],
        model.counts("system"),
        model.mse,
        model.residual_df,
        procedure=options["procedure"],
    )


ANSWERS = {"one_way": effect, "additive": effect_beside_others, "compare_means": comparisons}


def read(case: Case):
    values, factors, names = arrays(case.data)
    found = ANSWERS[case.coefficient](values, factors, case.options)
    if "pair" in case.options:
        found = found.pair(*(names.index(name) for name in case.options["pair"]))
    return getattr(found, case.read)


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_covary_gives_the_number_of(case):
    assert read(case) == pytest.approx(case.expected, abs=case.tolerance, rel=0)


def test_every_case_is_named_once():
    names = [case.name for case in ALL]
    assert len(set(names)) == len(names) > 20
