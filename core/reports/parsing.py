"""From a file's bytes to its text, whatever the encoding; what cannot be read says why."""

import io
import re
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import PurePath

from core.errors import DataError

MOST_BYTES = 20_000_000
MOST_UNPACKED = 100_000_000
MOST_CHARACTERS = 200_000
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # an old .doc, or a password-protected .docx
KINDS = (".txt", ".md", ".docx", ".pdf")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def text_of(name: str, data: bytes) -> str:
    """The text of an uploaded file (.txt, .md, .docx, .pdf), line breaks as ``\\n``.

    Raises:
        DataError: empty, too large, protected, damaged, of another kind, or not text.
    """
    kind = PurePath(name.lower()).suffix
    if not data.strip(b" \t\r\n\x00"):
        raise DataError("The file {name} is empty. Choose another file; nothing was saved.", name=name)
    if len(data) > MOST_BYTES:
        raise DataError(
            "The file {name} is larger than {megabytes} MB. A case report is a few pages; split the file or paste "
            "the text. Nothing was saved.", name=name, megabytes=MOST_BYTES // 1_000_000,
        )  # fmt: skip
    readers: dict[str, Callable[[str, bytes], str]] = {".docx": docx_text, ".pdf": pdf_text, ".txt": plain_text, ".md": plain_text}
    if kind not in readers:
        raise DataError(
            "{name} is not a kind of file that can be read here. Use {kinds}, or paste the text; nothing was saved.",
            name=name, kinds=", ".join(KINDS),
        )  # fmt: skip
    return tidy(readers[kind](name, data), name)


def tidy(text: str, name: str) -> str:
    """One kind of line break, no control characters, composed characters.

    Raises:
        DataError: nothing to read is left, or far more than a report.
    """
    text = CONTROL.sub("", unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))).strip("\ufeff\n ")
    if not text.strip():
        raise DataError(
            "No text was found in {name}. If it is a scan, paste the text instead; nothing was saved.", name=name
        )
    if len(text) > MOST_CHARACTERS:
        raise DataError(
            "{name} holds {count} characters, more than one case report. Split it into one file for each case; "
            "nothing was saved.", name=name, count=f"{len(text):,}",
        )  # fmt: skip
    return text


def plain_text(name: str, data: bytes) -> str:
    """Text in whatever encoding it was saved.

    Raises:
        DataError: it is not text at all, or its encoding cannot be told.
    """
    if data[:8] == OLE or data[:4] == b"PK\x03\x04" or data[:5] == b"%PDF-":
        raise DataError(
            "{name} is not a text file, whatever its name says. Save it as .docx or as plain text; nothing was saved.",
            name=name,
        )
    for encoding in known_encodings(data):
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    raise DataError(
        "The encoding of {name} cannot be told, so its characters would come out wrong. Save it as UTF-8 (in most "
        "editors: Save as, encoding UTF-8) and try again; nothing was saved.", name=name,
    )  # fmt: skip


def known_encodings(data: bytes) -> list[str]:
    """Encodings to try, surest first."""
    if data.startswith(MARKS[0]):
        return ["utf-8-sig"]
    if data.startswith(MARKS[1:]):
        return ["utf-16"]
    if b"\x00" in data[:4000]:
        return ["utf-16-le" if data[1:2] == b"\x00" else "utf-16-be"] if data[:4000].count(b"\x00") > len(data[:4000]) / 4 else []
    try:
        data.decode("utf-8")
        return ["utf-8"]
    except UnicodeDecodeError:
        return guessed_encodings(data)


def guessed_encodings(data: bytes) -> list[str]:
    """What the bytes look like: Chinese encodings are tried first where most bytes are high."""
    from charset_normalizer import from_bytes

    high = sum(byte > 0x7F for byte in data[:20_000]) / max(1, len(data[:20_000]))
    if high > 0.3:
        scored = [(common_share(data, name), name) for name in ("gb18030", "big5")]
        best = max(scored)
        return [best[1]] if best[0] > 0.5 else []
    best_guess = from_bytes(data, cp_isolation=["cp1252", "cp1250", "iso8859_15", "mac_roman"]).best()
    return [best_guess.encoding] if best_guess is not None else []


COMMON = set("的一是了我不在有他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里他她症状情绪咨询來訪者問題心理焦慮個時說們這學會過為後")


def common_share(data: bytes, encoding: str) -> float:
    """How much a decoding looks like Chinese: CJK share, plus a little for the commonest characters."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    wide = [c for c in text if ord(c) > 0x7F]
    cjk = sum("\u4e00" <= c <= "\u9fff" or c in "，。：；、！？“”（）《》\u3000" for c in wide) / max(1, len(wide))
    return cjk + sum(c in COMMON for c in wide) / max(1, len(wide))


def docx_text(name: str, data: bytes) -> str:
    """Paragraphs and table cells of a Word document, in their order; headings keep a mark.

    Raises:
        DataError: password-protected, an old .doc, damaged, or unpacking to far too much.
    """
    if data[:8] == OLE:
        raise DataError(
            "{name} is protected by a password or is an old .doc file. Open it in Word, save it as .docx without a "
            "password, and try again; nothing was saved.", name=name,
        )  # fmt: skip
    from docx import Document
    from docx.opc.exceptions import OpcError

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(part.file_size for part in archive.infolist()) > MOST_UNPACKED:
                raise DataError("{name} unpacks to far more than a report, so it was not opened. Nothing was saved.", name=name)
        document = Document(io.BytesIO(data))
        return "\n".join(line for block in document.iter_inner_content() for line in block_lines(block))
    except (zipfile.BadZipFile, OpcError, KeyError, ValueError, AttributeError, SyntaxError, OSError) as error:
        raise DataError(
            "{name} is not a Word document that can be read: it is damaged, or another kind of file under this name. "
            "Save it again as .docx, or paste the text; nothing was saved.", name=name,
        ) from error  # fmt: skip


def block_lines(block: object) -> list[str]:
    """Lines of one paragraph or table; a heading style becomes a Markdown heading."""
    rows = getattr(block, "rows", None)
    if rows is not None:
        return ["：".join(dict.fromkeys(cell.text.strip() for cell in row.cells if cell.text.strip())) for row in rows]
    text = str(getattr(block, "text", ""))
    style = str(getattr(getattr(block, "style", None), "name", "") or "")
    return [f"# {text}" if text.strip() and style.startswith(("Heading", "Title", "标题")) else text]


def pdf_text(name: str, data: bytes) -> str:
    """Text of a PDF.

    Raises:
        DataError: protected, damaged, or not a PDF.
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DataError(
                "{name} is protected by a password. Save it without one, or paste the text; nothing was saved.", name=name
            )
        return "\n".join(page.extract_text() or "" for page in reader.pages)
    except (PyPdfError, ValueError, KeyError, TypeError, OSError, RecursionError) as error:
        raise DataError(
            "{name} is not a PDF that can be read: it is damaged, or another kind of file under this name. Paste the "
            "text instead; nothing was saved.", name=name,
        ) from error  # fmt: skip
