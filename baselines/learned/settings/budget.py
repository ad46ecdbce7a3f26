"""Budget of a training, and settings from mappings: what the settings of all games have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Protocol, Self


class RunSettings(Protocol):
    """Settings of a training of any game, as run folders and panels need them."""

    @property
    def title(self) -> str:
        """The algorithm and the boards, in words."""

    @property
    def eval_games(self) -> int:
        """Number of games per evaluation and board or opponent."""

    def to_json(self) -> dict[str, Any]:
        """Returns the settings as a JSON object."""

    @classmethod
    def from_json(cls, content: Any) -> Self:
        """Returns the settings of a JSON object from `to_json`.

        Raises:
            ValueError: a setting is missing, unknown or not allowed.
        """


class BudgetedSettings:
    """Base of dataclasses of settings with a budget in minutes or in steps.

    Attributes:
        minutes: of the clock, over all sessions, or None.
        steps: of all games together, or None.
    """

    minutes: float | None
    steps: int | None

    def check_budget(self) -> None:
        """Checks the budget.

        Raises:
            ValueError: both parts are given, or none, or the minutes are 0.
        """
        if (self.minutes is None) == (self.steps is None):
            raise ValueError("give either minutes or steps")
        if self.minutes == 0:
            raise ValueError("minutes must be more than 0")

    @property
    def budget_in_words(self) -> str:
        """The budget, such as "10 minutes" or "1 000 000 steps"."""
        if self.minutes is not None:
            return f"{self.minutes:g} minutes"
        return f"{self.steps:_} steps".replace("_", " ")

    @classmethod
    def from_some(cls, content: Mapping[str, Any]) -> Self:
        """Returns the settings in `content`, completed by the defaults.

        Raises:
            ValueError: a setting is unknown or not allowed.
        """
        names = [entry.name for entry in fields(cls)]  # type: ignore[arg-type]
        unknown = [name for name in content if name not in names]
        if unknown:
            raise ValueError(f"unknown setting {', '.join(unknown)}; the settings are {', '.join(names)}")
        if content.get("steps") is not None:
            content = {"minutes": None, **content}
        return cls(**content)
