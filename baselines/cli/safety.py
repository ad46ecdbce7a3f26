"""`python -m baselines safety`: compare an agent's mine probabilities with the exact ones."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from baselines.cli.arguments import (
    DEFAULT_GAMES,
    Parser,
    add_board_arguments,
    add_count,
    add_seed,
    add_wide,
    parse_path,
)
from baselines.cli.failures import carry_out, explain
from baselines.cli.start import MODULE, announce
from baselines.evaluation.seeds import check_seeds
from baselines.hub.cache import pinned_within
from baselines.hub.errors import naming
from baselines.registry import AGENT_FILE, agent_folder, agent_names
from baselines.support.board_names import size_name
from baselines.support.extras import MissingExtraError, check_extra
from baselines.support.files import check_writable, replace_file
from baselines.terminal.progress import game_bar
from minesweeper_env.compilation.live_line import live_line
from minesweeper_env.config import BoardConfig

if TYPE_CHECKING:
    from baselines.learned.calibration.compare import ProbabilityComparison
    from baselines.learned.networks.board import BoardNetwork

PROGRAM = f"{MODULE} safety"
EXAMPLES = """\
examples:
  {0} --agent any-size --size 16x30 --games 100
  {0} --agent runs/dqn-8x8 --out safety.png --calibration calibration.png
"""

DEFAULT_AGENT = "dqn"
NEEDED = ("rich", "torch", "safetensors", "stable_baselines3", "sb3_contrib")


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
        program: name of the command, as the user typed it.

    Returns:
        0 when all is done, 130 after Ctrl-C, 1 when a picture could not be written.
    """
    parser = _make_parser(program)
    options = parser.parse_args(arguments)
    try:
        for module in (*NEEDED, *(["matplotlib"] if options.out or options.calibration else [])):
            check_extra(module)
        with live_line():
            seeds, config, network = _prepare(options)
    except (ValueError, OSError, MissingExtraError) as error:
        parser.error(explain(error))

    from baselines.learned.calibration.compare import compare

    def work() -> None:
        with game_bar("playing", options.agent, len(seeds)) as on_finished:
            comparison = compare(network, config, seeds, on_finished)
        _print(comparison, config, options)
        _draw(comparison, seeds[0], options)

    return carry_out(parser.prog, work)


def _make_parser(program: str) -> argparse.ArgumentParser:
    parser = Parser(
        prog=program,
        description="Compare the mine probabilities of an agent with the exact ones, on boards of its own games.",
        epilog=EXAMPLES.format(program),
    )
    parser.add_argument(
        "--agent",
        default=DEFAULT_AGENT,
        metavar="AGENT",
        help=f"compare the probabilities of this agent: any-size, dqn or a run folder (default {DEFAULT_AGENT})",
    )
    add_board_arguments(parser)
    add_count(parser, "--games", "play N games", DEFAULT_GAMES)
    add_seed(parser)
    parser.add_argument(
        "--out", type=parse_path, metavar="PNG", help="draw a board of game 0 into this file (default none)"
    )
    parser.add_argument(
        "--calibration", type=parse_path, metavar="PNG", help="draw diagrams of all games into this file (default none)"
    )
    add_wide(parser)
    return parser


def _prepare(options: argparse.Namespace) -> tuple[range, BoardConfig, BoardNetwork]:
    """Checks the arguments before the first game."""
    seeds = check_seeds(options.seed, options.games)
    config = BoardConfig.of_size(options.size, options.mines, first_click=options.first_click, moves=("click",))
    options.agent = pinned_within(options.agent, options.agent)
    folder = agent_folder(options.agent)
    if folder is None:
        known = ", ".join(agent_names())
        raise ValueError(f"there is no agent {options.agent!r}; choose {known}, or a folder with {AGENT_FILE}")
    for path in (options.out, options.calibration):
        if path is not None:
            check_writable(path)
    announce(
        f"Compare the mine probabilities of {options.agent} with the exact ones in {options.games} games of "
        f"{size_name(config.rows, config.cols)} with {config.mines} mines"
    )
    from baselines.learned.calibration.compare import load_rater

    network = naming(options.agent, folder, load_rater)(folder)
    return seeds, config, network


def _draw(comparison: ProbabilityComparison, seed: int, options: argparse.Namespace) -> None:
    if options.out is not None:
        from baselines.learned.calibration.maps import draw_maps

        replace_file(options.out, draw_maps(comparison, seed, options.agent))
    if options.calibration is not None:
        from baselines.learned.calibration.diagrams import draw_calibration

        replace_file(options.calibration, draw_calibration(comparison, options.agent))


def _print(comparison: ProbabilityComparison, config: BoardConfig, options: argparse.Namespace) -> None:
    from baselines.terminal.page import Page
    from baselines.terminal.tables import Column, Table

    last = options.seed + options.games - 1
    title = (
        f"{options.agent}, {size_name(config.rows, config.cols)}, {config.mines} mines, "
        f"first click {config.first_click!r}: {len(comparison.codes)} boards of games on seeds {options.seed} to {last}"
    )
    columns = (Column("by the network"), Column("exact"), Column("root mean square"), Column("cells", priority=1))
    rows = [
        (f"{said:.3f}", f"{true:.3f}", f"{spread:.3f}", f"{cells}")
        for said, true, spread, cells in comparison.reliability()
    ]
    page = Page.for_stdout(options.wide)
    page.table(Table(title, columns, rows))
    page.note("Mine probabilities of covered cells: the means of each class, and their root mean squared difference.")
    differences = comparison.root_mean_squares().items()
    page.block("Root mean squared difference", [(name, f"{difference:.4f}") for name, difference in differences])
    page.print()
