"""The words on judges' pages: complete in every language, and no page says another."""

import gettext
import re

import pytest

from covary.words.page_words import (
    FOLDER,
    catalogue,
    languages,
    messages,
    page_texts,
    page_words,
    placeholders,
)
from tests.words import page_messages

NAMED = "ar cs de en es fr he hi it ja ko nl pl pt ru tr uk zh".split()  # noqa: SIM905
TEXT_BETWEEN_TAGS = re.compile(r">([^<>{}]*[A-Za-z]{2}[^<>{}]*)<")
SPOKEN = re.compile(r'(?:aria-label|alt|placeholder|title)="([^"{]*[A-Za-z]{2}[^"{]*)"')


def test_the_pages_speak_eighteen_languages():
    assert sorted(languages()) == NAMED


def test_the_template_of_the_catalogues_has_what_the_pages_say_and_nothing_else():
    assert dict(messages()) == page_messages.messages()


@pytest.mark.parametrize("file", page_messages.judges_templates(), ids=lambda file: file.stem)
def test_no_template_of_a_judges_page_holds_a_word_that_is_not_in_the_catalogue(file):
    text = re.sub(
        r"\{#.*?#\}|<script>.*?</script>|<style>.*?</style>", "", file.read_text(), flags=re.S
    )
    plain = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "\x00", text, flags=re.S)
    plain = plain.replace("\x00", "")
    bare = [words.strip() for words in TEXT_BETWEEN_TAGS.findall(plain)] + SPOKEN.findall(plain)
    assert [words for words in bare if words not in ("UTC", "·")] == []


@pytest.mark.parametrize("language", sorted(set(NAMED) - {"en"}))
def test_a_catalogue_has_every_text_with_the_same_room_for_facts(language):
    words = catalogue(language)
    assert set(words.texts) == set(messages())
    for english, plural in messages().items():
        forms = words.texts[english]
        assert all(form.strip() for form in forms), english
        for form in forms:
            room = placeholders(plural or english)
            assert placeholders(form) == room or (plural and placeholders(form) < room), form
        assert len(forms) == (_forms_of(language) if plural else 1), english


def _forms_of(language):
    return int(re.search(r"nplurals=(\d)", (FOLDER / f"{language}.po").read_text())[1])


@pytest.mark.parametrize(
    ("language", "forms"),
    [  # the forms for 0, 1, 2, 5, 11, 21, 101 as Unicode's table of plural rules (CLDR) has them
        ("de", [1, 0, 1, 1, 1, 1, 1]),
        ("fr", [0, 0, 1, 1, 1, 1, 1]),
        ("pl", [2, 0, 1, 2, 2, 2, 2]),
        ("cs", [2, 0, 1, 2, 2, 2, 2]),
        ("ru", [2, 0, 1, 2, 2, 0, 0]),
        ("uk", [2, 0, 1, 2, 2, 0, 0]),
        ("ar", [0, 1, 2, 3, 4, 4, 5]),
        ("ja", [0, 0, 0, 0, 0, 0, 0]),
    ],
)
def test_plurals_follow_the_rules_of_the_language(language, forms):
    rule = gettext.c2py(catalogue(language).plural)
    assert [rule(number) for number in (0, 1, 2, 5, 11, 21, 101)] == forms


def test_numbers_are_counted_and_grouped_as_the_language_does():
    russian = page_words("ru")
    one, several = "%(number)s item follows.", "%(number)s items follow."
    assert russian.counted(one, several, 21) == "Осталось 21 задание."
    assert russian.counted(one, several, 22) == "Осталось 22 задания."
    assert russian.counted(one, several, 25) == "Осталось 25 заданий."
    assert page_words("de").number(12345) == "12.345"
    assert page_words("en").number(12345) == "12,345"
    assert page_words("ru").number(12345) == "12\xa0345"


def test_a_regional_form_speaks_its_language_and_an_unknown_language_english():
    assert page_words("pt-BR").language == "pt"
    assert page_words("de-AT").text("Next") == "Weiter"
    assert page_words("fi").language == "en"
    assert page_words("fi").text("Next") == "Next"


def test_a_study_renames_words_in_any_language():
    words = page_words(
        "de", {"Input": "Zeitungsartikel", "%(number)s items follow.": "Noch %(number)s."}
    )
    assert words.text("Input") == "Zeitungsartikel"
    assert words.text("Next") == "Weiter"
    assert words.counted("%(number)s item follows.", "%(number)s items follow.", 3) == "Noch 3."
    assert (
        words.counted("%(number)s item follows.", "%(number)s items follow.", 1)
        == "1 Aufgabe folgt."
    )


def test_what_no_native_speaker_has_read_says_so_in_the_file():
    for language in set(NAMED) - {"en"}:
        text = (FOLDER / f"{language}.po").read_text(encoding="utf-8")
        assert catalogue(language).reviewed == ("Not yet read by a native speaker" not in text)


def test_every_text_can_be_renamed_also_those_for_several_things():
    assert {"Next", "%(number)s item follows.", "%(number)s items follow."} <= page_texts()
