"""Files whose names say little: no header, numbered questions, printed tables, sides of a pair."""

import json

from tests.gallery.sheets import (
    BOTH,
    BY_ROW,
    CRITERIA,
    FLUENCY,
    ITEM_ROWS,
    ITEMS,
    JUDGES,
    STAMP,
    VALUES,
    Case,
    both_of,
    fluency_of,
    long,
    numbered,
    table,
    wide,
)

UNLABELLED: list[Case] = []


def add(name, files, wanted, **settings):
    """Put a case into the gallery; one text is a .csv."""
    named = {f"{name}.csv": files} if isinstance(files, str | bytes) else files
    UNLABELLED.append(Case(name=name, files=named, wanted=wanted, **settings))


COLUMNS = dict(zip(JUDGES, ("column 1", "column 2", "column 3"), strict=True))
AFTER_KEY = dict(zip(JUDGES, ("column 2", "column 3", "column 4"), strict=True))

# no row of names, several files

add(
    "headless-file-per-criterion",
    {f"STEC_ReEval_{c}.csv": table([*VALUES[c], *VALUES[c]] * 10, "\t") for c in CRITERIA},
    {
        (8 * turn + 4 * half + ITEM_ROWS[i], COLUMNS[j], c): value
        for (i, j, c), value in BOTH.items()
        for turn in range(10)
        for half in (0, 1)
    },
)
add(
    "headless-few-rows-per-criterion",
    {f"{c}.tsv": table(VALUES[c], "\t") for c in CRITERIA},
    numbered(BOTH, COLUMNS, ITEM_ROWS),
    asks=True,
)
add(
    "headless-criteria-by-most-names",
    {
        f"set_{name}.csv": table([*VALUES[c], *VALUES[c]] * 10)
        for name, c in (("Fluency", "fluency"), ("Adequacy", "adequacy"), ("Kind", "fluency"))
    },
    {
        (4 * turn + ITEM_ROWS[i], COLUMNS[j], name): VALUES[c][ITEMS.index(i)][JUDGES.index(j)]
        for (i, j) in FLUENCY
        for turn in range(20)
        for name, c in (("Fluency", "fluency"), ("Adequacy", "adequacy"), ("Kind", "fluency"))
    },
)
add(
    "headless-file-per-judge",
    {f"{j}.csv": table([[i, FLUENCY[i, j]] for i in ITEMS]) for j in JUDGES},
    FLUENCY,
)
add(
    "scores-alone-file-per-judge",
    {f"{j}.txt": "".join(f"{FLUENCY[i, j]}\n" for i in ITEMS) for j in JUDGES},
    numbered(FLUENCY, items=ITEM_ROWS),
)
add(
    "headless-judges-with-criteria",
    {f"{j}.csv": table([[i, *(BOTH[i, j, c] for c in CRITERIA)] for i in ITEMS]) for j in JUDGES},
    {
        (i, j, {"fluency": "column 2", "adequacy": "column 3"}[c]): value
        for (i, j, c), value in BOTH.items()
    },
    asks=True,
)
add(
    "criteria-file-per-judge",
    {
        f"{j}.csv": table(
            [["item", *CRITERIA], *([i, *(BOTH[i, j, c] for c in CRITERIA)] for i in ITEMS)]
        )
        for j in JUDGES
    },
    BOTH,
)
add(
    "rounds-by-file",
    {f"round{n}.csv": table(long()) for n in (1, 2)},
    {(*key, f"round{n}"): value for key, value in FLUENCY.items() for n in (1, 2)},
)
add(
    "persons-in-columns-of-files",
    {f"{c}.csv": table(wide()) for c in ("batch x", "batch y")},
    {(*key, c): value for key, value in FLUENCY.items() for c in ("x", "y")},
    asks=True,
)
add(
    "judges-columns-in-two-files",
    {f"{c}.csv": table(wide(names=("J1", "J2", "J3"))) for c in ("one", "two")},
    {
        (i, {"Ann": "J1", "Bo": "J2", "Cy": "J3"}[j], c): value
        for (i, j), value in FLUENCY.items()
        for c in ("one", "two")
    },
    way_out={"files": "criterion"},
    names="files='criterion'",
)
add(
    "titles-above-two-files",
    {
        f"part{n}.csv": table([["My study", "", ""], *long()[:1], *long()[1:][6 * n : 6 * n + 6]])
        for n in (0, 1)
    },
    FLUENCY,
)

# no row of names, one file

add("headless-long", table(long()[1:]), FLUENCY, asks=True)
add(
    "headless-words",
    table(long(show=lambda v: "abcde"[v - 1] * 2)[1:]),
    {k: "abcde"[v - 1] * 2 for k, v in FLUENCY.items()},
    asks=True,
)
add("headless-wide", table(wide()[1:]), numbered(FLUENCY, AFTER_KEY), asks=True)
add(
    "headless-counted",
    table([[n, *row[1:]] for n, row in enumerate(wide()[1:], 1)]),
    numbered(FLUENCY, AFTER_KEY, ITEM_ROWS),
    asks=True,
)
add("scores-alone", table(VALUES["fluency"]), numbered(FLUENCY, COLUMNS, ITEM_ROWS), asks=True)
add(
    "one-column",
    table([[i, FLUENCY[i, "Ann"]] for i in ITEMS]),
    {(i,): FLUENCY[i, "Ann"] for i in ITEMS},
    way_out={"header": 0, "rating": "column 2", "item": "column 1", "judges": "slots"},
    names="rating='column 2', item='column 1', judges='slots'",
)
add("names-that-say-nothing", table(long(("foo", "bar", "baz"))), FLUENCY, asks=True)

# questions that differ by a number


def form(questions, values=fluency_of):
    """Write the answers of a form: a time, and an answer to each question."""
    rows = [["Timestamp", *questions], *([STAMP, *values(j)] for j in JUDGES)]
    return table(rows)


for name, pattern in (
    ("english", "How fluent is {}?"),
    ("german", "Wie flüssig ist {}?"),
    ("french", "Le {} est-il cohérent ?"),
    ("first", "{} fluency"),
    ("code", "{} - How natural?"),
    ("brackets", "Fluency ({})"),
):
    things = {"french": "texte {}", "code": "S{}", "brackets": "{}"}.get(name, "text {}")
    named = [things.format(n) for n in (11, 12, 13, 14)]
    known = {t: int(t) for t in named} if name == "brackets" else {}
    add(
        f"numbered-{name}",
        form([pattern.format(thing) for thing in named]),
        numbered(FLUENCY, BY_ROW, dict(zip(ITEMS, (known.get(t, t) for t in named), strict=True))),
        asks=True,
    )
LETTERS = dict(zip(ITEMS, ("text A", "text B", "text C", "text D"), strict=True))
add(
    "lettered-questions",
    form([f"How fluent is {thing}?" for thing in LETTERS.values()]),
    numbered(FLUENCY, BY_ROW, LETTERS),
    asks=True,
)
ASKED = {"fluency": "fluent", "adequacy": "adequate"}
NUMBERED = {i: f"text {ITEM_ROWS[i]}" for i in ITEMS}
add(
    "numbered-questions-of-two-kinds",
    form([f"How {ASKED[c]} is {NUMBERED[i]}?" for i in ITEMS for c in CRITERIA], both_of),
    {(NUMBERED[i], BY_ROW[j], ASKED[c]): value for (i, j, c), value in BOTH.items()},
)
add(
    "numbered-questions-and-one-more",
    form(
        [*(f"How fluent is {NUMBERED[i]}?" for i in ITEMS), "Overall, how good was it?"],
        lambda j: [*fluency_of(j), 3],
    ),
    numbered(FLUENCY, BY_ROW, NUMBERED),
    asks=True,
)
add(
    "numbered-questions-no-time",
    table(
        [
            ["who", *(f"How fluent is {NUMBERED[i]}?" for i in ITEMS)],
            *([j, *fluency_of(j)] for j in JUDGES),
        ]
    ),
    numbered(FLUENCY, items=NUMBERED),
    asks=True,
)

# answers that choose between two

SIDES = {1: 0, 2: 1, 3: 0, 4: 1, 5: 2}


def sides(*words):
    """One of two or three answers for each rating."""
    return {key: words[SIDES[value] % len(words)] for key, value in FLUENCY.items()}


for name, words in (
    ("models", ("model_a", "model_b", "tie")),
    ("letters", ("A", "B")),
    ("left-right", ("left", "right", "about the same")),
    ("outputs", ("output a is better", "output b is better", "no preference")),
    ("numbers", ("system_1", "system_2")),
):
    chosen = sides(*words)
    add(f"preference-{name}", table(long(("item", "judge", "winner"), chosen)), chosen)
add(
    "preference-system-names",
    table(
        [
            ("item", "judge", "system_a", "system_b", "preferred"),
            *(
                (i, j, "bart-base", "bart-large", ("bart-base", "bart-large", "tie")[SIDES[v]])
                for (i, j), v in FLUENCY.items()
            ),
        ]
    ),
    {k: {0: "a", 1: "b", 2: "tie"}[SIDES[v]] for k, v in FLUENCY.items()},
)
add(
    "enumerated-classes",
    table(long(ratings={k: f"class_{'abcde'[v - 1]}" for k, v in FLUENCY.items()})),
    {k: f"class_{'abcde'[v - 1]}" for k, v in FLUENCY.items()},
)
add(
    "models-with-versions",
    table(
        long(
            ("item", "judge", "winner"), {k: ("gpt-4", "gpt-4o")[v % 2] for k, v in FLUENCY.items()}
        )
    ),
    {k: ("gpt-4", "gpt-4o")[v % 2] for k, v in FLUENCY.items()},
)

# tables as programs print them


def aligned(rows, right=True):
    """Print rows with columns of one width."""
    widths = [max(len(str(row[place])) for row in rows) for place in range(len(rows[0]))]
    pad = str.rjust if right else str.ljust
    lines = (" ".join(pad(str(c), w) for c, w in zip(row, widths, strict=True)) for row in rows)
    return "".join(f"{line.rstrip()}\n" for line in lines)


COUNTED = [["", *long()[0]], *([n, *row] for n, row in enumerate(long()[1:], 1))]
add("aligned", {"a.txt": aligned(long(), right=False)}, FLUENCY)
add("printed-by-r", {"a.txt": aligned(COUNTED)}, FLUENCY)
add(
    "printed-tibble",
    {
        "a.txt": "# A tibble: 12 × 3\n"
        + aligned([COUNTED[0], ["", "<chr>", "<chr>", "<int>"], *COUNTED[1:]], right=False)
    },
    FLUENCY,
)
add(
    "written-by-r",
    {
        "a.txt": '"item" "judge" "rating"\n'
        + "".join(f'"{n}" "{i}" "{j}" {v}\n' for n, ((i, j), v) in enumerate(FLUENCY.items(), 1))
    },
    FLUENCY,
)
add(
    "markdown-table",
    {
        "a.txt": "| item | judge | rating |\n|------|:------|-------:|\n"
        + "".join(f"| {i} | {j} | {v} |\n" for (i, j), v in FLUENCY.items())
    },
    FLUENCY,
)
add(
    "printed-by-a-database",
    {
        "a.txt": " item | judge | rating\n------+-------+--------\n"
        + "".join(f" {i}   | {j:5} | {v:6}\n" for (i, j), v in FLUENCY.items())
        + "(12 rows)\n"
    },
    FLUENCY,
)
add(
    "scores-alone-aligned",
    {
        "a.txt": aligned(
            [["", *VALUES["fluency"][0]], *(["", *row] for row in VALUES["fluency"][1:])]
        )
    },
    numbered(FLUENCY, COLUMNS, ITEM_ROWS),
    asks=True,
)
add(
    "printed-matrix-of-r",
    {
        "a.txt": aligned(
            [
                ["", "[,1]", "[,2]", "[,3]"],
                *([f"[{n},]", *row] for n, row in enumerate(VALUES["fluency"], 1)),
            ]
        )
    },
    numbered(FLUENCY, {"Ann": "V1", "Bo": "V2", "Cy": "V3"}, ITEM_ROWS),
    asks=True,
)

# a judge who mostly wrote

REMARKS = {("S1", "Cy"): "hard to say", ("S2", "Cy"): "fine", ("S4", "Cy"): "odd"}
add(
    "judge-who-mostly-wrote",
    table(
        [wide()[0], *([i, *(REMARKS.get((i, j), FLUENCY[i, j]) for j in JUDGES)] for i in ITEMS)]
    ),
    {key: value for key, value in FLUENCY.items() if key not in REMARKS},
    asks=True,
)


# several things that a stranger brought

add(
    "microsoft-forms-with-points",
    table(
        [
            [
                *("ID", "Start time", "Completion time", "Email", "Name"),
                *(
                    f"{before}How fluent is {NUMBERED[i]}?"
                    for i in ITEMS
                    for before in ("", "Points - ", "Feedback - ")
                ),
            ],
            *(
                [n, STAMP, STAMP, "anonymous", "", *(c for v in fluency_of(j) for c in (v, 0, ""))]
                for n, j in enumerate(JUDGES, 1)
            ),
        ]
    ),
    numbered(FLUENCY, BY_ROW, NUMBERED),
    asks=True,
)
CODES = dict(zip(ITEMS, ("SQ001", "SQ002", "SQ003", "SQ004"), strict=True))
add(
    "limesurvey-codes",
    table(
        [
            ["id", "submitdate", "lastpage", "startlanguage", "seed"]
            + [f"G1Q1[{code}]" for code in CODES.values()],
            *([n, STAMP, 3, "en", 9, *fluency_of(j)] for n, j in enumerate(JUDGES, 1)),
        ]
    ),
    numbered(FLUENCY, BY_ROW, CODES),
)
add(
    "same-question-again",
    form(["How fluent is it?"] * 4),
    numbered(FLUENCY, BY_ROW, ITEM_ROWS),
    asks=True,
)
add(
    "columns-of-one-name",
    table(wide(("item", "score", "score", "score"))),
    numbered(FLUENCY, dict(zip(JUDGES, ("score (1)", "score (2)", "score (3)"), strict=True))),
)
PER_ANSWER = {i: [VALUES["fluency"][k].count(n) for n in range(1, 6)] for k, i in enumerate(ITEMS)}
add(
    "judges-counted-per-answer",
    table([["item", *(f"n_{n}" for n in range(1, 6))], *([i, *PER_ANSWER[i]] for i in ITEMS)]),
    {
        (i, slot): value
        for k, i in enumerate(ITEMS)
        for slot, value in enumerate(sorted(VALUES["fluency"][k]), 1)
    },
    asks=True,
)
add(
    "tool-columns",
    table(
        [
            ("_unit_id", "_trust", "_worker_id", "_ip", "fluency", "text"),
            *((i, 0.9, j, 1, v, f"text of {i}") for (i, j), v in FLUENCY.items()),
        ]
    ),
    FLUENCY,
)
add(
    "tasks-and-segments",
    table(
        [
            ("HITId", "Login", "System", "Segment", "Score"),
            *((f"H{j}", j, "x", i, v) for (i, j), v in FLUENCY.items()),
        ]
    ),
    FLUENCY,
)
add(
    "records-by-key",
    {"a.json": json.dumps({i: {j: FLUENCY[i, j] for j in JUDGES} for i in ITEMS})},
    FLUENCY,
    asks=True,
)
add(
    "judge-as-a-list",
    {
        "a.jsonl": "".join(
            json.dumps({"question_id": i, "judge": [j, "single-v1"], "score": v, "turn": 1}) + "\n"
            for (i, j), v in FLUENCY.items()
        )
    },
    numbered(FLUENCY, {j: f"{j} / single-v1" for j in JUDGES}),
)
add(
    "abbreviated-likert",
    table(long(show=lambda v: ("SD", "D", "N", "A", "SA")[v - 1])),
    {k: ("sd", "d", "n", "a", "sa")[v - 1] for k, v in FLUENCY.items()},
    order=("SD", "D", "N", "A", "SA"),
)
add(
    "criteria-alone",
    table([CRITERIA, *zip(VALUES["fluency"][1], VALUES["adequacy"][1], strict=True)]),
    {(1, n, c): VALUES[c][1][n - 1] for n in (1, 2, 3) for c in CRITERIA},
    asks=True,
)
add(
    "marked-with-a-star",
    table([wide()[0], ["S1", "1*", 2, 1], *wide()[2:], ["* answered late", "", "", ""]]),
    FLUENCY,
    way_out={"answers": {"1*": "1"}},
    names="1*",
)
add(
    "points-before-thousands",
    table(long(show=lambda v: ("10", "250", "300", "750", "1.000")[v - 1]), ";"),
    {k: (10, 250, 300, 750, 1000)[v - 1] for k, v in FLUENCY.items()},
    way_out={"answers": {"1.000": "1000"}},
    names="thousands",
)
add(
    "variants-without-a-name",
    table(
        [
            ("doc", "variant", "rater", "score"),
            *((i, n, j, v) for n in ("M0", "M1") for (i, j), v in FLUENCY.items()),
        ]
    ),
    {(f"{i} / {n}", j): v for n in ("M0", "M1") for (i, j), v in FLUENCY.items()},
    way_out={"system": "variant"},
    names="system='variant'",
)
add(
    "sides-by-system-left-and-right",
    table(
        [
            ("left_system", "right_system", "prompt", "annotator", "choice"),
            *(("x", "y", i, j, ("left", "right")[v % 2]) for (i, j), v in FLUENCY.items()),
        ]
    ),
    {k: ("left", "right")[v % 2] for k, v in FLUENCY.items()},
)
