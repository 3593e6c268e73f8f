"""What a counselor hears in one turn of a client: clauses that can be said back, feelings, people, signs."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from core.llm.demo.bank import keys, pattern, wordset
from core.llm.demo.feelings import Feeling, feelings, pleasant
from core.llm.demo.perspective import swap
from core.llm.demo.text import CJK, folded, length, normal, sentences, tokens

READ = (
    1500  # characters read closely at each end of a very long turn; signs of risk are looked for in all of it
)
FULL_WIDTH = str.maketrans(",;:", "，；：")  # as a Chinese sentence is written, after NFKC
WHOLE = 22  # characters of a Chinese sentence that is said back whole, its comma kept
CAPITAL = re.compile(r"[A-Z]")
SMALL = re.compile(r"[a-z]")


@dataclass(frozen=True)
class Clause:
    """A clause as it can be said to the client, without its stop: ``text`` begins small, ``said`` is theirs."""

    text: str
    said: str
    feeling: Feeling | None
    weight: float


@dataclass(frozen=True)
class Heard:
    """One turn of a client."""

    text: str
    length: int
    clauses: tuple[Clause, ...]
    felt: tuple[Feeling, ...]
    things: tuple[str, ...]
    signs: frozenset[str]
    readable: bool

    @property
    def told(self) -> bool:
        """Whether the client told something, beyond a yes, a no or a greeting."""
        return bool(self.clauses) or bool(self.felt) or self.length >= 12


@lru_cache(maxsize=8192)
def hear(text: str, language: str) -> Heard:
    """Read one turn of a client."""
    near = text if len(text) <= 2 * READ else text[:READ] + "\n" + text[-READ:]
    parts = [piece.text for piece in sentences(near)][:60]
    shouted = len(CAPITAL.findall(near)) > 12 and len(CAPITAL.findall(near)) > 2 * len(SMALL.findall(near))
    clauses: list[Clause] = []
    felt: list[Feeling] = []
    for part in parts:
        felt.extend(feelings(part, language))
        if not shouted:
            clauses.extend(
                clause for clause in _clauses(part, language) if not _about_dying(clause, language)
            )
    return Heard(
        text=text,
        length=length(near),
        clauses=tuple(clauses),
        felt=tuple(felt),
        things=_things(folded(near), language),
        signs=_signs(folded(text[:200_000]), language),
        readable=_readable(near, language),
    )


def _about_dying(clause: Clause, language: str) -> bool:
    """Whether a clause speaks of suicide, or denies it: it is answered directly, and never said back."""
    said = folded(clause.said)
    return any(pattern(language, "language", "client", name).search(said) for name in ("risk", "risk_denied"))


def _readable(text: str, language: str) -> bool:
    """Whether there are words of the session's language, rather than signs, code or another script."""
    all_tokens = tokens(text)[:400]
    if not all_tokens:
        return False
    chinese = sum(1 for token in all_tokens if CJK.match(token))
    code = len(re.findall(r"[{}();=<>\[\]\\|]", text[:2000]))
    fits = 2 * chinese > len(all_tokens) if language == "zh" else 2 * chinese <= len(all_tokens)
    return fits and code * 4 < len(all_tokens) + 4


@cache
def _groups(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    names = [
        name
        for name in keys(language, "language", "client")
        if name not in ("reported", "not_now", "risk_denied")
    ]
    return tuple((name, pattern(language, "language", "client", name)) for name in names)


def _signs(said: str, language: str) -> frozenset[str]:
    """Names of the patterns that occur; ``risk`` only where it is not denied everywhere."""
    near = said if len(said) <= 2 * READ else said[:READ] + "\n" + said[-READ:]
    found = {name for name, signs in _groups(language) if name != "risk" and signs.search(near)}
    denied = pattern(language, "language", "client", "risk_denied")
    if denied.search(near):
        found.add("risk_denied")
    if pattern(language, "language", "client", "risk").search(denied.sub(" ", said)):
        found.add("risk")
    return frozenset(found)


@cache
def _thing_patterns(language: str) -> tuple[re.Pattern[str], ...]:
    def names(key: str) -> str:
        return "|".join(
            re.escape(name) for name in sorted(wordset(language, "feelings", key), key=lambda w: (-len(w), w))
        )

    if language == "zh":
        return (re.compile(f"我(?:的)?({names('people')})"), re.compile(f"({names('matters')})"))
    own = rf"\b(?:my|our) ((?:(?:late|older|younger|elder|little|big|best|first|second|new|old|own|former) )?(?:{names('people')}|{names('matters')}))\b(?!'s|-)"
    return (re.compile(own),)


def _things(said: str, language: str) -> tuple[str, ...]:
    """People and matters the client spoke of as their own, as they can be named to them: "your mother"."""
    found: dict[str, None] = {}
    for number, things in enumerate(_thing_patterns(language)):
        for match in things.finditer(said):
            name = match.group(1)
            if language == "en":
                found[f"your {name}"] = None
            else:
                found[_chinese_thing(name) if number == 0 else name] = None
    return tuple(found)[:12]


def _chinese_thing(name: str) -> str:
    said = swap("zh")("我" + name) or name
    return said if said.startswith("您") else "您" + name


# ---- clauses -----------------------------------------------------------------------------------------------------


def _clauses(sentence: str, language: str) -> list[Clause]:
    plain = normal(sentence)
    if plain.endswith("?") or len(plain) > 600:
        return []
    return _chinese_clauses(plain) if language == "zh" else _english_clauses(plain)


def _pattern(language: str, name: str) -> re.Pattern[str]:
    return pattern(language, "language", "clauses", name)


def _english_clauses(sentence: str) -> list[Clause]:
    whole = sentence.rstrip(".!? ")
    parts = (
        [whole]
        if length(whole) <= 12 and not re.search(r"[;:\u2013\u2014]|\.\.|…| - ", whole)
        else _pattern("en", "cut").split(whole)
    )
    return [clause for part in parts if (clause := _english_clause(part)) is not None]


def _english_clause(part: str) -> Clause | None:
    bare = part.strip(" ,.!?'\"")
    bare = re.sub(_pattern("en", "lead").pattern, "", bare, flags=re.IGNORECASE)
    bare = re.sub(_pattern("en", "tail").pattern, "", bare, flags=re.IGNORECASE).strip(" ,.")
    low, count = bare.lower(), length(bare)
    if not 3 <= count <= 17 or not _pattern("en", "own").search(low) or _pattern("en", "unfit").search(low):
        return None
    if not (_pattern("en", "begins").match(low) or _pattern("en", "name_verb").match(low)):
        return None
    said = swap("en")(bare)
    if said is None or not low.isascii():
        return None
    felt = next(iter(feelings(bare, "en")), None)
    return Clause(_begin_small(said), bare, felt, _weight(low, count, felt, "en"))


def _begin_small(text: str) -> str:
    first = text.split(" ", 1)[0]
    if _pattern("en", "begins").match(first.lower()) or first.lower().startswith("you"):
        return text[:1].lower() + text[1:]
    return text


def _weight(low: str, count: int, felt: Feeling | None, language: str) -> float:
    """How much a clause is worth saying back: it is about the client, it carries a feeling, it is neither curt nor long."""
    own = 1.0 if low.startswith(("i ", "i'", "my ", "我")) else 0.0
    return own + (2.0 if felt else 0.0) + (1.0 if 5 <= count <= 14 else 0.0)


def _chinese_clauses(sentence: str) -> list[Clause]:
    whole = sentence.rstrip("。.!;… ")
    parts = (
        [whole] if length(whole) <= WHOLE else [part for part in _pattern("zh", "cut").split(whole) if part]
    )
    found: list[Clause] = []
    for part in parts:
        clause = _chinese_clause(part)
        if clause is not None:
            found.append(clause)
    return found


def _chinese_clause(part: str) -> Clause | None:
    bare = _pattern("zh", "tail").sub("", _pattern("zh", "lead").sub("", part.strip(" ,"))).strip(" ,")
    count = length(bare)
    if not 4 <= count <= 22 or _pattern("zh", "unfit").search(bare) or re.search(r"[A-Za-z]{12,}", bare):
        return None
    felt = next(iter(feelings(bare, "zh")), None)
    if "我" not in bare and felt is None:
        return None
    said = swap("zh")(bare)
    if said is None:
        return None
    said = said.translate(FULL_WIDTH)
    return Clause(
        said if "您" in said or "你们" in said else "您" + said, bare, felt, _weight(bare, count, felt, "zh")
    )


def bad_feelings(heard: Heard, language: str) -> tuple[Feeling, ...]:
    """The feelings of a turn that weigh on the client."""
    return tuple(feeling for feeling in heard.felt if not pleasant(feeling, language))
