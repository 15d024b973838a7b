"""Spreadsheets, written here by hand as the zipped XML that they are."""

import zipfile

import pytest

from covary.errors import InvalidArgument, RatingsError
from covary.formats import read
from tests.formats.tables import rows

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns"

LONG = [
    ["item", "judge", "rating"],
    ["q1", "Ann", 4],
    ["q1", "Bo", 5],
    [],
    ["q2", " Ann ", None],
    ["q2", "Bo", "NA"],
]
EXPECTED = [("q1", "Ann", 4), ("q1", "Bo", 5), ("q2", "Ann", None), ("q2", "Bo", None)]


def cell(place, value):
    if value is None:
        return ""
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{value}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


def sheet_xml(table):
    lines = [
        f'<row r="{r}">{"".join(cell("ABCDEFGH"[c] + str(r), v) for c, v in enumerate(row))}</row>'
        for r, row in enumerate(table, start=1)
    ]
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def xlsx(path, **sheets):
    """Write a workbook with these sheets."""
    names = list(sheets)
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(names, start=1)
    )
    links = "".join(
        f'<Relationship Id="r{n}" Type="{LINKS}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(names) + 1)
    )
    root = f'<Relationship Id="r1" Type="{LINKS}/officeDocument" Target="xl/workbook.xml"/>'
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("[Content_Types].xml", f'<Types xmlns="{PACKAGE}/content-types"/>')
        around = f'<Relationships xmlns="{PACKAGE}/relationships">%s</Relationships>'
        book.writestr("_rels/.rels", around % root)
        book.writestr("xl/_rels/workbook.xml.rels", around % links)
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{LINKS}"><sheets>{listed}</sheets></workbook>',
        )
        for n, name in enumerate(names, start=1):
            book.writestr(f"xl/worksheets/sheet{n}.xml", sheet_xml(sheets[name]))
    return path


def ods(path, table):
    """Write an OpenDocument spreadsheet with one sheet."""

    def written(value):
        kind = 'office:value-type="string"'
        if isinstance(value, int):
            kind = f'office:value-type="float" office:value="{value}"'
        text = "" if value is None else f"<text:p>{value}</text:p>"
        return f"<table:table-cell {kind if text else ''}>{text}</table:table-cell>"

    lines = "".join(
        f"<table:table-row>{''.join(map(written, row)) or written(None)}</table:table-row>"
        for row in table
    )
    spaces = " ".join(f'xmlns:{each}="{OFFICE}:{each}:1.0"' for each in ("office", "table", "text"))
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{OFFICE}:manifest:1.0">'
            '<manifest:file-entry manifest:full-path="/" manifest:media-type="'
            'application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>',
        )
        book.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            f'<table:table table:name="Sheet1">{lines}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )
    return path


def test_a_workbook_is_read(tmp_path):
    ratings = read(xlsx(tmp_path / "a.xlsx", Sheet1=LONG), scale="1-5")
    assert rows(ratings) == EXPECTED
    assert ratings.notes == ()


def test_an_opendocument_sheet_is_read(tmp_path):
    assert rows(read(ods(tmp_path / "a.ods", LONG), scale="1-5")) == EXPECTED


def test_a_wide_sheet_is_read(tmp_path):
    table = [["item", "Ann", "Bo"], ["q1", 1, 2.5], ["q2", None, 3]]
    ratings = read(xlsx(tmp_path / "a.xlsx", Sheet1=table))
    assert rows(ratings) == [("q1", "Ann", 1.0), ("q1", "Bo", 2.5), ("q2", "Bo", 3.0)]


def test_a_sheet_is_chosen_by_name(tmp_path):
    other = [["item", "judge", "rating"], ["x", "Cy", 1]]
    path = xlsx(tmp_path / "a.xlsx", **{"Pilot": other, "Main study": LONG})
    assert rows(read(path, sheet="Main study")) == EXPECTED
    with pytest.raises(RatingsError, match=r"3 ways.*sheets='round'.*sheet='Pilot'"):
        read(path)
    assert read(path, sheets="round").values("round") == ("Main study", "Pilot")


def test_a_sheet_of_something_else_is_passed_over_and_said(tmp_path):
    path = xlsx(tmp_path / "a.xlsx", **{"Main study": LONG, "Notes": [["what", "we"], ["a", "b"]]})
    ratings = read(path, scale="1-5")
    assert rows(ratings) == EXPECTED
    assert "has the sheets 'Main study', 'Notes'; 'Main study' was read" in ratings.notes[0]


def test_an_empty_sheet_in_front_is_passed_over(tmp_path):
    assert rows(read(xlsx(tmp_path / "a.xlsx", Notes=[], Data=LONG))) == EXPECTED


def test_a_sheet_that_is_not_there_is_refused_with_those_that_are(tmp_path):
    with pytest.raises(InvalidArgument, match=r"'Main' is not in a\.xlsx, which has 'Sheet1'"):
        read(xlsx(tmp_path / "a.xlsx", Sheet1=LONG), sheet="Main")


def test_an_empty_workbook_is_refused(tmp_path):
    with pytest.raises(RatingsError, match=r"the sheet 'Sheet1' of a\.xlsx is empty"):
        read(xlsx(tmp_path / "a.xlsx", Sheet1=[]))


@pytest.mark.parametrize("name", ["a.xlsx", "a.xls", "a.ods"])
def test_a_file_that_is_no_spreadsheet_is_refused(file, name):
    with pytest.raises(RatingsError, match=f"{name} cannot be read as a spreadsheet"):
        read(file(b"hello, I am text", name))


def test_text_that_is_called_a_spreadsheet_is_told_its_ending(file):
    with pytest.raises(RatingsError, match=r"a\.xlsx .*: it holds plain text; .* \.csv"):
        read(file(b"item,judge,rating\nq1,Ann,3\n", "a.xlsx"))


@pytest.mark.parametrize("header", [9, (8, 9)])
def test_a_header_below_the_last_row_is_refused(file, header):
    with pytest.raises(InvalidArgument, match=r"below the last row: the table has 2 rows"):
        read(file(b"item,judge,rating\nq1,Ann,3\n", "a.csv"), header=header)


def test_only_spreadsheets_have_sheets(file):
    with pytest.raises(InvalidArgument, match="only spreadsheets have sheets"):
        read(file("item,judge,rating\nq1,Ann,4\n"), sheet="Sheet1")


def test_words_among_numbers_are_refused_with_the_row(tmp_path):
    table = [["item", "judge", "rating"], ["q1", "Ann", 4], ["q1", "Bo", "five"]]
    with pytest.raises(RatingsError, match="row 3: 'five'"):
        read(xlsx(tmp_path / "a.xlsx", Sheet1=table))


def test_two_columns_of_one_name_are_refused(tmp_path):
    table = [["item", "judge", "rating", "rating"], ["q1", "Ann", 4, 5]]
    with pytest.raises(RatingsError, match="two columns called 'rating'"):
        read(xlsx(tmp_path / "a.xlsx", Sheet1=table))
