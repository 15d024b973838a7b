"""Prolific's signed links: a token in the address that proves whom Prolific has sent.

Where a study at Prolific has a secure address (`is_external_study_url_secure`), Prolific adds the
parameter `prolific_token`, a JSON web token that it has signed (RS256). It is good when its
signature fits one of Prolific's public keys, it has not expired, and it was made for the server's
own name. Its claim `prolific` holds what the address asked for: PROLIFIC_PID, STUDY_ID, SESSION_ID.

The keys are those of https://api.prolific.com/.well-known/study/jwks.json, kept in a file of the
study, so that the server asks nobody when a judge comes.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from covary.errors import CovaryError, InvalidArgument
from covary.study.recruiting import SigningKey, read_signing_keys

PARAMETER = "prolific_token"
ISSUER = "https://www.prolific.com"

LONGEST = 8192
"""Letters of a token; Prolific's have about a thousand."""

LEEWAY = 60.0
"""Seconds by which two clocks may differ."""

SHA256_PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")
"""What stands before a SHA-256 digest in a signature (RFC 8017, section 9.2)."""


class UnprovenVisitor(CovaryError):
    """A token does not prove whom Prolific has sent; the code says why."""


class KeyFile:
    """The public keys in a study's file, read again when the file has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: tuple[object, Mapping[str, SigningKey]] = (None, {})

    def keys(self) -> Mapping[str, SigningKey]:
        """Return the keys by their names; those known before where the file cannot be read."""
        try:
            found = self._path.stat()
            state = (found.st_mtime_ns, found.st_size, found.st_ino)
            if state != self._read[0]:
                keys = read_signing_keys(self._path.read_text(encoding="utf-8"))
                self._read = (state, {key.name: key for key in keys})
        except (OSError, ValueError, InvalidArgument):
            pass
        return self._read[1]


def verify_token(
    token: str, keys: Mapping[str, SigningKey], *, host: str, now: float
) -> Mapping[str, str]:
    """Return what a token says of the visitor, by the names of the address.

    Parameters
    ----------
    token
        The parameter `prolific_token` of the address.
    keys
        Prolific's public keys by their names.
    host
        The name of the server, as browsers reach it.
    now
        The time, in seconds since 1970.

    Raises
    ------
    UnprovenVisitor
        Where the token proves nothing.
    """
    head, claims, signed, signature = _parts(token)
    key = keys.get(str(head.get("kid", "")))
    if head.get("alg") != "RS256":
        raise UnprovenVisitor("crowd.token-algorithm", algorithm=str(head.get("alg"))[:20])
    if key is None:
        raise UnprovenVisitor("crowd.token-key", key=str(head.get("kid", ""))[:64])
    if not _fits(signed, signature, key):
        raise UnprovenVisitor("crowd.token-forged")
    if claims.get("iss") != ISSUER:
        raise UnprovenVisitor("crowd.token-issuer", issuer=str(claims.get("iss"))[:64])
    _check_time(claims, now)
    if host.casefold() not in _audience(claims.get("aud")):
        raise UnprovenVisitor("crowd.token-audience", host=host)
    said = claims.get("prolific")
    if not isinstance(said, dict):
        raise UnprovenVisitor("crowd.token-broken")
    return {name: value for name, value in said.items() if isinstance(value, str)}


def _parts(token: str) -> tuple[dict[str, Any], dict[str, Any], bytes, bytes]:
    """Take a token apart: its head, its claims, what is signed, and the signature."""
    pieces = token.split(".")
    if len(token) > LONGEST or len(pieces) != 3:
        raise UnprovenVisitor("crowd.token-broken")
    try:
        head, claims, signature = map(_decoded, pieces)
        told = json.loads(head), json.loads(claims)
    except (ValueError, RecursionError):
        raise UnprovenVisitor("crowd.token-broken") from None
    if not all(isinstance(each, dict) for each in told):
        raise UnprovenVisitor("crowd.token-broken")
    return *told, f"{pieces[0]}.{pieces[1]}".encode(), signature


def _decoded(piece: str) -> bytes:
    try:
        return base64.b64decode(
            piece.encode("ascii") + b"=" * (-len(piece) % 4), altchars=b"-_", validate=True
        )
    except binascii.Error as error:
        raise ValueError(str(error)) from None


def _fits(signed: bytes, signature: bytes, key: SigningKey) -> bool:
    """Say whether a signature is that of a key (RSASSA-PKCS1-v1_5 with SHA-256, RFC 8017)."""
    length = (key.modulus.bit_length() + 7) // 8
    number = int.from_bytes(signature, "big")
    if len(signature) != length or number >= key.modulus:
        return False
    digest = SHA256_PREFIX + hashlib.sha256(signed).digest()
    wanted = b"\x00\x01" + b"\xff" * (length - len(digest) - 3) + b"\x00" + digest
    found = pow(number, key.exponent, key.modulus).to_bytes(length, "big")
    return hmac.compare_digest(wanted, found)


def _check_time(claims: Mapping[str, Any], now: float) -> None:
    end, begin = claims.get("exp"), claims.get("nbf", 0)
    if not isinstance(end, int | float) or not isinstance(begin, int | float):
        raise UnprovenVisitor("crowd.token-broken")
    if now > end + LEEWAY:
        raise UnprovenVisitor("crowd.token-expired")
    if now < begin - LEEWAY:
        raise UnprovenVisitor("crowd.token-early")


def _audience(claim: object) -> set[str]:
    """Return the names of servers that a token was made for, written as names or addresses."""
    listed: Sequence[object] = claim if isinstance(claim, list) else [claim]
    names: set[str] = set()
    for each in listed:
        if isinstance(each, str):
            try:
                names.add((urlsplit(each if "//" in each else f"//{each}").hostname or "").lower())
            except ValueError:
                continue
    return names - {""}
