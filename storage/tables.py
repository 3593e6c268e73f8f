"""The nouns of the workbench as tables. A change here needs a migration beside it."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Column, Computed, Index, Integer, LargeBinary, UniqueConstraint
from sqlmodel import Field, SQLModel


def now() -> str:
    """This moment in UTC, ISO 8601 to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def json_column(default: type = dict) -> Any:
    return Field(
        default_factory=default,
        sa_column=Column(JSON, nullable=False),
    )


def named_in_result(name: str, otherwise: str = "NULL") -> Any:
    """A column that reads the id of a record out of a unit's result, so that an index finds units by it."""
    sql = f"CAST(coalesce(result ->> '{name}', {otherwise}) AS INTEGER)"
    return Field(default=None, sa_column=Column(Integer, Computed(sql, persisted=False), index=True))


class Setting(SQLModel, table=True):
    """One choice of this workbench (country, price table, data version), by name."""

    name: str = Field(primary_key=True)
    value: Any = Field(default=None, sa_column=Column(JSON))


class Report(SQLModel, table=True):
    """A case report in six components (CPsyCoun, Figure 5); texts are as masked."""

    id: int | None = Field(default=None, primary_key=True)
    title: str
    type: str = ""
    method: str = ""
    case_brief: str = ""
    consultation_process: str = ""
    experience_thoughts: str = ""
    language: str = "en"
    topic: str = ""
    school: str = ""
    source_name: str = ""
    content_hash: str = Field(index=True, unique=True)
    client_code: str = Field(default="", index=True)
    counselor_code: str = Field(default="", index=True)
    elsewhere: bool = False  # brought in with a study
    edition: int = 0  # raised when a use of it is withdrawn, so that calls under way about it are not kept
    created: str = Field(default_factory=now)


class Mask(SQLModel, table=True):
    """One replacement in a report: the key to what was masked, deleted with the report."""

    id: int | None = Field(default=None, primary_key=True)
    report_id: int = Field(foreign_key="report.id", ondelete="CASCADE", index=True)
    component: str
    kind: str
    original: str
    replacement: str
    kept: bool = False


class Note(SQLModel, table=True):
    """A counseling note in four parts (CPsyCoun, Figure 7); each edit is a new version."""

    __table_args__ = (UniqueConstraint("report_id", "version"),)
    id: int | None = Field(default=None, primary_key=True)
    report_id: int = Field(foreign_key="report.id", ondelete="CASCADE", index=True)
    version: int = 1
    client_basics: str = ""
    problems: str = ""
    goals: list[str] = json_column(list)
    techniques: list[str] = json_column(list)
    steps: list[str] = json_column(list)
    reflections: str = ""
    edited_by: str = ""  # empty: as the engine wrote it
    engine: str = "demo"
    call_id: int | None = None
    made_from: list[Any] = json_column(list)  # the texts it was written from: [kind, id, hash]
    elsewhere: bool = False
    created: str = Field(default_factory=now)


class RoleCard(SQLModel, table=True):
    """One version of a simulated client (ESC-Judge §3.2) or client profile (expert annotation of simulated clients).

    Each edit is a new version with its own text and reviews; sessions name the version they used.
    """

    __tablename__ = "role_card"
    __table_args__ = (UniqueConstraint("title", "version"), UniqueConstraint("card_id", "version"))
    id: int | None = Field(default=None, primary_key=True)
    card_id: int | None = Field(
        default=None, foreign_key="role_card.id", ondelete="CASCADE"
    )  # its first version
    version: int = 1
    title: str
    kind: str = "role"  # role | profile
    language: str = "en"
    seed: int = 0
    sampling: str = "stratified"  # stratified | paper | written | imported
    stressor: dict[str, Any] = json_column()
    demographics: dict[str, Any] = json_column()
    life_events: list[str] = json_column(list)
    traits: dict[str, str] = json_column()
    profile: dict[str, Any] = json_column()
    text: str = ""
    checks: list[dict[str, Any]] = json_column(list)
    edited_by: str = ""  # who typed in it; empty: as it was built or imported
    engine: str = "demo"
    elsewhere: bool = False
    created: str = Field(default_factory=now)


class Endpoint(SQLModel, table=True):
    """An OpenAI-compatible endpoint and what was learned about it. Never a key."""

    __table_args__ = (UniqueConstraint("base_url", "model"),)
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    base_url: str
    model: str
    key_env: str = ""  # name of the environment variable, never its value
    learned: dict[str, Any] = json_column()
    created: str = Field(default_factory=now)


class Agent(SQLModel, table=True):
    """Model + prompt + sampling settings, identified by content hash."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    seat: str  # client | counselor | judge | writer
    engine: str = "demo"  # demo | openai
    endpoint_id: int | None = Field(default=None, foreign_key="endpoint.id")
    prompt: str = ""
    settings: dict[str, Any] = json_column()
    hash: str = Field(index=True)
    released: bool = False  # counselors may have their own sessions rated by it
    created: str = Field(default_factory=now)


class Session(SQLModel, table=True):
    """Turns between a client and a counselor."""

    id: int | None = Field(default=None, primary_key=True)
    title: str = ""
    origin: str  # simulated | reconstructed | imported | live
    language: str = "en"
    role_id: int | None = Field(default=None, foreign_key="role_card.id", ondelete="CASCADE", index=True)
    report_id: int | None = Field(default=None, foreign_key="report.id", ondelete="CASCADE", index=True)
    client_agent_id: int | None = Field(default=None, foreign_key="agent.id")
    counselor_agent_id: int | None = Field(default=None, foreign_key="agent.id", index=True)
    client_person_id: int | None = Field(default=None, foreign_key="person.id")  # who sits in the client's seat now
    counselor_person_id: int | None = Field(default=None, foreign_key="person.id")
    client_code: str = Field(default="", index=True)
    counselor_code: str = Field(default="", index=True)
    number: int | None = None
    date: str = ""
    parent_id: int | None = Field(default=None, foreign_key="session.id", ondelete="SET NULL")
    branch_turn: int | None = None
    state: str = "ended"  # running | paused | stopped | ended
    ended_by: str = ""  # why it ended or paused, in a code
    cut_at: int | None = None  # last position a judge reads; later turns are kept
    edition: int = 0  # raised when words in it are deleted or a use is withdrawn: calls under way about it are not kept
    most_turns: int = 20
    seed: int = 0
    topic: str = ""
    faults: list[dict[str, Any]] = json_column(list)
    engine: str = "demo"  # demo | openai | person | imported | mixed
    made_from: list[Any] = json_column(list)  # the texts it was rebuilt from: [kind, id, hash]
    elsewhere: bool = False
    withdrawn: str = Field(default="", index=True)  # when a person who spoke in it withdrew everything; nobody reads it
    created: str = Field(default_factory=now)


class Turn(SQLModel, table=True):
    """One utterance; positions count from 1."""

    __table_args__ = (UniqueConstraint("session_id", "position"),)
    id: int | None = Field(default=None, primary_key=True)
    session_id: int = Field(foreign_key="session.id", ondelete="CASCADE", index=True)
    position: int
    seat: str
    text: str
    stage: str = ""
    state: str = "complete"  # complete | partial | deleted (by whoever spoke it, or an engine's reply to words that were)
    speaker: str = "text"  # agent | person | unknown person | text (imported, rebuilt, or a fixed line)
    agent_id: int | None = Field(default=None, foreign_key="agent.id")
    person_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    risk: list[dict[str, Any]] = json_column(list)
    call_id: int | None = None
    created: str = Field(default_factory=now)


class Rater(SQLModel, table=True):
    """Who rates; kinds are never pooled silently."""

    __table_args__ = (UniqueConstraint("kind", "name", "agent_hash"),)
    id: int | None = Field(default=None, primary_key=True)
    kind: str  # person | consensus | model | rules | simulated client | reference
    name: str
    agent_hash: str = ""
    person_id: int | None = Field(default=None, foreign_key="person.id", index=True)


class Rating(SQLModel, table=True):
    """rater × session × item × repeat → value, or unscored with a reason."""

    __table_args__ = (Index("rating_of", "session_id", "instrument", "rater_id"),)
    id: int | None = Field(default=None, primary_key=True)
    study_id: int | None = Field(default=None, foreign_key="study.id", ondelete="SET NULL", index=True)
    unit_id: int | None = Field(default=None, index=True)
    rater_id: int = Field(foreign_key="rater.id")
    session_id: int = Field(foreign_key="session.id", ondelete="CASCADE")
    instrument: str
    instrument_version: int
    language: str
    setting: str = ""  # none | general | detailed | reasoning
    item: str
    repeat: int = 1
    value: float | None = None  # as given; None: unscored
    score: float | None = None  # after reversing reverse-keyed items
    reason: str = ""  # why unscored
    reasoning: str = ""
    quotes: list[dict[str, Any]] = json_column(list)  # text, turn, status, side: for | against
    call_id: int | None = Field(default=None, index=True)
    prompt: str = ""  # how it was asked, kept here since calls and studies may go; empty where nobody was asked by a prompt
    prompt_version: int = 0
    prompt_hash: str = ""
    way: str = ""  # item (a call for each item or dimension) | instrument (all in one call); empty for people
    engine: str = ""  # demo | openai
    engine_version: str = ""
    repeats: int = 1  # how many were planned
    reader: int = 1  # version of the reader that read the reply
    superseded_by: int | None = Field(
        default=None, index=True
    )  # the row a newer reader read from the same reply
    created: str = Field(default_factory=now)


class Comparison(SQLModel, table=True):
    """judge × two sessions × dimension × order × repeat → the session that won, tie, or unscored.

    ``first_id`` was shown first; ``winner_id`` names a session, never the letter shown.
    """

    __table_args__ = (Index("comparison_of", "study_id", "dimension"),)
    id: int | None = Field(default=None, primary_key=True)
    study_id: int | None = Field(default=None, foreign_key="study.id", ondelete="SET NULL")
    unit_id: int | None = Field(default=None, index=True)
    rater_id: int = Field(foreign_key="rater.id")
    first_id: int = Field(foreign_key="session.id", ondelete="CASCADE", index=True)
    second_id: int = Field(foreign_key="session.id", ondelete="CASCADE", index=True)
    role_id: int | None = Field(default=None, foreign_key="role_card.id", ondelete="CASCADE")
    instrument: str
    instrument_version: int
    language: str
    dimension: str
    repeat: int = 1
    verdict: str  # won | tie | unscored
    winner_id: int | None = Field(default=None, foreign_key="session.id", ondelete="CASCADE")
    reason: str = ""
    reasoning: str = ""
    quotes: list[dict[str, Any]] = json_column(list)  # text, session, turn, status, side: for | against
    call_id: int | None = Field(default=None, index=True)
    prompt: str = ""  # as with a rating
    prompt_version: int = 0
    prompt_hash: str = ""
    setting: str = ""
    way: str = ""
    engine: str = ""
    engine_version: str = ""
    repeats: int = 1
    reader: int = 1
    superseded_by: int | None = Field(default=None, index=True)
    created: str = Field(default_factory=now)


class Study(SQLModel, table=True):
    """A design, its named seeded samples and its units."""

    id: int | None = Field(default=None, primary_key=True)
    name: str
    design: dict[str, Any] = json_column()
    samples: dict[str, Any] = json_column()
    state: str = (
        "planned"  # planned | running | stopping | stopped | needs the key | over budget | failed | finished
    )
    reason: str = ""
    budget: float | None = None  # US dollars; None: no limit
    engine: str = "demo"
    language: str = "en"
    draw: int = 0
    origin: str = "here"  # here | elsewhere (brought in: to be read, never run)
    person_id: int | None = Field(default=None, foreign_key="person.id")  # who began it
    deleted: dict[str, float] = (
        json_column()
    )  # figures of calls that were deleted: what was paid stays counted
    created: str = Field(default_factory=now)
    started: str = ""
    ended: str = ""


class Unit(SQLModel, table=True):
    """One piece of a study's work; its key is over everything its answer depends on."""

    __table_args__ = (UniqueConstraint("study_id", "position"), Index("unit_state", "study_id", "state"))
    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id", ondelete="CASCADE")
    position: int
    kind: str  # role | session | comparison | rating | note | dialogue
    stage: int = 0  # units of a later stage wait for the earlier
    key: str = Field(default="", index=True)
    payload: dict[str, Any] = json_column()
    state: str = "planned"  # planned | running | done | reused | unscored | failed | gone
    reason: str = ""
    attempts: int = 0
    asked_twice: int = 0
    result: dict[str, Any] = json_column()  # the records it works on or made, by noun
    role_id: int | None = named_in_result("role")
    session_id: int | None = named_in_result("session")
    first_id: int | None = named_in_result("first")
    second_id: int | None = named_in_result("second")
    note_id: int | None = named_in_result("note")
    report_id: int | None = named_in_result("report", "payload ->> 'report'")


class Call(SQLModel, table=True):
    """One question to an engine, whole: from here any number can be checked by hand."""

    id: int | None = Field(default=None, primary_key=True)
    study_id: int | None = Field(default=None, index=True)
    unit_id: int | None = Field(default=None, index=True)
    purpose: str = ""
    prompt: str
    prompt_version: int
    prompt_hash: str
    engine: str
    engine_version: str = ""
    base_url: str = ""
    model: str = ""
    model_answered: str = ""
    language: str = "en"
    seed: int = 0
    sent: dict[str, Any] = json_column()
    dropped: list[str] = json_column(list)
    messages: list[dict[str, str]] = json_column(list)  # role and hash of a text part
    raw: str = ""  # hash of a text part
    state: str = "read"
    reason: str = ""
    finish_reason: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    tokens_estimated: bool = False
    cost: float | None = None
    seconds: float = 0.0
    attempts: list[dict[str, Any]] = json_column(list)
    created: str = Field(default_factory=now)


class CallRecord(SQLModel, table=True):
    """A record whose text a call carried or made; by this link the call goes, and stays, where the record does.

    ``hash`` is of the words it carried, where a record changes in its place (``storage.reviewed``).
    """

    __tablename__ = "call_record"
    __table_args__ = (Index("call_about", "kind", "record_id"),)
    call_id: int = Field(primary_key=True, foreign_key="call.id", ondelete="CASCADE")
    kind: str = Field(primary_key=True)  # report | note | role | session
    record_id: int = Field(primary_key=True)
    hash: str = ""


class TextPart(SQLModel, table=True):
    """A text by its sha256, zlib-compressed: thousands of calls share one transcript."""

    __tablename__ = "text_part"
    hash: str = Field(primary_key=True)
    data: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class Feedback(SQLModel, table=True):
    """What a counselor was told about a session, and the answer."""

    id: int | None = Field(default=None, primary_key=True)
    session_id: int = Field(foreign_key="session.id", ondelete="CASCADE", index=True)
    rater_id: int = Field(foreign_key="rater.id")
    language: str = "en"
    content: dict[str, Any] = json_column()
    answers: dict[str, Any] = json_column()
    created: str = Field(default_factory=now)


class Outcome(SQLModel, table=True):
    """Outcome Rating Scale scores of a client at a date."""

    id: int | None = Field(default=None, primary_key=True)
    client_code: str = Field(index=True)
    date: str
    scores: dict[str, float] = json_column()


class Person(SQLModel, table=True):
    """Who sits, rates, reads or coordinates here. A code is shown and proves nothing; the secret in a browser does.

    One person may be known by several rows (one a browser): ``joined_to`` names the row that stands for all of them.
    """

    id: int | None = Field(default=None, primary_key=True)
    code: str = ""
    roles: dict[str, list[str]] = (
        json_column()
    )  # researcher | supervisor | counselor | rater | client → what the role is limited to (a supervisor: counselor codes)
    counselor_codes: list[str] = json_column(list)
    client_codes: list[str] = json_column(list)
    sign_in: str = Field(default="", index=True)
    secret_hash: str = Field(default="", index=True)  # sha256; empty: nobody can act as this person yet
    joined_to: int | None = Field(default=None, foreign_key="person.id", index=True)
    origin: str = "here"  # here | former (a code people worked under before) | imported (a rater's name)
    created: str = Field(default_factory=now)


class Consent(SQLModel, table=True):
    """What a person, or a client or counselor known by code, agreed to or refused: for one session or all of theirs."""

    id: int | None = Field(default=None, primary_key=True)
    person_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    seat: str = ""  # client | counselor: whose code ``code`` is; empty where a person is named
    code: str = Field(default="", index=True)
    session_id: int | None = Field(default=None, foreign_key="session.id", ondelete="CASCADE", index=True)
    purpose: str  # taking part | rated here | outside endpoint | supervision | group figures | export
    endpoint: str = ""
    agreed: bool = True
    counts: bool = True  # false: from before consents named a session; kept as a record, grants nothing
    form_version: int = 1
    language: str = "en"
    given: str = Field(default_factory=now)
    withdrawn: str = ""
    entered_by: int | None = Field(default=None, foreign_key="person.id")  # a researcher who recorded it for them


class Review(SQLModel, table=True):
    """A person read this very text and said that nobody can be recognized in it, or that it is made up."""

    __table_args__ = (Index("review_of", "kind", "record_id"),)
    id: int | None = Field(default=None, primary_key=True)
    kind: str  # report | note | role | session
    record_id: int
    hash: str
    says: str  # confirmed | synthetic
    person_id: int | None = Field(default=None, foreign_key="person.id")  # None: before persons were kept
    created: str = Field(default_factory=now)


class Draft(SQLModel, table=True):
    """What a person has begun and not saved yet: a role being built, a study being planned."""

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id", index=True)
    kind: str  # role | study
    content: dict[str, Any] = json_column()
    created: str = Field(default_factory=now)
    changed: str = Field(default_factory=now)


class Look(SQLModel, table=True):
    """A person opened a session or report of somebody: who, when, on which page."""

    __table_args__ = (Index("look_at", "kind", "record_id"),)
    id: int | None = Field(default=None, primary_key=True)
    kind: str  # report | session
    record_id: int
    person_id: int = Field(foreign_key="person.id", index=True)
    page: str
    created: str = Field(default_factory=now)


def number_once() -> None:
    """No id is given twice: a deleted record's number must never name another one."""
    for table in SQLModel.metadata.tables.values():
        if "id" in table.columns:
            table.dialect_options["sqlite"]["autoincrement"] = True


number_once()
