"""`play.py --window`: the game in a window, drawn as `render_mode="human"` draws it, with mouse and keyboard."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from baselines.process import FAILED, INTERRUPTED
from minesweeper_env.codes import FLAGGED
from minesweeper_env.console import say
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.rendering import COLOUR_BLIND, STANDARD, TILE, Scene, with_mines_flagged
from minesweeper_env.window import SCREEN_PART, NoDisplayError, fitting_side, load_pygame
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.explanations import explain_advice, explain_ending
from minesweeper_play.game.advice import Mark, marks_of
from minesweeper_play.game.moves import CancelledError, Cell, MouseButtons, Report
from minesweeper_play.game.records import Statistics, load_game, open_statistics
from minesweeper_play.game.session import Session
from minesweeper_play.options import BOARDS, PlayOptions, preset_board

FRAME_MS = 40
"""The longest time between two looks at the clock of the game, in milliseconds."""

LABEL, LINE = 20, 19
"""Room for numbers of rows and columns, and the height of a line of text, in pixels."""

BELOW = 4 * LINE
"""Room for the lines of text below the board, at least: a long proof takes more from the board."""

LEAST_WIDTH = 440
"""The width of a new window, at least: room for lines of text."""

PAPER, INK = (198, 202, 208), (38, 42, 48)
MARKS = {"clue": (214, 126, 0), "mine": (196, 22, 22), "safe": (190, 0, 170), "choice": (0, 86, 224)}
"""The colours that outline the cells of a hint."""

LEAST_NUMBERED, FEW_NUMBERS = 18, 5
"""The side of a tile from which each row and column has its number; on smaller tiles every fifth one has."""


def run(options: PlayOptions) -> int:
    """Plays in a window until the player closes it; returns 0, 1 where no window can open, or 130 after Ctrl-C."""
    catalogue = Catalogue(options.language)
    session = None if options.saved is None else load_game(options.saved, catalogue)
    pygame = None
    try:
        pygame = load_pygame()
        statistics, problem = open_statistics()
        if problem.key:
            say(catalogue.text(problem.key, **problem.values))
        window = GameWindow(pygame, options, session, statistics)
        while not window.is_over:
            window.turn()
    except (NoDisplayError, DependencyNotInstalled) as error:
        say(f"{options.program}: {getattr(error, 'cause', error)}; leave out --window to play in the terminal")
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        if pygame is not None:
            pygame.display.quit()
    return 0


class GameWindow:
    """One game after another, played with the buttons of a mouse and with keys; `overlay` shows mine probabilities."""

    def __init__(
        self, pygame: Any, options: PlayOptions, session: Session | None = None, statistics: Statistics | None = None
    ) -> None:
        """Opens the window on the display of pygame, and goes on with a session, or starts a game where it is None."""
        self._pygame, self._options, self._statistics = pygame, options, statistics
        self._catalogue = Catalogue(options.language)
        self._text = self._catalogue.text
        self._config = options.config or preset_board("beginner", options.first_click, options.luck)
        self._no_guess = options.no_guess
        self._played, self._shown_second, self._shape = 0, -1, (0, 0)
        self._mouse = MouseButtons()
        self.overlay = self.is_over = False
        pygame.font.init()
        self._font = pygame.font.Font(None, LINE)
        self._begin(session)

    def _begin(self, session: Session | None = None) -> None:
        """Shows a session, or a new game on the same board with the next seed; another size needs another window."""
        if session is None:
            seed = None if self._options.seed is None else self._options.seed + self._played
            self._played += 1
            session = Session(self._config, seed=seed, no_guess=self._no_guess)
        # A search in vain clears `no_guess` of this session, but later games search again.
        self.session, self._config, self._no_guess = session, session.config, session.no_guess
        session.on_attempts = self._count_attempts
        config, display = self._config, self._pygame.display
        shape_before, self._shape = self._shape, (config.rows, config.cols)
        if shape_before != self._shape:
            width, height = (int(SCREEN_PART * length) for length in display.get_desktop_sizes()[0])
            tile = min(TILE, fitting_side(width - LABEL, height - LABEL - BELOW, self._shape))
            window_size = max(LEAST_WIDTH, config.cols * tile + LABEL), config.rows * tile + LABEL + BELOW
            display.set_mode(window_size, self._pygame.RESIZABLE)
        mines = self._text("mine_count", count=config.mines)
        display.set_caption(self._text("window_title", rows=config.rows, cols=config.cols, mines=mines))
        self._tell(Report("window_keys"))

    def _tell(self, report: Report) -> None:
        """Shows a message and the new position, without the hint of the one before."""
        self.message = self._text(report.key, **report.values)
        self.marks: Mapping[Cell, Mark] = {}
        self._ask_for_risks()

    def _ask_for_risks(self) -> None:
        self._risks: NDArray[np.float64] | None = None
        if self.overlay and not self.session.is_over:
            try:
                self._risks = self.session.probabilities()
            except PositionTooHardError:
                self.message = self._text("too_hard")

    def draw(self) -> None:
        """Draws the board, what a hint names, the numbers of rows and columns, and the lines of text."""
        surface, (left, top, side) = self._pygame.display.get_surface(), self.place
        surface.fill(PAPER)
        picture = self.scene().picture(side)
        height, width = picture.shape[:2]
        surface.blit(self._pygame.image.frombuffer(picture.tobytes(), (width, height), "RGB"), (left, top))
        for (row, col), mark in self.marks.items():
            tile = left + col * side, top + row * side, side, side
            self._pygame.draw.rect(surface, MARKS[mark], tile, max(2, side // 10))
        label_step = 1 if side >= LEAST_NUMBERED else FEW_NUMBERS
        for length, is_row in zip(self._shape, (True, False), strict=True):
            for number in (each for each in range(1, length + 1) if each == 1 or each % label_step == 0):
                offset = (number - 1) * side + side // 2
                label = self._font.render(str(number), True, INK)
                centre = (left - LABEL // 2, top + offset) if is_row else (left + offset, LABEL // 2)
                surface.blit(label, label.get_rect(center=centre))
        text_image = self._text_image()
        surface.blit(text_image, (8, surface.get_height() - max(BELOW - 3, text_image.get_height())))
        self._pygame.display.flip()

    def _text_image(self) -> Any:
        """Returns the picture of the figures and the message, in lines as wide as the window."""
        clock = self._catalogue.clock(self.session.seconds)
        key = "figures_practice" if self.session.practice else "figures"
        figures = self._text(key, mines=self.session.mines_left, time=clock)
        width = self._pygame.display.get_surface().get_width() - 16
        return self._font.render(f"{figures}\n{self.message}", True, INK, None, width)

    @property
    def place(self) -> tuple[int, int, int]:
        """The left and top edge of the board, and the side of a tile, in pixels, in the present window."""
        width, height = self._pygame.display.get_surface().get_size()
        text_height = max(BELOW, self._text_image().get_height())
        side = fitting_side(width - LABEL, height - LABEL - text_height, self._shape)
        return LABEL + max(0, width - LABEL - self._shape[1] * side) // 2, LABEL, side

    def cell_at(self, position: tuple[int, int]) -> Cell | None:
        """Returns the (row, col) of the cell at a place in the window, or None beside the board."""
        left, top, side = self.place
        row, col = (position[1] - top) // side, (position[0] - left) // side
        return (row, col) if 0 <= row < self._shape[0] and 0 <= col < self._shape[1] else None

    def scene(self) -> Scene:
        """Returns what the board shows, and at the end of the game the mines."""
        session, codes = self.session, self._config.codes
        board, exploded = session.board, np.zeros(self._shape, np.bool_)
        mines = session.placed_mines if session.is_over else np.zeros_like(exploded)
        if session.status == "won":
            board = with_mines_flagged(board, codes, mines)
        if session.exploded is not None:
            exploded[session.exploded] = True
        tints = COLOUR_BLIND if self._options.palette == "colour-blind" else STANDARD
        return Scene(board, codes, mines, exploded, self._risks, tints)

    def turn(self) -> None:
        """Answers the events of at most `FRAME_MS` milliseconds, and draws the window if it may look different."""
        pygame = self._pygame
        events = [pygame.event.wait(FRAME_MS), *pygame.event.get()]
        for event in (each for each in events if not self.is_over):
            if event.type == pygame.QUIT:
                self.is_over = True
            elif event.type == pygame.KEYDOWN:
                self.key(pygame.key.name(event.key))
            elif event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
                handler = self.press if event.type == pygame.MOUSEBUTTONDOWN else self.release
                handler(event.button, self.cell_at(event.pos))
        second = int(self.session.seconds)
        if second != self._shown_second or any(event.type != pygame.NOEVENT for event in events):
            self._shown_second = second
            self.draw()

    def press(self, button: int, cell: Cell | None) -> None:
        """A mouse button goes down on a cell, or beside the board; see `MouseButtons`. Open cells take no flag."""
        if self._mouse.press(button) and cell is not None and self.session.board[cell] >= FLAGGED:
            self._move("flag", cell)

    def release(self, button: int, cell: Cell | None) -> None:
        move = self._mouse.release(button, cell)
        if cell is not None and move:
            self._move(move, cell)

    def key(self, name: str) -> None:
        """A key goes down, by its name in pygame, such as "n" or "escape"."""
        boards = dict(zip("123", BOARDS, strict=True))
        if name in ("q", "escape"):
            self.is_over = True
        elif name == "n" or name in boards:
            if name in boards:
                self._config = preset_board(boards[name], self._options.first_click, self._options.luck)
            self._begin()
        elif name == "u":
            self._tell(self.session.undo())
        elif name == "h":
            self._hint()
        elif name == "p":
            self.overlay = not self.overlay
            self.message = self._text("window_overlay" if self.overlay else "")
            self._ask_for_risks()

    def _move(self, kind: str, cell: Cell) -> None:
        """Makes a move, by the name of a method of `Session`, and shows its message and the ending of the game."""
        over_before = self.session.is_over
        try:
            self._tell(getattr(self.session, kind)(*cell))
        except CancelledError:
            self.message = self._text("window_search_cancelled")
        if self.session.is_over and not over_before:
            ending = explain_ending(self.session, self._statistics, self._catalogue)
            self.message = " ".join([self.message, *ending]).replace("   ", ", ")  # three blanks divide the figures

    def _count_attempts(self, count: int, _most: int) -> None:
        """Shows how many boards a search has tried; raises a CancelledError if the player cancels it."""
        pygame = self._pygame
        self.message = self._text("window_searching", count=count)
        self.draw()
        for event in pygame.event.get():
            self.is_over = self.is_over or event.type == pygame.QUIT
            if self.is_over or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE):
                raise CancelledError

    def _hint(self) -> None:
        try:
            advice = None if self.session.is_over else self.session.hint()
        except PositionTooHardError:
            self.message = self._text("too_hard")
        else:
            self.marks = {} if advice is None else marks_of(advice)
            board, catalogue = self.session.board, self._catalogue
            sentences = [self._text("game_is_over")] if advice is None else explain_advice(advice, board, catalogue)
            self.message = " ".join(sentences)
