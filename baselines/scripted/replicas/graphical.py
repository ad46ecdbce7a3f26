"""`graphical_source`: `graphical` as its source has it, by the longest path instead of the expectation."""

from __future__ import annotations

import math

from baselines.scripted.fitted.graphical import GraphicalPolicy
from baselines.scripted.fitted.subgrid_values import Rule, longest_path


class GraphicalSourcePolicy(GraphicalPolicy):
    """Clicks the cell from which the longest path begins in some 3 x 3 sub-grid, whatever a click may show.

    It hopes for the best: what a click may show counts by the largest sum of probability times reward that may
    follow, so that a mine counts only where there can be nothing else. Sub-grids that agree with none of a finished
    game do not count.
    """

    def rule(self) -> Rule:
        """Returns the rule of the longest path."""
        return longest_path

    def unknown_value(self) -> float:
        """Returns minus infinity."""
        return -math.inf
