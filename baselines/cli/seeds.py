"""`python -m baselines seeds`: compare configurations, or agents of your own, over several training seeds.

A single failed training can dominate the mean of a few trainings. So the report gives the interquartile mean, with a
bootstrap interval over the seeds, as Agarwal et al. (2021) recommend.
"""

import argparse
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from baselines import checks, plot_style, progress, registry, schemas
from baselines.cli.command import Command, Parser, Work, add_options, chosen_workers, whole_number_from
from baselines.cli.train import NEEDED, add_task, claim_folder, study_settings, train_in
from baselines.evaluation.intervals import ENOUGH_SEEDS, interquartile_mean
from baselines.evaluation.seeds import check_seeds, range_text
from baselines.files import hold_folder, replace_file, write_json
from baselines.learned.configurations import check_earlier, code_of_reward, given_settings, read_points
from baselines.learned.settings import TrainingSettings
from baselines.workers import ProcessPool, local_workers
from minesweeper_env import BoardConfig
from minesweeper_env.console import say
from minesweeper_env.rewards import REWARDS

EXAMPLES = """\
{0} --config quick --seeds 5 --out runs/quick
{0} --config dqn-8x8 ppo-8x8 --minutes 10 --out runs/seeds
{0} --policy mine.py:Agent:seed=0 mine.py:Agent:seed=1 mine.py:Agent:seed=2 --out runs/mine"""

STUDY_FILE, RESULT_FILE = "seeds.json", "result.json"
"""The file of a study, with its number of test games and its code; and of each run folder, with the games won."""

_FINAL_NUMBER = re.compile(r"[-_/][0-9]+(?=(\.[a-z]\w*)?$)", re.IGNORECASE)
"""Matches the number at the end of the name of a file or folder, such as "-0" in runs/mine-0 and mine-0.pt."""

LEAST_SEEDS = 3
"""The smallest number of seeds; below `ENOUGH_SEEDS` there is a warning."""

SEEDS = 10
"""The default number of seeds."""

TRAINING_OPTIONS = ("seeds", "minutes", "steps", "reward", "ray")
"""The options, as attributes of the parsed options, that have no effect without a training."""


class TrainingTest(msgspec.Struct):
    """Content of `RESULT_FILE`: steps and settings of the training, test games on each board, and wins by board."""

    steps: schemas.Count
    games: schemas.Games
    wins: dict[str, schemas.Count]
    settings: dict[str, Any] | None = None  # older files lack it
    first_seed: schemas.Count = 0

    def __post_init__(self) -> None:
        if max(self.wins.values(), default=0) > self.games:
            raise ValueError(f"it has more wins than its {self.games} games")


class Task(NamedTuple):
    """A training and its test; `config` names the configuration, and `games` are the seeds of the test games.

    `code` is the code of the user's reward at the start of the command, so that `train_in` notices a change.
    """

    config: str
    settings: TrainingSettings
    folder: Path
    command: str
    games: range
    code: dict[str, Any] | None = None

    @property
    def result(self) -> TrainingTest | None:
        """The stored result, perhaps of another number of test games; None if there is none.

        Raises ValueError if the file is damaged, has more wins than games, or belongs to another training.
        """
        path = self.folder / RESULT_FILE
        if not path.exists():
            return None
        result, settings = schemas.read_as(path, TrainingTest), self.settings.to_json()
        if {*result.wins} != {*self.settings.boards} or result.settings not in (None, settings):
            raise ValueError(f"{path} is the result of other settings; delete it to test the agent again")
        return result

    @property
    def done(self) -> bool:
        """True if the result of exactly these test games is stored."""
        result = self.result
        return result is not None and range(result.first_seed, result.first_seed + result.games) == self.games

    @property
    def win_rate(self) -> float:
        """The win rate in the test games, averaged over the boards, of a task that is done."""
        assert self.result is not None
        return float(np.mean([wins / self.result.games for wins in self.result.wins.values()]))

    @property
    def curve(self) -> list[tuple[float, float]]:
        """The evaluations of the training, as (step, win rate)."""
        return read_points(self.folder).get("eval/win_rate", [])


def _add_arguments(parser: Parser) -> None:
    text = "train these configurations, names of the package or .toml files; no two may have one name"
    parser.add_argument("--config", nargs="+", default=[], metavar="NAME", help=text)
    text = f"train each configuration with N seeds, at least {LEAST_SEEDS} (default {SEEDS})"
    parser.add_argument("--seeds", type=whole_number_from(LEAST_SEEDS), metavar="N", help=text)
    add_options(
        parser,
        "--policy",
        help="compare these agents of your own: one for each seed, such as runs/mine-0 runs/mine-1, or "
        "mine.py:Agent:seed=0 mine.py:Agent:seed=1; agents that differ only in seed= or a final number share a row",
    )
    add_options(parser, "--games", default=2000, help="play N test games with each agent")
    # Not `seed`: that is the seed of a training.
    add_options(parser, "--seed", dest="first_seed")
    add_options(parser, "--workers", "--ray")
    add_task(parser)


def _prepare(options: argparse.Namespace) -> Work:
    """Checks the options and any earlier results, claims the folder, and returns the trainings and tests as work."""
    checks.check_extra(*NEEDED)
    for policy in registry.check_distinct(options.policy):
        policy.check()
    if not (options.config or options.policy):
        raise ValueError("name what to compare: --config, --policy, or both")
    if unused := [name for name in TRAINING_OPTIONS if getattr(options, name) is not None and not options.config]:
        raise ValueError(f"--{' and --'.join(unused)} need --config, since without it nothing is trained")
    bases = {Path(name).stem: study_settings(name, options) for name in options.config}
    boards = (next(iter(bases.values()), None) or TrainingSettings.of(given_settings(options))).configs
    if len(bases) < len(options.config):
        raise ValueError("the configurations must have different names, since their run folders are called after them")
    if any({*base.configs} != {*boards} for base in bases.values()):
        played = "; ".join(f"{name}: {_title_of(base.configs)}" for name, base in bases.items())
        raise ValueError(f"the configurations must play the same boards by the same rules, not {played}")
    seeds = options.seeds or SEEDS
    if bases:
        say(f"Train {', '.join(options.config)} with {seeds} seeds each, into {options.out}")
    games = check_seeds(options.first_seed, options.games)
    tasks = plan(bases, seeds, options.out, options.command, games)
    for task in tasks:
        check_earlier(task.folder, task.settings.to_json())
        _ = task.result  # A damaged result is refused before the first training.
    # A study without trainings stores only the final results, so other agents or boards need another folder.
    study = {"games": options.games, "policies": [] if bases else options.policy}
    board_title = {"boards": _title_of(boards)}
    claim_folder(options.out, STUDY_FILE, study if bases else study | board_title, board_title)
    if bases and seeds < ENOUGH_SEEDS:
        say(f"warning: an interval over {seeds} seeds is wide; compare with {ENOUGH_SEEDS} or more")
    return partial(_work, tasks, boards, games, options)


def _title_of(boards: Sequence[BoardConfig]) -> str:
    """Returns the names of boards, with their first-click rule."""
    return f"{', '.join(board.name for board in boards)}, first click {boards[0].first_click}"


def plan(bases: Mapping[str, TrainingSettings], seeds: int, out: Path, command: str, games: range) -> list[Task]:
    """Returns a task for each seed from 0 to `seeds - 1` and, within a seed, for each configuration of `bases`."""
    return [
        Task(name, replace(base, seed=seed), out / f"{name}-{seed}", command, games, code_of_reward(base.reward))
        for seed in range(seeds)
        for name, base in bases.items()
    ]


def _work(tasks: Sequence[Task], boards: Sequence[BoardConfig], games: range, options: argparse.Namespace) -> None:
    with hold_folder(options.out) as remove_temporary_files:
        remove_temporary_files(1)  # Depth 1: in the run folders CONFIG-SEED/, too.
        remaining = [task for task in tasks if not task.done]
        if tasks:
            say(f"{len(tasks) - len(remaining)} of {len(tasks)} trainings are done")
        if remaining:
            bar = progress.game_bar("running", "seeds", len(remaining), "trainings")
            with bar as on_finished, closing(_finish_tasks(remaining, options)) as finished:
                for task in finished:
                    say(f"{task.config} with seed {task.settings.seed} is done")
                    on_finished(1)
        _report(tasks, boards, options, agent_rates(options.policy, boards, games, options.workers))


def _finish_tasks(tasks: Sequence[Task], options: argparse.Namespace) -> Generator[Task]:
    """Carries out the tasks in worker processes, or on a cluster that sends back their files; yields each when done."""
    # A cluster needs the files of the agents that trainings start from, and those of the user's rewards.
    starts = {task.settings.start for task in tasks if task.settings.start is not None}
    rewards = {task.settings.reward for task in tasks}.difference(REWARDS)
    local_pool = closing(ProcessPool(min(options.workers, len(tasks)))) if options.ray is None else None
    with local_pool or chosen_workers(options, [*starts, *rewards]) as workers:
        calls = ((task, None if local_pool else _read_files(task.folder)) for task in tasks)
        for (task, _), files in workers.run(_carry_out_with_files, calls):
            _write_files(task.folder, files)
            yield task


def carry_out(task: Task) -> None:
    """Trains and tests, unless that is done; resumes an interrupted training. Raises KeyboardInterrupt on a signal."""
    from baselines.learned.agents import find_agent
    from baselines.learned.training.selection import count_wins

    if task.done:
        return
    # A result of other test games means that the training is finished, and only the test is to be repeated.
    training = task.result or train_in(task.folder, task.settings, task.command, task.code)
    wins = count_wins(task.settings, find_agent(task.folder), task.games)
    result = TrainingTest(training.steps, len(task.games), wins, task.settings.to_json(), task.games.start)
    write_json(task.folder / RESULT_FILE, msgspec.structs.asdict(result))


def _carry_out_with_files(task: Task, files: Mapping[str, bytes] | None) -> dict[str, bytes]:
    """Carries out a task: in its folder if `files` is None, else in a temporary folder that begins with these files.

    Returns the files of the temporary folder, by relative path; {} if there is none.
    """
    if files is None:
        carry_out(task)
        return {}
    with TemporaryDirectory() as path:
        folder = Path(path)
        _write_files(folder, files)
        carry_out(task._replace(folder=folder))
        return _read_files(folder)


def _read_files(folder: Path) -> dict[str, bytes]:
    """Returns the files below a folder by relative path; no links, which may lead to other files of the user."""
    paths = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes files into a folder, by relative path."""
    # `RESULT_FILE` comes last (False sorts before True), because it means that the task is done.
    for name in sorted(files, key=RESULT_FILE.__eq__):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        replace_file(folder / name, files[name])


def agent_rates(
    names: Sequence[str], boards: Sequence[BoardConfig], games: range, workers: int
) -> dict[str, list[float]]:
    """Returns the win rates of agents, means over the boards, by row (see `row_of`); `games` are seeds."""
    from baselines.evaluation.evaluate import play, prepare

    rates_by_row: dict[str, list[float]] = {}
    with local_workers(workers) as pool:
        for name in names:
            say(f"playing {name}")
            specification, rates = registry.find_policy(name), []
            for board in boards:
                assignment = prepare(specification, board, games, trial=False)
                played = play(assignment, pool, shown=False)
                if played.interrupted:
                    raise KeyboardInterrupt
                assignment.end_transcripts()
                rates.append(played.win_rate)
            rates_by_row.setdefault(row_of(name), []).append(float(np.mean(rates)))
    return rates_by_row


def row_of(policy: str) -> str:
    """Returns the row of an agent: its specification without `seed=` and without numbers at the end of files' names.

    Agents that differ in anything else may be of different methods, and have different rows.
    """
    agent = registry.Specification.of(policy)
    row = _FINAL_NUMBER.sub("", agent.base.rstrip("/")) + (f":{agent.attribute}" if agent.attribute else "")
    # A number in the name of a file tells agents apart; elsewhere it is a setting or a version, as in model=llama-3.
    is_file = re.compile(r".*\.[a-z]\w*", re.IGNORECASE).fullmatch
    options = [
        f"{name}={_FINAL_NUMBER.sub('', value) if is_file(str(value)) else value}"
        for name, value in agent.options.items()
        if name != "seed"
    ]
    return row + (f":{','.join(options)}" if options else "")


def _report(
    tasks: Sequence[Task],
    boards: Sequence[BoardConfig],
    options: argparse.Namespace,
    others: Mapping[str, Sequence[float]],
) -> None:
    """Writes and prints the win rates of the trainings and, from `agent_rates`, of `others`; draws learning curves."""
    rates: dict[str, list[float]] = {}
    for task in tasks:
        rates.setdefault(task.config, []).append(task.win_rate)
    results: list[dict[str, Any]] = []
    for name, values in [*rates.items(), *others.items()]:
        iqm, interval = interquartile_mean(values)
        ci95 = list(interval) if len(values) > 1 else None
        results.append({"config": name, "win_rates": values, "iqm": iqm, "ci95": ci95})
    content = {
        "games": options.games,
        "first_seed": options.first_seed,
        "command": options.command,
        "settings": {task.config: task.settings.to_json() for task in tasks if task.settings.seed == 0},
        "results": results,
        "curves": {f"{task.config} with seed {task.settings.seed}": task.curve for task in tasks},
    }
    write_json(options.out / "results.json", content)
    if tasks:
        replace_file(options.out / "curves.png", _draw(tasks, list(rates)))
    title = f"{_title_of(boards)}, {options.games} games each, {range_text(options.first_seed, options.games)}"
    _print(title, results, options.wide)


def _print(title: str, results: Sequence[dict[str, Any]], wide: bool) -> None:
    from baselines.evaluation.columns import table_of
    from baselines.tables import Column, Page, shown

    columns = (
        Column("configuration", "config"),
        Column("agents", lambda row: len(row["win_rates"]), "d"),
        Column("IQM of win rates", "iqm", ".1%"),
        Column("95 % interval", "ci95", ".1%"),
        Column("lowest", lambda row: min(row["win_rates"]), ".1%", 1),
        Column("highest", lambda row: max(row["win_rates"]), ".1%", 1),
    )
    best = max(range(len(results)), key=lambda row: results[row]["iqm"])
    page = Page.for_stdout(wide)
    page.table(table_of(title, columns, results, (best,) if len(results) > 1 else ()))
    method = f"below {ENOUGH_SEEDS} agents Student's t for their mean, else bootstrap percentiles"
    page.note(f"IQM: interquartile mean. Interval: {method}.", "dim")
    for one, other in combinations([result for result in results if len(result["win_rates"]) > 1], 2):
        difference, (low, high) = interquartile_mean(one["win_rates"], other["win_rates"])
        points = shown(100 * difference, "+.1f", (100 * low, 100 * high))
        page.note(f"{one['config']} minus {other['config']}, percentage points (95 % interval): {points}")
    page.print()


def _draw(tasks: Sequence[Task], configs: Sequence[str]) -> bytes:
    """Returns a PNG of learning curves: for each configuration the median over its seeds, and a band of all seeds."""
    from matplotlib.ticker import PercentFormatter

    with plot_style.styled_figure() as figure:
        axes = figure.add_subplot()
        for config in configs:
            curves = [points for task in tasks if task.config == config and (points := task.curve)]
            if curves:
                steps, low, median, high = band(curves)
                (line,) = axes.plot(steps, median, label=f"{config}, median of {len(curves)} seeds")
                axes.fill_between(steps, low, high, color=line.get_color(), alpha=0.25, linewidth=0)
        points_by_name = read_points(tasks[0].folder)  # of (step, win rate), as in `Task.curve`
        exact_rates = [points[-1][1] for name, points in points_by_name.items() if name.endswith("/exact")]
        if exact_rates:
            rate = sum(exact_rates) / len(exact_rates)
            axes.axhline(rate, linestyle="--", color="grey", label=f"exact {rate:.1%}")
        title = ", ".join(tasks[0].settings.boards)
        axes.set(xlabel="environment steps", ylabel="win rate in the selection games", title=title)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.grid()
        figure.legend(loc="outside lower center", ncols=2)
        return plot_style.image(figure)


def band(curves: Sequence[Sequence[tuple[float, float]]], points: int = 100) -> NDArray[np.float64]:
    """Returns (4, points): steps within all curves, and the lowest, median and highest win rate at each.

    The win rates at these steps are interpolated; a curve is a list of (step, win rate).
    """
    steps = np.linspace(max(curve[0][0] for curve in curves), min(curve[-1][0] for curve in curves), points)
    rates = np.array([np.interp(steps, *np.transpose(curve)) for curve in curves])
    return np.array([steps, rates.min(axis=0), np.median(rates, axis=0), rates.max(axis=0)])


main = Command(
    "seeds",
    "Train each configuration with several seeds, and compare the win rates of the agents.",
    EXAMPLES,
    _add_arguments,
    _prepare,
    "; re-run the command to resume in {out}",
    (ValueError,),
).main
