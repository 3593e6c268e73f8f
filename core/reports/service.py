"""Reports: a file → cases in six components → masked and confirmed by a person → note → dialogue."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Literal

from core.clearance import Source, Typed
from core.errors import DataError, ModelError, Several, msg
from core.llm.asking import ask, make_question
from core.llm.seam import Engine, Settings
from core.people import reviews
from core.reports import masking
from core.reports.clients import remark as clients_in
from core.reports.components import PARTS, read_cases
from core.reports.drafts import Draft, Imported, Spans, Taken, content_hash, kept_decisions, key_of, placed
from core.reports.masking import Span
from core.reports.parsing import readable
from core.reports.replies import Components
from storage import tables
from storage.store import Store

How = Literal["memo2demo", "roleplay"]
RiskOf = Callable[[str, str], list[dict[str, Any]]]
LONGEST_NAME = 60
NAMES = {
    "method": msg("Method"), "case_brief": msg("Case brief"), "consultation_process": msg("Consultation process"),
    "experience_thoughts": msg("Experience and thoughts"), "title": msg("Title"), "type": msg("Type of case"),
}  # fmt: skip


def import_report(store: Store, name: str, data: bytes | str) -> Imported:
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
    saved = [Source("report", report_id)] if report_id else []  # the text as it came, unmasked: never more than a draft
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


def save_report(store: Store, draft: Draft) -> tables.Report:
    """Save a case with the proposed masking applied, *unconfirmed*; what was masked is its key, beside it.

    Raises:
        DataError: nothing to save, the same text is in the store, or its title is in use.
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
        content_hash=hashed,
    )  # fmt: skip
    return store.reports.save(report, key_of(0, parts, spans))


def take_report(store: Store, name: str, data: bytes | str) -> Taken:
    """Read a file and save its cases, unconfirmed. A title in use gets a number; what is missing is named.

    Raises:
        DataError: nothing in it can be read.
    """
    imported, taken = import_report(store, name, data), Taken()
    taken.messages += imported.refused
    for draft in imported.drafts:
        try:
            taken.reports.append(save_report(store, numbered(store, draft)))
        except DataError as error:
            taken.messages.append(error)
            continue
        if not draft.headed:
            taken.messages.append(
                DataError(
                    "{name} has no headings that are known, so all of its text stands in the case brief. Sort it by "
                    "hand, or let the writer sort it.", name=draft.source,
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
    report, rows = store.reports.get(report_id), store.reports.masks(report_id)
    parts: dict[str, str] = {}
    spans: dict[str, list[Span]] = {}
    for part in PARTS:
        mine = [row for row in rows if row.component == part]
        back = masking.restore(getattr(report, part), [(r.original, r.replacement) for r in mine if not r.kept])
        if back is None:
            return as_it_stands(report)
        parts[part] = back[0]
        spans[part] = placed(back[0], mine, back[1])
    return parts, spans


def as_it_stands(report: tables.Report) -> tuple[dict[str, str], dict[str, list[Span]]]:
    parts = {part: getattr(report, part) for part in PARTS}
    return parts, masking.find(parts, report.language)


def save_masking(store: Store, report_id: int, parts: Mapping[str, str], spans: Spans, **more: Any) -> tables.Report:
    """Apply spans to the text as it came, and keep their key; the review goes on."""
    texts = {part: masking.apply(parts[part], spans.get(part, ())) for part in PARTS}
    check_title(store, texts["title"], report_id)
    store.reports.replace_masks(report_id, key_of(report_id, parts, spans))
    return store.reports.update(report_id, **texts, **more)


def confirm_masking(store: Store, report_id: int, person: tables.Person, spans: Spans | None = None) -> tables.Report:
    """A person has read the report through: what is marked is masked, and the text may leave this machine.

    Raises:
        NotFound: no such report. DataError: a span lies outside its text.
    """
    parts, marked = unmasked(store, report_id)
    chosen = marked if spans is None else spans
    for part, given in chosen.items():
        if part not in PARTS or any(not 0 <= span.start < span.end <= len(parts[part]) for span in given):
            raise DataError("A mark lies outside the text of the report. Reload the page; nothing was confirmed.")
    masked = save_masking(store, report_id, parts, chosen)
    reviews.review(store, person, "report", report_id, "confirmed", reviews.shown(store, "report", report_id))
    return masked


def confirm_made_up(store: Store, report_id: int, person: tables.Person) -> tables.Report:
    """A person says that no real person stands behind this report."""
    reviews.review(store, person, "report", report_id, "synthetic", reviews.shown(store, "report", report_id))
    return store.reports.get(report_id)


def change_components(store: Store, report_id: int, **fields: str) -> tables.Report:
    """Save a person's corrections. New words were not reviewed: the masking waits for a person again.

    Args:
        fields: components as they came (before masking), and ``topic``, ``school``, ``language``.
    Raises:
        NotFound, DataError: no such report, nothing left in it, or the title is in use.
    """
    parts, spans = unmasked(store, report_id)
    report = store.reports.get(report_id)
    plain = {name: value for name, value in fields.items() if name in ("topic", "school", "language")}
    changed = {part: fields[part].strip() for part in PARTS if part in fields and fields[part].strip() != parts[part]}
    if not changed:
        return store.reports.update(report_id, **plain) if plain else report
    parts |= changed
    check_text(parts)
    fresh = masking.find(parts, plain.get("language", report.language))
    spans = kept_decisions(parts, fresh, spans)
    return save_masking(
        store, report_id, parts, spans, **plain, content_hash=content_hash(parts),
    )  # fmt: skip

