"""`python -m baselines uniformity`: are the mines where the first-click rules say, and as often?"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from baselines.cli.arguments import Parser, parse_path, parse_size, whole_number_from
from baselines.cli.failures import carry_out, explain
from baselines.evaluation.report import versions
from baselines.evaluation.seeds import check_test_seeds
from baselines.support.board_names import size_name
from baselines.support.extras import MissingExtraError, import_extra
from baselines.support.files import replace_file
from baselines.support.terminal import game_bar, table_console
from baselines.uniformity.report import Finding
from baselines.uniformity.samples import check_sample, draw_sample
from minesweeper_env.config import FIRST_CLICKS, UNIFORM_FIRST_CLICKS, BoardConfig

ALL = "all"
NOTES = (
    "placement: chi-squared test that each cell holds a mine equally often, corrected for drawing without replacement.",
    "clicks before a mine: chi-squared test of the negative hypergeometric law, bins with less than 5 expected pooled.",
    "fewer with flood fill: one-sided Mann-Whitney test against no flood fill; it is to be rejected, flood fill works.",
    "corners claims no uniformity and is not tested.",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: those after the name of the command; None for the ones it was started with.

    Returns:
        0 when all is done, 130 after Ctrl-C, 1 when a file could not be written.
    """
    parser = _make_parser()
    options = parser.parse_args(arguments)
    command = shlex.join(
        ["python", "-m", "baselines", "uniformity", *(sys.argv[1:] if arguments is None else arguments)]
    )
    try:
        configs = _prepare(options)
    except (ValueError, OSError, MissingExtraError) as error:
        parser.error(explain(error))

    def work() -> None:
        findings = [_find(config, options) for config in configs]
        _print(findings, options)
        _write(findings, options, command)

    return carry_out(parser.prog, work)


def _make_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="python -m baselines uniformity", description="Test whether the mines lie as the first-click rules claim."
    )
    parser.add_argument("--size", type=parse_size, default=(9, 9), help="9, or 16x30 for rows x columns (9)")
    parser.add_argument("--mines", type=whole_number_from(1), default=10, help="the number of mines (10)")
    parser.add_argument("--first-click", choices=(*FIRST_CLICKS, ALL), default=ALL, help="the first-click rule (all)")
    parser.add_argument("--games", type=whole_number_from(1), default=10_000, help="layouts, and games, a rule (10000)")
    parser.add_argument("--seed", type=whole_number_from(0), default=0, help="of the first game; game i adds i (0)")
    parser.add_argument("--out", type=parse_path, metavar="DIR", help="where statistics.json and a plot a rule go")
    return parser


def _prepare(options: argparse.Namespace) -> list[BoardConfig]:
    """Checks all that can be checked before the first game; returns the games of each rule."""
    check_test_seeds(options.seed, 2 * options.games)
    rules = UNIFORM_FIRST_CLICKS if options.first_click == ALL else (options.first_click,)
    configs = [BoardConfig.of_size(options.size, options.mines, first_click=rule, moves=("click",)) for rule in rules]
    for config in configs:
        check_sample(config, options.games)
    for module in ("scipy", "rich", "tqdm") + (("matplotlib",) if options.out is not None else ()):
        import_extra(module)
    if options.out is not None:
        _make_folder(options.out)
    return configs


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be written: {error.strerror}") from error


def _find(config: BoardConfig, options: argparse.Namespace) -> Finding:
    with game_bar("drawing", config.first_click, 2 * options.games) as on_drawn:
        return Finding.of(draw_sample(config, options.games, options.seed, on_drawn))


def _write(findings: Sequence[Finding], options: argparse.Namespace, command: str) -> None:
    if options.out is None:
        return
    content: dict[str, Any] = {"seed": options.seed, "command": command, "versions": versions()}
    content["rules"] = [finding.content() for finding in findings]
    files = {"statistics.json": (json.dumps(content, indent=2) + "\n").encode()}
    files |= {f"{finding.sample.config.first_click}.png": finding.draw() for finding in findings}
    for name, file in files.items():
        replace_file(options.out / name, file)


def _print(findings: Sequence[Finding], options: argparse.Namespace) -> None:
    from rich.table import Table

    console = table_console()
    last = options.seed + 2 * options.games - 1
    title = (
        f"{size_name(*options.size)}, {options.mines} mines, {options.games} layouts and games, "
        f"seeds {options.seed} to {last}"
    )
    table = Table("first click", "test", title=title, title_justify="left")
    for heading in ("chi-squared", "degrees", "p"):
        table.add_column(heading, justify="right")
    table.add_column("what was seen")
    for finding in findings:
        for row in finding.rows():
            table.add_row(*row)
    console.print(table)
    for note in NOTES:
        console.print(note, markup=False, highlight=False)
