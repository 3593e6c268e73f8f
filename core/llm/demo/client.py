"""The simulated client of the demo engine: it speaks from its role card, and trusts as it is understood.

A turn is the first that fits of: what is no part of a session, danger, the end, a push, a question, an invitation.
Facts come in the order of trust; traits are heard in what is left out, added and defended.
"""

from collections.abc import Mapping
from random import Random
from typing import Any

from core.llm.demo.bank import pattern
from core.llm.demo.client_mood import EARLY, presses, pushes
from core.llm.demo.client_scene import Scene, join, scene_of
from core.llm.demo.text import folded, tokens

# what a question asks about → the kinds of facts that answer it, the nearest first
ANSWERED_BY = {
    "story": ("story", "open", "impact", "event", "feeling", "thought", "deep"),
    "impact": ("impact", "story", "feeling", "thought", "deep"),
    "feeling": ("feeling", "impact", "deep", "story"),
    "thought": ("thought", "feeling", "deep", "story"),
    "history": ("event", "deep", "thought", "story"),
    "wish": ("wish", "feeling", "impact"),
}
BANKS = {"support": "support", "coping": "coping", "body": "emotional_baseline"}  # aspect → trait that decides
MOST_TURNS = 16  # a client that has said all it has to say leaves after this many turns of its own


def turn(inputs: Mapping[str, Any], rng: Random, language: str) -> str:
    """The client's next turn; on any input, never empty."""
    scene = scene_of(inputs, rng, language)
    return (
        _opening(scene)
        or _outside(scene)
        or _danger(scene)
        or _ending(scene)
        or _pushed(scene)
        or _closed(scene)
        or _answer(scene)
    )


ANSWERS = {"client/turn": turn}


# ---- what comes before an answer ---------------------------------------------------------------------------------


def _opening(scene: Scene) -> str:
    """What brings the client here; the first turn is read for what the counselor said before it, too."""
    if scene.own:
        return ""
    hello = scene.always("hello") if not scene.card.has("detached") or not scene.other else ""
    known = scene.say("begin", scene.card.trait("trust")) if scene.card.trait("trust") else ""
    brought = scene.fact("open") or scene.fact("story") or scene.always("step_none")
    return join(scene.language, hello, known if not scene.card.has("introverted") else "", brought)


def _outside(scene: Scene) -> str:
    """Remarks that are no part of a session get the answer a client would give a strange remark."""
    if not scene.heard.strip() or scene.spoke_last:
        return join(scene.language, scene.always("silence") if not scene.spoke_last else "", _more(scene))
    if pattern(scene.language, "client", "patterns", "odd_task").search(folded(scene.heard[:3000])):
        return scene.always("odd_task")
    return "" if scene.readable else scene.always("unreadable")


def _danger(scene: Scene) -> str:
    """Asked about suicide, a client answers at once and clearly."""
    if scene.move.about != "crisis" and "crisis" not in scene.move:
        return ""
    if not scene.card.risk:
        return scene.always("crisis", "denied")
    return scene.always("crisis", "safe" if scene.ever("crisis", "some") else "some")


# ---- the end -------------------------------------------------------------------------------------------------------


def _ending(scene: Scene) -> str:
    """Goodbye when the counselor closes, when the client was helped, and when nothing moves any more."""
    closing = "farewell" in scene.move or ("closing" in scene.move and len(scene.own) > EARLY)
    if closing and "question" not in scene.move:
        gone = any(scene.ever("leave", kind) for kind in ("helped", "done", "stuck"))
        return scene.always("bye", "again" if gone else _outcome(scene))
    if scene.mood.cold >= 3 and scene.mood.trust < 0 and len(scene.own) >= 5:
        return scene.always("leave", "stuck")
    if _settled(scene):
        return scene.always("leave", "helped")
    if len(scene.own) >= MOST_TURNS and scene.ever("nothing_more"):
        return scene.always("leave", "done" if scene.mood.trust >= 0 else "stuck")
    return ""


def _outcome(scene: Scene) -> str:
    if scene.planned and scene.mood.trust >= 1:
        return "helped"
    return "plain" if scene.mood.trust >= 0.5 else "flat"


def _settled(scene: Scene) -> bool:
    """A step is named, it has been talked through, and little is left to say."""
    talked = sum(scene.ever("confidence", level) for level in ("low", "middle", "high"))
    talked += scene.ever("when") + scene.ever("help") + scene.ever("takeaway", "planned")
    asked = scene.move.about in ("takeaway", "confidence", "when", "help", "number", "obstacle", "option")
    return scene.planned and scene.mood.trust >= 1.5 and talked >= 2 and not asked


# ---- being pushed --------------------------------------------------------------------------------------------------


def _pushed(scene: Scene) -> str:
    """Advice: too early it makes the client hold back in its own way; later it is weighed."""
    if "advice" not in scene.move or "reflection" in scene.move or "exercise" in (*scene.move.features, scene.move.about):
        return ""
    style = scene.variant("advice_early", scene.card.trait("response_style"))
    if pushes(scene.move, early=len(scene.other) <= EARLY):
        answer = scene.say("advice_early", style)
        return join(scene.language, answer, _more(scene) if style != "resistant" or not answer else "")
    if "question" in scene.move and scene.move.about not in ("step", "option", "wish", "story", ""):
        return ""
    return scene.say("advice_late", "goes_along" if _willing(scene) else "declines")


def _willing(scene: Scene) -> bool:
    """Whether this client goes along by now: receptivity and trust together."""
    return scene.card.yields >= 2 and scene.mood.trust + 0.5 * (scene.card.yields - 3) >= 1.5


def _closed(scene: Scene) -> str:
    """What sets this client off closes it for one turn, once in a session."""
    kind = scene.card.trait("triggers")
    if kind == "topic" and scene.move.about == scene.card.sore and scene.mood.trust < 3.5:
        return "" if scene.ever("trigger", "topic", scene.card.sore) else scene.say("trigger", "topic", scene.card.sore)
    if kind == "therapist" and presses(scene.move):
        return "" if scene.ever("trigger", "therapist") else scene.say("trigger", "therapist")
    return ""


# ---- answering -----------------------------------------------------------------------------------------------------


def _answer(scene: Scene) -> str:
    """First a word on what the counselor said, then what was asked for, then how this person sounds."""
    startled = ""
    if scene.card.trait("triggers") == "environmental" and len(scene.own) == 3:
        startled = scene.say("trigger", "environmental")
    lead = "" if startled else _lead(scene)
    core = _soothed(scene) or _asked(scene)
    return join(scene.language, startled, lead, core, _tone(scene, core))


def _lead(scene: Scene) -> str:
    """Yes, no or thanks to what the counselor offered; nothing to a bare question."""
    move, card = scene.move, scene.card
    if move.about in PLANNING and "interpretation" not in move:
        return ""
    if "interpretation" in move:
        if _willing(scene) or (scene.mood.trust >= 1.5 and scene.chance(0.5)):
            return scene.say("accepts")
        return scene.say("doubts_logic" if card.has("needs_logic") else "doubts")
    if "reflection" in move and _taken_up(scene):
        if scene.mood.trust >= 1 and scene.chance(0.25):
            return scene.say("warmed")
        cool = "confirm_resistant" if card.has("resistant") and scene.mood.trust < 2 else ""
        cool = cool or ("confirm_detached" if card.has("detached") and scene.chance(0.6) else "confirm")
        return scene.say(cool) if scene.chance(0.75) else ""
    return scene.say("warmed") if "support" in move and scene.mood.trust >= 0.5 and scene.chance(0.4) else ""


def _taken_up(scene: Scene) -> bool:
    """Whether the counselor's turn holds words of the client's last one; plain attention is not answered with a yes."""
    least = 6 if scene.language == "zh" else 4
    return bool(scene.own) and len(set(tokens(scene.heard)) & set(tokens(scene.own[-1]))) >= least


def _soothed(scene: Scene) -> str:
    """Asked for feelings before there is trust, a client puts them away in its own way, once."""
    way = scene.card.trait("self_soothing")
    close = scene.move.about == "feeling" and len(scene.own) >= 2 and scene.mood.trust < 3
    if not way or not close or scene.ever("soothe", way):
        return ""
    felt = scene.fact("feeling") if scene.mood.allows("feeling") and way != "distraction" else ""
    return join(scene.language, felt, scene.say("soothe", way))


def _asked(scene: Scene) -> str:
    """What the last question asks for."""
    about = scene.move.about
    if "exercise" in scene.move and about in ("impact", "body", "story", "feeling"):
        about = "exercise"  # "Breathe in slowly. What do you notice?"
    if about in PLANNING:
        return PLANNING[about](scene) or _more(scene)
    if about in BANKS:
        bank = scene.say(about, scene.variant(about, scene.card.trait(BANKS[about])))
        return bank or scene.say(about, "other") or _more(scene)
    if about == "age":
        return scene.fact("self") or _more(scene)
    if about in ("exception", "duration", "friend", "likes"):
        return scene.say(about) or _more(scene)
    return _fact(scene, ANSWERED_BY.get(about, ANSWERED_BY["story"])) or _spent(scene)


def _fact(scene: Scene, kinds: tuple[str, ...]) -> str:
    """The nearest fact that trust allows; what is asked for too early is put off in so many words, now and then."""
    for number, kind in enumerate(kinds):
        if not scene.mood.allows(kind):
            if number == 0 and scene.chance(0.5) and (put_off := scene.say("not_yet")):
                return put_off
            continue
        told = scene.fact(kind)
        if told:
            lead = scene.say("deep_lead") if kind == "deep" else ""
            lead = lead or (scene.say("event_lead") if kind == "event" and scene.chance(0.6) else "")
            return join(scene.language, lead, told)
    return ""


def _more(scene: Scene) -> str:
    """What the client goes on with when nothing in particular was asked."""
    return _fact(scene, ANSWERED_BY["story"]) or _spent(scene)


def _spent(scene: Scene) -> str:
    """Little is left to say: a wish or a word on oneself, then that it is so."""
    return scene.fact("wish") or scene.fact("self") or scene.always("nothing_more")


def _tone(scene: Scene, core: str) -> str:
    """How this person sounds behind an answer: a thinking pattern or the emotional baseline, not every time."""
    if len(scene.own) % 2 == 0 or scene.move.about in PLANNING:
        return ""
    pattern_, baseline = scene.card.trait("cognitive_biases"), scene.card.trait("emotional_baseline")
    first, second = (("bias", pattern_), ("tone", baseline))
    if len(scene.own) % 4 == 1:
        first, second = second, first
    for path in (first, second):
        known = path[1] and (path[0] == "tone" or scene.card.slots["worst"])
        if known and (said := scene.say(*path)) and folded(said) not in folded(core):
            return said
    return ""


# ---- planning ------------------------------------------------------------------------------------------------------


def _step(scene: Scene) -> str:
    step = scene.step()
    if not step or not _willing(scene):
        return scene.say("step_none")
    return scene.always("step", step=step)


def _option(scene: Scene) -> str:
    step = scene.step()
    if not step or not _willing(scene):
        return scene.say("option_none") or scene.say("step_none")
    return scene.say("option", step=step)


def _obstacle(scene: Scene) -> str:
    bank = scene.variant("obstacle", scene.card.trait("conscientiousness"))
    return scene.say("obstacle", bank) or scene.say("obstacle", "other")


def _confidence(scene: Scene) -> str:
    number = round(min(9.0, max(2.0, 3 + scene.mood.trust * 0.7 + (scene.card.yields - 3))))
    level = "low" if number <= 4 else "middle" if number <= 6 else "high"
    return scene.always("confidence", level, number=str(number))


def _takeaway(scene: Scene) -> str:
    kinds = {"helped": "planned", "plain": "helped", "flat": "flat"}
    return scene.always("takeaway", kinds[_outcome(scene)])


def _exercise(scene: Scene) -> str:
    return scene.say("exercise", "goes_along" if _willing(scene) or scene.card.has("curious") else "declines")


PLANNING = {
    "step": _step, "option": _option, "obstacle": _obstacle, "confidence": _confidence, "takeaway": _takeaway,
    "exercise": _exercise, "help": lambda scene: scene.say("help"), "when": lambda scene: scene.say("when"),
    "number": lambda scene: scene.say("number"),
    "weigh": lambda scene: scene.say("weigh" if _willing(scene) else "weigh_no"),
}  # fmt: skip
