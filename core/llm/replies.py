"""From the bytes of a reply to its text, its ending and its tokens. Pure but for the stream it reads."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.llm.faults import Fault, fault_of, said
from core.llm.seam import Usage

Chat = list[dict[str, str]]


@dataclass(frozen=True)
class Reply:
    """One raw reply and how it ended; ``refusal``: the model's own words for not answering, where it names them."""

    text: str
    finish: str
    model: str
    usage: Usage
    refusal: str = ""


def whole(content: bytes, chat: Chat) -> Reply:
    """A reply that came in one piece.

    Raises:
        Fault: it is not JSON, holds no choice, or is an error in the clothes of a success; with the tokens it says it
            took.
    """
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Fault(0, "malformed") from error
    found = body if isinstance(body, dict) else {}
    paid = counted(found["usage"], chat, "") if isinstance(found.get("usage"), dict) else None
    if found.get("error") and not found.get("choices"):
        fault = said(0, found)
        fault.usage = paid
        raise fault
    try:
        choice = found["choices"][0]
        message = choice["message"]
        text = text_of(message.get("content"))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise Fault(0, "no choice", usage=paid) from error
    usage = counted(found.get("usage"), chat, text)
    refusal = str(message.get("refusal") or "")
    return Reply(text, str(choice.get("finish_reason") or ""), str(found.get("model") or ""), usage, refusal)


def text_of(content: Any) -> str:
    """The text of a message; of a list of parts, those that are text (thinking and the rest are not)."""
    if isinstance(content, list):
        parts = [p for p in content if isinstance(p, Mapping) and p.get("type") in ("text", "output_text")]
        return "".join(str(p.get("text") or "") for p in parts)
    return str(content or "")


async def streamed(stream: Any, on_text: Callable[[str], None] | None, chat: Chat) -> Reply:
    """Collect a streamed reply.

    Raises:
        Fault: the stream ended without saying why; what came is never taken for an answer, but was paid for.
    """
    pieces: list[str] = []
    finish = model = ""
    usage: Any = None
    try:
        async for chunk in stream:
            usage = getattr(chunk, "usage", None) or usage
            model = chunk.model or model
            for choice in chunk.choices[:1]:
                finish = choice.finish_reason or finish
                if choice.delta and choice.delta.content:
                    pieces.append(choice.delta.content)
                    if on_text is not None:
                        on_text(choice.delta.content)
    except Exception as error:
        fault = fault_of(error)
        fault.usage = usage_of(usage, chat, "".join(pieces)) if pieces else None
        raise fault from error
    text = "".join(pieces)
    if not finish:
        raise Fault(0, "stream", usage=usage_of(usage, chat, text) if pieces else None)
    return Reply(text, finish, model, usage_of(usage, chat, text))


def usage_of(usage: Any, chat: Chat, text: str) -> Usage:
    """Tokens as the stream's last piece counted them, else our estimate, marked so."""
    return counted(usage.model_dump() if usage is not None else None, chat, text)


def counted(usage: Any, chat: Chat, text: str) -> Usage:
    """Tokens as the server counted them, else our estimate, marked so."""
    if isinstance(usage, dict) and isinstance(usage.get("prompt_tokens"), int):
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
        return Usage(usage["prompt_tokens"], usage.get("completion_tokens"), cached)
    return Usage(sum(tokens_about(m["content"]) for m in chat), tokens_about(text), None, estimated=True)


def tokens_about(text: str) -> int:
    """A rough count of tokens: one a Chinese character, one per four other characters."""
    wide = sum(1 for c in text if "\u3400" <= c <= "\u9fff")
    return wide + (len(text) - wide + 3) // 4
