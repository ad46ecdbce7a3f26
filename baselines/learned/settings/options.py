"""Declaration of options as dataclass fields, each with its default, its allowed values and its meaning.

The checks, the arguments of `train.py` and its help all read these declarations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any

from baselines.support.checks import number_within, one_of, whole_number_within

_KEY = "option"


@dataclass(frozen=True)
class Option:
    """Declaration of an option, without its name, type and default.

    Attributes:
        meaning: the help text, with the unit: an imperative for a setting, a noun phrase for a hyperparameter.
        choices: allowed values of a string.
        least: lower bound of a number.
        most: upper bound of a number.
    """

    meaning: str
    choices: Sequence[str] = ()
    least: float = 0
    most: float = 0


def option(default: Any, meaning: str, least: float = 0, most: float = 0, *, choices: Sequence[str] = ()) -> Any:
    """Returns a dataclass field that declares an option; see `Option` for the arguments."""
    return field(default=default, metadata={_KEY: Option(meaning, choices, least, most)})


def options_of(owner: Any) -> Iterator[tuple[Field[Any], Option]]:
    """Yields the fields of a dataclass, or of an instance, that declare an option."""
    for entry in fields(owner):
        if _KEY in entry.metadata:
            yield entry, entry.metadata[_KEY]


def check_options(settings: Any) -> None:
    """Checks all options of a frozen dataclass, and converts numbers to their declared type.

    Raises:
        ValueError: a value is not allowed; the message names the allowed values.
    """
    for entry, declared in options_of(settings):
        value = getattr(settings, entry.name)
        if value is not None or "None" not in str(entry.type):
            object.__setattr__(settings, entry.name, _checked(entry, declared, value))


def _checked(entry: Field[Any], declared: Option, value: Any) -> Any:
    if declared.choices:
        return one_of(entry.name, value, declared.choices)
    if str(entry.type).startswith("int"):
        return whole_number_within(entry.name, value, int(declared.least), int(declared.most))
    if str(entry.type).startswith("float"):
        return number_within(entry.name, value, declared.least, declared.most)
    if not isinstance(value, str):
        raise ValueError(f"{entry.name} must be a text, not {value!r}")
    return value


def describe(entry: Field[Any], declared: Option) -> str:
    """Returns the help text of an option: its meaning and its default."""
    return declared.meaning if entry.default is None else f"{declared.meaning} (default {entry.default})"
