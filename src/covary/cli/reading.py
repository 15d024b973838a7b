"""The options of every command that reads ratings, and what it reads them from."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import click
from click.core import ParameterSource

from covary.cli.command_group import Choice
from covary.cli.completion import column, filters, one_of, several_columns
from covary.cli.completion import files as complete_files
from covary.cli.screen import command_line, introduce
from covary.cli.study_folder import database_option, is_study, open_store, read_study_folder
from covary.errors import CovaryError, InvalidArgument, RatingsError
from covary.formats import FORMATS, read
from covary.formats.tables import is_pattern
from covary.ratings import COLUMNS, Ratings
from covary.ratings.conversion import pseudonyms
from covary.records import dataclass
from covary.scales import Level, as_scale
from covary.words import TERMINAL, reword
from covary.words.data import describe_reading
from covary.words.grammar import choose, did_you_mean, listing

if TYPE_CHECKING:
    from covary.store import Store
    from covary.study import Study


class PathOrAddress(click.Path):
    """A path, or an address such as postgresql://… or hdfs://…, which is not a path."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path | str:
        if isinstance(value, str) and "://" in value:
            return value
        converted: Path = super().convert(value, param, ctx)  # type: ignore[assignment]
        return converted


def report_stem(place: Path | str, query: str | None = None) -> Path:
    """Return the path that a report on a place is named after and put beside.

    Examples
    --------
    >>> str(report_stem(Path("ratings/*.parquet")))
    'ratings'
    >>> str(report_stem("postgresql://me:secret@host/studies", "fluency"))
    'fluency'
    """
    if isinstance(place, str):
        named = query if query and query.isidentifier() else Path(urlsplit(place).path).name
        return Path(named or "ratings")
    if is_pattern(place):
        plain = [part for part in place.parts if not any(mark in part for mark in "*?[")]
        return report_stem(Path(*plain) if plain else Path.cwd())
    return place if place.name else place.resolve()


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

PART = "part"
"""What --only chooses in a study beside columns: the criteria of a part."""

BY_CRITERION = "or CRITERION={0}; repeat for several criteria"


ALSO_CALLED = {"judge": ("--annotator", "--rater")}


def _column(role: str) -> Command:
    return click.option(
        f"--{role}",
        *ALSO_CALLED.get(role, ()),
        role,
        metavar="COLUMN",
        multiple=role == "rating",
        shell_complete=column,
        help=f"Column: {ABOUT[role]}.",
    )


OPTIONS: tuple[Command, ...] = (
    click.argument("file", type=PathOrAddress(), nargs=-1, required=True, metavar="FILE..."),
    click.option(
        "--scale",
        metavar="SCALE",
        multiple=True,
        help="1-5, 0-100, 0.0-10.0 (any number between) or good,fair,bad; "
        f"{BY_CRITERION.format('SCALE')}.",
    ),
    click.option(
        "--best",
        metavar="END",
        multiple=True,
        shell_complete=one_of("high", "low"),
        help=f"End of the scale that is best, high (default) or low; {BY_CRITERION.format('END')}.",
    ),
    click.option(
        "--level",
        metavar="LEVEL",
        multiple=True,
        shell_complete=one_of(*map(str, Level)),
        help=f"nominal, ordinal, interval or ratio; {BY_CRITERION.format('LEVEL')}.",
    ),
    *(_column(role) for role in COLUMNS),
    click.option(
        "--wide",
        metavar="COLUMNS",
        multiple=True,
        shell_complete=several_columns,
        help="Columns that hold one judge each: J1,J2,J3 or a pattern such as 'J*'; 'all' for "
        "every column of numbers.",
    ),
    click.option(
        "--count",
        metavar="COLUMN",
        shell_complete=column,
        help="Column that says for how many items a row stands.",
    ),
    click.option(
        "--names",
        metavar="PATTERN",
        help=(
            "What the names of these columns mean: '{judge}' (default), '{item}' where each row is "
            "a respondent, '{judge}_{criterion}', '{criterion} [{item}]'."
        ),
    ),
    click.option("--no-header", is_flag=True, help="The file has no header row."),
    click.option("--header", metavar="ROW", help="Header row: 3, or 3-4 for two."),
    click.option(
        "--rows",
        metavar="FIRST-LAST",
        help="Rows with the ratings, such as 4-23, or 4-10,12-23.",
    ),
    click.option(
        "--fill",
        metavar="COLUMN",
        multiple=True,
        shell_complete=column,
        help="Column in which an empty cell repeats the one above it.",
    ),
    click.option(
        "--records",
        metavar="PATH",
        help="Where the records are in a JSON document, such as items.ratings.",
    ),
    click.option("--transpose", is_flag=True, help="Transpose the table first."),
    click.option("--sheet", help="Sheet of a spreadsheet."),
    click.option(
        "--sheets",
        metavar="ROLE",
        help="What the names of the sheets stand for: judge, criterion, …",
    ),
    click.option(
        "--files",
        "files_role",
        metavar="ROLE",
        help="What the names of several files stand for: judge, criterion, round, …",
    ),
    click.option(
        "--answer",
        metavar="OLD=NEW",
        multiple=True,
        help="What an answer means: goood=good, or good=5; repeat for more.",
    ),
    click.option("--separator", help="Character between the cells of a text file."),
    click.option(
        "--input-format",
        type=Choice([form.name for form in FORMATS]),
        help="Format of FILE, instead of recognising it.",
    ),
    click.option(
        "--items",
        "item_table",
        type=click.Path(path_type=Path),
        metavar="FILE",
        shell_complete=complete_files,
        help="Table that says the system (source, cluster) of each item, where FILE does not.",
    ),
    click.option("--keep-rejected", is_flag=True, help="Keep assignments rejected on MTurk."),
    click.option(
        "--engine",
        type=Choice(["duckdb", "spark"]),
        help="What reads and counts: DuckDB on this machine (default) or a Spark cluster.",
    ),
    click.option(
        "--memory",
        metavar="AMOUNT",
        help="How much memory to use, such as 2GB; what does not fit stays on the disk.",
    ),
    click.option("--query", help="Table or query of FILE, where it is a postgresql://… address."),
    click.option(
        "--steps",
        type=click.IntRange(2, 64),
        help=(
            "Round a continuous scale to this many steps (an approximation for very many ratings)."
        ),
    ),
    click.option(
        "--slots", is_flag=True, help="Judges are not known: columns are not individual judges."
    ),
    click.option(
        "--anonymous", is_flag=True, help="Call judges J1, J2, … instead of by their names."
    ),
    click.option(
        "--occasions", is_flag=True, help="Repeated ratings of an item by one judge are retests."
    ),
    click.option(
        "--repeats",
        type=click.Choice(["first", "last", "occasions"]),
        help="Which of several ratings by one judge of one item counts.",
    ),
    click.option(
        "--only",
        metavar="COLUMN=VALUE",
        multiple=True,
        shell_complete=filters,
        help="Keep these ratings: criterion=fluency, group=expert, judge=Ann; repeat for more.",
    ),
    click.option(
        "--without",
        metavar="COLUMN=VALUE",
        multiple=True,
        shell_complete=filters,
        help="Leave out these ratings: judge=Ann, item=q7; repeat for more.",
    ),
    database_option,
)


def _ask_reading(error: RatingsError) -> dict[str, Any]:
    """Ask in which of several ways a file is to be read."""
    readings = error.data["readings"]
    click.echo(f"{error.data['file']} can be read in {len(readings)} ways:")
    for number, (kind, keywords) in enumerate(zip(error.data["kinds"], readings, strict=True), 1):
        click.echo(f"  {number}  {describe_reading(kind, keywords)}")
    number = click.prompt("Which one", type=click.IntRange(1, len(readings)))
    chosen: dict[str, Any] = dict(readings[number - 1])
    click.echo(f"Another time: {command_line(chosen)}")
    return chosen


def _ask_spellings(error: RatingsError) -> dict[str, Any]:
    """Ask whether answers that are nearly the same are one."""
    answers = {}
    for word, near in error.data["answers"].items():
        same = click.confirm(f"Is the answer {word!r} the same as {near!r}?", default=True)
        answers[word] = near if same else word
    return {"answers": answers}


def _ask_codes(error: RatingsError) -> dict[str, Any]:
    """Ask whether numbers far from all others stand for no rating."""
    answers = {}
    for code in error.data["answers"]:
        none = click.confirm(
            f"Does {code} among the ratings mean that there is none?", default=True
        )
        answers[code] = "" if none else code
    return {"answers": answers}


QUESTIONS: Mapping[str, Callable[[RatingsError], dict[str, Any]]] = {
    "formats.two-readings": _ask_reading,
    "formats.near-words": _ask_spellings,
    "formats.missing-codes": _ask_codes,
}
"""What a person at a terminal is asked, by the code of the error that a file gives."""


COMMANDS = (
    "formats.one-column-of-ratings",
    "formats.words-among-numbers",
    "formats.ambiguous-points",
    "formats.numbers-among-words",
)
"""Errors that name the whole command to go on with, and ask nothing."""


@dataclass(frozen=True)
class RatingsInput:
    """A file of ratings, or a study's folder, and all that was said about how to read it.

    `place` is what is read where that is not a file: a pattern or the address of a database, which
    `file` is only a name for. Where judges are `anonymous`, one of them may be `public`.
    """

    file: Path
    keywords: Mapping[str, Any]
    only: Mapping[str, Sequence[str]]
    without: Mapping[str, Sequence[str]] = field(default_factory=dict)
    database: str | None = None
    place: Path | str | tuple[Path | str, ...] | None = None
    steps: int | None = None
    anonymous: bool = False
    public: str | None = None

    @property
    def name(self) -> str:
        """What is read, by the names of its files: the first and how many others, where many."""
        if not isinstance(self.place, tuple):
            return self.file.name
        names = [Path(place).name for place in self.place]
        most = 3
        return (
            listing(names) if len(names) <= most else f"{names[0]} and {len(names) - 1} more files"
        )

    def ratings(self, *, faulty: Literal["refuse", "set-aside"] = "refuse") -> Ratings:
        """Read the file, or what the study collected, and keep what is wanted."""
        if is_study(self.file):
            ratings = self._collected(faulty)
        else:
            with _filter_explained(self.keywords):
                ratings = self._read(dict(self.keywords), faulty)
            if not ratings.n_ratings:
                missing = RatingsError("formats.all-missing", file=self.file.name)
                raise ratings.faults[0].error if ratings.faults else missing
        return self.select(ratings)

    def select(self, ratings: Ratings) -> Ratings:
        """Keep what is wanted of ratings."""
        wanted = {
            column: self._values(ratings, "only", column, texts)
            for column, texts in self.only.items()
            if column != PART
        }
        chosen = ratings.select(**wanted) if wanted else ratings
        unwanted = {
            column: self._values(ratings, "without", column, texts)
            for column, texts in self.without.items()
        }
        chosen = chosen.without(**unwanted) if unwanted else chosen
        if not chosen.n_ratings:
            raise InvalidArgument("cli.nothing-left", file=self.name)
        if self.anonymous and not chosen.slots:
            chosen = chosen.anonymous(self._pseudonyms(ratings.judges))
        return chosen if self.steps is None else chosen.in_steps(self.steps)

    def _values(
        self, ratings: Ratings, option: str, column: str, texts: Sequence[str]
    ) -> list[Any]:
        """Find the values of a column that were written as text; pseudonyms are names as well."""
        by_text = {str(value): value for value in ratings.values(column)}
        known = dict(by_text)
        if column == "judge" and self.anonymous and not ratings.slots:
            known |= {name: judge for judge, name in self._pseudonyms(ratings.judges).items()}
        for text in texts:
            if text not in known:
                raise InvalidArgument(
                    "cli.keeps-nothing", value=text, allowed=by_text, column=column, option=option
                )
        return [known[text] for text in texts]

    def _pseudonyms(self, judges: Sequence[Any]) -> dict[Any, str]:
        names = pseudonyms([judge for judge in judges if str(judge) != self.public])
        return {judge: names.get(judge, str(judge)) for judge in judges}

    def _read(self, keywords: dict[str, Any], faulty: str) -> Ratings:
        """Read the file; where it can be read in two ways, ask, or name both commands."""
        place = list(self.place) if isinstance(self.place, tuple) else self.place or self.file
        try:
            return read(place, faulty=faulty, **keywords)
        except RatingsError as error:
            if error.code not in (*QUESTIONS, *COMMANDS):
                raise
            asked = error.code in QUESTIONS and sys.stdin.isatty() and sys.stdout.isatty()
            if not asked:
                command = {"command": command_line()}
                facts = {"value": error.value, "rows": error.rows, **error.data, **command}
                raise RatingsError(error.code, **facts) from None
            said = QUESTIONS[error.code](error)
            answers = {**keywords.get("answers", {}), **said.get("answers", {})}
            keywords |= said | ({"answers": answers} if answers else {})
        return self._read(keywords, faulty)

    @property
    def study(self) -> Study:
        """The study, where a study's folder is read."""
        return read_study_folder(self.file)

    def open_store(self) -> Store:
        """Open the store of the study; the study itself says what is what."""
        wrong = [name for name in self.keywords if name != "memory"]
        if wrong:
            raise click.UsageError(
                f"'{self.file}' is a study, which knows its own columns and scales; leave out "
                f"everything but --only, --memory and --database (got {', '.join(wrong)})"
            )
        return open_store(self.file, self.database)

    def paper_answers(self) -> dict[str, Any]:
        """Return what a study knows that a paper should say; nothing for a file."""
        if not is_study(self.file):
            return {}
        from covary.store.paper import paper_answers

        with open_store(self.file, self.database, quiet=True) as store:
            return paper_answers(self.study, store)

    def gold_ratings(self) -> tuple[Ratings, dict[Any, dict[Any, Any]]] | None:
        """Return the ratings of a study's items with known answers, and these answers."""
        from covary.store.export import gold_ratings

        with open_store(self.file, self.database, quiet=True) as store:
            known = gold_ratings(self.study, store, criteria=self.only.get("criterion"))
        if known is None or not self.anonymous:
            return known
        judges = dict.fromkeys((*self._collected("set-aside").judges, *known[0].judges))
        return known[0].anonymous(self._pseudonyms([*judges])), known[1]

    def _collected(self, faulty: Literal["refuse", "set-aside"]) -> Ratings:
        """Return what a study collected."""
        from covary.store.export import criteria_of_parts, ratings_of

        study = self.study
        with self.open_store() as store:
            criteria = self.only.get("criterion")
            if criteria is None and PART in self.only:
                criteria = criteria_of_parts(study, self.only[PART])
            ratings = ratings_of(study, store, criteria=criteria, faulty=faulty)
        memory = self.keywords.get("memory")
        return ratings if memory is None else ratings.within(memory)


def reads_ratings(command: Command) -> Command:
    """Give a command the argument FILE and all options of reading; it gets a `RatingsInput`."""

    @functools.wraps(command)
    def wrapped(**options: Any) -> Any:
        own = {name: options.pop(name) for name in list(options) if name not in NAMES}
        return command(reading=ratings_input(options), **own)

    for option in reversed(OPTIONS):
        wrapped = option(wrapped)
    return wrapped


def may_read_ratings(command: Command) -> Command:
    """Give a command the options of reading and a FILE that may be left out: then it gets None."""

    @functools.wraps(command)
    def wrapped(**options: Any) -> Any:
        own = {name: options.pop(name) for name in list(options) if name not in NAMES}
        return command(reading=ratings_input(options) if options["file"] else None, **own)

    for option in reversed(OPTIONS[1:]):  # the first is the FILE that must be there
        wrapped = option(wrapped)
    return click.argument("file", type=PathOrAddress(), nargs=-1, metavar="[FILE...]")(wrapped)


def _parameter_names() -> frozenset[str]:
    """The names that Click gives to the options of reading."""

    def reader() -> None: ...

    for option in OPTIONS:
        option(reader)
    parameters: list[click.Parameter] = reader.__click_params__  # type: ignore[attr-defined]
    return frozenset(str(parameter.name) for parameter in parameters)


NAMES = _parameter_names()


def given_without_file(context: click.Context) -> list[str]:
    """The options of reading that were said though there is no FILE to read, but --only."""
    names = {
        str(own.name): max(own.opts, key=len) for own in context.command.params if own.name in NAMES
    }
    return sorted(
        option
        for name, option in names.items()
        if name not in ("file", "only")
        and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    )


def select_only(ratings: Ratings, texts: Sequence[str]) -> Ratings:
    """Keep what --only asks for of ratings that no FILE holds."""
    wanted = _filters("only", texts, (*COLUMNS, PART))
    return RatingsInput(Path("ratings"), {}, wanted).select(ratings)


@dataclass(frozen=True)
class NamedInput:
    """A file of ratings among several, and the name that it is given."""

    name: str
    reading: RatingsInput

    def ratings(self) -> Ratings:
        """Read the file; what is wrong with it is said with its name."""
        try:
            return self.reading.ratings()
        except CovaryError as error:
            raise InvalidArgument("cli.about", about=self.name, error=error) from error

    def introduce(self, ratings: Ratings) -> None:
        """Say what was read."""
        introduce(f"{self.name} ({self.reading.name})", ratings)


def reads_several(metavar: str) -> Callable[[Command], Command]:
    """Give a command several files and all options of reading; it gets `paths` and `options`."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def wrapped(files: Sequence[str], **options: Any) -> Any:
            own = {name: options.pop(name) for name in list(options) if name not in NAMES}
            return command(paths=tuple(files), options=options, **own)

        for option in reversed(OPTIONS[1:]):  # the first is the one file of other commands
            wrapped = option(wrapped)
        return click.argument(
            "files", nargs=-1, metavar=metavar, required=True, shell_complete=complete_files
        )(wrapped)

    return decorate


def named_file(text: str) -> tuple[str, Path]:
    """Take NAME=FILE apart, unless a file is really called so."""
    name, equals, file = text.partition("=")
    if equals and name and file and not Path(text).exists():
        return name, Path(file)
    path = Path(text)
    return path.name.removesuffix(".gz").removesuffix(path.suffix) or str(path), path


def named_inputs(files: Sequence[tuple[str, Path]], options: dict[str, Any]) -> list[NamedInput]:
    """Put together what was said about each of several files."""
    names = [name for name, _ in files]
    return [
        NamedInput(name, ratings_input(_options_of(options, name, names) | {"file": file}))
        for name, file in files
    ]


def _options_of(options: dict[str, Any], name: str, names: Sequence[str]) -> dict[str, Any]:
    """Keep what is about the file of this name or about none by name."""
    own = dict(options)
    for option in ("scale", "best", "level"):
        kept = []
        for text in options[option]:
            about, equals, value = text.partition("=")
            if not equals or about not in names:
                kept.append(text)
            elif about == name:
                kept.append(value)
        own[option] = tuple(kept)
    return own


class RatingsCommand(click.Command):
    """A command whose help tells its own options first, and then how its file is read."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the two lists of options."""
        lists: dict[str, list[tuple[str, str]]] = {"Options": [], "How the file is read": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                lists["How the file is read" if param.name in NAMES else "Options"].append(record)
        for title, records in lists.items():
            with formatter.section(title):
                formatter.write_dl(records)


@contextmanager
def _filter_explained(keywords: Mapping[str, Any]) -> Iterator[None]:
    """Tell whoever says `--criterion fluency` and means the ratings on fluency how to say that."""
    try:
        yield
    except InvalidArgument as error:
        if error.code != "ratings.no-column" or error.argument not in ("criterion", "group"):
            raise
        name = keywords[error.argument]
        raise InvalidArgument(
            "cli.filter-hint", error=error, role=error.argument, name=name
        ) from error


def _let_spark_find_pandas() -> None:
    """Undo what spares other commands pandas: what Spark answers with looks for it."""
    if sys.modules.get("pandas", click) is None:
        del sys.modules["pandas"]


def ratings_input(options: dict[str, Any]) -> RatingsInput:
    """Put what was said on the command line together; `said` holds every name in `NAMES`."""
    plain = (
        "names",
        "sheet",
        "sheets",
        "separator",
        "count",
        "repeats",
        "records",
        "engine",
        "memory",
        "query",
        *(role for role in COLUMNS if role != "rating"),
    )
    keywords = {name: options[name] or None for name in plain if options[name] is not None}
    keywords |= _declared(options["scale"], options["best"], options["level"])
    keywords |= _table_keywords(options)
    flags = {
        "slots": ("judges", "slots"),
        "occasions": ("repeats", "occasions"),
        "keep_rejected": ("keep_rejected", True),
        "transpose": ("transpose", True),
        "no_header": ("header", 0),
    }
    keywords |= dict(pair for flag, pair in flags.items() if options[flag])
    if options["engine"] == "spark":
        _let_spark_find_pandas()
    places = options["file"] if isinstance(options["file"], tuple) else (options["file"],)
    place = places[0] if len(places) == 1 else places
    file = report_stem(places[0], options["query"])
    _refuse_database(file)
    return RatingsInput(
        file,
        keywords,
        _filters("only", options["only"], (*COLUMNS, PART)),
        _filters("without", options["without"], COLUMNS),
        database=options["database"],
        place=None if file == place else place,
        steps=options["steps"],
        anonymous=options["anonymous"],
    )


def _table_keywords(options: dict[str, Any]) -> dict[str, Any]:
    """What was said of the table: its columns, rows and answers."""
    columns, rows, answers = options["rating"], options["rows"], options["answer"]
    header = _range("--header", options["header"]) if options["header"] else (0, 0)
    said: dict[str, Any] = {
        "rating": columns[0] if len(columns) == 1 else [*columns],
        "wide": _wide(options["wide"]) if options["wide"] else None,
        "format": options["input_format"],
        "files": options["files_role"],
        "items": options["item_table"],
        "header": header[0] if header[0] == header[1] else header,
        "rows": _ranges("--rows", rows) if rows else None,
        "fill": [*options["fill"]],
        "answers": _answers(answers),
    }
    return {name: value for name, value in said.items() if value}


def _refuse_database(file: Path) -> None:
    """Refuse --database where a file of ratings is read; the environment may name one always."""
    how = click.get_current_context().get_parameter_source("database")
    if how is ParameterSource.COMMANDLINE and not is_study(file):
        raise click.UsageError(f"--database is for the folder of a study, and '{file}' is none")


def _declared(scales: Sequence[str], ends: Sequence[str], levels: Sequence[str]) -> dict[str, Any]:
    """Put scales, their best ends and levels together, by criterion; None stands for the rest."""
    scale, best, level = (_by_criterion(texts) for texts in (scales, ends, levels))
    for text in scale.values():
        _refuse_downward(text)
    homeless = [name for name in best if name not in (None, *scale) and None not in scale]
    if homeless or (best and not scale):
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
        raise click.UsageError(reword(error, TERMINAL)) from error
    return ({"scale": declared} if declared else {}) | ({"level": levelled} if levelled else {})


def _refuse_downward(text: str) -> None:
    """Explain how to say a scale whose best end is low."""
    ends = re.fullmatch(r"\s*(\d+)\s*(?:-|–|to)\s*(\d+)\s*", text)
    if ends and int(ends[1]) > int(ends[2]):
        upward = f"--scale {ends[2]}-{ends[1]}"
        raise click.UsageError(
            f"--scale {text!r} runs downwards; say {upward}, and --best low if {ends[2]} is the "
            "best end"
        )


def _by_criterion(texts: Sequence[str]) -> dict[str | None, str]:
    """Take 'CRITERION=VALUE' apart; a value alone is for all criteria."""
    values: dict[str | None, str] = {}
    for text in texts:
        criterion, _, value = text.rpartition("=")
        if not value.strip():
            raise click.UsageError(f"{text!r} says nothing after the =")
        values[criterion or None] = value.strip()
    return values


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


def _wide(texts: Sequence[str]) -> bool | list[str]:
    return True if list(texts) == ["all"] else list(texts)


def _range(option: str, text: str) -> tuple[int, int]:
    """Read a row, or the first and the last of several."""
    first, _, last = text.replace("–", "-").partition("-")
    if not first.strip().isdecimal() or not (last or first).strip().isdecimal():
        raise click.UsageError(f"{option} {text!r} must be a row, or two such as 4-23")
    return int(first), int(last or first)


def _ranges(option: str, text: str) -> tuple[int, int] | list[tuple[int, int]]:
    """Read the first and the last of rows, or several such pairs."""
    ranges = [_range(option, part) for part in text.split(",")]
    return ranges[0] if len(ranges) == 1 else ranges


def _answers(texts: Sequence[str]) -> dict[str, str]:
    answers = {}
    for text in texts:
        old, equals, new = text.partition("=")
        if not equals or not old.strip():
            raise click.UsageError(f"--answer {text!r} must say OLD=NEW, such as goood=good")
        answers[old.strip()] = new.strip()
    return answers


def _filters(option: str, texts: Sequence[str], columns: Sequence[str]) -> dict[str, list[str]]:
    """Take COLUMN=VALUE apart, for each column its values."""
    wanted: dict[str, list[str]] = {}
    for text in texts:
        column, equals, value = text.partition("=")
        if equals and column.endswith("!"):
            raise click.UsageError(
                f"--{option} {text!r}: to leave ratings out, say --without {column[:-1]}={value}"
            )
        if not equals or column not in columns:
            raise click.UsageError(
                f"--{option} {text!r} must say COLUMN=VALUE, with one of {', '.join(COLUMNS)}"
                f"{did_you_mean(column, COLUMNS)}"
            )
        wanted.setdefault(column, []).append(value)
    return wanted
