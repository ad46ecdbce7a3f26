"""Text of docs/how-to/coach.md: reviews of lost games and an analysis.

The code that `play.py` runs makes them. `docs/generate/pages.py` calls `write_coach_page`. The games are those of
policies with published seeds.
"""

from __future__ import annotations

import json
import re
from functools import cache

import numpy as np
from results import DOCS

from baselines.registry import build_policy
from minesweeper_env import BoardConfig
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.coach.board_text import read_board
from minesweeper_play.coach.command import position_content
from minesweeper_play.coach.position import analyse_position
from minesweeper_play.coach.review import Review, review_game
from minesweeper_play.coach.texts import position_lines, review_lines
from minesweeper_play.game.session import Session
from minesweeper_play.options import Language

PAGE = DOCS / "how-to" / "coach.md"

WIDTH = 80
BOARD = BoardConfig(8, 8, 14, moves=("click",))

GAMES = {"avoidable": ("subset", 0), "inaccurate": ("expected_value", 16), "unlucky": ("exact", 0)}
"""The reviewed games: the policy that plays, and the seed."""

POSITION = "1 1 1 1\n# F # #\n# # # #"
POSITION_MINES = 4


def played(policy: str, seed: int) -> Session:
    """Returns the game of a policy on the board of the page."""
    session, player = Session(BOARD, seed=seed, now=lambda: 0.0), build_policy(policy, BOARD, 7)
    while not session.is_over:
        board = session.board
        mask = (board > BOARD.codes.max_count).reshape(1, -1).astype(np.int8)
        session.open(*divmod(int(player.act(board[None], mask)[0]), BOARD.cols))
    return session


@cache
def review(kind: str) -> Review:
    """Returns the review of one of the games."""
    return review_game(played(*GAMES[kind]))


def block(name: str) -> str:
    """Returns the content of a block of the page: a game and perhaps a language, "position" or "json"."""
    kind, _, language = name.partition(" ")
    if kind in GAMES:
        chosen: Language = "es" if language == "es" else "en"
        return "\n".join(review_lines(review(kind), Catalogue(chosen), WIDTH))
    analysis = analyse_position(read_board(POSITION), POSITION_MINES)
    if kind == "position":
        return "\n".join(position_lines(analysis, Catalogue("en"), WIDTH))
    content = position_content(analysis)
    lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in content.items())
    return "{\n" + ",\n".join(lines) + "\n}"


def fill(page: str) -> str:
    """Returns the page with new content between its markers."""
    pattern = r"(<!-- coach: ([a-z ]+) -->\n)```(\w*)\n.*?```(\n<!-- end of coach -->)"
    return re.sub(
        pattern, lambda found: f"{found[1]}```{found[3]}\n{block(found[2])}\n```{found[4]}", page, flags=re.DOTALL
    )


def write_coach_page() -> None:
    """Writes the blocks of the page."""
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write_coach_page()
