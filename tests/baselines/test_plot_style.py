"""One style for every figure, independent of the user's settings."""

import matplotlib
import pytest

from baselines.plot_style import STYLE_FILE, image, styled_figure


def test_figures_have_the_style_and_leave_the_settings_alone(monkeypatch):
    monkeypatch.setitem(matplotlib.rcParams, "lines.linewidth", 9.0)
    with styled_figure(4, 3) as figure:
        (line,) = figure.add_subplot().plot([0, 1])
    style = matplotlib.rc_params_from_file(STYLE_FILE, use_default_template=False)
    assert figure.dpi == style["figure.dpi"]
    assert line.get_linewidth() == style["lines.linewidth"]
    assert line.get_color() == style["axes.prop_cycle"].by_key()["color"][0]
    assert matplotlib.rcParams["lines.linewidth"] == 9.0


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml")])
def test_a_figure_becomes_a_file_of_each_kind(suffix, start):
    with styled_figure() as figure:
        figure.add_subplot()
        assert image(figure, suffix).startswith(start)


def test_names_are_shown_and_not_obeyed():
    name = "a$\\frac$ <script> --><script>"
    with styled_figure() as figure:
        axes = figure.add_subplot(title=name, xlabel=name)
        axes.set_yticks([0, 1], [name, name])
        axes.plot([0, 1], label=name)
        axes.legend()
        assert b"<script>" not in image(figure, ".svg")
