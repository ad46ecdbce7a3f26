"""`python -m baselines sweep`: search for hyperparameters by many trainings on Ray Tune."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from baselines.cli.arguments import (
    FAILED,
    INTERRUPTED,
    Parser,
    add_count,
    add_ray,
    add_wide,
    parse_path,
    positive_number,
    whole_number_from,
)
from baselines.cli.failures import explain
from baselines.cli.start import MODULE, announce, typed_command
from baselines.cli.sweep.report import report
from baselines.cli.training.running import NEEDED as TRAINING_NEEDS
from baselines.support.extras import MissingExtraError, check_extra, import_extra
from baselines.support.files import hold_folder
from minesweeper_env.notices import say

if TYPE_CHECKING:
    from baselines.sweeps.plan import Sweep

PROGRAM = f"{MODULE} sweep"
EXAMPLES = """\
examples:
  {0} --config quick --search learning_rate=log:1e-4:1e-2 --trials 8 --out runs/sweep
  {0} --config dqn-8x8 --search learning_rate=log:1e-4:1e-2 depth=int:4:8 batch_size=128,256 \\
      --trials 32 --steps 1000000 --ray auto --out runs/sweep
"""

NEEDED = (*TRAINING_NEEDS, "scipy", "ray")
DEFAULT_TRIALS, MOST_TRIALS = 10, 10_000


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
        program: name of the command, as the user typed it.

    Returns:
        0 when all is done, 130 after Ctrl-C, 1 when a trial failed or the cluster was lost. The same command resumes an
        unfinished sweep.
    """
    parser = _make_parser(program)
    options = parser.parse_args(arguments)
    try:
        for module in NEEDED:
            check_extra(module)
        sweep = _plan(options, typed_command(program, arguments))
    except (ValueError, OSError, MissingExtraError) as error:
        parser.error(explain(error))
    from baselines.executors.errors import WorkerError

    again = f"re-run the command to resume in {options.out}"
    try:
        with hold_folder(options.out):
            _carry_out(sweep, options.ray or "local")
            report(sweep, options.wide)
    except KeyboardInterrupt:
        say(f"{parser.prog}: interrupted; {again}")
        return INTERRUPTED
    except (OSError, ValueError, WorkerError) as error:
        say(f"{parser.prog}: {explain(error)}; {again}")
        return FAILED
    return 0


def _make_parser(program: str) -> argparse.ArgumentParser:
    parser = Parser(
        prog=program,
        description="Search for hyperparameters: train with drawn settings, and end the trainings that fall behind.",
        epilog=EXAMPLES.format(program),
    )
    parser.add_argument(
        "--config", required=True, metavar="NAME", help="read this configuration of train.py, or a .toml file"
    )
    parser.add_argument(
        "--search",
        nargs="+",
        required=True,
        metavar="NAME=FORM",
        help="draw these settings; FORM is log:LOW:HIGH, uniform:LOW:HIGH, int:LOW:HIGH, or values such as 32,64",
    )
    add_count(parser, "--trials", "train with N draws", DEFAULT_TRIALS, MOST_TRIALS)
    parser.add_argument(
        "--seed", type=whole_number_from(0), default=0, metavar="SEED", help="seed the draws with SEED (default 0)"
    )
    parser.add_argument(
        "--minutes", type=positive_number, metavar="M", help="train for up to M minutes each (default as configured)"
    )
    parser.add_argument(
        "--steps",
        type=whole_number_from(1),
        metavar="N",
        help="train for up to N steps each, instead of --minutes (default as configured)",
    )
    add_ray(parser)
    parser.add_argument(
        "--out",
        type=parse_path,
        required=True,
        metavar="DIR",
        help="write the trainings and results into DIR; the same command resumes them",
    )
    add_wide(parser)
    return parser


def _plan(options: argparse.Namespace, command: str) -> Sweep:
    from baselines.learned.settings.files import read_configuration
    from baselines.learned.settings.training import TrainingSettings
    from baselines.sweeps.plan import Sweep
    from baselines.sweeps.space import draw_trials, parse_dimension

    if options.steps is not None and options.minutes is not None:
        raise ValueError("give either --minutes or --steps")
    budget = {"minutes": options.minutes, "steps": options.steps} if options.minutes or options.steps else {}
    base = TrainingSettings.from_some({**read_configuration(options.config), **budget, "threads": 1})
    dimensions = [parse_dimension(text, base.algo) for text in options.search]
    values = draw_trials(base, dimensions, options.trials, options.seed)
    announce(f"Train {options.config} with {options.trials} draws, into {options.out}")
    import_extra("torch")
    from baselines.learned.training.resources import check_resources

    sweep = Sweep(base, tuple(options.search), tuple(values), options.seed, options.out, command)
    options.out.mkdir(parents=True, exist_ok=True)
    check_resources(base, options.out)
    sweep.store()
    # Damaged evaluations are refused before the first training.
    _ = [trial.points for trial in sweep.trials]
    return sweep


def _carry_out(sweep: Sweep, address: str) -> None:
    done = sum(trial.is_done for trial in sweep.trials)
    say(f"{done} of {len(sweep.trials)} trials are done")
    if done < len(sweep.trials):
        from baselines.sweeps.tuning import search

        search(sweep, address)
