from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from bgai.engine import START, Boards, Probs, opening_roll, swap
from bgai.engine.move_text import parse_play
from bgai.engine.moves import Move, Play
from bgai.interface.terminal.board_text import BoardView, describe_board, describe_moves
from bgai.interface.terminal.console import Console
from bgai.interface.terminal.entry import parse_roll, parse_some_moves
from bgai.interface.terminal.game import Game, Turn, load_game, save_game, thrown_opening
from bgai.interface.terminal.session import TerminalGame
from tests.interface.conftest import Bgai

Typed: TypeAlias = Callable[..., str]

ANY_PLAY = "list\n1\n"
SOME_TURNS = ANY_PLAY * 8
WHOLE_GAME = ANY_PLAY * 300


def _seed_with_opening(yours: int, theirs: int) -> int:
    return next(seed for seed in range(1000) if thrown_opening(seed) == (yours, theirs))


YOU_31 = str(_seed_with_opening(3, 1))
BOT_31 = str(_seed_with_opening(1, 3))


@pytest.fixture
def play(bgai: Bgai, race_bot: str) -> Typed:
    """Type lines into a game in ASCII; returns what it printed."""

    def run(typed: str, *argv: str) -> str:
        if "--seed" not in argv:
            argv = (*argv, "--seed", YOU_31)
        code, out, err = bgai("play", "--bot", race_bot, "--board", "ascii", *argv, typed=typed)
        assert (code, err) == (0, "")
        return out

    return run


# -- a game as a person plays it


@pytest.mark.parametrize("seed", ["1", "2"])
def test_a_game_runs_from_the_opening_to_its_points(play: Typed, seed: str) -> None:
    out = play(WHOLE_GAME, "--seed", seed)
    assert "You throw " in out
    result = out.splitlines()[-1]
    assert result.startswith(("You win a ", "racer wins a "))
    assert result.endswith((" 1 point.", " 2 points.", " 3 points."))
    assert max(map(len, out.splitlines())) <= 80


def test_the_same_seed_gives_the_same_game(play: Typed) -> None:
    assert play(SOME_TURNS, "--seed", "5") == play(SOME_TURNS, "--seed", "5")
    assert play(SOME_TURNS, "--seed", "5") != play(SOME_TURNS, "--seed", "6")


def test_the_higher_die_starts_and_plays_both_numbers(play: Typed) -> None:
    mine = play("quit\n", "--seed", YOU_31)
    assert "You throw 3, racer throws 1: you start." in mine
    assert "to play: 3 1" in mine
    theirs = play("quit\n", "--seed", BOT_31)
    assert "You throw 1, racer throws 3: racer starts." in theirs
    assert "racer rolls 1-3: " in theirs


def test_a_play_is_typed_whole(play: Typed) -> None:
    out = play("8/5 6/5\nquit\n")
    assert "You roll 3-1: 8/5 6/5." in out
    assert "pips 163, off 0" in out
    assert "racer rolls " in out


def test_a_play_is_typed_one_checker_at_a_time(play: Typed) -> None:
    out = play("6/5\n8/5\nquit\n")
    assert "Your move, 3 left> 8/5" in out
    assert "You roll 3-1: 8/5 6/5." in out


def test_undo_takes_back_the_moves_of_this_turn(play: Typed) -> None:
    out = play("6/5\nundo\n24/20\nquit\n")
    assert "You roll 3-1: 24/20." in out


def test_undo_goes_back_to_the_previous_turn_and_meets_the_same_dice(play: Typed) -> None:
    out = play("8/5 6/5\nundo\nundo\n24/20\nundo\n8/5 6/5\nquit\n")
    assert out.count("Taken back.") == 2
    assert "there is nothing to take back." in out
    replies = [line for line in out.splitlines() if line.startswith("racer rolls")]
    assert replies[0] == replies[2]
    assert len({reply.split(":")[0] for reply in replies}) == 1


def test_a_number_picks_from_the_list_shown_last(play: Typed) -> None:
    out = play("1\nlist\nhint 2\n3\n2\nquit\n")
    assert "type `list` or `hint` first" in out
    assert "the list has the numbers 1 to 2, got 3." in out
    second = next(line for line in out.splitlines() if line.startswith(" 2. "))
    assert f"You roll 3-1: {second[4:25].strip()}." in out


def test_hint_shows_plays_with_their_chances(play: Typed) -> None:
    table = play("hint\nquit\n").splitlines()
    assert sum(line.startswith(f" {n}. ") for n in range(1, 6) for line in table) == 5
    all_plays = play("hint all\nquit\n").splitlines()
    assert any(line.startswith("16. ") for line in all_plays)
    assert "got 'x'." in play("hint x\nquit\n")


def test_what_cannot_be_played_is_explained_and_asked_again(play: Typed) -> None:
    out = play("24/18\nhello\n8/5 6/5 4/3\nsave\nload no/such/game\n\n8/5 6/5\nquit\n")
    assert "'24/18' is not legal with the roll 3-1" in out
    assert "'hello' is neither a play nor a command" in out
    assert "`save FILE` needs the name of a file." in out
    assert "no/such/game: No such file or directory." in out
    assert "You roll 3-1: 8/5 6/5." in out


def test_resigning_asks_first(play: Typed) -> None:
    out = play("resign\nno\nresign 2\nyes\n")
    assert "Lose a single game, 1 point? (yes/no)> no" in out
    assert out.splitlines()[-1] == "racer wins a gammon, 2 points."


class _TypedConsole(Console):
    """A console whose lines are given beforehand."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.said: list[str] = []

    def say(self, text: str = "") -> None:
        self.said.append(text)

    def ask(self, prompt: str) -> str:
        return self.lines.pop(0)


def test_resigning_less_than_is_lost_is_refused() -> None:
    def bot_wins_a_gammon(boards: Boards) -> Probs:
        return np.tile(np.array([0, 1, 0, 0, 0, 0], np.float32), (len(boards), 1))

    console = _TypedConsole("resign", "resign 4", "resign 2", "yes")
    game = Game(1, "you", dice=(3, 1))
    TerminalGame(console, game, bot_wins_a_gammon, "bot", 1, BoardView("words")).run()
    assert "bot refuses: it expects more than 1 from this game." in console.said
    assert "`resign`, `resign 2` or `resign 3`, got '4'." in console.said
    assert console.said[-1] == "bot wins a gammon, 2 points."


def test_a_gammon_cannot_be_resigned_once_a_checker_is_off() -> None:
    console = _TypedConsole("resign 2", "quit")
    board = np.zeros(26, np.int8)
    board[[6, 5]], board[20] = (9, 5), -15
    turn = Turn("bot", (3, 1), START, Play((), board), True)
    game = Game(1, "bot", turns=[turn], dice=(3, 1))
    even = np.full((1, 6), 1 / 6, np.float32)
    TerminalGame(console, game, lambda b: even.repeat(len(b), 0), "bot", 1, BoardView()).run()
    assert "a gammon cannot be lost here." in console.said


def test_the_end_of_the_input_ends_politely(play: Typed) -> None:
    assert play("").splitlines()[-1] == "The input has ended; the game stops here."
    assert play("8/5 6/5").splitlines()[-1] == "The input has ended; the game stops here."


def test_help_names_every_command(play: Typed) -> None:
    out = play("help\nquit\n")
    for word in ("list", "hint", "undo", "board", "resign", "save", "load", "help", "quit"):
        assert f"  {word}" in out or f"`{word} " in out


def test_id_and_description_of_the_position(play: Typed) -> None:
    out = play("id\ndescribe\nboard\nquit\n")
    assert "4HPwATDgc/ABMA" in out
    assert "Yours: 2 on 24, 5 on 13, 3 on 8, 5 on 6, bar 0, off 0, pips 167." in out
    assert "racer: 5 on 19, 3 on 17, 5 on 12, 2 on 1, bar 0, off 0, pips 167." in out


def test_manual_dice_are_typed_for_both_sides(play: Typed) -> None:
    typed = "4-4\n17\nboard\n31\n8/5 6/5\nundo\n8/5 6/5\n65\nid\n5 5\nquit\n"
    out = play(typed, "--dice", "manual")
    assert "Equal dice are thrown again." in out
    assert "dice are written like 31 or 3-1, got '17'" in out
    assert "the game has not begun." in out
    assert "racer rolls 6-5: " in out
    assert "Your move, 5 5 5 5> quit" in out


def test_an_only_play_is_announced_and_made_or_left_to_the_person(play: Typed) -> None:
    out = play(WHOLE_GAME, "--seed", "1")
    assert "(the only play)." in out
    assert "(the only play)." not in play(WHOLE_GAME, "--seed", "1", "--ask-forced")


def test_words_are_for_the_ear(bgai: Bgai, race_bot: str) -> None:
    words = ("play", "--bot", race_bot, "--board", "words", "--seed", YOU_31)
    out = bgai(*words, typed="list\n8/5 6/5\nquit\n")[1]
    assert "You roll 3-1: 8 to 5, 6 to 5." in out
    assert "/5" not in out.replace("8/5 6/5", "")
    assert "|" not in out


# -- saving and loading


def test_a_saved_game_goes_on_exactly_where_it_was(play: Typed, tmp_path: Path) -> None:
    saved = tmp_path / "game.json"
    whole = play("8/5 6/5\n" + SOME_TURNS)
    play(f"8/5 6/5\nsave {saved}\nquit\n")
    resumed = play(SOME_TURNS, "--load", str(saved), "--seed", "99")
    assert resumed.splitlines()[-20:] == whole.splitlines()[-20:]
    loaded = play(f"load {saved}\n" + SOME_TURNS, "--seed", "99")
    assert "Loaded, 2 turns played." in loaded
    assert loaded.splitlines()[-20:] == whole.splitlines()[-20:]


def test_a_game_is_saved_in_the_middle_of_a_turn(play: Typed, tmp_path: Path) -> None:
    saved = tmp_path / "game.json"
    play(f"6/5\nsave {saved}\nquit\n")
    game, bot = load_game(saved)
    assert (bot, game.moves, game.dice_left) == ("racer", [Move(6, 5)], (3,))
    assert "Your move, 3 left> " in play("8/5\nquit\n", "--load", str(saved))


def test_saving_replaces_saved_games_only(play: Typed, tmp_path: Path) -> None:
    other, saved = tmp_path / "diary.txt", tmp_path / "game.json"
    other.write_text("dear diary")
    out = play(f"save {other}\nsave {saved}\n8/5 6/5\nsave {saved}\nquit\n")
    assert "exists and is not a saved game" in out
    assert other.read_text() == "dear diary"
    assert len(load_game(saved)[0].turns) == 2


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"format": "chess"}, "not a saved game"),
        ({"version": 2}, "version must be 1, got 2"),
        ({"first": "me"}, "first must be 'you' or 'bot', got 'me'"),
        ({"seed": "x"}, "seed must be a whole number"),
        ({"dice": [7, 1]}, "1..6, got 7"),
        ({"moves": [[24, 18]]}, "24/18 is not legal"),
        ({"turns": [{"side": "bot", "dice": [3, 1], "play": "8/5 6/5"}]}, "turn 1 is not bot's"),
        ({"turns": [{"side": "you", "dice": [3, 1], "play": "8/2"}]}, "turn 1: '8/2' is not legal"),
        ({"resigned": 5}, "resigned must be"),
    ],
)
def test_a_saved_game_with_a_mistake_is_refused(
    bgai: Bgai, race_bot: str, tmp_path: Path, changes: dict[str, object], complaint: str
) -> None:
    path = tmp_path / "game.json"
    save_game(path, Game(1, "you", dice=(3, 1)), "racer")
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    code, _, err = bgai("play", "--bot", race_bot, "--load", path)
    assert code == 2
    assert complaint in err and str(path) in err and err.count("\n") == 1


def test_a_saved_game_without_an_entry_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text('{"format": "bgai-game", "version": 1}')
    with pytest.raises(ValueError, match="needs 'first'"):
        load_game(path)


# -- the game itself


def test_dice_depend_on_seed_and_turn_only() -> None:
    game = Game(4, "you", dice=(3, 1))
    game.finish(parse_play(game.board, (3, 1), "8/5 6/5"))
    first = game.throw()
    assert Game(4, "you", turns=list(game.turns)).throw() == first
    expected = opening_roll(np.random.default_rng([4, 0]), 1)[0]
    assert thrown_opening(4) == tuple(expected)


def test_undo_skips_turns_without_a_choice() -> None:
    game = Game(1, "you", dice=(3, 1))
    game.finish(parse_play(game.board, (3, 1), "8/5 6/5"))
    for dice in ((6, 5), (1, 2)):
        game.dice = dice
        game.finish(parse_play(game.board, dice, "24/13" if dice == (6, 5) else "13/11 6/5"))
    forced = game.turns[2]
    game.turns[2] = type(forced)(forced.side, forced.dice, forced.before, forced.play, False)
    assert game.undo()
    assert (game.turns, game.dice) == ([], (3, 1))


def test_points_are_counted_for_the_person_whoever_ends_the_game() -> None:
    game = Game(1, "you", dice=(3, 1))
    game.resigned = 2
    assert (game.is_over, game.points) == (True, -2)
    won = np.zeros(26, np.int8)  # the mover has borne off all, the next player's men are not home
    won[[25, 8]] = 1, 14
    ended = Game(1, "you", turns=[Turn("you", (3, 1), START, Play((), won), True)])
    assert (ended.is_over, ended.points) == (True, 3)
    assert Game(1, "bot", turns=[Turn("bot", (3, 1), START, Play((), won), True)]).points == -3


# -- what is typed


@pytest.mark.parametrize("text", ["31", "3-1", "3 1", " 3,1 "])
def test_dice_are_typed_as_people_write_them(text: str) -> None:
    assert parse_roll(text) == (3, 1)


@pytest.mark.parametrize("text", ["", "3", "37", "331", "three one"])
def test_other_dice_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="dice are written like"):
        parse_roll(text)


def test_some_moves_of_a_turn_are_read_in_order() -> None:
    assert parse_some_moves(START, (6, 1), "24/18") == [Move(24, 18)]
    assert parse_some_moves(START, (6, 1), "13/6") == [Move(13, 7), Move(7, 6)]
    assert parse_some_moves(START, (2, 2, 2, 2), "6/4(2)") == [Move(6, 4), Move(6, 4)]
    on_bar = START.copy()
    on_bar[[25, 24]] = 1, 1
    assert parse_some_moves(on_bar, (6, 3), "bar/22") == [Move(25, 22)]


@pytest.mark.parametrize("text", ["24/19", "5/4", "x/3", "8/7*/6", "24/18 24/18"])
def test_moves_that_cannot_be_made_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"got|cannot be played"):
        parse_some_moves(START, (6, 1), text)


# -- what is shown


def _busy_board() -> np.ndarray:
    board = np.zeros(26, np.int8)
    board[[25, 6, 24]] = 2, 9, 2
    board[[0, 1, 12, 19]] = -1, -3, -6, -4
    return board


def test_the_drawn_board_fits_80_columns_and_counts_tall_points() -> None:
    for style in ("unicode", "ascii"):
        text = BoardView(style).show(_busy_board(), "a bot with a very long name " * 3, "x" * 40)
        lines = text.splitlines()
        assert len(lines) == 13
        assert max(map(len, lines)) <= 80
    own_row = lines[7]
    assert " 9 " in own_row and " 6 " in own_row
    assert "pips" in text and "off 2" in text


def test_ascii_is_ascii_and_colour_is_optional() -> None:
    board = _busy_board()
    assert BoardView("ascii").show(board, "bot").isascii()
    assert "\x1b" not in BoardView("unicode").show(board, "bot")
    assert "\x1b[" in BoardView("unicode", colour=True).show(board, "bot")


def test_home_on_the_left_mirrors_the_columns() -> None:
    right = BoardView("ascii").show(START, "bot").splitlines()
    left = BoardView("ascii", home="left").show(START, "bot").splitlines()
    assert right[0].index("13") < right[0].index("24")
    assert left[0].index("13") > left[0].index("24")
    assert [sorted(line[:44]) for line in left] == [sorted(line[:44]) for line in right]


def test_the_board_in_words_names_bar_and_off_of_both_sides() -> None:
    told = describe_board(_busy_board(), "Bot").splitlines()
    assert told[0] == "Yours: 2 on 24, 9 on 6, bar 2, off 2, pips 152."
    assert told[1] == "Bot: 4 on 19, 6 on 12, 3 on 1, bar 1, off 1, pips 199."


def test_moves_in_words_say_hits_bar_and_off() -> None:
    board = np.zeros(26, np.int8)
    board[[25, 3]] = 1, 2
    board[22] = -1
    assert describe_moves([Move(25, 22), Move(22, 21)], board) == "bar to 22 hits, 22 to 21"
    assert describe_moves([Move(3, 0)], board) == "3 off"
    assert describe_moves([], swap(board)) == "no move"
