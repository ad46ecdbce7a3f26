"""Gymnasium environment of one game, `AzulejosEnv`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import POINTS, GameConfig
from azulejos_env.engine.games import Games, compile_kernels
from azulejos_env.observations import Encoder
from azulejos_env.opponents import find_opponent
from azulejos_env.playing import OPTIONS, board_option, terms_of, views_of
from azulejos_env.policies import Policy
from azulejos_env.registration import ENV_ID
from azulejos_env.rendering.human import HumanView
from azulejos_env.rendering.modes import render_view
from minesweeper_env.bases.single import SingleEnv
from minesweeper_env.calls.checks import check_action, warn_without_mode

__all__ = ["AzulejosEnv"]


class AzulejosEnv(SingleEnv[Games]):
    """Azulejos against an opponent, or alone, as a Gymnasium environment.

    ## Description
    Two players take turns on one board of coloured tiles. A move removes a group: two or more tiles of one
    colour that touch along edges. The tiles above fall, and empty columns close to the left. A group of 2, 3,
    4 or 5 tiles earns 1, 2, 4 or 8 points, and a larger one two points a tile. Who clears the board has the
    whole score multiplied by 1.3, rounded down. The game ends when no group is left; the player with more
    points wins. Alone, the game is SameGame: the agent makes all moves.

    ## Action Space
    `Discrete(rows * cols)`: action = row * cols + col, the first cell of a group in reading order.
    Any other cell changes nothing and never ends the game. An integer outside the space raises.

    ## Observation Space
    "codes" (the default): int8 `Box` of shape (rows, cols), 0 for an empty cell and 1 to `colours` for a tile.
    "planes": float32 (colours + 2, rows, cols). Plane c is 1 where a cell has code c. The last plane is
    tanh(d / cells) in every cell, where d is the score of the agent minus the opponent's.

    ## Rewards
    | reward | |
    |---|---|
    | "difference" (the default) | the change of the agent's score minus the opponent's since the last step |
    | "win_loss" | +1 for a win, -1 for a loss, 0 for a tie and otherwise |

    Over a game these rewards add up to the final difference. The opponent's first move counts in the first step.
    Alone, "difference" is the points of the move, and a win is a cleared board.

    ## Starting State
    A full board of independent uniform colours, both scores 0. A board without a group is dealt again, up to
    64 times. If the opponent moves first, its move has been made. `reset(seed=s)` starts game 1 of seed s,
    and each later `reset()` the next game. Game k of seed s depends on s and k alone; k counts resets.
    `reset(options={"board": board})`, whole numbers (rows, cols), plays a given board; its tiles fall first.

    ## Episode End
    Terminated: no group is left. Truncated: `max_steps` steps were taken. Later steps change nothing and earn
    nothing. A game that has no group when it begins ends with its first step.

    ## Information
    Every reset and step returns the same keys.

    | key | |
    |---|---|
    | action_mask | int8 (actions,), 1 for the first cell of each group; all 1 once no group is left |
    | invalid_action | bool, whether the action was illegal |
    | is_success | bool, whether the game is won |
    | scores | int64 (2,), the scores of the agent and of the opponent |

    ## Arguments
    | argument | default | values |
    |---|---|---|
    | size | 8 | side of a square board, or (rows, cols); each 1 to 100 |
    | colours | 3 | 1 to 9 |
    | opponent | "greedy" | "random", "greedy", "minimax", "minimax:depth=2", a `Policy`, or None: alone |
    | seat | "first" | "first", "second", "random": who makes the first move; drawn for each game |
    | reward | "difference" | see Rewards |
    | observation | "codes" | "codes", "planes" |
    | points | (1, 2, 4, 8) | points for groups of 2, 3, ... tiles |
    | per_tile | 2 | points per tile of a larger group |
    | bonus | 1.3 | factor of the score of the player who clears the board, 1 to 1000 |
    | side | "left" | "left", "right": where empty columns close to |
    | max_steps | None | steps after which the game is truncated; None means ten per cell |
    | render_mode | None | None, "ansi", "rgb_array", "human": see below |

    "random" draws a group uniformly, "greedy" takes the one that earns most, and "minimax" looks 4 moves ahead;
    its options are depth, seconds and nodes. The seed of a game determines the moves of an opponent, too. A
    `Policy` is reset before each of its moves, with a seed from the game's generator.

    ## Rendering
    "ansi" is text and "rgb_array" a picture, which `render` returns. "human" opens a window (`pip install
    'minesweeper-env[window]'`), in which every reset and step shows the board, four frames per second
    (`metadata["render_fps"]`). An outline shows the cells that the last move emptied before tiles fell. A
    machine without a display needs "rgb_array", or the variable `SDL_VIDEODRIVER=dummy`.

    ## Version History
    * v0: first release
    """

    OPTIONS = OPTIONS
    view: HumanView | None = None

    def __init__(
        self,
        size: int | Sequence[int] = 8,
        colours: int = 3,
        opponent: str | Policy | None = "greedy",
        seat: str = "first",
        reward: str = "difference",
        observation: str = "codes",
        points: Sequence[int] = POINTS,
        per_tile: int = 2,
        bonus: float | str | Fraction = Fraction(13, 10),
        side: str = "left",
        max_steps: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Checks the arguments, which the class describes; `reset` starts a game.

        Raises:
            ValueError: the value of an argument is not allowed; the message lists the allowed ones.
        """
        self.config = GameConfig.of_size(
            size, colours=colours, points=points, per_tile=per_tile, bonus=bonus, side=side
        )
        self.reward = reward
        self.observation = observation
        self._encoder = Encoder(observation, self.config)
        self._prepare(self._encoder.space, self.config.cells, render_mode)
        self.view = HumanView(self.config) if render_mode == "human" else None
        found = find_opponent(opponent)
        self._terms = terms_of(self.config, found, seat, reward, max_steps)
        compile_kernels()
        self._games = Games(self.config, self._terms, 1, found)

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Makes a move, which the opponent answers; an illegal move, or any move after the end, changes nothing.

        Args:
            action: row * cols + col of the first cell of a group.

        Returns:
            The observation, the reward, whether no group is left, whether the step limit ended the game, and the info.

        Raises:
            ValueError: the action is outside the action space, or the opponent's move is illegal.
            gymnasium.error.ResetNeeded: no game has begun.
        """
        self._action[0] = check_action(action, self.config.cells)
        games = self._current_games()
        boards, masks = games.step(self._action, False)
        terminated, truncated, won, illegal, _idle = games.events.ravel().tolist()
        reward = games.rewards.item()
        if self.view is not None:
            self.render()
        return self._observe(boards), reward, terminated, truncated, self._info(masks, illegal, won)

    def render(self) -> str | NDArray[np.uint8] | None:
        """Returns the position as text ("ansi") or as a (height, width, 3) uint8 picture ("rgb_array").

        With "human" it shows the position in the window, and returns None. Without a render mode it warns.

        Raises:
            gymnasium.error.DependencyNotInstalled: the window needs pygame, which is not installed.
            gymnasium.error.Error: the window needs a display, which the machine lacks.
        """
        (view,) = views_of(self._current_games())
        warn_without_mode(self.render_mode, self.spec, ENV_ID)
        if self.view is not None:
            self.view.show([view], self.metadata["render_fps"])
        return render_view(self.render_mode, view)

    def _given_board(self, options: dict[str, Any] | None) -> NDArray[np.int8] | None:
        return board_option(options, self.config, 1)

    def _observe(self, shown: NDArray[np.int8]) -> NDArray[Any]:
        return self._encoder.encode(shown, self._games.leads())[0]

    def _info(self, masks: NDArray[np.int8], illegal: bool, won: bool) -> dict[str, Any]:
        scores = self._games.scores()[0]
        return {"action_mask": masks.ravel(), "invalid_action": illegal, "is_success": won, "scores": scores}
