"""Blocks of docs/how-to/coach.md: reviews of games that policies lose, and an analysis, as `play.py` prints them."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np

from baselines.registry import build_policy
from minesweeper_env import BoardConfig
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.coach.board_text import read_board
from minesweeper_play.coach.command import position_content
from minesweeper_play.coach.position import analyse_position
from minesweeper_play.coach.review import Review, review_game
from minesweeper_play.coach.texts import position_lines, review_lines
from minesweeper_play.game.session import Session

PAGE = Path(__file__).parents[1] / "how-to" / "coach.md"
BOARD = BoardConfig(8, 8, 14, moves=("click",))
GAMES = {"avoidable": ("straightforward", 0), "inaccurate": ("expected_value", 16), "unlucky": ("exact", 0)}
"""The reviewed games: the policy that plays, and the seed."""


@cache
def review(kind: str) -> Review:
    """Returns the review of one of the games."""
    policy, seed = GAMES[kind]
    session, player = Session(BOARD, seed=seed, now=lambda: 0.0), build_policy(policy, BOARD, 7)
    while not session.is_over:
        board = session.board
        mask = (board > BOARD.codes.max_count).reshape(1, -1).astype(np.int8)
        session.open(*divmod(int(player.act(board[None], mask)[0]), BOARD.cols))
    return review_game(session)


def block(name: str) -> str:
    """Returns the content of a block of the page: a game and perhaps " es", "position" or "json"."""
    kind, _, language = name.partition(" ")
    if kind in GAMES:
        return "\n".join(review_lines(review(kind), Catalogue(language or "en"), 80))
    analysis = analyse_position(read_board("1 1 1 1\n# F # #\n# # # #"), 4)
    if kind == "position":
        return "\n".join(position_lines(analysis, Catalogue("en"), 80))
    lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in position_content(analysis).items())
    return "{\n" + ",\n".join(lines) + "\n}"


def fill(page: str) -> str:
    """Returns the page with new content between its markers."""
    pattern = r"(<!-- coach: ([a-z ]+) -->\n```\w*\n).*?(```\n<!-- end of coach -->)"
    return re.sub(pattern, lambda found: f"{found[1]}{block(found[2])}\n{found[3]}", page, flags=re.DOTALL)
