"""`minesweeper warm-up`: compile and cache all kernels in short games and trainings, so that no later command waits."""

import argparse
from collections.abc import Callable
from functools import partial

from baselines.cli.command import Command, Work
from minesweeper_env.codes import HIDDEN
from minesweeper_env.config import BoardConfig


def _prepare(_: argparse.Namespace) -> Work:
    from azulejos_env import AzulejosEnv
    from baselines.registry import POLICIES
    from minesweeper_env.warm_up import CORE, warm_up

    parts: dict[str, Callable[[], object]] = {**CORE}
    names = [*(name for row in POLICIES.values() for name in row.compiled), "afterstate"]
    parts |= {name: partial(_if_installed, partial(_play, name)) for name in names}
    parts["training of afterstate"] = partial(_if_installed, _self_play)
    parts["guesses of the coach"] = _rank_guesses
    parts["azulejos"] = AzulejosEnv(2, 1, "minimax:depth=1", "second").reset
    return partial(warm_up, parts)


def _if_installed(work: Callable[[], object]) -> None:
    """Calls a function; prints a note if an optional dependency of the function is not installed."""
    try:
        work()
    except ImportError as error:
        print(f"left out: {error}", flush=True)


def _play(policy: str) -> None:
    from baselines.evaluation.games import play_games
    from baselines.registry import find_policy

    ready_policy = find_policy(policy)(BoardConfig(5, 5, 5))
    play_games(ready_policy, ready_policy.config, range(3))


def _rank_guesses() -> None:
    import numpy as np

    from baselines.scripted.oracle_play.position_value import Winning

    board = np.full((8, 8), HIDDEN, np.int8)
    board[0, 0] = 1
    Winning(BoardConfig(8, 8, 14, "any"), 2).choices(board)


def _self_play() -> None:
    import numpy as np

    from baselines.learned.afterstate.network import AfterstateNetwork
    from baselines.learned.afterstate.self_play import SelfPlay
    from baselines.learned.settings import AfterstateHyperparameters, NetworkSize

    games = SelfPlay(BoardConfig(5, 5, 5, moves=("click",)), 2, AfterstateHyperparameters())
    games.play(AfterstateNetwork(NetworkSize(4, 1)).eval(), np.random.default_rng(0), searches=False)


main = Command(
    "warm-up", "Compile all kernels ahead, so that no later command waits.", "{0}", lambda _: None, _prepare
).main
