"""PettingZoo environment of two agents that take turns, `AzulejosAECEnv` (extra `pettingzoo`)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from azulejos_env.config import BONUS, POINTS, GameConfig
from azulejos_env.env import Game
from minesweeper_env.checks import check_action, metadata_of, names_arguments, warn_without_mode
from minesweeper_env.config import parse_size
from minesweeper_env.rendering import METADATA

__all__ = ["AzulejosAECEnv", "env"]

_SPEC_NAME = "azulejos_v0"


def env(**arguments: Any) -> Any:
    """Returns an `AzulejosAECEnv` in PettingZoo's checking wrappers; `arguments` are those of the class."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(AzulejosAECEnv(**arguments)))


class AzulejosAECEnv(AECEnv):  # type: ignore[misc]
    """Azulejos for two agents, "player_0" and "player_1", who take turns.

    An observation is a dict of "observation" and "action_mask", both as in `AzulejosEnv` from the view of the agent.
    Groups belong to both players, so both see the same mask. An illegal action changes nothing, and the same agent
    moves again. The info of an agent has the other keys of `AzulejosEnv`, and a seed gives the boards of `AzulejosEnv`.

    The arguments are those of `AzulejosEnv` without opponent and seat. `reward` is "difference", the points of a move
    and their negative for the other player, or "win_loss", +1 for the winner and -1 for the loser.

    Raises:
        ValueError: the value of an argument is not allowed; the message lists the allowed ones.
    """

    metadata: dict[str, Any] = METADATA | {"name": _SPEC_NAME, "is_parallelizable": False}

    @names_arguments
    def __init__(
        self,
        size: int | Sequence[int] = 8,
        colours: int = 3,
        reward: str = "difference",
        observation: str = "codes",
        max_steps: int | None = None,
        render_mode: str | None = None,
        points: Sequence[int] = POINTS,
        per_tile: int = 2,
        bonus: float | str | Fraction = BONUS,
        side: str = "left",
    ) -> None:
        super().__init__()
        config = GameConfig(*parse_size(size), colours, points, per_tile, bonus, side)
        self.config, self._game = config, Game(config, reward, observation, max_steps)
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, **metadata_of(METADATA, render_mode)}
        self.possible_agents = ["player_0", "player_1"]
        mask = Box(0, 1, (config.cells,), np.int8)
        spaces = Dict({"observation": self._game.space, "action_mask": mask})
        self.observation_spaces = dict.fromkeys(self.possible_agents, spaces)
        self.action_spaces = dict.fromkeys(self.possible_agents, Discrete(config.cells))

    def observation_space(self, agent: str) -> Any:
        """Returns the space of the observations of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Returns the space of the actions of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a new game, as `AzulejosEnv.reset` does; as PettingZoo demands, unknown options are ignored."""
        self._game.begin(seed, options)
        self._invalid = False
        self.agents = list(self.possible_agents)
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._update_agents()

    def step(self, action: Any) -> None:
        """Makes a move for the agent in `agent_selection`; `action` is None once the game is over.

        Raises:
            gymnasium.error.ResetNeeded: no game has begun.
            ValueError: the action is outside the action space.
        """
        if self._game.over or self._game.truncated:
            self._was_dead_step(action)
            return
        self._invalid = self._game.act(check_action(action, self.config.cells))
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._update_agents()
        reward = self._game.earn(0)
        # The game is zero-sum; `0.0 - reward` is never -0.0.
        self.rewards = dict(zip(self.agents, (reward, 0.0 - reward), strict=True))
        self.agent_selection = self.agents[self._game.position.player]
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Returns the observation and the action mask of an agent, in fresh arrays."""
        player = self.possible_agents.index(agent)
        return {"observation": self._game.observe(player), "action_mask": self._game.mask()}

    def render(self) -> str | NDArray[np.uint8] | None:
        """Draws the position as `AzulejosEnv.render` does."""
        warn_without_mode(self.render_mode, None, _SPEC_NAME)
        return self._game.render(tuple(self.possible_agents), self.render_mode, self.metadata["render_fps"])

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._game.window.close()

    def _update_agents(self) -> None:
        """Sets terminations, truncations and infos of both agents; with a window, shows the position."""
        game = self._game
        self.terminations = dict.fromkeys(self.agents, game.over)
        self.truncations = dict.fromkeys(self.agents, game.truncated)
        self.infos = {
            agent: game.info(player, self._invalid and agent == self.agent_selection)
            for player, agent in enumerate(self.agents)
        }
        if self.render_mode == "human":
            self.render()
