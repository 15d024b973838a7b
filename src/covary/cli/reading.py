"""The options of every command that reads ratings, in one place."""

from __future__ import annotations

import functools
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click
from click.core import ParameterSource

from covary.cli.collected import database_option, is_study, opened_store, read_folder
from covary.cli.completion import column, filters, one_of, several_columns
from covary.cli.places import Place, named_after
from covary.cli.wording import as_options
from covary.errors import InvalidArgument, choose, listed, meant
from covary.formats import FORMATS, read
from covary.ratings import COLUMNS, Ratings
from covary.scales import Level, as_scale

__all__ = [
    "NAMES",
    "OPTIONS",
    "Command",
    "RatingsCommand",
    "Reading",
    "reading_of",
    "reads_ratings",
]  # fmt: skip

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
    "manual": "the version of the manual in force",
    "cluster": "what items are nested in, such as a dialogue",
    "order": "when it was rated, as a number",
    "seconds": "how long it took",
}

BY_CRITERION = "or CRITERION={0}; repeat for several criteria"


def _column(role: str) -> Command:
    return click.option(
        f"--{role}", metavar="COLUMN", multiple=role == "rating", shell_complete=column,
        help=f"Column: {ABOUT[role]}.",
    )  # fmt: skip


OPTIONS: tuple[Command, ...] = (
    click.argument("file", type=Place()),
    click.option(
        "--scale", metavar="SCALE", multiple=True,
        help=f"1-5, 0-100 or good,fair,bad; {BY_CRITERION.format('SCALE')}.",
    ),
    click.option(
        "--best", metavar="END", multiple=True, shell_complete=one_of("high", "low"),
        help=f"End of the scale that is best, high (default) or low; {BY_CRITERION.format('END')}.",
    ),
    click.option(
        "--level", metavar="LEVEL", multiple=True, shell_complete=one_of(*map(str, Level)),
        help=f"nominal, ordinal, interval or ratio; {BY_CRITERION.format('LEVEL')}.",
    ),
    *(_column(role) for role in COLUMNS),
    click.option(
        "--wide", metavar="COLUMNS", multiple=True, shell_complete=several_columns,
        help="Columns that hold one judge each: J1,J2,J3 or a pattern such as 'J*'; 'all' for "
        "every column of numbers.",
    ),
    click.option(
        "--count", metavar="COLUMN", shell_complete=column,
        help="How many items show a row's ratings.",
    ),
    click.option("--sheet", help="Sheet of a spreadsheet."),
    click.option("--separator", help="Character between the cells of a text file."),
    click.option(
        "--input-format", type=click.Choice([each.name for each in FORMATS]),
        help="Format of FILE, where it shall not be recognised.",
    ),
    click.option("--keep-rejected", is_flag=True, help="Keep assignments rejected on MTurk."),
    click.option(
        "--engine", type=click.Choice(["duckdb", "spark"]),
        help="What reads and counts: DuckDB on this machine (default) or a Spark cluster.",
    ),
    click.option(
        "--memory", metavar="AMOUNT",
        help="How much memory to use, such as 2GB; what does not fit stays on the disk.",
    ),
    click.option("--query", help="Table or query of FILE, where it is a postgresql://… address."),
    click.option(
        "--steps", type=click.IntRange(2, 64),
        help="Put a continuous scale into so many steps (an approximation for very many ratings).",
    ),
    click.option("--slots", is_flag=True, help="Judges are not known: columns are no persons."),
    click.option("--occasions", is_flag=True, help="A repeated rating is a retest, no mistake."),
    click.option(
        "--only", metavar="COLUMN=VALUE", multiple=True, shell_complete=filters,
        help="Keep these ratings: criterion=fluency, group=expert, judge=Ann; repeat for more.",
    ),
    database_option,
)  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """A file of ratings, or a study's folder, and all that was said about how to read it.

    `place` is what is read where that is no file: a pattern or the address of a database, which
    `file` is only a name for.
    """

    file: Path
    keywords: Mapping[str, Any]
    only: Mapping[str, Sequence[str]]
    database: str | None = None
    place: Path | str | None = None
    steps: int | None = None

    @property
    def spoken(self) -> str:
        """What was read, as it is typed; an address may hold a password and is cut short."""
        if isinstance(self.place, str):
            query = self.keywords.get("query")
            scheme = self.place.partition("://")[0]
            return f"{scheme}://…" + (f" --query {shlex.quote(query)}" if query else "")
        return shlex.quote(str(self.place or self.file))

    def ratings(self, *, faulty: Literal["refuse", "set-aside"] = "refuse") -> Ratings:
        """Read the file, or what the study collected, and keep what is wanted."""
        if is_study(self.file):
            ratings = self._collected(faulty)
        else:
            with _filter_explained(self.keywords):
                ratings = read(self.place or self.file, faulty=faulty, **self.keywords)
        wanted = {column: _meant(ratings, column, texts) for column, texts in self.only.items()}
        chosen = ratings.select(**wanted) if wanted else ratings
        return chosen if self.steps is None else chosen.in_steps(self.steps)

    def _collected(self, faulty: Literal["refuse", "set-aside"]) -> Ratings:
        """Return what a study collected; the study itself says what is what."""
        from covary.store.export import ratings_of

        wrong = [name for name in self.keywords if name != "memory"]
        if wrong:
            raise click.UsageError(
                f"'{self.file}' is a study, which knows its own columns and scales; leave out "
                f"everything but --only, --memory and --database (got {', '.join(wrong)})"
            )
        with opened_store(self.file, self.database) as store:
            criteria = self.only.get("criterion")
            found = ratings_of(read_folder(self.file), store, criteria=criteria, faulty=faulty)
        memory = self.keywords.get("memory")
        return found if memory is None else found.within(memory)


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
     "engine", "memory", "query", "steps", "scale", "best", "level", "slots", "occasions", "only",
     "database")
)  # fmt: skip


class RatingsCommand(click.Command):
    """A command whose help tells its own options first, and then how its file is read."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the two lists of options."""
        told: dict[str, list[tuple[str, str]]] = {"Options": [], "How the file is read": []}
        for each in self.get_params(ctx):
            record = each.get_help_record(ctx) if isinstance(each, click.Option) else None
            if record is not None:
                told["How the file is read" if each.name in NAMES else "Options"].append(record)
        for title, records in told.items():
            with formatter.section(title):
                formatter.write_dl(records)


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


def _let_spark_find_pandas() -> None:
    """Undo what spares other commands pandas: what Spark answers with looks for it."""
    if sys.modules.get("pandas", click) is None:
        del sys.modules["pandas"]


def reading_of(said: dict[str, Any]) -> Reading:
    """Put what was said on the command line together; `said` holds every name in `NAMES`."""
    plain = (
        "sheet", "separator", "count", "engine", "memory", "query",
        *(role for role in COLUMNS if role != "rating"),
    )  # fmt: skip
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
    if said["engine"] == "spark":
        _let_spark_find_pandas()
    place = said["file"]
    file = named_after(place, said["query"])
    _refuse_database(file)
    return Reading(
        file, keywords, _only(said["only"]), said["database"],
        None if file == place else place, said["steps"],
    )  # fmt: skip


def _refuse_database(file: Path) -> None:
    """Refuse --database where a file of ratings is read; the environment may name one always."""
    how = click.get_current_context().get_parameter_source("database")
    if how is ParameterSource.COMMANDLINE and not is_study(file):
        raise click.UsageError(f"--database is for the folder of a study, and '{file}' is none")


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
        raise click.UsageError(f"--level {text!r} is not known; {choose(text, names)}")
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
                f"{meant(column, COLUMNS)}"
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
                f"{meant(text, by_text)}"
            )
    return [by_text[text] for text in texts]
