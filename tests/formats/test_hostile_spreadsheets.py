"""A spreadsheet that would fill the memory is refused before it is opened."""

import zipfile

import pytest

import covary
from covary.errors import RatingsError

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"

PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
    '<sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    "</Relationships>",
}


def words(place, text):
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


TABLE = "".join(
    f'<row r="{number}">{words(f"A{number}", item)}{words(f"B{number}", judge)}'
    f"{words(f'C{number}', rating)}</row>"
    for number, (item, judge, rating) in enumerate(
        [("item", "judge", "rating"), ("q1", "a", 3), ("q1", "b", 4), ("q2", "a", 2)], start=1
    )
)


def workbook(path, rows):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in PARTS.items():
            packed.writestr(name, text)
        sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
        packed.writestr("xl/worksheets/sheet1.xml", sheet)
    return path


def test_an_ordinary_sheet_of_this_kind_is_read(tmp_path):
    ratings = covary.read(workbook(tmp_path / "plain.xlsx", TABLE), scale="1-5")
    assert ratings.n_ratings == 3


def test_a_cell_at_the_far_corner_is_named(tmp_path):
    far = f'<row r="1048576">{words("XFD1048576", "x")}</row>'
    with pytest.raises(RatingsError, match=r"XFD1048576.*as CSV"):
        covary.read(workbook(tmp_path / "corner.xlsx", TABLE + far))


def test_text_that_was_packed_to_nothing_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("covary.formats.spreadsheets.MOST_BYTES", 1_000_000)
    bomb = f'<row r="6">{words("A6", "q" * 2_000_000)}</row>'
    file = workbook(tmp_path / "bomb.xlsx", TABLE + bomb)
    assert file.stat().st_size < 20_000
    with pytest.raises(RatingsError, match="MB when it is unpacked"):
        covary.read(file)


def test_a_broken_archive_is_refused(tmp_path):
    file = workbook(tmp_path / "broken.xlsx", TABLE)
    content = bytearray(file.read_bytes())
    place = content.index(b"xl/worksheets/sheet1.xml") + 40
    content[place : place + 60] = b"\xff" * 60
    file.write_bytes(content)
    with pytest.raises(RatingsError, match="spreadsheet"):
        covary.read(file)
