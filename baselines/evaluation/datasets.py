"""Minari data sets of recorded games, for offline learning."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import warnings
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import Env
from numpy.typing import NDArray

import minesweeper_env
from baselines.evaluation.games import GameRecord
from baselines.evaluation.intervals import wilson_interval
from baselines.evaluation.results import versions
from baselines.support.board_names import board_of, file_name, name_of, no_guess_name
from minesweeper_env.config import BoardConfig

if TYPE_CHECKING:
    from minari import MinariDataset
    from minari.data_collector import EpisodeBuffer


class Episode(NamedTuple):
    """One game of T actions.

    Attributes:
        seed: seed of the game.
        observations: (T + 1, ...), from the empty board to the last one.
        action_masks: (T + 1, actions) int8, 1 for each legal action.
        actions: (T,) int64.
        rewards: (T,) float64.
        terminations: (T,) bool, True where the step won or lost the game.
        truncations: (T,) bool, True where the step limit ended it.
    """

    seed: int
    observations: NDArray[Any]
    action_masks: NDArray[np.int8]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]


def replay(env: Env[Any, Any], record: GameRecord) -> Episode:
    """Plays a recorded game again.

    Args:
        env: an environment with the board and the moves of the game.
        record: the record of the game, with its actions.

    Raises:
        ValueError: the environment does not end the game as the record says.
    """
    actions = np.frombuffer(record.actions, "<u2").astype(np.int64)
    observation, info = env.reset(seed=record.seed)
    observations, masks, steps = [observation], [info["action_mask"]], []
    for action in actions.tolist():
        observation, reward, terminated, truncated, info = env.step(action)
        observations.append(observation)
        masks.append(info["action_mask"])
        steps.append((reward, terminated, truncated))
    ended = bool(steps) and (steps[-1][1] or steps[-1][2])
    if not ended or info["is_success"] != record.won:
        raise ValueError(f"the game of seed {record.seed} ends otherwise in this environment")
    rewards, terminations, truncations = zip(*steps, strict=True)
    return Episode(
        record.seed,
        np.stack(observations),
        np.stack(masks),
        actions,
        np.array(rewards, np.float64),
        np.array(terminations, np.bool_),
        np.array(truncations, np.bool_),
    )


PATH_VARIABLE = "MINARI_DATASETS_PATH"

CHUNK = 500
"""Number of episodes in memory at a time."""


@dataclass(frozen=True)
class DatasetPlan:
    """Description of a data set, without its games.

    Attributes:
        name: id of the data set, as Minari spells it: "namespace/name-v0".
        policy: specification of the policy.
        config: board and rules of the games.
        observation: encoding of the observations: "codes", "planes" or "flat".
        reward: name of the reward scheme.
        command: command line that repeats the data set.
    """

    name: str
    policy: str
    config: BoardConfig
    observation: str
    reward: str
    command: str

    def make_env(self) -> gymnasium.Env[Any, Any]:
        """Returns the environment of the games; its specification is stored in the data set.

        Raises:
            ValueError: the encoding or the reward is not allowed.
        """
        config = self.config
        return gymnasium.make(
            "Minesweeper-v0",
            size=[config.rows, config.cols],
            mines=config.mines,
            first_click=config.first_click,
            moves=list(config.moves),
            no_guess=config.no_guess,
            observation=self.observation,
            reward=self.reward,
        )


def default_name(policy: str, config: BoardConfig) -> str:
    """Returns an id such as "minesweeper/8x8-14-opening/exact-v0"; the level of `no_guess` follows the mines."""
    board = file_name(name_of(config))
    spelled = re.sub(r"[^-\w]+", "-", policy).strip("-")
    return f"minesweeper/{board}-{config.first_click}/{spelled}-v0"


def check_name(name: str) -> None:
    """Checks that a data set can be created.

    Raises:
        ValueError: the id has a wrong form, or such a data set exists.
    """
    from minari.storage import get_dataset_path

    if not re.fullmatch(r"(?:[-\w]{2,}/)*[-\w]+-v\d+", name):
        raise ValueError(f"a data set has a name such as minesweeper/exact-v0, not {name!r}")
    path = Path(get_dataset_path(name))
    if path.exists():
        raise ValueError(f"the data set {name} exists already, in {path}; delete it or choose another name")


def write_dataset(plan: DatasetPlan, records: Iterable[GameRecord]) -> MinariDataset:
    """Writes the episodes of recorded games in a hidden folder, which moves to its place when all are written.

    Args:
        plan: what the data set holds.
        records: at least one record, with its actions.

    Raises:
        OSError: the data set cannot be written; or another process has made one of this name meanwhile, and the games
            stay in the hidden folder that the message names.
    """
    from minari import load_dataset
    from minari.storage import get_dataset_path

    hidden = Path(get_dataset_path()).absolute() / f".{secrets.token_hex(8)}"
    written, path = hidden / plan.name, Path(get_dataset_path(plan.name))
    try:
        with _root(hidden):
            _write(plan, list(records))
        _make_namespace(plan.name)
    except BaseException:
        shutil.rmtree(hidden, ignore_errors=True)
        raise
    try:
        # A folder with files is never replaced.
        written.rename(path)
    except OSError as error:
        raise OSError(error.errno, f"{plan.name} exists meanwhile, and these games stay here", str(written)) from error
    shutil.rmtree(hidden, ignore_errors=True)
    return load_dataset(plan.name)


@contextmanager
def _root(folder: Path) -> Generator[None]:
    """Lets Minari keep its data sets in another folder."""
    before = os.environ.get(PATH_VARIABLE)
    os.environ[PATH_VARIABLE] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[PATH_VARIABLE]
        else:
            os.environ[PATH_VARIABLE] = before


def _make_namespace(name: str) -> None:
    from minari.namespace import create_namespace, list_local_namespaces

    namespace = name.rpartition("/")[0]
    if namespace and namespace not in list_local_namespaces():
        create_namespace(namespace)


def _write(plan: DatasetPlan, records: list[GameRecord]) -> None:
    env = plan.make_env()
    buffers = (_buffer(replay(env, record)) for record in records)
    dataset = _create(plan, env, list(islice(buffers, CHUNK)))
    while chunk := list(islice(buffers, CHUNK)):
        dataset.storage.update_episodes(chunk)
    dataset.storage.update_metadata(_metadata(plan, records))


def _create(plan: DatasetPlan, env: gymnasium.Env[Any, Any], buffers: list[EpisodeBuffer]) -> MinariDataset:
    from minari import create_dataset_from_buffers

    with warnings.catch_warnings():
        # Minari recommends an author and a link, which only the person who publishes a data set can give.
        warnings.simplefilter("ignore", UserWarning)
        return create_dataset_from_buffers(
            plan.name,
            buffers,
            env=env,
            algorithm_name=plan.policy,
            description=(
                f"Games of the policy {plan.policy} on boards of {board_of(plan.config)}, "
                f"first click {plan.config.first_click}{',' if plan.config.no_guess else ''}"
                f"{no_guess_name(plan.config.no_guess)}."
            ),
            requirements=[f"minesweeper-env=={minesweeper_env.__version__}"],
        )


def _buffer(episode: Episode) -> EpisodeBuffer:
    from minari.data_collector import EpisodeBuffer

    return EpisodeBuffer(
        seed=episode.seed,
        observations=episode.observations,
        actions=episode.actions,
        rewards=episode.rewards.tolist(),
        terminations=episode.terminations.tolist(),
        truncations=episode.truncations.tolist(),
        infos={"action_mask": episode.action_masks},
    )


def _metadata(plan: DatasetPlan, records: list[GameRecord]) -> dict[str, Any]:
    """Returns what the data set says about its games, besides the fields of Minari."""
    wins, seeds = sum(record.won for record in records), [record.seed for record in records]
    low, high = wilson_interval(wins, len(records))
    logic = {"no_guess": plan.config.no_guess} if plan.config.no_guess else {}
    return logic | {
        "policy": plan.policy,
        "rows": plan.config.rows,
        "cols": plan.config.cols,
        "mines": plan.config.mines,
        "first_click": plan.config.first_click,
        "reward": plan.reward,
        "seeds": f"{min(seeds)} to {max(seeds)}",
        "games": len(records),
        "wins": wins,
        "win_rate": wins / len(records),
        "win_rate_ci95": f"{low:.4f} to {high:.4f}",
        "command": plan.command,
        "versions": ", ".join(f"{name} {number}" for name, number in versions().items()),
    }
