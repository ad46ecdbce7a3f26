"""Notices on stderr while kernels are compiled, which happens once per installation.

Commands always print them. Library calls print them on a terminal and in a notebook, never where stderr is piped.
The environment variable `MINESWEEPER_COMPILE_NOTICE`, set to 0, switches them off.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from minesweeper_env.compilation.live_line import live_line, say
from minesweeper_env.compilation.times import part_of

VARIABLE = "MINESWEEPER_COMPILE_NOTICE"

LEAST_SECONDS = 1.0
"""Compilations that take less are not announced."""

LIBRARY, COMMAND, QUIET = "library", "command", "quiet"
"""Who compiles: a user's program, a command of the package, or a process that announces nothing."""

ENOUGH_SECONDS = 2.0
"""Processor seconds of finished kernels from which the speed of this machine is estimated."""


ENOUGH_USE, MOST_SLOWNESS = 0.3, 10.0
"""Processor seconds of a command from which its waiting time is estimated, and the upper bound of the result."""


class ColdStart:
    """State of the compilation in this process.

    Attributes:
        caller: `LIBRARY`, `COMMAND` or `QUIET`.
    """

    def __init__(self) -> None:
        """Nothing has been compiled yet."""
        self.caller = LIBRARY
        self._say: Callable[[str], object] = say
        self._announced: set[str] = set()
        self._expected = self._measured = 0.0
        self._has_counting = False
        self._depth = 0
        self._begun_at = 0.0
        self._command_at: tuple[float, float] | None = None
        self._line: AbstractContextManager[None] | None = None

    def begin_command(self) -> None:
        """Announces all compilations from now on, as a command does; what it does until then tells its speed."""
        self.caller = COMMAND
        self._command_at = time.perf_counter(), time.process_time()

    def report_to(self, receive: Callable[[str], object] | None) -> None:
        """Hands all notices to a function, as a worker process does, and shows no seconds; None for no notices."""
        self.caller = QUIET if receive is None else COMMAND
        self._say = receive or say

    def tell(self, line: str) -> None:
        """Prints a line before a slow step of a command; library calls and worker processes print none."""
        if self.caller == COMMAND and self._say is say:
            say(line)

    def begin(self, kernel: str) -> None:
        """Announces the compilation of a kernel, given as "module:function", unless it is part of another one."""
        self._depth += 1
        if self._depth > 1:
            return
        self._begun_at = time.perf_counter()
        part = part_of(kernel)
        seconds = part.total(self._has_counting)
        if not self.is_wanted() or 0 < seconds < LEAST_SECONDS:
            return
        if part.label not in self._announced:
            self._announced.add(part.label)
            self._say(self._notice(part.label, seconds, _is_stored(kernel)))
        if self._say is say:
            self._line = live_line()
            self._line.__enter__()

    def end(self, kernel: str) -> None:
        """Ends the sign of life, and notes how long the kernel took."""
        self._depth -= 1
        if self._depth > 0:
            return
        if self._line is not None:
            self._line.__exit__(None, None, None)
            self._line = None
        part = part_of(kernel)
        self._expected += part.seconds.get(kernel, 0.0) + (0.0 if self._has_counting else part.counting)
        self._measured += time.perf_counter() - self._begun_at
        self._has_counting |= part.counting > 0

    def wait(self, kernel: str) -> None:
        """Announces that another process compiles a kernel, given as "module:function", and that this one waits."""
        if self.is_wanted():
            self._say(f"Waiting for another process, which compiles {part_of(kernel).label}")

    def is_wanted(self) -> bool:
        """Returns whether to announce compilations."""
        if self.caller == QUIET or os.environ.get(VARIABLE) == "0":
            return False
        return self.caller == COMMAND or "ipykernel" in sys.modules or sys.stderr.isatty()

    def _notice(self, label: str, seconds: float, is_stored: bool) -> str:
        """Returns the notice, with an estimate in seconds of the clock."""
        estimate = f", about {seconds * self._slowness():.0f} s" if seconds else ""
        if is_stored:
            return f"Compiling {label}, once per installation{estimate}"
        lack = "the compiled code cannot be stored; set NUMBA_CACHE_DIR to a folder that can be written"
        return f"Compiling {label}, in every process{estimate}: {lack}"

    def _slowness(self) -> float:
        """Returns the seconds of the clock that take the place of one listed processor second.

        Finished kernels tell it. Before, it is the waiting time of a command for the processor, as on a busy machine.
        """
        if self._expected >= ENOUGH_SECONDS:
            return self._measured / self._expected
        if self._command_at is None:
            return 1.0
        clock, processor = self._command_at
        used = time.process_time() - processor
        return 1.0 if used < ENOUGH_USE else min(max(1.0, (time.perf_counter() - clock) / used), MOST_SLOWNESS)


def _is_stored(kernel: str) -> bool:
    """Returns whether numba found a folder for the machine code of a kernel; True for an unknown kernel."""
    module, _, name = kernel.partition(":")
    dispatcher = getattr(sys.modules.get(module), name, None)
    return dispatcher is None or hasattr(getattr(dispatcher, "_cache", None), "_cache_file")


COLD_START = ColdStart()
"""The state of this process; `minesweeper_env.compiled` reports each compilation to it."""
