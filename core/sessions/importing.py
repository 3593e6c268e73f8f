"""Bringing in transcripts: each session of a file is accepted, warned about or refused, with the reason."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from core import files
from core.errors import DataError, WorkbenchError, msg
from core.people import agreements
from core.sessions import safety
from core.sessions.labelled import read_labelled
from core.sessions.tabular import read_csv, read_json, read_jsonl
from core.sessions.transcripts import Reading, Transcript
from storage import tables
from storage.store import Store

READERS: dict[str, Callable[[str, str], list[Reading]]] = {
    ".txt": read_labelled, ".md": read_labelled, ".csv": read_csv, ".tsv": read_csv, ".json": read_json,
    ".jsonl": read_jsonl,
}  # fmt: skip
ENDINGS = tuple(READERS)
MOST_SAID = 60  # sentences about one file


@dataclass(frozen=True)
class Brought:
    """What became of one file: *accepted*, *warned* or *refused*; ``messages`` are sentences for the person."""

    name: str
    status: str
    saved: tuple[int, ...]
    messages: tuple[WorkbenchError, ...]

    def plain(self) -> dict[str, Any]:
        """The same as JSON, in English."""
        saved = [{"kind": "session", "id": id} for id in self.saved]
        return {
            "name": self.name, "status": self.status, "saved": saved, "messages": [str(m) for m in self.messages]
        }  # fmt: skip


def read_transcripts(name: str, data: bytes) -> list[Reading]:
    """The sessions of a file; one that cannot be read stands as the error that says why.

    Raises:
        DataError: nothing in the file can be read.
    """
    path = PurePath(name)
    ending, title = path.suffix.lower(), path.stem
    if ending not in ENDINGS:
        raise DataError(
            "{name}: transcripts are read from {endings}. Save it as one of these; nothing was saved.",
            name=path.name, endings=", ".join(ENDINGS),
        )  # fmt: skip
    with files.edge(
        msg(
            "{name} holds no transcript that can be read: it is damaged, or another kind of file under this name. Save it "
            "again, and choose it once more; nothing was saved."
        ), name=path.name,
    ):  # fmt: skip
        read = files.decode(path.name, data)
        found = list(READERS[ending](title, read.text))
    if read.encoding:
        found.append(
            DataError(
                "{name} was read as {encoding}. If the words look wrong, save it as UTF-8 and bring it in again.",
                name=path.name,
                encoding=read.encoding,
            )
        )
    return found


def import_transcripts(store: Store, name: str, data: bytes, own: Sequence[str] = ()) -> Brought:
    """Read a file and save its sessions, unconfirmed: they go nowhere outside until a person reviewed them.

    Args:
        own: the codes of the counselor who brings them in; a session that bears none of them gets the first.
    """
    short = files.shown(PurePath(name).name)
    try:
        found = read_transcripts(name, data)
    except WorkbenchError as error:
        return Brought(short, "refused", (), (error,))
    saved: list[int] = []
    messages: list[WorkbenchError] = []
    for reading in found:
        if isinstance(reading, Transcript):
            kept = _keep(store, reading, own)
            saved += [kept] if isinstance(kept, int) else []
            messages += list(reading.remarks) if isinstance(kept, int) else [kept]
        else:
            messages.append(reading)
    agreements.settle(store)
    status = "refused" if not saved else "warned" if messages else "accepted"
    if len(messages) > MOST_SAID:
        rest = DataError("{n} further remarks of this kind are not shown.", n=len(messages) - MOST_SAID)
        messages = [*messages[:MOST_SAID], rest]
    return Brought(short, status, tuple(saved), tuple(messages))


def import_files(store: Store, files: Sequence[tuple[str, bytes]], own: Sequence[str] = ()) -> list[Brought]:
    return [import_transcripts(store, name, data, own) for name, data in files]


def owned(fields: Mapping[str, Any], own: Sequence[str]) -> dict[str, Any]:
    """The facts of a session, in the series of whoever brings it in."""
    if not own or fields.get("counselor_code") in own:
        return dict(fields)
    return dict(fields) | {"counselor_code": own[0]}


def _keep(store: Store, read: Transcript, own: Sequence[str] = ()) -> int | DataError:
    """Save one transcript, unless the very same one is in the store."""
    texts = [turn["text"] for turn in read.turns]
    for known in store.sessions.all(origin="imported", title=read.title):
        if [turn.text for turn in store.sessions.turns(known.id or 0)] == texts:
            return DataError(
                "“{title}” is in the store already, as session {id}; it was not saved again.",
                title=read.title,
                id=known.id,
            )
    session = tables.Session(
        title=read.title, origin="imported", language=read.language, state="ended", ended_by="imported",
        most_turns=len(texts), engine="imported", **owned(read.fields, own),
    )  # fmt: skip
    turns = [
        tables.Turn(session_id=0, **turn, risk=safety.risk_of(turn["seat"], turn["text"]))
        for turn in read.turns
    ]
    return store.sessions.add_with_turns(session, turns).id or 0
