"""Texts of strangers: nothing in them is obeyed by a terminal, by Markdown or by a browser."""

import ast
import unicodedata
from html.parser import HTMLParser

import pytest
from support.sources import modules_of

from baselines.tables import Column, Page, Table
from minesweeper_env.console import say
from minesweeper_env.escape import html, markdown, markdown_code, printable

ESCAPE = "\x1b[2J\x1b]0;title\x07"


@pytest.mark.parametrize(
    "text",
    [
        ESCAPE,
        "\x9b31m",
        "a\u202eb",
        "a\u2066b",
        "a\u2028b\x85c\rd",
        "\ud800",
        "<img src=x onerror=alert(1)>",
        "a|b](javascript:alert(1))",
        "`</code><script>`",
        "&lt;script&gt; **b** _i_ # ~ ! \\",
        "x" * 10_000,
    ],
)
def test_what_a_stranger_writes_is_shown_and_not_obeyed(text):
    for shown in (printable(text), html(text), markdown(text), markdown_code(text)):
        assert not {unicodedata.category(each) for each in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
        shown.encode()
    tags: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, _attributes: tags.append(tag)  # type: ignore[method-assign]
    parser.feed(html(text) + markdown(text) + f"<p title='{html(text)}'>")
    assert tags == ["p"]
    assert not set("<>|[]`*_\\") & set(markdown(text))
    code = markdown_code(text)
    assert not set("<|[`") & set(code.removeprefix("<code>").removesuffix("</code>").strip("`"))


@pytest.mark.parametrize("text", ["exact", "5 \u00d7 5, \u96f7", "50 %", "line\n\tline", "1\u00a0000"])
def test_what_is_harmless_stays(text):
    assert printable(text) == text
    assert markdown("A. Nonym, one core of AMD EPYC") == "A. Nonym, one core of AMD EPYC"
    assert markdown_code("bayes:prior=count") == "`bayes:prior=count`"


def test_messages_and_pages_are_printable(capsys):
    say(f"{ESCAPE}a\nb")
    page = Page(80, styled=True)
    page.table(Table(ESCAPE, [Column(f"a{ESCAPE}"), Column("b", form="d")], [[ESCAPE, ESCAPE]]))
    page.note(ESCAPE)
    page.line(ESCAPE)
    page.block(ESCAPE, [(ESCAPE, ESCAPE)])
    page.print()
    captured = capsys.readouterr()
    assert captured.err == f"{printable(ESCAPE)}a\nb\n"
    assert not set("\x07\x1b") & set(captured.out.replace("\x1b[1m", "").replace("\x1b[0m", ""))
    assert captured.out.count("x1b[2J") == 9


def test_every_message_for_stderr_takes_the_same_way():
    for package in ("minesweeper_env", "baselines", "minesweeper_play", "azulejos_env"):
        for path in modules_of(package):
            calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
            prints = [ast.unparse(call) for call in calls if ast.unparse(call.func) == "print"]
            assert path.stem == "console" or not [call for call in prints if "stderr" in call], path
