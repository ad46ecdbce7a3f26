"""Scripted and learned policies for Minesweeper, and their evaluation on the same seeded games.

A module is public if it has an `__all__`; the other modules are internal and may change without notice.
"""

from typing import TYPE_CHECKING

from minesweeper_env.lazy import lazy_exports

if TYPE_CHECKING:
    from baselines.evaluation.evaluate import evaluate, evaluate_policy
    from baselines.evaluation.results import Results
    from baselines.policy import Policy
    from baselines.registry import make_policy, policy_names

__all__ = ["Policy", "Results", "evaluate", "evaluate_policy", "make_policy", "policy_names"]

_MODULES = {
    "evaluation.evaluate": ("evaluate", "evaluate_policy"),
    "evaluation.results": ("Results",),
    "policy": ("Policy",),
    "registry": ("make_policy", "policy_names"),
}
__getattr__, __dir__ = lazy_exports(__name__, _MODULES)
