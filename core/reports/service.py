"""Reports: a file → cases in six components → masked and confirmed by a person → note → dialogue."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Literal

from core.clearance import Source, Typed
from core.errors import DataError, ModelError, Several, msg
from core.llm.asking import ask, make_question
from core.llm.seam import Engine, Settings
from core.people import agreements, reviews
from core.people.rights import series_of
from core.reports import marking, masking
from core.reports.clients import remark as clients_in
from core.reports.components import PARTS, read_cases
from core.reports.drafts import (
    Draft,
    Imported,
    Spans,
    Taken,
    before_masking,
    content_hash,
    key_of,
    shown_hash,
)
from core.reports.masking import Span
from core.reports.parsing import readable
from core.reports.replies import Components
from storage import tables
from storage.nouns import Rewritten
from storage.reviewed import text_hash
from storage.store import Store

How = Literal["memo2demo", "roleplay"]
RiskOf = Callable[[str, str], list[dict[str, Any]]]
LONGEST_NAME = 60
CODES = ("client_code", "counselor_code")
FACTS = ("topic", "school", "language")
NAMES = {
    "method": msg("Method"), "case_brief": msg("Case brief"), "consultation_process": msg("Consultation process"),
    "experience_thoughts": msg("Experience and thoughts"), "title": msg("Title"), "type": msg("Type of case"),
}  # fmt: skip


def import_report(name: str, data: bytes | str) -> Imported:
    """Read a file (or pasted text) into drafts, one a case. Nothing is saved yet.

    Raises:
        DataError: it cannot be read, or holds several cases that cannot be told apart.
    """
    short = PurePath(name).name
    read = readable(short, data)
    reading = read_cases(short, read.text)
    drafts = [
        Draft(short, case.text, case.language, dict(case.parts), case.topic, case.school, case.headed, case.label)
        for case in reading.cases
    ]
    clients = [told for case in reading.cases if (told := clients_in(case.label or short, case.text))]
    return Imported(drafts, [*read.remarks, *reading.refused, *clients])


async def sort_by_writer(
    store: Store, engine: Engine, draft: Draft, settings: Settings | None = None, report_id: int | None = None
) -> Draft:
    """Let the writing agent sort a text without headings; its words stay the author's.

    Raises:
        Refused: the text is unconfirmed and the engine is not on this machine. ModelError: no usable answer.
    """
    saved = [Source("report", report_id, store.reports.get(report_id).edition)] if report_id else []  # the text as it came, unmasked: never more than a draft
    question = make_question(
        store, "report/components", {"text": draft.text}, language=spoken(draft.language), reply=Components,
        settings=settings or Settings(), use="writing", sources=[Typed(draft.source), *saved],
    )  # fmt: skip
    answer, _call = await ask(store, engine, question)
    found = usable(answer, "sort the report")
    parts = {part: getattr(found, part).strip() for part in PARTS}
    return replace(draft, parts=parts, topic=found.topic, school=found.school, headed=True)


async def sort_report(store: Store, engine: Engine, report_id: int, settings: Settings | None = None) -> tables.Report:
    """Let the writing agent sort a saved report that came without headings.

    Raises:
        Refused, ModelError: as ``sort_by_writer``; the report stays as it is.
    """
    report, (parts, _spans) = store.reports.get(report_id), unmasked(store, report_id)
    text = "\n".join(parts[part] for part in PARTS if parts[part] and part != "title")
    draft = Draft(report.source_name, text, report.language, parts, report.topic, report.school)
    found = await sort_by_writer(store, engine, draft, settings, report_id)
    named = found.parts | {"title": parts["title"] or found.parts["title"]}
    return change_components(store, report_id, **named, topic=found.topic, school=found.school)


def usable(answer: Any, doing: str) -> Any:
    """The value of an answer.

    Raises:
        ModelError: it could not be read; the call is kept.
    """
    if not answer.usable:
        raise ModelError(
            "The writer's answer ({doing}) could not be used: {why}. What was saved before is kept; try again, or "
            "choose another writer.", doing=doing, why=answer.reason or answer.state,
        )  # fmt: skip
    return answer.value


def spoken(language: str) -> Literal["en", "zh"]:
    return "zh" if language == "zh" else "en"


# ---- saving and masking --------------------------------------------------------------------------


def save_report(store: Store, draft: Draft, person: tables.Person | None = None, *, made_up: bool = False) -> tables.Report:
    """Save a case with the proposed masking applied, *unconfirmed*; what was masked is its key, beside it.

    Args:
        person: who brings it in; a counselor's report bears their own code.
        made_up: it comes with the workbench, which says of these very words that no real person stands behind them.
    Raises:
        DataError: nothing to save, the same text is in the store, its title is in use, or a counselor has no code.
    """
    check_text(draft.parts)
    title = draft.parts["title"].strip() or free_title(store, PurePath(draft.source).stem[:LONGEST_NAME])
    parts = draft.parts | {"title": title}
    hashed = content_hash(parts)
    if known := store.reports.find(content_hash=hashed):
        raise DataError(
            "This text is in the store already, as report {id} “{title}”; it was not saved again.",
            id=known.id, title=known.title,
        )  # fmt: skip
    spans = masking.find(parts, draft.language)
    texts: dict[str, Any] = {part: masking.apply(text, spans[part]) for part, text in parts.items()}
    check_title(store, texts["title"])
    report = tables.Report(
        **texts, language=draft.language, topic=draft.topic, school=draft.school, source_name=draft.source,
        content_hash=hashed, counselor_code=own_code(store, person),
    )  # fmt: skip
    said = [tables.Review(kind="report", record_id=0, hash=text_hash("report", texts), says="synthetic")] if made_up else []
    return store.reports.save(report, key_of(0, parts, spans), said)


def own_code(store: Store, person: tables.Person | None) -> str:
    """The code of a counselor who brings something of their own; empty for anybody else.

    Raises:
        DataError: a counselor has no code, so nothing could be theirs.
    """
    if person is None or "counselor" not in person.roles:
        return ""
    return next(iter(series_of(store, person)), "")


def take_report(store: Store, name: str, data: bytes | str, person: tables.Person | None = None) -> Taken:
    """Read a file and save its cases, unconfirmed. A title in use gets a number; what is missing is named.

    Raises:
        DataError: nothing in it can be read, or a counselor who brings it has no code.
    """
    own_code(store, person)
    imported, taken = import_report(name, data), Taken()
    taken.messages += imported.refused
    for draft in imported.drafts:
        try:
            taken.reports.append(save_report(store, numbered(store, draft), person))
        except DataError as error:
            taken.messages.append(error)
            continue
        if not draft.headed:
            taken.messages.append(
                DataError(
                    "{name} has none of the headings of a case report, so all of its text stands in the case brief. Sort it by "
                    "hand, or let the writer sort it; delete it if it is no case report.", name=draft.source,
                )
            )  # fmt: skip
        elif draft.missing:
            taken.messages.append(lacks(draft, alone=len(imported.drafts) == 1))
    return taken


def lacks(draft: Draft, alone: bool) -> DataError:
    """Which parts a case has not; of several cases in a file, which case it is."""
    parts = Several(NAMES[part] for part in draft.missing)
    if alone or not draft.label:
        return DataError("{name} has no part “{parts}”. The rest was saved; fill it in if you have it.", name=draft.source, parts=parts)
    return DataError(
        "{name}: “{case}” has no part “{parts}”. The rest was saved; fill it in if you have it.",
        name=draft.source, case=draft.label, parts=parts,
    )  # fmt: skip


def numbered(store: Store, draft: Draft) -> Draft:
    """The draft under a title that is free."""
    title = draft.parts["title"].strip()
    masked = masking.apply(title, masking.find(draft.parts, draft.language)["title"])
    if not title or store.reports.find(title=masked) is None or store.reports.find(content_hash=content_hash(draft.parts)):
        return draft
    return replace(draft, parts=draft.parts | {"title": title + free_title(store, masked).removeprefix(masked)})


def check_text(parts: Mapping[str, str]) -> None:
    if not any(parts[part].strip() for part in PARTS[3:]):
        raise DataError(
            "There is no case brief, process or reflection in this report, so there is nothing to work with. Fill "
            "one in; nothing was saved."
        )


def check_title(store: Store, title: str, own: int | None = None) -> None:
    same = store.reports.find(title=title)
    if same is not None and same.id != own:
        raise DataError(
            "The title “{title}” is in use by report {id}. Change the title; nothing was saved.",
            title=title, id=same.id,
        )  # fmt: skip


def free_title(store: Store, title: str) -> str:
    """The title, with a number behind it when it is taken."""
    tried, number = title, 1
    while store.reports.find(title=tried) is not None:
        number += 1
        tried = f"{title} ({number})"
    return tried


def unmasked(store: Store, report_id: int) -> tuple[dict[str, str], dict[str, list[Span]]]:
    """A report as it came, and what is marked in it: for the person who reviews the masking.

    Where the key no longer fits (a masked text was edited), the text as it stands and what is found in it.
    """
    return before_masking(store.reports.get(report_id), store.reports.masks(report_id))


# ---- what a person decides -----------------------------------------------------------------------

NOT_MARKED = msg("The report was changed after it was shown, so this mark was not saved. Look at it as it is now; nothing was lost.")
NOT_CONFIRMED = msg("The report was changed after it was shown, so it was not confirmed. Read it again as it is now, then confirm it.")


def masked(store: Store, report_id: int, parts: Mapping[str, str], spans: Spans, **more: Any) -> Rewritten:
    """A report with these marks applied, and their key.

    Raises:
        DataError: a mark lies outside its text, or the title is in use.
    """
    for part, given in spans.items():
        if part not in PARTS or any(not 0 <= span.start < span.end <= len(parts[part]) for span in given):
            raise DataError("A mark lies outside the text of the report. Reload the page; nothing was saved.")
    texts = {part: masking.apply(parts[part], spans.get(part, ())) for part in PARTS}
    check_title(store, texts["title"], report_id)
    return Rewritten({**texts, **more}, key_of(report_id, parts, spans))


def save_masking(store: Store, report_id: int, shown: str, spans: Spans) -> tables.Report:
    """Mask what is marked and not kept; the review goes on. A text that was confirmed is no longer the one confirmed.

    Args:
        shown: ``shown_hash`` of the report as it was when the person decided.
    Raises:
        NotFound: no such report. DataError: it was changed meanwhile, or a mark does not fit it; nothing was saved.
    """
    return store.reports.rewrite(
        report_id, lambda report, rows: masked(store, report_id, as_shown(report, rows, shown, NOT_MARKED)[0], spans)
    )


def as_shown(report: tables.Report, rows: Sequence[tables.Mask], shown: str, why: str) -> tuple[dict[str, str], dict[str, list[Span]]]:
    """The report as it came and its marks, if they are what a person was shown.

    Raises:
        DataError: they changed meanwhile.
    """
    now = before_masking(report, rows)
    if shown_hash(*now) != shown:
        raise DataError(why)
    return now


def confirm_masking(store: Store, report_id: int, person: tables.Person, shown: str) -> tables.Report:
    """A person has read the report through: what is marked is masked, and the text may leave this machine.

    Args:
        shown: ``shown_hash`` of what they read; the text that is confirmed is that one, as it will travel.
    Raises:
        NotFound: no such report. DataError: it was changed meanwhile; nothing was confirmed.
    """
    return confirm(store, report_id, person, shown, "confirmed")


def confirm_made_up(store: Store, report_id: int, person: tables.Person, shown: str) -> tables.Report:
    """A person has read the report through, and says that no real person stands behind it. Otherwise as ``confirm_masking``."""
    return confirm(store, report_id, person, shown, "synthetic")


def confirm(store: Store, report_id: int, person: tables.Person, shown: str, says: reviews.Says) -> tables.Report:
    def said(report: tables.Report, rows: list[tables.Mask]) -> Rewritten:
        new = masked(store, report_id, *as_shown(report, rows, shown, NOT_CONFIRMED))
        review = tables.Review(kind="report", record_id=report_id, hash=text_hash("report", new.fields), says=says, person_id=person.id)
        return new._replace(reviews=[review])

    return store.reports.rewrite(report_id, said)


def change_components(store: Store, report_id: int, **fields: str) -> tables.Report:
    """Save a person's corrections. New words were not reviewed: the masking waits for a person again.

    Args:
        fields: components as they came (before masking), and ``topic``, ``school``, ``language``, ``client_code``,
            ``counselor_code``.
    Raises:
        NotFound, DataError: no such report, nothing left in it, or the title is in use.
    """
    plain = {name: value.strip() for name, value in fields.items() if name in FACTS}

    def changed(report: tables.Report, rows: list[tables.Mask]) -> Rewritten:
        parts, spans = before_masking(report, rows)
        new = parts | {part: fields[part].strip() for part in PARTS if part in fields}
        if new == parts:
            return Rewritten(plain)
        check_text(new)
        spoken_in = plain.get("language", report.language)
        marks = marking.carried(new, masking.find(new, spoken_in), parts, spans, spoken_in)
        return masked(store, report_id, new, marks, **plain, content_hash=content_hash(new))

    store.reports.rewrite(report_id, changed)
    if codes := {name: fields[name].strip() for name in CODES if name in fields}:
        agreements.set_codes(store, "report", report_id, **codes)
    return store.reports.get(report_id)
