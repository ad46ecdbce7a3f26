"""`python train.py`: train an agent, and leave it in a run folder that `evaluate.py` plays.

The studies of many trainings, `seeds` and `sweep`, share the functions at the end.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from baselines.checks import check_extra, number_or_text
from baselines.cli.command import SHARED, SIDE, Command, Parser, Work, add_options, whole_number_from
from baselines.files import hold_folder, is_empty, read_json, write_json
from baselines.hub import RUN_FILE
from baselines.learned import configurations
from baselines.learned.options import options_of
from baselines.learned.settings import TrainingSettings
from baselines.process import FAILED, INTERRUPTED, explain, typed_command
from baselines.provenance import earlier_results, installation_id
from minesweeper_env.console import say

if TYPE_CHECKING:
    from baselines.learned.training.state import Training

NEEDED = ("torch", "stable_baselines3", "sb3_contrib", "safetensors", "scipy", "matplotlib", "rich")
"""The optional dependencies of a training."""

EXAMPLES = """\
{0} --config quick
{0} --algo dqn --size 5 --mines 3 --out runs/small
{0} --resume --out runs/small --steps 200000"""


class LongHelp(argparse.Action):
    """Prints the help, the configurations and the hyperparameters of all algorithms."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Prints the long help, and exits."""
        parser.print_help()
        print(configurations.long_help(max(get_terminal_size().columns - 2, 20)))  # argparse wraps at this width, too
        parser.exit()


def _add_arguments(parser: Parser) -> None:
    parser.usage, parser.has_set_option = "%(prog)s [options]", True
    parser.add_argument("--help-all", action=LongHelp, nargs=0, help="show the configurations and hyperparameters, too")
    task = parser.add_argument_group("what to train")
    task.add_argument("--config", metavar="NAME", help="train this configuration or .toml file, see --help-all")
    add_options(task, "--size", default=None, help=f"train on this side, or on ROWSxCOLS (default {SIDE})")
    add_options(task, "--mines", "--boards")
    _add_settings(task, "algo", "first_click", "no_guess", "luck", "reward", "gamma", "teacher", "start", "seed")
    length = parser.add_argument_group("length and place")
    add_options(length, "--out", help="write the run folder DIR (default runs/NAME)")
    length.add_argument("--resume", action="store_true", help="continue from the last checkpoint in --out")
    _add_settings(length, "minutes", "steps", "device", "threads")
    method = parser.add_argument_group("how to train")
    _add_settings(method, "envs", "channels", "depth", "precision", "optimizer", "eval_games")
    method.add_argument("--set", nargs="+", metavar="X=Y", help="set hyperparameters, which --help-all lists")
    method.add_argument("--track", action="store_true", help="send the log to Weights & Biases, too")


def _add_settings(group: argparse._ActionsContainer, *names: str) -> None:
    """Adds options for fields of `TrainingSettings`, as declared there; the value None means that one is not given."""
    declarations = {option.name: option for option in options_of(TrainingSettings)}
    for name in names:
        option = declarations[name]
        if bool in option.kinds:
            flag, text = f"--no-{name}", SHARED[f"--no-{name}"]["help"]
            group.add_argument(flag, dest=name, action="store_const", const=False, help=text)
            continue
        parsers: dict[type, Callable[[str], Any]] = {int: whole_number_from(int(option.least)), float: number_or_text}
        group.add_argument(
            "--" + name.replace("_", "-"),
            type=parsers.get(option.kinds[0], str),
            choices=option.choices or None,
            # "eval_games" takes GAMES, and "steps" takes STEPS.
            metavar="NAME" if option.choices else name.upper().partition("_")[2] or name.upper(),
            help=option.help,
        )


def _train(options: argparse.Namespace, training: Training, lock: ExitStack) -> int:
    """Trains under the lock of the folder, and reports the result; returns the exit status."""
    from baselines.learned.training.loop import run

    program, folder = options.program, training.folder
    try:
        with lock:
            run(training, options.command, track=options.track)
    except OSError as error:
        say(f"{program}: {explain(error)}; --resume continues, and what was saved before is in {folder}")
        return FAILED
    except KeyboardInterrupt:
        kept = training.progress.kept
        agent = f"the kept agent is of step {kept['steps']}" if kept else "there is no agent yet"
        say(f"{program}: stopped at once; {agent}, and --resume continues from the last checkpoint in {folder}")
        return INTERRUPTED
    _report(program, training)
    return INTERRUPTED if training.is_interrupted else 0


def _report(program: str, training: Training) -> None:
    """Prints a summary of the training, and a command for each board that evaluates the agent."""
    from baselines.learned.training.selection import Score
    from baselines.tables import Page

    page, settings, kept, steps = Page.for_stdout(), training.settings, training.progress.kept, training.steps
    kept_step = kept["steps"] if kept else 0
    state = "interrupted" if training.is_interrupted else "trained"
    hint = "; --resume goes on" if training.is_interrupted else ""
    page.note(f"{state} after {steps} steps: agent of step {kept_step} in {training.folder}{hint}")
    newest = f"the newest weights, of step {steps},"
    if kept_step != steps and training.newest is None:
        page.note(f"{newest} have not been evaluated; --resume continues with them")
    elif kept_step != steps and training.newest is not None:
        page.note(f"{newest} win {training.newest.win_rate:.1%} of the selection games, fewer than the kept agent")
    if kept:
        rates = Score(kept["win_rates"], kept["games"]).lines(training.progress.references or {})
        page.note(f"of {settings.eval_games} selection games: {'; '.join(rates)}")
    for board in settings.configs:
        rules = f" --no-guess {board.no_guess}" if board.no_guess else "" if board.luck else " --no-luck"
        page.line(
            f"{typed_command(program.replace('train', 'evaluate'), ())} --policy {shlex.quote(str(training.folder))} "
            f"--size {board.rows}x{board.cols} --mines {board.mines} --first-click {board.first_click}{rules}"
        )
    page.print()


def _prepare(options: argparse.Namespace) -> Work:
    """Locks the run folder, prepares the training, and returns it as work; the lock lasts until the work ends."""
    check_extra(*NEEDED)
    for module in ("wandb", "tensorboard") if options.track else ():
        check_extra(module, extra=module)
    settings, folder = configurations.settings_and_folder(options)
    say(f"Train {settings.title} for {settings.budget_in_words}, in {folder}{_hindsight_note(settings)}")
    with ExitStack() as stack:
        # Lock before the checkpoint is read, because another session may be writing its last one.
        if not folder.exists():
            folder.mkdir(parents=True)
            stack.callback(_remove_if_empty, folder)
        remove_temporary_files = stack.enter_context(hold_folder(folder))
        if not options.resume and not is_empty(folder):
            raise ValueError(f"{folder} exists and is not empty; go on with --resume, or choose another --out")
        from baselines.learned.training.loop import prepare

        training = prepare(settings, folder, options.resume)
        earlier = read_json(folder / RUN_FILE)["settings"] if options.resume else {}
        has_new_budget = (settings.steps, settings.minutes) != (earlier.get("steps"), earlier.get("minutes"))
        if options.resume and has_new_budget and training.budget.progress(training.steps) >= 1:
            raise ValueError(f"a budget counts all sessions, and {training.steps} steps are done; name a larger one")
        remove_temporary_files(0)  # All checks have passed, so those in this folder are ours.
        return partial(_train, options, training, stack.pop_all())


def _hindsight_note(settings: TrainingSettings) -> str:
    """Returns a note if a changed reward or discount turns hindsight off, which costs many wins; "" otherwise."""
    if settings.teacher != "none" or not getattr(settings.hyperparameters, "hindsight", 0):
        return ""
    needed = settings.without_effect.get("hindsight")
    return f"; without hindsight, which needs {needed}" if needed else ""


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def add_task(parser: Parser) -> None:
    """Adds the options that `seeds` and `sweep` share: the folder, the tables, the board and the training."""
    add_options(parser, "--wide")
    add_options(parser, "--out", required=True)
    task = parser.add_argument_group("board and training (default as configured)")
    add_options(task, "--size", default=None, help=f"play on this side, or on ROWSxCOLS (default {SIDE})")
    add_options(task, "--mines", "--boards")
    _add_settings(task, "first_click", "no_guess", "luck", "reward", "minutes", "steps")


def study_settings(name: str, options: argparse.Namespace) -> TrainingSettings:
    """Returns the settings of a configuration with the changes of the options, and one thread."""
    configuration = configurations.read_configuration(name)
    changes = configurations.given_settings(options, configuration) | {"threads": 1}
    # A study gives each training its own seed; --seed of a sweep is the seed of its draws.
    changes.pop("seed", None)
    settings = configurations.settings_of(name, configuration, changes)
    configurations.check_reward_of(settings, changes)
    return settings


def claim_folder(out: Path, file: str, plan: Mapping[str, Any], noted: Mapping[str, Any] | None = None) -> None:
    """Creates the folder of a study, with its plan in `file`; `noted` is also written, but never compared.

    Raises ValueError for a folder of another plan or other code, and BlockingIOError if another process writes into it.
    """
    out.mkdir(parents=True, exist_ok=True)
    with hold_folder(out):
        earlier_results(out, file, plan)
        write_json(out / file, {**plan, **(noted or {}), "identity": installation_id()})


def train_in(
    folder: Path, settings: TrainingSettings, command: str, code: Mapping[str, Any] | None = None, **options: Any
) -> Training:
    """Trains an agent in a run folder, or resumes its training there; `options` go to `loop.run`.

    `code` is the study's `code_of_reward`. Raises ValueError if it has changed, and KeyboardInterrupt after a signal.
    """
    from baselines.learned.training import loop

    if code is not None and code != configurations.code_of_reward(settings.reward):
        raise ValueError(
            f"{settings.reward} has changed since the command began: restore it, and run the command again"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with hold_folder(folder):
        training = loop.train(settings, folder, command, resume=(folder / RUN_FILE).is_file(), bar=False, **options)
    if training.is_interrupted:
        raise KeyboardInterrupt
    return training


main = Command("train", "Train a Minesweeper agent by reinforcement learning.", EXAMPLES, _add_arguments, _prepare).main
