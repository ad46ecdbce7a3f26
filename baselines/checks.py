"""Checks of values from users, and of optional dependencies.

A value that is not allowed raises a ValueError, in one line that names what is.
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
    """Returns "; did you mean NAME?" for the known name of these initials, or the most similar one; "" for neither."""
    known = list(names)
    near = [each for each in known if "".join(part[:1] for part in re.split("[_-]", each)) == name]
    near += get_close_matches(name, known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def whether(name: str, value: Any) -> bool:
    """Returns `value` if it is True or False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, not {value!r}")
    return value


def number_within(name: str, value: Any, least: float, most: float = math.inf) -> float:
    """Returns `value` as a finite float between `least` and `most`."""
    if not is_number(value) or not least <= value <= most:
        allowed = f"at least {least:g}" if most == math.inf else f"{least:g} to {most:g}"
        raise ValueError(f"{name} must be a number of {allowed}, not {value!r}")
    return float(value)


def number_or_text(text: str) -> int | float | str:
    """Returns the int or the float that a text writes; other texts come back as they are."""
    for kind in (int, float):
        try:
            return kind(text)
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
    """Raises MissingExtraError if an optional dependency is not installed; imports nothing."""
    for module in modules:
        if find_spec(module.partition(".")[0]) is None:
            raise missing_extra(module, extra)


def missing_extra(module: str, extra: str = "train") -> MissingExtraError:
    """Returns the error that says which extra installs a module."""
    package = module.partition(".")[0]
    return MissingExtraError(f"{package} is not installed; install it, in a clone, with: pip install '.[{extra}]'")
