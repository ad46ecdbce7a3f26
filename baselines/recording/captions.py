"""Texts next to the boards of a recording."""

from __future__ import annotations

import math

from baselines.recording.replay import RecordedGame
from baselines.support.board_names import size_name
from minesweeper_env.config import counted

Line = tuple[str, str]
"""A label and its text."""


def format_risk(risk: float) -> str:
    """Returns a mine probability in per cent; only what is certain is 0 % or 100 %."""
    if math.isnan(risk):
        return "unknown"
    if 0.0 < risk < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= risk < 1.0:
        return "> 99.9 %"
    return f"{100 * risk:.0f} %" if risk in (0.0, 1.0) else f"{100 * risk:.1f} %"


def fixed_lines(game: RecordedGame) -> list[Line]:
    """Returns the lines that stay the same in all frames of a game."""
    config = game.config
    logic = ", no guess" if config.no_guess else ""
    board = f"{size_name(config.rows, config.cols)}, {counted(config.mines, 'mine')}{logic}"
    return [("policy", game.policy), ("board", board), ("game", f"seed {game.seed}")]


def frame_lines(game: RecordedGame, frame: int) -> list[Line]:
    """Returns the lines of one frame: the move, its cell and its risk, and at the end the result."""
    last = min(frame, len(game.turns) - 1)
    turn = game.turns[last]
    lines = [
        ("move", f"{last + 1} of {len(game.turns)}"),
        (turn.move, f"row {turn.row}, column {turn.col}"),
        ("risk", format_risk(turn.risk)),
    ]
    if turn.move == "click" and turn.risk - turn.least > 1e-9:
        lines.append(("least risk", format_risk(turn.least)))
    if frame == len(game.turns):
        lines.append(("result", game.result))
    return lines


def summary(game: RecordedGame) -> list[str]:
    """Returns the two lines below a final board in a gallery."""
    moves = len(game.turns)
    if game.result == "lost":
        first = f"lost on move {moves} at {format_risk(game.turns[-1].risk)}"
    else:
        first = f"{game.result} in {moves} moves"
    return [first, f"seed {game.seed}, risk taken {format_risk(game.risk_taken)}"]


def games_name(count: int) -> str:
    """Returns a number of games in words, such as "1 game"."""
    return f"{count} game{'' if count == 1 else 's'}"


def gallery_title(games: list[RecordedGame]) -> str:
    """Returns the title of a gallery of one policy's games."""
    config = games[0].config
    logic = " and no guess" if config.no_guess else ""
    board = f"{size_name(config.rows, config.cols)} with {counted(config.mines, 'mine')}{logic}"
    won = sum(game.result == "won" for game in games)
    return f"{games[0].policy} on {board}: {games_name(len(games))}, {won} won, sorted by the risk taken"
