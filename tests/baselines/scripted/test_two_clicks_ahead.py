"""`lookahead` two clicks ahead, against a plain search over lists of layouts, and its older play one click ahead."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support import ROOT
from support.policies import Recorder, all_layouts, click_config, consistent_layouts

from baselines.evaluation.games import play_games
from baselines.registry import build_policy
from baselines.scripted.base import neighbour_sums
from minesweeper_env import HIDDEN

GOLDEN = ROOT / "tests" / "baselines" / "scripted" / "golden" / "lookahead-one-click.json"
DISCOUNT = 0.02


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
        promise = [self.promise(board, risks, cell) for cell in near]
        order = sorted(zip(near, promise, strict=True), key=lambda each: (1.0 - risks[each[0]]) * 1e6 + each[1])
        return [int(cell) for cell, _ in reversed(order)][:breadth]

    def promise(self, board: np.ndarray, risks: np.ndarray, cell: int) -> float:
        rows, cols = board.shape
        row, col = divmod(cell, cols)
        is_open, zero = 0, 0.999
        for r in range(max(0, row - 1), min(rows, row + 2)):
            for c in range(max(0, col - 1), min(cols, col + 2)):
                if (r, c) == (row, col):
                    continue
                is_open += board[r, c] != HIDDEN
                zero *= 1.0 - risks[r * cols + c] if board[r, c] == HIDDEN else 1.0
        return is_open + zero

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


def guesses(config, games: int, most: int) -> list[np.ndarray]:
    """Returns boards without a safe cell, which at least two and at most `most` layouts fit."""
    recorder = Recorder(build_policy("exact", config))
    play_games(recorder, config, range(games))
    layouts = all_layouts(config)
    boards = []
    for board in np.unique(np.stack(recorder.seen), axis=0):
        if (board < HIDDEN).any():
            fitting = consistent_layouts(board, layouts)
            if 1 < len(fitting) <= most and fitting.mean(axis=0)[board == HIDDEN].min() > 0.0:
                boards.append(board)
    return boards


@pytest.mark.parametrize(
    ("options", "slack", "breadths", "discount"),
    [
        ({}, 0.12, [8, 6], 0.02),
        ({"breadth": 30, "next_breadth": 30, "slack": 1.0, "discount": 0.3}, 1.0, [30, 30], 0.3),
        ({"breadth": 30, "next_breadth": 30, "discount": 1.5}, 0.12, [30, 30], 1.5),
        ({"discount": 0}, 0.12, [8, 6], 0.0),
    ],
)
def test_two_clicks_ahead_the_click_has_the_value_that_a_plain_search_finds(options, slack, breadths, discount):
    config = click_config(4, 5, 5, "safe")
    policy = build_policy("lookahead", config, layouts=0, clicks=2, **options)
    boards, layouts = guesses(config, 60, 1500)[::2], all_layouts(config)
    assert len(boards) > 15
    for board in boards:
        values = PlainSearch(board, layouts, slack, breadths, discount).values()
        click = policy.act(board[None], (board == HIDDEN).reshape(1, -1).astype(np.int8))[0]
        assert values[click] >= max(values.values()) - 2e-9


def test_one_click_ahead_it_plays_the_games_that_it_always_played():
    for golden in json.loads(GOLDEN.read_text()):
        rows, cols = golden["size"]
        config = click_config(rows, cols, golden["mines"], golden["first_click"])
        seeds = [game["seed"] for game in golden["games"]]
        records = play_games(build_policy("lookahead", config, clicks=1), config, seeds, record=True)
        for game, record in zip(golden["games"], records, strict=True):
            assert record.won == game["won"]
            assert " ".join(map(str, np.frombuffer(record.actions, "<u2"))) == game["clicks"]


def test_two_clicks_ahead_it_plays_boards_of_every_kind_and_leaves_them_alone():
    for config in (click_config(16, 30, 99), click_config(1, 12, 3, "any"), click_config(8, 8, 14, "safe")):
        recorder = Recorder(build_policy("lookahead", config, clicks=2, layouts=100))
        play_games(recorder, config, range(4))
        boards = np.stack(recorder.seen)
        before = boards.copy()
        masks = (boards > 8).reshape(len(boards), -1).astype(np.int8)
        together = recorder.policy.act(boards, masks)
        assert (boards == before).all()
        assert (recorder.policy.act(boards[::-1], masks[::-1])[::-1] == together).all()


def test_two_clicks_ahead_it_keeps_to_the_legal_clicks():
    config = click_config(8, 8, 14)
    policy = build_policy("lookahead", config, clicks=2)
    recorder = Recorder(policy)
    play_games(recorder, config, range(20))
    boards = np.unique(np.stack(recorder.seen), axis=0)
    masks = (boards > 8).reshape(len(boards), -1).astype(np.int8)
    clicks = policy.act(boards, masks)
    masks[np.arange(len(boards)), clicks] = 0
    others = policy.act(boards, masks)
    assert masks[np.arange(len(boards)), others].all()
