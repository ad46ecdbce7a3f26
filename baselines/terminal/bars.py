"""Lines of progress that fit a width: the bar gives way, the numbers stay."""

from __future__ import annotations

from baselines.terminal.folding import shorten, text_width

MOST_NAME, MOST_BAR = 20, 40
"""Maximum widths of the name and of the bar in a line."""

LEAST_BAR = 6
"""Width below which a line has no bar."""


def progress_line(name: str, fraction: float, facts: str, width: int) -> str:
    """Returns a line such as "exact  [####----]  50%  500 of 1000 games, 12 s left".

    Args:
        name: name of the work, which is shortened in its middle; "" for none.
        fraction: fraction that is done, 0 to 1.
        facts: numbers, which are never shortened.
        width: maximum width of the line, in characters.
    """
    parts = [f"{100 * fraction:3.0f}%", facts]
    room = width - sum(text_width(part) + 2 for part in parts)
    name = shorten(name, max(min(MOST_NAME, room - 2), 0)) if name and room > LEAST_BAR else ""
    if name:
        parts.insert(0, name)
        room -= text_width(name) + 2
    if room >= LEAST_BAR:
        parts.insert(len(parts) - 2, bar(fraction, min(room, MOST_BAR)))
    return "  ".join(parts)


def bar(fraction: float, width: int) -> str:
    """Returns a bar of `width` characters."""
    inner = width - 2
    filled = min(inner, int(inner * fraction))
    return f"[{'#' * filled}{'-' * (inner - filled)}]"


def format_seconds(seconds: float) -> str:
    """Returns a time in seconds, minutes or hours, whichever reads best."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
