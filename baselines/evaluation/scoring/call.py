"""`baselines.evaluate`: score policies in one call from Python, compared with a reference on the same games."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from baselines.evaluation.evaluate import batch_size_of, evaluate_policy
from baselines.evaluation.games import check_built_for
from baselines.evaluation.judge import check_judgeable
from baselines.evaluation.results import PolicyResult
from baselines.evaluation.scoring.table import Results
from baselines.evaluation.seeds import check_seeds
from baselines.own import EntryPolicy, call_with_board, check_arguments
from baselines.policy import DEFAULT_MOVES, Policy
from baselines.registry import build_policy, config_for, pinned
from baselines.support.act_inputs import policy_name
from baselines.support.extras import import_extra
from baselines.terminal.progress import game_bar
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.notices import is_live


def evaluate(
    policy: Any,
    size: int | Sequence[int] = 8,
    mines: int | None = None,
    games: int = 1000,
    *,
    first_click: str = "opening",
    no_guess: Literal[False, "subset", "exact"] = False,
    seed: int = 0,
    workers: int = 1,
    diagnose: bool = False,
    against: Any = ("exact",),
    progress: bool | None = None,
) -> Results:
    """Plays policies on the same seeded games, and compares each with a reference.

    Args:
        policy: one policy, a list of policies, or a dict from names to policies. A policy is a specification as
            `evaluate.py --policy` takes it ("bayes:prior=count", a run folder, "path/file.py:NAME"); an object with
            the method `act` (see `baselines.policy.Policy`), such as an adapter of `baselines.adapters`; or a class or
            function that is called with size=(rows, cols), mines= and first_click= and returns such an object.
        size: side of a square board, or (rows, cols).
        mines: number of mines; None follows the size (8: 14, 9: 10, 16: 40, 16x30: 99).
        games: number of games per policy.
        first_click: "opening", "safe", "any" or "corners".
        no_guess: "subset" or "exact" for boards that logic of this level wins; False for boards as they come.
        seed: seed of game 0; game i uses seed + i. Test seeds are 0 to 2**30 - 1, development seeds 1.5e9 to 2**31 - 1.
        workers: number of processes; above 1, a policy must pickle, and a script calls this below
            `if __name__ == "__main__":`, because each process imports the script.
        diagnose: True judges every click by the exact mine probabilities.
        against: policies, in any form of `policy`, that play too; the first is the reference. With (), the first of
            `policy` is the reference.
        progress: True shows a progress bar on stderr, False shows none, None shows one on a terminal.

    Returns:
        The results. They print as a table; `rows()` gives a flat dict per policy.

    Raises:
        ValueError: an argument is not allowed, or a policy does not play these games; raised before any game.
        PolicyError: a policy broke the protocol.
        WorkerError: worker processes cannot be started, as in a script that calls this outside
            `if __name__ == "__main__":`.
        MissingExtraError: a package is not installed.
        KeyboardInterrupt: Ctrl-C ended the evaluation.
    """
    config = BoardConfig.of_size(size, mines, first_click=first_click, moves=("click",), no_guess=no_guess)
    seeds = check_seeds(whole_number("seed", seed, 0), whole_number("games", games, 1))
    workers = whole_number("workers", workers, 1)
    import_extra("scipy")
    chosen, references = named(policy), named(against)
    if not chosen:
        raise ValueError("at least one policy is needed")
    entrants = [prepare(name, each, config) for name, each in (chosen | references).items()]
    for entrant in entrants:
        if diagnose:
            check_judgeable(entrant.config)
        if workers > 1:
            check_sendable(entrant)
    results = [_play(entrant, seeds, workers, diagnose, progress) for entrant in entrants]
    return Results(config, seeds.start, len(seeds), tuple(results), next(iter(references or chosen)))


def _play(entrant: Entrant, seeds: range, workers: int, diagnose: bool, progress: bool | None) -> PolicyResult:
    shown = is_live(sys.stderr) if progress is None else progress
    with game_bar("playing", entrant.name, len(seeds)) if shown else nullcontext() as on_finished:
        evaluation = evaluate_policy(
            entrant.build,
            entrant.config,
            seeds,
            policy_seed=seeds.start,
            workers=workers,
            on_finished=on_finished,
            diagnose=diagnose,
            batch_size=entrant.batch_size,
        )
    if evaluation.interrupted:
        raise KeyboardInterrupt
    return PolicyResult.of(entrant.name, evaluation)


@dataclass(frozen=True)
class Entrant:
    """A policy that is ready to be scored.

    Attributes:
        name: name of the policy in tables.
        config: its games, with the moves that it plays.
        build: makes the policy; a given object is returned as it is.
        batch_size: number of games to play side by side.
    """

    name: str
    config: BoardConfig
    build: Callable[[], Policy]
    batch_size: int


def named(policies: Any) -> dict[str, Any]:
    """Returns one policy, a list of policies, or a dict of named ones as a dict.

    An unnamed policy is called by its specification, its attribute `name`, or its class or function; a number tells
    equal names apart.
    """
    if isinstance(policies, Mapping):
        return {str(name): policy for name, policy in policies.items()}
    found: dict[str, Any] = {}
    single = isinstance(policies, str) or not isinstance(policies, Sequence)
    for policy in [policies] if single else policies:
        name, count = _name_of(policy), 1
        while name in found:
            count += 1
            name = f"{_name_of(policy)} ({count})"
        found[name] = policy
    return found


def _name_of(policy: Any) -> str:
    if isinstance(policy, str):
        return pinned(policy)
    if isinstance(policy, partial):
        return _name_of(policy.func)
    if hasattr(policy, "act") and not isinstance(policy, type):
        return policy_name(policy)
    return str(getattr(policy, "__name__", type(policy).__name__))


def prepare(name: str, policy: Any, config: BoardConfig) -> Entrant:
    """Builds a policy once, and lets it choose once on an empty board.

    Args:
        name: name of the policy in tables.
        policy: a specification, an object with `act`, or a callable that takes size, mines and first_click.
        config: board of the games, with any moves.

    Raises:
        ValueError: it is none of these, or does not play this board.
        PolicyError: it breaks the protocol.
        MissingExtraError: it needs a package that is not installed.
    """
    if isinstance(policy, str):
        policy = pinned(policy)
        games = config_for(policy, config)
        build: Callable[[], Policy] = partial(build_policy, policy, games)
    else:
        _check_kind(policy)
        made = policy if _is_object(policy) else call_with_board(name, policy, config, {})
        moves = tuple(getattr(made, "moves", None) or DEFAULT_MOVES)
        games = replace(config, moves=moves)
        build = partial(_given if _is_object(policy) else _made, policy, name, games)
    return Entrant(name, games, build, _try(build(), games))


def _is_object(policy: Any) -> bool:
    return hasattr(policy, "act") and not isinstance(policy, type)


def _given(policy: Any, name: str, config: BoardConfig) -> Policy:
    return EntryPolicy(policy, name, config)


def _made(make: Callable[..., Any], name: str, config: BoardConfig) -> Policy:
    return EntryPolicy(call_with_board(name, make, config, {}), name, config)


def _try(policy: Policy, config: BoardConfig) -> int:
    """Lets a policy choose on an empty board, where that is code of the user; returns its batch size."""
    inner = policy.policy if isinstance(policy, EntryPolicy) else policy
    check_built_for(inner, config)
    if isinstance(policy, EntryPolicy):
        policy.reset(0)
        board = np.full((1, config.rows, config.cols), config.codes.hidden, np.int8)
        policy.act(board, _first_mask(config))
    return batch_size_of(policy)


def _first_mask(config: BoardConfig) -> np.ndarray[Any, np.dtype[np.int8]]:
    """Returns the mask of an empty board, (1, actions)."""
    from minesweeper_env.env import MinesweeperEnv

    size = (config.rows, config.cols)
    env = MinesweeperEnv(size, config.mines, first_click=config.first_click, moves=config.moves)
    return np.asarray(env.reset(seed=0)[1]["action_mask"])[None]


def _check_kind(policy: Any) -> None:
    """Raises a ValueError, with what to do, for a model, a network or a function of one observation."""
    kind = type(policy).__name__
    modules = {each.__module__.partition(".")[0] for each in type(policy).__mro__}
    if not _is_object(policy) and modules & {"stable_baselines3", "sb3_contrib"}:
        raise ValueError(f"{kind} has no method act: wrap it in baselines.adapters.SB3Policy(model, size=, mines=)")
    if not _is_object(policy) and "torch" in modules:
        raise ValueError(
            f"{kind} has no method act: wrap it in baselines.adapters.TorchPolicy(network, size=, mines=, observation=)"
        )
    if not _is_object(policy) and not callable(policy):
        raise ValueError(
            "a policy is a specification such as 'exact', an object with the method act, or a class or function that "
            f"takes size=, mines= and first_click=, not {kind}"
        )
    if not _is_object(policy):
        check_arguments(_name_of(policy), policy, {})


def check_sendable(entrant: Entrant) -> None:
    """Checks that worker processes can build a policy.

    Raises:
        ValueError: they cannot; the message says what to do.
    """
    remedy = "use workers=1, or a specification such as 'path/file.py:NAME'"
    try:
        content = pickle.dumps(entrant.build)
    except Exception as error:
        raise ValueError(f"{entrant.name} cannot be sent to worker processes ({error}): {remedy}") from error
    if b"__main__" in content and not hasattr(sys.modules["__main__"], "__file__"):
        raise ValueError(f"{entrant.name} is defined in this session, which worker processes cannot see: {remedy}")
