"""The gallery: files in the shapes that people have, made here, each with the reading it wants.

All of them hold the same small study: four texts, three judges, fluency and adequacy from 1 to 5.
"""

import csv
import io
import json
from dataclasses import dataclass, field
from typing import Any

ITEMS, JUDGES, CRITERIA = ("S1", "S2", "S3", "S4"), ("Ann", "Bo", "Cy"), ("fluency", "adequacy")
VALUES = {
    "fluency": ((1, 2, 1), (3, 3, 4), (5, 4, 5), (2, 2, 3)),
    "adequacy": ((2, 2, 3), (4, 5, 4), (5, 5, 5), (1, 3, 1)),
}
BOTH = {
    (item, judge, criterion): VALUES[criterion][i][j]
    for i, item in enumerate(ITEMS)
    for j, judge in enumerate(JUDGES)
    for criterion in CRITERIA
}
FLUENCY = {(i, j): value for (i, j, criterion), value in BOTH.items() if criterion == "fluency"}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A file of the gallery: its content, and the ratings a person would want.

    `asks` says that two readings are possible and one of them is meant; `way_out` what must be said
    where the file is refused, and `names` what the refusal must name; `order` the answers from low
    to high. `folder` is read instead of the files themselves.
    """

    name: str
    files: dict[str, str | bytes]
    wanted: dict[tuple[Any, ...], Any]
    said: dict[str, Any] = field(default_factory=dict)
    asks: bool = False
    way_out: dict[str, Any] | None = None
    names: str = ""
    order: tuple[str, ...] = ()
    folder: str = ""


def table(rows, separator=","):
    """Write rows as text."""
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator, lineterminator="\n").writerows(rows)
    return stream.getvalue()


def long(header=("item", "judge", "rating"), ratings=FLUENCY, show=lambda value: value):
    """One row per rating."""
    return [header, *((*key, show(value)) for key, value in ratings.items())]


def wide(header=None, names=JUDGES, items=ITEMS):
    """One row per item, one column per judge, fluency alone."""
    rows = zip(items, VALUES["fluency"], strict=True)
    return [header or ("item", *names), *((item, *values) for item, values in rows)]


def criteria(header=("item", "judge", "fluency", "adequacy")):
    """One row per item and judge, one column per criterion."""
    return [
        header,
        *((i, j, BOTH[i, j, "fluency"], BOTH[i, j, "adequacy"]) for i in ITEMS for j in JUDGES),
    ]


def respondents(questions, values, ids=JUDGES, before=(), header=()):
    """One row per respondent; `values` gives the answers of each."""
    return [
        [*header, *questions],
        *([*before, judge, *values(judge)] for judge in ids),
    ]


def fluency_of(judge):
    """What a judge said on fluency, item by item."""
    return [FLUENCY[item, judge] for item in ITEMS]


def both_of(judge):
    """What a judge said on both, item by item."""
    return [BOTH[item, judge, criterion] for item in ITEMS for criterion in CRITERIA]


def numbered(ratings, judges=None, items=None):
    """Rename judges and items."""
    judges, items = judges or {}, items or {}
    return {
        (items.get(key[0], key[0]), judges.get(key[1], key[1]), *key[2:]): value
        for key, value in ratings.items()
    }


BY_ROW = dict(zip(JUDGES, (1, 2, 3), strict=True))
ITEM_ROWS = dict(zip(ITEMS, (1, 2, 3, 4), strict=True))

CASES: list[Case] = []


def add(name, files, wanted, **settings):
    """Put a case into the gallery; one text is a .csv."""
    named = {f"{name}.csv": files} if isinstance(files, str | bytes) else files
    CASES.append(Case(name=name, files=named, wanted=wanted, **settings))


# one row per rating, under the field's names

for number, header in enumerate(
    (
        ("item", "judge", "rating"),
        ("doc_id", "annotator", "score"),
        ("sample", "rater", "label"),
        ("hit_id", "worker", "answer"),
        ("patient", "observer", "grade"),
        ("Segment ID", "Annotator ID", "Score"),
        ("text_id", "PROLIFIC_PID", "response"),
        ("document", "coder", "value"),
    ),
    start=1,
):
    add(f"long-{number}", table(long(header)), FLUENCY)
add("semicolons", table(long(), ";"), FLUENCY)
add("tabs", {"tabs.tsv": table(long(), "\t")}, FLUENCY)
add("byte-order-mark", "\ufeff" + table(long()), FLUENCY)
add("excel-sep-line", "sep=;\n" + table(long(), ";"), FLUENCY)
add(
    "latin-1",
    table(numbered_rows := long()).replace("Ann", "Änn").encode("windows-1252"),
    numbered(FLUENCY, {"Ann": "Änn"}),
)
add("utf-16", table(long()).encode("utf-16"), FLUENCY)
add(
    "pandas-index",
    table([["", *long()[0]], *([n, *row] for n, row in enumerate(long()[1:]))]),
    FLUENCY,
)
add("with-criterion", table(long(("item", "judge", "aspect", "rating"), BOTH)), BOTH)
add(
    "comments-beside",
    table([[*row, "fine, really"] for row in long()]).replace(
        'rating,"fine, really"', "rating,comment"
    ),
    FLUENCY,
)
add("title-above", "Study of March 2026,,\n,,\n" + table(long()), FLUENCY)
add("two-titles", "Results,,\nexported 2026-03-01,,\n" + table(long()), FLUENCY)
add("average-below", table([*wide(), ("Average", 2.75, 2.75, 3.25)]), FLUENCY)
add(
    "mean-and-sd-below",
    table([*wide(), ("Mean", 2.75, 2.75, 3.25), ("SD", 1.7, 1.0, 1.7)]),
    FLUENCY,
)
add(
    "average-below-after-a-gap",
    table([*wide(), ("", "", "", ""), ("MEAN:", 2.75, 2.75, 3.25)]),
    FLUENCY,
)
add("footnote", table([*wide(), ("* judged twice by Bo", "", "", "")]), FLUENCY)
add(
    "average-column",
    table([[*row, "Average" if n == 0 else 2] for n, row in enumerate(wide())]),
    FLUENCY,
)
add("titles-and-averages", "Fluency,,,\n,,,\n" + table([*wide(), ("Total", 11, 11, 13)]), FLUENCY)
add("blank-rows", table(long()).replace("S2,Ann", "\nS2,Ann"), FLUENCY)
add(
    "judge-as-mean-in-german",
    table([*wide(), ("Mittelwert", "2,75", "2,75", "3,25")], ";"),
    FLUENCY,
)

# a system's output for a source

SYSTEMS = {
    (f"d{d} / {system}", judge): 1 + (d + n + j) % 5
    for d in (1, 2, 3)
    for n, system in enumerate(("A", "B"))
    for j, judge in enumerate(JUDGES)
}
PARTED = [(*key.split(" / "), judge, value) for (key, judge), value in SYSTEMS.items()]
add("document-system", table([("document", "system", "annotator", "score"), *PARTED]), SYSTEMS)
add("item-under-systems", table([("item", "model", "rater", "rating"), *PARTED]), SYSTEMS)
add(
    "compound-key",
    table([("doc", "model", "rater", "rating"), *PARTED]),
    SYSTEMS,
    said={"item": "doc,model"},
)
add("prompt-and-model", table([("prompt", "model", "annotator", "label"), *PARTED]), SYSTEMS)
add(
    "latin-square",
    table([("doc_id", "system", "judge", "score"), *PARTED[::2]]),
    {(f"{d} / {s}", j): v for d, s, j, v in PARTED[::2]},
)
add(
    "retest",
    table(
        [
            ("item", "judge", "occasion", "rating"),
            *((i, j, o, v) for (i, j), v in FLUENCY.items() for o in (1, 2)),
        ]
    ),
    {(i, j, o): v for (i, j), v in FLUENCY.items() for o in (1, 2)},
)
add(
    "rounds",
    table(
        [
            ("item", "judge", "round", "rating"),
            *((i, j, o, v) for (i, j), v in FLUENCY.items() for o in ("pilot", "main")),
        ]
    ),
    {(i, j, o): v for (i, j), v in FLUENCY.items() for o in ("pilot", "main")},
)

# one column per judge or per criterion

add("wide", table(wide()), FLUENCY)
J = dict(zip(JUDGES, ("J1", "J2", "J3"), strict=True))
add("wide-numbered", table(wide(names=("J1", "J2", "J3"))), numbered(FLUENCY, J))
add(
    "wide-raters",
    table(wide(("id", "rater_1", "rater_2", "rater_3"))),
    numbered(FLUENCY, dict(zip(JUDGES, ("rater_1", "rater_2", "rater_3"), strict=True))),
)
add(
    "wide-without-item",
    table([row[1:] for row in wide(names=("J1", "J2", "J3"))]),
    numbered(FLUENCY, J, ITEM_ROWS),
)
add("wide-unknown-key", table(wide(("what", "Ann", "Bo", "Cy"))), FLUENCY, asks=True)
add(
    "wide-with-text",
    table(
        [
            [*row, "text" if n == 0 else "a long sentence that was judged"]
            for n, row in enumerate(wide())
        ]
    ),
    FLUENCY,
)
add(
    "matrix-without-names",
    table([row[1:] for row in wide()[1:]]),
    numbered(FLUENCY, {j: f"column {n}" for n, j in enumerate(JUDGES, 1)}, ITEM_ROWS),
    asks=True,
)
add("one-column-per-criterion", table(criteria()), BOTH)
add(
    "criteria-and-time",
    table([[*row, "time" if n == 0 else 12.5 + n] for n, row in enumerate(criteria())]),
    BOTH,
)
add(
    "criteria-and-comments",
    table([[*row, "comments" if n == 0 else f"remark {n}"] for n, row in enumerate(criteria())]),
    BOTH,
)
GRID = [f"{j}_{c}" for j in JUDGES for c in CRITERIA]
GRID_ROWS = [[i, *(BOTH[i, j, c] for j in JUDGES for c in CRITERIA)] for i in ITEMS]
add("judge-criterion", table([["item", *GRID], *GRID_ROWS]), BOTH)
add(
    "judge-criterion-dots",
    table([["item", *(n.replace("_", ".") for n in GRID)], *GRID_ROWS]),
    BOTH,
)
add(
    "judge-criterion-spaces",
    table([["item", *(n.replace("_", " ") for n in GRID)], *GRID_ROWS]),
    BOTH,
)
add(
    "criterion-judge",
    table([["item", *(f"{c}_{j}" for j in JUDGES for c in CRITERIA)], *GRID_ROWS]),
    BOTH,
)
add(
    "criterion-number",
    table([["item", *(f"{c}{n}" for n in (1, 2, 3) for c in CRITERIA)], *GRID_ROWS]),
    numbered(BOTH, BY_ROW),
)
add(
    "two-header-rows",
    table([["", "Ann", "", "Bo", "", "Cy", ""], ["item", *CRITERIA * 3], *GRID_ROWS]),
    BOTH,
)
add(
    "two-header-rows-repeated",
    table([["", *(j for j in JUDGES for _ in CRITERIA)], ["item", *CRITERIA * 3], *GRID_ROWS]),
    BOTH,
)
add(
    "two-header-rows-by-criterion",
    table(
        [
            ["", "fluency", "", "", "adequacy", "", ""],
            ["item", *JUDGES * 2],
            *([i, *VALUES["fluency"][n], *VALUES["adequacy"][n]] for n, i in enumerate(ITEMS)),
        ]
    ),
    BOTH,
)
add(
    "unknown-grid",
    table(
        [
            ["item", "A_x", "A_y", "B_x", "B_y"],
            *([i, *row[1:5]] for i, row in zip(ITEMS, GRID_ROWS, strict=True)),
        ]
    ),
    {
        (i, "AB"[n // 2], "xy"[n % 2]): row[1 + n]
        for i, row in zip(ITEMS, GRID_ROWS, strict=True)
        for n in range(4)
    },
    asks=True,
)
add("transposed-long", table([list(column) for column in zip(*long(), strict=True)]), FLUENCY)

# respondents in rows

TEXTS = [f"Text {n}" for n in (1, 2, 3, 4)]
NAMED_TEXTS = dict(zip(ITEMS, TEXTS, strict=True))
STAMP = "2026/03/01 10:00:00 AM GMT+1"
add(
    "google-forms",
    table([["Timestamp", *TEXTS], *([STAMP, *fluency_of(j)] for j in JUDGES)]),
    numbered(FLUENCY, BY_ROW, NAMED_TEXTS),
)
add(
    "google-forms-name",
    table([["Timestamp", "Your name", *TEXTS], *([STAMP, j, *fluency_of(j)] for j in JUDGES)]),
    numbered(FLUENCY, None, NAMED_TEXTS),
)
add(
    "google-forms-german",
    table(
        [
            ["Zeitstempel", "E-Mail", *TEXTS],
            *([STAMP, f"{j}@x.org", *fluency_of(j)] for j in JUDGES),
        ]
    ),
    numbered(FLUENCY, {j: f"{j}@x.org" for j in JUDGES}, NAMED_TEXTS),
)
add(
    "google-forms-grid",
    table(
        [
            ["Timestamp", *(f"How fluent is each text? [{t}]" for t in TEXTS)],
            *([STAMP, *fluency_of(j)] for j in JUDGES),
        ]
    ),
    numbered(FLUENCY, BY_ROW, NAMED_TEXTS),
)
add(
    "google-forms-two-grids",
    table(
        [
            ["Timestamp", *(f"{t} [{c}]" for t in TEXTS for c in CRITERIA)],
            *([STAMP, *both_of(j)] for j in JUDGES),
        ]
    ),
    numbered(BOTH, BY_ROW, NAMED_TEXTS),
)
add(
    "google-forms-grid-by-criterion",
    table(
        [
            ["Timestamp", *(f"Rate the {c} [{t}]" for t in TEXTS for c in CRITERIA)],
            *([STAMP, *both_of(j)] for j in JUDGES),
        ]
    ),
    {(NAMED_TEXTS[i], BY_ROW[j], f"Rate the {c}"): v for (i, j, c), v in BOTH.items()},
)
QUALTRICS = [
    "StartDate",
    "EndDate",
    "Status",
    "Progress",
    "Duration (in seconds)",
    "Finished",
    "RecordedDate",
    "ResponseId",
]
ANSWERED = [
    "2026-03-01 10:00:00",
    "2026-03-01 10:09:00",
    "0",
    "100",
    "540",
    "1",
    "2026-03-01 10:09:01",
]
add(
    "qualtrics",
    table(
        [
            [*QUALTRICS, "Q1", "Q2", "Q3", "Q4"],
            [
                "Start Date",
                "End Date",
                "Response Type",
                "Progress",
                "Duration (in seconds)",
                "Finished",
                "Recorded Date",
                "Response ID",
                *(f"How fluent is {t}?" for t in TEXTS),
            ],
            [f'{{"ImportId":"{name}"}}' for name in (*QUALTRICS, "QID1", "QID2", "QID3", "QID4")],
            *([*ANSWERED, f"R_{j}", *fluency_of(j)] for j in JUDGES),
        ]
    ),
    numbered(FLUENCY, {j: f"R_{j}" for j in JUDGES}, NAMED_TEXTS),
    asks=True,
)
MONKEY = [
    "Respondent ID",
    "Collector ID",
    "Start Date",
    "End Date",
    "IP Address",
    "Email Address",
    "First Name",
    "Last Name",
]
add(
    "surveymonkey",
    table(
        [
            [*MONKEY, *("How fluent is each text?", "", "", "")],
            [""] * len(MONKEY) + TEXTS,
            *(
                [f"1100{n}", "77", "03/01/2026", "03/01/2026", "", "", "", "", *fluency_of(j)]
                for n, j in enumerate(JUDGES)
            ),
        ]
    ),
    numbered(FLUENCY, {j: int(f"1100{n}") for n, j in enumerate(JUDGES)}, NAMED_TEXTS),
)
add(
    "limesurvey",
    table(
        [
            [
                "id. Response ID",
                "submitdate. Date submitted",
                "lastpage. Last page",
                "startlanguage. Start language",
                "seed. Seed",
                *(f"Q1[SQ00{n}]. {t}" for n, t in enumerate(TEXTS, 1)),
            ],
            *(
                [n, "2026-03-01 10:00:00", 3, "en", 98765 + n, *fluency_of(j)]
                for n, j in enumerate(JUDGES, 1)
            ),
        ]
    ),
    numbered(
        FLUENCY, BY_ROW, {i: f"Q1[SQ00{n}]. {t}" for n, (i, t) in enumerate(NAMED_TEXTS.items(), 1)}
    ),
)
add(
    "microsoft-forms",
    table(
        [
            ["ID", "Start time", "Completion time", "Email", "Name", *TEXTS],
            *(
                [n, "3/1/26 10:00", "3/1/26 10:09", "anonymous", "", *fluency_of(j)]
                for n, j in enumerate(JUDGES, 1)
            ),
        ]
    ),
    numbered(FLUENCY, BY_ROW, NAMED_TEXTS),
)
add("judges-in-rows", table([["judge", *ITEMS], *([j, *fluency_of(j)] for j in JUDGES)]), FLUENCY)
add(
    "annotators-in-rows",
    table(
        [["annotator", "item1", "item2", "item3", "item4"], *([j, *fluency_of(j)] for j in JUDGES)]
    ),
    numbered(FLUENCY, None, {i: f"item{n}" for n, i in enumerate(ITEMS, 1)}),
)
add(
    "nameless-respondents",
    table([["", *TEXTS], *([j, *fluency_of(j)] for j in JUDGES)]),
    numbered(FLUENCY, None, NAMED_TEXTS),
)
add(
    "one-item",
    table(
        [
            ["Timestamp", "Fluency", "Adequacy"],
            *([STAMP, BOTH["S1", j, "fluency"], BOTH["S1", j, "adequacy"]] for j in JUDGES),
        ]
    ),
    {(1, n, c.capitalize()): BOTH["S1", j, c] for n, j in enumerate(JUDGES, 1) for c in CRITERIA},
)

# answers in words

FIVE = ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")
QUALITY = ("Very poor", "Poor", "Fair", "Good", "Excellent")
GERMAN = ("Stimme gar nicht zu", "Stimme nicht zu", "Teils teils", "Stimme zu", "Stimme voll zu")
FRENCH = ("Pas du tout d'accord", "Pas d'accord", "Neutre", "D'accord", "Tout à fait d'accord")


def in_words(words):
    return {key: words[value - 1] for key, value in FLUENCY.items()}


for name, words in (("likert", FIVE), ("quality", QUALITY), ("german", GERMAN), ("french", FRENCH)):
    add(
        f"words-{name}",
        table(long(show=lambda v, words=words: words[v - 1])),
        in_words(words),
        order=words,
    )
add("labelled-numbers", table(long(show=lambda v: f"{v} - {QUALITY[v - 1]}")), FLUENCY)
add("labels-in-brackets", table(long(show=lambda v: f"{QUALITY[v - 1]} ({v})")), FLUENCY)
add("out-of-five", table(long(show=lambda v: f"{v}/5")), FLUENCY)
add("stars", table(long(show=lambda v: "★" * v + "☆" * (5 - v))), FLUENCY)
add("stars-in-words", table(long(show=lambda v: f"{v} stars" if v > 1 else "1 star")), FLUENCY)
add("percent", table(long(show=lambda v: f"{20 * v} %")), {k: 20 * v for k, v in FLUENCY.items()})
SPELT = {1: "Yes", 2: "no", 3: "No", 4: "yes", 5: "Y"}
add(
    "yes-and-no",
    table(long(show=SPELT.get)),
    {k: "yes" if v in (1, 4, 5) else "no" for k, v in FLUENCY.items()},
)
add(
    "missing-spellings",
    table(long(show=lambda v: {1: "N/A", 2: "don't know"}.get(v, v))),
    {k: v for k, v in FLUENCY.items() if v > 2},
)
add(
    "decimal-commas",
    table(long(show=lambda v: f"{v},5"), ";"),
    {k: v + 0.5 for k, v in FLUENCY.items()},
)
add(
    "scores-to-100",
    table(long(show=lambda v: 20 * v - 3)),
    {k: 20 * v - 3 for k, v in FLUENCY.items()},
)
add("ranks", table(long(("item", "judge", "rank"))), FLUENCY)
add(
    "words-in-google-forms",
    table(
        [["Timestamp", *TEXTS], *([STAMP, *(FIVE[v - 1] for v in fluency_of(j))] for j in JUDGES)]
    ),
    numbered(in_words(FIVE), BY_ROW, NAMED_TEXTS),
)
add(
    "classes",
    table(long(show=lambda v: "news" if v < 3 else "sports")),
    {k: "news" if v < 3 else "sports" for k, v in FLUENCY.items()},
)

# files that are refused, with the way out

add(
    "near-words",
    table(long(show=lambda v: ("cat", "dog", "dgo", "dog", "cat")[v - 1])),
    {k: "cat" if v in (1, 5) else "dog" for k, v in FLUENCY.items()},
    way_out={"answers": {"dgo": "dog"}},
    names="dgo",
)
add(
    "words-among-numbers",
    table(long(show=lambda v: "good" if v == 5 else v)),
    FLUENCY,
    way_out={"answers": {"good": "5"}},
    names="good",
)
add(
    "stray-codes",
    table(long(show=lambda v: "AB"[v % 2])).replace("S4,Cy,B", "S4,Cy,9"),
    {k: "AB"[v % 2] for k, v in FLUENCY.items() if k != ("S4", "Cy")},
    way_out={"answers": {"9": ""}},
    names="'9'",
)
add(
    "no-header-long",
    table(long()[1:]),
    FLUENCY,
    way_out={"header": 0, "item": "column 1", "judge": "column 2", "rating": "column 3"},
    names="column 1",
)
add(
    "two-scores",
    table(
        [("item", "judge", "score", "scores"), *((i, j, v, 6 - v) for (i, j), v in FLUENCY.items())]
    ),
    FLUENCY,
    way_out={"rating": "score"},
    names="score",
)
add(
    "no-judge",
    table([("item", "rating"), *((i, v) for (i, _), v in FLUENCY.items())]),
    {(i, JUDGES.index(j) + 1): v for (i, j), v in FLUENCY.items()},
    way_out={"judges": "slots"},
    names="slots",
)
add(
    "duplicates",
    table([*long(), ("S1", "Ann", 5)]),
    {**{(i, j, 1): v for (i, j), v in FLUENCY.items()}, ("S1", "Ann", 2): 5},
    way_out={"repeats": "occasions"},
    names="occasions",
)

# several files, sheets and lines of JSON

add(
    "file-per-judge",
    {
        f"ratings_{j}.csv": table([("item", "rating"), *((i, FLUENCY[i, j]) for i in ITEMS)])
        for j in JUDGES
    },
    FLUENCY,
)
add(
    "file-per-criterion",
    {
        f"{c}.csv": table(
            [("item", "judge", "rating"), *((i, j, BOTH[i, j, c]) for i in ITEMS for j in JUDGES)]
        )
        for c in CRITERIA
    },
    BOTH,
)
add(
    "file-per-criterion-wide",
    {
        f"{c}.csv": table(
            [("item", *JUDGES), *((i, *(BOTH[i, j, c] for j in JUDGES)) for i in ITEMS)]
        )
        for c in CRITERIA
    },
    BOTH,
)
add(
    "parts-of-one-table",
    {"a.csv": table(long()[:7]), "b.csv": table([long()[0], *long()[7:]])},
    FLUENCY,
)
add(
    "json-lines",
    {
        "a.jsonl": "\n".join(
            json.dumps({"doc": i, "annotator": j, "score": v}) for (i, j), v in FLUENCY.items()
        )
    },
    FLUENCY,
)
add(
    "json-rows",
    {
        "a.json": json.dumps(
            [{"doc": i, "annotator": j, "score": v} for (i, j), v in FLUENCY.items()]
        )
    },
    FLUENCY,
)
add(
    "json-criteria",
    {
        "a.jsonl": "\n".join(
            json.dumps({"id": i, "annotator": j, **{c: BOTH[i, j, c] for c in CRITERIA}})
            for i in ITEMS
            for j in JUDGES
        )
    },
    BOTH,
)
