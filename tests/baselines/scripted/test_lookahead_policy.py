"""`lookahead` against a plain search over lists of layouts, its exact endgame, and its older play one click ahead."""

import json
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from support import ROOT
from support.policies import (
    all_layouts,
    boards_in_play,
    boards_met,
    click_config,
    consistent_layouts,
    number_won,
    promise_of,
)

from baselines.evaluation.games import play_games
from baselines.registry import find_policy
from baselines.scripted.base import neighbour_sums
from baselines.scripted.oracle_play.lookahead import Endings
from minesweeper_env import HIDDEN, BoardConfig
from minesweeper_env.inference import count_layouts, first_cell_values, mine_probabilities


class PlainSearch:
    """The value of a click by its definition; a position is the list of its layouts, without any cut-off."""

    def __init__(self, board: np.ndarray, layouts: np.ndarray, slack: float, breadths: list[int], discount: float):
        self.slack, self.breadths, self.discount = slack, breadths, discount
        self.layouts = consistent_layouts(board, layouts)
        self.counts = neighbour_sums(self.layouts, 1)
        self.board = board

    def candidates(self, board: np.ndarray, rows: np.ndarray, breadth: int) -> list[int]:
        """Returns cells by risk, then by open neighbours and the probability of a 0, then in reading order."""
        risks = self.layouts[rows].mean(axis=0).ravel()
        covered = np.flatnonzero(board.ravel() == HIDDEN)
        near = covered[risks[covered] <= risks[covered].min() + self.slack]
        ties = [promise_of(board, risks.reshape(board.shape), cell) for cell in near]
        worth = (1.0 - risks[near]) * 1e6 + [opened + 0.999 * zero for opened, zero in ties]
        return near[np.argsort(worth, kind="stable")[::-1]].tolist()[:breadth]

    def board_value(self, board: np.ndarray, rows: np.ndarray, clicks: int) -> float:
        covered = board.ravel() == HIDDEN
        risks = self.layouts[rows].mean(axis=0).ravel()[covered]
        if (risks == 1.0).all():
            return 1.0
        if clicks == 0:
            return (1.0 - risks.min()) * len(rows) ** -self.discount
        cells = self.candidates(board, rows, self.breadths[-clicks])
        return max(self.click_value(board, rows, cell, clicks) for cell in cells)

    def click_value(self, board: np.ndarray, rows: np.ndarray, cell: int, clicks: int) -> float:
        mined = self.layouts[rows].reshape(len(rows), -1)[:, cell]
        counts = self.counts[rows].reshape(len(rows), -1)[:, cell]
        value = 0.0
        for count in np.unique(counts[~mined]):
            then = board.copy()
            then.ravel()[cell] = count
            left = rows[~mined & (counts == count)]
            value += len(left) / len(rows) * self.board_value(then, left, clicks - 1)
        return value

    def values(self) -> dict[int, float]:
        rows = np.arange(len(self.layouts))
        cells = self.candidates(self.board, rows, self.breadths[0])
        return {cell: self.click_value(self.board, rows, cell, len(self.breadths)) for cell in cells}


@cache
def guesses(config, games: int, most: int) -> list[np.ndarray]:
    """Returns boards without a safe cell, which at least two and at most `most` layouts fit."""
    layouts, boards = all_layouts(config), []
    for board in boards_met(find_policy("exact")(config), config, games):
        if (board < HIDDEN).any():
            fitting = consistent_layouts(board, layouts)
            if 1 < len(fitting) <= most and fitting.mean(axis=0)[board == HIDDEN].min() > 0.0:
                boards.append(board)
    return boards


@pytest.mark.parametrize(
    ("options", "slack", "breadths", "discount"),
    [
        ({"clicks": 1, "slack": 0.15, "discount": 0.1, "breadth": 20}, 0.15, [20], 0.1),
        ({}, 0.12, [8, 6], 0.02),
        ({"breadth": 30, "next_breadth": 30, "slack": 1.0, "discount": 0.3}, 1.0, [30, 30], 0.3),
        ({"breadth": 30, "next_breadth": 30, "discount": 1.5}, 0.12, [30, 30], 1.5),
        ({"discount": 0}, 0.12, [8, 6], 0.0),
    ],
)
def test_the_click_has_the_value_that_a_plain_search_finds(options, slack, breadths, discount):
    config = click_config(4, 5, 5, "safe")
    policy = find_policy("lookahead", layouts=0, **options)(config)
    boards, layouts = guesses(config, 60, 1500)[::2], all_layouts(config)
    assert len(boards) > 15
    for board in boards:
        values = PlainSearch(board, layouts, slack, breadths, discount).values()
        click = policy.act(board[None], (board == HIDDEN).reshape(1, -1).astype(np.int8))[0]
        assert values[click] >= max(values.values()) - 2e-9


def test_one_click_ahead_it_plays_the_games_that_it_always_played():
    path = ROOT / "tests" / "baselines" / "scripted" / "golden" / "lookahead-one-click.json"
    for golden in json.loads(path.read_text()):
        rows, cols = golden["size"]
        config = click_config(rows, cols, golden["mines"], golden["first_click"])
        seeds = [game["seed"] for game in golden["games"]]
        records = play_games(find_policy("lookahead", clicks=1)(config), config, seeds, record=True)
        for game, record in zip(golden["games"], records, strict=True):
            assert record.won == game["won"]
            assert " ".join(map(str, np.frombuffer(record.actions, "<u2"))) == game["clicks"]


@pytest.mark.parametrize(("rows", "cols", "mines"), [(3, 3, 2), (3, 4, 3), (4, 4, 3)])
def test_with_all_layouts_searched_it_wins_as_many_as_perfect_play_after_its_first_click(rows, cols, mines):
    config = click_config(rows, cols, mines, "safe")
    layouts = all_layouts(config)
    layouts = layouts[~layouts[:, 0, 0]]
    value = first_cell_values(rows, cols, mines, "safe")[0, 0]
    assert Fraction(number_won(find_policy("lookahead")(config), config, layouts), len(layouts)) == value


@pytest.mark.parametrize(
    ("config", "options"),
    [
        (click_config(16, 30, 99), {"layouts": 100}),
        (click_config(1, 12, 3, "any"), {"layouts": 100}),
        (click_config(8, 8, 14), {}),
        (click_config(8, 8, 14, "safe"), {"layouts": 100}),
    ],
)
def test_it_takes_no_needless_risk_and_leaves_boards_alone_and_keeps_to_legal_clicks(config, options):
    policy = find_policy("lookahead", **options)(config)
    boards = boards_met(policy, config, 6)
    before, masks = boards.copy(), (boards > 8).reshape(len(boards), -1).astype(np.int8)
    clicks = policy.act(boards, masks)
    assert (boards == before).all()
    assert (policy.act(boards[::-1], masks[::-1])[::-1] == clicks).all()
    for board, click in zip(boards, clicks, strict=True):
        probabilities = mine_probabilities(board, config.mines)
        if (board <= 8).any() and (probabilities[board > 8] == 0.0).any():
            assert probabilities.ravel()[click] == 0.0
    masks[np.arange(len(boards)), clicks] = 0
    others = policy.act(boards, masks)
    assert masks[np.arange(len(boards)), others].all()


def test_it_plays_with_a_search_that_is_cut_short_and_on_boards_of_radius_2():
    config = click_config(6, 6, 9, "safe")
    records = play_games(find_policy("lookahead:nodes=1")(config), config, range(50))
    assert 0 < sum(record.won for record in records) < 50
    config = BoardConfig(7, 6, 4, "safe", ("click",), radius=2)
    assert sum(record.won for record in play_games(find_policy("lookahead")(config), config, range(20))) > 0


def test_the_number_of_layouts_decides_whether_a_board_is_searched():
    config = click_config(4, 5, 4)
    numbers = [(board, count_layouts(board, 4)) for board in boards_in_play(config, 100) if (board <= 8).any()]
    some = sorted({layouts for _, layouts in numbers})
    limit = some[len(some) // 2]
    endings = Endings(config, limit, 100_000)
    for board, layouts in numbers:
        # A logarithm comes with a rounding error.
        found = endings.find(board.ravel(), math.log(layouts) + 1e-8)
        assert (found is not None) == (layouts <= limit) == (math.log(layouts) <= endings.most)
    assert Endings(config, 0, 1).find(np.full((4, 5), HIDDEN, np.int8), 0.0) is None
