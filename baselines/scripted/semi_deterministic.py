"""`semi_deterministic`: one pass of the two local rules, and another model if they find no cell.

This is the semi-deterministic agent of Antimatroid (2012), with the indices of its pseudocode put right.
"""

from pkgutil import resolve_name

import numpy as np
from numpy.typing import NDArray

from baselines.registry import POLICIES
from baselines.scripted.base import Knowledge, RandomPolicy, ScriptedPolicy, apply_local_rules_once
from minesweeper_env.config import BoardConfig, one_of

ALTERNATIVES = ("random", "marginal", "conditional", "graphical_source", "graphical")
"""Models that can guess if the rules find no safe cell."""


class SemiDeterministicPolicy(ScriptedPolicy):
    """Infers mines and then safe cells from one clue at a time, once per click.

    If a clue equals its number of covered neighbours, they are mines. If it equals its number of inferred mines, its
    other covered neighbours are safe. The policy clicks a uniformly random safe cell. If there is none, another model
    guesses among the cells that are not inferred mines.
    """

    def __init__(self, config: BoardConfig, *, alternative: str = "random") -> None:
        """Prepares to play; `alternative` is the guessing model, one of `ALTERNATIVES`, with its default options."""
        super().__init__(config)
        made_by = POLICIES[one_of("alternative", alternative, ALTERNATIVES)].made_by
        self._alternative: ScriptedPolicy = resolve_name(made_by)(config)

    def deduce(self, knowledge: Knowledge) -> None:
        """Applies the two local rules once, mines first."""
        apply_local_rules_once(knowledge)

    def ratings(self, observations: NDArray[np.int8]) -> NDArray[np.float64] | None:
        """Returns the numbers of `ScriptedPolicy.ratings`, or None where the alternative model has none."""
        return None if isinstance(self._alternative, RandomPolicy) else super().ratings(observations)

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns the risks of the alternative model."""
        return self._alternative.risks(knowledge)
