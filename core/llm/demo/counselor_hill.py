"""The Hill-guided counselor: exploration, insight and action, each left when the client is ready (Hill, 2014).

Exploration listens (restatement, reflection of feeling, open questions), insight offers guesses that link what the
client said, action plans one step together.
"""

from core.llm.demo.bank import pattern
from core.llm.demo.counselor_common import in_danger, join, leaving, repair
from core.llm.demo.counselor_talk import Talk
from core.llm.demo.listening import Clause, Heard, bad_feelings
from core.llm.demo.text import folded

HILL, QUESTIONS = "counselor_hill", "counselor_questions"
EXPLORING = ("impact", "thought", "history", "support", "coping", "body")
SHORT = {"en": 8, "zh": 6}  # words or characters: fewer than these are an answer in passing
PLANNING = ("wish", "step", "obstacle", "help", "when", "confidence", "number")


def hill(talk: Talk) -> str:
    """The Hill-guided counselor's next turn."""
    urgent = in_danger(talk)
    if urgent:
        return urgent
    if not talk.heard:
        return _ask(talk, "opening", "story") if not talk.own else _ask(talk, "story", "feeling", "impact")
    return leaving(talk, HILL) or _closing(talk) or _repaired(talk) or _stage(talk)


def _stage(talk: Talk) -> str:
    if talk.last_seat == "counselor":
        return join(talk.say(HILL, "invite"), talk.language)
    if ready_to_act(talk):
        return action(talk)
    if ready_for_insight(talk):
        return insight(talk)
    return exploration(talk)


# ---- readiness ---------------------------------------------------------------------------------------------------


def share_used(talk: Talk) -> float:
    """How much of the session is over, 0 to 1."""
    used = len(talk.own) + len(talk.client)
    return used / (used + talk.left)


def ready_for_insight(talk: Talk) -> bool:
    """Enough has been told and felt, or half of the time is over and something has been told."""
    felt = any(heard.felt for heard in talk.heard)
    explored = talk.told >= 4 and felt and len(talk.covered & set(EXPLORING)) >= 2
    late = share_used(talk) > 0.45 and talk.told >= 2
    return guesses(talk) > 0 or explored or late


def guesses(talk: Talk) -> int:
    """How many interpretations have been offered."""
    return sum(1 for move in talk.moves if "interpretation" in move)


def ready_to_act(talk: Talk) -> bool:
    """Action begins when an interpretation was taken up, the client asks for it, or the time calls for it."""
    if talk.asked & {"wish", "step"}:
        return True
    if talk.told < 3:
        return False
    taken_up = guesses(talk) >= 1 and any("accepts" in heard.signs for heard in talk.heard[-2:])
    wants = guesses(talk) >= 1 and talk.signs("asks_advice", "ready")
    return (
        (taken_up and guesses(talk) + _meanings(talk) >= 2)
        or wants
        or guesses(talk) >= 3
        or share_used(talk) > 0.62
    )


def _meanings(talk: Talk) -> int:
    used = [line for line in (_lines(talk, "meaning")) if folded(line) in talk.said]
    return len(used)


def _lines(talk: Talk, bank: str) -> tuple[str, ...]:
    from core.llm.demo.bank import lines

    return lines(talk.language, HILL, bank)


# ---- exploration -------------------------------------------------------------------------------------------------


def exploration(talk: Talk) -> str:
    """Say back what was said, a feeling first, and open the next side of the story."""
    if _short(talk):
        lead = talk.say(HILL, "attend" if talk.signs("thanks") else "short_answer")
        return join(lead, _ask(talk, *_sides(talk)), talk.language)
    heard = reflect(talk)
    invite_only = talk.told >= 2 and talk.rng.random() < 0.15 and "invite" not in talk.last_about
    question = talk.say(HILL, "invite") if invite_only else _ask(talk, *_sides(talk))
    return join(heard, question, talk.language)


def _short(talk: Talk) -> bool:
    """Whether the client only said a word or two."""
    return not talk.last.told and talk.last.length < SHORT[talk.language]


def _sides(talk: Talk) -> list[str]:
    """The sides of the story still to be opened, the next one first."""
    sides = [side for side in EXPLORING if side not in talk.covered]
    talk.rng.shuffle(sides)
    asked = sum(move.about == "feeling" for move in talk.moves)
    named = any(bad_feelings(heard, talk.language) for heard in talk.heard)
    if not asked or (asked < 2 and not named):
        sides.insert(0 if talk.told >= 1 else 1, "feeling")
    if talk.told < 2 and talk.last_about != "story":
        sides.insert(0, "story")
    rest = [side for side in ("exception", "story", "feeling", *EXPLORING, "wish") if side not in sides]
    rest.sort(key=lambda side: side in talk.covered - talk.asked)  # last what the client told unasked
    return [side for side in (*sides, *rest) if side != talk.last_about] or ["story"]


def reflect(talk: Talk) -> str:
    """The client's own words, turned round: the clause with a feeling before any other; plain attention where none fits."""
    if talk.signs("tried"):
        return talk.say(HILL, "tried")
    clause = talk.best(talk.last)
    if clause is None:
        words = [feeling.word for feeling in bad_feelings(talk.last, talk.language) if feeling.kind != "verb"]
        fresh = [word for word in words if word not in talk.said]
        return talk.say(HILL, "feeling_word", feeling=fresh[0]) if fresh else talk.say(HILL, "attend")
    if (
        clause.feeling is not None
        and clause.feeling in talk.last.felt
        and not bad_feelings(talk.last, talk.language)
    ):
        return talk.say(HILL, "glad", clause=clause.text)
    return talk.say(HILL, "feeling" if clause.feeling else "restate", clause=clause.text)


# ---- insight -----------------------------------------------------------------------------------------------------


def insight(talk: Talk) -> str:
    """Offer a guess: first a link between two things the client said, later a theme; then look at what it means."""
    offered = bool(talk.moves) and "interpretation" in talk.moves[-1]
    if guesses(talk) and (talk.signs("doubts") or (offered and talk.signs("denies"))):
        return join(
            talk.say(HILL, "doubted"), _ask(talk, "thought", "feeling", "history", "exception"), talk.language
        )
    if guesses(talk) and (talk.signs("accepts") or (offered and _short(talk) and talk.signs("agrees"))):
        felt = bad_feelings(talk.last, talk.language) and talk.best(talk.last)
        first = reflect(talk) if felt else talk.say(HILL, "accepted")
        return join(first, talk.ask(HILL, "meaning"), talk.language)
    if _short(talk):
        return exploration(talk)
    if guesses(talk) >= 1 and talk.rng.random() < 0.35 and _meanings(talk) == 0:
        return join(reflect(talk), talk.ask(HILL, "meaning"), talk.language)
    return _guess(talk)


def _guess(talk: Talk) -> str:
    clause = talk.best(talk.last)
    earlier = talk.earlier_clause(clause) if clause else None
    if clause and earlier and not any(_is_link(move_text, talk) for move_text in talk.own):
        said = talk.say(HILL, "link", clause=clause.text, earlier=earlier.text)
        return join(said, _checked(talk, talk.say(HILL, "link_guess")), talk.language)
    theme = talk.theme(HILL, "themes")
    guess = talk.ask(HILL, "themes", theme, "guesses") or talk.say(HILL, "themes", "general", "guesses")
    return join(reflect(talk), _checked(talk, guess), talk.language)


def _checked(talk: Talk, guess: str) -> str:
    """A guess with the question how it sounds; a guess that is a question asks that itself."""
    return guess if guess.endswith(("?", "？")) else join(guess, talk.ask(HILL, "check"), talk.language)


def _is_link(text: str, talk: Talk) -> bool:
    low = folded(text)
    return any(folded(line) in low for line in _lines(talk, "link_guess"))


# ---- action ------------------------------------------------------------------------------------------------------


def action(talk: Talk) -> str:
    """Plan one step together: a wish, an idea of the client's, what hinders, what helps, when, how sure."""
    planned = [about for about in PLANNING if about in talk.asked]
    if not planned:
        return join(_turn_to_action(talk), _ask(talk, "wish", "step"), talk.language)
    if talk.last_about in ("step", "option", "wish") and _declined(talk):
        side = "exception" if "exception" not in talk.asked else "help"
        return join(talk.say(HILL, "no_step"), _ask(talk, side, "support", "takeaway"), talk.language)
    return join(_planning_heard(talk), _ask(talk, *_next_plan(talk)), talk.language)


def _turn_to_action(talk: Talk) -> str:
    if talk.signs("asks_advice"):
        return ""
    return join(
        talk.say(HILL, "accepted") if talk.signs("accepts") else reflect(talk),
        talk.say(HILL, "to_action"),
        talk.language,
    )


def _declined(talk: Talk) -> bool:
    return talk.signs("denies", "doubts", "closed", "dont_know", "declines") and step_clause(talk) is None


def _planning_heard(talk: Talk) -> str:
    """Take up what the client just planned, in the client's own words."""
    step = step_clause(talk)
    if talk.last_about in ("step", "option") and step is not None:
        return talk.say(HILL, "step_heard", clause=step.text)
    if talk.last_about == "confidence" and number_in(talk):
        return talk.say(HILL, "number_heard", number=number_in(talk)) if "number" in talk.asked else ""
    return talk.say(HILL, "short_answer") if _short(talk) else reflect(talk)


def step_clause(talk: Talk) -> Clause | None:
    """The clause in which the client says what they could or will do."""
    return _step_in(talk.last, talk.language)


def planned_step(talk: Talk) -> Clause | None:
    """The last step the client named when asked for one."""
    if "step" not in talk.asked:
        return None
    found = [_step_in(heard, talk.language) for heard in talk.heard[-6:]]
    return next((step for step in reversed(found) if step), None)


def _step_in(heard: Heard, language: str) -> Clause | None:
    steps = pattern(language, "language", "clauses", "step")
    options = [clause for clause in heard.clauses if steps.search(folded(clause.said))]
    return options[-1] if options else None


def number_in(talk: Talk) -> str:
    """The number from 0 to 10 the client just gave, as they wrote it."""
    found = pattern(talk.language, "language", "clauses", "number").search(folded(talk.last.text))
    return found.group() if found else ""


def _next_plan(talk: Talk) -> list[str]:
    if planned_step(talk) is None:  # nothing to plan with yet: what is wished for, and what has ever helped
        open_yet = ("wish", "step", "exception", "support", "coping", "history")
        return [*(about for about in open_yet if about not in talk.covered), "thought", "option", "takeaway"]
    left = [about for about in PLANNING if about not in talk.asked]
    if "number" in left and not (talk.last_about == "confidence" and number_in(talk)):
        left.remove("number")
    if talk.left <= 6 and "step" in talk.asked:
        left = [about for about in left if about in ("obstacle", "confidence", "number")] or left
    elif "obstacle" not in left and "help" in left and talk.last_about != "obstacle":
        left.remove("help")
    return [*left, "option", "exception", "support", "coping", "takeaway"]


# ---- repairs and the end -------------------------------------------------------------------------------------------


def _repaired(talk: Talk) -> str | None:
    said = repair(talk, HILL)
    if said is None or talk.last_seat == "counselor":
        return None
    if not talk.last.readable:
        return talk.ask(HILL, "unreadable") or talk.say(HILL, "short_answer")
    if talk.signs("hostile"):
        return join(said, talk.ask(HILL, "hostile_question"), talk.language)
    if talk.signs("closed"):
        return join(said, _ask(talk, "exception", "coping", "wish", "support"), talk.language)
    if talk.signs("asks_advice") and talk.told >= 3:
        return join(
            said,
            _ask(talk, *(about for about in ("wish", "step") if about not in talk.asked), "option"),
            talk.language,
        )
    return join(said, _ask(talk, *_sides(talk)), talk.language)


def _closing(talk: Talk) -> str | None:
    """Towards the limit: sum up, ask what stays, and let the client say goodbye."""
    if talk.left > 3 or any("closing" in move for move in talk.moves):
        return talk.say(HILL, "goodbye") if talk.left <= 2 else None
    if talk.left == 1:
        return talk.say(HILL, "goodbye")
    first, step = talk.first_clause(), planned_step(talk)
    last = step or talk.best(talk.last)
    question = talk.ask(QUESTIONS, "takeaway")
    if first and last and folded(first.text) != folded(last.text) and talk.told >= 3:
        bank = "sum_up_step" if step else "sum_up"
        return join(talk.say(HILL, bank, first=first.text, clause=last.text), question, talk.language)
    return join(talk.say(HILL, "sum_up_plain"), question, talk.language)


def _ask(talk: Talk, *about: str) -> str:
    """The first question of these aspects that has not been asked; an invitation where none is left."""
    number = number_in(talk)
    for aspect in about:
        if aspect == "number" and not number:
            continue
        question = talk.ask(QUESTIONS, aspect, number=number)
        if question:
            return question
    return talk.say(HILL, "invite")
