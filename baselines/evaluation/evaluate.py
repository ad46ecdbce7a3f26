"""Score policies on the same seeded games: the function `evaluate`, and the steps that it and the commands share."""

import pickle
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

from baselines.checks import import_extra
from baselines.evaluation.games import check_built_for
from baselines.evaluation.results import PolicyResult, Results
from baselines.evaluation.seeds import check_seeds
from baselines.evaluation.units import UNIT_SECONDS, Assignment, Part, Schedule, check_transcripts, play_units
from baselines.policy import Policy, ReadyPolicy, policy_name
from baselines.progress import game_bar
from baselines.registry import find_policy
from baselines.user_policy import UserPolicy, check_arguments, has_act
from baselines.workers import Workers, local_workers
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig, NoGuess, whole_number
from minesweeper_env.console import is_live
from minesweeper_env.vector_env import MinesweeperVectorEnv

BATCH_SIZE = 20
"""Number of games that a policy without `batch_size` plays side by side, between two resets."""


def evaluate(
    policy: Any,
    size: int | Sequence[int] = 8,
    mines: int | None = None,
    games: int = 1000,
    *,
    first_click: str = "opening",
    no_guess: NoGuess = False,
    luck: bool = True,
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
        no_guess: "subset" or "exact" for boards that logic of this level wins; False for ordinary boards.
        luck: False for games in which forced guesses survive and avoidable ones lose.
        seed: seed of game 0; game i uses seed + i. Test seeds are 0 to `2**30 - 1`, development seeds 1.5e9 to
            `2**31 - 1`.
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
    rules = {"first_click": first_click, "no_guess": no_guess, "luck": luck}
    config = BoardConfig.of_size(size, mines, moves=("click",), **rules)
    seeds = check_seeds(whole_number("seed", seed, 0), whole_number("games", games, 1))
    workers = whole_number("workers", workers, 1)
    import_extra("scipy")
    policy_makers = _makers_by_name(policy)
    reference_makers = _makers_by_name(against, policy_makers)
    if not policy_makers:
        raise ValueError("at least one policy is needed")
    all_makers = policy_makers | reference_makers
    assignments = [prepare(make, config, seeds, name=name, diagnose=diagnose) for name, make in all_makers.items()]
    check_transcripts(assignments)
    if workers > 1:
        for assignment in assignments:
            _check_sendable(assignment)
    show_bar = is_live(sys.stderr) if progress is None else progress
    results = []
    with local_workers(workers) as open_workers:
        for assignment in assignments:
            results.append(play(assignment, open_workers, show_bar))
            if results[-1].interrupted:
                raise KeyboardInterrupt
    for assignment in assignments:
        assignment.end_transcripts()
    reference_name = next(iter(reference_makers or policy_makers))
    command = (
        f"baselines.evaluate({[each.name for each in assignments]}, size={(config.rows, config.cols)}, "
        f"mines={config.mines}, games={games}, first_click={first_click!r}, seed={seed}, against={reference_name!r}"
        f"{f', no_guess={no_guess!r}' if no_guess else ''}{'' if luck else ', luck=False'}"
        f"{', diagnose=True' if diagnose else ''})"
    )
    return Results(config, seeds.start, len(seeds), results, reference_name, command)


Maker = Callable[[BoardConfig], ReadyPolicy]
"""Builds a policy for a board: a `Specification`, or a partial of `UserPolicy` with an object, class or function."""


def prepare(
    make: Maker,
    config: BoardConfig,
    seeds: range = range(0),
    *,
    name: str = "",
    diagnose: bool = False,
    record: bool = False,
    trial: bool = True,
) -> Assignment:
    """Builds a policy and returns its assignment, which keeps the policy for this process; see `Assignment`.

    The policy's moves replace those of `config`. An empty `name` stands for the policy's own. A policy with a true
    `judged` needs no `diagnose` where the oracle can judge. `trial` calls a user's policy once, on an empty board.
    Raises a ValueError if the policy does not play these games, and a PolicyError if it breaks the protocol.
    """
    policy = make(config)
    played_config = policy.config
    if record and played_config.actions > 1 << 16:  # A record holds each action as a uint16.
        raise ValueError(f"games with {played_config.actions} actions cannot be recorded; the most are {1 << 16}")
    is_judged = diagnose or (getattr(policy, "judged", False) and played_config.first_click in UNIFORM_FIRST_CLICKS)
    if is_judged:
        from baselines.evaluation.judge import check_judgeable

        check_judgeable(played_config)
    if trial and isinstance(policy, UserPolicy):
        check_built_for(policy.policy, played_config)
        policy.reset(0)
        ordinary = replace(played_config, no_guess=False, luck=True)
        boards, infos = MinesweeperVectorEnv(1, **ordinary.arguments()).reset(seed=0)
        policy.act(boards, infos["action_mask"])
        _ = policy.counters  # A property that raises a PolicyError for counters with names of figures.
        if is_judged:
            from baselines.evaluation.beliefs import beliefs_of

            beliefs_of(policy, boards)
    return Assignment(
        name or policy.name,
        partial(make, config),
        played_config,
        seeds,
        policy_seed=seeds.start,
        batch_size=getattr(policy, "batch_size", BATCH_SIZE),
        diagnose=is_judged,
        record=record,
        precision=getattr(make, "precision", None),
        transcripts=getattr(policy, "transcripts", None),
        digest=getattr(make, "digest", lambda: None)(),
        built_policy=policy,
    )


def _makers_by_name(policies: Any, others: Mapping[str, Maker] | None = None) -> dict[str, Maker]:
    """Returns the makers by name; `policies` is one policy, a list of policies, or a dict from names to policies.

    An unnamed policy is called by its specification, its attribute `name`, or its class or function. A number is added
    to a name that an earlier policy has, or that stands for another policy in `others`.
    """
    is_single = isinstance(policies, str) or not isinstance(policies, (Sequence, Mapping))
    unnamed = [policies] if is_single else policies
    pairs = policies.items() if isinstance(policies, Mapping) else ((None, policy) for policy in unnamed)
    makers: dict[str, Maker] = {}
    for given_name, policy in pairs:
        count, specification = 1, find_policy(policy) if isinstance(policy, str) else None
        if specification is None and not has_act(policy):
            _check_callable(policy)
        own_name = specification.name if specification else _name_of(policy)
        name = base_name = own_name if given_name is None else str(given_name)
        while name in makers or (others and name in others and not _is_maker_of(others[name], specification or policy)):
            count += 1
            name = f"{base_name} ({count})"
        makers[name] = specification or partial(UserPolicy, name, policy)
    return makers


def _is_maker_of(maker: Maker, policy: Any) -> bool:
    """Returns whether a maker is the specification `policy`, or the partial (name, object) of the user's `policy`."""
    return maker.args[1] is policy if isinstance(maker, partial) else maker == policy


def _name_of(policy: Any) -> str:
    if isinstance(policy, partial):
        return _name_of(policy.func)
    return policy_name(policy) if has_act(policy) else str(getattr(policy, "__name__", type(policy).__name__))


def _check_callable(policy: Any) -> None:
    """Raises a ValueError that names the remedy for a model, a network, or an object that takes no board."""
    kind = type(policy).__name__
    modules = {each.__module__.partition(".")[0] for each in type(policy).__mro__}
    if modules & {"stable_baselines3", "sb3_contrib"}:
        raise ValueError(f"{kind} has no method act: wrap it in baselines.adapters.SB3Policy(model, size=, mines=)")
    if "torch" in modules:
        raise ValueError(
            f"{kind} has no method act: wrap it in baselines.adapters.TorchPolicy(network, size=, mines=, observation=)"
        )
    if not callable(policy):
        raise ValueError(
            "a policy is a specification such as 'exact', an object with the method act, or a class or function that "
            f"takes size=, mines= and first_click=, not {kind}"
        )
    check_arguments(_name_of(policy), policy, {})


def _check_sendable(assignment: Assignment) -> None:
    """Raises a ValueError that names the remedy unless worker processes can unpickle the builder of the policy."""
    remedy = "use workers=1, or a specification such as 'path/file.py:NAME'"
    try:
        pickled = pickle.dumps(assignment.build)
    except Exception as error:
        raise ValueError(f"{assignment.name} cannot be sent to worker processes ({error}): {remedy}") from error
    if b"__main__" in pickled and not hasattr(sys.modules["__main__"], "__file__"):
        raise ValueError(f"{assignment.name} is defined in this session, which worker processes cannot see: {remedy}")


def evaluate_policy(
    build: Callable[[], Policy],
    config: BoardConfig,
    seeds: Sequence[int],
    *,
    policy_seed: int = 0,
    workers: int | Workers = 1,
    on_finished: Callable[[int], object] = lambda _: None,
    diagnose: bool = False,
    batch_size: int = BATCH_SIZE,
    record: bool = False,
    policy: str = "the policy",
) -> PolicyResult:
    """Plays one game per seed, in batches. The records do not depend on the number of workers.

    Args:
        build: makes the policy, once per worker; with several workers it must pickle.
        config: board and rules of the games.
        seeds: seed of each game, at least 0.
        policy_seed: at least 0; the seeds of the policy's random choices are derived from it.
        workers: number of processes, where 1 is this process alone; or open `Workers`, which stay open.
        on_finished: called with the number of newly finished games, counted without gaps in the order of the seeds.
        diagnose: True to judge every click; see `baselines.evaluation.judge`.
        batch_size: number of games per batch.
        record: True to keep the actions of every game.
        policy: name of the policy.

    Returns:
        The result of the games. After KeyboardInterrupt, it covers the games before the first gap.

    Raises:
        PolicyError: the policy broke the protocol.
        ValueError: `diagnose` is True and these games cannot be judged exactly.
        WorkerError: workers cannot be started, or a unit of games killed them again and again.
    """
    assignment = Assignment(policy, build, config, seeds, policy_seed, batch_size, diagnose, record=record)
    with local_workers(workers) if isinstance(workers, int) else nullcontext(workers) as open_workers:
        return play(assignment, open_workers, False, on_finished)


def play(
    assignment: Assignment, workers: Workers, shown: bool = True, on_finished: Callable[[int], object] = lambda _: None
) -> PolicyResult:
    """Plays an assignment and returns its result; `shown` shows a progress bar and calls no `on_finished`."""
    assignment.begin()
    start, parts, played_early, interrupted = time.perf_counter(), list[Part](), dict[int, Part](), False
    # Plain `Workers` play in this process, where a unit has no overhead: 0 seconds give units of one batch.
    schedule = Schedule([assignment], unit_seconds=0.0 if type(workers) is Workers else UNIT_SECONDS)
    bar = game_bar("playing", assignment.name, schedule.games) if shown else nullcontext(on_finished)
    try:
        with bar as on_part, closing(play_units(schedule, workers)) as units:
            for unit, part in units:
                schedule.finish(unit, part.seconds)
                played_early[part.first] = part  # Parts come in any order; `parts` has no gaps.
                while following := played_early.pop(parts[-1].games.stop if parts else 0, None):
                    parts.append(following)
                    on_part(len(following.records))
    except KeyboardInterrupt:
        interrupted = True
    result = PolicyResult.of(assignment, parts, time.perf_counter() - start, interrupted)
    if assignment.diagnose and not interrupted:
        from baselines.evaluation.beliefs import measure_beliefs, positions_for

        positions = positions_for(result.games)
        result.beliefs = measure_beliefs(assignment.player(), assignment.config, positions, shown)
    return result
