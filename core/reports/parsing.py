"""From a report's file to its text, whatever the kind and the encoding; what cannot be read says why."""

import io
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from core import files
from core.errors import DataError, msg

MOST_BYTES = 20_000_000
MOST_CHARACTERS = 200_000
MOST_PAGES = 2_000
KINDS = (".txt", ".md", ".docx", ".pdf")


@dataclass(frozen=True)
class Readable:
    """The text of a report, line breaks as ``\\n``; ``remarks`` say what was left out of it."""

    text: str
    remarks: tuple[DataError, ...] = ()


def text_of(name: str, data: bytes) -> str:
    """The text alone; as ``readable``."""
    return readable(name, data).text


def readable(name: str, data: bytes | str) -> Readable:
    """The text of an uploaded file (.txt, .md, .docx, .pdf), or of what was pasted.

    Raises:
        DataError: empty, too large, protected, damaged, of another kind, or not text.
    """
    if isinstance(data, str):
        return tidy(data, name)
    kind = PurePath(name.lower()).suffix
    files.check_size(name, data, MOST_BYTES)
    readers: dict[str, Callable[[str, bytes], str]] = {".docx": docx_text, ".pdf": pdf_text, ".txt": plain_text, ".md": plain_text}
    if kind not in readers:
        raise DataError(
            "{name} is not a kind of file that can be read here. Use {kinds}, or paste the text; nothing was saved.",
            name=name, kinds=", ".join(KINDS),
        )  # fmt: skip
    return tidy(readers[kind](name, data), name)


def tidy(text: str, name: str) -> Readable:
    """One kind of line break, no control characters, composed characters.

    Raises:
        DataError: nothing to read is left, or far more than a report.
    """
    plain, dropped = files.cleaned(text)
    plain = plain.strip("\ufeff\n ")
    if not plain.strip():
        raise DataError(
            "No text was found in {name}. If it is a scan, paste the text instead; nothing was saved.", name=name
        )
    if len(plain) > MOST_CHARACTERS:
        raise DataError(
            "{name} holds {count} characters, more than one case report. Split it into one file for each case; "
            "nothing was saved.", name=name, count=f"{len(plain):,}",
        )  # fmt: skip
    return Readable(files.composed(plain), tuple(files.dropped_remark(name, dropped)))


def plain_text(name: str, data: bytes) -> str:
    """Text in whatever encoding it was saved.

    Raises:
        DataError: it is not text at all, or its encoding cannot be told.
    """
    files.check_plain(name, data)
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
    if marked := next((encoding for mark, encoding in files.MARKS.items() if data.startswith(mark)), ""):
        return [marked]
    nuls = data[:4000].count(b"\x00") / len(data[:4000])
    if nuls > files.MOST_NULS:
        return ["utf-16-le" if data[1:2] == b"\x00" else "utf-16-be"] if nuls > 0.25 else []
    try:
        data.decode("utf-8")
        return ["utf-8"]
    except UnicodeDecodeError:
        return guessed_encodings(data)


def guessed_encodings(data: bytes) -> list[str]:
    """What the bytes look like: Chinese encodings are tried first where most bytes are high."""
    from charset_normalizer import from_bytes

    sample = data[: files.SAMPLE]
    high = sum(byte > 0x7F for byte in sample[:20_000]) / max(1, len(sample[:20_000]))
    if high > 0.3:
        scored = [(common_share(sample, name), name) for name in ("gb18030", "big5")]
        best = max(scored)
        return [best[1]] if best[0] > 0.5 else []
    best_guess = from_bytes(sample, cp_isolation=["cp1252", "cp1250", "iso8859_15", "mac_roman"]).best()
    return [best_guess.encoding] if best_guess is not None else []


COMMON = set("的一是了我不在有他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里他她症状情绪咨询來訪者問題心理焦慮個時說們這學會過為後")


def common_share(data: bytes, encoding: str) -> float:
    """How much a decoding looks like Chinese: CJK share, plus a little for the commonest characters."""
    try:  # a sample may end inside a character; wrong bytes elsewhere rule the encoding out
        text = data.decode(encoding) if len(data) < files.SAMPLE else data[: -4].decode(encoding, "ignore")
    except UnicodeDecodeError:
        return 0.0
    wide = [c for c in text if ord(c) > 0x7F]
    cjk = sum("\u4e00" <= c <= "\u9fff" or c in "，。：；、！？“”（）《》\u3000" for c in wide) / max(1, len(wide))
    return cjk + sum(c in COMMON for c in wide) / max(1, len(wide))


def locked(name: str) -> DataError:
    return DataError(
        "{name} is encrypted or protected by a password, so it cannot be read here. Save it without a password, or "
        "paste the text; nothing was saved.", name=name,
    )  # fmt: skip


# ---- Word ------------------------------------------------------------------------------------------


def docx_text(name: str, data: bytes) -> str:
    """Paragraphs and table cells of a Word document, in their order; headings keep a mark.

    Raises:
        DataError: password-protected, an old .doc, damaged, or unpacking to far too much.
    """
    if data[:8] == files.LOCKED:
        raise DataError(
            "{name} is protected by a password or is an old .doc file. Open it in Word, save it as .docx without a "
            "password, and try again; nothing was saved.", name=name,
        )  # fmt: skip
    with files.edge(
        msg(
            "{name} is not a Word document that can be read: it is damaged, or another kind of file under this name. "
            "Save it again as .docx, or paste the text; nothing was saved."
        ), name=name,
    ):  # fmt: skip
        from docx import Document

        files.check_unpacked(name, data)
        document = Document(io.BytesIO(data))
        titles = frozenset(heading_styles(document))
        return files.joined(block_lines(document.element.body, titles), MOST_CHARACTERS * 2)


def heading_styles(document: Any) -> Iterator[str]:
    """The ids of styles that mark headings: asking each paragraph for its style would search all styles each time."""
    for style in document.styles.element.style_lst:
        if str(style.name_val or "").casefold().startswith(("heading", "title", "标题")):
            yield str(style.styleId)


def block_lines(body: Any, titles: frozenset[str]) -> Iterator[str]:
    """Lines of a body's paragraphs and tables; a paragraph in a heading style becomes a Markdown heading."""
    for block in body.inner_content_elements:
        if hasattr(block, "tr_lst"):
            yield from (row_line(row) for row in block.tr_lst)
        else:
            yield f"# {block.text}" if block.style in titles and block.text.strip() else block.text


def row_line(row: Any) -> str:
    """The filled cells of a table's row, each once."""
    cells = ("\n".join(paragraph.text for paragraph in cell.p_lst).strip() for cell in row.tc_lst)
    return "：".join(dict.fromkeys(cell for cell in cells if cell))


# ---- PDF -------------------------------------------------------------------------------------------


def pdf_text(name: str, data: bytes) -> str:
    """Text of a PDF; one that is only guarded against changes is read.

    Raises:
        DataError: protected, damaged, not a PDF, or of too many pages.
    """
    from pypdf.errors import DependencyError, FileNotDecryptedError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its remarks on a damaged file quote what is in it
    with files.edge(
        msg(
            "{name} is not a PDF that can be read: it is damaged, or another kind of file under this name. Paste the "
            "text instead; nothing was saved."
        ), name=name,
    ):  # fmt: skip
        try:
            text = files.joined(pages_of(name, data), MOST_CHARACTERS * 2)
        except (DependencyError, FileNotDecryptedError, NotImplementedError) as error:
            if b"/Encrypt" in data:
                raise locked(name) from error
            raise
    return text


def pages_of(name: str, data: bytes) -> Iterator[str]:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise locked(name)
    if len(reader.pages) > MOST_PAGES:
        raise files.too_much(name, msg("pages"), MOST_PAGES)
    for page in reader.pages:
        yield page.extract_text() or ""
