"""Transcripts as tables and JSON: AnnoMI, ESConv, CPsyCounE, chat messages, and tables of one's own. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from core import files
from core.errors import DataError, msg
from core.sessions.labelled import read_list
from core.sessions.speakers import known
from core.sessions.transcripts import Line, Reading, Transcript, assemble, tried

FIELDS = {"client_code": "client_keys", "counselor_code": "counselor_keys", "number": "number_keys",
          "date": "date_keys", "topic": "topic_keys"}  # fmt: skip
LABELS_SEEN = {"mi_quality": "quality label", "survey_score": "survey scores", "strategy": "strategy labels",
               "main_therapist_behaviour": "behaviour labels", "client_talk_type": "talk-type labels"}  # fmt: skip
NOT_SPEECH = {"system", "tool", "developer", "function"}
WORDS = {"text", "input_text", "output_text"}  # types of a message's parts that are words
LONGEST_FIELD = 200  # characters of a title, a code, a date
MOST_SESSIONS = 9_999  # the largest number of a session in a series


def read_csv(name: str, text: str) -> list[Reading]:
    """One utterance a row; rows with the same session value are one session, in the order of its order column.

    Raises:
        DataError: no CSV table, or no column for the speaker or for the text.
    """
    plain, dropped = files.cleaned(text)
    (_line, heads), *rows = files.table(name, plain)
    told = [dict(zip(heads, row, strict=False)) for _, row in rows]
    return [*_rows(name, told, [line for line, _ in rows], heads), *files.dropped_remark(name, dropped)]


def read_jsonl(name: str, text: str) -> list[Reading]:
    """A session a line, or an utterance a line."""
    items, at, broken, dropped = [], [], [], 0
    for line, value in files.json_lines(text):
        if isinstance(value, ValueError):
            broken.append(line)
            continue
        items.append(value.value)
        at.append(line)
        dropped += value.dropped
    if not items:
        raise _no_json(name)
    found: list[Reading] = [*_items(name, items, at), *files.dropped_remark(name, dropped)]
    if broken:
        remark = DataError(
            "{name}: left out, because they are not JSON: lines {where}.",
            name=name, where=files.places(broken),
        )  # fmt: skip
        found.append(remark)
    return found


def read_json(name: str, text: str) -> list[Reading]:
    """A list of labelled strings, a list of utterances, one session, or a list of sessions.

    Raises:
        DataError: not JSON, or JSON of another kind.
    """
    try:
        read = files.json_of(text)
    except ValueError as error:
        raise _no_json(name) from error
    return [*_sessions(name, read.value), *files.dropped_remark(name, read.dropped)]


def _sessions(name: str, data: Any) -> list[Reading]:
    if isinstance(data, dict):
        return _items(name, [data], [1])
    if isinstance(data, list) and data:
        if all(isinstance(item, str) for item in data):
            return [tried(lambda: read_list(name, data))]
        return _items(name, data, range(1, len(data) + 1))
    raise _no_json(name)


def _no_json(name: str) -> DataError:
    return DataError(
        "The file {name} does not hold transcripts as JSON. Give a list of utterances or of sessions; "
        "nothing was saved.",
        name=name,
    )


def _items(name: str, items: Sequence[Any], at: Sequence[int]) -> list[Reading]:
    if all(isinstance(item, dict) and _turns_key(item) is None for item in items):
        return _rows(name, items, at, list(dict.fromkeys(key for item in items[:50] for key in item)))
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
        _plain(given)[:LONGEST_FIELD] or title, list(_lines(title, enumerate(rows, 1), remarks)), remarks, _fields(item)
    )


def _rows(name: str, rows: Sequence[Mapping[str, Any]], places: Sequence[int], heads: Sequence[str]) -> list[Reading]:
    columns = [str(key).strip().casefold() for key in heads if key]
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
    for at, row in zip(places, rows, strict=True):
        groups.setdefault(_plain(_pick(row, "session_keys"))[:LONGEST_FIELD], []).append((at, row))
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
    lines = list(_lines(title, ordered, remarks))
    titles = {_plain(_pick(row, "title_keys")) for _, row in group}
    given = titles.pop() if len(titles) == 1 else ""  # a name that changes is a speaker's
    return assemble(_plain(given)[:LONGEST_FIELD] or title, lines, remarks, _fields(group[0][1]))


def _order(row: Mapping[str, Any], at: int) -> tuple[float, int]:
    try:
        place = float(_pick(row, "order_keys"))
    except (TypeError, ValueError, OverflowError):
        return 0.0, at
    return (place if isfinite(place) else 0.0), at


def _lines(
    title: str, rows: Iterable[tuple[int, Mapping[str, Any]]], remarks: list[DataError]
) -> Iterator[Line]:
    unspoken: dict[str, list[int]] = {}
    left_out = 0
    for at, row in rows:
        speaker = _plain(_pick(row, "speaker_keys"))
        if speaker.casefold() in NOT_SPEECH:
            unspoken.setdefault(speaker, []).append(at)
            continue
        text, others = spoken(_pick(row, "text_keys"))
        left_out += others
        yield Line(_named(speaker, row) or "–", text, at)
    for speaker, where in unspoken.items():
        remarks.append(
            DataError(
                "“{title}”: left out, because {speaker} messages are no speech: at {at}.",
                title=title, speaker=speaker, at=files.places(where),
            )
        )  # fmt: skip
    if left_out:
        one = msg("“{title}”: one part of a message is no words (a picture, a file, a thought, a tool call) and was left out.")
        more = msg("“{title}”: {n} parts of messages are no words (pictures, files, thoughts, tool calls) and were left out.")
        remarks.append(DataError(one if left_out == 1 else more, title=title, n=left_out))


def spoken(content: Any) -> tuple[str, int]:
    """The words of a message, and how many of its parts are none.

    A message is a text, or a list of parts as chat interfaces store them: ``{"type": "text", "text": …}`` (OpenAI,
    Anthropic), ``{"text": …}`` (Gemini), ``{"parts": […]}`` (exported chats).
    """
    if isinstance(content, list):
        read = [spoken(part) for part in content]
        return "\n".join(words for words, _ in read if words), sum(others for _, others in read)
    if isinstance(content, dict):
        inner = next((content[key] for key in ("text", "parts", "content", "value") if key in content), None)
        words = str(content.get("type", content.get("content_type", "text"))) in WORDS and not content.get("thought")
        return spoken(inner) if words and inner is not None else ("", 1)
    return _plain(content), 0


def _named(speaker: str, row: Mapping[str, Any]) -> str:
    """The speaker with the name some chats give beside the role, so that two users are not taken for one."""
    name = _plain(row.get("name"))
    return f"{speaker} ({name})" if name else speaker


def _plain(value: Any) -> str:
    """A text or a number as text; anything else is none."""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _pick(row: Mapping[str, Any], keys: str) -> Any:
    lowered = {str(key).strip().casefold().lstrip("\ufeff"): value for key, value in row.items() if key}
    return next((lowered[key] for key in known(keys) if lowered.get(key) not in (None, "", [])), None)


def _fields(row: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: _plain(_pick(row, keys)).strip()[:LONGEST_FIELD] for name, keys in FIELDS.items()}
    number = found.pop("number")
    fields: dict[str, Any] = {name: value for name, value in found.items() if value}
    if (count := files.record_id(number)) is not None and count <= MOST_SESSIONS:
        fields["number"] = count
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
