"""The encodings of an observation."""

import numpy as np
import pytest
from gymnasium.spaces import Box
from support.naive_game import ALL_MOVES

from minesweeper_env import MinesweeperEnv
from minesweeper_env.config import BoardConfig
from minesweeper_env.observations import Encoder


def played(observation, radius=1, steps=20):
    """Yields the observations of a few seeded games with all moves."""
    env = MinesweeperEnv((7, 8), 6, "safe", ALL_MOVES, observation=observation, radius=radius)
    rng = np.random.default_rng(1)
    for seed in range(6):
        observed, info = env.reset(seed=seed)
        yield env, observed
        for _ in range(steps):
            observed, _, terminated, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
            yield env, observed
            if terminated:
                break


@pytest.mark.parametrize("radius", [1, 2])
def test_planes_are_the_codes_one_hot_and_flat_is_the_planes(radius):
    most = (2 * radius + 1) ** 2 - 1
    codes_seen = set()
    for (_, codes), (_, planes), (_, flat) in zip(
        played("codes", radius), played("planes", radius), played("flat", radius), strict=True
    ):
        assert planes.shape == (most + 5, 7, 8)
        assert (planes.sum(axis=0) == 1).all()
        assert np.array_equal(planes.argmax(axis=0), codes)
        assert np.array_equal(flat, planes.ravel())
        codes_seen |= set(codes.ravel().tolist())
    assert {0, 1, 2, most + 1, most + 2, most + 3, most + 4} <= codes_seen


def test_the_spaces_are_those_of_the_contract():
    assert MinesweeperEnv().observation_space == Box(0, 12, (8, 8), np.int8)
    assert MinesweeperEnv((3, 5), 2, "any", radius=2).observation_space == Box(0, 28, (3, 5), np.int8)
    assert MinesweeperEnv(observation="planes").observation_space == Box(0.0, 1.0, (13, 8, 8), np.float32)
    assert MinesweeperEnv(observation="flat").observation_space == Box(0.0, 1.0, (832,), np.float32)


@pytest.mark.parametrize("radius", [1, 2])
@pytest.mark.parametrize("observation", ["codes", "planes", "flat"])
def test_decoding_gives_the_codes_back(observation, radius):
    config = BoardConfig(3, 5, 4, first_click="any", radius=radius)
    codes = np.random.default_rng(0).integers(0, config.codes.mine + 1, (40, 15)).astype(np.int8)
    encoder = Encoder(observation, config)
    encoded = encoder.encode(codes)
    assert encoded.shape == (40, *encoder.space.shape)
    assert np.array_equal(encoder.encode(codes[7].reshape(3, 5).tolist()), encoded[7:8])
    for decoded in map(encoder.decode, (encoded, encoded.tolist())):
        assert decoded.dtype == np.int8
        assert np.array_equal(decoded, codes.reshape(40, 3, 5))
    with pytest.raises(ValueError, match="reshape"):
        encoder.decode(encoded[..., 1:])


@pytest.mark.parametrize("observation", ["codes", "planes", "flat"])
def test_observations_are_fresh_arrays(observation):
    env = MinesweeperEnv(observation=observation)
    first, info = env.reset(seed=0)
    kept, mask = first.copy(), info["action_mask"].copy()
    first[...] = 0
    info["action_mask"][...] = 0
    env.reset(seed=0)
    observed, later = env.step(64)[0], env.action_masks()
    assert not np.shares_memory(first, observed)
    assert np.array_equal(env.reset(seed=0)[0], kept)
    assert later.sum() == mask.sum() - 1
