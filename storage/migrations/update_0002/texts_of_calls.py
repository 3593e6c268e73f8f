"""Which records the words of a call are of, where neither a row nor its purpose names one.

Words tie a call to a record only where they stand in no other record: an opener, a line of a clinic's template or a
goodbye ties nothing, and neither does one sentence.
"""

import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from sqlalchemy import Connection

from storage.migrations.update_0002.arrivals import NEVER, Arrivals
from storage.migrations.update_0002.rows_of_calls import About
from storage.migrations.update_0002.statements import rows

LONG = 24  # letters of a stretch that tells a record
WHOLE = 120  # letters of one that tells it alone
Marks = dict[int, list[str]]  # of each record, what it is told by


class Words:
    """What the records of a store are told by, read when it is needed."""

    def __init__(self, connection: Connection, there: Arrivals) -> None:
        self.connection, self.there = connection, there

    def records_in(self, prompt: str, parts: Iterable[str], created: str, here: bool) -> About:
        """The records whose words a call carries; only such as were there when it was made here."""
        text, step = text_of(self.connection, parts), prompt.partition("/")[0]
        if step == "report":
            return {("report", id) for id, marks in self.reports.items() if most(marks, text) and (not here or self.was_there("report", id, created))}
        if step == "role":
            return {("role", id) for id, (marks, saved) in self.roles.items() if self.one_role(marks, text) and (not here or created <= saved)}
        return {("session", id) for id, turns in self.sessions.items() if self.one_session(turns, text) and (not here or self.was_there("session", id, created))}

    def was_there(self, table: str, id: int, created: str) -> bool:
        return self.there[table].get(id, NEVER) <= created

    @cached_property
    def reports(self) -> Marks:
        """The longest stretch of each line that no mask covers, since a call may have carried it unmasked."""
        found: Marks = {}
        for id, *parts in rows(self.connection, "SELECT id, case_brief, consultation_process, experience_thoughts FROM report"):
            masks = [row[0] for row in rows(self.connection, "SELECT replacement FROM mask WHERE report_id = :id AND replacement <> ''", id=id)]
            cut = re.compile("|".join(map(re.escape, sorted(masks, key=len, reverse=True))) or r"(?!)")
            found[id] = [max(cut.split(line), key=len).strip() for part in parts for line in part.splitlines() or [""]]
        return alone(found)

    @cached_property
    def roles(self) -> dict[int, tuple[tuple[list[str], list[str]], str]]:
        """Text and persona, and events, which the calls that built a role carried one by one; and when it was saved."""
        whole: Marks = {}
        events: Marks = {}
        saved: dict[int, str] = {}
        for id, text, person, lived, created in rows(self.connection, "SELECT id, text, demographics, life_events, created FROM role_card"):
            whole[id] = [text.strip(), str(json.loads(person).get("persona") or "").strip()]
            events[id] = [str(event).strip() for event in json.loads(lived)]
            saved[id] = created
        whole, events = alone(whole), alone(events)
        return {id: ((whole[id], events[id]), saved[id]) for id in saved}

    @staticmethod
    def one_role(marks: tuple[list[str], list[str]], text: str) -> bool:
        whole, events = marks
        return any(one in text for one in whole) or sum(event in text for event in events) >= 2

    @cached_property
    def sessions(self) -> dict[int, tuple[list[str], list[str]]]:
        """All turns a judge was shown but the opener, and those of them that stand in no other session."""
        said: Marks = {id: [] for (id,) in rows(self.connection, "SELECT id FROM session")}
        sql = (
            "SELECT s.id, t.text FROM turn t JOIN session s ON s.id = t.session_id WHERE t.state = 'complete' AND t.stage <> 'opener' "
            "AND t.position <= coalesce(s.cut_at, t.position) ORDER BY s.id, t.position"
        )
        for id, text in rows(self.connection, sql):
            said[id].append(text.strip())
        own = alone(said, shortest=1)
        return {id: (said[id], own[id]) for id in said}

    @staticmethod
    def one_session(turns: tuple[list[str], list[str]], text: str) -> bool:
        said, own = turns
        return len(own) >= 2 and sum(map(len, own)) >= LONG and all(turn in text for turn in said)


def most(marks: Sequence[str], text: str) -> bool:
    """Whether the text has the better part of these marks, and more than one sentence."""
    held = [mark for mark in marks if mark in text]
    enough = len(held) > 1 or any(len(mark) >= WHOLE for mark in held)
    return enough and 2 * sum(map(len, held)) >= sum(map(len, marks))


def alone(marks: Marks, shortest: int = LONG) -> Marks:
    """Those that stand in one record only."""
    times = Counter(mark for ones in marks.values() for mark in set(ones))
    return {id: [mark for mark in dict.fromkeys(ones) if times[mark] == 1 and len(mark) >= shortest] for id, ones in marks.items()}


def text_of(connection: Connection, hashes: Iterable[str]) -> str:
    """All a call carried, as it was written and as JSON writes it."""
    parts = [zlib.decompress(row[0]).decode("utf-8", "replace") for hash in hashes for row in rows(connection, "SELECT data FROM text_part WHERE hash = :hash", hash=hash)]
    whole = "\n".join(parts)
    return whole + "\n" + whole.replace("\\n", "\n").replace('\\"', '"')
