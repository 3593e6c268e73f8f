"""What of a study goes out: whole, as figures without words, or not at all; and how many of each, and why.

A record's words go by the rule of ``core.leaving``. Of a session that stays, a rating goes as a bare value where *group
figures* was agreed; then the session goes as a row without words, so that the figures keep what they belong to.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.clearance import lacking
from core.consent import FIGURES
from core.instruments import NOT_APPLICABLE
from core.judging.readings import code_of as code_of_item
from core.leaving import UNCONFIRMED, WITHDRAWN, Leaving, worst
from core.studies import reasons
from storage import tables
from storage.reviewed import text_hash
from storage.store import Store
from storage.units import chunks

Row = dict[str, Any]
RECORDS = {"role": "role", "session": "session", "first": "session", "second": "session", "note": "note", "report": "report"}
SESSIONS = {"rating": ("session_id",), "comparison": ("first_id", "second_id")}
OF_A_BARE_SESSION = (
    "id", "origin", "language", "engine", "state", "role_id", "report_id", "client_agent_id", "counselor_agent_id", "created",
)  # fmt: skip
WORDLESS: Row = {"reasoning": "", "quotes": [], "call_id": None}


class Outgoing:
    """The records of one export as they go out; ``left`` and ``bare`` count what stayed, by kind and reason."""

    def __init__(self, store: Store, with_unconfirmed: bool = False) -> None:
        self.store, self.leaving = store, Leaving(store, with_unconfirmed)
        self.no_figures = lacking(store, FIGURES)
        self.reports: dict[int, str] = {}  # the hash of each report's words as they are
        self.left: dict[str, Counter[str]] = {}
        self.bare: dict[str, Counter[str]] = {}

    def stays(self, kind: str, reason: str) -> None:
        self.left.setdefault(kind, Counter())[reason] += 1

    def records(self, kind: str, rows: Iterable[Any]) -> list[Any]:
        """Those reports, notes or versions of roles that may leave."""
        listed = list(rows)
        self.leaving.look(kind, (row.id for row in listed))
        whys = [(row, self.leaving.why(kind, row.id)) for row in listed]
        for _row, why in whys:
            if why:
                self.stays(kind, why)
        return [row for row, why in whys if not why]

    # Calls

    def calls(self, about: Mapping[int, Iterable[tuple[str, int]]]) -> set[int]:
        """Of calls with the records they carried, those that may leave: a call goes only with all of its records."""
        for kind in {kind for records in about.values() for kind, _ in records}:
            self.leaving.look(kind, (id for records in about.values() for one, id in records if one == kind))
        going = set()
        carried: dict[int, dict[tuple[str, int], str]] = {}
        for some in chunks(sorted(about)):
            carried |= self.store.calls.carried(some)
        for call, records in about.items():
            why = worst(self.leaving.why(kind, id) for kind, id in records)
            why = why or self.of_former_words(carried.get(call, {}))
            if why:
                self.stays("call", why)
            else:
                going.add(call)
        return going

    def of_former_words(self, carried: Mapping[tuple[str, int], str]) -> str:
        """*Unconfirmed* for a call that carried a report in other words than those it has now, or nobody knows in which."""
        changing = {id: hash for (kind, id), hash in carried.items() if kind == "report"}
        if self.leaving.with_unconfirmed:
            return ""
        return "" if all(hash == self.words_of(id) for id, hash in changing.items()) else UNCONFIRMED

    def words_of(self, report: int) -> str:
        """The hash of a report's words as they are."""
        if report not in self.reports:
            found = self.store.reports.find(id=report)
            self.reports[report] = "gone" if found is None else text_hash("report", found.model_dump())
        return self.reports[report]

    # Judgments

    def judged(self, table: str, rows: Sequence[Row], calls: set[int]) -> list[Row]:
        """The rows of ratings or comparisons as they go out."""
        self.leaving.look("session", (row[name] for row in rows for name in SESSIONS[table]))
        found = (self.judgment(table, row, calls) for row in rows)
        return [row for row in found if row is not None]

    def judgment(self, table: str, row: Row, calls: set[int]) -> Row | None:
        about = [row[name] for name in SESSIONS[table]]
        why = worst(self.leaving.why("session", id) for id in about)
        if why == WITHDRAWN or (why and self.no_figures & set(about)):
            self.stays(table, why)
            return None
        if why or (row["call_id"] and row["call_id"] not in calls):
            self.bare.setdefault(table, Counter())[why or UNCONFIRMED] += 1
            return row | WORDLESS | {"reason": bare_reason(row["reason"])}
        return row

    # Sessions

    def sessions(self, rows: Sequence[tables.Session], figures_of: set[int]) -> tuple[list[tables.Session], list[tables.Session]]:
        """Sessions that go whole, and those that go as a row without words since figures of them go."""
        whole, bare = [], []
        self.leaving.look("session", (row.id or 0 for row in rows))
        known = {code for row in rows if not self.leaving.why("session", row.id or 0) for code in (row.client_code, row.counselor_code)}
        codes = Codes(known)
        for row in rows:
            why = self.leaving.why("session", row.id or 0)
            if not why:
                whole.append(row)
            elif row.id in figures_of:
                bare.append(bare_session(row, codes))
                self.bare.setdefault("session", Counter())[why] += 1
            else:
                self.stays("session", why)
        return whole, bare

    # Units

    def unit(self, row: Row) -> Row:
        """A unit; of one that worked on what stays, the reason is a code."""
        named = {**row["payload"], **row["result"]}
        about = [(kind, named[name]) for name, kind in RECORDS.items() if isinstance(named.get(name), int)]
        if row["reason"] and worst(self.leaving.why(kind, id) for kind, id in about):
            return row | {"reason": reasons.split(row["reason"])[0]}
        return row

    def told(self) -> Row:
        """What stayed or went without its words, for the file that says how the study was done."""
        return {
            "with_unconfirmed": self.leaving.with_unconfirmed,
            "left_out": {kind: dict(counts) for kind, counts in sorted(self.left.items())},
            "without_words": {kind: dict(counts) for kind, counts in sorted(self.bare.items())},
        }  # fmt: skip


class Codes:
    """Client and counselor codes of sessions whose words stay: as they are where they go out anyway, else numbered."""

    def __init__(self, known: set[str]) -> None:
        self.known = known
        self.numbers: dict[tuple[str, str], int] = {}

    def of(self, seat: str, code: str) -> str:
        if not code or code in self.known:
            return code
        number = self.numbers.setdefault((seat, code), 1 + sum(one == seat for one, _ in self.numbers))
        return f"{seat} {number}, left out"


def bare_session(row: tables.Session, codes: Codes) -> tables.Session:
    """A session's row without a word of it."""
    kept = {name: getattr(row, name) for name in OF_A_BARE_SESSION}
    client, counselor = codes.of("client", row.client_code), codes.of("counselor", row.counselor_code)
    return tables.Session(**kept, client_code=client, counselor_code=counselor)


def bare_reason(reason: str) -> str:
    """Why a value is missing, without words of the reply."""
    return reason if reason in ("", NOT_APPLICABLE) else code_of_item(reason)


def without_codes(study: Row, codes: set[str]) -> Row:
    """A study's design and samples without these client and counselor codes, which only sessions bear that stay."""
    design = study["design"]
    samples = {name: sample_without(one, codes) for name, one in (design.get("samples") or {}).items()}
    drawn = {name: drawn_without(one, codes) if isinstance(one, dict) else one for name, one in study["samples"].items()}
    return study | {"design": design | ({"samples": samples} if samples else {}), "samples": drawn}


def sample_without(sample: Any, codes: set[str]) -> Any:
    where = sample.get("where") if isinstance(sample, dict) else None
    if not isinstance(where, dict):
        return sample
    kept = {
        column: [v for v in values if str(v) not in codes] if column in ("client", "counselor") and isinstance(values, list) else values
        for column, values in where.items()
    }  # fmt: skip
    return sample | {"where": kept}


def drawn_without(drawn: Row, codes: set[str]) -> Row:
    parts = {part: {name: n for name, n in drawn[part].items() if name not in codes} for part in ("strata", "short") if part in drawn}
    return drawn | parts
