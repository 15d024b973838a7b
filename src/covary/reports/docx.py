"""A report as a Word document: headings, paragraphs and tables, in the XML that Word reads.

A picture becomes its table, as in every form that is one file of text.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from covary.reports.blocks import (
    Block,
    Bullets,
    Code,
    Contents,
    Figure,
    Paragraph,
    Table,
    without_pictures,
)

MADE = (2000, 1, 1, 0, 0, 0)
"""The date in the archive: always the same, so that the same report has the same bytes."""

OPENING = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MIME = "application/vnd.openxmlformats-officedocument.wordprocessingml"

TYPES = (
    f'{OPENING}<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
    'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/word/document.xml" ContentType="{MIME}.document.main+xml"/>'
    f'<Override PartName="/word/styles.xml" ContentType="{MIME}.styles+xml"/></Types>'
)
RELATIONS = (
    f'{OPENING}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
)
STYLES_OF = (
    f'{OPENING}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>'
)

STYLES: dict[str, tuple[str, str]] = {
    "Title": ("<w:b/><w:sz w:val='36'/>", "<w:spacing w:after='120'/>"),
    "Heading1": ("<w:b/><w:sz w:val='28'/>", "<w:keepNext/><w:spacing w:before='240'/>"),
    "Caption": ("<w:b/><w:sz w:val='20'/>", "<w:keepNext/><w:spacing w:before='160'/>"),
    "Cell": ("<w:sz w:val='18'/>", "<w:spacing w:before='20' w:after='20'/>"),
    "Note": ("<w:sz w:val='18'/>", "<w:spacing w:after='120'/>"),
    "Code": ("<w:rFonts w:ascii='Consolas' w:hAnsi='Consolas'/><w:sz w:val='16'/>", ""),
}
"""The look of each style: of its letters, and of its paragraphs."""


def to_docx(contents: Contents) -> bytes:
    """Write a report as a Word document."""
    body = [_paragraph(contents.title, "Title")]
    body += [_paragraph(contents.subtitle, "Note")] if contents.subtitle else []
    for section in without_pictures(contents).sections:
        body.append(_paragraph(section.title, "Heading1"))
        body += [part for block in section.blocks for part in _block(block)]
    return _archive("".join(body))


def _archive(body: str) -> bytes:
    page = (
        '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" '
        'w:bottom="1134" w:left="1134" w:header="567" w:footer="567" w:gutter="0"/></w:sectPr>'
    )
    document = f"{OPENING}<w:document {WORD}><w:body>{body}{page}</w:body></w:document>"
    files = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": RELATIONS,
        "word/_rels/document.xml.rels": STYLES_OF,
        "word/styles.xml": f"{OPENING}<w:styles {WORD}>{''.join(_styles())}</w:styles>",
        "word/document.xml": document,
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.comment = b"covary"  # by which a later run knows its own file
        for name, text in files.items():
            info = zipfile.ZipInfo(name, MADE)
            archive.writestr(info, text.encode("utf-8"), zipfile.ZIP_DEFLATED)
    return data.getvalue()


def _styles() -> Iterator[str]:
    yield (
        "<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii='Calibri' w:hAnsi='Calibri'/>"
        "<w:sz w:val='22'/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after='100'/>"
        "</w:pPr></w:pPrDefault></w:docDefaults>"
    )
    for name, (letters, paragraph) in STYLES.items():
        yield (
            f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/>'
            f"<w:pPr>{paragraph}</w:pPr><w:rPr>{letters}</w:rPr></w:style>"
        )


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield _paragraph(block.text, bold=block.kind == "verdict")
        case Bullets():
            yield from (_paragraph(f"• {line.text}") for line in block.lines)
        case Code():
            yield from (_paragraph(line, "Code") for line in block.text.split("\n"))
        case Table():
            yield from _table(block)
        case Figure():
            if block.table is not None:
                yield from _table(block.table)


def _table(table: Table) -> Iterator[str]:
    """Set a table as papers do: rules above, below the head and below, none between columns."""
    yield _paragraph(table.caption, "Caption")
    aligns = [column.align for column in table.columns]
    head = [column.title for column in table.columns]
    last = len(table.rows) - 1
    rows = [_row(head, aligns, ("top", "bottom"), head=True)]
    rows += [
        _row(row, aligns, ("bottom",) if place == last else ())
        for place, row in enumerate(table.rows)
    ]
    grid = "<w:gridCol/>" * len(head)
    yield (
        '<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/><w:tblCellMar><w:right w:w="120" '
        'w:type="dxa"/></w:tblCellMar></w:tblPr>'
        f"<w:tblGrid>{grid}</w:tblGrid>{''.join(rows)}</w:tbl>"
    )
    yield _paragraph(table.note, "Note")


def _row(
    cells: Sequence[str], aligns: Sequence[str], rules: Iterable[str], *, head: bool = False
) -> str:
    lines = "".join(f'<w:{side} w:val="single" w:sz="6" w:color="000000"/>' for side in rules)
    borders = f"<w:tcBorders>{lines}</w:tcBorders>" if lines else ""
    written = (
        f"<w:tc><w:tcPr>{borders}{'' if ' ' in cell else '<w:noWrap/>'}</w:tcPr>"
        f"{_paragraph(cell, 'Cell', align=align, bold=head)}</w:tc>"
        for cell, align in zip(cells, aligns, strict=True)
    )
    repeated = "<w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>" if head else ""
    return f"<w:tr>{repeated}{''.join(written)}</w:tr>"


def _paragraph(text: str, style: str = "", *, align: str = "left", bold: bool = False) -> str:
    look = f'<w:pStyle w:val="{style}"/>' if style else ""
    look += '<w:jc w:val="right"/>' if align == "right" else ""
    letters = "<w:rPr><w:b/></w:rPr>" if bold else ""
    known = "".join(c for c in text if c >= " " or c == "\t")  # XML has no other controls
    clean = escape(known, quote=False)
    run = f'<w:r>{letters}<w:t xml:space="preserve">{clean}</w:t></w:r>'
    return f"<w:p><w:pPr>{look}</w:pPr>{run if text else ''}</w:p>"
