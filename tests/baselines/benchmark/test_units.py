"""Games on disk and the order of play: no game is lost or taken for another."""

import gzip
import random
import re
import tracemalloc
from contextlib import suppress
from dataclasses import replace
from itertools import product
from unittest.mock import Mock

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.benchmark.run import SUFFIX, Task, policy_folder
from baselines.benchmark.suites import SUITES, Entry
from baselines.evaluation.games import GameRecord
from baselines.evaluation.units import Assignment, Part, Schedule
from minesweeper_env import BoardConfig

CONFIG = BoardConfig(6, 7, 5, "safe", ("click",))
SEED = 3
GAMES = Assignment("", Mock(), CONFIG, range(SEED, SEED + 45), batch_size=10)
TASK = Task("some", Entry("lookahead:layouts=10,slack=0.2"), CONFIG, GAMES)


def changed(**changes) -> Task:
    return replace(TASK, games=replace(GAMES, **changes))


def make_part(first: int, games: int) -> Part:
    rng = random.Random(first)

    def record(game: int) -> GameRecord:
        won, truncated, marked = (rng.random() < 0.4 for _ in range(3))
        opened = CONFIG.cells - CONFIG.mines if won else rng.randrange(37)
        return GameRecord(SEED + game, won, rng.randrange(1, 400), truncated and not won, opened, marked)

    records = tuple(map(record, range(first, first + games)))
    return Part(first, records, 0.1 + first, {"queries": 17 * first, "guesses": 0})


def test_parts_come_back_as_they_were_but_a_short_last_batch_when_there_are_to_be_more_games(tmp_path):
    parts = [make_part(0, 20), make_part(20, 20), make_part(40, 5)]
    for part in reversed(parts):
        TASK.write(tmp_path, part)
    assert TASK.read(tmp_path) == parts
    folder = tmp_path / "games" / "some" / "6x7-5-safe" / policy_folder("lookahead:layouts=10,slack=0.2")
    assert {path.parent for path in tmp_path.rglob(f"*{SUFFIX}")} == {folder}
    longer = changed(seeds=range(SEED, SEED + 100))
    assert longer.read(tmp_path) == parts[:2]
    longer.write(tmp_path, make_part(40, 60))
    assert longer.read(tmp_path) == [*parts[:2], make_part(40, 60)]


def test_every_changed_byte_is_noticed_or_harmless(tmp_path):
    TASK.write(tmp_path, make_part(10, 10))
    (path,) = tmp_path.rglob(f"*{SUFFIX}")
    content, noticed = path.read_bytes(), 0
    for position in range(0, len(content), 3):
        damaged = bytearray(content)
        damaged[position] ^= 0x41
        path.write_bytes(damaged)
        found = []
        with suppress(OSError):
            found = TASK.read(tmp_path)
        assert found in ([], [make_part(10, 10)])
        noticed += not found
    assert noticed > len(content) / 8


def test_a_part_with_other_content_is_named(tmp_path):
    part = make_part(0, 20)
    TASK.write(tmp_path, part)
    (path,) = tmp_path.rglob(f"*{SUFFIX}")
    damages = [{"first": None}, {"first": 20}, {"seconds": ""}, {"counters": 3}]
    damages += [{"records": each} for each in (3, [*part.records, 3], part.records[1:])]
    # A part of an earlier version does not say whose it is.
    for content in (part, *((*part._replace(**damage), TASK.owner()) for damage in damages)):
        path.write_bytes(gzip.compress(msgspec.msgpack.encode(content)))
        with pytest.raises(OSError, match="is damaged"):
            TASK.read(tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.raises(OSError, match="is damaged") as caught:
        TASK.read(tmp_path)
    assert caught.value.filename == str(path)


def test_the_part_of_another_task_is_refused_and_named(tmp_path):
    TASK.write(tmp_path, make_part(0, 20))
    (path,) = tmp_path.rglob(f"*{SUFFIX}")
    others = {
        "policy": replace(TASK, entry=Entry("lookahead:layouts=10")),
        "sha256": replace(TASK, sha256="0"),
        "board": replace(TASK, board=replace(CONFIG, no_guess="exact")),
        "first_click": replace(TASK, board=replace(CONFIG, first_click="any")),
        "moves": changed(config=replace(CONFIG, moves=("click", "flag"))),
        "start": replace(TASK, entry=replace(TASK.entry, start="a:b")),
        "batch_size": changed(batch_size=5),
        "precision": changed(precision="bfloat16"),
        "record": changed(record=True),
        "seed": changed(seeds=range(SEED + 1, SEED + 46)),
    }
    assert {*others} == {*TASK.owner()}
    for name, task in others.items():
        place = task.folder(tmp_path) / path.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
        with pytest.raises(OSError, match=f"has games of another {name} than") as caught:
            task.read(tmp_path)
        assert caught.value.filename == str(place)


def test_a_small_file_that_unpacks_to_a_large_one_does_not_fill_the_memory(tmp_path):
    TASK.write(tmp_path, make_part(0, 20))
    (path,) = tmp_path.rglob(f"*{SUFFIX}")
    with gzip.open(path, "wb") as file:
        for _ in range(4):
            file.write(bytes(1 << 24))
    tracemalloc.start()
    with pytest.raises(OSError, match="is damaged"):
        TASK.read(tmp_path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()


@pytest.mark.parametrize("parts", [[(0, 30), (20, 10)], [(5, 10)], [(40, 10)]])
def test_parts_that_do_not_fit_together_are_refused(tmp_path, parts):
    for first, games in parts:
        TASK.write(tmp_path, make_part(first, games))
    with pytest.raises(OSError, match="do not fit the other files"):
        TASK.read(tmp_path)


def test_recorded_actions_come_back_on_demand(tmp_path):
    task = changed(record=True)
    plain = make_part(0, 20)
    part = plain._replace(records=tuple(each._replace(actions=bytes(2 * each.clicks)) for each in plain.records))
    task.write(tmp_path, part)
    assert task.read(tmp_path, actions=True) == [part]
    assert task.read(tmp_path) == [plain]
    *others, last = part.records
    lacking = part._replace(records=(*others, last._replace(actions=last.actions[:-2])))
    for damaged in (plain, lacking):
        task.write(tmp_path, damaged)
        with pytest.raises(OSError, match="is damaged"):
            task.read(tmp_path, actions=True)


def test_each_policy_on_each_board_has_a_folder_of_its_own(tmp_path):
    for suite in SUITES.values():
        places = [(group, *each) for group in suite.groups for each in product(group.entries, group.boards)]
        folders = [Task(group.name, *place, GAMES).folder(tmp_path) for group, *place in places]
        assert len(set(folders)) == len(folders)
    chats = [f"chat:model=qwen3{mark}8b" for mark in ":_."]
    names = ["a/b.py:C", "a_b.py:C", "a b.py:C", "m.n:C", "m:n.C", "C" * 300 + ".py:D", *chats]
    names += ["..", ".", ".games", "../..", "exact:a=1", "exact_a=1", "Exact", "exact", "EXACT", "hf:a/b@c", "hf:a_b@c"]
    folders = [policy_folder(name) for name in names]
    # Some file systems know no capitals, and a folder with a dot at the beginning may be another one.
    assert len({folder.lower() for folder in folders}) == len(names)
    assert all(len(folder) < 80 and re.fullmatch(r"[-=,+\w]+", folder) for folder in folders)


def assignment(games: int, batch_size: int) -> Assignment:
    return Assignment("", Mock(), CONFIG, range(games), batch_size=batch_size)


@given(st.data())
def test_the_schedule_plays_every_game_once(data):
    """The schedule does so for any games on disk, and for any durations of the units."""
    tasks, parts = [], []
    for _ in range(data.draw(st.integers(1, 4))):
        size, games = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 40))
        batches = range(0, games, size)
        done = data.draw(st.sets(st.sampled_from(batches))) if data.draw(st.booleans()) else set()
        tasks.append(assignment(games, size))
        parts.append([make_part(first, min(size, games - first)) for first in sorted(done)])
    schedule, flying = Schedule(tasks, parts), []
    counts = [np.zeros(len(task.seeds), int) for task in tasks]
    for count, before in zip(counts, parts, strict=True):
        for part in before:
            count[part.games.start : part.games.stop] += 1
    assert schedule.done == sum(count.sum() for count in counts)
    while (unit := schedule.next()) is not None or flying:
        if unit is not None:
            task = tasks[unit.task]
            assert unit.first % task.batch_size == 0
            assert unit.games % task.batch_size == 0 or unit.games < task.batch_size
            flying.append(unit)
        if unit is None or data.draw(st.booleans()):
            ended = flying.pop(data.draw(st.integers(0, len(flying) - 1)))
            schedule.finish(ended, data.draw(st.sampled_from([0.0, 1e-3, 0.5, 7.0])))
            counts[ended.task][ended.first : ended.first + ended.games] += 1
    assert all((count == 1).all() for count in counts)
    assert schedule.done == schedule.games == sum(map(len, counts))


def test_the_longest_task_is_the_next_one():
    schedule = Schedule([assignment(1000, 10), assignment(1000, 10)])
    schedule.workers = Mock(count=2)
    assert schedule.seconds_left() is None
    slow, quick = schedule.next(), schedule.next()
    assert (slow.task, slow.games, quick.task, quick.games) == (1, 10, 0, 10)
    assert not schedule.finish(slow, 1.0)
    schedule.finish(quick, 0.01)
    assert schedule.seconds_left() == pytest.approx((99 + 0.99) / 2)
    assert schedule.fraction_done() == pytest.approx(1.01 / 101)
    # Units of 3 s: 30 games of the slow policy; the quick one waits until no work is left but its own.
    order = [schedule.next() for _ in range(31)]
    assert {unit.task for unit in order} == {1}
    assert [unit.games for unit in order[:28]] == [30] * 28
    rest = list(iter(schedule.next, None))
    assert sum(unit.games for unit in order + rest if unit.task == 1) == 990
    assert sum(unit.games for unit in rest if unit.task == 0) == 990


def test_units_get_shorter_towards_the_end():
    schedule = Schedule([assignment(100, 1)], [[make_part(0, 1)]])
    schedule.workers = Mock(count=2)
    schedule.finish(schedule.next(), 10.0)
    sizes = [unit.games for unit in iter(schedule.next, None)]
    assert sizes[-1] == 1
    assert sizes == sorted(sizes, reverse=True)
