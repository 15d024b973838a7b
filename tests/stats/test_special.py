"""The distributions of a small report equal SciPy's, and the searches find what SciPy's find."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.stats
from scipy import optimize
from scipy import special as scipy_special

from covary.stats import special
from covary.stats.distributions import find_root, t_quantile
from covary.stats.models.search import minimise
from covary.stats.models.tables import MOST_EQUATIONS, cholesky, inverse_by_root, solve_by_root

RNG = np.random.default_rng(7)
N = special.FEW
DF1, DF2 = (np.exp(RNG.uniform(-1, np.log(9000), N)) for _ in range(2))
F = np.exp(RNG.normal(size=N))
P = np.concatenate([10.0 ** RNG.uniform(-12, 0, N // 2), RNG.uniform(size=N // 2)])
TRIALS = RNG.integers(1, 3000, N)
HITS = np.floor(TRIALS * RNG.uniform(size=N))
CASES = {
    "ndtr": (RNG.normal(0, 5, N),),
    "ndtri": (P,),
    "fdtr": (DF1, DF2, F),
    "fdtrc": (DF1, DF2, F),
    "fdtri": (DF1, DF2, P),
    "stdtr": (DF1, RNG.normal(0, 4, N)),
    "stdtrit": (DF1, P),
    "chdtrc": (DF1, DF1 * F),
    "chdtri": (DF1, P),
    "gammaincinv": (DF1, P),
    "bdtr": (HITS, TRIALS, RNG.uniform(0.001, 0.999, N)),
    "bdtrc": (HITS, TRIALS, RNG.uniform(0.001, 0.999, N)),
}


@pytest.mark.parametrize("name", CASES)
def test_probabilities_and_quantiles_equal_those_of_scipy(name):
    own, theirs = getattr(special, name)(*CASES[name]), getattr(scipy_special, name)(*CASES[name])
    np.testing.assert_allclose(own, theirs, rtol=2e-11, atol=1e-280)


def test_the_noncentral_f_equals_that_of_scipy():
    df1, df2 = np.exp(RNG.uniform(0, 6, N)), np.exp(RNG.uniform(1, 8, N))
    shift = np.exp(RNG.normal(1, 2, N))
    own = special.ncfdtr(df1, df2, shift, F)
    np.testing.assert_allclose(own, scipy_special.ncfdtr(df1, df2, shift, F), atol=1e-10)


@pytest.mark.parametrize("name", CASES)
def test_many_numbers_are_those_of_scipy_itself(name):
    many = [np.tile(each, 2) for each in CASES[name]]
    np.testing.assert_array_equal(
        getattr(special, name)(*many), getattr(scipy_special, name)(*many)
    )


def test_what_is_no_ordinary_number_is_answered_by_scipy():
    assert special.ndtri(0.0) == -np.inf
    assert np.isnan(special.ndtri(2.0))
    assert special.stdtrit(1e9, 0.975) == scipy_special.stdtrit(1e9, 0.975)
    assert special.stdtr(5.0, 0.0) == 0.5
    assert special.bdtrc(-1, 5, 0.5) == 1
    assert special.bdtr(5, 5, 0.5) == 1
    assert np.isnan(special.fdtrc(2.0, 5.0, np.nan))


def test_the_logistic_function_keeps_its_digits_on_both_sides():
    x = np.linspace(-700, 700, 1401)
    below, above = special.expits(x)
    np.testing.assert_allclose(below, scipy_special.expit(x), rtol=1e-15)
    np.testing.assert_allclose(above, scipy_special.expit(-x), rtol=1e-15)


def test_a_root_is_found_where_scipy_finds_it():
    def function(x):
        return np.exp(x) - 5 - x

    theirs = optimize.brentq(function, 0, 3, xtol=1e-13)
    assert find_root(function, 0, 3, 1e-13) == pytest.approx(theirs, abs=1e-12)
    assert find_root(lambda x: x, 0, 1, 1e-13) == 0
    with pytest.raises(ValueError, match="same sign"):
        find_root(function, 2.5, 2.6, 1e-9)


def curved(place):
    """Rosenbrock's valley, whose lowest place is (1, 1)."""
    x, y = place
    slopes = [-400 * x * (y - x**2) - 2 * (1 - x), 200 * (y - x**2)]
    return 100 * (y - x**2) ** 2 + (1 - x) ** 2, np.array(slopes)


def test_the_search_finds_the_lowest_place():
    found = minimise(curved, np.array([-1.2, 1.0]), (-5.0, 5.0), steps=200, gain=0.0)
    np.testing.assert_allclose(found.place, 1, atol=1e-8)


def test_the_search_stays_within_its_bounds_where_scipy_does():
    start, bounds = np.array([-1.2, 0.4]), (-2.0, 0.5)
    theirs = optimize.minimize(
        curved, start, jac=True, method="L-BFGS-B", bounds=[bounds] * 2, options={"ftol": 1e-15}
    )
    found = minimise(curved, start, bounds, steps=200, gain=0.0)
    np.testing.assert_allclose(found.place, theirs.x, atol=1e-6)
    assert found.place.max() == 0.5


@pytest.mark.parametrize("size", [5, MOST_EQUATIONS + 1])
def test_equations_of_every_size_are_solved_alike(size):
    table = RNG.normal(size=(size, 2 * size))
    table = table @ table.T
    root, right = cholesky(table), RNG.normal(size=size)
    np.testing.assert_allclose(np.tril(root) @ np.tril(root).T, table)
    np.testing.assert_allclose(solve_by_root(root, right), np.linalg.solve(table, right))
    np.testing.assert_allclose(inverse_by_root(root), np.linalg.inv(table), atol=1e-12)
    assert cholesky(-table) is None


def test_a_small_report_loads_no_scipy(tmp_path):
    rng, lines = np.random.default_rng(1), ["item,system,judge,rating"]
    for item in range(32):
        base = rng.integers(2, 5)
        given = np.clip(base + rng.integers(-1, 2, 3), 1, 5)
        lines += [f"i{item},s{item % 4},j{j},{rating}" for j, rating in enumerate(given)]
    file = tmp_path / "ratings.csv"
    file.write_text("\n".join(lines))
    script = (
        "import sys\nfrom covary.cli import main\n"
        f"try: main(['report', {str(file)!r}, '--scale', '1-5'])\n"
        "except SystemExit as end: assert end.code in (0, None, 1), end.code\n"
        "print(sorted(n for n in sys.modules if n.startswith('scipy')), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "[]", done.stderr


@pytest.mark.parametrize("df", [1000, 1000.5, 4000, 1e7])
@pytest.mark.parametrize("p", [0.001, 0.4, 0.9, 0.975, 0.9995])
def test_quantiles_of_t_with_many_degrees_of_freedom_are_scipys(p, df):
    assert t_quantile(p, df) == pytest.approx(scipy.stats.t.ppf(p, df), abs=5e-12)
