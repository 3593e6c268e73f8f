"""Keys that endpoints repeated, or that stood in an address or in the place of a variable, out of an older store."""

import hashlib
import json
import re
import zlib
from typing import Any

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import rows, run

HIDDEN = "[key removed]"
VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
PREFIX = r"\b(?:sk|pk|rk|ak|gsk|xai|hf|ghp|nvapi|fw|r8)[-_]"
NAME = (
    r"\b(?:x-)?(?:api[-_ ]?key|access[-_ ]?token|auth[-_ ]?token|secret|password|authorization|subscription-key|token)"
    r"(?:\\?[\"'])?\s*(?:[:=]|provided:|is:)\s*(?:\\?[\"'])?"
)
# Anything that may be a key, for what endpoints said: a word too many does no harm there.
WIDE = re.compile(
    r"\b(?:sk|pk|rk|ak|gsk|xai|hf|ghp|key|nvapi|fw|r8)[-_](?=[\w*.-]{6})[\w*.-]+"
    r"|\bAIza[\w-]{20,}|\bAKIA[0-9A-Z]{12,}|\beyJ[\w-]{5,1000}\.[\w-]+\.?[\w-]*|\b[0-9a-f]{32}\.[A-Za-z0-9]{8,}"
    r"|\bBearer\s+[\w.~+/=*-]{6,}|\bBasic\s+[\w+/=]{12,}"
    rf"|(?P<name>{NAME})[^\s\"',;&}}\]\\]{{6,}}",
    re.IGNORECASE,
)
# In texts of calls people speak, so only what nobody says: letters and digits mixed, as long as keys are.
MIXED = r"(?=[\w.~+/=-]{0,80}[0-9])(?=[\w.~+/=-]{0,80}[A-Za-z])"
SURE = re.compile(
    rf"{PREFIX}{MIXED}[\w-]{{16,}}|\bAIza[\w-]{{30,}}|\bAKIA[0-9A-Z]{{16}}\b"
    r"|\beyJ[\w-]{10,1000}\.[\w-]{8,1000}\.[\w-]*|\b[0-9a-f]{32}\.[A-Za-z0-9]{8,}"
    rf"|\b[Bb]earer\s+{MIXED}[\w.~+/=-]{{16,}}|\bBasic\s+(?=\S{{0,80}}[A-Z]){MIXED}[\w+/=]{{16,}}"
    rf"|(?P<name>(?i:{NAME})){MIXED}[\w.~+/=-]{{16,}}"
)
PLACES = (
    ("call", "reason"), ("unit", "reason"), ("study", "reason"), ("rating", "reason"), ("comparison", "reason"),
)  # fmt: skip
LISTS = (("call", "attempts"), ("session", "faults"))


def remove(connection: Connection) -> int:
    """Replace everything shaped like a key; returns how many columns and texts held one."""
    found = sum(in_column(connection, table, column) for table, column in PLACES)
    found += sum(in_list(connection, table, column) for table, column in LISTS)
    return found + in_addresses(connection) + in_variables(connection) + in_settings(connection) + in_texts(connection)


def clean(text: str, shapes: re.Pattern[str]) -> str:
    return shapes.sub(lambda found: (found["name"] or "") + HIDDEN, text)


def in_column(connection: Connection, table: str, column: str) -> int:
    held = [(id, text) for id, text in rows(connection, f"SELECT id, {column} FROM {table} WHERE {column} <> ''") if WIDE.search(text)]
    for id, text in held:
        run(connection, f"UPDATE {table} SET {column} = :text WHERE id = :id", id=id, text=clean(text, WIDE))
    return len(held)


def in_list(connection: Connection, table: str, column: str) -> int:
    """As in a column of text, each text of its JSON by itself."""
    count = 0
    for id, text in rows(connection, f"SELECT id, {column} FROM {table} WHERE {column} <> '[]'"):
        held = json.loads(text)
        if (fresh := each(held)) != held:
            count += 1
            run(connection, f"UPDATE {table} SET {column} = :text WHERE id = :id", id=id, text=json.dumps(fresh, ensure_ascii=False))
    return count


def each(value: Any) -> Any:
    if isinstance(value, list):
        return [each(one) for one in value]
    if isinstance(value, dict):
        return {name: each(one) for name, one in value.items()}
    return clean(value, WIDE) if isinstance(value, str) else value


def plain(url: str) -> str:
    """An address keeps its host and path; a key does not belong into it."""
    return clean(re.sub(r"//[^/]*@", "//", re.split(r"[?#]", url)[0]), SURE)


def in_addresses(connection: Connection) -> int:
    held = [(id, url) for id, url in rows(connection, "SELECT id, base_url FROM endpoint") if plain(url) != url]
    for id, url in held:
        fresh = plain(url)
        taken = rows(connection, "SELECT 1 FROM endpoint e JOIN endpoint o ON o.model = e.model WHERE e.id = :id AND o.base_url = :url", id=id, url=fresh)
        run(connection, "UPDATE endpoint SET base_url = :url WHERE id = :id", id=id, url=f"{fresh}#{id}" if taken else fresh)
        run(connection, "UPDATE setting SET value = replace(value, :url, :plain) WHERE name = 'prices'", plain=fresh, url=url)
    asked = [url for (url,) in rows(connection, "SELECT DISTINCT base_url FROM call") if plain(url) != url]
    for url in asked:
        run(connection, "UPDATE call SET base_url = :plain WHERE base_url = :url", plain=plain(url), url=url)
    return len(held) + len(asked)


def in_variables(connection: Connection) -> int:
    """An endpoint names a variable; what cannot be the name of one is a key, typed in the wrong field."""
    named = rows(connection, "SELECT id, key_env FROM endpoint WHERE key_env <> ''")
    held = [id for id, name in named if not VARIABLE.fullmatch(name) or SURE.search(name)]
    for id in held:
        run(connection, "UPDATE endpoint SET key_env = '' WHERE id = :id", id=id)
    return len(held)


def in_settings(connection: Connection) -> int:
    """Paces are kept by address."""
    held = [name for (name,) in rows(connection, "SELECT name FROM setting WHERE name LIKE 'pace %'") if plain(name) != name]
    for name in held:
        run(connection, "DELETE FROM setting WHERE name = :name", name=name)
    return len(held)


def in_texts(connection: Connection) -> int:
    held = 0
    for hash, data in rows(connection, "SELECT hash, data FROM text_part"):
        text = zlib.decompress(data).decode("utf-8", "replace")
        if not SURE.search(text):
            continue
        held += 1
        fresh = clean(text, SURE).encode()
        new = hashlib.sha256(fresh).hexdigest()
        run(connection, "INSERT INTO text_part (hash, data) VALUES (:hash, :data) ON CONFLICT DO NOTHING", hash=new, data=zlib.compress(fresh))
        run(connection, "UPDATE call SET raw = :new WHERE raw = :old", new=new, old=hash)
        run(connection, "UPDATE call SET messages = replace(messages, :old, :new) WHERE messages LIKE :some", new=new, old=hash, some=f"%{hash}%")
        run(connection, "DELETE FROM text_part WHERE hash = :hash", hash=hash)
    return held
