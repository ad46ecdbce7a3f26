"""Tables of matches of Azulejos, from the result files of `evaluate.py --env Azulejos-v0`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from places import DOCS

from baselines.evaluation.columns import per_cent

RESULTS = DOCS / "results" / "azulejos"
"""The folder of the result files."""

PAIRS = ("policy", "against", "wins, ties, losses", "win rate (95 %)", "moving first, second", "difference (95 %)")

Content = dict[str, Any]


def match_tables(name: str) -> str:
    """Returns the command, the table of ratings and the table of pairs of a result file, stronger policies first."""
    content: Content = json.loads((RESULTS / f"{name}.json").read_bytes())
    last = content["seed"] + content["boards"] - 1
    games, first = content["games_per_pair"], content["seed"]
    head = f"`{content['command']}`: {games} games per pair, boards of seeds {first} to {last}."
    ranks = {row["policy"]: rank for rank, row in enumerate(content["elo"])}
    pairs = [row if ranks[row["policy"]] < ranks[row["against"]] else _reversed(row) for row in content["pairs"]]
    pairs.sort(key=lambda row: (ranks[row["policy"]], ranks[row["against"]]))
    ratings = [[f"`{row['policy']}`", _elo(row), _limits(row)] for row in content["elo"]]
    return "\n\n".join(
        [head, _table(("policy", "Elo", "95 % interval"), ratings), _table(PAIRS, [_cells(row) for row in pairs])]
    )


def _reversed(row: Content) -> Content:
    """Returns a row from the side of the other policy."""
    turned = {
        "policy": row["against"],
        "against": row["policy"],
        "wins": row["losses"],
        "losses": row["wins"],
        "win_rate": (row["losses"] + row["ties"] / 2) / row["games"],
        "ci95": [1 - limit for limit in row["ci95"][::-1]],
        "win_rate_moving_first": 1 - row["win_rate_moving_second"],
        "win_rate_moving_second": 1 - row["win_rate_moving_first"],
        "score_difference": -row["score_difference"],
        "score_difference_ci95": [-limit for limit in row["score_difference_ci95"][::-1]],
    }
    return row | turned


def _cells(row: Content) -> list[str]:
    (low, high), (least, most) = row["ci95"], row["score_difference_ci95"]
    return [
        f"`{row['policy']}`",
        f"`{row['against']}`",
        f"{row['wins']}, {row['ties']}, {row['losses']}",
        f"{per_cent(row['win_rate'])} ({per_cent(low, high)})",
        f"{per_cent(row['win_rate_moving_first'])}, {per_cent(row['win_rate_moving_second'])}",
        f"{row['score_difference']:+.2f} ({least:+.2f} to {most:+.2f})",
    ]


def _elo(row: Content) -> str:
    sign = {"none": "", "lower": "> ", "upper": "< "}[row["bound"]]
    return f"{sign}{row['elo']:.0f}"


def _limits(row: Content) -> str:
    low, high = row["ci95"]
    if low == high:
        return ""
    return " to ".join("no limit" if limit is None else f"{limit:.0f}" for limit in (low, high))


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
