"""Gymnasium environment of one game, `MinesweeperEnv`."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from minesweeper_env.base import BaseEnv
from minesweeper_env.checks import check_action, generator_state, layout_option, names_arguments
from minesweeper_env.config import BoardConfig, NoGuess
from minesweeper_env.engine.games import compile_kernels
from minesweeper_env.engine.state import WAIT
from minesweeper_env.rendering import METADATA
from minesweeper_env.rewards import Reward, describe, user_reward

__all__ = ["MinesweeperEnv"]

_EVERY_GAME = np.ones(1, np.bool_)


class MinesweeperEnv(BaseEnv, gymnasium.Env[NDArray[Any], np.int64]):
    """Minesweeper as a Gymnasium environment.

    ## Description
    A board hides mines. A click opens a cell: on a mine the game is lost; otherwise the cell shows how
    many of its neighbours are mines, and a 0 opens its neighbours too. The game is won when every cell
    without a mine is open; flags and question marks are notes that decide nothing. The first click places
    the mines by the first-click rule. Nothing returned shows a mine before the game is lost.

    ## Action Space
    `Discrete(len(moves) * rows * cols)`: action = move_index * rows * cols + row * cols + col.

    | move | effect | legal on |
    |---|---|---|
    | click | opens; a 0 floods, and flagged cells stay shut | hidden, question mark |
    | flag | sets or removes a flag | hidden, question mark, flagged |
    | unflag | removes the mark | flagged, question mark |
    | question | sets a question mark | hidden, flagged |
    | chord | opens the neighbours without a flag; a wrong flag loses | open, with as many flags around as its clue |

    An illegal action changes nothing and never ends the game. An integer outside the space raises.

    ## Observation Space
    "codes" (the default): int8 `Box` of shape (rows, cols).

    | code | cell |
    |---|---|
    | 0-8 | open, with that many neighbouring mines |
    | 9 | flagged |
    | 10 | question mark |
    | 11 | hidden |
    | 12 | mine without a flag, shown only in a lost game |

    With radius r the largest clue is K = (2r + 1)**2 - 1. The other four codes are K + 1 to K + 4.
    "planes" is the one-hot form, float32 (K + 5, rows, cols); "flat" is the planes in one row.

    ## Rewards
    | reward | |
    |---|---|
    | "win_loss" (the default) | +1 for the win, -1 for a mine, 0 otherwise |
    | "win" | +1 for the win, 0 otherwise |
    | "safe_click" | +1 for a step that opens cells without hitting a mine, 0 otherwise |
    | "progress" | the fraction of all safe cells that the step opens; -1 for a mine |
    | "shaped" | +1 win, -1 mine, +0.3 for other steps that open cells, -0.3 for an illegal action |
    | a callable | its value for a `minesweeper_env.rewards.Transition` |

    ## Starting State
    All cells are hidden. `reset(seed=s)` starts game 1 of seed s, and each later `reset()` starts the next game.
    Game k of seed s depends on s and k alone: k counts resets, and no earlier click changes a later game. The
    first click of a game decides which cells the mines avoid.
    `reset(options={"layout": mines})`, bool (rows, cols), plays a given layout as it is: no rule protects its first
    click, which may hit a mine.

    ## Episode End
    Terminated: the game is won or lost. Truncated: `max_steps` steps were taken. Later steps change nothing and
    earn nothing.

    ## Information
    Every reset and step returns the same keys.

    | key | |
    |---|---|
    | action_mask | int8 (actions,), 1 for a legal action; all 1 once the game is won or lost |
    | invalid_action | bool, whether the action was illegal |
    | is_success | bool, whether the game is won |
    | too_hard | only with `luck=False`: int, the cells of this step that luck decided after all: see below |

    ## Arguments
    | argument | default | values |
    |---|---|---|
    | size | 8 | side of a square board, or (rows, cols) |
    | mines | None | at least 1, and few enough for the first-click rule; None follows the size: see below |
    | first_click | "opening" | "opening", "safe", "any", "corners": see below |
    | moves | ("click", "flag") | any of click, flag, unflag, question, chord, in that order, with click |
    | reward | "win_loss" | see Rewards |
    | observation | "codes" | "codes", "planes", "flat" |
    | radius | 1 | reach of a clue, 1 to 5 |
    | max_steps | None | steps after which the game is truncated; None means ten per cell |
    | render_mode | None | None, "ansi", "rgb_array", "human": see below |
    | no_guess | False | False, "subset", "exact": see below |
    | luck | True | True, False: see below |

    Mines that are left out follow the size: 14 on 8x8, 10 on 9x9, 40 on 16x16, 99 on 16x30. Any other size needs
    them.

    First-click rules draw the layout uniformly:

    * "opening": from the layouts whose clicked cell and neighbours are free.
    * "safe": from the layouts whose clicked cell is free.
    * "any": from all layouts.
    * "corners": from all layouts. Each mine in the clicked cell or its neighbours then moves to the first free
      corner: bottom right, top left, bottom left, top right. When all four are taken, it moves to the first
      free cell of the sides, or else of the rest, in reading order.

    With `no_guess`, logic alone wins each board from its first click, which is never a mine. "subset" takes single
    clues, differences and overlaps of clues, and the number of mines; "exact" takes every cell that is safe in all
    layouts. The board depends on the seed and on the cell of the first click. `minesweeper_env.generation` makes it,
    and docs/how-to/no-guess.md explains how.

    With `luck=False` a player who never misses a safe cell wins every game. After the first click:

    * If some covered cell is safe in all layouts that fit the board, only clicks on such cells survive.
    * If none is, every click survives, except on a certain mine.

    Where the layout says otherwise, it is drawn anew, uniformly among those that fit the board and the rule. A chord
    opens its cells one by one under this rule. The first click follows `first_click` instead: it may hit a mine
    with "any", or on a layout that was given to `reset`. A board that is too hard for the oracle keeps its layout for
    that click: luck decides it, `info["too_hard"]` counts it, and the first one warns. Such games need a first-click
    rule that draws uniformly and moves no mine, so "corners" is refused, and so is `no_guess`, which needs no luck.
    docs/how-to/no-luck.md explains them.

    ## Rendering
    "ansi" is text and "rgb_array" a picture, which `render` returns. "human" opens a window (`pip install
    '.[window]'`), in which every reset and step shows the board, four frames per second
    (`metadata["render_fps"]`). The user may resize it, and closing it does not end the game. A lost game shows the
    mines, the exploded one on red, and wrong flags crossed out. A machine without a display needs "rgb_array", or
    the variable `SDL_VIDEODRIVER=dummy`.

    ## Threads
    An environment belongs to one thread; several threads need an environment each.

    ## Version History
    * v0: first release. Game k of seed s depends on s and k alone, where k counts resets, clicked or not. `luck` came
      later; games with luck are the same as before.
    """

    metadata: dict[str, Any] = METADATA
    _last_action: int | None = None
    _seeded_by: np.random.Generator | None = None

    @names_arguments
    def __init__(
        self,
        size: int | Sequence[int] = 8,
        mines: int | None = None,
        first_click: str = "opening",
        moves: Sequence[str] = ("click", "flag"),
        reward: str | Reward = "win_loss",
        observation: str = "codes",
        radius: int = 1,
        max_steps: int | None = None,
        render_mode: str | None = None,
        no_guess: NoGuess = False,
        luck: bool = True,
    ) -> None:
        """Checks the arguments, which the class describes; `reset` starts a game.

        Raises:
            ValueError: the value of an argument is not allowed; the message lists the allowed ones.
        """
        compile_kernels(step_alone=True)
        rules = {"first_click": first_click, "moves": moves, "radius": radius, "no_guess": no_guess, "luck": luck}
        config = BoardConfig.of_size(size, mines, max_steps=max_steps, **rules)
        self._prepare(config, reward, observation, render_mode)
        self.observation_space = self._encoder.space
        self.action_space = gymnasium.spaces.Discrete(config.actions)
        self._actions = config.actions
        self._action = np.zeros(1, np.int64)
        self._shape = (config.rows, config.cols)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts a new game.

        Args:
            seed: starts the sequence of games that this seed determines; None continues the present one.
            options: {"layout": mines}; see Starting State in the docstring of the class.

        Returns:
            The first observation, and the info.

        Raises:
            ValueError: an option is unknown, or the layout is wrong; the message says what is allowed.
        """
        layout = layout_option(options, self.config)
        super().reset(seed=seed)
        # `np_random` is a new generator after a seed or an assignment: a new sequence of games begins.
        if self.np_random is not self._seeded_by:
            self._seeded_by = self.np_random
            self._games.seed(generator_state(self.np_random))
        codes, masks = self._start(_EVERY_GAME, layout)
        self._was_reset = True
        if self.view is not None:
            self.render()
        return self._observe(codes), self._info(masks, False, False)

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Makes a move; an illegal move, or any move after the end, changes nothing.

        Args:
            action: move_index * cells + row * cols + col.

        Returns:
            The observation, the reward, whether the game is won or lost, whether the step limit ended it, and the info.

        Raises:
            ValueError: the action is outside the action space.
            gymnasium.error.ResetNeeded: no game has begun.
        """
        self._action[0] = check_action(action, self._actions)
        games = self._current_games()
        if self._mine_placer is not None:
            self._mine_placer.set_mines(games, self._action)
        previous_codes = None if self._reward is None else games.boards.shown[:, :-1].copy()
        codes, masks = games.play(self._action, WAIT)
        terminated, truncated, won, illegal, idle = games.events.ravel().tolist()
        reward = games.rewards.item()
        if self._reward is not None and previous_codes is not None and not idle:
            reward = user_reward(self._reward, describe(games, self._action, codes, previous_codes).first())
        if idle:
            gymnasium.logger.warn("step() after the end of a game changes nothing and its reward is 0; call reset()")
        else:
            self._last_action = int(self._action[0])
        if self.view is not None:
            self.render()
        return self._observe(codes), reward, terminated, truncated, self._info(masks, illegal, won)

    def render(self) -> str | NDArray[np.uint8] | None:
        """Returns the board as text ("ansi") or as a (height, width, 3) uint8 picture ("rgb_array").

        With "human" it shows the board in the window, and returns None. Without a render mode it warns.

        Raises:
            gymnasium.error.DependencyNotInstalled: the window needs pygame, which is not installed.
            gymnasium.error.Error: the window needs a display, which the machine lacks.
        """
        renderings = self._draw([self._last_action])
        return None if renderings is None else renderings[0]

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (actions,) bool, True for each legal action, as sb3-contrib expects."""
        return self._current_games().show()[1].ravel().astype(np.bool_)

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self.view is not None:
            self.view.close()

    def get_state(self) -> dict[str, Any]:
        """Returns the game in progress, including its hidden state, as a dict for `set_state`.

        | key | |
        |---|---|
        | codes | int8 (rows, cols), the visible board |
        | mines | bool (rows, cols), the layout; all False until the first click places the mines |
        | status | 0 before the first click, 1 under way, 2 won, 3 lost, 4 out of steps |
        | steps | the steps taken |
        | generator, next_generator | uint64, the random state of this game and of the next one |
        """
        return self._current_games().save(alone=True)

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores a game from `get_state`, and with it the sequence of later games.

        A state that has not changed since `get_state` of the same configuration is restored at once. Any other is
        checked first: a changed one, a copy, or an unpickled one.

        Raises:
            ValueError: the arrays contradict each other or the configuration; the message names one of them.
        """
        self._games.set_state(state, ())
        self._seeded_by = self.np_random
        self._last_action = None
        self._was_reset = True

    def _observe(self, codes: NDArray[np.int8]) -> NDArray[Any]:
        # The most common encoding skips the encoder, whose call would slow each step.
        return codes.reshape(self._shape) if self.observation == "codes" else self._encoder.encode(codes)[0]

    def _info(self, masks: NDArray[np.int8], illegal: bool, won: bool) -> dict[str, Any]:
        info = {"action_mask": masks.ravel(), "invalid_action": illegal, "is_success": won}
        return info if self._too_hard is None else info | {"too_hard": self._too_hard.item()}
