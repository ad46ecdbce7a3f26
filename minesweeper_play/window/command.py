"""`play.py --window`: open the window, and play until the player leaves."""

from __future__ import annotations

from typing import Any

from gymnasium.error import DependencyNotInstalled

from minesweeper_env.notices import say
from minesweeper_env.rendering.window import NoDisplayError, load_pygame
from minesweeper_play.game.saved import load_game
from minesweeper_play.game.statistics import open_statistics
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.options import PlayOptions
from minesweeper_play.window.game import WindowGame
from minesweeper_play.window.geometry import Geometry, place_on_screen, window_size
from minesweeper_play.window.painting import Painter

DONE, FAILED, INTERRUPTED = 0, 1, 130
"""Exit statuses."""

FRAME_MS = 40
"""The longest time between two looks at the clock of the game, in milliseconds."""


def run(options: PlayOptions) -> int:
    """Plays in a window until the player closes it.

    Returns:
        The exit status: 0; 1 where no window can open; 130 after Ctrl-C.

    Raises:
        SavedGameError: the saved game of the options cannot be read.
    """
    session = None if options.saved is None else load_game(options.saved)
    try:
        pygame = load_pygame()
    except NoDisplayError as error:
        say(f"{options.program}: {error.cause}; leave out --window to play in the terminal")
        return FAILED
    except DependencyNotInstalled as error:
        say(f"{options.program}: {error}")
        return FAILED
    try:
        statistics, problem = open_statistics()
        if problem.key:
            say(Catalogue(options.language).text(problem.key, **problem.values))
        GameWindow(pygame, WindowGame(options, session, statistics)).play()
    except NoDisplayError as error:
        say(f"{options.program}: {error.cause}; leave out --window to play in the terminal")
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        pygame.display.quit()
    return DONE


class GameWindow:
    """The window of a game: it draws the game, and gives it the events of mouse and keyboard."""

    def __init__(self, pygame: Any, game: WindowGame) -> None:
        """Opens the window.

        Args:
            pygame: the module, with its display opened.
            game: the game.
        """
        self.game = game
        game.on_search = self._watch_search
        self._pygame = pygame
        self._painter = Painter(pygame)
        self._board = (0, 0)
        self._shown_second = -1
        self._fit()

    def play(self) -> None:
        """Plays until the player leaves."""
        while not self.game.is_over:
            self.turn()

    def turn(self) -> None:
        """Answers the events of at most `FRAME_MS` milliseconds, and draws the window if it may look different."""
        first = self._pygame.event.wait(FRAME_MS)
        events = [first, *self._pygame.event.get()]
        for event in events:
            if not self.game.is_over:
                self._answer(event)
        second = int(self.game.session.seconds)
        if second != self._shown_second or any(event.type != self._pygame.NOEVENT for event in events):
            self._shown_second = second
            self.draw()

    def _watch_search(self) -> bool:
        """Draws the window during a search; returns whether the player cancels it by Esc, or closes the window."""
        pygame = self._pygame
        self.draw()
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.game.is_over = True
            if event.type == pygame.QUIT or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE):
                return True
        return False

    @property
    def geometry(self) -> Geometry:
        """The places of all parts, for the present size of the window."""
        config = self.game.config
        return Geometry.of(self._pygame.display.get_surface().get_size(), config.rows, config.cols)

    def draw(self) -> None:
        """Draws the window."""
        self._fit()
        self._painter.paint(self._pygame.display.get_surface(), self.game, self.geometry)
        self._pygame.display.flip()

    def _fit(self) -> None:
        """Opens the window, or gives it another size for a board of another size."""
        config = self.game.config
        if (config.rows, config.cols) == self._board:
            return
        self._board = (config.rows, config.cols)
        display = self._pygame.display
        screen = display.get_desktop_sizes()[0]
        size = window_size(*self._board, screen)
        display.set_mode(size, self._pygame.RESIZABLE)
        display.set_window_position(place_on_screen(display.get_window_position(), size, screen))
        mines = self.game.text("mine_count", count=config.mines)
        display.set_caption(self.game.text("window_title", rows=config.rows, cols=config.cols, mines=mines))

    def _answer(self, event: Any) -> None:
        """Passes an event on to the game."""
        pygame, game = self._pygame, self.game
        if event.type == pygame.QUIT:
            game.is_over = True
        elif event.type == pygame.KEYDOWN:
            game.key(pygame.key.name(event.key))
        elif event.type == pygame.MOUSEMOTION:
            game.move_pointer(self.geometry.cell_at(event.pos))
        elif event.type == pygame.MOUSEBUTTONDOWN:
            if event.button == 1 and self.geometry.is_on_face(event.pos):
                game.new_game()
            else:
                game.press(event.button, self.geometry.cell_at(event.pos))
        elif event.type == pygame.MOUSEBUTTONUP:
            game.release(event.button, self.geometry.cell_at(event.pos))
