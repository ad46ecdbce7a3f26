"""Window of a match: a click on a tile removes its group."""

from __future__ import annotations

import time
from typing import Any

from gymnasium.error import DependencyNotInstalled

from azulejos_env.policies import MinimaxPolicy
from azulejos_env.position import Position
from azulejos_env.rendering.picture import LIGHT, PAPER, picture_size, render_picture
from azulejos_env.window.match import Match
from minesweeper_env.notices import say
from minesweeper_env.rendering.tiles import TILE
from minesweeper_env.rendering.window import SCREEN_PART, NoDisplayError, fitting_side, load_pygame

DONE, FAILED = 0, 1
"""Exit statuses."""

FRAME_MS = 40
"""The longest time between two looks at the answer of the machine, in milliseconds."""

LINE, LARGEST, LEAST = 20, 20, 11
"""Height of a line of the bar below the board, and the largest and the least size of its letters, in pixels."""

BAR = 2 * LINE
"""Height of the bar in pixels: the scores and whose turn it is, and the keys or a message."""

KEYS = "click a group; u takes a move back, r begins again, q leaves"


def play(program: str, position: Position, machine: MinimaxPolicy) -> int:
    """Plays in a window until the person closes it.

    Args:
        program: the command, for messages.
        position: the first position.
        machine: chooses the moves of the second player.

    Returns:
        The exit status: 0, or 1 where no window can open.
    """
    try:
        pygame = load_pygame()
        MatchWindow(pygame, position, machine).play()
    except NoDisplayError as error:
        say(f"{program}: {error.cause}; use -console to get a move without a window")
        return FAILED
    except DependencyNotInstalled as error:
        say(f"{program}: {error}")
        return FAILED
    pygame.display.quit()
    return DONE


class MatchWindow:
    """The window: it draws the match, and gives it the events of mouse and keyboard."""

    def __init__(self, pygame: Any, position: Position, machine: MinimaxPolicy) -> None:
        """Opens the window.

        Args:
            pygame: the module, with its display opened.
            position: the first position.
            machine: chooses the moves of the second player.

        Raises:
            NoDisplayError: no window can open.
        """
        self.is_open = True
        self._pygame = pygame
        self._first, self._machine = position, machine
        self._thinking_since = 0.0
        self.begin()
        self._open()

    def begin(self) -> None:
        """Begins the match, or begins it again."""
        self.match = Match(self._first, self._machine.choose)
        self._shown: tuple[object, ...] = ()

    def play(self) -> None:
        """Plays until the person leaves."""
        while self.is_open:
            self.turn()

    def turn(self) -> None:
        """Answers the events of at most `FRAME_MS` milliseconds, and draws the window if it looks different."""
        for event in [self._pygame.event.wait(FRAME_MS), *self._pygame.event.get()]:
            self._answer(event)
        self.match.poll()
        self._draw()

    def cell_at(self, point: tuple[int, int]) -> tuple[int, int] | None:
        """Returns the (row, col) of the tile at a point of the window, or None."""
        (left, top), side = self._place()
        row, col = (point[1] - top) // side - len(self.match.view.scores), (point[0] - left) // side
        rows, cols = self.match.position.board.shape
        return (row, col) if 0 <= row < rows and 0 <= col < cols else None

    def _open(self) -> None:
        pygame, tiles = self._pygame, picture_size(self.match.view)
        width, height = pygame.display.get_desktop_sizes()[0]
        side = min(TILE, fitting_side(int(SCREEN_PART * width), int(SCREEN_PART * height), tiles))
        try:
            pygame.display.set_mode((side * tiles[1], side * tiles[0] + BAR), pygame.RESIZABLE)
        except pygame.error as error:
            raise NoDisplayError(f"no usable display ({error})") from error

    def _place(self) -> tuple[tuple[int, int], int]:
        """Returns the upper left corner of the picture, and the side of a tile."""
        width, height = self._pygame.display.get_surface().get_size()
        tiles = picture_size(self.match.view)
        height -= BAR
        side = fitting_side(width, height, tiles)
        return ((width - side * tiles[1]) // 2, (height - side * tiles[0]) // 2), side

    def _draw(self) -> None:
        surface, match = self._pygame.display.get_surface(), self.match
        status, hint = match.view.status_line(), self._hint()
        look = (match.position, surface.get_size(), status, hint)
        if look == self._shown:
            return
        self._shown = look
        corner, side = self._place()
        picture = render_picture(match.view, side)
        image = self._pygame.image.frombuffer(picture.tobytes(), (picture.shape[1], picture.shape[0]), "RGB")
        surface.fill(PAPER)
        surface.blit(image, corner)
        for number, text in enumerate((status, hint)):
            self._write(surface, text, surface.get_height() - BAR + LINE * number)
        self._pygame.display.set_caption(f"Azulejos: {status}: {hint}")
        self._pygame.display.flip()

    def _write(self, surface: Any, text: str, top: int) -> None:
        """Writes a line of the bar in letters as large as fit."""
        fonts = self._pygame.font
        fonts.init()
        for size in range(LARGEST, LEAST - 1, -1):
            font = fonts.Font(None, size)
            if font.size(text)[0] <= surface.get_width() - 8:
                break
        surface.blit(font.render(text, True, LIGHT), (4, top + (LINE - font.get_height()) // 2))

    def _hint(self) -> str:
        """Returns the second line of the bar."""
        match = self.match
        if not match.is_thinking:
            self._thinking_since = time.monotonic()
            return match.message or KEYS
        return f"thinking, {int(time.monotonic() - self._thinking_since)} s"

    def _answer(self, event: Any) -> None:
        pygame, match = self._pygame, self.match
        if event.type == pygame.QUIT:
            self.is_open = False
        elif event.type == pygame.KEYDOWN:
            self._press(pygame.key.name(event.key))
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            cell = self.cell_at(event.pos)
            if cell is not None:
                match.click(*cell)

    def _press(self, key: str) -> None:
        if key in ("q", "escape"):
            self.is_open = False
        elif key == "u":
            self.match.undo()
        elif key == "r":
            self.begin()
