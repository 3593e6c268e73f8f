"""Prompts: versioned files under ``prompts/``, loaded strictly and rendered in a sandbox.

A file has front matter (id, version, purpose, inputs, changed) and a Jinja2 template whose parts begin at
lines that read ``[system]`` or ``[user]``. The template is split before it is rendered, so a line of that
kind in a person's text never opens a part, and the tags that fence people's text cannot be closed from
inside it.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import yaml
from jinja2 import StrictUndefined, Template, TemplateError, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from core.errors import PromptError
from core.llm.seam import Language, Message

FOLDER = Path(__file__).parent.parent / "prompts"
FIELDS = ("id", "version", "purpose", "inputs", "changed")
LANGUAGES = ("en", "zh")
NAME = re.compile(r"[a-z][a-z0-9_-]*/[a-z][a-z0-9_-]*\Z")
FRONT = re.compile(r"---\n(.*?)\n---\n(.*)\Z", re.DOTALL)
PART = re.compile(r"^\[(system|user)\][ \t]*$", re.MULTILINE)
FENCE = re.compile(
    r"<(?=[ \t]*/?[ \t]*(?:material|report|note|role|turns|session|profile|transcript)\b)", re.IGNORECASE
)


@dataclass(frozen=True)
class Prompt:
    """One prompt in one language. ``text`` is the template; ``hash`` pins it with its id and language."""

    id: str
    version: int
    purpose: str
    inputs: tuple[str, ...]
    language: Language
    text: str
    hash: str
    changed: str = ""


def fenced(value: Any) -> Any:
    """A value as it may stand inside a fence: our own tags in it are written with another bracket."""
    return FENCE.sub("‹", value) if isinstance(value, str) else value


def one_line(value: str) -> str:
    """An utterance on one line, so that a line break in it cannot forge the next turn."""
    return " ".join(str(value).split())


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        finalize=fenced,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters["one_line"] = one_line
    return environment


ENVIRONMENT = _environment()


def load(prompt_id: str, language: str) -> Prompt:
    """The shipped prompt of this id in this language.

    Raises:
        PromptError: there is no such file, or it does not keep the form.
    """
    if not NAME.match(prompt_id) or language not in LANGUAGES:
        raise _no_prompt(prompt_id, language)
    path = FOLDER / f"{prompt_id}.{language}.md"
    try:
        return _read(path, path.stat().st_mtime_ns, prompt_id, language)
    except FileNotFoundError as error:
        raise _no_prompt(prompt_id, language) from error


@lru_cache(maxsize=256)
def _read(path: Path, changed_ns: int, prompt_id: str, language: str) -> Prompt:
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise PromptError("The prompt {name} is not UTF-8 text. Save it as UTF-8.", name=prompt_id) from error
    return parse(text, language, prompt_id)


def parse(text: str, language: str, prompt_id: str = "") -> Prompt:
    """A prompt from the text of its file (a shipped one, or a person's own version).

    Raises:
        PromptError: a field is missing or wrong, the template has an error, or the declared inputs are
            not the ones the template uses.
    """
    front, body = _split_front(text.replace("\r\n", "\n"), prompt_id)
    prompt = Prompt(
        id=front["id"],
        version=front["version"],
        purpose=str(front["purpose"]),
        inputs=tuple(front["inputs"]),
        language=cast(Language, language),
        text=body,
        hash=hashlib.sha256(f"{front['id']}\n{language}\n{body}".encode()).hexdigest(),
        changed=str(front["changed"]),
    )
    _check_inputs(prompt)
    return prompt


def render(prompt: Prompt, inputs: Mapping[str, Any]) -> tuple[Message, ...]:
    """The messages a model reads.

    Raises:
        PromptError: an input is missing or undeclared, or the template fails on these inputs.
    """
    if set(inputs) != set(prompt.inputs):
        raise PromptError(
            "The prompt {name} needs the inputs {declared} and was given {given}. Give exactly these; "
            "nothing was sent.",
            name=prompt.id,
            declared=_listed(prompt.inputs),
            given=_listed(inputs),
        )
    try:
        parts = [(role, template.render(inputs).strip()) for role, template in _compiled(prompt)]
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        raise PromptError(
            "The prompt {name} ({language}) cannot be filled in: {why}. Correct the prompt or the record "
            "it is asked about; nothing was sent.",
            name=prompt.id,
            language=prompt.language,
            why=str(error),
        ) from error
    return tuple(Message(role=cast(Any, role), content=content) for role, content in parts if content)


def catalogue() -> list[tuple[str, tuple[str, ...]]]:
    """Every shipped prompt id with the languages it comes in, in alphabetical order."""
    found: dict[str, list[str]] = {}
    for path in sorted(FOLDER.glob("*/*.md")):
        name, _, language = path.stem.rpartition(".")
        if name and language in LANGUAGES:
            found.setdefault(f"{path.parent.name}/{name}", []).append(language)
    return [(name, tuple(languages)) for name, languages in found.items()]


def _split_front(text: str, expected: str) -> tuple[dict[str, Any], str]:
    """Front matter and template, with the fields checked."""
    found = FRONT.match(text)
    try:
        front = yaml.safe_load(found.group(1)) if found else None
    except yaml.YAMLError as error:
        raise _bad(expected, f"its front matter is not YAML: {error}") from error
    if found is None or not isinstance(front, dict):
        raise _bad(expected, "it does not begin with front matter between two lines of ---")
    if set(front) != set(FIELDS):
        raise _bad(expected, f"its front matter must have exactly the fields {_listed(FIELDS)}")
    version, inputs = front["version"], front["inputs"]
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _bad(expected, "its version is not a whole number from 1")
    if not isinstance(inputs, list) or not all(
        isinstance(name, str) and name.isidentifier() for name in inputs
    ):
        raise _bad(expected, "its inputs are not a list of names")
    if len(set(inputs)) != len(inputs):
        raise _bad(expected, "an input is declared twice")
    if not isinstance(front["id"], str) or not NAME.match(front["id"]):
        raise _bad(expected, "its id does not read like stage/name")
    if expected and front["id"] != expected:
        raise _bad(expected, f"its id says {front['id']}")
    return front, found.group(2).strip("\n") + "\n"


def _check_inputs(prompt: Prompt) -> None:
    """Every declared input is used and every used variable declared."""
    try:
        used: set[str] = set()
        for _role, source in _parts(prompt):
            used |= meta.find_undeclared_variables(ENVIRONMENT.parse(source))
        _compiled(prompt)
    except TemplateError as error:
        raise _bad(prompt.id, f"its template has an error: {error}") from error
    if used != set(prompt.inputs):
        raise _bad(prompt.id, f"it declares the inputs {_listed(prompt.inputs)} and uses {_listed(used)}")


def _parts(prompt: Prompt) -> list[tuple[str, str]]:
    """The template cut at its part lines, before anything is filled in."""
    pieces = PART.split(prompt.text)
    if pieces[0].strip():
        raise _bad(prompt.id, "there is text before the first [system] or [user] line")
    parts = list(zip(pieces[1::2], pieces[2::2], strict=True))
    if not any(source.strip() for _role, source in parts):
        raise _bad(prompt.id, "it has no [system] or [user] part with text")
    return parts


@lru_cache(maxsize=256)
def _compiled(prompt: Prompt) -> tuple[tuple[str, Template], ...]:
    return tuple((role, ENVIRONMENT.from_string(source)) for role, source in _parts(prompt))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "(none)"


def _bad(name: str, why: str) -> PromptError:
    return PromptError(
        "The prompt {name} cannot be used: {why}. Correct the file and try again; nothing was sent.",
        name=name or "given",
        why=why,
    )


def _no_prompt(name: str, language: str) -> PromptError:
    return PromptError(
        "There is no prompt {name} in the language {language}. Choose one that is listed under "
        "Instruments and prompts.",
        name=name,
        language=language,
    )
