"""The process of a command: how it was typed, its threads, its standard streams, its errors and its exit status."""

import os
import shlex
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from shutil import get_terminal_size
from typing import TextIO

from baselines.checks import MissingExtraError, missing_extra
from minesweeper_env.console import is_live, say

FAILED, BAD_ARGUMENTS, INTERRUPTED = 1, 2, 130
"""Exit statuses; 0 is success."""

MODULE = "python -m baselines"
"""The program that runs every command by its name."""

VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def use_one_thread() -> None:
    """Limits this process to one thread of the numerical libraries, unless OMP_NUM_THREADS sets another number."""
    if VARIABLES[0] in os.environ:
        return
    for name in VARIABLES:
        os.environ.setdefault(name, "1")
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


@contextmanager
def one_thread() -> Generator[None]:
    """Limits PyTorch to one thread within the block, unless OMP_NUM_THREADS is set."""
    torch = sys.modules["torch"]
    threads = torch.get_num_threads()
    if threads == 1 or VARIABLES[0] in os.environ:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def output_width() -> int | None:
    """Returns the variable COLUMNS, or else the width of the terminal on stdout; None if there is neither."""
    is_known = os.environ.get("COLUMNS", "").isdecimal() or sys.stdout.isatty()
    return get_terminal_size().columns if is_known else None


def is_styled(stream: TextIO) -> bool:
    """Returns whether to style text on a stream: it is a terminal that can move its cursor, and NO_COLOR is unset."""
    return is_live(stream) and not os.environ.get("NO_COLOR")


def run_command(module: str, arguments: Sequence[str] | None = None, program: str | None = None) -> int:
    """Imports a module, and runs its `main` with one thread of the numerical libraries.

    `arguments` and `program` default to those of `sys.argv`. Returns the exit status of `main`; 130 after Ctrl-C, also
    during the imports; 1 if stdout cannot be written, or a module is not installed.
    """
    _open_standard_streams()
    program = program or os.path.basename(sys.argv[0])
    # The libraries read the number of threads when they are imported.
    use_one_thread()
    try:
        status = int(import_module(module).main(arguments, program))
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = INTERRUPTED
        say("interrupted")
    except BrokenPipeError:
        # The reader of stdout, such as `head`, has closed the pipe: no message.
        status = FAILED
    except OSError as error:
        status = FAILED
        say(f"{program}: {error.strerror or error}")
    except (ModuleNotFoundError, MissingExtraError) as error:
        status = FAILED
        say(f"{program}: {missing_extra(error.name) if error.name else error}")
    _flush_or_discard()
    return status


def _open_standard_streams() -> None:
    """Opens the null device in place of each standard stream that the process was started without."""
    # `os.open` takes the lowest free descriptor: fill 0 to 2, or the next opened file would become stdout.
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(descriptor, "w" if descriptor else "r", closefd=False))


def _flush_or_discard() -> None:
    """Flushes the output streams, and discards what cannot be written."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            # Python flushes again at exit, and would print an error.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def typed_command(program: str, arguments: Sequence[str] | None) -> str:
    """Returns the command line as the user typed it; `arguments` default to those of `sys.argv`.

    Examples of `program`: "evaluate.py", "minesweeper evaluate", "python -m baselines evaluate".
    """
    words = ["python", program] if program.endswith(".py") else program.split()
    return shlex.join([*words, *(sys.argv[1:] if arguments is None else arguments)])


def explain(error: Exception) -> str:
    """Returns the message of an error in one line."""
    text: object = error
    if isinstance(error, OSError) and error.strerror is not None:
        text = error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return " ".join(str(text).split())
