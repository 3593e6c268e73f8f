"""What the numbers of a page rest on, in one line: who judged with which engine, what made the sessions, instrument, study."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.results.claims import engine_of
from core.results.reading import Held
from core.results.voices import Voice
from pages.components import badges, results_words
from pages.components.words import _

if TYPE_CHECKING:
    import pandas as pd

JUDGE = {"rules": "demo", "model": "openai"}


@dataclass(frozen=True)
class Made:
    """Facts without words, so that they can be kept for every language.

    Args:
        study: its id, 0 for everything in the store. versions: of the judge's engine.
        sessions: engines that made the judged sessions, *demo* among them where it spoke in a mixed one. instrument: its id; its version is the voice's.
    """

    study: int
    voice: Voice
    instrument: str
    versions: tuple[str, ...]
    sessions: tuple[str, ...]

    @property
    def engine(self) -> str:
        """The engine kind whose label all of it has to wear."""
        return engine_of(self.voice.kind, self.sessions)


def made(study: int, instrument: str, voice: Voice, rows: "pd.DataFrame", held: Mapping[int, Held]) -> Made:
    """What ratings or comparisons of one voice rest on."""
    columns = [name for name in ("session", "first", "second") if name in rows]
    ids = {int(id) for name in columns for id in rows[name].unique()}
    versions = tuple(sorted(version for version in rows["engine_version"].unique() if version))
    known = [held[id] for id in ids if id in held]
    return Made(study, voice, instrument, versions, tuple(sorted({name for one in known for name in (one.engine, one.made_by)})))


def words(one: Made) -> str:
    """The line that stands in every figure, under every table and in every download."""
    own = JUDGE.get(one.voice.kind, "")
    parts = [judge_words(one)]
    if others := [kind for kind in one.sessions if kind != own]:
        parts.append(_("sessions: {engines}").format(engines=_(", ").join(map(badges.engine_words, others))))
    name = results_words.instrument_name(one.instrument)
    parts.append(_("{name}, version {n}").format(name=name, n=one.voice.version))
    parts.append(_("study {n}").format(n=one.study) if one.study else _("all studies"))
    return _(" · ").join(parts)


def judge_words(one: Made) -> str:
    """Who judged: the engine and its version of an agent, what kind of rater else."""
    kind = one.voice.kind
    engine = badges.engine_words(JUDGE[kind]) if kind in JUDGE else results_words.rater_kind(kind)
    if one.versions and kind in JUDGE:
        engine = _("{engine}, version {version}").format(engine=engine, version=_(", ").join(one.versions))
    name = results_words.rater_name(one.voice.name, kind)
    if one.voice.setting:
        name = _("{name} ({setting})").format(name=name, setting=results_words.setting_name(one.voice.setting))
    return _("Judge: {name} · {engine}").format(name=name, engine=engine)
