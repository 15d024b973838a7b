"""Answers in words: agreement, quality and frequency in order, yes and no, numbers with words.

`read_answers` takes the distinct answers of a column and says what each stands for, and in which
order; or nothing, where it does not know them all.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from covary.errors import RatingsError
from covary.formats.cells import (
    NONE,
    Relation,
    category_words,
    holds_words,
    identifier,
    is_reasoned,
    literal,
)
from covary.scales import Level, ObservedScale, Scale
from covary.words import Note

YES = "yes y true t ja j oui o si sí s sim da tak hai 是 はい 예 да correct 1 ✓ ✔ ✅ x 👍"
NO = "no n false f nein non não nao nie net ne nei iie 否 いいえ 아니요 нет incorrect 0 ✗ ✘ ❌ 👎"

FAMILIES = """
strongly disagree | disagree strongly | completely disagree | totally disagree
disagree
somewhat disagree | slightly disagree | rather disagree
neutral | neither agree nor disagree | neither | undecided | neither disagree nor agree
somewhat agree | slightly agree | rather agree
agree
strongly agree | agree strongly | completely agree | totally agree

very poor | very bad | terrible | awful | horrible
poor | bad
below average
fair | average | ok | okay | acceptable | medium | moderate | neutral | so so
above average
good
very good | great
excellent | outstanding
perfect

incomprehensible
disfluent | disfluent english
non native | non native english
good | good english
flawless | flawless english

none | no meaning
little | little meaning
much | much meaning
most | most meaning
all | all meaning

very difficult | very hard
difficult | hard
neutral | neither easy nor difficult
easy
very easy

very low
low
medium | moderate
high
very high

never
rarely | seldom
sometimes | occasionally
often | frequently
very often | usually
always

not at all
slightly | a little
somewhat | moderately
very | quite
extremely | completely

very dissatisfied
dissatisfied
somewhat dissatisfied
neutral | neither satisfied nor dissatisfied
somewhat satisfied
satisfied
very satisfied

very unlikely | extremely unlikely
unlikely
neutral | neither likely nor unlikely
likely
very likely | extremely likely

much worse
worse
slightly worse
about the same | same | equal | tie
slightly better
better
much better

stimme überhaupt nicht zu | stimme gar nicht zu
stimme nicht zu | lehne ab
stimme eher nicht zu
neutral | teils teils | weder noch | unentschieden
stimme eher zu
stimme zu
stimme voll zu | stimme voll und ganz zu | stimme völlig zu

trifft überhaupt nicht zu | trifft gar nicht zu
trifft nicht zu
trifft eher nicht zu
teils teils | weder noch | neutral | unentschieden
trifft eher zu
trifft zu
trifft voll zu | trifft voll und ganz zu | trifft völlig zu

sehr schlecht
schlecht
eher schlecht
mittel | mittelmäßig | befriedigend | ausreichend | ok | okay | teils teils
eher gut
gut
sehr gut
ausgezeichnet | hervorragend

ungenügend
mangelhaft
ausreichend
befriedigend
gut
sehr gut

nie
selten
manchmal | gelegentlich
oft | häufig
sehr oft
immer

pas du tout d'accord | tout à fait en désaccord
pas d'accord | en désaccord
plutôt pas d'accord
neutre | ni d'accord ni pas d'accord | ni en accord ni en désaccord
plutôt d'accord
d'accord
tout à fait d'accord

très mauvais | très mauvaise
mauvais | mauvaise
moyen | moyenne | passable
bon | bonne | bien
très bon | très bonne | très bien
excellent | excellente

très mal
mal
passable | moyen | moyennement | correct
assez bien
bien
très bien

jamais
rarement
parfois
souvent
toujours

totalmente en desacuerdo | muy en desacuerdo
en desacuerdo
neutral | ni de acuerdo ni en desacuerdo | indeciso
de acuerdo
totalmente de acuerdo | muy de acuerdo

muy malo | muy mala | pésimo | pésima
malo | mala
regular
bueno | buena
muy bueno | muy buena
excelente

muy mal
mal
regular
bien
muy bien

nunca
casi nunca | rara vez | raramente
a veces | algunas veces
a menudo | frecuentemente | casi siempre
siempre

totalmente in disaccordo | per niente d'accordo | fortemente in disaccordo
in disaccordo | non d'accordo
neutrale | né d'accordo né in disaccordo | indeciso
d'accordo
molto d'accordo | totalmente d'accordo | completamente d'accordo | fortemente d'accordo

pessimo | molto scarso
scarso
sufficiente
discreto
buono
ottimo | eccellente

helemaal mee oneens | helemaal oneens
mee oneens | oneens
neutraal
mee eens | eens
helemaal mee eens | helemaal eens

discordo totalmente
discordo
discordo parcialmente
neutro | nem concordo nem discordo | não concordo nem discordo
concordo parcialmente
concordo
concordo totalmente

zdecydowanie się nie zgadzam
nie zgadzam się | raczej się nie zgadzam
nie mam zdania | ani się zgadzam ani się nie zgadzam
zgadzam się | raczej się zgadzam
zdecydowanie się zgadzam

полностью не согласен | совершенно не согласен
не согласен
скорее не согласен
нейтрально
скорее согласен
согласен
полностью согласен | совершенно согласен

kesinlikle katılmıyorum
katılmıyorum
kararsızım
katılıyorum
kesinlikle katılıyorum

非常不同意 | 完全不同意 | 强烈不同意 | 強烈不同意
不同意
有点不同意 | 比较不同意
一般 | 中立 | 不确定 | 不確定 | 普通
有点同意 | 比较同意
同意
非常同意 | 完全同意 | 强烈同意 | 強烈同意

很差 | 非常差
差 | 较差
一般 | 中等
好 | 较好
很好 | 非常好

非常不满意 | 很不满意
不满意
一般
满意
非常满意 | 很满意

全くそう思わない | まったくそう思わない
そう思わない
あまりそう思わない
どちらともいえない | どちらでもない
ややそう思う | 少しそう思う
そう思う
とてもそう思う | 強くそう思う | 非常にそう思う

非常に悪い | とても悪い
悪い
普通 | ふつう
良い | よい
非常に良い | とても良い

전혀 그렇지 않다 | 매우 그렇지 않다
그렇지 않다
보통이다 | 보통
그렇다
매우 그렇다

😡 | 😠 | 😭
🙁 | ☹ | 😞 | 😟 | 😕
😐 | 😑
🙂 | 😊
😀 | 😃 | 😄 | 😁 | 😍 | 🤩
"""

NUMBER = r"[-+]?[0-9]+(?:[.,][0-9]+)?"
LABELLED = re.compile(rf"\(?({NUMBER})\)?\s*(?:[-–—:.=)]|\s)\s*\(?([^\W\d].*)")
LABEL_FIRST = re.compile(rf"([^\W\d].*?)\s*[(\[]\s*({NUMBER})\s*[)\]]")
OF_TWO = re.compile(r".*\b(?:or|to|and|oder|bis|und|ou|o|y)\s*[0-9]+.*", re.IGNORECASE)
"""A label that goes on with another number: '3 or 4' is not a 3."""

RANK = re.compile(r"([0-9]+)(?:st|nd|rd|th|º|ª|ème|e)", re.IGNORECASE)
OUT_OF = re.compile(rf"({NUMBER})\s*(?:/|of|von|sur|de|out of)\s*([0-9]+)")
PERCENT = re.compile(rf"({NUMBER})\s*%")
STARS = re.compile(r"([★⭐🌟✨✭✮🟊]+|\*+)[☆✩\s]*")
MIXED_FRACTION = re.compile(r"([-+]?[0-9]+)?\s*([¼½¾]|1/2|1/4|3/4)")
QUARTERS = {"¼": 0.25, "1/4": 0.25, "½": 0.5, "1/2": 0.5, "¾": 0.75, "3/4": 0.75}
STARS_IN_WORDS = re.compile(rf"({NUMBER})\s*(?:stars?|points?|Sterne?|Punkte?|étoiles?)", re.I)
MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
DATES = (
    re.compile(r"(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}(?:[T ].*)?"),
    re.compile(rf"[0-9]{{1,2}}[-. ](?:{MONTHS})[a-z]*\.?", re.IGNORECASE),
    re.compile(rf"(?:{MONTHS})[a-z]*[- ][0-9]{{1,2}}", re.IGNORECASE),
    re.compile(r"[0-9]{1,2}([./-])[0-9]{1,2}\1(?:19|20)?[0-9]{2}(?:[T ].*)?"),
)

MOST_WORDS = 40
"""So many different answers are compared with each other for near spellings."""


@dataclass(frozen=True, kw_only=True)
class AnswerMeanings:
    """What the answers of a column stand for.

    `meanings` has the number or the one spelling for each answer as it was written; `order` the
    words from low to high, where they have an order, and `kind` what they were taken for.
    """

    kind: str
    meanings: dict[str, str]
    order: tuple[str, ...] = ()


def read_answers(answers: Sequence[str]) -> AnswerMeanings | None:
    """Say what answers stand for; None where they are not all known.

    Examples
    --------
    >>> read_answers(["Agree", "strongly agree", "Neutral"]).order
    ('Neutral', 'Agree', 'strongly agree')
    >>> read_answers(["4 - good", "1 - bad"]).meanings
    {'4 - good': '4', '1 - bad': '1'}
    >>> read_answers(["Y", "yes", "No"]).meanings
    {'Y': 'yes', 'yes': 'yes', 'No': 'No'}
    """
    written = [answer for answer in dict.fromkeys(answers) if answer.strip()]
    if not written:
        return None
    for look in (_numbers_with_words, _yes_and_no, _family):
        found = look(written)
        if found is not None:
            return found
    return None


def near_spellings(answers: Sequence[str]) -> list[tuple[str, str]]:
    """Return the answers that may be another spelling of an earlier one, each with that one.

    Examples
    --------
    >>> near_spellings(["good", "bad", "Good ", "god"])
    [('Good ', 'good'), ('god', 'good')]
    """
    pairs: list[tuple[str, str]] = []
    if len(answers) > MOST_WORDS:
        return pairs
    for place, answer in enumerate(answers):
        near = (a for a in answers[:place] if _plain(a) == _plain(answer) or _one_slip(a, answer))
        first = next(near, None)
        if first is not None:
            pairs.append((answer, first))
    return pairs


def is_date(answer: str) -> bool:
    """Say whether an answer is a date, as spreadsheets make of '4/5' and '3-4'."""
    return any(pattern.fullmatch(answer.strip()) for pattern in DATES)


def _one_slip(first: str, second: str) -> bool:
    """Whether two words of some length differ by a letter; not where one says 'un' or 'in'."""
    first, second = _plain(first), _plain(second)
    if min(len(first), len(second)) < 3 or first == second or _differ_in_degree(first, second):
        return False
    if any(first == p + second or second == p + first for p in ("un", "in", "im", "ir", "non")):
        return False
    if re.sub(r"[0-9]+", "", first) == re.sub(r"[0-9]+", "", second):
        return False
    near = abs(len(first) - len(second)) <= 1 and bool(get_close_matches(first, [second], 1, 0.85))
    if near and min(len(first), len(second)) > 3:
        return True
    return _inserted(first, second) or _swapped(first, second)


DEGREES = frozenset(
    [
        *("sehr", "eher", "very", "fairly", "rather", "quite", "not", "most", "more", "less"),
        *("least", "much", "très", "plus", "peu", "muy", "poco", "più"),
    ]
)


def _differ_in_degree(first: str, second: str) -> bool:
    """Whether two answers differ in words of degree alone: 'sehr gut' and 'eher gut'."""
    odd = set(first.split()) ^ set(second.split())
    return len(odd) > 1 and odd <= DEGREES


def _swapped(first: str, second: str) -> bool:
    """Whether two words differ by two neighbouring letters that changed places."""
    places = [place for place, (a, b) in enumerate(zip(first, second, strict=False)) if a != b]
    if len(first) != len(second) or len(places) != 2 or places[1] - places[0] != 1:
        return False
    return first[places[0]] == second[places[1]] and first[places[1]] == second[places[0]]


def _inserted(first: str, second: str) -> bool:
    """Whether one of two words is the other with a letter doubled."""
    short, long = sorted((first, second), key=len)
    if len(long) - len(short) != 1:
        return False
    return any(
        long[:i] + long[i + 1 :] == short and i and long[i] == long[i - 1] for i in range(len(long))
    )


def _numbers_with_words(written: Sequence[str]) -> AnswerMeanings | None:
    """'4 - good', '(4) good', 'good (4)', '4/5', '80 %', '★★★★' and '4 stars'; or 4 among these."""
    digits = {answer: number for answer in written if (number := as_digits(answer)) is not None}
    if len(digits) == len(written) and not all(map(_is_number, written)):
        return _as_numbers("digits", digits)
    for kind, pattern in (
        ("labelled", LABELLED),
        ("stars", STARS_IN_WORDS),
        ("percent", PERCENT),
        ("ranks", RANK),
    ):
        matches = {answer: pattern.fullmatch(answer.strip()) for answer in written}
        if all(m or _is_number(a) for a, m in matches.items()) and any(matches.values()):
            numbers = {a: m[1] if m else a.strip() for a, m in matches.items()}
            sure = _one_word_each(kind, matches) and _one_unit(kind, matches)
            return _as_numbers(kind, numbers) if sure else None
    return _numbers_alone(written)


def as_digits(answer: str) -> str | None:
    """Read a number in other digits or dress: '３', '④', '5️⃣', '−2', '3½', '3 1/2', '="4"'.

    Examples
    --------
    >>> [as_digits(answer) for answer in ("３", "④", "5️⃣", "−2", "3½", '="4"', "good")]
    ['3', '4', '5', '-2', '3.5', '4', None]
    """
    text = answer.strip()
    quoted = re.fullmatch(r'="(.*)"', text)
    text = quoted[1] if quoted else text.removeprefix("'")
    text = text.replace("\ufe0f", "").replace("\u20e3", "").replace("−", "-")
    text = "".join(str(unicodedata.digit(letter, letter)) for letter in text)
    if fraction := MIXED_FRACTION.fullmatch(text):
        whole = int(fraction[1] or 0)
        part = QUARTERS[fraction[2]]
        return f"{whole - part if text.startswith('-') else whole + part:g}"
    return text if re.fullmatch(NUMBER, text) else None


def _one_unit(kind: str, matches: dict[str, re.Match[str] | None]) -> bool:
    """Whether plain numbers beside '80 %' can be percentages too: 0.8 is 80 % or 0.8 %."""
    plain = [float(a.strip().replace(",", ".")) for a, match in matches.items() if match is None]
    return kind != "percent" or not plain or max(map(abs, plain)) > 1


def _numbers_alone(written: Sequence[str]) -> AnswerMeanings | None:
    """'good (4)', '4/5' and '★★★★', where every answer is so."""
    last = _all_match(LABEL_FIRST, written)
    if last:
        return _as_numbers("labelled", {answer: match[2] for answer, match in last.items()})
    shares = _all_match(OUT_OF, written)
    if shares and len({match[2] for match in shares.values()}) == 1:
        return _as_numbers("out-of", {answer: match[1] for answer, match in shares.items()})
    stars = _all_match(STARS, [answer.replace("\ufe0f", "") for answer in written])
    if len(stars) > 1 or any(match[1] != "*" for match in stars.values()):
        stars = {answer: stars[answer.replace("\ufe0f", "")] for answer in written}
        return _as_numbers("stars", {a: str(len(match[1])) for a, match in stars.items()})
    return None


def _all_match(pattern: re.Pattern[str], written: Sequence[str]) -> dict[str, re.Match[str]]:
    """Match every answer; nothing where one does not."""
    matches = {a: match for a in written if (match := pattern.fullmatch(a.strip()))}
    return matches if len(matches) == len(written) else {}


def _one_word_each(kind: str, matches: dict[str, re.Match[str] | None]) -> bool:
    """Whether each number goes with one word: '1 apple' and '1 pear' are not ratings."""
    if kind != "labelled":
        return True
    words: dict[str, set[str]] = {}
    bare = any(match is None for match in matches.values())
    for match in matches.values():
        if match and OF_TWO.fullmatch(match[2]):
            return False
        if match and bare and re.search(r"[0-9]", match[2]):
            return False  # '3 (was 2)' among plain numbers
        if match:
            words.setdefault(match[1], set()).add(_plain(match[2]))
    return all(len(names) == 1 for names in words.values())


def _as_numbers(kind: str, numbers: dict[str, str]) -> AnswerMeanings:
    return AnswerMeanings(
        kind=kind, meanings={answer: n.replace(",", ".") for answer, n in numbers.items()}
    )


def _yes_and_no(written: Sequence[str]) -> AnswerMeanings | None:
    yes, no = YES.split(), NO.split()
    plain = {answer: answer.strip().casefold() for answer in written}
    letters = [word for word in plain.values() if not word.isdecimal()]
    known = all(word in yes or word in no for word in plain.values())
    if not known or not letters or not {*plain.values()} & {*no}:
        return None
    short = [word for word in letters if len(word) == 1 and word not in "yntf"]
    if short and len(set(plain.values())) > 2:
        return None  # S, O and N may be anything
    first: dict[bool, str] = {}
    for answer, word in sorted(plain.items(), key=lambda pair: len(pair[1]) == 1):
        first.setdefault(word in yes, answer.strip())
    meanings = {answer: first[word in yes] for answer, word in plain.items()}
    return AnswerMeanings(
        kind="yes-no", meanings=meanings, order=tuple(first[k] for k in sorted(first))
    )


def _family(written: Sequence[str]) -> AnswerMeanings | None:
    """Find the family of words that has all answers, and their order in it."""
    plain = {answer: _plain(answer) for answer in written}
    for family in FAMILIES.strip().split("\n\n"):
        places = {
            _plain(word): place
            for place, line in enumerate(family.splitlines())
            for word in line.split("|")
        }
        if not all(word in places for word in plain.values()) or len(set(plain.values())) < 2:
            continue
        first: dict[int, str] = {}
        for answer, word in plain.items():
            first.setdefault(places[word], answer.strip())
        spellings: dict[int, set[str]] = {}
        for word in plain.values():
            spellings.setdefault(places[word], set()).add(word)
        if any(len(words) > 1 for words in spellings.values()):
            continue  # 'ok' and 'fair' side by side are two answers, and their order is not known
        meanings = {answer: first[places[word]] for answer, word in plain.items()}
        return AnswerMeanings(
            kind="ordered", meanings=meanings, order=tuple(first[p] for p in sorted(first))
        )
    return None


def _is_number(answer: str) -> bool:
    return bool(re.fullmatch(NUMBER, answer.strip()))


def _plain(answer: str) -> str:
    """Take case, spaces and punctuation off an answer; signs alone stay as they are."""
    text = answer.casefold().replace("’", "'").replace("\ufe0f", "")
    return " ".join(re.sub(r"[^\w']+", " ", text).split()) or text.strip()


MOST_ANSWERS = 2000
"""With more different answers than that, nothing is made of words."""


@dataclass(kw_only=True)
class WordedRatings:
    """The cells with their answers read, the scales that words form, and what is to be said."""

    cells: Relation
    scales: dict[Any, Scale] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_words(
    cells: Relation,
    rating: str,
    criterion: str | None,
    *,
    said: Mapping[str, str],
    declared: Mapping[str, Any],
    file: str,
) -> WordedRatings:
    """Read the answers of a column of ratings; `said` is what the caller said they mean.

    Where a scale or another level than ordinal was `declared`, words keep their own order and
    spelling, and only numbers are read out of them.
    """
    free = declared.get("scale") is None and declared.get("level") in (None, "ordinal")
    if said:
        cells = _as_text(cells, rating)
        cells = _replaced(cells, rating, {None: dict(said)}, criterion)
    if not holds_words(cells, rating):
        return WordedRatings(cells=cells)
    read = WordedRatings(cells=cells)
    meanings: dict[Any, dict[str, str]] = {}
    for name, words in _distinct_answers(cells, rating, criterion).items():
        key = None if criterion is None else name
        _refuse_dates(words, rating if criterion is None else str(name), file)
        absent = _missing_answers(words, declared.get("scale"))
        meanings[name] = dict.fromkeys(absent, "")
        read.notes += _said_missing(absent, key)
        present = _without(words, absent)
        if all(map(_is_plain_number, present)):
            continue
        found = read_answers(present)
        if found is None and declared.get("scale") is None:
            _refuse_near(_without(present, said), key, file)
            read.notes += _unordered(present, key) if free else []
        if found is not None and (free or not found.order):
            meanings[name] |= found.meanings
            _take(read, key, found)
    read.cells = _replaced(cells, rating, meanings, criterion)
    return read


def _without(words: Sequence[str], others: Collection[str]) -> list[str]:
    return [word for word in words if word not in others]


def _said_missing(absent: list[str], criterion: Any) -> list[str]:
    if not absent:
        return []
    return [Note("formats.missing-answers", criterion=criterion, words=absent)]


def _missing_answers(words: Sequence[str], scale: Any) -> list[str]:
    """Return the answers that say why there is none, and Python's None among numbers."""
    possible = category_words(scale)
    absent = [word for word in words if is_reasoned(word) and word.lower() not in possible]
    others = [word for word in words if word not in absent and word.lower() != NONE]
    if others and all(map(_is_plain_number, others)) and NONE not in possible:
        absent += [word for word in words if word.lower() == NONE]
    return absent


def _unordered(words: list[str], criterion: Any) -> list[str]:
    """Say that words were taken as names, where their order could matter."""
    if not 2 < len(words) <= MOST_WORDS or any(map(_is_number, words)):
        return []
    return [Note("formats.unordered-answers", criterion=criterion, words=words)]


CODES = (-1, -9, -99, -999, -9999, 77, 88, 99, 777, 888, 999, 9999)
"""Numbers that surveys and statistics programs write where there is no answer."""


def missing_codes(ratings: Sequence[float]) -> list[float]:
    """Return the numbers that lie so far from all others that they say 'no answer'.

    Examples
    --------
    >>> missing_codes([1, 2, 5, -99]), missing_codes([10, 80, 99]), missing_codes([-1, 0, 1])
    ([-99], [], [])
    """
    others = [rating for rating in ratings if rating not in CODES]
    if not others:
        return []
    low, high = min(others), max(others)
    lowest = -1 if low < 1 or high < 3 else 0
    return [
        rating
        for rating in ratings
        if rating in CODES and (rating > 7 * max(high, 1) or (low >= 0 and rating < lowest))
    ]


DAYS = (36526, 54788)
"""The first days of 2000 and of 2050, as spreadsheets count them."""


def refuse_days(cells: Relation, rating: str, criterion: str | None, *, file: str) -> None:
    """Refuse ratings that are all days as a spreadsheet counts them."""
    number = f"try_cast({identifier(rating)} as double)"
    name = "null" if criterion is None else identifier(criterion)
    rows = cells.aggregate(
        f"{name} as name, min({number}), max({number}), list_slice(list(distinct {number}), 1, 5)",
        "1",
    ).fetchall()
    for label, low, high, numbers in rows:
        if low is not None and DAYS[0] <= low and high < DAYS[1] and low == int(low):
            days = [f"{number:g}" for number in sorted(numbers)]
            column = rating if criterion is None else str(label)
            raise RatingsError("formats.dates", value=days, column=column, file=file)


def refuse_codes(
    cells: Relation, rating: str, criterion: str | None, *, said: Mapping[str, str], file: str
) -> None:
    """Refuse numbers that most likely stand for a missing rating, until somebody says so."""
    name = "null" if criterion is None else identifier(criterion)
    listed = ", ".join(map(str, CODES))
    number = f"try_cast({identifier(rating)} as double)"
    (any_code,) = cells.aggregate(f"count_if({number} in ({listed}))").fetchone()
    if not any_code:
        return
    rows = cells.aggregate(f"{name} as name, list(distinct {number}) as numbers", "1").fetchall()
    for label, numbers in rows:
        codes = missing_codes([n for n in numbers if n is not None])
        texts = [f"{code:g}" for code in sorted(codes) if f"{code:g}" not in said]
        if texts:
            facts = {"criterion": label, "answers": dict.fromkeys(texts, "")}
            raise RatingsError("formats.missing-codes", value=texts, file=file, **facts)


def _distinct_answers(cells: Relation, rating: str, criterion: str | None) -> dict[Any, list[str]]:
    """Return the different answers on each criterion that are not all numbers, commonest first."""
    name = "null" if criterion is None else identifier(criterion)
    rows = (
        cells.filter(f"{identifier(rating)} is not null")
        .aggregate(f"{name} as name, {identifier(rating)} as answer, count(*) as times", "1, 2")
        .order("name, times desc, answer")
        .limit(MOST_ANSWERS + 1)
        .fetchall()
    )
    if len(rows) > MOST_ANSWERS:
        return {}
    answers: dict[Any, list[str]] = {}
    for label, answer, _ in rows:
        answers.setdefault(label, []).append(answer)
    return {name: words for name, words in answers.items() if not all(map(_is_plain_number, words))}


def _is_plain_number(answer: str) -> bool:
    try:
        return answer.isascii() and math.isfinite(float(answer))
    except ValueError:
        return False


def _refuse_dates(words: list[str], column: str, file: str) -> None:
    dates = [word for word in words if is_date(word)]
    if dates:
        raise RatingsError("formats.dates", value=dates, column=column, file=file)


def _refuse_near(words: list[str], criterion: Any, file: str) -> None:
    """Refuse words that are nearly the same, unless somebody says which are one."""
    pairs = near_spellings(words)
    if pairs:
        raise RatingsError(
            "formats.near-words", value=pairs, file=file, answers=dict(pairs), criterion=criterion
        )


def _take(read: WordedRatings, criterion: Any, found: AnswerMeanings) -> None:
    """Remember the order of answers, and what is to be said of them."""
    if found.order:
        read.scales[criterion] = ObservedScale(
            Level.ORDINAL, found.order, math.nan, math.nan, guessed=False
        )
    merged = len(set(found.meanings.values())) < len(found.meanings)
    facts = {"criterion": criterion, "examples": dict(list(found.meanings.items())[:4])}
    if found.order:
        code = "formats.ordered-answers" if found.kind == "ordered" else "formats.yes-and-no"
        spellings = sorted(found.meanings) if merged else []
        read.notes.append(Note(code, order=found.order, spellings=spellings, **facts))
    else:
        read.notes.append(Note("formats.numbered-answers", **facts))


def _as_text(cells: Relation, rating: str) -> Relation:
    """Write numbers as people do, 4 and not 4.0, so that answers can be named."""
    kinds = dict(zip(cells.columns, map(str, cells.types), strict=True))
    if kinds[rating] == "VARCHAR":
        return cells
    text = f"regexp_replace(cast({identifier(rating)} as varchar), '\\.0$', '')"
    return cells.project(f"* replace ({text} as {identifier(rating)})")


def _replaced(
    cells: Relation, rating: str, meanings: Mapping[Any, Mapping[str, str]], criterion: str | None
) -> Relation:
    cases = []
    for name, words in meanings.items():
        own = (
            ""
            if criterion is None or name is None
            else (f"cast({identifier(criterion)} as varchar) = {literal(str(name))} and ")
        )
        cases += [
            f"when {own}{identifier(rating)} = {literal(word)} then nullif({literal(meaning)}, '')"
            for word, meaning in words.items()
            if word != meaning
        ]
    if not cases:
        return cells
    kept = [
        f"case {' '.join(cases)} else {identifier(column)} end as {identifier(column)}"
        if column == rating
        else identifier(column)
        for column in cells.columns
    ]
    return cells.project(", ".join(kept))
