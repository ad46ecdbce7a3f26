"""Search one click ahead: which clicks are weighed, and by what; the policy around it."""

import numpy as np
import pytest
import torch
from support.policies import Recorder
from support.tiny_training import one_thread  # noqa: F401 - one_thread is a fixture

from baselines.evaluation.games import play_games
from baselines.learned.afterstate import policy as policy_module
from baselines.learned.afterstate.clues import fitted_safety
from baselines.learned.afterstate.network import COUNTS, AfterstateNetwork
from baselines.learned.afterstate.policy import AfterstatePolicy
from baselines.learned.afterstate.search import (
    Limits,
    Outcomes,
    Ratings,
    afterstates,
    best_clicks,
    candidates,
    click_values,
    clicks_to_weigh,
    first_click_values,
    next_safety,
    rate,
    worths,
)
from baselines.learned.networks import BoardNetwork
from baselines.learned.settings import NetworkSize
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import mine_probabilities


def network(seed=0, channels=4, depth=2):
    torch.manual_seed(seed)
    made = AfterstateNetwork(NetworkSize(channels, depth))
    with torch.no_grad():
        # New hazards hardly differ; larger weights tell the boards apart.
        made.worth.layer.weight.mul_(50)
    return made.eval()


def config(rows=4, cols=5, mines=4, first_click="opening"):
    return BoardConfig(rows, cols, mines, first_click=first_click, moves=("click",))


def boards(count=6, rows=4, cols=5, seed=1):
    codes = np.random.default_rng(seed).choice([0, 1, 2, 3, 11], (count, rows, cols), p=[0.1, 0.2, 0.1, 0.1, 0.5])
    codes[:, 0, 0] = 11
    return codes.astype(np.int8)


def test_clicks_within_the_slack_are_weighed_up_to_the_breadth():
    safety = np.array([[0.9, 0.87, 0.2, 0.88, 0.0, 0.9]], np.float32)
    assert candidates(safety, Limits(0.05, 8))[0].tolist() == [True, True, False, True, False, True]
    assert candidates(safety, Limits(0.025, 8))[0].tolist() == [True, False, False, True, False, True]
    assert candidates(safety, Limits(0.05, 3))[0].tolist() == [True, False, False, True, False, True]
    assert candidates(safety, Limits(0.05, 1))[0].tolist() == [True, False, False, False, False, False]
    assert candidates(np.zeros((1, 6), np.float32), Limits(1.0, 8)).sum() == 0


def test_likely_zeros_come_first_among_clicks_of_about_the_same_safety():
    safety, counts = np.array([[0.9, 0.9, 0.89, 0.8, 0.9]], np.float32), np.zeros((1, COUNTS, 5), np.float32)
    counts[0, 0, 2:4] = 1.0
    ratings = Ratings(safety, counts)
    assert clicks_to_weigh(ratings, Limits(0.05, 1))[0].tolist() == [False, False, True, False, False]
    assert clicks_to_weigh(ratings, Limits(0.05, 2))[0].tolist() == [True, False, True, False, False]
    assert clicks_to_weigh(ratings, Limits(0.05, 8))[0].tolist() == [True, True, True, False, True]
    counts[:] = 0.0
    assert clicks_to_weigh(ratings, Limits(0.05, 2))[0].tolist() == [True, True, False, False, False]


def test_the_slack_falls_with_the_cells_of_boards_larger_than_64_cells():
    small, large = BoardConfig(8, 8, 14), BoardConfig(16, 16, 40)
    assert Limits.on(small, 0.12, 5, power=1.5) == Limits(0.12, 5)
    assert Limits.on(large, 0.12, 5, power=1.0) == Limits(pytest.approx(0.03), 5)
    assert Limits.on(large, 0.12, 5, power=1.5) == Limits(pytest.approx(0.015), 5)


def test_the_value_of_a_click_is_its_safety_times_the_mean_worth_of_its_outcomes():
    made, codes = network(), boards(cols=4)
    legal = (codes == 11).reshape(len(codes), -1)
    ratings = rate(made, 4, codes, legal, counts=True)
    values = click_values(made, 4, codes, ratings, legal)
    assert ratings.counts.sum(axis=1) == pytest.approx(1, abs=1e-5)
    for board, cell in zip(*np.nonzero(legal), strict=True):
        shown = ratings.counts[board, :, cell]
        shown = np.where(shown > 0.05, shown, 0)
        after = afterstates(codes[[board] * COUNTS], np.full(COUNTS, cell), np.arange(COUNTS))
        expected = ratings.safety[board, cell] * (shown * plain_worths(made, after)).sum() / shown.sum()
        assert values[board, cell] == pytest.approx(expected, rel=1e-4)
    assert (values[~legal] == -1).all()


@pytest.mark.parametrize("onward", [False, True])
def test_the_best_click_has_the_highest_value_and_onward_the_next_safety_counts_too(onward):
    made, codes = network(), boards(40, cols=4)
    legal = (codes == 11).reshape(len(codes), -1)
    ratings = rate(made, 4, codes, legal, counts=True)
    chosen = best_clicks(made, 4, codes, ratings, Limits(1.0, 16), symmetries=False, onward=onward)
    for board, click in enumerate(chosen):
        values = {}
        for cell in np.flatnonzero(legal[board]):
            shown = ratings.counts[board, :, cell]
            shown = np.where(shown > 0.05, shown, 0)
            after = afterstates(codes[[board] * COUNTS], np.full(COUNTS, cell), np.arange(COUNTS))
            worth = plain_worths(made, after) * (next_safety(made, 4, after) if onward else 1)
            values[cell] = ratings.safety[board, cell] * (shown * worth).sum() / shown.sum()
        assert values[click] == pytest.approx(max(values.values()), rel=1e-5)


def test_close_values_are_weighed_again_with_all_views():
    """The three best clicks of the plain values are compared by the averaged ones, unless one stands alone."""
    made, codes = network(), boards(80, 4, 4)
    legal = (codes == 11).reshape(len(codes), -1)
    ratings, limits = rate(made, 4, codes, legal, counts=True), Limits(1.0, 16)
    # The safety of a new network hardly differs from cell to cell, so all values would be close.
    ratings = ratings._replace(safety=legal * np.random.default_rng(2).uniform(0.6, 1, legal.shape).round(1))
    plain = click_values(made, 4, codes, ratings, legal)
    close = candidates(plain, Limits(0.015, 3))
    outcomes = Outcomes.of(codes, ratings.counts, close)
    finer = outcomes.click_values(ratings.safety, worths(made, 4, outcomes, averaged=True))
    clicks = best_clicks(made, 4, codes, ratings, limits, symmetries=True, onward=False)
    single = close.sum(axis=1) == 1
    assert 0 < single.sum() < len(codes)
    assert (clicks == np.where(single, plain.argmax(axis=1), finer.argmax(axis=1))).all()
    assert (clicks != plain.argmax(axis=1)).any()


def test_the_chances_of_the_outcomes_of_a_click_sum_to_1_without_the_rare_counts():
    counts = np.zeros((1, COUNTS, 4), np.float32)
    counts[0, :3, 1] = 0.6, 0.36, 0.04
    counts[0, 2, 3] = 1.0
    codes, clicks = np.full((1, 2, 2), 11, np.int8), np.array([[False, True, False, True]])
    outcomes = Outcomes.of(codes, counts, clicks)
    assert outcomes.cells.tolist() == [1, 1, 3]
    assert outcomes.chances == pytest.approx([0.6 / 0.96, 0.36 / 0.96, 1])
    assert outcomes.after.reshape(3, 4).tolist() == [[11, 0, 11, 11], [11, 1, 11, 11], [11, 11, 11, 2]]
    values = outcomes.click_values(np.full((1, 4), 0.5, np.float32), np.array([0.2, 0.4, 0.8]))
    assert values[0] == pytest.approx([-1, 0.5 * (0.6 * 0.2 + 0.36 * 0.4) / 0.96, -1, 0.4])


def test_the_next_safety_is_that_of_the_safest_cell_and_1_on_a_won_board():
    made = network()
    codes = np.array([[[1, 1, 11], [11, 1, 11], [11, 11, 11]], [[1, 1, 1], [11, 2, 11], [1, 2, 1]]], np.int8)
    covered = (codes == 11).reshape(2, -1)
    fitted = fitted_safety(rate(made, 2, codes, covered, counts=False).safety, codes, 2)
    assert next_safety(made, 2, codes).tolist() == [fitted[0].max(), 1.0]
    assert fitted[1].max() < 0.1


def plain_worths(made, codes):
    """The worth of each board by itself; on four rows and columns every cell is near every other."""
    with torch.no_grad():
        return made.log_worth(torch.as_tensor(codes), 4).exp().numpy()


def test_an_afterstate_shows_one_count_more():
    codes = boards(2)
    after = afterstates(codes, np.array([0, 0]), np.array([2, 8]))
    assert after[:, 0, 0].tolist() == [2, 8]
    assert (after.reshape(2, -1)[:, 1:] == codes.reshape(2, -1)[:, 1:]).all()
    assert (codes[:, 0, 0] == 11).all()


def test_the_worth_is_a_product_over_covered_cells():
    made = network()
    codes = boards(3)
    assert ((plain_worths(made, codes) > 0) & (plain_worths(made, codes) < 1)).all()
    everything_open = np.zeros((1, 4, 5), np.int8)
    assert plain_worths(made, everything_open).tolist() == [1]


def turned(codes):
    """The boards after a half turn."""
    return np.ascontiguousarray(np.rot90(codes, 2, axes=(1, 2)))


def test_averages_are_the_same_however_the_board_is_turned():
    made, codes = network(), boards(5, 4, 4)
    legal = (codes == 11).reshape(5, 16)
    after = (turned(codes) == 11).reshape(5, 16)
    there, here = rate(made, 4, turned(codes), after, True, True), rate(made, 4, codes, legal, True, True)
    assert there.safety.reshape(5, 4, 4) == pytest.approx(turned(here.safety.reshape(5, 4, 4)), rel=1e-5)
    shown = np.rot90(here.counts.reshape(5, COUNTS, 4, 4), 2, axes=(2, 3))
    assert there.counts.reshape(5, COUNTS, 4, 4) == pytest.approx(shown, rel=1e-5)


def test_with_symmetries_a_turned_board_gets_the_turned_click():
    made, codes = network(), boards(60, 4, 4)
    game = config(4, 4)
    # Most of these boards are impossible: no safety fits their clues, and the order of the clues would matter.
    clicks = [
        AfterstatePolicy(game, made, slack=1.0, breadth=3, clues=False, onward=False).act(each, masks(each))
        for each in (codes, turned(codes))
    ]
    # A click is at 15 - click after the half turn; the safest cells of one view alone may differ.
    assert (15 - clicks[0] == clicks[1]).mean() > 0.9
    alone = [
        AfterstatePolicy(game, made, slack=1.0, breadth=3, symmetries=False, clues=False, onward=False).act(
            each, masks(each)
        )
        for each in (codes, turned(codes))
    ]
    assert (15 - alone[0] == alone[1]).mean() < 0.9


def masks(codes):
    """The legal clicks of boards, (N, n) int8."""
    return (codes == 11).reshape(len(codes), -1).astype(np.int8)


@pytest.mark.parametrize("first_click", ["opening", "safe", "any", "corners"])
def test_symmetric_first_clicks_are_worth_the_same(first_click):
    values = first_click_values(network(), config(5, 5, 5, first_click)).reshape(5, 5)
    for other in (values[::-1], values[:, ::-1], values.T):
        assert values == pytest.approx(other)
    oblong = first_click_values(network(), config(4, 6, 5, first_click)).reshape(4, 6)
    assert oblong == pytest.approx(oblong[::-1, ::-1])


def test_the_first_click_is_the_best_one_or_the_one_asked_for():
    game = config(5, 7, 6)
    learned = AfterstatePolicy(game, network())
    covered, legal = np.full((2, 5, 7), 11, np.int8), np.ones((2, 35), np.int8)
    assert learned.act(covered, legal).tolist() == [first_click_values(network(), game).argmax()] * 2
    assert AfterstatePolicy(game, network(), first="middle").act(covered, legal).tolist() == [17, 17]
    assert AfterstatePolicy(game, network(), first="exact").act(covered, legal).tolist() == [16, 16]
    assert AfterstatePolicy(game, network(), first=3).act(covered, legal).tolist() == [3, 3]


def test_without_breadth_the_safest_cell_is_clicked():
    made, codes = network(), boards(40)
    legal = (codes == 11).reshape(len(codes), -1)
    safety = rate(made, 4, codes, legal, counts=False).safety
    safest, fitted = safety.argmax(axis=1), fitted_safety(safety, codes, 4).argmax(axis=1)
    masks = legal.astype(np.int8)
    assert (AfterstatePolicy(config(), made, breadth=1).act(codes, masks) == fitted).all()
    assert (AfterstatePolicy(config(), made, breadth=1, clues=False).act(codes, masks) == safest).all()
    assert (fitted != safest).any()
    searched = AfterstatePolicy(config(), made, slack=1.0).act(codes, masks)
    assert (searched != safest).any()
    assert legal[np.arange(len(codes)), searched].all()


@pytest.mark.parametrize(("rows", "cols", "mines"), [(2, 9, 3), (8, 8, 14), (12, 7, 15)])
@pytest.mark.parametrize("first_click", ["opening", "safe"])
def test_it_plays_boards_of_any_size(rows, cols, mines, first_click):
    game = config(rows, cols, mines, first_click)
    records = play_games(AfterstatePolicy(game, network()), game, range(4))
    assert len(records) == 4


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"slack": -0.1}, "slack must be a number of 0 to 1, not -0.1"),
        ({"breadth": 0}, "breadth must be a whole number of at least 1, not 0"),
        ({"sure": "yes"}, "sure must be a number of 0 to 1"),
        ({"clues": "small"}, "clues must be true or false, not 'small'"),
        ({"onward": 2}, "onward must be true or false, not 2"),
        ({"first": "corner"}, "first must be learned, exact, middle or a cell of 0 to 19, not 'corner'"),
    ],
)
def test_wrong_options_are_refused(option, message):
    with pytest.raises(ValueError, match=message):
        AfterstatePolicy(config(), network(), **option)


def test_boards_of_another_radius_are_refused():
    with pytest.raises(ValueError, match="radius 1, not 2"):
        AfterstatePolicy(BoardConfig(6, 6, 4, radius=2, moves=("click",)), network())


def test_it_begins_with_the_safety_of_a_network_of_safety():
    torch.manual_seed(3)
    given = BoardNetwork.of_size(NetworkSize(4, 2))
    made, codes = network(), torch.as_tensor(boards())
    made.begin_with(given)
    with torch.no_grad():
        torch.testing.assert_close(made.safety_logits(made.features(codes, 4)), given(codes, 4))
    with pytest.raises(ValueError, match="the tower has 8 channels, not 4"):
        made.begin_with(BoardNetwork.of_size(NetworkSize(8, 2)))


def test_the_planes_are_fed_in_at_every_application():
    """Without recall a zero block would forget the planes; here the features still depend on them after many steps."""
    made, codes = network(depth=12), torch.as_tensor(boards(2))
    with torch.no_grad():
        made.tower.stem.weight.zero_()
        made.tower.stem.bias.zero_()
        features = made.features(codes, 4)
        made.tower.recall.weight.zero_()
        forgetful = made.features(codes, 4)
    assert not torch.allclose(features[0], features[1])
    assert torch.allclose(forgetful[0], forgetful[1])


def test_with_exact_safety_it_takes_no_needless_risk():
    game = config(5, 5, 5)
    policy = AfterstatePolicy(game, network(), breadth=1, safety="exact", first="exact")
    for board in recorded_boards(game, policy):
        click = policy.act(board[None], (board > 8).reshape(1, -1).astype(np.int8))[0]
        risks = mine_probabilities(board, 5).ravel()
        assert risks[click] == pytest.approx(risks[(board > 8).ravel()].min(), abs=1e-6)


def test_exact_safety_enters_the_values_of_clicks(monkeypatch):
    game = config(5, 5, 5)
    policy = AfterstatePolicy(game, network(), slack=1.0, breadth=25, sure=1.0, safety="exact", symmetries=False)
    guesses = [each for each in recorded_boards(game, policy) if mine_probabilities(each, 5)[each > 8].min() > 0]
    seen = []
    monkeypatch.setattr(
        policy_module, "best_clicks", lambda *given, **rest: seen.append(given[3]) or best_clicks(*given, **rest)
    )
    for board in guesses[:5]:
        policy.act(board[None], (board > 8).reshape(1, -1).astype(np.int8))
        safety = np.where(board > 8, 1 - mine_probabilities(board, 5), 0)
        assert np.abs(seen.pop().safety.reshape(5, 5) - safety).max() < 1e-6


def recorded_boards(game, policy):
    """Returns the different boards, the first one apart, that a policy meets in twenty games."""
    recorder = Recorder(policy)
    play_games(recorder, game, range(20))
    found = [board for board in np.unique(np.stack(recorder.seen), axis=0) if (board <= 8).any()]
    assert len(found) > 20
    return found


def test_the_safety_of_the_clues_alone_asks_no_network(monkeypatch):
    monkeypatch.setattr(policy_module, "rate", lambda *_: pytest.fail("the network was asked"))
    codes = np.array([[[1, 1, 1, 1], [11, 11, 11, 11]]], np.int8)
    policy = AfterstatePolicy(config(2, 4, 2), network(), breadth=1, safety="clues", first=0)
    # The 1 in each corner puts a mine among two cells; the 1 beside it sees these two, so its third cell is safe.
    assert policy.act(codes, (codes == 11).reshape(1, -1).astype(np.int8))[0] in (5, 6)


def test_a_bad_safety_is_refused():
    with pytest.raises(ValueError, match="safety must be one of learned, exact"):
        AfterstatePolicy(config(), network(), safety="oracle")
