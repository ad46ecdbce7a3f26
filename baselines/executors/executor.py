"""Interface of executors: calls, and the number of calls that they take at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

Value = TypeVar("Value")


class Workers(Executor):
    """An executor that says how many workers it has, which may change while it works."""

    @property
    def workers(self) -> int:
        """The number of workers at this moment, at least 1."""
        return 1

    @property
    def places(self) -> int:
        """The number of calls to hand in at a time: those under way, and some that wait so that no worker idles."""
        return 1

    def share(self, value: Value) -> Value:
        """Returns what stands for a value in the arguments of many calls, so that it travels once."""
        return value

    def check(self) -> None:
        """Raises a WorkerError if no call can end any more."""


MakeWorkers = Callable[[], AbstractContextManager[Workers]]
"""A maker of executors; the end of the context ends its workers."""


class _Here(Workers):
    """Runs each call at once, in this process; its exceptions reach the caller of `submit`."""

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **settings: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(work(*arguments, **settings))
        return future


@contextmanager
def here() -> Generator[Workers]:
    """Yields an executor that runs each call at once, in this process."""
    yield _Here()
