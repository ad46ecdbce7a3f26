"""The pool of threads: order, errors, interrupts, copies and the end of its threads."""

from __future__ import annotations

import gc
import signal
import threading
import time

import pytest

from minesweeper_env.threads import ThreadPool, split


@pytest.mark.parametrize("count", [0, 1, 7, 100])
@pytest.mark.parametrize("parts", [0, 1, 3, 7, 200])
def test_a_split_covers_all_in_order_and_evenly(count, parts):
    slices = split(count, parts)
    assert len(slices) == max(1, min(count, parts))
    assert [i for each in slices for i in range(count)[each]] == list(range(count))
    lengths = [each.stop - each.start for each in slices]
    assert max(lengths) - min(lengths) <= 1


@pytest.mark.parametrize("threads", [1, 2, 20])
@pytest.mark.parametrize("count", [0, 1, 9])
def test_results_keep_the_order_of_the_items(threads, count):
    pool = ThreadPool(threads)
    for _ in range(20):
        assert pool.run(lambda item: item * item, range(count)) == [item * item for item in range(count)]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_first_error_is_raised_once_and_the_pool_goes_on(threads):
    def task(item):
        if item >= 3:
            time.sleep(0.01 if item == 3 else 0.0)
            raise ValueError(item)
        return item

    pool = ThreadPool(threads)
    for _ in range(5):
        with pytest.raises(ValueError, match=r"^3$") as error:
            pool.run(task, range(50))
        assert error.value.__context__ is None
        assert pool.run(task, range(3)) == [0, 1, 2]


def test_items_after_an_error_are_left_out():
    begun = []

    def task(item):
        begun.append(item)
        time.sleep(0.01)
        raise ValueError(item)

    with pytest.raises(ValueError, match=r"^0$"):
        ThreadPool(2).run(task, range(1000))
    assert len(begun) < 500


@pytest.fixture
def interrupts():
    """Lets an interrupt raise KeyboardInterrupt; a shell makes a process in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_is_raised_after_the_other_threads_have_stopped():
    pool, working = ThreadPool(2), []

    def task(item):
        """Interrupts the main thread, and then works until it is stopped."""
        working.append(item)
        time.sleep(0.05)
        if item == 1:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        try:
            while True:
                time.sleep(0.001)
                pool.check()
        finally:
            time.sleep(0.05)
            working.append("ended")

    with pytest.raises(KeyboardInterrupt):
        pool.run(task, range(2))
    assert working[-1] == "ended"
    assert pool.run(str, range(4)) == ["0", "1", "2", "3"]


def busy_pool(threads=3):
    pool = ThreadPool(threads)
    barrier = threading.Barrier(threads, timeout=20)
    pool.run(lambda _: barrier.wait(), range(threads))
    return pool


@pytest.mark.parametrize("closes", [True, False])
def test_helpers_end_with_close_and_with_the_pool(closes):
    before = threading.enumerate()
    pool = busy_pool()
    helpers = [thread for thread in threading.enumerate() if thread not in before]
    assert len(helpers) == 3
    if closes:
        pool.close()
        pool.close()
    else:
        del pool
        gc.collect()
    for helper in helpers:
        helper.join(20)
        assert not helper.is_alive()
