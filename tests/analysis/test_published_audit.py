"""What is wrong with a file of numbers is said all at once, with the line and what to do."""

import tomllib

import pytest

from covary.analysis.published import KINDS, audit
from covary.analysis.published.audit import NumbersError
from covary.datasets.shipped import template
from covary.errors import InvalidArgument
from tests.analysis.numbers_files import audited, check


def faults(folder, text):
    with pytest.raises(NumbersError) as raised:
        audited(folder, text)
    return list(raised.value.faults)


def test_every_fault_is_told_at_once_with_its_line(tmp_path):
    text = check("pay", printed="6.81", seconds='"30"')  # lines 2 to 6
    text += check("averges", average='"1"')
    text += check("correlations", n='"eight"', printed='".5"')
    text += check("correlations", n="2", printed='".5"')
    found = faults(tmp_path, text)
    assert [fault.line for fault in found] == [2, 5, 8, 14, 19]
    assert [fault.key for fault in found] == [
        "check[1].pay",
        "check[1].printed",
        "check[2].kind",
        "check[3].n",
        "check[4].n",
    ]
    assert found[0].message.startswith("is missing")
    assert "did you mean 'averages'?" in found[2].message


def test_the_message_lists_every_fault_with_its_line(tmp_path):
    with pytest.raises(NumbersError) as raised:
        audited(tmp_path, check("pay", printed="6.81", seconds='"30"'))
    head, *lines = str(raised.value).splitlines()
    assert head == "numbers.toml has 2 faults:"
    assert lines[0] == '  line 2: check[1].pay: is missing; set pay = "…"'
    assert lines[1].startswith("  line 5: check[1].printed: 6.81 is not in quotes")


def test_a_number_without_quotes_is_refused_with_the_reason(tmp_path):
    (found,) = faults(tmp_path, check("arithmetic", printed="0.20", **{"from": '"1 / 5"'}))
    assert 'write "0.20"' in found.message
    assert "0.2 and 0.20 do not claim the same" in found.message


def test_a_number_without_quotes_in_a_table_is_refused_with_its_row(tmp_path):
    text = check("averages", average='"0.5"') + 'rows."a" = [0.50]\n'
    (found,) = faults(tmp_path, text)
    assert "row 'a'" in found.message
    assert 'write "0.50"' in found.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            check("pay", printed='"6"', seconds='"30"', pay='"1"', seconda='"3"'),
            "did you mean 'seconds'?",
        ),
        (check("correlations", n="8"), "give printed, or rows with columns"),
        (check("correlations", n="8", columns='["a", "b"]') + 'rows."x" = [".5"]', "1 cells"),
        (check("correlations", n="8", printed='"1.5"'), "at most 1"),
        (check("correlations", n="8", printed='".5***"'), "a mark that is not explained"),
        (check("concordance", items="8", judges="8", printed='"-.5"'), "W lies between"),
        (check("f-ratios", printed='"2.0"'), "df = [7, 888]"),
        (check("f-ratios", df="[7]", printed='"2.0"'), "two degrees of freedom"),
        (check("t-tests", df="[7, 8]", printed='"2.0"'), "one whole number"),
        (check("t-tests", df="7", printed='"2.0"', claim='"maybe"'), "claims nothing about p"),
        (check("percentages", printed='"10%"', count="30", of="20"), "more than there are"),
        (check("means", n="9", printed='"3.1"', scale="[5, 1]"), "two ends"),
        (check("arithmetic", printed='"3"', **{"from": '"1 +"'}), "not arithmetic"),
        (check("interpretation", printed='"3"', scale='"landis"', word='"fair"'), "landis-koch"),
        (check("interpretation", printed='"3"', scale='"cohen"', word='"fair"'), "has no 'fair'"),
        (
            check("coefficients", printed='"3"', data='"qgstec-orignal"'),
            "did you mean 'qgstec-original'?",
        ),
        (check("coefficients", printed='"3"', data='"qgstec-original"'), "is not a criterion"),
        (
            check("coefficients", data='"qgstec-original"', columns='["J1-J9"]')
            + 'rows."variety" = ["0.1"]',
            "'J9' is none of them",
        ),
        (check("concordance", items="1", judges="8", printed='".5"'), "one item has no rank"),
        (
            check("f-ratios", n="8", levels="{ A = 1 }") + 'columns = ["F"]\nrows."A" = ["2.0"]',
            "from 2 to 7 levels",
        ),
        (check("pay", printed='"6"', seconds='"0"', pay='"0.05"'), "must be above 0"),
        ('[[paper]]\nname = "x"\n', "paper[1].agreement is missing"),
        (
            '[[paper]]\nname = "x"\nagreement = true\nuses = [{ coef = "y" }]\n',
            "not a key of a use",
        ),
        ("", "nothing to check"),
        ("check = 3\n", "two brackets: [[check]]"),
    ],
)
def test_a_fault_says_what_to_do(tmp_path, text, words):
    (found,) = faults(tmp_path, text)
    assert words in f"{found.key} {found.message}"


def test_text_that_is_no_toml_is_refused_with_its_line(tmp_path):
    with pytest.raises(InvalidArgument, match=r"not TOML.*line 2"):
        audited(tmp_path, "n = .595*\n")


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path):
    with pytest.raises(InvalidArgument, match="does not exist"):
        audit(tmp_path / "absent.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidArgument, match="UTF-8"):
        audit(tmp_path / "bytes.toml")


def test_the_template_shows_every_kind_and_all_of_it_fits(tmp_path):
    kinds = {check["kind"] for check in tomllib.loads(template())["check"]}
    assert kinds == set(KINDS)
    file = tmp_path / "numbers.toml"
    file.write_text(template(), encoding="utf-8")
    assert not audit(file).misfits


def test_ratings_of_a_file_beside_the_numbers_are_found(tmp_path):
    # two judges, 8 of 10 items alike: percent agreement .8; the margins are 5/5 and 5/5, kappa .6
    rows = [("1", "1")] * 4 + [("2", "2")] * 4 + [("1", "2"), ("2", "1")]
    lines = ["item,judge,rating"]
    for item, (first, second) in enumerate(rows):
        lines += [f"{item},Ann,{first}", f"{item},Bo,{second}"]
    (tmp_path / "ratings.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    keys = {"data": '"ratings.csv"', "scale": '"1-2"', "claimed": '"percent_agreement"'}
    found = audited(tmp_path, check("coefficients", printed='"0.600"', **keys))
    assert "Cohen's kappa" in found.parts[0].conclusion
    found = audited(tmp_path, check("coefficients", printed='"80%"', **keys))
    assert found.numbers[0].verdict == "fits"
