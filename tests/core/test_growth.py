"""The time of reading grows with the text and no faster, also for texts made to hurt.

Times themselves say nothing on a busy machine, so n is compared with 4 n: in proportion that is 4 times, squared 16.
"""

import io
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress

import docx
import pytest

from core import files
from core.csv_files import NUMBER
from core.errors import DataError
from core.llm.demo.text import normal
from core.reports import masking
from core.reports.clients import found_in
from core.reports.components import read_cases
from core.reports.parsing import readable
from core.roles.importing import read_role
from core.sessions.labelled import read_labelled
from core.sessions.safety import risk_of
from core.sessions.speakers import seat_of
from core.sessions.tabular import read_csv
from tests.core.damaged import docx_file

MOST = 9.0  # times the time for 4 times the text
LEAST = 0.02  # seconds under which a time is noise
HOSTILE = {
    "spaces": " ", "underscores": "_", "stars": "*", "digits": "1", "dots": ".", "dashes": "-", "hashes": "#",
    "colons": "：", "brackets": "（", "square brackets": "[", "line breaks": "\n", "letters": "a", "capitals": "A",
    "words with capitals": "Ab ", "one word of capitals": "Ab", "CJK": "中", "names": "王医生", "familiar names": "小王",
    "institutions": "大学", "addresses": "东方路", "labels": "a: ", "labelled lines": "a: b\n", "numbered": "1.", "ids": "ID ",
    "cues": "card ", "accounts": "微信", "rooms": "1号", "titles": "Mr. ", "parts of addresses": "a@", "dates": "1-", "plus": "+1",
    "relations": "mother ", "ellipses": "…", "accents": "\u0301\u0316", "quotes": "\"", "streets": "1 Oak ", "cases": "case ",
}  # fmt: skip


def whole_report(text: str) -> None:
    read = readable("a.txt", text)
    for case in read_cases("a.txt", read.text).cases:
        masking.find(case.parts, case.language)


READERS: dict[str, Callable[[str], object]] = {
    "a report": whole_report,
    "a Chinese report": lambda text: masking.find({"case_brief": text}, "zh"),
    "an English report": lambda text: masking.find({"case_brief": text}, "en"),
    "the clients of a report": found_in,
    "a masked report": lambda text: masking.neutral(text, "en") + masking.neutral(text, "zh"),
    "a transcript": lambda text: read_labelled("a", f"Client: a\nCounselor: b\n{text}\n{text}x: y"),
    "a label": seat_of,
    "a table": lambda text: read_csv("a", f"speaker,text\nclient,a\ncounselor,{text}\n"),
    "a heading": lambda text: read_csv("a", f"{text},speaker,text\n1,client,a\n1,counselor,b\n"),
    "a role": lambda text: read_role(
        1, {"role": text, "challenge": text, "final_persona": f"age{text} occupation{text}x", "life_events": text, "behavioral_traits": text}
    ),
    "a number": lambda text: NUMBER.match(text + "x"),
    "signs of risk": lambda text: risk_of("client", text),
}  # fmt: skip


def taken(read: Callable[[str], object], text: str) -> float:
    """The shortest of three times, in seconds of this thread alone."""
    times = []
    for _ in range(3):
        begun = time.thread_time()
        with suppress(DataError):
            read(text)
        times.append(time.thread_time() - begun)
        if times[-1] < LEAST:
            break
    return min(times)


def grown(read: Callable[[str], object], text: str, size: int = 1_500) -> float:
    """How many times longer 4 n take than n; n is doubled until it can be measured, up to four times."""
    for n in (size, 2 * size, 4 * size):
        short, long = (taken(read, (text * (many // len(text) + 1))[:many] + "x") for many in (n, 4 * n))
        if long < LEAST * 4:
            return 0.0
        if short >= LEAST:
            break
    return long / max(short, LEAST / 4)


@pytest.mark.parametrize("reader", READERS)
def test_four_times_the_text_takes_about_four_times_as_long(reader: str) -> None:
    read = READERS[reader]
    taken(read, "warm up")
    slow = {name: round(grown(read, text), 1) for name, text in HOSTILE.items()}
    again = {name: min(times, round(grown(read, HOSTILE[name]), 1)) for name, times in slow.items() if times > MOST}
    assert not {name: times for name, times in again.items() if times > MOST}


def many_paragraphs(count: int) -> bytes:
    """A Word document of so many paragraphs of three letters."""
    box = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx_file())) as sound, zipfile.ZipFile(box, "w", zipfile.ZIP_DEFLATED) as made:
        for part in sound.infolist():
            content = sound.read(part)
            if part.filename == "word/document.xml":
                head, _, rest = content.partition(b"<w:body>")
                content = head + b"<w:body>" + b"<w:p><w:r><w:t>abc</w:t></w:r></w:p>" * count + rest
            made.writestr(part, content)
    return box.getvalue()


def test_reading_a_document_of_very_many_paragraphs_takes_little_longer_than_opening_it() -> None:
    data = many_paragraphs(45_000)  # more would be more characters than a report may have
    opening = taken(lambda _: docx.Document(io.BytesIO(data)), "")
    assert readable("a.docx", data).text.count("abc") == 45_000
    assert taken(lambda _: readable("a.docx", data), "") < 200 * opening  # asking each paragraph for its style took a thousand times as long


def test_combining_marks_are_composed_in_pieces() -> None:
    assert files.composed("e\u0301 u\u0308 한국 가") == "é ü 한국 가"
    assert grown(files.composed, "\u0301\u0316", 20_000) < MOST
    assert grown(normal, "\u0301\u0316", 20_000) < MOST  # the form in which headings and topics are looked for
