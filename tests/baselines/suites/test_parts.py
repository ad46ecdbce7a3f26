"""Games on disk and the order of play: no game is lost or taken for another."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.evaluation.records import GameRecord
from baselines.evaluation.units import Schedule
from baselines.suites.definitions import find_suite
from baselines.suites.folder import MANIFEST, open_folder
from baselines.suites.parts import DamagedPartError, Part, PartStore
from baselines.suites.tasks import Task
from minesweeper_env import BoardConfig

CONFIG = BoardConfig(6, 7, 5, "safe", ("click",))
TASK = Task("lookahead:layouts=10,slack=0.2", CONFIG, games=45, batch_size=10)
SEED = 3


def make_part(first: int, games: int, *, seed: int = SEED) -> Part:
    rng = random.Random(first)
    records = tuple(
        GameRecord(
            seed + number,
            rng.random() < 0.5,
            rng.randrange(1, 400),
            rng.random() < 0.2,
            rng.randrange(37),
            rng.random() < 0.5,
        )
        for number in range(first, first + games)
    )
    return Part(first, records, 0.1 + first, {"queries": 17 * first, "guesses": 2})


@pytest.fixture
def store(tmp_path):
    return PartStore(tmp_path, TASK, SEED)


def test_parts_come_back_as_they_were(store, tmp_path):
    parts = [make_part(0, 20), make_part(20, 10), make_part(40, 5)]
    for part in reversed(parts):
        store.write(part)
    assert store.read() == parts
    assert {path.parent for path in tmp_path.rglob("*.npz")} == {
        tmp_path / "games" / "6x7-5" / "lookahead_layouts=10,slack=0.2"
    }


def test_a_short_last_block_is_forgotten_when_there_are_to_be_more_games(store, tmp_path):
    parts = [make_part(0, 40), make_part(40, 5)]
    for part in parts:
        store.write(part)
    longer = PartStore(tmp_path, replace(TASK, games=100), SEED)
    assert longer.read() == parts[:1]
    longer.write(make_part(40, 60))
    assert longer.read() == [parts[0], make_part(40, 60)]


def read_or_complaint(store):
    try:
        return store.read()
    except DamagedPartError as error:
        return str(error)


def test_every_changed_byte_is_noticed_or_harmless(store, tmp_path):
    part = make_part(10, 10)
    store.write(part)
    (path,) = tmp_path.rglob("*.npz")
    content = path.read_bytes()
    noticed = 0
    for position in range(0, len(content), 3):
        damaged = bytearray(content)
        damaged[position] ^= 0x41
        path.write_bytes(damaged)
        found = read_or_complaint(store)
        assert found == [part] or str(path) in found
        noticed += isinstance(found, str)
    assert noticed > len(content) / 8


def forge(path, **changes):
    """Writes a part again with other entries of its header."""
    with np.load(path) as archive:
        arrays = dict(archive)
    header = json.loads(arrays["header"].tobytes()) | changes
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    "damage",
    [
        {"games": "many"},
        {"games": -1},
        {"first": None},
        {"seconds": "long"},
        {"seconds": 10**400},
        {"tallies": {"guesses": float("inf")}},
    ],
)
def test_a_header_of_another_form_is_damage(store, tmp_path, damage):
    store.write(make_part(0, 20))
    (path,) = tmp_path.rglob("*.npz")
    forge(path, **damage)
    with pytest.raises(DamagedPartError, match=r"00000000\.npz is damaged"):
        store.read()


def test_a_folder_in_place_of_a_part_is_named(store, tmp_path):
    store.write(make_part(0, 20))
    (path,) = tmp_path.rglob("*.npz")
    path.unlink()
    path.mkdir()
    with pytest.raises(DamagedPartError, match=r"00000000\.npz cannot be read"):
        store.read()


@pytest.mark.parametrize(
    ("task", "seed"),
    [
        (replace(TASK, policy="lookahead:layouts=10_slack=0.2"), SEED),
        (replace(TASK, config=replace(CONFIG, first_click="any")), SEED),
        (replace(TASK, start="somewhere:start"), SEED),
        (replace(TASK, batch_size=5), SEED),
        (TASK, SEED + 1),
    ],
)
def test_parts_of_other_games_are_refused(store, tmp_path, task, seed):
    store.write(make_part(0, 10))
    other = PartStore(tmp_path, task, seed)
    other_folder = tmp_path / task.folder
    if not other_folder.exists():
        (tmp_path / TASK.folder).rename(other_folder)
    with pytest.raises(DamagedPartError, match="belongs to other games than lookahead"):
        other.read()


def test_a_part_under_another_name_is_refused(store, tmp_path):
    store.write(make_part(10, 10))
    (path,) = tmp_path.rglob("*.npz")
    path.rename(path.with_name("00000020.npz"))
    with pytest.raises(DamagedPartError, match=r"00000020\.npz belongs to other games"):
        store.read()


@pytest.mark.parametrize("parts", [[(0, 30), (20, 10)], [(5, 10)], [(40, 10)]])
def test_parts_that_do_not_fit_together_are_refused(store, parts):
    for first, games in parts:
        store.write(make_part(first, games))
    with pytest.raises(DamagedPartError, match="do not fit the other files"):
        store.read()


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_the_schedule_plays_every_game_once(data):
    """The schedule does so for any games on disk, and for any durations of the units."""
    tasks, parts = [], []
    for _ in range(data.draw(st.integers(1, 4))):
        size, games = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 40))
        batches = range(0, games, size)
        done = data.draw(st.sets(st.sampled_from(batches))) if data.draw(st.booleans()) else set()
        tasks.append(Task("random", CONFIG, games, size))
        parts.append([make_part(first, min(size, games - first)) for first in sorted(done)])
    schedule = Schedule(tasks, parts)
    count = np.concatenate([np.zeros(task.games, int) for task in tasks])
    offsets = np.cumsum([0, *(task.games for task in tasks)])
    for offset, before in zip(offsets, parts, strict=False):
        for part in before:
            count[offset + part.games.start : offset + part.games.stop] += 1
    assert schedule.done == count.sum()
    flying = []
    while (unit := schedule.next()) is not None or flying:
        if unit is not None:
            task = tasks[unit.task]
            assert unit.first % task.batch_size == 0
            assert unit.games % task.batch_size == 0 or unit.games < task.batch_size
            flying.append(unit)
        if unit is None or data.draw(st.booleans()):
            ended = flying.pop(data.draw(st.integers(0, len(flying) - 1)))
            schedule.finish(ended, data.draw(st.sampled_from([0.0, 1e-3, 0.5, 7.0])))
            count[offsets[ended.task] + ended.first : offsets[ended.task] + ended.first + ended.games] += 1
    assert (count == 1).all()
    assert schedule.left() == []
    assert schedule.done == schedule.games == len(count)


def test_the_longest_task_is_the_next_one():
    tasks = [Task(name, CONFIG, 1000, 10) for name in ("quick", "slow")]
    schedule = Schedule(tasks)
    schedule.workers = 2
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
    rest = []
    while (unit := schedule.next()) is not None:
        rest.append(unit)
    assert sum(unit.games for unit in order + rest if unit.task == 1) == 990
    assert sum(unit.games for unit in rest if unit.task == 0) == 990


def test_units_get_shorter_towards_the_end():
    schedule = Schedule([Task("slow", CONFIG, 100, 1)], [[make_part(0, 1)]])
    schedule.workers = 2
    schedule.finish(schedule.next(), 10.0)
    sizes = []
    while (unit := schedule.next()) is not None:
        sizes.append(unit.games)
    assert sizes[-1] == 1
    assert sizes == sorted(sizes, reverse=True)


def test_a_folder_belongs_to_one_suite(tmp_path):
    suite, folder = find_suite("ladder"), tmp_path / "a" / "b"
    open_folder(folder, suite, 5, 100)
    open_folder(folder, suite, 5, 100)
    open_folder(folder, suite, 5, 300)
    assert json.loads((folder / MANIFEST).read_text())["games"] == 300
    for arguments, complaint in (
        ((find_suite("agents"), 5, 300), 'suite "ladder", not "agents"; choose another'),
        ((suite, 6, 300), "seed 5, not 6"),
        ((suite, 5, 299), "games 300, not 299"),
    ):
        with pytest.raises(ValueError, match=complaint):
            open_folder(folder, *arguments)
    for change, complaint in (
        ({"format": 0}, "format 0, not 2"),
        ({"version": "0.0.1"}, 'version "0.0.1", not '),
    ):
        manifest = json.loads((folder / MANIFEST).read_text())
        (folder / MANIFEST).write_text(json.dumps(manifest | change))
        with pytest.raises(ValueError, match=complaint):
            open_folder(folder, suite, 5, 300)
        (folder / MANIFEST).write_text(json.dumps(manifest))
    open_folder(folder, suite, 5, 300)


def test_a_wrong_folder_is_refused_before_the_policies_are_loaded(tmp_path, monkeypatch):
    open_folder(tmp_path, find_suite("ladder"), 5, 100)
    monkeypatch.setattr("baselines.suites.folder.find_policy", None)
    with pytest.raises(ValueError, match="seed 5, not 6"):
        open_folder(tmp_path, find_suite("ladder"), 6, 100)


def test_folders_that_cannot_be_used_are_refused(tmp_path):
    suite = find_suite("ladder")
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below", "/proc/none/suite"):
        with pytest.raises(ValueError, match="cannot be written"):
            open_folder(type(tmp_path)(folder), suite, 0, 10)
    with pytest.raises(ValueError, match="is not empty and holds no suite"):
        open_folder(tmp_path, suite, 0, 10)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    # A truncated first file of a killed run is no obstacle.
    (tmp_path / "file").rename(tmp_path / ".suite.json.77.tmp")
    open_folder(tmp_path, suite, 0, 10)


def test_recorded_actions_come_back_on_demand(tmp_path):
    store = PartStore(tmp_path, replace(TASK, record=True), SEED)
    plain = make_part(0, 20)
    part = replace(plain, records=tuple(each._replace(actions=bytes(2 * each.clicks)) for each in plain.records))
    store.write(part)
    assert store.read(actions=True) == [part]
    assert store.read() == [plain]
    assert (tmp_path / "games" / "6x7-5-safe").is_dir()


def test_games_without_their_actions_do_not_pass_for_recorded_ones(tmp_path):
    recorded = replace(TASK, record=True)
    store = PartStore(tmp_path, recorded, SEED)
    store.write(make_part(0, 20))
    with pytest.raises(DamagedPartError, match="damaged"):
        store.read(actions=True)


def test_another_installation_does_not_resume(tmp_path):
    open_folder(tmp_path, find_suite("ladder"), 0, 10)
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    assert manifest["identity"]["precision"] == "float32"
    own = manifest["identity"]["numpy"]
    for change, difference in (
        ({"numpy": "1.9"}, rf'numpy "1\.9", not "{own}"; choose'),
        ({"precision": "bf16"}, 'precision "bf16", not "float32"; choose'),
        ({"package": "0" * 12, "torch": "1.0"}, 'package "000000000000", not .*torch "1.0", not .*; choose'),
    ):
        changed = manifest | {"identity": manifest["identity"] | change}
        (tmp_path / MANIFEST).write_text(json.dumps(changed))
        with pytest.raises(ValueError, match=difference):
            open_folder(tmp_path, find_suite("ladder"), 0, 10)
        assert json.loads((tmp_path / MANIFEST).read_text()) == changed


def test_the_precision_of_networks_is_written_down(tmp_path):
    suite = find_suite("learned").with_policies(["any-size:precision=bfloat16"])
    open_folder(tmp_path, suite, 0, 10)
    precision = json.loads((tmp_path / MANIFEST).read_text())["precision"]
    assert precision["any-size:precision=bfloat16"] == "bfloat16"
    assert {precision[name] for name in ("ppo", "dqn", "any-size")} == {"float32"}
    assert not precision.keys() & {"exact", "lookahead"}


def test_games_of_another_precision_are_refused(tmp_path):
    PartStore(tmp_path, replace(TASK, precision="bfloat16"), SEED).write(make_part(0, 20))
    with pytest.raises(DamagedPartError, match="belongs to other games"):
        PartStore(tmp_path, replace(TASK, precision="float32"), SEED).read()
