"""`semi_deterministic`: the two local rules in a single pass, and another model where they find no cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.base import ScriptedPolicy
from baselines.scripted.fitted.conditional import ConditionalPolicy
from baselines.scripted.fitted.graphical import GraphicalPolicy
from baselines.scripted.fitted.marginal import MarginalPolicy
from baselines.scripted.replicas.graphical import GraphicalSourcePolicy
from baselines.scripted.rules.batched_rules import Knowledge, apply_local_rules_once
from baselines.scripted.uniform import RandomPolicy
from minesweeper_env.config import BoardConfig

ALTERNATIVES: dict[str, type[ScriptedPolicy]] = {
    "random": RandomPolicy,
    "marginal": MarginalPolicy,
    "conditional": ConditionalPolicy,
    "graphical_source": GraphicalSourcePolicy,
    "graphical": GraphicalPolicy,
}
"""The models that can choose a cell where the rules find none."""


class SemiDeterministicPolicy(ScriptedPolicy):
    """Infers mines and then free cells, each from one count at a time and once a click.

    Where the covered cells beside a count are as many as the count, they are mines; where these mines beside a count
    are as many as the count, the other covered cells are free. It clicks one of the free cells, all being equally
    likely. Where it has found none, another model chooses among the cells that are not inferred to be mines.
    """

    def __init__(self, config: BoardConfig, *, alternative: str = "random") -> None:
        """Prepares to play games of this configuration.

        Args:
            config: the games.
            alternative: the model that chooses where the rules find no cell, with the options that it has by default.

        Raises:
            ValueError: there is no such model.
        """
        if alternative not in ALTERNATIVES:
            raise ValueError(f"alternative must be one of {', '.join(ALTERNATIVES)}, not {alternative!r}")
        super().__init__(config)
        self._alternative = ALTERNATIVES[alternative](config)

    def deduce(self, knowledge: Knowledge) -> None:
        """Applies the two local rules once, that for mines first."""
        apply_local_rules_once(knowledge)

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns what the alternative model thinks of each cell."""
        return self._alternative.risks(knowledge)
