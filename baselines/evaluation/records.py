"""Records of games: their outcomes, their given starts, and batches of them."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.judge import GameDiagnosis


class GameRecord(NamedTuple):
    """Outcome of a game.

    Attributes:
        seed: seed of the game; a single environment reset with it plays the same game.
        won: True if every safe cell was opened.
        clicks: number of actions.
        truncated: True if the step limit ended the game, which is then not won.
        opened: number of safe cells open at the end.
        marked: True if at some moment the flags were exactly the mines. After a win, the policy's method `finishes`
            says whether its next flags would complete them.
        diagnosis: judgement of its clicks, or None if they were not judged.
        actions: its actions as little-endian uint16 numbers; empty if they were not recorded.
    """

    seed: int
    won: bool
    clicks: int
    truncated: bool
    opened: int = 0
    marked: bool = False
    diagnosis: GameDiagnosis | None = None
    actions: bytes = b""


class Start(NamedTuple):
    """Given start of a game, in place of the first-click rule.

    Attributes:
        layout: (rows, cols) bool, True at the mines.
        cell: the first click, as row * cols + col.
    """

    layout: NDArray[np.bool_]
    cell: int


class Batch(NamedTuple):
    """Games that a policy played side by side.

    Attributes:
        records: one record per game.
        seconds: time spent playing, without the judging of clicks.
        counters: increase of the policy's counters meanwhile; see `baselines.policy.Policy`.
    """

    records: list[GameRecord]
    seconds: float
    counters: dict[str, int]


def pack_won(won: Sequence[bool]) -> str:
    """Returns the outcomes of games as the files of results hold them: a bit per game (`numpy.packbits`) in base64."""
    return base64.b64encode(np.packbits(won).tobytes()).decode()


def unpack_won(text: str, games: int) -> NDArray[np.bool_]:
    """Returns (games,) bool: the outcomes in a text of `pack_won`."""
    return np.unpackbits(np.frombuffer(base64.b64decode(text), np.uint8), count=games).astype(np.bool_)
