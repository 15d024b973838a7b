"""The options of every command that reads ratings, in one place."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click
from click.core import ParameterSource

from covary.cli.collected import database_option, is_study, opened_store, read_folder
from covary.cli.wording import as_options
from covary.errors import InvalidArgument, listed
from covary.formats import FORMATS, read
from covary.ratings import COLUMNS, Ratings
from covary.scales import Level, as_scale

__all__ = ["NAMES", "OPTIONS", "Command", "Reading", "reading_of", "reads_ratings"]

Command = Callable[..., Any]

ABOUT = {
    "item": "what was judged",
    "judge": "who judged",
    "rating": "the rating; repeat for one column per criterion",
    "criterion": "the quality that was judged",
    "system": "who produced the item",
    "source": "what the item was made from",
    "group": "the judge's group",
    "occasion": "test or retest",
    "round": "the round of the guidelines",
    "cluster": "what items are nested in, such as a dialogue",
    "order": "when it was rated, as a number",
    "seconds": "how long it took",
}

BY_CRITERION = "or CRITERION={0}; repeat for several criteria"


def _column(role: str) -> Command:
    many = {"multiple": True} if role == "rating" else {}
    return click.option(f"--{role}", metavar="COLUMN", help=f"Column: {ABOUT[role]}.", **many)  # type: ignore[arg-type]


OPTIONS: tuple[Command, ...] = (
    click.argument("file", type=click.Path(path_type=Path)),
    database_option,
    *(_column(role) for role in COLUMNS),
    click.option(
        "--wide", metavar="COLUMNS", multiple=True,
        help="Columns that hold one judge each: J1,J2,J3 or a pattern such as 'J*'; 'all' for "
        "every column of numbers.",
    ),
    click.option("--count", metavar="COLUMN", help="How many items show a row's ratings."),
    click.option("--sheet", help="Sheet of a spreadsheet."),
    click.option("--separator", help="Character between the cells of a text file."),
    click.option(
        "--input-format", type=click.Choice([each.name for each in FORMATS]),
        help="Format of FILE, where it shall not be recognised.",
    ),
    click.option("--keep-rejected", is_flag=True, help="Keep assignments rejected on MTurk."),
    click.option(
        "--scale", metavar="SCALE", multiple=True,
        help=f"1-5, 0-100 or good,fair,bad; {BY_CRITERION.format('SCALE')}.",
    ),
    click.option(
        "--best", metavar="END", multiple=True,
        help=f"End of the scale that is best, high (default) or low; {BY_CRITERION.format('END')}.",
    ),
    click.option(
        "--level", metavar="LEVEL", multiple=True,
        help=f"nominal, ordinal, interval or ratio; {BY_CRITERION.format('LEVEL')}.",
    ),
    click.option("--slots", is_flag=True, help="Judges are not known: columns are no persons."),
    click.option("--occasions", is_flag=True, help="A repeated rating is a retest, no mistake."),
    click.option(
        "--only", metavar="COLUMN=VALUE", multiple=True,
        help="Keep these ratings: criterion=fluency, group=expert, judge=Ann; repeat for more.",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """A file of ratings, or a study's folder, and all that was said about how to read it."""

    file: Path
    keywords: Mapping[str, Any]
    only: Mapping[str, Sequence[str]]
    database: str | None = None

    def ratings(self, *, faulty: Literal["refuse", "set-aside"] = "refuse") -> Ratings:
        """Read the file, or what the study collected, and keep what is wanted."""
        if is_study(self.file):
            ratings = self._collected(faulty)
        else:
            with _filter_explained(self.keywords):
                ratings = read(self.file, faulty=faulty, **self.keywords)
        wanted = {column: _meant(ratings, column, texts) for column, texts in self.only.items()}
        return ratings.select(**wanted) if wanted else ratings

    def _collected(self, faulty: Literal["refuse", "set-aside"]) -> Ratings:
        """Return what a study collected; the study itself says what is what."""
        from covary.store.export import ratings_of

        if self.keywords:
            raise click.UsageError(
                f"'{self.file}' is a study, which knows its own columns and scales; leave out "
                f"everything but --only and --database (got {', '.join(self.keywords)})"
            )
        with opened_store(self.file, self.database) as store:
            criteria = self.only.get("criterion")
            return ratings_of(read_folder(self.file), store, criteria=criteria, faulty=faulty)


def reads_ratings(command: Command) -> Command:
    """Give a command the argument FILE and all options of reading; it gets a `Reading`."""

    @functools.wraps(command)
    def wrapped(**options: Any) -> Any:
        own = {name: options.pop(name) for name in list(options) if name not in NAMES}
        return command(reading=reading_of(options), **own)

    for option in reversed(OPTIONS):
        wrapped = option(wrapped)
    return wrapped


NAMES = frozenset(
    (*COLUMNS, "file", "wide", "count", "sheet", "separator", "input_format", "keep_rejected",
     "scale", "best", "level", "slots", "occasions", "only", "database")
)  # fmt: skip


@contextmanager
def _filter_explained(keywords: Mapping[str, Any]) -> Iterator[None]:
    """Tell whoever says `--criterion fluency` and means the ratings on fluency how to say that."""
    try:
        yield
    except InvalidArgument as error:
        for role in ("criterion", "group"):
            if str(error).startswith(f"the {role} column"):
                raise InvalidArgument(
                    f"{error}. To keep the ratings of one {role}: --only {role}={keywords[role]}"
                ) from error
        raise


def reading_of(said: dict[str, Any]) -> Reading:
    """Put what was said on the command line together; `said` holds every name in `NAMES`."""
    plain = ("sheet", "separator", "count", *(role for role in COLUMNS if role != "rating"))
    keywords = {name: said[name] or None for name in plain if said[name] is not None}
    keywords |= _declared(said["scale"], said["best"], said["level"])
    if said["rating"]:
        keywords["rating"] = said["rating"][0] if len(said["rating"]) == 1 else [*said["rating"]]
    if said["wide"]:
        keywords["wide"] = _wide(said["wide"])
    if said["input_format"]:
        keywords["format"] = said["input_format"]
    flags = {"slots": ("judges", "slots"), "occasions": ("repeats", "occasions"),
             "keep_rejected": ("keep_rejected", True)}  # fmt: skip
    keywords |= dict(pair for flag, pair in flags.items() if said[flag])
    _refuse_database(said["file"])
    return Reading(_named(said["file"]), keywords, _only(said["only"]), said["database"])


def _refuse_database(file: Path) -> None:
    """Refuse --database where a file of ratings is read; the environment may name one always."""
    how = click.get_current_context().get_parameter_source("database")
    if how is ParameterSource.COMMANDLINE and not is_study(file):
        raise click.UsageError(f"--database is for the folder of a study, and '{file}' is none")


def _named(file: Path) -> Path:
    """Return a path that ends in a name, which '.' does not."""
    return file if file.name else file.resolve()


def _declared(scales: Sequence[str], ends: Sequence[str], levels: Sequence[str]) -> dict[str, Any]:
    """Put scales, their best ends and levels together, by criterion; None stands for the rest."""
    scale, best, level = (_by_criterion(each) for each in (scales, ends, levels))
    homeless = [name for name in best if name not in scale and None not in scale]
    if homeless:
        raise click.UsageError("--best is about a scale; declare it with --scale")
    try:
        levelled = {name: _level(text) for name, text in level.items()}
        declared = {
            name: as_scale(
                scale.get(name) or scale[None],
                best=_end(best.get(name, best.get(None, "high"))),
                level=levelled.get(name, levelled.get(None)),
            )
            for name in (dict.fromkeys((*scale, *best, *level)) if None in scale else scale)
        }
    except InvalidArgument as error:
        raise click.UsageError(as_options(str(error))) from error
    return ({"scale": declared} if declared else {}) | ({"level": levelled} if levelled else {})


def _by_criterion(texts: Sequence[str]) -> dict[str | None, str]:
    """Take 'CRITERION=VALUE' apart; a value alone is for all criteria."""
    found: dict[str | None, str] = {}
    for text in texts:
        criterion, _, value = text.rpartition("=")
        if not value.strip():
            raise click.UsageError(f"{text!r} says nothing after the =")
        found[criterion or None] = value.strip()
    return found


def _end(text: str) -> Literal["high", "low"]:
    ends: dict[str, Literal["high", "low"]] = {"high": "high", "low": "low"}
    if text not in ends:
        raise click.UsageError(f"--best {text!r} is not an end of a scale; say high or low")
    return ends[text]


def _level(text: str) -> Level:
    names = [str(level) for level in Level]
    if text not in names:
        raise click.UsageError(f"--level {text!r} is not known; say {', '.join(names)}")
    return Level[text.upper()]


def _wide(said: Sequence[str]) -> bool | str | list[str]:
    names = [name.strip() for text in said for name in text.split(",")]
    if names == ["all"]:
        return True
    return names[0] if len(names) == 1 else names


def _only(texts: Sequence[str]) -> dict[str, list[str]]:
    wanted: dict[str, list[str]] = {}
    for text in texts:
        column, equals, value = text.partition("=")
        if not equals or column not in COLUMNS:
            raise click.UsageError(
                f"--only {text!r} must say COLUMN=VALUE, with one of {', '.join(COLUMNS)}"
            )
        wanted.setdefault(column, []).append(value)
    return wanted


def _meant(ratings: Ratings, column: str, texts: Sequence[str]) -> list[Any]:
    """Find the values of a column that were written as text."""
    by_text = {str(value): value for value in ratings.values(column)}
    for text in texts:
        if text not in by_text:
            raise InvalidArgument(
                f"--only {column}={text} keeps nothing; there are {listed(by_text)}"
            )
    return [by_text[text] for text in texts]
