"""Carries the values of states from level to level: forward, and back with what follows."""

from __future__ import annotations

from minesweeper_env.compiled import subroutine
from minesweeper_env.inference.counting.states import Floats, States


@subroutine
def push_values(
    values: Floats, count: int, width: int, states: States, state: int, weights: Floats, track: int, target: Floats,
    target_width: int,
) -> None:  # fmt: skip
    """Carries the values of a level over to the next one.

    Args:
        values: (count * width,) the values of the level.
        count: the number of its states.
        width: the number of values that each has room for.
        states: with the links of the level.
        state: the index of its first state.
        weights: (size + 1,) the weight of each number of mines in the group.
        track: 1 where the mines used are told apart, else 0.
        target: filled with the values of the next level.
        target_width: the number of values that each of its states has room for.
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
    """Carries the weights of what follows back by a level, and weighs the mines of its group.

    Args:
        values: (count * width,) the values of the level, from `push_values`.
        count: the number of its states.
        width: the number of values that each has room for.
        states: with the links of the level.
        state: the index of its first state.
        weights: (size + 1,) the weight of each number of mines in the group.
        track: 1 where the mines used are told apart, else 0.
        target: the weights of what follows a state of the next level.
        target_width: the number of them that each of its states has room for.
        size: the number of cells of the group.
        source: (count * width,) filled with the weights of what follows a state of this level.

    Returns:
        The total weight of all fillings, each counted once a mine in the group, and once a free cell in it.
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
