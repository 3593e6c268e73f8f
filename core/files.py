"""From a file's bytes to text, tables and JSON: what a file may hold at most, and the one edge of every reader. Pure.

A reader gives what it read, or one sentence (``DataError``) that says what is wrong with the file. Whatever a
library raises on a damaged file ends at ``edge``; nothing here saves anything.
"""

import csv
import io
import json
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

from core.cells import uncell
from core.errors import DataError, Several, WorkbenchError, msg

MOST_BYTES = 50_000_000  # of any file
MOST_UNPACKED = 100_000_000  # bytes that come out of a packed file
MOST_LINES = 500_000
MOST_CELLS = 3_000_000  # cells of a table, or values of a JSON file
MOST_TAGS = 2_000_000  # of the XML in a packed document
DEEPEST = 60  # levels of a JSON file
LARGEST_ID = 2**63 - 1  # what the database can hold
ENCODINGS = ["gb18030", "big5", "cp1252", "utf_16_le", "utf_16_be", "shift_jis"]
MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
MOST_NULS = 0.05  # share of NULs above which a text is none, or in another encoding
SAMPLE = 200_000  # bytes from which an encoding is guessed
LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # Office files of before 2007, and those with a password
BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")
PIECE = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]{1,4096}")
UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")  # letters and marks of no width


@dataclass(frozen=True)
class Text:
    """A file's text as it was saved; ``encoding`` is empty where that was plain UTF-8."""

    text: str
    encoding: str = ""


@dataclass(frozen=True)
class Clean:
    """A value without control characters, and how many were dropped from it."""

    value: Any
    dropped: int


@contextmanager
def edge(sentence: str, **values: Any) -> Iterator[None]:
    """The edge of a reader: whatever is raised inside becomes this sentence; sentences of ours pass.

    Only reading stands inside, never saving: a fault of the workbench's own must go on looking like one.
    """
    try:
        yield
    except WorkbenchError:
        raise
    except Exception as error:  # a damaged file makes libraries raise anything: zlib.error, AttributeError, …
        raise DataError(sentence, **values) from error


# ---- text ------------------------------------------------------------------------------------------


def check_size(name: str, data: bytes, most: int = MOST_BYTES) -> None:
    """
    Raises:
        DataError: empty, or larger than can be read here.
    """
    if not data.strip(b" \t\r\n\x00"):
        raise DataError("The file {name} is empty. Choose another file; nothing was saved.", name=name)
    if len(data) > most:
        raise too_large(name, most)


def too_large(name: str, most: int) -> DataError:
    return DataError(
        "The file {name} is larger than {most} megabytes. Split it and bring the parts in; nothing was saved.",
        name=shown(name), most=most // 1_000_000,
    )  # fmt: skip


def decode(name: str, data: bytes) -> Text:
    """The text of a file in whatever encoding it was saved.

    Raises:
        DataError: empty, too large, of another kind, not text in any encoding known here, or of too many lines.
    """
    check_size(name, data)
    check_plain(name, data)
    found = _decoded(name, data)
    if found.text.count("\n") + found.text.count("\r") > MOST_LINES * 2:
        raise too_much(name, msg("lines"), MOST_LINES)
    return found


def _decoded(name: str, data: bytes) -> Text:
    for mark, encoding in MARKS.items():
        if data.startswith(mark):
            return Text(_strictly(name, data, encoding), "" if encoding == "utf-8-sig" else encoding)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _guessed(name, data)
    return _guessed(name, data) if text.count("\x00") > len(text) * MOST_NULS else Text(text)


def check_plain(name: str, data: bytes) -> None:
    """
    Raises:
        DataError: it is a packed or binary document, whatever its name says.
    """
    if data[:8] == LOCKED or data[:4] == b"PK\x03\x04" or data[:5] == b"%PDF-":
        raise DataError(
            "{name} is not a text file: it is a workbook, a document or an archive. Open it where it was made, save "
            "it as plain text or CSV, and try again; nothing was saved.", name=name,
        )  # fmt: skip


def _strictly(name: str, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except (UnicodeDecodeError, LookupError) as error:
        raise _not_text(name) from error


def _guessed(name: str, data: bytes) -> Text:
    from charset_normalizer import from_bytes

    best = from_bytes(data[:SAMPLE], cp_isolation=ENCODINGS).best()
    if best is None:
        raise _not_text(name)
    text = _strictly(name, data, best.encoding)
    if text.count("\x00") > len(text) * MOST_NULS:
        raise _not_text(name)
    return Text(text, best.encoding.upper().replace("_", "-"))


def _not_text(name: str) -> DataError:
    return DataError(
        "The file {name} is not text in an encoding known here. Save it as UTF-8 and choose it again; "
        "nothing was saved.",
        name=name,
    )


def lines_of(name: str, text: str) -> Clean:
    """The lines of a text, without control characters.

    Raises:
        DataError: more lines than can be read here.
    """
    plain, dropped = cleaned(text)
    if plain.count("\n") > MOST_LINES:
        raise too_much(name, msg("lines"), MOST_LINES)
    return Clean(plain.split("\n"), dropped)


def cleaned(text: str) -> tuple[str, int]:
    """The text with ``\\n`` at the end of lines, and how many control characters were dropped from it."""
    return CONTROLS.subn("", BREAKS.sub("\n", text))


def dropped_remark(name: str, dropped: int) -> Iterator[DataError]:
    if dropped:
        yield DataError("Left out of {name}: {n} control characters, which stand for no letter.", name=name, n=dropped)


def composed(text: str, form: Literal["NFC", "NFKC"] = "NFC") -> str:
    """The text with composed characters.

    In pieces, since the time of the library's own is quadratic in a run of combining marks.
    """
    return PIECE.sub(lambda piece: unicodedata.normalize(form, piece.group()), text)


def named(text: str) -> str:
    """Somebody's name in one form, whichever programme saved it: composed, with plain widths and single spaces, and
    without signs that nobody sees.
    """
    seen = [sign for sign in UNSEEN.sub("", text) if sign.isspace() or unicodedata.category(sign) not in ("Cc", "Cf")]
    return " ".join(composed("".join(seen), "NFKC").split())


def too_much(name: str, what: str, most: int) -> DataError:
    """``what`` is *lines*, *cells*, *values* or *pages*."""
    return DataError(
        "{name} holds more than {most} {what}, more than can be read at once. Split it and bring the parts in; "
        "nothing was saved.", name=name, most=f"{most:,}", what=what,
    )  # fmt: skip


# ---- tables ----------------------------------------------------------------------------------------


def delimiter(text: str) -> str:
    """Comma, unless the heading holds more semicolons or tabs."""
    head = text.lstrip("\n ")[:SAMPLE].split("\n", 1)[0]
    return max(",;\t", key=head.count)


def table(name: str, text: str) -> list[tuple[int, list[str]]]:
    """The rows of a CSV text that are not blank, each with its line number; guards of cells are taken off.

    Raises:
        DataError: it is no CSV table, has no filled cell, or more cells than can be read here.
    """
    rows: list[tuple[int, list[str]]] = []
    cells = 0
    csv.field_size_limit(MOST_BYTES)
    lines = csv.reader(io.StringIO(text), delimiter=delimiter(text), strict=True)
    try:
        for row in lines:
            cells += len(row)
            if cells > MOST_CELLS:
                raise too_much(name, msg("cells"), MOST_CELLS)
            if any(cell.strip() for cell in row):
                rows.append((lines.line_num, [uncell(cell) for cell in row]))
    except csv.Error as error:
        raise DataError(
            "{name} is not a CSV table: {why} (line {line}). Save it as CSV and try again; nothing was saved.",
            name=name, why=str(error), line=lines.line_num,
        ) from error  # fmt: skip
    if not rows:
        raise DataError("{name} has no filled cell. Choose another file; nothing was saved.", name=name)
    return rows


def record_id(text: str) -> int | None:
    """The id of a record as a cell names it; ``None`` where it can be none."""
    plain = text.strip()
    return int(plain) if re.fullmatch(r"[0-9]{1,19}", plain) and 0 < int(plain) <= LARGEST_ID else None


# ---- JSON ------------------------------------------------------------------------------------------


def json_of(text: str) -> Clean:
    """The value of a JSON text, its strings without control characters.

    Raises:
        ValueError: not JSON, or JSON that cannot be kept: too deep, too many values, a number without end.
    """
    if text.count(",") > MOST_CELLS:
        raise ValueError(f"more than {MOST_CELLS:,} values")
    dropped: list[int] = []
    try:
        value = json.loads(text, strict=False, parse_constant=_no_number)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return Clean(_kept(value, 0, dropped), sum(dropped))


def json_lines(text: str) -> Iterator[tuple[int, Clean | ValueError]]:
    """The value of every line that is not blank, with its number; a line that is no JSON comes as its error."""
    for number, line in enumerate(re.split("\r\n?|\n", text), 1):
        if line.strip():
            try:
                yield number, json_of(line)
            except ValueError as error:
                yield number, error


def _no_number(said: str) -> NoReturn:
    raise ValueError(f"{said} is not a number")


def _kept(value: Any, depth: int, dropped: list[int]) -> Any:
    """The same value as it can be kept; ``dropped`` takes the count of every string that was changed."""
    if depth > DEEPEST:
        raise ValueError("nested too deeply")
    if isinstance(value, str):
        plain, count = cleaned(value)
        dropped += [count] if count else []
        return plain
    if isinstance(value, list):
        return [_kept(one, depth + 1, dropped) for one in value]
    if isinstance(value, dict):
        return {cleaned(key)[0]: _kept(one, depth + 1, dropped) for key, one in value.items()}
    return value


# ---- packed documents ------------------------------------------------------------------------------


def check_unpacked(name: str, data: bytes, most: int = MOST_UNPACKED) -> None:
    """Unpack every part of a zip container, counting as it goes, so that no more than ``most`` bytes come out.

    Raises:
        DataError: more than that, or more tags than a document has. zipfile and zlib: their own errors.
    """
    out = tags = 0
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for part in archive.infolist():
            with archive.open(part) as stream:
                for block in iter(lambda: stream.read(1_000_000), b""):
                    out += len(block)
                    tags += block.count(b"<") if part.filename.endswith((".xml", ".rels")) else 0
                    if out > most or tags > MOST_TAGS:
                        raise DataError("{name} unpacks to far more than a report, so it was not opened. Nothing was saved.", name=name)


# ---- on disk ---------------------------------------------------------------------------------------


def shown(name: str) -> str:
    """A file's name as it can be printed: bytes that are no text, and control characters, become ``?``."""
    return CONTROLS.sub("?", name.encode("utf-8", "replace").decode())


def read_file(path: Path, most: int = MOST_BYTES) -> bytes:
    """
    Raises:
        DataError: not there, no ordinary file, not readable, or too large; it is not opened then.
    """
    try:
        if path.exists() and not path.is_file():
            raise DataError("{name} is not a file. Check its name; nothing was saved.", name=shown(str(path)))
        if path.stat().st_size > most:
            raise too_large(path.name, most)
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise DataError(
            "The file {name} cannot be read: {why}. Check its name and your rights; nothing was saved.",
            name=shown(str(path)), why=getattr(error, "strerror", None) or str(error),
        ) from error  # fmt: skip


def joined(pieces: Iterable[str], most: int) -> str:
    """Pieces as lines, read no further than one beyond ``most`` characters."""
    found: list[str] = []
    size = 0
    for piece in pieces:
        found.append(piece)
        size += len(piece) + 1
        if size > most + 1:
            break
    return "\n".join(found)


def places(where: Sequence[int], most: int = 8) -> Several:
    """A short list of places: the first few, and how many more."""
    named = [str(at) for at in where[:most]]
    if len(where) > most:
        named[-1] += f" … (+{len(where) - most})"
    return Several(named)
