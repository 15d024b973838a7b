"""A report with every kind of block and every awkward character."""

from covary.report.contents import (
    Bullets,
    Code,
    Column,
    Contents,
    Figure,
    Paragraph,
    Section,
    Table,
)

AWKWARD = 'a|b <i>x</i> & 50 % of $5 #1 {j_1}~^\\ * [x] `y` "q" – ≥ α Müller … → 中'

TABLE = Table(
    "pairs",
    "Agreement | by pair",
    (Column("pair", "left"), Column("alpha")),
    (("Ann & Bo", ".53 [.10, .80]"), ("J_1 | J_2", "–")),
    "– undefined: nobody < 2.",
)

WIDE = Table(
    "matrix",
    "A matrix of 30 judges",
    (Column("judge", "left"), *(Column(f"judge {n}") for n in range(30))),
    tuple((f"judge {n}", *([".53"] * 30)) for n in range(30)),
)

LONG = Table(
    "defects",
    "Findings",
    (Column("what", "left"), Column("advice", "left"), Column("n")),
    tuple((f"[{n}] " + "a long sentence " * 9, "* do something " * 12, "3") for n in range(60)),
)

CONTENTS = Contents(
    "Report on <b>judges</b> & items",
    "10 items, 2 judges",
    (
        Section(
            "verdict",
            "The verdict",
            (
                Paragraph("not reliable", "verdict"),
                Paragraph("Two serious defects.", "warning"),
                Paragraph("A note.", "note"),
                Paragraph(AWKWARD),
                Bullets(("first", "- second", AWKWARD)),
                Code("krippendorff_alpha|level:ordinal|n:'1' -- x\n  covary report --format latex"),
            ),
        ),
        Section(
            "pairs",
            "Pairs_of judges",
            (
                TABLE,
                Figure("both", "Gamma is above alpha", "A dot plot.", {"mark": "point"}, TABLE),
                Figure("bare", "No table", "Nothing to tabulate.", {}),
                WIDE,
                LONG,
            ),
        ),
    ),
)
