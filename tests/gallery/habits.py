"""Files as habit leaves them: Excel's text, notes beside ratings, totals, forms sent twice."""

import io
import zipfile
from itertools import product

from tests.gallery.sheets import (
    BOTH,
    BY_ROW,
    CRITERIA,
    FLUENCY,
    GRID_ROWS,
    ITEM_ROWS,
    ITEMS,
    JUDGES,
    NAMED_TEXTS,
    STAMP,
    TEXTS,
    VALUES,
    Case,
    criteria,
    fluency_of,
    in_words,
    long,
    numbered,
    table,
    wide,
)

HABITS: list[Case] = []

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def add(name, files, wanted, **settings):
    """Put a case into the gallery; one text is a .csv."""
    named = {f"{name}.csv": files} if isinstance(files, str | bytes) else files
    HABITS.append(Case(name=name, files=named, wanted=wanted, **settings))


def workbook(sheets, merged=()):
    """Write a workbook: rows of cells for each name, and cells that are merged in the first."""
    stream = io.BytesIO()
    names = list(sheets)
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(names, 1)
    )
    links = "".join(
        f'<Relationship Id="r{n}" Type="{LINKS}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(names) + 1)
    )
    root = f'<Relationship Id="r1" Type="{LINKS}/officeDocument" Target="xl/workbook.xml"/>'
    around = f'<Relationships xmlns="{PACKAGE}/relationships">%s</Relationships>'
    with zipfile.ZipFile(stream, "w") as book:
        book.writestr("[Content_Types].xml", f'<Types xmlns="{PACKAGE}/content-types"/>')
        book.writestr("_rels/.rels", around % root)
        book.writestr("xl/_rels/workbook.xml.rels", around % links)
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{LINKS}"><sheets>{listed}</sheets></workbook>',
        )
        for n, rows in enumerate(sheets.values(), 1):
            book.writestr(f"xl/worksheets/sheet{n}.xml", _sheet(rows, merged if n == 1 else ()))
    return stream.getvalue()


def _sheet(rows, merged):
    lines = [
        f'<row r="{r}">{"".join(_cell(chr(65 + c) + str(r), v) for c, v in enumerate(row))}</row>'
        for r, row in enumerate(rows, 1)
    ]
    ranges = "".join(f'<mergeCell ref="{place}"/>' for place in merged)
    merges = f"<mergeCells>{ranges}</mergeCells>" if merged else ""
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData>{merges}</worksheet>'


def _cell(place, value):
    if value in (None, ""):
        return ""
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


# what Excel and its neighbours write

add("utf-16-tabs", {"a.txt": table(long(), "\t").encode("utf-16")}, FLUENCY)
add("utf-16-semicolons", table(long(), ";").encode("utf-16"), FLUENCY)
add("mark-and-semicolons", "\ufeff" + table(long(), ";"), FLUENCY)
add("windows-lines", table(long()).replace("\n", "\r\n").encode(), FLUENCY)
add("old-mac-lines", table(long()).replace("\n", "\r").encode(), FLUENCY)
add(
    "trailing-empty-columns",
    table([[*row, "", "", ""] for row in long()]),
    FLUENCY,
)
add(
    "trailing-empty-columns-wide",
    table([[*row, "", ""] for row in wide()]),
    FLUENCY,
)
add("trailing-empty-rows", table(long()) + ",,\n,,\n,,\n", FLUENCY)
add(
    "decimal-commas-wide",
    table([[r[0], *(f"{v},5" for v in r[1:])] if n else r for n, r in enumerate(wide())], ";"),
    {k: v + 0.5 for k, v in FLUENCY.items()},
)
add(
    "decimal-commas-some",
    table(long(show=lambda v: "3,5" if v == 3 else v), ";"),
    {k: 3.5 if v == 3 else v for k, v in FLUENCY.items()},
)
add("pipes", {"a.txt": table(long(), "|")}, FLUENCY)
add(
    "quoted-everything",
    "\n".join(",".join(f'"{cell}"' for cell in row) for row in long()) + "\n",
    FLUENCY,
)
add(
    "lines-within-cells",
    table(
        [
            ("item", "text", "judge", "rating"),
            *((i, f"A text;\nof two lines, {i}", j, v) for (i, j), v in FLUENCY.items()),
        ]
    ),
    FLUENCY,
)
add("upper-case-names", table(long(("ITEM_ID", "RATER_ID", "SCORE"))), FLUENCY)
add("spaces-in-names", table(long((" item ", "judge ", " rating"))), FLUENCY)

# merged cells and several sheets

add(
    "merged-judges",
    {
        "a.xlsx": workbook(
            {
                "Ratings": [
                    ["", "Ann", "", "Bo", "", "Cy", ""],
                    ["item", *CRITERIA * 3],
                    *GRID_ROWS,
                ]
            },
            ("B1:C1", "D1:E1", "F1:G1"),
        )
    },
    BOTH,
)
add(
    "merged-items",
    {
        "a.xlsx": workbook(
            {
                "Ratings": [
                    ["item", "judge", "rating"],
                    *([i if j == "Ann" else "", j, FLUENCY[i, j]] for i in ITEMS for j in JUDGES),
                ]
            },
            ("A2:A4", "A5:A7", "A8:A10", "A11:A13"),
        )
    },
    FLUENCY,
)
add(
    "items-named-once",
    table(
        [
            ["item", "judge", "rating"],
            *([i if j == "Ann" else "", j, FLUENCY[i, j]] for i in ITEMS for j in JUDGES),
        ]
    ),
    FLUENCY,
    way_out={"fill": "item"},
    names="item",
)
add(
    "notes-sheet-last",
    {
        "a.xlsx": workbook(
            {"Ratings": long(), "Notes": [["Bo was ill on Monday"], ["Ask Cy about S2"]]}
        )
    },
    FLUENCY,
)
add(
    "notes-sheet-first",
    {
        "a.xlsx": workbook(
            {"Read me": [["Ratings of March"], ["1 is bad, 5 is good"]], "Ratings": long()}
        )
    },
    FLUENCY,
)
add(
    "sheet-per-judge",
    {
        "a.xlsx": workbook(
            {j: [("item", "rating"), *((i, FLUENCY[i, j]) for i in ITEMS)] for j in JUDGES}
        )
    },
    FLUENCY,
)
add(
    "sheet-per-judge-and-summary",
    {
        "a.xlsx": workbook(
            {
                **{j: [("item", "rating"), *((i, FLUENCY[i, j]) for i in ITEMS)] for j in JUDGES},
                "Summary": [("", "mean"), ("Ann", 2.75), ("Bo", 2.75), ("Cy", 3.25)],
            }
        )
    },
    FLUENCY,
)
add(
    "title-over-a-sheet",
    {
        "a.xlsx": workbook(
            {"Sheet1": [["Fluency, main study", "", "", ""], [], *wide()]}, ("A1:D1",)
        )
    },
    FLUENCY,
)

# what stands beside ratings

add(
    "a-comment-per-rating",
    table(
        [
            ("item", *(name for j in JUDGES for name in (j, f"{j} comment"))),
            *(
                (i, *(c for j in JUDGES for c in (FLUENCY[i, j], f"because {i} by {j}")))
                for i in ITEMS
            ),
        ]
    ),
    FLUENCY,
)
add(
    "a-numeric-confidence-per-rating",
    table(
        [
            ("item", "judge", "rating", "confidence"),
            *((i, j, v, 1 + v % 3) for (i, j), v in FLUENCY.items()),
        ]
    ),
    FLUENCY,
)
add(
    "timestamps",
    table(
        [
            ("timestamp", "item", "judge", "rating"),
            *(
                (f"2026-03-01T10:{n:02}:00Z", i, j, v)
                for n, ((i, j), v) in enumerate(FLUENCY.items())
            ),
        ]
    ),
    FLUENCY,
)
add(
    "e-mail-addresses",
    table(
        [
            ("Email Address", "Text ID", "Score"),
            *((f"{j.lower()}@example.org", i, v) for (i, j), v in FLUENCY.items()),
        ]
    ),
    numbered(FLUENCY, {j: f"{j.lower()}@example.org" for j in JUDGES}),
)
add(
    "initials-in-the-names",
    table(wide(("id", "Score (AB)", "Score (CD)", "Score (EF)"))),
    numbered(FLUENCY, dict(zip(JUDGES, ("Score (AB)", "Score (CD)", "Score (EF)"), strict=True))),
)
add(
    "names-of-several-words",
    table(wide(("id", "Ann Smith", "Bo Jones", "Cy Brown"))),
    numbered(FLUENCY, dict(zip(JUDGES, ("Ann Smith", "Bo Jones", "Cy Brown"), strict=True))),
)
add(
    "length-beside",
    table([[*row, "n_tokens" if n == 0 else 10 + 7 * n] for n, row in enumerate(wide())]),
    FLUENCY,
)
add(
    "a-length-in-range",
    table([[*row, "length" if n == 0 else n] for n, row in enumerate(wide())]),
    FLUENCY,
)
add(
    "a-metric-beside",
    table([[*row, "BLEU" if n == 0 else 0.1 * n] for n, row in enumerate(wide())]),
    FLUENCY,
)
add(
    "a-metric-on-the-same-scale",
    table([[*row, "predicted" if n == 0 else n] for n, row in enumerate(wide())]),
    FLUENCY,
)
add(
    "gold-beside",
    table([[*row, "gold" if n == 0 else n] for n, row in enumerate(wide())]),
    FLUENCY,
)
add(
    "age-and-gender",
    table(
        [
            ["Timestamp", "How old are you?", "Gender", *TEXTS],
            *([STAMP, 30 + n, "f", *fluency_of(j)] for n, j in enumerate(JUDGES)),
        ]
    ),
    numbered(FLUENCY, BY_ROW, NAMED_TEXTS),
)
for name, systems in {
    "system-columns": ("SystemA", "SystemB"),
    "model-columns": ("T5", "GPT-4"),
}.items():
    add(
        name,
        table(
            [
                ("source", "judge", *systems),
                *((i, j, BOTH[i, j, "fluency"], BOTH[i, j, "adequacy"]) for i, j in FLUENCY),
            ]
        ),
        {
            (f"{i} / {system}", j): BOTH[i, j, criterion]
            for i, j in FLUENCY
            for system, criterion in zip(systems, CRITERIA, strict=True)
        },
        asks=name == "model-columns",
    )

# totals, pivots, and rows that are not ratings

add(
    "pivot",
    table(
        [
            ("Average of score", "Column Labels", "", "", ""),
            ("Row Labels", "Ann", "Bo", "Cy", "Grand Total"),
            *((i, *row, sum(row)) for i, row in zip(ITEMS, VALUES["fluency"], strict=True)),
            ("Grand Total", 11, 11, 13, 35),
        ]
    ),
    FLUENCY,
)
add(
    "subtotals",
    table(
        [
            ("item", "judge", "rating"),
            *(
                row
                for i in ITEMS
                for row in (*((i, j, FLUENCY[i, j]) for j in JUDGES), (f"{i} Total", "", 9))
            ),
        ]
    ),
    FLUENCY,
)
add(
    "mean-row-within",
    table([*wide()[:3], ("Mean", 2, 2.5, 2.5), *wide()[3:]]),
    FLUENCY,
)
add("header-again", table([*long()[:7], long()[0], *long()[7:]]), FLUENCY)

# answers as they are typed

add(
    "number-and-word",
    table(long(show=lambda v: f"{v} ({('awful', 'poor', 'so-so', 'good', 'great')[v - 1]})")),
    FLUENCY,
)
add(
    "percentages-without-space",
    table(long(show=lambda v: f"{20 * v}%")),
    {k: 20 * v for k, v in FLUENCY.items()},
)
add(
    "true-and-false",
    table(long(show=lambda v: "TRUE" if v > 2 else "FALSE")),
    {k: "true" if v > 2 else "false" for k, v in FLUENCY.items()},
)
add(
    "shouted-likert",
    table(
        long(
            show=lambda v: ("STRONGLY DISAGREE", "disagree", "Neutral", "AGREE", "strongly Agree")[
                v - 1
            ]
        )
    ),
    in_words(("strongly disagree", "disagree", "neutral", "agree", "strongly agree")),
)
for name, words in {
    "german-quality": ("Sehr schlecht", "Schlecht", "Mittel", "Gut", "Sehr gut"),
    "german-applies": (
        "trifft nicht zu",
        "trifft eher nicht zu",
        "teils/teils",
        "trifft eher zu",
        "trifft zu",
    ),
    "spanish": (
        "Totalmente en desacuerdo",
        "En desacuerdo",
        "Ni de acuerdo ni en desacuerdo",
        "De acuerdo",
        "Totalmente de acuerdo",
    ),
    "chinese": ("非常不同意", "不同意", "一般", "同意", "非常同意"),
    "chinese-quality": ("很差", "差", "一般", "好", "很好"),
    "italian": (
        "Per niente d'accordo",
        "In disaccordo",
        "Neutrale",
        "D'accordo",
        "Molto d'accordo",
    ),
    "japanese": (
        "まったくそう思わない",
        "そう思わない",
        "どちらでもない",
        "そう思う",
        "強くそう思う",
    ),
    "emoji": ("😡", "🙁", "😐", "🙂", "😍"),
}.items():
    add(
        f"likert-{name}",
        table(long(show=lambda v, words=words: words[v - 1])),
        {k: w.lower() for k, w in in_words(words).items()},
        order=words,
    )
add(
    "thumbs",
    table(long(show=lambda v: "👍" if v > 2 else "👎")),
    {k: "👍" if v > 2 else "👎" for k, v in FLUENCY.items()},
)
add(
    "missing-in-several-ways",
    table(long(show=lambda v: {1: "n/a", 2: "Don’t know"}.get(v, v))),
    {k: v for k, v in FLUENCY.items() if v > 2},
)
add(
    "minus-99",
    table(long(show=lambda v: -99 if v == 1 else v)),
    {k: v for k, v in FLUENCY.items() if v > 1},
    way_out={"answers": {"-99": ""}},
    names="-99",
)
add(
    "999-for-missing",
    table(long(show=lambda v: 999 if v == 1 else v)),
    {k: v for k, v in FLUENCY.items() if v > 1},
    way_out={"answers": {"999": ""}},
    names="999",
)
add(
    "sliders",
    table(long(("stimulus", "participant", "slider"), show=lambda v: 17 * v)),
    {k: 17 * v for k, v in FLUENCY.items()},
)
add(
    "ranks-in-words",
    table(
        long(("item", "judge", "rank"), show=lambda v: ("1st", "2nd", "3rd", "4th", "5th")[v - 1])
    ),
    FLUENCY,
)
add(
    "letters",
    table(long(("essay", "teacher", "grade"), show=lambda v: "FDCBA"[v - 1])),
    {k: "fdcba"[v - 1] for k, v in FLUENCY.items()},
)
add(
    "two-answers-in-a-cell",
    table(long(show=lambda v: "3 or 4" if v == 4 else v)),
    {k: v for k, v in FLUENCY.items() if v != 4},
    way_out={"answers": {"3 or 4": ""}},
    names="3 or 4",
)
add(
    "half-points",
    table(long(show=lambda v: "3-4" if v == 4 else v)),
    {k: 3.5 if v == 4 else v for k, v in FLUENCY.items()},
    way_out={"answers": {"3-4": "3.5"}},
    names="3-4",
)
add(
    "question-marks",
    table(long(show=lambda v: "4?" if v == 4 else v)),
    FLUENCY,
    way_out={"answers": {"4?": "4"}},
    names="4?",
)
add(
    "stars-after",
    table(long(show=lambda v: f"{v}*" if v == 4 else v)),
    FLUENCY,
    way_out={"answers": {"4*": "4"}},
    names="4*",
)

# who and when

add(
    "resubmission",
    table(
        [
            ["Timestamp", "Your name", *TEXTS],
            *([STAMP, j, *fluency_of(j)] for j in JUDGES),
            [STAMP, "Ann", *fluency_of("Bo")],
        ]
    ),
    numbered(FLUENCY, None, NAMED_TEXTS),
    names="first",
    way_out={"repeats": "first"},
)
FORM = ("Which summary are you rating?", "Your name", "How fluent is it?", "How adequate is it?")
IN_FORM = {
    (i, j, FORM[2 + CRITERIA.index(criterion)]): value for (i, j, criterion), value in BOTH.items()
}
add(
    "form-sent-once-per-item",
    table(
        [
            ["Timestamp", *FORM, "Comments"],
            *([STAMP, *row, "odd" if n == 3 else ""] for n, row in enumerate(criteria()[1:])),
        ]
    ),
    IN_FORM,
)
add(
    "form-sent-once-per-numbered-item",
    table(
        [
            ["Zeitstempel", "Text-Nr.", "Name", "fluency", "adequacy"],
            *([STAMP, ITEM_ROWS[i], *rest] for i, *rest in criteria()[1:]),
        ],
        ";",
    ),
    numbered(BOTH, None, ITEM_ROWS),
)
add(
    "form-nobody-signed",
    table(
        [
            ["Timestamp", "Which text did you get?", "Easy to read", "Keeps the story"],
            *([STAMP, i, *rest] for i, _, *rest in criteria()[1:]),
        ]
    ),
    {
        (i, 1 + JUDGES.index(j), "Easy to read" if c == "fluency" else "Keeps the story"): value
        for (i, j, c), value in BOTH.items()
    },
    way_out={
        "wide": ["Easy to read", "Keeps the story"],
        "names": "{criterion}",
        "item": "Which text did you get?",
        "judges": "slots",
    },
    names="Which text did you get?",
)
add(
    "names-in-arabic",
    table(
        [
            ["النص", "المقيّم", "fluency", "adequacy"],
            *([ITEM_ROWS[i], *rest] for i, *rest in criteria()[1:]),
        ]
    ),
    numbered(BOTH, None, ITEM_ROWS),
)
add(
    "items-without-a-heading",
    table(
        [
            ["", "Annotator 1", "Annotator 2", "Annotator 3"],
            *((item, *values) for item, *values in wide()[1:]),
        ]
    ),
    numbered(FLUENCY, dict(zip(JUDGES, (f"Annotator {n}" for n in (1, 2, 3)), strict=True))),
)
add(
    "form-in-japanese",
    table(criteria(("文番号", "評価者", "fluency", "adequacy"))),
    BOTH,
)
add(
    "time-spent-beside-ratings",
    table(
        [
            ["item_id", "PROLIFIC_PID", "fluency", "adequacy", "time_spent"],
            *([*row, 12.25 + n] for n, row in enumerate(criteria()[1:])),
        ]
    ),
    BOTH,
)
add(
    "annotator-criteria-sentences",
    table(criteria(("sent_id", "annotator", "Fluency (1-5)", "Adequacy (1-5)"))),
    {(i, j, f"{c.capitalize()} (1-5)"): v for (i, j, c), v in BOTH.items()},
)
add(
    "questions-as-names",
    table(
        criteria(
            ("Item", "Rater", "How fluent is the text?", "Does it keep the meaning of the source?")
        )
    ),
    {
        (
            i,
            j,
            {"fluency": "How fluent is the text?"}.get(
                c, "Does it keep the meaning of the source?"
            ),
        ): v
        for (i, j, c), v in BOTH.items()
    },
)
add(
    "criterion-and-judge-number",
    table(
        [
            ["ID", *(f"{c}_rater{n}" for n, c in product((1, 2, 3), CRITERIA))],
            *GRID_ROWS,
        ]
    ),
    {(i, f"rater{BY_ROW[j]}", c): v for (i, j, c), v in BOTH.items()},
)
add(
    "judge-dash-criterion",
    table([["ID", *(f"{j} - {c}" for j in JUDGES for c in CRITERIA)], *GRID_ROWS]),
    BOTH,
)
add(
    "criterion-in-brackets",
    table([["ID", *(f"{j} ({c})" for j in JUDGES for c in CRITERIA)], *GRID_ROWS]),
    BOTH,
)
add(
    "numbered-rows-and-judges",
    table([["#", "1", "2", "3"], *([n, *row] for n, row in enumerate(VALUES["fluency"], 1))]),
    numbered(FLUENCY, BY_ROW, ITEM_ROWS),
    asks=True,
)
add(
    "two-criteria-side-by-side",
    table(
        [
            ["fluency", "", "", "", "", "adequacy", "", "", ""],
            ["item", *JUDGES, "", "item", *JUDGES],
            *(
                [i, *VALUES["fluency"][n], "", i, *VALUES["adequacy"][n]]
                for n, i in enumerate(ITEMS)
            ),
        ]
    ),
    BOTH,
)

# several tables, pairs of columns, names that differ in capitals

add(
    "judge-and-score-pairs",
    table(
        [
            ("item", "rater1", "score1", "rater2", "score2", "rater3", "score3"),
            *(
                (
                    i,
                    *(
                        cell
                        for j in (JUDGES if n % 2 else JUDGES[::-1])
                        for cell in (j, FLUENCY[i, j])
                    ),
                )
                for n, i in enumerate(ITEMS)
            ),
        ]
    ),
    FLUENCY,
)
STACKED = [
    *wide(),
    ("Adequacy", "", "", ""),
    *((f"{i}b", *values) for i, values in zip(ITEMS, VALUES["adequacy"], strict=True)),
]
add(
    "tables-under-each-other",
    table(STACKED),
    FLUENCY,
    way_out={"rows": (2, 5)},
    names="rows=(2, 5)",
)
add(
    "winners",
    table(
        [
            ("question_id", "model_a", "model_b", "winner", "judge", "turn"),
            *((i, "x", "y", ("model_a", "tie")[v % 2], j, 1) for (i, j), v in FLUENCY.items()),
        ]
    ),
    {k: ("model_a", "tie")[v % 2] for k, v in FLUENCY.items()},
)
add(
    "hints-in-names",
    table(
        [
            ("started", "Rater initials", "Item no.", "Rating (1-7)"),
            *((f"2026-03-01 10:{n:02}", j, i, v) for n, ((i, j), v) in enumerate(FLUENCY.items())),
        ]
    ),
    FLUENCY,
)
add(
    "checkboxes",
    table(
        [
            ["Timestamp", "Your name", "Text 1", "Text 2"],
            [STAMP, "Ann", "fluent, clear", "fluent"],
            [STAMP, "Bo", "fluent", "clear"],
        ]
    ),
    {
        ("Text 1", "Ann"): "fluent, clear",
        ("Text 2", "Ann"): "fluent",
        ("Text 1", "Bo"): "fluent",
        ("Text 2", "Bo"): "clear",
    },
)
add(
    "row-numbers-and-texts",
    table(
        [
            ("id", "text", "rater", "score"),
            *((n, f"Text {i}", j, v) for n, ((i, j), v) in enumerate(FLUENCY.items(), 1)),
        ]
    ),
    numbered(FLUENCY, None, {i: f"Text {i}" for i in ITEMS}),
    asks=True,
)
add(
    "a-scale-under-each-name",
    table([("item", *JUDGES), ("", "(1-5)", "(1-5)", "(1-5)"), *wide()[1:]]),
    FLUENCY,
)

# answers in other digits and signs, ticks, reasons, and a judge who always answers alike

ALL_FIVE = {(i, j): 5 if j == JUDGES[2] else value for (i, j), value in FLUENCY.items()}
AGREEING = dict(enumerate(("sehr schlecht", "eher schlecht", "mittel", "eher gut", "sehr gut"), 1))


def by_judge(cells, shown=str):
    """A row for each item and a column for each judge."""
    rows = ([i, *(shown(cells[i, j]) for j in JUDGES)] for i in ITEMS)
    return table([["item", *JUDGES], *rows])


add("full-width-digits", by_judge(FLUENCY, lambda v: chr(0xFF10 + v)), FLUENCY)
add("circled-digits", table(long(show=lambda v: chr(0x245F + v))), FLUENCY)
add("digits-of-excel-text", table(long(show=lambda v: f'="{v}"')), FLUENCY)
add(
    "half-points-as-signs",
    table(long(show=lambda v: f"{v}½" if v < 3 else v)),
    {key: value + 0.5 if value < 3 else value for key, value in FLUENCY.items()},
)
add("emoji-stars", table(long(show=lambda v: "\u2b50\ufe0f" * v)), FLUENCY)
add("a-judge-with-one-answer-in-stars", by_judge(ALL_FIVE, lambda v: "★" * v), ALL_FIVE)
add(
    "a-judge-with-one-answer-in-words",
    by_judge(ALL_FIVE, AGREEING.get),
    {key: AGREEING[value] for key, value in ALL_FIVE.items()},
)
add(
    "missing-with-reasons",
    by_judge(FLUENCY, lambda v: v if v != 3 else "N/A (did not understand)"),
    {key: value for key, value in FLUENCY.items() if value != 3},
)
add(
    "mean-as-a-sign",
    table([["item", *JUDGES, "Ø"], *([i, *(FLUENCY[i, j] for j in JUDGES), 2.5] for i in ITEMS)]),
    FLUENCY,
)
add(
    "ticks-under-numbers",
    table(
        [
            ["item", "judge", *range(1, 6)],
            *(
                [i, j, *("x" if n == v else "" for n in range(1, 6))]
                for (i, j), v in FLUENCY.items()
            ),
        ]
    ),
    FLUENCY,
)
BANDS = {1: "poor", 2: "poor", 3: "fair", 4: "good", 5: "good"}
add(
    "one-column-per-answer",
    table(
        [
            ["item", "judge", "good", "fair", "poor"],
            *(
                [i, j, *(int(BANDS[v] == name) for name in ("good", "fair", "poor"))]
                for (i, j), v in FLUENCY.items()
            ),
        ]
    ),
    {key: BANDS[value] for key, value in FLUENCY.items()},
    order=("poor", "fair", "good"),
)
add(
    "comment-rows",
    "# three judges\n" + table(long()[:4]) + "# a pause\n" + table(long()[4:]),
    FLUENCY,
)
add("spaces-between", {"a.txt": table(long(), " ")}, FLUENCY)
add(
    "percent-among-shares",
    table(long(show=lambda v: f"{20 * v}%" if v > 2 else v / 5)),
    {key: 20 * value for key, value in FLUENCY.items()},
    way_out={
        "answers": {"0.2": "20", "0.4": "40", **{f"{20 * v}%": str(20 * v) for v in (3, 4, 5)}}
    },
    names="'60%'",
)
add(
    "corrected-by-hand",
    table(long(show=lambda v: "3 (was 2)" if v == 3 else v)),
    FLUENCY,
    way_out={"answers": {"3 (was 2)": "3"}},
    names="'3 (was 2)'",
)
add(
    "sheets-with-other-columns",
    {
        "a.xlsx": workbook(
            {
                j: [["item", "score", *(["comment"] if j == JUDGES[0] else [])]]
                + [[i, FLUENCY[i, j], *(["ok"] if j == JUDGES[0] else [])] for i in ITEMS]
                for j in JUDGES
            }
        )
    },
    FLUENCY,
)
