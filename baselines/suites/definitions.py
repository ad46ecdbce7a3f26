"""Definitions of the suites: their boards, policies, tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from baselines.evaluation.protocol import PROTOCOL
from baselines.suites.suite import Entry, Suite, entries_of
from minesweeper_env.config import BoardConfig


def find_suite(name: str) -> Suite:
    """Returns the suite of this name.

    Raises:
        ValueError: there is no such suite; the message lists the suites.
    """
    if name not in SUITES:
        raise ValueError(f"unknown suite {name!r}; there are {', '.join(SUITES)}")
    return SUITES[name]


def added_policies(suite: Suite) -> list[str]:
    """Returns the policies of a suite that the suite of its name does not have by itself."""
    own = {entry.policy for entry in SUITES[suite.name].entries} if suite.name in SUITES else set()
    return [entry.policy for entry in suite.entries if entry.policy not in own]


def _boards(
    first_click: str,
    *boards: tuple[int | tuple[int, int], Sequence[int]],
    no_guess: Literal[False, "subset", "exact"] = False,
) -> tuple[BoardConfig, ...]:
    return tuple(
        BoardConfig.of_size(size, mines, first_click=first_click, moves=("click",), no_guess=no_guess)
        for size, numbers in boards
        for mines in numbers
    )


_ONE_FIT = (
    "marginal: one fit, which is one order of clicks for all games, so that it differs from random by some points on "
    "easy boards; over 60 fits no difference is left (docs/policies/marginal.md)."
)

_BAYES = Suite(
    name="bayes",
    title="The Bayesian network and its rivals, on the boards of Antolín & de la Torre (2018)",
    boards=_boards("opening", (5, (5, 6, 7)), (8, (13, 14, 15, 25)), (10, (20, 22, 23, 24, 25))),
    entries=(
        Entry("bayes_source", start="baselines.scripted.bayes.source:source_start"),
        *entries_of("subset", "bayes", "bayes:prior=count"),
        Entry("bayes:inference=pgmpy", cap=10, batch_size=1),
        Entry("exact"),
    ),
    paired="next",
    columns=("games", "wins", "win_rate", "interval", "marked", "clicks", "queries", "ms", "p"),
    notes=(
        "win rate: games with every safe cell open; flags on the mines: games whose flags were at some moment, or "
        "would be with its next flags, exactly the mines, which Antolín & de la Torre count as won.",
    ),
)

_AGENTS = Suite(
    name="agents",
    title="The agents of Antimatroid (2012): win rate over the number of mines, first click unprotected",
    boards=_boards("any", (9, range(1, 11))),
    entries=entries_of("random", "marginal", "graphical_source", "conditional", "graphical", "semi_deterministic"),
    paired="next",
    notes=(_ONE_FIT,),
)

_EXPECTED_VALUE = Suite(
    name="expected-value",
    title="Does the guess by expected value help? First click unprotected, as in Sun, Chen & Yang",
    boards=_boards("any", (16, (40,))),
    entries=entries_of(
        "subset:deduction=source",
        "expected_value_source:deduction=source",
        "subset",
        "expected_value_source",
        "expected_value",
    ),
    games=10_000,
    paired="all",
    columns=(
        "games",
        "wins",
        "win_rate",
        "interval",
        "first_click_losses",
        "survived",
        "score",
        "score_lost",
        "guesses",
        "ms",
        "p",
    ),
    scored=True,
    notes=(
        "first-click losses: games that the first click lost; survived: win rate of the other games.",
        "deduction=source: the deduction of Sun, Chen & Yang's program, which misses some of what follows.",
        "score: cells opened, doubled on a win, over all games; score if lost: over the lost games, those that the "
        "first click lost apart.",
    ),
)

_LADDER = Suite(
    name="ladder",
    title="Every policy on the classic boards",
    boards=_boards("opening", (5, (5,)), (8, (14,)), (9, (10,)), (16, (40,)), ((16, 30), (99,))),
    entries=(
        *entries_of(
            "random",
            "marginal",
            "graphical_source",
            "conditional",
            "graphical",
            "semi_deterministic",
            "straightforward",
            "subset",
            "expected_value_source",
            "expected_value",
            "bayes_source",
            "bayes",
            "exact",
            "lookahead",
        ),
        Entry("rollout", cap=100),
        Entry("optimal"),
    ),
    paired="next",
    notes=(_ONE_FIT,),
)

_SAME_FIRST = "first=exact begins with the cell of exact, and so meets the same boards as exact."

_LEARNED = Suite(
    name="learned",
    title="The trained agents and exact play, on boards that they were trained on and on others",
    boards=_boards(
        "opening", (5, (5,)), (8, (14,)), (9, (10,)), (10, (20,)), ((12, 20), (45,)), (16, (40,)), ((16, 30), (99,))
    ),
    entries=(
        *entries_of("ppo", "dqn", "afterstate", cap=1000),
        Entry("any-size", cap=2000),
        *entries_of("afterstate-any-size", "afterstate-any-size:first=exact", cap=1000),
        *entries_of("exact", "lookahead"),
    ),
    paired="exact",
    notes=(
        "ppo, dqn, and afterstate were trained on 8x8/14 alone; afterstate-any-size alone was trained on "
        "10x10/20, and no agent on 12x20/45.",
        _SAME_FIRST,
    ),
)

_LEARNED_SAFE = Suite(
    name="learned-safe",
    title="The trained agents that play every board, on games whose first click only is safe",
    boards=_boards("safe", (8, (14,)), (9, (10,)), (16, (40,)), ((16, 30), (99,))),
    entries=(
        Entry("afterstate", cap=1000),
        *entries_of("any-size", "any-size:first=exact", "afterstate-any-size", cap=2000),
        *entries_of("exact", "lookahead"),
    ),
    paired="exact",
    notes=(
        "any-size was trained on games whose first click opens an area, afterstate and afterstate-any-size "
        "on both kinds of games.",
        _SAME_FIRST,
    ),
)

_AFTERSTATE_PARTS = entries_of(
    "dqn:first=exact",
    "afterstate:first=exact,breadth=1",
    "afterstate:first=exact,symmetries=false",
    "afterstate:first=exact,clues=false",
    "afterstate:first=exact,onward=false",
    "afterstate:first=exact",
    "afterstate",
    "exact",
    "afterstate:first=exact,safety=exact",
)
_AFTERSTATE_NOTES = (
    "breadth=1 clicks the safest cell and ignores counts and worth; symmetries=false averages no views.",
    "clues=false takes the safety as the network gives it; onward=false leaves out the safety of the next click; "
    "safety=exact takes risks from the oracle.",
    "first=exact begins with the cell of exact; afterstate alone chooses its own, which makes other boards.",
)

_AFTERSTATE = Suite(
    name="afterstate",
    title="afterstate on 8x8/14 with one of its parts switched off, and with the oracle's risks",
    boards=_boards("opening", (8, (14,))),
    entries=_AFTERSTATE_PARTS,
    games=5000,
    paired="afterstate:first=exact",
    notes=_AFTERSTATE_NOTES,
)

_AFTERSTATE_SAFE = replace(
    _AFTERSTATE,
    name="afterstate-safe",
    title="afterstate on 8x8/14 with one of its parts switched off, on games whose first click only is safe",
    boards=_boards("safe", (8, (14,))),
)

_TRAINED = (
    "plain-ppo",
    "plain-dqn",
    "any-size",
    "dqn",
    "ppo",
    "afterstate-any-size",
    "afterstate",
)

_LOGIC = Suite(
    name="logic",
    title="Boards that logic wins without a guess: what each policy overlooks",
    boards=(
        *_boards("opening", (8, (14,)), no_guess="subset"),
        *_boards("opening", (8, (14,)), (16, (40,)), ((16, 30), (99,)), no_guess="exact"),
    ),
    entries=(*_LADDER.entries, *entries_of(*_TRAINED)),
    paired="exact",
    columns=("games", "wins", "win_rate", "interval", "clicks", "p"),
    notes=(
        "Perfect play wins every game; docs/how-to/no-guess.md explains the boards. A loss is a guess where a safe "
        "cell was certain, or a wrong deduction.",
        "No agent was trained on such boards.",
        _ONE_FIT,
    ),
)

_PUBLIC = Suite(
    name="public",
    title="exact and lookahead on boards of public solvers that begin with the same cell",
    boards=_boards("opening", (5, (5, 6, 7)), (9, (10,)), (16, (40,)), ((16, 30), (99,))),
    entries=entries_of("exact", "lookahead"),
    paired="exact",
)

_PUBLIC_SAFE = Suite(
    name="public-safe",
    title="exact and lookahead on boards of public solvers, on games whose first click only is safe",
    boards=_boards("safe", (9, (10,)), (16, (40,)), ((16, 30), (99,))),
    entries=entries_of("exact", "lookahead"),
    paired="exact",
)

_PUBLIC_8X8 = Suite(
    name="public-8x8",
    title="exact and lookahead on 8x8, also from the first cell of public solvers: row 2, column 2",
    boards=_boards("opening", (8, (13, 14, 15))),
    entries=entries_of("exact:first=18", "lookahead:first=18", "exact", "lookahead"),
    paired="all",
)

_PUBLIC_10X10 = Suite(
    name="public-10x10",
    title="exact and lookahead on 10x10, also from the first cell of public solvers: row 2, column 2",
    boards=_boards("opening", (10, (20, 22, 25))),
    entries=entries_of("exact:first=22", "lookahead:first=22", "exact", "lookahead"),
    paired="all",
)

_BENCHMARK = Suite(
    name="benchmark",
    title=f"Benchmark {PROTOCOL.version}",
    boards=PROTOCOL.boards,
    entries=(*_LADDER.entries, *entries_of(*_TRAINED)),
    games=PROTOCOL.least_games,
    paired=PROTOCOL.reference,
    notes=("docs/benchmark.md states the protocol; `python -m baselines benchmark` makes and checks result files.",),
    protocol=PROTOCOL,
)

SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        _BAYES,
        _AGENTS,
        _EXPECTED_VALUE,
        _LADDER,
        _PUBLIC,
        _PUBLIC_SAFE,
        _PUBLIC_8X8,
        _PUBLIC_10X10,
        _LEARNED,
        _LEARNED_SAFE,
        _AFTERSTATE,
        _AFTERSTATE_SAFE,
        _LOGIC,
        _BENCHMARK,
    )
}
"""The suites by name."""
