"""Base class of the fitted policies: parameters come from practice games, or from a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from baselines.scripted.base import ScriptedPolicy
from baselines.scripted.fitted.parameters import Parameters, Values, board_setting, load_parameters
from baselines.scripted.fitted.practice_games import MAX_GAMES, PracticeGames, play_practice_games
from minesweeper_env.config import BoardConfig, whole_number


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
