"""Matches judged by a bot: the numbers are the coach's, and a notebook shows them as tables."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import bgai
from bgai.interface.mat import MatchRecord, record_of_table, write_mat
from bgai.interface.match_report import MatchReport, report_of
from bgai.interface.table import Coach, Seat, Table, report, table_to_json
from bgai.match import Rules
from tests.interface.players import Gambler, racer


@pytest.fixture(scope="module")
def table() -> Table:
    """A match of two careless bots, over."""
    table = Table((Seat("Ann <A>", Gambler(resigns=False)), Seat("Bob", Gambler())), Rules(3), 2)
    while not table.is_over:
        table.advance()
        if not table.is_over:
            table.next_game()
    return table


@pytest.fixture(scope="module")
def record(table: Table) -> MatchRecord:
    return record_of_table(table)


@pytest.fixture(scope="module")
def judged(record: MatchRecord) -> MatchReport:
    return report_of(record, Coach(racer()))


def cells(judged: MatchReport, table: int) -> list[list[str]]:
    """The rows of a table of the report, its heading first."""
    page = ElementTree.fromstring(f"<div>{judged._repr_html_()}</div>")
    rows = page.findall("table")[table].iter("tr")
    return [["".join(cell.itertext()) for cell in row] for row in rows]


def test_the_report_shows_the_numbers_of_the_coach(
    judged: MatchReport, record: MatchRecord
) -> None:
    sides = report(Coach(racer()), record.steps)
    rows = cells(judged, 0)
    assert [row[0] for row in rows] == ["player", "Ann <A>", "Bob"]
    for row, side in zip(rows[1:], sides, strict=True):
        assert side.pr is not None and side.error > 0
        assert row[1:] == [
            str(side.decisions),
            f"{side.play_error:.0f}",
            f"{side.cube_error:.0f}",
            f"{side.pr:.2f}",
            f"{side.luck:+.2f}",
        ]


def test_the_costliest_decisions_of_both_sides_are_listed_worst_first(
    judged: MatchReport, record: MatchRecord
) -> None:
    errors = [item.error for item in judged.worst]
    assert len(errors) == 5 and errors == sorted(errors, reverse=True)
    found = Coach(racer()).judge(record.steps)
    assert errors[0] == max(judgement.error for judgement in found if judgement is not None)
    assert [row[3] for row in cells(judged, 1)[1:]] == [item.made for item in judged.worst]


def test_a_costly_decision_can_be_drawn(judged: MatchReport) -> None:
    item = judged.worst[0]
    assert item.made != item.best
    assert item.position.svg() in judged._repr_html_()


def test_a_match_is_read_from_a_mat_file_and_from_a_saved_session(
    table: Table, record: MatchRecord, race_bot: str, tmp_path: Path
) -> None:
    saved, mat = tmp_path / "session.json", tmp_path / "match.mat"
    saved.write_text(json.dumps(table_to_json(table)))
    write_mat(mat, record)
    reports = [bgai.analyse_match(path, race_bot) for path in (saved, mat)]
    # a .mat file does not tell what was resigned and declined, which nobody judges
    for ours, theirs in zip(*(found.sides for found in reports), strict=True):
        assert (ours.decisions, ours.pr) == (theirs.decisions, theirs.pr)
        assert np.isclose(ours.luck, theirs.luck)
    assert reports[0].judge == "racer"
    assert repr(reports[1]).startswith("MatchReport(Ann <A> ")


def test_what_is_no_match_is_refused(race_bot: str, tmp_path: Path) -> None:
    for name in ("wrong.mat", "wrong.json"):
        path = tmp_path / name
        path.write_text("nothing")
        with pytest.raises(ValueError, match=name):
            bgai.analyse_match(path, race_bot)
    with pytest.raises(OSError):
        bgai.analyse_match(tmp_path / "missing.mat", race_bot)
