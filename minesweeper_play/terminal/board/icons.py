"""Icons of cells: plain Unicode, or characters of Nerd Fonts."""

from __future__ import annotations

from typing import NamedTuple


class Icons(NamedTuple):
    """One character for each kind of cell that shows no number.

    Attributes:
        mine: a mine.
        hidden: a covered cell.
        flag: a flag.
        blank: an open cell without mines around it.
        question: a question mark.
        wrong: a flag on a cell without a mine, once the game is over.
    """

    mine: str
    hidden: str
    flag: str
    blank: str = "\u00b7"
    question: str = "?"
    wrong: str = "\u2717"


ICONS: dict[str, Icons] = {
    "plain": Icons(mine="*", hidden="\u25a0", flag="\u2691"),
    "nerd": Icons(mine="\U000f0dda", hidden="\uf0c8", flag="\uf024"),
}
"""The sets of icons by name; "nerd" needs a font of https://www.nerdfonts.com."""
