"""Agents that learn from play: networks for boards of any size, and PPO, DQN and value learning to train them."""

from typing import TYPE_CHECKING

from minesweeper_env.lazy import lazy_exports

if TYPE_CHECKING:
    from baselines.learned.common.vec_env import MinesweeperVecEnv
    from baselines.learned.dqn import MaskedDQN
    from baselines.learned.ppo import MinesweeperPolicy, MinesweeperPPO

__all__ = ["MaskedDQN", "MinesweeperPPO", "MinesweeperPolicy", "MinesweeperVecEnv"]

_PPO = ("MinesweeperPPO", "MinesweeperPolicy")
_EXPORTS = {"common.vec_env": ("MinesweeperVecEnv",), "dqn": ("MaskedDQN",), "ppo": _PPO}
__getattr__, __dir__ = lazy_exports(__name__, _EXPORTS)
