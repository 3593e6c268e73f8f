"""Bytes of a file to text: which encoding it is in, and whether it is text at all. Pure."""

from dataclasses import dataclass

from core.errors import DataError

MOST_BYTES = 50_000_000
BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
GUESSES = ["gb18030", "big5", "cp1252", "utf_16_le", "utf_16_be", "shift_jis"]


@dataclass(frozen=True)
class Text:
    """A file's text; ``encoding`` is empty where it was plain UTF-8, else what was guessed or marked."""

    text: str
    encoding: str = ""


def decode(name: str, data: bytes) -> Text:
    """The text of a file.

    Raises:
        DataError: empty, too large, or not text in any encoding known here.
    """
    if not data.strip():
        raise DataError("The file {name} is empty. Choose another file; nothing was saved.", name=name)
    if len(data) > MOST_BYTES:
        raise DataError(
            "The file {name} is larger than {most} megabytes. Split it and bring the parts in; nothing was saved.",
            name=name, most=MOST_BYTES // 1_000_000,
        )  # fmt: skip
    for mark, encoding in BOMS.items():
        if data.startswith(mark):
            return Text(_strictly(name, data, encoding), "" if encoding == "utf-8-sig" else encoding)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _guessed(name, data)
    if "\x00" in text:
        return _guessed(name, data)
    return Text(text)


def _strictly(name: str, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise _not_text(name) from error


def _guessed(name: str, data: bytes) -> Text:
    from charset_normalizer import from_bytes

    best = from_bytes(data[:200_000], cp_isolation=GUESSES).best()
    if best is None:
        raise _not_text(name)
    text = _strictly(name, data, best.encoding)
    if "\x00" in text:
        raise _not_text(name)
    return Text(text, best.encoding.upper().replace("_", "-"))


def _not_text(name: str) -> DataError:
    return DataError(
        "The file {name} is not text in an encoding known here. Save it as UTF-8 and choose it again; "
        "nothing was saved.",
        name=name,
    )
