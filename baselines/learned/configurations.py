"""Settings of a training, from configuration files and the command line; the sessions and the log of a run folder."""

import argparse
import csv
import math
import platform
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from textwrap import fill
from typing import Any

import minesweeper_env
from baselines.checks import did_you_mean, number_or_text
from baselines.files import file_name, read_bounded, read_json, write_json
from baselines.hub import AGENT_FILE, AGENT_WEIGHTS_FILE, HUB_NAME, RUN_FILE
from baselines.learned.options import options_of
from baselines.learned.settings import ALGORITHMS, TrainingSettings
from baselines.policy import PolicyError
from baselines.provenance import earlier_results, installation_id, processor_name, source_commit
from baselines.registry import AGENTS, CHECKPOINT_FILE, Specification, agent_folder
from baselines.schemas import Agent, Run, convert, read_as
from baselines.user_policy import USER_CODE, load, user_code
from minesweeper_env.config import PRESETS, BoardConfig, board_name, items_of, parse_size
from minesweeper_env.rewards import REWARDS, Transition

FOLDER, SUFFIX = files("baselines.learned") / "configs", ".toml"

START = "start"
"""Key in `RUN_FILE` of the training of the agent whose weights this training began with."""

LOG_FILE = "progress.csv"

STEP = "time/total_timesteps"
"""Name of the column with the environment steps."""

Points = dict[str, list[tuple[float, float]]]  # (step, value) by column

PACKAGES = ("gymnasium", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")
"""Packages whose versions a session records."""

MAY_CHANGE = ("minutes", "steps", "device", "threads")
"""The settings that a resumed training need not share with its first session."""


def configuration_names() -> list[str]:
    """Returns the names of the configurations that come with the package."""
    return sorted(entry.name.removesuffix(SUFFIX) for entry in FOLDER.iterdir() if entry.name.endswith(SUFFIX))


MOST_BYTES = 1 << 20
"""Size of the largest configuration that is read."""


def read_configuration(name: str) -> dict[str, Any]:
    """Returns the settings, by name, of a configuration in `configuration_names()` or of a .toml file.

    Raises a ValueError of one line if there is none of this name, or the file cannot be read.
    """
    is_path = name.endswith(SUFFIX)
    if not is_path and name not in configuration_names():
        names, hint = ", ".join(configuration_names()), did_you_mean(name, configuration_names())
        raise ValueError(f"there is no configuration {name!r}; there are {names}, and files that end in {SUFFIX}{hint}")
    try:
        content = read_bounded(Path(name), MOST_BYTES) if is_path else (FOLDER / f"{name}{SUFFIX}").read_bytes()
        return tomllib.loads(content.decode())
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"the configuration {name} cannot be read: {error}") from error


def long_help(width: int) -> str:
    """Returns help on all configurations, with their opening comments, and all hyperparameters, in lines of `width`."""
    lines = ["configurations (--config NAME):"]
    for name in configuration_names():
        file_lines = (FOLDER / f"{name}{SUFFIX}").read_text().splitlines()
        comments = takewhile(lambda line: line.startswith("#"), file_lines)
        summary = " ".join(line.removeprefix("#").strip() for line in comments)
        text = f"{name} ({TrainingSettings.of(read_configuration(name)).budget_in_words}): {summary}"
        lines.append(fill(text, width, initial_indent="  ", subsequent_indent=" " * 6, break_on_hyphens=False))
    lines += ["", "hyperparameters (--set NAME=VALUE), by algorithm:"]
    for algo in ALGORITHMS:
        lines.append(f"  {algo}")
        for option in options_of(ALGORITHMS[algo]):
            text = f"{option.name}: {option.help}"
            lines.append(fill(text, width, initial_indent=" " * 4, subsequent_indent=" " * 8))
    return "\n".join(lines)


def settings_and_folder(options: argparse.Namespace) -> tuple[TrainingSettings, Path]:
    """Returns the settings of a training, and the folder to train in.

    Args:
        options: what the command line gives, under the names of `TrainingSettings` and as `config`, `size`, `mines`,
            `out`, `resume` and `set`; None where it gives nothing.

    Raises:
        ValueError: two options contradict each other, a setting is not allowed, or there is no training to resume.
    """
    configuration = read_configuration(options.config) if options.config else {}
    given = given_settings(options, configuration)
    typed_hyperparameters = given.get("hyperparameters", {})
    if options.resume and options.out is not None and not options.config:
        # The run folder holds all settings that the command line leaves out.
        settings = _resumed_settings(options.out, given)
        check_reward_of(settings, given)
        return settings, options.out
    if "hyperparameters" in given:
        given["hyperparameters"] = {**configuration.get("hyperparameters", {}), **typed_hyperparameters}
    settings = settings_of(options.config, configuration, given)
    check_reward_of(settings, given)
    check_effect(settings, typed_hyperparameters)
    if settings.start is not None and not HUB_NAME.fullmatch(settings.start) and not options.resume:
        folder_to_start_from(settings.start)  # Raises a ValueError early.
    folder = options.out or Path("runs") / (Path(options.config).stem if options.config else _folder_name(settings))
    if options.resume:
        # The configuration must agree with the first session, except in what may change.
        content = settings.to_json()
        fixed = {name: content[name] for name in configuration.keys() - {*MAY_CHANGE}}
        settings = _resumed_settings(folder, given | fixed)
    return settings, folder


def settings_of(file: str | Path, content: Mapping[str, Any], given: Mapping[str, Any]) -> TrainingSettings:
    """Returns the settings of a file, changed by given ones; an error in the file's own settings names the file."""
    try:
        return TrainingSettings.of({**content, **given})
    except ValueError as error:
        try:
            TrainingSettings.of(content)  # It raises the same error if the file alone causes it.
        except ValueError as fault:
            if str(fault) == str(error):
                raise ValueError(f"{file}: {error}") from error
        raise


def check_effect(settings: TrainingSettings, chosen: Mapping[str, Any]) -> None:
    """Raises a ValueError if a chosen hyperparameter is not 0, but has no effect under the other settings."""
    if unmet := {name: needed for name, needed in settings.without_effect.items() if chosen.get(name)}:
        needs = " and ".join(dict.fromkeys(unmet.values()))
        raise ValueError(f"{' and '.join(unmet)} other than 0 would have no effect: the training needs {needs}")


def given_settings(options: argparse.Namespace, configuration: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Returns the settings that a command line gives; --steps unsets configured minutes, and --minutes steps.

    `configuration` is the content of a configuration file; --mines without --size refers to its board size.
    """
    names = {field.name for field in fields(TrainingSettings)}
    given = {name: value for name, value in vars(options).items() if name in names and value is not None}
    if options.steps is not None or options.minutes is not None:
        given |= {"steps": options.steps, "minutes": options.minutes}
    if getattr(options, "set", None) is not None:
        if malformed := [text for text in options.set if not re.fullmatch(r"[^=]+=.+", text)]:
            raise ValueError(f"a hyperparameter is set by NAME=VALUE, not {malformed[0]!r}")
        hyperparameters: dict[str, Any] = {}
        for name, _, value in (text.partition("=") for text in options.set):
            if name in hyperparameters:
                raise ValueError(f"a hyperparameter is set once, and --set has two values of {name}")
            hyperparameters[name] = number_or_text(value)
        given["hyperparameters"] = hyperparameters
    if options.size is not None or options.mines is not None:
        if options.boards is not None:
            raise ValueError("give either --boards or --size and --mines")
        size = options.size or _size_of(configuration or {})
        mines = options.mines or BoardConfig.of_size(size).mines
        given["boards"] = (board_name(*parse_size(size), mines),)
    return given


def _size_of(configuration: Mapping[str, Any]) -> tuple[int, int]:
    """Returns (rows, cols) of a configuration's boards, or of the default board; raises ValueError if they differ."""
    boards = [BoardConfig.of_name(name, "any") for name in items_of(configuration.get("boards"))]
    sizes = {(board.rows, board.cols) for board in boards} or {parse_size(PRESETS[""]["size"])}
    if len(sizes) > 1:
        raise ValueError(f"--mines needs --size, since the configuration has {', '.join(each.name for each in boards)}")
    return sizes.pop()


def folder_to_start_from(agent: str) -> Path:
    """Returns the folder of an agent to start a training from; raises ValueError if it is missing or damaged."""
    folder = agent_folder(agent) or Path(agent)
    if not folder.is_dir():
        names = ", ".join(sorted(AGENTS))
        raise ValueError(f"the training cannot start from {folder}: there are the agents {names}, and run folders")
    read_run(folder)  # Raises a ValueError if damaged.
    return folder


def load_reward(text: str) -> str | Callable[[Any], Any]:
    """Returns a reward for the environment: the user's function if `text` points to one, or else `text`, a name.

    `baselines.user_policy.load` says what it raises; errors within the function name `text`.
    """
    if (match := USER_CODE.fullmatch(text)) is None:
        return text
    function = load(text, match["base"], match["attribute"])

    def reward(transition: Any) -> Any:
        with user_code(text):
            return function(transition)

    return reward


def check_reward_of(settings: TrainingSettings, typed: Mapping[str, Any]) -> None:
    """Raises ValueError for a user's reward that is not in `typed`, or fails in a step of two games on each board."""
    reward = settings.reward
    if reward in REWARDS:
        return
    if reward != typed.get("reward"):
        raise ValueError(f"no file may choose the code of a reward: read {reward}, then type --reward {reward}")
    from minesweeper_env.vector_env import MinesweeperVectorEnv

    for config in settings.configs:
        games = MinesweeperVectorEnv(2, **config.arguments(), reward=load_reward(reward))
        games.reset(seed=0)
        try:
            rewards = games.step(games.sample_actions())[1]
        except (TypeError, PolicyError) as error:
            rule = "a reward gets the Transition of N games, with arrays (N,), and returns N numbers"
            rule += f"; the fields of a Transition are {', '.join(Transition._fields)}"
            raise ValueError(f"the reward {reward} cannot be used: {error}; {rule}") from error
        if not all(map(math.isfinite, rewards)):
            raise ValueError(f"the reward {reward} must be finite, not {rewards.tolist()}")


def code_of_reward(reward: str | None) -> dict[str, Any]:
    """Returns the entry of `run.json` with the digest of a user's reward code; empty for a named reward."""
    return {} if reward is None or reward in REWARDS else {"code of the reward": Specification.of(reward).digest()}


def _folder_name(settings: TrainingSettings) -> str:
    rules = [] if settings.no_guess == "none" else ["no-guess", settings.no_guess]
    rules += [] if settings.luck else ["no-luck"]
    return "-".join([settings.algo, *(file_name(board) for board in settings.boards), *rules])


def _resumed_settings(folder: Path, given: dict[str, Any]) -> TrainingSettings:
    """Returns the stored settings of a training, with the given ones in `MAY_CHANGE`; checks that the others agree."""
    if (run := read_run(folder)) is None:
        raise ValueError(f"--resume finds no training in {folder}: there is no {RUN_FILE}")
    settings = settings_of(folder / RUN_FILE, run["settings"], {})
    check_earlier(folder, {name: value for name, value in given.items() if name not in MAY_CHANGE})
    return replace(settings, **{name: value for name, value in given.items() if name in MAY_CHANGE})


def check_earlier(folder: Path, settings: Mapping[str, Any]) -> None:
    """Checks that a run folder is new, or holds a training with these settings by this code; "auto" fits any value.

    Raises:
        ValueError: a setting or the code differs, and the message names each with both values; or the folder holds an
            agent without its checkpoint, which a new training would overwrite.
    """
    checkpoint = folder / CHECKPOINT_FILE
    agents = [folder / name for name in (AGENT_FILE, AGENT_WEIGHTS_FILE) if (folder / name).exists()]
    if agents and not checkpoint.exists():
        raise ValueError(
            f"{checkpoint} is missing, and a new training would overwrite {agents[0]}; "
            f"train on from its weights in another folder: --start {folder} --out DIR"
        )
    explicit = {name: value for name, value in settings.items() if value != "auto"}
    earlier_results(folder, RUN_FILE, {"settings": explicit, **code_of_reward(settings.get("reward"))})


def record_session(
    folder: Path, settings: TrainingSettings, command: str, steps: int, start: dict[str, Any] | None = None
) -> None:
    """Writes the settings to `run.json`, and appends a session that begins at step `steps`.

    `start` is the `training_of` the agent whose weights the training begins with; None keeps the file's entry `START`.
    """
    run = read_run(folder) or {"sessions": []}
    start = start or run.get(START)
    versions = {"minesweeper-env": minesweeper_env.__version__, "python": platform.python_version()}
    session = {
        "command": command,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": source_commit(),
        "versions": versions | {name: version(name) for name in PACKAGES},
        "processor": processor_name(),
        "from_step": steps,
    }
    if settings.device == "cuda":  # Others read this module without PyTorch.
        import torch

        session["gpu"] = torch.cuda.get_device_name()
    content = {"settings": settings.to_json(), "identity": installation_id(), "sessions": [*run["sessions"], session]}
    content |= code_of_reward(settings.reward)
    write_json(folder / RUN_FILE, content if start is None else content | {START: start})


def read_run(folder: Path) -> dict[str, Any] | None:
    """Returns the content of `run.json`, or None if there is no such file; raises ValueError if it is damaged."""
    path = folder / RUN_FILE
    if not path.exists():
        return None
    content = read_json(path)
    convert(content, Run, str(path))  # Raises the ValueError.
    return content


def training_of(folder: Path) -> dict[str, Any]:
    """Returns how the agent in a run folder was trained: `steps` and `run`, JSON-able.

    `steps` is the last step of the log, which may be later than the agent; without a log, the step of the agent.
    `run` is the content of `run.json`. Its entry `START` is the `training_of` the agent that this training started
    from. Either is None if the folder lacks it. A ValueError says which file is damaged.
    """
    selected = read_as(folder / AGENT_FILE, Agent).selected_by
    steps = selected and max([selected["steps"], *(int(float(row[STEP])) for row in read_rows(folder))])
    return {"steps": steps, "run": read_run(folder)}


def lineage(training: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Yields a training from `training_of`, then that of the agent it started from, and so on to the oldest one."""
    while training is not None:
        yield training
        training = (training["run"] or {}).get(START)


def read_points(folder: Path) -> Points:
    """Returns the (step, value) pairs of each column in the log, by its name."""
    points: Points = {}
    for row in read_rows(folder):
        for name, value in row.items():
            points.setdefault(name, []).append((float(row[STEP]), float(value)))
    return points


def read_rows(folder: Path) -> list[dict[str, str]]:
    """Returns the rows of the log, one per step in ascending order; a row maps columns to finite numbers, as text."""
    rows: dict[float, dict[str, str]] = {}
    with suppress(FileNotFoundError), (folder / LOG_FILE).open(newline="", encoding="utf-8", errors="replace") as file:
        try:
            for row in map(_finite_numbers, csv.DictReader(file)):
                if STEP in row:
                    rows.setdefault(float(row[STEP]), {}).update(row)
        except csv.Error as error:
            raise ValueError(f"{folder / LOG_FILE} is damaged: {error}") from error
    return [rows[step] for step in sorted(rows)]


def _finite_numbers(row: dict[str, Any]) -> dict[str, str]:
    """Returns the cells of a row that hold finite numbers, without those that are empty or cut off by a kill."""
    numbers = {}
    for name, text in row.items():
        with suppress(TypeError, ValueError):
            if math.isfinite(float(text)):
                numbers[name] = text
    return numbers
