"""Which column is what, found by the names that people give to columns."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from covary.errors import InvalidArgument
from covary.formats.cells import MISSING
from covary.ratings import COLUMNS
from covary.records import dataclass
from covary.words import Note

NEEDED = ("item", "judge", "rating")

DECISIVE = (*NEEDED, "criterion")
"""Roles that change every number, so that nothing is read while two columns fit them."""

NAMES: dict[str, tuple[str, ...]] = {
    "item": (
        "item itemid itemname itemnumber itemno",
        "questionid qid sampleid instanceid unitid segmentid segid hitid textid docid exampleid "
        "outputid sentenceid sentid taskid stimulusid uid pairid tupleid",
        "id sample instance unit segment hit doc example stimulus task patient patientid case "
        "caseid essay essayid story storyid tweetid postid commentid imageid captionid utteranceid "
        "turnid summaryid rowlabels satz beispiel phrase frase oración exemple ejemplo "
        "textnr satznr itemnr beispielnr 文番号 項目番号 编号 句子编号",
        "text sentence output image caption utterance tweet summary translation hypothesis",
    ),
    "judge": (
        "judge judgeid judgename judgeinitials",
        "annotator annotatorid annotatorname rater raterid ratername raterinitials coder coderid "
        "worker workerid "
        "evaluator evaluatorid assessor assessorid observer observerid grader graderid marker "
        "scorer crowdworker crowdworkerid turker ratedby judgedby annotatedby evaluatedby",
        "participant participantid participantcode prolificpid prolificid user userid subject "
        "subjectid labeledby "
        "expert expertid reviewer reviewerid labeler labeller respondent respondentid completedby "
        "email emailaddress yourname yourid whoareyou teacher examiner username nickname initials "
        "bewerter beurteiler "
        "gutachter annotateur évaluateur juge juez evaluador anotador valutatore "
        "評価者 評定者 アノテーター 评价者 评分者 标注者 평가자",
    ),
    "rating": (
        "rating ratings",
        "score scores ratingvalue ratingscore likert humanscore",
        "label value answer response judgement judgment annotation vote grade mark assessment "
        "rank ranking slider directassessment bewertung wertung punkte punktzahl évaluation "
        "puntuación calificación valoración valutazione voto",
        "winner preference preferred choice verdict decision",
    ),
    "criterion": (
        "criterion criteria criterionname qualitycriterion",
        "dimension qualitydimension aspect attribute",
        "quality metric question property kriterium kriterien merkmal aspekt critère critere "
        "criterio critério aspecto aspetto",
    ),
    "system": (
        "system systemid systemname sys sysid sysname mtsystem",
        "model modelid modelname",
        "condition method generator approach modell système systeme sistema modèle modelo modello",
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

TEXTS = (
    "text itemtext outputtext generatedtext",
    "output generation sentence hypothesis candidate translation summary caption description",
    "questiontext utterance reply story",
)
"""Names of a column that holds what an item says, in the order in which they are believed."""

ONE_OF_MANY = re.compile(
    r"(?:j|judge|a|ann|annotator|r|rater|c|coder|w|worker|e|expert|evaluator|assessor|user|"
    r"participant|reviewer|score|rating|label|response|answer)(?:id)?(?:[0-9]{1,5}|[a-h])"
)
"""A column of one judge among several: J1, rater_2, Annotator A, score3."""

LETTERED = re.compile(
    r"(?:judge|annotator|rater|coder|worker|expert|evaluator|assessor|participant|reviewer)"
    r"(?P<letter>[a-z])"
)
MOST_LETTERS = 8
"""So many letters stand for judges after any name; more only where none is left out."""

SHORT_AND_COUNTED = re.compile(r"\w{1,3} \([0-9]+\)")
"""One of several columns of a short name: 'Ann (1)' is a person, not annotator 1."""

MOST_NAMES = 65_536
"""So many names of columns are remembered with what they stand for."""


CRITERION_STEMS = """
    fluen adequa gramma relevan coheren natural clarity clear correct complet informat readab
    consist faithful overall qualit accura helpful engag specific humanlik appropria useful variety
    ambigu factual redundan concis simpl style tone creativ interest understand intellig meaning
    semantic safety toxic humor humour polite truth plausib novel diversit preserv similar logic
    structur flüssig korrekt verständlich natürlich richtig adéqu cohéren claridad fluidez
"""
"""How the names of qualities begin that texts are judged by."""


def criterion_like(name: str) -> bool:
    """Say whether a name speaks of a quality: 'How fluent is it?', 'Grammaticality'.

    Examples
    --------
    >>> criterion_like("How fluent is it?"), criterion_like("Text 1"), criterion_like("Ann")
    (True, False, False)
    """
    words = re.split(r"[\W_]+", name.casefold())
    return any(word.startswith(stem) for word in words for stem in CRITERION_STEMS.split())


ABOUT_PERSONS = re.compile(
    r"\b(?:how old|your age|age|alter|edad|âge|gender|sex|geschlecht|education|native (?:language|"
    r"speaker)|mother tongue|muttersprache|occupation|nationality|country|years? of experience|"
    r"language skills?|consent|year of birth)\b",
    re.IGNORECASE,
)
"""Questions of a survey that are about whoever answers it."""


def about_person(name: str) -> bool:
    """Say whether a question is about whoever answers it.

    Examples
    --------
    >>> about_person("How old are you?"), about_person("nativeLanguage"), about_person("language")
    (True, True, False)
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[_.]", " ", name)
    return bool(ABOUT_PERSONS.search(words))


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
    wants_item = "item" in only and "item" not in said
    free = [column for column in columns if column not in roles.values()]
    guessed: dict[str, str] = {}
    notes: list[str] = []
    for role in (role for role in only if role not in said):
        fits = _fits(role, free)
        if len(fits) > 1 and role in DECISIVE:
            optional = role not in NEEDED
            raise InvalidArgument(
                "formats.fits-equally", argument=role, allowed=fits, optional=optional
            )
        if len(fits) > 1:
            notes.append(Note("formats.none-taken", role=role, columns=fits))
        elif fits:
            roles[role] = fits[0]
            if plain(fits[0]) != role:
                guessed[role] = fits[0]
    if wants_item and "source" not in said and _source_is_item(roles):
        roles["item"] = guessed["item"] = roles.pop("source")
        guessed.pop("source", None)
    if guessed:
        notes.insert(0, Note("formats.guessed-columns", roles=guessed))
    return Guess({r: roles[r] for r in COLUMNS if r in roles}, tuple(guessed), tuple(notes))


def _source_is_item(roles: Collection[str]) -> bool:
    """Whether what is judged is named by what it was made from alone; systems part it further."""
    return "item" not in roles and "source" in roles and bool({"rating", "system"} & {*roles})


ROLES = {
    name: role for role, lines in reversed(NAMES.items()) for line in lines for name in line.split()
}
"""The role of each name; of two roles the first counts."""


@lru_cache(maxsize=MOST_NAMES)
def known_role(column: str) -> str | None:
    """Return the role that a column's name stands for, if any."""
    return ROLES.get(plain(without_hint(column)))


def names_say_all(columns: Sequence[str]) -> bool:
    """Say whether the names of columns tell the judge, the rating, and the item or its source."""
    roles = {known_role(column) for column in columns}
    return {"judge", "rating"} <= roles and bool({"item", "source"} & roles)


def numbered_alike(columns: Sequence[str]) -> list[str]:
    """Return the columns that are named like one judge among several: J1, J2 …"""
    lettered = _lettered(columns)
    if len(lettered) > MOST_LETTERS:
        return lettered
    alike = [
        column
        for column in columns
        if ONE_OF_MANY.fullmatch(plain(column)) and not SHORT_AND_COUNTED.fullmatch(column)
    ]
    stems = {re.sub(r"([0-9]+|[a-h])$", "", plain(column)) for column in alike}
    return alike if len(alike) > 1 and len(stems) == 1 else []


def _lettered(columns: Sequence[str]) -> list[str]:
    """Return columns named 'Rater A', 'Rater B', … without a gap, as far as the letters go."""
    by_letter: dict[str, str] = {}
    for column in columns:
        match = LETTERED.fullmatch(plain(column))
        if match and by_letter.setdefault(match["letter"], column) != column:
            return []
    stems = {plain(column)[:-1] for column in by_letter.values()}
    wanted = "abcdefghijklmnopqrstuvwxyz"[: len(by_letter)]
    return list(by_letter.values()) if len(stems) == 1 and {*by_letter} == {*wanted} else []


@lru_cache(maxsize=MOST_NAMES)
def plain(column: str) -> str:
    """Take case, spaces, underscores and punctuation off a name."""
    return "".join(letter for letter in column.casefold() if letter.isalnum())


def with_text(roles: Mapping[str, str], columns: Sequence[str]) -> dict[str, str]:
    """Add the column with what the items say, where one has a name that tells and is free.

    Examples
    --------
    >>> with_text({"item": "id", "rating": "score"}, ["id", "score", "Output"])
    {'item': 'id', 'rating': 'score', 'text': 'Output'}
    """
    free = [column for column in columns if column not in roles.values()]
    fits = (c for line in TEXTS for c in free if plain(c) in line.split())
    text = next(fits, None)
    return dict(roles) if text is None else {**roles, "text": text}


def without_hint(column: str) -> str:
    """Take off a scale that stands in brackets after a name: 'Rating (1-7)'.

    Examples
    --------
    >>> without_hint("Rating (1 = bad)"), without_hint("Rating (2)")
    ('Rating', 'Rating (2)')
    """
    return re.sub(r"\s*\((?![0-9]+\))[^)]*[0-9][^)]*\)\s*$", "", column) or column


def judge_score_pairs(columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Find columns in pairs, the judge and the score of each: rater1, score1, rater2, score2.

    Examples
    --------
    >>> judge_score_pairs(["item", "rater1", "score1", "rater2", "score2"])
    {'1': ('rater1', 'score1'), '2': ('rater2', 'score2')}
    """
    places: dict[str, dict[str, str]] = {}
    for column in columns:
        match = re.fullmatch(r"(.*?[^\W\d])[\s_.-]*([0-9]{1,2})", column.strip())
        role = known_role(match[1]) if match else None
        if match and role in ("judge", "rating"):
            places.setdefault(match[2], {}).setdefault(str(role), column)
    pairs = {n: (p["judge"], p["rating"]) for n, p in places.items() if len(p) == 2}
    return pairs if len(pairs) == len(places) > 1 else {}


def _fits(role: str, columns: Sequence[str]) -> list[str]:
    if role in columns:
        return [role]
    for line in NAMES[role]:
        fits = [column for column in columns if plain(without_hint(column)) in line.split()]
        if fits:
            return fits
    return []


def criteria_of_one_kind(
    criteria: Sequence[str], numeric: Collection[str], notes: list[str]
) -> list[str]:
    """Keep the criteria with numbers where there are some, and say which were left out.

    Ratings are all numbers or all words; a question for comments must not turn the numbers into
    words.
    """
    words = [criterion for criterion in criteria if criterion not in numeric]
    if not words or not numeric:
        return list(criteria)
    notes.append(Note("formats.words-left-out", words=words, numbers=list(numeric)))
    return [criterion for criterion in criteria if criterion in numeric]


def records_of_one_kind(
    records: list[dict[str, Any]], wanted: str | Sequence[str] | None, notes: list[str]
) -> list[dict[str, Any]]:
    """Keep the wanted criteria, or those of one kind where nobody said which."""
    criteria = list(dict.fromkeys(record["criterion"] for record in records))
    if wanted is None:
        numeric = [
            criterion
            for criterion in criteria
            if all(_is_number(r["rating"]) for r in records if r["criterion"] == criterion)
        ]
        kept = criteria_of_one_kind(criteria, numeric, notes)
    else:
        kept = [wanted] if isinstance(wanted, str) else list(wanted)
    return [record for record in records if record["criterion"] in kept]


def _is_number(rating: Any) -> bool:
    if rating is None or str(rating).strip().lower() in ("", *MISSING):
        return True
    try:
        float(rating)
    except (TypeError, ValueError):
        return False
    return True
