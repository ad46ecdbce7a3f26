"""Judge the clicks of games by the exact mine probabilities of the boards before them, and show these diagnoses."""

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.games import GameDiagnosis, Loss
from baselines.evaluation.intervals import mean_interval, wilson_interval
from baselines.tables import Page, Row, shown
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import Oracle
from minesweeper_env.inference.kernels import TIE


def check_judgeable(config: BoardConfig) -> None:
    """Raises a ValueError unless the oracle can judge the clicks of these games."""
    if config.moves != ("click",):
        raise ValueError(f'only games with moves=("click",) can be judged, not {config.moves}')
    Oracle(config)  # Raises a ValueError for games that it does not answer.


class Judge:
    """An observer of `baselines.evaluation.games.play_games` that judges each click of the games.

    The risk of a click is the exact probability, given the board before it, that its cell is a mine. A loss is
    forced if the losing click had the least risk on the board; otherwise it is avoidable. Before the first click all
    risks are equal, so this click is not counted. A loss by it, which only the rule "any" allows, is forced.

    Attributes:
        seconds: time spent judging.
    """

    def __init__(self, config: BoardConfig, games: int) -> None:
        """Prepares to judge this number of games; raises a ValueError if the oracle cannot judge them."""
        check_judgeable(config)
        self.seconds = 0.0
        self._oracle = Oracle(config)
        self._max_count = config.codes.max_count
        self._counts = np.zeros((5, games), np.int64)  # The first five fields of `GameDiagnosis`.
        self._excess_risk = np.zeros(games)
        self._losses = np.full(games, None, object)

    def __call__(
        self,
        games: NDArray[np.int64],
        observations: NDArray[np.int8],
        actions: NDArray[np.int64],
        lost: NDArray[np.bool_],
    ) -> None:
        """Judges one click of each unfinished game; see `baselines.evaluation.games.Observer`."""
        start = time.perf_counter()
        is_begun = (observations <= self._max_count).any(axis=(1, 2))
        self._losses[games[~is_begun & lost]] = Loss.FORCED
        if is_begun.any():
            self._judge(games[is_begun], observations[is_begun], actions[is_begun], lost[is_begun])
        self.seconds += time.perf_counter() - start

    def diagnoses(self) -> list[GameDiagnosis]:
        """Returns one diagnosis per game."""
        fields = zip(*self._counts.tolist(), self._excess_risk.tolist(), self._losses.tolist(), strict=True)
        return [GameDiagnosis(*values) for values in fields]

    def _judge(
        self, games: NDArray[np.int64], boards: NDArray[np.int8], clicks: NDArray[np.int64], lost: NDArray[np.bool_]
    ) -> None:
        """Judges a click, row * cols + col, of each of these games past their first click."""
        # A board that is too hard has NaN on covered cells, so every comparison with its risks is False.
        probabilities, is_judged = self._oracle.ask(boards)
        risk = probabilities.reshape(len(boards), -1)[np.arange(len(boards)), clicks]
        least_risk = np.where(boards > self._max_count, probabilities, np.inf).min(axis=(1, 2))
        excess_risk = np.where(is_judged & (risk - least_risk > TIE), risk - least_risk, 0.0)
        self._counts[:, games] += [is_judged, ~is_judged, risk == 1.0, (risk > 0.0) & (least_risk == 0.0), risk > 0.0]
        self._excess_risk[games] += excess_risk
        self._losses[games[lost & (excess_risk > 0.0)]] = Loss.AVOIDABLE
        self._losses[games[lost & is_judged & (excess_risk == 0.0)]] = Loss.FORCED
        self._losses[games[lost & ~is_judged]] = Loss.NOT_JUDGED


def add_up(games: Sequence[GameDiagnosis]) -> dict[str, Any]:
    """Returns the totals over at least one game as a JSON object; docs/how-to/diagnostics.md defines every figure."""
    judged, not_judged, on_mines, past_safe, guesses, excess, losses = zip(*games, strict=True)
    lost = {loss: losses.count(loss) for loss in Loss}
    judged_losses = lost[Loss.AVOIDABLE] + lost[Loss.FORCED]
    return {
        "clicks_judged": sum(judged),
        "clicks_not_judged": sum(not_judged),
        "clicks_on_mines": sum(on_mines),
        "clicks_past_safe": sum(past_safe),
        "guesses": sum(guesses),
        "guesses_per_game": sum(guesses) / len(games),
        "excess_risk_per_guess": math.fsum(excess) / sum(guesses) if any(guesses) else None,
        "excess_risk_per_game": math.fsum(excess) / len(games),
        "excess_risk_per_game_ci95": mean_interval(excess),
        "games_on_mines": _share(sum(map(bool, on_mines)), len(games)),
        "games_past_safe": _share(sum(map(bool, past_safe)), len(games)),
        "lost": sum(lost.values()),
        "lost_not_judged": lost[Loss.NOT_JUDGED],
        "lost_avoidable": _share(lost[Loss.AVOIDABLE], judged_losses),
        "lost_forced": _share(lost[Loss.FORCED], judged_losses),
    }


def _share(count: int, games: int) -> dict[str, Any]:
    """Returns a fraction of games with its Wilson interval; both are None if `games` is 0."""
    rate, ends = (count / games, wilson_interval(count, games)) if games else (None, None)
    return {"count": count, "of": games, "share": rate, "ci95": ends}


NOTES = (
    "Every click but the first of a game, judged by the exact mine probabilities of the board before it:",
    "on mines: a click on a certain mine. past safe: any risk while a certainly safe cell existed.",
    "guesses: clicks on cells that were not certainly safe. excess: the risk taken beyond the minimum of the board.",
    "avoidable, forced: fractions of the lost games that can be judged; forced if the last click had the least risk,",
    "or was the first.",
)
"""An explanation of the labels of `diagnostic_lines`."""

BELIEFS = (
    "bits/cell: divergence of the policy's own mine probabilities from the exact ones, in fixed positions, per covered "
    "cell next to a clue. off by 1%: the share of the certain cells whose probability is off by more than 1%."
)
"""An explanation of the labels of beliefs in `diagnostic_lines`."""


def show_diagnostics(rows: Sequence[Row], page: Page) -> None:
    """Adds the diagnostics of rows, and their beliefs if there are any, to a page."""
    page.title("What the clicks were like")
    for row in rows:
        page.block(row["policy"], diagnostic_lines(row))
    for note in (*NOTES, *([BELIEFS] if any("beliefs" in row for row in rows) else [])):
        page.note(note)
    for row in rows:
        diagnostics = row["diagnostics"]
        if count := diagnostics["clicks_not_judged"]:
            page.note(
                f"{row['policy']}: {count} clicks were not judged: the oracle found their boards too hard; "
                f"{diagnostics['lost_not_judged']} of them lost the game."
            )


def diagnostic_lines(row: Row) -> list[tuple[str, str]]:
    """Returns (label, text) pairs that show the diagnostics of a row, and its beliefs if it has any."""
    diagnostics, beliefs = row["diagnostics"], row.get("beliefs")

    def share(name: str) -> str:
        return shown(diagnostics[name]["share"], ".1%", diagnostics[name]["ci95"]) or "none"

    lines = [
        ("clicks judged", f"{diagnostics['clicks_judged']}"),
        ("on mines", f"{diagnostics['clicks_on_mines']}, in {share('games_on_mines')} of the games"),
        ("past safe", f"{diagnostics['clicks_past_safe']}, in {share('games_past_safe')} of the games"),
        ("guesses/game", f"{diagnostics['guesses_per_game']:.2f}"),
        ("excess/guess", shown(diagnostics["excess_risk_per_guess"], ".4f") or "none"),
        ("excess/game", shown(diagnostics["excess_risk_per_game"], ".4f", diagnostics["excess_risk_per_game_ci95"])),
        ("lost", f"{diagnostics['lost']}"),
        ("avoidable", share("lost_avoidable")),
        ("forced", share("lost_forced")),
    ]
    if beliefs is not None:
        lines.append(("bits/cell", shown(beliefs["bits"], ".4f", beliefs["bits_ci95"])))
        lines.append(("off by 1%", f"{beliefs['certain_wrong']:.2%} of {beliefs['certain_cells']} certain cells"))
    return lines
