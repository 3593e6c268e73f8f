"""What decides how far a record's text may travel, read at once in plain SQL: its origin, its reviews, who spoke."""

import json
import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from storage import tables
from storage.reviewed import TEXTS, session_text_hash, text_hash

FAMILY = (
    "WITH RECURSIVE family(id) AS (SELECT ? UNION SELECT s.parent_id FROM session s JOIN family f ON f.id = s.id "
    "WHERE s.parent_id IS NOT NULL) SELECT id FROM family"
)
MEMBERS = (
    "WITH RECURSIVE up(id) AS (SELECT ? UNION SELECT p.joined_to FROM person p JOIN up ON up.id = p.id "
    "WHERE p.joined_to IS NOT NULL), down(id) AS (SELECT id FROM up UNION SELECT p.id FROM person p JOIN down d "
    "ON p.joined_to = d.id) SELECT id FROM down"
)
CONSENT = ("id", "person_id", "seat", "code", "session_id", "purpose", "endpoint", "agreed", "counts", "given", "withdrawn")
TABLES = {"report": "report", "note": "note", "role": "role_card"}


class SessionFacts(NamedTuple):
    """A session without its words. ``speakers`` are persons who spoke in a seat here; ``None`` one who is unknown."""

    id: int
    origin: str
    elsewhere: bool
    withdrawn: bool
    role_id: int | None
    made_from: list[list[Any]]
    client_code: str
    counselor_code: str
    speakers: frozenset[int | None]
    report_id: int | None


class TextFacts(NamedTuple):
    """A report, a note or a version of a role card without its words; ``hash`` is of its words as they are."""

    hash: str
    sampling: str  # role cards
    edited: bool
    elsewhere: bool
    made_from: list[list[Any]]  # notes
    report_id: int | None  # notes


class Agreed(NamedTuple):
    """One row of what somebody agreed to or refused."""

    id: int
    person_id: int | None
    seat: str
    code: str
    session_id: int | None
    purpose: str
    endpoint: str
    agreed: bool
    counts: bool
    given: str
    withdrawn: str


def session_facts(connection: sqlite3.Connection, id: int) -> SessionFacts | None:
    row = connection.execute(
        "SELECT id, origin, elsewhere, withdrawn, role_id, made_from, client_code, counselor_code, report_id FROM session WHERE id = ?", (id,)
    ).fetchone()
    if row is None:
        return None
    spoke = connection.execute(
        "SELECT DISTINCT speaker, person_id FROM turn WHERE session_id = ? AND speaker IN ('person', 'unknown person')", (id,)
    ).fetchall()
    return SessionFacts(row[0], row[1], bool(row[2]), bool(row[3]), row[4], json.loads(row[5]), row[6], row[7], frozenset(p for _, p in spoke), row[8])


def report_of(connection: sqlite3.Connection, session: int) -> int | None:
    """The report a session was rebuilt from."""
    row = connection.execute("SELECT report_id FROM session WHERE id = ?", (session,)).fetchone()
    return row[0] if row else None


def text_facts(connection: sqlite3.Connection, kind: str, id: int) -> TextFacts | None:
    """The facts of a report, note or role version; its hash is made from its words."""
    return _facts(connection, kind, "WHERE id = ?", (id,)).get(id)


def all_text_facts(connection: sqlite3.Connection, kind: str) -> dict[int, TextFacts]:
    """The facts of all reports, notes or role versions, by id; hashes of those alone of which somebody said something."""
    reviewed = "id IN (SELECT record_id FROM review WHERE kind = ?)"
    light = _facts(connection, kind, f"WHERE NOT {reviewed}", (kind,), hashed=False)
    return light | _facts(connection, kind, f"WHERE {reviewed}", (kind,))


def report_codes(connection: sqlite3.Connection, id: int | None = None) -> dict[int, list[tuple[str, str]]]:
    """The seats and codes that reports bear, by report: of all, or of this one."""
    where, values = ("", ()) if id is None else ("WHERE id = ?", (id,))
    found = connection.execute(f"SELECT id, client_code, counselor_code FROM report {where}", values)
    return {row[0]: [(seat, code) for seat, code in zip(("client", "counselor"), row[1:], strict=True) if code] for row in found}


def _facts(connection: sqlite3.Connection, kind: str, where: str, values: Sequence[Any], hashed: bool = True) -> dict[int, TextFacts]:
    columns = MODELS[kind].__table__.columns
    names = [column.name for column in columns if hashed or column.name not in TEXTS[kind]]
    found = connection.execute(f"SELECT {', '.join(names)} FROM {TABLES[kind]} {where}", values)
    as_json = {column.name for column in columns if type(column.type).__name__ == "JSON"}
    return {row[names.index("id")]: _facts_of(kind, dict(zip(names, row, strict=True)), as_json, hashed) for row in found}


def _facts_of(kind: str, held: dict[str, Any], as_json: set[str], hashed: bool) -> TextFacts:
    words = {name: json.loads(held[name]) if name in as_json else held[name] for name in TEXTS[kind] if hashed}
    return TextFacts(
        text_hash(kind, words) if hashed else "", held.get("sampling", ""), bool(held.get("edited_by")), bool(held["elsewhere"]),
        json.loads(held.get("made_from") or "[]"), held.get("report_id"),
    )  # fmt: skip


MODELS: dict[str, Any] = {"report": tables.Report, "note": tables.Note, "role": tables.RoleCard}


def session_hash(connection: sqlite3.Connection, id: int) -> str:
    titled = connection.execute("SELECT title FROM session WHERE id = ?", (id,)).fetchone()
    sql = "SELECT position, seat, text FROM turn WHERE session_id = ? AND state = 'complete' ORDER BY position"
    return session_text_hash(titled[0] if titled else "", connection.execute(sql, (id,)).fetchall())


def reviews(connection: sqlite3.Connection, kind: str, id: int) -> dict[str, str]:
    """What persons said of texts of this record: hash → confirmed or synthetic, the latest for each text."""
    sql = "SELECT hash, says FROM review WHERE kind = ? AND record_id = ? ORDER BY id"
    return dict(connection.execute(sql, (kind, id)).fetchall())


def all_reviews(connection: sqlite3.Connection, kind: str) -> dict[int, dict[str, str]]:
    """What persons said of texts of all records of a kind: id → hash → confirmed or synthetic."""
    found: dict[int, dict[str, str]] = {}
    for id, hash, says in connection.execute("SELECT record_id, hash, says FROM review WHERE kind = ? ORDER BY id", (kind,)):
        found.setdefault(id, {})[hash] = says
    return found


def family(connection: sqlite3.Connection, id: int) -> frozenset[int]:
    """A session and those it was branched off from."""
    return frozenset(row[0] for row in connection.execute(FAMILY, (id,)))


def members(connection: sqlite3.Connection, id: int) -> frozenset[int]:
    """All rows that are this person."""
    return frozenset(row[0] for row in connection.execute(MEMBERS, (id,)))


SPOKE = "SELECT session_id AS id, seat FROM turn WHERE person_id IN ({who})"
SITS = " UNION ".join(f"SELECT id, '{seat}' AS seat FROM session WHERE {seat}_person_id IN ({{who}})" for seat in ("client", "counselor"))


def seats(connection: sqlite3.Connection, persons: Iterable[int], session: int | None = None) -> dict[int, frozenset[str]]:
    """The seats in which these persons sit or spoke, by session: of one, or of all."""
    return _seats(connection, f"{SITS} UNION {SPOKE}", 3, persons, session)


def spoken_seats(connection: sqlite3.Connection, persons: Iterable[int], session: int | None = None) -> dict[int, frozenset[str]]:
    """The seats in which these persons spoke, by session: of one, or of all."""
    return _seats(connection, SPOKE, 1, persons, session)


def _seats(connection: sqlite3.Connection, sql: str, times: int, persons: Iterable[int], session: int | None) -> dict[int, frozenset[str]]:
    ids = sorted(set(persons))
    asked = sql.format(who=", ".join("?" * len(ids)))
    one = "" if session is None else " WHERE id = ?"
    found: dict[int, set[str]] = {}
    for id, seat in connection.execute(f"SELECT id, seat FROM ({asked}){one}", [*ids * times, *([] if session is None else [session])]):
        found.setdefault(id, set()).add(seat)
    return {id: frozenset(held) for id, held in found.items()}


def root(connection: sqlite3.Connection, id: int) -> int:
    """The row that stands for this one; 0 where there is none."""
    above = (
        "WITH RECURSIVE up(id, joined_to) AS (SELECT id, joined_to FROM person WHERE id = ? UNION "
        "SELECT p.id, p.joined_to FROM person p JOIN up ON p.id = up.joined_to) SELECT id FROM up WHERE joined_to IS NULL"
    )
    found = connection.execute(above, (id,)).fetchone()
    return int(found[0]) if found else 0


class Tally(NamedTuple):
    """How much is a person's: sessions they spoke in, answers about consent, ratings and comparisons they gave."""

    sessions: int = 0
    consents: int = 0
    ratings: int = 0
    withdrawn: int = 0  # sessions they spoke in that were withdrawn, not among ``sessions``
    other: int = 0  # what they read and confirmed, opened, began as a study, or entered for others


def tally(connection: sqlite3.Connection) -> dict[int, Tally]:
    """By the row that stands for each person."""
    stands = {id: root(connection, id) for (id,) in connection.execute("SELECT id FROM person").fetchall()}
    spoke: dict[tuple[int, bool], set[int]] = {}
    sql = (
        "SELECT DISTINCT t.person_id, t.session_id, s.withdrawn <> '' FROM turn t JOIN session s ON s.id = t.session_id "
        "WHERE t.person_id IS NOT NULL"
    )
    for person, session, hidden in connection.execute(sql):
        spoke.setdefault((stands[person], bool(hidden)), set()).add(session)
    agreed = summed(connection, stands, "SELECT person_id, count(*) FROM consent WHERE person_id IS NOT NULL GROUP BY 1")
    rated, other = summed(connection, stands, RATED), summed(connection, stands, OTHER)
    return {
        id: Tally(len(spoke.get((id, False), ())), agreed.get(id, 0), rated.get(id, 0), len(spoke.get((id, True), ())), other.get(id, 0))
        for id in set(stands.values())
    }


OTHER = " UNION ALL ".join(
    f"SELECT {column}, count(*) FROM {table} WHERE {column} IS NOT NULL GROUP BY 1"
    for table, column in (("review", "person_id"), ("look", "person_id"), ("study", "person_id"), ("consent", "entered_by"))
)
HIDDEN = "(SELECT id FROM session WHERE withdrawn <> '')"
RATED = (
    "SELECT r.person_id, (SELECT count(*) FROM rating x WHERE x.rater_id = r.id AND x.superseded_by IS NULL "
    f"AND x.session_id NOT IN {HIDDEN}) + (SELECT count(*) FROM comparison x WHERE x.rater_id = r.id AND x.superseded_by IS NULL "
    f"AND x.first_id NOT IN {HIDDEN} AND x.second_id NOT IN {HIDDEN}) FROM rater r WHERE r.person_id IS NOT NULL"
)


def summed(connection: sqlite3.Connection, stands: dict[int, int], sql: str) -> dict[int, int]:
    found: dict[int, int] = {}
    for person, n in connection.execute(sql):
        found[stands[person]] = found.get(stands[person], 0) + n
    return found


def agreed_by(connection: sqlite3.Connection, persons: Iterable[int]) -> list[Agreed]:
    ids = sorted(set(persons))
    return _agreed(connection, f"person_id IN ({', '.join('?' * len(ids))})", ids)


def agreed_for(connection: sqlite3.Connection, seat: str, code: str) -> list[Agreed]:
    wanted = same_code(code)
    return [row for row in _agreed(connection, "seat = ? AND code <> ''", [seat]) if same_code(row.code) == wanted]


def same_code(code: str) -> str:
    """A code as it is compared: typed in capitals or not, with this hyphen or another, it is of the same person."""
    return re.sub(r"[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]", "-", " ".join(unicodedata.normalize("NFKC", code).casefold().split()))


def _agreed(connection: sqlite3.Connection, where: str, values: Sequence[Any]) -> list[Agreed]:
    rows = connection.execute(f"SELECT {', '.join(CONSENT)} FROM consent WHERE {where} ORDER BY id", values).fetchall()
    return [Agreed._make((*row[:7], bool(row[7]), bool(row[8]), *row[9:])) for row in rows]


def addresses(connection: sqlite3.Connection) -> list[str]:
    """The base URLs of all endpoints, as they were entered."""
    return [row[0] for row in connection.execute("SELECT base_url FROM endpoint")]


def must_ask(connection: sqlite3.Connection) -> bool:
    """Whether imported and rebuilt text needs a row for its codes too (a setting)."""
    row = connection.execute("SELECT value FROM setting WHERE name = 'ask codes'").fetchone()
    return bool(row and json.loads(row[0]))


def spoken_sessions(connection: sqlite3.Connection) -> list[int]:
    """Sessions in which a person spoke, or for whose codes there is (or, by a setting, has to be) an answer."""
    found = {row[0] for row in connection.execute("SELECT DISTINCT session_id FROM turn WHERE speaker IN ('person', 'unknown person')")}
    told = {(seat, same_code(code)) for seat, code in connection.execute("SELECT DISTINCT seat, code FROM consent WHERE code <> ''")}
    if told:
        coded = (
            "SELECT s.id, s.client_code, s.counselor_code, r.client_code, r.counselor_code FROM session s LEFT JOIN report r ON "
            "r.id = s.report_id WHERE s.client_code <> '' OR s.counselor_code <> '' OR r.client_code <> '' OR r.counselor_code <> ''"
        )
        for id, *codes in connection.execute(coded):
            if told & {(seat, same_code(code)) for seat, code in zip(("client", "counselor") * 2, codes, strict=True) if code}:
                found.add(id)
    if must_ask(connection):
        found |= {row[0] for row in connection.execute("SELECT id FROM session WHERE origin IN ('imported', 'reconstructed') OR elsewhere")}
    return sorted(found)
