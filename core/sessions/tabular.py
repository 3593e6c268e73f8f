"""Transcripts as tables and JSON: AnnoMI, ESConv, CPsyCounE, chat messages, and tables of one's own. Pure."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.errors import DataError
from core.sessions.labelled import read_list
from core.sessions.transcripts import Line, Reading, Transcript, assemble, known, places, tried

FIELDS = {"client_code": "client_keys", "counselor_code": "counselor_keys", "number": "number_keys",
          "date": "date_keys", "topic": "topic_keys"}  # fmt: skip
LABELS_SEEN = {"mi_quality": "quality label", "survey_score": "survey scores", "strategy": "strategy labels",
               "main_therapist_behaviour": "behaviour labels", "client_talk_type": "talk-type labels"}  # fmt: skip
NOT_SPEECH = {"system", "tool", "developer"}


def read_csv(name: str, text: str) -> list[Reading]:
    """One utterance a row; rows with the same session value are one session, in the order of its order column.

    Raises:
        DataError: no column for the speaker or for the text.
    """
    csv.field_size_limit(10_000_000)
    try:
        dialect: Any = csv.Sniffer().sniff(text[:10_000], delimiters=",;\t")
    except csv.Error:
        dialect = csv.excel
    return _rows(name, list(csv.DictReader(io.StringIO(text), dialect=dialect)), first_row=2)


def read_jsonl(name: str, text: str) -> list[Reading]:
    """A session a line, or an utterance a line."""
    items, broken = [], []
    for at, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                items.append(json.loads(line))
            except (json.JSONDecodeError, RecursionError):
                broken.append(at)
    if not items:
        raise _no_json(name)
    found = _items(name, items)
    if broken:
        remark = DataError(
            "{name}: left out, because they are not JSON: lines {where}.",
            name=name, where=places(broken),
        )  # fmt: skip
        found.append(remark)
    return found


def read_json(name: str, text: str) -> list[Reading]:
    """A list of labelled strings, a list of utterances, one session, or a list of sessions.

    Raises:
        DataError: not JSON, or JSON of another kind.
    """
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise _no_json(name) from error
    if isinstance(data, dict):
        return _items(name, [data])
    if isinstance(data, list) and data:
        if all(isinstance(item, str) for item in data):
            return [tried(lambda: read_list(name, data))]
        return _items(name, data)
    raise _no_json(name)


def _no_json(name: str) -> DataError:
    return DataError(
        "The file {name} does not hold transcripts as JSON. Give a list of utterances or of sessions; "
        "nothing was saved.",
        name=name,
    )


def _items(name: str, items: Sequence[Any]) -> list[Reading]:
    if all(isinstance(item, dict) and _turns_key(item) is None for item in items):
        return _rows(name, items, first_row=1)
    one = len(items) == 1
    return [tried(_whole, name if one else f"{name} · {n}", item) for n, item in enumerate(items, 1)]


def _turns_key(item: Any) -> str | None:
    if not isinstance(item, dict):
        return None
    return next(
        (key for key in item if key.casefold() in known("turns_keys") and isinstance(item[key], list)), None
    )


def _whole(title: str, item: Any) -> Transcript:
    """One session in one JSON value."""
    if isinstance(item, list) and item and all(isinstance(line, str) for line in item):
        return read_list(title, item)
    key = _turns_key(item)
    if key is None:
        raise DataError("“{title}” holds no list of utterances; it was not saved.", title=title)
    turns = item[key]
    if turns and all(isinstance(line, str) for line in turns):
        return read_list(title, turns)
    given = _pick(item, "title_keys")
    rows = [turn for turn in turns if isinstance(turn, dict)]
    remarks = _unread(item, rows)
    if len(rows) < len(turns):
        remarks.append(
            DataError("Left out, because they are no utterances: {n} entries.", n=len(turns) - len(rows))
        )
    return assemble(
        str(given) if given else title, list(_lines(title, rows, 1, remarks)), remarks, _fields(item)
    )


def _rows(name: str, rows: Sequence[Mapping[str, Any]], first_row: int) -> list[Reading]:
    columns = [str(key).casefold() for key in (rows[0] if rows else {}) if key]
    for wanted, keys in (("the speaker", "speaker_keys"), ("the text", "text_keys")):
        if not any(key in columns for key in known(keys)):
            raise DataError(
                "{name} has no column for {wanted}. Name one of its columns {names}; nothing was saved. (Its columns: {columns}.)",
                name=name,
                wanted=wanted,
                names=" / ".join(known(keys)[:4]),
                columns=", ".join(columns)[:200] or "–",
            )
    groups: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    for at, row in enumerate(rows, first_row):
        groups.setdefault(str(_pick(row, "session_keys") or ""), []).append((at, row))
    return [
        tried(_table_session, f"{name} · {session}" if session else name, group)
        for session, group in groups.items()
    ]


def _table_session(title: str, group: list[tuple[int, Mapping[str, Any]]]) -> Transcript:
    remarks = _unread({}, [row for _, row in group])
    ordered = sorted(group, key=lambda pair: _order(pair[1], pair[0]))
    if ordered != group:
        remarks.append(
            DataError("“{title}”: its rows were put into the order of their order column.", title=title)
        )
    lines = [line for at, row in ordered for line in _lines(title, [row], at, remarks)]
    given = _pick(group[0][1], "title_keys")
    return assemble(str(given) if given else title, lines, remarks, _fields(group[0][1]))


def _order(row: Mapping[str, Any], at: int) -> tuple[float, int]:
    try:
        return float(_pick(row, "order_keys")), at
    except (TypeError, ValueError):
        return 0.0, at


def _lines(
    title: str, rows: Iterable[Mapping[str, Any]], first: int, remarks: list[DataError]
) -> Iterable[Line]:
    for at, row in enumerate(rows, first):
        speaker, text = _pick(row, "speaker_keys"), _pick(row, "text_keys")
        if str(speaker).casefold() in NOT_SPEECH:
            remarks.append(
                DataError(
                    "“{title}”: the {speaker} message at {at} is no speech and was left out.",
                    title=title,
                    speaker=speaker,
                    at=at,
                )
            )
            continue
        yield Line(
            str(speaker or "–"), text if isinstance(text, str) else "" if text is None else str(text), at
        )


def _pick(row: Mapping[str, Any], keys: str) -> Any:
    lowered = {str(key).casefold().lstrip("\ufeff"): value for key, value in row.items() if key}
    return next((lowered[key] for key in known(keys) if lowered.get(key) not in (None, "")), None)


def _fields(row: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: _pick(row, keys) for name, keys in FIELDS.items()}
    number = found.pop("number")
    fields = {name: str(value) for name, value in found.items() if value is not None}
    if number is not None and str(number).strip().isdigit():
        fields["number"] = int(str(number))  # type: ignore[assignment]
    return fields


def _unread(item: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> list[DataError]:
    """Labels that came with the transcript and are not brought in: said, not silently dropped."""
    keys = {str(key) for key in item} | {str(key) for row in rows[:50] for key in row}
    keys |= {
        str(k)
        for row in rows[:50]
        for k in (row.get("annotation") or {})
        if isinstance(row.get("annotation"), dict)
    }
    labels = [words for key, words in LABELS_SEEN.items() if key in keys]
    if not labels:
        return []
    return [DataError("Not brought in: {labels}. The words of the session are.", labels=", ".join(labels))]
