"""Generator of the pages, tables and pictures that come from the code and from result files.

`python docs/generate/pages.py tables` writes the tables alone, each between `<!-- benchmark: KIND | ... -->` and
`<!-- end of benchmark -->`, or `<!-- results: POLICY -->` and `<!-- end of results -->`. Figures that a page states
by hand stand between `<!-- measured -->` and `<!-- end of measured -->`, with their command and seeds;
`tests/docs/test_figures.py` finds every other per cent.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from baselines.benchmark.leaderboard import (
    COLUMNS,
    board_table,
    cards_table,
    markdown_table,
    overview,
    policy_table,
    read_results,
)
from baselines.benchmark.protocol import PROTOCOL
from baselines.benchmark.result_files import ResultFile
from baselines.evaluation.columns import board_title, spaced
from baselines.evaluation.results import points as difference
from baselines.learned.settings import hyperparameters_of, options_of
from baselines.registry import policy_names
from minesweeper_env import BoardConfig
from minesweeper_env.registration import ENV_SPECIFICATIONS

DOCS = Path(__file__).parents[1]
Content = dict[str, Any]

GROUPS = {
    **{name: f"sources --groups {name}" for name in ("bayes", "agents", "expected-value")},
    "public": "public --groups opening",
    **{f"public-{name}": f"public --groups {name}" for name in ("safe", "8x8", "10x10")},
    "learned": "learned --groups opening",
    "learned-safe": "learned --groups safe",
    **dict.fromkeys(("afterstate", "afterstate-safe"), "learned --groups parts"),
}
"""What repeats the result files of suites that are groups today."""


@cache
def entries() -> list[ResultFile]:
    """Returns the result files of the leaderboard."""
    return read_results(DOCS / "leaderboard" / "results")


def read_file(name: str) -> Content:
    """Returns a result file of docs/results, with its boards and the command that repeats it."""
    content = json.loads((DOCS / "results" / name).read_bytes())
    content.setdefault("boards", [content])
    suite = content.get("suite")
    if suite in GROUPS and "group" not in content["boards"][0]:
        content["command"] = content["command"].replace(f" suite {suite} ", f" suite {GROUPS[suite]} ")
    return content


def seeds_of(content: Content) -> str:
    """Returns the seeds of a result file."""
    return f"seeds {spaced(content['seed'])} to {spaced(content['seed'] + content['games'] - 1)}"


def heading(board: Content) -> str:
    """Returns the board with its first-click rule."""
    return f"{board_title(board['config'])} {board['config']['first_click']}"


def rate(row: Content, games: int) -> str:
    """Returns a win rate with its interval, in per cent, and its number of games unless this is `games`."""
    low, high = row["ci95"]
    count = "" if row["games"] == games else f", n = {spaced(row['games'])}"
    return f"{100 * row['win_rate']:.1f} ({100 * low:.1f} to {100 * high:.1f}){count}"


def points(test: Content | None, row: Content) -> str:
    """Returns the difference that a test found, in points; empty if the row counts games that were not compared."""
    if not test or test["games"] != row["games"]:
        return ""
    return "{:+.1f} ({:+.1f} to {:+.1f})".format(*difference(row["wins"], test))


def file_table(names: str) -> str:
    """Returns the win rates in files, a row per policy; a file of one board also has the differences."""
    headings, rows, heads, has_points = ["policy"], dict[str, list[str]](), [], False
    for content in map(read_file, names.split()):
        heads.append(f"`{content['command']}`,\n{spaced(content['games'])} games of {seeds_of(content)}.")
        for board in content["boards"]:
            headings.append(f"{heading(board)}, %")
            against = {row["mcnemar"]["against"] for row in board["results"] if row.get("mcnemar")}
            if single := len(content["boards"]) == 1:
                (reference,) = against
                headings.append(f"minus `{reference}`, points")
                has_points = True
            for row in board["results"]:
                cells = [rate(row, content["games"]), *([points(row.get("mcnemar"), row)] if single else [])]
                rows.setdefault(f"`{row['policy']}`", []).extend(cells)
    differences = "; differences on the same games with 95 % intervals" if has_points else ""
    heads.append(f"Win rates with 95 % Wilson intervals{differences}.")
    return "\n".join([*heads, "", markdown_table(headings, [[policy, *cells] for policy, cells in rows.items()])])


def suite_table(name: str, policies: str = "") -> str:
    """Returns the win rates in a file, a row per board and a column per policy, all of the file without `policies`.

    If every other policy was compared with `exact`, a second line of each cell has the difference.
    """
    content, reference = read_file(name), PROTOCOL.reference
    shown = policies.split() or [row["policy"] for row in content["boards"][0]["results"]]
    boards = [{row["policy"]: row for row in board["results"]} for board in content["boards"]]
    differences = [[_against_reference(found, policy) for policy in shown] for found in boards]
    compared = all(
        bool(each) == (policy != reference) for row in differences for policy, each in zip(shown, row, strict=True)
    )
    cells = [
        [
            rate(found[policy], content["games"]) + (f"<br>{each}" if each and compared else "")
            for policy, each in zip(shown, row, strict=True)
        ]
        for found, row in zip(boards, differences, strict=True)
    ]
    second = f"; second line: minus `{reference}` on the same n games, in points" if compared else ""
    head = (
        f"`{content['command']}`: win rates in per cent with 95 % intervals,\n"
        f"n = {spaced(content['games'])} unless stated, {seeds_of(content)}{second}."
    )
    rows = [[heading(board), *row] for board, row in zip(content["boards"], cells, strict=True)]
    return f"{head}\n\n{markdown_table(['board', *(f'`{policy}`' for policy in shown)], rows)}"


def _against_reference(found: dict[str, Content], policy: str) -> str:
    """Returns the difference of a policy to the reference, from the test of either of the two."""
    row, reference = found[policy], found.get(PROTOCOL.reference, {})
    test, reverse = row.get("mcnemar") or {}, reference.get("mcnemar") or {}
    if test.get("against") == PROTOCOL.reference:
        return points(test, row)
    if reverse.get("against") == policy:
        return points(reverse | {"won_alone": reverse["lost_alone"], "lost_alone": reverse["won_alone"]}, row)
    return ""


def results_of(policy: str) -> str:
    """Returns the results of a policy: its games of the benchmark, or else of a file, and the files that have more."""
    files = [path.name for path in sorted((DOCS / "results").glob("*.json")) if _plays(policy, path.name)]
    parts, table = [], policy_table(entries(), policy)
    if table:
        first, last = spaced(PROTOCOL.seeds.start), spaced(PROTOCOL.seeds.stop - 1)
        compared = f"\nSecond line: minus `{PROTOCOL.reference}` on the same games, in points;"
        compared += " * is p < 0.05, exact McNemar test, Holm-corrected."
        parts.append(
            f"Benchmark {PROTOCOL.version}: `python -m baselines benchmark run --policy {policy} --out runs/benchmark`,"
            f" the first n games of seeds\n{first} to {last}: win rates in per cent with 95 % Wilson intervals; n is "
            f"{PROTOCOL.least_games}, or what a cell states."
            f"{'' if policy == PROTOCOL.reference else compared}\n\n{table}"
        )
    elif files:
        parts.append(suite_table(files.pop(0), policy))
    if files:
        links = ", ".join(f"[{name}](../../docs/results/{name})" for name in files)
        parts.append(f"More results, each file with its command and seeds: {links}.")
    return "\n\n".join(parts) or "No result file has games of this policy."


def _plays(policy: str, name: str) -> bool:
    return any(row["policy"] == policy for board in read_file(name)["boards"] for row in board["results"])


def _ids() -> str:
    rows = []
    for env_id, given in ENV_SPECIFICATIONS.items():
        # The number of mines follows the size, and so it stands after it.
        arguments = {"size": given["size"], "mines": BoardConfig.of_size(given["size"]).mines} | given
        rows.append([f"`{env_id}`", ", ".join(f"{name}={value!r}" for name, value in arguments.items())])
    return markdown_table(["id", "arguments"], rows)


def _hyperparameters(algorithm: str) -> str:
    rows = [
        [f"`{field.name}`", str(field.default), f"{declared.least:g} to {declared.most:g}", declared.meaning]
        for field, declared in options_of(hyperparameters_of(algorithm))
    ]
    return markdown_table(["name", "default", "allowed", "meaning"], rows)


def _policies() -> str:
    """Returns the policies in the order of the registry, each with the first two sentences of its page."""
    rows = []
    for name in policy_names():
        page = next(DOCS.glob(f"policies/{name}.md"), DOCS / "agents" / f"{name}.md")
        paragraph = " ".join(page.read_text(encoding="utf-8").split("\n\n")[1].split())
        summary = ". ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph).split(". ")[:2]).rstrip(".")
        rows.append([f"[`{name}`]({os.path.relpath(page, DOCS / 'policies')})", summary])
    return markdown_table(["policy", "what it does"], rows)


def _board(board: str, names: str = "", columns: str = "") -> str:
    return board_table(entries(), board, names.split(), columns.split() or COLUMNS)


BLOCKS: dict[str, Callable[..., str]] = {
    "file": file_table,
    "suite": suite_table,
    "board": _board,
    "overview": lambda first_click, names="": overview(entries(), first_click, names.split()),
    "entries": lambda: cards_table(entries()),
    "protocol": lambda: markdown_table(
        ["track", "a policy of it"], [[f"`{name}`", text] for name, text in PROTOCOL.tracks.items()]
    ),
    "policies": _policies,
    "ids": _ids,
    "hyperparameters": _hyperparameters,
}
"""Kinds of generated blocks; their arguments stand in the marker, separated by `|`."""


def fill(page: str) -> str:
    """Returns a page with new tables between all pairs of markers."""

    def filled(found: re.Match[str]) -> str:
        kind, *arguments = (each.strip() for each in found[3].split("|"))
        text = results_of(kind) if found[2] == "results" else BLOCKS[kind](*arguments)
        return f"{found[1]}\n{text}\n\n{found[4]}"

    pattern = r"(<!-- (results|benchmark): ([^>]*?) -->\n).*?(<!-- end of \2 -->)"
    return re.sub(pattern, filled, page, flags=re.DOTALL)


def pages() -> Sequence[Path]:
    """Returns the pages that may hold generated tables."""
    return [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]


if __name__ == "__main__":
    if sys.argv[1:] != ["tables"]:
        from coach import write_coach_page
        from pictures import write_pictures

        write_pictures()
        write_coach_page()
    for path in pages():
        path.write_text(fill(path.read_text(encoding="utf-8")), encoding="utf-8")
