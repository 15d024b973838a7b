"""What was collected: as ratings to be analysed, as files of ratings, or everything as it came."""

from __future__ import annotations

import csv
import json
import os
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TextIO

from covary.errors import CovaryError, InvalidArgument, RatingsError
from covary.formats.files import write
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.scales import CannotJudge, Scale
from covary.store.database import private_opener
from covary.store.notes import SIMULATED_NOTE
from covary.store.rated_outputs import ShownVersion, ShownVersions
from covary.store.records import Answer, CountedAnswer, CycleEvent, Rating
from covary.store.store import Store
from covary.store.visits import NOTE
from covary.study.model import Criterion, Study
from covary.words import Note

COLUMNS = (
    *("item", "judge", "rating", "criterion", "system", "source"),
    *("group", "occasion", "manual", "cluster", "order", "seconds"),
)

ALWAYS = ("item", "judge", "rating", "criterion", "order")
"""The columns that ratings have whatever was collected."""

AGAIN = " again"
"""How the occasion of a hidden repeat ends."""

STOPPED = ("failed checks", "withdrew")
"""Endings of a recruited judge that say why the answers do not count."""

LOG = ("answers.csv", "judges.csv", "notes.csv", "item-versions.csv")
QUESTIONS = "questions.csv"
PASSAGES = "passages.csv"

SEAL = "seal.txt"
TRAINING = "training.jsonl"
"""The events of the guideline cycle; `Cycle.of` makes the cycle of what each has as `event`."""

DANGEROUS = ("=", "+", "-", "@", "\t", "\r")
NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")
FOR_SPREADSHEETS = (".csv", ".tsv")
"""Files that a spreadsheet computes, where a text looks like a formula."""


def ratings_of(
    study: Study,
    store: Store,
    *,
    part: str | None = None,
    criteria: Sequence[str] | None = None,
    practice: bool = False,
    abandoned: bool = False,
    until: datetime | None = None,
    faulty: Literal["refuse", "set-aside"] = "refuse",
) -> Ratings:
    """Return what was collected as ratings, with the scales of the study.

    Parameters
    ----------
    study
        The study that the store belongs to; it knows the systems, sources and scales. Where a
        guideline cycle changed its manual, the last edition counts.
    store
        Where the answers are.
    part
        Keep the criteria of this part only.
    criteria
        Keep these criteria only, by their keys.
    practice
        Whether to keep practice answers.
    abandoned
        Whether to keep answers on sheets that were taken back, whose row somebody else rates.
    until
        Keep what was answered by then; an answer that was changed later counts as of later.
    faulty
        As in `Ratings`: what to do with ratings that are not on the scale.

    Notes
    -----
    An untouched answer on a visual scale is a missing rating. A hidden repeat is an occasion of
    its own, `"1 again"`. Checks, items with a known answer and practice are left out; notes say
    how many. The rating of a preference is in the item's own order, whatever was shown first. A
    choice of the best and the worst text becomes a rating of each text: `"q1 / 1"`, `"q1 / 2"`, …,
    with its system, and the item as the source, because that is what stood side by side.
    Each version of an item that was judged is an item of its own, `"q1"` and `"q1 @2"`, with the
    system and the source that it had then.
    """
    collection = collect(
        study,
        store,
        part=part,
        criteria=criteria,
        practice=practice,
        abandoned=abandoned,
        until=until,
    )
    collection.require_ratings()
    collection.refuse_mixed()
    texts = [collection.texts[item] for item in collection.columns["item"]]
    columns = collection.shown() | ({"text": texts} if any(texts) else {})
    ratings = Ratings(columns, scale=collection.scales, faulty=faulty).with_measured_times()
    return ratings.with_notes(*collection.notes, *notes_of_store(store))


def notes_of_store(store: Store) -> tuple[Note, ...]:
    """Return what every report on a store's ratings says: the newest seal, and who is simulated."""
    seal = Note("store.sealed", head=store.head())
    return (Note("store.simulated"), seal) if store.notes.all(kind=SIMULATED_NOTE) else (seal,)


def first_ratings(study: Study, store: Store, criterion: str | None, number: int) -> Ratings:
    """Return the first so many ratings on a criterion, in the order in which they were answered.

    Answers of one moment stay together, so that there may be a few more. Where there are fewer,
    all are returned.
    """
    criteria = None if criterion is None else [criterion]
    rows = (row.answer for row in store.answers.counted())
    wanted = (row for row in rows if criterion is None or row.criterion == criterion)
    times = sorted({row.answered_at for row in wanted if row.answered_at is not None})

    def by(until: datetime) -> Ratings:
        return ratings_of(study, store, criteria=criteria, until=until, faulty="set-aside")

    def enough(until: datetime) -> bool:
        try:
            own = by(until).first_occasion().frame
        except CovaryError:  # nothing was rated by then
            return False
        return sum(rating is not None for rating in fetch(own.select("rating"))["rating"]) >= number

    place = bisect_left(times, True, key=enough)
    return by(times[min(place, len(times) - 1)])


class Collection:
    """The answers that count as columns, and what was left out on the way."""

    def __init__(self, criteria: Sequence[Criterion]) -> None:
        self.criteria = {criterion.key: criterion for criterion in criteria}
        self.columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        self.left_out: Counter[str] = Counter()
        self.untouched = 0
        self.cannot_judge: Counter[str] = Counter()
        self.manuals: dict[str, None] = {}
        self.versions: dict[str, set[str]] = {}
        self.texts: dict[str, str] = {}
        self.changed: tuple[str, ...] = ()

    @property
    def scales(self) -> dict[Any, Scale]:
        """The scale of each criterion that was answered."""
        seen = dict.fromkeys(self.columns["criterion"])
        return {key: self.criteria[key].scale.rated for key in self.criteria if key in seen}

    @property
    def in_words(self) -> list[str]:
        """The criteria that are answered in words."""
        return self._of_kind(words=True)

    @property
    def in_numbers(self) -> list[str]:
        """The criteria that are answered in numbers."""
        return self._of_kind(words=False)

    @property
    def is_mixed(self) -> bool:
        """Whether ratings of both kinds were answer."""
        return bool(self.in_words and self.in_numbers)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader of the ratings should know."""
        notes = []
        if self.left_out:
            notes.append(Note("store.left-out", left_out=dict(self.left_out)))
        if self.cannot_judge.total():
            notes.append(Note("store.cannot-judge", criteria=dict(self.cannot_judge)))
        if self.untouched:
            notes.append(Note("store.untouched", number=self.untouched))
        if len(self.manuals) > 1:
            manuals = list(self.manuals)
            notes.append(Note("store.several-manuals", number=len(manuals), manuals=manuals))
        several = [item for item, names in self.versions.items() if len(names) > 1]
        if several:
            notes.append(Note("store.several-versions", items=several))
        if self.changed:
            notes.append(Note("store.changed-since", items=self.changed))
        return tuple(notes)

    def require_ratings(self) -> None:
        """Refuse to go on where nothing was collected that counts."""
        if not self.columns["item"]:
            raise RatingsError("store.no-ratings", left_out=dict(self.left_out))

    def refuse_mixed(self) -> None:
        """Refuse to go on where some criteria are answered in words and others in numbers."""
        if self.is_mixed:
            words, numbers = self.in_words, self.in_numbers
            raise InvalidArgument("store.words-and-numbers", words=words, numbers=numbers)

    def shown(self) -> dict[str, list[Any]]:
        """Return the columns that say something."""
        shown = {name: values for name, values in self.columns.items() if self._says(name)}
        if "cluster" in shown:
            pairs = zip(self.columns["cluster"], self.columns["item"], strict=True)
            shown["cluster"] = [item if cluster is None else cluster for cluster, item in pairs]
        return shown

    def _says(self, name: str) -> bool:
        if name == "occasion":
            return len(set(self.columns[name])) > 1
        return name in ALWAYS or any(value is not None for value in self.columns[name])

    def add(self, row: CountedAnswer, shown: ShownVersion, group: str | None) -> None:
        """Add an answer, on the item as its page showed it."""
        answer = row.answer
        continuous = self.criteria[answer.criterion].scale.categories is None
        untouched = continuous and not answer.touched
        self.untouched += untouched
        undecided = isinstance(answer.rating, CannotJudge)
        self.cannot_judge[answer.criterion] += undecided
        self.manuals[answer.manual] = None
        self.versions.setdefault(answer.item, set()).add(shown.name)
        rating = None if untouched or undecided else answer.rating
        shared = {
            "judge": row.judge,
            "criterion": answer.criterion,
            "group": group,
            "occasion": f"{answer.occasion}{AGAIN if answer.kind == 'repeat' else ''}",
            "manual": answer.manual or None,
            "order": answer.position,
            "seconds": answer.seconds,
        }
        for rated in shown.rated(self.criteria[answer.criterion].scale, rating):
            self.texts[rated.item] = rated.text
            for name in self.columns:
                value = shared[name] if name in shared else getattr(rated, name)
                self.columns[name].append(value)

    def _of_kind(self, *, words: bool) -> list[str]:
        pairs = zip(self.columns["criterion"], self.columns["rating"], strict=True)
        answered = ((key, rating) for key, rating in pairs if rating is not None)
        return list(
            dict.fromkeys(key for key, rating in answered if isinstance(rating, str) is words)
        )


def collect(
    study: Study,
    store: Store,
    *,
    part: str | None = None,
    criteria: Sequence[str] | None = None,
    practice: bool = False,
    abandoned: bool = False,
    until: datetime | None = None,
) -> Collection:
    """Go through the answers that count and keep what is wanted; see `ratings_of`."""
    study = store.training.in_force(study)
    chosen = _choose_criteria(study, part, criteria)
    known = {criterion.key for criterion in study.criteria}
    unknown = _why_unknown(study)
    collection = Collection(chosen)
    items = {item.id for item in study.items}
    versions = ShownVersions(study, store)
    groups = store.notes.groups(study)
    reasons = _reasons(store)
    uncounted = ("check", "gold") if practice else ("check", "gold", "practice")
    for row in store.answers.counted():
        answer = row.answer
        other = answer.criterion in known and answer.criterion not in collection.criteria
        if other or _is_later(answer, until):
            continue
        if answer.item not in items or answer.criterion not in known:
            collection.left_out[unknown[answer.criterion]] += 1
        elif answer.kind in uncounted:
            collection.left_out[answer.kind] += 1
        elif row.abandoned and not abandoned:
            collection.left_out[reasons.get(answer.judge, "abandoned")] += 1
        else:
            collection.add(row, versions.of(answer), groups.get(answer.judge, row.group))
    judged = {change.item for change in store.items.changes(study)}
    collection.changed = tuple(item for item in collection.versions if item in judged)
    return collection


def gold_ratings(
    study: Study, store: Store, *, criteria: Sequence[str] | None = None
) -> tuple[Ratings, dict[Any, dict[Any, Any]]] | None:
    """Return the ratings of items with a known answer, and the answers by criterion and item.

    None where nobody rated such an item.
    """
    study = store.training.in_force(study)
    items = {item.id: item for item in study.items_of("gold")}
    collection = Collection(_choose_criteria(study, None, criteria))
    known: dict[Any, dict[Any, Any]] = {}
    versions, groups = ShownVersions(study, store), store.notes.groups(study)
    for row in store.answers.counted() if items else ():
        item, key = items.get(row.answer.item), row.answer.criterion
        if item is None or row.abandoned or key not in collection.criteria:
            continue
        if key in item.expected:
            shown = versions.of(row.answer)
            collection.add(row, shown, groups.get(row.answer.judge, row.group))
            for rated in shown.rated(collection.criteria[key].scale, item.expected[key]):
                known.setdefault(key, {})[rated.item] = rated.rating
    if not collection.columns["item"]:
        return None
    collection.refuse_mixed()
    return Ratings(collection.shown(), scale=collection.scales, faulty="set-aside"), known


def _is_later(answer: Answer, until: datetime | None) -> bool:
    return until is not None and answer.answered_at is not None and answer.answered_at > until


def _why_unknown(study: Study) -> Mapping[str, str]:
    """Return why answers on a key that is not a criterion are left out."""
    questions = {
        question.key: "words" if question.scale.kind == "text" else "question"
        for question in study.questions
    }
    return defaultdict(lambda: "stranger", questions)


def _reasons(store: Store) -> dict[int, str]:
    """Return why the answers of judges who were recruited do not count, where that is known."""
    outcomes = {
        judge: str(data.get("outcome")) for judge, data in store.notes.last_of_each(NOTE).items()
    }
    return {judge: outcome for judge, outcome in outcomes.items() if outcome in STOPPED}


def criteria_of_parts(study: Study, parts: Sequence[str]) -> list[str]:
    """Return the keys of the criteria that some parts of a study ask."""
    for part in parts:
        if part not in study.parts:
            raise InvalidArgument(
                "store.unknown-part", argument="part", value=part, allowed=study.parts
            )
    return [criterion.key for part in parts for criterion in study.criteria_of(part)]


def _choose_criteria(
    study: Study, part: str | None, keys: Sequence[str] | None
) -> Sequence[Criterion]:
    """Return the criteria that are wanted."""
    if part is not None:
        criteria_of_parts(study, [part])
    known = [criterion.key for criterion in study.criteria]
    unknown = [key for key in keys or () if key not in known]
    if unknown:
        raise InvalidArgument(
            "store.no-such-criterion", argument="criteria", value=unknown, allowed=known
        )
    return [
        criterion
        for criterion in study.criteria
        if (part is None or criterion.part == part) and (keys is None or criterion.key in keys)
    ]


# files


def write_ratings(
    study: Study,
    store: Store,
    path: str | os.PathLike[str],
    *,
    part: str | None = None,
    practice: bool = False,
    spreadsheet: bool = False,
) -> tuple[Path, tuple[str, ...]]:
    """Write the ratings to a file whose ending says how; return it, and notes on what is in it.

    Where some criteria are answered in numbers and others in words, all ratings are written as
    text, which in a text file looks the same. With `spreadsheet`, texts that a spreadsheet would
    take for a formula get an apostrophe before them.
    """
    collection = collect(study, store, part=part, practice=practice)
    collection.require_ratings()
    columns = collection.shown()
    if spreadsheet and Path(path).suffix.lower() not in FOR_SPREADSHEETS:
        raise InvalidArgument("store.not-for-spreadsheets")
    escaped = {name: [escape_formula(v) for v in values] for name, values in columns.items()}
    has_formulas = spreadsheet and escaped != columns
    if has_formulas:
        columns = escaped
    if collection.is_mixed or has_formulas:
        columns["rating"] = [None if r is None else str(r) for r in columns["rating"]]
        ratings = Ratings(columns, level="nominal")
    else:
        ratings = Ratings(columns, scale=collection.scales, faulty="set-aside")
    return write(ratings, path), collection.notes


def write_everything(
    study: Study, store: Store, folder: str | os.PathLike[str], *, spreadsheet: bool = False
) -> list[Path]:
    """Write four files: every answer as it came, the judges, what happened, and the items.

    Items stand there in every version that judges saw. Where a guideline cycle has begun, another
    file has its events, one JSON object on each line.

    Where there are answers that count and that are not ratings (several choices, answers in words,
    and who could not judge, with the reason), they stand in a file of their own, questions.csv;
    passages that judges marked as the reason for a rating stand in passages.csv.
    seal.txt has the newest seal of the study.
    Nothing in them lets anyone in: tokens are not kept, and their digests stay in the store.
    """
    place = Path(folder)
    tables = (_answers(store), _judges(study, store), _notes(store), _item_versions(store))
    files = [
        _write_table(place / name, rows, spreadsheet)
        for name, rows in zip(LOG, tables, strict=True)
    ]
    for name, made in ((QUESTIONS, _questions(study, store)), (PASSAGES, _passages(store))):
        rows = list(made)
        if len(rows) > 1:
            files.append(_write_table(place / name, rows, spreadsheet))
    if events := store.training.events():
        files.append(_write_events(place / TRAINING, events))
    return [*files, _write_seal(place / SEAL, store)]


def _write_seal(path: Path, store: Store) -> Path:
    """Write the newest seal beside what was exported, as `covary check-store --head` takes it."""
    with open(path, "w", encoding="utf-8", opener=private_opener) as file:
        file.write(f"{store.head()}\n")
    return path


def escape_formula(value: Any) -> Any:
    """Return a text that no spreadsheet takes for a formula; numbers and single signs are none.

    Examples
    --------
    >>> escape_formula("=1+1")
    "'=1+1"
    >>> escape_formula(-1), escape_formula("-1.5"), escape_formula("+")
    (-1, '-1.5', '+')
    """
    if not isinstance(value, str) or not value.startswith(DANGEROUS) or len(value) == 1:
        return value
    return value if NUMBER.fullmatch(value) else f"'{value}"


def _answers(store: Store) -> Iterator[Sequence[Any]]:
    names = {judge.id: judge.name for judge in store.judges.all()}
    yield (
        *("number", "judge", "sheet", "position", "occasion", "kind", "item", "criterion"),
        *("rating", "touched", "late", "change", "seconds", "shown_at", "answered_at"),
        *("order_shown", "manual", "page", "sequence", "key", "item_version"),
    )
    for number, change, answer in store.answers.log():
        order = " ".join(map(str, answer.order))
        yield (
            *(
                number,
                names[answer.judge],
                answer.sheet,
                answer.position,
                answer.occasion,
                answer.kind,
            ),
            *(
                answer.item,
                answer.criterion,
                _rating_cell(answer.rating),
                answer.touched,
                answer.late,
                change,
            ),
            *(answer.seconds, answer.shown_at, answer.answered_at, order, answer.manual),
            *(answer.page, answer.sequence, answer.key, answer.item_version),
        )


def _rating_cell(rating: Rating) -> object:
    return f"cannot judge: {rating.reason}" if isinstance(rating, CannotJudge) else rating


def _questions(study: Study, store: Store) -> Iterator[Sequence[Any]]:
    questions = {question.key for question in study.questions}
    yield ("item", "judge", "question", "answer", "cannot_judge", "reason", "occasion", "kind")
    for row in store.answers.counted():
        answer, undecided = row.answer, isinstance(row.answer.rating, CannotJudge)
        if row.abandoned or not (undecided or answer.criterion in questions):
            continue
        reason = answer.rating.reason if isinstance(answer.rating, CannotJudge) else ""
        words = "" if undecided else answer.rating
        about = (answer.item, row.judge, answer.criterion, words, undecided, reason)
        yield (*about, answer.occasion, answer.kind)
    names: dict[int | None, str] = {judge.id: judge.name for judge in store.judges.all()}
    for note in store.notes.all(kind="questions"):
        if note.data["position"]:
            for name, said in note.data["answers"].items():
                yield ("", names[note.judge], name, said, False, "", "", "between items")


def _passages(store: Store) -> Iterator[Sequence[Any]]:
    yield ("item", "judge", "criterion", "rating", "where", "start", "end", "quote", "item_version")
    for row in store.answers.counted():
        answer = row.answer
        for mark in () if row.abandoned else answer.passages:
            about = (answer.item, row.judge, answer.criterion, _rating_cell(answer.rating))
            yield (*about, mark.where, mark.start, mark.end, mark.quote, answer.item_version)


def _judges(study: Study, store: Store) -> Iterator[Sequence[Any]]:
    backgrounds, groups = store.notes.backgrounds(), store.notes.groups(study)
    preferred, remarks = store.notes.last_of_each("preferred"), store.notes.last_of_each("remarks")
    answered = (name for answers in backgrounds.values() for name in answers)
    asked = (question.name for question in study.background if question.ask != "between")
    questions = list(dict.fromkeys((*asked, *answered)))
    sheets = {judge: sheet for sheet, judge in store.sheets.holders().items()}
    after = ("preferred", "preferred_because", "remarks", "attributes")
    yield ("judge", "group", "added_at", "revoked", "sheet", *questions, *after)
    for judge in store.judges.all():
        own, liking = backgrounds.get(judge.id, {}), preferred.get(judge.id, {})
        yield (
            *(judge.name, groups.get(judge.id, judge.group), judge.created_at, judge.revoked),
            sheets.get(judge.id),
            *(own.get(name) for name in questions),
            *(liking.get("part"), liking.get("reason"), remarks.get(judge.id, {}).get("text")),
            _json(judge.attributes) if judge.attributes else None,
        )


def _notes(store: Store) -> Iterator[Sequence[Any]]:
    names = {judge.id: judge.name for judge in store.judges.all()}
    yield ("number", "judge", "at", "kind", "data")
    for note in store.notes.all():
        who = None if note.judge is None else names[note.judge]
        yield (note.id, who, note.at, note.kind, _json(note.data))


def _item_versions(store: Store) -> Iterator[Sequence[Any]]:
    yield ("item", "name_in_ratings", "version", "kept_at", "content")
    for kept in store.items.all():
        content = _json(kept.content.content)
        yield (kept.content.item, kept.name, kept.version, kept.at, content)


def _write_events(file: Path, events: Sequence[CycleEvent]) -> Path:
    with _draft(file) as opened:
        for event in events:
            values = {
                "number": event.number,
                "at": event.at.isoformat(),
                "event": dict(event.event),
            }
            opened.write(f"{_json(values)}\n")
    return file


def _json(data: Any) -> str:
    return json.dumps(dict(data), ensure_ascii=False)


def _write_table(file: Path, rows: Iterable[Sequence[Any]], spreadsheet: bool) -> Path:
    """Write a table."""
    with _draft(file) as opened:
        out = csv.writer(opened, lineterminator="\n")
        for row in rows:
            out.writerow([_cell(value, spreadsheet) for value in row])
    return file


@contextmanager
def _draft(file: Path) -> Iterator[TextIO]:
    """Open a new file, which gets its name when it is complete."""
    draft = file.with_name(f".{file.name}-draft")
    try:
        with open(draft, "w", encoding="utf-8", newline="", opener=private_opener) as opened:
            yield opened
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def _cell(value: Any, spreadsheet: bool) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "isoformat"):
        return value.isoformat(timespec="microseconds")
    return escape_formula(value) if spreadsheet else value
