"""Base class of the single and of the vector environment: their arguments, their games, and the rendering."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from minesweeper_env.checks import metadata_of, warn_without_mode
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.observations import Encoder
from minesweeper_env.rendering import METADATA, exploded_cells, render_board
from minesweeper_env.rewards import Reward, find_reward
from minesweeper_env.threads import ThreadPool

if TYPE_CHECKING:
    from minesweeper_env.no_guess.supply import BoardSupply
    from minesweeper_env.no_luck import LayoutRedraw
    from minesweeper_env.window import AskOracle, HumanView


class BaseEnv:
    """N games of one configuration, with a reward, an encoding and a render mode.

    Attributes:
        ask_oracle: returns the mine probabilities that `render` and the window show on the boards; None shows none.
    """

    ask_oracle: AskOracle | None = None
    view: HumanView | None = None
    spec: Any
    _was_reset = False
    # Places the mines of games without guesses or without luck, which the engine's own draw cannot make.
    _mine_placer: BoardSupply | LayoutRedraw | None = None
    # (N,), the value of info["too_hard"], which only games without luck have.
    _too_hard: NDArray[np.int64] | None = None
    # Set on the class, as older versions of Gymnasium close an environment whose constructor refused an argument.
    _pool = ThreadPool()

    def _prepare(
        self, config: BoardConfig, reward: str | Reward, observation: str, render_mode: str | None, count: int = 1
    ) -> None:
        """Checks the arguments, and builds N = `count` games, which `reset` starts."""
        self.config, self.reward, self.observation, self.render_mode = config, reward, observation, render_mode
        weights, self._reward = find_reward(reward, config)
        self._encoder = Encoder(observation, config)
        self.metadata: dict[str, Any] = metadata_of(METADATA, render_mode)
        if render_mode == "human":
            from minesweeper_env.window import HumanView

            self.view = HumanView()
        self._games = Games(config, count, weights, self._pool)
        if config.no_guess:
            # Other environments load nothing of the search for boards.
            from minesweeper_env.no_guess.supply import BoardSupply

            self._mine_placer = BoardSupply(config, self._pool)
        elif not config.luck:
            from minesweeper_env.no_luck import LayoutRedraw, compile_redraw

            compile_redraw()
            self._mine_placer = LayoutRedraw(config, count, self._pool)
            self._too_hard = self._mine_placer.too_hard

    def _current_games(self) -> Games:
        if not self._was_reset:
            raise ResetNeeded("no game has begun: call reset() first")
        return self._games

    def _start(
        self, chosen: NDArray[np.bool_], layouts: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Starts the games that `chosen`, (N,) bool, selects; returns the codes and masks of all, as `Games.reset`."""
        if self._too_hard is not None:
            self._too_hard[chosen] = 0
        return self._games.reset(chosen, layouts)

    def _draw(self, actions: Sequence[int | None]) -> tuple[Any, ...] | None:
        """Returns a text or picture of each game, or shows all in the window; `actions` has last actions or None."""
        games = self._current_games()
        warn_without_mode(self.render_mode, self.spec)
        mines = games.revealed_mines()
        boards = games.show()[0].reshape(mines.shape)
        if self.view is not None:
            fps = self.metadata["render_fps"]
            self.view.show_games(self.config, boards, mines, games.status, actions, fps, self.ask_oracle)
            return None
        probabilities = [None] * len(boards) if self.ask_oracle is None else self.ask_oracle(boards).probabilities
        draw = partial(render_board, self.render_mode, meaning=self.config.codes)
        return tuple(
            draw(codes, mines=layout, exploded=exploded_cells(codes, self.config, action), probabilities=risks)
            for codes, layout, action, risks in zip(boards, mines, actions, probabilities, strict=True)
        )
