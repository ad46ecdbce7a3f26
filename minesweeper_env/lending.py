"""Objects with scratch arrays, which threads borrow: compiled kernels run without the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Lender(Generic[Item]):
    """Lends out objects of one kind, so that no two threads use the same one, and keeps the returned ones."""

    def __init__(self, make: Callable[[], Item]) -> None:
        """Keeps the function that makes an object when all others are lent."""
        self._make = make
        self._spare: list[Item] = []

    def borrow(self) -> Item:
        """Returns an object that nobody else holds."""
        try:
            return self._spare.pop()
        except IndexError:
            return self._make()

    def give_back(self, item: Item) -> None:
        """Keeps an object for the next caller."""
        self._spare.append(item)

    @contextmanager
    def lend(self) -> Iterator[Item]:
        """Lends an object for the length of a block."""
        item = self.borrow()
        try:
            yield item
        finally:
            self.give_back(item)

    def __reduce__(self) -> tuple[type[Lender[Item]], tuple[Callable[[], Item]]]:
        """Leaves the objects out of pickles and copies, as they can be made again."""
        return type(self), (self._make,)
