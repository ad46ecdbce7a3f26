"""Parameter files of the fitted policies: JSON with integer arrays and their origin."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.support.files import check_writable, replace_file
from minesweeper_env.config import BoardConfig

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
