"""Settings of older versions, and their replacements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HYPERPARAMETERS = {
    "untouched": "isolated_weight_cap",
    "replays": "replay_ratio",
    "uses": "replay_ratio",
    "keep_least": "keep_min",
}
"""Current names of hyperparameters, by their names in older versions."""

TWO_HEADS_REPLACED = "is gone since it won no more than dqn; train algo value, or check out commit a9c77f2"
"""End of the error messages about win-seeking DQN."""

CONFIGURATIONS = {"win-8x8": f"the configuration win-8x8 trained win-seeking DQN, which {TWO_HEADS_REPLACED}"}
"""Error messages for configurations of older versions, by name."""


def present_names(hyperparameters: Mapping[str, Any]) -> dict[str, Any]:
    """Returns hyperparameters under their current names; of two values for one name the later one counts."""
    return {HYPERPARAMETERS.get(name, name): value for name, value in hyperparameters.items()}


def updated(content: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings of an older run in their current form.

    Args:
        content: the settings in a `run.json`.

    Raises:
        ValueError: this version cannot train with these settings; the message names the replacement.
    """
    settings = dict(content)
    if settings.get("precision") == "auto":
        settings["precision"] = "float32"
    own = settings.get("hyperparameters")
    if settings.get("algo") == "dqn" and isinstance(own, Mapping) and "decay" in own:
        if (settings.get("reward"), settings.get("gamma")) == ("win", 1) and own.get("hindsight"):
            raise ValueError(f"the run trained win-seeking DQN, which {TWO_HEADS_REPLACED}")
        settings["hyperparameters"] = {name: value for name, value in own.items() if name != "decay"}
    return settings
