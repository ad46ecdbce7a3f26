"""Options of `evaluate.py` for pictures of games, and the files that they ask for."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from baselines.support.extras import check_extra
from baselines.support.files import check_writable, replace_file
from baselines.terminal.progress import game_bar
from minesweeper_env.codes import MOVE_NAMES
from minesweeper_env.config import BoardConfig, counted
from minesweeper_env.notices import say

if TYPE_CHECKING:
    from baselines.evaluation.records import GameRecord
    from baselines.recording.games import RecordedGame

RECORD_SUFFIXES = (".gif", ".mp4", ".png")
"""The endings of the files of --record; the last one holds the last board alone."""

GALLERY_SUFFIXES = (".png",)
"""The ending of the file of --gallery."""

GALLERY_GAMES = 24
"""The number of games of a gallery without --gallery-games."""

MOST_CELLS = (1 << 16) // len(MOVE_NAMES)
"""The largest board that can be recorded: records keep an action in two bytes."""

OPTION_NAMES = ("record", "record_games", "record_all", "record_overlay", "record_speed", "gallery", "gallery_games")
NEEDED_FILES = {name: name.partition("_")[0] for name in OPTION_NAMES if "_" in name}
"""The option without which another one has no effect."""


def add_recording_options(
    group: argparse._ArgumentGroup,
    path: Callable[[str], Path],
    number: Callable[[str], int],
    speed: Callable[[str], float],
) -> None:
    """Adds the options.

    Args:
        group: where to add them.
        path: parser of a path.
        number: parser of a whole number of at least 1.
        speed: parser of a number above 0.
    """
    group.add_argument(
        "--record",
        type=path,
        metavar="FILE",
        help="draw games into this file, a frame per move with the risk of the click: "
        f"{', '.join(RECORD_SUFFIXES)} (.png draws the last board)",
    )
    group.add_argument(
        "--record-games", type=number, default=1, metavar="N", help="record the first N games, in turn (default 1)"
    )
    group.add_argument(
        "--record-all",
        action="store_true",
        help="record all policies side by side on the same seeds (default: the first policy alone)",
    )
    group.add_argument(
        "--record-overlay", action="store_true", help="write the mine probability on every covered cell, too"
    )
    group.add_argument(
        "--record-speed", type=speed, default=2.0, metavar="N", help="show N moves per second (default 2)"
    )
    group.add_argument(
        "--gallery",
        type=path,
        metavar="FILE",
        help="draw the final boards of many games of the first policy, sorted by the risk taken, into this .png file",
    )
    group.add_argument(
        "--gallery-games",
        type=number,
        default=GALLERY_GAMES,
        metavar="N",
        help=f"draw the first N games (default {GALLERY_GAMES})",
    )


def check_recording(options: argparse.Namespace, given: Sequence[str], cells: int) -> None:
    """Checks the options.

    Args:
        options: all options of the command.
        given: names of the options on the command line.
        cells: number of cells of a board.

    Raises:
        ValueError: an option is not allowed; the message is one line.
        MissingExtraError: a package is not installed.
    """
    _check_file("--record", options.record, RECORD_SUFFIXES)
    _check_file("--gallery", options.gallery, GALLERY_SUFFIXES)
    for name, file in NEEDED_FILES.items():
        if name in given and getattr(options, file) is None:
            raise ValueError(f"--{_spelled(name)} needs --{file} FILE")
    for name in ("record_games", "gallery_games"):
        if name in given and getattr(options, name) > options.games:
            raise ValueError(f"--{_spelled(name)} must be at most {options.games}, the number of --games")
    if is_recorded(options) and cells > MOST_CELLS:
        raise ValueError(f"pictures show boards of at most {MOST_CELLS} cells, and this one has {cells}")
    for module in _modules(options):
        check_extra(module, "video")


def is_recorded(options: argparse.Namespace) -> bool:
    """Returns whether any picture of games is asked for."""
    return options.record is not None or options.gallery is not None


def _spelled(name: str) -> str:
    return name.replace("_", "-")


def _check_file(option: str, path: Path | None, suffixes: Sequence[str]) -> None:
    if path is None:
        return
    if path.suffix not in suffixes:
        raise ValueError(f"{option} takes a file that ends in {' or '.join(suffixes)}, not {path}")
    check_writable(path)


def _modules(options: argparse.Namespace) -> list[str]:
    """Returns the packages that the files need."""
    modules = ["PIL"] if is_recorded(options) else []
    if options.record is not None and options.record.suffix == ".mp4":
        modules += ["imageio", "imageio_ffmpeg"]
    return modules


Played = Mapping[str, tuple[BoardConfig, Sequence["GameRecord"]]]
"""The games of each policy, by its specification, in the order of the command line: records with actions."""


def write_pictures(options: argparse.Namespace, played: Played) -> None:
    """Writes the files of --record and --gallery.

    Args:
        options: options of the command, as `add_recording_options` adds them.
        played: the games; at least one policy, with at least one game.

    Raises:
        OSError: a file cannot be written.
    """
    from baselines.recording import pictures
    from baselines.recording.games import Recording

    recorders = {".gif": pictures.gif, ".mp4": pictures.mp4, ".png": pictures.png}
    if options.record is not None:
        chosen = list(played) if options.record_all else list(played)[:1]
        count = min(options.record_games, *(len(played[name][1]) for name in chosen))
        columns = [_replayed(name, *played[name], count) for name in chosen]
        recording = Recording(list(zip(*columns, strict=True)), 1 / options.record_speed, options.record_overlay)
        with game_bar("drawing", options.record.name, len(recording), "frames") as on_drawn:
            content = recorders[options.record.suffix](recording, on_drawn)
        _write(options.record, content, f"{len(recording)} frames of {', '.join(chosen)}")
    if options.gallery is not None:
        name = next(iter(played))
        games = _replayed(name, *played[name], options.gallery_games)
        _write(options.gallery, pictures.gallery_png(games), f"{counted(len(games), 'game')} of {name}")


def _replayed(name: str, config: BoardConfig, records: Sequence[GameRecord], count: int) -> list[RecordedGame]:
    """Replays the first games of a policy, and judges their clicks."""
    from baselines.recording.games import replay

    shown = records[:count]
    games = []
    with game_bar("replaying", name, len(shown)) as on_finished:
        for record in shown:
            games.append(replay(name, config, record.seed, np.frombuffer(record.actions, "<u2").tolist()))
            on_finished(1)
    return games


def _write(path: Path, content: bytes, what: str) -> None:
    replace_file(path, content)
    say(f"{path}: {what}, {len(content) / 1000:.0f} KB")
