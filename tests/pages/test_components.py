"""The shared drawing: nothing of a person or a model is ever read as markup."""

import re
from gettext import NullTranslations
from types import SimpleNamespace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core.errors import DataError, NotFound, Several
from pages.components import charts, drawing, passage, words
from pages.components.words import plain, say

NASTY = '<img src=x onerror=alert(1)> & ![x](http://example.org/x.png) "quoted"'
NAMES = {"client": "Client <b>", "counselor": "Counselor"}
SIGNS = {"client": "Cl", "counselor": "Co"}
WORDS = {
    "risk": "possible risk", "partial": "stopped", "cut": "cut here", "for": "Evidence", "against": "Against",
    "turn": "turn {n}", "unfound": "not found", "alike": "alike", "open": "“", "close": "”",
}  # fmt: skip
TURNS = [
    {"position": 1, "seat": "client", "text": NASTY, "stage": "exploration"},
    {
        "position": 2,
        "seat": "counselor",
        "text": "The nights are hard. The nights are long.",
        "stage": "insight",
    },
]


def drawn(quotes: list[dict[str, object]], **more: object) -> str:
    return drawing.transcript_html(
        TURNS,
        drawing.numbered(quotes),
        names=NAMES,
        signs=SIGNS,
        words=WORDS,
        **more,  # type: ignore[arg-type]
    )


def test_texts_and_names_are_escaped() -> None:
    html = drawn([])
    assert "<img" not in html and "&lt;img src=x onerror=alert(1)&gt; &amp;" in html
    assert "Client &lt;b&gt;" in html


def test_quotes_are_marked_numbered_and_linked() -> None:
    quotes: list[dict[str, object]] = [
        {"text": "The nights are hard", "turn": 2, "status": "exact", "side": "for"},
        {"text": "nights are long", "turn": 2, "status": "exact", "side": "against"},
        {"text": "never said", "turn": None, "status": "not found", "side": "for"},
    ]
    html = drawn(quotes)
    assert '<mark class="r-q">The nights are hard<sup>1</sup></mark>' in html
    assert '<mark class="r-q r-against">nights are long<sup>2</sup></mark>' in html
    listed = drawing.quotes_html(drawing.numbered(quotes), words=WORDS)
    assert '<a href="#turn-2">turn 2</a>' in listed and "not found" in listed
    assert 'id="turn-2"' in html and 'a[href="#turn-2"]:hover' in html


def test_two_transcripts_on_one_page_keep_apart() -> None:
    assert 'id="a-1"' in drawn([], key="a") and 'id="turn-1"' not in drawn([], key="a")


def test_overlapping_quotes_keep_the_text_whole() -> None:
    html = drawn(
        [
            {"text": "The nights are hard. The", "turn": 2, "side": "for"},
            {"text": "hard. The nights are long", "turn": 2, "side": "for"},
        ]
    )
    body = html.split('id="turn-2"')[1]
    assert "The nights are hard. The nights are long." in re.sub(r"<sup>.*?</sup>|<[^>]+>", "", body)


def test_stages_cut_and_partial_turns_are_said() -> None:
    turns = [
        *TURNS,
        {"position": 3, "seat": "client", "text": "And then", "state": "partial", "risk": [{"kind": "x"}]},
    ]
    html = drawing.transcript_html(turns, names=NAMES, signs=SIGNS, words=WORDS, cut_at=2)
    assert "exploration" in html and "insight" in html
    assert html.index("cut here") < html.index("And then")
    assert "stopped" in html and "possible risk" in html


def test_masked_marks_show_kind_and_replacement() -> None:
    html = drawing.report_html(
        [("case_brief", "Li Wen, nurse")],
        {
            "case_brief": [
                {"start": 0, "end": 6, "label": "Name", "replacement": "Client A", "kept": False, "number": 1}
            ]
        },
        current=1,
    )
    assert '<span class="r-mask r-now">Li Wen<small>Name → Client A</small></span>, nurse' in html


def test_plain_disarms_markdown() -> None:
    assert plain(
        "![x](http://e/x.png) **b**\n# h"
    ) == r"\!\[x\]\(http\:\/\/e\/x\.png\) \*\*b\*\* \# h".replace(r"\/", "/")


def test_errors_are_said_with_their_values() -> None:
    assert say(NotFound("There is no {noun} {id}.", noun="session", id=7)) == "There is no session 7."


def test_exported_cells_cannot_be_formulas() -> None:
    table = pd.DataFrame({"=name": ["=1+1", "@x", "-2", "plain", None], "n": [-1, 2, 3, 4, 5]})
    lines = charts.csv(table).decode("utf-8-sig").splitlines()
    assert charts.csv(table).startswith(b"\xef\xbb\xbf")
    assert lines[0] == "'=name,n"
    assert lines[1:4] == ["'=1+1,-1", "'@x,2", "-2,3"] and lines[5] == ",5"


def test_ink_reads_on_every_shade() -> None:
    for k in (charts.LIGHT, charts.DARK):
        for share in (0.0, 0.2, 0.5, 0.8, 1.0):
            ground = charts.shade(k.diverging, share)
            a, b = sorted((charts._luminance(ground), charts._luminance(charts.ink_on(ground))))
            assert (b + 0.05) / (a + 0.05) >= 4.4


def test_a_selection_is_checked_before_it_is_believed() -> None:
    blocks = passage.blocks_of(TURNS)

    back = SimpleNamespace(picked={"turn": 2, "start": 4, "end": 10}, pressed={"key": "m"})
    done = passage._read(back, blocks)
    assert done.picked == passage.Picked(2, 4, 10, "nights") and done.key == "m"
    for wrong in (
        {"turn": 9, "start": 0, "end": 1},
        {"turn": 2, "start": 5, "end": 999},
        {"turn": "x"},
        "text",
    ):
        back.picked = wrong
        assert passage._read(back, blocks).picked is None


def working_page() -> None:
    import streamlit as st

    from core.errors import WorkbenchError
    from pages.components import layout, passage

    blocks = passage.parts_of([(1, "Case brief", "The nights are hard. The nights are long.")])
    passage.show(blocks, [{"turn": 1, "start": 0, "end": 3, "kind": "mask"}], key="x_text", keys=("m", "k"))
    try:
        picked = passage.by_hand(blocks, key="x_hand")
    except WorkbenchError as error:
        layout.problem(error)
    else:
        st.text(f"{picked.start}-{picked.end} {picked.text}" if picked else "")


def test_by_hand_needs_words_that_are_there() -> None:
    at = AppTest.from_function(working_page, default_timeout=30).run()
    at.text_input(key="x_hand_quote").set_value("the NIGHTS are  long")
    at.button[0].click().run()
    assert not at.exception
    assert at.text[-1].value == "21-40 The nights are long"
    at.text_input(key="x_hand_quote").set_value("never said")
    at.button[0].click().run()
    assert "do not stand in" in at.error[0].value


def noticing_page() -> None:
    from pages.components import layout

    layout.notice(
        "See [here](http://example.org), <b>now</b>: [key removed]. " + "What to do stands at the end. " * 9,
        "warning",
    )


def test_a_notice_is_shown_whole_and_as_text() -> None:
    at = AppTest.from_function(noticing_page, default_timeout=30).run()
    (block,) = at.get("html")
    assert not at.get("badge") and not at.markdown, "one line that cannot wrap"
    assert "See [here](http://example.org), &lt;b&gt;now&lt;/b&gt;: [key removed]." in block.proto.body
    assert "\\" not in block.proto.body


class Marked(NullTranslations):
    """A catalogue that shows which words were looked up."""

    def gettext(self, message: str) -> str:
        return message if "{" in message else f"‹{message}›"


def test_nouns_and_parts_are_said_in_the_persons_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "catalogue", lambda language: Marked())
    for noun, name in {
        "role": "role card",
        "session": "session",
        "agent": "agent",
        "client": "client",
    }.items():
        told = say(NotFound("There is no {noun} {id}.", noun=noun, id=5))
        assert told == f"There is no ‹{name}› 5."
    parts = Several(["Method", "Case brief"])
    assert say(DataError("There is no {parts}.", parts=parts)) == "There is no ‹Method›, ‹Case brief›."
    assert str(DataError("There is no {parts}.", parts=parts)) == "There is no Method, Case brief."
