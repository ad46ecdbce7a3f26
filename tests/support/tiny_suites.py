"""Small suite for tests; as a script, the command `suite` with it, in units of minimal size."""

import sys

from baselines.cli import suite
from baselines.evaluation import units
from baselines.suites import definitions
from baselines.suites.suite import Entry, Suite
from minesweeper_env import BoardConfig

TINY = Suite(
    name="tiny",
    title="A suite for tests",
    boards=(BoardConfig(4, 5, 4, "safe", ("click",)), BoardConfig(6, 6, 5, "opening", ("click",))),
    entries=(Entry("random"), Entry("straightforward"), Entry("subset", cap=30, batch_size=4)),
    games=50,
    paired="next",
)


def register() -> None:
    definitions.SUITES["tiny"] = TINY
    units.UNIT_SECONDS = units.LEAST_SECONDS = 1e-9


if __name__ == "__main__":
    register()
    sys.exit(suite.main())
