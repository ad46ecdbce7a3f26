"""Errors of inference."""

from __future__ import annotations


class InconsistentBoardError(ValueError):
    """No layout of mines fits what a board shows.

    Attributes:
        cell: (row, col) of a cell at fault.
    """

    def __init__(self, reason: str, cell: tuple[int, int]) -> None:
        """Describes why no layout fits, and names a cell at fault."""
        super().__init__(f"no layout of mines fits this board: {reason} (cell {cell})")
        self.reason = reason
        self.cell = cell

    def __reduce__(self) -> tuple[type[InconsistentBoardError], tuple[str, tuple[int, int]]]:
        """Returns the arguments that a pickle rebuilds the error from."""
        return type(self), (self.reason, self.cell)


class PositionTooHardError(ValueError):
    """An exact answer would take more than a stated bound allows."""
