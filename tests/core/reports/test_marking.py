"""What a person marks and unmarks: the rest of a name stays covered, whatever part of it they decide about."""

import pytest

from core.reports.drafts import before_masking, key_of
from core.reports.marking import add, carried, decide
from core.reports.masking import Span, apply, find
from storage import tables

Spans = dict[str, list[Span]]


def spans_of(text: str, *marks: tuple[str, str, bool]) -> Spans:
    """Marks of words where they stand, one after the other: (words, replacement, kept)."""
    found, at = [], 0
    for words, replacement, kept in marks:
        start = text.index(words, at)
        at = start + len(words)
        found.append(Span(start, at, "name", replacement, kept))
    return {"case_brief": found}


def masked(text: str, spans: Spans) -> str:
    return apply(text, spans["case_brief"])


WHOLE = ("Anna Bergstrom", "Client A", False)
LONE = ("Anna", "Client A", False)
TWO = "Anna Bergstrom wept. Anna slept."
ZH = "王小明来了。小明哭了。王先生走了。"
ZH_MARKS = (("王小明", "来访者A", False), ("小明", "来访者A", False), ("王先生", "来访者A", False))

MARKED = [  # text, marks before, what is marked, the text as it will travel
    ("Anna Bergstrom wept.", [WHOLE], "Anna", "Client A wept."),
    ("Anna Bergstrom wept.", [WHOLE], "Bergstrom", "Client A wept."),
    (TWO, [WHOLE], "Anna", "Client A wept. Client A slept."),
    (TWO, [WHOLE, ("Anna", "Client A", True)], "Anna", "Client A wept. Client A slept."),
    ("Anna Bergstrom wept.", [("Bergstrom", "Client A", False)], "Anna Bergstrom", "Client A wept."),
    ("Anna Bergstrom Street is grey.", [WHOLE], "Bergstrom Street", "Person B is grey."),
    ("Anna Bergstrom wept.", [("Anna Bergstrom", "Client A", True)], "Anna", "Client A Bergstrom wept."),
    (ZH, [ZH_MARKS[0]], "小明", "来访者A来了。来访者A哭了。王先生走了。"),
    (ZH, ZH_MARKS, "王", "来访者A来了。来访者A哭了。来访者A走了。"),
    ("王小明来了。", [("小明", "来访者A", False)], "王小", "人物乙来了。"),
]  # fmt: skip
UNMARKED = [  # text, marks before, words that are kept, the text as it will travel
    (TWO, [WHOLE, LONE], "Anna", "Client A wept. Anna slept."),
    (TWO, [WHOLE, LONE], "Anna Bergstrom", TWO),
    ("Anna wept. Bergstrom slept.", [LONE, ("Bergstrom", "Client A", False)], "Anna", "Anna wept. Client A slept."),
    ("Anna wept. Annabel slept.", [LONE, ("Annabel", "Client A", False)], "Annabel", "Client A wept. Annabel slept."),
    ("47 and 41.", [("47", "in the 40s", False), ("41", "in the 40s", False)], "47", "47 and in the 40s."),
    (ZH, ZH_MARKS, "小明", "来访者A来了。小明哭了。来访者A走了。"),
    (ZH, ZH_MARKS, "王小明", "王小明来了。小明哭了。来访者A走了。"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "before", "said", "travels"), MARKED)
def test_marking_a_part_leaves_the_rest_covered(text: str, before: list[tuple[str, str, bool]], said: str, travels: str) -> None:
    language = "zh" if "王" in text else "en"
    assert masked(text, add({"case_brief": text}, spans_of(text, *before), said, "name", language)) == travels


@pytest.mark.parametrize(("text", "before", "words", "travels"), UNMARKED)
def test_unmarking_a_part_leaves_the_rest_covered(text: str, before: list[tuple[str, str, bool]], words: str, travels: str) -> None:
    spans, parts = spans_of(text, *before), {"case_brief": text}
    replacement = next(m[1] for m in before if m[0] == words)
    kept = decide(parts, spans, words, replacement, True)
    assert masked(text, kept) == travels
    assert masked(text, decide(parts, kept, words, replacement, False)) == masked(text, spans), "and it is masked again"


@pytest.mark.parametrize(("text", "before", "said", "travels"), MARKED)
def test_every_mark_is_put_back_from_its_key(text: str, before: list[tuple[str, str, bool]], said: str, travels: str) -> None:
    parts = dict.fromkeys(("title", "type", "method", "consultation_process", "experience_thoughts"), "") | {"case_brief": text}
    spans = add(parts, spans_of(text, *before), said, "name", "zh" if "王" in text else "en")
    report = tables.Report(**(parts | {"case_brief": masked(text, spans)}), content_hash="1")
    back, again = before_masking(report, key_of(1, parts, spans))
    assert back["case_brief"] == text and masked(text, again) == travels


OVERLAPPING = [
    ([Span(0, 14, "name", "A", True), Span(5, 14, "name", "B")], "Anna B wept."),
    ([Span(0, 4, "name", "A"), Span(0, 14, "name", "B", True)], "A Bergstrom wept."),
    ([Span(0, 9, "name", "A"), Span(5, 14, "name", "B")], "A wept."),
    ([Span(0, 14, "name", "A"), Span(5, 9, "name", "B", True)], "A wept."),
]


@pytest.mark.parametrize(("spans", "travels"), OVERLAPPING)
def test_a_kept_mark_over_a_masked_one_uncovers_nothing_and_loses_nothing(spans: list[Span], travels: str) -> None:
    text = "Anna Bergstrom wept."
    parts = dict.fromkeys(("title", "type", "method", "consultation_process", "experience_thoughts"), "") | {"case_brief": text}
    assert apply(text, spans) == travels
    report = tables.Report(**(parts | {"case_brief": travels}), content_hash="1")
    back, again = before_masking(report, key_of(1, parts, {"case_brief": spans}))
    assert back["case_brief"] == text and apply(text, again["case_brief"]) == travels


def test_a_label_that_becomes_another_persons_keeps_nobody_uncovered() -> None:
    """“Person B” was Daniel, whom somebody kept; after a change it is Tomasz."""
    before = {"case_brief": "Maria Oyelaran, 47, came with her brother Daniel."}
    decided = find(before, "en")
    daniel = next(s for s in decided["case_brief"] if before["case_brief"][s.start : s.end] == "Daniel")
    kept = decide(before, decided, "Daniel", daniel.replacement, True)
    after = {"case_brief": "Maria Oyelaran, 47, came with her husband Tomasz and her brother Daniel."}
    fresh = find(after, "en")
    travels = apply(after["case_brief"], carried(after, fresh, before, kept, "en")["case_brief"])
    assert "Tomasz" not in travels and "Daniel" in travels


def test_what_a_person_marked_stays_marked_when_the_text_changes() -> None:
    before = {"case_brief": "She loves Norwich."}
    marked = add(before, find(before, "en"), "Norwich", "address", "en")
    after = {"case_brief": "She loves Norwich. Norwich is grey."}
    travels = apply(after["case_brief"], carried(after, find(after, "en"), before, marked, "en")["case_brief"])
    assert "Norwich" not in travels
