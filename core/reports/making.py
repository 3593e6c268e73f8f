"""What is made from a report: its counseling note, and the dialogue rebuilt from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.clearance import Source
from core.errors import DataError, NotFound
from core.llm.asking import OnText, ask, make_question
from core.llm.seam import Engine, Settings
from core.people import agreements, reviews
from core.reports.checks import Fault
from core.reports.rebuilt import fault_row, faults_of, report_inputs, weight
from core.reports.replies import Dialogue, Note
from core.reports.service import spoken, usable
from core.sessions import safety
from storage import tables
from storage.reviewed import text_hash
from storage.store import Store

How = Literal["memo2demo", "roleplay"]


async def write_note(
    store: Store, engine: Engine, report_id: int, *, seed: int = 0, settings: Settings | None = None,
    on_text: OnText = None, study_id: int | None = None, unit_id: int | None = None,
) -> tables.Note:  # fmt: skip
    """Ask for the four-part note and save it as the next version.

    Raises:
        Refused: the masking is not confirmed and the engine is not on this machine.
        ModelError: no usable answer; nothing was saved but the call.
    """
    report = store.reports.get(report_id)
    source = source_of(report)
    question = make_question(
        store, "report/note", {"report": report_inputs(report)}, language=spoken(report.language), reply=Note,
        settings=settings or Settings(), seed=seed, use="writing", sources=[source],
    )  # fmt: skip
    answer, call = await ask(store, engine, question, on_text, study_id=study_id, unit_id=unit_id)
    value: Note = usable(answer, "write the note")
    return store.reports.add_note(
        tables.Note(
            report_id=report_id, **value.model_dump(), engine=answer.engine, call_id=call, made_from=made_of([source])
        ), [*answer.earlier, call],
    )  # fmt: skip


def change_note(store: Store, report_id: int, person: tables.Person, **fields: Any) -> tables.Note:
    """Save a person's edits of the newest note as a new version; every version stays.

    Raises:
        DataError: there is no note yet.
    """
    newest = newest_note(store, report_id)
    if newest is None:
        raise DataError("Report {id} has no note yet. Make one first; nothing was saved.", id=report_id)
    parts = {name: fields.get(name, getattr(newest, name)) for name in Note.model_fields}
    if parts == {name: getattr(newest, name) for name in Note.model_fields}:
        return newest
    return store.reports.add_note(
        tables.Note(
            report_id=report_id, **parts, edited_by=reviews.code_of(person), engine=newest.engine, call_id=newest.call_id,
        )
    )  # fmt: skip


def confirm_note(store: Store, note_id: int, person: tables.Person, shown: str) -> tables.Note:
    """A person has read this very note: nobody can be recognized in it.

    Args:
        shown: ``reviews.shown`` of the note as they read it.
    Raises:
        NotFound: no such note. DataError: it was changed meanwhile; nothing was confirmed.
    """
    reviews.review(store, person, "note", note_id, "confirmed", shown)
    return store.notes.get(note_id)


def newest_note(store: Store, report_id: int) -> tables.Note | None:
    return max(store.reports.notes(report_id), key=lambda note: note.version, default=None)


def chosen_note(store: Store, report_id: int, note_id: int | None) -> tables.Note | None:
    """The version of the note that is asked for, else the newest.

    Raises:
        NotFound: this version was deleted.
    """
    if note_id is None:
        return newest_note(store, report_id)
    found = next((note for note in store.reports.notes(report_id) if note.id == note_id), None)
    if found is None:
        raise NotFound("There is no {noun} {id}. It may have been deleted; choose another one.", noun="note", id=note_id)
    return found


def source_of(report: tables.Report) -> Source:
    """The report as a question holds it."""
    return Source("report", report.id or 0, report.edition, text_hash("report", report.model_dump()))


def made_of(sources: Sequence[Source]) -> list[list[Any]]:
    """What a record was made from, as it is kept with it."""
    return [[source.kind, source.id, source.hash] for source in sources]


async def reconstruct_dialogue(
    store: Store, engine: Engine, report_id: int, how: How = "memo2demo", *, seed: int = 0,
    settings: Settings | None = None, on_text: OnText = None, study_id: int | None = None, unit_id: int | None = None,
    note_id: int | None = None,
) -> tables.Session:  # fmt: skip
    """Rebuild the dialogue, check it, ask once more with what was wrong, and save it with the faults that stay.

    Args:
        how: ``memo2demo`` from the report and a note; ``roleplay`` from the report alone, CPsyCoun's baseline.
        note_id: the very version of the note; without it the newest one (one is written when there is none).
    Raises:
        Refused, ModelError: as ``write_note``. Nothing was saved but the calls.
        NotFound: the note was deleted.
    """
    report = store.reports.get(report_id)
    told: dict[str, Any] = {"seed": seed, "settings": settings, "study_id": study_id, "unit_id": unit_id}
    inputs: dict[str, Any] = {"report": report_inputs(report), "faults": []}
    sources, note = [source_of(report)], None
    if how == "memo2demo":
        note = chosen_note(store, report_id, note_id) or await write_note(store, engine, report_id, **told)
        inputs["note"] = {name: getattr(note, name) for name in Note.model_fields}
        sources.append(Source("note", note.id or 0, 0, text_hash("note", note.model_dump())))
    asking = Asking(store, engine, report, "report/dialogue" if how == "memo2demo" else "report/roleplay", sources, on_text, told)
    dialogue, calls, kind = await asking.ask(inputs)
    faults = faults_of(dialogue, report)
    if any(not fault.aim for fault in faults):
        again = await asking.ask(inputs | {"faults": [fault.message for fault in faults]})
        better, tried = faults_of(again[0], report), [*calls, *again[1]]
        if weight(better) <= weight(faults):
            (dialogue, calls, kind), faults = again, better
        calls = [*(call for call in tried if call != calls[-1]), calls[-1]]
    return save_dialogue(store, report, how, dialogue, faults, calls, kind, sources, seed)


@dataclass(frozen=True)
class Asking:
    """Whom to ask for a dialogue, about what."""

    store: Store
    engine: Engine
    report: tables.Report
    prompt: str
    sources: Sequence[Source]
    on_text: OnText
    told: Mapping[str, Any]

    async def ask(self, inputs: Mapping[str, Any]) -> tuple[Dialogue, list[int], str]:
        """The dialogue, the calls it took (the one it was read from last), and the kind of engine."""
        question = make_question(
            self.store, self.prompt, inputs, language=spoken(self.report.language), reply=Dialogue,
            settings=self.told["settings"] or Settings(), seed=self.told["seed"],
            use="writing", sources=self.sources,
        )  # fmt: skip
        answer, call = await ask(
            self.store, self.engine, question, self.on_text, study_id=self.told["study_id"],
            unit_id=self.told["unit_id"],
        )  # fmt: skip
        return usable(answer, "rebuild the dialogue"), [*answer.earlier, call], answer.engine


def save_dialogue(
    store: Store, report: tables.Report, how: How, dialogue: Dialogue, faults: Sequence[Fault], calls: Sequence[int], kind: str,
    sources: Sequence[Source], seed: int,
) -> tables.Session:  # fmt: skip
    """Keep the dialogue; whatever was answered on the way to it goes where it goes.

    Args:
        calls: all it took; the last is the one it was read from.
    """
    session = tables.Session(
        title=f"{report.title} · {'Memo2Demo' if how == 'memo2demo' else 'role-play'}", origin="reconstructed",
        language=report.language, report_id=report.id, state="ended", ended_by="reconstructed",
        most_turns=len(dialogue.turns), seed=seed, topic=report.topic, engine=kind, made_from=made_of(sources),
        client_code=report.client_code, counselor_code=report.counselor_code,
        faults=[fault_row(fault, how) for fault in faults],
    )  # fmt: skip
    turns = [
        tables.Turn(
            session_id=0, position=position, seat=turn.seat, text=turn.text, stage=turn.stage, call_id=calls[-1],
            risk=safety.risk_of(turn.seat, turn.text),
        )
        for position, turn in enumerate(dialogue.turns, start=1)
    ]  # fmt: skip
    saved = store.sessions.add_with_turns(session, turns, calls=calls)
    agreements.settle(store)
    return saved


def dialogues(store: Store, report_id: int) -> list[tables.Session]:
    """Dialogues rebuilt from a report, newest first."""
    return list(reversed(store.sessions.all(report_id=report_id, origin="reconstructed", withdrawn="")))

