"""The plain supportive counselor: comfort and encouragement, questions as they come, no structure and no plan."""

from core.llm.demo.counselor_common import in_danger, join, leaving, repair
from core.llm.demo.counselor_talk import Talk
from core.llm.demo.listening import bad_feelings

PLAIN = "counselor_plain"


def plain(talk: Talk) -> str:
    """The plain supportive counselor's next turn."""
    urgent = in_danger(talk)
    if urgent:
        return urgent
    if not talk.heard:
        return talk.ask(PLAIN, "opening") or talk.say(PLAIN, "short_answer")
    return leaving(talk, PLAIN) or _closing(talk) or _repaired(talk) or _support(talk)


def _repaired(talk: Talk) -> str | None:
    said = repair(talk, PLAIN)
    if said is None or talk.last_seat == "counselor":
        return None
    if not talk.last.readable:
        return talk.ask(PLAIN, "unreadable") or talk.say(PLAIN, "short_answer")
    return join(said, _question(talk), talk.language) if not said.endswith(("?", "？")) else said


def _support(talk: Talk) -> str:
    if not talk.last.told and talk.last.length < 8:
        return join(talk.say(PLAIN, "short_answer"), _question(talk), talk.language)
    first = _comfort(talk)
    drawn = talk.rng.random()
    if drawn < 0.5:
        return join(first, _question(talk), talk.language)
    if drawn < 0.8:
        return join(first, talk.say(PLAIN, "encourage"), talk.language)
    return join(first, talk.say(PLAIN, "encourage"), _question(talk), talk.language)


def _comfort(talk: Talk) -> str:
    clause = talk.best(talk.last)
    if clause and clause.feeling and bad_feelings(talk.last, talk.language) and talk.rng.random() < 0.6:
        return talk.say(PLAIN, "feeling", clause=clause.text)
    if talk.last.felt and not bad_feelings(talk.last, talk.language):
        return talk.say(PLAIN, "good_news")
    things = [thing for thing in talk.last.things if thing not in talk.said]
    if things and talk.rng.random() < 0.3:
        return talk.say(PLAIN, "thing", thing=things[0])
    return talk.say(PLAIN, "comfort")


def _question(talk: Talk) -> str:
    return talk.ask(PLAIN, "ask") or talk.say(PLAIN, "encourage")


def _closing(talk: Talk) -> str | None:
    if talk.left > 3 or any("closing" in move for move in talk.moves):
        return talk.say(PLAIN, "goodbye") if talk.left <= 2 else None
    return talk.say(PLAIN, "goodbye") if talk.left == 1 else talk.say(PLAIN, "closing")
