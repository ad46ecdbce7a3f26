"""Estimates of the time that a training takes."""

import pytest

from baselines.learned.common.budget import Budget
from baselines.learned.training.pace import Pace, in_words


class Machine:
    """A training whose steps per second the test sets."""

    def __init__(self, **budget):
        self.now, self.steps, self.said = 100.0, 0, []
        self.pace = Pace(Budget(**budget), self.said.append, lambda: self.now)
        self.pace.follow(0)

    def run(self, seconds, speed):
        for _ in range(seconds):
            self.now += 1
            self.steps += speed
            self.pace.follow(self.steps)


def test_the_first_seconds_give_one_estimate():
    machine = Machine(steps=100_000)
    machine.run(4, 1000)
    assert machine.said == []
    machine.run(50, 1000)
    assert machine.said == ["about 2 minutes left (1000 steps a second)"]


def test_a_machine_that_becomes_slow_gets_another_estimate():
    machine = Machine(steps=100_000)
    machine.run(20, 1000)
    machine.run(100, 100)
    first, second = machine.said[:2]
    assert first == "about 2 minutes left (1000 steps a second)"
    assert "minutes left" in second
    assert len(machine.said) <= 4


def test_a_budget_of_minutes_needs_no_estimate():
    machine = Machine(seconds=600.0)
    machine.run(60, 1000)
    assert machine.said == []


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3, "10 seconds"),
        (44, "40 seconds"),
        (94, "90 seconds"),
        (96, "2 minutes"),
        (2700, "45 minutes"),
        (9000, "2.5 hours"),
    ],
)
def test_times_are_said_in_words(seconds, words):
    assert in_words(seconds) == words
