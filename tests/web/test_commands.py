"""`covary serve` and `covary links`, as a terminal sees them."""

import csv
import io
import signal
import subprocess
import sys
import urllib.request

import pytest

from covary.cli import main
from covary.design import make_plan, read_plan
from covary.store import Store
from covary.study import read_study, write_template
from covary.web.judge.sheets import prepare_sheets
from tests.web.ports import free_port, started


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "forecasts"
    write_template(place)
    return place


def links_of(printed: str) -> list[dict]:
    return list(csv.DictReader(io.StringIO(printed)))


def test_links_are_printed_for_the_judges_that_the_design_asks_for(folder, capsys):
    assert main(["links", str(folder), "--address", "https://study.example.org/"]) == 0
    rows = links_of(capsys.readouterr().out)
    sheets = read_plan(folder / "design.csv").sheets
    assert [row["name"] for row in rows] == [f"J{n}" for n in range(1, len(sheets) + 1)]
    assert all(row["link"].startswith("https://study.example.org/j/") for row in rows)
    with Store.open(folder / "study.db") as store:
        tokens = [row["link"].rpartition("/")[2] for row in rows]
        assert [store.judges.by_token(token).name for token in tokens] == [
            row["name"] for row in rows
        ]
    assert main(["links", str(folder)]) == 1
    assert "say how many to add with --judges" in capsys.readouterr().err
    assert main(["links", str(folder), "--judges", "2"]) == 0
    assert len(links_of(capsys.readouterr().out)) == 2


def test_a_link_needs_a_whole_address(folder, capsys):
    assert main(["links", str(folder), "--address", "study.example.org"]) == 1
    assert "must begin with http:// or https://" in capsys.readouterr().err


def test_a_plan_that_is_there_is_used_and_one_that_is_not_is_made_and_said(folder):
    study = read_study(folder)
    with Store.open(folder / "study.db") as store:
        assert prepare_sheets(study, store).startswith(
            "There was no design.csv, so a plan was made"
        )
        assert store.sheets.all() == list(make_plan(study).sheets)
        assert "are in the store" in prepare_sheets(study, store)
    with Store.open(folder / "other.db") as store:
        assert "were taken from design.csv" in prepare_sheets(study, store)
        assert store.sheets.all() == list(read_plan(folder / "design.csv").sheets)


def test_the_store_of_another_study_is_refused_before_anything_is_kept(folder, capsys, tmp_path):
    study = read_study(folder)
    with Store.open(folder / "study.db") as store:
        prepare_sheets(study, store)
    other = tmp_path / "other"
    assert main(["init", str(other)]) == 0
    lines = (other / "items.csv").read_text(encoding="utf-8").splitlines()
    renamed = [lines[0], *(line if ",practice," in line else f"other-{line}" for line in lines[1:])]
    (other / "items.csv").write_text("\n".join(renamed) + "\n", encoding="utf-8")
    (folder / "study.db").rename(other / "study.db")
    capsys.readouterr()
    assert main(["serve", str(other), "--port", str(free_port())]) == 1
    assert "belongs to another study" in " ".join(capsys.readouterr().err.split())
    with Store.open(other / "study.db") as store:
        assert not any(item.startswith("other-") for item in store.items.in_force())


def test_the_server_tells_its_links_answers_and_ends_when_told(folder):
    port = free_port()
    command = [sys.executable, "-m", "covary", "serve", str(folder), "--port", str(port)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen([*command, "--links", "1", "--log"], **pipes) as server:
        try:
            address = started(port, server)
            printed = []
            for line in server.stdout:
                printed.append(line)
                if line.startswith("Serving at"):
                    break
            text = "".join(printed)
            assert f"{address}/r/" not in text, "a link that lets a researcher in is in a log"
            assert "covary researcher-link" in text
            link = next(line.strip().split(",")[1] for line in printed if "/j/" in line)
            assert b"Before you begin" in opened(link)
            second = subprocess.run(
                [*command[:-1], str(free_port())], capture_output=True, text=True
            )
            assert second.returncode == 1
            assert "another process serves" in second.stderr
        finally:
            server.send_signal(signal.SIGINT)
            rest, _ = server.communicate(timeout=120)
    assert server.returncode == 0
    assert link.rpartition("/")[2] not in rest
    assert "/j/…" in rest


def opened(link: str) -> bytes:
    """What a browser with a place for cookies shows."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(link) as answer:
        return answer.read()
