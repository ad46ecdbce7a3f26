"""Selection games of a training, which choose the agent that is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from torch import nn

from azulejos_env.config import GameConfig
from azulejos_env.policies import BatchPolicy
from azulejos_env.vector_env import AzulejosVectorEnv
from baselines.azulejos.learning.agents import save_agent
from baselines.azulejos.learning.opponents import SELF, opponent_of
from baselines.azulejos.learning.settings import AzulejosSettings
from baselines.evaluation.seeds import SELECTION_SEEDS
from baselines.learned.training.evaluation import BestAgent, References, Score, Unit

OPPONENTS = Unit("opponent", "against each opponent", "against ", ())

GREEDY = "greedy"
"""The opponent of the selection games of a training against past versions alone."""


class OpponentGames:
    """Selection games against each opponent of a training but past versions, with a seat drawn for each game.

    Args:
        settings: of the training.

    Attributes:
        opponents: their names.
        references: always empty, since the opponents themselves are the comparison.
        playing: always "", for the same reason.
    """

    unit = OPPONENTS
    playing = ""

    def __init__(self, settings: AzulejosSettings) -> None:
        """Plays nothing yet."""
        self.references: References = {}
        self.games, self.config = settings.eval_games, settings.config
        self.opponents = tuple(dict.fromkeys(name for name in settings.opponents if name != SELF)) or (GREEDY,)

    def play_references(self) -> None:
        """Does nothing."""

    def score(self, policy_of: Callable[[GameConfig], Any]) -> Score:
        """Plays the games with the policy that `policy_of` makes."""
        policy = policy_of(self.config)
        rates = {
            name: float((play(policy, self.config, name, self.games, SELECTION_SEEDS.start) > 0).mean())
            for name in self.opponents
        }
        return Score(rates, self.games)

    def describe(self, score: Score) -> str:
        """Returns one line with the win rates of an agent."""
        return "wins " + ", ".join(f"{rate:.1%} against {name}" for name, rate in score.win_rates.items())


def play(policy: BatchPolicy, config: GameConfig, opponent: str, games: int, seed: int) -> NDArray[np.int64]:
    """Plays games side by side to their ends.

    Args:
        policy: what plays.
        config: the board and the rules.
        opponent: as `opponent_of` takes it.
        games: number of games; the seat is drawn for each game.
        seed: of the first game.

    Returns:
        (games,) int64, the leads of the policy at the ends of the games.
    """
    size = (config.rows, config.cols)
    envs = AzulejosVectorEnv(
        games, size, config.colours, opponent_of(opponent), seat="random", autoreset_mode=AutoresetMode.SAME_STEP
    )
    boards, info = envs.reset(seed=seed)
    leads, playing = np.zeros(games, np.int64), np.ones(games, np.bool_)
    actions = np.zeros(games, np.int64)
    while playing.any():
        # Finished games restart; their later moves, which count no more, are any legal ones.
        actions[:] = info["action_mask"].argmax(axis=1)
        actions[playing] = policy.act(boards[playing], info["scores"][playing])
        boards, _, terminations, truncations, info = envs.step(actions)
        ended = playing & (terminations | truncations)
        if ended.any():
            final = info["final_info"]["scores"][ended]
            leads[ended] = final[:, 0] - final[:, 1]
            playing &= ~ended
    return leads


class BestAzulejosAgent(BestAgent):
    """The agent in the run folder, which a later one replaces if it is as good."""

    settings: AzulejosSettings  # type: ignore[assignment]

    def _save(self, network: nn.Module) -> None:
        save_agent(self.folder, network, self.settings.network, self._facts())  # type: ignore[arg-type]

    def _facts(self) -> dict[str, Any]:
        trained_on = {"size": self.settings.size, "opponents": list(self.settings.opponents)}
        return {"algo": "ppo", "trained_on": trained_on, "selected_by": self.kept}
