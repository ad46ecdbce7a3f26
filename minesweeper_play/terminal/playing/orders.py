"""Typed commands on the game screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from minesweeper_play.game.commands import Command, CommandError, parse_command
from minesweeper_play.game.saved import save_game
from minesweeper_play.terminal.playing.table import KEYS

if TYPE_CHECKING:
    from minesweeper_play.terminal.playing.screen import GameScreen

MOVES = {"try": "open", "flag": "flag", "question": "question", "expand": "expand", "chord": "chord"}
"""The commands that are moves on a cell, and the methods of a session that make them."""

ACTIONS = {
    "hint": "hint",
    "probabilities": "risks",
    "undo": "undo",
    "review": "review",
    "man": "manual",
    "help": "manual",
    "new": "new",
    "quit": "leave",
    "assist": "assist",
}
"""The other commands, and the actions of the screen that carry them out."""


def carry_out(screen: GameScreen, line: str) -> None:
    """Carries out a line of the prompt; a line that is no command gets a message.

    The colon that leads to the prompt may stand before the command. A key of the bottom line is a command, too, since
    messages name keys.
    """
    if (action := dict(KEYS).get(line.strip())) is not None:
        screen.call_next(screen.run_action, action)
        return
    config = screen.session.config
    try:
        command = parse_command(line.lstrip(" :"), config.rows, config.cols)
    except CommandError as error:
        screen.say(error.key, **error.values)
        return
    if command.cell is not None:
        screen.board.move_to(command.cell)
    if command.cell is not None and command.word == "hint":
        screen.hint_at(command.cell)
    elif command.cell is not None:
        screen.move(MOVES[command.word], command.cell)
    elif command.word == "save":
        _save(screen, command)
    else:
        screen.call_next(screen.run_action, ACTIONS[command.word])


def _save(screen: GameScreen, command: Command) -> None:
    if screen.app.is_web:
        # The file would lie on the computer that serves the page, wherever the visitor says.
        screen.say("save_on_web")
        return
    path = Path(command.path).expanduser()
    try:
        save_game(screen.session, path)
    except OSError as error:
        screen.say("save_failed", path=path, reason=error.strerror or str(error))
    else:
        screen.say("saved", path=path)
