"""Runs of the instrument: comparisons that resume, distances from the optimum, and regrets, as JSON-able rows."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from baselines.guesses.comparison import Comparison, Totals
from baselines.guesses.regret import ClickValues, Position, collect, regret_of
from baselines.guesses.tiny_boards import EveryLayoutPlayer, layouts_after, optimum
from baselines.policy import Policy
from baselines.registry import build_policy
from baselines.rollouts.players import player_of
from baselines.rollouts.playouts import Playouts
from baselines.support.board_names import parse_board
from baselines.support.files import read_json, write_json
from baselines.support.machine import processor_name
from baselines.support.reuse import check_same, own_identity
from baselines.terminal.progress import game_bar
from minesweeper_env.config import BoardConfig

BLOCK = 100
"""The number of games between two saves."""


def board_of(text: str) -> BoardConfig:
    """Returns the configuration of a board such as "8x8/14:safe"; the rule is "opening" where none is named.

    Raises:
        ValueError: the text has another form, or the board is not allowed.
    """
    board, _, rule = text.partition(":")
    return parse_board(board, rule or "opening")


def facts() -> dict[str, Any]:
    """Returns the command and the processor, for result files."""
    return {"command": " ".join(["python", *sys.argv]), "processor": processor_name()}


def begin_results(path: Path | None, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the results of an interrupted run in a file, or empty ones.

    Raises:
        ValueError: the file is unreadable, or holds a run with other settings or by other code.
    """
    if path is None or not path.exists():
        return {**facts(), "settings": dict(settings), "identity": own_identity()._asdict(), "boards": {}}
    results = read_json(path)
    check_same(path, results, {"settings": settings})
    return results


def compare(board: str, games: int, results: dict[str, Any], path: Path | None = None) -> Totals:
    """Compares rules by playouts on one board, until a number of games is played.

    Args:
        board: as `board_of` takes it.
        games: the number of games, those in `results` included.
        results: what `begin_results` returned, whose settings hold; the sums of the board are added.
        path: file of the results, written after each block.
    """
    own, config = results["settings"], board_of(board)
    known = results["boards"].get(board)
    comparison = Comparison(
        config,
        {name: build_policy(name, config) for name in own["rules"]},
        Playouts(config, player_of(build_policy(own["playout"], config), config), own["ends"]),
        own["layouts"],
        own["draws"],
        None if known is None else Totals.of_json(known),
    )
    totals = comparison.totals
    with game_bar("comparing rules on", board, games) as add:
        add(min(totals.games, games))
        while totals.games < games:
            first = own["seed"] + totals.games
            seeds = range(first, min(first + BLOCK, own["seed"] + games))
            comparison.add(seeds)
            results["boards"][board] = totals.as_json()
            if path is not None:
                write_json(path, results)
            add(len(seeds))
    return totals


def gap_of(board: str, rule: str, layouts: int) -> dict[str, Any]:
    """Plays every layout of a tiny board; returns the distance of a rule from the optimum in percentage points.

    Args:
        board: as `board_of` takes it.
        rule: the policy.
        layouts: see `EveryLayoutPlayer`.

    Raises:
        PositionTooHardError: the board is not small enough.
    """
    config, begin = board_of(board), time.process_time()
    player = EveryLayoutPlayer(config, build_policy(rule, config), layouts)
    many = layouts_after(config, player.cell)
    best = optimum(config, player.cell)
    with game_bar("playing every layout with", rule, many, "layouts") as add:
        played = player.play(add)
    rate = played.wins / many
    return {
        "board": board,
        "rule": rule,
        "layouts": many,
        "ends": layouts,
        "optimum": float(best),
        "win_rate": rate,
        "gap": 100.0 * (float(best) - rate),
        "guesses_per_game": played.guesses / many,
        "boards": played.boards,
        "seconds": time.process_time() - begin,
    }


def regret_row(rule: str, config: BoardConfig, positions: Sequence[Position]) -> dict[str, Any]:
    """Returns the regret of a rule on stored positions."""
    begin = time.process_time()
    values = ClickValues(config, max(position.layouts for position in positions))
    found = regret_of(build_policy(rule, config), config, positions, values)
    return {"rule": rule, "positions": len(positions), **found._asdict(), "seconds": time.process_time() - begin}


def collect_positions(
    policy: Policy, config: BoardConfig, seed: int, wanted: int, least: int, most: int
) -> list[Position]:
    """Returns the first `wanted` positions of the games on these seeds and the next ones; see `regret.collect`."""
    positions: list[Position] = []
    with game_bar("collecting positions", "", wanted, "positions") as add:
        while len(positions) < wanted:
            for position in collect(policy, config, range(seed, seed + BLOCK), least, most):
                positions.append(position)
                add(1)
                if len(positions) == wanted:
                    break
            seed += BLOCK
    return positions
