"""Exports of survey tools as they come: other languages, rows of tables, codes beside texts."""

from tests.gallery.habits import workbook
from tests.gallery.sheets import (
    ANSWERED,
    BOTH,
    BY_ROW,
    CRITERIA,
    FLUENCY,
    ITEMS,
    JUDGES,
    QUALTRICS,
    STAMP,
    VALUES,
    Case,
    both_of,
    fluency_of,
    numbered,
    table,
)

PAIRS = ((1, "A"), (1, "B"), (2, "A"), (2, "B"))
"""Two sources with the outputs of two systems: the four items, taken so."""

OUTPUTS = dict(zip(ITEMS, (f"{n} / {s}" for n, s in PAIRS), strict=True))
MAILS = {judge: f"{judge}@x.org" for judge in JUDGES}
SPANISH = dict(
    enumerate(
        (
            "Totalmente en desacuerdo",
            "En desacuerdo",
            "Ni de acuerdo ni en desacuerdo",
            "De acuerdo",
            "Totalmente de acuerdo",
        ),
        start=1,
    )
)


def declined(judge, words, refusal):
    """What a judge said on fluency in words; the first did not answer the last question."""
    answers = [words[value] for value in fluency_of(judge)]
    return [*answers[:-1], refusal] if judge == JUDGES[0] else answers


def in_words(words):
    """What is left of fluency, in words, by the number of the text and the judge's address."""
    return {
        (f"Texto {ITEMS.index(item) + 1}", MAILS[judge]): words[value]
        for (item, judge), value in FLUENCY.items()
        if (item, judge) != (ITEMS[-1], JUDGES[0])
    }


def rows_by(question, *, show=str, before=lambda number, judge: [STAMP], head=("Timestamp",)):
    """One row per respondent, with a column for each item and criterion."""
    columns = [question(n, s, c) for n, s in PAIRS for c in CRITERIA]
    rows = [
        [*before(number, judge), *map(show, both_of(judge))]
        for number, judge in enumerate(JUDGES, start=1)
    ]
    return [[*head, *columns], *rows]


LIME = ("id. Response ID", "submitdate. Date submitted", "lastpage. Last page", "seed. Seed")
MICROSOFT = ("ID", "Start time", "Completion time", "Email", "Name")
TEXT = "Please read text {} by {}. [{}]"
CODED = [f"Q{number}_{row}" for number in (2, 3, 4, 5) for row in (1, 2)]
META = {"Status": "Response Type", "ResponseId": "Response ID", "StartDate": "Start Date"}

FORMS = [
    Case(
        name="google-forms-spanish-declined",
        files={
            "a.csv": table(
                [
                    [
                        "Marca temporal",
                        "Dirección de correo electrónico",
                        *(f"El texto es fluido [Texto {n}]" for n in (1, 2, 3, 4)),
                    ],
                    *(
                        [STAMP, MAILS[j], *declined(j, SPANISH, "Prefiero no contestar")]
                        for j in JUDGES
                    ),
                ]
            )
        },
        wanted={key: value.lower() for key, value in in_words(SPANISH).items()},
    ),
    Case(
        name="google-forms-outputs-of-numbered-items",
        files={"a.csv": table(rows_by(lambda n, s, c: f"{n}. Rate the {c} of each output [{s}]"))},
        wanted=numbered(BOTH, BY_ROW, OUTPUTS),
    ),
    Case(
        name="google-forms-names-say-the-system",
        files={"a.csv": table(rows_by(TEXT.format))},
        said={"names": "Please read text {item} by {system}. [{criterion}]"},
        wanted=numbered(BOTH, BY_ROW, OUTPUTS),
    ),
    Case(
        name="google-forms-names-say-the-source",
        files={"a.csv": table(rows_by(TEXT.format))},
        said={"names": "Please read text {source} by {system}. [{criterion}]"},
        wanted=numbered(BOTH, BY_ROW, OUTPUTS),
    ),
    Case(
        name="microsoft-forms-rows-of-a-table",
        files={
            "a.csv": table(
                rows_by(
                    "Text {} ({}).{}".format,
                    before=lambda n, j: [n, "3/1/26 10:00", "3/1/26 10:09", "anonymous", ""],
                    head=MICROSOFT,
                )
            )
        },
        wanted=numbered(
            BOTH, BY_ROW, {i: f"Text {n} ({s})" for i, (n, s) in zip(ITEMS, PAIRS, strict=True)}
        ),
    ),
    Case(
        name="limesurvey-codes-and-texts",
        files={
            "a.csv": table(
                rows_by(
                    lambda n, s, c: f"T{n}{s}[{c}]. Rate text {n} [{c}]",
                    show="A{}".format,
                    before=lambda n, j: [n, "2026-03-01 10:00:00", 3, 98765 + n],
                    head=LIME,
                )
            )
        },
        wanted=numbered(
            BOTH, BY_ROW, {i: f"T{n}{s}" for i, (n, s) in zip(ITEMS, PAIRS, strict=True)}
        ),
    ),
    Case(
        name="qualtrics-texts-of-rows",
        files={
            "a.csv": table(
                [
                    [*QUALTRICS, *CODED],
                    [
                        *(META.get(name, name) for name in QUALTRICS),
                        *(
                            f"Rate this.\n\nText {n} ({s}) - {c}"
                            for n, s in PAIRS
                            for c in CRITERIA
                        ),
                    ],
                    [f'{{"ImportId":"{name}"}}' for name in (*QUALTRICS, *CODED)],
                    *([*ANSWERED, f"R_{j}", *both_of(j)] for j in JUDGES),
                ]
            )
        },
        wanted=numbered(
            BOTH,
            {j: f"R_{j}" for j in JUDGES},
            {i: f"Rate this. Text {n} ({s})" for i, (n, s) in zip(ITEMS, PAIRS, strict=True)},
        ),
    ),
    Case(
        name="three-rows-of-merged-names",
        files={
            "a.xlsx": workbook(
                {
                    "Ratings": [
                        ["Our evaluation, do not edit"],
                        [],
                        ["Item", "Alpha", *[None] * 5, "Beta", *[None] * 5],
                        [None, *["fluency", None, None, "adequacy", None, None] * 2],
                        [None, *JUDGES * 4],
                        *(
                            [
                                n,
                                *(
                                    value
                                    for item in (2 * n - 2, 2 * n - 1)
                                    for c in CRITERIA
                                    for value in VALUES[c][item]
                                ),
                            ]
                            for n in (1, 2)
                        ),
                        ["Mean", *[3] * 12],
                    ]
                },
                merged=(*("A3:A5", "B3:G3", "H3:M3", "B4:D4", "E4:G4", "H4:J4", "K4:M4"),),
            )
        },
        said={"names": "{system} / {criterion} / {judge}"},
        wanted=numbered(
            BOTH,
            None,
            {
                i: f"{n} / {'Alpha' if s == 'A' else 'Beta'}"
                for i, (n, s) in zip(ITEMS, PAIRS, strict=True)
            },
        ),
    ),
]
