"""The seam to models: one typed question in, one typed answer out.

Two engines stand behind it (``core.llm.openai_engine`` and ``core.llm.demo``). A question carries both its
inputs, which the rule engine reads, and the rendered messages, which a model reads.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pydantic import BaseModel

from core.clearance import Source, Standing, Typed, Use

Language = Literal["en", "zh"]
Seat = Literal["client", "counselor"]

DEMO_LABEL = "demo engine (rules, no model)"


@dataclass(frozen=True)
class Endpoint:
    """Where questions go. ``base_url`` and ``model`` are empty for the demo engine.

    ``http_allowed``: a person insisted on plain http to this address.
    """

    kind: Literal["demo", "openai"] = "demo"
    base_url: str = ""
    model: str = ""
    name: str = ""
    http_allowed: bool = False


@dataclass(frozen=True)
class Settings:
    """Sampling settings; ``None`` leaves the endpoint's own default."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Question:
    """One question to a model.

    Args:
        prompt: id of the prompt, e.g. ``client/turn``; ``prompt_version`` and ``prompt_hash`` pin its text.
        inputs: JSON values the prompt was rendered from.
        messages: what a model reads.
        reply: pydantic model the answer must fit, or ``None`` for plain text.
        use: what its words are used for; persons agree to uses.
        sources: all records and drafts its words come from. ``standings`` reads how they stand at the moment it is
            called: the gate asks it before each request.
        repair: asks for an unreadable reply again; the reply and what was wrong end its messages.
    """

    prompt: str
    prompt_version: int
    prompt_hash: str
    inputs: Mapping[str, Any]
    messages: tuple[Message, ...]
    reply: type[BaseModel] | None
    settings: Settings
    seed: int
    language: Language
    purpose: str
    use: Use
    sources: tuple[Source | Typed, ...]
    standings: Callable[[], list[Standing]] = field(compare=False, repr=False)
    repair: bool = False

    @property
    def about(self) -> tuple[Source, ...]:
        """The records its words come from."""
        return tuple(sorted({s for s in self.sources if isinstance(s, Source)}))


@dataclass(frozen=True)
class Usage:
    """Tokens of one answer; ``None`` where the server did not say. ``estimated`` marks our own count."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    estimated: bool = False


@dataclass(frozen=True)
class Attempt:
    """One request that was made: when (UTC, ISO 8601), how long (s), and the error in words, if any."""

    at: str
    seconds: float
    error: str = ""


AnswerState = Literal["read", "repaired", "unreadable", "cut", "empty", "filtered"]


@dataclass(frozen=True)
class Answer:
    """What came back. ``value`` is ``None`` unless ``state`` is *read* or *repaired*; then ``reason`` says why."""

    value: Any
    state: AnswerState
    text: str
    raw: str
    reason: str = ""
    usage: Usage = Usage()
    finish_reason: str = ""
    attempts: tuple[Attempt, ...] = ()
    earlier: tuple[int, ...] = ()  # calls of the same question that were kept before: unreadable replies
    engine: str = "demo"
    engine_version: str = ""
    model: str = ""
    sent: Mapping[str, Any] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        return self.state in ("read", "repaired")


class Engine(Protocol):
    """Makes one request and gives one answer. ``on_text`` is given each piece of text as it streams in.

    Raises ``ModelError``; its kind ``again`` means: something was learned, ask again at once. Whoever asks decides
    how often, so that every request is paced and paid for.
    """

    endpoint: Endpoint
    version: str

    async def ask(self, question: Question, on_text: Callable[[str], None] | None = None) -> Answer: ...
