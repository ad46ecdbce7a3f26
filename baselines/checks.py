"""Checks of values from users, and of optional dependencies.

The checks of values raise ValueError, in one line that names the allowed values.
"""

import math
import re
from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from minesweeper_env.config import is_number


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Returns "; did you mean NAME?" for the one of `names` whose initials are `name`, or the most similar; or ""."""
    candidates = list(names)
    matches = [other for other in candidates if "".join(word[:1] for word in re.split("[_-]", other)) == name]
    matches += get_close_matches(name, candidates, 1)
    return f"; did you mean {matches[0]}?" if matches else ""


def whether(name: str, value: Any) -> bool:
    """Returns `value`, which must be a bool."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, not {value!r}")
    return value


def number_within(name: str, value: Any, least: float, most: float = math.inf) -> float:
    """Returns `value`, which must be a finite number from `least` to `most`, as a float."""
    if not is_number(value) or not least <= value <= most:
        allowed = f"at least {least:g}" if most == math.inf else f"{least:g} to {most:g}"
        raise ValueError(f"{name} must be a number of {allowed}, not {value!r}")
    return float(value)


def number_or_text(text: str) -> int | float | str:
    """Parses a text as an int or a float; returns any other text unchanged."""
    for number_type in (int, float):
        try:
            return number_type(text)
        except ValueError:
            continue
    return text


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message says which extra of this package installs it."""


def import_extra(module: str, extra: str = "train") -> ModuleType:
    """Imports an optional dependency; raises MissingExtraError if it is not installed."""
    check_extra(module, extra=extra)
    return import_module(module)


def check_extra(*modules: str, extra: str = "train") -> None:
    """Raises MissingExtraError if one of the modules is not installed; imports none of them."""
    for module in modules:
        if find_spec(module.partition(".")[0]) is None:
            raise missing_extra(module, extra)


def missing_extra(module: str, extra: str = "train") -> MissingExtraError:
    """Returns the error that says which extra installs a module."""
    package = module.partition(".")[0]
    return MissingExtraError(f"{package} is not installed; install it, in a clone, with: pip install '.[{extra}]'")
