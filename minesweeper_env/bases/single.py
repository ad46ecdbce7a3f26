"""Base of the environments of one game: resets, seeds, saved games."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from minesweeper_env.bases.playing import Kind, Playing
from minesweeper_env.calls.checks import check_option_names, generator_state
from minesweeper_env.rendering.board import METADATA, check_render_mode
from minesweeper_env.rendering.human import metadata_here

_EVERY_GAME = np.ones(1, np.bool_)


class SingleEnv(Playing[Kind], gymnasium.Env[NDArray[Any], np.int64]):
    """A Gymnasium environment of one game, which the engine plays as a batch of one."""

    metadata: dict[str, Any] = METADATA
    _last_action: int | None = None
    _seeded_by: np.random.Generator | None = None

    def _prepare(self, observations: gymnasium.Space[Any], actions: int, render_mode: str | None) -> None:
        """Sets the spaces, and checks and sets the render mode."""
        self.render_mode = check_render_mode(render_mode, METADATA["render_modes"])
        self.metadata = metadata_here(render_mode)
        self.observation_space = observations
        self.action_space = gymnasium.spaces.Discrete(actions)
        self._action = np.zeros(1, np.int64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts a new game.

        Args:
            seed: starts the sequence of games that this seed determines; None continues the present one.
            options: a board to play on; see Starting State in the docstring of the class.

        Returns:
            The first observation, and the info.

        Raises:
            ValueError: an option is unknown, or the board is wrong; the message says what is allowed.
        """
        check_option_names(options, self.OPTIONS)
        given = self._given_board(options)
        super().reset(seed=seed)
        if self.np_random is not self._seeded_by:
            self._seeded_by = self.np_random
            self._games.seed(np.array([generator_state(self.np_random)]))
        shown, masks = self._games.reset(_EVERY_GAME, given)
        self._begun = True
        if self.view is not None:
            self.render()
        return self._observe(shown), self._info(masks, False, False)

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (actions,) bool, True for each legal action, as sb3-contrib expects."""
        return self._current_games().show()[1].ravel().astype(np.bool_)

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self.view is not None:
            self.view.close()

    def get_state(self) -> dict[str, Any]:
        """Returns the game in progress, including its hidden state, in arrays for `set_state`."""
        return {key: value[0] for key, value in self._current_games().save().items()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores a game from `get_state`, and with it the sequence of later games.

        Raises:
            ValueError: the state is damaged, or belongs to another configuration.
        """
        if not isinstance(state, dict):
            raise ValueError(f"a saved state must be a dict, as get_state returns it, not {type(state).__name__}")
        batch = {key: [value] for key, value in state.items()}
        self._games.restore(self._games.check(batch, self._games.save()))
        self._seeded_by = self.np_random
        self._last_action = None
        self._begun = True

    def _given_board(self, options: dict[str, Any] | None) -> NDArray[Any] | None:
        """Returns the (1, rows, cols) board in the reset options, or None, or raises a ValueError."""
        raise NotImplementedError

    def _observe(self, shown: NDArray[np.int8]) -> NDArray[Any]:
        """Returns the observation of a board that the engine shows, (1, n)."""
        raise NotImplementedError

    def _info(self, masks: NDArray[np.int8], illegal: bool, won: bool) -> dict[str, Any]:
        """Returns the info of a step, or of a reset."""
        raise NotImplementedError
