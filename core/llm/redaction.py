"""What an endpoint says, made fit to be kept: without keys, without the words it was sent, and short. Pure."""

import re
from collections.abc import Iterable, Sequence

from core.llm.keys import HIDDEN, KnownKey

LONGEST = 200  # characters of an endpoint's words that are kept
READ = 4000  # characters that are read at all
GAP = "…"
SHAPES = re.compile(
    r"\b(?:sk|pk|rk|ak|gsk|xai|hf|nvapi|fw|r8)[-_](?=[\w*.-]{6})[\w*.-]+"
    r"|\bAIza[\w-]{20,}|\bAKIA[0-9A-Z]{12,}|\beyJ[\w-]{5,}\.[\w-]+\.?[\w-]*|\b[0-9a-f]{32}\.[A-Za-z0-9]{8,}"
    r"|\bBearer\s+[\w.~+/=*-]{6,}|\bBasic\s+[\w+/=]{12,}"
    r"|(?P<name>\b(?:x-)?(?:api[-_ ]?key|access[-_ ]?token|auth[-_ ]?token|secret|password|authorization|subscription-key)"
    r"[\"']?\s*(?:[:=]|provided:|is:)\s*[\"']?)[^\s\"',;&}]{6,}",
    re.IGNORECASE,
)
QUOTED = re.compile(r"'([^']{2,})'|\"([^\"]{2,})\"|`([^`]{2,})`|“([^”]{2,})”|‘([^’]{2,})’|「([^」]{2,})」")
TOKEN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W\u3400-\u9fff\uf900-\ufaff]+")
RUN, WIDE_RUN = (
    3,
    4,
)  # words, and Chinese characters, that stand in a row in both: repeated from what was sent


def redacted(text: str, keys: Iterable[KnownKey] = ()) -> str:
    """The text without these very keys, in any form, and without anything that is shaped like one."""
    for key in keys:
        text = key.without(text)
    return SHAPES.sub(lambda found: (found["name"] or "") + HIDDEN, text)


def without_echo(words: str, sent: Sequence[str]) -> str:
    """The words without stretches that repeat what was sent: quoted ones, and runs of several words."""
    words = re.sub(r"\\[nrt]", " ", words[:READ])
    source = _joined(_tokens(" \n ".join(sent)))
    words = QUOTED.sub(
        lambda q: GAP if _joined(_tokens(q[0])).strip() and _joined(_tokens(q[0])) in source else q[0], words
    )
    spans = list(TOKEN.finditer(words))
    tokens = [span[0].lower() for span in spans]
    echoed: set[int] = set()
    for size in (RUN, WIDE_RUN):
        for start in range(len(tokens) - size + 1):
            run = tokens[start : start + size]
            wide = all(len(token) == 1 and token > "\u33ff" for token in run)
            if (size == WIDE_RUN) == wide and _joined(run) in source:
                echoed.update(range(start, start + size))
    return _cut(words, [spans[n].span() for n in sorted(echoed)])


def short(words: str, longest: int = LONGEST) -> str:
    words = " ".join(words.split())
    return words if len(words) <= longest else words[: longest - 1] + GAP


def _tokens(text: str) -> list[str]:
    return [found.lower() for found in TOKEN.findall(text)]


def _joined(tokens: Sequence[str]) -> str:
    return f" {' '.join(tokens)} " if tokens else ""


def _cut(words: str, spans: Sequence[tuple[int, int]]) -> str:
    """The words with each run of spans replaced by one gap."""
    out, at, gap = [], 0, False
    for start, end in spans:
        between = words[at:start]
        if not gap or TOKEN.search(between):
            out += [between, GAP]
        at, gap = end, True
    return "".join([*out, words[at:]])
