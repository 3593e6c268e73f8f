"""Opening and upgrading: one transaction, killed anywhere it opens again, many at once all succeed, a copy before."""

import os
import random
import shutil
import signal
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from core.errors import StoreError
from storage import database, tables, upgrading
from storage.copies import copies
from storage.store import open_store
from tests.stores import old_store

NEXT = '''
"""one more"""
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "9001", "{head}", None, None


def upgrade() -> None:
    for table in ("session", "role_card", "study", "report"):
        with op.batch_alter_table(table, table_kwargs={{"sqlite_autoincrement": True}}, recreate="always") as batch:
            batch.add_column(sa.Column("later", sa.String(), nullable=False, server_default="here"))
    op.execute("UPDATE turn SET text = text || '!'")
    {more}
'''
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="starts its processes by fork")


@pytest.fixture
def next_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """A version of Rapport with one migration more than this one."""

    def extend(more: str = "") -> None:
        folder = tmp_path / "migrations"
        shutil.copytree(database.MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "versions" / "9001_one_more.py").write_text(NEXT.format(head=database.HEAD, more=more))
        monkeypatch.setattr(database, "MIGRATIONS", folder)
        monkeypatch.setattr(database, "HEAD", "9001")

    return extend


def contents(path: Path) -> dict[str, list[Any]]:
    """All rows of all tables, but for whether freed space was overwritten yet."""
    with closing(sqlite3.connect(path)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: [row for row in connection.execute(f'SELECT * FROM "{name}" ORDER BY 1') if row[0] != "cleaning unfinished"]
            for name in names
            if not name.startswith("sqlite_")
        }


def in_child(work: Callable[[], Any]) -> int:
    """Do it in a process of its own; its pid. It ends with 0 when the work was done."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return pid


def ended(pid: int) -> int:
    """The exit code of a child, negative where a signal ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def opened_and_killed_at(path: Path, statement: int) -> int:
    """Open the store in a child that is killed just before its ``statement``-th statement."""

    def work() -> None:
        seen = 0

        def count(*_: Any) -> None:
            nonlocal seen
            seen += 1
            if seen == statement:
                os.kill(os.getpid(), signal.SIGKILL)

        event.listen(Engine, "before_cursor_execute", count)
        open_store(path).close()

    return ended(in_child(work))


def statements(path: Path) -> int:
    """How many statements opening this database takes."""
    seen = 0

    def count(*_: Any) -> None:
        nonlocal seen
        seen += 1

    event.listen(Engine, "before_cursor_execute", count)
    try:
        open_store(path).close()
    finally:
        event.remove(Engine, "before_cursor_execute", count)
    return seen


def spread(count: int, points: int = 8) -> list[int]:
    return sorted({1 + round(n * (count - 1) / (points - 1)) for n in range(points)})


@forks
def test_first_start_killed_anywhere_opens_again(tmp_path: Path) -> None:
    count = statements(tmp_path / "whole.db")
    whole = contents(tmp_path / "whole.db")
    assert count > 40
    for at in spread(count):
        path = tmp_path / f"killed-{at}.db"
        assert opened_and_killed_at(path, at) == -signal.SIGKILL
        open_store(path).close()
        assert contents(path) == whole, at


@forks
def test_upgrade_killed_anywhere_is_as_before_and_opens_again(
    tmp_path: Path, next_schema: Callable[..., None]
) -> None:
    next_schema()
    count = statements(old_store(tmp_path / "whole.db"))
    whole, old = contents(tmp_path / "whole.db"), contents(old_store(tmp_path / "untouched.db"))
    assert len(whole["session"]) == len(old["session"]) and count > 30
    for at in spread(count):  # the last three: COMMIT, and the pragmas after it
        path = old_store(tmp_path / str(at) / "rapport.db")
        assert opened_and_killed_at(path, at) == -signal.SIGKILL
        assert contents(path) == (old if at <= count - 2 else whole), "half of an upgrade was saved"
        open_store(path).close()
        assert contents(path) == whole, at
        (kept,) = copies(path)
        assert contents(kept) == old
        assert {p.name for p in path.parent.iterdir()} == {"rapport.db", kept.name}


@forks
def test_upgrade_killed_at_any_moment_opens_again(tmp_path: Path, next_schema: Callable[..., None]) -> None:
    next_schema()
    start = time.monotonic()
    open_store(old_store(tmp_path / "whole.db")).close()
    longest, rng, killed = time.monotonic() - start, random.Random(7), 0
    whole, old = contents(tmp_path / "whole.db"), contents(old_store(tmp_path / "untouched.db"))
    for number in range(8):
        path = old_store(tmp_path / str(number) / "rapport.db")
        pid = in_child(lambda path=path: open_store(path).close())  # type: ignore[misc]
        time.sleep(rng.uniform(0, longest))
        os.kill(pid, signal.SIGKILL)
        killed += ended(pid) == -signal.SIGKILL
        assert contents(path) in (old, whole)
        open_store(path).close()
        assert contents(path) == whole
    assert killed > 2


@forks
@pytest.mark.parametrize("former", [False, True], ids=["new", "from a former version"])
def test_six_first_starts_at_once(tmp_path: Path, former: bool, next_schema: Callable[..., None]) -> None:
    next_schema()
    for round in range(3):
        path = tmp_path / f"{round}" / "data" / "rapport.db"
        if former:
            old_store(path)
        ready, go = os.pipe()

        def start(ready: int = ready, go: int = go, path: Path = path) -> None:
            os.close(go)
            os.read(ready, 1)  # until all six are there
            open_store(path).close()

        children = [in_child(start) for _ in range(6)]
        os.close(ready)
        os.close(go)
        assert [ended(pid) for pid in children] == [0] * 6
        store = open_store(path)
        assert store.sessions.count() == (20 if former else 0)
        store.close()
        assert len(copies(path)) == (1 if former else 0)


def test_failed_upgrade_changes_nothing(tmp_path: Path, next_schema: Callable[..., None]) -> None:
    next_schema(more="op.execute('INSERT INTO nowhere VALUES (1)')")
    path = old_store(tmp_path / "rapport.db")
    old = contents(path)
    with pytest.raises(StoreError, match="no such table: nowhere"):
        open_store(path)
    assert contents(path) == old
    with pytest.raises(StoreError):
        open_store(path)
    assert len(copies(path)) == 1, "a second try makes no second copy"


def test_upgrade_that_loses_a_record_is_taken_back(tmp_path: Path, next_schema: Callable[..., None]) -> None:
    next_schema(more="op.execute('DELETE FROM session WHERE id = 9')")
    path = old_store(tmp_path / "rapport.db")
    old = contents(path)
    with pytest.raises(StoreError, match="names? records that are not there"):
        open_store(path)
    assert contents(path) == old


def test_rebuilding_a_table_keeps_what_refers_to_it(tmp_path: Path, next_schema: Callable[..., None]) -> None:
    next_schema()
    path = old_store(tmp_path / "rapport.db")
    before = {name: len(rows) for name, rows in contents(path).items()}
    open_store(path).close()
    after = {name: len(rows) for name, rows in contents(path).items()}
    trimmed = ("call", "text_part", "setting")  # what deleted records left behind goes with an update
    assert {name: after[name] for name in before if name not in trimmed} == {name: n for name, n in before.items() if name not in trimmed}


def test_rebuilding_a_table_keeps_its_counter(tmp_path: Path, next_schema: Callable[..., None]) -> None:
    store = open_store(tmp_path / "rapport.db")
    gone = store.sessions.add(tables.Session(origin="imported")).id or 0
    store.delete("session", gone)
    store.close()
    next_schema()
    with closing(sqlite3.connect(tmp_path / "rapport.db")) as connection:
        open_store(tmp_path / "rapport.db").close()
        assert connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'session'").fetchall() == [(gone,)]


def test_foreign_keys_hold_after_an_upgrade(tmp_path: Path, next_schema: Callable[..., None]) -> None:
    next_schema()
    store = open_store(old_store(tmp_path / "rapport.db"))
    for _ in range(3):
        with store.database.engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
            assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == database.BUSY_MS
    store.close()


def test_upgrade_behind_a_lock_is_said_and_changes_nothing(
    tmp_path: Path, next_schema: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    next_schema()
    monkeypatch.setattr(upgrading, "TURN_MS", 100)
    path = old_store(tmp_path / "rapport.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="kept it locked"):
            open_store(path)
        other.execute("ROLLBACK")
    open_store(path).close()
    assert contents(path)["alembic_version"] == [("9001",)]


# ---- the copy ----------------------------------------------------------------------------------------------------


@pytest.fixture
def with_log(tmp_path: Path) -> Iterator[Path]:
    """A former store whose last change stands in the log beside the file only."""
    path = old_store(tmp_path / "data" / "rapport.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.execute("UPDATE session SET title = 'only in the log' WHERE id = 9")
        connection.commit()
        yield path


def test_copy_before_an_upgrade_has_what_stands_in_the_log(
    with_log: Path, next_schema: Callable[..., None]
) -> None:
    next_schema()
    assert b"only in the log" not in with_log.read_bytes()
    open_store(with_log).close()
    (kept,) = copies(with_log)
    assert kept.name == "rapport.before-9001.db" and stat.S_IMODE(kept.stat().st_mode) == 0o600
    found = contents(kept)
    assert next(row for row in found["session"] if row[0] == 9)[1] == "only in the log"
    assert found["alembic_version"] == [("0001",)]


def test_other_copy_is_not_written_over(tmp_path: Path, next_schema: Callable[..., None]) -> None:
    next_schema()
    path = old_store(tmp_path / "rapport.db")
    other = tmp_path / "rapport.before-9001.db"
    other.write_bytes(b"of an earlier try, and all there is")
    open_store(path).close()
    assert other.read_bytes() == b"of an earlier try, and all there is"
    assert [copy.name for copy in copies(path)] == ["rapport.before-9001-2.db", other.name]


# ---- databases in odd states ---------------------------------------------------------------------------------------


def half_made(path: Path, tables_made: int) -> Path:
    """As a former version left it when its first start was killed: some tables, no version."""
    with closing(sqlite3.connect(path)) as connection:
        whole = (Path(__file__).parent / "stores" / "before_0002.sql").read_text("utf-8")
        made = [part + ");" for part in whole.split(");") if part.strip().startswith("CREATE TABLE")]
        made = [part for part in made if "alembic_version" not in part][:tables_made]
        connection.executescript("".join(made))
    return path


@pytest.mark.parametrize("made", [1, 6, 12])
def test_half_made_database_of_a_former_version_opens(tmp_path: Path, made: int) -> None:
    path = half_made(tmp_path / "rapport.db", made)
    store = open_store(path)
    store.roles.add(tables.RoleCard(title="Ann"))
    store.close()
    assert contents(path)["alembic_version"] == [(database.HEAD,)]


def test_half_made_database_with_records_is_left_alone(tmp_path: Path) -> None:
    path = old_store(tmp_path / "rapport.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM alembic_version")
        connection.commit()
    old = contents(path)
    with pytest.raises(StoreError, match="does not say which version"):
        open_store(path)
    assert contents(path) == old


def test_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "rapport.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE patients (name TEXT)")
    with pytest.raises(StoreError, match="another program.*patients"):
        open_store(path)
    assert list(contents(path)) == ["patients"]


# ---- where it lies, and who may read it ----------------------------------------------------------------------------


def test_paths_are_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAPPORT_DATABASE_URL", "sqlite:///link/rapport.db")
    store = open_store()
    real = tmp_path.resolve() / "real" / "rapport.db"
    assert store.path == real and store.url.database == str(real)
    (tmp_path / "other.db").symlink_to(real)
    assert database.sqlite_path(database.database_url(tmp_path / "other.db")) == real
    assert database.database_url("sqlite://").database is None
    store.close()


def test_folder_file_and_log_are_private(tmp_path: Path) -> None:
    path = old_store(tmp_path / "data" / "rapport.db")
    path.chmod(0o644)
    path.parent.chmod(0o755)
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("UPDATE session SET title = title")
        other.commit()
        assert stat.S_IMODE((path.parent / "rapport.db-wal").stat().st_mode) == 0o644
        store = open_store(path)
        store.settings.set("country", "GB")
        modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()}
        store.close()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert {"rapport.db", "rapport.db-wal", "rapport.db-shm"} <= set(modes) and set(modes.values()) == {0o600}


def test_values_stay_out_of_error_messages(tmp_path: Path) -> None:
    store = open_store(tmp_path / "rapport.db")
    with store.database.engine.connect() as connection, pytest.raises(Exception) as raised:
        connection.execute(
            tables.Turn.__table__.insert(),
            {
                "session_id": 1,
                "position": 1,
                "seat": "client",
                "text": "SECRETWORD",
                "stage": "",
                "state": "",
                "risk": [],
                "created": "",
            },
        )
    assert "FOREIGN KEY" in str(raised.value) and "SECRETWORD" not in str(raised.value)
    store.close()


def test_temporary_copies_stay_out_of_the_file_system(tmp_path: Path) -> None:
    store = open_store(tmp_path / "rapport.db")
    with store.database.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA temp_store").scalar() == 2
    store.close()
