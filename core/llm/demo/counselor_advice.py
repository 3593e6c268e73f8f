"""The advice-giving counselor: a short acknowledgement, then advice, from the first answer on."""

from collections.abc import Iterator

from core.llm.demo.bank import lines
from core.llm.demo.counselor_common import in_danger, join, leaving, repair
from core.llm.demo.counselor_talk import Talk, fill
from core.llm.demo.text import folded

ADVICE = "counselor_advice"


def advice(talk: Talk) -> str:
    """The advice-giving counselor's next turn."""
    urgent = in_danger(talk)
    if urgent:
        return urgent
    if not talk.heard:
        return talk.ask(ADVICE, "opening") or talk.say(ADVICE, "short_answer")
    return leaving(talk, ADVICE) or _closing(talk) or _advise(talk)


def _advise(talk: Talk) -> str:
    said = repair(talk, ADVICE) if not talk.signs("asks_advice") else None
    if said and not talk.last.readable:
        return talk.ask(ADVICE, "unreadable") or talk.say(ADVICE, "short_answer")
    if said is None:
        said = _acknowledge(talk)
    if not talk.own and talk.rng.random() < 0.5:
        return talk.ask(ADVICE, "first")
    more = talk.say(ADVICE, "close_ask") if talk.rng.random() < 0.35 else ""
    return join(said, _piece(talk), more, talk.language)


def _acknowledge(talk: Talk) -> str:
    if not talk.last.told and talk.last.length < 8:
        return talk.say(ADVICE, "short_answer")
    if talk.signs("doubts", "denies", "tried"):
        return talk.say(ADVICE, "pushback")
    return talk.say(ADVICE, "ack")


def _piece(talk: Talk) -> str:
    """Advice on what the client speaks of most that has not been given yet, in a frame that has not been used."""
    for theme in _themes(talk):
        options = [
            line
            for line in lines(talk.language, ADVICE, "themes", theme, "advice")
            if folded(line) not in talk.said
        ]
        if options:
            said = talk.rng.choice(options)
            frames = talk.fresh(ADVICE, "frames") or lines(talk.language, ADVICE, "frames")
            return fill(talk.rng.choice(frames), talk.language, {"advice": said})
    return talk.say(ADVICE, "close_ask")


def _themes(talk: Talk) -> Iterator[str]:
    yield talk.theme(ADVICE, "themes")
    yield "general"


def _closing(talk: Talk) -> str | None:
    if talk.left > 3 or any("closing" in move for move in talk.moves):
        return talk.say(ADVICE, "goodbye") if talk.left <= 2 else None
    return talk.say(ADVICE, "goodbye") if talk.left == 1 else talk.say(ADVICE, "closing")
