"""The page about rewards of the user: its wrapper rewards by the exact risks of the visible board."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from support import ROOT

from minesweeper_env import HIDDEN
from minesweeper_env.inference import mine_probabilities

PAGE = (ROOT / "docs" / "how-to" / "rewards.md").read_text(encoding="utf-8")
WRAPPER, USE = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def env(tmp_path, monkeypatch):
    """Runs the code of the page, and returns its environment."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "risk_reward", raising=False)
    (tmp_path / "risk_reward.py").write_text(WRAPPER, encoding="utf-8")
    names = {}
    exec(compile(USE, "rewards.md", "exec"), names)
    assert names["reward"] == 0.0
    return names["env"]


def test_a_click_costs_its_risk_beyond_the_least_one(env):
    rng = np.random.default_rng(0)
    costs = []
    for seed in range(20):
        board, info = env.reset(seed=seed)
        done = False
        while not done:
            risks = mine_probabilities(board, 14)
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            expected = risks[board == HIDDEN].min() - risks.reshape(-1)[action]
            board, reward, done, _, info = env.step(action)
            assert reward == pytest.approx(expected, abs=1e-12)
            costs.append(reward)
    assert min(costs) < -0.5
    assert max(costs) == 0.0


def test_an_illegal_click_earns_nothing(env):
    env.reset(seed=0)
    board, *_ = env.step(27)
    opened = int(np.flatnonzero(board.reshape(-1) < 9)[0])
    assert env.step(opened)[1] == 0.0
