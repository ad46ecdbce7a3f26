"""Progress bar of a training."""

from __future__ import annotations

import sys
import time
from typing import Any

from tqdm import tqdm

from baselines.learned.common.budget import Budget

TICKS = 1000
BAR_FORMAT = "{percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"


def postfix(steps: int, speed: float, win_rate: float | None) -> str:
    """Returns the text after the bar, the win rate first: a narrow terminal cuts the end off.

    Args:
        steps: taken so far.
        speed: steps per second.
        win_rate: fraction of the last selection games won, or None before the first evaluation.
    """
    wins = "" if win_rate is None else f"wins {win_rate:.1%}, "
    return f"{wins}{steps} steps, {speed:.0f}/s"


class ProgressBar:
    """A bar that follows the budget; use it as a context manager.

    Args:
        budget: of the training.
        steps: taken by earlier sessions.
        shown: False for a bar that writes nothing.
    """

    def __init__(self, budget: Budget, steps: int, shown: bool) -> None:
        """Shows the bar."""
        self._budget = budget
        self._first_step, self._begun_at = steps, time.monotonic()
        self._bar: Any = tqdm(
            total=TICKS,
            initial=self._ticks(steps),
            bar_format=BAR_FORMAT,
            mininterval=0.5 if sys.stderr.isatty() else 20.0,
            dynamic_ncols=True,
            disable=not shown,
        )

    def _ticks(self, steps: int) -> int:
        return int(TICKS * self._budget.progress(steps))

    def show(self, steps: int, win_rate: float | None) -> None:
        """Moves the bar to `steps`; `win_rate` is that of the last evaluation."""
        speed = (steps - self._first_step) / max(time.monotonic() - self._begun_at, 1e-3)
        self._bar.set_postfix_str(postfix(steps, speed, win_rate), refresh=False)
        self._bar.update(self._ticks(steps) - self._bar.n)

    def __enter__(self) -> ProgressBar:
        """Returns the bar."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leaves the bar on the screen as it is."""
        self._bar.close()
