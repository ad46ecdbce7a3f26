"""`python -m baselines uniformity`: test whether mines lie where the first-click rules say, and equally often."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.cli.arguments import Parser, add_board_arguments, add_count, add_seed, add_wide, parse_path
from baselines.cli.failures import carry_out, explain
from baselines.cli.start import MODULE, announce, typed_command
from baselines.evaluation.seeds import check_seeds
from baselines.support.board_names import size_name
from baselines.support.extras import MissingExtraError, check_extra
from baselines.support.files import replace_file
from baselines.terminal.progress import game_bar
from minesweeper_env.compilation.live_line import live_line
from minesweeper_env.config import FIRST_CLICKS, UNIFORM_FIRST_CLICKS, BoardConfig

if TYPE_CHECKING:
    from baselines.uniformity.report import Finding

PROGRAM = f"{MODULE} uniformity"
ALL = "all"
EXAMPLES = """\
examples:
  {0} --first-click any --games 100000
  {0} --size 16x30 --out runs/uniformity
"""
DEFAULT_GAMES = 10_000

NOTES = (
    "placement: chi-squared test that each cell holds a mine equally often, corrected for drawing without replacement.",
    "clicks before a mine: chi-squared test of the negative hypergeometric law; bins expecting less than 5 are pooled.",
    "fewer with flood fill: one-sided Mann-Whitney test against no flood fill; a small p shows that flood fill works.",
    "corners claims no uniformity and is not tested.",
)


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
        program: name of the command, as the user typed it.

    Returns:
        0 when all is done, 130 after Ctrl-C, 1 when a file could not be written.
    """
    parser = _make_parser(program)
    options = parser.parse_args(arguments)
    try:
        with live_line():
            configs = _prepare(options)
    except (ValueError, OSError, MissingExtraError) as error:
        parser.error(explain(error))

    def work() -> None:
        findings = [_find(config, options) for config in configs]
        _print(findings, options)
        _write(findings, options, typed_command(program, arguments))

    return carry_out(parser.prog, work)


def _make_parser(program: str) -> argparse.ArgumentParser:
    parser = Parser(
        prog=program,
        description="Test whether the mines lie as the first-click rules claim.",
        epilog=EXAMPLES.format(program),
    )
    add_board_arguments(parser, 9, (*FIRST_CLICKS, ALL), ALL)
    add_count(parser, "--games", "draw N layouts, and play N games, of each rule", DEFAULT_GAMES)
    add_seed(parser)
    parser.add_argument(
        "--out",
        type=parse_path,
        metavar="DIR",
        help="write statistics.json and one plot per rule into DIR (default none)",
    )
    add_wide(parser)
    return parser


def _prepare(options: argparse.Namespace) -> list[BoardConfig]:
    """Checks the arguments before the first game; returns the configuration of each rule."""
    check_seeds(options.seed, 2 * options.games)
    rules = UNIFORM_FIRST_CLICKS if options.first_click == ALL else (options.first_click,)
    configs = [BoardConfig.of_size(options.size, options.mines, first_click=rule, moves=("click",)) for rule in rules]
    for module in ("scipy", "rich") + (("matplotlib",) if options.out is not None else ()):
        check_extra(module)
    announce(
        f"Draw {options.games} layouts and play {options.games} games of {size_name(*options.size)} with "
        f"{configs[0].mines} mines, first click {', '.join(rules)}"
    )
    from baselines.uniformity.samples import check_sample

    for config in configs:
        check_sample(config, options.games)
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
    from baselines.uniformity.report import Finding
    from baselines.uniformity.samples import draw_sample

    with game_bar("drawing", config.first_click, 2 * options.games) as on_drawn:
        return Finding.of(draw_sample(config, options.games, options.seed, on_drawn))


def _write(findings: Sequence[Finding], options: argparse.Namespace, command: str) -> None:
    if options.out is None:
        return
    from baselines.evaluation.report import versions
    from baselines.uniformity.plot import draw_finding

    content: dict[str, Any] = {"seed": options.seed, "command": command, "versions": versions()}
    content["rules"] = [finding.content() for finding in findings]
    files = {"statistics.json": (json.dumps(content, indent=2) + "\n").encode()}
    files |= {f"{finding.sample.config.first_click}.png": draw_finding(finding) for finding in findings}
    for name, file in files.items():
        replace_file(options.out / name, file)


def _print(findings: Sequence[Finding], options: argparse.Namespace) -> None:
    from baselines.terminal.page import Page
    from baselines.terminal.tables import Table
    from baselines.uniformity.report import COLUMNS

    last = options.seed + 2 * options.games - 1
    title = (
        f"{size_name(*options.size)}, {findings[0].sample.config.mines} mines, {options.games} layouts and games, "
        f"seeds {options.seed} to {last}"
    )
    page = Page.for_stdout(options.wide)
    page.table(Table(title, COLUMNS, [row for finding in findings for row in finding.rows()]))
    for note in NOTES:
        page.note(note)
    page.print()
