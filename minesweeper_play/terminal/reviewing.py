"""Screen of a review: turns with marks, the board before each turn, missed proofs, and the win-probability curve."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static

from minesweeper_play.catalogue import Catalogue, wrapped_lines
from minesweeper_play.coach.review import Mark, Review, Turn
from minesweeper_play.coach.sentences import curve_lines, detail_sentences, points, summary_sentences
from minesweeper_play.explanations import name_cell
from minesweeper_play.game.advice import marks_of_proof
from minesweeper_play.terminal.base import GameAppScreen, KeyFooter, Services
from minesweeper_play.terminal.board import BoardCanvas
from minesweeper_play.terminal.drawing import Picture

COLOURS = {Mark.INACCURATE: "$warning", Mark.AVOIDABLE: "$error", Mark.UNLUCKY: "$error"}
"""Colours of marks in the list of turns; the other marks have that of the text."""


class ReviewScreen(GameAppScreen):
    """Shows a review; the game goes on below it."""

    DEFAULT_CSS = """
    ReviewScreen #head { height: 1; background: $panel; text-align: center; }
    ReviewScreen #left { width: 38; }
    ReviewScreen #columns { height: 1; color: $text-muted; text-wrap: nowrap; }
    ReviewScreen #turns { height: 1fr; border: none; padding: 0; scrollbar-size-vertical: 1;
                          scrollbar-gutter: stable; text-wrap: nowrap; }
    ReviewScreen #turns > .option-list--option-highlighted { background: $panel; color: $foreground; }
    ReviewScreen #turns:focus > .option-list--option-highlighted { background: $panel; color: $foreground; }
    ReviewScreen #right { width: 1fr; height: 1fr; }
    ReviewScreen #curve { display: none; height: 1fr; padding: 0 1; }
    ReviewScreen.-curve #curve { display: block; }
    ReviewScreen.-curve #board { display: none; }
    ReviewScreen #details { height: 6; padding: 0 1; border-top: solid $accent; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "curve", "key_curve"),
        Binding("escape,q,v", "dismiss", "key_back"),
    ]

    def __init__(self, services: Services, review: Review) -> None:
        super().__init__(services)
        self._review = review

    def compose(self) -> ComposeResult:
        pencil = self.services.settings.pencil
        yield Static(id="head", markup=False)
        with Horizontal():
            with Vertical(id="left"):
                yield Static(id="columns", markup=False)
                yield OptionList(id="turns", compact=True)
            with Vertical(id="right"):
                yield BoardCanvas(picture_of(self._review.turns[0]), pencil, id="board")
                with VerticalScroll(id="curve", can_focus=False):
                    yield Static(id="plot", markup=False)
        with VerticalScroll(id="details", can_focus=False):
            yield Static(id="text", markup=False)
        yield KeyFooter(compact=True)

    def on_mount(self) -> None:
        """Begins at the turn that lost the most, or at the last one."""
        self.translate()
        options, turns = self.query_one(OptionList), self._review.turns
        worst = min(turns, key=lambda turn: turn.skill)
        options.highlighted = (worst if worst.skill < 0 else turns[-1]).number - 1
        options.focus()

    def translate(self) -> None:
        catalogue, session = self.catalogue, self._review.session
        config = session.config
        result = catalogue.text(f"result_{session.status}", count=len(self._review.turns))
        board_name = f"{config.rows}\u00d7{config.cols}, {config.mines}"
        self.query_one("#head", Static).update(f"{board_name}   {result}")
        _, cell, mark, *_, skill, _ = catalogue.text("review_table_head").split("|")
        self.query_one("#columns", Static).update(f"    {cell:<8} {mark:<15} {skill:>7}")
        options = self.query_one(OptionList)
        highlighted = options.highlighted
        options.set_options([line_of(turn, catalogue) for turn in self._review.turns])
        options.highlighted = highlighted
        self.refresh_bindings()
        self._plot()

    def on_resize(self) -> None:
        self.call_after_refresh(self._plot)
        self.call_after_refresh(self._describe)

    def _plot(self) -> None:
        """Draws the curve, and writes the figures of the whole game below it."""
        width = max(30, self.query_one("#right").size.width - 4)
        values = [estimate.probability for estimate in self._review.curve]
        lines = [self.catalogue.text("curve_head"), *curve_lines(values, width), ""]
        text = "\n".join([*lines, *summary_sentences(self._review, self.catalogue)])
        self.query_one("#plot", Static).update(Content(text))

    @on(OptionList.OptionHighlighted)
    def _show_turn(self, event: OptionList.OptionHighlighted) -> None:
        turn, board = self._review.turns[event.option_index], self.query_one(BoardCanvas)
        board.show(picture_of(turn))
        board.look_at(turn.move.cell)
        self._describe()

    def _describe(self) -> None:
        """Writes the sentences about the highlighted turn."""
        if (index := self.query_one(OptionList).highlighted) is not None:
            text = " ".join(detail_sentences(self._review.turns[index], self.catalogue))
            width = max(20, self.query_one("#details").scrollable_content_region.width)
            self.query_one("#text", Static).update(Content("\n".join(wrapped_lines(text, width))))

    def action_curve(self) -> None:
        self.toggle_class("-curve")
        self._plot()


def line_of(turn: Turn, catalogue: Catalogue) -> Content:
    """Returns the line of a turn in the list: number, cell, mark, and the skill in points."""
    cell, mark = name_cell(turn.move.cell, catalogue), catalogue.text(f"mark_{turn.mark}")
    coloured = f"[{COLOURS[turn.mark]}]$mark[/]" if turn.mark in COLOURS else "$mark"
    template = f"{turn.number:>3} $cell {coloured} {points(turn.skill, catalogue):>7}"
    return Content.from_markup(template, cell=f"{cell:<8}", mark=f"{mark:<15}")


def picture_of(turn: Turn) -> Picture:
    """Returns the board before a turn, with its click, the better click if any, and the clues that prove this one."""
    marks = marks_of_proof(turn.steps)
    if turn.better is not None:
        marks.setdefault(turn.better.cell, "safe")
    marks[turn.move.cell] = "choice"
    return Picture(turn.board, marks=marks)
