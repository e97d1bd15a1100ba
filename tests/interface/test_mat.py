""".mat files, in and out, ours and those of other programs."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from bgai.engine import legal_plays
from bgai.interface.mat import MatchRecord, format_mat, record_of_table, write_mat
from bgai.interface.mat_reader import parse_mat, read_mat
from bgai.interface.table import Seat, Step, Table
from bgai.match import Action, Decision, Ending, MatchState, Rules, money_rules, new_session
from tests.gnubg_program import needs_gnubg, run_gnubg
from tests.interface.protocols.sessions import wild_record

KINDS = {
    "match": Rules(7),
    "match without Crawford": Rules(5, crawford=False),
    "one point": Rules(1),
    "money": money_rules(),
    "Jacoby": money_rules(jacoby=True),
    "beavers": money_rules(beavers=True, cap=1024),
    "Jacoby and beavers": money_rules(jacoby=True, beavers=True),
    "no cube": money_rules(cap=1),
    "match with a games limit": Rules(9, games_limit=2),
    "money with a games limit": money_rules(games_limit=12, jacoby=True),
}
MATCH_SEED = 18  # has a Crawford game
GAMMON_SEED = 9
THROWN = (Action.ROLL, Action.THROW_OPENING)
UNTOLD = (Action.RESIGN, Action.DECLINE)


def told(record: MatchRecord) -> list[tuple[Action, MatchState]]:
    """What a file tells of a record: everything but what was offered and declined."""
    moments = []
    for step in record.steps:
        if step.action in UNTOLD or (step.action is Action.TAKE and step.before.is_over):
            continue
        if step.action is Action.THROW_OPENING and step.after.decision is Decision.OPENING:
            continue
        moments.append((step.action, step.after))
    return moments


def assert_same(read: MatchRecord, record: MatchRecord) -> None:
    """Both tell the same, but for what a file does not tell."""
    for ours, theirs in zip(told(record), told(read), strict=False):
        assert moment(*ours) == moment(*theirs)
    assert len(told(read)) == len(told(record))


def moment(action: Action, state: MatchState) -> tuple[object, ...]:
    """A moment without `declined`, and with the opening dice in order."""
    return (
        action,
        state.position,
        state.score,
        state.cube_value,
        state.cube_owner,
        state.turn,
        state.decision,
        state.is_crawford,
        state.result,
        state.dice and sorted(state.dice),
    )


def without_last_roll(record: MatchRecord) -> MatchRecord:
    """No roll, and no only play of one, between the last choice and a resignation.

    A roll and no play may mean either; GNU Backgammon then makes an only play, and writes an
    opening roll without a play in the wrong column.
    """
    kept: list[Step] = []
    for step in record.steps:
        if step.action is Action.ACCEPT:
            while kept[-1].action in (*UNTOLD, *THROWN) or is_only(kept[-1]):
                kept.pop()
        else:
            kept.append(step)
    return MatchRecord(record.names, record.start, tuple(kept))


def is_only(step: Step) -> bool:
    state = step.before
    return step.action is Action.PLAY and len(legal_plays(state.board, state.dice or ())) == 1


def results(record: MatchRecord) -> list[tuple[int, int]]:
    """Winner and points of every game."""
    ends = [step.after.result for step in record.steps if step.action is not Action.NEXT_GAME]
    return [(end.winner, end.points) for end in ends if end is not None]


@pytest.fixture(scope="module")
def records() -> dict[str, MatchRecord]:
    """Wild sessions under every kind of rules."""
    return {
        # without the cube games are long, and all checkers are borne off
        name: wild_record(seed, rules, 12 if rules.has_cube else 2, resigns=rules.has_cube)
        for seed, (name, rules) in enumerate(KINDS.items(), start=MATCH_SEED)
    }


@pytest.mark.parametrize("name", KINDS)
def test_what_is_written_is_read_back(records: dict[str, MatchRecord], name: str) -> None:
    record = records[name]
    read = parse_mat(format_mat(record))
    assert read.names == record.names
    assert read.start == record.start
    assert_same(read, record)
    assert format_mat(parse_mat(format_mat(read))) == format_mat(read)


def test_wild_sessions_hold_every_kind_of_ending_and_action(
    records: dict[str, MatchRecord],
) -> None:
    steps = [step for record in records.values() for step in record.steps]
    results = [step.after.result for step in steps]
    endings = Counter(result.ending for result in results if result is not None)
    assert set(endings) == set(Ending)
    assert {step.action for step in steps} == set(Action)
    assert any(step.after.is_crawford for step in steps)


@needs_gnubg
@pytest.mark.parametrize(
    "name", [name for name, rules in KINDS.items() if rules.crawford or rules.is_money]
)
def test_gnubg_imports_what_is_written_and_exports_the_same_match(
    records: dict[str, MatchRecord], name: str, tmp_path: Path
) -> None:
    record = records[name]
    write_mat(tmp_path / "ours.mat", record)
    jacoby = "on" if record.start.rules.jacoby else "off"
    out = run_gnubg(
        tmp_path,
        [f"set jacoby {jacoby}", "import mat ours.mat", "export match mat theirs.mat"],
    )
    assert "WARNING" not in out
    assert "nrecognised" not in out
    theirs = read_mat(tmp_path / "theirs.mat")
    assert theirs.names == record.names
    assert results(theirs) == results(record)
    assert_same(without_last_roll(theirs), without_last_roll(record))


def test_a_table_is_written_with_the_names_of_its_seats(records: dict[str, MatchRecord]) -> None:
    record = records["match"]
    table = Table((Seat("racer"), Seat("chaser")), record.start.rules)
    for step in record.steps:
        table.add(step)
    written = record_of_table(table)
    assert (written.names, written.state) == (("racer", "chaser"), record.state)
    assert_same(parse_mat(format_mat(written)), record)


def test_a_file_has_the_usual_layout(records: dict[str, MatchRecord], tmp_path: Path) -> None:
    write_mat(tmp_path / "match.mat", records["match"], event='The "Final"')
    lines = (tmp_path / "match.mat").read_text().splitlines()
    assert lines[0] == "; [Event \"The 'Final'\"]"
    assert '; [Crawford "On"]' in lines
    assert " 7 point match" in lines
    first = lines.index(" Game 1")
    assert lines[first + 1] == " Al, the Bot : 0                Bob : 0"
    assert lines[first + 2].startswith("  1) ")
    assert lines[-1].endswith("and the match")


GAME = """
 5 point match

 Game 1
 Alice : 0                       Bob : 0
  1) 31: 8/5 6/5                 64: 24/14
  2)  Doubles => 2                Takes
  3) 66: 24/18(2) 13/7(2)        42: 8/4 6/4
  4) 55: 13/3(2)                  Doubles => 4
  5)  Drops                       Wins 2 points

 Game 2
 Alice : 0                       Bob : 2
  1)                             52: 13/8 24/22
  2) 61: 13/7 8/7                44: 13/9(2) 6/2(2)
      Wins 1 point
"""


DROPS_AND_WINS = "  5)  Drops                       Wins 2 points"


def test_merged_and_counted_moves_are_read() -> None:
    record = parse_mat(GAME)
    assert record.state.score == (1, 2)
    assert record.state.result is not None
    assert record.state.result.ending is Ending.RESIGNED
    plays = [step for step in record.steps if step.action is Action.PLAY]
    assert len(plays) == 8
    assert [len(step.moves) for step in plays] == [2, 2, 4, 2, 4, 2, 2, 4]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff; [Site \"eXtreme Gammon\"]\n; [Match ID \"1\"]\n" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace(" 5 point match", "Match of 5 points"),
        lambda text: text.replace("Takes", "takes").replace("Doubles", "DOUBLES"),
        lambda text: text.replace("24/18(2) 13/7(2)        42", "24/18 24/18 13/7 13/7  42"),
        lambda text: text.replace("24/18(2) 13/7(2)        42", "24/18(2) 13/7(2) 42"),
        lambda text: text.replace("Wins 2 points", "Wins 2 points \t "),
        lambda text: text.replace(DROPS_AND_WINS, f"  5)  Drops\n{' ' * 34}Wins 2 points"),
        lambda text: text.replace(DROPS_AND_WINS, f"{' ' * 34}Wins 2 points"),
        lambda text: "# a comment\nAlice plays Bob\n" + text,
    ],
)  # fmt: skip
def test_what_other_programs_write_differently_is_read(change: object) -> None:
    assert callable(change)
    assert_same(parse_mat(change(GAME)), parse_mat(GAME))


def money(body: str, header: str = "") -> str:
    return f"{header}\n 0 point match\n\n Game 1\n A : 0                           B : 0\n{body}\n"


def test_the_take_of_a_beaver_is_told_by_the_next_roll() -> None:
    text = money(
        "  1) 31: 8/5 6/5                  Doubles => 2\n"
        "  2)  Beavers => 4                Beavers => 8\n"
        "  3)                             64: 24/14\n"
    )
    record = parse_mat(text)
    assert (record.state.cube_value, record.state.cube_owner) == (8, 0)
    assert record.start.rules.beavers
    written_out = text.replace(
        "  3)                            ", "  3)  Takes                     "
    )
    assert parse_mat(written_out).state == record.state


def test_a_roll_alone_is_a_dance(records: dict[str, MatchRecord]) -> None:
    text = format_mat(records["money"])
    worded, dances = re.subn(r"( \d\d:)$(?!\n +Wins)", r"\1 Cannot Move", text, flags=re.M)
    assert dances
    assert parse_mat(worded) == parse_mat(text)


def test_a_roll_alone_is_the_last_before_a_resignation() -> None:
    resigned = parse_mat(money("  1) 31: 8/5 6/5                 64: ????\n      Wins 2 points"))
    assert resigned.state.result is not None
    assert (resigned.state.result.winner, resigned.state.result.level) == (0, 2)
    assert resigned.steps[-2].before.dice == (6, 4)
    with pytest.raises(ValueError, match=r"line 6: .*\(6, 4\) is not played"):
        parse_mat(money("  1) 31: 8/5 6/5                 64:\n  2) 21: 13/10"))


def test_a_player_may_resign_while_the_other_is_on_roll() -> None:
    record = parse_mat(money("  1) 31: 8/5 6/5\n                                  Wins 1 point"))
    assert record.state.result is not None
    assert (record.state.result.winner, record.steps[-1].action) == (1, Action.ACCEPT)
    assert Action.RESIGN not in [step.action for step in record.steps]
    in_turn = parse_mat(money("  1) 31: 8/5 6/5\n      Wins 2 points"))
    assert [step.action for step in in_turn.steps[-2:]] == [Action.RESIGN, Action.ACCEPT]
    assert in_turn.state.score == (2, 0)


def test_money_is_jacoby_where_only_then_the_points_are_right() -> None:
    record = wild_record(GAMMON_SEED, money_rules(jacoby=True, cap=1), 1, resigns=False)
    assert record.state.result is not None
    assert (record.state.result.level, record.state.result.points) == (2, 1)
    lines = format_mat(record).splitlines()
    text = "\n".join(line for line in lines if not line.startswith(";"))
    assert parse_mat(text).start.rules.jacoby
    assert not parse_mat(text.replace("Wins 1 point", "Wins 2 points")).start.rules.jacoby
    assert not parse_mat(money("  1) 31: 8/5 6/5")).start.rules.jacoby


def test_a_torn_money_session_with_a_gammon_is_read_without_the_jacoby_rule() -> None:
    record = wild_record(GAMMON_SEED, money_rules(cap=1), 1, resigns=False)
    assert "Wins 2 points" in format_mat(record)
    lines = [line for line in format_mat(record).splitlines() if not line.startswith(";")]
    torn = parse_mat(
        "\n".join([*lines, "", " Game 2", " Al, the Bot : 0   Bob : 2", "  1) 31: 8/5 6"])
    )
    assert torn.breaks_off and not torn.start.rules.jacoby


def test_a_file_may_begin_in_the_middle_of_a_match_and_end_in_the_middle_of_a_game() -> None:
    second = GAME[: GAME.index(" Game 1")] + GAME[GAME.index(" Game 2") :]
    record = parse_mat(second.replace("      Wins 1 point\n", "").replace(": 2", ": 4"))
    assert (record.start.score, record.start.is_crawford) == ((0, 4), True)
    assert record.state.decision is Decision.ROLL
    assert parse_mat(format_mat(record)).state.position == record.state.position


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("8/5 6/5", "8/5 6/4", "line 6: .*6/4"),
        ("64: 24/14", "64: 24/15", "line 6: .*24/15"),
        ("31: 8/5", "33: 8/5", "line 6: .*equal dice"),
        ("64: 24/14", "64  24/14", "line 6: .*64  24/14"),
        ("Takes", "Shrugs", "line 7: .*Shrugs"),
        ("  2)  Doubles => 2                Takes", "  2)  Takes", "line 7: 'Takes'.*no double"),
        ("Doubles => 2 ", "Doubles => 4 ", "line 7: .*at 4"),
        ("Doubles => 2 ", "Beavers => 4 ", "line 7: .*Beavers"),
        ("42: 8/4 6/4", "42: 8/4 6/4  31: 8/5", "line 8"),
        ("Wins 2 points", "Wins 4 points", "line 10: .*4 points"),
        ("Wins 2 points", "Wins", "line 10: .*Wins"),
        ("Bob : 2", "Bob : 1", "line 12: .*0-1.*0-2"),
        ("Alice : 0                       Bob : 0", "Alice 0 Bob 0", "line 5: .*Alice 0 Bob 0"),
        ("  5)  Drops                       Wins 2 points\n", "", "line 11: .*not over"),
        (" 5 point match", " the match", "point match"),
        (" 5 point match", " 5 point match\n nonsense", "line 3: .*nonsense"),
        (" 5 point match", " 0 point match\n; Set Pos=--", "line 3: .*set up"),
        ("Wins 1 point\n", "Wins 5 points\n", "line 16: .*does not win 5"),
    ],
)
def test_what_is_against_the_rules_is_refused_with_its_line(
    before: str, after: str, named: str
) -> None:
    assert before in GAME
    with pytest.raises(ValueError, match=named):
        parse_mat(GAME.replace(before, after, 1))


def test_a_file_without_a_game_or_with_other_bytes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no game"):
        parse_mat(" 5 point match\n")
    (tmp_path / "noise.mat").write_bytes(bytes(range(256)))
    with pytest.raises(ValueError, match=r"noise\.mat: .*not a \.mat file"):
        read_mat(tmp_path / "noise.mat")


def test_what_a_file_cannot_tell_is_not_written() -> None:
    doubled = wild_record(3, money_rules(automatic_doubles=2), 12)
    with pytest.raises(ValueError, match="automatic double"):
        format_mat(doubled)
    middle = MatchRecord(("a", "b"), parse_mat(GAME).steps[2].before, ())
    with pytest.raises(ValueError, match="game 1 starts"):
        format_mat(middle)


def test_rules_that_the_format_has_no_place_for_stand_in_comments() -> None:
    rules = money_rules(games_limit=3, automatic_doubles=2)
    text = format_mat(MatchRecord(("a", "b"), new_session(rules), ()))
    assert parse_mat(text).start.rules == rules
    added = [line for line in text.splitlines() if "GamesLimit" in line or "AutomaticD" in line]
    assert len(added) == 2 and all(line.startswith("; [") for line in added)
    unlimited = format_mat(MatchRecord(("a", "b"), new_session(Rules()), ()))
    assert "GamesLimit" not in unlimited and "AutomaticDoubles" not in unlimited


def test_a_name_cannot_break_the_file() -> None:
    record = MatchRecord(("a: b\n Game 2", ""), new_session(Rules()), ())
    assert parse_mat(format_mat(record)).names == ("a_ b Game 2", "?")


# -- files that break off


def test_wherever_a_file_is_cut_what_stands_before_is_read() -> None:
    whole = GAME.rstrip("\n")
    steps = parse_mat(GAME).steps
    begins = GAME.index("Bob : 0") + len("Bob : 0")
    for end in range(begins, len(whole), 7):
        record = parse_mat(whole[:end])
        line = whole[:end].count("\n") + 1
        known = record.steps
        if known and known[-1].action is Action.NEXT_GAME:  # told by the head of a game alone
            known = known[:-1]
        assert known == steps[: len(known)], f"{whole[:end]!r}"
        assert record.breaks_off in (None, line, line - 1)
        kept = len(parse_mat(whole[: whole.rfind("\n", 0, end) + 1]).steps)
        assert len(record.steps) >= kept, "every whole line is kept"


@pytest.mark.parametrize(
    ("end", "dice"),
    [("6", None), ("64", None), ("64:", (6, 4)), ("64: 24/", (6, 4)), ("64: 24/2", (6, 4))],
)
def test_a_roll_whose_play_is_cut_off_is_still_to_be_played(
    end: str, dice: tuple[int, int] | None
) -> None:
    record = parse_mat(GAME[: GAME.index("64: 24/14")] + end)
    assert record.state.dice == dice
    assert record.breaks_off == (None if end == "64:" else 6)


def test_a_mistake_in_a_line_that_is_ended_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="line 6: .*24/2"):
        parse_mat(GAME[: GAME.index("64: 24/14")] + "64: 24/2\n")


def test_a_file_that_ends_in_the_head_of_a_game_keeps_the_games_before() -> None:
    for end in (" Ga", " Game 2", " Game 2\n Alice : 0      Bo", " Game 2\n Alice : 0     Bob : "):
        record = parse_mat(GAME[: GAME.index(" Game 2")] + end)
        assert record.state.is_over and record.breaks_off is not None
