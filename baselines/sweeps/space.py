"""Search space of a sweep: the settings to vary, and how each is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from baselines.learned.settings.hyperparameters import ALGORITHMS
from baselines.learned.settings.training import TrainingSettings
from baselines.support.checks import number_or_text

SETTINGS = ("gamma", "reward", "optimizer", "channels", "depth", "envs")
"""Settings of a training that may vary, apart from the hyperparameters of its algorithm."""

DIGITS = 3
"""Significant digits of a drawn number: more say nothing, and are hard to read."""

FORMS = "log:LOW:HIGH, uniform:LOW:HIGH, int:LOW:HIGH, or VALUE,VALUE,..."

Draw = Callable[[np.random.Generator], Any]


class Dimension(NamedTuple):
    """A setting that varies.

    Attributes:
        name: a hyperparameter of the algorithm, or one of `SETTINGS`.
        text: how it is drawn, as the user wrote it.
        draw: returns a value.
    """

    name: str
    text: str
    draw: Draw


def parse_dimension(text: str, algo: str) -> Dimension:
    """Returns the dimension of a text such as "learning_rate=log:1e-4:1e-2".

    Args:
        text: NAME=FORM; see `FORMS`.
        algo: name of the algorithm.

    Raises:
        ValueError: the name or the form is not allowed; the message lists what is.
    """
    name, found, form = text.partition("=")
    known = [entry.name for entry in fields(ALGORITHMS[algo])] + list(SETTINGS)
    if not found or not form:
        raise ValueError(f"a search is NAME=FORM, with a form {FORMS}, not {text!r}")
    if name not in known:
        raise ValueError(f"{algo} has no setting {name!r} to search; there are {', '.join(known)}")
    return Dimension(name, form, _parse_form(name, form))


def _parse_form(name: str, form: str) -> Draw:
    kind, *ends = form.split(":")
    if kind not in ("log", "uniform", "int"):
        return _choice([number_or_text(each) for each in form.split(",")])
    try:
        low, high = (float(end) for end in ends)
    except ValueError as error:
        raise ValueError(f"{name}: {kind} needs two numbers, as in {kind}:LOW:HIGH, not {form!r}") from error
    if not (math.isfinite(low) and math.isfinite(high) and low < high) or (kind == "log" and low <= 0):
        above = "above 0, " if kind == "log" else ""
        raise ValueError(f"{name}: {kind} needs finite numbers {above}the lower one first, not {form!r}")
    if kind == "int":
        return lambda rng: int(rng.integers(math.ceil(low), math.floor(high) + 1))
    if kind == "log":
        return lambda rng: _rounded(math.exp(rng.uniform(math.log(low), math.log(high))))
    return lambda rng: _rounded(rng.uniform(low, high))


def _choice(values: Sequence[Any]) -> Draw:
    return lambda rng: values[int(rng.integers(len(values)))]


def _rounded(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")


def settings_of(base: TrainingSettings, values: dict[str, Any]) -> TrainingSettings:
    """Returns settings with some values in place of their own.

    Raises:
        ValueError: a value is not allowed; the message names the allowed ones.
    """
    content = base.to_json()
    own = {name: value for name, value in values.items() if name in SETTINGS}
    others = {name: value for name, value in values.items() if name not in SETTINGS}
    return TrainingSettings(**content | own | {"hyperparameters": content["hyperparameters"] | others})


def draw_trials(
    base: TrainingSettings, dimensions: Sequence[Dimension], trials: int, seed: int
) -> list[dict[str, Any]]:
    """Returns the values of each trial; trial i depends on the seed and on i alone.

    Args:
        base: settings of the configuration.
        dimensions: what varies.
        trials: number of trials.
        seed: seed of the draws.

    Raises:
        ValueError: a name is given twice, or a drawn value is not allowed.
    """
    names = [each.name for each in dimensions]
    if len(set(names)) < len(names):
        raise ValueError(f"search each setting once, not {', '.join(names)}")
    drawn = [
        {each.name: each.draw(rng) for each in dimensions}
        for rng in (np.random.default_rng((seed, number)) for number in range(trials))
    ]
    for values in drawn:
        settings_of(base, values)
    return drawn
