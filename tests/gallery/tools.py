"""Files as annotation tools, survey tools, experiments and campaigns write them."""

import gzip
import io
import json
import zipfile

from tests.gallery.sheets import BOTH, CRITERIA, FLUENCY, ITEMS, JUDGES, Case, long, numbered, table

TOOLS: list[Case] = []

GOOD = {key: "good" if value > 2 else "bad" for key, value in FLUENCY.items()}


def add(name, files, wanted, **settings):
    """Put a case into the gallery; one text is a .csv."""
    named = {f"{name}.csv": files} if isinstance(files, str | bytes) else files
    TOOLS.append(Case(name=name, files=named, wanted=wanted, **settings))


def lines(records):
    """Write a line of JSON for each record."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def packed(files):
    """Put files into an archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


# annotation tools

NUMBER = dict(zip(ITEMS, (1001, 1002, 1003, 1004), strict=True))
add(
    "prodigy-choice",
    {
        "a.jsonl": lines(
            {
                "text": f"Text {i}",
                "options": [{"id": 1, "text": "good"}, {"id": 0, "text": "bad"}],
                "_input_hash": NUMBER[i],
                "_task_hash": -NUMBER[i],
                "_view_id": "choice",
                "accept": [value],
                "answer": "accept",
                "_timestamp": 1646000000,
                "_annotator_id": f"ratings-{j}",
                "_session_id": f"ratings-{j}",
            }
            for (i, j), value in GOOD.items()
        )
    },
    {(str(NUMBER[i]), f"ratings-{j}"): value for (i, j), value in GOOD.items()},
)
add(
    "argilla-records",
    {
        "a.json": json.dumps(
            [
                {
                    "id": i,
                    "text": f"Text {i}",
                    "fluency.responses": [FLUENCY[i, j] for j in JUDGES],
                    "fluency.responses.users": list(JUDGES),
                    "fluency.responses.status": ["submitted"] * 3,
                }
                for i in ITEMS
            ]
        )
    },
    FLUENCY,
)
DOCCANO = {
    f"{j}.jsonl": lines(
        {"id": NUMBER[i], "text": f"Text {i}", "label": [GOOD[i, j]], "Comments": []} for i in ITEMS
    )
    for j in JUDGES
}
LABELLED = {(NUMBER[i], j): value for (i, j), value in GOOD.items()}
add("doccano", DOCCANO, LABELLED)
add("doccano-archive", {"project.zip": packed(DOCCANO)}, LABELLED)
MIN = [
    {
        "text": f"Text {i} is a sentence",
        "id": NUMBER[i],
        "fluency": [{"rating": BOTH[i, j, "fluency"]}],
        "adequacy": [{"number": BOTH[i, j, "adequacy"]}],
        "annotator": JUDGES.index(j) + 1,
        "annotation_id": 7 * NUMBER[i] + JUDGES.index(j),
        "created_at": "2026-03-01T10:00:00.000000Z",
        "updated_at": "2026-03-01T10:00:09.000000Z",
        "lead_time": 9.1,
    }
    for i in ITEMS
    for j in JUDGES
]
OF_MIN = {(NUMBER[i], JUDGES.index(j) + 1, c): value for (i, j, c), value in BOTH.items()}
add("label-studio-json-min", {"a.json": json.dumps(MIN)}, OF_MIN)
SHOWN = [{k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()} for row in MIN]
add("label-studio-csv", table([list(MIN[0]), *(list(row.values()) for row in SHOWN)]), OF_MIN)
add(
    "label-studio-csv-choices",
    table(
        [
            ["annotation_id", "annotator", "created_at", "id", "lead_time", "quality", "text"],
            *(
                [n, j, "2026-03-01T10:00:00Z", NUMBER[i], 4.5, value, f"Text {i} to judge"]
                for n, ((i, j), value) in enumerate(GOOD.items())
            ),
        ]
    ),
    LABELLED,
)
POTATO = {
    f"{j}/annotated_instances.jsonl": lines(
        {
            "id": i,
            "displayed_text": f"Text {i}",
            "label_annotations": {c: {"scale_3": str(BOTH[i, j, c])} for c in CRITERIA},
            "span_annotations": {},
            "behavioral_data": {"time_string": "Time spent: 0d 0h 0m 9s "},
        }
        for i in ITEMS
    )
    for j in JUDGES
}
add("potato-lines", POTATO, BOTH)
add("potato-archive", {"annotation_output.zip": packed(POTATO)}, BOTH)
WORDS = ("The", "cat", "sat")
INCEPTION = {
    f"{j}.tsv": "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Quality|value\n\n\n"
    "#Text=The cat sat\n"
    + "".join(
        f"1-{n}\t{4 * n - 4}-{4 * n - 1}\t{word}\t{'GOOD' if FLUENCY[i, j] > 2 else '_'}\t\n"
        for n, (word, i) in enumerate(zip(WORDS, ITEMS, strict=False), 1)
    )
    for j in JUDGES
}
add(
    "inception",
    INCEPTION,
    {
        (f"1-{n}", j): "good" if FLUENCY[i, j] > 2 else "none"
        for n, i in enumerate(ITEMS[:3], 1)
        for j in JUDGES
    },
)

# crowds and experiments

BATCH = [
    "HITId",
    "HITTypeId",
    "Title",
    "Description",
    "Keywords",
    "Reward",
    "CreationTime",
    "MaxAssignments",
    "RequesterAnnotation",
    "AssignmentDurationInSeconds",
    "AutoApprovalDelayInSeconds",
    "Expiration",
    "NumberOfSimilarHITs",
    "LifetimeInSeconds",
    "AssignmentId",
    "WorkerId",
    "AssignmentStatus",
    "AcceptTime",
    "SubmitTime",
    "AutoApprovalTime",
    "ApprovalTime",
    "RejectionTime",
    "RequesterFeedback",
    "WorkTimeInSeconds",
    "LifetimeApprovalRate",
    "Last30DaysApprovalRate",
    "Last7DaysApprovalRate",
]
ASSIGNED = {"Reward": "$0.02", "AssignmentStatus": "Approved", "WorkTimeInSeconds": "31"}
ASSIGNED |= dict.fromkeys(BATCH[-3:], "0% (0/0)")
add(
    "mturk-batch",
    table(
        [
            [
                *BATCH,
                "Input.text",
                "Answer.age",
                "Answer.fluency",
                "Answer.gender",
                "Approve",
                "Reject",
            ],
            *(
                [
                    *(
                        {**ASSIGNED, "HITId": i, "AssignmentId": f"A{n}", "WorkerId": j}.get(c, "")
                        for c in BATCH
                    ),
                    *(f"Text {i}", 33, value, "f"),
                ]
                for n, ((i, j), value) in enumerate(FLUENCY.items())
            ),
        ]
    ),
    FLUENCY,
)
# A file for each participant, as the Builder of PsychoPy 2024 writes it: the columns of the
# conditions, of the loop and of the components, then those of the session; a row for the
# instructions; None where the slider was not touched.
OF_TRIAL = ("sentence_id", "trials.thisRepN", "trials.thisTrialN", "trials.thisN")
OF_SLIDER = ("trials.thisIndex", "thisRow.t", "notes", "instructions.started", "key_resp.keys")
OF_SESSION = ("participant", "session", "date", "expName", "psychopyVersion", "frameRate")


def psychopy(judges):
    """Write the trials of some participants."""
    session = ("001", "2026-03-01_10h00.10.123", "fluency", "2024.2.3", 59.9)
    rows = [[*OF_TRIAL, *OF_SLIDER, "slider.response", "slider.rt", *OF_SESSION, "expStart", ""]]
    for j in judges:
        rows.append([*[""] * 5, 0.1, "", 0.5, "space", "", "", j, *session, "2026-03-01", ""])
        for n, i in enumerate(ITEMS):
            untouched = (i, j) == UNTOUCHED
            answer = ("None", "None") if untouched else (FLUENCY[i, j], 1.2)
            trial = [i, 0, n, n, n, 2.5, "", "", ""]
            rows.append([*trial, *answer, j, *session, "2026-03-01", ""])
    return "\ufeff" + table(rows)


PRACTISED = (
    *("sentence_id", "slider.response", "slider.rt"),
    *("practice_trials.thisRepN", "practice_trials.thisN", "trials.thisRepN", "trials.thisN"),
    *("thisRow.t", "notes", "practice_trials.slider.response", "trials.slider.response"),
)


def psychopy_with_practice(judges):
    """Write two loops over one routine: its answers stand under its name and under each loop's."""
    session = ("001", "2026-03-01_10h00.10.123", "fluency", "2024.2.3", 59.9, "2026-03-01", "")
    rows = [[*PRACTISED, *OF_SESSION, "expStart", ""]]
    for j in judges:
        rows.append([*[""] * 11, j, *session])
        rows += [[f"P{n}", 5, 1.1, 0, n, "", "", 1.5, "", 5, "", j, *session] for n in (0, 1)]
        for n, i in enumerate(ITEMS):
            value = FLUENCY[i, j]
            rows.append([i, value, 1.2, "", "", 0, n, 2.5, "", "", value, j, *session])
    return table(rows)


UNTOUCHED = (ITEMS[2], JUDGES[1])
TOUCHED = {key: value for key, value in FLUENCY.items() if key != UNTOUCHED}
add("psychopy", psychopy(JUDGES), TOUCHED)
add("psychopy-practice", psychopy_with_practice(JUDGES), FLUENCY)
add(
    "psychopy-file-per-participant",
    {f"{j}_fluency_2026-03-01_10h00.10.123.csv": psychopy([j]) for j in JUDGES},
    TOUCHED,
)
add(
    "jspsych-slider",
    table(
        [
            [
                "rt",
                "stimulus",
                "response",
                "trial_type",
                "trial_index",
                "time_elapsed",
                "internal_node_id",
                "subject",
            ],
            *(
                row
                for j in JUDGES
                for row in (
                    [2100, "<p>Welcome</p>", "", "html-keyboard-response", 0, 2102, "0.0-0.0", j],
                    *(
                        [
                            900,
                            f"<p>{i}</p>",
                            20 * FLUENCY[i, j],
                            "html-slider-response",
                            n,
                            3000 * n,
                            f"0.0-{n}.0",
                            j,
                        ]
                        for n, i in enumerate(ITEMS, 1)
                    ),
                )
            ),
        ]
    ),
    {(i, j): 20 * value for (i, j), value in FLUENCY.items()},
)
add(
    "jspsych-likert",
    {
        "a.json": json.dumps(
            [
                {
                    "rt": 5120,
                    "response": {c: BOTH[i, j, c] for c in CRITERIA},
                    "question_order": [0, 1],
                    "trial_type": "survey-likert",
                    "trial_index": n,
                    "time_elapsed": 6000 * n,
                    "item": i,
                    "subject": j,
                }
                for j in JUDGES
                for n, i in enumerate(ITEMS)
            ]
        )
    },
    BOTH,
)
add(
    "jspsych-6-likert",
    table(
        [
            ["rt", "stimulus", "trial_type", "trial_index", "responses", "item_id", "subject_id"],
            *(
                row
                for j in JUDGES
                for row in (
                    ["null", "+", "html-keyboard-response", 0, "", "", j],
                    *(
                        [
                            5000,
                            "",
                            "survey-likert",
                            n,
                            json.dumps({c: BOTH[i, j, c] for c in CRITERIA}),
                            i,
                            j,
                        ]
                        for n, i in enumerate(ITEMS, start=1)
                    ),
                )
            ),
        ]
    ),
    BOTH,
)
add(
    "jspsych-6-likert-without-trials",
    table(
        [
            ["item_id", "subject_id", "responses"],
            *(
                [i, j, json.dumps({c: BOTH[i, j, c] for c in CRITERIA})]
                for j in JUDGES
                for i in ITEMS
            ),
        ]
    ),
    BOTH,
)
add(
    "jspsych-6-text-beside",
    table(
        [
            [
                "rt",
                "stimulus",
                "key_press",
                "trial_type",
                "trial_index",
                "responses",
                "sentence",
                "question_order",
                "participant_id",
            ],
            *(
                row
                for j in JUDGES
                for row in (
                    ["", "<p>Press a key</p>", 32, "html-keyboard-response", 0, "", "", "", j],
                    *(
                        [
                            5000,
                            "",
                            "",
                            "survey-likert",
                            n,
                            json.dumps({"Q0": FLUENCY[i, j]}),
                            i,
                            "[0]",
                            j,
                        ]
                        for n, i in enumerate(ITEMS, start=1)
                    ),
                )
            ),
        ]
    ),
    FLUENCY,
)
add(
    "jspsych-6-buttons",
    table(
        [
            ["rt", "stimulus", "button_pressed", "trial_type", "trial_index", "subject_id"],
            *(
                [5000, f"<p>{i}</p>", FLUENCY[i, j], "html-button-response", n, j]
                for j in JUDGES
                for n, i in enumerate(ITEMS)
            ),
        ]
    ),
    FLUENCY,
)
add(
    "otree-app",
    table(
        [
            [
                *("participant.id_in_session", "participant.code", "participant._is_bot"),
                *("player.id_in_group", "player.payoff", "player.rating"),
                *("group.id_in_subsession", "subsession.round_number", "session.code"),
            ],
            *(
                [JUDGES.index(j) + 1, j, 0, JUDGES.index(j) + 1, 0, FLUENCY[i, j], 1, n, "k5x2m1ab"]
                for n, i in enumerate(ITEMS, 1)
                for j in JUDGES
            ),
        ]
    ),
    numbered(FLUENCY, None, {i: n for n, i in enumerate(ITEMS, 1)}),
)
add(
    "otree-all-apps",
    table(
        [
            [
                *("participant.id_in_session", "participant.code", "session.code"),
                *(
                    f"survey.{n}.player.{field}"
                    for n in (1, 2, 3, 4)
                    for field in ("id_in_group", "payoff", "fluency", "adequacy")
                ),
            ],
            *(
                [1, j, "k5x2m1ab"]
                + [
                    cell
                    for i in ITEMS
                    for cell in (1, 0, BOTH[i, j, "fluency"], BOTH[i, j, "adequacy"])
                ]
                for j in JUDGES
            ),
        ]
    ),
    {(ITEMS.index(i) + 1, j, c): value for (i, j, c), value in BOTH.items()},
)

# campaigns

OUTPUTS = {
    (f"news.{d}", system, j): 20 * (1 + (d + n + k) % 5)
    for d in (1, 2, 3)
    for n, system in enumerate(("Online-A", "GPT-4"))
    for k, j in enumerate(("engdeu01", "engdeu02"))
}
SEGMENTS = {(f"{d} / 0 / {s}", j): value for (d, s, j), value in OUTPUTS.items()}
for name, spans in (("wmt-da", ()), ("wmt-esa", ("[]",))):
    add(
        name,
        table(
            [
                *(
                    [j, s, 0, "TGT", "eng", "deu", value, d, "False", *spans, 1719.5, 1722.1]
                    for (d, s, j), value in OUTPUTS.items()
                ),
                [
                    "engdeu01",
                    "GPT-4",
                    0,
                    "BAD",
                    "eng",
                    "deu",
                    3,
                    "news.1#bad",
                    "False",
                    *spans,
                    1719.5,
                    1722.1,
                ],
            ]
        ),
        SEGMENTS,
    )
add(
    "wmt-esa-lines",
    {
        "a.jsonl": lines(
            {
                "langs": "en-de",
                "line_id": 0,
                "src": "Hello",
                "tgt": "Hallo",
                "doc_id": d,
                "domain": "news",
                "esa_spans": [{"start_i": 0, "end_i": 3, "severity": "minor"}],
                "esa_score": value,
                "system": s,
                "annotator": j,
            }
            for (d, s, j), value in OUTPUTS.items()
        )
    },
    {(f"en-de / {d} / 0 / {s}", j): value for (d, s, j), value in OUTPUTS.items()},
)
add(
    "wmt-humeval-lines",
    {
        "a.jsonl": lines(
            {
                "scores": {
                    s: [
                        {"score": OUTPUTS[d, s, j], "annotator": j, "errors": []}
                        for j in ("engdeu01", "engdeu02")
                    ]
                    for s in ("Online-A", "GPT-4")
                },
                "src_text": "Hello",
                "tgt_text": {"Online-A": "Hallo", "GPT-4": "Hi"},
                "doc_id": f"{d}_#_0",
            }
            for d in ("news.1", "news.2", "news.3")
        )
    },
    {(f"{d}_#_0 / {s}", j): value for (d, s, j), value in OUTPUTS.items()},
)
ERRORS = [
    ("Online-A", "rater1", "Accuracy/Mistranslation", "Major"),
    ("Online-A", "rater1", "Fluency/Punctuation", "Minor"),
    ("Online-A", "rater2", "Style/Awkward", "Minor"),
    ("GPT-4", "rater1", "No-error", "No-error"),
    ("GPT-4", "rater2", "Non-translation!", "Major"),
]
add(
    "wmt-mqm",
    {
        "a.tsv": table(
            [
                (
                    "system",
                    "doc",
                    "doc_id",
                    "seg_id",
                    "rater",
                    "source",
                    "target",
                    "category",
                    "severity",
                ),
                *((s, "news.1", 1, 7, j, "Hello", "<v>Ha</v>llo", c, v) for s, j, c, v in ERRORS),
            ],
            "\t",
        )
    },
    # the weights of Freitag et al. (2021), Table 4, by hand
    {
        ("news.1 / 1 / 7 / Online-A", "rater1"): -5.1,
        ("news.1 / 1 / 7 / Online-A", "rater2"): -1,
        ("news.1 / 1 / 7 / GPT-4", "rater1"): 0,
        ("news.1 / 1 / 7 / GPT-4", "rater2"): -25,
    },
)


def helm(annotations):
    """Write the states of requests, each with what the annotators returned."""
    states = [
        {
            "instance": {"id": i, "input": {"text": "Say hello"}, "split": "test"},
            "train_trial_index": 0,
            "num_train_instances": 0,
            "annotations": annotations(i),
        }
        for i in ITEMS
    ]
    spec = {"method": "generation", "model": "openai/gpt-4o"}
    content = json.dumps({"adapter_spec": spec, "request_states": states})
    return {"scenario_state.json": content}


# scores beside their reasons, as the annotators for safety return them
add(
    "helm-judges",
    helm(
        lambda i: {
            "safety": {"prompt_text": "Rate it"}
            | {f"{j}_score": FLUENCY[i, j] for j in JUDGES}
            | {f"{j}_reasoning": "it is clear" for j in JUDGES}
        }
    ),
    FLUENCY,
)
# a jury of models, each with an object for each criterion, as the annotators for medicine do
add(
    "helm-jury",
    helm(
        lambda i: {
            "notes": {"prompt_text": "Rate it"}
            | {
                j: {c: {"score": BOTH[i, j, c], "explanation": "it is clear"} for c in CRITERIA}
                for j in JUDGES
            }
        }
    ),
    BOTH,
)

# nested JSON, standard compression

add(
    "json-object",
    {
        "a.json": json.dumps(
            {
                "study": "fluency",
                "ratings": [{"item": i, "judge": j, "rating": v} for (i, j), v in FLUENCY.items()],
            }
        )
    },
    FLUENCY,
)
add(
    "lists-within-lines",
    {
        "a.jsonl": lines(
            {
                "id": i,
                "output": "Hello",
                "annotations": [
                    {"annotator": j, "scores": {c: BOTH[i, j, c] for c in CRITERIA}} for j in JUDGES
                ],
            }
            for i in ITEMS
        )
    },
    {(i, j, f"scores.{c}"): value for (i, j, c), value in BOTH.items()},
)
add(
    "objects-by-judge",
    {
        "a.json": json.dumps(
            {"items": [{"id": i, "by": {j: FLUENCY[i, j] for j in JUDGES}} for i in ITEMS]}
        )
    },
    FLUENCY,
    said={"records": "items.by.*", "judge": "key", "rating": "value"},
)
add(
    "two-lists-of-records",
    {
        "a.json": json.dumps(
            {
                "pilot": [{"item": "P1", "judge": "Ann", "rating": 3}],
                "main": [{"item": i, "judge": j, "rating": v} for (i, j), v in FLUENCY.items()],
            }
        )
    },
    FLUENCY,
    way_out={"records": "main"},
    names="main",
)
add("gzip", {"a.csv.gz": gzip.compress(table(long()).encode())}, FLUENCY)
add(
    "gzip-lines",
    {
        "a.jsonl.gz": gzip.compress(
            lines({"doc": i, "annotator": j, "score": v} for (i, j), v in FLUENCY.items()).encode()
        )
    },
    FLUENCY,
)
add("zip", {"a.zip": packed({"export/ratings.csv": table(long())})}, FLUENCY)
add(
    "folder-of-judges",
    {
        f"round1/{j}.csv": table([("item", "rating"), *((i, FLUENCY[i, j]) for i in ITEMS)])
        for j in JUDGES
    },
    FLUENCY,
    folder="round1",
)
