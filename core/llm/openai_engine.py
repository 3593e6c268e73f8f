"""Any OpenAI-compatible endpoint behind the seam, through the ``openai`` package.

One question is one request. What an endpoint can do is learned as it answers (``core.llm.lessons``). The package's own
retries are off; whoever asks decides how patient to be, and asks for repairs (``core.llm.repair``).
"""

import asyncio
import logging
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from core.errors import ModelError
from core.llm.endings import ending
from core.llm.faults import UNREACHED, Fault, fault_of, for_the_log
from core.llm.gate import check_address, check_way, shown
from core.llm.keys import Heard, KnownKey, check_key
from core.llm.lessons import FORMATS, Lessons
from core.llm.parsing import Reading, read_reply, strict_schema
from core.llm.redaction import redacted, short
from core.llm.refusals import in_words, refused_setting
from core.llm.replies import Chat, Reply, streamed, whole
from core.llm.seam import Answer, AnswerState, Attempt, Endpoint, Question
from core.llm.transport import client_for, proxy_shown

VERSION = "1"
log = logging.getLogger(__name__)
for _name in ("httpx2", "httpx", "openai"):  # one line for each request, with its address
    logging.getLogger(_name).setLevel(logging.WARNING)


class OpenAIEngine:
    """Chat completions at one endpoint.

    Args:
        key: sent only to ``endpoint.base_url``; never stored, and taken out of whatever the endpoint says.
        learned: what is known of the endpoint; changed in place, and given to ``on_learn`` when it grows.
        timeout: seconds for one whole request.
    Raises:
        DataError: the base URL is no address, or holds what may be a key; the key is none that can be sent.
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
        self.lessons = Lessons(self.learned, self._tell)
        self._key = check_key(key, endpoint.name or shown(endpoint.base_url))
        self._known_key = KnownKey(self._key)
        self._on_learn, self._timeout = on_learn, timeout
        self._logged = ""
        self._client: Any = None
        self._response: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def ask(self, question: Question, on_text: Callable[[str], None] | None = None) -> Answer:
        """One request, and its reply read and checked.

        Raises:
            ModelError: no reply came that ended; ``kind`` *again* when a setting was refused and will be left out,
                else whether waiting helps; ``usage`` is what was paid all the same.
        """
        chat = [{"role": m.role, "content": m.content} for m in question.messages]
        name: Hashable = (question.messages, question.seed) if self.lessons.trying else None
        known = self.lessons.known_for(name)
        settings = self._settings(question, known, streaming=on_text is not None)
        at, start = datetime.now(UTC).isoformat(timespec="milliseconds"), time.monotonic()
        try:
            reply = ended(await self._send(chat, settings, on_text))
            reply = replace(reply, text=self._known_key.without(reply.text))
        except Exception as error:  # noqa: BLE001 - sorted and said
            fault = self._fault(error, [m["content"] for m in chat])
            told = self._refused(question, fault, settings)
            told.attempts = (Attempt(at, time.monotonic() - start, f"{fault.status} {fault.kept}"),)
            raise told from None  # the endpoint's own words may hold the key, or what it was sent
        if name is not None:
            self.lessons.certain(name)
        state, reading = judge(reply, question)
        return Answer(
            value=reading.value,
            state=state,
            text=reply.text,
            raw=reply.text,
            reason=reading.reason,
            usage=reply.usage,
            finish_reason=short(redacted(reply.finish, [self._known_key]), 60),
            attempts=(Attempt(at, time.monotonic() - start),),
            engine="openai",
            engine_version=VERSION,
            model=short(redacted(reply.model, [self._known_key])),
            sent={k: v for k, v in settings.items() if k != "stream"},
            dropped=tuple(known.get("dropped", ())),
        )

    async def models(self) -> list[str]:
        """Names of the models the endpoint lists.

        Raises:
            ModelError: it does not list them, or the way to it is not encrypted.
        """
        check_way(self.endpoint)
        try:
            page = await self._ready().models.list()
        except Exception as error:  # noqa: BLE001 - sorted and said
            raise self._told(self._fault(error, ())) from None
        return [short(redacted(str(model.id), [self._known_key])) for model in page.data]

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _fault(self, error: Exception, sent: Sequence[str]) -> Fault:
        """The fault, cleaned; of a connection that did not come about the log gets the system's number, once."""
        fault = fault_of(error).cleaned(sent, [self._known_key])
        cause = for_the_log(error) if fault.words in UNREACHED else ""
        if cause and cause != self._logged:
            log.warning("no connection: %s", cause)
        self._logged = cause
        return fault

    def _told(self, fault: Fault) -> ModelError:
        return in_words(fault, self.endpoint.base_url, proxy_shown(self.endpoint))

    def _refused(self, question: Question, fault: Fault, settings: dict[str, Any]) -> ModelError:
        """The refusal in words; of kind *again* where it only refuses a setting."""
        name = (question.messages, question.seed)
        told = self._told(fault)
        if setting := refused_setting(fault, settings):
            self.lessons.refused(name, setting, settings)
            told.kind = "again"
        elif told.kind != "wait":
            self.lessons.wrong(name)
        return told

    def _tell(self) -> None:
        if self._on_learn is not None:
            self._on_learn(dict(self.learned))

    def _settings(self, question: Question, known: Any, streaming: bool) -> dict[str, Any]:
        """What is sent beside the messages: everything asked for, less what this endpoint refused."""
        wanted = question.settings
        settings: dict[str, Any] = {
            "temperature": wanted.temperature,
            "top_p": wanted.top_p,
            known.get("limit_name", "max_tokens"): wanted.max_tokens,
            "seed": question.seed & 0x7FFFFFFF,
        }
        if question.reply is not None:
            settings["response_format"] = reply_format(question, known.get("format", FORMATS[0]))
        if streaming:
            settings |= {"stream": True, "stream_options": {"include_usage": True}}
        dropped = known.get("dropped", ())
        settings = {k: v for k, v in settings.items() if v is not None and k not in dropped}
        extra = {k: v for k, v in wanted.extra.items() if k != "pace"}
        return settings | ({"extra_body": extra} if extra else {})

    async def _send(
        self, chat: Chat, settings: dict[str, Any], on_text: Callable[[str], None] | None
    ) -> Reply:
        """One request; its whole time is limited, since a slow trickle never runs into a limit on each read."""
        async with asyncio.timeout(self._timeout):
            client = self._ready()
            if settings.get("stream") and on_text is not None:
                stream = await client.chat.completions.create(
                    model=self.endpoint.model, messages=chat, **settings
                )
                heard = Heard(self._known_key, on_text)
                reply = await streamed(stream, heard.hear, chat)
                heard.end()
                return reply
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


def reply_format(question: Question, form: str) -> dict[str, Any] | None:
    if question.reply is None or form not in FORMATS[:2]:
        return None
    if form == "json_object":
        return {"type": "json_object"}
    schema = {"name": question.reply.__name__, "strict": True, "schema": strict_schema(question.reply)}
    return {"type": "json_schema", "json_schema": schema}


def ended(reply: Reply) -> Reply:
    """The reply, if it says how it ended.

    Raises:
        Fault: it does not; half a reply would look the same.
    """
    if ending(reply.finish)[0] == "missing":
        raise Fault(0, "unfinished", usage=reply.usage)
    return reply


def judge(reply: Reply, question: Question) -> tuple[AnswerState, Reading]:
    """Whether a reply is an answer: only one that ended by itself is read."""
    how, why = ending(reply.finish)
    if how == "cut" or how == "filtered":
        return how, Reading(None, why)
    if not reply.text.strip():
        if reply.refusal:
            return "filtered", Reading(None, "the model refused to answer")
        return "empty", Reading(None, "the reply is empty")
    reading = read_reply(reply.text, question.reply)
    return ("read" if reading.value is not None else "unreadable"), reading
