"""Time per game of a policy, measured on a core that does nothing else, and kept apart from the results."""

from __future__ import annotations

import os
import time
from functools import partial
from typing import Any

from baselines.benchmark.blocks import Games
from baselines.benchmark.result_files import ResultFile
from baselines.evaluation.games import Player
from baselines.registry import build_policy

MOST_LOAD = 0.5
"""Load of the last minute above which a machine counts as busy."""

MOST_GAMES = 1000
"""Maximum number of games that are timed on a board."""

_FIELDS = {"processor", "boards"}


def busy() -> float | None:
    """Returns the load of the last minute if the machine is busy, and None if it is free or cannot tell."""
    try:
        load = os.getloadavg()[0]
    except OSError:
        return None
    return load if load > MOST_LOAD else None


def time_games(policy: str, games: Games, seconds: float) -> dict[str, Any]:
    """Plays whole batches for about this long, after one batch that is not timed; returns the entry of one board.

    Args:
        policy: specification of the policy.
        games: games of the board; the timed ones are their first batches.
        seconds: time after which no further batch begins; at least one batch is timed.

    Raises:
        ValueError: the policy is not available.
        PolicyError: the policy broke the protocol of policies.
    """
    player = Player(partial(build_policy, policy, games.config), games.config, games.seed)
    size, played, spent = games.batch_size, 0, 0.0
    player.play(0, range(games.seed, games.seed + min(size, games.games)))
    deadline = time.perf_counter() + seconds
    while played < min(MOST_GAMES, games.games) and (not played or time.perf_counter() < deadline):
        end = min(played + size, games.games)
        spent += player.play(played // size, range(games.seed + played, games.seed + end)).seconds
        played = end
    return {"games": played, "ms_per_game": round(1000.0 * spent / played, 4)}


def times_that_hold(earlier: ResultFile, result: ResultFile) -> dict[str, Any] | None:
    """Returns the times of an earlier file of the same entry, for the boards whose games are the same or continue it.

    Returns:
        The times for `result`; None if none holds.
    """
    if earlier.times is None or earlier.card.policy != result.card.policy:
        return None
    boards = {title: each for title, each in earlier.times["boards"].items() if _same(earlier, result, title)}
    return {**earlier.times, "boards": boards} if boards else None


def _same(earlier: ResultFile, result: ResultFile, title: str) -> bool:
    """Returns whether the games of a board begin with those of the earlier file, which hold the timed ones."""
    games, before = result.board(title), earlier.board(title)
    if games is None or before is None or (games.seed, games.batch_size) != (before.seed, before.batch_size):
        return False
    return games.won[: before.games] == before.won and games.digests[: before.games] == before.digests


def check_times(times: Any, boards: tuple[Games, ...]) -> None:
    """Checks the times of a result file.

    Raises:
        ValueError: they have another form, or a board is none of `boards`.
    """
    if times is None:
        return
    if not isinstance(times, dict) or set(times) != _FIELDS or not isinstance(times["boards"], dict):
        raise ValueError(f"`times` must be null or an object with the fields {', '.join(sorted(_FIELDS))}")
    for title, entry in times["boards"].items():
        if title not in [games.name for games in boards]:
            raise ValueError(f"`times` has {title!r}, which is no board of the file")
        number = entry.get("ms_per_game") if isinstance(entry, dict) else None
        if not isinstance(number, (int, float)) or not 0 < number < 1e9:
            raise ValueError(f"`times`, {title}: ms_per_game must be a number above 0, not {number!r}")
