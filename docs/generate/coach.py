"""Blocks of docs/how-to/coach.md: an analysis and a review, as `play.py` prints them."""

import re
from functools import cache
from pathlib import Path

import numpy as np

from baselines.registry import find_policy
from minesweeper_env import BoardConfig
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.coach.board_text import read_board
from minesweeper_play.coach.review import Review, analyse_position, review_game
from minesweeper_play.coach.sentences import position_lines, review_lines
from minesweeper_play.game.session import Session

PAGE = Path(__file__).parents[1] / "how-to" / "coach.md"
BOARD = BoardConfig(8, 8, 14, moves=("click",))
POLICY, SEED = "straightforward", 0
"""The reviewed game: the policy that plays, and the seed."""


@cache
def review() -> Review:
    """Returns the review of the game."""
    session, player = Session(BOARD, seed=SEED, now=lambda: 0.0), find_policy(POLICY)(BOARD, 7)
    while not session.is_over:
        board = session.board
        mask = (board > BOARD.codes.max_count).reshape(1, -1).astype(np.int8)
        session.open(*divmod(int(player.act(board[None], mask)[0]), BOARD.cols))
    return review_game(session)


def block(name: str) -> str:
    """Returns the text of a block of the page: of "position", an analysis, or "avoidable", the start of a review."""
    if name == "position":
        analysis = analyse_position(read_board("1 1 1 1\n# F # #\n# # # #"), 4)
        return "\n".join(position_lines(analysis, Catalogue("en"), 80))
    title, _, table, *moves = "\n".join(review_lines(review(), Catalogue("en"), 80)).split("\n\n")
    return "\n\n".join([title, table, *moves[:2]])


def fill(page: str) -> str:
    """Returns the page with new content between its markers."""
    pattern = r"(<!-- coach: (\w+) -->\n```\w*\n).*?(```\n<!-- end of coach -->)"
    return re.sub(pattern, lambda match: f"{match[1]}{block(match[2])}\n{match[3]}", page, flags=re.DOTALL)
