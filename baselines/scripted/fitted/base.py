"""What the fitted players share: they learn from practice games, or from a file of what was learned before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from baselines.scripted.base import ScriptedPolicy
from baselines.scripted.fitted.parameters import Parameters, Values, board_setting, load_parameters
from baselines.scripted.fitted.practice_games import MAX_GAMES, Practice, practise
from minesweeper_env.config import BoardConfig, whole_number


class FittedPolicy(ScriptedPolicy):
    """A player without deduction, whose guess rule is learned; its subclasses say what they learn, and how they use it.

    Attributes:
        parameters: what it has learned.
    """

    model: ClassVar[str]
    games_at_once = 200

    def __init__(
        self,
        config: BoardConfig,
        *,
        fit_games: int | None = None,
        fit_seed: int | None = None,
        parameters: str | Path | None = None,
    ) -> None:
        """Learns from practice games, or reads what was learned.

        Args:
            config: the games.
            fit_games: the number of practice games, 1 to `MAX_GAMES`; None for the policy's own choice.
            fit_seed: at least 0, chooses the practice games; None for 0.
            parameters: a file that `save` wrote; it takes the place of the two others.

        Raises:
            ValueError: an argument is not allowed, or the file is damaged or was written for other games.
        """
        super().__init__(config)
        if parameters is None:
            self.parameters = self._learn(fit_games, fit_seed)
        elif fit_games is None and fit_seed is None:
            self.parameters = self._load(parameters)
        else:
            raise ValueError("parameters takes the place of fit_games and fit_seed; give either")
        self.use(self.parameters.values)

    def save(self, path: str | Path) -> None:
        """Writes what was learned to a JSON file.

        Raises:
            ValueError: its folder does not exist or cannot be written, or the path is a folder.
        """
        self.parameters.save(path)

    def default_games(self) -> int:
        """Returns the number of practice games if none is given."""
        return 1000

    def setting(self) -> dict[str, Any]:
        """Returns what the parameters hold for: the board, and the options that change what is learned."""
        return board_setting(self.config)

    def flaw(self, values: Values) -> str | None:
        """Returns why these values, read from a file, cannot be used, or None."""
        raise NotImplementedError

    def fit(self, practice: Iterator[Practice]) -> Values:
        """Returns what these games teach."""
        raise NotImplementedError

    def use(self, values: Values) -> None:
        """Gets ready to play by what was learned."""
        raise NotImplementedError

    def _learn(self, fit_games: int | None, fit_seed: int | None) -> Parameters:
        games = self.default_games() if fit_games is None else whole_number("fit_games", fit_games, 1)
        if games > MAX_GAMES:
            raise ValueError(f"fit_games must be 1 to {MAX_GAMES}, not {games}")
        seed = 0 if fit_seed is None else whole_number("fit_seed", fit_seed, 0)
        values = self.fit(practise(self.config, games, seed))
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
    """Returns how values differ from the names and shapes that they must have, or None."""
    if values.keys() != shapes.keys():
        return f"its values must be {', '.join(shapes)}"
    for name, shape in shapes.items():
        if values[name].shape != shape:
            return f"{name} has the shape {values[name].shape}, not {shape}"
    return None
