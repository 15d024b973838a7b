"""Links to a study, who comes by them, and the way back to the platform."""

from urllib.parse import parse_qs, urlsplit

import pytest

from covary.crowd.platforms import (
    CONNECT,
    PLATFORMS,
    PROLIFIC,
    SONA,
    Codes,
    Visitor,
    visitor_of,
)
from covary.errors import InvalidArgument

MARKS = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
GIVEN = "https://x.sona-systems.com/webstudy_credit.aspx?experiment_id=1&survey_code=XXXX"


def test_prolific_finds_its_own_marks_in_the_link():
    assert PROLIFIC.link("https://example.org/join") == f"https://example.org/join?{MARKS}"


def test_what_the_address_says_already_stays():
    link = PROLIFIC.link("https://example.org/join?part=2#top")
    assert link == f"https://example.org/join?part=2&{MARKS}#top"


def test_connect_appends_its_parameters_itself():
    assert CONNECT.link("https://example.org/join") == "https://example.org/join"


@pytest.mark.parametrize("address", ["example.org", "ftp://example.org", "https://", "http://[x"])
def test_what_is_no_web_address_is_refused(address):
    with pytest.raises(InvalidArgument, match="web address"):
        PROLIFIC.link(address)


def test_a_link_is_not_made_twice():
    with pytest.raises(InvalidArgument, match="already"):
        PROLIFIC.link(PROLIFIC.link("https://example.org/join"))


@pytest.mark.parametrize("platform", [PROLIFIC, SONA], ids=lambda each: each.name)
def test_a_link_that_the_platform_filled_in_leads_back_to_the_visitor(platform):
    link = platform.link("https://example.org/join")
    for number, mark in enumerate(platform.parameters.values()):
        link = link.replace(mark, f"id{number}")
    visitor = platform.visitor(urlsplit(link).query)
    assert visitor is not None
    assert (visitor.platform, visitor.participant) == (platform.name, "id0")


def test_the_session_of_prolific_is_the_submission():
    found = PROLIFIC.visitor("?PROLIFIC_PID=p&STUDY_ID=s&SESSION_ID=x")
    assert found == Visitor("Prolific", "p", submission="x", study="s")


@pytest.mark.parametrize(
    "query",
    [
        "",
        "other=1",
        MARKS,
        "PROLIFIC_PID=",
        "PROLIFIC_PID=a&PROLIFIC_PID=b",
        "PROLIFIC_PID=a&SESSION_ID=x&SESSION_ID=y",
        "PROLIFIC_PID=%3Cscript%3E",
        "PROLIFIC_PID=a%0A",
        f"PROLIFIC_PID={'a' * 65}",
        "&".join(["a=1"] * 60),
    ],
)
def test_a_query_that_is_no_platforms_brings_nobody(query):
    assert visitor_of(query) is None


def test_a_query_may_come_as_a_mapping():
    assert visitor_of({"survey_code": "1234"}) == Visitor("SONA", "1234")


def test_prolific_takes_a_code_in_its_address():
    address = urlsplit(PROLIFIC.back("CODE1"))
    assert (address.netloc, address.path) == ("app.prolific.com", "/submissions/complete")
    assert parse_qs(address.query) == {"cc": ["CODE1"]}


@pytest.mark.parametrize("code", ["", "a b", "x&y=1", "ä"])
def test_what_is_no_code_is_refused(code):
    with pytest.raises(InvalidArgument, match="code"):
        PROLIFIC.back(code)


@pytest.mark.parametrize("platform", [CONNECT, SONA], ids=lambda each: each.name)
def test_a_platform_with_its_own_way_back_says_so(platform):
    with pytest.raises(InvalidArgument, match="copy it"):
        platform.back("CODE1")


def test_only_the_place_of_the_participant_is_filled():
    expected = GIVEN.replace("XXXX", "77")
    assert SONA.back_by(GIVEN, Visitor("SONA", "77")) == expected
    assert CONNECT.back_by(GIVEN, Visitor("Connect", "77")) == GIVEN


def test_codes_differ_and_can_be_typed():
    codes = Codes.new()
    assert len({codes.done, codes.screened_out, codes.failed, codes.returned}) == 4
    assert not set(codes.done + codes.failed) & set("01IO")
    assert Codes.new() != codes


@pytest.mark.parametrize(
    "codes", [("A", "A", "B"), ("", "A", "B"), ("A", "B", "c d"), ("A", "B", "C", "B")]
)
def test_codes_that_cannot_be_told_apart_or_sent_are_refused(codes):
    with pytest.raises(InvalidArgument):
        Codes(*codes)


def test_every_platform_is_listed_under_its_name():
    assert list(PLATFORMS) == ["Prolific", "Connect", "SONA"]


def test_a_parameter_without_a_value_is_there_already():
    with pytest.raises(InvalidArgument, match="'STUDY_ID' already"):
        PROLIFIC.link("https://example.org/join?STUDY_ID=")


def test_a_visit_with_an_empty_name_is_nobodys():
    assert PROLIFIC.visitor("PROLIFIC_PID=p") == Visitor("Prolific", "p")
    assert PROLIFIC.visitor("PROLIFIC_PID=p&SESSION_ID=") is None


def test_what_stands_empty_in_the_way_back_stays():
    given = "https://x.sona-systems.com/credit?token=&survey_code=XXXX"
    assert SONA.back_by(given, Visitor("SONA", "77")) == given.replace("XXXX", "77")


@pytest.mark.parametrize(("more", "comes"), [(49, True), (50, False)])
def test_a_query_of_more_than_fifty_parts_is_not_read(more, comes):
    query = "&".join(["PROLIFIC_PID=p", *["a=1"] * more])
    assert (PROLIFIC.visitor(query) is not None) == comes


def test_codes_have_ten_letters_and_names_up_to_64():
    assert {len(code) for code in vars(Codes.new()).values()} == {10}
    assert Codes("a" * 64).done == "a" * 64
    with pytest.raises(InvalidArgument, match="1 to 64"):
        Codes("a" * 65)
