"""Generator of the pages, tables and pictures that come from the code and from result files: `make docs`.

`python docs/generate/pages.py tables` writes the tables alone. Each table stands between two markers of a page:

| marker | content |
|---|---|
| `<!-- results: POLICY -->` to `<!-- end of results -->` | the results of a policy; see `results.py` |
| `<!-- benchmark: KIND ... -->` to `<!-- end of benchmark -->` | another table; see `BENCHMARK` |

Figures that a page states by hand stand between `<!-- measured -->` and `<!-- end of measured -->`, with their command
and seeds; `tests/docs/test_figures.py` finds every other per cent.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from results import DOCS, Content, board_title, file_table, fill_results, policy_page, read_sources, wide_table

from baselines.benchmark import leaderboard
from baselines.benchmark.result_files import ResultFile
from baselines.evaluation.columns import per_cent, spaced
from baselines.evaluation.evaluate import evaluate_policy
from baselines.evaluation.protocol import PROTOCOL
from baselines.learned.settings import hyperparameters_of, options_of
from baselines.recording import Recording, replay
from baselines.registry import build_policy, policy_names
from minesweeper_env import BoardConfig
from minesweeper_env.registration import ENV_SPECIFICATIONS

PICTURE_SEED = 49
FRAME_SECONDS = 0.5


def _ids(_entries: Sequence[ResultFile]) -> str:
    """Returns the registered ids with their arguments."""
    ids = [f"| `{env_id}` | {_describe(arguments)} |" for env_id, arguments in ENV_SPECIFICATIONS.items()]
    return "\n".join(["| id | arguments |", "|---|---|", *ids])


def _hyperparameters(_entries: Sequence[ResultFile], algorithm: str) -> str:
    """Returns the hyperparameters of an algorithm."""
    rows = [
        f"| `{field.name}` | {field.default} | {declared.least:g} to {declared.most:g} | {declared.meaning} |"
        for field, declared in options_of(hyperparameters_of(algorithm))
    ]
    return "\n".join(["| name | default | allowed | meaning |", "|---|---|---|---|", *rows])


def _describe(arguments: dict[str, Any]) -> str:
    """Returns the arguments of an id, the number of mines after the size from which it follows."""
    mines = BoardConfig.of_size(arguments["size"]).mines
    return ", ".join(
        f"{name}={value!r}" for name, value in ({"size": arguments["size"], "mines": mines} | arguments).items()
    )


def write_game_picture(path: Path) -> None:
    """Writes an animation of a game of `exact`, as ``evaluate.py --record`` draws it, with the mine probabilities."""
    from baselines.recording import gif

    config = BoardConfig.of_size(16, moves=("click",))
    played = evaluate_policy(partial(build_policy, "exact", config), config, [PICTURE_SEED], record=True)
    actions = np.frombuffer(played.records[0].actions, "<u2").tolist()
    game = replay("exact", config, PICTURE_SEED, actions)
    path.write_bytes(gif(Recording([[game]], FRAME_SECONDS, overlay=True), lambda _: None))


def read_entries() -> list[ResultFile]:
    """Returns the result files of the leaderboard."""
    return leaderboard.read_results(DOCS / "leaderboard" / "results")


def _board(entries: Sequence[ResultFile], board: str, names: str = "", columns: str = "") -> str:
    return leaderboard.board_table(entries, board, names.split(), columns.split() or leaderboard.COLUMNS)


def _overview(entries: Sequence[ResultFile], first_click: str, names: str = "") -> str:
    return leaderboard.overview(entries, first_click, names.split())


def _protocol(_entries: Sequence[ResultFile]) -> str:
    rows = [f"| `{name}` | {text} |" for name, text in PROTOCOL.tracks.items()]
    return "\n".join(["| track | a policy of it |", "|---|---|", *rows])


def _policies(_entries: Sequence[ResultFile]) -> str:
    """Returns the policies in the order of the registry, each with the first two sentences of its page."""
    return "\n".join(["| policy | what it does |", "|---|---|", *map(_policy_row, policy_names())])


def _policy_row(name: str) -> str:
    page = DOCS.parent / "docs" / policy_page(name)
    paragraph = " ".join(page.read_text(encoding="utf-8").split("\n\n")[1].split())
    summary = ". ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph).split(". ")[:2]).rstrip(".")
    link = page.name if page.parent.name == "policies" else f"../{page.parent.name}/{page.name}"
    return f"| [`{name}`]({link}) | {summary} |"


def _logic(_entries: Sequence[ResultFile]) -> str:
    """Returns the win rates on boards that need no guess, from the results of the suite `logic`."""
    content = json.loads((DOCS / "results" / "logic.json").read_bytes())
    boards = content["boards"]
    rows = [
        [f"[`{policy}`](../{policy_page(policy)})", *(_rate(row) for row in each)]
        for each in zip(*(board["results"] for board in boards), strict=True)
        for policy in {row["policy"] for row in each} & {*policy_names()}
    ]
    titles = [board_title(board["config"]) for board in boards]
    lines = [["policy", *titles], ["---"] * (1 + len(boards)), *rows]
    games = content["games"]
    head = (
        f"`{content['command']}`: win rates in the {spaced(games)} games of seeds 0 to {games - 1}, with 95 % Wilson\n"
        "intervals."
    )
    return "\n".join([head, "", *(f"| {' | '.join(line)} |" for line in lines)])


def _file(_entries: Sequence[ResultFile], names: str) -> str:
    return file_table(names.split())


def _suite(_entries: Sequence[ResultFile], name: str, policies: str = "") -> str:
    return wide_table(name, policies.split())


def _rate(row: Content) -> str:
    low, high = row["ci95"]
    return f"{per_cent(row['win_rate'])} ({per_cent(low, high)})"


BENCHMARK: dict[str, Callable[..., str]] = {
    "logic": _logic,
    "file": _file,
    "suite": _suite,
    "board": _board,
    "overview": _overview,
    "entries": leaderboard.cards_table,
    "policies": _policies,
    "protocol": _protocol,
    "ids": _ids,
    "hyperparameters": _hyperparameters,
}
"""Kinds of generated blocks; their arguments stand in the marker, separated by `|`."""


def fill_benchmark(page: str, entries: Sequence[ResultFile]) -> str:
    """Returns a page with new tables between all pairs of markers of the benchmark."""

    def filled(found: re.Match[str]) -> str:
        kind, *arguments = (each.strip() for each in found[2].split("|"))
        return f"{found[1]}\n{BENCHMARK[kind](entries, *arguments)}\n\n{found[3]}"

    pattern = r"(<!-- benchmark: ([^>]*?) -->\n).*?(<!-- end of benchmark -->)"
    return re.sub(pattern, filled, page, flags=re.DOTALL)


def pages_with_tables() -> list[Path]:
    """Returns the pages that hold generated tables."""
    return [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]


def write_tables() -> None:
    """Writes all generated tables."""
    sources, entries = read_sources(), read_entries()
    for page in pages_with_tables():
        text = page.read_text(encoding="utf-8")
        page.write_text(fill_benchmark(fill_results(text, sources, entries), entries), encoding="utf-8")


def write_all() -> None:
    """Writes all that is generated."""
    from coach import write_coach_page
    from pictures import PICTURES

    write_game_picture(DOCS / "images" / "game.gif")
    for name, draw in PICTURES.items():
        (DOCS / "images" / f"{name}.png").write_bytes(draw())
    write_coach_page()
    write_tables()


if __name__ == "__main__":
    write_tables() if sys.argv[1:] == ["tables"] else write_all()
