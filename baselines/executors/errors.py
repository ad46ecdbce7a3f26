"""Errors of workers, whatever starts them."""

from __future__ import annotations


class WorkerError(RuntimeError):
    """Workers cannot be started, or ended before their work was done; the message is one line."""


class KilledWorkerError(WorkerError):
    """A call killed its worker as often as a call may."""

    def __init__(self, times: int) -> None:
        """Stores the number of workers that the call has killed."""
        super().__init__(f"killed its worker {times} times, perhaps because memory ran out")
        self.times = times

    def __reduce__(self) -> tuple[type[KilledWorkerError], tuple[int]]:
        """Pickles the number in place of the message."""
        return KilledWorkerError, (self.times,)
