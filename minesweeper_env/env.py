"""`MinesweeperEnv`: the Gymnasium environment of one game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from minesweeper_env.checks import check_action, generator_state, layout_option
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games, compile_kernels
from minesweeper_env.observations import Encoder
from minesweeper_env.rendering.board import METADATA, check_render_mode, render_board
from minesweeper_env.rewards import Reward, describe, find_reward
from minesweeper_env.saving import check_saved

_EVERY_GAME = np.ones(1, np.bool_)


class MinesweeperEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """Minesweeper as a Gymnasium environment.

    ## Description
    A board hides mines. A click opens a cell: on a mine the game is lost; otherwise the cell shows how
    many of its neighbours are mines, and a 0 opens its neighbours too. The game is won when every cell
    without a mine is open; flags and question marks are notes and never decide. The mines are laid at
    the first click, as the first-click rule asks, and nothing returned shows one before the game is lost.

    ## Action Space
    `Discrete(len(moves) * rows * cols)`: action = move_index * rows * cols + row * cols + col.

    | move | what it does | legal on |
    |---|---|---|
    | click | opens; a 0 floods, and flagged cells stay shut | hidden, question mark |
    | flag | sets or takes away a flag | hidden, question mark, flagged |
    | unflag | takes away the mark | flagged, question mark |
    | question | sets a question mark | hidden, flagged |
    | chord | opens the other neighbours; a wrong flag loses | open, as many flags around as it shows |

    An illegal action changes nothing and never ends the game. An integer outside the space raises.

    ## Observation Space
    "codes" (the default): int8 `Box` of shape (rows, cols).

    | code | cell |
    |---|---|
    | 0-8 | open, with that many mines around |
    | 9 | flagged |
    | 10 | question mark |
    | 11 | hidden |
    | 12 | mine, shown where no flag is once the game is lost |

    With radius r the counts run to K = (2r + 1)**2 - 1, and the other four codes are K + 1 to K + 4.
    "planes" is the one-hot form, float32 (K + 5, rows, cols); "flat" is the planes in one row.

    ## Rewards
    | reward | |
    |---|---|
    | "win_loss" (the default) | +1 for the win, -1 for a mine, 0 else |
    | "win" | +1 for the win, 0 else |
    | "safe_click" | +1 for a step that opens cells without hitting a mine, 0 else |
    | "progress" | the share of the safe cells that the step opens; -1 for a mine |
    | "shaped" | +1 win, -1 mine, +0.3 for other steps that open cells, -0.3 for an illegal action |
    | a callable | what it returns for a `minesweeper_env.rewards.Transition` |

    ## Starting State
    All cells are hidden. `reset(seed=s)` begins the sequence of games of seed s, which later calls of
    `reset()` go on with: the same seed and actions give the same games.
    `reset(options={"layout": mines})`, bool (rows, cols), plays a given layout.

    ## Episode End
    Terminated: the game is won or lost. Truncated: `max_steps` steps were taken. Steps after that change
    nothing and earn nothing.

    ## Information
    Every reset and step returns the same keys.

    | key | |
    |---|---|
    | action_mask | int8 (actions,), 1 for a legal action; all 1 once the game is won or lost |
    | invalid_action | bool, whether the action was illegal |
    | is_success | bool, whether the game is won |

    ## Arguments
    | argument | default | values |
    |---|---|---|
    | size | 8 | side of a square board, or (rows, cols) |
    | mines | 14 | at least 1, and few enough for the first-click rule |
    | first_click | "opening" | "opening", "safe", "any", "corners": see below |
    | moves | ("click", "flag") | any of click, flag, unflag, question, chord, in that order, with click |
    | reward | "win_loss" | see Rewards |
    | observation | "codes" | "codes", "planes", "flat" |
    | radius | 1 | reach of a count, 1 to 5 |
    | max_steps | None | steps after which the game is truncated; None for ten a cell |
    | render_mode | None | None, "ansi", "rgb_array" |

    First click "opening": uniform over the layouts whose clicked cell and neighbours are free. "safe": the
    clicked cell is free. "any": no protection. "corners": uniform over all layouts, then each mine on or
    beside the clicked cell moves to the first free corner (bottom right, top left, bottom left, top right),
    or, where those are taken, to the first free cell of the sides and then of the rest, in reading order.

    ## Version History
    * v0: first release
    """

    metadata: dict[str, Any] = METADATA

    def __init__(
        self,
        size: int | Sequence[int] = 8,
        mines: int = 14,
        first_click: str = "opening",
        moves: Sequence[str] = ("click", "flag"),
        reward: str | Reward = "win_loss",
        observation: str = "codes",
        radius: int = 1,
        max_steps: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Checks the arguments, which the class describes; `reset` begins a game.

        Raises:
            ValueError: an argument has a value that is not allowed; the message says which are.
        """
        self.config = BoardConfig.of_size(
            size, mines, first_click=first_click, moves=moves, radius=radius, max_steps=max_steps
        )
        self.render_mode = check_render_mode(render_mode, self.metadata["render_modes"])
        self.reward = reward
        weights, self._reward = find_reward(reward, self.config)
        self.observation = observation
        self._encoder = Encoder(observation, self.config)
        self.observation_space = self._encoder.space
        self._actions = self.config.actions
        self.action_space = gymnasium.spaces.Discrete(self._actions)
        compile_kernels()
        self._games = Games(self.config, 1, weights)
        self._shape = (self.config.rows, self.config.cols)
        self._action = np.zeros(1, np.int64)
        self._begun = False
        self._seeded_by: np.random.Generator | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts a new game.

        Args:
            seed: begins the sequence of games that belongs to this seed.
            options: {"layout": (rows, cols) bool} lays the mines where it is True, whatever the
                first-click rule.

        Returns:
            The first observation, and the info.

        Raises:
            ValueError: an option is unknown, or the layout has another shape, dtype or number of mines.
        """
        layouts = layout_option(options, self.config, 1)
        super().reset(seed=seed)
        if self.np_random is not self._seeded_by:
            self._seeded_by = self.np_random
            self._games.seed(np.array([generator_state(self.np_random)]))
        codes, masks = self._games.reset(_EVERY_GAME)
        if layouts is not None:
            self._games.lay_out(layouts)
        self._begun = True
        return self._observe(codes), self._info(masks, False, False)

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Makes a move; an illegal one, and any after the end, changes nothing.

        Args:
            action: move_index * cells + row * cols + col.

        Returns:
            The observation, the reward, whether the game is won or lost, whether the step limit ended it,
            and the info.

        Raises:
            ValueError: the action is outside the action space.
            gymnasium.error.ResetNeeded: no game has begun.
        """
        self._action[0] = check_action(action, self._actions)
        games = self._current_games()
        codes, masks = games.step(self._action, False)
        terminated, truncated, won, illegal, idle = games.events.ravel().tolist()
        reward = games.rewards.item()
        if self._reward is not None and not idle:
            reward = float(self._reward(describe(games, self._action, codes).first()))
        return self._observe(codes), reward, terminated, truncated, self._info(masks, illegal, won)

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (actions,) bool, True for each legal action: the method that sb3-contrib looks for."""
        return self._current_games().show()[1].ravel().astype(np.bool_)

    def render(self) -> str | NDArray[np.uint8] | None:
        """Returns the board as text ("ansi") or as a (height, width, 3) uint8 picture ("rgb_array")."""
        games = self._current_games()
        return render_board(
            self.render_mode, self._board(games.show()[0]), self.config.codes, games.revealed_mines()[0]
        )

    def get_state(self) -> dict[str, Any]:
        """Returns the game in progress, mines included, as arrays that `set_state` takes."""
        return {key: value[0] for key, value in self._current_games().save().items()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on with a game, and the sequence of games after it, from `get_state`.

        Raises:
            ValueError: the state is damaged, or belongs to another configuration.
        """
        if not isinstance(state, dict):
            raise ValueError(f"a saved state is a dict, as get_state returns it, not {type(state).__name__}")
        batch = {key: np.asarray(value)[None] for key, value in state.items()}
        self._games.restore(check_saved(batch, self._games.save(), self.config))
        self._seeded_by = self.np_random
        self._begun = True

    def _current_games(self) -> Games:
        if not self._begun:
            raise ResetNeeded("no game has begun: call reset() first")
        return self._games

    def _board(self, codes: NDArray[np.int8]) -> NDArray[np.int8]:
        return codes.reshape(self._shape)

    def _observe(self, codes: NDArray[np.int8]) -> NDArray[Any]:
        # The commonest encoding takes the shortest way.
        return self._board(codes) if self.observation == "codes" else self._encoder.encode(codes)[0]

    def _info(self, masks: NDArray[np.int8], illegal: bool, won: bool) -> dict[str, Any]:
        return {"action_mask": masks.ravel(), "invalid_action": illegal, "is_success": won}
