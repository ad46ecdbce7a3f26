"""Lines of the board: alignment, texts of cells, numbers of rows and columns, and colours that can be read."""

from dataclasses import replace

import numpy as np
import pytest
from rich.cells import cell_len
from rich.color import Color

from minesweeper_env.rendering import LEVEL_MINE, LEVEL_SAFE, levels_of
from minesweeper_play.terminal.drawing import CELL_SIZES, PALETTES, Pencil, Picture, largest_size

SMALL, MEDIUM, NARROW, TALL, LARGE, SQUARE, HUGE = CELL_SIZES


def pencil(size=MEDIUM, palette=("dark", False)):
    return Pencil(PALETTES[palette], size)


def text(segments):
    return "".join(segment.text for segment in segments)


def covered(rows, cols):
    return Picture(np.full((rows, cols), 11, np.int8))


@pytest.mark.parametrize("size", CELL_SIZES)
def test_every_risk_takes_the_width_of_a_cell(size):
    for risk in (0.0, 0.001, 0.005, 0.07, 0.5, 0.9949, 0.999, 1.0):
        picture = replace(covered(1, 1), levels=levels_of(np.full((1, 1), risk)))
        assert cell_len(text(pencil(size).row(picture, size.height // 2))) == size.width


def test_cells_show_the_characters_of_the_sources():
    all_codes = Picture(np.arange(13, dtype=np.int8)[None])
    assert "".join(text(pencil(SMALL).row(all_codes, 0)).split()) == "\u00b712345678\u2691?\u25a0*"


def test_risks_are_in_per_cent_and_certain_cells_differ_from_rounded_ones():
    risks = np.array([[0.0, 0.001, 0.074, 0.5, 0.999, 1.0]])
    picture = replace(covered(1, 6), levels=levels_of(risks))
    row = text(pencil(MEDIUM).row(picture, 0))
    assert [row[place : place + 3].strip() for place in range(0, 18, 3)] == ["0", "<1", "7", "50", ">99", "*"]
    assert text(pencil(MEDIUM).row(replace(picture, numbers=False), 0)).strip() == ""
    # In narrow cells two digits would run together, and a single one would look like a clue.
    assert text(pencil(SMALL).row(picture, 0)) == " 0.0.1.5.9 *"


def test_equal_risks_have_one_colour_where_there_are_few():
    picture = replace(covered(1, 2), levels=levels_of(np.full((1, 2), 0.3)))
    assert len({segment.style for segment in pencil().row(picture, 0)}) == 2
    assert len({segment.style for segment in replace(pencil(), has_shades=False).row(picture, 0)}) == 1


def test_the_mine_that_was_opened_is_seen_below_the_cursor():
    picture = Picture(np.array([[12]], np.int8), fatal=(0, 0), cursor=(0, 0))
    (segment,) = pencil().row(picture, 0)
    assert segment.style.bgcolor == Color.parse(PALETTES["dark", False].fatal)
    assert segment.text != pencil().row(replace(picture, fatal=None), 0)[0].text


def test_a_column_number_stands_above_its_column():
    for size in CELL_SIZES:
        labels = text(pencil(size).column_labels(replace(covered(3, 30), cursor=(1, 11))))
        assert cell_len(labels) == 30 * size.width
        for number in (1, 5, 12, 30):
            cell = labels[(number - 1) * size.width : number * size.width]
            assert cell.strip() == str(number)


EXPERT = {(80, 20): SMALL, (93, 20): MEDIUM, (93, 33): NARROW, (153, 49): LARGE, (152, 49): TALL, (40, 10): SMALL}
BEGINNER = {(80, 20): TALL, (80, 28): SQUARE, (200, 42): HUGE}


@pytest.mark.parametrize(("board", "sizes"), [((16, 30), EXPERT), ((9, 9), BEGINNER)])
def test_the_largest_cells_that_fit_are_chosen(board, sizes):
    assert {screen: largest_size(*screen, *board) for screen in sizes} == sizes


def luminance(colour):
    """Returns the relative luminance of WCAG 2."""
    channels = [channel / 255 for channel in Color.parse(colour).get_truecolor()]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot((0.2126, 0.7152, 0.0722), linear))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", PALETTES)
def test_numbers_can_be_read_on_their_cells(name):
    palette = PALETTES[name]
    for face in palette.open:
        assert min(contrast(count, face) for count in palette.counts) >= 4.5
        assert contrast(palette.mine, face) >= 4.5
    for shade in (0, 1):
        assert min(contrast(palette.risk_ink, palette.risk(level, shade)) for level in range(1, 102)) >= 4.0
        assert contrast(palette.sure_ink, palette.risk(LEVEL_SAFE, shade)) >= 2.8
        assert contrast(palette.sure_ink, palette.risk(LEVEL_MINE, shade)) >= 3.5
        for ink in (palette.flag, palette.question, palette.wrong):
            assert contrast(ink, palette.covered[shade]) >= 3.0
    for face in (palette.hint_clue, palette.hint_safe, palette.hint_mine):
        assert contrast(palette.hint_ink, face) >= 6
    assert contrast(palette.cursor_ink, palette.cursor) >= 7
    assert contrast(palette.label, palette.screen) >= 4.5
