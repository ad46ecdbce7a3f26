"""Batches that threads divide: the same games for every number of threads, copies, forks, ends and errors; the pool."""

import copy
import gc
import multiprocessing
import pickle
import signal
import threading
import time

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.equality import assert_same
from support.naive_game import ALL_MOVES
from support.positions import layouts_of_size

from minesweeper_env import MinesweeperVectorEnv, no_luck, observations
from minesweeper_env.engine import games as batches
from minesweeper_env.engine import kernels
from minesweeper_env.engine.state import PLAYING
from minesweeper_env.rewards import REWARDS
from minesweeper_env.threads import ThreadPool, split

GAMES = 11
SPARSE = {"size": 8, "mines": 4, "moves": ("click",)}
LEAST_CELLS = batches.LEAST_CELLS


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    """Lets threads divide batches that are too small to gain by it."""
    monkeypatch.setattr(batches, "LEAST_CELLS", 1)
    monkeypatch.setattr(no_luck, "LEAST_GAMES", 1)
    monkeypatch.setattr(observations, "_PART", 1)


def weighted(transition):
    """A reward that uses all that it is told."""
    sums = transition.codes.sum(axis=(-2, -1)) + transition.action
    return sums + 2.0 * transition.won - transition.lost + transition.opened + 0.5 * transition.illegal


def play(env, steps=30, seed=5):
    """Plays with given layouts, partial resets and illegal actions; returns all that the environment says."""
    rng = np.random.default_rng(seed)
    results = [env.reset(seed=seed)]
    for step in range(steps):
        actions = env.sample_actions()
        actions[rng.integers(env.num_envs)] = rng.integers(env.single_action_space.n)
        over = env._games.status > PLAYING
        if env.autoreset_mode.value == "Disabled" and over.any():
            results.append(env.reset(options={"reset_mask": over}))
        if step == 12:
            results.append(env.reset(options={"reset_mask": rng.random(env.num_envs) < 0.5}))
        if step == 20:
            size, mines = (env.config.rows, env.config.cols), env.config.mines
            results.append(env.reset(options={"layout": np.array([*layouts_of_size(rng, size, mines, GAMES)])}))
        results.append((actions, env.step(actions)))
    return [*results, env.action_masks(), env.get_state()]


OPTIONS = st.fixed_dictionaries(
    {
        "size": st.sampled_from([5, (4, 9), 8]),
        "mines": st.sampled_from([2, 6]),
        "moves": st.sampled_from([("click",), ("click", "flag"), ALL_MOVES]),
        "first_click": st.sampled_from(["opening", "safe", "any", "corners"]),
        "reward": st.sampled_from([*REWARDS, weighted]),
        "observation": st.sampled_from(observations.ENCODINGS),
        "max_steps": st.sampled_from([None, 7]),
        "autoreset_mode": st.sampled_from(["NextStep", "SameStep", "Disabled"]),
    }
)


@settings(max_examples=20)
@given(OPTIONS)
def test_the_games_are_the_same_for_every_number_of_threads(options):
    alone = play(MinesweeperVectorEnv(GAMES, **options))
    for threads in (2, 3, 7, 40):
        env = MinesweeperVectorEnv(GAMES, **options, threads=threads)
        assert_same(play(env), alone)
        assert len(env._games._slices) == min(threads, GAMES)
        env.close()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize(
    "options",
    [
        {"size": 6, "mines": 7, "no_guess": "subset"},
        {"size": 6, "mines": 7, "no_guess": "exact"},
        {"size": 4, "mines": 4, "first_click": "safe", "moves": ALL_MOVES, "luck": False},
    ],
)
def test_boards_without_guesses_and_games_without_luck_are_the_same(options, mode):
    options = {**options, "autoreset_mode": mode}
    alone = play(MinesweeperVectorEnv(GAMES, **options))
    for threads in (2, 3, 7):
        assert_same(play(MinesweeperVectorEnv(GAMES, **options, threads=threads)), alone)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike_and_apart(copied):
    options = {**SPARSE, "no_guess": "subset", "threads": 3}
    env = MinesweeperVectorEnv(GAMES, **options)
    env.reset(seed=1)
    env.step(env.sample_actions())
    other = copied(env)
    before = other.get_state()
    first = [(actions := env.sample_actions(), env.step(actions)) for _ in range(20)]
    assert_same(other.get_state(), before)
    assert_same([(actions := other.sample_actions(), other.step(actions)) for _ in range(20)], first)
    assert_same(other.get_state(), env.get_state())
    assert other._mine_placer._pool is other._games._pool is other._pool is not env._pool


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from Python 3.12 on, a fork beside threads
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")
def test_a_forked_process_starts_threads_of_its_own():
    env = MinesweeperVectorEnv(GAMES, **SPARSE, threads=3)
    play(env)

    def play_on():
        assert_same(play(env, seed=6), play(MinesweeperVectorEnv(GAMES, **SPARSE), seed=6))
        env.close()

    child = multiprocessing.get_context("fork").Process(target=play_on)
    child.start()
    child.join(60)
    status = child.exitcode
    child.kill()
    assert status == 0


def new_threads(before):
    return [thread for thread in threading.enumerate() if thread not in before]


def test_the_threads_end_with_the_environment():
    before = threading.enumerate()
    env = MinesweeperVectorEnv(GAMES, **SPARSE, threads=3)
    play(env)
    del env
    gc.collect()
    # The threads are told to end, and nobody waits for them.
    for thread in new_threads(before):
        thread.join(timeout=10)
    assert not new_threads(before)


@pytest.mark.parametrize("threads", [1, 8])
def test_one_thread_or_a_small_batch_starts_no_thread(monkeypatch, threads):
    monkeypatch.setattr(batches, "LEAST_CELLS", LEAST_CELLS)
    assert [len(MinesweeperVectorEnv(n, (16, 30), threads=7)._games._slices) for n in (273, 274, 4096)] == [1, 2, 7]
    before = threading.enumerate()
    env = gymnasium.make_vec("Minesweeper-v0", num_envs=64, threads=threads)
    env.reset(seed=0)
    for _ in range(20):
        env.step(env.unwrapped.sample_actions())
    assert not new_threads(before)


@pytest.mark.parametrize("action", [-1, 64, 1 << 40])
def test_an_action_out_of_range_in_any_part_changes_no_game(action):
    env = MinesweeperVectorEnv(GAMES, **SPARSE, threads=3)
    env.reset(seed=0)
    env.step(env.sample_actions())
    before, actions = env.get_state(), env.sample_actions()
    actions[7] = action
    with pytest.raises(ValueError, match=rf"a whole number in 0\.\.63, not {action} \(game 7\)"):
        env.step(actions)
    del before["sampler"]
    assert_same({key: env.get_state()[key] for key in before}, before)


@pytest.mark.skipif(not hasattr(kernels.play_batch, "signatures"), reason="kernels are not compiled")
def test_kernels_release_the_lock_and_are_compiled_once():
    play(MinesweeperVectorEnv(GAMES, **SPARSE))
    compiled = (kernels.play_batch, kernels.lay_out_batch, kernels.sample_batch)
    before = [kernel.signatures for kernel in compiled]
    play(MinesweeperVectorEnv(GAMES, **SPARSE, threads=3))
    assert [kernel.signatures for kernel in compiled] == before
    assert all(kernel.targetoptions["nogil"] for kernel in compiled)


# The pool of threads: order, errors, interrupts, copies and the end of its threads


@pytest.mark.parametrize("count", [0, 1, 7, 100])
@pytest.mark.parametrize("parts", [0, 1, 3, 7, 200])
def test_a_split_covers_all_in_order_and_evenly(count, parts):
    slices = split(count, parts)
    assert len(slices) == max(1, min(count, parts))
    assert [i for each in slices for i in range(count)[each]] == list(range(count))
    lengths = [each.stop - each.start for each in slices]
    assert max(lengths) - min(lengths) <= 1


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


def test_helpers_end_with_close():
    before, pool, barrier = threading.enumerate(), ThreadPool(3), threading.Barrier(3, timeout=20)
    pool.run(lambda _: barrier.wait(), range(3))
    helpers = new_threads(before)
    assert len(helpers) == 2  # and the calling thread
    for _ in range(2):
        pool.close()
    for helper in helpers:
        helper.join(20)
        assert not helper.is_alive()
