"""Base class of the fitted policies: parameters come from practice games of random clicks, or from a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.seeds import TRAINING_SEEDS, derived_seed
from baselines.scripted.base import ScriptedPolicy
from baselines.support.files import check_writable, replace_file
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.vector_env import MinesweeperVectorEnv

FORMAT = "minesweeper policy parameters, version 1"

Values = dict[str, NDArray[np.int64]]


@dataclass(frozen=True)
class Parameters:
    """Fitted parameters of a model.

    Attributes:
        model: the name of the model.
        setting: the board and the options that the values depend on.
        fit: "games" and "seed" of the practice games.
        values: int64 arrays by name.
    """

    model: str
    setting: dict[str, Any]
    fit: dict[str, int]
    values: Values

    def save(self, path: str | Path) -> None:
        """Writes the parameters to a JSON file.

        Raises:
            ValueError: the folder does not exist or cannot be written, or the path is a folder.
        """
        check_writable(Path(path))
        head = {"format": FORMAT, "model": self.model, "setting": self.setting, "fit": self.fit}
        content = {**head, "values": {name: value.tolist() for name, value in self.values.items()}}
        replace_file(Path(path), json.dumps(content).encode() + b"\n")


def load_parameters(path: str | Path, model: str, setting: dict[str, Any]) -> Parameters:
    """Reads the parameters of a model for a setting.

    Raises:
        ValueError: the file cannot be read, is damaged, or holds another model or setting.
    """
    content = _read(Path(path))
    for name, expected in (("model", model), ("setting", setting)):
        if content[name] != expected:
            raise ValueError(f"the parameters in {path} are of {name} {content[name]}, not {expected}")
    return Parameters(model, setting, content["fit"], _arrays(path, content["values"]))


def board_setting(config: BoardConfig) -> dict[str, Any]:
    """Returns the description of a board in parameter files."""
    size = [config.rows, config.cols]
    return {"size": size, "mines": config.mines, "first_click": config.first_click, "radius": config.radius}


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"the parameters in {path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged, or no file of parameters: it is not JSON") from error
    keys = {"format", "model", "setting", "fit", "values"}
    if not isinstance(content, dict) or content.get("format") != FORMAT or content.keys() != keys:
        raise ValueError(f"{path} is damaged, or no file of parameters: it must have {', '.join(sorted(keys))}")
    return content


def _arrays(path: str | Path, values: Any) -> Values:
    """Returns the values as int64 arrays.

    Raises:
        ValueError: a value is not an array of integers of at least 0.
    """
    if not isinstance(values, dict):
        raise ValueError(f"{path} is damaged: its values must have names")
    arrays = {}
    for name, value in values.items():
        try:
            array = np.array(value)
        except ValueError:
            array = np.array(None)
        if array.dtype.kind != "i" or (array < 0).any():
            raise ValueError(f"{path} is damaged: {name} must be an array of whole numbers of at least 0")
        arrays[name] = array.astype(np.int64)
    return arrays


MAX_GAMES = 1_000_000
"""Maximum number of practice games of a fit."""

_BATCH_SIZE = 1000


class PracticeGames(NamedTuple):
    """Boards and layouts of N finished games.

    Attributes:
        boards: (T, rows, cols) int8, the visible board before each click of the games.
        games: (T,) int64, the index of the game of each board.
        layouts: (N, rows, cols) bool, the mines of each game, read off its final board.
    """

    boards: NDArray[np.int8]
    games: NDArray[np.int64]
    layouts: NDArray[np.bool_]


def play_practice_games(config: BoardConfig, games: int, seed: int) -> Iterator[PracticeGames]:
    """Plays games by random clicks to their end, in batches; no step limit and no `no_guess` of `config` applies.

    Args:
        config: the games.
        games: number of games, 1 to `MAX_GAMES`.
        seed: at least 0; fixes where in `TRAINING_SEEDS` the consecutive seeds of the games start.
    """
    first = TRAINING_SEEDS.start + derived_seed(seed) % (len(TRAINING_SEEDS) - games + 1)
    endless = replace(config, moves=("click",), max_steps=None, no_guess=False)
    for begin in range(first, first + games, _BATCH_SIZE):
        yield _play(endless, range(begin, min(begin + _BATCH_SIZE, first + games)))


def _play(config: BoardConfig, seeds: range) -> PracticeGames:
    env = MinesweeperVectorEnv.of_config(config, len(seeds))
    observations, _ = env.reset(seed=list(seeds))
    playing = np.ones(len(seeds), np.bool_)
    boards, games, ends = [], [], observations.copy()
    while playing.any():
        boards.append(observations[playing])
        games.append(np.flatnonzero(playing))
        observations, _, terminations, _, _ = env.step(env.sample_actions())
        ended = playing & terminations
        ends[ended] = observations[ended]
        playing &= ~ended
    return PracticeGames(np.concatenate(boards), np.concatenate(games), _layouts(ends, config))


def _layouts(ends: NDArray[np.int8], config: BoardConfig) -> NDArray[np.bool_]:
    """Returns the mines of finished games: shown on lost boards, and the cells still covered on won ones."""
    mines = ends == config.codes.mine
    lost = mines.any(axis=(1, 2), keepdims=True)
    return np.where(lost, mines, ends > config.codes.max_count)


class FittedPolicy(ScriptedPolicy):
    """Scripted policy without deduction whose guess rule is fitted; subclasses define `fit`, `flaw`, `use` and `risks`.

    Attributes:
        model: the name of the model in parameter files.
        parameters: the fitted parameters.
    """

    model: ClassVar[str]
    batch_size = 200

    def __init__(
        self,
        config: BoardConfig,
        *,
        fit_games: int | None = None,
        fit_seed: int | None = None,
        parameters: str | Path | None = None,
    ) -> None:
        """Fits the parameters to practice games, or reads them from a file.

        Args:
            config: the games.
            fit_games: number of practice games, 1 to `MAX_GAMES`; None for `default_games()`.
            fit_seed: seed of the practice games, at least 0; None for 0.
            parameters: file that `save` wrote; allowed only without `fit_games` and `fit_seed`.

        Raises:
            ValueError: an argument is not allowed, or the file is damaged or was written for other games.
        """
        super().__init__(config)
        if parameters is None:
            self.parameters = self._learn(fit_games, fit_seed)
        elif fit_games is None and fit_seed is None:
            self.parameters = self._load(parameters)
        else:
            raise ValueError("parameters replaces fit_games and fit_seed; give either")
        self.use(self.parameters.values)

    def save(self, path: str | Path) -> None:
        """Writes the parameters to a JSON file.

        Raises:
            ValueError: the folder does not exist or cannot be written, or the path is a folder.
        """
        self.parameters.save(path)

    def default_games(self) -> int:
        """Returns the default number of practice games."""
        return 1000

    def setting(self) -> dict[str, Any]:
        """Returns the board and the options that the parameters depend on."""
        return board_setting(self.config)

    def flaw(self, values: Values) -> str | None:
        """Returns why values read from a file are invalid, or None if they are valid."""
        raise NotImplementedError

    def fit(self, practice: Iterator[PracticeGames]) -> Values:
        """Returns the values fitted to these games."""
        raise NotImplementedError

    def use(self, values: Values) -> None:
        """Prepares to play with these values."""
        raise NotImplementedError

    def _learn(self, fit_games: int | None, fit_seed: int | None) -> Parameters:
        games = self.default_games() if fit_games is None else whole_number("fit_games", fit_games, 1)
        if games > MAX_GAMES:
            raise ValueError(f"fit_games must be 1 to {MAX_GAMES}, not {games}")
        seed = 0 if fit_seed is None else whole_number("fit_seed", fit_seed, 0)
        values = self.fit(play_practice_games(self.config, games, seed))
        return Parameters(self.model, self.setting(), {"games": games, "seed": seed}, values)

    def _load(self, path: str | Path) -> Parameters:
        if not isinstance(path, (str, Path)):
            raise ValueError(f"parameters must be the path of a file, not {path!r}")
        loaded = load_parameters(path, self.model, self.setting())
        flaw = self.flaw(loaded.values)
        if flaw is not None:
            raise ValueError(f"{path} is damaged: {flaw}")
        return loaded


def shape_flaw(values: Values, shapes: dict[str, tuple[int, ...]]) -> str | None:
    """Returns how values differ from the required names and shapes, or None."""
    if values.keys() != shapes.keys():
        return f"its values must be {', '.join(shapes)}"
    for name, shape in shapes.items():
        if values[name].shape != shape:
            return f"{name} has the shape {values[name].shape}, not {shape}"
    return None
