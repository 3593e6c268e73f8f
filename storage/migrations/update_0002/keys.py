"""Keys that endpoints repeated, or that stood in an address, out of an older store."""

import hashlib
import re
import zlib

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import rows, run

KEY = re.compile(
    r"\b(?:sk|rk|pk|gsk|hf|ghp|xai|key)[-_][A-Za-z0-9_-]{12,}|\bAIza[0-9A-Za-z_-]{20,}"
    r"|(?<=Bearer )[^\s\"',;]{6,}|(?i:(?<=api-key=)|(?<=api_key=)|(?<=apikey=)|(?<=token=)|(?<=access_token=))[^&\s\"',;]{6,}"
)
PLACES = (
    ("call", "reason"), ("call", "attempts"), ("call", "base_url"), ("unit", "reason"), ("study", "reason"),
    ("session", "faults"), ("rating", "reason"), ("comparison", "reason"),
)  # fmt: skip


def remove(connection: Connection) -> int:
    """Replace everything shaped like a key; returns how many columns and texts held one."""
    found = sum(in_column(connection, table, column) for table, column in PLACES)
    return found + in_addresses(connection) + in_settings(connection) + in_texts(connection)


def clean(text: str) -> str:
    return KEY.sub("[key removed]", text)


def in_column(connection: Connection, table: str, column: str) -> int:
    held = [(id, text) for id, text in rows(connection, f"SELECT id, {column} FROM {table} WHERE {column} <> ''") if KEY.search(text)]
    for id, text in held:
        run(connection, f"UPDATE {table} SET {column} = :text WHERE id = :id", id=id, text=clean(text))
    return len(held)


def in_addresses(connection: Connection) -> int:
    """An address keeps its host and path; a key does not belong into it."""
    held = [(id, url) for id, url in rows(connection, "SELECT id, base_url FROM endpoint") if re.search(r"[?#]|//[^/]*@", url)]
    for id, url in held:
        plain = re.sub(r"//[^/]*@", "//", re.split(r"[?#]", url)[0])
        taken = rows(connection, "SELECT 1 FROM endpoint e JOIN endpoint o ON o.model = e.model WHERE e.id = :id AND o.base_url = :url", id=id, url=plain)
        run(connection, "UPDATE endpoint SET base_url = :url WHERE id = :id", id=id, url=f"{plain}#{id}" if taken else plain)
        run(connection, "UPDATE call SET base_url = :plain WHERE base_url = :url", plain=plain, url=url)
    return len(held)


def in_settings(connection: Connection) -> int:
    """Paces are kept by address."""
    held = [name for (name,) in rows(connection, "SELECT name FROM setting WHERE name LIKE 'pace %'") if KEY.search(name) or "?" in name]
    for name in held:
        run(connection, "DELETE FROM setting WHERE name = :name", name=name)
    return len(held)


def in_texts(connection: Connection) -> int:
    held = 0
    for hash, data in rows(connection, "SELECT hash, data FROM text_part"):
        text = zlib.decompress(data).decode("utf-8", "replace")
        if not KEY.search(text):
            continue
        held += 1
        fresh = clean(text).encode()
        new = hashlib.sha256(fresh).hexdigest()
        run(connection, "INSERT INTO text_part (hash, data) VALUES (:hash, :data) ON CONFLICT DO NOTHING", hash=new, data=zlib.compress(fresh))
        run(connection, "UPDATE call SET raw = :new WHERE raw = :old", new=new, old=hash)
        run(connection, "UPDATE call SET messages = replace(messages, :old, :new) WHERE messages LIKE :some", new=new, old=hash, some=f"%{hash}%")
        run(connection, "DELETE FROM text_part WHERE hash = :hash", hash=hash)
    return held
