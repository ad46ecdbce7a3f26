"""Import statements and public names of the project's modules, read from their source."""

import ast
from functools import cache
from importlib import import_module
from pathlib import Path

from support import ROOT


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


def check_lazy_exports(package: str) -> None:
    """Asserts that a package offers the same objects at run time, in `dir` and `__all__`, and to type checkers."""
    module = import_module(package)
    assert dir(module) == sorted(module.__all__)
    (checked,) = (node for node in tree_of(Path(*package.split("."), "__init__.py")).body if isinstance(node, ast.If))
    names = {alias.name: statement.module for statement in checked.body for alias in statement.names}
    assert names.keys() <= set(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is getattr(import_module(names.get(name, package)), name)
