"""Files of evaluation campaigns: WMT's direct assessment, ESA and MQM, and outputs of judge models.

Appraise, which collects for WMT, writes a row for each score and no names: judge, system, segment,
type (TGT; BAD and REF are checks), two languages, score, document, a flag, ESA's spans, start and
end. MQM comes as a table with a row for each error. Later campaigns write JSON lines: one for each
score (`esa_score`), or one for each segment with the `scores` of all systems. HELM keeps what judge
models said in the `annotations` of its `request_states`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from covary.formats.annotation_tools import load_records, read_records
from covary.formats.cells import Relation, identifier
from covary.formats.ratings_file import RatingsFile

CODES = re.compile(r"[a-z]{3}")
KINDS = ("TGT", "REF", "BAD", "CHK", "SRC")
APPRAISE = "judge system segment kind from to score document flag".split()  # noqa: SIM905


def recognises_appraise(file: RatingsFile) -> bool:
    """A text file without names whose rows are those of Appraise."""
    if file.ending not in (".csv", ".tsv") or not 11 <= len(file.columns) <= 12:
        return False
    first = file.table.limit(1).fetchone()
    cells = (
        [str(cell) for cell in first] if file.columns[0] == "column 1" and first else file.columns
    )
    return cells[3] in KINDS and bool(CODES.fullmatch(cells[4]) and CODES.fullmatch(cells[5]))


def read_appraise(file: RatingsFile) -> Relation:
    """Read the scores of systems' outputs; checks and repeated segments are left out."""
    file.takes_only()
    file.options = replace(file.options, header=0)
    file.forget_table()
    names = dict(zip(APPRAISE, file.columns, strict=False))
    column = {name: identifier(place) for name, place in names.items()}
    check = (
        f"{column['kind']} <> 'TGT' or regexp_matches({column['document']}, "
        "'(#(bad|dup|incomplete|duplicate)[0-9]*$)|-tutorial')"
    )
    (left_out,) = file.table.aggregate(f"count_if({check})").fetchone()
    file.note("formats.read-as-tool", file=file.path.name, tool="Appraise (WMT)")
    if left_out:
        file.note("formats.checks-left-out", count=left_out)
    pair = f"concat_ws('-', {column['from']}, {column['to']})"
    (pairs,) = file.table.aggregate(f"count(distinct {pair})").fetchone()
    parts = [pair] if pairs > 1 else []
    item = f"concat_ws(' / ', {', '.join([*parts, column['document'], column['segment']])})"
    rows = file.table.filter(f"not ({check})").project(
        f"{item} as item, {column['judge']} as judge, {column['score']} as rating, "
        f"{column['system']} as system, {column['document']} as cluster"
    )
    return file.rows(rows, {name: name for name in rows.columns}, ("item", "judge"))


MQM = {"system", "rater", "category", "severity"}


def recognises_mqm(file: RatingsFile) -> bool:
    """A table with a row for each error, its category and its severity."""
    return file.is_table and {c.casefold() for c in file.columns} >= MQM


def read_mqm(file: RatingsFile) -> Relation:
    """Add the weights of a rater's errors up for each segment; no error is 0, more are below."""
    file.takes_only()
    names = {column.casefold(): identifier(column) for column in file.columns}
    kind, severity = (f"lower(trim(coalesce({names[n]}, '')))" for n in ("category", "severity"))
    weight = (
        f"case when {kind} like 'non-translation%' or {severity} like 'non-translation%' then 25 "
        f"when {severity} like 'major%' or {severity} like 'critical%' then 5 "
        f"when {severity} like 'minor%' and {kind} = 'fluency/punctuation' then 0.1 "
        f"when {severity} like 'minor%' then 1 else 0 end"
    )
    place = [
        names[n] for n in ("doc", "document", "doc_id", "seg_id", "segment", "seg") if n in names
    ]
    item = f"concat_ws(' / ', {', '.join(place)})"
    document = next((names[n] for n in ("doc", "document", "doc_id") if n in names), "null")
    totals = file.table.aggregate(
        f"{item} as item, {names['rater']} as judge, -sum({weight}) as rating, "
        f"{names['system']} as system, {document} as cluster",
        f"{item}, {names['rater']}, {names['system']}, {document}",
    )
    file.note("formats.read-as-mqm", file=file.path.name)
    rows = totals.order("item, judge, system")
    return file.rows(rows, {name: name for name in rows.columns}, ("item", "judge"))


def recognises_scored_lines(file: RatingsFile) -> bool:
    """JSON lines with an ESA score each, or with the scores of all systems."""
    return any("esa_score" in r or _by_system(r) for r in load_records(file)[:5])


def read_scored_lines(file: RatingsFile) -> Relation:
    """Read the score of each judge for each system's output."""
    records = [row for record in load_records(file) for row in _scores(record)]
    return read_records(file, "WMT", records)


def _by_system(record: Mapping[str, Any]) -> bool:
    scores = record.get("scores")
    return isinstance(scores, dict) and any(
        isinstance(given, list) and given and isinstance(given[0], dict) and "score" in given[0]
        for given in scores.values()
    )


def _scores(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    document = record.get("doc_id")
    if "esa_score" in record:
        place = [record.get("langs"), document, record.get("line_id")]
        yield {
            "item": " / ".join(str(part) for part in place if part is not None),
            "judge": record.get("annotator"),
            "rating": record["esa_score"],
            "criterion": "ESA",
            "system": record.get("system"),
            "cluster": document,
        }
    elif _by_system(record):
        for system, given in record["scores"].items():
            for score in given:
                known = {"item": document, "system": system, "criterion": "score"}
                yield known | {"judge": score.get("annotator"), "rating": score.get("score")}


def recognises_helm(file: RatingsFile) -> bool:
    """A JSON object with the states of requests, some of which judge models annotated."""
    return isinstance(file.json, dict) and isinstance(file.json.get("request_states"), list)


def read_helm(file: RatingsFile) -> Relation:
    """Read every score that a judge model gave to an output."""
    model = (file.json.get("adapter_spec") or {}).get("model")
    rows = [row for state in file.json["request_states"] for row in _judged(state, model)]
    return read_records(file, "HELM", rows)


def _judged(state: Mapping[str, Any], model: Any) -> Iterator[dict[str, Any]]:
    known = {"item": (state.get("instance") or {}).get("id"), "system": model}
    for annotator, given in (state.get("annotations") or {}).items():
        for judge, criterion, score in _judge_scores(given, ()):
            named = {"criterion": criterion or annotator, "judge": judge or annotator}
            yield known | named | {"rating": score}


def _judge_scores(given: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str, Any]]:
    """Find the judge, the criterion and the score of each annotation.

    `score` and `gpt_score` have no criterion of their own; a judge of a jury has an object with a
    `score`, or with an object for each criterion that has one.
    """
    if isinstance(given, list):
        for entry in given:
            yield from _judge_scores(entry, path)
        return
    for key, value in given.items() if isinstance(given, dict) else ():
        if isinstance(value, dict | list):
            yield from _judge_scores(value, (*path, key))
        elif isinstance(value, int | float) and (key == "score" or key.endswith("_score")):
            judge, *criteria = (*path, key.removesuffix("score").rstrip("_"))
            yield judge, ".".join(filter(None, criteria)), value
