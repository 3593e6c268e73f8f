"""Results in words: names of counselors, raters, stages, dimensions and items; what a number may be called."""

from collections.abc import Mapping
from html import escape
from unicodedata import east_asian_width

from core import instruments
from core.agreement.notes import Note
from core.agreement.winning import Pair
from core.instruments import Instrument
from core.results.claims import Claim, short
from core.results.voices import JUDGES, Voice
from core.results.wins import Contest
from pages.components import badges, resources
from pages.components.words import _, in_words, language

SHORT = 8  # characters of a hash that tell two raters of one name apart


def say_note(note: Note) -> str:
    """A note in the language of this session."""
    return _(note.message).format(**note.values)


def counselors() -> dict[str, str]:
    """Names of the shipped agents and methods in this language; others are called as they are stored."""
    shipped = {agent.name: resources.agent_name(agent) for agent in resources.store().agents.all()}
    return shipped | {
        "memo2demo": _("Memo2Demo"), "roleplay": _("Role-play"), "imported": _("Imported"),
        "simulated": _("Simulated"), "reconstructed": _("Rebuilt from a report"), "live": _("With a person"),
    }  # fmt: skip


def rater_kind(kind: str) -> str:
    return {
        "person": _("a person"), "consensus": _("consensus of people"), "model": _("a model"),
        "rules": _("rules (demo engine)"), "simulated client": _("a simulated client"),
        "reference": _("came with the data"),
    }.get(kind, kind)  # fmt: skip


def setting_name(setting: str) -> str:
    return {
        "none": _("no anchors"), "general": _("one evidence scale"), "detailed": _("anchors per item"),
        "reasoning": _("anchors, reasoning first"),
    }.get(setting, setting)  # fmt: skip


def rater_name(name: str, kind: str, agent_hash: str = "") -> str:
    """A rater's name; with the beginning of its hash where another rater of its kind has the same."""
    shown = counselors().get(name, name)
    known = resources.store().raters.all(kind=kind, name=name) if agent_hash else []
    return _("{name} ({hash})").format(name=shown, hash=agent_hash[:SHORT]) if len(known) > 1 else shown


def voice_name(voice: Voice) -> str:
    """A rater and the way of rating, so that two ways of one rater are told apart."""
    hash = voice.who if voice.kind in JUDGES else ""
    parts = [rater_name(voice.name, voice.kind, hash), rater_kind(voice.kind)]
    if voice.setting:
        parts.append(setting_name(voice.setting))
    if voice.way == "instrument":
        parts.append(_("all items in one call"))
    if voice.prompt:
        parts.append(_("prompt {n}").format(n=voice.prompt_version))
    parts.append(_("instrument {n}").format(n=voice.version))
    parts.append({"en": "English", "zh": "中文"}.get(voice.language, voice.language))
    return " · ".join(parts)


def instrument_name(id: str) -> str:
    return instruments.load(id).name.of(language()) if id in instruments.catalogue() else id


def stage_name(instrument: Instrument, stage: str) -> str:
    return in_words(instrument.stages[stage].model_dump()) if stage in instrument.stages else stage


def dimension_name(instrument: Instrument, dimension: str) -> str:
    if dimension == "total":
        return _("Total")
    known = {d.id: d.name.of(language()) for d in instrument.dimensions}
    return known.get(dimension, dimension)


def item_name(instrument: Instrument, item: str) -> str:
    """What readers see for an item: its name where it has one, else its number or code."""
    known = {one.id: one.name.of(language()) for one in instrument.items if one.name}
    return known.get(item, item)


def item_text(instrument: Instrument, item: str) -> str:
    known = {one.id: one.text.of(language()) for one in instrument.items}
    return known.get(item, item)


def outcome_name(state: str) -> str:
    return {
        "decided": _("decided"), "tie": _("tie in both orders"), "orders_disagree": _("orders disagree (counts as a tie)"),
        "undecided": _("undecided: one order unreadable"), "skipped": _("skipped: nothing readable"),
    }[state]  # fmt: skip


def claim_name(claim: Claim) -> str:
    return {
        "pipeline check": _("Pipeline check"), "by rules": _("Scored by rules"), "result": _("Result"),
    }[claim]  # fmt: skip


def claim_badge(claim: Claim) -> badges.Badge:
    if claim == "result":
        return badges.fact(claim_name(claim), "grid_on")
    words = _("Rules judged what rules said: this shows that the chain works, and nothing about counselors.")
    if claim == "by rules":
        words = _("No model and no person judged this.")
    return badges.Badge(claim_name(claim), ":material/rule:", "violet", words)


def decision_name(pair: Pair, claim: Claim, names: Mapping[str, str]) -> str:
    """The paper's decision; a check of the pipeline and a score by rules have none."""
    if claim != "result":
        return claim_name(claim)
    if pair.decision is None:
        return "–"
    return _("Tie") if pair.decision == "tie" else names.get(pair.decision, pair.decision)


def sentences(*said: str) -> str:
    """Sentences one after the other; Chinese ones have no space between."""
    return ("" if language() == "zh" else " ").join(words for words in said if words)


def asked_words(contest: Contest) -> str:
    return _("both orders") if contest.both_orders else _("one order")


def between(low: float, high: float) -> str:
    """An interval; how far below −1 an ICC of a mean may lie says nothing more."""
    if low != low or high != high:
        return "–"
    return f"{short(low) if low >= -1 else '< −1'} – {short(high)}"


def share(value: float) -> str:
    return "–" if value != value else f"{value * 100:.0f} %"


def for_figure(words: str, width: int = 0) -> str:
    """Words for a plotly label, which reads a few HTML tags; broken into lines of about ``width`` letters.

    A Chinese character is as wide as two letters and may stand at the end of any line.
    """
    if not width:
        return escape(words, quote=False)
    lines: list[str] = []
    for word in pieces(words, width):
        if lines and wide(lines[-1]) + wide(word) < width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "<br>".join(escape(line, quote=False) for line in lines)


def pieces(words: str, width: int) -> list[str]:
    """The words, those of Chinese characters that are too long in even parts."""
    found: list[str] = []
    for word in words.split():
        if wide(word) <= width or wide(word) == len(word):
            found.append(word)
            continue
        parts = -(-wide(word) // width)
        size = -(-len(word) // parts)
        found += [word[at : at + size] for at in range(0, len(word), size)]
    return found


def wide(words: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in words)
