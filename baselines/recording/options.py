"""Options of `evaluate.py` for pictures of games, checked before any work; nothing heavy is imported."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from baselines.support.extras import check_extra
from baselines.support.files import check_writable
from minesweeper_env.codes import MOVE_NAMES

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
        ValueError: an option is not allowed, or there is no FFmpeg; the message is one line.
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
    if options.record is not None and options.record.suffix == ".mp4":
        _check_encoder()


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


def _check_encoder() -> None:
    """Raises a ValueError if there is no FFmpeg."""
    import imageio_ffmpeg

    try:
        program = imageio_ffmpeg.get_ffmpeg_exe()
    except RuntimeError:
        program = "ffmpeg"
    if shutil.which(program) is None:
        raise ValueError(f"an .mp4 file needs FFmpeg, and {program} is no program; install FFmpeg, or record a .gif")


def _modules(options: argparse.Namespace) -> list[str]:
    """Returns the packages that the files need."""
    modules = ["PIL"] if is_recorded(options) else []
    if options.record is not None and options.record.suffix == ".mp4":
        modules += ["imageio", "imageio_ffmpeg"]
    return modules
