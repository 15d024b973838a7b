"""What was collected, to take away: ratings in each format, everything, the full report."""

from __future__ import annotations

import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, HTMLResponse, Response

from covary.errors import InvalidArgument, RatingsError
from covary.store.files import write_everything, write_ratings
from covary.study.model import Criterion, Study
from covary.web.refusals import Refusal, Words
from covary.web.researcher.desk import Researcher
from covary.web.researcher.report import policy_of

__all__ = ["FORMATS", "show_export", "show_report"]

FORMATS = {
    "csv": ".csv", "tsv": ".tsv", "jsonl": ".jsonl", "parquet": ".parquet", "label-studio": ".json",
}  # fmt: skip
"""The formats of `covary export`, and the endings of their files."""

EVERYTHING = "everything"
PATIENCE = 2.0
"""Seconds to wait for a report before the page says that it is being made."""


def show_export(who: Researcher) -> Response:
    """Show what can be taken away, or give the file that is asked for."""
    form = who.request.query_params.get("format")
    if form is None:
        return who.page(
            "export", formats=FORMATS, reports=_reports(who.desk.study), parts=who.desk.study.parts
        )
    folder = TemporaryDirectory(prefix="covary-")
    try:
        file = _written(who, form, Path(folder.name))
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(
        file,
        filename=file.name,
        media_type="application/octet-stream",
        background=BackgroundTask(folder.cleanup),
    )


def _written(who: Researcher, form: str, folder: Path) -> Path:
    if form == EVERYTHING:
        return _everything(who, folder)
    if form not in FORMATS:
        raise Refusal(422, Words("There is no such format", "Go back and choose one of the list."))
    return _ratings(who, folder / f"ratings{FORMATS[form]}")


def _ratings(who: Researcher, path: Path) -> Path:
    asked = who.request.query_params
    try:
        return write_ratings(
            who.desk.study,
            who.desk.store,
            path,
            part=asked.get("part") or None,
            practice="practice" in asked,
            spreadsheet="spreadsheet" in asked and path.suffix in (".csv", ".tsv"),
        )[0]
    except (RatingsError, InvalidArgument) as error:
        words = Words("There is nothing to export", f"{str(error)[:1].upper()}{str(error)[1:]}.")
        raise Refusal(409, words) from None


def _everything(who: Researcher, folder: Path) -> Path:
    """Put every answer as it came, the judges, all notes and the ratings into one file."""
    spreadsheet = "spreadsheet" in who.request.query_params
    inside = folder / "inside"
    inside.mkdir()
    files = write_everything(who.desk.study, who.desk.store, inside, spreadsheet=spreadsheet)
    try:
        made = write_ratings(
            who.desk.study, who.desk.store, inside / "ratings.csv", spreadsheet=spreadsheet
        )
        files.append(made[0])
    except RatingsError:  # there is nothing but practice yet
        pass
    whole = folder / "everything.zip"
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as out:
        for file in files:
            out.write(file, file.name)
    return whole


def show_report(who: Researcher) -> Response:
    """Show the full report of what was collected so far, once it is made."""
    reports = _reports(who.desk.study)
    about = who.request.query_params.get("about", next(iter(reports)))
    if about not in reports:
        raise Refusal(404)
    mark = (who.desk.store.counts().answers, frozenset(who.desk.store.holders()))
    made = who.desk.reports.newest(reports[about], mark, PATIENCE)
    if made is None or made.trouble:
        return who.page("report", trouble="" if made is None else made.trouble)
    headers = {"Content-Security-Policy": policy_of(made.page)}
    if "download" in who.request.query_params:
        headers["Content-Disposition"] = 'attachment; filename="report.html"'
    return HTMLResponse(made.page, headers=headers)


def _reports(study: Study) -> dict[str, tuple[str, ...]]:
    """The criteria of each report: one table of ratings holds words or numbers, not both."""
    words = tuple(each.key for each in study.criteria if _in_words(each))
    numbers = tuple(each.key for each in study.criteria if not _in_words(each))
    both = {"numbers": numbers, "words": words}
    return {name: keys for name, keys in both.items() if keys}


def _in_words(criterion: Criterion) -> bool:
    return any(isinstance(each, str) for each in criterion.scale.categories or ())
