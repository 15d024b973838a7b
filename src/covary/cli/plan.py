"""`covary plan`: how many judges and items a study needs, and what it will cost."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import ROUND_UP
from pathlib import Path
from statistics import median
from typing import Any

import click

from covary.analysis.planning import (
    Goal,
    GStudy,
    PlanRecord,
    Price,
    StudySize,
    guessed_components,
    known_components,
    preferences_needed,
    read_record,
    reliability_power,
)
from covary.analysis.planning.components import FACTORS
from covary.analysis.planning.cost import CENT, HOUR, money
from covary.analysis.planning.progress import FirstRatings
from covary.analysis.planning.record import FILE as RECORD
from covary.analysis.planning.record import new_record
from covary.analysis.planning.standings import scale_span
from covary.cli.command_group import Choice
from covary.cli.options import Command, default_option, set_aside_option
from covary.cli.output import ReportTarget, show_report, writes_report
from covary.cli.reading import (
    RatingsCommand,
    RatingsInput,
    given_without_file,
    may_read_ratings,
    select_only,
)
from covary.cli.screen import ProgressBar, debug_option, introduce, say
from covary.cli.study_folder import existing_store, is_study, open_store, read_study_folder
from covary.crowd.platforms import prices_of
from covary.datasets import load, names
from covary.design import make_plan
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.reports.planning import PlanReport, plan_report
from covary.reports.planning.document import scale_sentence
from covary.reports.planning.registration import registration
from covary.store.export import first_ratings
from covary.study import Study
from covary.study.settings import set_design
from covary.words import counted, listing

REGISTRATION = "plan.md"
"""The pre-registration text, beside the plan that is kept with a study."""

EPILOG = """\b
Examples:
  covary plan pilot.csv --scale 1-5
  covary plan pilot.csv --scale 1-5 --reliability .9 --pay 0.08 --fee-share 0.33
  covary plan pilot.csv --scale 1-5 --n-systems 6 --n-items 100 --n-judges 8 --difference 0.3
  covary plan --like qgstec-original --only criterion=correctness
  covary plan --judges-apart 1 --texts-apart 1.2 --systems-apart 0.5 --n-systems 3
  covary plan --component item=0.591 --component judge=0.196 --component residual=0.727
  covary plan --preference 0.55
  covary plan words.csv --scale 1-7 --against slider.csv --against-scale 0-100
  covary plan --two-scales 0.45 0.6 --n-items 100 --votes 3
  covary plan pilot.csv --scale 1-5 --difference 0.4 --write STUDY
  covary plan pilot.csv --scale 1-5 --difference 0.4 --looks 4 --write STUDY
  covary plan STUDY

Without FILE, on a terminal, a few plain questions take the place of a pilot. For a study's folder,
its progress comes first: what is reached, what is still needed, and whether it may stop."""

APART = {
    "texts_apart": "texts",
    "judges_apart": "judges",
    "severity_apart": "severity",
    "systems_apart": "systems",
    "tastes_apart": "tastes",
}
"""Plain answers, by the options that give them."""

QUESTIONS = {
    "judges": (
        "In points of your scale: how far apart do two judges usually lie on one text?",
        1.0,
    ),
    "severity": ("How far apart are the averages of two judges?", 0.3),
    "texts": ("How far apart do two texts of one system usually lie?", 1.0),
    "systems": ("How far apart are the averages of two systems (0 for one system)?", 0.0),
}

USUAL = {"systems": 1, "items": 50, "judges": 3}
"""The study that is planned where nobody says its size and there is no pilot."""


def _apart(name: str, about: str) -> Callable[[Command], Command]:
    return click.option(name, type=click.FloatRange(0), metavar="POINTS", help=about)


@click.command(cls=RatingsCommand, epilog=EPILOG)
@may_read_ratings
@writes_report("beside FILE, plan.html without one,")
@default_option(
    "--reliability",
    click.FloatRange(0, 1, min_open=True, max_open=True),
    0.8,
    "Reliability that the reported means should reach.",
)
@click.option(
    "--absolute",
    is_flag=True,
    help="Reliability of the values (dependability), not only of the order.",
)
@click.option(
    "--difference",
    type=click.FloatRange(0, min_open=True),
    help="Difference between two systems, in points, that the study should find.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, min_open=True),
    help="Margin within which two systems count as equal, in points; the study should show that.",
)
@click.option(
    "--agreement",
    type=click.FloatRange(-1, 1),
    metavar="ALPHA",
    help="How many items show whether alpha is above this?",
)
@default_option(
    "--power",
    click.FloatRange(0, 1, min_open=True, max_open=True),
    0.8,
    "Probability (power) with which the study should find or show it.",
)
@click.option(
    "--looks",
    type=click.IntRange(1, 20),
    help=(
        "Number of interim looks, at equal shares of the ratings, instead of at any time; with "
        "--write."
    ),
)
@click.option(
    "--simulate",
    type=click.IntRange(0, 10_000),
    metavar="RUNS",
    default=0,
    help=(
        "With --difference: simulate this many studies, and analyse each as 'covary systems' does."
    ),
)
@click.option(
    "--n-systems", "systems", type=click.IntRange(1), help="Systems; as many as in FILE by default."
)
@click.option(
    "--n-items",
    "items",
    type=click.IntRange(1),
    help="Items of each system; as in FILE by default.",
)
@click.option(
    "--n-judges", "judges", type=click.IntRange(1), help="Judges; as many as in FILE by default."
)
@click.option("--votes", type=click.IntRange(1), help="Ratings of an item; as in FILE by default.")
@click.option("--like", type=Choice(list(names())), help="Without FILE: a study that ships.")
@click.option(
    "--component",
    "known",
    multiple=True,
    metavar="NAME=VARIANCE",
    help=f"Without FILE: published components; {', '.join(FACTORS)}.",
)
@_apart("--judges-apart", "Without FILE: how far apart two judges usually lie on one text.")
@_apart("--severity-apart", "How far apart the averages of two judges lie.")
@_apart("--tastes-apart", "How far apart two judges lie on how good a system is.")
@_apart("--texts-apart", "How far apart two texts of one system lie.")
@_apart("--systems-apart", "How far apart the averages of two systems lie.")
@click.option(
    "--preference",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="How many judgements show that a system is preferred in this share of pairs?",
)
@click.option(
    "--against",
    type=click.Path(exists=True, path_type=Path),
    metavar="FILE",
    help="A pilot on another scale: how many items show which of the two is more reliable?",
)
@click.option(
    "--against-scale", metavar="SCALE", help="The scale of that pilot; that of FILE by default."
)
@click.option(
    "--two-scales",
    type=(click.FloatRange(0, 1, max_open=True), click.FloatRange(0, 1, max_open=True)),
    metavar="FIRST SECOND",
    help="The same without FILE, from the reliabilities of single ratings on both scales.",
)
@default_option(
    "--per-source", click.IntRange(1), 1, "With --preference: judgements of the same source."
)
@default_option(
    "--icc", click.FloatRange(0, 1), 0.0, "With --preference: how correlated these are."
)
@click.option("--pay", type=click.FloatRange(0), help="Pay for one rating; 1 by default.")
@default_option("--fee", click.FloatRange(0), 0.0, "What a platform takes for one rating.")
@default_option("--fee-share", click.FloatRange(0), 0.0, "What a platform adds, by the pay.")
@default_option(
    "--per-judge", click.FloatRange(0), 0.0, "Extra cost of each judge, such as training."
)
@click.option("--wage", type=click.FloatRange(0), help="The least that an hour should pay.")
@click.option(
    "--seconds-each",
    type=click.FloatRange(0, min_open=True),
    help="How long a rating takes; what was measured in FILE by default.",
)
@default_option(
    "--hours-a-day", click.FloatRange(0, 24, min_open=True), 1.0, "How long a judge works a day."
)
@click.option(
    "--write",
    type=click.Path(path_type=Path),
    metavar="STUDY",
    help="Set the design in this study's study.toml, and keep the plan beside it.",
)
@set_aside_option
@debug_option
def plan(
    reading: RatingsInput | None,
    target: ReportTarget,
    confidence: float,
    seed: int,
    reliability: float,
    absolute: bool,
    difference: float | None,
    margin: float | None,
    agreement: float | None,
    power: float,
    looks: int | None,
    simulate: int,
    like: str | None,
    known: tuple[str, ...],
    preference: float | None,
    against: Path | None,
    against_scale: str | None,
    two_scales: tuple[float, float] | None,
    per_source: int,
    icc: float,
    write: Path | None,
    set_aside: bool,
    **rest: Any,
) -> None:
    """Say how many judges and items a study like the one in FILE needs, and what it costs.

    The ratings in FILE are the pilot: they tell how much items, judges and systems differ. From
    that follows how reliable the means of a larger or smaller study would be, which difference
    between systems it would find, and the cheapest study that is good enough. Without FILE,
    published components or plain answers take its place.
    """
    if preference is not None:
        _without_a_report(target)
        _tell_preferences(preference, power, per_source, icc)
        return
    if two_scales is not None:
        _without_a_report(target)
        _tell_scales(two_scales, power, rest["items"], rest["votes"])
        return
    apart = {name: rest.pop(option) for option, name in APART.items()}
    numbers = {name: rest.pop(name) for name in ("systems", "items", "judges", "votes")}
    given = {name: number for name, number in numbers.items() if number is not None}
    goal = Goal(
        target=reliability,
        absolute=absolute,
        difference=difference,
        margin=margin,
        agreement=agreement,
        at=power,
        looks=looks,
    )
    if reading is None and against is not None:
        raise click.UsageError("--against compares with the scale of FILE; name FILE too")
    study, path = _study_of(reading), _report_path(target, reading)
    _refuse_late_looks(looks, study, write)
    with ProgressBar("reading") as bar:
        if reading is not None:
            pilot: Ratings | GStudy = reading.ratings(faulty="set-aside" if set_aside else "refuse")
            basis = f"a pilot ({reading.name})"
        else:
            pilot, basis = _without_pilot(like, known, apart)
            pilot = _only_of(pilot)
            given = _usual(given, pilot) if isinstance(pilot, GStudy) else given
        bar("planning")
        record = None if study is None else read_record(study.folder)
        made = plan_report(
            pilot,
            planned=given,
            goal=_as_planned(goal, record, pilot),
            price=_price(rest, pilot, study),
            confidence=confidence,
            title=target.title or f"A plan from {basis}",
            running=study is not None,
            record=record,
            first=_first_ratings(reading, study),
            simulate=simulate,
            seed=seed,
            against=_other_scale(reading, against, against_scale),
            basis=basis,
            step=bar,
        )
        made.write(path, target.form)
    _introduce(pilot, basis if reading is None else reading.name)
    show_report(made, path)
    if write is not None:
        _write_into(write, made, basis, pilot)


def _study_of(reading: RatingsInput | None) -> Study | None:
    return reading.study if reading is not None and is_study(reading.file) else None


def _refuse_late_looks(looks: int | None, study: Study | None, write: Path | None) -> None:
    """Refuse looks that are declared while judges rate."""
    if looks is not None and study is not None and write is None:
        raise InvalidArgument("planning.late-looks", argument="looks")


def _first_ratings(reading: RatingsInput | None, study: Study | None) -> FirstRatings | None:
    """What was collected first, for the looks that the plan declared."""
    if reading is None or study is None:
        return None

    def first(criterion: str | None, number: int) -> Ratings:
        with open_store(reading.file, reading.database, quiet=True) as store:
            return reading.select(first_ratings(study, store, criterion, number))

    return first


def _report_path(target: ReportTarget, reading: RatingsInput | None) -> Path:
    if reading is None:
        return target.path(Path("plan"))
    return target.beside(reading.file, "plan")


def _introduce(pilot: Ratings | GStudy, name: str) -> None:
    """Say what the plan rests on."""
    if isinstance(pilot, Ratings):
        introduce(name, pilot)
        return
    for note in pilot.notes:
        say(str(note))


def _without_a_report(target: ReportTarget) -> None:
    """Refuse a file for an answer that is only printed."""
    if target.output is not None:
        raise click.UsageError("--preference and --two-scales answer on the screen: leave out -o")


def _tell_preferences(share: float, power: float, per_source: int, icc: float) -> None:
    number = preferences_needed(share, at=power, per_source=per_source, icc=icc)
    say(
        f"{number:,} judgements show in {power:.0%} of studies that a system is preferred in "
        f"{share:.0%} of pairs (two-sided, 5%)."
    )
    if per_source > 1:
        effect = 1 + (per_source - 1) * icc
        say(
            f"That is {math.ceil(number / per_source):,} sources of {per_source} judgements each; "
            f"judgements of one source are alike, which makes it {effect:.2f} times as many."
        )


def _tell_scales(
    reliabilities: tuple[float, float], power: float, items: int | None, votes: int | None
) -> None:
    number, each = items or USUAL["items"], votes or USUAL["judges"]
    say(scale_sentence(reliability_power(*reliabilities, number, each, at=power)))


def _other_scale(
    reading: RatingsInput | None, against: Path | None, scale: str | None
) -> Ratings | None:
    """Read the pilot on the other scale as FILE is read, but for its scale."""
    if reading is None or against is None:
        return None
    keywords = dict(reading.keywords)
    if scale is not None:
        keywords = {name: kept for name, kept in keywords.items() if name != "level"}
        keywords["scale"] = scale
    return replace(reading, file=against, place=None, keywords=keywords).ratings()


def _without_pilot(
    like: str | None, known: tuple[str, ...], apart: Mapping[str, float | None]
) -> tuple[Ratings | GStudy, str]:
    """Return what takes the place of a pilot, and what that is in a few words."""
    said = {name: value for name, value in apart.items() if value is not None}
    ways = [bool(like), bool(known), bool(said)]
    if sum(ways) > 1:
        raise click.UsageError("say one of --like, --component and the distances (--…-apart)")
    if like is not None:
        return load(like), f"the ratings of {like}, which ship with covary"
    if known:
        return known_components(**_variances(known)), "published variance components"
    if not said:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise InvalidArgument("planning.nothing")
        said = {
            name: click.prompt(question, type=click.FloatRange(0), default=usual)
            for name, (question, usual) in QUESTIONS.items()
        }
        options = {name: option.replace("_", "-") for option, name in APART.items()}
        again = " ".join(f"--{options[name]} {value:g}" for name, value in said.items())
        click.echo(f"Another time: covary plan {again}")
    missing = [name for name in ("texts", "judges") if name not in said]
    if missing:
        wanted = " and ".join(f"--{name}-apart" for name in missing)
        raise click.UsageError(f"say {wanted} too: how far apart they lie, in points of the scale")
    return guessed_components(**said), "plain answers about how far judges and texts lie apart"


def _only_of(pilot: Ratings | GStudy) -> Ratings | GStudy:
    """Keep what --only asks for; refuse what says how a file is read, where there is none."""
    context = click.get_current_context()
    idle = given_without_file(context)
    only = context.params.get("only") or ()
    idle += ["--only"] if only and not isinstance(pilot, Ratings) else []
    if idle:
        says = "says" if len(idle) == 1 else "say"
        raise click.UsageError(
            f"{listing(idle)} {says} how ratings are read, and no file of ratings is named: name "
            f"one, or leave {listing(idle)} out"
        )
    return select_only(pilot, only) if isinstance(pilot, Ratings) and only else pilot


def _variances(known: tuple[str, ...]) -> dict[str, float]:
    variances = {}
    for text in known:
        name, _, number = text.partition("=")
        try:
            variances[name.strip().replace(" ", "_").replace("-", "_")] = float(number)
        except ValueError:
            raise click.UsageError(
                f"--component {text!r} must say NAME=VARIANCE, such as item=0.59"
            ) from None
    return variances


def _usual(given: Mapping[str, int], pilot: GStudy) -> dict[str, int]:
    """Take a usual size where nobody said one and no pilot tells it."""
    size = {**USUAL, "systems": 2 if pilot["system"] else 1} | dict(given)
    return {**size, "votes": given.get("votes", size["judges"])}


def _price(said: Mapping[str, Any], pilot: Ratings | GStudy, study: Study | None) -> Price:
    """Put together what a rating costs and how long it takes; a fair pay where none was said."""
    seconds = said["seconds_each"] or _measured_seconds(pilot)
    pay, wage, fee, share = said["pay"], said["wage"], said["fee"], said["fee_share"]
    recruiting = None if study is None else study.recruiting
    if recruiting is not None and recruiting.pay is not None and pay is None and study is not None:
        prices = prices_of(recruiting)
        per = max(len(study.items_of("item")) * _votes(study) / study.design.judges, 1)
        pay, fee = float(money(prices.pay)) / per, fee or float(money(prices.fee)) / per
        share, wage = share or float(money(prices.fee_share)), wage or prices.wage
    if pay is None and wage is not None and seconds is not None:
        pay = float((money(wage) * money(seconds) / HOUR).quantize(CENT, ROUND_UP))
    return Price(
        rating=1.0 if pay is None else pay,
        judge=said["per_judge"],
        fee=fee,
        fee_share=share,
        wage=wage,
        seconds=seconds,
        hours_a_day=said["hours_a_day"],
    )


def _votes(study: Study) -> int:
    wish = study.design
    return wish.judges if wish.kind == "everyone" else wish.judges_per_item or min(2, wish.judges)


def _measured_seconds(pilot: Ratings | GStudy) -> float | None:
    """The median time of a rating, where it was measured."""
    if not isinstance(pilot, Ratings) or "seconds" not in pilot.columns:
        return None
    times = [time for time in fetch(pilot.frame.select("seconds"))["seconds"] if time and time > 0]
    return float(median(times)) if times else None


def _write_into(place: Path, made: PlanReport, basis: str, pilot: Ratings | GStudy) -> None:
    """Set the design of a study, and keep the plan and its text beside it."""
    study = read_study_folder(place)
    with existing_store(place, None) as store:
        if store is not None and store.answers.any_counted():
            raise InvalidArgument("planning.begun", value=str(place))
    if (study.folder / RECORD).exists():
        say(f"{study.folder / RECORD} is replaced.")
    record = _record(made, basis, study, pilot)
    size = record.size
    changed = set_design(study.folder, _design(size, study))
    path = record.write(study.folder)
    text = study.folder / REGISTRATION
    text.write_text(registration(made.plan, basis=basis), encoding="utf-8", newline="\n")
    say()
    words = f"study.toml: {', '.join(changed)} set under [design]." if changed else ""
    say(words or "study.toml has this design already.")
    click.echo(f"Written: {path}")
    click.echo(f"Written: {text}")
    there = len(study.items_of("item"))
    if there != size.items * size.systems:
        say(
            f"The plan is for {counted(size.items * size.systems, 'item')}, and the study has "
            f"{there:,}: "
            + (
                "add items, or the report will say that the plan was not kept."
                if there < size.items * size.systems
                else "all of them will be judged, unless you take some out."
            ),
            fg="yellow",
        )
    make_plan(read_study_folder(place))  # says at once where the design cannot be had
    say(f"Next: covary design {shlex.quote(str(place))}")


def _as_planned(goal: Goal, record: PlanRecord | None, pilot: Ratings | GStudy) -> Goal:
    """What a running study is for is what its plan says, unless another difference is asked for.

    Points are those of the scale that was planned for; scales of several lengths keep the question.
    """
    if record is None or not isinstance(pilot, Ratings):
        return goal
    spans = {scale_span(pilot.scales[name]) for name in pilot.criteria}
    if len(spans | ({record.span} if record.span else set())) > 1:
        return goal
    if goal.difference is not None or goal.margin is not None:
        return goal
    return replace(goal, difference=record.difference, margin=record.margin)


def _record(made: PlanReport, basis: str, study: Study, pilot: Ratings | GStudy) -> PlanRecord:
    """Return the plan to keep: the largest study that a criterion of it needs."""
    studies = [
        ((one.best or one.now).size, one.criterion)
        for one in made.plan.criteria
        if one.now is not None
    ]
    if not studies:
        raise InvalidArgument("planning.nothing-to-write")
    size, criterion = max(studies, key=lambda pair: pair[0].ratings)
    goal = made.plan.goal
    keys = [one.key for one in study.criteria]
    scale = pilot.scales[criterion] if isinstance(pilot, Ratings) else study.criteria[0].scale.rated
    return new_record(
        size,
        target=goal.target,
        absolute=goal.absolute,
        difference=goal.difference,
        margin=goal.margin,
        at=goal.at,
        alpha=goal.alpha,
        looks=goal.looks,
        basis=basis,
        criterion=criterion if criterion in keys else None,
        span=scale_span(scale) if scale.declared else None,
    )


SQUARES = ("latin-squares", "williams")


def _design(size: StudySize, study: Study) -> dict[str, Any]:
    """Return the settings of [design] that give each item its ratings."""
    kept = study.design.kind in SQUARES and size.votes * len(study.systems) == size.judges
    if kept:
        return {"judges": size.judges}
    if size.votes >= size.judges:
        return {
            "kind": "everyone",
            "judges": size.judges,
            "judges_per_item": None,
            "per_judge": None,
        }
    return {
        "kind": "overlap",
        "judges": size.judges,
        "judges_per_item": size.votes,
        "per_judge": None,
    }
