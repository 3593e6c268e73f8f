"""A key as it may come back: found in what an endpoint says, whole, disguised or in part. Pure."""

import base64
import html
import json
import re
from collections.abc import Callable, Iterator
from string import ascii_lowercase, ascii_uppercase
from urllib.parse import quote

from core.errors import DataError

HIDDEN = "[key]"
SHORTEST = 4  # characters of a key that is taken out at all
RUN = (
    8  # characters of a key that give it away wherever they stand; shorter keys are taken out as whole words
)
LEAST, MASKED = 2, 6  # characters of a masked key at either end, and at both
PLACEHOLDERS = {
    "none",
    "null",
    "empty",
    "dummy",
    "ollama",
    "lm-studio",
}  # no secrets, and words of many sentences
LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)  # keeps every position, unlike ``str.lower``
NO_WORD = re.compile(
    r"\d|[a-z]\W*[A-Z]|[%&+/=$@!#^~]"
)  # what a part of a key has and a word of a sentence has not
SEVERAL = re.compile(r"[a-z0-9][^a-z0-9]+[a-z0-9]")  # words that only the key joins in this way
MASK = re.compile(r"…+|\.{2,}|[*•xX#]{2,}")  # stands for the middle of a key that is shown in part
MASK_BEGUN = re.compile(r"(?:…|\.+|[*•xX#]+)$")
Span = tuple[int, int]


def check_key(key: str, name: str) -> str:
    """The key without space around it.

    Raises:
        DataError: it holds a character that no header takes; the sentence does not repeat it.
    """
    key = key.strip()
    if not all(" " <= character <= "~" for character in key):
        raise DataError(
            "The key for {name} cannot be sent: it holds a line break, or a character that keys do not have. Copy it "
            "again, with nothing before or after it, and enter it on Models and agents; nothing was sent.",
            name=name,
        )
    return key


class KnownKey:
    """One key and the forms in which it may be repeated: quoted for an address, a page or JSON, in base64, in other
    letters, masked in its middle, or a part of it.

    A part counts from eight characters on, and only if it could not be a word: a model's answer stays as it is.
    """

    def __init__(self, key: str) -> None:
        self._key = key.translate(LOWER) if len(key) >= SHORTEST and key.lower() not in PLACEHOLDERS else ""
        forms = [form for form in written(key) if len(form) >= RUN] if self._key else []
        runs = {form[at : at + RUN] for form in forms for at in range(len(form) - RUN + 1)}
        self._forms = sorted({form.translate(LOWER) for form in forms})
        self._runs = {run.translate(LOWER) for run in runs}
        self._telling = {run.translate(LOWER) for run in runs if NO_WORD.search(run)}
        self._word = whole_word(key) if self._key and len(key) < RUN else None

    def without(self, text: str) -> str:
        """The text with every form of the key taken out."""
        out, at = [], 0
        for start, end in joined(self.spans(text)):
            out += [text[at:start], HIDDEN]
            at = end
        return "".join([*out, text[at:]]) if out else text

    def spans(self, text: str) -> list[Span]:
        """Where the key stands, in any form."""
        if not self._key:
            return []
        small = text.translate(LOWER)
        found = [span for span in self._in_row(small) if self._tells(small[slice(*span)])]
        if self._word is not None:
            found += [match.span() for match in self._word.finditer(text)]
        return sorted([*found, *self._masked(small)])

    def open_from(self, text: str) -> int:
        """From where on what follows may still turn the text into a form of the key."""
        small = text.translate(LOWER)
        start = run = self._run_before(small, len(small))
        for end in {run, len(small)} if self._key else ():
            mask = MASK_BEGUN.search(small[:end])
            if mask is not None and (before := self._starts(small, mask.start())) >= LEAST:
                start = min(start, mask.start() - before)
        return start

    def _in_row(self, small: str) -> Iterator[Span]:
        at = 0
        while at <= len(small) - RUN:
            end = at
            while small[end : end + RUN] in self._runs:
                end += 1
            if end > at:
                yield at, end + RUN - 1
                at = end + RUN - 1
            else:
                at += 1

    def _tells(self, part: str) -> bool:
        """Whether a part of the key, in small letters, gives it away."""
        if any(form in part for form in self._forms):
            return True
        if self._key.startswith(part) and SEVERAL.search(part):
            return True
        return any(part[at : at + RUN] in self._telling for at in range(len(part) - RUN + 1))

    def _masked(self, small: str) -> Iterator[Span]:
        """Beginning and end of the key with something between them: ``sk-ab…wxyz``."""
        for mask in MASK.finditer(small):
            before, after = self._starts(small, mask.start()), self._ends(small, mask.end())
            if min(before, after) >= LEAST and before + after >= MASKED:
                yield mask.start() - before, mask.end() + after

    def _starts(self, small: str, end: int) -> int:
        """Characters before ``end`` that are the key's first."""
        most = min(end, len(self._key) - 1) if small[max(0, end - LEAST) : end] in self._key else 0
        return next((n for n in range(most, 0, -1) if small[end - n : end] == self._key[:n]), 0)

    def _ends(self, small: str, start: int) -> int:
        """Characters from ``start`` on that are the key's last."""
        most = min(len(small) - start, len(self._key) - 1) if small[start : start + LEAST] in self._key else 0
        return next((n for n in range(most, 0, -1) if small.startswith(self._key[-n:], start)), 0)

    def _run_before(self, small: str, end: int) -> int:
        """Where the longest part of any form begins that goes up to ``end``."""
        start = end
        forms = [*self._forms, self._key] if self._key else []
        while start > 0 and any(small[start - 1 : end] in form for form in forms):
            start -= 1
        return start


class Heard:
    """Hands on what streams in, less the key: held back is only what may still become one.

    A stream that breaks off leaves what is held back unsaid.
    """

    def __init__(self, key: KnownKey, on_text: Callable[[str], None]) -> None:
        self._key, self._on_text = key, on_text
        self._held = self._before = ""

    def hear(self, piece: str) -> None:
        self._held += piece
        self._give(self._key.open_from(self._held))

    def end(self) -> None:
        """The stream ended by itself: nothing further can come."""
        self._give(len(self._held))

    def _give(self, end: int) -> None:
        if not end:
            return
        text, at = (
            self._before + self._held,
            len(self._before),
        )  # the character before: a short key is a whole word
        to, out = at + end, []
        for start, stop in joined(self._key.spans(text)):
            if at < stop <= to:
                out += [text[at:start], HIDDEN]
                at = stop
        self._before, self._held = text[to - 1 : to], text[to:]
        self._on_text("".join([*out, text[at:to]]))


def written(key: str) -> set[str]:
    """The key as it is, and as it is written in addresses, pages, JSON and base64."""
    raw = key.encode("utf-8", "replace")
    coded = {base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()}
    return {
        key, quote(raw), quote(raw, safe=""), html.escape(key), html.unescape(key), json.dumps(key)[1:-1],
        *coded, *(code.rstrip("=") for code in coded),
    }  # fmt: skip


def whole_word(key: str) -> re.Pattern[str]:
    """A short key where it stands by itself; in any letters, unless it could be a word."""
    flags = 0 if key.isalpha() else re.IGNORECASE
    return re.compile(rf"(?<![A-Za-z0-9]){re.escape(key)}(?![A-Za-z0-9])", flags)


def joined(spans: list[Span]) -> Iterator[Span]:
    """Spans in their order, overlapping ones as one."""
    last: Span | None = None
    for start, end in spans:
        if last is not None and start < last[1]:
            last = last[0], max(last[1], end)
        else:
            if last is not None:
                yield last
            last = start, end
    if last is not None:
        yield last
