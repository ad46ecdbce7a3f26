"""Dataclasses whose fields are options: each with its meaning and bounds, for checks, command line, help and docs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import NoneType
from typing import Any, ClassVar, NamedTuple, Self, get_args, get_type_hints

from baselines.checks import did_you_mean, number_within, whether
from minesweeper_env.config import one_of, whole_number


class Option(NamedTuple):
    """An option: its meaning, and its allowed texts or bounds; `options_of` fills in its name, default and types."""

    meaning: str
    choices: Sequence[str]
    least: float
    most: float
    name: str = ""
    default: Any = None
    kinds: tuple[type[Any], ...] = ()

    @property
    def help(self) -> str:
        """The meaning with the default."""
        return self.meaning + ("" if self.default is None else f" (default {self.default})")


def option(default: Any, meaning: str, least: float = 0, most: float = 0, *, choices: Sequence[str] = ()) -> Any:
    """Returns a dataclass field that declares an option; see `Option`. A subclass may give it another default."""
    return field(default=default, metadata={"option": Option(meaning, choices, least, most)})


def options_of(owner: type[Any]) -> Iterator[Option]:
    """Yields the options of a dataclass; the nearest class that calls `option` gives the meaning and the bounds."""
    fields_of_classes = [vars(base).get("__dataclass_fields__", {}) for base in reversed(owner.mro())]
    entries = [entry for fields_of_class in fields_of_classes for entry in fields_of_class.values()]
    declared = {entry.name: entry.metadata["option"] for entry in entries if "option" in entry.metadata}
    hints = get_type_hints(owner)
    for entry in fields(owner):
        if declaration := declared.get(entry.name):
            kinds = get_args(hints[entry.name]) or (hints[entry.name],)  # The members of a union, or the type itself.
            yield declaration._replace(name=entry.name, default=entry.default, kinds=kinds)


@dataclass(frozen=True)
class Options:
    """Base of the dataclasses that declare options."""

    noun: ClassVar[str] = "hyperparameter"

    def __post_init__(self) -> None:
        """Converts the options to their types; raises a ValueError that says which values are allowed."""
        for option in options_of(type(self)):
            name, value = option.name, getattr(self, option.name)
            if value is None and NoneType in option.kinds:
                continue
            if option.choices:
                value = one_of(name, value, option.choices)
            elif bool in option.kinds:
                value = whether(name, value)
            elif int in option.kinds:
                value = whole_number(name, value, int(option.least), int(option.most))
            elif float in option.kinds:
                value = number_within(name, value, option.least, option.most)
            elif not isinstance(value, str):
                raise ValueError(f"{name} must be a text, not {value!r}")
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, content: Any) -> Self:
        """Returns an instance with the values of a mapping, or else the defaults; raises ValueError for a bad value."""
        names = [entry.name for entry in fields(cls)]
        if not isinstance(content, Mapping):
            raise ValueError(f"{cls.noun}s must be a table, not {content!r}")
        if unknown := [str(name) for name in content if name not in names]:
            hint = did_you_mean(unknown[0], names)
            raise ValueError(f"unknown {cls.noun} {', '.join(unknown)}; the {cls.noun}s are {', '.join(names)}{hint}")
        return cls(**content)
