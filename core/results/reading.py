"""Reading the store for results: light tidy frames, aggregated where SQL can; no text but what is asked for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from storage.store import Store
from storage.units import numbers, query, source_units

if TYPE_CHECKING:
    import pandas as pd

SINGLE_ORDER = ("person", "consensus", "reference")  # who is asked once, sides shuffled
VERIFIED = "({t}.quotes LIKE '%\"exact\"%' OR {t}.quotes LIKE '%\"normalised\"%')"
RATING = (
    "r.id, r.rater_id, a.kind, a.name, a.agent_hash, r.session_id, r.instrument, r.instrument_version, "
    "r.language, r.setting, r.item, r.repeat, r.value, r.score, r.reason, c.prompt_version, "
    + VERIFIED.format(t="r")
)
RATING_COLUMNS = (
    "id", "rater_id", "rater_kind", "rater", "agent_hash", "session", "instrument", "version", "language",
    "setting", "item", "repeat", "value", "score", "reason", "prompt_version", "verified",
)  # fmt: skip
COMPARISON = (
    "r.id, r.rater_id, a.kind, a.name, a.agent_hash, r.first_id, r.second_id, g.card_id, r.instrument, "
    "r.instrument_version, r.language, r.dimension, r.repeat, r.verdict, r.winner_id, r.reason, c.prompt_version"
)
COMPARISON_COLUMNS = (
    "id", "rater_id", "rater_kind", "rater", "agent_hash", "first", "second", "role", "instrument", "version",
    "language", "dimension", "repeat", "verdict", "winner", "reason", "prompt_version",
)  # fmt: skip
SESSIONS = (
    "SELECT s.id, s.title, s.role_id, g.card_id, s.report_id, s.client_code, y.code, s.counselor_code, "
    "z.code, s.origin, s.engine, s.language, s.topic, a.name, g.title, p.topic, "
    "(SELECT c.prompt FROM turn t JOIN call c ON c.id = t.call_id WHERE t.session_id = s.id LIMIT 1) "
    "FROM session s LEFT JOIN agent a ON a.id = s.counselor_agent_id LEFT JOIN role_card g ON g.id = s.role_id "
    "LEFT JOIN report p ON p.id = s.report_id LEFT JOIN person y ON y.id = s.client_person_id "
    "LEFT JOIN person z ON z.id = s.counselor_person_id "
)
METHODS = {"report/dialogue": "memo2demo", "report/roleplay": "roleplay"}


@dataclass(frozen=True)
class Held:
    """What is known of a session: who counsels (``counselor``), whose it is (``cluster``), what made it."""

    id: int
    title: str
    role_id: int | None  # the version of the card it was held with
    card_id: int | None
    counselor: str
    cluster: str
    client: str
    origin: str
    engine: str
    language: str
    topic: str


def studies_with(store: Store, table: str) -> list[int]:
    """Studies that have, or use, rows of ``rating`` or ``comparison``; newest first."""
    kind = "comparison" if table == "comparison" else "rating"
    sql = (
        f"SELECT DISTINCT study_id FROM {kind} WHERE study_id IS NOT NULL UNION "
        "SELECT DISTINCT study_id FROM unit WHERE kind = :kind AND state = 'reused'"
    )
    return sorted((row[0] for row in query(store, sql, kind=kind)), reverse=True)


def of_study(store: Store, study_id: int | None) -> str:
    """The condition for a study's rows: its own, and those of other studies that it reuses."""
    if study_id is None:
        return "r.superseded_by IS NULL"
    reused = source_units(store, study_id)
    mine = f"(r.study_id = {int(study_id)}" + (f" OR r.unit_id IN ({numbers(reused)}))" if reused else ")")
    return f"r.superseded_by IS NULL AND {mine}"


def ratings(store: Store, study_id: int | None = None, instrument: str = "") -> "pd.DataFrame":
    """Ratings without their texts, a row each, oldest first (columns ``RATING_COLUMNS``)."""
    sql = (
        f"SELECT {RATING} FROM rating r JOIN rater a ON a.id = r.rater_id LEFT JOIN call c ON c.id = r.call_id "
        f"WHERE {of_study(store, study_id)}{' AND r.instrument = :instrument' if instrument else ''} ORDER BY r.id"
    )
    return framed(query(store, sql, **({"instrument": instrument} if instrument else {})), RATING_COLUMNS)


def comparisons(store: Store, study_id: int | None = None) -> "pd.DataFrame":
    """Comparisons without their texts, a row each, oldest first (columns ``COMPARISON_COLUMNS``)."""
    sql = (
        f"SELECT {COMPARISON} FROM comparison r JOIN rater a ON a.id = r.rater_id "
        f"LEFT JOIN call c ON c.id = r.call_id LEFT JOIN role_card g ON g.id = r.role_id "
        f"WHERE {of_study(store, study_id)} ORDER BY r.id"
    )
    return framed(query(store, sql), COMPARISON_COLUMNS)


def framed(rows: Sequence[Any], columns: Sequence[str]) -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame([tuple(row) for row in rows], columns=list(columns))


def sessions(store: Store, ids: Iterable[int]) -> dict[int, Held]:
    """What is known of these sessions, by id."""
    wanted = sorted({int(id) for id in ids})
    rows = [
        row
        for start in range(0, len(wanted), 500)
        for row in query(store, f"{SESSIONS}WHERE s.id IN ({numbers(wanted[start : start + 500])})")
    ]
    return {row[0]: held(row) for row in rows}


def held(row: Sequence[Any]) -> Held:
    (id, title, version, role, report, client, client_person, code, person, origin, engine, language, topic, agent,
     role_title, report_topic, prompt) = row  # fmt: skip
    cluster = client or (f"role {role}" if role else f"report {report}" if report else client_person)
    return Held(
        id=id, title=title, role_id=version, card_id=role, counselor=agent or code or person or METHODS.get(prompt or "", origin),
        cluster=cluster or f"session {id}", client=client or role_title or client_person or "", origin=origin,
        engine=engine, language=language, topic=topic or report_topic or "",
    )  # fmt: skip


def mixed_versions(held: Iterable[Held]) -> int:
    """How many role cards these sessions were held with in more than one version."""
    versions: dict[int, set[int | None]] = {}
    for one in held:
        if one.card_id is not None:
            versions.setdefault(one.card_id, set()).add(one.role_id)
    return sum(len(used) > 1 for used in versions.values())


def reading(store: Store, table: str, id: int) -> dict[str, Any]:
    """One rating or comparison with its reasoning, quotes and call; of a superseded one, what counts instead.

    Raises:
        NotFound: it is gone.
    """
    judgments = store.comparisons if table == "comparison" else store.ratings
    while not (rows := judgments.rows(id=id)):
        id = judgments.get(id).superseded_by or 0
    return dict(rows[0])
