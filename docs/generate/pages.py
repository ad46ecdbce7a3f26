"""Generator of the pages, tables and pictures that come from the code and from result files.

`python docs/generate/pages.py tables` writes the tables alone, each between `<!-- benchmark: KIND | ... -->` and
`<!-- end of benchmark -->`. Figures that a page states
by hand stand between `<!-- measured -->` and `<!-- end of measured -->`, with their command and seeds;
`tests/docs/test_figures.py` finds every other per cent.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from baselines.benchmark.leaderboard import (
    COLUMNS,
    board_table,
    cards_table,
    markdown_table,
    overview,
    read_results,
)
from baselines.benchmark.protocol import PROTOCOL, TEXT_PROTOCOL
from baselines.benchmark.result_files import ResultFile
from baselines.evaluation.columns import board_title, spaced
from baselines.evaluation.results import points
from baselines.learned.settings import hyperparameters_of, options_of
from baselines.registry import policy_names
from minesweeper_env import BoardConfig
from minesweeper_env.registration import ENV_SPECIFICATIONS

DOCS = Path(__file__).parents[1]
EXACT = PROTOCOL.reference
Content = dict[str, Any]

GROUPS = {
    **{name: f"sources --groups {name}" for name in ("bayes", "agents", "expected-value")},
    "public": "public --groups opening",
    **{f"public-{name}": f"public --groups {name}" for name in ("safe", "8x8", "10x10")},
    "learned": "learned --groups opening",
    "learned-safe": "learned --groups safe",
    **dict.fromkeys(("afterstate", "afterstate-safe"), "learned --groups parts"),
}
"""Arguments that repeat the games of suites that are groups today."""


@cache
def entries() -> list[ResultFile]:
    """Returns the result files of the leaderboard."""
    return read_results(DOCS / "leaderboard" / "results")


def read_file(name: str) -> Content:
    """Returns a result file of docs/results with its boards, the command that repeats it, and its seeds as a text."""
    content = json.loads((DOCS / "results" / name).read_bytes())
    boards = content.setdefault("boards", [content])
    suite = content.get("suite")
    if suite in GROUPS and "group" not in boards[0]:
        content["command"] = content["command"].replace(f" suite {suite} ", f" suite {GROUPS[suite]} ")
    last = content["seed"] + content["games"] - 1
    for board in boards:
        board["heading"] = f"{board_title(board['config'])} {board['config']['first_click']}"
    return content | {"seeds": f"seeds {spaced(content['seed'])} to {spaced(last)}"}


def rate(row: Content, games: int) -> str:
    """Returns a win rate with its interval, in per cent, and its number of games unless this is `games`."""
    low, high = row["ci95"]
    count = "" if row["games"] == games else f", n = {spaced(row['games'])}"
    return f"{100 * row['win_rate']:.1f} ({100 * low:.1f} to {100 * high:.1f}){count}"


def difference(row: Content, test: Content | None) -> str:
    """Returns the difference that a test found, in points; empty if the row counts games that were not compared."""
    if not test or test["games"] != row["games"]:
        return ""
    return "{:+.1f} ({:+.1f} to {:+.1f})".format(*points(row["wins"], test))


def file_table(names: str) -> str:
    """Returns the win rates in files, a row per policy; a file of one board also has the differences."""
    headings, rows, heads, note = ["policy"], dict[str, list[str]](), [], ""
    for content in map(read_file, names.split()):
        heads.append(f"`{content['command']}`,\n{spaced(content['games'])} games of {content['seeds']}.")
        is_single = len(content["boards"]) == 1
        for board in content["boards"]:
            headings.append(f"{board['heading']}, %")
            if is_single:
                (reference,) = {row["mcnemar"]["against"] for row in board["results"] if row.get("mcnemar")}
                headings.append(f"minus `{reference}`, points")
                note = "; differences on the same games with 95 % intervals"
            for row in board["results"]:
                cells = [rate(row, content["games"]), difference(row, row.get("mcnemar"))]
                rows.setdefault(f"`{row['policy']}`", []).extend(cells[: 1 + is_single])
    heads.append(f"Win rates with 95 % Wilson intervals{note}.")
    return "\n".join([*heads, "", markdown_table(headings, [[policy, *cells] for policy, cells in rows.items()])])


def suite_table(name: str, policies: str = "") -> str:
    """Returns the win rates in a file, a row per board and a column per policy, all of the file without `policies`.

    If every other policy was compared with `exact`, a second line of each cell has the difference.
    """
    content = read_file(name)
    boards = [{row["policy"]: row for row in board["results"]} for board in content["boards"]]
    shown = policies.split() or list(boards[0])
    differences = [{policy: _minus_exact(found, policy) for policy in shown} for found in boards]
    is_compared = all(bool(each) == (policy != EXACT) for row in differences for policy, each in row.items())
    second = f"; second line: minus `{EXACT}` on the same n games, in points" if is_compared else ""
    rows = []
    for board, found, row in zip(content["boards"], boards, differences, strict=True):
        lines = [(rate(found[policy], content["games"]), each if is_compared else "") for policy, each in row.items()]
        rows.append([board["heading"], *("<br>".join(filter(None, cell)) for cell in lines)])
    head = (
        f"`{content['command']}`: win rates in per cent with 95 % intervals,\n"
        f"n = {spaced(content['games'])} unless stated, {content['seeds']}{second}."
    )
    return f"{head}\n\n{markdown_table(['board', *(f'`{policy}`' for policy in shown)], rows)}"


def _minus_exact(found: dict[str, Content], policy: str) -> str:
    """Returns the difference of a policy to `exact`, from the test of either of the two."""
    row, test = found[policy], found[policy].get("mcnemar") or {}
    reverse = found.get(EXACT, {}).get("mcnemar") or {}
    if reverse.get("against") == policy:
        test = reverse | {"against": EXACT, "won_alone": reverse["lost_alone"], "lost_alone": reverse["won_alone"]}
    return difference(row, test) if test.get("against") == EXACT else ""


def ids() -> str:
    """Returns the ids of the environments with their arguments; the number of mines follows the size."""
    rows = []
    for env_id, given in ENV_SPECIFICATIONS.items():
        arguments = {"size": given["size"], "mines": BoardConfig.of_size(given["size"]).mines} | given
        rows.append([f"`{env_id}`", ", ".join(f"{name}={value!r}" for name, value in arguments.items())])
    return markdown_table(["id", "arguments"], rows)


def hyperparameters(algorithm: str) -> str:
    """Returns the hyperparameters of an algorithm."""
    rows = [
        [f"`{field.name}`", str(field.default), f"{declared.least:g} to {declared.most:g}", declared.meaning]
        for field, declared in options_of(hyperparameters_of(algorithm))
    ]
    return markdown_table(["name", "default", "allowed", "meaning"], rows)


def policies() -> str:
    """Returns the policies in the order of the registry, each with the first two sentences of its section."""
    pages = {
        page: page.read_text(encoding="utf-8") for kind in ("policies", "agents") for page in DOCS.glob(f"{kind}/*.md")
    }
    rows = []
    for name in policy_names():
        page = next(page for page, text in pages.items() if f"\n## {name}\n" in text)
        paragraph = " ".join(pages[page].split(f"\n## {name}\n", 1)[1].strip().split("\n\n")[0].split())
        summary = ". ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph).split(". ")[:2]).rstrip(".")
        rows.append([f"[`{name}`]({os.path.relpath(page, DOCS / 'policies')}#{name})", summary])
    return markdown_table(["policy", "what it does"], rows)


BLOCKS: dict[str, Callable[..., str]] = {
    "file": file_table,
    "suite": suite_table,
    "board": lambda board, names="", columns="": board_table(
        entries(), board, names.split(), columns.split() or COLUMNS
    ),
    "overview": lambda first_click, names="": overview(entries(), first_click, names.split()),
    "text": lambda: overview(
        read_results(DOCS / "leaderboard" / TEXT_PROTOCOL.version), "opening", protocol=TEXT_PROTOCOL
    ),
    "entries": lambda: cards_table(entries()),
    "protocol": lambda: markdown_table(
        ["track", "a policy of it"], [[f"`{k}`", v] for k, v in TEXT_PROTOCOL.tracks.items()]
    ),
    "policies": policies,
    "ids": ids,
    "hyperparameters": hyperparameters,
}
"""Kinds of generated blocks; their arguments stand in the marker, separated by `|`."""


def fill(page: str) -> str:
    """Returns a page with new tables between all pairs of markers."""

    def filled(found: re.Match[str]) -> str:
        kind, *arguments = (each.strip() for each in found[2].split("|"))
        return f"{found[1]}\n{BLOCKS[kind](*arguments)}\n\n{found[3]}"

    return re.sub(r"(<!-- benchmark: ([^>]*?) -->\n).*?(<!-- end of benchmark -->)", filled, page, flags=re.DOTALL)


def pages() -> list[Path]:
    """Returns the pages that may hold generated tables."""
    return [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]


if __name__ == "__main__":
    if sys.argv[1:] != ["tables"]:
        import coach
        from pictures import PICTURES

        coach.PAGE.write_text(coach.fill(coach.PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        for name, draw in PICTURES.items():
            (DOCS / "images" / name).write_bytes(draw())
    for path in pages():
        path.write_text(fill(path.read_text(encoding="utf-8")), encoding="utf-8")
