"""The store keeps what was saved, opens old databases, and says plainly why it cannot open one."""

import os
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest

from core.errors import DataError, NotFound, StoreError
from storage import database, tables
from storage.store import Store, open_store
from tests.stores import old_store


def session_with_turns(store: Store, **fields: Any) -> tables.Session:
    session = tables.Session(origin="imported", **fields)
    turns = [
        tables.Turn(session_id=0, position=i, seat=s, text=t)
        for i, (s, t) in enumerate([("client", "Hello"), ("counselor", "Hi")], 1)
    ]
    return store.sessions.add_with_turns(session, turns)


def test_schema_of_the_migrations_is_the_schema_of_the_tables(store: Store, tmp_path: Path) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    upgraded = open_store(old_store(tmp_path / "old" / "rapport.db"))
    with upgraded.database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), tables.SQLModel.metadata) == []
    upgraded.close()
    assert schema(upgraded) == schema(store)


def schema(store: Store) -> dict[str, Any]:
    """What SQLite says of columns, keys and indexes, and which tables number once."""
    found: dict[str, Any] = {}
    with store.database.engine.connect() as connection:
        run = connection.exec_driver_sql
        for name, sql in run("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all():
            columns = {(c[1], c[2], c[3], c[5], c[6]) for c in run(f"PRAGMA table_xinfo('{name}')")}
            keys = {(k[2], k[3], k[4], k[6]) for k in run(f"PRAGMA foreign_key_list('{name}')")}
            indexes = {
                (i[2], tuple(c[2] for c in run(f"PRAGMA index_info('{i[1]}')"))) for i in run(f"PRAGMA index_list('{name}')").all()
            }
            found[name] = (columns, keys, indexes, "AUTOINCREMENT" in sql.upper())
    return found


def test_head_is_the_newest_migration() -> None:
    names = sorted(p.name for p in database.MIGRATIONS.glob("versions/*.py"))
    assert names[-1].startswith(database.HEAD)


def test_database_and_folder_are_private(store: Store) -> None:
    assert store.path is not None
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700


def test_power_cuts_lose_nothing_saved(store: Store) -> None:
    with store.database.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_a_position_is_filled_once(store: Store) -> None:
    session = session_with_turns(store)
    with pytest.raises(DataError):
        store.sessions.add_turn(
            tables.Turn(session_id=session.id or 0, position=2, seat="client", text="again")
        )
    assert [t.text for t in store.sessions.turns(session.id or 0)] == ["Hello", "Hi"]


def test_a_name_in_use_is_said(store: Store) -> None:
    store.roles.add(tables.RoleCard(title="Ann"))
    with pytest.raises(DataError, match="already in the store"):
        store.roles.add(tables.RoleCard(title="Ann"))


def test_missing_record_is_said(store: Store) -> None:
    with pytest.raises(NotFound, match="no session 99"):
        store.sessions.get(99)


def test_calls_share_their_texts(store: Store) -> None:
    messages = [{"role": "user", "content": "a long transcript " * 100}]
    fields = {"prompt": "p", "prompt_version": 1, "prompt_hash": "h", "engine": "demo"}
    ids = [store.calls.save(fields, messages, f"reply {i}") for i in range(5)]
    with store.database.engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM text_part").scalar() == 6
    assert store.calls.whole(ids[3])["messages"] == messages
    assert store.calls.whole(ids[3])["raw"] == "reply 3"


def test_deleting_a_session_takes_what_follows_and_leaves_no_text(store: Store) -> None:
    session = session_with_turns(store)
    call = store.calls.save(
        {"prompt": "p", "prompt_version": 1, "prompt_hash": "h", "engine": "demo"},
        [{"role": "user", "content": "SECRETWORD"}],
        "r",
    )
    rater = store.raters.ensure("rules", "demo")
    store.ratings.add(
        tables.Rating(
            rater_id=rater.id or 0,
            session_id=session.id or 0,
            instrument="wai-o-s",
            instrument_version=1,
            language="en",
            item="Q1",
            call_id=call,
        )
    )
    receipt = store.delete("session", session.id or 0).rows
    assert receipt == {"session": 1, "turn": 2, "rating": 1, "call": 1, "text_part": 2}
    assert store.path is not None
    assert b"SECRETWORD" not in store.path.read_bytes()


def test_versions_change_when_anyone_writes(store: Store) -> None:
    before = store.data_version()
    assert store.data_version() == before
    other = open_store(store.path)
    other.settings.set("country", "cn")
    other.close()
    assert store.data_version() != before


def test_newer_database_is_left_alone(store: Store) -> None:
    path = store.path
    assert path is not None
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="newer version"):
        open_store(path)


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_bytes(b"these are my notes, not a database" * 50)
    with pytest.raises(StoreError, match="cannot be opened"):
        open_store(path)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_read_only_database_is_said(store: Store) -> None:
    path = store.path
    assert path is not None
    store.close()
    path.chmod(0o400)
    with pytest.raises(StoreError, match="read-only"):
        open_store(path)


def test_full_disk_is_said_and_loses_nothing(store: Store) -> None:
    session = session_with_turns(store)
    with pytest.raises(StoreError, match="disk is full"):
        for position in range(3, 2000):
            with store.database.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA max_page_count = 1")
            store.sessions.add_turn(
                tables.Turn(session_id=session.id or 0, position=position, seat="client", text="x" * 9000)
            )
    assert len(store.sessions.turns(session.id or 0)) >= 2


def test_a_database_in_memory_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_store("sqlite:///:memory:")
    before = store.data_version()
    store.settings.set("country", "GB")
    assert store.data_version() > before
    store.close()
    assert list(tmp_path.iterdir()) == []
