"""Schemas of the JSON files that this package reads: structs whose types and bounds msgspec checks."""

from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict, TypeVar

import msgspec

from baselines.files import first_line, read_json

Content = TypeVar("Content")

MAX_CHANNELS, MAX_DEPTH = 1024, 64
"""Bounds of the size of a network."""

MOST_COUNTED = 10**18
"""The largest whole number in a file: int64 holds it, and its float is finite."""

Count = Annotated[int, msgspec.Meta(ge=0, le=MOST_COUNTED)]
Games = Annotated[int, msgspec.Meta(ge=1, le=MOST_COUNTED)]
Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]


class Kept(TypedDict):
    """Result of the agent in a run folder in the selection games: the mean and the win rate on each board."""

    win_rate: Rate
    win_rates: dict[str, Rate]
    games: Games
    first_seed: Count
    steps: Count


class TrainedOn(msgspec.Struct):
    """What an agent was trained on."""

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
    selected_by: Kept | None = None


class Session(TypedDict):
    """What is read of a session of a training."""

    command: str
    processor: str
    gpu: NotRequired[str]


class RunSettings(TypedDict):
    """What others read of the settings of a training."""

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
    """Returns JSON-able values as a struct; raises ValueError, in one line with `name`, if a value is damaged."""
    try:
        return msgspec.convert(content, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ValueError(f"{name} is damaged: {first_line(error)}") from error


def read_as(path: Path, kind: type[Content]) -> Content:
    """Reads a JSON object into a struct; raises ValueError, in one line, if the file is missing or damaged."""
    return convert(read_json(path), kind, str(path))
