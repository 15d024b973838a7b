"""What a study knows that a paper should say: who judged, how they were found, told and shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from covary.analysis.planning import kept_plan, read_record
from covary.design import is_adaptive
from covary.store.export import ratings_of
from covary.store.store import Store
from covary.study.model import Study
from covary.words import Note


def paper_answers(study: Study, store: Store) -> dict[str, Any]:
    """Return the answers to a paper's checklist that a study and its store know.

    What the researcher says under [paper] in study.toml counts before what covary knows; what
    neither knows is left out.
    """
    known = {
        "population": _population(study),
        "judges": _judges(study, store),
        "recruitment": _recruitment(study, store),
        "guidelines": _guidelines(study, store),
        "process": _process(study, store),
        "independent": True,  # no page of the evaluation shows what others gave
        "experience": _experience(study, store),
        "sample_size": _sample_size(study, store),
    }
    return {name: answer for name, answer in known.items() if answer} | dict(study.paper)


def _population(study: Study) -> Note:
    return Note(
        "paper.population",
        items=len(study.items_of("item")),
        systems=len(study.systems),
        sources=len(study.sources),
        people=[system for system in study.systems if system in study.human_systems],
    )


def _judges(study: Study, store: Store) -> Note | None:
    groups = Counter(store.notes.groups(study).values())
    if not study.population.who and not groups:
        return None
    question = next((asked.name for asked in study.background if asked.group), "")
    who = study.population.who
    return Note("paper.judges", who=who, question=question, groups=dict(groups))


def _recruitment(study: Study, store: Store) -> Note | None:
    about, recruiting = study.population, study.recruiting
    outcomes = Counter[str](visitor.outcome for visitor in store.visits.all())
    facts: dict[str, Any] = {
        "how": about.recruitment,
        "payment": about.payment,
        "minutes": about.minutes,
        "overlap": about.overlap,
        "platform": "" if recruiting is None else recruiting.platform,
        "pay": None if recruiting is None else recruiting.pay,
        "currency": "" if recruiting is None else recruiting.currency,
        "excluded": {name: outcomes[name] for name in EXCLUDED if outcomes[name]},
    }
    return Note("paper.recruitment", **facts) if facts["how"] or facts["platform"] else None


EXCLUDED = ("screened out", "failed checks", "withdrew", "abandoned")
"""Endings of recruited people whose answers do not count."""


def _guidelines(study: Study, store: Store) -> Note:
    manuals = store.answers.manuals()
    return Note("paper.guidelines", version=study.manual.version, versions=len(manuals))


def _process(study: Study, store: Store) -> Note:
    wish, session = study.design, study.session
    return Note(
        "paper.process",
        kind=wish.kind,
        order=wish.order,
        seed=wish.seed,
        parts=len(study.parts),
        one_each=wish.parts == "one-each",
        occasions=wish.occasions,
        repeats=wish.repeats,
        breaks=session.break_every,
        go_back=session.go_back,
        adaptive=sum(map(is_adaptive, store.sheets.all())),
    )


def _sample_size(study: Study, store: Store) -> Note | None:
    """The plan that was kept beside the study, and whether the study kept it."""
    record = read_record(study.folder)
    if record is None:
        return None
    wanted = [criterion.key for criterion in study.criteria if criterion.key == record.criterion]
    collected = ratings_of(study, store, criteria=wanted or None, faulty="set-aside")
    return kept_plan(record, collected).note()


def _experience(study: Study, store: Store) -> Note | None:
    facts: Mapping[str, int] = {
        "practice": len(study.items_of("practice")),
        "checks": len(study.items_of("check")),
        "gold": len(study.items_of("gold")),
        "rounds": len(store.training.cycle().rounds),
    }
    return Note("paper.experience", **facts) if any(facts.values()) else None
