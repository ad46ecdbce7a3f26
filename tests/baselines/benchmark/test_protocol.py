"""The protocol of the benchmark: frozen, on seeds of its own, and played by the suite `benchmark`."""

from __future__ import annotations

import pytest

from baselines.benchmark.protocol import PROTOCOL, TEXT_PROTOCOL
from baselines.benchmark.suites import SUITES
from baselines.evaluation.seeds import SELECTION_SEEDS, TEST_SEEDS, TRAINING_SEEDS
from baselines.registry import policy_names

FROZEN = "fb86159cb9c9364986fd8eb5ace5efa79a10613e5b216f8276a019682c51bb2a"


FROZEN_TEXT = "0ce57dd5c5a4cc6ce256c5b55f406194e0de5fc34ecb5dff2e2decd336143011"


@pytest.mark.parametrize(("protocol", "digest"), [(PROTOCOL, FROZEN), (TEXT_PROTOCOL, FROZEN_TEXT)])
def test_a_published_protocol_is_frozen(protocol, digest):
    assert protocol.digest() == digest, "a published protocol never changes; a new one needs a new version"


def test_the_boards_in_text_have_seeds_of_their_own_and_hide_no_guess_but_on_three():
    assert all(seed in TEST_SEEDS for seed in TEXT_PROTOCOL.seeds)
    assert set(TEXT_PROTOCOL.seeds).isdisjoint(PROTOCOL.seeds)
    assert [board.no_guess for board in TEXT_PROTOCOL.boards] == ["subset"] * 3 + ["exact"] * 3 + [False] * 3


def test_its_seeds_are_test_seeds_that_no_training_selection_or_published_figure_used():
    seeds = set(PROTOCOL.seeds)
    assert len(seeds) == 10_000
    assert all(seed in TEST_SEEDS for seed in seeds)
    assert not any(seed in SELECTION_SEEDS or seed in TRAINING_SEEDS for seed in seeds)
    assert seeds.isdisjoint(range(1_000_000))
    assert PROTOCOL.forbidden_seeds == TEST_SEEDS


def test_an_entry_plays_the_first_games():
    assert PROTOCOL.seeds_of(None, 1000) == range(202_610_000, 202_611_000)
    assert PROTOCOL.seeds_of(202_610_000, 10_000) == PROTOCOL.seeds


@pytest.mark.parametrize(("first", "games", "said"), [(0, 1000, "begins with seed"), (None, 10_001, "1 to 10000")])
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
