"""The client against a local server that speaks Prolific's documented API."""

from decimal import Decimal
from email.utils import formatdate

import pytest

from covary.crowd.api import PlatformError
from covary.crowd.platforms import Codes
from covary.crowd.prolific import Draft, Prolific
from covary.errors import InvalidArgument
from tests.crowd.fake_prolific import TOKEN, FakeProlific, Served

MESSAGE = "You did not select the answer that two of the questions asked you to select, " * 2


@pytest.fixture
def fake():
    return FakeProlific(
        submissions=[
            {"id": f"s{n}", "participant_id": f"p{n}", "status": "AWAITING REVIEW"}
            for n in range(5)
        ]
    )


@pytest.fixture
def served(fake):
    with Served(fake) as running:
        yield running


@pytest.fixture
def pauses():
    return []


@pytest.fixture
def prolific(served, pauses):
    return Prolific(TOKEN, address=served.address, timeout=60, pause=pauses.append)


def draft(**change):
    given = {
        "name": "Judging texts",
        "description": "Read and judge.",
        "address": "https://example.org/join",
        "codes": Codes("DONE1", "OUT1", "FAIL1"),
        "reward": "1.50",
        "minutes": 9,
        "places": 30,
    }
    return Draft(**(given | change))


def test_a_draft_is_made_and_published(prolific, fake):
    study = prolific.create_study(draft(further={"device_compatibility": ["desktop"]}))
    made = fake.studies[study]
    assert made["status"] == "UNPUBLISHED"
    assert made["external_study_url"].endswith("SESSION_ID={{%SESSION_ID%}}")
    assert (made["reward"], made["estimated_completion_time"]) == (150, 9)
    assert (made["total_available_places"], made["prolific_id_option"]) == (30, "url_parameters")
    assert made["device_compatibility"] == ["desktop"]
    assert [(each["code"], each["code_type"]) for each in made["completion_codes"]] == [
        ("DONE1", "COMPLETED"),
        ("OUT1", "OTHER"),
        ("FAIL1", "FAILED_ATTENTION_CHECK"),
    ]
    assert made["completion_codes"][0]["actions"] == [{"action": "MANUALLY_REVIEW"}]
    prolific.publish(study)
    assert fake.asked[-1].content == {"action": "PUBLISH"}
    assert fake.studies[study]["status"] == "ACTIVE"


def test_links_are_signed_where_the_study_asks_for_it_and_only_there():
    secure = "is_external_study_url_secure"
    assert draft(signed=True).content()[secure] is True
    assert secure not in draft().content()


@pytest.mark.parametrize(
    "change",
    [
        {"name": " "},
        {"description": ""},
        {"minutes": 0},
        {"minutes": 2.5},
        {"places": True},
        {"reward": "1.505"},
        {"reward": -1},
        {"address": "example.org"},
    ],
)
def test_a_draft_that_cannot_be_is_refused_before_anything_is_sent(prolific, fake, change):
    with pytest.raises(InvalidArgument):
        prolific.create_study(draft(**change))
    assert fake.asked == []


@pytest.mark.parametrize("answer", [{}, {"id": ""}, {"id": 7}, ["id"]])
def test_a_new_study_without_an_id_is_an_error_of_the_platform(prolific, fake, answer):
    fake.first = [(201, {}, answer)]
    with pytest.raises(PlatformError) as error:
        prolific.create_study(draft())
    assert error.value.code == "crowd.no-id"


@pytest.mark.parametrize("paging", ["links", "count", "neither"])
def test_all_pages_of_submissions_are_read(prolific, fake, paging):
    fake.paging = paging
    found = prolific.submissions("study1")
    assert [each.id for each in found] == ["s0", "s1", "s2", "s3", "s4"]
    assert {each.query["study"] for each in fake.asked} == {"study1"}
    assert [each.query["page"] for each in fake.asked][:3] == ["1", "2", "3"]


def test_bonuses_that_the_list_does_not_tell_are_asked_for(prolific, fake):
    """Otherwise a bonus that lifts somebody to the wage would be paid again and again."""
    for each in fake.submissions[:3]:
        each["status"] = "APPROVED"
    fake.submissions[2]["bonus_payments"] = [25]
    fake.bonuses = {"s1": [150, 50]}
    found = prolific.submissions("study1")
    assert [each.bonus for each in found] == [0, 2, Decimal("0.25"), 0, 0]
    assert [each.path[-4:] for each in fake.asked if "page" not in each.query] == ["/s0/", "/s1/"]


def test_a_study_without_submissions_has_none(prolific, fake):
    fake.submissions = []
    assert prolific.submissions("study1") == ()


def test_a_list_that_repeats_itself_does_not_go_on_for_ever(prolific, fake):
    page = {"results": fake.submissions[:1], "_links": {"next": {"href": "x"}}}
    fake.first = [(200, {}, page)] * 9
    with pytest.raises(PlatformError, match="does not end"):
        prolific.submissions("study1")
    assert len(fake.asked) == 2


def test_a_list_that_lacks_some_is_not_taken_for_all(prolific, fake):
    page = {"results": fake.submissions[:1], "_links": {"next": None}, "meta": {"count": 3}}
    fake.first = [(200, {}, page)]
    with pytest.raises(PlatformError, match="3 submissions and sent 1"):
        prolific.submissions("study1")


@pytest.mark.parametrize(
    ("content", "words"), [([], "no results"), ({"results": ["s1"]}, "not in the expected form")]
)
def test_an_answer_of_another_form_is_told(prolific, fake, content, words):
    fake.first = [(200, {}, content)]
    with pytest.raises(PlatformError, match=words):
        prolific.submissions("study1")


def test_a_submission_is_approved(prolific, fake):
    prolific.approve("s3")
    assert fake.asked[0].content == {"action": "APPROVE"}
    assert fake.submissions[3]["status"] == "APPROVED"


def test_a_rejection_says_why(prolific, fake):
    prolific.reject("s1", MESSAGE, "FAILED_CHECK")
    assert fake.asked[0].content == {
        "action": "REJECT",
        "message": MESSAGE,
        "rejection_category": "FAILED_CHECK",
    }


@pytest.mark.parametrize(
    ("message", "category"),
    [("x" * 99, "FAILED_CHECK"), (" " * 200, "FAILED_CHECK"), (MESSAGE, "RUDE")],
)
def test_a_rejection_that_prolific_would_refuse_is_not_sent(prolific, fake, message, category):
    with pytest.raises(InvalidArgument):
        prolific.reject("s1", message, category)
    assert fake.asked == []


def test_bonuses_are_set_up_first_and_then_paid_once(prolific, fake):
    """0.50 + 1.25 = 1.75, a fifth of it in fees: 2.10."""
    bonuses = prolific.set_up_bonuses("study1", {"p1": "0.5", "p2": 1.25})
    assert fake.asked[0].content == {"study_id": "study1", "csv_bonuses": "p1,0.50\np2,1.25"}
    assert (bonuses.amount, bonuses.fees) == (Decimal("1.75"), Decimal("0.35"))
    assert bonuses.total == Decimal("2.10")
    assert fake.paid == []
    prolific.pay_bonuses(bonuses)
    assert fake.paid == ["bonus1"]


@pytest.mark.parametrize(
    "amounts", [{}, {"p1": 0}, {"p1": "0.005"}, {"p1,99": 1}, {f"p{n}": 1 for n in range(201)}]
)
def test_bonuses_that_cannot_be_are_not_sent(prolific, fake, amounts):
    with pytest.raises(InvalidArgument):
        prolific.set_up_bonuses("study1", amounts)
    assert fake.asked == []


def test_bonuses_of_unknown_cost_are_not_taken_for_free(prolific, fake):
    fake.first = [(201, {}, {"id": "bonus1", "amount": 5})]
    with pytest.raises(PlatformError, match="bonus1 cost"):
        prolific.set_up_bonuses("study1", {"p1": 1})


@pytest.mark.parametrize("answer", [(429, {"Retry-After": "0"}, None), (500, {}, None), None])
def test_paying_is_never_tried_twice(prolific, fake, pauses, answer):
    fake.first = [answer]
    with pytest.raises(PlatformError):
        prolific.pay_bonuses("bonus1")
    assert (len(fake.asked), pauses, fake.paid) == (1, [], [])


@pytest.mark.parametrize("answer", [(502, {}, None), None])
def test_a_study_that_may_have_been_made_is_not_made_again(prolific, fake, answer):
    fake.first = [answer]
    with pytest.raises(PlatformError, match="look on the platform"):
        prolific.create_study(draft())
    assert len(fake.asked) == 1


def test_a_study_that_was_refused_as_too_many_is_made_later(prolific, fake, pauses):
    fake.first = [(429, {"Retry-After": "7"}, None)]
    assert prolific.create_study(draft()) == "study1"
    assert pauses == [7]


@pytest.mark.parametrize("answer", [(429, {}, None), (503, {}, b"<html>"), None])
def test_what_may_be_repeated_is_repeated_with_longer_pauses(prolific, fake, pauses, answer):
    fake.first = [answer] * 3
    prolific.approve("s1")
    assert pauses == [1, 2, 4]
    assert fake.submissions[1]["status"] == "APPROVED"


def test_after_the_last_attempt_the_platforms_answer_is_told(prolific, fake):
    fake.first = [(429, {}, {"error": {"detail": "Slow down."}})] * 9
    with pytest.raises(PlatformError, match=r"429 \(Slow down\.\): the platform is busy") as found:
        prolific.submissions("study1")
    assert found.value.status == 429
    assert len(fake.asked) == 4


def test_a_date_to_come_back_is_kept(prolific, fake, pauses):
    fake.first = [(429, {"Retry-After": formatdate(0, usegmt=True)}, None)]
    prolific.approve("s1")
    assert pauses == [0]


def test_a_wait_that_nobody_wants_to_sit_out_is_told(prolific, fake, pauses):
    fake.first = [(429, {"Retry-After": "3600"}, None)]
    with pytest.raises(PlatformError, match="3600 seconds"):
        prolific.approve("s1")
    assert pauses == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((400, {}, {"error": {"detail": {"reward": ["Too low."]}}}), r"Too low.*look at what"),
        ((404, {}, {"error": {"title": "Not found"}}), "Not found.*id"),
        ((301, {"Location": "http://127.0.0.1:1/"}, None), "moved"),
        ((200, {}, b"<html>"), "not JSON"),
    ],
)
def test_a_refusal_says_what_to_do(prolific, fake, answer, words):
    fake.first = [answer]
    with pytest.raises(PlatformError, match=words):
        prolific.publish("study1")
    assert len(fake.asked) == 1


def test_a_wrong_token_is_told_and_never_shown(served, fake):
    client = Prolific("wrong-token", address=served.address)
    fake.first = [(401, {}, {"error": {"detail": "The token wrong-token is unknown."}})]
    with pytest.raises(PlatformError, match="make a new one") as found:
        client.submissions("study1")
    assert "wrong-token" not in str(found.value)
    assert "wrong-token" not in repr(vars(client))


def test_nobody_there_is_told(pauses):
    with Served(FakeProlific()) as running:
        address = running.address
    client = Prolific(TOKEN, address=address, attempts=2, pause=pauses.append)
    with pytest.raises(PlatformError, match=r"did not answer.*look at the network"):
        client.submissions("study1")
    assert pauses == [1]


@pytest.mark.parametrize("address", ["http://api.prolific.com", "https://a:b@host", "host", ""])
def test_a_token_is_not_sent_where_anybody_could_read_it(address):
    with pytest.raises(InvalidArgument, match="address"):
        Prolific(TOKEN, address=address)


@pytest.mark.parametrize("token", ["", " ", "a\nb", "é"])
def test_a_token_that_is_none_is_refused_without_showing_it(token):
    with pytest.raises(InvalidArgument, match="token is empty or"):
        Prolific(token)


@pytest.mark.parametrize("name", ["", "../studies", "a/b", "a?b"])
def test_an_id_cannot_lead_elsewhere(prolific, fake, name):
    with pytest.raises(InvalidArgument, match="not an id"):
        prolific.approve(name)
    assert fake.asked == []


class EndlessList:
    """A platform whose every page has a new submission and leads to another page."""

    def __init__(self):
        self.pages = []

    def get(self, path, query):
        self.pages.append(query["page"])
        record = {"id": f"s{query['page']}", "participant_id": "p", "status": "RETURNED"}
        return {"results": [record], "_links": {"next": "x"}}


def test_a_list_without_end_is_given_up(monkeypatch):
    prolific, endless = Prolific(TOKEN), EndlessList()
    monkeypatch.setattr(prolific, "_caller", endless)
    with pytest.raises(PlatformError, match="does not end"):
        prolific.submissions("study1")
    assert endless.pages == [*range(1, 10_000)]


@pytest.mark.parametrize("number", [1, 200])
def test_up_to_two_hundred_bonuses_are_set_up_at_once(prolific, fake, number):
    bonuses = prolific.set_up_bonuses("study1", {f"p{n}": "0.01" for n in range(number)})
    assert bonuses.amount == Decimal(number) / 100
