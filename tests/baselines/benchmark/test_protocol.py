"""The protocol of the benchmark: frozen, on seeds of its own, and played by the suite `benchmark`."""

import pytest

from baselines.benchmark.entries import suite_of
from baselines.benchmark.protocol import PROTOCOL, PROTOCOLS
from baselines.benchmark.suites import SUITES
from baselines.evaluation.seeds import TEST_SEEDS
from baselines.registry import policy_names

FROZEN = {
    "2026.1": "fb86159cb9c9364986fd8eb5ace5efa79a10613e5b216f8276a019682c51bb2a",
    "2026.2": "0d07528c0a02912c9eea8083d1100a21dc05f62486cf645073f34ddfb8ded6f9",
    "2026.3": "2bf0b3ff71fe9e18aa9e7fc3f2d13b6ec0127be4682fccb7f8c5e7429d2c61b8",
    "text-2026.1": "0ce57dd5c5a4cc6ce256c5b55f406194e0de5fc34ecb5dff2e2decd336143011",
}


@pytest.mark.parametrize("version", PROTOCOLS)
def test_a_published_protocol_is_frozen(version):
    assert PROTOCOLS[version].digest() == FROZEN[version], "a published protocol never changes; name a new version"


def test_each_protocol_has_test_seeds_of_its_own():
    seeds = [seed for protocol in PROTOCOLS.values() for seed in protocol.seeds]
    assert len(set(seeds)) == len(seeds)
    assert all(seed in TEST_SEEDS for seed in seeds)


def test_an_entry_plays_the_first_games():
    assert PROTOCOL.seeds_of(None, 1000) == range(202_610_000, 202_611_000)
    assert PROTOCOL.seeds_of(None, 1) == PROTOCOL.seeds[:1]
    assert PROTOCOL.seeds_of(202_610_000, 10_000) == PROTOCOL.seeds


@pytest.mark.parametrize(
    ("first", "games", "said"), [(0, 1000, "begins with seed"), (None, 10_001, "1 to 10000"), (None, 0, "1 to")]
)
def test_other_games_are_refused(first, games, said):
    with pytest.raises(ValueError, match=said):
        PROTOCOL.seeds_of(first, games)


def test_the_suite_plays_every_policy_on_the_boards_of_the_protocol():
    suite = SUITES["benchmark"]
    (group,) = suite.groups
    assert group.boards == PROTOCOL.boards
    assert sorted(entry.policy for entry in group.entries) == sorted(policy_names())
    assert suite.seeds_of(None, 1000).start == PROTOCOL.seeds.start
    assert SUITES["ladder"].seeds_of(None, 10) == range(10)


def test_a_size_names_the_board_of_a_protocol_without_ordinary_boards():
    boards = suite_of(["random"], ["8x8/14"], protocol=PROTOCOLS["2026.3"]).groups[0].boards
    assert [board.name for board in boards] == ["8x8/14 no-luck"]
    boards = suite_of(["random"], ["8x8/14"], protocol=PROTOCOLS["2026.2"]).groups[0].boards
    assert [board.name for board in boards] == ["8x8/14"]
