"""`python -m baselines warm-up`: compile the kernels of all packages ahead."""

from __future__ import annotations

from collections.abc import Sequence

from baselines.cli.start import MODULE
from minesweeper_env.compilation.times import PARTS
from minesweeper_env.warm_up import command

PROGRAM = f"{MODULE} warm-up"


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Runs the command; see `minesweeper_env.warm_up.command.main`."""
    return command.main(arguments, program, PARTS)


def play(policy: str) -> None:
    """Plays games with a policy, which compiles its kernels."""
    from baselines.evaluation.games import play_games
    from baselines.registry import build_policy, config_for
    from minesweeper_env.config import BoardConfig

    config = config_for(policy, BoardConfig(5, 5, 5))
    play_games(build_policy(policy, config), config, range(3))


def play_itself() -> None:
    """Plays games with a network of `afterstate`, which compiles the kernel of its training."""
    import numpy as np

    from baselines.learned.afterstate.network import AfterstateNetwork
    from baselines.learned.afterstate.self_play import SelfPlay
    from baselines.learned.networks.size import NetworkSize
    from baselines.learned.settings.hyperparameters import AfterstateHyperparameters
    from minesweeper_env.config import BoardConfig

    games = SelfPlay(BoardConfig(5, 5, 5, moves=("click",)), 2, AfterstateHyperparameters())
    games.play(AfterstateNetwork(NetworkSize(4, 1)).eval(), np.random.default_rng(0), searches=False)


def observe_azulejos() -> None:
    """Computes the observations of a network for Azulejos, which compiles their kernel."""
    import numpy as np

    from azulejos_env.config import GameConfig
    from baselines.azulejos.learning.observations import observe

    observe(np.zeros((1, 2, 2), np.int8), np.zeros((1, 2), np.int64), GameConfig(2, 2))


def begin_training() -> None:
    """Begins the games of a training of `value`, which compiles their kernel."""
    import numpy as np

    from baselines.learned.value.safe_games import SafeGames
    from minesweeper_env.config import BoardConfig

    SafeGames(BoardConfig(5, 5, 5, moves=("click",)), 2, np.random.default_rng(0))
