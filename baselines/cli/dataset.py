"""`python -m baselines dataset`: write a Minari data set of the games of policies, for offline learning."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from functools import partial

from baselines.cli.arguments import (
    FAILED,
    INTERRUPTED,
    Parser,
    add_board_arguments,
    parse_path,
    whole_number_from,
)
from baselines.cli.failures import PLAY_ERRORS, explain
from baselines.cli.policies import choose_policies
from baselines.evaluation.evaluate import evaluate_policy
from baselines.evaluation.minari_dataset import EXTRA, DatasetPlan, board_of, check_name, default_name, write_dataset
from baselines.evaluation.seeds import TRAINING_SEEDS
from baselines.registry import build_policy, config_for, find_policy
from baselines.support.extras import MissingExtraError, import_extra
from baselines.support.terminal import game_bar
from minesweeper_env.config import BoardConfig
from minesweeper_env.observations import ENCODINGS
from minesweeper_env.rewards import REWARDS

DEFAULT_POLICIES = ("exact", "lookahead")
DEFAULT_GAMES = 1000
PATH_VARIABLE = "MINARI_DATASETS_PATH"

EXAMPLES = """\
examples:
  python -m baselines dataset --size 8 --games 10000 --workers 2
  python -m baselines dataset --policy exact --size 16x30 --name minesweeper/expert/exact-v0 --out data
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: those after the name of the command; None for those that the process was started with.

    Returns:
        0 when all data sets are written, 130 after Ctrl-C, 1 after an error of a policy or of a file.
    """
    parser = _make_parser()
    options = parser.parse_args(arguments)
    given = sys.argv[1:] if arguments is None else arguments
    command = shlex.join(["python", "-m", "baselines", "dataset", *given])
    try:
        plans = _prepare(options, command)
    except (ValueError, OSError, MissingExtraError) as error:
        parser.error(explain(error))
    try:
        for plan in plans:
            _write(plan, options, plans[plan])
    except KeyboardInterrupt:
        print("interrupted: the data set in progress was not written", file=sys.stderr)
        return INTERRUPTED
    except PLAY_ERRORS as error:
        print(f"{parser.prog}: {explain(error)}", file=sys.stderr)
        return FAILED
    return 0


def _make_parser() -> Parser:
    parser = Parser(
        prog="python -m baselines dataset",
        description="Play games with policies, and write each policy's games as a Minari data set.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--policy",
        nargs="+",
        default=list(DEFAULT_POLICIES),
        metavar="NAME",
        help=f"play these policies, as evaluate.py names them (default {' '.join(DEFAULT_POLICIES)})",
    )
    add_board_arguments(parser)
    parser.add_argument(
        "--games",
        type=whole_number_from(1),
        default=DEFAULT_GAMES,
        metavar="N",
        help=f"record N games of each policy (default {DEFAULT_GAMES})",
    )
    parser.add_argument(
        "--observation", choices=ENCODINGS, default="codes", help="store observations in this encoding (default codes)"
    )
    parser.add_argument(
        "--reward", choices=REWARDS, default="win_loss", help="store rewards of this scheme (default win_loss)"
    )
    parser.add_argument(
        "--seed",
        type=whole_number_from(0),
        default=TRAINING_SEEDS.start,
        metavar="SEED",
        help=f"seed game 0 with SEED, game i with SEED + i; training games only (default {TRAINING_SEEDS.start})",
    )
    parser.add_argument(
        "--workers", type=whole_number_from(1), default=1, metavar="N", help="play in N processes (default 1)"
    )
    parser.add_argument(
        "--name",
        metavar="ID",
        help="call the data set ID, for one policy (default minesweeper/ROWSxCOLS-MINES-RULE/POLICY-v0)",
    )
    parser.add_argument(
        "--out",
        type=parse_path,
        metavar="DIR",
        help=f"write into DIR (default ${PATH_VARIABLE}, or ~/.minari/datasets)",
    )
    return parser


def _prepare(options: argparse.Namespace, command: str) -> dict[DatasetPlan, int]:
    """Checks all that can be checked before the first game; returns the batch size of each planned data set."""
    config = BoardConfig.of_size(options.size, options.mines, first_click=options.first_click, moves=("click",))
    _check_seeds(options.seed, options.games)
    for name in options.policy:
        find_policy(name)
    if options.name is not None and len(options.policy) > 1:
        raise ValueError("--name names one data set; give one policy, or leave --name out")
    for module in ("minari", "h5py"):
        import_extra(module, EXTRA)
    import_extra("scipy")
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        os.environ[PATH_VARIABLE] = str(options.out.resolve())
    plans = {}
    for policy, batch_size in choose_policies(options.policy, config).items():
        name = options.name or default_name(policy, config)
        check_name(name)
        games = config_for(policy, config)
        plans[DatasetPlan(name, policy, games, options.observation, options.reward, command)] = batch_size
    return plans


def _check_seeds(first: int, games: int) -> None:
    if first not in TRAINING_SEEDS or first + games > TRAINING_SEEDS.stop:
        raise ValueError(
            f"a data set is for learning, and its seeds are {TRAINING_SEEDS.start} to {TRAINING_SEEDS.stop - 1}, "
            f"not {first} to {first + games - 1}; evaluate.py plays the others"
        )


def _write(plan: DatasetPlan, options: argparse.Namespace, batch_size: int) -> None:
    with game_bar("playing", plan.policy, options.games) as on_finished:
        evaluation = evaluate_policy(
            partial(build_policy, plan.policy, plan.config),
            plan.config,
            range(options.seed, options.seed + options.games),
            policy_seed=options.seed,
            workers=options.workers,
            on_finished=on_finished,
            batch_size=batch_size,
            record=True,
        )
    if evaluation.interrupted:
        raise KeyboardInterrupt
    dataset = write_dataset(plan, evaluation.records)
    wins = sum(record.won for record in evaluation.records)
    print(
        f"{plan.name}: {dataset.total_episodes} games of {plan.policy} on {board_of(plan.config)}, "
        f"{dataset.total_steps} steps, {wins / dataset.total_episodes:.1%} won"
    )
