"""Course of a recording: its slides in order, each with its games, their frames, and its time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from baselines.recording.replay import RecordedGame

END_SECONDS = 3.0
"""Time for which the end of a game stays."""


class Slide(NamedTuple):
    """One picture of a recording.

    Attributes:
        frames: each game that is on the picture, from left to right, with the number of its frame.
        seconds: time for which it is shown.
    """

    frames: list[tuple[RecordedGame, int]]
    seconds: float


@dataclass(frozen=True)
class Recording:
    """Games one after another; games of several policies on one board stand side by side.

    Attributes:
        rounds: the games that are shown together, for each round; all rounds have as many.
        seconds_per_move: time for which a move is shown.
        overlay: True to write the mine probabilities on covered cells.
    """

    rounds: Sequence[Sequence[RecordedGame]]
    seconds_per_move: float
    overlay: bool

    def __len__(self) -> int:
        """Returns the number of slides."""
        return sum(max(game.frames for game in games) for games in self.rounds)

    def slides(self) -> Iterator[Slide]:
        """Yields the slides in order; a game that has ended keeps its last frame."""
        for games in self.rounds:
            frames = max(game.frames for game in games)
            for frame in range(frames):
                shown = [(game, min(frame, game.frames - 1)) for game in games]
                yield Slide(shown, END_SECONDS if frame == frames - 1 else self.seconds_per_move)
