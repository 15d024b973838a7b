"""Votes that stay in their engine are combined there: every item gets what it gets in memory."""

import math

import numpy as np
import polars
import pytest
from click.testing import CliRunner

import covary
from covary import Ratings
from covary.aggregate import combined_error
from covary.aggregate import large as room
from covary.cli.entry import covary as command

METHODS = (
    "majority",
    "median",
    "mean",
    "banchs-a",
    "banchs-b",
    "dawid-skene",
    "one-coin",
    "mace",
    "glad",
)


def votes(items=300, seed=3):
    """Four judges of unlike skill on three categories; a sixth of the votes is missing."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 4, items)
    rows = []
    for item in range(items):
        for judge, skill in enumerate((0.95, 0.85, 0.7, 0.4)):
            if rng.random() < 1 / 6:
                continue
            right = rng.random() < skill
            rows.append(
                (
                    f"text {item:03}",
                    f"judge {judge}",
                    int(truth[item] if right else rng.integers(1, 4)),
                )
            )
    rng.shuffle(rows)
    item, judge, rating = zip(*rows, strict=True)
    return {"item": list(item), "judge": list(judge), "rating": [int(r) for r in rating]}


@pytest.fixture
def stays(monkeypatch):
    monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", 50)


def both(monkeypatch, method, make=lambda columns: columns, **options):
    exact = covary.combine(Ratings(votes(), scale="1-3"), method, **options)
    monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", 50)
    found = covary.combine(Ratings(make(votes()), scale="1-3"), method, **options)
    assert isinstance(found, covary.LargeAggregated)
    return exact, found


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [dict, polars.DataFrame], ids=["duckdb", "polars"])
def test_each_item_gets_what_it_gets_in_memory(method, make, monkeypatch):
    exact, found = both(monkeypatch, method, make)
    table = found.frame.sort("item").collect()
    columns = exact.to_columns()
    assert table["item"].to_list() == columns["item"]
    assert [*map(plain, table["rating"].to_list())] == [*map(plain, exact.ratings)]
    for name in set(columns) - {"item", "rating"}:
        np.testing.assert_allclose(
            table[name].to_numpy().astype(float), np.asarray(columns[name], float), atol=1e-10
        )


def plain(rating):
    return None if rating is None or rating != rating else int(rating)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_said_of_all_items_is_the_same(method, monkeypatch):
    exact, found = both(monkeypatch, method)
    for name in (
        "n_items",
        "n_ties",
        "n_abstained",
        "all_votes",
        "given",
        "signature",
        "notes",
        "title",
    ):
        assert getattr(found, name) == getattr(exact, name)
    assert found.n_kinds < found.n_items
    assert found.expected_errors == pytest.approx(exact.expected_errors, abs=1e-10, nan_ok=True)
    for mine, theirs in zip(found.judges, exact.judges, strict=True):
        assert (mine.judge, mine.n_votes) == (theirs.judge, theirs.n_votes)
        assert mine.accuracy == pytest.approx(theirs.accuracy, abs=1e-10)
        np.testing.assert_allclose(mine.confusion, theirs.confusion, atol=1e-10)
    if exact.convergence:
        assert found.convergence.log_likelihood == pytest.approx(exact.convergence.log_likelihood)
        assert found.convergence.agreed == exact.convergence.agreed


def test_an_item_without_a_rating_is_counted_and_gets_none(monkeypatch, stays):
    columns = votes()
    columns["rating"] = [
        None if item == "text 007" else r
        for item, r in zip(columns["item"], columns["rating"], strict=True)
    ]
    found = covary.combine(Ratings(columns, scale="1-3"), "majority")
    assert found.n_items == 299
    assert "text 007" not in found.frame.collect()["item"].to_list()
    assert any(getattr(note, "code", "") == "aggregate.unrated" for note in found.notes)


def line(items=80):
    rng = np.random.default_rng(5)
    columns = {"item": [], "judge": [], "rating": []}
    for item in range(items):
        for judge in range(1 + item % 4):
            columns["item"].append(f"text {item:02}")
            columns["judge"].append(judge)
            columns["rating"].append(float(rng.uniform(0, 100)))
    return columns


@pytest.mark.parametrize("method", ["mean", "median"])
def test_the_engine_takes_the_mean_and_the_median_of_a_line(method, monkeypatch):
    exact = covary.combine(Ratings(line(), scale="0-100"), method)
    monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", 50)
    found = covary.combine(Ratings(line(), scale="0-100"), method)
    table = found.frame.sort("item").collect()
    assert table["item"].to_list() == [*exact.items]
    np.testing.assert_allclose(table["rating"].to_numpy(), exact.ratings, rtol=1e-12)
    assert table["votes"].to_list() == exact.n_votes.tolist()
    assert found.notes == exact.notes
    if method == "mean":
        errors = table["standard_error"].to_numpy().astype(float)
        np.testing.assert_allclose(errors, exact.details["standard_error"], rtol=1e-10)


@pytest.mark.parametrize("method", ["majority", "dawid-skene"])
def test_known_answers_say_how_many_are_wrong(method, monkeypatch):
    exact, found = both(monkeypatch, method)
    gold = {f"text {item:03}": 2 for item in range(40)}
    left = combined_error(Ratings(votes(), scale="1-3"), found, gold=gold)
    wrong = sum(exact.ratings[place] not in (None, 2) for place in range(40))
    assert (left.gold_wrong, left.basis) == (wrong, "gold")
    assert combined_error(Ratings(votes(), scale="1-3"), found).reason == "large"


@pytest.mark.parametrize(
    ("change", "options", "code"),
    [
        ({}, {"ties": "random"}, "aggregate.large-random"),
        ({"round": 2}, {"occasions": "votes"}, "aggregate.large-occasions"),
        ({}, {"smoothing": -1}, "aggregate.number"),
    ],
)
def test_what_the_engine_cannot_do_is_refused(change, options, code, stays):
    columns = votes()
    if change:
        columns["round"] = [1 + (place % 2) for place in range(len(columns["item"]))]
    with pytest.raises(covary.InvalidArgument) as refusal:
        covary.combine(Ratings(columns, scale="1-3"), "dawid-skene", **options)
    assert refusal.value.code == code


def test_votes_of_too_many_kinds_are_refused_with_the_way_out(stays, monkeypatch):
    monkeypatch.setattr(room, "MOST_KINDS", 20)
    with pytest.raises(
        covary.InvalidArgument, match="majority, median and mean do not need the judges"
    ):
        covary.combine(Ratings(votes(), scale="1-3"), "mace")
    monkeypatch.setattr(room, "MOST_FOLLOWED", 3)
    with pytest.raises(covary.InvalidArgument, match="more than 64 judges"):
        covary.combine(Ratings(votes(), scale="1-3"), "mace")


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_the_command_writes_the_same_file(ending, tmp_path, monkeypatch):
    file = tmp_path / "votes.csv"
    polars.DataFrame(votes()).write_csv(file)
    texts = []
    for most in (5_000_000, 50):
        monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", most)
        out = tmp_path / f"{most}.{ending}"
        done = CliRunner().invoke(
            command,
            ["aggregate", str(file), "--method", "dawid-skene", "--scale", "1-3", "-o", str(out)],
        )
        assert done.exit_code == 0, done.output
        read = {
            "csv": polars.read_csv,
            "parquet": polars.read_parquet,
            "jsonl": polars.read_ndjson,
        }[ending]
        texts.append(read(out))
    assert texts[0].columns == texts[1].columns
    for name in texts[0].columns:
        mine, theirs = (table[name].to_list() for table in texts)
        if texts[0][name].dtype == polars.Float64:
            assert all(
                a == b or math.isclose(a, b, abs_tol=1e-10)
                for a, b in zip(mine, theirs, strict=True)
            ), name
        else:
            assert mine == theirs, name
