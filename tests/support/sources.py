"""Import statements and public names of the project's modules, read from their source."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]


def modules_of(folder: str) -> list[Path]:
    """Returns the Python files below a folder of the repository, relative to its root."""
    return sorted(path.relative_to(ROOT) for path in (ROOT / folder).rglob("*.py"))


def dotted(path: Path) -> str:
    """Returns the module name of a file; a package has the name of its folder."""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


@cache
def tree_of(path: Path) -> ast.Module:
    """Returns the parsed source of a file."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def imported(path: Path) -> set[str]:
    """Returns the full names of all modules that a file imports, wherever in the file, and of the names it takes."""
    names = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


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
