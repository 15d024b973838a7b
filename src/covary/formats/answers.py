"""Answers in words: agreement, quality and frequency in order, yes and no, numbers with words.

`read_answers` takes the distinct answers of a column and says what each stands for, and in which
order; or nothing, where it does not know them all.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from covary.formats.answer_families import FAMILIES, NO, YES
from covary.records import dataclass

NUMBER = r"[-+]?[0-9]+(?:[.,][0-9]+)?"
LABELLED = rf"\(?({NUMBER})\)?\s*(?:[-–—:.=)]|\s)\s*\(?([^\W\d].*)"
LABEL_FIRST = rf"([^\W\d].*?)\s*[(\[]\s*({NUMBER})\s*[)\]]"
OF_TWO = r"(?i).*\b(?:or|to|and|oder|bis|und|ou|o|y)\s*[0-9]+.*"
"""A label that goes on with another number: '3 or 4' is not a 3."""

CODE = r"AO?0*([0-9]{1,2})"
"""How LimeSurvey names the answers to a question where nobody names them: A1, AO01."""

RANK = r"(?i)([0-9]+)(?:st|nd|rd|th|º|ª|ème|e)"
OUT_OF = rf"({NUMBER})\s*(?:/|of|von|sur|de|out of)\s*([0-9]+)"
PERCENT = rf"({NUMBER})\s*%"
STARS = r"([★⭐🌟✨✭✮🟊]+|\*+)[☆✩\s]*"
MIXED_FRACTION = r"([-+]?[0-9]+)?\s*([¼½¾]|1/2|1/4|3/4)"
QUARTERS = {"¼": 0.25, "1/4": 0.25, "½": 0.5, "1/2": 0.5, "¾": 0.75, "3/4": 0.75}
STARS_IN_WORDS = rf"(?i)({NUMBER})\s*(?:stars?|points?|Sterne?|Punkte?|étoiles?)"
MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
DATES = (
    r"(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}(?:[T ].*)?",
    rf"(?i)[0-9]{{1,2}}[-. ](?:{MONTHS})[a-z]*\.?",
    rf"(?i)(?:{MONTHS})[a-z]*[- ][0-9]{{1,2}}",
    r"[0-9]{1,2}([./-])[0-9]{1,2}\1(?:19|20)?[0-9]{2}(?:[T ].*)?",
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


INFINITE = ("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity")
"""Numbers of which none is a rating; they are no spellings of each other."""


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
        if answer.strip().lower() in INFINITE:
            continue
        near = (a for a in answers[:place] if _plain(a) == _plain(answer) or _one_slip(a, answer))
        first = next(near, None)
        if first is not None:
            pairs.append((answer, first))
    return pairs


def is_date(answer: str) -> bool:
    """Say whether an answer is a date, as spreadsheets make of '4/5' and '3-4'."""
    return any(re.fullmatch(pattern, answer.strip()) for pattern in DATES)


def _one_slip(first: str, second: str) -> bool:
    """Whether two words of some length differ by a letter; not where one says 'un' or 'in'."""
    if first[:-1] == second[:-1] and first[-1:].isupper() and second[-1:].isupper():
        return False  # modelA and modelB
    first, second = _plain(first), _plain(second)
    if min(len(first), len(second)) < 3 or first == second or _differ_in_degree(first, second):
        return False
    if any(first == p + second or second == p + first for p in ("un", "in", "im", "ir", "non")):
        return False
    if re.sub(r"[0-9]+", "", first) == re.sub(r"[0-9]+", "", second):
        return False
    if _enumerated(first, second):
        return False
    if min(len(first), len(second)) > 3 and abs(len(first) - len(second)) <= 1:
        from difflib import get_close_matches  # which no plain file of numbers needs

        if get_close_matches(first, [second], 1, 0.85):
            return True
    return _inserted(first, second) or _swapped(first, second)


def _enumerated(first: str, second: str) -> bool:
    """Whether two names differ in a letter or number that counts: 'model_a' and 'model_b'."""
    tokens = [re.split(r"[\W_]+", name) for name in (first, second)]
    if len(tokens[0]) != len(tokens[1]):
        return False
    odd = [(a, b) for a, b in zip(*tokens, strict=True) if a != b]
    letters = [re.sub(r"[0-9]+", "", token) for pair in odd for token in pair]
    return len(odd) == 1 and max(map(len, letters)) < 2


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
    if len(digits) == len(written) and not all(map(is_number, written)):
        return _as_numbers("digits", digits)
    for kind, pattern in (
        ("labelled", LABELLED),
        ("stars", STARS_IN_WORDS),
        ("percent", PERCENT),
        ("ranks", RANK),
    ):
        matches = {answer: re.fullmatch(pattern, answer.strip()) for answer in written}
        if all(m or is_number(a) for a, m in matches.items()) and any(matches.values()):
            numbers = {a: m[1] if m else a.strip() for a, m in matches.items()}
            sure = _one_word_each(kind, matches) and _one_unit(kind, matches)
            return _as_numbers(kind, numbers) if sure else None
    return _numbers_alone(written)


def as_digits(answer: str) -> str | None:
    """Read a number in other digits or dress: '３', '④', '5️⃣', '−2', '3½', '3 1/2', '="4"'.

    A digit with a footnote's mark, '3²', is no number: neither 32 nor surely 3.

    Examples
    --------
    >>> [as_digits(answer) for answer in ("３", "④", "5️⃣", "−2", "3½", '="4"', "3²", "good")]
    ['3', '4', '5', '-2', '3.5', '4', None, None]
    """
    text = answer.strip()
    quoted = re.fullmatch(r'="(.*)"', text)
    text = quoted[1] if quoted else text.removeprefix("'")
    text = text.replace("\ufe0f", "").replace("\u20e3", "").replace("−", "-")
    digit = unicodedata.digit if _is_in_a_circle(text) else unicodedata.decimal
    text = "".join(str(digit(letter, letter)) for letter in text)
    if fraction := re.fullmatch(MIXED_FRACTION, text):
        whole = int(fraction[1] or 0)
        part = QUARTERS[fraction[2]]
        return f"{whole - part if text.startswith('-') else whole + part:g}"
    return text if re.fullmatch(NUMBER, text) else None


def _is_in_a_circle(text: str) -> bool:
    """Whether a text is one digit in a circle or the like: '④', '❹', but not '²'."""
    small = ("<super>", "<sub>")
    return len(text) == 1 and not unicodedata.decomposition(text).startswith(small)


def _one_unit(kind: str, matches: dict[str, re.Match[str] | None]) -> bool:
    """Whether plain numbers beside '80 %' can be percentages too: 0.8 is 80 % or 0.8 %."""
    plain = [float(a.strip().replace(",", ".")) for a, match in matches.items() if match is None]
    return kind != "percent" or not plain or max(map(abs, plain)) > 1


def _numbers_alone(written: Sequence[str]) -> AnswerMeanings | None:
    """'good (4)', '4/5' and '★★★★', where every answer is so."""
    last = _all_match(LABEL_FIRST, written)
    if last:
        return _as_numbers("labelled", {answer: match[2] for answer, match in last.items()})
    codes = _all_match(CODE, written)
    if len(codes) > 1:
        return _as_numbers("codes", {answer: match[1] for answer, match in codes.items()})
    shares = _all_match(OUT_OF, written)
    if shares and len({match[2] for match in shares.values()}) == 1:
        return _as_numbers("out-of", {answer: match[1] for answer, match in shares.items()})
    stars = _all_match(STARS, [answer.replace("\ufe0f", "") for answer in written])
    if len(stars) > 1 or any(match[1] != "*" for match in stars.values()):
        stars = {answer: stars[answer.replace("\ufe0f", "")] for answer in written}
        return _as_numbers("stars", {a: str(len(match[1])) for a, match in stars.items()})
    return None


def _all_match(pattern: str, written: Sequence[str]) -> dict[str, re.Match[str]]:
    """Match every answer; nothing where one does not."""
    matches = {a: match for a in written if (match := re.fullmatch(pattern, a.strip()))}
    return matches if len(matches) == len(written) else {}


def _one_word_each(kind: str, matches: dict[str, re.Match[str] | None]) -> bool:
    """Whether each number goes with one word: '1 apple' and '1 pear' are not ratings."""
    if kind != "labelled":
        return True
    words: dict[str, set[str]] = {}
    bare = any(match is None for match in matches.values())
    for match in matches.values():
        if match and re.fullmatch(OF_TWO, match[2]):
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


def _belong(words: set[str], family: set[str]) -> bool:
    """Whether several words are of a family; A and D alone may be anything."""
    letters = max(map(len, words)) == 1 and max(map(len, family)) == len("sa")
    return words <= family and len(words) > 1 and not letters


def _family(written: Sequence[str]) -> AnswerMeanings | None:
    """Find the family of words that has all answers, and their order in it."""
    plain = {answer: _plain(answer) for answer in written}
    for family in FAMILIES.strip().split("\n\n"):
        places = {
            _plain(word): place
            for place, line in enumerate(family.splitlines())
            for word in line.split("|")
        }
        if not _belong(set(plain.values()), set(places)):
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


def is_number(answer: str) -> bool:
    """Say whether an answer is a number, with a decimal comma or point."""
    return bool(re.fullmatch(NUMBER, answer.strip()))


def _plain(answer: str) -> str:
    """Take case, spaces and punctuation off an answer; signs alone stay as they are."""
    text = answer.casefold().replace("’", "'").replace("\ufe0f", "")
    return " ".join(re.sub(r"[^\w']+", " ", text).split()) or text.strip()
