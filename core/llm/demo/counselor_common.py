"""What every demo counselor does alike: danger before all else, then greetings, limits, goodbyes, and repairs."""

from core.llm.demo.counselor_talk import Talk

COMMON = "counselor_common"


def in_danger(talk: Talk) -> str | None:
    """What to say while a sign of danger is open: ask directly and point to help, never a technique."""
    kind, since, asked = "", -1, 0
    for number, heard in enumerate(talk.heard):
        for sign in ("crisis", "danger"):
            if ("risk" if sign == "crisis" else "danger") in heard.signs:
                kind, since, asked = sign, number, 0
        if kind and number > since and _answered_no(talk, number):
            if number == len(talk.heard) - 1:
                return talk.say(COMMON, kind, "relieved")
            kind = ""
    if not kind:
        return None
    asked = sum(1 for move in talk.moves if "crisis" in move or "emergency" in move)
    return talk.say(COMMON, kind, "stay" if asked and since < len(talk.heard) - 1 else "ask")


def _answered_no(talk: Talk, number: int) -> bool:
    signs = talk.heard[number].signs
    return (
        "risk" not in signs
        and "danger" not in signs
        and ("risk_denied" in signs or "denies" in signs or "safe" in signs)
    )


def had_danger(talk: Talk) -> bool:
    return any(not heard.signs.isdisjoint(("risk", "danger")) for heard in talk.heard)


def before_goodbye(talk: Talk, goodbye: str) -> str:
    """A goodbye after a sign of danger also says where to turn."""
    if not had_danger(talk):
        return goodbye
    return join(talk.say(COMMON, "before_goodbye"), goodbye, talk.language)


def join(*parts: str) -> str:
    """Sentences one after the other, as the language writes them; the last argument is the language."""
    *said, language = parts
    return ("" if language == "zh" else " ").join(part for part in said if part)


def leaving(talk: Talk, file: str) -> str | None:
    """The answer to a client's goodbye, and the last word at the limit."""
    said_goodbye = any("farewell" in move for move in talk.moves)
    if talk.signs("farewell") and said_goodbye:
        return talk.say(file, "bye_again")
    if talk.signs("farewell") or said_goodbye:
        return before_goodbye(talk, talk.say(file, "goodbye" if helped(talk) else "goodbye_flat"))
    return None


def helped(talk: Talk) -> bool:
    """Whether the client leaves with thanks, or with something of their own."""
    return talk.signs("thanks", "accepts") and not talk.signs("hostile", "pointless")


def repair(talk: Talk, file: str) -> str | None:
    """The first words on a turn that is unreadable, hostile, closed, confused, or about the counselor; else ``None``."""
    if not talk.heard:
        return None
    if not talk.last.readable:
        return talk.say(file, "unreadable")
    for sign, bank in (
        ("asks_counselor", "asks_counselor"),
        ("hostile", "hostile"),
        ("closed", "closed"),
        ("confused", "confused"),
        ("asks_how", "asks_how"),
        ("asks_normal", "asks_normal"),
        ("asks_advice", "asks_advice"),
    ):
        if talk.signs(sign):
            return talk.say(file, bank)
    return None
