"""Replays of games: recorded actions on the engine, and whole batches with the policy itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from baselines.benchmark.blocks import Games, digest_of
from baselines.evaluation.games import Player
from baselines.registry import build_policy
from minesweeper_env.config import BoardConfig
from minesweeper_env.vector_env import MinesweeperVectorEnv


def replay_actions(config: BoardConfig, seeds: Sequence[int], recorded: Sequence[bytes]) -> list[bool | str]:
    """Plays recorded actions on the engine.

    Args:
        config: board and rules.
        seeds: seed of each game.
        recorded: actions of each game, as little-endian uint16 numbers.

    Returns:
        For each game True if it was won and False if it was lost or reached the step limit; or what is wrong with its
        actions, in one sentence without its subject.
    """
    actions = [np.frombuffer(each, "<u2").astype(np.int64) for each in recorded]
    env = MinesweeperVectorEnv.of_config(config, len(seeds))
    _, infos = env.reset(seed=list(seeds))
    found: list[bool | str | None] = [None] * len(seeds)
    for step in range(max(map(len, actions), default=0)):
        chosen = np.zeros(len(seeds), np.int64)
        for game in _unfinished(found):
            found[game] = _fault(actions[game], step, infos["action_mask"][game])
            chosen[game] = 0 if found[game] else actions[game][step]
        playing = _unfinished(found)
        _, _, terminations, truncations, infos = env.step(chosen)
        for game in playing:
            if terminations[game] or truncations[game]:
                left = len(actions[game]) - step - 1
                won = bool(infos["is_success"][game])
                found[game] = f"ends {left} actions before the last one recorded" if left else won
    return ["does not end with the last action" if each is None else each for each in found]


def _unfinished(found: Sequence[bool | str | None]) -> list[int]:
    return [game for game, each in enumerate(found) if each is None]


def _fault(actions: NDArray[np.int64], step: int, mask: NDArray[np.int8]) -> str | None:
    if step >= len(actions):
        return "does not end with the last action"
    legal = actions[step] < len(mask) and mask[actions[step]]
    return None if legal else f"has an illegal action, number {step + 1} of {len(actions)}"


def replay_policy(policy: str, games: Games, least: int) -> tuple[int, str | None]:
    """Plays whole batches again with the policy itself, and compares every action by its digest.

    Args:
        policy: specification of the policy.
        games: the recorded games; their digests choose the batches.
        least: number of games to play at least; all games if there are fewer.

    Returns:
        The number of games played, and a sentence about the first one that differs; None if none does.

    Raises:
        ValueError: the policy is not available.
        PolicyError: the policy broke the protocol of policies.
    """
    player = Player(partial(build_policy, policy, games.config), games.config, games.seed, record=True)
    order = dict.fromkeys(game // games.batch_size for game in games.shuffled_games())
    played = 0
    for index in order:
        if played >= least:
            break
        begin = index * games.batch_size
        end = min(begin + games.batch_size, games.games)
        batch = player.play(index, range(games.seed + begin, games.seed + end))
        played += end - begin
        for game, record in enumerate(batch.records, begin):
            found = (record.won, record.clicks, digest_of(record.actions))
            if found != (games.won[game], games.clicks[game], games.digests[game]):
                return played, f"{games.name}, game {game} (seed {record.seed}): the policy plays it differently"
    return played, None
