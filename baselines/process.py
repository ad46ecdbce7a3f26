"""The process of a command: its name as typed, its threads, its standard streams, its errors and its exit status."""

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
"""Exit statuses; 0 means that all is done."""

MODULE = "python -m baselines"
"""The program that runs every command by its name."""

VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def use_one_thread() -> None:
    """Let this process compute with one thread, unless OMP_NUM_THREADS sets another number."""
    if VARIABLES[0] in os.environ:
        return
    for name in VARIABLES:
        os.environ.setdefault(name, "1")
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


@contextmanager
def one_thread() -> Generator[None]:
    """Compute with one thread of PyTorch inside, unless OMP_NUM_THREADS is set, and afterwards as before."""
    torch = sys.modules["torch"]
    before = torch.get_num_threads()
    if before == 1 or VARIABLES[0] in os.environ:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def output_width() -> int | None:
    """Returns the number of columns of the terminal on stdout, or the variable COLUMNS; None where there is neither."""
    is_wanted = os.environ.get("COLUMNS", "").isdecimal() or sys.stdout.isatty()
    return get_terminal_size().columns if is_wanted else None


def is_styled(stream: TextIO) -> bool:
    """Returns whether to emphasise text on a stream: it is a terminal that moves its cursor, and NO_COLOR is unset."""
    return is_live(stream) and not os.environ.get("NO_COLOR")


def run_command(module: str, arguments: Sequence[str] | None = None, program: str | None = None) -> int:
    """Imports a module, and runs its `main` with one thread of the numerical libraries.

    Without arguments or a program, those of `sys.argv` count. Returns the exit status: that of `main`; 130 after
    Ctrl-C, also during the imports; 1 where stdout cannot be written, or a module is not installed.
    """
    _open_standard_streams()
    program = program or os.path.basename(sys.argv[0])
    # The libraries read the number when they are imported.
    use_one_thread()
    try:
        status = int(import_module(module).main(arguments, program))
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = INTERRUPTED
        say("interrupted")
    except BrokenPipeError:
        # The reader of stdout, such as `head`, has what it wants.
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
    # The lowest free descriptor is taken first, so that no result file becomes the new stdout.
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(descriptor, "w" if descriptor else "r", closefd=False))


def _flush_or_discard() -> None:
    """Writes what the streams hold; where that fails, the end of the process must not try again."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def typed_command(program: str, arguments: Sequence[str] | None) -> str:
    """Returns the command line as the user typed it; None stands for the arguments in `sys.argv`.

    The program is "evaluate.py", "minesweeper evaluate" or "python -m baselines evaluate", for example.
    """
    words = ["python", program] if program.endswith(".py") else program.split()
    return shlex.join([*words, *(sys.argv[1:] if arguments is None else arguments)])


def explain(error: Exception) -> str:
    """Returns the message of an error in one line."""
    text: object = error
    if isinstance(error, OSError) and error.strerror is not None:
        text = error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return " ".join(str(text).split())
