"""Reference pages that come from the code: public names, commands and hyperparameters."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from types import ModuleType

from places import ROOT

from baselines.__main__ import COMMANDS
from baselines.learned.settings.hyperparameters import ALGORITHMS
from baselines.learned.settings.options import options_of

PACKAGES = {
    "minesweeper-env": (
        "The package minesweeper_env",
        [
            "minesweeper_env",
            "minesweeper_env.config",
            "minesweeper_env.codes",
            "minesweeper_env.observations",
            "minesweeper_env.rewards",
            "minesweeper_env.generation",
            "minesweeper_env.rendering",
        ],
    ),
    "inference": (
        "The package minesweeper_env.inference",
        ["minesweeper_env.inference", "minesweeper_env.inference.optimal", "minesweeper_env.cell_sets"],
    ),
    "wrappers": ("Wrappers and checks", ["minesweeper_env.wrappers", "minesweeper_env.testing"]),
    "baselines": (
        "The package baselines",
        ["baselines", "baselines.policy", "baselines.registry", "baselines.adapters", "baselines.learned"],
    ),
    "azulejos-env": (
        "The package azulejos_env",
        [
            "azulejos_env",
            "azulejos_env.config",
            "azulejos_env.position",
            "azulejos_env.search",
            "azulejos_env.tree",
            "azulejos_env.policies",
            "azulejos_env.opponents",
            "azulejos_env.files",
            "azulejos_env.aec",
        ],
    ),
}
"""Pages of the public names: the title and the modules of each."""

PROGRAMS = ("evaluate.py", "train.py", "play.py")
WIDTH = 100


def pages() -> Iterator[tuple[str, str]]:
    """Yields the path of each generated page, relative to the documentation, and its text."""
    described: set[str] = set()
    for name, (title, modules) in PACKAGES.items():
        yield f"reference/{name}.md", package_page(title, modules, described)
    yield "reference/commands.md", commands_page()
    yield "reference/hyperparameters.md", hyperparameters_page()


def package_page(title: str, modules: list[str], described: set[str]) -> str:
    """Returns the page with the public names of some modules.

    Args:
        title: the heading of the page.
        modules: names of modules that have an `__all__`.
        described: the names that stand on a page already, which grows.
    """
    parts = [f"# {title}"]
    for name in modules:
        module = import_module(name)
        directives = list(_directives(module, described))
        if directives:
            summary = (inspect.getdoc(module) or "").partition("\n\n")[0].replace("\n", " ")
            parts += [f"## `{name}`", summary, *directives]
    return "\n\n".join([*parts, ""])


def _directives(module: ModuleType, described: set[str]) -> Iterator[str]:
    """Yields what shows each public name: a directive of mkdocstrings, or the value of a constant."""
    for name in module.__all__:
        found = getattr(module, name)
        defined = inspect.isclass(found) or inspect.isfunction(found)
        path = f"{found.__module__}.{found.__qualname__}" if defined else f"{module.__name__}.{name}"
        if path in described or (not defined and f"constant {name}" in described):
            continue
        described |= {path} if defined else {f"constant {name}"}
        if defined:
            yield f"::: {path}"
        elif isinstance(found, (int, str, tuple)):
            yield f"`{name} = {found!r}`"


def commands_page() -> str:
    """Returns the page with the help of every command."""
    python = [(f"python {name}", [name]) for name in PROGRAMS]
    verbs = [(f"python -m baselines {verb}", ["-m", "baselines", verb]) for verb in COMMANDS if verb not in HIDDEN]
    with ThreadPoolExecutor() as pool:
        texts = list(pool.map(lambda command: _help(command[1]), [*python, *verbs]))
    parts = ["# Commands", "The help of each command. An installed package has all of them as `minesweeper COMMAND`."]
    for (title, _), text in zip([*python, *verbs], texts, strict=True):
        parts += [f"## `{title}`", f"```text\n{text.rstrip()}\n```"]
    return "\n\n".join([*parts, ""])


HIDDEN = ("evaluate", "train", "play")
"""Commands of `python -m baselines` that the programs repeat."""


def _help(words: list[str]) -> str:
    environment = os.environ | {"COLUMNS": str(WIDTH), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *words, "--help"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


def hyperparameters_page() -> str:
    """Returns the page with the hyperparameters of every algorithm."""
    parts = ["# Hyperparameters", "`train.py --set NAME=VALUE` and configurations take these."]
    for algorithm, kind in ALGORITHMS.items():
        rows = [
            f"| `{field.name}` | {field.default} | {declared.least:g} to {declared.most:g} | {declared.meaning} |"
            for field, declared in options_of(kind)
        ]
        parts += [f"## {algorithm}", "\n".join(["| name | default | allowed | meaning |", "|---|---|---|---|", *rows])]
    return "\n\n".join([*parts, ""])
