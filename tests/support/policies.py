"""Configurations, layouts and recorded play for tests of policies."""

import math
from itertools import combinations

import numpy as np

from baselines.evaluation.games import play_games
from baselines.evaluation.intervals import p_value_of_discordant
from baselines.registry import find_policy
from baselines.scripted.base import neighbour_sums
from minesweeper_env import HIDDEN, BoardConfig, MinesweeperEnv
from support.naive_game import neighbours


def click_config(rows: int, cols: int, mines: int, first_click: str = "opening", radius: int = 1) -> BoardConfig:
    return BoardConfig(rows, cols, mines, first_click, ("click",), radius)


def all_layouts(config: BoardConfig) -> np.ndarray:
    chosen = list(combinations(range(config.cells), config.mines))
    layouts = np.zeros((len(chosen), config.cells), bool)
    layouts[np.arange(len(chosen))[:, None], chosen] = True
    return layouts.reshape(-1, config.rows, config.cols)


def read_board(*lines: str) -> np.ndarray:
    """Reads a board with * for hidden cells, ! for flags and digits for clues."""
    codes = {"*": HIDDEN, "!": 9}
    return np.array([[codes.get(sign) or int(sign) for sign in line] for line in lines], np.int8)


def consistent_layouts(board: np.ndarray, layouts: np.ndarray) -> np.ndarray:
    counts = neighbour_sums(layouts, 1)
    shown = board < HIDDEN
    return layouts[((counts == board) & ~layouts | ~shown).all(axis=(1, 2))]


def promise_of(board: np.ndarray, probabilities: np.ndarray, cell: int) -> tuple[int, float]:
    """Returns the number of open neighbours of a cell, and the probability that it shows 0 if it is free."""
    beside = neighbours(*board.shape, divmod(int(cell), board.shape[1]))
    covered = [each for each in beside if board[each] > 8]
    return len(beside) - len(covered), math.prod(1.0 - probabilities[each] for each in covered)


class Recorder:
    """Plays like another policy, and records the boards."""

    def __init__(self, policy) -> None:
        self.policy = policy
        self.seen: list[np.ndarray] = []

    def reset(self, seed: int) -> None:
        self.policy.reset(seed)

    def act(self, observations, action_masks):
        self.seen.extend(observations)
        return self.policy.act(observations, action_masks)


def boards_met(policy, config: BoardConfig, games: int) -> np.ndarray:
    """Returns the different boards that a policy meets in play."""
    recorder = Recorder(policy)
    play_games(recorder, config, range(games))
    return np.unique(np.stack(recorder.seen), axis=0)


def boards_in_play(config: BoardConfig, games: int) -> np.ndarray:
    return boards_met(find_policy("straightforward")(config, seed=5), config, games)


def moments(config: BoardConfig, games: int) -> list[tuple[np.ndarray, int]]:
    """Returns boards that `exact` meets in play, each with its click."""
    policy = find_policy("exact")(config)
    boards = boards_met(policy, config, games)
    clicks = policy.act(boards, (boards > config.codes.max_count).reshape(len(boards), -1).astype(np.int8))
    return list(zip(boards, clicks, strict=True))


def number_won(policy, config, layouts) -> int:
    """Returns the number of games that a policy wins, given the layouts after the first click."""
    env = MinesweeperEnv(**config.arguments())
    won = 0
    for layout in layouts:
        board, info = env.reset(options={"layout": layout})
        done = False
        while not done:
            action = policy.act(board[None], info["action_mask"][None])[0]
            board, _, done, _, info = env.step(int(action))
        won += info["is_success"]
    return won


def mcnemar_p_value(first, second):
    """Returns the p-value of the exact McNemar test for the outcomes of two players in the same games."""
    pairs = list(zip(first, second, strict=True))
    return p_value_of_discordant(sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs))
