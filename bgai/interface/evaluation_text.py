"""The results of `bgai evaluate` as tables to read."""

from __future__ import annotations

from bgai.evaluation import (
    ArenaResult,
    CheckerResult,
    CubeMistake,
    CubeResult,
    QuestionResult,
    SessionsResult,
)


def match_table(matches: list[ArenaResult]) -> str:
    """One line per opponent."""
    width = max(8, *(len(match.second) for match in matches))
    adjusted = f" {'no luck':>8} {'std err':>8}" if matches[0].adjusted_ppg is not None else ""
    lines = [
        f"{'against':<{width}} {'games':>9} {'ppg':>8} {'std err':>8}{adjusted}"
        f" {'won':>7} {'gammons':>8} {'bg':>5} {'lost':>7} {'gammons':>8} {'bg':>5} {'plies':>6}"
    ]
    for match in matches:
        cells = [f"{match.second:<{width}} {match.games:>9,} {match.ppg:>+8.4f}"]
        cells.append(f"{match.standard_error:>8.4f}")
        if match.adjusted_ppg is not None:
            cells.append(f"{match.adjusted_ppg:>+8.4f} {match.adjusted_standard_error:>8.4f}")
        for singles, gammons, backgammons in (match.first_wins, match.second_wins):
            shares = [
                count / match.games
                for count in (singles + gammons + backgammons, gammons, backgammons)
            ]
            cells.append(f"{shares[0]:>7.1%} {shares[1]:>8.1%} {shares[2]:>5.1%}")
        lines.append(" ".join([*cells, f"{match.mean_plies:>6.1f}"]))
    lines.append(f"Cubeless money games, the same dice both ways, seed {matches[0].seed}.")
    if adjusted:
        lines.append("No luck: the points per game less the luck of every roll.")
    return "\n".join(lines)


def set_text(check: CheckerResult) -> str:
    """Errors on one set, by kind of position, and the worst decisions."""
    lines = [
        f"{check.set_name}: {check.decisions:,} decisions, error {check.error_mp:.2f} mp "
        f"(std err {check.standard_error_mp:.2f}), PR {check.pr:.2f}, "
        f"best play {check.best_share:.1%}, not listed {check.unlisted_share:.1%}"
    ]
    lines += [
        f"  {kind.kind:<9}{kind.decisions:>8,} decisions {kind.error_mp:>8.2f} mp"
        for kind in check.kinds
    ]
    if check.worst:
        lines.append("  Dearest decisions:")
    for decision in check.worst:
        first, second = decision.dice
        plays = f"{decision.chosen}  instead of  {decision.best}"
        lines.append(
            f"  {decision.position_id}  {first}-{second}  {plays}  {decision.error_mp:,.0f} mp"
        )
    return "\n".join(lines)


def cube_set_text(cube: CubeResult) -> str:
    """Errors of doubling and of taking, by part of the set, and the dearest mistakes."""
    lines = [
        f"{cube.set_name}: error in mp, its standard error, and how often it is 0",
        f"  {'':<14}{'decisions':>9} {'doubles':>10}{'std err':>8}{'right':>7}"
        f" {'takes':>9}{'std err':>8}{'right':>7}",
    ]
    for name, (double, take) in {"all": (cube.double, cube.take), **cube.parts}.items():
        lines.append(
            f"  {name:<14}{double.decisions:>9,} {_question_cells(double)}{_question_cells(take)}"
        )
    if cube.worst:
        lines.append("  Dearest mistakes (ND, DT, DP as the judge has them):")
    return "\n".join([*lines, *(f"  {_mistake_text(mistake)}" for mistake in cube.worst)])


def _question_cells(question: QuestionResult) -> str:
    error = f"{question.error_mp:>10.2f}{question.standard_error_mp:>8.2f}"
    return f"{error}{question.right_share:>7.1%}"


def _mistake_text(mistake: CubeMistake) -> str:
    state = mistake.state
    score = "money" if state.away is None else f"{state.away[0]}-{state.away[1]} away"
    if state.is_crawford:
        score += " Crawford"
    return (
        f"{mistake.position_id}  {score}, cube {state.value} {state.owner.value}  "
        f"{mistake.chosen}  {mistake.error_mp:,.0f} mp  "
        f"({mistake.nd:+.3f}, {mistake.dt:+.3f}, {mistake.dp:+.3f})"
    )


def sessions_table(results: list[SessionsResult]) -> str:
    """One line per opponent, the first player's cube actions below it."""
    rules = results[0].rules
    width = max(8, *(len(result.second) for result in results))
    counted = "games" if rules.is_money else "matches"
    lines = [
        f"{'against':<{width}} {counted:>8}{'' if rules.is_money else '     won std err'}"
        f" {'ppg':>8} {'std err':>8} {'cube':>5}  doubles, redoubles, takes, passes of both"
    ]
    for result in results:
        cells = [f"{result.second:<{width}} {result.sessions:>8,}"]
        if result.win_share is not None and result.win_standard_error is not None:
            cells.append(f"{result.win_share:>7.1%} {result.win_standard_error:>7.1%}")
        cells.append(f"{result.ppg:>+8.4f} {result.standard_error:>8.4f}")
        cells.append(f"{result.mean_final_cube:>5.2f} ")
        for cube in (result.first_cube, result.second_cube):
            cells.append(f"{cube.doubles:,} {cube.redoubles:,} {cube.takes:,} {cube.passes:,} ")
        lines.append(" ".join(cells).rstrip())
    kind = "Money games" if rules.is_money else f"Matches to {rules.match_length}"
    lines.append(f"{kind} with the cube, the same dice both ways, seed {results[0].seed}.")
    return "\n".join(lines)
