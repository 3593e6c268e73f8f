"""Any OpenAI-compatible endpoint behind the seam, through the ``openai`` package.

What an endpoint can do is learned as it answers: which reply format it honours, which settings it refuses.
The package's own retries are off; whoever asks decides how patient to be.
"""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.errors import ModelError
from core.llm.faults import Fault, fault_of
from core.llm.gate import check_address, check_way
from core.llm.parsing import Reading, read_reply, strict_schema
from core.llm.refusals import in_words, refused_setting
from core.llm.seam import Answer, AnswerState, Attempt, Endpoint, Question, Usage
from core.llm.transport import client_for

VERSION = "1"
FORMATS = ("json_schema", "json_object", "prompt")
MOST_LESSONS = 8  # settings an endpoint may refuse before we give up on one question
Chat = list[dict[str, str]]


@dataclass(frozen=True)
class Reply:
    """One raw reply and how it ended."""

    text: str
    finish: str
    model: str
    usage: Usage


class OpenAIEngine:
    """Chat completions at one endpoint.

    Args:
        key: sent only to ``endpoint.base_url``; never stored.
        learned: what is known of the endpoint; changed in place, and given to ``on_learn`` when it grows.
        timeout: seconds for one whole request.
    """

    version = VERSION

    def __init__(
        self,
        endpoint: Endpoint,
        key: str = "",
        learned: dict[str, Any] | None = None,
        on_learn: Callable[[dict[str, Any]], None] | None = None,
        timeout: float = 180.0,
    ) -> None:
        check_address(endpoint.base_url)
        self.endpoint = endpoint
        self.learned: dict[str, Any] = learned if learned is not None else {}
        self._key, self._on_learn, self._timeout = key, on_learn, timeout
        self._client: Any = None
        self._response: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def ask(self, question: Question, on_text: Callable[[str], None] | None = None) -> Answer:
        """One answer: the reply read and checked, with one repair turn if it could not be read.

        Raises:
            ModelError: no usable reply came; ``kind`` says whether waiting helps.
        """
        chat = [{"role": m.role, "content": m.content} for m in question.messages]
        attempts: list[Attempt] = []
        reply, sent = await self._exchange(chat, question, on_text, attempts)
        state, reading = judge(reply, question)
        total = reply.usage
        if state == "unreadable" and question.reply is not None:
            first = reply
            reply, sent = await self._exchange(
                chat + repair_turn(first.text, reading.reason), question, None, attempts
            )
            state, reading = judge(reply, question)
            state = "repaired" if state == "read" else state
            total = added(first.usage, reply.usage)
        return Answer(
            value=reading.value,
            state=state,
            text=reply.text,
            raw=reply.text,
            reason=reading.reason,
            usage=total,
            finish_reason=reply.finish,
            attempts=tuple(attempts),
            engine="openai",
            engine_version=VERSION,
            model=reply.model,
            sent=sent,
            dropped=tuple(self.learned.get("dropped", ())),
        )

    async def models(self) -> list[str]:
        """Names of the models the endpoint lists."""
        check_way(self.endpoint)
        try:
            page = await self._ready().models.list()
        except Exception as error:  # noqa: BLE001 - sorted and said
            raise in_words(fault_of(error).cleaned((), [self._key]), self.endpoint.base_url) from None
        return [model.id for model in page.data]

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _exchange(
        self, chat: Chat, question: Question, on_text: Callable[[str], None] | None, attempts: list[Attempt]
    ) -> tuple[Reply, dict[str, Any]]:
        """Send until the endpoint accepts the settings, dropping those it refuses by name."""
        for _ in range(MOST_LESSONS):
            settings = self._settings(question, streaming=on_text is not None)
            at, start = datetime.now(UTC).isoformat(timespec="milliseconds"), time.monotonic()
            try:
                reply = await self._send(chat, settings, on_text)
            except Exception as error:  # noqa: BLE001 - sorted and said
                fault = fault_of(error).cleaned([m["content"] for m in chat], [self._key])
                attempts.append(Attempt(at, time.monotonic() - start, f"{fault.status} {fault.kept}"))
                refused = refused_setting(fault, settings)
                if not refused:
                    told = in_words(fault, self.endpoint.base_url)
                    told.attempts = tuple(attempts)
                    raise told from None  # the endpoint's own words may hold the key, or what it was sent
                self._learn_refusal(refused, settings)
                continue
            attempts.append(Attempt(at, time.monotonic() - start))
            return reply, {k: v for k, v in settings.items() if k != "stream"}
        raise ModelError(
            "{where} refused one setting after another. Show the request to see what was sent; nothing was lost.",
            where=self.endpoint.base_url,
        )

    def _settings(self, question: Question, streaming: bool) -> dict[str, Any]:
        """What is sent beside the messages: everything asked for, less what this endpoint refused."""
        wanted = question.settings
        limit = self.learned.get("limit_name", "max_tokens")
        settings: dict[str, Any] = {
            "temperature": wanted.temperature,
            "top_p": wanted.top_p,
            limit: wanted.max_tokens,
            "seed": question.seed & 0x7FFFFFFF,
        }
        if question.reply is not None:
            settings["response_format"] = self._format(question)
        if streaming:
            settings |= {"stream": True, "stream_options": {"include_usage": True}}
        dropped = self.learned.get("dropped", ())
        settings = {k: v for k, v in settings.items() if v is not None and k not in dropped}
        extra = {k: v for k, v in wanted.extra.items() if k != "pace"}
        return settings | ({"extra_body": extra} if extra else {})

    def _format(self, question: Question) -> dict[str, Any] | None:
        if question.reply is None:
            return None
        form = self.learned.get("format", FORMATS[0])
        if form == "json_schema":
            schema = {
                "name": question.reply.__name__,
                "strict": True,
                "schema": strict_schema(question.reply),
            }
            return {"type": "json_schema", "json_schema": schema}
        return {"type": "json_object"} if form == "json_object" else None

    def _learn_refusal(self, setting: str, sent: dict[str, Any]) -> None:
        """Remember one refusal: step down the reply formats, rename the token limit, or drop the setting.

        Calls under way together are refused together: only the first one teaches anything.
        """
        if setting == "response_format":
            at = FORMATS.index(sent["response_format"]["type"])
            if FORMATS.index(self.learned.get("format", FORMATS[0])) <= at:
                self.learned["format"] = FORMATS[at + 1]
        elif setting == "max_tokens":
            self.learned.setdefault("limit_name", "max_completion_tokens")
        else:
            self.learned["dropped"] = sorted({*self.learned.get("dropped", ()), setting})
        if self._on_learn is not None:
            self._on_learn(dict(self.learned))

    async def _send(
        self, chat: Chat, settings: dict[str, Any], on_text: Callable[[str], None] | None
    ) -> Reply:
        """One request; its whole time is limited, since a slow trickle never runs into a limit on each read."""
        async with asyncio.timeout(self._timeout):
            client = self._ready()
            if settings.get("stream"):
                stream = await client.chat.completions.create(
                    model=self.endpoint.model, messages=chat, **settings
                )
                return await streamed(stream, on_text, chat)
            body = {"model": self.endpoint.model, "messages": chat} | settings
            body |= body.pop("extra_body", {})
            # The body as it is: checking it against the package's types would cost more than sending it.
            done = await client.post("/chat/completions", cast_to=self._response, body=body)
        return whole(done.content, chat)

    def _ready(self) -> Any:
        """The client of the running loop; its connections belong to the loop they were made in."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            from httpx2 import Response

            self._response = Response
            self._client = client_for(self.endpoint, self._key, self._timeout)
            self._loop = loop
        return self._client


def whole(content: bytes, chat: Chat) -> Reply:
    """A reply that came in one piece.

    Raises:
        Fault: it is not JSON, holds no choice, or is an error in the clothes of a success.
    """
    try:
        body = json.loads(content)
    except ValueError as error:
        raise Fault(0, "malformed") from error
    found = body if isinstance(body, dict) else {}
    wrong = found.get("error")
    if isinstance(wrong, dict) and not found.get("choices"):
        code = wrong.get("code")
        raise Fault(code if isinstance(code, int) else 500, str(wrong.get("message") or code)[:500])
    try:
        choice = found["choices"][0]
        text = str(choice["message"].get("content") or "")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise Fault(0, "no choice") from error
    usage = counted(found.get("usage"), chat, text)
    return Reply(text, str(choice.get("finish_reason") or ""), str(found.get("model") or ""), usage)


async def streamed(stream: Any, on_text: Callable[[str], None] | None, chat: Chat) -> Reply:
    """Collect a streamed reply.

    Raises:
        Fault: the stream ended without saying why; what came is never taken for an answer.
    """
    pieces: list[str] = []
    finish = model = ""
    usage: Any = None
    async for chunk in stream:
        usage = getattr(chunk, "usage", None) or usage
        model = chunk.model or model
        for choice in chunk.choices[:1]:
            finish = choice.finish_reason or finish
            if choice.delta and choice.delta.content:
                pieces.append(choice.delta.content)
                if on_text is not None:
                    on_text(choice.delta.content)
    if not finish:
        raise Fault(0, "stream")
    text = "".join(pieces)
    return Reply(text, finish, model, usage_of(usage, chat, text))


def judge(reply: Reply, question: Question) -> tuple[AnswerState, Reading]:
    """Whether a reply is an answer: cut, filtered and empty ones never are."""
    if reply.finish == "length":
        return "cut", Reading(None, "the reply was cut at the length limit")
    if reply.finish == "content_filter":
        return "filtered", Reading(None, "the endpoint's content filter held the reply back")
    if not reply.text.strip():
        return "empty", Reading(None, "the reply is empty")
    reading = read_reply(reply.text, question.reply)
    return ("read" if reading.value is not None else "unreadable"), reading


def repair_turn(raw: str, reason: str) -> Chat:
    """The one repair turn: the reply as it was, and what was wrong with it."""
    ask = f"That reply could not be read: {reason}. Send the whole reply again as one JSON object with exactly the keys asked for, and nothing else."
    return [{"role": "assistant", "content": raw}, {"role": "user", "content": ask}]


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


def added(first: Usage, second: Usage) -> Usage:
    def plus(a: int | None, b: int | None) -> int | None:
        return None if a is None and b is None else (a or 0) + (b or 0)

    return Usage(
        plus(first.input, second.input),
        plus(first.output, second.output),
        plus(first.cached, second.cached),
        first.estimated or second.estimated,
    )
