"""Picture of the layers of all packages, drawn from the import contract that the tests check."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from baselines.support.figures import image, styled_figure

ROOT = Path(__file__).parents[2]

CONTRACTS = {
    "minesweeper_env": ("tests/minesweeper_env/test_imports.py", "LAYERS"),
    "azulejos_env": ("tests/azulejos_env/test_imports.py", "LAYERS"),
    "baselines": ("tests/test_imports.py", "LAYERS"),
    "minesweeper_play": ("tests/test_imports.py", "PLAY_LAYERS"),
}
"""The tests that list the layers of each package, lowest first, and the name of the list."""

GLOSSES = {
    "minesweeper_env": {
        "codes": "of cells",
        "compiled": "numba cache",
        "linking": "of kernels",
        "notices": "on stderr",
        "lazy": "exports",
        "lending": "scratch arrays",
        "programs": "entry points",
        "texts": "escaped",
        "neighbours": "of each cell",
        "cell_sets": "as bits",
        "splitmix": "randomness",
        "config": "board size, mines, rules: checked once",
        "threads": "that divide a call",
        "inference": "what a visible board tells; baselines import its public names and kernels.py alone",
        "engine": "the rules, compiled: places mines, opens cells",
        "no_guess": "searches layouts",
        "generation": "boards without guesses",
        "observations": "encodings",
        "rewards": "schemes",
        "calls": "checks of arguments",
        "registration": "of ids",
        "rendering": "text and pictures",
        "bases": "of both games' environments",
        "env": "one game",
        "vector_env": "a batch of games",
        "wrappers": "masks, probabilities",
        "testing": "conventions of an environment",
        "warm_up": "compiles ahead",
    },
    "azulejos_env": {
        "config": "board size, colours, points, bonus, side: checked once",
        "engine": "the rules, compiled: moves, batches of games",
        "naive": "oracle of the tests",
        "registration": "of the id",
        "position": "board, scores, player",
        "observations": "encodings",
        "rendering": "text, pictures, window",
        "searching": "alpha-beta, transposition table, limits",
        "search": "the best move, within limits",
        "files": "game files",
        "policies": "random, greedy, minimax",
        "tree": "of a search, as a picture",
        "opponents": "by name",
        "playing": "arguments of both environments",
        "aec": "two agents (PettingZoo)",
        "env": "one game",
        "vector_env": "a batch of games",
        "window": "a person plays the machine",
        "cli": "python -m azulejos_env",
    },
    "baselines": {
        "policy": "the protocol",
        "support": "files, figures, checks",
        "hub": "Hugging Face",
        "terminal": "tables, live lines",
        "executors": "call functions in processes that may die",
        "cluster": "processes on a cluster of Ray",
        "entries": "your own policies: loaded, called and wrapped",
        "evaluation": "plays, judges, compares",
        "registry": "policies by name",
        "adapters": "agents of others",
        "scripted": "base, subset, oracle_play, bayes, fitted",
        "learned": "networks, common, settings, dqn, ppo, value, afterstate, agents, training",
        "suites": "experiments",
        "recording": "pictures",
        "sharing": "cards",
        "sweeps": "searches",
        "benchmark": "result files, their checks, the leaderboard",
        "cli": "train.py, evaluate.py, python -m baselines",
    },
    "minesweeper_play": {
        "options": "of play.py",
        "playouts": "of guesses",
        "winning": "probability",
        "language": "English and Spanish",
        "game": "the played game without any screen: moves, help, figures, statistics",
        "coach": "analyses of positions, reviews of games",
        "line_console": "boards as lines",
        "window": "mouse and keys",
        "terminal": "full screen, watching",
        "line_mode": "for pipes and screen readers",
        "web": "page",
        "command": "play.py",
    },
}
"""A few words on each part; those without, such as `__init__`, are not drawn."""

COLOURS = {
    "minesweeper_env": "#d6e6f2",
    "azulejos_env": "#ece3f4",
    "baselines": "#fbe3d0",
    "minesweeper_play": "#dcedd5",
}
STRONG = {"inference": "#a9cde6", "engine": "#a9cde6"}
WIDTH, ROW, GAP, TITLE = 9.0, 0.47, 0.09, 0.36
WIDEST = 6
"""The number of parts that have room in one row; a layer with more takes several rows."""


def layers_of(package: str) -> list[list[str]]:
    """Returns the drawn parts of a package, a list per layer, lowest first."""
    path, name = CONTRACTS[package]
    source = (ROOT / path).read_text(encoding="utf-8")
    layers = next(
        ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name
    )
    drawn = ([part for part in GLOSSES[package] if part in layer] for layer in layers)
    return [layer[start : start + WIDEST] for layer in drawn for start in range(0, len(layer), WIDEST)]


def draw_layers() -> bytes:
    """Returns a PNG: a row of boxes per layer, each package above those that it imports."""
    packages = {package: layers_of(package) for package in CONTRACTS}
    height = sum(TITLE + len(layers) * (ROW + GAP) for layers in packages.values())
    with styled_figure(WIDTH, height) as figure:
        figure.set_layout_engine("none")
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(0, WIDTH), ylim=(0, height))
        axes.axis("off")
        bottom = GAP / 2
        for package, layers in packages.items():
            for layer in layers:
                _draw_row(axes, package, layer, bottom)
                bottom += ROW + GAP
            axes.text(0.15, bottom + 0.11, package, weight="bold", size=12, va="center", color="black")
            note = "a part imports only from its own row and the rows below"
            axes.text(WIDTH - 0.15, bottom + 0.11, note, size=8.5, va="center", ha="right", color="0.3")
            bottom += TITLE
        return image(figure)


def _draw_row(axes: Any, package: str, layer: Sequence[str], bottom: float) -> None:
    """Draws the boxes of one layer, with widths in proportion to their text."""
    from matplotlib.patches import FancyBboxPatch

    glosses = GLOSSES[package]
    lengths = [max(len(part) * 1.2, len(glosses[part]), 9) for part in layer]
    left, free = 0.15, WIDTH - 0.3 - GAP * (len(layer) - 1)
    for part, length in zip(layer, lengths, strict=True):
        width = free * length / sum(lengths)
        colour = STRONG.get(part, COLOURS[package])
        style = "round,pad=0,rounding_size=0.06"
        box = FancyBboxPatch((left, bottom), width, ROW, style, facecolor=colour, edgecolor="0.45", linewidth=0.8)
        axes.add_patch(box)
        middle = left + width / 2
        axes.text(middle, bottom + 0.31, part, family="monospace", weight="bold", size=10, ha="center", va="center")
        axes.text(middle, bottom + 0.13, glosses[part], size=8.5, ha="center", va="center", color="0.15")
        left += width + GAP
