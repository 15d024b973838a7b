"""Records are dataclasses in every respect; their methods are written when they are worth it."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from threading import Barrier, Thread

import pytest

from covary.records import FILLED, dataclass


def classes(decorator):
    """The same family of classes, made by either decorator."""

    @decorator(frozen=True, kw_only=True)
    class Part:
        """A part."""

        name: str
        size: int = 2
        tags: list[str] = dataclasses.field(default_factory=list, repr=False)

        @property
        def double(self) -> int:
            return 2 * self.size

    @decorator(frozen=True, kw_only=True)
    class Larger(Part):
        """A part of its own kind."""

        colour: str = "red"

        def __post_init__(self) -> None:
            object.__setattr__(self, "colour", self.colour.upper())

    @decorator
    class Loose:
        """One that changes."""

        count: int
        rest: dataclasses.KW_ONLY
        more: str = ""

    @decorator(frozen=True, init=False)
    class Own:
        """One that begins by itself, and says itself what it is."""

        value: int

        def __init__(self, text: str) -> None:
            object.__setattr__(self, "value", int(text))

        def __repr__(self) -> str:
            return f"<{self.value}>"

    return Part, Larger, Loose, Own


def said(action):
    try:
        return repr(action())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


USES = {
    "made": lambda p, larger, loose, own: (p(name="a"), larger(name="b"), loose(3), own("4")),
    "not made": lambda p, *_: p("a"),
    "unknown": lambda p, *_: p(name="a", weight=2),
    "equal": lambda p, larger, *_: (p(name="a") == p(name="a"), p(name="a") == larger(name="a")),
    "hash": lambda p, larger, loose, own: hash(own("3")) == hash(own("3")),
    "no hash": lambda p, larger, loose, own: hash(loose(3)),
    "frozen": lambda p, *_: setattr(p(name="a"), "size", 3),
    "frozen child": lambda p, larger, *_: delattr(larger(name="a"), "colour"),
    "own, frozen": lambda p, larger, loose, own: setattr(own("3"), "value", 3),
    "changed": lambda p, larger, loose, own: setattr(loose(3), "count", 3),
    "fields": lambda *all_: [[f.name for f in dataclasses.fields(c)] for c in all_],
    "fields of a child first": lambda p, larger, *_: [f.name for f in dataclasses.fields(larger)],
    "replace": lambda p, larger, *_: dataclasses.replace(larger(name="a"), size=5),
    "asdict": lambda p, larger, *_: dataclasses.asdict(larger(name="a", tags=["x"])),
    "is one": lambda p, *_: dataclasses.is_dataclass(p),
    "signature": lambda *all_: [str(inspect.signature(c)) for c in all_],
    "match": lambda p, larger, loose, own: (loose(1).__match_args__, p.__match_args__),
    "doc": lambda p, larger, loose, own: (larger.__doc__, own.__doc__),
    "property": lambda p, *_: p(name="a").double,
    "apart": lambda p, *_: p(name="a").tags is p(name="a").tags,
    "without init": lambda p, *_: p.__new__(p) == p.__new__(p),
    "frozen without init": lambda p, *_: setattr(p.__new__(p), "size", 3),
}


@pytest.mark.parametrize("use", USES)
def test_a_record_does_what_the_dataclass_of_the_standard_library_does(use):
    ours, theirs = (said(lambda d=d: USES[use](*classes(d))) for d in (dataclass, REAL))
    assert ours == theirs


REAL = dataclasses.dataclass


@dataclass(frozen=True)
class Packed:
    """One that travels."""

    value: int


def test_a_record_that_was_never_made_here_can_be_unpacked():
    packed = pickle.dumps(Packed(3)).replace(b"Packed", b"Unmade")
    unpacked = pickle.loads(packed)
    assert (repr(unpacked), unpacked == Unmade(3)) == ("Unmade(value=3)", True)


@dataclass(frozen=True)
class Unmade:
    """One that nobody made before."""

    value: int


def test_nothing_is_written_before_it_is_worth_it():
    part, *_ = classes(dataclass)
    few = [part(name=str(number)) for number in range(FILLED)]
    assert not isinstance(part.__dict__["__dataclass_fields__"], dict)
    many = part(name="a")
    assert isinstance(part.__dict__["__dataclass_fields__"], dict)
    assert dataclasses.replace(few[0], name="a") == many


@pytest.mark.parametrize("use", USES)
def test_a_record_that_is_written_does_the_same_as_one_that_is_filled(use):
    filled, written = classes(dataclass), classes(dataclass)
    for kind in written:
        dataclasses.fields(kind)
    assert said(lambda: USES[use](*filled)) == said(lambda: USES[use](*written))


def test_what_no_record_takes_is_refused_by_the_first_as_by_all():
    made = {
        "too many": lambda p, larger, loose, own: loose(1, 2),
        "twice": lambda p, larger, loose, own: loose(1, count=1),
        "missing": lambda p, larger, loose, own: larger(),
    }
    for use in made.values():
        ours, theirs = (said(lambda d=d, use=use: use(*classes(d))) for d in (dataclass, REAL))
        assert ours == theirs
        assert ours.startswith("TypeError")


def test_threads_that_make_the_first_record_at_once_all_get_one():
    for _ in range(50):
        _, larger, *_ = classes(dataclass)
        start, made = Barrier(4), []

        def make(larger=larger, start=start, made=made) -> None:
            start.wait()
            made.append(larger(name="a"))

        threads = [Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(made) == 4
        assert len(set(map(repr, made))) == 1
