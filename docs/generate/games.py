"""Pictures of games: a pair as GIF, the terminal, the coach, two policies next to each other, and the window."""

import asyncio
import io
import os
import re
from functools import partial
from pathlib import Path

import coach
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from baselines.evaluation.evaluate import evaluate_policy
from baselines.recording import PAPER, TEXT, animated_gif, draw_board, lines_of, replay, slides_of
from baselines.registry import find_policy
from minesweeper_env import BoardConfig
from minesweeper_env.window import load_pygame
from minesweeper_play.game.records import Statistics
from minesweeper_play.game.session import Session
from minesweeper_play.game.watched_policy import load_policies
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.app import MinesweeperApp, WatchScreen
from minesweeper_play.terminal.base import GameAppScreen
from minesweeper_play.terminal.board import BoardCanvas
from minesweeper_play.terminal.reviewing import ReviewScreen
from minesweeper_play.window import GameWindow

NOBODY = Statistics(Path(os.devnull))
"""Empty statistics, which are never saved."""


def as_png(picture: Image.Image) -> bytes:
    """Returns a picture as PNG of at most 256 colours, a third of the bytes."""
    buffer = io.BytesIO()
    picture.quantize(256, Image.Quantize.FASTOCTREE).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def draw_pair() -> bytes:
    """Returns a game of `dqn` beside one of `exact` on the same board, with the mine probabilities.

    `dqn` loses it by a click of risk 1/4 beside a safe cell.
    """
    config, seed, games = BoardConfig.of_size(8, moves=("click",)), 1_500_000_048, []
    for name in ("dqn", "exact:first=middle"):
        result = evaluate_policy(partial(find_policy(name), config), config, [seed], record=True)
        actions = np.frombuffer(result.records[0].actions, "<u2").tolist()
        games.append(replay(name.partition(":")[0], config, seed, actions))
    slides = slides_of([games], 0.8)

    def draw_slide(index: int) -> Image.Image:
        picture = Image.new("RGB", (548, 324), PAPER)
        pen, font = ImageDraw.Draw(picture), ImageFont.load_default(18)
        for x, (game, frame) in zip((12, 280), slides[index].frames, strict=True):
            lines = dict(lines_of(game, frame))
            risks = ", ".join(f"{name} {lines[name]}" for name in ("risk", "least risk") if name in lines)
            picture.paste(draw_board(game, frame, True), (x, 36))
            pen.text((x, 8), f"{game.policy} {lines.get('result', '')}", TEXT, font=font)
            pen.text((x, 296), risks, TEXT, font=font)
        return picture

    return animated_gif(draw_slide, [slide.seconds for slide in slides])


def half_played(size: tuple[int, int], mines: int, seed: int, moves: int) -> Session:
    """Returns a game after `moves` moves that follow the hint, with flags on some mines, three seconds a move."""
    clock = [0.0]
    session = Session(BoardConfig.of_size(size, mines), seed=seed, now=lambda: clock[0])
    for move in range(moves):
        clock[0] = 3.0 * move
        advice = session.hint()
        for cell in advice.steps[0].mine if advice.steps else ():
            if session.board[cell] == session.config.codes.hidden:
                session.flag(*cell)
        session.open(*advice.cell)
    return session


async def _screenshot(
    app: MinesweeperApp, height: int, title: str, *rounds: str, screen: GameAppScreen | None = None
) -> bytes:
    """Returns the screen of an app as SVG, after rounds of keys; each round waits for risks and marks on a board."""
    # Wider screens have smaller type on a phone.
    async with app.run_test(size=(68, height)) as pilot:
        if screen is not None:
            await app.push_screen(screen)
        for keys in rounds:
            await pilot.press(*keys.split())
            # Risks, hints and moves come from other threads.
            while not any(
                canvas.picture.marks and canvas.picture.levels is not None for canvas in app.screen.query(BoardCanvas)
            ):
                await pilot.pause(0.1)
        # The footer follows the screen.
        await pilot.pause(1.0)
        picture = app.export_screenshot(title=title)
    # Without @font-face the viewer's own font serves, and the picture loads nothing from the network.
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL).encode()


def draw_terminal() -> bytes:
    """Returns the terminal game with exact risks and a hint."""
    app = MinesweeperApp(PlayOptions(animation=False), session=half_played((16, 16), 40, 5, 20), statistics=NOBODY)
    return asyncio.run(_screenshot(app, 25, "play.py --preset intermediate", "p h"))


def draw_review() -> bytes:
    """Returns the coach's screen, as SVG, for the game of docs/how-to/coach.md."""
    review = coach.review()
    app = MinesweeperApp(PlayOptions(), session=review.session, statistics=NOBODY)
    return asyncio.run(_screenshot(app, 20, "the coach's review", screen=ReviewScreen(app.services, review)))


def draw_versus() -> bytes:
    """Returns two policies at play on one board, after some moves."""
    options = PlayOptions(versus=("dqn", "exact"), seed=1)
    app = MinesweeperApp(options, statistics=NOBODY)
    screen = WatchScreen(app.services, load_policies(options), options.seed or 0)
    screen.paused = True
    return asyncio.run(_screenshot(app, 17, "play.py --versus dqn exact", *["full_stop"] * 8, screen=screen))


def draw_window() -> bytes:
    """Returns the game in a window, with exact risks and a hint."""
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    pygame = load_pygame()
    window = GameWindow(pygame, PlayOptions(), half_played((16, 16), 40, 5, 20))
    for key in "ph":
        window.key(key)
    window.draw()
    surface = pygame.display.get_surface()
    return as_png(Image.frombytes("RGB", surface.get_size(), pygame.image.tobytes(surface, "RGB")))


PICTURES = {
    "pair.gif": draw_pair,
    "terminal.svg": draw_terminal,
    "review.svg": draw_review,
    "versus.svg": draw_versus,
    "window.png": draw_window,
}
"""Functions that draw the pictures, by the names of their files."""
