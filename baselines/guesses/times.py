"""Time of play of several policies, in blocks of games that alternate between them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import Any

from baselines.evaluation.games import play_games
from baselines.guesses.runs import board_of
from baselines.policy import Policy
from baselines.registry import build_policy
from baselines.terminal.progress import game_bar
from minesweeper_env.engine.games import compile_kernels

BLOCK = 100
"""The number of games of a block."""


class _Clock:
    """A policy, with the longest processor time of one of its calls."""

    def __init__(self, policy: Policy) -> None:
        self.policy, self.longest = policy, 0.0

    def reset(self, seed: int) -> None:
        self.policy.reset(seed)

    def act(self, observations: Any, action_masks: Any) -> Any:
        begin = time.process_time()
        actions = self.policy.act(observations, action_masks)
        self.longest = max(self.longest, time.process_time() - begin)
        return actions


def times_on(board: str, policies: Sequence[str], seed: int, games: int, at_once: int = BLOCK) -> list[dict[str, Any]]:
    """Plays the same games with each policy, block by block; returns a row per policy.

    Processor time leaves out what the core gives to other programs. The ratios compare blocks of the same games, one
    after the other, so that a slow minute of the machine touches all policies alike.

    Args:
        board: a board that `board_of` accepts.
        policies: specifications.
        seed: seed of game 0.
        games: the number of games, rounded up to whole blocks.
        at_once: the number of games side by side, at most `BLOCK`; with 1, the longest call is the longest move.
    """
    config = board_of(board)
    clocks = [_Clock(build_policy(policy, config)) for policy in policies]
    seconds: list[list[float]] = [[] for _ in policies]
    compile_kernels()
    firsts = range(seed, seed + games, BLOCK)
    with game_bar("timing policies on", board, len(firsts) * BLOCK * len(policies)) as add:
        for first in firsts:
            for clock, own in zip(clocks, seconds, strict=True):
                begin = time.process_time()
                for side in range(first, first + BLOCK, at_once):
                    play_games(clock, config, range(side, min(side + at_once, first + BLOCK)))
                    add(min(at_once, first + BLOCK - side))
                own.append(time.process_time() - begin)
    blocks = len(seconds[0])
    return [
        {
            "board": board,
            "policy": policy,
            "games": blocks * BLOCK,
            "ms_per_game": 1000.0 * sum(own) / (blocks * BLOCK),
            "ratio": sum(own) / sum(seconds[0]),
            "median_ratio": statistics.median(a / b for a, b in zip(own, seconds[0], strict=True)),
            "longest_call": clock.longest,
        }
        for policy, own, clock in zip(policies, seconds, clocks, strict=True)
    ]
