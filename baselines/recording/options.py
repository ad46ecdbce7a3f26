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
from minesweeper_env.config import BoardConfig
from minesweeper_env.notices import say

if TYPE_CHECKING:
    from baselines.evaluation.records import GameRecord
    from baselines.recording.games import RecordedGame

RECORD_SUFFIXES = (".gif", ".mp4", ".png")
"""The endings of the files of --record; the last one holds the last board alone."""

MOST_CELLS = (1 << 16) // len(MOVE_NAMES)
"""The largest board that can be recorded: records keep an action in two bytes."""

OPTION_NAMES = ("record", "record_games", "record_all", "record_overlay", "record_speed")


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
    if options.record is None:
        if unused := [name for name in OPTION_NAMES if name in given]:
            raise ValueError(f"--{unused[0].replace('_', '-')} needs --record FILE")
        return
    if options.record.suffix not in RECORD_SUFFIXES:
        raise ValueError(f"--record takes a file that ends in {' or '.join(RECORD_SUFFIXES)}, not {options.record}")
    check_writable(options.record)
    if options.record_games > options.games:
        raise ValueError(f"--record-games must be at most {options.games}, the number of --games")
    if cells > MOST_CELLS:
        raise ValueError(f"pictures show boards of at most {MOST_CELLS} cells, and this one has {cells}")
    for module in ("PIL", "imageio", "imageio_ffmpeg") if options.record.suffix == ".mp4" else ("PIL",):
        check_extra(module, "video")


Played = Mapping[str, tuple[BoardConfig, Sequence["GameRecord"]]]
"""The games of each policy, by its specification, in the order of the command line: records with actions."""


def write_picture(options: argparse.Namespace, played: Played) -> None:
    """Writes the file of --record.

    Args:
        options: options of the command, as `add_recording_options` adds them.
        played: the games; at least one policy, with at least one game.

    Raises:
        OSError: the file cannot be written.
    """
    from baselines.recording import pictures
    from baselines.recording.games import Recording

    recorders = {".gif": pictures.gif, ".mp4": pictures.mp4, ".png": pictures.png}
    chosen = list(played) if options.record_all else list(played)[:1]
    count = min(options.record_games, *(len(played[name][1]) for name in chosen))
    columns = [_replayed(name, *played[name], count) for name in chosen]
    recording = Recording(list(zip(*columns, strict=True)), 1 / options.record_speed, options.record_overlay)
    with game_bar("drawing", options.record.name, len(recording), "frames") as on_drawn:
        content = recorders[options.record.suffix](recording, on_drawn)
    replace_file(options.record, content)
    say(f"{options.record}: {len(recording)} frames of {', '.join(chosen)}, {len(content) / 1000:.0f} KB")


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
