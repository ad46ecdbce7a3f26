"""Games on the screen, driven by Textual's pilot without a terminal."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from inspect import Signature, signature
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from minesweeper_play.game.records import Statistics
from minesweeper_play.game.session import Session
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.app import MinesweeperApp
from minesweeper_play.terminal.board import BoardView
from support.played_games import session_on

Script = Callable[[MinesweeperApp, Pilot[int]], Awaitable[Any]]

WALL = ("..*..", "..*..", ".....", "*....")
"""A layout whose openings are left and right of a wall of mines."""


def wall_session() -> Session:
    return session_on(*WALL, first_click="safe")


def drive(script: Script, folder: Any, *, session=None, size=(80, 24), players=(), file=None, **options: Any) -> Any:
    """Runs a script against a game on a screen of a size, and returns what it returns.

    Openings are not animated unless `animation=True` is given. The statistics are in `folder`, or where None puts
    them, and no settings are kept unless a file is given.
    """
    play_options = PlayOptions(**{"animation": False, **options})
    app = MinesweeperApp(play_options, players, session, folder and Statistics(folder), file)

    async def run() -> Any:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            return await script(app, pilot)

    return asyncio.run(run())


def on_screen(session: Callable[[], Session] | None = None, **settings: Any) -> Callable[[Any], Callable[..., None]]:
    """Makes a test of a script; it plays the game that `session` returns, with the other settings of `drive`.

    The script may take fixtures and parameters of pytest after the app and the pilot.
    """

    def decorate(script: Any) -> Callable[..., None]:
        taken = dict([*signature(script).parameters.items()][2:])

        def test(tmp_path: Any, **given: Any) -> None:
            given |= {"tmp_path": tmp_path} if "tmp_path" in taken else {}
            drive(partial(script, **given), tmp_path, session=session and session(), **settings)

        test.__name__ = script.__name__
        tmp_path = signature(test).parameters["tmp_path"]
        test.__signature__ = Signature([*({"tmp_path": tmp_path} | taken).values()])  # type: ignore[attr-defined]
        return test

    return decorate


def shown(app: MinesweeperApp) -> str:
    """Returns the text on the screen, a line per line."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def place_of(view: BoardView, cell: tuple[int, int]) -> tuple[int, int]:
    """Returns the first column and line of the widget that show a cell."""
    width, height = view.size
    return next((x, y) for y in range(height) for x in range(width) if view.cell_at(x, y) == cell)


async def click(app: MinesweeperApp, pilot: Pilot[int], cell: tuple[int, int], button: int = 1) -> None:
    view = app.screen.query_one(BoardView)
    await pilot.click(view, offset=place_of(view, cell), button=button)


async def press(pilot: Pilot[int], *keys: str) -> None:
    """Presses keys, and waits for what they do."""
    await pilot.press(*keys)
    await pilot.pause()


async def fill(app: MinesweeperApp, pilot: Pilot[int], **values: Any) -> None:
    """Writes into fields of a dialog, one after the other."""
    for name, value in values.items():
        field: Any = app.screen.query_one(f"#{name}")
        field.value = str(value) if isinstance(field, Input) else value
        await pilot.pause()


async def typed(app: MinesweeperApp, pilot: Pilot[int], line: str) -> None:
    """Types a command at the prompt."""
    prompt = app.screen.query_one("#prompt", Input)
    prompt.focus()
    prompt.value = line
    await press(pilot, "enter")


async def settled(pilot: Pilot[int], is_there: Callable[[], object], seconds: float = 120.0) -> None:
    """Waits until something is there, such as an answer from another thread."""
    for _ in range(int(seconds / 0.02)):
        if is_there():
            return
        await pilot.pause(0.02)
    raise AssertionError("it did not come")
