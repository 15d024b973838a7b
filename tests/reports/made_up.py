"""A report with every kind of block and every awkward character."""

from covary.reports.blocks import Bullets, Code, Column, Contents, Figure, Paragraph, Section, Table
from covary.reports.drawings import Panel

AWKWARD = 'a|b <i>x</i> & 50 % of $5 #1 {j_1}~^\\ * [x] `y` "q" – ≥ α Müller … → 中'

TABLE = Table(
    key="pairs",
    caption="Agreement | by pair",
    columns=(Column("pair", "left"), Column("alpha")),
    rows=(("Ann & Bo", ".53 [.10, .80]"), ("J_1 | J_2", "–")),
    note="– undefined: nobody < 2.",
)

WIDE = Table(
    key="matrix",
    caption="A matrix of 30 judges",
    columns=(Column("judge", "left"), *(Column(f"judge {n}") for n in range(30))),
    rows=tuple((f"judge {n}", *([".53"] * 30)) for n in range(30)),
)

LONG = Table(
    key="defects",
    caption="Findings",
    columns=(Column("what", "left"), Column("advice", "left"), Column("n")),
    rows=tuple(
        (f"[{n}] " + "a long sentence " * 9, "* do something " * 12, "3") for n in range(60)
    ),
)

DOT = Panel(name="a dot", height=20, shapes='<circle cx="50%" cy="10" r="5"/>')

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
                Figure(
                    key="both",
                    title="Gamma is above alpha",
                    description="A dot plot.",
                    spec={"mark": "point"},
                    panels=(DOT,),
                    table=TABLE,
                ),
                Figure(
                    key="bare",
                    title="No table",
                    description="Nothing to tabulate.",
                    spec={},
                    panels=(DOT,),
                ),
                WIDE,
                LONG,
            ),
        ),
    ),
)
