"""Speed of agents that learn and play 8x8 with 14 mines, on one core.

Learning: steps per second in all games together, and the parts of the time, of a training with the network and the
hyperparameters of a configuration. It starts from the weights of the shipped agent if there is one, because an
untrained network stores more transitions.

Playing: games per second of the shipped agents in both precisions, and of scripted policies.

    python benchmarks/learning.py
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import torch
from timing import Work, arguments, machine, median_ratio, print_table, rates, rows

import minesweeper_env
from baselines.evaluation.games import play_games
from baselines.learned.agents import CLICKS, load_network, read_description
from baselines.learned.common.multi_board import MultiBoardMixin
from baselines.learned.configurations import read_configuration
from baselines.learned.settings import PRECISIONS, TrainingSettings
from baselines.learned.training.loop import resolve_settings
from baselines.registry import AGENTS_FOLDER, agent_names, build_policy
from minesweeper_env.config import BoardConfig

BOARD = BoardConfig(8, 8, 14, moves=("click",))
LEARNERS = {"dqn": "dqn-8x8", "ppo": "ppo-8x8"}
STEPS = 8192
"""Steps of one piece of work; several rollouts."""

SCRIPTED = ("exact", "lookahead")
PARTS = ("environment", "inference", "update")
GAMES = 500
SEEDS = itertools.count(5_000_000)


def learning(model: MultiBoardMixin) -> Work:
    """Returns work that continues a training."""

    def work() -> int:
        before = model.num_timesteps
        # Time since the last piece of work belongs to other trainings.
        model.clock.lap("between")
        model.learn(STEPS, reset_num_timesteps=False, log_interval=None)
        return model.num_timesteps - before

    return work


def playing(name: str) -> Work:
    """Returns work that plays a batch of new games."""
    policy = build_policy(name, BOARD)

    def work() -> int:
        seeds = list(itertools.islice(SEEDS, GAMES))
        return len(play_games(policy, BOARD, seeds))

    return work


def players() -> Iterator[str]:
    """Yields the specifications of the timed policies."""
    for name in agent_names():
        if read_description(AGENTS_FOLDER / name).kind == CLICKS:
            yield from (f"{name}:precision={precision}" for precision in PRECISIONS)
        else:
            yield name
    yield from SCRIPTED


def models() -> dict[str, MultiBoardMixin]:
    """Returns models that continue from the weights of the shipped agents, by algorithm."""
    found = {}
    for name, configuration in LEARNERS.items():
        settings = resolve_settings(TrainingSettings.from_some(read_configuration(configuration)))
        learner = settings.own.make_learner(settings)
        if name in agent_names():
            learner.begin_with(load_network(AGENTS_FOLDER / name))
        found[name] = learner
    return found


def time_fractions(model: MultiBoardMixin) -> list[str]:
    """Returns the fractions of the training time spent on `PARTS`, in per cent."""
    return [f"{share:.1%}" for share in model.clock.fractions().values()]


def main() -> None:
    """Prints both tables."""
    chosen = arguments(__doc__.split("\n", 1)[0], 5.0, 5)
    torch.set_num_threads(1)
    print(f"minesweeper_env {minesweeper_env.__version__}, torch {torch.__version__}, {machine()}")
    learners = models()
    measured = rates({name: learning(model) for name, model in learners.items()}, chosen.seconds, chosen.repeats)
    lines = [(*line, *time_fractions(learners[line[0]])) for line in rows(measured)]
    print_table("learning, steps per second", ("algorithm", "median", "best", *PARTS), lines)
    measured = rates({name: playing(name) for name in players()}, chosen.seconds, chosen.repeats)
    ratios = [f"{median_ratio(all_, measured['exact']):.3f}" for all_ in measured.values()]
    lines = [(*line, ratio) for line, ratio in zip(rows(measured), ratios, strict=True)]
    print_table("playing, games per second", ("policy", "median", "best", "fraction of exact"), lines)


if __name__ == "__main__":
    main()
