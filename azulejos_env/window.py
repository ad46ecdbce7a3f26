"""Window of the render mode "human", in which a person may also play the machine."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import lru_cache
from threading import Thread

import numpy as np
from numpy.typing import NDArray

from azulejos_env.position import Cell, Position
from azulejos_env.rendering import LIGHT, PAPER, View, picture_size, render_picture
from minesweeper_env.window import Window, load_pygame

FPS = 25.0
KEYS = "click a group; u takes a move back, r begins again, q leaves"
NAMES = ("you", "machine")
PERSON, MACHINE = 0, 1

MARGIN = 3
FONT_SIZES = range(24, 7, -1)
"""Font sizes to try for the text below the board, in pixels."""


def show_game(window: Window, view: View, fps: float, hint: str = "") -> None:
    """Shows a position, its status and a hint, for one frame; without a hint, it shows a finished game for a second."""
    rows, cols = view.board.shape
    height, width = picture_size(view)
    # Room for the text below. A high board has small tiles, so its text takes more of them.
    size_in_tiles = height + 2 + rows // 16, max(width, rows // 2)
    text = f"{view.status_line()}\n{hint}"

    def draw(side: int) -> NDArray[np.uint8]:
        picture = np.empty((side * size_in_tiles[0], side * size_in_tiles[1], 3), np.uint8)
        picture[:] = PAPER
        picture[: side * height, : side * width] = render_picture(view, side)
        below = picture[side * height + MARGIN :, MARGIN:]
        text_picture = picture_of_text(text, *below.shape[:2])
        below[: len(text_picture), : text_picture.shape[1]] = text_picture
        return picture

    seconds = 1 / fps if hint or view.turn is not None else 1.0
    window.show(draw, size_in_tiles, f"Azulejos {rows}x{cols}: {view.status_line()}", seconds)


@lru_cache(maxsize=16)
def picture_of_text(text: str, height: int, width: int) -> NDArray[np.uint8]:
    """Returns a picture of text, (h, w, 3) uint8, in the largest font that fits into `height` and `width` pixels."""
    pygame = load_pygame()
    pygame.font.init()
    for size in FONT_SIZES:
        surface = pygame.font.Font(None, size).render(text, True, LIGHT, PAPER, width)
        if surface.get_height() <= height and surface.get_width() <= width:
            break
    return np.asarray(pygame.surfarray.array3d(surface).swapaxes(0, 1)[:height, :width])


class Match:
    """A game of a person, who moves first, against the machine; moves can be taken back.

    `message` says why the person's last click or key had no effect; it is empty after an effect.
    """

    def __init__(self, position: Position, choose: Callable[[Position], Cell]) -> None:
        """Begins a game; `choose` returns the moves of the machine, and runs in another thread."""
        self._choose, self.message, self.has_left = choose, "", False
        self._history: list[tuple[Position, NDArray[np.bool_]]] = []
        self._set_position(position, np.zeros(position.board.shape, np.bool_))

    def _set_position(self, position: Position, emptied: NDArray[np.bool_]) -> None:
        self.position, self._emptied, self._turn_start = position, emptied, time.monotonic()
        self._answer: Future[Cell] | None = None
        if position.player == MACHINE and not position.over:
            self._answer = Future()
            # A daemon, so that a long search does not keep the program alive when the person leaves.
            Thread(target=self._choose_move, args=(self._answer, position), daemon=True).start()

    def _choose_move(self, answer: Future[Cell], position: Position) -> None:
        try:
            answer.set_result(self._choose(position))
        except Exception as error:
            answer.set_exception(error)

    @property
    def is_thinking(self) -> bool:
        """Whether the machine is choosing its move."""
        return self._answer is not None

    @property
    def view(self) -> View:
        """The position as it is drawn."""
        position = self.position
        return View(position.board, self._emptied, NAMES, position.scores, None if position.over else position.player)

    @property
    def hint(self) -> str:
        """What the window says after the scores."""
        if self.is_thinking:
            return f"thinking, {int(time.monotonic() - self._turn_start)} s"
        return self.message or (KEYS.partition("; ")[2] if self.position.over else KEYS)

    def click(self, row: int, col: int) -> None:
        """Removes the group of a cell for the person, if it is the person's turn and there is such a group."""
        if self.is_thinking or self.position.over:
            self.message = "the machine is thinking" if self.is_thinking else "the game is over"
            return
        try:
            self._move((row, col))
        except ValueError as error:
            self.message = str(error)

    def press(self, key: str) -> None:
        """Handles a key: u goes back to the person's last turn, r to the first position; q or escape leaves."""
        if key in ("q", "escape"):
            self.has_left = True
        elif key in ("u", "r") and self.is_thinking:
            self.message = "the machine is thinking"
        elif key in ("u", "r"):
            self.message = "" if self._history else "there is no move to take back"
            while self._history:
                position, emptied = self._history.pop()
                if not self._history or (key == "u" and position.player == PERSON):
                    self._set_position(position, emptied)
                    break

    def poll(self) -> None:
        """Makes the move of the machine once it is chosen; raises what `choose` raised."""
        if self._answer is not None and self._answer.done():
            self._move(self._answer.result())

    def _move(self, cell: Cell) -> None:
        next_position = self.position.play(*cell)
        self._history.append((self.position, self._emptied))
        self.message = ""
        self._set_position(next_position, self.position.group_at(*cell))


def play(position: Position, choose: Callable[[Position], Cell]) -> None:
    """Plays in a window until the person closes it; `choose` makes the moves of the second player."""
    match = Match(position, choose)
    window = Window(lambda row, col: match.click(row - len(NAMES), col), match.press)
    while not (match.has_left or window.dismissed):
        match.poll()
        show_game(window, match.view, FPS, match.hint)
    window.close()
