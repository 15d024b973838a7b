"""`covary report`: the reliability report of a file of ratings."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import click

from covary.analysis.accuracy import Accuracy, accuracy
from covary.analysis.coefficients import HEADLINES
from covary.analysis.reliability import MOST_PAIRS
from covary.analysis.verdict import Thresholds
from covary.cli.command_group import Choice
from covary.cli.figures import write_figures
from covary.cli.options import file_option, set_aside_option
from covary.cli.output import ReportTarget, show_report, stem, writes_report
from covary.cli.reading import RatingsCommand, RatingsInput, reads_ratings
from covary.cli.screen import ProgressBar, debug_option, introduce, say
from covary.cli.study_folder import is_study
from covary.errors import InvalidArgument, RatingsError
from covary.formats.measures import read_gold
from covary.ratings import Ratings
from covary.records import dataclass
from covary.reports.datasheets import answers_file
from covary.reports.document import write_whole
from covary.reports.reliability.document import Report
from covary.reports.reliability.document import report as make_report
from covary.reports.reliability.paper import write_paper
from covary.reports.reliability.paper_tables import COLUMNS
from covary.reports.replication import replication_report
from covary.words import TERMINAL, Note, word

Faulty = Literal["refuse", "set-aside"]

EPILOG = """\b
Examples:
  covary report ratings.csv --scale 1-5
  covary report ratings.csv --scale 1-5 --only criterion=fluency --only group=expert
  covary report scores.xlsx --wide 'J*' --scale 1-4 --best low -o reliability.docx
  covary report ratings.csv --scale 1-5 -o paper/
  covary report ratings.csv --scale 1-5 -o paper/ --coefficients alpha,kappa,icc-k --table verdict
  covary report ratings.csv --format json --no-intervals
  covary report ratings.csv --scale 1-5 --threshold agreement=0.8
  covary report ratings.csv --scale 1-5 --headline conger_kappa
  covary report repeat.csv --scale 1-5 --against first.csv
  covary report ratings.csv --scale 1-5 --gold answers.csv
  covary report ratings.csv --scale 1-5 --reference expert

Columns are found by their names, and what they were taken for is printed; --item, --judge,
--rating, --criterion and the other column options override that. A study's folder brings its own
scales, and answers for the checklist of a paper. --only keeps some of the ratings. The
same file with the same seed gives the same report.

With a slash at its end, -o names a folder for a paper: paragraphs, tables and figures for LaTeX,
a bibliography, Markdown and Word. Files of the same names are replaced."""


@click.command(cls=RatingsCommand, epilog=EPILOG)
@reads_ratings
@writes_report("beside FILE")
@click.option(
    "--no-intervals",
    is_flag=True,
    help="Quick: estimates without intervals, and verdicts from them alone.",
)
@click.option(
    "--threshold",
    "thresholds",
    metavar="NAME=NUMBER",
    multiple=True,
    help=f"A threshold of the verdicts: {', '.join(vars(Thresholds()))}; repeat for several.",
)
@click.option(
    "--headline",
    metavar="NAME",
    type=Choice(list(HEADLINES)),
    help=f"The coefficient for agreement: {', '.join(HEADLINES)}.",
)
@file_option(
    "--answers",
    "What a paper should say and the ratings do not hold: TOML with recruitment, guidelines, …",
)
@file_option(
    "--write-answers",
    "Write the open questions of the checklist as TOML, to fill in and give to --answers.",
)
@click.option(
    "--coefficients",
    metavar="NAME,…",
    help="Coefficients in the tables of a paper's folder: alpha, gamma, kappa, icc-k, …",
)
@click.option(
    "--table",
    "columns",
    metavar="NAME,…",
    help=f"Further columns in the tables of a paper's folder: {', '.join(COLUMNS)}; or none.",
)
@file_option(
    "--gold",
    "Known answers, for the judges' accuracy: a table with the columns item and answer (or gold), "
    "and criterion where there are several; FILE itself, where it has a column gold.",
)
@click.option(
    "--reference",
    metavar="JUDGE",
    help="A judge whose ratings are the known answers, and do not count towards agreement.",
)
@file_option("--against", "The first study: say how close FILE, a repeat of it, comes.")
@click.option(
    "--other-items",
    is_flag=True,
    help="With --against: items with the same name are different items.",
)
@click.option(
    "--figures",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Write each picture as PDF into this folder too.",
)
@set_aside_option
@debug_option
def report(
    reading: RatingsInput,
    target: ReportTarget,
    confidence: float,
    seed: int,
    no_intervals: bool,
    thresholds: tuple[str, ...],
    headline: str | None,
    answers: Path | None,
    write_answers: Path | None,
    coefficients: str | None,
    columns: str | None,
    gold: Path | None,
    reference: str | None,
    against: Path | None,
    other_items: bool,
    figures: Path | None,
    set_aside: bool,
) -> None:
    """Write the reliability report of the ratings in FILE and print its short form.

    Agreement beside correlation for every criterion, with intervals and a verdict; what is wrong
    with the data; each pair of judges; each judge; and the paragraph for the paper.
    """
    choice = _paper_choice(target, coefficients, columns)
    reading = replace(reading, public=reference)
    faulty: Faulty = "set-aside" if set_aside else "refuse"
    if against is not None:
        items = "different" if other_items else "auto"
        asked = {"items": items, "confidence": confidence, "rng": seed}
        _compare_studies(reading, against, target, faulty, **asked)
        return
    with ProgressBar(f"reading {reading.name}") as bar:
        ratings = reading.ratings(faulty=faulty)
        path = target.beside(reading.file, "report")
        given = _given_answers(answers, write_answers)
        known = reading.paper_answers() | given
        bar.expect(ratings, MOST_PAIRS)
        measured = None
        if gold is not None or reference is not None or is_study(reading.file):
            standard = Standard(gold, reference, confidence, seed)
            measured, ratings = standard.measure(reading, ratings)
        document = make_report(
            ratings,
            title=target.title or f"Reliability of {reading.name}",
            confidence=confidence,
            intervals=not no_intervals,
            rng=seed,
            thresholds=_thresholds(thresholds),
            headline=headline,
            answers=known,
            accuracy=measured,
            progress=bar,
        )
        bar("writing")
        document.write(path, target.form)
        if target.folder is not None:
            write_paper(document, target.folder, source=reading.name, **choice)
        if write_answers is not None:
            name = write_answers.name
            write_whole(write_answers, answers_file(document, known, given, name))
    shown = document.ratings if ratings.large else ratings
    introduce(reading.name, shown, notes=document.ratings.notes)
    show_report(document, path, document.short(TERMINAL))
    _hint_at_addresses(ratings)
    planned = known.get("sample_size")
    if isinstance(planned, Note) and planned.code == "planning.kept":
        say(planned)
    if target.folder is not None:
        click.echo(f"For the paper: {target.folder / 'README.md'} says which file is for what")
    _save_figures(document, figures)


def _hint_at_addresses(ratings: Ratings) -> None:
    """Say how to keep e-mail addresses of judges out of what may be published."""
    addresses = () if ratings.slots else [judge for judge in ratings.judges if "@" in str(judge)]
    if addresses:
        say(word("cli.judges-by-address", {"count": len(addresses)}))


def _save_figures(document: Report, folder: Path | None) -> None:
    """Write each picture as PDF, where a folder is asked for."""
    if folder is not None:
        for file in write_figures(document.figures.values(), folder, ["pdf"]):
            say(f"Written: {file}")


def _compare_studies(
    reading: RatingsInput, against: Path, target: ReportTarget, faulty: Faulty, **asked: Any
) -> None:
    """Write the comparison of a repeated study with the first one, read in the same way."""
    first = replace(reading, file=against, place=None)
    new, old = reading.ratings(faulty=faulty), first.ratings(faulty=faulty)
    path = target.path(
        reading.file.with_name(f"{stem(reading.file)}-against-{stem(against)}"),
        reading.file,
        against,
    )
    document = replication_report(new, old, title=target.title, **asked)
    document.write(path, target.form)
    introduce(reading.name, new)
    introduce(against.name, old)
    show_report(document, path)


def _paper_choice(
    target: ReportTarget, coefficients: str | None, columns: str | None
) -> dict[str, Any]:
    """Read what the tables of a paper's folder show; refuse it where no folder is written."""
    given = {"--coefficients": coefficients, "--table": columns}
    for option, value in given.items():
        if value is not None and target.folder is None:
            raise click.UsageError(f"{option} is for a paper's folder; add -o paper/")
    choice: dict[str, Any] = {}
    if coefficients is not None:
        choice["coefficients"] = _names(coefficients)
    if columns is not None:
        choice["table"] = [name for name in _names(columns) if name != "none"]
    return choice


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _thresholds(texts: tuple[str, ...]) -> Thresholds:
    """Read thresholds given as name=number."""
    known = vars(Thresholds())
    values = {}
    for text in texts:
        name, _, number = text.partition("=")
        try:
            values[name] = float(number)
        except ValueError:
            name = ""
        if name not in known:
            names = ", ".join(known)
            raise click.UsageError(f"--threshold '{text}' is not NAME=NUMBER with NAME in {names}")
        if not 0 <= values[name] <= 1:
            raise click.UsageError(f"--threshold '{text}' must lie between 0 and 1")
    return Thresholds(**values)


def _given_answers(answers: Path | None, written: Path | None) -> dict[str, Any]:
    """The answers that were given, also in the file that is written anew, so that none is lost."""
    before = read_answers(written) if written is not None and written.is_file() else {}
    return before | ({} if answers is None else read_answers(answers))


def read_answers(file: Path) -> dict[str, Any]:
    """Read what a paper should say from a file, one answer a line: recruitment = "by e-mail"."""
    try:
        answers = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidArgument("cli.answers-unreadable", file=file, reason=error) from None
    return answers


@dataclass(frozen=True)
class Standard:
    """Where known answers are: a table, a judge, or the study itself; and the intervals wanted."""

    gold: Path | None
    reference: str | None
    confidence: float
    seed: int

    def measure(self, reading: RatingsInput, ratings: Ratings) -> tuple[Accuracy | None, Ratings]:
        """Return how close judges come to the known answers, and the ratings of these judges."""
        if self.gold is not None and self.reference is not None:
            raise click.UsageError("--gold and --reference both name known answers; leave out one")
        if self.gold is not None:
            return self._measured(ratings, gold=_read_gold_answers(ratings, self.gold)), ratings
        if self.reference is not None:
            judge = _judge_called(ratings, self.reference)
            found = self._measured(ratings, reference=judge)
            return found, ratings.select(judge=[one for one in ratings.judges if one != judge])
        known = reading.gold_ratings() if is_study(reading.file) else None
        return (None if known is None else self._measured(known[0], gold=known[1])), ratings

    def _measured(self, ratings: Ratings, **known: Any) -> Accuracy:
        return accuracy(ratings, **known, confidence=self.confidence, rng=self.seed)


def _judge_called(ratings: Ratings, name: str) -> Any:
    """The judge of a name; a file may have numbers for names."""
    for judge in () if ratings.slots else ratings.judges:
        if str(judge) == name:
            return judge
    judges = () if ratings.slots else ratings.judges
    raise InvalidArgument(
        "stats.no-such-judges", argument="--reference", value=[name], allowed=judges
    )


def _read_gold_answers(ratings: Ratings, file: Path) -> dict[Any, dict[Any, Any]]:
    """Read known answers of items that were rated, as each criterion's scale has them."""
    read = read_gold(file)
    if None in read and len(ratings.criteria) > 1:
        raise InvalidArgument("accuracy.no-criterion-column", file=file.name)
    items = {str(item): item for item in ratings.values("item")}
    names = {str(criterion): criterion for criterion in ratings.criteria}
    known: dict[Any, dict[Any, Any]] = {}
    for name, answers in read.items():
        criterion = ratings.criteria[0] if name is None else names.get(name)
        if name is not None and name not in names:
            continue  # a criterion that is not in these ratings, or not wanted
        scale = ratings.scales[criterion]
        for item, (line, text) in answers.items():
            answer = scale.read(text)
            if answer is None:
                shown = scale.describe()
                raise RatingsError(
                    "formats.answer-off-scale", file=file.name, line=line, value=text, scale=shown
                )
            known.setdefault(criterion, {})[items.get(item, item)] = answer
    if not known:
        raise InvalidArgument("accuracy.elsewhere", n=sum(map(len, read.values())))
    return known
