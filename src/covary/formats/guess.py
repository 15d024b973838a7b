"""Which column is what, found by the names that people give to columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from covary.errors import InvalidArgument, listed
from covary.ratings import COLUMNS

__all__ = ["NAMES", "NEEDED", "Guess", "guess", "known_role", "numbered_alike", "plain"]

NEEDED = ("item", "judge", "rating")

DECISIVE = (*NEEDED, "criterion")
"""Roles that change every number, so that nothing is read while two columns fit them."""

NAMES: dict[str, tuple[str, ...]] = {
    "item": (
        "item itemid itemname itemnumber itemno",
        "questionid qid sampleid instanceid unitid segmentid segid hitid textid docid exampleid "
        "outputid sentenceid sentid taskid stimulusid uid",
        "id sample instance unit segment hit doc example stimulus task",
        "text sentence output",
    ),
    "judge": (
        "judge judgeid judgename",
        "annotator annotatorid annotatorname rater raterid ratername coder coderid worker workerid "
        "evaluator evaluatorid assessor assessorid",
        "participant participantid prolificpid prolificid user userid username subject subjectid "
        "expert expertid reviewer reviewerid labeler labeller respondent respondentid completedby "
        "email",
    ),
    "rating": (
        "rating ratings",
        "score scores ratingvalue ratingscore likert humanscore",
        "label value answer response judgement judgment annotation vote grade mark assessment",
    ),
    "criterion": (
        "criterion criteria criterionname qualitycriterion",
        "dimension qualitydimension aspect attribute",
        "quality metric question property",
    ),
    "system": (
        "system systemid systemname",
        "model modelid modelname",
        "condition method generator approach",
    ),
    "source": (
        "source sourceid sourcetext",
        "input inputid prompt promptid document documentid texttype passage passageid article "
        "articleid",
    ),
    "group": ("group judgegroup", "ratergroup annotatorgroup workergroup cohort"),
    "occasion": ("occasion",),
    "round": ("round",),
    "manual": ("manual manualversion",),
    "cluster": (
        "cluster clusterid",
        "session sessionid dialogue dialogueid dialog dialogid conversation conversationid thread "
        "threadid",
    ),
    "order": ("order", "presentationorder trialnumber trialindex trial"),
    "seconds": (
        "seconds",
        "secs worktimeinseconds worktimeseconds durationseconds durationinseconds timeseconds "
        "leadtime responsetimeseconds responsetimeinseconds",
    ),
}
"""For each role, names in the order in which they are believed; those of one line fit equally."""

ONE_OF_MANY = re.compile(
    r"(?:j|judge|a|ann|annotator|r|rater|c|coder|w|worker|e|expert|evaluator|assessor|user|"
    r"participant|reviewer|score|rating|label|response|answer)(?:id)?(?:[0-9]{1,3}|[a-h])"
)
"""A column of one judge among several: J1, rater_2, Annotator A, score3."""


@dataclass(frozen=True)
class Guess:
    """Which column has which role, which of them were guessed, and what is to be said of it."""

    roles: dict[str, str]
    guessed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def guess(
    columns: Sequence[str], said: Mapping[str, str | None], only: Sequence[str] = COLUMNS
) -> Guess:
    """Find the column of each role; what was said always counts.

    Examples
    --------
    >>> guess(["QID", "worker_id", "Score", "length"], {}).roles
    {'item': 'QID', 'judge': 'worker_id', 'rating': 'Score'}
    """
    roles = {role: column for role, column in said.items() if column is not None}
    free = [column for column in columns if column not in roles.values()]
    guessed, notes = {}, []
    for role in (role for role in only if role not in said):
        fits = _fits(role, free)
        if len(fits) > 1 and role in DECISIVE:
            raise InvalidArgument(
                f"the columns {listed(fits)} fit {role} equally well; say which one it is: "
                f"{role}={fits[0]!r}" + ("" if role in NEEDED else f" (or {role}=None for none)")
            )
        if len(fits) > 1:
            notes.append(
                f"The columns {listed(fits)} fit {role} equally well, so none was taken "
                f"({role}='…' chooses one)."
            )
        elif fits:
            roles[role] = fits[0]
            if plain(fits[0]) != role:
                guessed[role] = fits[0]
    if guessed:
        notes.insert(0, _sentence(guessed))
    return Guess({r: roles[r] for r in COLUMNS if r in roles}, tuple(guessed), tuple(notes))


def known_role(column: str) -> str | None:
    """Return the role that a column's name stands for, if any."""
    return next((role for role in NAMES if _fits(role, [column])), None)


def numbered_alike(columns: Sequence[str]) -> list[str]:
    """Return the columns that are named like one judge among several: J1, J2 …"""
    found = [column for column in columns if ONE_OF_MANY.fullmatch(plain(column))]
    stems = {re.sub(r"([0-9]+|[a-h])$", "", plain(column)) for column in found}
    return found if len(found) > 1 and len(stems) == 1 else []


def plain(column: str) -> str:
    """Take case, spaces, underscores and punctuation off a name."""
    return "".join(letter for letter in column.casefold() if letter.isalnum())


def _fits(role: str, columns: Sequence[str]) -> list[str]:
    if role in columns:
        return [role]
    for line in NAMES[role]:
        fits = [column for column in columns if plain(column) in line.split()]
        if fits:
            return fits
    return []


def _sentence(guessed: Mapping[str, str]) -> str:
    parts = [f"{column!r} as the {role}" for role, column in guessed.items()]
    read = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"By their names, the columns were read so: {read}."
