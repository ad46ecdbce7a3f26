"""Schemas of the JSON files that this package reads; msgspec checks the types and bounds of their fields."""

from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict, TypeVar

import msgspec

from baselines.files import first_line, read_json

Content = TypeVar("Content")

MAX_CHANNELS, MAX_DEPTH = 1024, 64
"""The largest network that a file may describe."""

MOST_COUNTED = 10**18
"""The largest whole number in a file; it fits into int64."""

Count = Annotated[int, msgspec.Meta(ge=0, le=MOST_COUNTED)]
Games = Annotated[int, msgspec.Meta(ge=1, le=MOST_COUNTED)]
Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]


class Kept(TypedDict):
    """The selection games of the agent that a run folder keeps: `win_rate` is the mean of `win_rates`, by board."""

    win_rate: Rate
    win_rates: dict[str, Rate]
    games: Games
    first_seed: Count
    steps: Count


class TrainedOn(msgspec.Struct):
    """The boards and rules of an agent's training."""

    boards: list[str] = []
    first_click: str = "opening"
    no_guess: str | bool = False
    luck: bool = True


class Agent(msgspec.Struct):
    """Content of `agent.json`."""

    format: Literal[3]
    kind: Literal["clicks", "afterstate"]
    channels: Annotated[int, msgspec.Meta(ge=1, le=MAX_CHANNELS)]
    depth: Annotated[int, msgspec.Meta(ge=1, le=MAX_DEPTH)]
    algo: str = "an unknown algorithm"
    trained_on: TrainedOn = msgspec.field(default_factory=TrainedOn)
    teacher: str = "none"
    selected_by: Kept | None = None


class Session(TypedDict):
    """The fields of a training session that this package reads."""

    command: str
    processor: str
    gpu: NotRequired[str]


class RunSettings(TypedDict):
    """The settings of a training that other modules read."""

    algo: str
    minutes: Annotated[float, msgspec.Meta(ge=0)] | None
    teacher: NotRequired[str]
    threads: NotRequired[Count]
    hyperparameters: dict[str, Any]


class Run(msgspec.Struct):
    """Content of `run.json`."""

    sessions: Annotated[list[Session], msgspec.Meta(min_length=1)]
    settings: RunSettings
    start: "Training | None" = None


class Training(msgspec.Struct):
    """A training; see `baselines.learned.configurations.training_of`."""

    steps: Count | None
    run: Run | None


def convert(content: Any, kind: type[Content], name: str) -> Content:
    """Converts JSON values into a `kind`; raises ValueError, in one line that begins with `name`, if one is invalid."""
    try:
        return msgspec.convert(content, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ValueError(f"{name} is damaged: {first_line(error)}") from error


def read_as(path: Path, kind: type[Content]) -> Content:
    """Reads a JSON object as a `kind`; raises ValueError, in one line, if the file is missing or invalid."""
    return convert(read_json(path), kind, str(path))
