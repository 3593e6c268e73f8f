"""The corpus table: how many sessions, speakers and utterances, and how long."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.results.reading import aside
from storage.store import Store
from storage.units import numbers, query

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
WORD = re.compile(r"[A-Za-z0-9]+(?:['’][A-Za-z]+)*")


@dataclass(frozen=True)
class Seat:
    """Figures of one seat, or of both together (``total``). Lengths by the counting rule, turns as utterances."""

    seat: str
    speakers: int
    sessions_per_speaker: float
    utterances: int
    per_session: float
    length: float


def length(text: str, language: str) -> int:
    """How long a text is: Chinese characters (CJK ideographs), or English words, by the session's language."""
    return len(HAN.findall(text)) if language == "zh" else len(WORD.findall(text))


def corpus(store: Store, sessions: Iterable[int]) -> list[Seat]:
    """Total, counselor and client over complete turns of these sessions (alliance paper, Table 2), but for those
    that figures leave out.

    A speaker is a code, a person, an agent or a role; where a session names none, it counts as one of its own.
    """
    ids = sorted(set(sessions) - aside(store).all)
    speakers: dict[str, dict[str, set[int]]] = {"counselor": {}, "client": {}}
    count = {"counselor": 0, "client": 0}
    total = {"counselor": 0, "client": 0}
    for start in range(0, len(ids), 200):
        some = numbers(ids[start : start + 200])
        for id, client, counselor in query(store, SPEAKERS.format(ids=some)):
            speakers["client"].setdefault(client, set()).add(id)
            speakers["counselor"].setdefault(counselor, set()).add(id)
        for seat, text, language in query(store, TURNS.format(ids=some)):
            if seat in count:
                count[seat] += 1
                total[seat] += length(text, language)
    seats = [
        seat_of(seat, len(speakers[seat]), len(ids), count[seat], total[seat])
        for seat in ("counselor", "client")
    ]
    both = sum(s.speakers for s in seats)
    whole = seat_of("total", both, len(ids), sum(count.values()), sum(total.values()))
    return [Seat("total", both, float("nan"), whole.utterances, whole.per_session, whole.length), *seats]


def seat_of(seat: str, speakers: int, sessions: int, utterances: int, length: int) -> Seat:
    return Seat(
        seat,
        speakers,
        share(sessions, speakers),
        utterances,
        share(utterances, sessions),
        share(length, utterances),
    )


def share(part: float, of: float) -> float:
    return part / of if of else float("nan")


SPEAKERS = (
    "SELECT s.id, coalesce('client ' || nullif(client_code, ''), 'person ' || client_person_id, 'role ' || g.card_id, "
    "'report ' || report_id, 'session ' || s.id), coalesce('code ' || nullif(counselor_code, ''), 'person ' || counselor_person_id, "
    "'agent ' || counselor_agent_id, 'report ' || report_id, 'session ' || s.id) "
    "FROM session s LEFT JOIN role_card g ON g.id = s.role_id WHERE s.id IN ({ids})"
)
TURNS = (
    "SELECT t.seat, t.text, s.language FROM turn t JOIN session s ON s.id = t.session_id "
    "WHERE s.id IN ({ids}) AND t.state = 'complete'"
)
