"""Networks with one output per cell refuse environments that offer more than clicks."""

from __future__ import annotations

import pytest
from sb3_contrib import MaskablePPO

from baselines.learned import MaskedDQN, MinesweeperPolicy, MinesweeperVecEnv
from baselines.learned.dqn import MinesweeperQPolicy
from baselines.learned.ppo import PlainPolicy
from minesweeper_env import BoardConfig, MinesweeperEnv

COMPLAINT = r'rates the 25 clicks of 5x5, but the environment has 50 actions; make it with moves=\("click",\)'


@pytest.mark.parametrize("policy", [MinesweeperPolicy, PlainPolicy])
def test_ppo_says_which_moves_it_needs(policy):
    with pytest.raises(ValueError, match=COMPLAINT):
        MaskablePPO(policy, MinesweeperEnv(size=5, mines=3))
    assert MaskablePPO(policy, MinesweeperEnv(size=5, mines=3, moves=("click",)), n_steps=8, batch_size=8)


def test_dqn_says_which_moves_it_needs():
    games = MinesweeperVecEnv(BoardConfig(5, 5, 3), 2)
    with pytest.raises(ValueError, match=COMPLAINT):
        MaskedDQN(MinesweeperQPolicy, games, buffer_size=10)
