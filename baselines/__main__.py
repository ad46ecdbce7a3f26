"""`python -m baselines`: the commands by name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from baselines.cli.arguments import BAD_ARGUMENTS

COMMANDS = {
    "evaluate": "scores policies on seeded games",
    "train": "trains an agent",
    "uniformity": "tests whether the mines lie as the first-click rules claim",
    "safety": "compares the chances that an agent gives to cells with the exact ones",
    "seeds": "trains algorithms with several seeds, and compares what they reach",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns its exit status, or 2 where there is no such command."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["statistics"]:
        given[0] = "uniformity"
    if given and given[0] in COMMANDS:
        return int(import_module(f"baselines.cli.{given[0]}").main(given[1:]))
    if given in (["-h"], ["--help"]):
        print("usage: python -m baselines COMMAND ...")
        for name, what in COMMANDS.items():
            print(f"  {name:<11} {what}")
        return 0
    found = f"not {given[0]!r}" if given else "and none was given"
    print(f"python -m baselines: the command is one of {', '.join(COMMANDS)}, {found}", file=sys.stderr)
    return BAD_ARGUMENTS


if __name__ == "__main__":
    sys.exit(main())
