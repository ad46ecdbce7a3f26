"""Refusal of worker processes in a script that each of them would run again from its first line."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import FrameType


def check_workers_can_import() -> None:
    """Checks that the main script, which each new worker process imports, does not call its caller again.

    A call in a function of the script passes if the script calls that function below an `if`. So does a call in a
    notebook, in `python -c` and in `python -m`, where workers import nothing, or a guarded module.

    Raises:
        ValueError: a call at the top level of the main script stands below no `if`.
    """
    main = sys.modules["__main__"]
    script, line = getattr(main, "__file__", None), _line_of_main(sys._getframe())
    if script is None or line is None or getattr(main, "__spec__", None) is not None:
        return
    if not _is_guarded(Path(script), line):
        raise ValueError(
            f"each worker process imports {script}, whose line {line} would start workers again; put that line below "
            '`if __name__ == "__main__":`, or use 1 worker'
        )


def _line_of_main(frame: FrameType | None) -> int | None:
    """Returns the line of the main script that is being run at its top level, if any."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "__main__":
            return frame.f_lineno
        frame = frame.f_back
    return None


def _is_guarded(script: Path, line: int) -> bool:
    """Returns whether a line of a script stands below an `if`, or the script cannot be read."""
    try:
        tree = ast.parse(script.read_bytes())
    except (OSError, ValueError, SyntaxError):
        return True
    conditions = (node for node in ast.walk(tree) if isinstance(node, ast.If))
    return any(node.lineno <= line <= (node.end_lineno or line) for node in conditions)
