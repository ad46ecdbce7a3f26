"""Write the pictures that `evaluate.py --record` and `--gallery` ask for."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from baselines.evaluation.records import GameRecord
from baselines.recording import animations, gallery
from baselines.recording.captions import games_name
from baselines.recording.replay import RecordedGame, replay
from baselines.recording.slides import Recording
from baselines.support.files import replace_file
from baselines.terminal.progress import game_bar
from minesweeper_env.config import BoardConfig
from minesweeper_env.notices import say

RECORDERS = {".gif": animations.gif, ".mp4": animations.mp4, ".png": animations.png}

Played = Mapping[str, tuple[BoardConfig, Sequence[GameRecord]]]
"""The games of each policy, by its specification, in the order of the command line: records with actions."""


def write_pictures(options: argparse.Namespace, played: Played) -> None:
    """Writes the files of --record and --gallery.

    Args:
        options: options of the command, as `recording.options` adds them.
        played: the games; at least one policy, with at least one game.

    Raises:
        OSError: a file cannot be written.
    """
    if options.record is not None:
        chosen = list(played) if options.record_all else list(played)[:1]
        count = min(options.record_games, *(len(played[name][1]) for name in chosen))
        columns = [_replayed(name, *played[name], count) for name in chosen]
        recording = Recording(list(zip(*columns, strict=True)), 1 / options.record_speed, options.record_overlay)
        with game_bar("drawing", options.record.name, len(recording), "frames") as on_drawn:
            content = RECORDERS[options.record.suffix](recording, on_drawn)
        _write(options.record, content, f"{len(recording)} frames of {', '.join(chosen)}")
    if options.gallery is not None:
        name = next(iter(played))
        games = _replayed(name, *played[name], options.gallery_games)
        _write(options.gallery, gallery.png(games), f"{games_name(len(games))} of {name}")


def _replayed(name: str, config: BoardConfig, records: Sequence[GameRecord], count: int) -> list[RecordedGame]:
    """Replays the first games of a policy, and judges their clicks."""
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
