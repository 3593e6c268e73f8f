"""Personal data in a report: found by rules, replaced the same way everywhere, put back from its key. Pure.

Words are data (``prompts/masking``). Rules find, a person decides: nothing here is sure, and nothing asks a network.
Patterns read the text after NFKC; offsets are those of the text as given.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile

from core.reports.masking_hits import Hit, words

KINDS = ("name", "phone", "email", "account", "id", "address", "organisation", "date", "age", "other")
CLIENT_NOUN = re.compile(r"(?:来访者|求助者|当事人|\b[Cc]lient )$")
UNSEEN = re.compile(r"[\u200b-\u200d\u2060\ufeff]")
Parts = Mapping[str, str]


@dataclass(frozen=True)
class Span:
    """A stretch of one component, what it is and what takes its place.

    Attributes:
        replacement: what stands there once masked; unused while ``kept``.
        why: the rule that found it, in a word; ``person`` when a person marked it.
    """

    start: int
    end: int
    kind: str
    replacement: str = ""
    kept: bool = False
    why: str = ""


@dataclass(frozen=True)
class Read:
    """A text as patterns read it, and where each of its characters stands in the text as given."""

    text: str
    at: tuple[int, ...]

    def back(self, start: int, end: int) -> tuple[int, int]:
        return self.at[start], self.at[end - 1] + 1


def read(text: str) -> Read:
    """NFKC, plain apostrophes, without invisible characters; with the way back."""
    signs: list[str] = []
    at: list[int] = []
    for place, sign in enumerate(text):
        plain = "'" if sign in "’‘ʼ" else "" if UNSEEN.match(sign) else unicodedata.normalize("NFKC", sign)
        signs.append(plain)
        at += [place] * len(plain)
    return Read("".join(signs), tuple(at))


def find(parts: Parts, language: str) -> dict[str, list[Span]]:
    """Personal data in every component, in order, without overlaps, each entity under one replacement."""
    from core.reports import masking_chinese, masking_english, masking_numbers

    reads = {part: read(text) for part, text in parts.items()}
    names = masking_chinese if language == "zh" else masking_english
    hits = {part: masking_numbers.hits(one.text, language) + names.hits(one.text) for part, one in reads.items()}
    known = names.forms([hit_text for part in reads for hit_text in named(reads[part].text, hits[part])])
    found = {
        part: outermost([*hits[part], *spread(one.text, known, language)]) for part, one in reads.items()
    }
    return label(parts, reads, found, known, language)


def named(text: str, hits: Iterable[Hit]) -> Iterator[tuple[str, Hit]]:
    for hit in hits:
        if hit.kind in ("name", "organisation"):
            yield text[hit.start : hit.end], hit


def spread(text: str, known: Mapping[str, Hit], language: str) -> Iterator[Hit]:
    """Every other occurrence of a form that was found somewhere in the report; one pass for all forms."""
    sizes: dict[str, set[int]] = {}
    for form in known:
        sizes.setdefault(form[:1], set()).add(len(form))
    for start, sign in enumerate(text):
        for size in sizes.get(sign, ()):
            if start + size <= len(text) and (hit := known.get(text[start : start + size])) is not None and whole_word(text, start, start + size):
                yield Hit(start, start + size, hit.kind, hit.why, hit.entity, hit.client)


def whole_word(text: str, start: int, end: int) -> bool:
    """Whether a stretch does not begin or end inside a word written in Latin letters."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    return not (text[start].isascii() and before.isalnum()) and not (text[end - 1].isascii() and after.isalnum())


def outermost(hits: Iterable[Hit]) -> list[Hit]:
    """Without overlaps: numbers and addresses before names inside them, the longer before the shorter."""
    kept: list[Hit] = []  # in order of their start, apart from each other
    for hit in sorted(hits, key=lambda h: (-(h.end - h.start), h.start, KINDS.index(h.kind))):
        at = bisect_left(kept, hit.start, key=lambda h: h.start)
        free_before = at == 0 or kept[at - 1].end <= hit.start
        if free_before and (at == len(kept) or hit.end <= kept[at].start):
            kept.insert(at, hit)
    return kept


def label(
    parts: Parts, reads: Mapping[str, Read], found: Mapping[str, Sequence[Hit]], known: Mapping[str, Hit], language: str
) -> dict[str, list[Span]]:
    """Spans with their replacements: one per entity, in the order of appearance, none that stands in the text anyway."""
    whole = "\n".join(parts.values())
    labels = Labels(language, whole)
    given: dict[tuple[str, str], str] = {}
    spans: dict[str, list[Span]] = {}
    client = client_of(reads, found, known)
    for part, hits in found.items():
        spans[part] = []
        for hit in hits:
            said = reads[part].text[hit.start : hit.end]
            entity = known[said].entity if said in known and hit.kind == known[said].kind else hit.entity or said
            key = (hit.kind, entity)
            if key not in given:
                given[key] = labels.next(hit.kind, entity == client and hit.kind == "name", said)
            begin = hit.start
            if entity == client and hit.kind == "name" and (noun := CLIENT_NOUN.search(reads[part].text, max(0, begin - 8), begin)):
                begin = noun.start()  # “the client Noor” becomes “the Client A”, said once
            start, end = reads[part].back(begin, hit.end)
            spans[part].append(Span(start, end, hit.kind, given[key], False, hit.why))
    return spans


def client_of(reads: Mapping[str, Read], found: Mapping[str, Sequence[Hit]], known: Mapping[str, Hit]) -> str:
    """The entity of the client: named as such, else the first name in the case brief."""
    order = ["case_brief", *(part for part in found if part != "case_brief")]
    everyone = [hit for part in order for hit in found.get(part, ()) if hit.kind == "name"]
    named_so = [hit for hit in everyone if hit.client]
    first = next(iter([*named_so, *everyone]), None)
    if first is None:
        return ""
    said = next(
        reads[part].text[h.start : h.end] for part in order if part in found for h in found[part] if h is first
    )
    return known[said].entity if said in known else first.entity


@dataclass
class Labels:
    """Gives replacements that were not given yet and do not stand in the text by themselves.

    Attributes:
        whole: the text that is masked. taken: replacements given so far.
        last: the number given last, for each form of replacement; so that none is tried again.
    """

    language: str
    whole: str
    taken: set[str] = field(default_factory=set)
    last: dict[str, int] = field(default_factory=dict)

    def next(self, kind: str, client: bool, said: str) -> str:
        told = words(self.language)
        if kind == "age":
            band = age_band(said, self.language)
            return band if band not in self.whole else f"[{band}]"
        pattern, letters = told["replacements"]["client" if client else kind], told["letters"]
        first = 1 if kind == "name" and not client else 0
        for number in range(self.last.get(pattern, first - 1) + 1, 10_000):
            mark = letters[number % len(letters)] + (str(number // len(letters)) if number >= len(letters) else "")
            candidate = str(pattern.format(mark=mark, n=number + 1))
            self.last[pattern] = number
            if candidate not in self.taken and candidate not in self.whole:
                self.taken.add(candidate)
                return candidate
        return f"[{kind}]"


def age_band(said: str, language: str) -> str:
    """The decade of an age instead of the age: 17岁 → 十几岁, 47 → 40s."""
    digits = re.sub(r"\D", "", said)
    age = int(digits) if digits else han_number(said)
    tens = age // 10
    if language == "zh":
        return {0: "几岁", 1: "十几岁"}.get(tens, f"{'零一二三四五六七八九'[min(tens, 9)]}十多岁")
    return "under 10" if tens == 0 else "in the teens" if tens == 1 else f"in the {min(tens, 9)}0s"


def han_number(said: str) -> int:
    """A number below 100 written in Chinese: 十九 → 19."""
    digits = {sign: n for n, sign in enumerate("零一二三四五六七八九")} | {"两": 2}
    left, ten, right = re.sub(r"[^零一二三四五六七八九两十]", "", said).partition("十")
    return (digits.get(left[-1:], 1 if ten else 0) * 10 if ten else digits.get(left[-1:], 0)) + digits.get(right[:1], 0)


# ---- applying and undoing ------------------------------------------------------------------------


def apply(text: str, spans: Sequence[Span]) -> str:
    """The text with every span that is not kept replaced; overlapping spans become one, so no fragment is left."""
    pieces, at = [], 0
    for span in merged([span for span in spans if not span.kept], len(text)):
        pieces += [text[at : span.start], span.replacement]
        at = span.end
    return "".join([*pieces, text[at:]])


def settled(spans: Sequence[Span], size: int) -> list[Span]:
    """Spans in order, inside the text and apart: what is masked stays masked, and what is kept is what is left of it."""
    masked = merged([span for span in spans if not span.kept], size)
    kept = merged([span for span in spans if span.kept], size)
    ends = [span.end for span in masked]
    left = [piece for span in kept for piece in outside(span, islice(masked, bisect_right(ends, span.start), None))]
    return sorted([*masked, *left], key=lambda span: span.start)


def outside(span: Span, others: Iterable[Span]) -> list[Span]:
    """What of a span lies in none of the others, which stand in order and end after it begins."""
    pieces, at = [], span.start
    for other in takewhile(lambda one: one.start < span.end, others):
        pieces.append((at, other.start))
        at = other.end
    return [replace(span, start=start, end=end) for start, end in [*pieces, (at, span.end)] if start < end]


def merged(spans: Sequence[Span], size: int) -> list[Span]:
    """Spans in order, inside the text, overlapping ones joined under the first one's replacement."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        inside = replace(span, start=max(0, span.start), end=min(size, span.end))
        if inside.start >= inside.end:
            continue
        if joined and inside.start < joined[-1].end:
            joined[-1] = replace(joined[-1], end=max(joined[-1].end, inside.end))
        else:
            joined.append(inside)
    return joined


def restore(masked: str, rows: Sequence[tuple[str, str]]) -> tuple[str, list[tuple[int, int]]] | None:
    """The text before masking, and where each original stands in it; ``None`` where the key no longer fits.

    Args:
        rows: (original, replacement) of every masked stretch, in order.
    """
    replacements = sorted({replacement for _, replacement in rows}, key=len, reverse=True)
    if not replacements:
        return masked, []
    places = list(re.finditer("|".join(map(re.escape, replacements)), masked))
    if [place.group() for place in places] != [replacement for _, replacement in rows]:
        return None
    text, at, stretches = "", 0, []
    for place, (original, _) in zip(places, rows, strict=True):
        text += masked[at : place.start()]
        stretches.append((len(text), len(text) + len(original)))
        text += original
        at = place.end()
    return text + masked[at:], stretches


def neutral(text: str, language: str) -> str:
    """A masked text for a writer: “Client A” is the client, “her brother Person B” her brother."""
    told = words(language)
    related = "|".join(sorted(told["relations"], key=len, reverse=True))
    if language == "zh":
        text = re.sub(rf"来访者[{told['letters']}](?![\u4e00-\u9fff]?等)", "来访者", text)
        return re.sub(rf"({related})人物[{told['letters']}]", r"\1", text)
    text = re.sub(r"(^|[.!?:]\s+|\n)Client [A-Z]\b", r"\1The client", text)
    text = re.sub(r"\b(?:[Tt]he )?Client [A-Z]\b", "the client", text)
    return re.sub(rf"\b({related}),? Person [A-Z]\b", r"\1", text)
