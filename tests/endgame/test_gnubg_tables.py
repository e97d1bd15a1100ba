"""The tables beside those that GNU Backgammon's `makebearoff` computes, where it is installed.

Its files are 40 bytes of header, then unsigned 16-bit numbers, little-endian. It numbers positions
as bgai does. Two-sided, for the player's position and then the opponent's: the equities from -1 to
1, cubeless and ND for an own, a centred and an opponent's cube.
One-sided, for each position: the chances of 0 to 31 rolls to bear off all, then of 0 to 31 until
the first checker is off. It rounds to 16 bits after every step of the recursion.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from bgai.endgame import Endgames, bear_off_numbers, position_count
from bgai.endgame.one_sided import MOST_ROLLS, MOST_ROLLS_TO_FIRST
from bgai.endgame.two_sided import CENTRED, CUBELESS, OPPONENT, PLAYER
from bgai.engine import board_from_position_id

MAKEBEAROFF, BEAROFFDUMP = (
    shutil.which(name, path="/usr/games:/usr/local/games") or shutil.which(name)
    for name in ("makebearoff", "bearoffdump")
)
HEADER_BYTES = 40
STEP = 1 / 65535  # of a chance; twice that of an equity
ALL_CHECKERS = position_count(14)  # the number of the first position of 15

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (MAKEBEAROFF and BEAROFFDUMP), reason="GNU Backgammon is missing"),
]


def run(*command: str | Path | None) -> str:
    words = [str(word) for word in command]
    return subprocess.run(
        words, capture_output=True, text=True, timeout=900, check=True, cwd="/"
    ).stdout


def chances(path: Path) -> npt.NDArray[np.float64]:
    """The numbers of a file as fractions of the largest."""
    return np.frombuffer(path.read_bytes()[HEADER_BYTES:], "<u2") * STEP


@pytest.fixture(scope="module")
def two_sided_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gnubg") / "two_sided.bd"
    run(MAKEBEAROFF, "-t", "6x6", "-f", path)
    return path


@pytest.fixture(scope="module")
def one_sided_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gnubg") / "one_sided.bd"
    run(MAKEBEAROFF, "-o", "6", "-c", "-f", path)
    return path


def test_two_sided_equities_are_gnubgs(endgames: Endgames, two_sided_file: Path) -> None:
    ours = endgames.two_sided.equities[1:, 1:][..., [CUBELESS, PLAYER, CENTRED, OPPONENT]]
    theirs = (2 * chances(two_sided_file) - 1).reshape(924, 924, 4)[1:, 1:]
    differences = np.abs(ours - theirs)
    # seen: 1.3e-4 at most, 4e-5 in the mean; each of gnubg's steps rounds by up to 1.5e-5
    assert differences.max() < 1.5e-4
    assert differences.mean() < 5e-5


def test_one_sided_distributions_are_gnubgs(endgames: Endgames, one_sided_file: Path) -> None:
    theirs = chances(one_sided_file).reshape(-1, 2, 32)
    table = endgames.one_sided
    to_last = np.abs(table.to_last - theirs[:, 0]).max(1)
    # seen: 2.8e-3, at positions where two plays have the same mean; 47 are above 3e-4
    assert to_last.max() < 3e-3
    assert np.count_nonzero(to_last > 3e-4) < 60
    to_first = theirs[ALL_CHECKERS:, 1, : MOST_ROLLS_TO_FIRST + 1]
    assert np.abs(table.to_first - to_first).max() < 1e-4  # seen: 2.6e-5
    mean = theirs[:, 0] @ np.arange(MOST_ROLLS + 1)
    assert np.abs(table.mean_rolls(np.arange(len(mean))) - mean).max() < 3e-4  # seen: 2e-4


@pytest.mark.parametrize("number", [20000, 853775, 300000])
def test_gnubg_prints_the_same_position_for_a_number(two_sided_file: Path, number: int) -> None:
    printed = run(BEAROFFDUMP, "-n", str(number), two_sided_file)
    position_id = printed.split("Position ID: ")[1].split()[0]
    numbers = bear_off_numbers(board_from_position_id(position_id)[None])
    assert sorted(numbers[0].tolist()) == sorted(divmod(number, 924))
