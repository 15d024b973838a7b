"""Banchs (2016), played from the dialogues to the tables by the commands of its page alone.

437 turns in 16 sessions become 405 items; 33 people give three votes on each, two experts judge
all. Judges are simulated and go through the pages over HTTP; nothing is edited between. Expected
values are counted here from the exported votes, or are the arithmetic of the paper.
"""

import csv
import json
from collections import Counter

import pytest

from covary.study import read_study
from tests.journeys.playing import blocks_on, play, printed_by

PAGE = "banchs.md"
SESSIONS = [27] * 11 + [28] * 5  # 437 turns of the chatbot, as the paper counts
SCORES = {"invalid": 1, "acceptable": 2, "valid": 3}


def talks():
    """Sessions in which the chatbot begins and ends, with a guest's turn between two of its own."""
    yield "session", "turn", "speaker", "text"
    for session, turns in enumerate(SESSIONS, start=1):
        for turn in range(1, 2 * turns):
            speaker = "bot" if turn % 2 else "guest"
            yield f"s{session:02}", turn, speaker, f"{speaker} says {session}-{turn}."


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("banchs")
    with (folder / "talks.csv").open("w", newline="") as file:
        csv.writer(file).writerows(talks())
    (folder / "talks").mkdir()
    (toml,) = blocks_on(PAGE, "toml")
    (folder / "talks" / "study.toml").write_text(toml)
    return folder


@pytest.fixture(scope="module")
def printed(place):
    report = ("--format", "json", "-o", "crowd.json")
    return play(PAGE, place, instead={"crowd report": report})


@pytest.fixture(scope="module")
def found(place, printed):
    return json.loads((place / "crowd.json").read_text())["crowd"]


def rows(place, name):
    with (place / name).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_437_turns_become_405_items(printed):
    """D2: 437 - 2 * 16 = 405."""
    words = printed_by(printed, "dialogues")
    assert "437 of 858 turns in 16 sessions" in words
    assert "32 first and last turns were left out; 405 items remain" in words


def test_the_cost_is_known_before_anybody_is_asked(printed):
    """D6: 405 * 3 = 1,215 assignments, at .05 + .01 each 72.90."""
    words = printed_by(printed, "crowd cost")
    assert "1,215 on 405 items" in words
    assert "72.90" in words


def test_experts_have_the_whole_dialogue_on_a_page_and_the_crowd_three_turns(place, printed):
    study = read_study(place / "talks")
    last = study.items[-1]
    assert len(last.context) == 2 * 27 - 2  # all that was said before the last turn but one
    assert [study.design.page_of(part) for part in study.parts] == ["item", "dialogue"]
    assert len(last.following) == 2  # a guest's turn and the chatbot's last, which nobody judges
    assert [turn.text for turn in study.as_shown(last, "crowd").context] == [
        turn.text for turn in last.context[-3:]
    ]


def test_each_turn_has_three_votes_of_three_people_and_both_experts(place, printed):
    votes = Counter((row["item"], row["judge"]) for row in rows(place, "votes.csv"))
    assert len(votes) == 1215
    assert set(Counter(item for item, _ in votes).values()) == {3}
    assert len({judge for _, judge in votes}) == 33
    experts = Counter(row["item"] for row in rows(place, "experts.csv"))
    assert (len(experts), set(experts.values())) == (405, {2})


def test_people_and_time_are_told(printed):
    words = printed_by(printed, "crowd people")
    assert "1,215" in words
    assert "36.82" in words  # 1215 / 33, as the paper prints (D7)
    assert "from first page to last answer" in words


def test_methods_a_and_b_are_those_of_the_paper(place, printed):
    """D11, D12: the rules as section 5 of the paper words them, for every turn."""
    votes = {}
    for row in rows(place, "votes.csv"):
        votes.setdefault(row["item"], []).append(row["rating"])
    for method, name in (("a", "method-a.csv"), ("b", "method-b.csv")):
        combined = {row["item"]: row["rating"] for row in rows(place, name)}
        assert len(combined) == 405
        assert combined == {item: majority(given, method) for item, given in votes.items()}


def majority(given, method):
    common, times = Counter(given).most_common(1)[0]
    strong = {"valid", "invalid"} <= set(given)
    if times == 1 or (method == "a" and strong):
        return "acceptable"
    return common


def test_the_tables_come_from_30000_arrangements_of_the_votes(found):
    """Table 1 has four cells, Table 2 eight; the mean is that of the closed form (D9)."""
    assert len(found["arrangements"]) == 4
    for cell in found["arrangements"]:
        assert cell["arrangements"] == 30_000
        assert cell["mean"] == pytest.approx(cell["closed_form"]["mean"], abs=0.005)
        assert 0 < cell["sd"] < 0.06
    combined = [each for each in found["agreement"] if each["kind"] != "experts"]
    assert len(combined) == 8
    assert {each["coefficient"] for each in combined} == {"cohen_kappa", "fisher_icc"}


def test_experts_agree_as_counted_by_hand(place, found):
    """Cohen's kappa and Fisher's intraclass correlation of the experts, from the export (D4)."""
    experts = {}
    for row in rows(place, "experts.csv"):
        experts.setdefault(row["item"], []).append(SCORES[row["rating"]])
    first, second = zip(*experts.values(), strict=True)
    told = {
        each["coefficient"]: each["value"]
        for each in found["agreement"]
        if each["kind"] == "experts"
    }
    assert told["cohen_kappa"] == pytest.approx(kappa(first, second))
    assert told["fisher_icc"] == pytest.approx(intraclass(first, second))


def kappa(first, second):
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    one, two = Counter(first), Counter(second)
    expected = sum(one[score] * two[score] for score in SCORES.values()) / n**2
    return (observed - expected) / (1 - expected)


def intraclass(first, second):
    n = len(first)
    mean = sum(first + second) / (2 * n)
    variance = sum((value - mean) ** 2 for value in first + second) / (2 * n)
    shared = sum((a - mean) * (b - mean) for a, b in zip(first, second, strict=True))
    return shared / (n * variance)


def test_cost_and_time_of_crowd_and_experts_stand_beside_each_other(found):
    """D15: 72.90, and the hours of both."""
    assert found["costs"]["crowd_cost"] == pytest.approx(72.90)
    assert found["costs"]["crowd_hours"] > 0
    assert found["costs"]["expert_hours"] > 0


def test_intervals_draw_sessions_and_votes_are_weighed_against_experts(found):
    """D14, D17: paired differences over 16 sessions, and a curve for one, two and three votes."""
    assert found["n_sessions"] == 16
    assert all("other sessions" in each["interval"]["target"] for each in found["differences"])
    assert {point["votes"] for point in found["curve"]} == {1, 2, 3}


def test_simulated_answers_are_used_although_links_were_printed(printed):
    """Nobody has answered: links and the open link of the crowd change nothing."""
    assert "1,215 votes" in printed_by(printed, "crowd report")
