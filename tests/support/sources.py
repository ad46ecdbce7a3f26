"""Import statements and public names of the project's modules, read from their source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]


def modules_of(folder: str) -> list[Path]:
    """Returns the Python files below a folder of the repository, relative to its root."""
    return sorted(path.relative_to(ROOT) for path in (ROOT / folder).rglob("*.py"))


def dotted(path: Path) -> str:
    """Returns the module name of a file; a package has the name of its folder."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree_of(path: Path) -> ast.Module:
    """Returns the parsed source of a file."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def _names(path: Path, nodes: Iterator[ast.AST]) -> set[str]:
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def imported(path: Path) -> set[str]:
    """Returns the full names of all modules that a file imports, wherever in the file, and of the names it takes."""
    return _names(path, ast.walk(tree_of(path)))


def imported_at_load(path: Path) -> set[str]:
    """Returns what a file imports when it is loaded: neither inside functions nor for type checkers alone."""
    return _names(path, _loaded_nodes(tree_of(path)))


def _loaded_nodes(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) or _is_type_checking(child):
            continue
        yield child
        yield from _loaded_nodes(child)


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def import_circles(paths: Sequence[Path]) -> list[set[str]]:
    """Returns the sets of modules that import each other, directly or through others, when they are loaded."""
    modules = {dotted(path): path for path in paths}
    targets = {
        name: {target for target in imported_at_load(path) if target in modules and target != name}
        for name, path in modules.items()
    }
    reached = {name: _reachable(name, targets) for name in targets}
    circles = [frozenset(other for other in reached[name] if name in reached[other]) for name in targets]
    return [set(circle) for circle in dict.fromkeys(circles) if circle]


def _reachable(start: str, targets: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        new = targets[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached


def check_lazy_exports(package: str) -> None:
    """Asserts that a package offers the same names at run time, in `dir` and `__all__`, and to type checkers."""
    module = import_module(package)
    path = Path(*package.split("."), "__init__.py")
    assert dir(module) == sorted(module.__all__)
    for_checkers = {
        alias.name: statement.module
        for node in tree_of(path).body
        if _is_type_checking(node)
        for statement in node.body  # type: ignore[attr-defined]
        for alias in statement.names
    }
    at_run_time = next(
        ast.literal_eval(node.args[1])
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "lazy_exports"
    )
    assert for_checkers == at_run_time
    assert set(at_run_time) | {name for name in module.__all__ if name in vars(module)} == set(module.__all__)
