"""Forward and backward messages between neighbouring levels.

The inner loops of steps 4 and 6 of docs/studies/inference.md.
"""

from __future__ import annotations

from minesweeper_env.compiled import subroutine
from minesweeper_env.inference.counting.states import Floats, States


@subroutine
def push_values(
    values: Floats, count: int, width: int, states: States, state: int, weights: Floats, track: int, target: Floats,
    target_width: int,
) -> None:  # fmt: skip
    """Computes the values of the next level from the values of a level.

    Args:
        values: (count * width,) float64, the values of the level.
        count: the number of its states.
        width: the number of values reserved per state.
        states: with the links of the level.
        state: the index of its first state.
        weights: (size + 1,) the weight of each number of mines in the group.
        track: 1 if states keep apart the mines used, else 0.
        target: filled with the values of the next level.
        target_width: the number of values reserved per state of the next level.
    """
    target[:] = 0.0
    following = state + count
    for i in range(state, following):
        mines = states.least[i]
        begin, length = (i - state) * width, states.high[i] - states.low[i] + 1
        for link in range(states.first_link[i], states.first_link[i + 1]):
            weight, to = weights[mines], states.links[link]
            at = to * target_width + states.low[i] + mines * track - states.low[following + to]
            for m in range(length):
                target[at + m] += weight * values[begin + m]
            mines += 1


@subroutine
def pull_values(
    values: Floats, count: int, width: int, states: States, state: int, weights: Floats, track: int, target: Floats,
    target_width: int, size: int, source: Floats,
) -> tuple[float, float]:  # fmt: skip
    """Computes the backward messages of a level from the next level's, and weighs the mines of its group.

    Args:
        values: (count * width,) float64, the values of the level, from `push_values`.
        count: the number of its states.
        width: the number of values reserved per state.
        states: with the links of the level.
        state: the index of its first state.
        weights: (size + 1,) the weight of each number of mines in the group.
        track: 1 if states keep apart the mines used, else 0.
        target: the backward messages of the next level.
        target_width: the number of values reserved per state of the next level.
        size: the number of cells in the group.
        source: (count * width,) filled with the backward messages of this level.

    Returns:
        The total weight of all fillings times the mines in the group, and times the free cells in it.
    """
    mine, free = 0.0, 0.0
    source[:] = 0.0
    following = state + count
    for i in range(state, following):
        mines = states.least[i]
        begin, length = (i - state) * width, states.high[i] - states.low[i] + 1
        for link in range(states.first_link[i], states.first_link[i + 1]):
            weight, to = weights[mines], states.links[link]
            at = to * target_width + states.low[i] + mines * track - states.low[following + to]
            total = 0.0
            for m in range(length):
                follows = weight * target[at + m]
                source[begin + m] += follows
                total += follows * values[begin + m]
            mine += mines * total
            free += (size - mines) * total
            mines += 1
    return mine, free
