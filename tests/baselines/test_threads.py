"""Threads of PyTorch: one while our networks compute, as many as before afterwards."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from baselines import make_policy
from baselines.process import VARIABLES, run_command

torch = pytest.importorskip("torch")


@pytest.fixture(params=[None, "2"], ids=["no variable", "a variable"])
def inside(request, monkeypatch):
    """The threads while networks compute, where PyTorch has two, and the environment sets no number or two."""
    for name in VARIABLES:
        monkeypatch.setenv(name, "1")
        monkeypatch.delenv(name)
    if request.param:
        monkeypatch.setenv("OMP_NUM_THREADS", request.param)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield 2 if request.param else 1
    torch.set_num_threads(before)


@pytest.mark.parametrize("name", ["dqn", "afterstate"])
def test_a_policy_computes_with_one_thread_and_restores_the_number(name, inside):
    policy, seen = make_policy(name, size=8, mines=14), []
    for module in policy.network.modules():
        module.register_forward_hook(lambda *_: seen.append(torch.get_num_threads()))
    board = np.full((1, 8, 8), 11, np.int8)
    board[0, 0, 0] = 1
    policy.act(board, (board > 8).reshape(1, -1))
    assert (set(seen), torch.get_num_threads()) == ({inside}, 2)


def test_a_command_computes_with_one_thread_unless_the_environment_sets_a_number(monkeypatch, inside):
    monkeypatch.setitem(sys.modules, "probe", SimpleNamespace(main=lambda *_: torch.get_num_threads()))
    assert run_command("probe", []) == inside
