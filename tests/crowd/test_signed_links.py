"""Prolific's signed links: who is let in, and who is not, whatever the address says."""

import base64
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from covary.crowd.signed_links import SHA256_PREFIX, KeyFile, UnprovenVisitor, verify_token
from covary.errors import InvalidArgument, StudyError
from covary.store import Store
from covary.study import read_study
from covary.study.recruiting import read_signing_keys
from covary.web.serving.app import create_app
from tests.fuzz.tables import FILES
from tests.web import recruiting
from tests.web.client import Client, heading
from tests.web.studies import sheet

OWN = json.loads(Path(__file__).with_name("signing_key.json").read_text())
KEYS = json.dumps(
    {"keys": [{"kty": "RSA", "kid": "k1", "alg": "RS256", "n": OWN["n"], "e": "AQAB"}]}
)
HOST = "study.example.org"
THEN = 1_999_999_000.0
CLAIMS = {
    "iss": "https://www.prolific.com", "aud": f"https://{HOST}", "exp": 2_000_000_000,
    "prolific": {"PROLIFIC_PID": "p1", "STUDY_ID": "t1", "SESSION_ID": "s1", "workspace_id": "w1"},
}  # fmt: skip


def number(text):
    return int.from_bytes(base64.urlsafe_b64decode(text + "==="), "big")


def encoded(content):
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def signed(claims, head=None):
    """Sign as Prolific would, with the key of the tests (RFC 8017, section 8.2)."""
    text = f"{encoded(head or {'alg': 'RS256', 'kid': 'k1'})}.{encoded(claims)}"
    digest = SHA256_PREFIX + hashlib.sha256(text.encode()).digest()
    padded = b"\x00\x01" + b"\xff" * (253 - len(digest)) + b"\x00" + digest
    made = pow(int.from_bytes(padded, "big"), number(OWN["d"]), number(OWN["n"]))
    return f"{text}.{encoded(made.to_bytes(256, 'big'))}"


@pytest.fixture
def keys():
    return {key.name: key for key in read_signing_keys(KEYS)}


def test_a_token_that_another_program_has_signed_is_good(keys):
    said = verify_token(OWN["token"], keys, host=HOST, now=THEN)
    assert said["PROLIFIC_PID"] == "p1"
    assert said["SESSION_ID"] == "s1"


def test_the_server_may_be_named_in_a_list_and_without_https(keys):
    for audience in (HOST, [f"https://{HOST}/join", "x"], f"https://{HOST.upper()}:443"):
        token = signed(CLAIMS | {"aud": audience})
        assert verify_token(token, keys, host=HOST, now=THEN)["STUDY_ID"] == "t1"


REFUSED = {
    "expired": (CLAIMS | {"exp": THEN - 61}, "crowd.token-expired"),
    "without an end": ({k: v for k, v in CLAIMS.items() if k != "exp"}, "crowd.token-broken"),
    "not yet valid": (CLAIMS | {"nbf": THEN + 61}, "crowd.token-early"),
    "for a server other than": (CLAIMS | {"aud": "https://evil.test"}, "crowd.token-audience"),
    "for no server": (CLAIMS | {"aud": None}, "crowd.token-audience"),
    "of somebody else": (CLAIMS | {"iss": "https://evil.test"}, "crowd.token-issuer"),
    "about nobody": (CLAIMS | {"prolific": "p1"}, "crowd.token-broken"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_token_that_proves_nothing_is_refused(kind, keys):
    claims, code = REFUSED[kind]
    with pytest.raises(UnprovenVisitor) as refused:
        verify_token(signed(claims), keys, host=HOST, now=THEN)
    assert refused.value.code == code


@pytest.mark.parametrize("slack", [-60, 60])
def test_clocks_may_differ_by_a_minute(slack, keys):
    early = CLAIMS | {"exp": THEN + 30 + min(slack, 0), "nbf": THEN + max(slack, 0)}
    assert verify_token(signed(early), keys, host=HOST, now=THEN)


def forged(token, place):
    """Change one letter."""
    letter = "A" if token[place] != "A" else "B"
    return token[:place] + letter + token[place + 1 :]


def test_a_token_of_which_a_letter_was_changed_is_refused(keys):
    token = signed(CLAIMS)
    first, second, _ = token.split(".")
    for place in (len(first) + 30, len(first) + len(second) - 5, len(token) - 20, len(token) - 300):
        with pytest.raises(UnprovenVisitor):
            verify_token(forged(token, place), keys, host=HOST, now=THEN)


def test_a_signature_is_as_long_as_its_key_and_below_the_modulus(keys):
    """RFC 8017, section 8.2.2: else one signature could be written in several ways."""
    modulus = number(OWN["n"])
    for serial in range(100):
        text, _, last = signed(CLAIMS | {"serial": serial}).rpartition(".")
        if number(last) + modulus < 2**2048:
            break
    same = number(last)
    others = [same.to_bytes(257, "big"), (same + modulus).to_bytes(256, "big")]
    assert verify_token(f"{text}.{encoded(same.to_bytes(256, 'big'))}", keys, host=HOST, now=THEN)
    for other in others:
        with pytest.raises(UnprovenVisitor) as refused:
            verify_token(f"{text}.{encoded(other)}", keys, host=HOST, now=THEN)
        assert refused.value.code == "crowd.token-forged"


@pytest.mark.parametrize(
    ("token", "code"),
    [
        (signed(CLAIMS, {"alg": "none", "kid": "k1"}), "crowd.token-algorithm"),
        (signed(CLAIMS, {"alg": "HS256", "kid": "k1"}), "crowd.token-algorithm"),
        (signed(CLAIMS, {"alg": "RS256", "kid": "k2"}), "crowd.token-key"),
        (signed(CLAIMS, {"alg": "RS256"}), "crowd.token-key"),
        (signed(CLAIMS).rpartition(".")[0] + ".", "crowd.token-forged"),
        (signed(CLAIMS).rpartition(".")[0] + "." + encoded(b"\xff" * 256), "crowd.token-forged"),
        (signed([1]), "crowd.token-broken"),
        ("a.b", "crowd.token-broken"),
        ("é.é.é", "crowd.token-broken"),
        ("[" * 9000, "crowd.token-broken"),
        (f"{encoded(b'[' * 5000)}.{encoded(b'{}')}.", "crowd.token-broken"),
    ],
    ids=range(11),
)
def test_what_is_no_token_of_prolific_is_refused(token, code, keys):
    with pytest.raises(UnprovenVisitor) as refused:
        verify_token(token, keys, host=HOST, now=THEN)
    assert refused.value.code == code
    assert str(refused.value)


def test_keys_are_read_again_when_their_file_has_changed(tmp_path):
    file = tmp_path / "keys.json"
    file.write_text(KEYS)
    read = KeyFile(file)
    assert set(read.keys()) == {"k1"}
    assert read.keys() is read.keys(), "and only then"
    file.write_text(KEYS.replace('"k1"', '"k2-new"'))
    assert set(read.keys()) == {"k2-new"}
    file.write_text("nonsense")
    assert set(read.keys()) == {"k2-new"}, "half a file takes no key away"
    file.unlink()
    assert set(read.keys()) == {"k2-new"}


@pytest.mark.parametrize(
    "text", ["", "[]", '{"keys": []}', '{"keys": 3}', KEYS.replace(OWN["n"], "AQAB")]
)
def test_what_holds_no_keys_is_refused(text):
    with pytest.raises(InvalidArgument):
        read_signing_keys(text)


def test_a_study_names_the_file_of_its_keys(tmp_path):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    toml = tmp_path / "study.toml"
    table = (
        '[recruiting]\nplatform = "prolific"\ndone = "D1"\nreturned = "R1"\nkeys = "keys.json"\n'
    )
    toml.write_text(FILES["study.toml"] + table)
    with pytest.raises(StudyError, match="keys"):
        read_study(tmp_path)
    (tmp_path / "keys.json").write_text("{}")
    with pytest.raises(StudyError, match="public keys of Prolific"):
        read_study(tmp_path)
    (tmp_path / "keys.json").write_text(KEYS)
    assert read_study(tmp_path).recruiting.keys == "keys.json"
    toml.write_text(FILES["study.toml"] + table.replace("prolific", "connect"))
    with pytest.raises(StudyError, match="only Prolific signs"):
        read_study(tmp_path)


# the pages


@pytest.fixture
def joined(tmp_path, monkeypatch):
    """A function that opens the recruiting link, each time in a browser of its own."""
    (tmp_path / "keys.json").write_text(KEYS)
    plain = recruiting.study(tmp_path)
    study = replace(plain, recruiting=replace(plain.recruiting, keys="keys.json"))
    monkeypatch.setattr("covary.web.recruiting.time.time", lambda: THEN)
    clients = []
    with Store.open(tmp_path / "study.db") as store:
        store.sheets.put([sheet(study, number) for number in (1, 2)])
        secret = store.visits.new_join_secret()
        app = create_app(study, store)

        def come(query):
            client = Client(app, f"https://{HOST}")
            clients.append(client)
            return client.get(f"/join/{secret}?{query}")

        come.store = store
        yield come
        for client in clients:
            client.close()


def test_who_has_a_signed_link_is_let_in_as_whom_it_names(joined):
    came = joined(f"prolific_token={signed(CLAIMS)}")
    assert came.status_code == 303
    (person,) = joined.store.visits.all()
    assert (person.platform, person.participant, person.submission) == ("Prolific", "p1", "s1")


PLAIN = "PROLIFIC_PID=p1&STUDY_ID=t1&SESSION_ID=s1"


@pytest.mark.parametrize(
    "query",
    [
        "",
        PLAIN,
        f"{PLAIN}&prolific_token=x",
        f"prolific_token={signed(CLAIMS)}&prolific_token={signed(CLAIMS)}",
        f"PROLIFIC_PID=p2&STUDY_ID=t1&SESSION_ID=s2&prolific_token={signed(CLAIMS)}",
        f"prolific_token={signed(CLAIMS | {'prolific': {'PROLIFIC_PID': '../x'}})}",
    ],
    ids=["nothing", "unsigned", "nonsense", "two tokens", "another name", "strange letters"],
)
def test_who_has_none_is_told_to_come_from_prolific(joined, query):
    refused = joined(query)
    assert refused.status_code == 403
    assert heading(refused) == "Please open the study from the platform"
    assert "Go back to Prolific and open the" in refused.text
    assert joined.store.visits.all() == []


def test_who_comes_too_late_is_told_so(joined):
    refused = joined(f"prolific_token={signed(CLAIMS | {'exp': THEN - 100})}")
    assert refused.status_code == 403
    assert heading(refused) == "This link has expired"


def test_the_same_person_on_another_device_goes_on(joined):
    joined(f"prolific_token={signed(CLAIMS)}")
    again = CLAIMS | {"prolific": CLAIMS["prolific"] | {"SESSION_ID": "s2"}}
    assert joined(f"prolific_token={signed(again)}").status_code == 303
    (person,) = joined.store.visits.all()
    assert person.others == 0


def test_a_link_that_is_sent_again_brings_nobody_new_and_ends_with_its_time(joined, monkeypatch):
    link = f"prolific_token={signed(CLAIMS)}"
    judges = []
    for _ in range(3):  # each time from another browser
        came = joined(link)
        assert came.status_code == 303
        judges.append([visit.judge for visit in joined.store.visits.all()])
    assert judges[0] == judges[1] == judges[2]
    assert len(judges[0]) == 1
    assert len(joined.store.judges.all()) == 1
    monkeypatch.setattr("covary.web.recruiting.time.time", lambda: CLAIMS["exp"] + 61)
    assert heading(joined(link)) == "This link has expired"
    assert len(joined.store.visits.all()) == 1
