"""Drawing of the window: mines left, the face, the clock, the board, and lines of text."""

from __future__ import annotations

from typing import Any

from minesweeper_play.terminal.board.picture import Mark
from minesweeper_play.window.game import WindowGame
from minesweeper_play.window.geometry import HEADER, LABEL, MARGIN, Geometry, Rect

Colour = tuple[int, int, int]

PAPER: Colour = (198, 202, 208)
DARK: Colour = (142, 148, 157)
LIGHT: Colour = (232, 235, 239)
INK: Colour = (38, 42, 48)
DISPLAY: Colour = (24, 26, 30)
DIGITS: Colour = (255, 82, 72)
SKIN: Colour = (255, 206, 64)
MARKS: dict[Mark, Colour] = {
    "clue": (214, 126, 0),
    "mine": (196, 22, 22),
    "safe": (190, 0, 170),
    "choice": (0, 86, 224),
}
"""The colours that outline the cells of a hint: its numbers, the mines it rests on, what is safe, or a named cell."""

CURSOR: Colour = (0, 86, 224)
PRESSED: Colour = (222, 225, 229)

DIGIT_SIZE, TEXT_SIZE, LINE = 30, 19, 19
MOST_LINES = 3

LEAST_NUMBERED, FEW_NUMBERS = 18, 5
"""The side of a tile from which each row and column has its number; on smaller tiles every fifth one has."""


class Painter:
    """Draws games on the surface of a window."""

    def __init__(self, pygame: Any) -> None:
        """Loads the fonts.

        Args:
            pygame: the module, with its display opened.
        """
        self._pygame = pygame
        pygame.font.init()
        self._digits = pygame.font.Font(None, DIGIT_SIZE)
        self._text = pygame.font.Font(None, TEXT_SIZE)

    def paint(self, surface: Any, game: WindowGame, geometry: Geometry) -> None:
        """Draws the whole window."""
        surface.fill(PAPER)
        self._paint_display(surface, (MARGIN, MARGIN + 3, 76, HEADER - 2 * MARGIN - 6), f"{game.mines_left:03}")
        clock = f"{min(int(game.session.seconds), 9999):03}"
        right = geometry.width - MARGIN - 76
        self._paint_display(surface, (right, MARGIN + 3, 76, HEADER - 2 * MARGIN - 6), clock)
        self._paint_face(surface, geometry.face, game)
        self._paint_board(surface, game, geometry)
        self._paint_lines(surface, game.message, geometry.footer)

    def _paint_display(self, surface: Any, place: Rect, text: str) -> None:
        """Draws a number as on a display."""
        draw = self._pygame.draw
        draw.rect(surface, DISPLAY, place, border_radius=4)
        image = self._digits.render(text, True, DIGITS)
        left, top, width, height = place
        surface.blit(image, (left + (width - image.get_width()) // 2, top + (height - image.get_height()) // 2 + 1))

    def _paint_face(self, surface: Any, place: Rect, game: WindowGame) -> None:
        """Draws the button: a smile, a mouth that is open while a button is down, sunglasses, or crosses for eyes."""
        draw = self._pygame.draw
        left, top, side, _ = place
        draw.rect(surface, LIGHT, place, border_radius=5)
        draw.rect(surface, DARK, place, 2, border_radius=5)
        middle, radius = (left + side // 2, top + side // 2), side // 2 - 5
        draw.circle(surface, SKIN, middle, radius)
        draw.circle(surface, INK, middle, radius, 2)
        eyes = [(middle[0] + sign * radius // 3, middle[1] - radius // 4) for sign in (-1, 1)]
        mouth = (middle[0] - radius // 2, middle[1] - radius // 4, radius, radius)
        if game.session.status == "lost":
            for x, y in eyes:
                draw.line(surface, INK, (x - 2, y - 2), (x + 2, y + 2), 2)
                draw.line(surface, INK, (x - 2, y + 2), (x + 2, y - 2), 2)
            frown = (mouth[0], middle[1] + radius // 4, radius, radius)
            draw.arc(surface, INK, frown, 0.5, 2.64, 2)
            return
        if game.session.status == "won":
            for x, y in eyes:
                draw.rect(surface, INK, (x - 4, y - 3, 8, 6), border_radius=2)
            draw.line(surface, INK, eyes[0], eyes[1], 2)
        else:
            for eye in eyes:
                draw.circle(surface, INK, eye, 2)
        if game.is_pressed and not game.session.is_over:
            draw.circle(surface, INK, (middle[0], middle[1] + radius // 2 - 1), 3, 2)
        else:
            draw.arc(surface, INK, mouth, 3.64, 5.78, 2)

    def _paint_board(self, surface: Any, game: WindowGame, geometry: Geometry) -> None:
        left, top, width, height = geometry.board
        self._pygame.draw.rect(surface, DARK, (left - 3, top - 3, width + 6, height + 6), 3)
        picture = game.scene().picture(geometry.side)
        surface.blit(self._pygame.image.frombuffer(picture.tobytes(), (width, height), "RGB"), (left, top))
        for cell in game.sunken:
            self._pygame.draw.rect(surface, PRESSED, geometry.cell(*cell))
            self._pygame.draw.rect(surface, DARK, geometry.cell(*cell), 1)
        thick = max(2, geometry.side // 10)
        outlined = [(cell, MARKS[mark]) for cell, mark in game.marks.items()]
        for cell, colour in [*outlined, *([(game.cursor, CURSOR)] if game.cursor else [])]:
            self._pygame.draw.rect(surface, colour, geometry.cell(*cell), thick)
        self._paint_numbers(surface, geometry)

    def _paint_numbers(self, surface: Any, geometry: Geometry) -> None:
        """Draws the numbers of columns and rows, from 1; only some of them on small tiles."""
        step = 1 if geometry.side >= LEAST_NUMBERED else FEW_NUMBERS
        left, top, _, _ = geometry.board
        middle = geometry.side // 2
        places = [(col, (left + col * geometry.side + middle, top - LABEL // 2)) for col in range(geometry.cols)]
        places += [(row, (left - LABEL // 2 - 2, top + row * geometry.side + middle)) for row in range(geometry.rows)]
        for number, place in places:
            if number == 0 or (number + 1) % step == 0:
                image = self._text.render(str(number + 1), True, INK)
                surface.blit(image, image.get_rect(center=place))

    def _paint_lines(self, surface: Any, message: str, place: Rect) -> None:
        left, top, width, _ = place
        for number, line in enumerate(self.wrapped(message, width)):
            surface.blit(self._text.render(line, True, INK), (left, top + number * LINE))

    def wrapped(self, message: str, width: int) -> list[str]:
        """Returns a message in at most `MOST_LINES` lines of at most `width` pixels; dots stand for the rest."""
        lines = [""]
        for word in message.split(" "):
            longer = f"{lines[-1]} {word}".lstrip()
            if self._text.size(longer)[0] <= width or not lines[-1]:
                lines[-1] = longer
            else:
                lines.append(word)
        if len(lines) > MOST_LINES:
            lines = [*lines[: MOST_LINES - 1], f"{lines[MOST_LINES - 1]} ..."]
        return lines
