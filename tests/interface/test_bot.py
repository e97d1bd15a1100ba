from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from onnx import TensorProto

import bgai
from bgai.cube import Action, CubeModel
from bgai.engine import START, equity, legal_afterstates
from bgai.interface.bot import Bot, load_bot, save_bot, shipped_bots
from bgai.interface.bot_card import CARD_FILE, VALUE_FILE, BotCard
from bgai.match import (
    CubeState,
    Owner,
    Rules,
    double,
    money_rules,
    new_session,
    roll_dice,
    throw_opening,
)
from tests.interface.conftest import race_bot_onnx
from tests.match.states import on_roll

CARD = BotCard(
    "racer",
    "none",
    training={"games": 12},
    strength=[{"opponent": "random", "ppg": 1.0}],
    licence="MIT",
)
OVER = [0, -3, *([0] * 24)]


@pytest.mark.parametrize("name", ["racer", "racer.zip"])
def test_a_bot_comes_back_from_a_folder_and_from_a_zip(tmp_path: Path, name: str) -> None:
    save_bot(tmp_path / name, CARD, race_bot_onnx())
    bot = load_bot(tmp_path / name)
    assert replace(bot.card, value_sha256="") == CARD
    expected = Bot(CARD, race_bot_onnx()).evaluate(START[None])
    np.testing.assert_array_equal(bot.evaluate(START[None]), expected)
    assert not list(tmp_path.rglob("*.part"))


def test_a_changed_value_file_is_noticed(tmp_path: Path) -> None:
    save_bot(tmp_path / "racer", CARD, race_bot_onnx())
    content = bytearray((tmp_path / "racer" / "value.onnx").read_bytes())
    content[-1] ^= 1
    (tmp_path / "racer" / "value.onnx").write_bytes(content)
    with pytest.raises(ValueError, match=r"racer: value\.onnx is not the file"):
        load_bot(tmp_path / "racer")


def test_a_zip_may_hold_the_bot_in_a_folder(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bot.zip", "w") as archive:
        archive.writestr("racer/bot.json", CARD.to_json())
        archive.writestr("racer/value.onnx", race_bot_onnx())
    assert bgai.load_bot(tmp_path / "bot.zip").name == "racer"


def test_saving_never_overwrites_a_bot_unless_asked(tmp_path: Path) -> None:
    for name in ("racer", "racer.zip"):
        save_bot(tmp_path / name, CARD, race_bot_onnx())
        with pytest.raises(ValueError, match=r"exists; add --force"):
            save_bot(tmp_path / name, CARD, race_bot_onnx())
        save_bot(tmp_path / name, CARD, race_bot_onnx(), overwrite=True)


def test_evaluate_takes_any_number_of_boards(race_bot: str) -> None:
    bot = load_bot(race_bot)
    boards = legal_afterstates(np.repeat(START[None], 100, axis=0), np.full((100, 2), 3))[0]
    probs = bot.evaluate(boards)
    assert probs.dtype == np.float32
    for count in (0, 1, 2, 21, 257):
        np.testing.assert_allclose(bot.evaluate(boards[:count]), probs[:count], atol=1e-6)


def test_evaluate_refuses_what_is_not_boards(race_bot: str) -> None:
    bot = load_bot(race_bot)
    crowded = START.copy()
    crowded[3] = 9
    with pytest.raises(ValueError, match="at most 15"):
        bot.evaluate(crowded[None])
    with pytest.raises(ValueError, match=r"\[N, 26\]"):
        bot.evaluate(START)
    with pytest.raises(ValueError, match="shape"):
        bot.evaluate(np.zeros((2, 28), np.int8))


def test_best_afterstates_leaves_the_opponent_the_least(race_bot: str) -> None:
    bot = load_bot(race_bot)
    dice = np.array([[3, 1]])
    after, _ = legal_afterstates(START[None], dice)
    best = bot.best_afterstates(START[None], dice)[0]
    assert equity(bot.evaluate(best[None]))[0] == equity(bot.evaluate(after)).min()


def test_best_afterstates_refuses_finished_games_dice_and_plies(race_bot: str) -> None:
    bot = load_bot(race_bot)
    with pytest.raises(ValueError, match="board 1 is over"):
        bot.best_afterstates(np.stack([START, np.array(OVER)]), [[3, 1], [3, 1]])
    with pytest.raises(ValueError, match="1..6, got 7"):
        bot.best_afterstates(START[None], [[7, 1]])
    with pytest.raises(ValueError, match="plies must be 0 to 4, got -1"):
        bot.best_afterstates(START[None], [[3, 1]], plies=-1)


@pytest.mark.parametrize(
    "state", [CubeState(), CubeState(2, Owner.OPPONENT), CubeState(2, Owner.PLAYER, away=(3, 5))]
)
def test_cube_is_the_decision_of_the_cube_model_on_the_bots_probs(
    race_bot: str, state: CubeState
) -> None:
    bot = load_bot(race_bot)
    decision = bot.cube(START, state)
    probs = bot.evaluate(START[None])[0]
    assert decision == CubeModel().decide(probs, START, state)
    assert decision.probs == pytest.approx(probs)
    assert (decision.chances is None) == (state.away is None)


def test_cube_can_look_ahead(race_bot: str) -> None:
    bot = load_bot(race_bot)
    assert bot.cube(START, CubeState(), plies=1).probs != bot.cube(START, CubeState()).probs


def test_cube_sees_a_moment_of_a_match_from_the_player_on_roll(race_bot: str) -> None:
    bot = load_bot(race_bot)
    before = on_roll(Rules(7), score=(2, 4), turn=1)
    expected = bot.cube(START, CubeState(away=(3, 5)))
    assert bot.cube(START, before) == expected
    # the answer to a double belongs to the decision of the doubler
    assert bot.cube(START, double(before)) == expected


@pytest.mark.parametrize(
    ("board", "complaint"),
    [
        (START[None], r"on one board \[26\], got \[1, 26\]"),
        (np.zeros(28, np.int8), "shape"),
        (np.where(np.arange(26) == 3, 9, START), "at most 15"),
        (np.array(OVER), "is over"),
    ],
)
def test_cube_refuses_bad_boards(
    race_bot: str, board: npt.NDArray[np.int8], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        load_bot(race_bot).cube(board, CubeState())


def test_cube_refuses_bad_states(race_bot: str) -> None:
    bot = load_bot(race_bot)
    opening = new_session(money_rules())
    with pytest.raises(ValueError, match="the decision is opening"):
        bot.cube(START, opening)
    with pytest.raises(ValueError, match="the decision is play"):
        bot.cube(START, throw_opening(opening, (3, 1)))
    with pytest.raises(ValueError, match="the decision is play"):
        bot.cube(START, roll_dice(on_roll(), (3, 1)))
    other = bot.best_afterstates(START[None], [[3, 1]])[0]
    with pytest.raises(ValueError, match="the state has the board"):
        bot.cube(other, on_roll())
    with pytest.raises(ValueError, match="got 'money'"):
        bot.cube(START, "money")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="up to 64 points away, got 99"):
        bot.cube(START, CubeState(away=(99, 3)))
    with pytest.raises(ValueError, match="plies must be 0 to 4, got -1"):
        bot.cube(START, CubeState(), plies=-1)


def _card(**changes: object) -> str:
    return json.dumps({**json.loads(CARD.to_json()), **changes})


@pytest.mark.parametrize(
    ("card", "value", "complaint"),
    [
        ("{", race_bot_onnx(), "not a bot's card: damaged, or no JSON"),
        ("[]", race_bot_onnx(), "must be an object"),
        (_card(format_version=99), race_bot_onnx(), "format_version must be 1, got 99"),
        (_card(name=7), race_bot_onnx(), "name in bot.json must be a text, got 7"),
        ('{"format_version": 1}', race_bot_onnx(), "lacks encoding, name"),
        (CARD.to_json(), b"no graph", "value.onnx is damaged"),
        (CARD.to_json(), race_bot_onnx()[:300], "value.onnx is damaged"),
        (
            CARD.to_json(),
            race_bot_onnx(columns=28),
            r"must be boards tensor\(int8\) \[N, 26\], got",
        ),
        (CARD.to_json(), race_bot_onnx(batch=1), r"must be boards tensor\(int8\) \[N, 26\], got"),
        (CARD.to_json(), race_bot_onnx(element=TensorProto.FLOAT), r"got boards tensor\(float\)"),
    ],
)
def test_an_unsound_bot_is_refused_by_name_and_reason(
    tmp_path: Path, card: str, value: bytes, complaint: str
) -> None:
    (tmp_path / CARD_FILE).write_text(card)
    (tmp_path / VALUE_FILE).write_bytes(value)
    with pytest.raises(ValueError, match=complaint) as caught:
        load_bot(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_a_folder_or_zip_without_the_two_files_is_no_bot(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"is not a bot: it has no bot\.json"):
        load_bot(tmp_path)
    (tmp_path / "text.zip").write_text("not a zip")
    with pytest.raises(ValueError, match="neither a folder nor a sound zip"):
        load_bot(tmp_path / "text.zip")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    with pytest.raises(ValueError, match=r"it has 0 bot\.json"):
        load_bot(tmp_path / "empty.zip")


def test_an_unknown_name_lists_the_bots_that_ship() -> None:
    names = ", ".join(shipped_bots()) or "none"
    with pytest.raises(ValueError, match=f"no bot 'nobody'.*ship: {names}"):
        load_bot("nobody")


def test_a_bot_plays_where_torch_cannot_be_imported(race_bot: str) -> None:
    code = (
        "import sys; sys.modules['torch'] = sys.modules['onnx'] = None\n"
        "import bgai, numpy as np\n"
        "from bgai.engine import START\n"
        f"bot = bgai.load_bot({race_bot!r})\n"
        "print(bot.best_afterstates(START[None], [[3, 1]], plies=1).shape)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.stdout.strip(), done.stderr) == ("(1, 26)", "")


def test_a_loaded_bot_knows_bear_offs_exactly(race_bot: str) -> None:
    board = np.zeros(26, np.int8)
    board[[6, 1, 24]] = 1, 1, -1
    # both checkers must go now: with any six or with 2-2, 3-3, 4-4 or 5-5
    bot = load_bot(race_bot)
    assert bot.evaluate(board[None])[0] == pytest.approx([15 / 36, 0, 0, 21 / 36, 0, 0])
    decision = bot.cube(board, CubeState())
    assert (decision.nd, decision.dt) == pytest.approx((-6 / 36, -12 / 36))
    alone = load_bot(race_bot, exact_endgames=False)
    assert alone.evaluate(board[None])[0, 0] != pytest.approx(15 / 36)


def test_a_match_score_is_not_money_in_a_known_bear_off(race_bot: str) -> None:
    board = np.zeros(26, np.int8)
    board[[6, 1, 24]] = 1, 1, -1
    dead = load_bot(race_bot).cube(board, CubeState(2, Owner.PLAYER, away=(2, 2)))
    assert dead.action is Action.NOT_AVAILABLE
    assert dead.nd == pytest.approx(-6 / 36)
