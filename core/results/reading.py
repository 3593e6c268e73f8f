"""Reading the store for results: light tidy frames, aggregated where SQL can; no text but what is asked for."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core import clearance
from core.consent import FIGURES
from core.errors import NotFound, msg
from core.results.quoted import verified
from storage.store import Store
from storage.units import numbers, query, source_units

if TYPE_CHECKING:
    import pandas as pd

    from core.results.voices import Voice

SINGLE_ORDER = ("person", "consensus", "reference")  # who is asked once, sides shuffled
WHO = "CASE a.agent_hash WHEN '' THEN 'rater ' || a.id ELSE a.agent_hash END"
ASKED = (  # who, and how it was asked; the fields of ``voices``
    f"{WHO}, r.prompt, r.prompt_version, r.setting, r.way, "
    "CASE a.kind WHEN 'rules' THEN r.engine_version ELSE '' END, r.engine, r.engine_version, r.repeats, r.study_id"
)
ASKED_COLUMNS = ("who", "prompt", "prompt_version", "setting", "way", "rules", "engine", "engine_version", "repeats", "study")
RATING = (
    "r.id, r.rater_id, a.kind, a.name, a.agent_hash, r.session_id, r.instrument, r.instrument_version, "
    f"r.language, r.item, r.repeat, r.value, r.score, r.reason, {verified('rating', 'r')}, {ASKED}"
)
RATING_COLUMNS = (
    "id", "rater_id", "rater_kind", "rater", "agent_hash", "session", "instrument", "version", "language",
    "item", "repeat", "value", "score", "reason", "verified", *ASKED_COLUMNS,
)  # fmt: skip
COMPARISON = (
    "r.id, r.rater_id, a.kind, a.name, a.agent_hash, r.first_id, r.second_id, g.card_id, r.instrument, "
    f"r.instrument_version, r.language, r.dimension, r.repeat, r.verdict, r.winner_id, r.reason, {ASKED}"
)
COMPARISON_COLUMNS = (
    "id", "rater_id", "rater_kind", "rater", "agent_hash", "first", "second", "role", "instrument", "version",
    "language", "dimension", "repeat", "verdict", "winner", "reason", *ASKED_COLUMNS,
)  # fmt: skip
OF_WAY = "r.instrument = :instrument AND r.instrument_version = :version AND r.language = :language AND r.superseded_by IS NULL"
PEOPLES = "r.rater_id IN (SELECT id FROM rater WHERE kind = 'person')"
PEOPLE = {table: f"SELECT 1 FROM {table} r WHERE {PEOPLES} AND {OF_WAY} LIMIT 1" for table in ("rating", "comparison")}
RATED = (
    f"SELECT {RATING} FROM rating r JOIN rater a ON a.id = r.rater_id WHERE r.session_id IN (SELECT r.session_id FROM rating r "
    f"WHERE r.instrument = :instrument AND {PEOPLES}) AND {OF_WAY} AND (a.kind = 'person' OR {WHO} = :who)"
)
COMPARED = (
    f"SELECT {COMPARISON} FROM comparison r JOIN rater a ON a.id = r.rater_id LEFT JOIN role_card g ON g.id = r.role_id "
    f"WHERE {OF_WAY} AND (a.kind = 'person' OR {WHO} = :who)"
)
BY_RULES = "s.engine = 'demo' OR (s.engine = 'mixed' AND 'demo' IN (coalesce(a.engine, ''), coalesce(b.engine, '')))"
RULED = (
    "(SELECT s.id FROM session s LEFT JOIN agent a ON a.id = s.counselor_agent_id LEFT JOIN agent b ON b.id = s.client_agent_id "
    f"WHERE {BY_RULES})"
)
OF_VOICE = (
    f"{OF_WAY} AND {WHO} = :who AND a.kind = :rater_kind AND r.prompt = :prompt AND r.prompt_version = :prompt_version AND r.setting = :setting "
    "AND r.way = :way AND (a.kind <> 'rules' OR r.engine_version = :rules)"
)
JUDGED = {
    "rating": f"SELECT DISTINCT r.session_id IN {RULED} FROM rating r JOIN rater a ON a.id = r.rater_id WHERE {OF_VOICE} AND r.score IS NOT NULL",
    "comparison": (
        f"SELECT DISTINCT r.first_id IN {RULED} OR r.second_id IN {RULED} FROM comparison r JOIN rater a ON a.id = r.rater_id "
        f"WHERE {OF_VOICE} AND r.verdict <> 'unscored'"
    ),
}
SESSIONS = (
    "SELECT s.id, s.title, s.role_id, g.card_id, s.report_id, coalesce(nullif(s.client_code, ''), p.client_code, ''), y.code, "
    "s.counselor_code, z.code, s.origin, s.engine, s.language, s.topic, a.name, g.title, p.topic, "
    f"{BY_RULES}, "
    "(SELECT c.prompt FROM turn t JOIN call c ON c.id = t.call_id WHERE t.session_id = s.id LIMIT 1) "
    "FROM session s LEFT JOIN agent a ON a.id = s.counselor_agent_id LEFT JOIN agent b ON b.id = s.client_agent_id "
    "LEFT JOIN role_card g ON g.id = s.role_id "
    "LEFT JOIN report p ON p.id = s.report_id LEFT JOIN person y ON y.id = s.client_person_id "
    "LEFT JOIN person z ON z.id = s.counselor_person_id "
)
WITHDRAWN = msg("Session {id} was withdrawn by somebody who spoke in it. It is kept, and nothing of it is shown.")
ORIGINS = ("simulated", "reconstructed", "imported", "live")
METHODS = {"report/dialogue": "memo2demo", "report/roleplay": "roleplay"}


@dataclass(frozen=True)
class Held:
    """What is known of a session: who counsels (``counselor``), whose it is (``cluster``), what made it.

    Sessions of one role card are one role, whatever code or person stands beside it; others are their client's.
    ``cluster`` begins with its kind (role, client, report, session), so that a client called *role 1* is no
    role; ``counselor`` is an agent's name, or a code that is told apart where an agent or a method is called like it.
    """

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
    by_rules: bool = False  # the demo engine spoke in it

    @property
    def made_by(self) -> str:
        """The engine it has to be called by: *demo* as soon as that spoke in it."""
        return "demo" if self.by_rules else self.engine


@dataclass(frozen=True)
class Aside:
    """Sessions that no figure of a group uses: withdrawn, or without everybody's *group figures*. Their ratings stay stored."""

    withdrawn: frozenset[int] = frozenset()
    not_agreed: frozenset[int] = frozenset()

    @property
    def all(self) -> frozenset[int]:
        return self.withdrawn | self.not_agreed

    def among(self, ids: Iterable[int]) -> "Aside":
        """Those of these sessions."""
        wanted = frozenset(ids)
        return Aside(self.withdrawn & wanted, self.not_agreed & wanted)


def aside(store: Store) -> Aside:
    """The sessions that figures leave out, as it stands now. Everything in ``core.results`` asks here."""
    hidden = frozenset(clearance.withdrawn(store))
    return Aside(hidden, frozenset(clearance.lacking(store, FIGURES)) - hidden)


def left_out(store: Store, study_id: int | None = None) -> Aside:
    """The sessions judged in a study (or at all) that its figures leave out."""
    found = aside(store)
    if not found.all:
        return found
    mine = of_study(store, study_id)
    sql = (
        f"SELECT r.session_id FROM rating r WHERE {mine} UNION SELECT r.first_id FROM comparison r WHERE {mine} "
        f"UNION SELECT r.second_id FROM comparison r WHERE {mine}"
    )
    return found.among(row[0] for row in query(store, sql))


def studies_with(store: Store, table: str, *, left_out_too: bool = False) -> list[int]:
    """Studies that have, or use, rows of ``rating`` or ``comparison`` that figures may use; newest first.

    Args:
        left_out_too: also those whose every row figures leave out.
    """
    kind = "comparison" if table == "comparison" else "rating"
    barred = frozenset() if left_out_too else aside(store).all
    counted = f"superseded_by IS NULL{without(kind, barred, '')}"
    own = {row[0] for row in query(store, f"SELECT DISTINCT study_id FROM {kind} WHERE study_id IS NOT NULL AND {counted}")}
    reusing = [row[0] for row in query(store, "SELECT DISTINCT study_id FROM unit WHERE kind = :kind AND state = 'reused'", kind=kind)]
    if barred:
        there = f"SELECT 1 FROM {kind} r WHERE {{mine}}{without(kind, barred, 'r.')} LIMIT 1"
        reusing = [id for id in reusing if id not in own and query(store, there.format(mine=of_study(store, id)))]
    return sorted({*own, *reusing}, reverse=True)


def loose(store: Store) -> bool:
    """Whether figures may use anything that belongs to no study."""
    barred = aside(store).all
    return any(
        query(store, f"SELECT 1 FROM {table} r WHERE r.study_id IS NULL{without(table, barred, 'r.')} LIMIT 1")
        for table in ("rating", "comparison")
    )


def counts(store: Store) -> dict[str, int]:
    """Sessions, ratings and comparisons that are not withdrawn, ratings by the kind of rater, and how many are."""
    hidden = clearance.withdrawn(store)
    seen = f"id NOT IN ({numbers(sorted(hidden))})"
    sessions = query(store, f"SELECT count(*), coalesce(sum(origin = 'live'), 0) FROM session WHERE {seen}")[0]
    found = {"sessions": sessions[0], "live": sessions[1], "withdrawn": len(hidden)}
    for table in ("rating", "comparison"):
        sql = (
            f"SELECT a.kind, count(*) FROM {table} r JOIN rater a ON a.id = r.rater_id WHERE 1{without(table, hidden, 'r.')} GROUP BY a.kind"
        )
        by = dict(query(store, sql))
        found |= {f"{table}s": sum(by.values())} | {f"{table}s by {kind}": n for kind, n in by.items()}
    return found


def without(table: str, barred: Iterable[int], named: str) -> str:
    """The condition that leaves sessions out of ratings or comparisons."""
    ids = numbers(sorted(barred))
    columns = ("first_id", "second_id") if table == "comparison" else ("session_id",)
    return "".join(f" AND {named}{column} NOT IN ({ids})" for column in columns) if ids else ""


def of_study(store: Store, study_id: int | None) -> str:
    """The condition for a study's rows: its own, and those of other studies that it reuses."""
    if study_id is None:
        return "r.superseded_by IS NULL"
    reused = source_units(store, study_id)
    mine = f"(r.study_id = {int(study_id)}" + (f" OR r.unit_id IN ({numbers(reused)}))" if reused else ")")
    return f"r.superseded_by IS NULL AND {mine}"


def ratings(store: Store, study_id: int | None = None, instrument: str = "") -> "pd.DataFrame":
    """Ratings without their texts, a row each, oldest first (columns ``RATING_COLUMNS``); see ``aside``."""
    sql = (
        f"SELECT {RATING} FROM rating r JOIN rater a ON a.id = r.rater_id "
        f"WHERE {of_study(store, study_id)}{without('rating', aside(store).all, 'r.')}"
        f"{' AND r.instrument = :instrument' if instrument else ''} ORDER BY r.id"
    )
    return framed(query(store, sql, **({"instrument": instrument} if instrument else {})), RATING_COLUMNS)


def comparisons(store: Store, study_id: int | None = None) -> "pd.DataFrame":
    """Comparisons without their texts, a row each, oldest first (columns ``COMPARISON_COLUMNS``); see ``aside``."""
    sql = (
        f"SELECT {COMPARISON} FROM comparison r JOIN rater a ON a.id = r.rater_id "
        f"LEFT JOIN role_card g ON g.id = r.role_id "
        f"WHERE {of_study(store, study_id)}{without('comparison', aside(store).all, 'r.')} ORDER BY r.id"
    )
    return framed(query(store, sql), COMPARISON_COLUMNS)


def beside_people(store: Store, table: str, instrument: str, who: str, version: int, language: str) -> "pd.DataFrame":
    """What people said with one version and language of an instrument, and what one judge said of the same.

    Of ratings the judge's are those of sessions that people rated with the instrument; of comparisons all, since whether
    a study showed pairs both ways is told by all of them. Nothing is read where no person judged.

    Args:
        table: rating or comparison. who: a voice's.
    """
    columns, found_by = (COMPARISON_COLUMNS, COMPARED) if table == "comparison" else (RATING_COLUMNS, RATED)
    way = {"instrument": instrument, "version": version, "language": language}
    if not query(store, PEOPLE[table], **way):
        return framed([], columns)
    sql = f"{found_by}{without(table, aside(store).all, 'r.')} ORDER BY r.id"
    return framed(query(store, sql, **way, who=who), columns)


def judged_by_rules(store: Store, table: str, instrument: str, voice: "Voice") -> set[bool]:
    """Whether a judge gave a readable judgment of sessions made by rules, and whether of others."""
    return {bool(row[0]) for row in query(store, JUDGED[table] + without(table, aside(store).all, "r."), instrument=instrument, **voice.fields)}


def rated_with(store: Store, study_id: int | None = None) -> dict[str, set[str]]:
    """Instruments that the ratings of a study (or all) are of, and the kinds of raters who used them."""
    mine = f"{of_study(store, study_id)}{without('rating', aside(store).all, 'r.')}"
    sql = f"SELECT DISTINCT i, a.kind FROM (SELECT DISTINCT r.instrument AS i, r.rater_id AS x FROM rating r WHERE {mine}) JOIN rater a ON a.id = x"
    found: dict[str, set[str]] = {}
    for instrument, kind in query(store, sql):
        found.setdefault(instrument, set()).add(kind)
    return found


def engines(store: Store, study_id: int | None = None) -> set[str]:
    """The engines that made the sessions which a study (or anything) has ratings of."""
    mine = f"{of_study(store, study_id)}{without('rating', aside(store).all, 'r.')}"
    sql = f"SELECT DISTINCT s.engine FROM session s WHERE s.id IN (SELECT r.session_id FROM rating r WHERE {mine})"
    return {row[0] for row in query(store, sql)}


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
    taken = frozenset(row[0] for row in query(store, "SELECT name FROM agent")) | set(METHODS.values()) | set(ORIGINS)
    return {row[0]: held(row, taken) for row in rows}


def held(row: Sequence[Any], taken: Collection[str]) -> Held:
    (id, title, version, role, report, client, client_person, code, person, origin, engine, language, topic, agent,
     role_title, report_topic, by_rules, prompt) = row  # fmt: skip
    belongs = (("role", role), ("client", client), ("report", report), ("client", client_person), ("session", id))
    coded = beside(code or person or "", taken)
    return Held(
        id=id, title=title, role_id=version, card_id=role, counselor=agent or coded or METHODS.get(prompt or "", origin),
        cluster=next(f"{kind} {name}" for kind, name in belongs if name), client=client or role_title or client_person or "", origin=origin,
        engine=engine, language=language, topic=topic or report_topic or "", by_rules=bool(by_rules),
    )  # fmt: skip


def beside(code: str, taken: Collection[str]) -> str:
    """A counselor's code as a name of its own, where an agent or a method has that name already."""
    while code and code in taken:
        code = f"code {code}"
    return code


def mixed_versions(held: Iterable[Held]) -> int:
    """How many role cards these sessions were held with in more than one version."""
    versions: dict[int, set[int | None]] = {}
    for one in held:
        if one.card_id is not None:
            versions.setdefault(one.card_id, set()).add(one.role_id)
    return sum(len(used) > 1 for used in versions.values())


def reading(store: Store, table: str, id: int) -> dict[str, Any]:
    """One rating or comparison with its reasoning, quotes and call, and whether it rests on a quote that was found
    (``verified``); of a superseded one, what counts instead.

    Raises:
        NotFound: it is gone, or its session was withdrawn.
    """
    judgments = store.comparisons if table == "comparison" else store.ratings
    while not (rows := judgments.rows(id=id)):
        id = judgments.get(id).superseded_by or 0
    there = query(store, f"SELECT {verified(table, 'r')} FROM {table} r WHERE r.id = :id", id=rows[0]["id"])
    row = rows[0] | {"verified": there[0][0]}
    read_by_nobody(store, [row[name] for name in ("session_id", "first_id", "second_id") if row.get(name)])
    return row


def read_by_nobody(store: Store, sessions: Iterable[int]) -> None:
    """Raises NotFound: one of these sessions was withdrawn, so nothing of it or about it is shown."""
    for id in sorted(clearance.withdrawn(store) & set(sessions)):
        raise NotFound(WITHDRAWN, id=id)
