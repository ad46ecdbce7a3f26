"""Size and shape of the project: ceilings of lines, small folders, and circles of imports."""

import ast
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from support import ROOT
from support.sources import dotted

LINES = {
    "azulejos_env": 1_940,
    "baselines": 16_760,
    "benchmarks": 1_645,
    "docs": 1_270,
    "examples": 1_680,
    "minesweeper_env": 12_165,
    "minesweeper_play": 5_700,
    "minesweeper_text": 500,
    "tests": 24_680,
}
"""Lines of each folder, counted once for each release; the slack leaves room for the changes between two releases."""

SLACK = 1.05
PACKAGES = ("azulejos_env", "baselines", "minesweeper_env", "minesweeper_play", "minesweeper_text")


def files_of(*folders: str) -> list[Path]:
    return [path for folder in folders for path in (ROOT / folder).rglob("*.py")]


def lines(path: Path) -> int:
    return len(path.read_bytes().splitlines())


@pytest.mark.parametrize("folder", LINES)
def test_a_folder_does_not_outgrow_its_ceiling(folder):
    assert sum(map(lines, files_of(folder))) <= LINES[folder] * SLACK


def test_files_are_few_and_hold_what_changes_together():
    sizes = [lines(path) for path in files_of(*LINES.keys() - {"tests"})]
    assert len(sizes) <= 330
    assert sum(sizes) / len(sizes) > 105


def test_a_folder_within_a_package_has_at_least_four_modules():
    modules = [path for path in files_of(*PACKAGES) if path.stem != "__init__" and path.parent.parent != ROOT]
    counts = Counter(path.parent for path in modules)
    assert [str(folder) for folder, count in counts.items() if count < 4] == []


def test_no_modules_import_each_other_in_a_circle_not_even_for_annotations():
    names = {dotted(path.relative_to(ROOT)): path for path in files_of(*PACKAGES)}
    imports: dict[str, set[str]] = {}
    for name, path in names.items():
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        found = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.module:
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= {each if each in names else node.module for each in inner}
        imports[name] = (found & names.keys()) - {name}
    # The sorter raises a CycleError, which names the circle.
    assert len(list(TopologicalSorter(imports).static_order())) == len(names)
