"""Small suite for tests."""

from baselines.benchmark.suites import Entry, Group, Suite
from minesweeper_env import BoardConfig

BOARDS = (BoardConfig(4, 5, 4, "safe", ("click",)), BoardConfig(6, 6, 5, "opening", ("click",)))

TINY = Suite(
    "tiny",
    "A suite for tests",
    (
        Group(
            "tiny", BOARDS, (Entry("random"), Entry("straightforward"), Entry("subset", cap=30, batch_size=4)), "next"
        ),
    ),
)
