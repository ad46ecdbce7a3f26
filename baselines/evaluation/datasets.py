"""Minari data sets of recorded games, for offline learning."""

import errno
import os
import re
import warnings
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import Env
from minari import MinariDataset, create_dataset_from_buffers, load_dataset
from minari.data_collector import EpisodeBuffer
from minari.namespace import create_namespace, list_local_namespaces
from minari.storage import get_dataset_path

import minesweeper_env
from baselines import files, provenance, workers
from baselines.evaluation.games import GameRecord
from baselines.evaluation.results import config_row, rate_row
from minesweeper_env.config import BoardConfig

PATH_VARIABLE = "MINARI_DATASETS_PATH"


def make_env(config: BoardConfig, observation: str, reward: str) -> Env[Any, Any]:
    """Returns an environment for `write_dataset`; raises ValueError if the encoding or the reward is not allowed."""
    return gymnasium.make("Minesweeper-v0", **config.arguments(), observation=observation, reward=reward)


def replay(env: Env[Any, Any], record: GameRecord) -> EpisodeBuffer:
    """Replays a recorded game of T actions; returns the buffer for Minari, with T + 1 observations and action masks.

    The masks are int8, the actions int64. Raises ValueError if the replay ends differently from the record.
    """
    actions = np.frombuffer(record.actions, "<u2").astype(np.int64)
    observation, info = env.reset(seed=record.seed)
    observations, masks, steps = [observation], [info["action_mask"]], []
    for action in actions.tolist():
        observation, reward, terminated, truncated, info = env.step(action)
        observations.append(observation)
        masks.append(info["action_mask"])
        steps.append((float(reward), terminated, truncated))
    rewards, terminations, truncations = map(list, zip(*steps, strict=True))
    if not (terminations[-1] or truncations[-1]) or info["is_success"] != record.won:
        raise ValueError(f"the game of seed {record.seed} ends otherwise in this environment")
    return EpisodeBuffer(
        seed=record.seed,
        observations=np.stack(observations),
        actions=actions,
        rewards=rewards,
        terminations=terminations,
        truncations=truncations,
        infos={"action_mask": np.stack(masks)},
    )


def default_name(policy: str, config: BoardConfig) -> str:
    """Returns a data set id, "minesweeper/8x8-14-opening/exact-v0"; a level of `no_guess` follows the mines."""
    spelled = re.sub(r"[^-\w]+", "-", policy).strip("-")
    return f"minesweeper/{files.file_name(config.name)}-{config.first_click}/{spelled}-v0"


def check_name(name: str) -> None:
    """Raises a ValueError if the id of a data set has a wrong form, or such a data set exists."""
    if not re.fullmatch(r"(?:[-\w]{2,}/)*[-\w]+-v\d+", name):
        raise ValueError(f"a data set has a name such as minesweeper/exact-v0, not {name!r}")
    path = Path(get_dataset_path(name))
    if path.exists():
        raise ValueError(f"the data set {name} exists already, in {path}; delete it or choose another name")


def write_dataset(
    name: str, policy: str, env: Env[Any, Any], records: Sequence[GameRecord], command: str
) -> MinariDataset:
    """Writes recorded games as a data set and returns it; its folder appears only when all episodes are written.

    `name` is the id of the data set, "namespace/name-v0"; `env` comes from `make_env`; `records` have their actions;
    `command` repeats the data set. Raises an OSError if it cannot be written, and a ValueError if the name is taken.
    """
    check_name(name)
    path = Path(get_dataset_path(name))
    with files.hidden_folder(Path(get_dataset_path("data"))) as hidden:
        _write_in_process(hidden, name, policy, env, records, command)
        namespace = name.rpartition("/")[0]
        if namespace and namespace not in list_local_namespaces():
            create_namespace(namespace)
        try:
            (hidden / name).rename(path)  # Fails, and replaces nothing, if `path` has files.
        except OSError:
            check_name(name)
            raise
    return load_dataset(name)


def _write_in_process(hidden: Path, *arguments: Any) -> None:
    """Calls `_write_into` in another process: on a full disk, HDF5 prints a thousand lines and may crash."""
    try:
        with closing(workers.ProcessPool(1, kills=1)) as pool:
            next(iter(pool.run(_write_into, iter([(hidden, *arguments)]))))
    except workers.KilledWorkerError:
        raise OSError(None, "the library that writes it crashed, as on a full disk", str(hidden.parent)) from None


def _write_into(hidden: Path, *arguments: Any) -> None:
    """Calls `_write` with `hidden` as the folder of all data sets; raises an OSError with the reason of the system."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # HDF5 prints to the file descriptor, not to `sys.stderr`.
    os.environ[PATH_VARIABLE] = str(hidden)
    try:
        _write(*arguments)
    except (OSError, RuntimeError) as error:
        # HDF5 hides the error of the system in a long text.
        stated = re.search(r"\berrno = (\d+)", str(error))
        number = int(stated[1]) if stated else getattr(error, "errno", None) or errno.EIO
        raise OSError(number, os.strerror(number), str(hidden.parent)) from None


def _write(name: str, policy: str, env: Env[Any, Any], records: Sequence[GameRecord], command: str) -> None:
    """Writes the data set; the environment variable `PATH_VARIABLE` says where."""
    config: BoardConfig = env.unwrapped.config  # type: ignore[attr-defined]
    with warnings.catch_warnings():
        # Minari recommends an author and a link, which only the person who publishes a data set can give.
        warnings.simplefilter("ignore", UserWarning)
        dataset = create_dataset_from_buffers(
            name,
            [],
            env=env,
            algorithm_name=policy,
            description=f"Games of the policy {policy} on boards of {config.in_words}, {config.rules}.",
            requirements=[f"minesweeper-env=={minesweeper_env.__version__}"],
        )
    dataset.storage.update_episodes(replay(env, record) for record in records)
    origin = {"policy": policy, "reward": env.spec.kwargs["reward"] if env.spec else "", "command": command}
    dataset.storage.update_metadata({**origin, **_metadata(config, records)})


def _metadata(config: BoardConfig, records: Sequence[GameRecord]) -> dict[str, Any]:
    """Returns what the data set says about its board and its games, besides the fields of Minari."""
    seeds, rates = [record.seed for record in records], rate_row(len(records), sum(record.won for record in records))
    board, (low, high) = config_row(config), rates.pop("ci95")
    rows, cols = board.pop("size")
    return {
        **board,
        "rows": rows,
        "cols": cols,
        "seeds": f"{min(seeds)} to {max(seeds)}",
        **rates,
        "win_rate_ci95": f"{low:.4f} to {high:.4f}",
        "versions": ", ".join(f"{name} {number}" for name, number in provenance.versions().items()),
    }
