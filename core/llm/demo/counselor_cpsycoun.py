"""The CPsyCoun four-stage counselor: reception, diagnosis, consultation with a named technique, consolidation."""

from core.llm.demo.bank import keys, lines
from core.llm.demo.counselor_common import before_goodbye, had_danger, helped, in_danger, join, repair
from core.llm.demo.counselor_hill import HILL, QUESTIONS, reflect, share_used
from core.llm.demo.counselor_talk import Talk
from core.llm.demo.text import folded

FOUR = "counselor_cpsycoun"
RECEPTION = (("reception_basics", "age"), ("reception_duration", "duration"), ("reception_purpose", "wish"))


def cpsycoun(talk: Talk) -> str:
    """The four-stage counselor's next turn."""
    urgent = in_danger(talk)
    if urgent:
        return urgent
    if not talk.heard:
        return talk.ask(FOUR, "opening") or talk.say(HILL, "invite")
    return _leaving(talk) or _closing(talk) or _repaired(talk) or _stage(talk)


def _stage(talk: Talk) -> str:
    technique = chosen(talk)
    if technique:
        return _consultation(talk, technique)
    if _formulated(talk) or share_used(talk) > 0.5:
        return _begin_consultation(talk)
    asked = sum(1 for bank, _about in RECEPTION if _used(talk, bank))
    if asked < 2 and share_used(talk) < 0.25:
        return _reception(talk)
    return _diagnosis(talk)


def _used(talk: Talk, bank: str) -> bool:
    return any(folded(line) in talk.said for line in lines(talk.language, FOUR, bank))


def _reception(talk: Talk) -> str:
    """What one has to know first: who the person is, since when, and what for."""
    for bank, about in RECEPTION:
        if about not in talk.asked:
            return join(_listening(talk), talk.ask(FOUR, bank), talk.language)
    return _diagnosis(talk)


def _listening(talk: Talk) -> str:
    return reflect(talk) if talk.rng.random() < 0.5 and talk.best(talk.last) else talk.say(FOUR, "warm")


def _diagnosis(talk: Talk) -> str:
    """How strong, since what, with which thoughts; then the whole put together and offered for correction."""
    options = []
    for line in lines(talk.language, FOUR, "diagnosis"):
        about, question = (part.strip() for part in line.split("|", 1))
        if about not in talk.asked and folded(question) not in talk.said:
            options.append(question)
    asked = len(
        talk.asked & {"impact", "thought", "body", "feeling", "history", "support", "coping", "exception"}
    )
    if not options or asked >= 3 or share_used(talk) > 0.42:
        return _formulate(talk)
    return join(_listening(talk), talk.rng.choice(options), talk.language)


def _formulated(talk: Talk) -> bool:
    return _used(talk, "agree")


def _formulate(talk: Talk) -> str:
    last = talk.best(talk.last)
    first = talk.earlier_clause(last) if last else None
    question = talk.ask(FOUR, "agree") or talk.say(HILL, "invite")
    if first and last:
        return join(talk.say(FOUR, "formulate", first=first.text, clause=last.text), question, talk.language)
    return join(talk.say(FOUR, "formulate_plain"), question, talk.language)


def _begin_consultation(talk: Talk) -> str:
    """Agree on a goal, then introduce a technique that fits what was said."""
    if not _used(talk, "goal") and "wish" not in talk.asked:
        return join(_listening(talk), talk.ask(FOUR, "goal"), talk.language)
    technique = talk.theme(FOUR, "techniques")
    return join(talk.say(FOUR, "warm"), talk.ask(FOUR, "techniques", technique, "intro"), talk.language)


def chosen(talk: Talk) -> str:
    """The technique that was introduced, read from the counselor's own words; empty before."""
    for name in keys(talk.language, FOUR, "techniques"):
        if any(folded(line) in talk.said for line in lines(talk.language, FOUR, "techniques", name, "intro")):
            return name
    return ""


def _consultation(talk: Talk, technique: str) -> str:
    if talk.signs("doubts", "denies") and not talk.last.told:
        said = talk.say(HILL, "doubted")
    else:
        said = talk.say(FOUR, "praise") if talk.rng.random() < 0.5 else reflect(talk)
    return join(said, _next_step(talk, technique) or talk.say(HILL, "invite"), talk.language)


def _next_step(talk: Talk, technique: str) -> str:
    """The technique's next step, in its order; then questions about carrying it into the week."""
    fresh = talk.fresh(FOUR, "techniques", technique, "steps")
    if fresh:
        return fresh[0]
    return next(
        (
            asked
            for about in ("when", "obstacle", "help", "exception")
            if (asked := talk.ask(QUESTIONS, about))
        ),
        "",
    )


# ---- repairs and the end -------------------------------------------------------------------------------------------


def _repaired(talk: Talk) -> str | None:
    said = repair(talk, HILL)
    if said is None or talk.last_seat == "counselor":
        return None
    if not talk.last.readable:
        return talk.ask(HILL, "unreadable") or talk.say(HILL, "short_answer")
    if talk.signs("hostile"):
        return join(said, talk.ask(HILL, "hostile_question"), talk.language)
    return join(said, _question(talk), talk.language)


def _question(talk: Talk) -> str:
    technique = chosen(talk)
    if technique:
        return _next_step(talk, technique)
    for line in talk.fresh(QUESTIONS, "impact") + talk.fresh(QUESTIONS, "exception"):
        return line
    return ""


def _closing(talk: Talk) -> str | None:
    if talk.left > 3 or any("closing" in move for move in talk.moves):
        return _goodbye(talk) if talk.left <= 2 else None
    if talk.left == 1:
        return _goodbye(talk)
    first = talk.first_clause()
    return talk.say(FOUR, "review", first=first.text) if first else talk.say(FOUR, "review_plain")


def _goodbye(talk: Talk) -> str:
    technique = chosen(talk)
    if not technique or had_danger(talk):
        return before_goodbye(talk, talk.say(HILL, "goodbye"))
    homework = talk.say(FOUR, "techniques", technique, "homework")
    return talk.say(FOUR, "goodbye", homework=homework)


def _leaving(talk: Talk) -> str | None:
    if not talk.signs("farewell") and not any("farewell" in move for move in talk.moves):
        return None
    if any("farewell" in move for move in talk.moves):
        return talk.say(HILL, "bye_again")
    return _goodbye(talk) if helped(talk) else before_goodbye(talk, talk.say(HILL, "goodbye_flat"))
