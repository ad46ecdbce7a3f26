"""Agents that learn from play: networks for boards of any size, and PPO, DQN and value learning to train them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minesweeper_env.lazy import lazy_exports

if TYPE_CHECKING:
    from baselines.learned.common.vec_env import MinesweeperVecEnv
    from baselines.learned.dqn.algorithm import MaskedDQN
    from baselines.learned.ppo.algorithm import MinesweeperPPO
    from baselines.learned.ppo.policy import MinesweeperPolicy

__all__ = ["MaskedDQN", "MinesweeperPPO", "MinesweeperPolicy", "MinesweeperVecEnv"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "MaskedDQN": "baselines.learned.dqn.algorithm",
        "MinesweeperPPO": "baselines.learned.ppo.algorithm",
        "MinesweeperPolicy": "baselines.learned.ppo.policy",
        "MinesweeperVecEnv": "baselines.learned.common.vec_env",
    },
)
