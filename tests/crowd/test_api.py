"""Calls to a platform: what is sent, when it is sent again, and what a refusal says."""

from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest

from covary.crowd.api import Caller, PlatformError
from covary.errors import InvalidArgument
from tests.crowd.fake_prolific import TOKEN, FakeProlific, Served


@pytest.fixture
def fake():
    return FakeProlific()


@pytest.fixture
def served(fake):
    with Served(fake) as running:
        yield running


@pytest.fixture
def pauses():
    return []


@pytest.fixture
def caller(served, pauses):
    return Caller(f"{served.address}/base/", TOKEN, timeout=60, pause=pauses.append)


def refusal(caller, fake, *answer):
    """What is said of one answer that is not a success."""
    fake.first = [answer] * caller.attempts
    with pytest.raises(PlatformError) as caught:
        caller.post("/thing/", {}, "never")
    return str(caught.value)


def test_what_is_sent_is_called_json_and_a_question_has_no_content(caller, fake):
    fake.first = [(200, {}, {"a": 1}), (204, {}, None)]
    assert caller.post("/thing/", {"name": "x"}, "never") == {"a": 1}
    assert caller.get("/thing/", {"page": 2}) == {}
    sent, asked = fake.asked
    assert (sent.method, sent.path, sent.content) == ("POST", "/base/thing/", {"name": "x"})
    assert (asked.method, asked.query, asked.content) == ("GET", {"page": "2"}, None)
    assert (sent.kind, asked.kind) == ("application/json", None)
    assert {sent.token, asked.token} == {f"Token {TOKEN}"}


def test_two_minutes_are_waited_and_not_a_second_longer(caller, fake, pauses):
    fake.first = [(429, {"Retry-After": "120"}, None), (200, {}, {})]
    assert caller.get("/thing/") == {}
    assert pauses == [120]
    fake.first = [(429, {"Retry-After": "121"}, None)]
    with pytest.raises(PlatformError, match="wait 121 seconds") as caught:
        caller.get("/thing/")
    assert caught.value.status == 429


@pytest.mark.parametrize(
    ("later", "seconds"),
    [
        (format_datetime(datetime.now(timezone(timedelta(hours=1))) + timedelta(hours=-3)), 0),
        (format_datetime(datetime.now(UTC).replace(tzinfo=None)), 0),
        ("soon", 1),
    ],
    ids=["another zone", "no zone", "no moment"],
)
def test_a_wait_until_a_moment_is_kept_in_any_zone(caller, fake, pauses, later, seconds):
    fake.first = [(429, {"Retry-After": later}, None), (200, {}, {})]
    caller.get("/thing/")
    assert pauses == [seconds]


def test_a_moment_in_another_zone_is_no_hour_away(caller, fake, pauses):
    there = datetime.now(timezone(timedelta(hours=5))) + timedelta(seconds=60)
    fake.first = [(429, {"Retry-After": format_datetime(there)}, None), (200, {}, {})]
    caller.get("/thing/")
    assert 30 < pauses[0] <= 60


@pytest.mark.parametrize(("status", "times"), [(500, 2), (503, 2), (429, 2), (499, 1)])
def test_only_a_platform_in_trouble_is_asked_again(caller, fake, status, times):
    fake.first = [(status, {}, None), (200, {}, {})]
    if times == 1:
        with pytest.raises(PlatformError):
            caller.get("/thing/")
    else:
        caller.get("/thing/")
    assert len(fake.asked) == times


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (300, "has moved"),
        (399, "has moved"),
        (400, "look at what the platform says"),
        (402, "top it up"),
        (403, "the owner of the workspace"),
        (404, "look at the study's or submission's id"),
        (418, "try again later"),
        (500, "look on the platform before you try again"),
    ],
)
def test_every_refusal_says_what_to_do(caller, fake, status, words):
    message = refusal(caller, fake, status, {}, None)
    assert message.startswith(f"127.0.0.1 answered POST /thing/ with {status}: ")
    assert words in message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"error": {"detail": "Too low.", "title": "Bad"}}, "(Too low.)"),
        ({"error": {"title": "Bad"}}, "(Bad)"),
        ({"error": "No."}, "(No.)"),
        ({"reward": "é"}, '({"reward": "é"})'),
        (["No."], '(["No."])'),
        ({"error": "x" * 501}, f"({'x' * 500})"),
        (b"<html>", "with 400: "),
        (b'"' + b"x" * 99_998 + b'"', f"({'x' * 500})"),
        (b'"' + b"x" * 99_999 + b'"', "with 400: "),  # too long to be read
    ],
)
def test_a_refusal_tells_what_the_platform_says(caller, fake, content, words):
    assert words in refusal(caller, fake, 400, {}, content)


def test_a_call_that_nobody_answers_is_made_as_often_as_allowed(fake, served, pauses):
    caller = Caller(served.address, TOKEN, attempts=3, pause=pauses.append)
    fake.first = [None] * 5
    with pytest.raises(PlatformError, match="network") as caught:
        caller.get("/thing/")
    assert (caught.value.status, len(fake.asked), pauses) == (None, 3, [1, 2])


def test_a_call_waits_half_a_minute_and_is_made_four_times():
    caller = Caller("https://example.org", TOKEN)
    assert (caller.timeout, caller.attempts) == (30, 4)
    assert Caller("https://example.org", TOKEN, timeout=0.5, attempts=1).attempts == 1


@pytest.mark.parametrize("change", [{"attempts": 0}, {"timeout": 0}, {"timeout": float("nan")}])
def test_a_call_that_could_never_be_made_is_refused(change):
    with pytest.raises(InvalidArgument, match="attempts must be 1 or more"):
        Caller("https://example.org", TOKEN, **change)


@pytest.mark.parametrize("address", ["http://localhost:1", "http://[::1]:1", "https://example.org"])
def test_this_machine_may_be_called_without_encryption(address):
    assert Caller(address, TOKEN).address == address


@pytest.mark.parametrize(
    "address", ["http://example.org", "https://", "https://a:b@host", "https://host?x=1", "ftp://h"]
)
def test_an_address_where_a_token_could_be_read_is_refused(address):
    with pytest.raises(InvalidArgument, match="must be an address"):
        Caller(address, TOKEN)
