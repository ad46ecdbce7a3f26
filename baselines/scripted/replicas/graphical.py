"""`graphical_source`: the graphical agent of Antimatroid (2012), by the longest path instead of the expectation."""

from __future__ import annotations

import math

from baselines.scripted.fitted.graphical import GraphicalPolicy
from baselines.scripted.fitted.subgrid_values import Rule, longest_path


class GraphicalSourcePolicy(GraphicalPolicy):
    """Clicks the cell that starts the longest path in any 3 x 3 sub-grid, over all outcomes of the clicks.

    An edge is as long as its probability times its reward. The rule is optimistic: a mine matters only if no other
    outcome exists. A state without an example is ignored.
    """

    def rule(self) -> Rule:
        """Returns the rule of the longest path."""
        return longest_path

    def unknown_value(self) -> float:
        """Returns minus infinity, so that states without an example never win."""
        return -math.inf
