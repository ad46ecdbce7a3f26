"""Gymnasium environment of one game, `AzulejosEnv`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from azulejos_env.config import GameConfig
from azulejos_env.game import REWARDS, Game, check_name
from azulejos_env.policies import Policy, find_policy
from minesweeper_env.checks import check_action, check_option_names, generator_state, warn_without_mode
from minesweeper_env.rendering import METADATA
from minesweeper_env.window import metadata_of

__all__ = ["AzulejosEnv"]


class AzulejosEnv(gymnasium.Env[NDArray[Any], np.int64]):
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

    metadata: dict[str, Any] = METADATA
    _seeded_by: np.random.Generator | None = None
    _game: Game | None = None

    def __init__(
        self,
        size: int | Sequence[int] = 8,
        colours: int = 3,
        opponent: str | Policy | None = "greedy",
        seat: str = "first",
        reward: str = "difference",
        observation: str = "codes",
        max_steps: int | None = None,
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        """Checks the arguments, which the class describes; `rules` are points, per_tile, bonus and side.

        Raises:
            ValueError: the value of an argument is not allowed; the message lists the allowed ones.
        """
        self.config = GameConfig.of_size(size, colours=colours, **rules)
        check_name("seat", seat, ("first", "second", "random"))
        check_name("reward", reward, REWARDS)
        self._opponent = None if opponent is None else find_policy(opponent)
        # The named opponent needs no generator of its own: it draws from that of the game.
        self._draws = isinstance(opponent, str) and opponent == "random"
        self._place, self._reward = "first" if opponent is None else seat, reward
        self._new = Game(self.config, observation, max_steps, alone=opponent is None)
        self.render_mode = render_mode
        self.metadata = metadata_of(render_mode)
        self.observation_space = self._new.space
        self.action_space = gymnasium.spaces.Discrete(self.config.cells)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts a new game, and returns the first observation and the info.

        Args:
            seed: starts the sequence of games that this seed determines; None continues the present one.
            options: {"board": board}; see Starting State in the docstring of the class.

        Raises:
            ValueError: an option is unknown, the board is wrong, or the opponent's move is illegal.
        """
        check_option_names(options, ("board",))
        super().reset(seed=seed)
        game = self._new
        if self.np_random is not self._seeded_by:
            self._seeded_by = self.np_random
            game.seed(generator_state(self.np_random))
        drawn = game.begin(options, self._place == "random")
        self._game, self._seat, self._lead = game, 1 if self._place == "second" else drawn, 0
        self._reply(game)
        return self._show(game), self._info(game, False)

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
        index, game = check_action(action, self.config.cells), self._begun()
        illegal, reward = False, 0.0
        if not (game.over or game.truncated):
            illegal = game.act(index)
            self._reply(game)
            reward = self._earn(game)
        return self._show(game), reward, game.over, game.truncated, self._info(game, illegal)

    def _reply(self, game: Game) -> None:
        """Makes the move of the opponent if it is to move and a group is left."""
        position = game.position
        if self._opponent is None or position.over or position.player == self._seat:
            return
        if self._draws:
            cell = position.groups[game.below(len(position.groups))][:2]
        else:
            self._opponent.reset(game.below(1 << 31))
            cell = self._opponent.choose(position)
        try:
            game.play(*cell)
        except ValueError as error:
            raise ValueError(f"the opponent chose ({cell[0]},{cell[1]}): {error}") from error

    def _earn(self, game: Game) -> float:
        """Returns the reward of a step."""
        lead = game.lead(self._seat)
        gain, self._lead = lead - self._lead, lead
        if self._reward == "difference":
            return float(gain)
        if not game.over:
            return 0.0
        return 1.0 if self._wins(game) else 0.0 if lead == 0 and self._opponent is not None else -1.0

    def _wins(self, game: Game) -> bool:
        """Returns whether a finished game is won: the agent is ahead or, alone, has cleared the board."""
        return not game.position.board.any() if self._opponent is None else game.lead(self._seat) > 0

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (actions,) bool, True for each legal action, as sb3-contrib expects."""
        return self._begun().mask().astype(np.bool_)

    def render(self) -> str | NDArray[np.uint8] | None:
        """Returns the position as text ("ansi") or as a (height, width, 3) uint8 picture ("rgb_array").

        With "human" it shows the position in the window, and returns None. Without a render mode it warns. A missing
        pygame or display raises a gymnasium.error.Error.
        """
        game = self._begun()
        warn_without_mode(self.render_mode, self.spec, "Azulejos-v0")
        names = ("agent", "opponent") if self._seat == 0 else ("opponent", "agent")
        alone = self._opponent is None
        return game.render(names[:1] if alone else names, self.render_mode, self.metadata["render_fps"])

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._new.window.close()

    def _begun(self) -> Game:
        if self._game is None:
            raise ResetNeeded("no game has begun: call reset() first")
        return self._game

    def _show(self, game: Game) -> NDArray[Any]:
        """Returns the observation; with a window, shows it too."""
        if self.render_mode == "human":
            self.render()
        return game.observe(self._seat)

    def _info(self, game: Game, illegal: bool) -> dict[str, Any]:
        won = game.over and self._wins(game)
        scores = game.scores(self._seat)
        return {"action_mask": game.mask(), "invalid_action": illegal, "is_success": won, "scores": scores}
