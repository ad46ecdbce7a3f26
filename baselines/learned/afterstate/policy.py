"""Policy of `afterstate`: the safest cell, and at a guess the click with the highest value by a search."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from baselines.checks import number_within, whether
from baselines.learned.afterstate.clues import fitted_safety
from baselines.learned.afterstate.network import AfterstateNetwork
from baselines.learned.afterstate.search import Limits, Ratings, Search, best_clicks, first_click_values, rate
from baselines.learned.networks import check_radius, clicks_from, covered_cells
from baselines.learned.settings import USUAL_CELLS
from baselines.policy import checked_act
from baselines.process import one_thread
from baselines.schemas import MAX_DEPTH
from baselines.scripted.oracle_play.exact import chosen_first_cell
from minesweeper_env.config import BoardConfig, one_of, whole_number
from minesweeper_env.inference import mine_probabilities_batch

GUESS_SLACK, GUESS_BREADTH, SURE = 0.3, 20, 0.95
LEARNED, EXACT, CLUES = "learned", "exact", "clues"

_SLACK_POWER = 1.5
"""On more than 64 cells the slack falls with this power of the cells: to 0.04 on 16x16, and 0.015 on 16x30."""


class AfterstatePolicy:
    """Clicks the safest cell; if no cell is sure, weighs the clicks by what can follow them.

    The policy sees the visible board and the number of mines alone, and makes no random choice. With `safety="exact"`
    it also asks the oracle, which sees no more.
    """

    batch_size = 500

    def __init__(
        self,
        network: AfterstateNetwork | Callable[[str], AfterstateNetwork],
        config: BoardConfig,
        slack: float = GUESS_SLACK,
        breadth: int = GUESS_BREADTH,
        sure: float = SURE,
        first: str | int = LEARNED,
        symmetries: bool = True,
        safety: str = LEARNED,
        clues: bool = True,
        onward: bool = True,
        clicks: int = 1,
        depth: int = 0,
        precision: str = "float32",
    ) -> None:
        """Prepares to play games of radius 1, which may differ from those of the training.

        Raises ValueError if an option is not allowed, or if the network cannot be loaded.

        Args:
            network: a network on any device, whose mode and weights stay unchanged; or a function that loads one at a
                precision.
            config: the games.
            slack: how far the risk of a weighed click may exceed the least risk, 0 to 1; on more than 64 cells, less.
            breadth: the most clicks weighed at a guess, 1 to 1000; 1 always clicks the safest cell.
            sure: safety from which a cell is clicked without weighing others, 0 to 1.
            first: the first click: "learned" for the best by the network, or as `chosen_first_cell` takes it.
            symmetries: whether to average over four symmetries at guesses; one click ahead, W of the best three alone.
            safety: "learned" by the network; "exact" by the oracle, or "clues" alone, to show what the network lacks
                and adds.
            clues: whether to fit the learned safety to the clues.
            onward: whether values include the safety of the safest next click.
            clicks: how many clicks to look ahead, 1, or 2 where at most 36 cells are covered.
            depth: how often a loaded network applies its block; 0 for as often as in training.
            precision: number format of a loaded network, one of `PRECISIONS`.
        """
        check_radius(config)
        whole_number("depth", depth, 0, MAX_DEPTH)
        if not isinstance(network, AfterstateNetwork):
            network = network(precision)
            for tower in network.towers:
                tower.depth = depth or tower.depth
        self.config, self.network = config, network
        slack, breadth = number_within("slack", slack, 0, 1), whole_number("breadth", breadth, 1, 1000)
        self._sure = number_within("sure", sure, 0, 1)
        self._first = None if first == LEARNED else chosen_first_cell(config, first, LEARNED)
        self._safety = one_of("safety", safety, (LEARNED, EXACT, CLUES))
        self._clues = whether("clues", clues) or self._safety == CLUES
        whole_number("clicks", clicks, 1, 2)
        if clicks == 2 and config.cells > USUAL_CELLS:
            raise ValueError(f"clicks=2 plays boards of at most {USUAL_CELLS} cells, not {config.cells}")
        limits = Limits.on(config, slack, breadth, _SLACK_POWER)
        self._search = Search(limits, whether("symmetries", symmetries), whether("onward", onward), clicks)

    def reset(self, seed: int) -> None:
        """Does nothing, since no choice is random."""

    @cached_property
    def first_cell(self) -> int:
        """The cell of the first click, row * cols + col."""
        if self._first is not None:
            return self._first
        return int(first_click_values(self.network, self.config).argmax())

    @checked_act
    @one_thread()
    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Chooses one click per board; see `baselines.policy.Policy.act`."""
        return clicks_from(self.first_cell, observations, action_masks, self._choose)

    @one_thread()
    def ratings(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Returns the mine probabilities of covered cells for codes, both (N, rows, cols), before any are weighed."""
        safety = self._rate(observations, covered_cells(observations), weighs=False).safety
        return 1.0 - safety.reshape(observations.shape)

    def _choose(self, boards: NDArray[np.int8], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        safety = self._rate(boards, legal, weighs=False).safety
        # A legal click whose safety rounds to 0 still beats an illegal one.
        clicks = np.where(legal, safety, -1.0).argmax(axis=1)
        highest = safety.max(axis=1)
        guessing = np.flatnonzero((highest < self._sure) & (highest > 0) & (self._search.limits.breadth > 1))
        if len(guessing) > 0:
            ratings = self._rate(boards[guessing], legal[guessing], weighs=True)
            clicks[guessing] = best_clicks(self.network, self.config.mines, boards[guessing], ratings, self._search)
        return clicks

    def _rate(self, boards: NDArray[np.int8], legal: NDArray[np.bool_], weighs: bool) -> Ratings:
        """Rates all legal clicks; if `weighs`, with the counts that they can show, and averaged over the views."""
        mines, counts = self.config.mines, np.zeros(0, np.float32)
        # The clues also count the mines under flags, which are no legal clicks.
        covered = covered_cells(boards)
        safety = np.where(covered, np.float32(0.5), np.float32(0.0))  # what `fitted_safety` begins with for CLUES
        if weighs or self._safety == LEARNED:
            learned, counts = rate(self.network, mines, boards, covered, weighs, weighs and self._search.symmetries)
            safety = learned if self._safety == LEARNED else safety
        if self._safety == EXACT:
            safety = (1.0 - mine_probabilities_batch(boards, mines).reshape(legal.shape)).astype(np.float32)
        elif self._clues:
            safety = fitted_safety(safety, boards, mines)
        return Ratings(np.where(legal, safety, np.float32(0.0)), counts)
