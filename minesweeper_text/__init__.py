"""Games of `minesweeper_env.text` for libraries that train and test language models; one module for each library.

verifiers finds its classes in this package, by the id `minesweeper_text`. docs/how-to/language-models.md shows them.
"""

from minesweeper_env.lazy import lazy_exports

__all__ = ["MinesweeperEnv", "MinesweeperHarness", "MinesweeperTaskset"]

__getattr__, __dir__ = lazy_exports(__name__, {"verifiers_env": __all__})
