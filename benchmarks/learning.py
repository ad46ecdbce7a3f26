"""Speed of agents that learn and play 8x8 with 14 mines, on one core.

Learning: steps per second in all games together, of a training with the network and the hyperparameters of a
configuration. It starts from the weights of the shipped agent if there is one, because an untrained network stores more
transitions. Playing: games per second of the shipped agents in both precisions, and of scripted policies.

    python benchmarks/learning.py
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import torch
from stable_baselines3.common.logger import Logger
from timing import Work, arguments, compare, machine

import minesweeper_env
from baselines import hub, registry, schemas
from baselines.evaluation.games import play_games
from baselines.learned import agents, configurations
from baselines.learned.common.multi_board import MultiBoardMixin
from baselines.learned.networks import BoardNetwork
from baselines.learned.settings import PRECISIONS, Budget, TrainingSettings
from minesweeper_env.config import BoardConfig

BOARD = BoardConfig(8, 8, 14, moves=("click",))
STEPS, GAMES = 8192, 500
"""In one piece of work: the least steps of a training, which are several rollouts, and the games of a policy."""
SEEDS = itertools.count(5_000_000)


def learning(model: MultiBoardMixin) -> Work:
    """Returns work that continues the training of a model by at least `STEPS` steps."""
    rounds = model.rounds(Budget(1 << 40), Logger(None, []))

    def work() -> int:
        steps_before = model.num_timesteps
        while model.num_timesteps < steps_before + STEPS:
            next(rounds)
        return model.num_timesteps - steps_before

    return work


def playing(name: str) -> Work:
    """Returns work that plays `GAMES` new games side by side with a policy; a step is a game."""
    policy = registry.find_policy(name)(BOARD)
    return lambda: len(play_games(policy, BOARD, list(itertools.islice(SEEDS, GAMES))))


def players() -> Iterator[str]:
    """Yields the specifications of the timed policies."""
    yield "exact"
    for name in sorted(registry.AGENTS):
        if schemas.read_as(registry.AGENTS_FOLDER / name / hub.AGENT_FILE, schemas.Agent).kind == BoardNetwork.kind:
            yield from (f"{name}:precision={precision}" for precision in PRECISIONS)
        else:
            yield name
    yield "lookahead"


def learner_of(name: str) -> MultiBoardMixin:
    """Returns a model with the weights of the shipped agent `name`, or with random ones if there is no such agent."""
    settings = replace(TrainingSettings.of(configurations.read_configuration(f"{name}-8x8")), device="cpu")
    learner = settings.make_learner()
    if name in registry.AGENTS:
        learner.begin_with(agents.load_network(registry.AGENTS_FOLDER / name))
    return learner


def main() -> None:
    """Prints both tables."""
    options = arguments(__doc__, 5.0, 5)
    torch.set_num_threads(1)
    print(f"minesweeper_env {minesweeper_env.__version__}, torch {torch.__version__}, {machine()}")
    learners = {name: learner_of(name) for name in ("dqn", "ppo")}
    compare("learning, steps per second", {name: learning(model) for name, model in learners.items()}, options)
    compare("playing, games per second", {name: playing(name) for name in players()}, options)


if __name__ == "__main__":
    main()
