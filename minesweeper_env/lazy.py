"""Lazy imports: public names imported at first use (PEP 562), and calls that wait for the import of Gymnasium."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any, cast


def lazy_exports(
    package: str, modules: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Returns `__getattr__` and `__dir__` of a package; `modules` lists, by module, the names to import when used."""
    module_names = {name: f"{package}.{module}" for module, names in modules.items() for name in names}

    def load(name: str) -> Any:
        if name not in module_names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(module_names[name]), name)

    def public_names() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return load, public_names


_REGISTRY = "gymnasium.envs.registration"


def after_gymnasium(action: Callable[[], object]) -> None:
    """Calls a function as soon as the registry of Gymnasium is loaded: now, or right after somebody imports it.

    Importing Gymnasium here would take longer than the rest of the package, and solvers do without it.
    """
    if _REGISTRY in sys.modules:
        action()
    else:
        sys.meta_path.insert(0, _AfterGymnasium(action))


@dataclass
class _AfterGymnasium(MetaPathFinder):
    """Finds the registry as the other finders do, and calls a function once it is loaded."""

    action: Callable[[], object]

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None) -> ModuleSpec | None:
        if name != _REGISTRY:
            return None
        # Removed before importlib searches, because it would ask this finder again.
        sys.meta_path.remove(self)
        spec: Any = find_spec(name)
        execute = spec.loader.exec_module

        def execute_then_act(module: ModuleType) -> None:
            execute(module)
            self.action()

        spec.loader.exec_module = execute_then_act
        return cast(ModuleSpec, spec)
