"""Lists of the configurations and the hyperparameters, for the help of a command."""

from __future__ import annotations

from textwrap import fill

from baselines.learned.settings.files import configuration_notes, read_configuration
from baselines.learned.settings.hyperparameters import ALGORITHMS
from baselines.learned.settings.options import describe, options_of
from baselines.learned.settings.training import TrainingSettings


def configuration_help(width: int) -> str:
    """Returns a list of the configurations, each with its budget and its first comment, in lines of `width`."""
    lines = ["configurations (--config NAME):"]
    for name, note in configuration_notes().items():
        settings = TrainingSettings.from_some(read_configuration(name))
        text = f"{name} ({settings.budget_in_words}): {note}"
        lines.append(fill(text, width, initial_indent="  ", subsequent_indent=" " * 6, break_on_hyphens=False))
    return "\n".join(lines)


def hyperparameter_help(width: int) -> str:
    """Returns a list of the hyperparameters of each algorithm, in lines of `width`."""
    lines = ["hyperparameters (--set NAME=VALUE), by algorithm:"]
    for algo, hyperparameters in ALGORITHMS.items():
        lines.append(f"  {algo}")
        texts = [f"{entry.name}: {describe(entry, option)}" for entry, option in options_of(hyperparameters)]
        lines += [fill(text, width, initial_indent=" " * 4, subsequent_indent=" " * 8) for text in texts]
    return "\n".join(lines)
