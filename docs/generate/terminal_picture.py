"""Picture of the terminal game in README, with exact risks and a hint: `python docs/generate/terminal_picture.py`."""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

from minesweeper_env.config import BoardConfig
from minesweeper_play.game.session import Session
from minesweeper_play.game.statistics import Statistics
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.app import MinesweeperApp

FILE = Path(__file__).parents[1] / "images" / "terminal.svg"


def play_to_the_middle() -> Session:
    """Returns a game in which each move follows the hint, and some mines have flags; the clock shows a fixed time."""
    ticks = [0.0]
    session = Session(BoardConfig.of_size((16, 30), 99), seed=5, now=lambda: ticks[0])
    for move in range(20):
        ticks[0] = 3.0 * move
        advice = session.hint()
        for cell in advice.steps[0].mine if advice.steps else ():
            if session.board[cell] == session.config.codes.hidden:
                session.flag(*cell)
        session.open(*advice.cell)
    return session


async def draw() -> str:
    """Returns the picture as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        app = MinesweeperApp(
            PlayOptions(animation=False), session=play_to_the_middle(), statistics=Statistics(Path(folder))
        )
        async with app.run_test(size=(96, 25)) as pilot:
            await pilot.press("p", "h")
            # Risks and hint come from other threads.
            while not app.screen.board.picture.marks or app.screen.board.picture.levels is None:
                await pilot.pause(0.1)
            await pilot.pause()
            picture = app.export_screenshot(title="python play.py --preset expert")
    # The viewer's own font does: the picture then asks no other computer for anything.
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)


if __name__ == "__main__":
    FILE.write_text(asyncio.run(draw()), encoding="utf-8")
