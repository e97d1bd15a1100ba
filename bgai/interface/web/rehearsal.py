"""Everything that is compiled on its first use, used before the server says that it is there."""

from __future__ import annotations

from bgai.engine import START
from bgai.interface.bot import Bot
from bgai.interface.warm_up import announced_compilation
from bgai.interface.web import answers, table_view
from bgai.interface.web.openings import new_table
from bgai.interface.web.table_questions import NewTableQuestion
from bgai.match import CubeState


def rehearse(bot: Bot, *, has_page: bool = True, is_announced: bool = True) -> None:
    """Ask each kind of question once, so that the first person need not wait for a compiler.

    Args:
        has_page: with a turn at a table, its hints and its account.
        is_announced: False where another process says for all that this takes long.
    """
    with announced_compilation(is_announced):
        for plies in (0, 1):
            answers.best_plays_answer(bot, START, (3, 1), plies, CubeState(away=(3, 5)), top=1)
            answers.cube_answer(bot, START, plies, CubeState())
        if has_page:
            _rehearse_turn(bot)


def _rehearse_turn(bot: Bot) -> None:
    live = new_table(bot, NewTableQuestion(seed=1, starts="you"))
    live.advance()
    best = live.coach.ranking(live.table.state)[0]
    live.table.play(best.play.moves)
    live.advance()
    table_view.view(live)
    table_view.events(live, live.log())
    table_view.hints(live)
    table_view.judgement(live)
    table_view.account(live)
