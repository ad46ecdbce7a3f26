"""`python -m baselines dataset`: write a Minari data set of the games of policies, for offline learning."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from baselines.checks import check_extra
from baselines.cli.command import BOARD, Command, Parser, Work, add_options, chosen_board
from baselines.evaluation.seeds import TRAINING_SEEDS
from minesweeper_env.config import one_of
from minesweeper_env.console import say
from minesweeper_env.rewards import REWARDS

if TYPE_CHECKING:
    from baselines.evaluation.units import Assignment

EXAMPLES = """\
{0} --size 8 --games 10000 --workers 2
{0} --policy exact --size 16x30 --name minesweeper/expert/exact-v0 --out data"""


def _add_arguments(parser: Parser) -> None:
    add_options(parser, "--policy", default=("exact", "lookahead"))
    add_options(parser, *BOARD)
    add_options(parser, "--games", help="record N games of each policy")
    text = "store observations in this encoding of gym.make"
    parser.add_argument("--observation", default="codes", metavar="NAME", help=text)
    text = f"store rewards of this scheme: {', '.join(REWARDS)}"
    parser.add_argument("--reward", choices=REWARDS, default="win_loss", metavar="NAME", help=text)
    text = "seed game 0 with SEED, game i with SEED + i; training games only"
    add_options(parser, "--seed", default=TRAINING_SEEDS.start, help=text)
    add_options(parser, "--workers")
    parser.add_argument(
        "--name",
        metavar="ID",
        help="call the data set ID, for one policy (default minesweeper/ROWSxCOLS-MINES-RULE/POLICY-v0, with "
        "no-guess-LEVEL after the mines)",
    )
    add_options(parser, "--out", help="write into DIR (default $MINARI_DATASETS_PATH, or ~/.minari/datasets)")


def _prepare(options: argparse.Namespace) -> Work:
    config = chosen_board(options)
    first, last = options.seed, options.seed + options.games - 1
    if first not in TRAINING_SEEDS or last not in TRAINING_SEEDS:
        raise ValueError(
            f"a data set is for learning, and its seeds are {TRAINING_SEEDS.start} to {TRAINING_SEEDS.stop - 1}, "
            f"not {first} to {last}; evaluate.py plays the others"
        )
    if options.name is not None and len(options.policy) > 1:
        raise ValueError("--name names one data set; give one policy, or leave --name out")
    check_extra("minari", "h5py", extra="minari")
    check_extra("scipy", "rich")
    say(f"Record {options.games} games of {', '.join(options.policy)} on {config.name}")
    from baselines.cli.evaluate import choose_policies
    from baselines.evaluation.datasets import PATH_VARIABLE, check_name, default_name, make_env
    from minesweeper_env.observations import ENCODINGS

    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        os.environ[PATH_VARIABLE] = str(options.out.resolve())
    # Check the options before the policies are made, because their kernels may take minutes to compile.
    one_of("--observation", options.observation, ENCODINGS)
    if options.name is not None:
        check_name(options.name)
    plans: list[tuple[str, Assignment, Any]] = []  # name of the data set, games, and environment for its spaces
    for assignment in choose_policies(options.policy, config, range(first, last + 1), record=True):
        name = options.name
        if name is None:
            check_name(name := default_name(assignment.name, config))
        if getattr(assignment.built_policy, "may_resign", False):
            raise ValueError(f"{assignment.name} may give games up, but a data set needs games that are won or lost")
        if any(name == planned for planned, *_ in plans):
            raise ValueError(f"two policies would write {name}; record them one by one, with --name")
        plans.append((name, assignment, make_env(assignment.config, options.observation, options.reward)))
    return partial(_write_all, plans, options)


def _write_all(plans: Sequence[tuple[str, Assignment, Any]], options: argparse.Namespace) -> None:
    from baselines.evaluation.datasets import write_dataset
    from baselines.evaluation.evaluate import play
    from baselines.workers import local_workers

    for name, assignment, env in plans:
        with local_workers(options.workers) as workers:
            played = play(assignment, workers)
        if played.interrupted:
            raise KeyboardInterrupt
        dataset = write_dataset(name, assignment.name, env, played.records, options.command)
        assignment.end_transcripts()
        print(
            f"{name}: {dataset.total_episodes} games of {assignment.name} on {assignment.config.name}, "
            f"{dataset.total_steps} steps, {played.win_rate:.1%} won"
        )


main = Command(
    "dataset",
    "Play games with policies, and write each policy's games as a Minari data set.",
    EXAMPLES,
    _add_arguments,
    _prepare,
    "; the data set in progress was not written",
    (ValueError,),
).main
