"""Why a unit failed or stayed unscored: a short code, then the details in English."""

from core.errors import ModelError, Refused, WorkbenchError
from core.judging.readings import code_of as code_of_item
from core.llm.gate import NOT_AGREED, NOT_RATED, WITHDRAWN
from core.llm.seam import Answer
from storage.stopping import REFUSED

SEPARATOR = ": "
CONSENT = REFUSED  # not to be asked again while somebody refuses it
CODES = (
    "busy", "server", "timeout", "malformed", "stream", "unfinished", "unreachable", "too_long", "filtered", "refused", "gate",
    "consent", "missing", "cut", "empty", "unreadable", "off_scale", "record", "gone", "fault", "other",
)  # fmt: skip


def reason(code: str, details: str = "") -> str:
    return f"{code}{SEPARATOR}{details}" if details else code


def split(text: str) -> tuple[str, str]:
    """Code and details of a stored reason; words without a known code are *other*."""
    if text == CONSENT:
        return "consent", ""
    code, _, details = text.partition(SEPARATOR)
    return (code, details) if code in CODES else ("other", text)


def of_error(error: WorkbenchError) -> str:
    """The stored reason of an error."""
    if isinstance(error, Refused):
        if error.message in (WITHDRAWN, NOT_RATED, NOT_AGREED):
            return CONSENT
        return reason("gate", str(error))
    if not isinstance(error, ModelError):
        return reason("record", str(error))
    code = str(error.values.get("code", "other"))
    return reason(code if code in CODES else "other", str(error))


def of_answer(answer: Answer) -> str:
    """The stored reason of an answer that is none."""
    code = answer.state if answer.state in CODES else "unreadable"
    return reason(code, answer.reason)


def of_item(why: str) -> str:
    """The stored reason of one item without a reading."""
    return reason(code_of_item(why), why)
