"""Progress of a suite on stderr."""

from __future__ import annotations

from baselines.evaluation.units.schedule import Schedule
from baselines.terminal.live_area import progress_line
from baselines.terminal.progress import Progress, format_seconds


def suite_progress(schedule: Schedule) -> Progress:
    """Returns a display of the games that a schedule has played."""

    def facts() -> str:
        seconds = schedule.seconds_left()
        left = "time left not known yet" if seconds is None else f"about {format_seconds(seconds)} left"
        return f"{schedule.done} of {schedule.games} games, {left}"

    return Progress(lambda width: progress_line("", schedule.fraction_done(), facts(), width), facts)
