"""The CSV form: a row for each criterion, comparison and coefficient, with all digits."""

import csv
import io

import covary
from covary.reports.document import to_csv
from tests.reports import studies


def written(ratings, **keywords):
    result = studies.measured(ratings, **keywords)
    return to_csv(result.rows(), result.columns)


def rows(ratings, **keywords):
    return list(csv.DictReader(io.StringIO(written(ratings, **keywords))))


def test_the_header_is_the_list_of_columns():
    first = written(studies.severity()).splitlines()[0]
    assert first == ",".join(studies.measured(studies.severity()).columns)
    assert first.startswith("criterion,comparison,label,coefficient,value,low,high,target,method")


def test_the_severity_example_has_agreement_then_correlation():
    alpha, gamma = rows(studies.severity())[:2]
    exact = covary.krippendorff_alpha(studies.severity(), rng=7, resamples=50)
    assert float(alpha["value"]) == exact.value
    assert float(alpha["low"]) == exact.interval.low
    assert (alpha["coefficient"], alpha["comparison"]) == ("krippendorff_alpha", "overall")
    assert (alpha["target"], alpha["method"]) == ("these judges, other items", "tilted score")
    assert (alpha["items"], alpha["judges"], alpha["ratings"]) == ("10", "2", "20")
    assert (alpha["verdict"], alpha["sure"]) == ("cannot tell yet", "no")
    assert (alpha["kind"], alpha["single_ratings"]) == ("reproducibility", "open")
    assert float(alpha["severity"]) + float(alpha["scale_use"]) + float(alpha["noise"]) == 1
    assert alpha["signature"] == exact.signature
    assert (gamma["coefficient"], gamma["value"]) == ("goodman_kruskal_gamma", "1.0")


def test_further_coefficients_have_no_verdict():
    further = [row for row in rows(studies.severity()) if row["coefficient"] == "fleiss_kappa"]
    assert [row["verdict"] for row in further] == [""]


def test_the_comparisons_of_a_study_in_batches():
    found = rows(studies.shipped("qgstec-original"), intervals=False)
    variety = [row for row in found if row["criterion"] == "variety"]
    pairs = [row for row in variety if row["comparison"] == "pair"]
    batches = [row for row in variety if row["comparison"] == "batch"]
    # Amidei, Piwek & Willis (2019), Table 6: nine batches of two judges, each with two coefficients
    assert len(pairs) == len(batches) == 18
    items = sorted({int(row["items"]) for row in batches})
    assert items == [7, 67, 80, 81, 106, 125, 129, 142, 158]


def test_other_judges_have_their_own_limits():
    (alpha, *_) = rows(studies.shipped("qgstec-reevaluated"))
    assert float(alpha["low_other_judges"]) < float(alpha["low"])
    assert float(alpha["high_other_judges"]) > float(alpha["high"])


def test_undefined_is_empty_with_its_reason():
    (alpha, *_) = rows(studies.constant())
    assert alpha["value"] == alpha["low"] == ""
    assert alpha["reason"]


def test_names_have_agreement_alone():
    overall = [row for row in rows(studies.names()) if row["verdict"]]
    assert {row["coefficient"] for row in overall} == {"krippendorff_alpha"}


def test_a_label_with_a_comma_stays_one_cell():
    found = rows(studies.shipped("qgstec-original"), intervals=False)
    labels = {row["label"] for row in found if row["comparison"] == "batch"}
    assert "J1, J2 (80 items)" in labels
