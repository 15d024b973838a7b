"""A study's folder becomes a value that holds what its files say, unaltered."""

import dataclasses
from dataclasses import replace

import pytest

from covary.errors import StudyError
from covary.scales import Level, Preference, VerbalScale, VisualScale
from covary.study import read_study
from covary.study.model import Background, DesignSettings, PartDesign, Population, Session, Turn
from tests.study.folders import ITEMS, TOML, write_study

WHOLE = '''\
title = "Übersicht"
language = "de"
contact = "a@example.org"
consent = "consent.md"
items = "texts.tsv"
guidelines = "rules.md"
human_systems = ["y"]

[[criterion]]
name = "Lesbarkeit"
part = "Liste"
question = "Wie gut liest sich das?"
definition = "Nur die Sprache."
[criterion.scale]
kind = "verbal"
categories = [1, 2, 3]
labels = ["schlecht", "mittel", "gut"]
best = "low"
vertical = true

[[criterion]]
name = "Lesbarkeit"
part = "Linie"
question = """Wie gut
liest sich das?"""
scale = { kind = "visual", labels = ["schlecht", "gut"], faces = true, vertical = false }

[[background]]
name = "Deutsch"
question = "Ist Deutsch Ihre Muttersprache?"
options = ["ja", "nein"]
group = true

[[background]]
name = "Alter"
question = "Wie alt sind Sie?"
required = false

[design]
kind = "overlap"
judges = 6
seed = 3
per_judge = 5
judges_per_item = 3
repeats = 1
repeat_distance = 4
source_distance = 2
occasions = 2
order = "as-listed"
parts = "as-listed"

[design.part.Linie]
order = "random"

[session]
break_every = 7
go_back = false
ask_preference = true
remarks = true
occasion_gap_hours = 24.5
code = "C0DE"
redirect = "https://example.org/done?cc=C0DE"
markup = true
comments = true
feedback = ["practice", "gold"]

[population]
who = "staff"
recruitment = "by mail"
payment = "none"
minutes = 20
overlap = "no overlap"
'''


@pytest.fixture
def whole(tmp_path):
    table = "item\ttext\tsystem\na\tEins.\tx\nb\tZwei.\ty\n"
    files = {"consent__md": "# Ja\n", "rules__md": "Regeln\n", "texts__tsv": table}
    return read_study(write_study(tmp_path, WHOLE, None, **files))


def test_what_is_not_said_has_its_default(tmp_path):
    study = read_study(write_study(tmp_path))
    assert (study.title, study.language, study.consent, study.parts) == ("Small", "en", "", ("",))
    assert (study.design, study.session) == (DesignSettings(), Session())
    assert study.criteria[0].scale == VerbalScale([1, 2, 3, 4, 5])
    assert study.item("a2").texts == ("Two.",)
    assert (study.item("a2").system, study.item("a2").source) == ("y", "s1")
    assert study.manual.guidelines == "Judge each text on its own.\n"
    assert [note.code for note in study.notes] == ["study.note-no-words"]


def test_every_setting_is_read(whole):
    assert (whole.title, whole.language, whole.contact) == ("Übersicht", "de", "a@example.org")
    assert (whole.consent, whole.manual.guidelines) == ("# Ja\n", "Regeln\n")
    assert whole.human_systems == ("y",)
    assert whole.population == Population("staff", "by mail", "none", 20, "no overlap")
    wish = DesignSettings("overlap", 6, 3, 5, 3, 1, 4, 2, 2, "as-listed", "as-listed")
    assert whole.design == replace(wish, part={"Linie": PartDesign(order="random")})
    address = "https://example.org/done?cc=C0DE"
    assert whole.session == Session(
        7, False, True, True, 24.5, "C0DE", address, True, True, ("practice", "gold")
    )
    assert whole.background == (
        Background("Deutsch", "Ist Deutsch Ihre Muttersprache?", ("ja", "nein"), True, True),
        Background("Alter", "Wie alt sind Sie?", (), False, False),
    )


def test_every_field_of_design_and_session_was_tried(whole):
    for tried, default in ((whole.design, DesignSettings()), (whole.session, Session())):
        for each in dataclasses.fields(tried):
            if each.name != "page":  # of dialogues: test_dialogue_pages.py
                assert getattr(tried, each.name) != getattr(default, each.name), each.name


def test_criteria_of_two_parts_have_two_keys_and_their_own_wording(whole):
    listed, line = whole.criteria
    assert (listed.key, line.key) == ("Lesbarkeit (Liste)", "Lesbarkeit (Linie)")
    assert whole.parts == ("Liste", "Linie")
    assert line.question == "Wie gut\nliest sich das?"
    assert listed.definition == "Nur die Sprache."
    assert (listed.vertical, listed.faces, line.vertical, line.faces) == (True, False, False, True)
    assert listed.scale == VerbalScale([1, 2, 3], labels=["schlecht", "mittel", "gut"], best="low")
    assert line.scale == VisualScale(labels=("schlecht", "gut"))


def test_a_study_can_be_named_by_its_file(tmp_path):
    folder = write_study(tmp_path / "my study")
    assert read_study(str(folder / "study.toml")) == read_study(folder)


def test_a_folder_that_is_not_there_is_said(tmp_path):
    with pytest.raises(StudyError, match="is not a folder; 'covary init' makes one"):
        read_study(tmp_path / "nowhere")


def test_short_scales_are_those_of_the_command_line(tmp_path):
    toml = TOML.replace('{ kind = "verbal", categories = "1-5" }', '"0-100"')
    scale = read_study(write_study(tmp_path, toml)).criteria[0].scale
    assert (scale.level, scale.low, scale.high) == (Level.INTERVAL, 0, 100)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1252"])
def test_a_table_is_read_whatever_saved_it(tmp_path, encoding):
    folder = write_study(tmp_path)
    table = "sep=;\r\nitem;text\r\na;“Größe, süß”\r\nb;café\r\n"
    (folder / "items.csv").write_bytes(table.encode(encoding))
    study = read_study(folder)
    assert [each.texts[0] for each in study.items] == ["“Größe, süß”", "café"]
    assert any("semicolons" in note for note in study.notes)
    assert any("was read as" in note for note in study.notes) == (not encoding.startswith("utf-8"))


def test_a_study_file_saved_by_a_windows_editor_is_read(tmp_path):
    folder = write_study(tmp_path)
    text = TOML.replace("\n", "\r\n").encode("utf-8-sig")
    (folder / "study.toml").write_bytes(text)
    assert read_study(folder).title == "Small"


def test_json_lines_hold_sets_turns_and_known_answers(tmp_path):
    toml = TOML.replace('"Small"', '"Small"\nitems = "items.jsonl"')
    lines = (
        '{"item": 1, "texts": ["A", "B"], "systems": ["x", "y"], "kind": "gold",'
        ' "expected": {"Fluency": 4}, "_mine": [1]}\n\n'
        '{"item": "t", "text": "So?", "system": "x", "cluster": "c",'
        ' "context": [{"speaker": "Ann", "text": "Hi: you"}, "Bo: Yes", "nobody speaks"]}\n'
    )
    study = read_study(write_study(tmp_path, toml, None, items__jsonl=lines))
    first, second = study.items
    assert (first.id, first.texts, first.systems) == ("1", ("A", "B"), ("x", "y"))
    assert (first.system, dict(first.expected)) == ("x / y", {"Fluency": 4})
    spoken = (Turn("Ann", "Hi: you"), Turn("Bo", "Yes"), Turn("", "nobody speaks"))
    assert (second.context, second.cluster) == (spoken, "c")


def test_a_table_holds_sets_turns_and_known_answers(tmp_path):
    items = (
        "Item,Text_1,text 2,system,kind,expected_fluency,previous_1,previous_2,_mine\n"
        "p,A,B,x,Practice,4.0,Ann: Hi,Bo: Yes,note\n"
        "q,A,B,x,,,,only one,\n"
    )
    first, second = read_study(write_study(tmp_path, items=items)).items
    assert (first.texts, first.system, first.kind) == (("A", "B"), "x", "practice")
    assert dict(first.expected) == {"Fluency": 4}
    assert first.context == (Turn("Ann", "Hi"), Turn("Bo", "Yes"))
    assert second.context == (Turn("", "only one"),)


def test_an_expected_answer_names_one_of_two_parts(tmp_path):
    two = TOML.replace('name = "Fluency"', 'name = "Fluency"\npart = "one"')
    other = two.partition("\n")[2].replace('"one"', '"two"')
    items = "item,kind,text,expected_Fluency (two)\na,gold,A,5\n"
    study = read_study(write_study(tmp_path, two + other, items))
    assert dict(study.items[0].expected) == {"Fluency (two)": 5}


def test_an_image_inside_the_folder_is_kept_by_its_name(tmp_path):
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.png").write_bytes(b"\x89PNG")
    items = "item,text,image,image_text,input\na,A,images/a.png,a fan,red\nb,B,./images/a.png,,\n"
    study = read_study(write_study(tmp_path, items=items))
    assert [each.image for each in study.items] == ["images/a.png", "images/a.png"]
    assert (study.items[0].image_text, study.items[0].input) == ("a fan", "red")
    assert study.notes[0] == (
        "1 image has no image_text, which is read out to judges who cannot see it."
    )


def test_a_preference_compares_two_texts(tmp_path):
    toml = TOML.replace('{ kind = "verbal", categories = "1-5" }', '{ kind = "preference" }')
    items = "item,text_1,text_2,system_1,system_2\na,A,B,x,y\n"
    study = read_study(write_study(tmp_path, toml, items))
    assert study.criteria[0].scale == Preference()
    assert study.items[0].systems == ("x", "y")


def test_a_study_describes_itself(whole):
    said = whole.describe()
    assert said[:2] == (
        "The study 'Übersicht' has 2 items.",
        "They come from 2 systems (y: written by people).",
    )
    assert "Lesbarkeit (Liste): ordinal: 1, 2, 3, low is best. Wie gut liest sich das?" in said
    assert {"Judges: staff.", "Recruited: by mail.", "Paid: none."} <= set(said)
    assert {"Takes about: 20 minutes.", "Overlap with other studies: no overlap."} <= set(said)
    assert "Asked of each judge: Deutsch, Alter." in said


def test_practice_items_come_from_no_system_of_the_study(tmp_path):
    items = ITEMS.replace("source\n", "source,kind\n").replace("x,s1", "x,s1,practice")
    study = read_study(write_study(tmp_path, items=items.replace("y,s1", "y,s1,")))
    assert (study.systems, len(study.items_of("practice"))) == (("y",), 1)
